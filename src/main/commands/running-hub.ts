/** The hubs that serve this journal: links to their page, and how `baton stop` ends them. */
import { systemClock } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { endingCommand, hubsElsewhere, hubWords } from "../../doors/cli/place/hubs-elsewhere.ts";
import { endOfHub, type HubNote, type OtherHub, runningHubs } from "../../doors/cli/place/running-hubs.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { hubLimits } from "../../doors/http/server/http-limits.ts";
import { isServerAddress } from "../../journal/engines.ts";
import { lookForPlace, writablePlaceOf } from "../../perform/workspace/place.ts";
import { leaveCode } from "../code-files.ts";

const minutes = hubLimits.codeMs / 60_000;

/** What is said next to a link. */
export const linkNotes = `The link opens once, within ${minutes} minutes, and makes the browser yours.`;

/** Prints a new link to the page of the newest hub of the journal, or of the one that `--port` names. */
export async function printLink(call: Call): Promise<ExitCode> {
  const { output } = call;
  const place = await writablePlaceOf(call);
  if (!place.ok) return output.fail(place.error);
  const { journal } = place.value;
  const found = await hubFor(call, journal);
  if (!found.ok) return output.fail(found.error);
  const url = pageLink(journal, found.value);
  if (!url.ok) return output.fail(url.error);
  output.result({ url: url.value, pid: found.value.pid }, () => url.value);
  output.say(linkNotes);
  return exitCodes.done;
}

/**
 * A link to the hub's page, with a code for one browser. Everybody who may write the journal's folder may have one; only a
 * hash of the code is kept, next to the journal, until it is used.
 */
export function pageLink(journal: string, hub: HubNote): Result<string, Problem> {
  const code = codeBeside(journal);
  return code.ok ? ok(`${hub.url}/#code=${code.value}`) : code;
}

/** The newest hub of the journal, or the one that is named. */
async function hubFor(call: Call, journal: string): Promise<Result<HubNote, Problem>> {
  const wanted = call.given.number("port");
  const hubs = await runningHubs(journal);
  const found = wanted === undefined ? hubs[0] : hubs.find(({ url }) => new URL(url).port === String(wanted));
  if (found !== undefined) return ok(found);
  const [other] = wanted === undefined ? await hubsElsewhere(call, journal) : [];
  const what =
    wanted !== undefined
      ? "No hub of this journal runs on this port."
      : other === undefined
        ? "No hub of this journal runs."
        : `The hub of this project runs on another journal: ${hubWords(other)}.`;
  return err(
    makeProblem("hub-unreachable", wanted === undefined ? journal : `port ${wanted}`, what, {
      expected: hubs.map(({ url }) => url).join(" | ") || undefined,
      hint:
        hubs.length > 0
          ? "leave --port out, or name that of one of these"
          : other === undefined
            ? "baton up starts one and prints a link"
            : "name its journal with --journal URL",
    }),
  );
}

function codeBeside(journal: string): Result<string, Problem> {
  try {
    return ok(leaveCode(journal, systemClock, hubLimits.codeMs));
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    return err(
      makeProblem("journal-read-only", journal, `No code can be left next to the journal (${visible(reason)}).`, {
        hint: "only who may write the journal's folder can open its page",
      }),
    );
  }
}

/** So long `baton stop` waits for the end of a hub, in milliseconds. */
const endMsMax = 10_000;
const lookMs = 50;

/** What became of the hubs of the call's journal. */
export interface EndedHubs {
  readonly ended: readonly Pick<HubNote, "url" | "pid">[];
  /** Hubs of this project on other journals, which stay. */
  readonly others: readonly Pick<OtherHub, "url" | "pid" | "journal">[];
  /** Why one has not ended; null: all have. */
  readonly problem: Problem | null;
}

/**
 * Asks every hub of this journal to stop, as Ctrl-C does, and waits until its process has ended. Only a process that answers
 * as the hub it is noted to be is asked. Hubs on a journal in a server are found where they were started.
 */
export async function endHubs(call: Call): Promise<EndedHubs> {
  const place = lookForPlace(call);
  if (!place.ok) return { ended: [], others: [], problem: place.error };
  const { journal } = place.value;
  const others = await hubsElsewhere(call, journal);
  const ended: EndedHubs["ended"][number][] = [];
  for (const hub of await runningHubs(journal)) {
    const problem = await endHub(hub, call.signal);
    if (problem !== null) return { ended, others, problem };
    ended.push({ url: hub.url, pid: hub.pid });
  }
  return { ended, others: others.map(({ url, pid, journal: on }) => ({ url, pid, journal: on })), problem: null };
}

/** Says which hubs have ended, and which have not. */
export function tellHubs(call: Call, { ended, others, problem }: EndedHubs): void {
  const { output } = call;
  for (const { url, pid } of ended) output.say(`The hub at ${url} has ended (pid ${pid}).`);
  for (const other of others)
    output.say(`A hub of another journal still runs: ${hubWords(other)}. End it: ${endingCommand(call, other)}`);
  const place = lookForPlace(call);
  const isServer = place.ok && isServerAddress(place.value.address);
  if (ended.length === 0 && problem === null && (isServer || others.length === 0))
    output.say(isServer ? noneHere : "No hub of this journal runs.");
  if (problem !== null) output.problems([problem]);
}

/** Other clones note their hubs in their own folders. */
const noneHere =
  "No hub of this journal runs that was started in this project. A hub of another clone is ended there, by `baton stop`.";

/** Asks the hub to stop and waits for the end of its process. Returns why it has not ended; null: it has. */
async function endHub(hub: HubNote, signal: AbortSignal): Promise<Problem | null> {
  const hasEnded = endOfHub(hub);
  const problem = askToStop(hub);
  if (problem !== null) return problem;
  const endsBy = systemClock.monotonic() + endMsMax;
  while (!hasEnded() && systemClock.monotonic() < endsBy && !signal.aborted) await systemClock.wait(lookMs, signal);
  if (hasEnded()) return null;
  const waited = signal.aborted ? "" : ` after ${endMsMax / 1000} seconds`;
  return makeProblem("timed-out", `pid ${hub.pid}`, `The hub was asked to stop and still runs${waited}.`, {
    hint: "what it does may take longer; look again, or end the process",
  });
}

function askToStop({ pid, url }: HubNote): Problem | null {
  try {
    process.kill(pid, "SIGTERM");
    return null;
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    // It ended by itself in this moment.
    if (reason === "ESRCH") return null;
    return makeProblem("timed-out", `pid ${pid}`, `The hub at ${url} cannot be asked to stop (${reason}).`, {
      hint: "the user who started it can end it",
    });
  }
}
