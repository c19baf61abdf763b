/**
 * Waking an idle agent when mail comes for it or a task is free for it. Claude Code starts a process at the end of each
 * turn that may wake the session when it ends; of those of one session one waits, and the others end at once. Codex has a
 * queue of prompts for each session, in which the session's server puts one. What wakes says only that something waits:
 * what that is, the agent reads by its tools.
 * Source: docs/guides/claude-code.md, Waking; docs/protocol/doors.md, section 7.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, timestampOf } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { runningHubs } from "../../doors/cli/place/running-hubs.ts";
import { watchCommits } from "../../journal/engines.ts";
import type { HookEvent } from "../../messages/program-hooks.ts";
import type { Team } from "../../perform/team.ts";
import {
  isRunning,
  processesAbove,
  processNow,
  programAbove,
  sessionsFolder,
} from "../../perform/workspace/agent-sessions.ts";
import { placeOf } from "../../perform/workspace/place.ts";
import { notFolder } from "../../perform/workspace/state-folder.ts";
import { findWorkspace } from "../../perform/workspace/workspace.ts";
import { sessionServerOf } from "../install/codex-server.ts";
import { hasLeftTerminal } from "./session-binding.ts";

/** What an idle agent is woken for. */
export type WakeReason = "mail" | "task";

/** What an agent reads that is woken. */
export function wakeWords(agent: string, reason: WakeReason): string {
  return reason === "mail"
    ? `Baton: mail waits for ${agent}. If it is not here, the tool read_inbox shows it.`
    : `Baton: a task is free for ${agent}. Claim the next: the tool task with action claim.`;
}

/** How often the journal's file is asked for commits, in milliseconds. */
const lookMs = 100;
/** And at a journal in a server. */
const serverLookMs = 1_000;
/** How long a hub is asked to wait for mail, and after what pause it is asked again where it did not answer. */
const hubWaitMs = 25_000;
const hubPauseMs = 5_000;
/** How long the command that stops the day takes until it has passed over idle agents, on a busy machine. */
const passingMs = 2_000;
/** How often it is asked whether the program is still there. */
const parentMs = 1_000;

/**
 * Waits until mail comes for `agent`, or a task is free for it, while it is idle, which its hooks say. Null: waiting ended
 * otherwise, by `signal`, with the program that started this process, or because the agent has left the team.
 */
export async function wakeReason(
  call: Call,
  { team, agent }: { readonly team: Team; readonly agent: string },
  signal: AbortSignal,
): Promise<WakeReason | null> {
  const ended = new AbortController();
  const changed = hubOf(call) === null ? await journalChanges(call, ended.signal) : hubMail(team);
  if (changed === null) return null;
  const either = AbortSignal.any([signal, ended.signal]);
  const watched = endWithParent(ended, either);
  const beganAt = timestampOf(systemClock.now());
  let isPaused = false;
  try {
    while (!either.aborted) {
      const found = await lookFor(call, team, agent, beganAt);
      if (found === "gone") return null;
      // Who stops the day passes over idle agents in a moment: its request is no mail for them.
      if (found === "mail" && !isPaused && (await isStopping(team))) {
        isPaused = true;
        await systemClock.wait(passingMs, either);
        continue;
      }
      if (found !== "none") return found;
      await changed(either);
      isPaused = false;
    }
    return null;
  } finally {
    ended.abort();
    await watched;
  }
}

async function lookFor(call: Call, team: Team, agent: string, beganAt: string): Promise<WakeReason | "none" | "gone"> {
  const status = await team.status();
  // A journal or a hub that is busy now may answer later.
  if (!status.ok) return "none";
  const own = status.value.agents.find((each) => each.agent === agent);
  // Who stopped with the others is back once the next day begins.
  if (own === undefined || (own.status !== "active" && own.stopped !== true)) return "gone";
  const { delivery, acknowledged, unread, call: task } = own;
  if (!delivery.idle || (own.stopped === true && !(await isDay(call, beganAt)))) return "none";
  if (unread > 0) {
    const page = await team.inbox({ after: Math.max(acknowledged, delivery.shown), limit: 1 });
    if (page.ok && page.value.deliveries.length > 0) return "mail";
  }
  // Who is known to be woken is called: that is another change of the journal.
  if (delivery.wakes !== true) await team.shown({ context: null, seq: 0, wakes: true });
  if (task === undefined) return "none";
  // Until it has stopped again, it counts as the one who takes the task.
  const noted = await team.shown({ context: null, seq: 0, called: task, idle: false });
  return noted.ok ? "task" : "none";
}

/** Whether a hub began since: until the next day begins, nobody is woken whose day was ended. */
async function isDay(call: Call, since: string): Promise<boolean> {
  if (hubOf(call) !== null) return true;
  const place = await placeOf(call);
  return place.ok && (await runningHubs(place.value.journal)).some(({ startedAt }) => startedAt > since);
}

/** Whether a round of stopping is open. */
async function isStopping(team: Team): Promise<boolean> {
  const rounds = await team.shutdowns();
  return rounds.ok && rounds.value.some(({ outcome }) => outcome === "open");
}

type Changes = (signal: AbortSignal) => Promise<void>;

/** Comes back when something was written to the journal, until `ended` aborts. */
async function journalChanges(call: Call, ended: AbortSignal): Promise<Changes | null> {
  const place = await placeOf(call);
  if (!place.ok) return null;
  // A server tells nothing to who only looks at a file: the team is asked now and then.
  if (place.value.address !== place.value.journal) return (signal) => systemClock.wait(serverLookMs, signal);
  const isNew = await watchCommits(place.value.journal, ended);
  return async (signal) => {
    while (!signal.aborted && !isNew()) await systemClock.wait(lookMs, signal);
  };
}

/** Comes back when the hub has mail, or after a pause: free tasks are found then. */
function hubMail(team: Team): Changes {
  return async (signal) => {
    const status = await team.status();
    const { agent } = team.actor;
    const own = status.ok ? status.value.agents.find((each) => each.agent === agent) : undefined;
    if (own?.call !== undefined) return;
    const after = own === undefined ? 0 : Math.max(own.acknowledged, own.delivery.shown);
    const page = await team.inbox({ after, limit: 1, waitMs: hubWaitMs, signal });
    // Mail that waits while the agent works, and a hub that is away, are looked for again in a while.
    const isNews = page.ok && own?.delivery.idle === true;
    if (!isNews) await systemClock.wait(page.ok || page.error.code !== "timed-out" ? hubPauseMs : 1, signal);
  };
}

/** Ends waiting when the process that started this one has ended. */
async function endWithParent(ended: AbortController, signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  while (!signal.aborted) {
    await systemClock.wait(parentMs, signal);
    if (process.ppid !== parent) ended.abort();
  }
}

/*
 * The one place of a session where a process waits. It goes by the program's process, which stays the same when a session
 * is cleared, and it is free again when the process that has it has ended, however that was.
 */

/** The place of the session that started this process. */
export interface WaitingPlace extends Disposable {}

/** Takes the place; null: another process waits there, or this machine does not say which program started this one. */
export async function takeWaitingPlace(call: Call): Promise<WaitingPlace | null> {
  const folder = await waitingFolder(call);
  const own = processNow();
  const [program] = processesAbove() ?? [];
  if (folder === null || own === null || program === undefined) return null;
  const file = join(folder, `waiting-${program}`);
  const holder = textOf(file);
  if (holder !== null && isRunning(holder)) return null;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, own, { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // A folder that cannot be written has no place to wait: mail then comes with the agent's next turn.
    return null;
  }
  if (textOf(file) !== own) return null;
  return {
    [Symbol.dispose]: () => {
      if (textOf(file) === own) rmSync(file, { force: true });
    },
  };
}

async function waitingFolder(call: Call): Promise<string | null> {
  if (hubOf(call) !== null) {
    const state = findWorkspace(call.config.directory)?.state;
    return state === undefined || notFolder(state) !== null ? null : join(state, "sessions");
  }
  const place = await placeOf(call);
  return place.ok && place.value.refusal === null ? sessionsFolder(place.value.journal) : null;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Nobody waits, or the one who did has just ended.
    return null;
  }
}

/*
 * Codex: the server of a session waits between the end of a turn and whatever the session does next.
 */

/** Waits for mail in an idle session of Codex, and wakes it by the program's queue. */
export interface QueueWaker extends AsyncDisposable {
  /**
   * Follows the events of the session's own agent: after it has stopped its next mail wakes it, once; after any other event
   * nothing does. `open` opens the session's team.
   */
  follow(event: HookEvent, session: string | null, open: (session: string) => Promise<OpenedTeam>): void;
}

type OpenedTeam = Result<Team, readonly Problem[]>;

export function queueWaker(call: Call): QueueWaker {
  let end = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const wakeOnce = async (opening: Promise<OpenedTeam>, session: string, signal: AbortSignal): Promise<void> => {
    const opened = await opening;
    if (!opened.ok) return;
    const { agent } = opened.value.actor;
    const reason = await wakeReason(call, { team: opened.value, agent }, signal);
    if (reason !== null) await queueWords(call, { session, agent, reason });
  };
  return {
    follow: ({ asks }, session, open) => {
      end.abort();
      if (asks !== "stop" || session === null) return;
      end = new AbortController();
      const signal = AbortSignal.any([call.signal, end.signal]);
      ended = ended.then(async () => await wakeOnce(open(session), session, signal));
    },
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await ended;
    },
  };
}

/** Puts words into the session's queue. Where that fails the agent reads its mail with its next turn. */
async function queueWords(
  call: Call,
  { session, agent, reason }: { readonly session: string; readonly agent: string; readonly reason: WakeReason },
): Promise<void> {
  const [{ config }, program, folder] = [call, programAbove(), await waitingFolder(call)];
  // The daemon keeps a session whose terminal is closed; nobody would see what it does then.
  if (folder !== null && hasLeftTerminal(agent, { folder, program: "codex", session })) return;
  // A session without a terminal ends when its agent has stopped.
  if (program === null || program.words.includes("exec")) return;
  const server = sessionServerOf(program.words);
  const remote = server === null ? [] : ["--remote", server.address];
  // Loaded here: most processes with this file start nothing.
  const child = process
    .getBuiltinModule("node:child_process")
    .spawn(program.file, ["queue", ...remote, "--thread", session, "--message", wakeWords(agent, reason)], {
      cwd: config.directory,
      env: config.environment(),
      stdio: "ignore",
      timeout: queueMsMax,
    });
  await new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
}

/** Longer than the program takes on a busy machine. */
const queueMsMax = 30_000;
