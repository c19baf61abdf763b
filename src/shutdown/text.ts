/**
 * `baton shutdown status` shows the state of a round, or its certificate. It can wait for its end and print every change
 * meanwhile, as `baton stop` does; waiting also passes the round's deadlines, and agents whose program has ended, where no
 * hub does.
 */

import { systemClock } from "../base/clock.ts";
import { invariant } from "../base/invariant.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { counted, shortList, visible } from "../base/text.ts";
import type { Call, Command } from "../doors/cli/kernel/command.ts";
import { hubOf } from "../doors/cli/place/hub-address.ts";
import { withTeam } from "../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../doors/cli/terminal/exit-codes.ts";
import type { Paint } from "../doors/cli/terminal/output.ts";
import { localTime, table } from "../doors/cli/terminal/terminal-text.ts";
import type { UnlandedCommits } from "../evidence/services/landed-trees.ts";
import type { Team, WorkingTeam } from "../perform/team.ts";
import type { ShutdownView, StoppingView } from "./operations.ts";
import { type Day, dayRows } from "./view/day.ts";
import { leavesWork, leftBehind, leftByNobody, stoppingStatusOf } from "./view/shutdown-status.ts";

/** `baton shutdown status`: the state of a round, or its certificate. */
export const statusCommand: Command = {
  description:
    "Prints a shutdown round: who was asked, who has stopped how, and what each left behind. Without an id it is the\n" +
    "newest round that goes on, else the newest. With --wait it waits for the end, tells every change, and exits with\n" +
    "code 2 where the round is incomplete.",
  positionals: [{ name: "ROUND", argument: "round", summary: "the round's id (default: the newest)" }],
  options: [{ name: "wait", kind: "flag", summary: "wait for the end and print the certificate" }],
  examples: [
    { line: "baton shutdown status", meaning: "the state of the round" },
    { line: "baton shutdown status --wait --json", meaning: "the certificate as a line of JSON, once there is one" },
  ],
  next: "baton stop asks agents to stop.",
  run: (call) =>
    withTeam(call, async (team) => {
      const named = call.given.word("ROUND");
      const waits = call.given.flag("wait");
      if (named !== undefined) return await showRound(call, team, named, waits);
      const found = await team.shutdowns();
      if (!found.ok) return call.output.fail(found.error);
      const newest = newestOf(found.value);
      if (newest === null) return call.output.fail(noRounds);
      return await showRound(call, team, newest.round, waits);
    }),
};

const noRounds = makeProblem("not-found", "ROUND", "No shutdown round was started in this team.", {
  hint: "baton stop starts one.",
});

function newestOf(rounds: readonly ShutdownView[]): ShutdownView | null {
  return rounds.findLast(({ outcome }) => outcome === "open") ?? rounds.at(-1) ?? null;
}

/** How long a hub may take to look at its repository once a round is over; without one it never says. */
const inspectionMs = 2_500;
/** How often a waiting command looks. */
const lookMs = 200;
/** For how long the hub may be away, as one that is started again is, before a waiting command gives up. */
const awayMs = 10_000;

/** Prints the round; with `--wait` only once it is over, and what happens until then as words for people. */
async function showRound(call: Call, team: WorkingTeam, round: string, waits: boolean): Promise<ExitCode> {
  const { output } = call;
  const found = await lookedAt(call, team, round, waits);
  if (!found.ok) return found.error;
  output.result(found.value, () => roundText(found.value, output.paint.stdout));
  // Who waits asks for the outcome, and a script that goes on after it must know that something is left.
  return waits && found.value.outcome === "incomplete" ? exitCodes.refused : exitCodes.done;
}

/** Those of the agents whose program ran on this machine, and has ended. */
type EndedAmong = (agents: readonly string[]) => readonly string[];

/** The round, with `waits` once it is over; else the exit code, and why is said. `endedAmong`: absent: it is not known. */
export async function lookedAt(
  call: Call,
  team: WorkingTeam,
  round: string,
  waits: boolean,
  endedAmong: EndedAmong = () => [],
): Promise<Result<ShutdownView, ExitCode>> {
  const { output } = call;
  const ended = await (waits ? waitForEnd(call, team, round, endedAmong) : roundNamed(team, round));
  const found = ended.ok ? await withFiles(call, team, ended.value, waits) : ended;
  const again = `baton shutdown status ${visible(round)} --wait`;
  if (call.signal.aborted) {
    output.say(`The round goes on: ${again}`);
    return err(exitCodes.interrupted);
  }
  if (!found.ok) {
    if (waits && found.error.code === "hub-unreachable")
      output.say(`How the round ended is in the journal, or it goes on there: ${again}`);
    return err(output.fail(found.error));
  }
  return found;
}

async function waitForEnd(
  call: Call,
  team: WorkingTeam,
  id: string,
  endedAmong: EndedAmong,
): Promise<Result<ShutdownView, Problem>> {
  const told = new Map<string, string>();
  let seenAtMs = systemClock.monotonic();
  for (;;) {
    const found = await roundNamed(team, id);
    if (!found.ok) {
      // Nothing of the round is lost while its hub is away: it goes on where that comes back.
      const isAway = found.error.code === "hub-unreachable" && systemClock.monotonic() - seenAtMs < awayMs;
      if (!isAway || call.signal.aborted) return found;
      await systemClock.wait(lookMs, call.signal);
      continue;
    }
    seenAtMs = systemClock.monotonic();
    const round = found.value;
    const waiting = round.agents.flatMap(({ agent, outcome }) => (outcome === null ? [agent] : []));
    if (waiting.length > 0) {
      const passed = await team.passAgents(endedAmong(waiting));
      if (passed.ok && passed.value > 0) continue;
    }
    // Where nobody had to be waited for, the end says all.
    if (round.dueAt !== null || told.size > 0) tellChanges(call, round, told);
    if (round.dueAt === null || call.signal.aborted) return found;
    const leftMs = Math.max(1, Date.parse(round.dueAt) - systemClock.now());
    await systemClock.wait(Math.min(lookMs, leftMs), call.signal);
  }
}

/** A round that is over, with what is uncommitted: looked at here, or by the hub, for which a waiting command waits. */
async function withFiles(
  call: Call,
  team: WorkingTeam,
  round: ShutdownView,
  waits: boolean,
): Promise<Result<ShutdownView, Problem>> {
  if (round.outcome === "open" || round.uncommitted !== null) return ok(round);
  const { directory, environment } = call.config;
  // Where there is no repository the certificate is as good without.
  await team.inspectRounds({ directory, environment: environment() });
  const until = systemClock.monotonic() + (waits && hubOf(call) !== null ? inspectionMs : 0);
  for (;;) {
    const found = await roundNamed(team, round.round);
    // A hub that ends with the round has said all but what is uncommitted.
    if (!found.ok) return found.error.code === "hub-unreachable" ? ok(round) : found;
    if (found.value.uncommitted !== null || call.signal.aborted) return found;
    if (systemClock.monotonic() >= until) return found;
    await systemClock.wait(lookMs, call.signal);
  }
}

async function roundNamed(team: Team, id: string): Promise<Result<ShutdownView, Problem>> {
  const found = await team.shutdowns({ round: id });
  if (!found.ok) return found;
  const [round] = found.value;
  invariant(round !== undefined, "a round that is asked for by its id is there or refused");
  return ok(round);
}

/** Each change of a line is said once. */
function tellChanges({ output }: Call, round: ShutdownView, told: Map<string, string>): void {
  if (output.json) return;
  const say = (key: string, words: string) => {
    if (told.get(key) === words) return;
    told.set(key, words);
    output.say(words);
  };
  say("", `asked; ${round.deadlineSeconds} s to answer`);
  for (const part of round.agents) {
    if (part.outcome === null && part.refusals === 0) continue;
    const left = part.outcome === null ? [] : leftBehind(part);
    const words = [stoppingStatusOf(part), ...(left.length === 0 ? [] : [left.join(", ")])].join(": ");
    say(part.agent, `  ${visible(part.agent)}: ${visible(words)}`);
  }
}

/** The round as people read it: what became of it, each agent, further lines, and what names it. */
function roundText(
  round: ShutdownView,
  paint: Paint,
  more: readonly string[] = [],
  left: readonly string[] = [],
): string {
  const agents = table(
    round.agents.map((part) => [
      `  ${visible(part.agent)}`,
      stoppingStatusOf(part),
      visible(leftBehind(part).join(", ")),
    ]),
  );
  const ended = round.endedAt === null ? "" : `, ended ${localTime(round.endedAt)}`;
  const name = `round ${visible(round.round)}: ${round.outcome}, ${visible(round.reason)}, asked by ${visible(round.requester)}${ended}`;
  return [
    paint.strong(roundSentence(round, left)),
    ...(agents === "" ? [] : [agents]),
    ...leftByNobody(round).map((left) => `  of nobody: ${visible(left)}`),
    ...more,
    paint.faint(name),
  ].join("\n");
}

function roundSentence({ agents, dueAt }: ShutdownView, strays: readonly string[]): string {
  const asked = agents.filter(({ outcome }) => outcome !== "not_addressed");
  const waiting = asked.flatMap(({ agent, outcome, joined }) => (outcome === null && !joined ? [agent] : []));
  const stopped = asked.length - waiting.length;
  if (dueAt !== null)
    return `Waits for ${visible(shortList(waiting))} until ${localTime(dueAt)}; ${stopped} of ${counted(asked.length, "agent")} stopped.`;
  const named = (parts: readonly StoppingView[]) => visible(shortList(parts.map(({ agent }) => agent)));
  const forced = asked.filter(({ outcome }) => outcome === "forced");
  const behind = asked.filter((part) => leavesWork(part) || strays.includes(part.agent));
  const left = behind.length === 0 ? "nothing is left behind" : `${named(behind)} left something behind`;
  const silent = forced.length === 0 ? "" : `${named(forced)} did not, and may do nothing more; `;
  return `${counted(stopped - forced.length, "agent")} stopped; ${silent}${left}.`;
}

/** A day that is over, and what is left of it. `round`: who stopped, and how; null: nobody was at work. */
export function dayText(
  { ofNoTask = [], ...day }: Day & { readonly ofNoTask?: readonly UnlandedCommits[] },
  round: ShutdownView | null,
  needs: number,
  paint: Paint,
): string {
  const strays = ofNoTask.map(({ agent, branch, main, commits }) => {
    const line = `${visible(agent)}: ${counted(commits, "commit")} that landed nowhere: git log ${visible(main)}..${visible(branch)}`;
    return paint.warn(`${"of no task".padEnd(nameWidth)}${line}`);
  });
  const lines = dayRows(day).map(([name, tasks]) => `${visible(name).padEnd(nameWidth)}${visible(shortList(tasks))}`);
  const waits = paint.warn(`${"needs you".padEnd(nameWidth)}${counted(needs, "thing")}: baton needs`);
  const all = [...lines, ...strays, ...(needs === 0 ? [] : [waits])];
  const left = ofNoTask.map(({ agent }) => agent);
  return round === null ? ["Nobody was at work.", ...all].join("\n") : roundText(round, paint, all, left);
}

const nameWidth = "waiting to land".length + 2;
