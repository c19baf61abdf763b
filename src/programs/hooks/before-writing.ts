/**
 * Before an agent's tool writes files: each path is checked against what others hold and what the agent may change, by the
 * judgement of the gate for git, under either policy; then the agent may hold the files by this edit. What others hold
 * also counts when the acting agent is unknown. Source: docs/protocol/tasks.md, sections 15, 17, 18, 19 and 20;
 * docs/protocol/doors.md, section 7.
 */
import { isAbsolute } from "node:path";
import { reachesIntoBaton } from "../../base/paths/paths.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { batonFile, writingWords } from "../../evidence/decide/gate.ts";
import { judgeFiles } from "../../evidence/services/gate.ts";
import { ownerName } from "../../messages/principal.ts";
import { shellTools } from "../../messages/program-hooks.ts";
import type { EditAnswer } from "../../tasks/operations/claims.ts";
import { type HookAnswer, nothing } from "./hook-answer.ts";
import { type Asked, type AskedByAgent, introduce, judgedAs, problemLines } from "./hook-question.ts";
import { filesOfPatch, filesOfShellPatch, type PatchedFiles } from "./patches.ts";
import { filesNamed } from "./tool-kind.ts";

/** The answer about the files that the tool is about to write. */
export async function beforeWriting(asked: Asked): Promise<HookAnswer> {
  const agent = judgedAs(asked);
  const { files, unplaced } = filesOf(asked);
  if (unplaced.length > 0) return { says: "deny", words: unplacedWords(unplaced) };
  if (files.length === 0) {
    return {
      says: "deny",
      words: "Baton cannot see which file this writes, so it cannot be judged. Name it by its path.",
    };
  }
  const unclear = files.find((file) => /\p{Cc}/u.test(file));
  if (unclear !== undefined) return { says: "deny", words: unclearWords(unclear) };
  const searched = searchedFile(asked);
  if (searched !== null) return { says: "deny", words: searchedWords(searched) };
  const paths = [...new Set(files.flatMap((file) => asked.pathsOf(file)))];
  if (paths.length === 0) return nothing;
  const judged = agent === null ? await judgeForNobody(asked, paths) : await editing(asked, paths);
  if (!judged.ok) return { says: "deny", words: `Baton could not judge this:\n${problemLines([judged.error])}` };
  const { problems, notes } = judged.value;
  if (problems.length > 0) {
    const who = agent === null ? `\n${introduce(asked)}` : "";
    return { says: "deny", words: `Not written:\n${problemLines(problems)}${who}` };
  }
  const told = notes.map(({ message }) => visible(`- ${message}`)).join("\n");
  return notes.length === 0 ? nothing : { says: "context", words: `Baton: written, with notes:\n${told}` };
}

/** The agent edits the files; where it takes them, it reads what its work tree lacks. */
async function editing({ team, head }: Asked, paths: readonly string[]) {
  const at = await head();
  return await team.editFiles(paths, at === undefined ? {} : { head: at });
}

/**
 * The answer after the tool has written: null where it could write what it wrote. A program that gets no answer before the
 * tool may go on without one, so what was written is judged again. What the tool has left as it was is free.
 */
export async function afterWriting(asked: AskedByAgent): Promise<Result<string | null, Problem>> {
  const searched = searchedFile(asked);
  const found = searched === null || "error" in asked.input.toolResponse ? [] : await asked.changedAs(searched);
  const paths = [...new Set([...filesOf(asked).files, ...found].flatMap((file) => asked.pathsOf(file)))];
  if (paths.length === 0) return ok(null);
  const left = await asked.unchanged(paths);
  const freed = left.length === 0 ? null : await asked.team.editFiles(left, { isLeft: true });
  if (freed?.ok === false) return freed;
  const written = paths.filter((path) => !left.includes(path));
  if (written.length === 0) return ok(null);
  const judged = await asked.team.editFiles(written, { isWritten: true });
  if (!judged.ok) return judged;
  const { problems } = judged.value;
  if (problems.length === 0) return ok(null);
  const words = `Baton: this was written, and it may not be. Baton was not asked before, or could not answer.\n${problemLines(problems)}\nTake it back now. The lead and the holder are notified.`;
  return ok(words);
}

/**
 * A helper may write what the agent that it helps may. Who is not known may change what nobody holds, but is not the owner:
 * none of Baton's own files. Neither takes files.
 */
async function judgeForNobody(
  { team, helps }: Asked,
  paths: readonly string[],
): Promise<Result<Pick<EditAnswer, "problems" | "notes">, Problem>> {
  const judged = await judgeFiles((each) => team.permissions(each), helps ?? ownerName, paths);
  if (!judged.ok) return judged;
  const found = new Set(judged.value.map(({ path }) => path));
  const owners = helps === null ? paths.filter((path) => reachesIntoBaton(path) && !found.has(path)) : [];
  return ok({ problems: [...judged.value, ...owners.map((path) => batonFile(path, writingWords))], notes: [] });
}

/** The paths in a tool's arguments: by a separate field, or in the lines of a patch that Codex applies. */
function filesOf({ program, input: { toolName, toolInput } }: Pick<Asked, "program" | "input">): PatchedFiles {
  const { command, patch, input } = toolInput;
  if (toolName === shellTools[program]) return filesOfShellPatch(command);
  const patched = [command, patch, input].flatMap((each) => filesOfPatch(each).files);
  return { files: [...filesNamed(toolInput), ...patched], unplaced: [] };
}

/**
 * The file that Gemini CLI looks for all over its folders before it changes it, because it is not where the tool names it. A
 * new file is made there. null: there is none.
 */
function searchedFile({ program, input: { toolName, toolInput }, isThere }: Asked): string | null {
  const { file_path, old_string } = toolInput;
  if (program !== "gemini" || toolName !== "replace" || typeof file_path !== "string" || old_string === "") return null;
  return isAbsolute(file_path) || isThere(file_path) ? null : file_path;
}

function searchedWords(path: string): string {
  return `Not written: there is no file ${visible(path)} in the folder that you work in. Gemini CLI would change another one whose path ends so, and Baton cannot judge which. Name the file by its path from that folder, or by its absolute path.`;
}

function unclearWords(path: string): string {
  return `Not written: the path ${visible(path)} has control characters, so Baton cannot see which file it names. Name the file by a path without them.`;
}

function unplacedWords(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => visible(path));
  const more = paths.length > shown.length ? ` and ${paths.length - shown.length} more` : "";
  return `Not written: Baton cannot see in which folder this shell command applies its patch, so it cannot judge ${shown.join(", ")}${more}. Name the files of the patch by absolute paths, or apply it by the tool apply_patch.`;
}
