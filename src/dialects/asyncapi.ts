/**
 * A dialect as an AsyncAPI 3 document: an inbox of each role is a channel, who may send what to whom and who receives it
 * are its operations. Source: https://www.asyncapi.com/docs/reference/specification/v3.0.0.
 */
import type { Json, JsonObject } from "../base/json.ts";
import type { Role } from "../message/role.ts";
import type { Definition } from "./dialect.ts";

/** Who sends a message to whom, or that Baton writes it. */
type Route = Pick<Definition, "type" | "wire" | "senders" | "receivers">;

/** The head of a document. */
export interface AsyncApiHead {
  readonly dialect: string;
  readonly title: string;
  /** Version of what is described: the package's. */
  readonly version: string;
}

/** The document of a dialect, as plain data. `messages` describes those that are sent, by type (`asyncApiMessage`). */
export function asyncApiDocument(
  { dialect, title, version }: AsyncApiHead,
  routes: readonly Route[],
  messages: { readonly [type: string]: Json },
): JsonObject {
  const sent = routes.filter(({ wire }) => wire === "sent");
  const internal = routes.filter(({ wire }) => wire === "internal").map(({ type }) => type);
  const inboxes = rolesOf(sent, ({ receivers }) => receivers);
  return {
    asyncapi: "3.0.0",
    id: `urn:baton:${dialect}:asyncapi`,
    info: { title, version, description: descriptionOf(internal) },
    defaultContentType: "application/json",
    channels: Object.fromEntries(inboxes.map((role) => [role, channelOf(role, receivedBy(sent, role))])),
    operations: Object.fromEntries([
      ...rolesOf(sent, ({ senders }) => senders).flatMap((sender) => sendOperations(sender, inboxes, sent)),
      ...inboxes.map((role) => receiveOperation(role, receivedBy(sent, role))),
    ]),
    components: { messages },
  };
}

/** One message of such a document; `schema` is its own whole JSON Schema, `examples` are accepted messages. */
export function asyncApiMessage(
  { dialect, type, summary }: Pick<Definition, "dialect" | "type" | "summary">,
  schema: JsonObject,
  examples: readonly { readonly title: string; readonly message: Json }[],
): JsonObject {
  return {
    name: type,
    title: `${type} (${dialect})`,
    summary,
    contentType: "application/json",
    payload: withoutIdentity(schema),
    examples: examples.map(({ title, message }) => ({ name: title, payload: message })),
  };
}

function descriptionOf(internal: readonly string[]): string {
  const first =
    "Each channel is the inbox of the agents of one role in one team; a message is recorded once and waits there until its reader acknowledges it.";
  return internal.length === 0 ? first : `${first} Written by Baton and never sent: ${internal.join(", ")}.`;
}

function rolesOf(routes: readonly Route[], roles: (route: Route) => readonly Role[]): readonly Role[] {
  return [...new Set(routes.flatMap(roles))];
}

function receivedBy(routes: readonly Route[], role: Role): readonly Route[] {
  return routes.filter(({ receivers }) => receivers.includes(role));
}

function channelOf(role: Role, routes: readonly Route[]): JsonObject {
  return {
    address: `{team}/role:${role}`,
    title: `Inbox of ${role}`,
    parameters: { team: { description: "The team's name." } },
    messages: Object.fromEntries(routes.map(({ type }) => [type, { $ref: `#/components/messages/${type}` }])),
  };
}

function sendOperations(sender: Role, inboxes: readonly Role[], routes: readonly Route[]) {
  return inboxes.flatMap((role) => {
    const types = receivedBy(routes, role).filter(({ senders }) => senders.includes(sender));
    if (types.length === 0) return [];
    const summary = `What ${sender} may send to ${role}.`;
    return [[`${sender}-sends-to-${role}`, operation("send", role, summary, types)] as const];
  });
}

function receiveOperation(role: Role, routes: readonly Route[]) {
  return [`${role}-receives`, operation("receive", role, `What ${role} may receive.`, routes)] as const;
}

function operation(action: "send" | "receive", role: Role, summary: string, routes: readonly Route[]): JsonObject {
  return {
    action,
    channel: { $ref: `#/channels/${role}` },
    summary,
    messages: routes.map(({ type }) => ({ $ref: `#/channels/${role}/messages/${type}` })),
  };
}

/**
 * AsyncAPI's own schema format is what our keywords are in too; the dialect and the id belong to separate documents.
 */
function withoutIdentity(schema: JsonObject): JsonObject {
  const { $schema: _schema, $id: _id, title: _title, examples: _examples, ...rest } = schema;
  return rest;
}
