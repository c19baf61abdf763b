/**
 * Which agent a session of an agent program is: written once, and kept with the journal. A session that was bound as one
 * agent is never another one, and one name belongs to one session at a time, for as long as its program runs. Codex can
 * run all sessions of a user in one process, whose surroundings are those of the session that started it; there a name
 * belongs to the first session only. Source: docs/protocol/doors.md, section 7.
 */
import { createHash } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseBounded } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { bindingFile, fileNameOf, isRunning } from "../../perform/workspace/agent-sessions.ts";

/** A session that says who it is. */
export interface SessionClaim {
  /** The folder of this project's bindings; it need not exist. */
  readonly folder: string;
  readonly program: HookProgram;
  /** The program's own id of the session; null: it is not known yet. */
  readonly session: string | null;
  /** The agents that are named: by the settings of the program, then by its surroundings. */
  readonly names: readonly string[];
  /** The processes above the one that asks, the nearest first (`processesAbove`); null: this machine does not say. */
  readonly processes: readonly string[] | null;
  /** Who takes the name: the program's server, whose parent is the program, or the launcher. Null: it is only asked. */
  readonly takes: "server" | "launcher" | null;
  /** The launcher was started by the owner, not in the shell of an agent; absent: it is not known. */
  readonly isOwners?: boolean;
}

/** The agent of the session, null where nobody is named; or why it has none. */
export type Binding =
  | { readonly agent: string | null }
  | {
      readonly refused: Problem;
      /** The agent that was claimed. */
      readonly claimed: string;
      /** Whether this very claim is refused for the first time. */
      readonly isNew: boolean;
    };

/** Who has a name now. */
export interface Holder {
  readonly program: string;
  readonly session: string | null;
  /** As `processNow` says it. */
  readonly process: string;
  /** It was started by the launcher, in its own process, so that everything below this process is this session. */
  readonly isLaunched: boolean;
  /** The owner started it so: the person in its terminal is the owner. */
  readonly isOwners: boolean;
}

/** Binds the session to its agent, or says what it is bound to. Refuses `identity-mismatch`. */
export function bindSession(claim: SessionClaim): Binding {
  const { folder, program, session, names, takes } = claim;
  const [first = null] = names;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const own = session === null ? null : bindingFile(folder, program, session);
  const before = own === null ? null : textOf(own);
  const isNamed = first === null || (before !== null && names.includes(before));
  if (before !== null && !isNamed && !isLaunchedThread(before, claim))
    return refuse(claim, first, `This session began as ${before}, not as ${first}.`);
  // What the launcher was asked for counts before the settings, which are those of every session.
  const agent = before ?? names.find((name) => isLaunchedAs(name, claim)) ?? first;
  if (agent === null) return { agent };
  const holder = latestHolder(folder, agent)?.holder ?? null;
  if (holder !== null && !isOwn(holder, claim) && isRunning(holder.process))
    return refuse(claim, agent, heldWords(holder, claim, agent));
  if (takes !== null && !takeName(claim, agent, takes)) {
    const taker = latestHolder(folder, agent)?.holder ?? null;
    return refuse(claim, agent, taker === null ? `${agent} is taken.` : heldWords(taker, claim, agent));
  }
  const bound = own === null ? agent : keep(own, agent);
  return bound === agent
    ? { agent }
    : refuse(claim, agent, `This session began as ${bound ?? "another agent"}, not as ${agent}.`);
}

/** Who has the name and runs; null: nobody that this folder knows. */
export function runningHolder(folder: string, agent: string): Holder | null {
  const holder = latestHolder(folder, agent)?.holder ?? null;
  return holder !== null && isRunning(holder.process) ? holder : null;
}

/** Whether the agent's program runs here and its work ends with it: a thread of Codex goes on without its terminal. */
export function worksHere(folder: string, agent: string): boolean {
  const holder = runningHolder(folder, agent);
  return holder !== null && !(holder.program === "codex" && holder.isLaunched && holder.session !== null);
}

/** Those of the agents whose program ran here last, and has ended. */
export function endedAmong(folder: string, agents: readonly string[]): readonly string[] {
  return agents.filter((agent) => {
    const holder = latestHolder(folder, agent)?.holder ?? null;
    return holder !== null && !isRunning(holder.process);
  });
}

/** Whether the one that asks is the holder itself. */
function isOwn(holder: Holder, { program, session, processes, takes }: SessionClaim): boolean {
  if (session !== null && holder.session === session && holder.program === program) return true;
  // Where the processes are not known, the newest program takes over, which the journal decides.
  if (processes === null) return true;
  if (holder.program !== program) return false;
  if (holder.isLaunched) return processes.includes(holder.process);
  // A Codex process may run several sessions, and a session's shell may start another program.
  if (program === "codex") return false;
  return takes === null ? processes.includes(holder.process) : holder.process === processes[0];
}

/** Whether the launcher started this session as that agent. */
function isLaunchedAs(name: string, { folder, processes, program }: SessionClaim): boolean {
  const holder = latestHolder(folder, name)?.holder;
  return holder?.isLaunched === true && holder.program === program && processes?.includes(holder.process) === true;
}

/**
 * Whether the launcher made this very session as that agent, and its terminal runs: what the settings name, and the
 * surroundings of the process that runs the session, then do not count.
 */
function isLaunchedThread(agent: string, claim: SessionClaim): boolean {
  const launcher = launcherOf(agent, claim);
  return launcher !== null && isRunning(launcher) && !claim.names.some((name) => isLaunchedAs(name, claim));
}

/** The process as which the launcher started this very session as that agent; null: it did not. */
function launcherOf(agent: string, { folder, program, session }: Pick<SessionClaim, "folder" | "program" | "session">) {
  const holder = latestHolder(folder, agent)?.holder ?? null;
  const isSame = session !== null && holder?.program === program && holder.session === session;
  return isSame && holder.isLaunched ? holder.process : null;
}

/** Whether the launcher started the session as that agent, and the program that it started has ended. */
export function hasLeftTerminal(agent: string, session: Pick<SessionClaim, "folder" | "program" | "session">): boolean {
  const launcher = launcherOf(agent, session);
  return launcher !== null && !isRunning(launcher);
}

/** Makes the session the holder of the name. False: another one was faster. */
function takeName(claim: SessionClaim, agent: string, takes: "server" | "launcher"): boolean {
  const { folder, program, session, processes, isOwners = false } = claim;
  const process = processes?.[0];
  // A process that looks like a later one with the same number holds nothing.
  if (process === undefined) return true;
  const wanted: Holder = { program, session, process, isLaunched: takes === "launcher", isOwners };
  for (let tries = 0; tries < triesMax; tries++) {
    const last = latestHolder(folder, agent);
    const { holder } = last ?? { holder: null };
    const isHeld = holder !== null && isRunning(holder.process);
    if (holder !== null && isOwn(holder, claim)) {
      if (holder.process === process && (holder.isLaunched || holder.session === session)) return true;
      // Going on with a session whose program still runs would be a second one in its place.
      if (isHeld && takes === "launcher") return false;
      // What the launcher took stays its own while it runs; that a thread has left its terminal stays known after it, too.
      if (holder.isLaunched && (isHeld || (program === "codex" && takes === "server"))) return true;
    } else if (isHeld) return false;
    const number = (last?.number ?? 0) + 1;
    const file = holderFile(folder, agent, number);
    if (keep(file, JSON.stringify(wanted)) !== JSON.stringify(wanted)) continue;
    // Only the highest number counts, and it is never removed: who wrote a lower one too late has lost.
    if (latestHolder(folder, agent)?.number !== number) continue;
    for (const old of holderNumbers(folder, agent)) {
      if (old < number) rmSync(holderFile(folder, agent, old), { force: true });
    }
    return true;
  }
  return false;
}

/** More than other sessions can begin in that moment: then the folder cannot be written. */
const triesMax = 100;

function latestHolder(
  folder: string,
  agent: string,
): { readonly number: number; readonly holder: Holder | null } | null {
  for (const number of holderNumbers(folder, agent)) {
    const text = textOf(holderFile(folder, agent, number));
    // It was removed because there is a higher one, which the next look finds.
    if (text === null) return latestHolder(folder, agent);
    return { number, holder: holderOf(text) };
  }
  return null;
}

/** The highest first. */
function holderNumbers(folder: string, agent: string): readonly number[] {
  const start = `agent-${fileNameOf(agent)}.`;
  if (!existsSync(folder)) return [];
  const numbers = readdirSync(folder)
    .filter((name) => name.startsWith(start) && /^\d{1,15}$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)));
  return numbers.toSorted((a, b) => b - a);
}

function holderFile(folder: string, agent: string, number: number): string {
  return join(folder, `agent-${fileNameOf(agent)}.${number}`);
}

/** Null: nobody wrote this who holds a name. */
function holderOf(text: string): Holder | null {
  const read = parseBounded(text);
  if (!read.ok || !isJsonObject(read.value)) return null;
  const { program, session, process, isLaunched, isOwners } = read.value;
  if (typeof program !== "string" || typeof process !== "string") return null;
  return {
    program,
    session: typeof session === "string" ? session : null,
    process,
    isLaunched: isLaunched === true,
    isOwners: isOwners === true,
  };
}

/** Who has the name, for who may not have it. */
export function heldWords(
  holder: Holder,
  { program, processes }: Pick<SessionClaim, "program" | "processes">,
  agent: string,
): string {
  const [id] = holder.process.split("-");
  const isSameProcess = holder.program === program && holder.process === processes?.[0];
  return isSameProcess
    ? `Another session of the same process (${id}) is ${agent}, so it is not known which agent this one is.`
    : `Another session is ${agent}: ${holder.program}, process ${id}.`;
}

function refuse({ folder, program, session, processes }: SessionClaim, agent: string, message: string): Binding {
  const claim = JSON.stringify([program, session, processes?.[0] ?? null, agent, message]);
  const mark = join(folder, `refused-${createHash("sha256").update(claim).digest("hex").slice(0, 32)}`);
  return { refused: mismatch(program, agent, message), claimed: agent, isNew: create(mark, claim) };
}

/** The refusal of a session that claims an agent. */
export function mismatch(program: HookProgram, agent: string, message: string): Problem {
  return makeProblem("identity-mismatch", agent, message, {
    hint: `End that session, or start this one as another agent in its own process: baton run NAME --program ${program}`,
  });
}

/** What the file holds, which is `text` if nothing was there: of several writers the first one counts. */
function keep(file: string, text: string): string | null {
  return create(file, text) ? text : textOf(file);
}

/** Whether the file was created, whole. */
function create(file: string, text: string): boolean {
  const unfinished = `${file}.new-${process.pid}`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600 });
    linkSync(unfinished, file);
    return true;
  } catch {
    // It is there already, or the folder may not be written: then what is there counts.
    return false;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // No file, or none that may be read.
    return null;
  }
}
