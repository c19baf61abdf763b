/**
 * The one way out: an entry as its reader gets it, each message in the reader's own dialect (`intake/translate.ts`).
 * Source: docs/protocol/translation.md.
 */
import { invariant } from "../../base/invariant.ts";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import type { Dialect, GivenHead } from "../../dialects/dialect.ts";
import { translate } from "../../intake/translate.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Message } from "../../message/message.ts";
import { type Content, contentOf } from "../record/content.ts";
import type { Delivery } from "../team/team.ts";

/** The delivery of `entry` to a reader of `dialect`, or null when the entry carries no message. */
export function deliver(entry: Entry, dialect: Dialect | null): Delivery | null {
  const content = contentOf(entry);
  const { message } = content;
  if (message === undefined) return null;
  const head = {
    seq: entry.seq,
    id: message.wireId ?? entry.id,
    sender: entry.principal.agent,
    recordedAt: entry.recordedAt,
    effect: content.effect !== false,
    notes: content.notes ?? [],
  };
  const { fact, type } = message;
  if (fact === null || type === null || message.dialect === null) {
    return { ...head, dialect: null, type: null, message: message.text };
  }
  const wire = wireOf(message);
  if (dialect === null) return { ...head, dialect: message.dialect, type, message: wire };
  const id = message.wireId ?? entry.id ?? String(entry.seq);
  const given = givenBy(entry, content);
  return { ...head, ...translate({ dialect: message.dialect, type, fact, wire }, dialect, { id, given }) };
}

/** What the connection and the decision knew in addition to the message: what a translation may need of it. */
function givenBy(entry: Entry, { events = [] }: Content): GivenHead {
  // Who answered requests of several named none of them, and nobody can say which each reader made.
  const answers = events.filter((event) => event.event === "shutdown-answered");
  const [answered] = answers.every(({ requester }) => requester === answers[0]?.requester) ? answers : [];
  return {
    authorRole: entry.principal.role ?? "lead",
    timestamp: entry.recordedAt,
    teamName: entry.team,
    ...(answered === undefined ? {} : { requestId: answered.requestId }),
  };
}

/** The wire object of a recorded message that is no prose. */
export function wireOf(message: Message): JsonObject {
  const { wire } = message;
  if (wire !== undefined) return wire;
  const parsed = parseBounded(message.text);
  invariant(parsed.ok && isJsonObject(parsed.value), "a recorded typed message is readable JSON");
  return parsed.value;
}
