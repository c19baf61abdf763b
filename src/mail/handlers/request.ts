/**
 * An input on its way in: decoded and given its id once, before any lock. Source: docs/protocol/record.md, section 4;
 * docs/protocol/messages.md, section 3.
 */
import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import { type MessageId, messageId } from "../../base/ids.ts";
import { newMessageId } from "../../base/new-ids.ts";
import type { Problem } from "../../base/problem.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Once } from "../../journal/journal.ts";
import { type Decoded, findCandidate, isBrokenJson } from "../../messages/intake/decode.ts";
import type { WireId } from "../../messages/intake/id-check.ts";
import { type Address, writeAddress } from "../../messages/role.ts";
import type { Actor } from "../../perform/context.ts";
import { invalidId } from "../../perform/reply.ts";
import type { SendOptions } from "../../perform/team.ts";

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

/**
 * The request of a decoded input and what its sender said about it. `inside`: the id by which the input names itself;
 * null: it has none.
 */
export function requestFor(
  actor: Actor,
  input: string | Uint8Array,
  { id: given, proseId, to: named, strict, draft }: SendOptions,
  { decoded, inside: own }: { readonly decoded: Decoded; readonly inside: WireId | null },
): Request {
  const inside = given === undefined ? own : null;
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
