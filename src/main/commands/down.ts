/** `baton down`: ends the hubs that serve this journal. */
import { systemClock } from "../../base/clock.ts";
import { type Problem, problem } from "../../base/problem.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { exitCodes } from "../../doors/cli/kernel/exit-codes.ts";
import { type HubNote, hasEnded, runningHubs } from "../../doors/cli/place/running-hubs.ts";
import { lookForPlace } from "../../workspace/place.ts";

/** So long a hub may take to finish what is being recorded, in milliseconds. */
const endMsMax = 10_000;
const lookMs = 50;

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal"],
  description:
    "Asks every hub that runs on this journal on this machine to stop, as Ctrl-C does, and waits until it has. Only a process\n" +
    "that answers as the hub it is noted to be is asked. Where none runs, there is nothing to do.",
  examples: [
    { line: "baton down", meaning: "end the hub of this repository" },
    { line: "baton down --json", meaning: "which ones ended, as one JSON value" },
  ],
  next: "baton up starts it again; agents and the page go on by themselves.",
  run: async (call) => {
    const { output } = call;
    const place = lookForPlace(call);
    if (!place.ok) return output.fail(place.error);
    const { journal } = place.value;
    const hubs = await runningHubs(journal);
    for (const hub of hubs) {
      const { pid } = hub;
      const fault = askToStop(hub);
      if (fault !== null) return output.fail(fault);
      const endsBy = systemClock.monotonic() + endMsMax;
      const hasTime = () => systemClock.monotonic() < endsBy && !call.signal.aborted;
      while (!hasEnded(journal, hub) && hasTime()) await systemClock.wait(lookMs, call.signal);
      if (!hasEnded(journal, hub)) {
        const hint = "what it does may take longer; look again, or end the process";
        return output.fail(problem("timed-out", `pid ${pid}`, "The hub was asked to stop and still runs.", { hint }));
      }
    }
    const ended = hubs.map(({ url, pid }) => ({ url, pid }));
    output.result(
      { ended },
      () => ended.map(({ url, pid }) => `The hub at ${url} has ended (pid ${pid}).`).join("\n") || null,
    );
    if (hubs.length === 0) output.say("No hub of this journal runs.");
    return exitCodes.done;
  },
};

function askToStop({ pid, url }: HubNote): Problem | null {
  try {
    process.kill(pid, "SIGTERM");
    return null;
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    // It ended by itself in this moment.
    if (reason === "ESRCH") return null;
    return problem("timed-out", `pid ${pid}`, `The hub at ${url} cannot be asked to stop (${reason}).`, {
      hint: "the user who started it can end it",
    });
  }
}
