/**
 * The roster: who is in the team, as data. Its truth is the team entries of the journal: agents named by the team
 * file's latest recorded revision, and agents registered or retired by command.
 */

import { agentName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { nearest } from "../../base/text.ts";
import type { DialectId } from "../../messages/message.ts";
import {
  isReservedName,
  nameHint,
  nameInOtherCase,
  otherCaseMessage,
  ownerName,
  reservedNameMessage,
} from "../../messages/principal.ts";
import { type Department, type Role, roles } from "../../messages/role.ts";
import type { NameRule, TeamDefinition, TeamMode } from "./definition.ts";

/** One agent of a team. */
export interface Member {
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  /** The dialect it reads and writes. */
  readonly dialect: DialectId;
  /** How it works, where that is not the team's `team_mode`. */
  readonly mode?: TeamMode;
  /** Whether it came by the team file or by `agent register`. */
  readonly source: "file" | "command";
  readonly status: "active" | "retired";
  /** 1, and one more at each registration again after retirement, or that asks for a new one. */
  readonly session: number;
  /** Every agent that ever registered this name; absent: only the person did. */
  readonly registrars?: readonly string[];
  /** Of a retired agent: the agent that retired it. Absent: the person or the team file did, or it was not kept yet. */
  readonly retiredBy?: string;
}

/** The agents of a team by name. */
export type Roster = ReadonlyMap<string, Member>;

/** Rosters are replaced, never changed, so what is asked of one with every message is looked up once. */
const membersByRole = new WeakMap<Roster, Map<Role, readonly Member[]>>();

/** Active agents that have `role`, in roster order. */
export function membersOf(roster: Roster, role: Role): readonly Member[] {
  const known = membersByRole.get(roster)?.get(role);
  if (known !== undefined) return known;
  const members = [...roster.values()].filter((member) => member.role === role && member.status === "active");
  const byRole = membersByRole.get(roster) ?? new Map<Role, readonly Member[]>();
  membersByRole.set(roster, byRole.set(role, members));
  return members;
}

const chainsOfRegistrars = new WeakMap<Roster, Map<string, readonly string[]>>();

/**
 * The agents that ever registered a name, those that registered them, and so on, as judging deciders need them; nothing if
 * only the person did. Each name is looked at once, so names that registered each other end the search.
 */
export function registrarsIn(roster: Roster, agent: string): Pick<Member, "registrars"> {
  const direct = roster.get(agent)?.registrars;
  if (direct === undefined) return {};
  const chains = chainsOfRegistrars.get(roster) ?? new Map<string, readonly string[]>();
  chainsOfRegistrars.set(roster, chains);
  const known = chains.get(agent);
  if (known !== undefined) return { registrars: known };
  const found = new Set(direct);
  // A set also hands out what is added while it is read.
  for (const registrar of found) for (const each of roster.get(registrar)?.registrars ?? []) found.add(each);
  const registrars = [...found];
  chains.set(agent, registrars);
  return { registrars };
}

/** The command that brings an agent back who has left, with all that tells it from others. */
export function registeringCommand({ agent, role, department }: Pick<Member, "agent" | "role" | "department">): string {
  return `baton agent register ${agent} --role ${role}${department === undefined ? "" : ` --department ${department}`}`;
}

/*
 * Name rules: which agents may join a team by their names alone. A pattern is compared character by character, so a
 * long name costs no more than its length.
 * Rules: docs/protocol/authority.md, sections 17 to 20.
 */

/** Roles that the owner gives to named agents only, because they decide for others or stand for the person. */
const namedOnly: readonly Role[] = ["lead", "architect", "owner", "security", "user", "orchestrator", "guest"];

/** The roles that a name rule may give. */
export const ruleRoles: readonly Role[] = roles.filter((role) => !namedOnly.includes(role));

/** The most agents that one rule may let in. */
export const ruleAgentsMax = 64;

/** An agent's name with one `*` that is not at the start: `vbw-dev-*`, `dev-*-web`. */
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

/**
 * The roster under a new definition. Agents of the file are replaced: new ones join, changed ones change, missing ones
 * are retired, and one that comes back starts a new session. Agents registered by command, but for those that the
 * revision takes over, and those a command retired (`retired`), stay as they are.
 */
export function applyRevision(
  roster: Roster,
  { definition, takesOver = [] }: { readonly definition: TeamDefinition; readonly takesOver?: readonly string[] },
  retired: ReadonlyMap<string, string>,
): Roster {
  const next = new Map(roster);
  const listed = new Set(definition.agents.map(({ agent }) => agent));
  const isOfFile = ({ source, agent }: Member) => source === "file" || takesOver.includes(agent);
  for (const [name, member] of roster) {
    if (!isOfFile(member) || listed.has(name)) continue;
    const { retiredBy: _, ...rest } = member;
    next.set(name, { ...rest, source: "file", status: "retired" });
  }
  for (const { agent, role, department, dialect } of definition.agents) {
    const earlier = roster.get(agent);
    if (retired.has(agent) || (earlier?.status === "active" && !isOfFile(earlier))) continue;
    const mode = earlier?.status === "active" ? earlier.mode : undefined;
    next.set(agent, {
      agent,
      role,
      ...(department === undefined ? {} : { department }),
      // A definition names at least one dialect.
      dialect: dialect ?? (definition.dialects[0] as DialectId),
      ...(mode === undefined ? {} : { mode }),
      source: "file",
      status: "active",
      session: earlier === undefined ? 1 : earlier.session + (earlier.status === "retired" ? 1 : 0),
      ...registrarsOf(earlier, undefined),
    });
  }
  return next;
}

/** Every agent that ever registered this name: a name keeps its past. */
export function registrarsOf(earlier: Member | undefined, by: string | undefined): Pick<Member, "registrars"> {
  const known = new Set([...(earlier?.registrars ?? []), ...(by === undefined ? [] : [by])]);
  return known.size === 0 ? {} : { registrars: [...known] };
}

/* Problems of agents' names, in the same words wherever one is given: unknown, reserved, malformed, taken. */

/** A name that is longer than this is none, and is not repeated whole. */
const shownCharactersMax = 64;

/** Names more than these are no help. */
const namesMax = 12;

/**
 * `unknown-agent` for `agent`, where the team has `known`. `path`: the argument that gave the name; absent: the name itself.
 * `hint`: what the caller does about it; absent: where agents are listed and added.
 */
export function unknownAgent(
  agent: string,
  known: Iterable<string>,
  { path, hint }: { readonly path?: string; readonly hint?: string } = {},
): Problem {
  const shown = agent.slice(0, shownCharactersMax).toWellFormed();
  const names = [...known];
  const isOwner = agent !== ownerName && agent.toLowerCase() === ownerName;
  const near = nearest(agent, names);
  const next = hint ?? `\`baton agent list\` shows the agents; \`baton agent register ${shown} --role ROLE\` adds one.`;
  return makeProblem("unknown-agent", path ?? agent, `There is no agent "${shown}" in the team.`, {
    ...(names.length === 0 ? {} : { expected: names.slice(0, namesMax).join(" | ") }),
    received: shown,
    hint: isOwner
      ? `did you mean "${ownerName}", the person who owns the team?`
      : near === null
        ? next
        : `did you mean "${near}"? ${next}`,
  });
}

export function nameProblems(agent: string): readonly Problem[] {
  if (isReservedName(agent)) {
    return [makeProblem("wrong-value", agent, reservedNameMessage(agent), { hint: nameHint })];
  }
  if (agentName(agent) !== null) return [];
  const expected = "a letter or digit, then at most 63 of A-Z a-z 0-9 . _ -";
  return [makeProblem("wrong-value", agent, "This cannot be the name of an agent.", { expected, received: agent })];
}

/** New names that differ from one that ever was only in the case of their letters. */
export function twinProblems(names: readonly string[], roster: Roster): readonly Problem[] {
  return names
    .filter((name) => !roster.has(name))
    .flatMap((name) => {
      const twin = nameInOtherCase(name, roster.keys());
      return twin === null
        ? []
        : [makeProblem("already-exists", name, otherCaseMessage(name, twin), { hint: nameHint })];
    });
}

export function nameTaken(member: Member): Problem {
  const place = member.department === undefined ? "" : ` in ${member.department}`;
  return makeProblem(
    "already-exists",
    member.agent,
    `${member.agent} is already registered as ${member.role}${place} with ${member.dialect}.`,
    {
      hint: `Choose another name, or retire that agent first: \`baton agent retire ${member.agent}\`.`,
    },
  );
}

export function unknownWord(
  code: Problem["code"],
  agent: string,
  what: string,
  word: string,
  known: readonly string[],
): Problem {
  const meant = nearest(word, known);
  return makeProblem(code, agent, `There is no ${what} "${word}".`, {
    expected: known.join(" | "),
    received: word,
    hint: meant === null ? undefined : `did you mean "${meant}"?`,
  });
}
