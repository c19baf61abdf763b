/**
 * A client of A2A 1.0 for a hub: asks one remote agent, over JSON-RPC or HTTP+JSON. What a remote answers is another's
 * text: read within bounds, cut to size, and never followed anywhere.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten } from "../../base/text.ts";
import { type AddressRules, type OutsideRequest, readOutsideUrl, requestOutside } from "./guarded-request.ts";
import {
  notOfA2a,
  type RemoteProblem,
  type RemoteTask,
  readTask,
  refusalOf,
  remoteJsonLimits,
  textOf,
  wordsOf,
} from "./remote-task.ts";

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

type Called<Value> = Result<Value, RemoteProblem>;

const passing = (problem: Problem): { readonly ok: false; readonly error: RemoteProblem } =>
  err({ problem: problem, isFinal: false });

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
    err(makeProblem("not-a-hub", place.card, `This is not the card of an A2A agent: ${why}.`));
  const parsed = parseBounded(answer.value.body, remoteJsonLimits);
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
    const shown = { name: shorten(name.toWellFormed(), 100), description: says, skills: named.slice(0, 50) };
    return ok({ ...shown, ...found });
  }
  const why =
    usable.length === 0 ? "no interface of version 1.0 over JSON-RPC or HTTP+JSON" : "its interfaces are elsewhere";
  return err(
    makeProblem("wrong-value", place.card, `The agent cannot be asked: ${why}.`, { expected: url.value.origin }),
  );
}

function interfaceOf(each: Json): Pick<RemoteCard, "url" | "binding"> | null {
  if (!isJsonObject(each)) return null;
  const { url, protocolBinding, protocolVersion } = each;
  const isOfVersion = typeof protocolVersion === "string" && /^1\.0(\.\d{1,6})?$/.test(protocolVersion);
  if (!isOfVersion || typeof url !== "string" || !URL.canParse(url)) return null;
  const binding = protocolBinding === "JSONRPC" || protocolBinding === "HTTP+JSON" ? protocolBinding : null;
  return binding === null ? null : { url: new URL(url), binding };
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
  if (isJsonObject(made)) return taskOf(made, card, task);
  if (!isJsonObject(said)) return passing(notOfA2a(card.url.host, "neither a task nor a message"));
  return ok({ id: null, context: null, state: "completed", words: wordsOf(said), work: null });
}

/** A task as it is now. */
export async function getRemoteTask(place: RemotePlace, card: RemoteCard, id: string): Promise<Called<RemoteTask>> {
  const path = `/tasks/${encodeURIComponent(id)}`;
  const answer = await call(place, card, { method: "GetTask", verb: "GET", path, params: { id, historyLength: 0 } });
  return answer.ok ? taskOf(answer.value, card, id) : answer;
}

/** Cancels a task; a refusal is final. */
export async function cancelRemoteTask(place: RemotePlace, card: RemoteCard, id: string): Promise<Called<RemoteTask>> {
  const path = `/tasks/${encodeURIComponent(id)}:cancel`;
  const answer = await call(place, card, { method: "CancelTask", verb: "POST", path, params: { id } });
  return answer.ok ? taskOf(answer.value, card, id) : answer;
}

function taskOf(task: JsonObject, { url }: RemoteCard, id: string | null): Called<RemoteTask> {
  const read = readTask(task, url.host);
  if (!read.ok) return passing(read.error);
  return id === null || read.value.id === id ? read : passing(notOfA2a(url.host, "another task"));
}

/** A method of A2A, and how HTTP+JSON names it. */
interface Asked {
  readonly method: string;
  readonly verb: "GET" | "POST";
  readonly path: string;
  readonly params: object;
}

/** The request for a method in the remote's binding, and the id that the answers of JSON-RPC must have. */
function requestFor(
  { rules, signal, token }: RemotePlace,
  { url, binding }: RemoteCard,
  { method, verb, path, params }: Asked,
): OutsideRequest & { readonly id: string } {
  const id = `${method}-1`;
  const headers = {
    accept: "application/json, application/a2a+json",
    "a2a-version": "1.0",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const common = { rules, signal, id };
  if (binding === "JSONRPC") {
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    return { ...common, url, method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
  }
  const place = new URL(`${url.href.replace(/\/$/, "")}${path}`);
  if (verb === "GET") return { ...common, url: place, method: verb, headers };
  const type = { "content-type": "application/a2a+json" };
  return { ...common, url: place, method: verb, headers: { ...headers, ...type }, body: JSON.stringify(params) };
}

async function call(place: RemotePlace, card: RemoteCard, asked: Asked): Promise<Called<JsonObject>> {
  const isRpc = card.binding === "JSONRPC";
  const { id, ...request } = requestFor(place, card, asked);
  const answer = await requestOutside(request);
  if (!answer.ok) return passing(answer.error);
  const { status } = answer.value;
  if (status === 401 || status === 403) {
    const hint = "The owner sets another token: `baton remote add NAME URL`.";
    return passing(
      makeProblem("unauthenticated", card.url.host, `The remote does not accept the token (${status}).`, { hint }),
    );
  }
  const parsed = parseBounded(answer.value.body, remoteJsonLimits);
  const isTemporary = status >= 500 || status === 429 || status === 408;
  if (isTemporary) return passing(makeProblem("hub-unreachable", card.url.host, `The remote answers ${status}.`));
  if (!parsed.ok || !isJsonObject(parsed.value)) return passing(notOfA2a(card.url.host, `no JSON object (${status})`));
  const read = parsed.value;
  if (isRpc && (read.jsonrpc !== "2.0" || (read.id !== id && read.id !== null)))
    return passing(notOfA2a(card.url.host, "a response to another request"));
  if (isJsonObject(read.error)) return err(refusalOf(read.error, card.url.host));
  const result = isRpc ? read.result : read;
  return isJsonObject(result) && status < 300 ? ok(result) : passing(notOfA2a(card.url.host, `no result (${status})`));
}
