/**
 * Locks that the scripts of VBW take, as claims of the agent that runs the script. In a session of Claude Code several
 * agents share one shell, so a script there does not know who calls it, but the hook after the shell does. The script's
 * answer on standard output says what it did; without an answer nothing is recorded.
 * Rule: docs/protocol/record.md, section 29.
 */
import { isJsonList, isJsonObject, type Json, parseBounded } from "../../base/json.ts";
import { visible } from "../../base/text.ts";
import { taskKey } from "../../coordination/tasks/task-ids.ts";
import type { TaskView } from "../../coordination/tasks/task-view.ts";
import { type AskedByAgent, problemLines } from "./hook-question.ts";
import { readShell, type ShellWord } from "./shell-commands.ts";

/** What a script did with a lock. */
export interface LockCall {
  readonly does: "acquire" | "release";
  readonly task: string;
  readonly files: readonly string[];
}

/** Records the locks of a shell command; what the agent must know of it, null: nothing. */
export async function claimByScripts(asked: AskedByAgent): Promise<string | null> {
  const { command } = asked.input.toolInput;
  const { stdout } = asked.input.toolResponse;
  if (typeof command !== "string" || typeof stdout !== "string") return null;
  const calls = locksOf(command, stdout);
  const tasks = calls.length === 0 ? null : await asked.team.tasks();
  if (tasks === null || !tasks.ok) return null;
  const words: string[] = [];
  const known = new Map(tasks.value.map((each): [string, KnownTask] => [taskKey(each.task, each.plan), each]));
  for (const call of calls) words.push(...(await recordLock(asked, call, known)));
  return words.length === 0 ? null : words.join("\n\n");
}

type KnownTask = Pick<TaskView, "task" | "plan" | "holder" | "files">;

/**
 * A task that the record does not have is never claimed, and what is so already is not recorded again. `known` is the
 * board by the tasks' keys, and what the calls before have changed in it.
 */
async function recordLock(
  { team, agent }: AskedByAgent,
  { does, task: named, files }: LockCall,
  known: Map<string, KnownTask>,
): Promise<readonly string[]> {
  const key = taskKey(named);
  const found = known.get(key);
  if (found === undefined) return [];
  const { task, plan, holder } = found;
  const place = { task, ...(plan === null ? {} : { plan }) };
  const isOwn = holder === agent;
  if (does === "release") {
    const released = isOwn ? await team.release(place) : null;
    if (released?.outcome === "accepted") known.set(key, { task, plan, holder: null, files: [] });
    return [];
  }
  if (isOwn && files.every((file) => found.files.includes(file))) return [];
  const { reply } = await team.claim({ ...place, ...(files.length === 0 ? {} : { files }) });
  if (reply.outcome === "accepted") {
    known.set(key, { task, plan, holder: agent, files });
    return [];
  }
  const problems = reply.outcome === "failed" ? [reply.problem] : reply.problems;
  return [`Baton: the script's lock of ${visible(task)} is no claim of yours:\n${problemLines(problems)}`];
}

const lockScripts = ["lease-lock", "lock-lite"] as const;
const stepsScript = "control-plane";

/** The answers of the scripts, one for each call. */
const answers: ReadonlySet<string> = new Set(
  "acquired renewed released conflict_blocked no_lock clear skipped".split(" "),
);

/**
 * What the scripts in a shell command did, as their answers say; nothing where calls and answers do not match one by one, or
 * where only a part of the command or of its output could be looked at.
 */
export function locksOf(command: string, stdout: string): readonly LockCall[] {
  const lines = stdout.split("\n", linesMax + 1);
  const shell = command.length > commandCharactersMax || lines.length > linesMax ? null : readShell(command);
  if (shell === null) return [];
  const calls = shell.commands.flatMap((words) => scriptCall(words) ?? []);
  const [only] = calls;
  if (calls.length > callsMax) return [];
  if (only?.name === stepsScript) return calls.length === 1 ? locksOfSteps(only.words, stdout) : [];
  const said = lines.flatMap((line) => {
    const word = line.trim();
    return answers.has(word) || word.startsWith("conflicts:") || word.startsWith('{"task_id"') ? [word] : [];
  });
  if (said.length !== calls.length) return [];
  // Of commands that run at the same time nobody knows which answered first.
  if (!shell.isInOrder && new Set(said).size > 1) return [];
  return calls.flatMap(({ name, words }, at): readonly LockCall[] => {
    const [act, task, ...files] = words.filter((word) => word === null || !word.startsWith("--"));
    const does = said[at] === "acquired" ? "acquire" : said[at] === "released" ? "release" : null;
    if (name === stepsScript || does === null || act !== does) return [];
    const known = files.filter((file) => file !== null);
    // A word that the shell has replaced is not known.
    return typeof task === "string" && known.length === files.length ? [{ does, task, files: known }] : [];
  });
}

/** `control-plane pre-task|post-task PHASE PLAN TASK` takes and frees a lock in one of its steps. */
function locksOfSteps(words: readonly (string | null)[], stdout: string): readonly LockCall[] {
  const from = stdout.indexOf("{");
  const parsed = from < 0 ? null : parseBounded(stdout.slice(from, stdout.lastIndexOf("}") + 1));
  const steps = parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value.steps : null;
  if (words.includes(null) || !isJsonList(steps ?? undefined)) return [];
  const passed = (step: string) => (steps as readonly Json[]).some((each) => isPassed(each, step));
  const option = (name: string) => words.find((word) => word?.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [, phase, plan, number] = words.filter((word) => word?.startsWith("--") !== true);
  const task = option("task-id") || `${phase}-${plan}-T${number}`;
  const files = (option("claimed-files") ?? "").split(",").filter(Boolean);
  return [
    ...(passed("lease_acquire") ? [{ does: "acquire" as const, task, files }] : []),
    ...(passed("lease_release") ? [{ does: "release" as const, task, files: [] }] : []),
  ];
}

function isPassed(step: Json, name: string): boolean {
  return isJsonObject(step) && step.name === name && step.status === "pass";
}

/** A longer command or output, and more calls, are not looked through: a part of them could say something else. */
const commandCharactersMax = 100_000;
const linesMax = 10_000;
const callsMax = 100;

/** Words before the name of a script that only start it. */
const starters = new Set(["bash", "sh", "env", "exec", "command", "if", "then", "else", "do", "while", "until", "!"]);

interface ScriptWords {
  readonly name: string;
  /** null: the shell puts something in its place. */
  readonly words: readonly (string | null)[];
}

/** A call of one of the scripts: by its file, as a word of `yolo`, or as `baton shim`; null: another command. */
function scriptCall(words: readonly ShellWord[]): ScriptWords | null {
  const at = words.findIndex(({ text }) => !starters.has(text) && !text.startsWith("-") && !isAssignment(text));
  const [first, second, third, ...others] = words.slice(Math.max(at, 0)).map(({ text }) => baseOf(text));
  const rest = (from: number) =>
    words.slice(Math.max(at, 0) + from).map(({ text, isReplaced }) => (isReplaced ? null : text));
  const own = (name: string | undefined) => [...lockScripts, stepsScript].find((each) => each === name) ?? null;
  const byFile = first?.endsWith(".sh") === true ? own(first.slice(0, -".sh".length)) : null;
  if (byFile !== null) return { name: byFile, words: rest(1) };
  const byTool = first === "yolo" ? own(second) : null;
  if (byTool !== null) return { name: byTool, words: rest(2) };
  const byShim = first?.startsWith("baton") === true && second === "shim" ? own(third) : null;
  return byShim === null ? null : { name: byShim, words: rest(others[0] === "--" ? 4 : 3) };
}

function baseOf(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}

function isAssignment(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,100}=/.test(text);
}
