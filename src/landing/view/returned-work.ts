/** Why work came back from landing, read from what its author was told in the entry. Pure. */
import { isJsonObject, type Json, parseBounded } from "../../base/json.ts";
import type { ReturnedWork } from "../../tasks/operations/task-shapes.ts";

/** The sides of what conflicts and the end of a check, of the notice's words; nothing where they do not say it. */
export function returnedIn(words: string): Pick<ReturnedWork, "hunks" | "check" | "outputEnd"> {
  const line = words.split("\n").find((each) => each.startsWith("Details: ")) ?? "";
  const read = parseBounded(line.slice("Details: ".length));
  const details = read.ok && isJsonObject(read.value) ? read.value : {};
  const { hunks, check, outputEnd } = details;
  return {
    hunks: (Array.isArray(hunks) ? hunks : []).flatMap((each: Json) => {
      if (!isJsonObject(each)) return [];
      return [{ file: textOf(each.file), ours: textOf(each.ours), theirs: textOf(each.theirs) }];
    }),
    check: typeof check === "string" ? check : null,
    outputEnd: textOf(outputEnd),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
