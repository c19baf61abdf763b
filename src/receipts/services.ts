/**
 * Keeps receipts as git notes of the commits that they speak of, in `refs/notes/baton`: a line for each task, the newest of
 * a task in place of an earlier one. A note proves nothing by itself: its signature does.
 */
import { isJsonObject, jsonLine, parseBounded } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import { batonsName } from "../evidence/git/new-commit.ts";
import { ask, look } from "../evidence/git/questions.ts";
import { openRepository, type RepositoryOptions } from "../evidence/git/repository.ts";
import type { SignedReceipt } from "../perform/workspace/receipt-key.ts";
import { toldBy } from "./view.ts";

const notes = ["notes", "--ref=refs/notes/baton"];

/** Keeps them; at how many commits. Refuses what git refuses, such as a commit that is not here. */
export async function keepNotes(
  { directory, ...options }: RepositoryOptions & { readonly directory: string },
  receipts: readonly SignedReceipt[],
): Promise<Result<number, Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  return await look(async () => {
    const commits = new Set<string>();
    for (const receipt of receipts) {
      const told = toldBy(receipt);
      for (const commit of told?.commits ?? []) {
        commits.add(commit);
        const { code, output } = await ask(repository, [...notes, "show", commit], { answers: [0, 1] });
        const lines = code === 0 ? output.toString("utf8").split("\n") : [];
        const others = lines.filter((line) => line !== "" && taskIn(line) !== told?.task);
        const input = `${[...others, jsonLine(receipt)].join("\n")}\n`;
        await ask(repository, [...notes, "add", "--force", "--file=-", commit], { input, own: batonsName });
      }
    }
    return commits.size;
  });
}

/** The task of the receipt in a line of a note; undefined: it holds none. */
function taskIn(line: string): string | undefined {
  const parsed = parseBounded(Buffer.from(line));
  const payload = parsed.ok && isJsonObject(parsed.value) ? parsed.value.payload : null;
  return typeof payload === "string" ? toldBy({ payload })?.task : undefined;
}
