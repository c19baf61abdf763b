/**
 * Before an agent's tool writes files: each path is checked against what others have claimed and what the agent may
 * change, by the judgement of the gate for git. Claims of others also apply when the acting agent is unknown. Source:
 * docs/protocol/tasks.md; docs/protocol/contracts.md; docs/protocol/doors.md, section 7.
 */
import { isJsonList, type Json } from "../../base/json.ts";
import { ownerName } from "../../message/principal.ts";
import { judgeFiles } from "../../runtime/evidence/gate.ts";
import { type HookAnswer, nothing } from "./hook-answer.ts";
import { type Asked, introduce, judgedAs, problemLines } from "./hook-question.ts";

/** The answer about the files that the tool is about to write. */
export async function beforeWriting(asked: Asked): Promise<HookAnswer> {
  const { team, input } = asked;
  const agent = judgedAs(asked);
  const files = filesOf(input.toolInput);
  if (files.length === 0) {
    return {
      says: "deny",
      words: "Baton cannot see which file this writes, so it cannot be judged. Name it by its path.",
    };
  }
  const paths = [...new Set(files.flatMap((file) => asked.pathsOf(file)))];
  if (paths.length === 0) return nothing;
  const judged = await judgeFiles((each) => team.standings(each), agent ?? ownerName, paths);
  if (!judged.ok) return { says: "deny", words: `Baton could not judge this:\n${problemLines([judged.error])}` };
  if (judged.value.length === 0) return nothing;
  const who = agent === null ? `\n${introduce(asked)}` : "";
  const lines = `${problemLines(judged.value)}${who}`;
  const status = await team.status();
  const isObserved = status.ok && status.value.definition?.policy === "observe";
  return isObserved
    ? { says: "context", words: `Baton only observes here; it would not allow this commit:\n${lines}` }
    : { says: "deny", words: `Not written:\n${lines}` };
}

/** Whether a shell command holds a patch, as Codex hands it to `apply_patch` in a here-document. */
export function holdsPatch({ command }: { readonly [key: string]: Json }): boolean {
  const parts = isJsonList(command) ? command : [command ?? null];
  return parts.some(
    (part) => typeof part === "string" && part.includes("apply_patch") && patchedFiles(part).length > 0,
  );
}

/** The paths in a tool's arguments: by a separate field, or in the lines of a patch that Codex applies. */
function filesOf(input: { readonly [key: string]: Json }): readonly string[] {
  const named = [input.file_path, input.notebook_path, input.path].filter((value) => typeof value === "string");
  const { command, patch, input: text } = input;
  const patches = [command, patch, text].flatMap((value): readonly Json[] => {
    if (value === undefined) return [];
    return isJsonList(value) ? value : [value];
  });
  return [...named, ...patches.flatMap((each) => (typeof each === "string" ? patchedFiles(each) : []))];
}

const patchMarks = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

function patchedFiles(patch: string): readonly string[] {
  return patch.split(/\r?\n/).flatMap((line) => {
    const mark = patchMarks.find((each) => line.startsWith(each));
    return mark === undefined ? [] : [line.slice(mark.length).trim()];
  });
}
