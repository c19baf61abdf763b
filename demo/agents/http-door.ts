/** The hub over HTTP, as an agent without any library uses it: a handful of requests, a token, JSON. */
import { isJsonList, isJsonObject, type Json, parseBounded } from "../../src/base/json.ts";
import { batchBytesMax } from "../../src/base/limits.ts";
import {
  type AgentDoor,
  answerIn,
  availableIn,
  boardLinesIn,
  claimAnswerIn,
  lettersIn,
  type Planning,
  planLineIn,
  waitSeconds,
} from "./agent-door.ts";

/** Whom the hub is to take this agent for, and where it is. */
export interface HubAccess {
  /** Base, e.g. `http://127.0.0.1:4777`. */
  readonly hub: string;
  readonly team: string;
  readonly agent: string;
  readonly token: string;
}

/** Longest time of a request that does not wait for mail, in milliseconds. */
const requestMsMax = 10_000;

interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** The door of an agent that speaks HTTP. */
export function openHttpDoor(access: HubAccess): AgentDoor {
  const team = `${access.hub}/api/teams/${encodeURIComponent(access.team)}`;
  const own = `${team}/agents/${encodeURIComponent(access.agent)}`;
  const ask = (url: string, init: RequestInit) => request(url, access.token, init);
  const look = async (url: string) => (await ask(url, { signal: AbortSignal.timeout(requestMsMax) })).body;
  const post: Post = async (url, body, read) => {
    try {
      const signal = AbortSignal.timeout(requestMsMax);
      return answerTo(await ask(url, { method: "POST", body: JSON.stringify(body), signal }), read);
    } catch (problem) {
      return { outcome: "failed", said: wordsOf(problem) };
    }
  };
  return {
    kind: "http",
    send: ({ message, to, id }) =>
      post(`${team}/messages`, { message, id, ...(to === undefined ? {} : { to }) }, answerIn),
    acknowledge: (seq) => post(`${own}/ack`, { seq }, answerIn),
    read: async (signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1000 + requestMsMax)]);
      const reply = await ask(`${own}/inbox?wait=${waitSeconds}`, { signal: limit });
      // 408: nothing came within the wait, which is no error.
      if (reply.status !== 200 && reply.status !== 408) throw new Error(`the hub answered ${reply.status}`);
      return reply.status === 200 ? lettersIn(reply.body) : [];
    },
    claim: (task, id) => post(`${team}/tasks/${encodeURIComponent(task)}/claim`, { id }, claimAnswerIn),
    available: async () => availableIn(await look(`${team}/tasks/board`)),
    planning: planningOf(team, look, post),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

type Failed = { readonly outcome: "failed"; readonly said: string };
type Look = (url: string) => Promise<Json>;
type Post = <Answered>(url: string, body: Json, read: (reply: Json) => Answered) => Promise<Answered | Failed>;

function planningOf(team: string, look: Look, post: Post): Planning {
  return {
    contract: async (planId) => {
      const body = await look(`${team}/contracts`);
      const all = isJsonObject(body) && isJsonList(body.contracts) ? body.contracts : [];
      const terms = all.map((each) => (isJsonObject(each) ? each.terms : undefined));
      return terms.filter(isJsonObject).find((each) => each.planId === planId) ?? null;
    },
    addTask: (task, id) => post(`${team}/tasks`, { ...task, id }, answerIn),
    tasks: async () => boardLinesIn(await look(`${team}/tasks`)),
    summary: async (planId) => planLineIn(await look(`${team}/plans/${encodeURIComponent(planId)}/summary`)),
  };
}

/** An answer of the hub's own that is about no message (a limit, an error of the journal) may be tried again. */
function answerTo<Answered>(reply: Reply, read: (reply: Json) => Answered): Answered | Failed {
  if (reply.status === 429 || reply.status >= 500)
    return { outcome: "failed", said: `the hub answered ${reply.status}` };
  return read(reply.body);
}

async function request(url: string, token: string, init: RequestInit): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url, { ...init, headers });
  const text = await response.text();
  const body = parseBounded(text, { bytesMax: 4 * batchBytesMax, depthMax: 64, nodesMax: 100_000 });
  return { status: response.status, body: body.ok ? body.value : null };
}

function wordsOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
