/** The record of a team: page by page, one entry whole, and as it grows. */
import { z } from "zod";
import { type Problem, problem } from "../../../base/problem.ts";
import { entryKinds } from "../../../journal/entry.ts";
import { type LogOptions, logViews } from "../../../runtime/record/log-line.ts";
import { json, refusal, safeHeaders } from "../server/answers.ts";
import { eventStream } from "./event-stream.ts";
import { given, type Operation, teamOperation } from "./operation.ts";
import { logLineShape, logPageShape, shownShape } from "./shapes.ts";

const logQuery = z.strictObject({
  after: z.int().optional().describe("only entries after this one"),
  before: z.int().optional().describe("only entries before this one"),
  limit: z.int().min(1).max(1_000).optional().describe("at most so many; 100 when absent"),
  order: z.enum(["asc", "desc"]).optional(),
  kind: z.array(z.enum(entryKinds)).optional(),
  view: z
    .enum(logViews)
    .optional()
    .describe("messages: what was said or turned down, no bookkeeping; refusals: what agents were refused"),
  type: z.string().optional(),
  sender: z.string().optional(),
  agent: z.string().optional().describe("that this agent sent, or that were addressed to it"),
  task: z.string().optional(),
  text: z.string().max(256).optional().describe("plain text that the message contains, in any case"),
  since: z.string().optional().describe("recorded at or after this RFC 3339 time"),
});

const limitDefault = 100;

/** `GET .../messages`. */
const list = teamOperation(
  {
    name: "listEntries",
    method: "get",
    path: "/api/teams/{team}/messages",
    says: "The record, page by page, filtered. One answer looks at a bounded number of entries, so it may hold fewer than `limit`, even none, and still say where to go on.",
    access: "caller",
    query: logQuery,
    answers: { 200: { says: "A page of entries.", shape: logPageShape } },
  },
  async ({ team, query, request }) => {
    const { order = "asc", limit = limitDefault, kind, ...filter } = query;
    if (filter.since !== undefined && Number.isNaN(Date.parse(filter.since))) return refusal([notATime(filter.since)]);
    const wanted: LogOptions = {
      ...given({ ...filter, kinds: kind }),
      limit,
      newestFirst: order === "desc",
      signal: request.signal,
    };
    const page = await team.logPage(wanted);
    return page.ok ? json(page.value) : refusal([page.error]);
  },
);

function notATime(received: string): Problem {
  return problem("wrong-format", "?.since", "This is not a time.", {
    expected: "RFC 3339",
    hint: "Write it as 2026-02-12T10:00:00Z.",
    received: received.slice(0, 64).toWellFormed(),
  });
}

/** `GET .../messages/{key}`. */
const show = teamOperation(
  {
    name: "showEntry",
    method: "get",
    path: "/api/teams/{team}/messages/{key}",
    says: "One entry by its number or id, with all that is known of it; 409 lists the entries of an id that several used.",
    access: "caller",
    query: z.strictObject({ sender: z.string().optional().describe("whose entry, where several senders used the id") }),
    answers: { 200: { says: "The entry.", shape: shownShape } },
  },
  async ({ team, params, query: { sender } }) => {
    const shown = await team.show(params.key ?? "", sender === undefined ? {} : { sender });
    return shown.ok ? json(shown.value) : refusal([shown.error]);
  },
);

/** `GET .../events`. */
const events = teamOperation(
  {
    name: "followEntries",
    method: "get",
    path: "/api/teams/{team}/events",
    says: "The record as it grows, as server-sent events; the id of each is the entry's number. Resumes after Last-Event-ID.",
    access: "caller",
    query: z.strictObject({ after: z.int().optional().describe("absent: from the head on") }),
    answers: {
      200: {
        says: "Events `entry` with a LogLine each; `overflow` with {lastSeq} before a reader that is too slow is let go.",
        mediaType: "text/event-stream",
        shape: logLineShape,
      },
    },
  },
  async ({ desk, team, caller, query, request, hangUp }) => {
    const resumed = request.headers.get("last-event-id");
    if (resumed !== null && !/^\d{1,15}$/.test(resumed)) return refusal([notANumber(resumed)]);
    const leaveSeat = desk.seats.take(`${team.name}/${caller.agent}`);
    if (leaveSeat === null) return refusal([tooManyStreams(caller.agent, desk.limits.streamsPerPrincipalMax)]);
    const body = eventStream({
      desk,
      team,
      after: resumed === null ? (query.after ?? null) : Number(resumed),
      isStillWelcome: () => caller.isStillValid(),
      hangUp,
      closed: leaveSeat,
    });
    return new Response(body, { headers: { ...safeHeaders, "content-type": "text/event-stream; charset=utf-8" } });
  },
);

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
