/**
 * The message that an agent is about to send with the tool of Claude Code: its text as Baton reads it, and to whom.
 * A text comes as it is; the tool's own objects, to stop and to approve plans, become the frames that the program makes of
 * them. Source: docs/protocol/reading.md, section 11.
 */
import { messageId } from "../../base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { type Address, readAddress } from "../../message/address.ts";
import type { HookInput } from "./hook-input.ts";

export interface SaidMessage {
  readonly text: string;
  /** To whom; null: to everybody, which is whom the dialect names. */
  readonly to: readonly Address[] | null;
  /** As it was written, where it can be nobody's name; else null. */
  readonly unreadable: string | null;
  /** The request of the program that an object of the tool answers; null: it answers none. */
  readonly answers: string | null;
}

/** What the tool was given; null: it holds no message. `agent`: who sends it; null: nobody known. */
export function saidMessage({ toolInput, toolUseId }: HookInput, agent: string | null): SaidMessage | null {
  const content = contentOf(toolInput);
  if (content === null) return null;
  const text = typeof content === "string" ? content : JSON.stringify(frameOf(content, agent, toolUseId));
  const answers = typeof content === "string" ? null : requestAnswered(content);
  return { text, answers, ...receiversOf(toolInput) };
}

/** The message itself: newer programs say it under `message`, older ones beside its type. */
function contentOf({ message, content, type, request_id: id, approve }: JsonObject): string | JsonObject | null {
  if (typeof message === "string" || isJsonObject(message)) return message;
  const isWords = type === undefined || type === "message" || type === "broadcast";
  if (isWords) return typeof content === "string" ? content : null;
  if (typeof type !== "string") return null;
  const said = typeof content === "string" ? { reason: content, feedback: content } : {};
  return {
    type,
    ...said,
    ...(id === undefined ? {} : { request_id: id }),
    ...(approve === undefined ? {} : { approve }),
  };
}

/** A request to stop gets the marks that its frame has: who asks, and an id of its own. */
function frameOf(content: JsonObject, agent: string | null, toolUseId: string | null): JsonObject {
  if (content.type !== "shutdown_request" || agent === null) return content;
  const isWhole = ["requestId", "request_id", "from", "payload"].some((name) => Object.hasOwn(content, name));
  const id = toolUseId === null ? null : messageId(`shutdown-${toolUseId}`);
  return isWhole || id === null ? content : { ...content, from: agent, requestId: id };
}

/** Only answers that the tool has no words for beside the program's own request. */
function requestAnswered({ type, request_id: id, requestId }: JsonObject): string | null {
  const answered: Json | undefined = id ?? requestId;
  return type === "plan_approval_response" && typeof answered === "string" ? answered : null;
}

function receiversOf({
  to,
  recipient,
  type,
  recipient_kind: kind,
}: JsonObject): Pick<SaidMessage, "to" | "unreadable"> {
  const said = typeof to === "string" ? to : recipient;
  const isToAll = said === "*" || type === "broadcast" || kind === "broadcast" || said === undefined || said === "";
  if (isToAll) return { to: null, unreadable: null };
  const address = typeof said === "string" ? readAddress(said) : null;
  return address?.ok === true
    ? { to: [address.value], unreadable: null }
    : { to: [], unreadable: typeof said === "string" ? said : "a name that is no text" };
}
