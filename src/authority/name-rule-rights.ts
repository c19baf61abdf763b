/**
 * Joining by a name rule: an agent of such a name is registered without the owner's or a lead's word, with just the
 * role, department and dialect of the rule, while fewer than its bound are there.
 * Rules: docs/protocol/team-revisions.md, section 4.
 */
import { type Problem, problem } from "../base/problem.ts";
import { ownerName, type Principal } from "../message/principal.ts";
import type { NameRule, TeamDefinition } from "../team/definition.ts";
import { membersUnder, ruleFor } from "../team/name-rules.ts";
import type { TeamCommand } from "../team/revision.ts";
import type { Roster } from "../team/roster.ts";

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
    return refused(asked.agent, `${asked.agent} has left the team, so no rule for names brings it back.`, {
      expected: "a name that nobody had",
      hint: "Choose another name, or ask the lead or the owner to register it again.",
    });
  }
  if (earlier !== undefined && asked.newSession === true && principal.agent !== asked.agent) {
    return refused(asked.agent, `${principal.agent} may not begin a new session for ${asked.agent}.`, {
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
    return refused(asked.agent, `The rule for ${rule.pattern} gives the role ${rule.role}${place}, and nothing else.`, {
      expected: rule.role,
      received: asked.role,
      hint: "Leave everything but the role and the department of the rule out, or ask the owner.",
    });
  }
  const there = membersUnder(rule, roster, asked.agent).length;
  if (earlier !== undefined || there < rule.max) return rule;
  return refused(asked.agent, `The rule for ${rule.pattern} lets in ${rule.max}, and ${there} are there.`, {
    expected: `fewer than ${rule.max}`,
    received: String(there),
    hint: "Wait until one of them is retired, or ask the owner for a larger max.",
  });
}

function refused(
  agent: string,
  message: string,
  more: { readonly expected: string; readonly received?: string; readonly hint: string },
): Problem {
  return problem("sender-not-authorised", agent, message, more);
}
