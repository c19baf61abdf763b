/**
 * What `shutdown start` and `shutdown status` share: a round as text, and waiting for its end while printing every
 * change. Waiting also passes the round's deadlines where no hub does.
 */
import { systemClock } from "../../../base/clock.ts";
import { invariant } from "../../../base/invariant.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import { visible } from "../../../base/text.ts";
import type { ShutdownView } from "../../../operations/shutdown-shapes.ts";
import { leftBehind, leftByNobody, standingOf } from "../../../runtime/shutdown/shutdown-status.ts";
import type { Team, WorkingTeam } from "../../../runtime/team/team.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { hubOf } from "../place/hub-address.ts";
import type { Paint } from "../terminal/paint.ts";
import { table } from "../terminal/terminal-text.ts";

/** How long a hub may take to look at its repository once a round is over; without one it never says. */
const inspectionMs = 2_500;
/** How often a waiting command looks. */
const lookMs = 200;
/** For how long the hub may be away, as one that is started again is, before a waiting command gives up. */
const awayMs = 10_000;

/** Prints the round; with `--wait` only once it is over, and what happens until then as words for people. */
export async function showRound(call: Call, team: WorkingTeam, round: string, waits: boolean): Promise<ExitCode> {
  const { output } = call;
  const ended = await (waits ? waitForEnd(call, team, round) : roundNamed(team, round));
  const found = ended.ok ? await withFiles(call, team, ended.value, waits) : ended;
  const again = `baton shutdown status ${visible(round)} --wait`;
  if (call.signal.aborted) {
    output.say(`The round goes on: ${again}`);
    return exitCodes.interrupted;
  }
  if (!found.ok) {
    if (waits && found.error.code === "hub-unreachable")
      output.say(`How the round ended is in the journal, or it goes on there: ${again}`);
    return output.fail(found.error);
  }
  output.result(found.value, () => roundText(found.value, output.paint.stdout));
  // Who waits asks for the outcome, and a script that goes on after it must know that something is left.
  return waits && found.value.outcome === "incomplete" ? exitCodes.refused : exitCodes.done;
}

async function waitForEnd(call: Call, team: Team, id: string): Promise<Result<ShutdownView, Problem>> {
  const told = new Map<string, string>();
  let heardAtMs = systemClock.monotonic();
  for (;;) {
    const found = await roundNamed(team, id);
    if (!found.ok) {
      // Nothing of the round is lost while its hub is away: it goes on where that comes back.
      const isAway = found.error.code === "hub-unreachable" && systemClock.monotonic() - heardAtMs < awayMs;
      if (!isAway || call.signal.aborted) return found;
      await systemClock.wait(lookMs, call.signal);
      continue;
    }
    heardAtMs = systemClock.monotonic();
    const round = found.value;
    tellChanges(call, round, told);
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
  say("", `asking ${round.asked} of ${round.askingsMax}, ${round.deadlineSeconds} s each`);
  for (const part of round.agents) {
    if (part.outcome !== null || part.refusals > 0) say(part.agent, `  ${visible(part.agent)}: ${standingOf(part)}`);
  }
}

/** The round as people read it. */
export function roundText(round: ShutdownView, paint: Paint): string {
  const until =
    round.dueAt === null
      ? `ended ${round.endedAt ?? ""}`
      : `asking ${round.asked} of ${round.askingsMax}, until ${round.dueAt}`;
  const head = `${paint.strong(visible(round.round))}  ${round.outcome}  ${visible(round.reason)}, asked by ${visible(round.requester)}, ${until}`;
  const agents = table(
    round.agents.map((part) => [`  ${visible(part.agent)}`, standingOf(part), visible(leftBehind(part).join(", "))]),
  );
  return [`${head}\n${agents}`, ...leftByNobody(round).map((left) => `  of nobody: ${visible(left)}`)].join("\n");
}
