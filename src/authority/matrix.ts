/**
 * The role matrix: which role may send a type, which may receive it. The facts are the definitions' own; a team may
 * widen receivers, never senders.
 * Source: docs/protocol/requirements/README.md; docs/protocol/authority.md.
 */
import type { Definition, Dialect } from "../dialects/dialect.ts";
import type { Role } from "../message/role.ts";
import type { RoutingWidening } from "../team/definition.ts";

/** Whether `role` may send messages of the definition. */
export function maySend(definition: Definition, role: Role): boolean {
  return definition.wire === "sent" && definition.senders.includes(role);
}

/** Roles that may receive the definition's messages: its own, then those the team's routing adds. */
export function receiverRoles(definition: Definition, routing: readonly RoutingWidening[]): readonly Role[] {
  const added = routing
    .filter((each) => each.dialect === definition.dialect && each.type === definition.type)
    .flatMap((each) => each.receivers);
  return added.length === 0 ? definition.receivers : [...new Set([...definition.receivers, ...added])];
}

/**
 * The definition by which a receiver is judged: the sender's where both speak one dialect, that of the receiver's own
 * dialect for the same kind of fact, or again the sender's where it has no counterpart and gets prose.
 */
export function definitionFor(sent: Definition, receiver: Dialect | null): Definition {
  return receiver === null || receiver.id === sent.dialect ? sent : (receiver.definitionOf(sent.kind) ?? sent);
}
