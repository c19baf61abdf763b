/**
 * Who may ask whom to stop. A request that names nobody goes to every agent that its sender leads, whatever dialect the
 * agent speaks; a named agent is judged by the matrix too.
 * Source: docs/protocol/shutdown.md, section 5.
 */
import type { Definition, Dialect } from "../dialects/dialect.ts";
import { ownerName, type Principal } from "../message/principal.ts";
import type { Role } from "../message/role.ts";
import type { Member, Roster } from "../team/roster.ts";
import { areSeveralActive, type Colleague, departmentOf } from "./departments.ts";

/** Roles that a lead does not lead: only the person who owns the team asks these to stop. */
const aboveLeads: readonly Role[] = ["owner", "user", "orchestrator"];

/**
 * Whether the sender leads the colleague. While several departments are at work, a lead of one leads its members and
 * nobody else; a lead of none, and the person who owns the team, lead everybody.
 */
export function leads({ agent, department }: Principal, receiver: Colleague, roster: Roster): boolean {
  if (agent === ownerName || department === undefined || !areSeveralActive(roster)) return true;
  return departmentOf(receiver) === department;
}

/** The agents that a request without named receivers asks, in roster order. */
export function askedToStop(
  sent: Definition,
  sender: Principal,
  roster: Roster,
  dialectOf: (member: Member) => Dialect | null,
): readonly string[] {
  return [...roster.values()]
    .filter((member) => member.status === "active" && member.agent !== sender.agent)
    .filter((member) => leads(sender, member, roster) && isAsked(sent, sender, member, dialectOf(member)))
    .map(({ agent }) => agent);
}

/** Whether the documents, or Baton in their place, ask an agent of this role and dialect. */
function isAsked(sent: Definition, sender: Principal, { role }: Member, dialect: Dialect | null): boolean {
  const own = dialect?.definitionOf(sent.kind) ?? null;
  if ((own ?? sent).receivers.includes(role)) return true;
  // The second revisions leave the architect out of a shutdown.
  if (role === "architect" && own !== null) return false;
  return sender.agent === ownerName || !aboveLeads.includes(role);
}
