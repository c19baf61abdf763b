/**
 * Receivers: from the addresses a sender names, or from what the dialect names, to agents of the roster; and the role
 * matrix, which role may send a type and which may receive it. The facts are the definitions' own; a team may widen
 * receivers, never senders. An unknown receiver is refused, so no inbox exists that nobody reads.
 * Source: docs/protocol/authority.md; docs/protocol/journal.md, section 5; docs/protocol/requirements/README.md.
 */
import { argument } from "../base/argument.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text.ts";
import type { Definition, Dialect } from "../dialects/dialect.ts";
import { ownerName } from "../message/principal.ts";
import { programLeadName } from "../message/program-hooks.ts";
import { type Address, isRole, type Role, writeAddress } from "../message/role.ts";
import type { RoutingWidening } from "../team/definition.ts";
import { membersOf, type Roster, registeringCommand } from "../team/roster.ts";

/**
 * The agents that `addresses` mean, each once, in order, without the sender; `team-lead` is every lead, unless an agent is
 * called so. Refuses `unknown-receiver` for each address that means nobody, `retired-agent` for one that is out, and
 * `no-receiver` when only the sender is left. `owner` may be addressed.
 */
export function namedReceivers(
  addresses: readonly Address[],
  roster: Roster,
  sender: string,
): Result<readonly string[], readonly Problem[]> {
  const problems: Problem[] = [];
  const found = new Set<string>();
  for (const address of addresses) {
    const agents = resolve(address, roster);
    if (agents.ok) for (const agent of agents.value) found.add(agent);
    else problems.push(agents.error);
  }
  if (problems.length > 0) return err(problems);
  found.delete(sender);
  if (found.size > 0) return ok([...found]);
  const named = addresses.map(writeAddress).join(", ");
  return err([
    problem("no-receiver", named, "Nobody but the sender is named; a message never goes to oneself.", {
      hint: `Name another agent by \`${argument("to")}\`.`,
    }),
  ]);
}

/**
 * Active agents of these roles, in roster order, without the sender; the person who owns the team where the owner is
 * meant and no agent acts for it. Refuses `no-receiver` when there is none.
 */
export function typicalReceivers(
  roles: readonly Role[],
  roster: Roster,
  sender: string,
): Result<readonly string[], readonly Problem[]> {
  const agents = roles.flatMap((role) => membersOf(roster, role)).map((member) => member.agent);
  const others = [...new Set(agents)].filter((agent) => agent !== sender);
  if (others.length > 0) return ok(others);
  if (roles.includes("owner") && sender !== ownerName) return ok([ownerName]);
  return err([
    problem("no-receiver", "$", `No other agent of the team has a role that receives this: ${roles.join(", ")}.`, {
      expected: roles.join(" | "),
      hint: `Register such an agent, or name a receiver by \`${argument("to")}\`.`,
    }),
  ]);
}

function resolve(address: Address, roster: Roster): Result<readonly string[], Problem> {
  const written = writeAddress(address);
  if ("role" in address) {
    const members = membersOf(roster, address.role);
    if (members.length > 0) return ok(members.map((member) => member.agent));
    return err(
      problem(
        "unknown-receiver",
        written,
        `No agent of the team has the role ${address.role}.`,
        knownAgents(written, roster),
      ),
    );
  }
  if (written === ownerName) return ok([ownerName]);
  const member = roster.get(written);
  if (member?.status === "active") return ok([written]);
  const leads = member === undefined && written === programLeadName ? membersOf(roster, "lead") : [];
  if (leads.length > 0) return ok(leads.map(({ agent }) => agent));
  if (member !== undefined) {
    return err(
      problem(
        "retired-agent",
        written,
        `${written} is retired and reads no more messages.`,
        // The author meant it: no other name counts as a typo.
        {
          ...knownAgents(written, roster),
          hint: `Write to another agent, or bring it back: \`${registeringCommand(member)}\`.`,
        },
      ),
    );
  }
  return err(
    problem("unknown-receiver", written, `There is no agent "${written}" in the team.`, knownAgents(written, roster)),
  );
}

function knownAgents(written: string, roster: Roster) {
  const active = [...roster.values()].filter((member) => member.status === "active").map((member) => member.agent);
  // Who writes a role alone means those who have it.
  const isHeld = isRole(written) && membersOf(roster, written).length > 0;
  const meant = isHeld ? writeAddress({ role: written }) : nearest(written, active);
  return {
    expected: active.length === 0 ? "an agent of the team; it has none yet" : listOf(active),
    received: written,
    hint: meant === null ? "`baton agent list` shows who is there." : `did you mean "${meant}"?`,
  };
}

/** Most agents that a refusal lists. */
const listedMax = 30;

function listOf(agents: readonly string[]): string {
  const listed = agents.slice(0, listedMax).join(" | ");
  return agents.length > listedMax ? `${listed} and ${agents.length - listedMax} more` : listed;
}

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
