/**
 * What a remote says of a task, and the errors that it answers, read within bounds and cut to size.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten } from "../../base/text.ts";
import type { RemoteAsk, RemoteReport, RemoteState, RemoteWork } from "../../remotes/decide.ts";
import type { A2aState } from "./wire.ts";

/** Within these a remote's JSON is read. */
export const remoteJsonLimits = { bytesMax: 1024 * 1024, depthMax: 64, nodesMax: 50_000 };

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
export interface RemoteProblem {
  readonly problem: Problem;
  readonly isFinal: boolean;
  /** The remote knows no such task. */
  readonly isUnknownTask?: true;
}

/** The problem with an answer that is not one of A2A. */
export function notOfA2a(host: string, what: string): Problem {
  return makeProblem("not-a-hub", host, `The remote's answer is not one of A2A: ${what}.`);
}

/** Codes of JSON-RPC, statuses of HTTP and reasons by which a later try may do better. */
const temporary: readonly Json[] = [-32603, "RESOURCE_EXHAUSTED", "UNAVAILABLE", "UNAUTHENTICATED", "INTERNAL"];

/** What an error of a remote means for the caller. */
export function refusalOf(error: JsonObject, host: string): RemoteProblem {
  const { code = null, message, data, details } = error;
  const list = isJsonList(data) ? data : isJsonList(details) ? details : [];
  const reasons = list.flatMap((each) => (isJsonObject(each) ? textOf(each.reason, 100) : []));
  const [said = "no reason"] = textOf(message, 500);
  const isUnknown = code === -32001 || reasons.includes("TASK_NOT_FOUND");
  return {
    problem: makeProblem("wrong-value", host, `The remote refuses it: ${said}`),
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

/** A task of A2A. Refuses `not-a-hub` for one without an id or a state. */
export function readTask(task: JsonObject, host: string): Result<RemoteTask, Problem> {
  const { id, contextId, status, artifacts } = task;
  const said = isJsonObject(status) && typeof status.state === "string" ? status.state : "";
  const isState = Object.hasOwn(stateOf, said);
  if (typeof id !== "string" || id === "" || id.length > idCharactersMax || !id.isWellFormed() || !isState)
    return err(notOfA2a(host, "a task without an id or a state"));
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
export function wordsOf(message: JsonObject): string | null {
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

/** A string of a remote, cut to size; empty: it is none. */
export function textOf(value: Json | undefined, charactersMax: number): readonly string[] {
  return typeof value === "string" ? [shorten(value.toWellFormed(), charactersMax)] : [];
}

/** What a task at a remote is for the ask; `sent`: the entry whose words the remote has just taken. */
export function reportOf(
  { state: before, words: kept }: RemoteAsk,
  sent: number | null,
  { id: remoteTask, context: remoteContext, state, words, work }: RemoteTask,
): RemoteReport {
  // Words that are there already are kept where the remote says nothing more.
  return { sent, remoteTask, remoteContext, state, words: words ?? (state === before ? kept : null), work };
}
