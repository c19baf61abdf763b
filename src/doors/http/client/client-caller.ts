/**
 * Asking a hub until it has answered, within bounds: a lost answer is asked for again with the same id, which is always
 * safe (docs/protocol/record.md, section 8). What comes back is a value of the shape that was wanted, or the hub's
 * problems.
 */

import { argument } from "../../../base/argument.ts";
import { parseBounded } from "../../../base/json.ts";
import { newMessageId } from "../../../base/new-ids.ts";
import type { Problem } from "../../../base/problem.ts";
import { systemRandom } from "../../../base/random.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { type AnswerForm, misfit } from "../../../base/schema/answer-form.ts";
import type { Receipt } from "../../../journal/entry.ts";
import type { Note } from "../../../messages/message.ts";
import { namedForms } from "../../../perform/operations/generated/answers.ts";
import type { ClaimDenial } from "../../../perform/operations/reply.ts";
import {
  beginExchange,
  type Exchanged,
  exchange,
  type Question,
  readWhole,
  typeOf,
  type WholeAnswer,
  type Wire,
} from "./client-exchange.ts";
import { notAHub, unreachable, unread } from "./client-problems.ts";

/** Tells whether a value is one of `Value`: a hub's answer is text from outside. */
export type Shape<Value> = (value: unknown) => value is Value;

/** The shape of values that have the form, which is made of the definition of `Value`. */
export function ofForm<Value>(form: AnswerForm): Shape<Value> {
  return (value): value is Value => misfit(form, value, namedForms) === null;
}

/** What the hub refused, or that it could not be asked. */
export interface Refused {
  /** Never empty. */
  readonly problems: readonly [Problem, ...Problem[]];
  /** The entry that records the refusal; null: nothing was recorded; absent: the question never came to the team. */
  readonly receipt?: Receipt | null;
  readonly notes: readonly Note[];
  /** Of a denied claim: why, who and which files. */
  readonly denial?: ClaimDenial;
}

/** A question with the shape of its answer. */
export interface Asked<Value> extends Question {
  readonly shape: Shape<Value>;
  /** Nothing is recorded, whatever the method: it may be stopped at any time. */
  readonly isRead?: true;
  /** The operation's id, for a caller that must repeat it by hand. The id is in the body. */
  readonly again?: string;
  /** Most bytes of the answer; absent: those of everything but a page of an inbox. */
  readonly bytesMax?: number;
  /** How long one try may take beyond the usual, in milliseconds. */
  readonly extraMs?: number;
  /** How often a lost answer is asked for again; absent: as often as is bearable. */
  readonly retriesMax?: number;
}

/**
 * An operation as a request: `body` under an id, given or created here. Every try uses the same id, and the error names
 * it for a caller that must repeat the operation by hand.
 */
export function actOf(path: readonly string[], body: object, id: string = newMessageId()) {
  return { method: "POST", path, body: JSON.stringify({ ...body, id }), again: again("id", id) } satisfies Omit<
    Asked<unknown>,
    "shape"
  >;
}

/** What names an operation: the argument that takes the name, and the name. */
export function again(named: "id" | "proseId", name: string): string {
  return `\`${argument(named)} ${name}\``;
}

export interface Caller {
  readonly wire: Wire;
  ask<Value>(asked: Asked<Value>, signal?: AbortSignal): Promise<Result<Value, Refused>>;
}

/** One try takes no longer. */
export const tryMsMax = 30_000;
/** Pauses between tries. A hub that is started again is there within the sum. */
const pausesMs = [100, 300, 800, 2_000, 4_000];
/** No further try after so long: then each of them is slow. */
const triesMsMax = 60_000;
/** One entry with its message, its wire form and its fact, each escaped, fits in. */
const answerBytesMax = 8 * 1024 * 1024;
/** A hub wraps messages and entries, whose own bounds are those of messages. How long an answer is, its reading held. */
const jsonLimits = { bytesMax: Number.MAX_SAFE_INTEGER, depthMax: 64, nodesMax: 8_000_000 };

/** A caller over `wire`. `stop` ends pauses and tries of what records nothing. */
export function newCaller(wire: Wire, stop: AbortSignal): Caller {
  return {
    wire,
    ask: (asked, signal) => ask(wire, asked, signal === undefined ? stop : AbortSignal.any([stop, signal])),
  };
}

async function ask<Value>(wire: Wire, asked: Asked<Value>, signal: AbortSignal): Promise<Result<Value, Refused>> {
  const { shape, again = null, bytesMax = answerBytesMax, extraMs = 0, retriesMax = pausesMs.length } = asked;
  const { clock, hub } = wire;
  const start = clock.monotonic();
  const isRead = asked.method === "GET" || asked.isRead === true;
  // What is being recorded is finished; reading may be stopped.
  const timeMs = Math.min(tryMsMax + extraMs, wire.answerMsMax ?? Number.POSITIVE_INFINITY);
  const triesLeftMs = Math.min(triesMsMax, wire.answerMsMax ?? triesMsMax);
  const bounds = { timeMs, bytesMax, signal: isRead ? signal : null };
  let mayBeRecorded = false;
  for (let tries = 0; ; tries++) {
    const came = await exchange(wire, asked, bounds);
    const judged = judgeExchange(hub.shown, came, shape);
    if (judged.outcome === "answered") return ok(judged.value);
    if (judged.outcome === "refused") return err(judged.refused);
    if (isRead && signal.aborted) return err({ problems: [unread(hub.shown, judged.why, signal)], notes: [] });
    mayBeRecorded ||= !isRead && !judged.isUnsent;
    const pause = pausesMs[Math.min(tries, pausesMs.length - 1)] ?? 0;
    if (tries >= retriesMax || signal.aborted || clock.monotonic() - start + pause > triesLeftMs) {
      return err({ problems: [unreachable(hub.shown, judged.why, mayBeRecorded ? again : null)], notes: [] });
    }
    // Those who lost the same hub do not come back to it in step.
    await clock.wait(pause * (0.5 + systemRandom.unit() / 2), signal);
  }
}

type Judged<Value> =
  | { readonly outcome: "answered"; readonly value: Value }
  | { readonly outcome: "refused"; readonly refused: Refused }
  | { readonly outcome: "lost"; readonly why: string; readonly isUnsent: boolean };

/** Statuses by which something before the hub says that it is away. */
const awayStatuses = new Set([502, 503, 504]);

function judgeExchange<Value>(hub: string, came: Exchanged<WholeAnswer>, shape: Shape<Value>): Judged<Value> {
  if (came.outcome === "lost") return came;
  return came.outcome === "strange" ? strange(came.problem) : judge(hub, came.value, shape);
}

function judge<Value>(hub: string, { status, type, bytes }: WholeAnswer, shape: Shape<Value>): Judged<Value> {
  const isJson = type === "application/json" || type === "application/problem+json";
  if (!isJson) {
    if (awayStatuses.has(status))
      return { outcome: "lost", why: `what is in front of it says ${status}`, isUnsent: false };
    return strange(notAHub(hub, "it does not answer in JSON", `${status} ${type}`));
  }
  const parsed = parseBounded(bytes, jsonLimits);
  if (!parsed.ok) return strange(notAHub(hub, `its answer is not sound JSON (${parsed.error.message})`));
  if (status >= 400) return { outcome: "refused", refused: readRefusal(hub, status, parsed.value) };
  if (!shape(parsed.value)) return strange(notAHub(hub, "its answer does not have the form that was asked for"));
  return { outcome: "answered", value: parsed.value };
}

function strange(problem: Problem): Judged<never> {
  return { outcome: "refused", refused: { problems: [problem], notes: [] } };
}

/**
 * The problems of a problem document; a document of another kind, or with codes of another version, is reported as
 * such.
 */
function readRefusal(hub: string, status: number, value: unknown): Refused {
  if (isRefusal(value)) {
    const [first, ...others] = value.problems;
    if (first !== undefined) {
      const receipt = value.receipt === undefined ? {} : { receipt: value.receipt };
      const { reason, holder = null, paths = [] } = value;
      const denial = reason === undefined ? {} : { denial: { granted: false, reason, holder, paths } as const };
      return { problems: [first, ...others], notes: value.notes ?? [], ...receipt, ...denial };
    }
  }
  return { problems: [notAHub(hub, `it refuses (${status}) with a problem that is not known here`)], notes: [] };
}

/**
 * A refused or failed request; for a claim, with what blocks it. `receipt`: absent where nothing can be recorded, null
 * where nothing was.
 */
const isRefusal = ofForm<{
  readonly problems: readonly Problem[];
  readonly receipt?: Receipt | null;
  readonly notes?: readonly Note[];
  readonly reason?: ClaimDenial["reason"];
  readonly holder?: string | null;
  readonly paths?: readonly string[];
}>({
  fields: { problems: { list: "@Problem" } },
  optional: {
    receipt: { nullable: "@Receipt" },
    notes: { list: "@Note" },
    granted: "flag",
    reason: { nullable: "word" },
    holder: { nullable: "text" },
    paths: { list: "text" },
  },
});

/**
 * Opens an answer that is read as a stream of `mediaType`, or the hub's problem. Not retried: the reader knows what a
 * second start would mean. `stop` ends it.
 */
export async function openAnswer(
  { wire }: Caller,
  question: Question,
  mediaType: string,
  stop: AbortSignal,
): Promise<Result<ReadableStream<Uint8Array>, Problem>> {
  const hub = wire.hub.shown;
  const named = { ...question, headers: { accept: `${mediaType}, application/problem+json` } };
  const begun = await beginExchange(wire, named, { timeMs: streamMsMax, signal: stop });
  if (begun.outcome === "lost") return err(unread(hub, begun.why, stop));
  if (begun.outcome === "strange") return err(begun.problem);
  const response = begun.value;
  if (response.status === 200 && typeOf(response) === mediaType && response.body !== null) return ok(response.body);
  const judged = judgeExchange(hub, await readWhole(wire, response, answerBytesMax), never);
  if (judged.outcome === "refused") return err(judged.refused.problems[0]);
  return err(judged.outcome === "lost" ? unread(hub, judged.why, stop) : notAHub(hub, `it gives no ${mediaType}`));
}

/** A copy is made whole before the answer begins. */
const streamMsMax = 15 * 60_000;

/** No JSON is an answer here. */
const never: Shape<never> = (value): value is never => value === never;
