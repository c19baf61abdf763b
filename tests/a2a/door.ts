/** A hub with the A2A door, agents with tokens, and requests on both bindings, for tests. */
import assert from "node:assert/strict";
import { a2aDoor } from "../../src/doors/a2a/server.ts";
import { ask, type TestHub, type TestHubOptions, testHub } from "../http/hub.ts";

export const teamText = `version: 1
team: web
dialects: [vbw/2]
policy: enforce
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
  scout-1: { role: scout }
  scout-2: { role: scout }
  shop: { role: guest }
`;

/** Whatever came; the shapes are checked where that is the question. */
type Anything = ReturnType<typeof JSON.parse>;

/** What a method answered, whatever carried it. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** Null: it was refused. */
  readonly result: Anything;
  /** The code of the error in JSON-RPC, or its HTTP status; null: it was answered. */
  readonly code: number | null;
  readonly reason: string | null;
  readonly body: Anything;
}

export interface Binding {
  readonly name: "JSON-RPC" | "HTTP+JSON";
  call(token: string, method: string, params?: Anything, headers?: object): Promise<Answered>;
  stream(token: string, method: string, params: Anything, signal?: AbortSignal): Promise<Events>;
}

export interface Door extends TestHub {
  readonly base: string;
  readonly bindings: readonly [Binding, Binding];
  /** Tokens of agents. */
  readonly as: { readonly [agent in "lead" | "dev" | "scout" | "other" | "guest"]: string };
  /** An operation of the team over the hub's own interface, as an agent. */
  act(agent: keyof Door["as"], path: string, body: object): Promise<void>;
}

/** The door whose sends wait for nothing, so that a request that lost its `returnImmediately` holds nobody up. */
const hastyDoor: typeof a2aDoor = { ...a2aDoor, call: (call) => a2aDoor.call({ ...call, waitMs: 0 }) };
export const hasty: TestHubOptions = { a2a: () => Promise.resolve(hastyDoor) };

type Test = Parameters<typeof testHub>[0];

export async function door(t: Test, options: TestHubOptions = {}): Promise<Door> {
  const hub = await testHub(t, { text: teamText, a2a: () => Promise.resolve(a2aDoor), ...options });
  const agents = { lead: "lead-1", dev: "dev-1", scout: "scout-1", other: "scout-2", guest: "shop" } as const;
  const tokens = await Promise.all(
    Object.entries(agents).map(async ([key, agent]) => [key, await hub.token(agent)] as const),
  );
  const as = Object.fromEntries(tokens) as Door["as"];
  const base = `${hub.url}/a2a/web`;
  return {
    ...hub,
    base,
    as,
    bindings: [rpc(base), rest(base)],
    async act(agent, path, body) {
      const answer = await ask(hub.url, `/api/teams/web${path}`, { as: as[agent], body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
    },
  };
}

const version = { "a2a-version": "1.0" };
let calls = 0;

function rpc(base: string): Binding {
  const post = (token: string, method: string, params: Anything, more: object = {}) =>
    fetch(`${base}/jsonrpc`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...version, ...more },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++calls, method, ...(params === undefined ? {} : { params }) }),
    });
  return {
    name: "JSON-RPC",
    async call(token, method, params, headers) {
      const answer = await post(token, method, params, headers);
      const body = (await answer.json()) as Anything;
      assert.equal(body.jsonrpc, "2.0");
      return {
        status: answer.status,
        headers: answer.headers,
        result: body.result ?? null,
        code: body.error?.code ?? null,
        reason: body.error?.data[0].reason ?? null,
        body,
      };
    },
    stream: async (token, method, params) => new Events(await post(token, method, params), (each) => each.result),
  };
}

const paths: Readonly<Record<string, (params: Anything) => readonly [verb: string, path: string, isBody: boolean]>> = {
  SendMessage: () => ["POST", "/message:send", true],
  SendStreamingMessage: () => ["POST", "/message:stream", true],
  GetTask: ({ id }) => ["GET", `/tasks/${encodeURIComponent(id)}`, false],
  ListTasks: () => ["GET", "/tasks", false],
  CancelTask: ({ id }) => ["POST", `/tasks/${encodeURIComponent(id)}:cancel`, true],
  SubscribeToTask: ({ id }) => ["POST", `/tasks/${encodeURIComponent(id)}:subscribe`, true],
  GetExtendedAgentCard: () => ["GET", "/extendedAgentCard", false],
  CreateTaskPushNotificationConfig: ({ taskId }) => ["POST", `/tasks/${taskId}/pushNotificationConfigs`, true],
  ListTaskPushNotificationConfigs: ({ taskId }) => ["GET", `/tasks/${taskId}/pushNotificationConfigs`, false],
  GetTaskPushNotificationConfig: ({ taskId, id }) => ["GET", `/tasks/${taskId}/pushNotificationConfigs/${id}`, false],
  DeleteTaskPushNotificationConfig: ({ taskId, id }) => [
    "DELETE",
    `/tasks/${taskId}/pushNotificationConfigs/${id}`,
    false,
  ],
};

function rest(base: string): Binding {
  const request = (token: string, method: string, params: Anything = {}, more: object = {}) => {
    const [verb, path, isBody] = (paths[method] ?? (() => ["POST", `/${method}`, true]))(params);
    const { id: _, taskId: __, ...query }: Anything = isBody ? {} : params;
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const type = isBody ? { "content-type": "application/a2a+json" } : {};
    return fetch(`${base}${path}${search.size === 0 ? "" : `?${search}`}`, {
      method: verb,
      headers: { authorization: `Bearer ${token}`, ...version, ...type, ...more },
      ...(isBody ? { body: JSON.stringify(params) } : {}),
    });
  };
  return {
    name: "HTTP+JSON",
    async call(token, method, params, headers) {
      const answer = await request(token, method, params, headers);
      const body = (await answer.json()) as Anything;
      assert.equal(answer.headers.get("content-type"), "application/a2a+json");
      return {
        status: answer.status,
        headers: answer.headers,
        result: answer.ok ? body : null,
        code: body.error?.code ?? null,
        reason: body.error?.details[0].reason ?? null,
        body,
      };
    },
    stream: async (token, method, params) => new Events(await request(token, method, params), (each) => each),
  };
}

/** The events of a stream, one after the other. */
export class Events {
  readonly answer: Response;
  readonly #unwrap: (event: Anything) => Anything;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = "";

  constructor(answer: Response, unwrap: (event: Anything) => Anything) {
    this.answer = answer;
    this.#unwrap = unwrap;
    this.#reader = (answer.body ?? assert.fail("a stream has a body")).getReader();
  }

  /** The next event; null: the stream is over. */
  async next(): Promise<Anything> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const frame = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (frame.startsWith("data: ")) return this.#unwrap(JSON.parse(frame.slice("data: ".length)));
        continue;
      }
      const { value, done } = await this.#reader.read();
      if (done) return null;
      this.#text += Buffer.from(value).toString();
    }
  }

  async rest(): Promise<readonly Anything[]> {
    const all: Anything[] = [];
    for (let each = await this.next(); each !== null; each = await this.next()) all.push(each);
    return all;
  }

  close(): Promise<void> {
    return this.#reader.cancel();
  }
}

let messages = 0;

/** What `SendMessage` takes for a text. */
export function said(text: string, more: object = {}, configuration: object = { returnImmediately: true }) {
  messages += 1;
  return {
    message: { messageId: `message-${messages}`, role: "ROLE_USER", parts: [{ text }], ...more },
    configuration,
  };
}

/** A typed message of a dev that asks for an approval. */
export function approval(id: string): object {
  return {
    id,
    type: "approval_request",
    phase: 1,
    task: "1-1-T1",
    author_role: "dev",
    timestamp: "2026-01-02T03:04:05Z",
    schema_version: "2.0",
    confidence: "high",
    payload: { subject: "Touch the build", request_type: "scope_change", evidence: "It fails", options: ["yes", "no"] },
  };
}

/** A typed message of a dev that something holds it up. */
export function blocker(id: string, task: string): object {
  return {
    id: `blocker-${id}`,
    type: "blocker_report",
    phase: 1,
    task,
    author_role: "dev",
    timestamp: "2026-01-02T03:04:05Z",
    schema_version: "2.0",
    confidence: "high",
    payload: {
      plan_id: "1-1",
      task_id: task,
      blocker: "The rate is missing",
      needs: "A rate",
      attempted: [],
      severity: "blocking",
    },
  };
}
