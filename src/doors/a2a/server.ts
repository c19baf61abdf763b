/**
 * The two bindings of A2A 1.0 over HTTP: JSON-RPC and HTTP+JSON, with server-sent events. Both lead to the same methods. The
 * hub has authenticated the caller and bounded the body before a request comes here.
 * Rules: docs/protocol/doors.md, section 15.
 */
import { sha256 } from "../../base/canonical.ts";
import type { Clock } from "../../base/clock.ts";
import { isJsonObject, type Json, type JsonObject, messageJsonLimits, parseBounded } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { problemsOf } from "../../perform/operations/reply.ts";
import { type CardPlace, extendedCard, publicCard, typedExtension } from "./card.ts";
import { type A2aError, a2aError, errorOf, httpError, rpcError, statusOf } from "./errors.ts";
import { type Call, type Sent, send } from "./sending.ts";
import { type A2aTeam, findTask, listTasks, taskStates } from "./task-list.ts";
import { isOfAsk, isOver, isSettled, withHistory } from "./tasks.ts";
import { type A2aTask, noPush, type Read, readSend, readTaskId, type StreamResponse } from "./wire.ts";

/* Streams: the task first, then each change in the order of the record, until the task is over. */

/** What a stream begins with: a message is all of it, a task is followed. */
interface Started {
  readonly first: StreamResponse;
  readonly historyLength: number | null;
}

/** The methods that answer by a stream. */
const streamMethods: ReadonlyMap<string, (call: Call, params: JsonObject) => Promise<Read<Started>>> = new Map([
  ["SendStreamingMessage", startSending],
  ["SubscribeToTask", subscribe],
]);

async function startSending(call: Call, params: JsonObject): Promise<Read<Started>> {
  const read = readSend(params);
  if (!read.ok) return read;
  const sent = await send(call, read.value);
  return sent.ok ? ok({ first: sent.value, historyLength: read.value.historyLength }) : sent;
}

async function subscribe(call: Call, params: JsonObject): Promise<Read<Started>> {
  const read = readTaskId(params);
  if (!read.ok) return read;
  const found = await findTask(call, read.value.id);
  if (!found.ok) return found;
  const { state } = found.value.status;
  if (isOver(state)) return err(a2aError("UNSUPPORTED_OPERATION", `The task is over: it is ${state}.`));
  return ok({ first: { task: found.value }, historyLength: null });
}

interface StreamOptions extends Started {
  readonly team: A2aTeam;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
  event(value: object): object;
  /** The stream is over, for whatever reason; called once. */
  closed(): void;
}

const encoder = new TextEncoder();

/** The stream as an answer. What its reader does not take is not made, so a slow reader costs nothing. */
function openStream(options: StreamOptions): Response {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, options.signal]);
  const frames = framesOf(options, signal);
  const end = () => {
    if (gone.signal.aborted) return;
    gone.abort();
    options.closed();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await frames.next();
        if (done !== true) return controller.enqueue(encoder.encode(value));
        end();
        if (!options.signal.aborted || controller.desiredSize !== null) controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return new Response(body, { headers });
}

async function* framesOf(options: StreamOptions, signal: AbortSignal): AsyncGenerator<string, void> {
  const { first, historyLength, team, event } = options;
  const frame = (each: StreamResponse) => `data: ${JSON.stringify(event(each))}\n\n`;
  if (!("task" in first)) {
    yield frame(first);
    return;
  }
  let before: A2aTask | null = null;
  const states = taskStates({ team }, first.task.id, signal);
  let next = states.next();
  while (!signal.aborted) {
    const came = await soonest(next, options, signal);
    if (came === "beat") {
      yield ":\n\n";
      continue;
    }
    // A credential that no longer counts gets nothing more.
    if (came.done === true || !came.value.ok || (await team.actor.isStillProven?.()) === false) return;
    const task: A2aTask = came.value.value;
    const events = before === null ? [{ task: withHistory(task, historyLength) }] : changesBetween(before, task);
    for (const each of events) yield frame(each);
    if (isOver(task.status.state)) return;
    before = task;
    next = states.next();
  }
}

/** What a client is told when a task went from one state to another. */
function changesBetween(before: A2aTask, after: A2aTask): readonly StreamResponse[] {
  const { id: taskId, contextId, status, artifacts = [] } = after;
  const known = new Set(before.artifacts?.map(({ artifactId }) => artifactId));
  const isNewStatus = JSON.stringify(before.status) !== JSON.stringify(status);
  return [
    ...artifacts
      .filter(({ artifactId }) => !known.has(artifactId))
      .map((artifact) => ({ artifactUpdate: { taskId, contextId, artifact, lastChunk: true as const } })),
    ...(isNewStatus ? [{ statusUpdate: { taskId, contextId, status } }] : []),
  ];
}

/** The next state of the task, or a heartbeat where none comes for a while. */
async function soonest<Value>(
  next: Promise<Value>,
  { clock, heartbeatMs }: StreamOptions,
  signal: AbortSignal,
): Promise<Value | "beat"> {
  const over = new AbortController();
  const beat = clock.wait(heartbeatMs, AbortSignal.any([over.signal, signal])).then(() => "beat" as const);
  try {
    return await Promise.race([next, beat]);
  } finally {
    over.abort();
  }
}

/* The methods that answer once: what is asked becomes the team's own operations. */

type Method = (call: Call, params: JsonObject) => Promise<Read<object>>;

/** The methods that answer once, by their names in JSON-RPC. */
const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["SendMessage", sendMessage],
  ["GetTask", getTask],
  ["ListTasks", listTasks],
  ["CancelTask", cancelTask],
  ["GetExtendedAgentCard", extendedCard],
  ["CreateTaskPushNotificationConfig", refusePush],
  ["GetTaskPushNotificationConfig", refusePush],
  ["ListTaskPushNotificationConfigs", refusePush],
  ["DeleteTaskPushNotificationConfig", refusePush],
]);

function refusePush(): Promise<Read<object>> {
  return Promise.resolve(err(noPush));
}

/** Sends, and waits until the task is over or waits for the caller, unless it shall not. */
async function sendMessage(call: Call, params: JsonObject): Promise<Read<object>> {
  const read = readSend(params);
  if (!read.ok) return read;
  const sent = await send(call, read.value);
  if (!sent.ok || "message" in sent.value) return sent;
  const { id } = sent.value.task;
  const task = read.value.returnImmediately ? sent : await settled(call, id);
  if (!task.ok || "message" in task.value) return task;
  return ok({ task: withHistory(task.value.task, read.value.historyLength) });
}

async function getTask(call: Call, params: JsonObject): Promise<Read<object>> {
  const read = readTaskId(params);
  if (!read.ok) return read;
  const found = await findTask(call, read.value.id);
  return found.ok ? ok(withHistory(found.value, read.value.historyLength)) : found;
}

async function cancelTask(call: Call, params: JsonObject): Promise<Read<object>> {
  const read = readTaskId(params);
  if (!read.ok) return read;
  const { id } = read.value;
  const found = await findTask(call, id);
  if (!found.ok) return found;
  const { state } = found.value.status;
  const isCancelable = !isOver(state) && isOfAsk(id);
  if (!isCancelable) return err(notCancelable(state));
  const reply = await call.team.endTask({ task: id, outcome: "withdrawn" });
  if (reply.outcome === "accepted") return findTask(call, id);
  const problems = problemsOf(reply);
  return err(problems[0]?.code === "task-done" ? notCancelable(state) : errorOf(problems));
}

function notCancelable(state: string): A2aError {
  return a2aError("TASK_NOT_CANCELABLE", `The task cannot be cancelled: it is ${state}.`);
}

/** The task once it is over or waits for the caller, or as it is when the wait has been too long. */
async function settled(call: Call, id: string): Promise<Read<Sent>> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, call.signal]);
  void call.clock.wait(call.waitMs, signal).then(() => over.abort());
  try {
    let last: Read<A2aTask> | null = null;
    for await (const each of taskStates(call, id, signal)) {
      last = each;
      if (!each.ok || isSettled(each.value.status.state)) break;
    }
    const task = last ?? (await findTask(call, id));
    return task.ok ? ok({ task: task.value }) : task;
  } finally {
    over.abort();
  }
}

/** A request to a team's interfaces, from an agent that its token proved. */
export interface A2aRequest {
  readonly request: Request;
  /** Null: the request has none. */
  readonly body: Uint8Array | null;
  /** The path behind the team's base URL, such as `/tasks/ask-1f2e`. */
  readonly path: string;
  readonly base: string;
  readonly version: string;
  readonly team: A2aTeam;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly waitMs: number;
  /** Aborts when the caller goes, or the hub ends. */
  readonly signal: AbortSignal;
  /** Takes a place among the caller's streams and waits; null: it has too many. */
  takeSeat(of: "streams" | "waits"): (() => void) | null;
}

/** What the hub mounts. */
export const a2aDoor = { call: answerA2a, card: answerCard, refuse: refuseRequest };

const safeHeaders = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;

/** How an error and a value are written, and what a stream's events are wrapped in. */
interface Binding {
  answer(value: object): Response;
  refuse(problem: A2aError, headers?: Readonly<Record<string, string>>): Response;
  event(value: object): object;
}

/** The public card, for everybody. Answers 304 where the client has it. */
function answerCard(place: CardPlace, request: Request): Response {
  const text = JSON.stringify(publicCard(place));
  const etag = `"${sha256(text).slice(0, 32)}"`;
  const headers = {
    "x-content-type-options": "nosniff",
    "content-type": "application/json",
    "cache-control": "public, max-age=60",
    "last-modified": cardChanged,
    etag,
  };
  const isKnown =
    request.headers
      .get("if-none-match")
      ?.split(",")
      .some((each) => each.trim() === etag) === true;
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
}

/** The card changes with the build only, so its time is that of the process. */
const cardChanged = new Date(performance.timeOrigin).toUTCString();

/** The answer to a request that is refused before its method is known, in the binding of its path. */
function refuseRequest(
  path: string,
  request: Request,
  problems: readonly Problem[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  return bindingOf(path, request, null).refuse(errorOf(problems), headers);
}

/** Answers a request to a team's interfaces. */
async function answerA2a(asked: A2aRequest): Promise<Response> {
  const { path, request } = asked;
  return isRpcPath(path) ? answerRpc(asked) : answerRest(asked, bindingOf(path, request, null));
}

function isRpcPath(path: string): boolean {
  return path === "/jsonrpc" || path === "/jsonrpc/";
}

type RpcId = string | number | null;

function bindingOf(path: string, request: Request, id: RpcId): Binding {
  return isRpcPath(path) ? rpcBinding(id) : restBinding(request);
}

function rpcBinding(id: RpcId): Binding {
  const wrapped = (value: object) => ({ jsonrpc: "2.0", id, ...value });
  const type = { ...safeHeaders, "content-type": "application/json" };
  return {
    answer: (value) => new Response(JSON.stringify(wrapped({ result: value })), { headers: type }),
    refuse: (problem, headers = {}) => {
      // A JSON-RPC error is an answer; only what HTTP itself must know has its status.
      const status = ["UNAUTHENTICATED", "TOO_LARGE"].includes(problem.kind) ? statusOf(problem) : 200;
      return new Response(JSON.stringify(wrapped({ error: rpcError(problem) })), {
        status,
        headers: { ...type, ...headers },
      });
    },
    event: (value) => wrapped({ result: value }),
  };
}

function restBinding(request: Request): Binding {
  const isPlain = (request.headers.get("content-type") ?? request.headers.get("accept") ?? "").startsWith(
    "application/json",
  );
  const type = { ...safeHeaders, "content-type": isPlain ? "application/json" : "application/a2a+json" };
  return {
    answer: (value) => new Response(JSON.stringify(value), { headers: type }),
    refuse: (problem, headers = {}) =>
      new Response(JSON.stringify(httpError(problem)), { status: statusOf(problem), headers: { ...type, ...headers } }),
    event: (value) => value,
  };
}

/** A body's JSON within the limits of a message; duplicate keys and what is too deep are refused. */
function parseBody(body: Uint8Array | null): Read<Json> {
  const parsed = parseBounded(body ?? new Uint8Array(), bodyLimits);
  if (parsed.ok) return parsed;
  const kind = parsed.error.code === "too-large" ? "TOO_LARGE" : "PARSE_ERROR";
  return err(a2aError(kind, parsed.error.message, [parsed.error]));
}

/** A message may be some levels down in its request. */
const bodyLimits = {
  bytesMax: 4 * messageJsonLimits.bytesMax,
  depthMax: messageJsonLimits.depthMax + 6,
  nodesMax: messageJsonLimits.nodesMax + 1_000,
};

async function answerRpc(asked: A2aRequest): Promise<Response> {
  const { request, body } = asked;
  const nobody = rpcBinding(null);
  if (request.method !== "POST") return nobody.refuse(a2aError("INVALID_REQUEST", "JSON-RPC is asked by POST."));
  const parsed = parseBody(body);
  if (!parsed.ok) return nobody.refuse(parsed.error);
  const envelope = parsed.value;
  const id = isJsonObject(envelope) && Object.hasOwn(envelope, "id") ? envelope.id : undefined;
  const isId = id === null || typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
  if (!isJsonObject(envelope) || envelope.jsonrpc !== "2.0" || typeof envelope.method !== "string" || !isId) {
    const expected = "one JSON-RPC 2.0 request with an id that is a string, a whole number or null";
    return nobody.refuse(a2aError("INVALID_REQUEST", `This is not ${expected}.`));
  }
  const binding = rpcBinding(id);
  const { params = {} } = envelope;
  if (!isJsonObject(params)) return binding.refuse(a2aError("INVALID_PARAMS", "The params are not an object."));
  return run(asked, binding, envelope.method, params);
}

/** Versions, then the method. */
async function run(asked: A2aRequest, binding: Binding, name: string, params: JsonObject): Promise<Response> {
  const version = versionProblem(asked.request);
  if (version !== null) return binding.refuse(version);
  const extensions = (asked.request.headers.get("a2a-extensions") ?? "").split(",").map((each) => each.trim());
  const seat = asked.takeSeat(streamMethods.has(name) ? "streams" : "waits");
  if (seat === null) return binding.refuse(tooMany, { "retry-after": "1" });
  const { team, clock, base, version: build, waitMs, signal } = asked;
  const call: Call = { team, clock, base, version: build, extensions, waitMs, signal };
  let isStream = false;
  try {
    const start = streamMethods.get(name);
    if (start !== undefined) {
      const started = await start(call, params);
      if (!started.ok) return binding.refuse(started.error);
      isStream = true;
      return withExtensions(openStream({ ...asked, ...started.value, event: binding.event, closed: seat }), extensions);
    }
    const method = methods.get(name);
    if (method === undefined) return binding.refuse(a2aError("METHOD_NOT_FOUND", "There is no such method."));
    const answer = await method(call, params);
    return answer.ok ? withExtensions(binding.answer(answer.value), extensions) : binding.refuse(answer.error);
  } finally {
    if (!isStream) seat();
  }
}

const tooMany = a2aError("RESOURCE_EXHAUSTED", "This caller has too many streams and waits open.");

/** Says which of the extensions that were asked for are active. */
function withExtensions(answer: Response, asked: readonly string[]): Response {
  if (asked.includes(typedExtension)) answer.headers.set("a2a-extensions", typedExtension);
  return answer;
}

/** The version that a request names, by header or query; without one it means 0.3. The patch number does not count. */
function versionProblem({ headers, url }: Request): A2aError | null {
  const named = headers.get("a2a-version") ?? new URL(url).searchParams.get("A2A-Version") ?? "";
  if (/^1\.0(\.\d{1,6})?$/.test(named.trim())) return null;
  return a2aError("VERSION_NOT_SUPPORTED", "This agent speaks version 1.0 of A2A; name it in the header A2A-Version.");
}

/* HTTP+JSON: which method a path means, and its parameters from path, query and body. */

interface Route {
  readonly verb: "GET" | "POST" | "DELETE";
  readonly path: RegExp;
  readonly method: string;
}

// Push notifications are not offered; the standard names an error for those who ask for them.
const pushesPath = /^\/tasks\/([^/:]{1,200})\/pushNotificationConfigs$/;
const pushPath = /^\/tasks\/([^/:]{1,200})\/pushNotificationConfigs\/([^/]{1,200})$/;

const routes: readonly Route[] = [
  { verb: "POST", path: /^\/message:send$/, method: "SendMessage" },
  { verb: "POST", path: /^\/message:stream$/, method: "SendStreamingMessage" },
  { verb: "GET", path: /^\/tasks$/, method: "ListTasks" },
  { verb: "GET", path: /^\/tasks\/([^/:]{1,200})$/, method: "GetTask" },
  { verb: "POST", path: /^\/tasks\/([^/:]{1,200}):cancel$/, method: "CancelTask" },
  { verb: "POST", path: /^\/tasks\/([^/:]{1,200}):subscribe$/, method: "SubscribeToTask" },
  { verb: "GET", path: /^\/extendedAgentCard$/, method: "GetExtendedAgentCard" },
  { verb: "POST", path: pushesPath, method: "CreateTaskPushNotificationConfig" },
  { verb: "GET", path: pushesPath, method: "ListTaskPushNotificationConfigs" },
  { verb: "GET", path: pushPath, method: "GetTaskPushNotificationConfig" },
  { verb: "DELETE", path: pushPath, method: "DeleteTaskPushNotificationConfig" },
];

function answerRest(asked: A2aRequest, binding: Binding): Promise<Response> | Response {
  const { request, path, body } = asked;
  const here = routes.filter((route) => route.path.test(path));
  const route = here.find(({ verb }) => verb === request.method);
  if (route === undefined) return binding.refuse(a2aError("METHOD_NOT_FOUND", "There is no such operation here."));
  const read = readRest(request, body);
  if (!read.ok) return binding.refuse(read.error);
  const [, ...written] = route.path.exec(path) ?? [];
  const [id, ...others] = written.map(decoded);
  if (id === null || others.includes(null))
    return binding.refuse(a2aError("INVALID_PARAMS", "The path is not encoded."));
  return run(asked, binding, route.method, { ...read.value, ...(id === undefined ? {} : { id }) });
}

/** A part of a path; null: it is not encoded. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // The path is not what `encodeURIComponent` writes, so it names no task.
    return null;
  }
}

/** The parameters of the body, else of the query. */
function readRest(request: Request, body: Uint8Array | null): Read<JsonObject> {
  if (request.method === "POST") {
    if (body === null || body.byteLength === 0) return ok({});
    const parsed = parseBody(body);
    if (!parsed.ok) return parsed;
    return isJsonObject(parsed.value)
      ? ok(parsed.value)
      : err(a2aError("INVALID_PARAMS", "The body is not an object."));
  }
  const search = new URL(request.url).searchParams;
  const given = [...new Set(search.keys())].flatMap((name) => {
    const value = search.get(name) ?? "";
    if (name === "A2A-Version" || value === "") return [];
    return [[name, value === "true" ? true : value === "false" ? false : value] as const];
  });
  // `fromEntries` defines each field, so `__proto__` is one as any other.
  return ok(Object.fromEntries(given));
}
