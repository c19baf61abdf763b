/**
 * Before an agent's message is sent by its program: words pass, a typed message goes the one way in first. What the record
 * does not take is not sent, and the sender reads what to repair; what it takes is also delivered by the program, and a
 * reader who gets it twice gets it under one id.
 */
import { messageId } from "../../base/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { visible } from "../../base/text.ts";
import { foresee } from "../../mail/handlers/dry-run.ts";
import { type Address, readAddress } from "../../messages/role.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { type HookAnswer, nothing } from "./hook-answer.ts";
import type { HookInput } from "./hook-input.ts";
import { type Asked, introduce, isByAgent, problemLines } from "./hook-question.ts";

/** The answer about the message that the tool was given. */
export async function beforeMessage(asked: Asked): Promise<HookAnswer> {
  const { input, team, agent } = asked;
  const said = saidMessage(input, agent);
  if (said === null) return nothing;
  const status = await team.status();
  if (!status.ok) return denied("Baton could not read the team.", [status.error]);
  const reading = await foresee(said.text, agent, status.value);
  if (reading.outcome === "prose") return reading.problems.length === 0 ? nothing : readAsWords(reading.problems);
  const what = `Baton read this as ${reading.type === null ? "a typed message" : visible(reading.type)}`;
  if (asked.helps !== null) {
    const words = `${what}. A helper of ${asked.helps} sends nothing for it, so it was not sent. Report to ${asked.helps}, which sends it itself.`;
    return { says: "deny", words };
  }
  if (!isByAgent(asked)) {
    return {
      says: "deny",
      words: `${what}, and it does not know who sends it, so it was not sent. ${introduce(asked)}`,
    };
  }
  if (said.unreadable !== null) {
    const words = `${what} to "${visible(said.unreadable.slice(0, 80))}", which cannot be the name of an agent, so it was not sent. ${asked.line(["agent", "list"])} shows the agents.`;
    return { says: "deny", words };
  }
  if (await isProgramsOwn(asked, said)) return nothing;
  const name = input.toolUseId === null ? null : messageId(input.toolUseId);
  const reply = await team.send(said.text, {
    ...(said.to === null ? {} : { to: said.to }),
    ...(name === null ? {} : { proseId: name }),
  });
  return answerTo(reply, what);
}

/** Whether it answers a request that was never Baton's: the program's own, in which Baton has no say. */
async function isProgramsOwn({ team }: Asked, { answers }: SaidMessage): Promise<boolean> {
  if (answers === null) return false;
  const known = await team.approvals({ all: true });
  return known.ok && !known.value.some(({ requestId }) => requestId === answers);
}

function answerTo(reply: Reply, what: string): HookAnswer {
  if (reply.outcome === "failed") {
    return denied(`${what}, and could not record it, so it was not sent. Sending it again under its id is safe.`, [
      reply.problem,
    ]);
  }
  if (reply.outcome === "refused") {
    return denied(`${what}, and refuses it, so it was not sent. Repair it and send it again:`, reply.problems);
  }
  // Spellings that were corrected go by; an error that observe accepted, or an answer that nobody waits for, is
  // reported.
  const { notes, receipt } = reply;
  const told = notes.filter(({ code }) => !harmless.includes(code));
  // The program may not reach a receiver, and then says that it was not sent.
  const sent = receiversText(reply.receivers);
  if (told.length === 0) return { says: "context", words: `Baton recorded it as entry ${receipt.seq}${sent}` };
  const lines = told.map(({ path, message }) => visible(`- ${path}: ${message}`)).join("\n");
  return { says: "context", words: `${what} and recorded it as entry ${receipt.seq}${sent} Notes:\n${lines}` };
}

/** Most receivers that are named. */
const namedMax = 5;

function receiversText(receivers: readonly string[]): string {
  if (receivers.length === 0) return ".";
  const named = receivers.slice(0, namedMax).join(", ");
  const more = receivers.length > namedMax ? ` and ${receivers.length - namedMax} more` : "";
  return `; Baton delivers it to ${named}${more}, also where your program cannot.`;
}

/** Notes that ask nothing of the sender. */
const harmless: readonly string[] = ["lifted", "ambiguous-dialect"];

/** JSON that is no message: it goes on as words, and its sender may have meant more. */
function readAsWords(problems: Parameters<typeof problemLines>[0]): HookAnswer {
  return { says: "context", words: `Baton read this as words, without an effect, because:\n${problemLines(problems)}` };
}

function denied(words: string, problems: Parameters<typeof problemLines>[0]): HookAnswer {
  return { says: "deny", words: `${words}\n${problemLines(problems)}` };
}

/*
 * The message that an agent is about to send with the tool of Claude Code: its text as Baton reads it, and to whom. A
 * string comes unchanged; the tool's own objects, to stop and to approve plans, become the frames that the program
 * creates from them. Source: docs/protocol/messages.md, section 16.
 */
interface SaidMessage {
  readonly text: string;
  /** To whom; null: to everybody, which is whom the dialect names. */
  readonly to: readonly Address[] | null;
  /** As it was written, where it can be nobody's name; else null. */
  readonly unreadable: string | null;
  /** The request of the program that an object of the tool answers; null: it answers none. */
  readonly answers: string | null;
}

/** What the tool was given; null: it holds no message. `agent`: who sends it; null: nobody known. */
function saidMessage({ toolInput, toolUseId }: HookInput, agent: string | null): SaidMessage | null {
  const content = contentOf(toolInput);
  if (content === null) return null;
  const text = typeof content === "string" ? content : JSON.stringify(frameOf(content, agent, toolUseId));
  const answers = typeof content === "string" ? null : requestAnswered(content);
  return { text, answers, ...receiversOf(toolInput) };
}

/** The message itself: newer programs say it under `message`, older ones next to its type. */
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

/** A request to stop gets the marks of a frame: the requester and an id. */
function frameOf(content: JsonObject, agent: string | null, toolUseId: string | null): JsonObject {
  if (content.type !== "shutdown_request" || agent === null) return content;
  const isWhole = ["requestId", "request_id", "from", "payload"].some((name) => Object.hasOwn(content, name));
  const id = toolUseId === null ? null : messageId(`shutdown-${toolUseId}`);
  return isWhole || id === null ? content : { ...content, from: agent, requestId: id };
}

/** Only answers that the tool has no words for next to the program's own request. */
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
    : { to: [], unreadable: typeof said === "string" ? said : "a name that is no string" };
}
