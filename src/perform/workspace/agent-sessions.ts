/**
 * What is known on this machine of the sessions of agent programs: the processes that they run in, and which of them have
 * several agents at work. The agents of one session share its shell, so a command that runs there cannot see which of them
 * runs it. Source: docs/protocol/doors.md, sections 3 and 7.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { sha256 } from "../../base/canonical.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";

/** The folder of what is known of sessions, of the team whose journal is that file. */
export function sessionsFolder(journal: string): string {
  return join(dirname(journal), "sessions");
}

/**
 * The path of the sockets on which the servers of sessions answer hooks, without the number of the program's process at its
 * end; `folder` as `sessionsFolder` says it.
 */
export function hookSocketStart(folder: string): string {
  return join(folder, "hooks-");
}

/** Whether this process runs below a program that has such a server. */
export function isBelowProgram(folder: string): boolean {
  const names = new Set(namesIn(folder));
  return (processesAbove() ?? []).some((each) => names.has(`hooks-${each.split("-")[0]}`));
}

/** An agent that works in a session in addition to the session's own: a teammate or a helper. */
export interface WorkingAgent {
  readonly session: string;
  /** The program's own id of the agent. */
  readonly agent: string;
}

/** Notes that it works; `process`: the program, with whose end the note ends. */
export function noteWorking(folder: string, { session, agent }: WorkingAgent, process: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `${workingStart(session)}${fileNameOf(agent)}`), process, { mode: 0o600 });
  } catch {
    // Where nothing can be written no command can act either.
  }
}

/** Notes that it has stopped. */
export function noteStopped(folder: string, { session, agent }: WorkingAgent): void {
  rmSync(join(folder, `${workingStart(session)}${fileNameOf(agent)}`), { force: true });
}

/** Why it is not known which agent of the session runs a command in its shell; null: only the session's own can. */
export function sharedShellProblem(folder: string, session: string): Problem | null {
  const start = workingStart(session);
  const isShared = namesIn(folder).some(
    (name) => name.startsWith(start) && isRunning(textOf(join(folder, name)) ?? ""),
  );
  if (!isShared) return null;
  const fact =
    "Several agents work in this session of Claude Code, and its shell does not say which of them runs this.";
  return makeProblem("identity-mismatch", "BATON_AGENT", fact, {
    hint: "Use the tools of the MCP server baton, which know you: send_message, read_inbox, task. Or name yourself with --as",
  });
}

/** A command in the session's shell. */
export interface ShellUse {
  readonly session: string;
  /** The program's own id of the agent that runs it; null: the session's own agent. */
  readonly runner: string | null;
}

/** Notes that `agent` runs a command in the session's shell; `process`: the program, with whose end the note ends. */
export function noteShell(folder: string, use: ShellUse, agent: string, process: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(shellFile(folder, use), `${process}\n${agent}`, { mode: 0o600 });
  } catch {
    // Where nothing can be written no command can act either.
  }
}

/** Notes that the command has ended. */
export function noteShellEnded(folder: string, use: ShellUse): void {
  rmSync(shellFile(folder, use), { force: true });
}

/** The agents that run commands in the session's shell now. */
export function agentsInShell(folder: string, session: string): readonly string[] {
  const found = namesIn(folder).flatMap((name) => {
    if (!name.startsWith(shellStart(session))) return [];
    const [process = "", agent = ""] = (textOf(join(folder, name)) ?? "").split("\n", 2);
    return agent !== "" && isRunning(process) ? [agent] : [];
  });
  return [...new Set(found)];
}

function shellFile(folder: string, { session, runner }: ShellUse): string {
  return join(folder, `${shellStart(session)}${runner === null ? "" : fileNameOf(runner)}`);
}

function shellStart(session: string): string {
  return `shell-${fileNameOf(session)}.`;
}

function workingStart(session: string): string {
  return `working-${fileNameOf(session)}.`;
}

/** The file that says which agent the session of the program is. */
export function bindingFile(folder: string, program: string, session: string): string {
  return join(folder, `${program}-${fileNameOf(session)}`);
}

/** Which agent it is; null: it is bound to none. */
export function boundAgent(folder: string, program: string, session: string): string | null {
  return textOf(bindingFile(folder, program, session));
}

/** What a program or an agent calls something, as a part of a file's name: as it is where it is plain, else its digest. */
export function fileNameOf(id: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
  return `=${sha256(JSON.stringify(id))}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No session has been seen here.
    return [];
  }
}

/*
 * Processes by what tells one from a later one with the same number: the number, and on Linux when it started.
 */

/** The processes above this one, the nearest first; null: the machine does not say. */
export function processesAbove(): readonly string[] | null {
  return processesFrom(process.ppid);
}

/** The process that is named so and those above it; null: it does not run here. */
export function processesWith(named: string): readonly string[] | null {
  return isRunning(named) ? processesFrom(Number(named.split("-")[0])) : null;
}

function processesFrom(nearest: number): readonly string[] | null {
  const found: string[] = [];
  for (let id = nearest; id > 1 && found.length < processesMax; ) {
    const facts = factsOf(id);
    if (facts === null) break;
    found.push(`${id}-${facts.started}`);
    id = facts.parent;
  }
  return found.length === 0 ? null : found;
}

/** The program that started this process: its file and its words; null: the machine does not say. */
export function programAbove(): { readonly file: string; readonly words: readonly string[] } | null {
  try {
    const folder = `/proc/${process.ppid}`;
    const words = readFileSync(join(folder, "cmdline"), "utf8").split("\0");
    return { file: readlinkSync(join(folder, "exe")), words: words.slice(1, -1) };
  } catch {
    // Not Linux, or the program has just ended.
    return null;
  }
}

/** Deeper than any shell in a shell. */
const processesMax = 64;

/** This process; null: the machine does not say when it started. */
export function processNow(): string | null {
  return processWith(process.pid);
}

/** The process with this number; null: there is none, or the machine does not say when it started. */
export function processWith(id: number): string | null {
  const facts = factsOf(id);
  return facts === null ? null : `${id}-${facts.started}`;
}

/** Whether the process is still there, and is the same one. */
export function isRunning(named: string): boolean {
  const [id = "", started] = named.split("-");
  return factsOf(Number(id))?.started === started;
}

/** The processes that work in the folder or below it, with their numbers; none where the machine does not say. */
export function processesIn(folder: string): readonly string[] {
  const place = realpathSync(folder);
  return namesIn("/proc").flatMap((id) => {
    if (!/^\d+$/.test(id)) return [];
    try {
      const at = readlinkSync(`/proc/${id}/cwd`);
      if (at !== place && !at.startsWith(place + sep)) return [];
    } catch {
      // It has just ended, or is another user's.
      return [];
    }
    return [`${textOf(`/proc/${id}/comm`)?.trim() ?? "process"} (${id})`];
  });
}

function factsOf(id: number): { readonly started: string; readonly parent: number } | null {
  // The name of the program comes in brackets and may hold blanks; the state is the first field after it.
  const fields = textOf(`/proc/${id}/stat`)?.split(") ").at(-1)?.split(" ");
  const [state, parent] = fields ?? [];
  const started = fields?.[19];
  // A process that has ended and that nobody has waited for is no process any more.
  if (started === undefined || state === "Z" || state === "X") return null;
  return { started, parent: Number(parent) };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // No file, or none that may be read.
    return null;
  }
}
