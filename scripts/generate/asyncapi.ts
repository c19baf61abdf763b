/**
 * A dialect as an AsyncAPI 3 document: an inbox of each role is a channel, who may send what to whom and who receives it
 * are its operations. Source: https://www.asyncapi.com/docs/reference/specification/v3.0.0.
 */
import type { DialectEntry, MessageEntry } from "../../src/dialects/define.ts";
import type { Role } from "../../src/message/role.ts";
import type { JsonSchema } from "../../src/schema/emitter.ts";
import { examplesOf } from "./examples.ts";
import { publishedSchema } from "./published.ts";

/** The document of a dialect, as plain data. `version` is the package's. */
export function asyncApiOf(dialect: DialectEntry, version: string): object {
  const sent = dialect.messages.filter(({ wire }) => wire === "sent");
  const internal = dialect.messages.filter(({ wire }) => wire === "internal").map(({ type }) => type);
  const inboxes = rolesOf(sent, ({ receivers }) => receivers);
  return {
    asyncapi: "3.0.0",
    id: `urn:baton:${dialect.id}:asyncapi`,
    info: { title: `${dialect.title} (${dialect.id})`, version, description: descriptionOf(internal) },
    defaultContentType: "application/json",
    channels: Object.fromEntries(inboxes.map((role) => [role, channelOf(role, receivedBy(sent, role))])),
    operations: Object.fromEntries([
      ...rolesOf(sent, ({ senders }) => senders).flatMap((sender) => sendOperations(sender, inboxes, sent)),
      ...inboxes.map((role) => receiveOperation(role, receivedBy(sent, role))),
    ]),
    components: { messages: Object.fromEntries(sent.map((entry) => [entry.type, messageOf(dialect, entry)])) },
  };
}

type Entries = readonly MessageEntry[];

function descriptionOf(internal: readonly string[]): string {
  const first =
    "Each channel is the inbox of the agents of one role in one team; a message is recorded once and waits there until its reader acknowledges it.";
  return internal.length === 0 ? first : `${first} Written by Baton and never sent: ${internal.join(", ")}.`;
}

function rolesOf(entries: Entries, roles: (entry: MessageEntry) => readonly Role[]): readonly Role[] {
  return [...new Set(entries.flatMap(roles))];
}

function receivedBy(entries: Entries, role: Role): Entries {
  return entries.filter(({ receivers }) => receivers.includes(role));
}

function channelOf(role: Role, entries: Entries) {
  return {
    address: `{team}/role:${role}`,
    title: `Inbox of ${role}`,
    parameters: { team: { description: "The team's name." } },
    messages: Object.fromEntries(entries.map(({ type }) => [type, { $ref: `#/components/messages/${type}` }])),
  };
}

function sendOperations(sender: Role, inboxes: readonly Role[], entries: Entries) {
  return inboxes.flatMap((role) => {
    const types = receivedBy(entries, role).filter(({ senders }) => senders.includes(sender));
    if (types.length === 0) return [];
    const summary = `What ${sender} may send to ${role}.`;
    return [[`${sender}-sends-to-${role}`, operation("send", role, summary, types)] as const];
  });
}

function receiveOperation(role: Role, entries: Entries) {
  return [`${role}-receives`, operation("receive", role, `What ${role} may receive.`, entries)] as const;
}

function operation(action: "send" | "receive", role: Role, summary: string, entries: Entries) {
  return {
    action,
    channel: { $ref: `#/channels/${role}` },
    summary,
    messages: entries.map(({ type }) => ({ $ref: `#/channels/${role}/messages/${type}` })),
  };
}

function messageOf(dialect: DialectEntry, entry: MessageEntry) {
  return {
    name: entry.type,
    title: `${entry.type} (${dialect.id})`,
    summary: entry.summary,
    contentType: "application/json",
    payload: withoutIdentity(publishedSchema(dialect, entry)),
    examples: examplesOf(dialect, entry).map(({ title, message }) => ({ name: title, payload: message })),
  };
}

/** AsyncAPI's own schema format is what our keywords are in too; the dialect and the id belong to documents of their own. */
function withoutIdentity(schema: JsonSchema): JsonSchema {
  const { $schema: _schema, $id: _id, title: _title, examples: _examples, ...rest } = schema;
  return rest;
}
