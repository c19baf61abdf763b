/**
 * Who may register and retire whom. The person who owns the team may do both with everybody. A lead may do both with
 * agents of the roles below it, inside its own department.
 * Source: docs/protocol/authority.md, section 11.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { NameRule, TeamDefinition } from "../../team/state/definition.ts";
import type { TeamCommand } from "../../team/state/revision.ts";
import { type Member, membersUnder, type Roster, registeringCommand, ruleFor } from "../../team/state/roster.ts";
import { ownerName, type Principal } from "../principal.ts";
import type { Department, Role } from "../role.ts";

/** A place in the team: what an agent is, or is to become. */
export interface TeamPlace {
  readonly role: Role;
  readonly department?: Department | undefined;
}

/** Roles that a lead gives and takes. Every other role is the person's to give and to take. */
export const rolesBelowLead: readonly Role[] = [
  "dev",
  "tester",
  "docs",
  "senior",
  "qa",
  "qa-lead",
  "qa-code",
  "scout",
  "critic",
  "debugger",
];

/**
 * Why this principal may not register or retire the agent; null: it may. `places` are the place that the agent gets, and
 * the one that it has or had under this name: both must be the principal's to give. Refuses `sender-not-authorised`.
 */
export function rosterProblem(principal: Principal, agent: string, places: readonly TeamPlace[]): Problem | null {
  if (principal.agent === ownerName) return null;
  if (principal.role !== "lead") {
    return refused(principal, `${principal.agent} may not change who is in the team.`, {
      expected: "the owner or a lead",
      received: principal.role ?? "an unknown agent",
    });
  }
  const above = places.find(({ role }) => !rolesBelowLead.includes(role));
  if (above !== undefined) {
    return refused(principal, `${agent}: the role ${above.role} is given and taken by the person who owns the team.`, {
      expected: rolesBelowLead.join(" | "),
      received: above.role,
    });
  }
  const outside = places.find(({ department }) => department !== principal.department);
  if (outside === undefined) return null;
  const own = principal.department ?? "no department";
  const place = outside.department ?? "no department";
  return refused(principal, `${agent} belongs to ${place}, and ${principal.agent} leads ${own}.`, {
    expected: own,
    received: place,
    hint: `A lead registers and retires agents of its department; name it by --department, or ask the owner.`,
  });
}

/**
 * Why this principal may not bring back an agent that has left; null: it may, or the agent is there. Who was retired by
 * the person, or taken out of the team file, comes back by the person's word only. Refuses `sender-not-authorised`.
 */
export function returnProblem(principal: Principal, member: Member | undefined): Problem | null {
  if (principal.agent === ownerName || member?.status !== "retired" || member.retiredBy !== undefined) return null;
  const { agent } = member;
  return refused(
    principal,
    `${agent} was taken out by the person who owns the team, so only the person brings it back.`,
    {
      expected: "the owner",
      received: principal.agent,
      hint: `Choose another name, or ask the person who owns the team: \`${registeringCommand(member)}\` without --as.`,
    },
  );
}

/*
 * Guests: agents outside the team that ask it for work, such as a program of another vendor. A guest asks, reads and writes
 * about what it asked for, answers what it is asked, and nothing else. Source: docs/protocol/authority.md, section 16.
 */

/** Operations of a guest, as their entries name them. */
const guestActs = ["ask-team", "discuss-task", "end-task", "approval-answer", "begin-program", "end-program"];

/** Operations that a guest may call at a hub; the others look at the team or change it. */
export const guestOperations: readonly string[] = [
  "askTeam",
  "listAsks",
  "discussTask",
  "endTask",
  "answerApproval",
  "readInbox",
  "markSeen",
  "markShown",
  "acknowledge",
  "heartbeat",
  "leaveTeam",
  "whoAmI",
  "endSession",
];

/** Why a guest may not do this; null: it may, or the principal is no guest. `act`: null for a message. */
export function guestProblem({ agent, role }: Pick<Principal, "agent" | "role">, act: string | null): Problem | null {
  if (role !== "guest" || (act !== null && guestActs.includes(act))) return null;
  return makeProblem("sender-not-authorised", agent, `${agent} is a guest: it asks the team, and does nothing else.`, {
    expected: "an agent of the team",
    received: "guest",
    hint: "Ask the team for it; the lead decides.",
  });
}

function refused(
  { agent }: Principal,
  message: string,
  more: { readonly expected: string; readonly received: string; readonly hint?: string },
): Problem {
  const hint = "Ask the person who owns the team: the command without --as.";
  return makeProblem("sender-not-authorised", agent, message, { hint, ...more });
}

/*
 * Joining by a name rule: an agent of such a name is registered without the owner's or a lead's word, with just the
 * role, department and dialect of the rule, while fewer than its bound are there.
 * Rules: docs/protocol/authority.md, section 12.
 */
type Registration = Extract<TeamCommand, { readonly command: "register-agent" }>;

/** Who asks, for whom, in which team. */
export interface Joining {
  readonly principal: Principal;
  readonly asked: Registration;
  readonly definition: TeamDefinition | null;
  readonly roster: Roster;
}

/** The rule by which the agent may join, or why it may not although a rule names it; null: no rule names it. */
export function joinsByRule({ principal, asked, definition, roster }: Joining): NameRule | Problem | null {
  const rule = ruleFor(definition?.names, asked.agent);
  if (rule === null || principal.agent === ownerName) return null;
  // A stranger speaks for itself alone; agents of the team may bring others in.
  if (principal.agent !== asked.agent && roster.get(principal.agent)?.status !== "active") return null;
  const earlier = roster.get(asked.agent);
  if (earlier?.status === "retired") {
    return refusedRule(asked.agent, `${asked.agent} has left the team, so no rule for names brings it back.`, {
      expected: "a name that nobody had",
      hint: "Choose another name, or ask the lead or the owner to register it again.",
    });
  }
  if (earlier !== undefined && asked.newSession === true && principal.agent !== asked.agent) {
    return refusedRule(asked.agent, `${principal.agent} may not begin a new session for ${asked.agent}.`, {
      expected: asked.agent,
      hint: "The agent itself, the lead or the owner begins a new session.",
    });
  }
  const dialect = rule.dialect ?? definition?.dialects[0];
  const isAsRuled =
    asked.role === rule.role &&
    asked.department === rule.department &&
    (asked.dialect === undefined || asked.dialect === dialect) &&
    asked.mode === undefined;
  if (!isAsRuled) {
    const place = rule.department === undefined ? "" : ` in ${rule.department}`;
    return refusedRule(
      asked.agent,
      `The rule for ${rule.pattern} gives the role ${rule.role}${place}, and nothing else.`,
      {
        expected: rule.role,
        received: asked.role,
        hint: "Leave everything but the role and the department of the rule out, or ask the owner.",
      },
    );
  }
  const there = membersUnder(rule, roster, asked.agent).length;
  if (earlier !== undefined || there < rule.max) return rule;
  return refusedRule(asked.agent, `The rule for ${rule.pattern} lets in ${rule.max}, and ${there} are there.`, {
    expected: `fewer than ${rule.max}`,
    received: String(there),
    hint: "Wait until one of them is retired, or ask the owner for a larger max.",
  });
}

function refusedRule(
  agent: string,
  message: string,
  more: { readonly expected: string; readonly received?: string; readonly hint: string },
): Problem {
  return makeProblem("sender-not-authorised", agent, message, more);
}
