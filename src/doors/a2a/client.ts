/**
 * A client of A2A 1.0 for a hub: asks one remote agent, over JSON-RPC or HTTP+JSON. What a remote answers is another's
 * text: read within bounds, cut to size, and never followed anywhere.
 * Rules: docs/protocol/remotes.md, sections 3 and 4.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten } from "../../base/text.ts";
import type { RemoteState, RemoteWork } from "../../coordination/remotes/remotes.ts";
import { type AddressRules, readOutsideUrl, requestOutside } from "./guarded-request.ts";
import type { A2aState } from "./wire.ts";

/** Where a remote is, as the owner has set it, and how to ask it. */
export interface RemotePlace {
  /** The URL of its card. */
  readonly card: string;
  readonly token: string | null;
  readonly rules: AddressRules;
  readonly signal: AbortSignal;
}

/** A remote's card, as far as it matters here. */
export interface RemoteCard {
  readonly name: string;
  readonly description: string;
  readonly skills: readonly string[];
  readonly url: URL;
  readonly binding: "JSONRPC" | "HTTP+JSON";
}

/** A remote's task, in words of ours. */
export interface RemoteTask {
  /** Null: the remote answered by a message, and there is no task. */
  readonly id: string | null;
  readonly context: string | null;
  readonly state: RemoteState;
  readonly words: string | null;
  readonly work: RemoteWork | null;
}

/** Why a call failed. `isFinal`: the remote understood and refuses it, so asking again is of no use. */
export interface RemoteFault {
  readonly problem: Problem;
  readonly isFinal: boolean;
  /** The remote knows no such task. */
  readonly isUnknownTask?: true;
}

type Called<Value> = Result<Value, RemoteFault>;

const passing = (fault: Problem): { readonly ok: false; readonly error: RemoteFault } =>
  err({ problem: fault, isFinal: false });

const jsonLimits = { bytesMax: 1024 * 1024, depthMax: 64, nodesMax: 50_000 };

/**
 * The card at an address. Its interface must be of version 1.0 and at the same origin as the card. Refuses as
 * `requestOutside` does, `not-a-hub` for what is no card, and `wrong-value` for interfaces elsewhere.
 */
export async function fetchCard(place: RemotePlace): Promise<Result<RemoteCard, Problem>> {
  const url = readOutsideUrl(place.card, place.rules);
  if (!url.ok) return url;
  // The card is public: the token is for the interface alone.
  const { rules, signal } = place;
  const headers = { accept: "application/json", "a2a-version": "1.0" };
  const answer = await requestOutside({ url: url.value, method: "GET", headers, rules, signal });
  if (!answer.ok) return answer;
  const notCard = (why: string) =>
    err(problem("not-a-hub", place.card, `This is not the card of an A2A agent: ${why}.`));
  const parsed = parseBounded(answer.value.body, jsonLimits);
  if (answer.value.status !== 200) return notCard(`it answers ${answer.value.status}`);
  if (!parsed.ok || !isJsonObject(parsed.value)) return notCard("it is no JSON object");
  const { name, description, skills, supportedInterfaces } = parsed.value;
  if (typeof name !== "string" || !isJsonList(supportedInterfaces)) return notCard("it has no name or no interfaces");
  const usable = supportedInterfaces.flatMap((each) => interfaceOf(each) ?? []);
  const here = usable.filter(({ url: { origin } }) => origin === url.value.origin);
  const found = here.find(({ binding }) => binding === "JSONRPC") ?? here[0];
  if (found !== undefined) {
    const named = isJsonList(skills)
      ? skills.flatMap((each) => (isJsonObject(each) ? textOf(each.name, 100) : []))
      : [];
    const [says = ""] = textOf(description, 1_000);
    return ok({ name: shorten(name.toWellFormed(), 100), description: says, skills: named.slice(0, 50), ...found });
  }
  const why =
    usable.length === 0 ? "no interface of version 1.0 over JSON-RPC or HTTP+JSON" : "its interfaces are elsewhere";
  return err(problem("wrong-value", place.card, `The agent cannot be asked: ${why}.`, { expected: url.value.origin }));
}

function interfaceOf(each: Json): Pick<RemoteCard, "url" | "binding"> | null {
  if (!isJsonObject(each)) return null;
  const { url, protocolBinding, protocolVersion } = each;
  const isOfVersion = typeof protocolVersion === "string" && /^1\.0(\.\d{1,6})?$/.test(protocolVersion);
  if (!isOfVersion || typeof url !== "string" || !URL.canParse(url)) return null;
  const binding = protocolBinding === "JSONRPC" || protocolBinding === "HTTP+JSON" ? protocolBinding : null;
  return binding === null ? null : { url: new URL(url), binding };
}

function textOf(value: Json | undefined, charactersMax: number): readonly string[] {
  return typeof value === "string" ? [shorten(value.toWellFormed(), charactersMax)] : [];
}

/** A message to a remote; `id` names it for good, so that a repeat has one effect. */
export interface Outgoing {
  readonly id: string;
  readonly text: string;
  readonly task: string | null;
  readonly context: string | null;
}

/** Sends a message and does not wait for the work. */
export async function sendToRemote(
  place: RemotePlace,
  card: RemoteCard,
  { id, text, task, context }: Outgoing,
): Promise<Called<RemoteTask>> {
  const message = {
    messageId: id,
    role: "ROLE_USER",
    parts: [{ text, mediaType: "text/plain" }],
    ...(task === null ? {} : { taskId: task }),
    ...(context === null ? {} : { contextId: context }),
  };
  const params = {
    message,
    configuration: { returnImmediately: true, acceptedOutputModes: ["text/plain", "application/json"] },
  };
  const answer = await call(place, card, { method: "SendMessage", verb: "POST", path: "/message:send", params });
  if (!answer.ok) return answer;
  const { task: made, message: said } = answer.value;
  if (isJsonObject(made)) return readTask(made, card);
  if (!isJsonObject(said)) return passing(noAnswer(card, "neither a task nor a message"));
  return ok({ id: null, context: null, state: "completed", words: wordsOf(said), work: null });
}

/** A task as it is now. */
export async function getRemoteTask(place: RemotePlace, card: RemoteCard, id: string): Promise<Called<RemoteTask>> {
  const path = `/tasks/${encodeURIComponent(id)}`;
  const answer = await call(place, card, { method: "GetTask", verb: "GET", path, params: { id, historyLength: 0 } });
  return answer.ok ? readTask(answer.value, card) : answer;
}

/** Cancels a task; a refusal is final. */
export async function cancelRemoteTask(place: RemotePlace, card: RemoteCard, id: string): Promise<Called<RemoteTask>> {
  const path = `/tasks/${encodeURIComponent(id)}:cancel`;
  const answer = await call(place, card, { method: "CancelTask", verb: "POST", path, params: { id } });
  return answer.ok ? readTask(answer.value, card) : answer;
}

interface Asked {
  readonly method: string;
  readonly verb: "GET" | "POST";
  readonly path: string;
  readonly params: object;
}

async function call(place: RemotePlace, card: RemoteCard, asked: Asked): Promise<Called<JsonObject>> {
  const { rules, signal, token } = place;
  const isRpc = card.binding === "JSONRPC";
  const id = `${asked.method}-1`;
  const body = isRpc ? { jsonrpc: "2.0", id, method: asked.method, params: asked.params } : asked.params;
  const answer = await requestOutside({
    url: isRpc ? card.url : new URL(`${card.url.href.replace(/\/$/, "")}${asked.path}`),
    method: isRpc ? "POST" : asked.verb,
    headers: {
      accept: "application/json, application/a2a+json",
      "a2a-version": "1.0",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(isRpc || asked.verb === "POST"
        ? { "content-type": isRpc ? "application/json" : "application/a2a+json" }
        : {}),
    },
    ...(isRpc || asked.verb === "POST" ? { body: JSON.stringify(body) } : {}),
    rules,
    signal,
  });
  if (!answer.ok) return passing(answer.error);
  const { status } = answer.value;
  if (status === 401 || status === 403) {
    const hint = "The owner sets another token: `baton remote add NAME URL`.";
    return passing(
      problem("unauthenticated", card.url.host, `The remote does not accept the token (${status}).`, { hint }),
    );
  }
  const parsed = parseBounded(answer.value.body, jsonLimits);
  const isTemporary = status >= 500 || status === 429 || status === 408;
  if (isTemporary) return passing(problem("hub-unreachable", card.url.host, `The remote answers ${status}.`));
  if (!parsed.ok || !isJsonObject(parsed.value)) return passing(noAnswer(card, `no JSON object (${status})`));
  const read = parsed.value;
  if (isRpc && (read.jsonrpc !== "2.0" || (read.id !== id && read.id !== null)))
    return passing(noAnswer(card, "a response to another request"));
  if (isJsonObject(read.error)) return err(refusalOf(read.error, card));
  const result = isRpc ? read.result : read;
  return isJsonObject(result) && status < 300 ? ok(result) : passing(noAnswer(card, `no result (${status})`));
}

function noAnswer({ url }: RemoteCard, what: string): Problem {
  return problem("not-a-hub", url.host, `The remote's answer is not one of A2A: ${what}.`);
}

/** Codes of JSON-RPC, statuses of HTTP and reasons by which a later try may do better. */
const temporary: readonly Json[] = [-32603, "RESOURCE_EXHAUSTED", "UNAVAILABLE", "UNAUTHENTICATED", "INTERNAL"];

function refusalOf(error: JsonObject, { url }: RemoteCard): RemoteFault {
  const { code = null, message, data, details } = error;
  const list = isJsonList(data) ? data : isJsonList(details) ? details : [];
  const reasons = list.flatMap((each) => (isJsonObject(each) ? textOf(each.reason, 100) : []));
  const [said = "no reason"] = textOf(message, 500);
  const isUnknown = code === -32001 || reasons.includes("TASK_NOT_FOUND");
  return {
    problem: problem("wrong-value", url.host, `The remote refuses it: ${said}`),
    isFinal: ![code, ...reasons].some((each) => temporary.includes(each)),
    ...(isUnknown ? { isUnknownTask: true as const } : {}),
  };
}

const stateOf: { readonly [state in A2aState]: RemoteState } = {
  TASK_STATE_SUBMITTED: "submitted",
  TASK_STATE_WORKING: "working",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_INPUT_REQUIRED: "input-required",
  TASK_STATE_REJECTED: "rejected",
  TASK_STATE_AUTH_REQUIRED: "input-required",
};

const idCharactersMax = 256;
const wordsCharactersMax = 4_000;
const filesMax = 100;

function readTask(task: JsonObject, card: RemoteCard): Called<RemoteTask> {
  const { id, contextId, status, artifacts } = task;
  const said = isJsonObject(status) && typeof status.state === "string" ? status.state : "";
  const isState = Object.hasOwn(stateOf, said);
  if (typeof id !== "string" || id === "" || id.length > idCharactersMax || !id.isWellFormed() || !isState)
    return passing(noAnswer(card, "a task without an id or a state"));
  const list = isJsonList(artifacts) ? artifacts.filter(isJsonObject) : [];
  const message = isJsonObject(status) && isJsonObject(status.message) ? wordsOf(status.message) : null;
  const words = [message, ...list.map(wordsOf)].filter((each) => each !== null).join("\n\n");
  const isContext = typeof contextId === "string" && contextId.length <= idCharactersMax && contextId.isWellFormed();
  return ok({
    id,
    context: isContext ? contextId : null,
    state: stateOf[said as A2aState], // one of its keys, as just seen
    words: words === "" ? null : shorten(words, wordsCharactersMax),
    work: list.flatMap((each) => workOf(each) ?? [])[0] ?? null,
  });
}

function partsOf({ parts }: JsonObject): readonly JsonObject[] {
  return isJsonList(parts) ? parts.filter(isJsonObject) : [];
}

/** The text of a message or an artifact; null: it has none. */
function wordsOf(message: JsonObject): string | null {
  const texts = partsOf(message).flatMap(({ text }) => textOf(text, wordsCharactersMax));
  return texts.length === 0 ? null : shorten(texts.join("\n\n").replaceAll("\0", ""), wordsCharactersMax);
}

/** What an artifact says of work, as Baton and others write it; null: it says nothing of it. */
function workOf(artifact: JsonObject): RemoteWork | null {
  for (const { data } of partsOf(artifact)) {
    if (!isJsonObject(data)) continue;
    const { commit, files, state } = data;
    const isCommit = typeof commit === "string" && /^[0-9a-f]{7,64}$/.test(commit);
    const named = isJsonList(files) ? files.flatMap((each) => textOf(each, 400)).slice(0, filesMax) : [];
    const [word = null] = textOf(state, 64);
    if (isCommit || named.length > 0) return { commit: isCommit ? commit : null, files: named, state: word };
  }
  return null;
}
