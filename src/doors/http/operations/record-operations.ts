/** The record of a team: page by page, one entry whole, and as it grows. */
import { type Problem, problem } from "../../../base/problem.ts";
import { followEntries, listEntries, showEntry } from "../../../operations/entries.ts";
import type { LogOptions } from "../../../runtime/record/log-line.ts";
import { json, refusal, safeHeaders } from "../server/answers.ts";
import { byHand } from "./defined-operations.ts";
import { eventStream } from "./event-stream.ts";
import { given, type Operation } from "./operation.ts";

const limitDefault = 100;

const list = byHand(
  listEntries,
  async ({ order = "asc", limit = limitDefault, kind, outcome, ...filter }, { team, request }) => {
    for (const name of ["since", "until"] as const) {
      const time = filter[name];
      if (time !== undefined && Number.isNaN(Date.parse(time))) return refusal([notATime(name, time)]);
    }
    const wanted: LogOptions = {
      ...given({ ...filter, kinds: kind, outcomes: outcome }),
      limit,
      newestFirst: order === "desc",
      signal: request.signal,
    };
    const page = await team.logPage(wanted);
    return page.ok ? json(page.value) : refusal([page.error]);
  },
);

function notATime(name: string, received: string): Problem {
  return problem("wrong-format", `?.${name}`, "This is not a time.", {
    expected: "RFC 3339",
    hint: "Write it as 2026-02-12T10:00:00Z.",
    received: received.slice(0, 64).toWellFormed(),
  });
}

const show = byHand(showEntry, async ({ key, sender }, { team }) => {
  const shown = await team.show(key, given({ sender }));
  return shown.ok ? json(shown.value) : refusal([shown.error]);
});

const events = byHand(followEntries, async ({ after }, { services, team, caller, request, hangUp }) => {
  const resumed = request.headers.get("last-event-id");
  if (resumed !== null && !/^\d{1,15}$/.test(resumed)) return refusal([notANumber(resumed)]);
  const release = services.streams.take(`${team.name}/${caller.agent}`);
  if (release === null) return refusal([tooManyStreams(caller.agent, services.limits.streamsPerPrincipalMax)]);
  const body = eventStream({
    services,
    team,
    after: resumed === null ? (after ?? null) : Number(resumed),
    isStillWelcome: () => caller.isStillValid(),
    hangUp,
    closed: release,
  });
  return new Response(body, { headers: { ...safeHeaders, "content-type": "text/event-stream; charset=utf-8" } });
});

function notANumber(received: string): Problem {
  return problem("wrong-format", "Last-Event-ID", "This is not the number of an entry.", {
    expected: "digits",
    hint: "Send the id of the last event that was read, or leave the header out to begin with what comes next.",
    received: received.slice(0, 64).toWellFormed(),
  });
}

function tooManyStreams(agent: string, max: number): Problem {
  return problem("too-many-requests", agent, `${agent} has ${max} streams open.`, {
    expected: `at most ${max} streams`,
    hint: "Close one first.",
  });
}

export const recordOperations: readonly Operation[] = [list, show, events];
