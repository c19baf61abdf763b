/**
 * Name rules: which agents may join a team by their names alone. A pattern is compared character by character, so a
 * long name costs no more than its length.
 * Rules: docs/protocol/team-revisions.md.
 */
import type { Role } from "../message/role.ts";
import { roles } from "../message/role.ts";
import type { NameRule } from "./definition.ts";
import type { Member, Roster } from "./roster.ts";

/** Roles that the owner gives to named agents only, because they decide for others or stand for the person. */
const namedOnly: readonly Role[] = ["lead", "architect", "owner", "security", "user", "orchestrator"];

/** The roles that a name rule may give. */
export const ruleRoles: readonly Role[] = roles.filter((role) => !namedOnly.includes(role));

/** The most agents that one rule may let in. */
export const ruleAgentsMax = 64;

/** An agent's name with one `*` that does not stand first: `vbw-dev-*`, `dev-*-web`. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*\*[A-Za-z0-9._-]*$/;

/** Whether a name rule with this pattern applies to `agent`. Letters count as written. */
export function matchesPattern(pattern: string, agent: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === agent;
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  return agent.length > before.length + after.length && agent.startsWith(before) && agent.endsWith(after);
}

/** The rule for an agent of this name: of several that match, the one with the longest pattern, then the first. */
export function ruleFor(rules: readonly NameRule[] | undefined, agent: string): NameRule | null {
  let found: NameRule | null = null;
  for (const rule of rules ?? []) {
    if (!matchesPattern(rule.pattern, agent)) continue;
    if (found === null || rule.pattern.length > found.pattern.length) found = rule;
  }
  return found;
}

/** The active agents whose names match the rule, `agent` itself left out: what `max` bounds. */
export function membersUnder(rule: NameRule, roster: Roster, agent: string): readonly Member[] {
  return [...roster.values()].filter(
    (member) => member.status === "active" && member.agent !== agent && matchesPattern(rule.pattern, member.agent),
  );
}
