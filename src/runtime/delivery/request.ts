/**
 * An input on its way in: decoded and given its id once, before any lock; and its reading with the active dialects,
 * under the lock. A message inside prose is known by its own id only if it counts as the message. Source:
 * docs/protocol/journal.md, section 4; docs/protocol/reading.md, section 7; docs/protocol/messages.md, section 3.
 */
import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import { timestampOf } from "../../base/clock.ts";
import { type MessageId, messageId } from "../../base/ids.ts";
import { newMessageId } from "../../base/new-ids.ts";
import type { Problem } from "../../base/problem.ts";
import { recordedPhaseOf } from "../../coordination/coordination-state.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { type Decoded, decode, findCandidate, isBrokenJson } from "../../intake/decode.ts";
import { wireIdIn } from "../../intake/id-check.ts";
import { readDecoded } from "../../intake/ladder.ts";
import type { Reading } from "../../intake/reading.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Once } from "../../journal/journal.ts";
import type { DialectId, Note } from "../../message/message.ts";
import type { Principal } from "../../message/principal.ts";
import { namesInPrograms } from "../../message/program-hooks.ts";
import { type Address, writeAddress } from "../../message/role.ts";
import { brokenJsonOf, type TeamDefinition } from "../../team/definition.ts";
import type { Actor, Context } from "../context.ts";
import { invalidId } from "../record/recorded-act.ts";
import type { TeamState } from "../state.ts";
import type { SendOptions } from "../team/team.ts";
import { teamDialectOf } from "../team/team-dialects.ts";
import { knownFieldsOf, phaseAtWork } from "./draft-fields.ts";

export interface Request extends Name {
  readonly actor: Actor;
  readonly decoded: Decoded;
  readonly to: readonly Address[] | null;
  readonly strict: boolean;
  readonly draft: boolean;
  readonly digest: string;
  /** How the journal recognises a repeat of the operation; null: unknown. */
  readonly once: Once | null;
  /** Size of the text in bytes of UTF-8. */
  readonly bytes: number;
  /** The name that the text gets as prose, where `id` is that of a message it may only quote; else null. */
  readonly asProse: Name | null;
}

/** An id; what was given and cannot be one is replaced, and `idProblem` says so. */
interface Name {
  readonly id: MessageId;
  /** Where it was given. */
  readonly path: string;
  readonly idProblem: Problem | null;
}

/** The request of an input and what its sender said about it: synchronous, unless the YAML reader must be loaded. */
export function requestOf(actor: Actor, input: string | Uint8Array, options: SendOptions): Request | Promise<Request> {
  const decoded = decode(input);
  return decoded instanceof Promise
    ? decoded.then((late) => requestFor(actor, input, options, late))
    : requestFor(actor, input, options, decoded);
}

function requestFor(
  actor: Actor,
  input: string | Uint8Array,
  { id: given, proseId, to: named, strict, draft }: SendOptions,
  decoded: Decoded,
): Request {
  const inside = given === undefined ? wireIdIn(decoded) : null;
  const [written, path] = given === undefined ? [inside?.id ?? null, inside?.path ?? "$.id"] : [given, argument("id")];
  const to = named === undefined || named.length === 0 ? null : named;
  const name = written === null ? proseName(proseId) : nameOf(written, path);
  const asProse = decoded.as === "quoted" && given === undefined && written !== null ? proseName(proseId) : null;
  const digest = digestOf(decoded, input, to);
  // An id that was created here is new: nothing can be recorded under it.
  const again = proseId === undefined || asProse?.idProblem !== null ? {} : { orId: asProse.id };
  const isText = decoded.as !== "fault" || isBrokenJson(decoded);
  const isKnown = isText && (name.idProblem === null || "orId" in again);
  return {
    actor,
    decoded,
    to,
    strict: strict === true,
    draft: draft === true,
    ...name,
    digest,
    once: isKnown ? { principal: actor.agent, id: name.id, digest, ...again } : null,
    bytes: typeof input === "string" ? Buffer.byteLength(input) : input.byteLength,
    asProse,
  };
}

function proseName(given: string | undefined): Name {
  const path = argument("proseId");
  return given === undefined ? { id: newMessageId(), path, idProblem: null } : nameOf(given, path);
}

function nameOf(written: string, path: string): Name {
  const id = messageId(written);
  return { id: id ?? newMessageId(), path, idProblem: id === null ? invalidId(written, path) : null };
}

/** SHA-256 over the canonical form of the message and its named receivers; over the bytes where they are no input. */
function digestOf(decoded: Decoded, input: string | Uint8Array, to: readonly Address[] | null): string {
  if (decoded.as === "fault" && !isBrokenJson(decoded)) return sha256(input);
  const message = decoded.as === "json" ? decoded.value : decoded.text;
  return sha256(canonical({ message, receivers: to === null ? null : to.map(writeAddress) }));
}

/** Whether an entry records the message of a request, with any receivers and any white space. */
export function saysTheSame({ decoded }: Request, { kind, text }: Entry): boolean {
  if (kind !== "message" || text === undefined) return false;
  if (text === decoded.text) return true;
  if (decoded.as !== "json" || decoded.form === "yaml") return false;
  const recorded = findCandidate(text);
  return recorded.as === "json" && canonical(recorded.value) === canonical(decoded.value);
}

/** A request with its reading. `request` has the id under which the input must be recorded. */
export interface ReadRequest {
  readonly request: Request;
  readonly reading: Reading;
}

/**
 * Reads a request with the dialects in force. A message among words whose id the sender has used is a quotation of it:
 * `isTaken` says so. Words that only quote a message do not take its id.
 */
export function readRequest(
  context: Context,
  request: Request,
  state: TeamState,
  { principal, isTaken }: { readonly principal: Principal; readonly isTaken: boolean },
): ReadRequest {
  const { asProse } = request;
  const options = readingOptions(context, request, state, principal);
  if (asProse !== null && isTaken) {
    const { text } = request.decoded;
    const reading = readDecoded({ as: "prose", text, several: 1, broken: null }, options);
    const note: Note = {
      code: "quoted-message",
      path: "$",
      message: `The text quotes the message ${request.id}, which was sent before; it is delivered as prose.`,
    };
    return { request: { ...request, ...asProse }, reading: { ...reading, notes: [...reading.notes, note] } };
  }
  const reading = readDecoded(request.decoded, options);
  if (asProse === null || reading.outcome !== "prose") return { request, reading };
  return { request: { ...request, ...asProse }, reading };
}

/** The sender's own dialect first, then the team's; what others say is refused with what these still need. */
function readingOptions(context: Context, request: Request, state: TeamState, principal: Principal) {
  const own = state.team.roster.get(request.actor.agent)?.dialect ?? null;
  const { inForce, foreign } = dialectsFor(context, state.team.definition, own);
  const { agent, role } = principal;
  return {
    dialects: inForce,
    foreign,
    strict: request.strict,
    draft: request.draft,
    brokenJson: brokenJsonOf(state.team.definition),
    senderKnown: own !== null,
    sender: { agent, role, called: namesInPrograms(role, (name) => state.team.roster.has(name)) },
    connection: () => ({
      id: request.id,
      // The person who owns the team is no author of any envelope, so what a message lacks is reported unchanged.
      authorRole: role === "owner" ? null : role,
      timestamp: timestampOf(context.clock.now()),
      phaseOf: (planId: string) => recordedPhaseOf(state.coordination, planId),
      phaseAtWork: () => phaseAtWork(state, request.actor.agent),
      known: knownFieldsOf(context, state, principal, request.id),
    }),
  };
}

interface DialectOrder {
  readonly inForce: readonly Dialect[];
  readonly foreign: readonly Dialect[];
}

/** Definitions are replaced, never changed, so the order of trying is worked out once for each. */
const dialectOrders = new WeakMap<TeamDefinition, Map<DialectId | null, DialectOrder>>();

/** In which order a team's dialects are asked for a sender whose dialect is `own`, and the others. */
export function dialectsFor(
  context: Pick<Context, "dialectOf" | "dialects">,
  definition: TeamDefinition | null,
  own: DialectId | null,
): DialectOrder {
  const known = definition === null ? undefined : dialectOrders.get(definition)?.get(own);
  if (known !== undefined) return known;
  const team = definition?.dialects ?? [];
  const ids = own === null ? team : [own, ...team.filter((id) => id !== own)];
  const inForce = ids.map(teamDialectOf(definition, context.dialectOf)).filter((dialect) => dialect !== null);
  const order = { inForce, foreign: context.dialects.filter(({ id }) => !ids.includes(id)) };
  if (definition !== null) {
    const orders = dialectOrders.get(definition) ?? new Map<DialectId | null, DialectOrder>();
    dialectOrders.set(definition, orders.set(own, order));
  }
  return order;
}
