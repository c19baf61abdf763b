/**
 * The one way in. Every door hands a text and a proven actor to `receive`; what comes back is a receipt, or a refusal
 * that is itself recorded. Reading and limits happen before the lock; who may, to whom, and what follows is decided
 * inside the journal's commit, against the state at the head.
 * Source: guarantees.md sections 0 and 1.1; semantics.md section 2.
 */
import { authorise } from "../authority/authorise.ts";
import { canonical } from "../base/canonical.ts";
import { sha256 } from "../base/digest.ts";
import { type MessageId, messageId, newMessageId } from "../base/ids.ts";
import { inOrder, type Problem, problem } from "../base/problem.ts";
import { askerOf, decideFact, isDue } from "../coordination/deciders.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { type Decoded, decode, readDecoded } from "../intake/read.ts";
import type { Reading } from "../intake/reading.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Attempt, Moment } from "../journal/journal.ts";
import { type Address, writeAddress } from "../message/address.ts";
import type { DialectId, Note } from "../message/message.ts";
import type { Principal } from "../message/principal.ts";
import type { TeamDefinition } from "../team/definition.ts";
import { idConflict, invalidId } from "./act-id.ts";
import { asJson, type Content } from "./content.ts";
import { type Actor, type Context, principalOf } from "./context.ts";
import { refusalDraft } from "./refusal.ts";
import { replyTo } from "./reply.ts";
import type { TeamState } from "./state.ts";
import type { Reply, SendOptions } from "./team.ts";
import { fireDue } from "./timers.ts";

/**
 * Records a message, or its refusal. See `Reply` for what comes back. A deadline that has passed is recorded first, so
 * that no answer slips in behind it; looking for one happens in the decision itself and costs no extra round.
 */
export async function receive(
  context: Context,
  actor: Actor,
  input: string | Uint8Array,
  options: SendOptions = {},
): Promise<Reply> {
  const request = requestOf(actor, input, options);
  for (;;) {
    const attempt = attemptOf(context, request);
    const committed = await context.journal.commit(context.team, attempt);
    if (!attempt.metDeadline()) return replyTo(context, committed);
    const fired = await fireDue(context);
    if (!fired.ok) return { outcome: "failed", problem: fired.error };
  }
}

/** A message on its way in: decoded once, named once. */
interface Request {
  readonly actor: Actor;
  readonly decoded: Decoded;
  readonly to: readonly Address[] | null;
  readonly strict: boolean;
  readonly id: MessageId;
  readonly digest: string;
  /** Size of the text in bytes of UTF-8. */
  readonly bytes: number;
  /** What is wrong with the id, where something is. */
  readonly idProblem: Problem | null;
}

function requestOf(actor: Actor, input: string | Uint8Array, options: SendOptions): Request {
  const decoded = decode(input);
  const named = options.id ?? wireIdOf(decoded);
  const id = named === null ? newMessageId() : messageId(named);
  const to = options.to === undefined || options.to.length === 0 ? null : options.to;
  return {
    actor,
    decoded,
    to,
    strict: options.strict === true,
    id: id ?? newMessageId(),
    digest: digestOf(decoded, input, to),
    bytes: typeof input === "string" ? Buffer.byteLength(input) : input.byteLength,
    idProblem: id === null ? invalidId(named ?? "", options.id === undefined ? "$.id" : "--id") : null,
  };
}

/** SHA-256 over the canonical form of the message and its named receivers; over the bytes where they are no text. */
function digestOf(decoded: Decoded, input: string | Uint8Array, to: readonly Address[] | null): string {
  if (decoded.as === "fault") return sha256(input);
  const message = decoded.as === "json" ? decoded.value : decoded.text;
  return sha256(canonical({ message, receivers: to === null ? null : to.map(writeAddress) }));
}

function wireIdOf(decoded: Decoded): string | null {
  if (decoded.as !== "json") return null;
  const { value } = decoded;
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  return typeof value.id === "string" ? value.id : null;
}

/** The attempt to record the request, once; `metDeadline` says that it stepped back because a deadline has passed. */
function attemptOf(context: Context, request: Request): Attempt<TeamState> & { metDeadline(): boolean } {
  const { actor, id, digest } = request;
  const readable = request.decoded.as !== "fault" && request.idProblem === null;
  let isDeadlineMet = false;
  return {
    once: readable ? { principal: actor.agent, id, digest } : null,
    decide(state, moment) {
      isDeadlineMet = isDue(state.coordination, context.clock.now());
      return isDeadlineMet ? { decline: [] } : decideMessage(context, request, state, moment);
    },
    metDeadline: () => isDeadlineMet,
  };
}

/** The decision about one message, pure: an entry that records it with all its effects, or its refusal. */
function decideMessage(context: Context, request: Request, state: TeamState, moment: Moment): EntryDraft {
  const principal = principalOf(request.actor, state);
  if (moment.earlier !== null)
    return refuse(request, principal, null, [idConflict(request.id, moment.earlier, "$.id")]);
  const reading = readFor(context, request, state);
  const observed = state.team.definition?.policy === "observe";
  const oversized = sizeProblem(request.bytes, state.team.definition?.limits.messageBytes);
  const faults = [
    ...(oversized === null ? [] : [oversized]),
    ...(request.idProblem === null ? [] : [request.idProblem]),
    ...(reading.outcome === "invalid" ? reading.problems : []),
  ];
  // Limits and the principal hold under `observe` too.
  const mayPass = observed && oversized === null && request.idProblem === null && request.decoded.as !== "fault";
  if (faults.length > 0 && !mayPass) return refuse(request, principal, reading, faults);

  const permit = authorise({
    principal,
    roster: state.team.roster,
    definition: state.team.definition,
    policy: observed ? "observe" : "enforce",
    dialectOf: context.dialectOf,
    reading,
    to: request.to,
    asker: reading.fact === null ? null : askerOf(state.coordination, reading.fact, principal.agent),
  });
  if (!permit.ok) return refuse(request, principal, reading, permit.error);

  const notes: Note[] = [...reading.notes, ...faults.map(asNote), ...permit.value.notes];
  const effect = permit.value.effect && reading.outcome === "accepted";
  if (!effect || reading.fact === null)
    return accept(request, principal, reading, permit.value.receivers, { notes, effect });

  const decided = decideFact(state.coordination, {
    fact: reading.fact,
    wireId: reading.wireId ?? request.id,
    principal,
    receivers: permit.value.receivers,
    answererRoles: permit.value.answererRoles,
    seq: moment.seq,
    atMs: context.clock.now(),
  });
  if (!decided.ok) {
    const reasons = decided.error.map((each) => onTheWire(each, reading, context));
    if (!observed) return refuse(request, principal, reading, reasons);
    return accept(request, principal, reading, permit.value.receivers, {
      notes: [...notes, ...reasons.map(asNote)],
      effect: false,
    });
  }
  return accept(request, principal, reading, permit.value.receivers, {
    notes: [...notes, ...decided.value.notes.map((each) => onTheWire(each, reading, context))],
    effect: true,
    events: decided.value.events,
  });
}

/** Reads with the dialects in force: the sender's own first, then the team's. */
function readFor(context: Context, request: Request, state: TeamState): Reading {
  const own = state.team.roster.get(request.actor.agent)?.dialect ?? null;
  const dialects = dialectsFor(context, state.team.definition, own);
  return readDecoded(request.decoded, { dialects, strict: request.strict, senderKnown: own !== null });
}

/** Definitions are replaced, never changed, so the order of trying is worked out once for each. */
const dialectOrders = new WeakMap<TeamDefinition, Map<DialectId | null, readonly Dialect[]>>();

function dialectsFor(context: Context, definition: TeamDefinition | null, own: DialectId | null): readonly Dialect[] {
  const known = definition === null ? undefined : dialectOrders.get(definition)?.get(own);
  if (known !== undefined) return known;
  const team = definition?.dialects ?? [];
  const ids = own === null ? team : [own, ...team.filter((id) => id !== own)];
  const dialects = ids.map(context.dialectOf).filter((dialect) => dialect !== null);
  if (definition !== null) {
    dialectOrders.set(
      definition,
      (dialectOrders.get(definition) ?? new Map<DialectId | null, readonly Dialect[]>()).set(own, dialects),
    );
  }
  return dialects;
}

function accept(
  request: Request,
  principal: Principal,
  reading: Reading,
  receivers: readonly string[],
  more: Pick<Content, "notes" | "effect" | "events">,
): EntryDraft {
  const content: Content = {
    message: {
      dialect: reading.dialect,
      type: reading.type,
      rung: reading.rung,
      wireId: reading.wireId,
      text: reading.text,
      fact: reading.fact,
    },
    ...(more.effect === false && reading.outcome !== "prose" ? { effect: false } : {}),
    ...(more.notes !== undefined && more.notes.length > 0 ? { notes: more.notes } : {}),
    ...(more.events !== undefined && more.events.length > 0 ? { events: more.events } : {}),
  };
  return { kind: "message", principal, id: request.id, digest: request.digest, receivers, content: asJson(content) };
}

function refuse(
  request: Request,
  principal: Principal,
  reading: Reading | null,
  problems: readonly Problem[],
): EntryDraft {
  const { decoded } = request;
  return refusalDraft({
    principal,
    id: request.id,
    digest: request.digest,
    bytes: request.bytes,
    text: decoded.text,
    dialect: reading?.dialect ?? null,
    type: reading?.type ?? null,
    problems: inOrder(problems),
  });
}

/**
 * Deciders speak of neutral fields (`$.body.requestId`); the sender knows its wire (`$.payload.request_id`). The first
 * step of such a path is written as the sender's dialect spells it.
 */
function onTheWire<Told extends { readonly path: string }>(told: Told, reading: Reading, context: Context): Told {
  const neutral = /^\$\.body\.([A-Za-z]+)/.exec(told.path)?.[1];
  if (neutral === undefined || reading.outcome !== "accepted") return told;
  const definition = context.dialectOf(reading.dialect)?.definitions.get(reading.type);
  const wire = definition?.fields.find((field) => field.neutral === neutral)?.name ?? neutral;
  return { ...told, path: told.path.replace(`$.body.${neutral}`, `$.payload.${wire}`) };
}

/** The team's own limit, which may only lie below the protocol's. */
function sizeProblem(bytes: number, bytesMax: number | undefined): Problem | null {
  if (bytesMax === undefined || bytes <= bytesMax) return null;
  return problem("too-large", "$", `The message has ${bytes} bytes; this team takes at most ${bytesMax}.`, {
    expected: `at most ${bytesMax} bytes`,
    received: `${bytes} bytes`,
    hint: "Commit the long part as a file and name its path in the message.",
  });
}

function asNote(fault: Problem): Note {
  return { code: fault.code, path: fault.path, message: fault.message };
}
