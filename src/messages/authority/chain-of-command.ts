/**
 * The chain of command: which level a role is on, and whether a message takes the right route. What cannot be resolved
 * goes up one level at a time; what was decided comes down, to anyone below. Source: docs/protocol/asking.md,
 * sections 5 to 10; tests/requirements/yolo-1.tsv.
 */
import { advisingRoles, type Level, levelOfRole, levels, type Role } from "../role.ts";

export { type Level, levels } from "../role.ts";

/** Levels at which the person who owns the team answers. */
export const personal: readonly Level[] = ["owner", "user"];

/** The level that a role names when it escalates, or null where it names none. */
export function levelOf(role: Role): Level | null {
  return levelOfRole[role];
}

/**
 * The level at which a role is in the chain of command: what waits there waits for it, and it may decide that. Null: it
 * is in no chain, as for advisers. Source: docs/protocol/asking.md, section 6.
 */
export function chainLevelOf(role: Role): Level | null {
  return advisingRoles.includes(role) ? null : levelOfRole[role];
}

/** Whether `lower` is below `higher`. A role outside the chain is below none. */
export function isBelow(lower: Role, higher: Role): boolean {
  const [low, high] = [levelOf(lower), levelOf(higher)];
  return low !== null && high !== null && levels.indexOf(low) < levels.indexOf(high);
}

/** Whether a level is at or above another. */
export function isAtOrAbove(level: Level, other: Level): boolean {
  return levels.indexOf(level) >= levels.indexOf(other);
}

/** The level of a chain above this one; null: there is none, so nobody is left to ask. */
export function levelAbove(chain: readonly Level[], level: Level): Level | null {
  return chain.find((each) => levels.indexOf(each) > levels.indexOf(level)) ?? null;
}

/**
 * The chain that an escalation goes up, lowest level first: the levels where somebody is, and the user, who always is.
 * Only departments have an owner above them; the first protocol family knows no senior developer. A team that names the
 * levels of its chain has these and no others.
 */
export function chainOf(team: {
  readonly named?: readonly Level[] | undefined;
  readonly present: readonly Level[];
  readonly hasSeniors: boolean;
  readonly hasDepartments: boolean;
}): readonly Level[] {
  return levels.filter((level) => {
    if (level === "user") return true;
    if (team.named !== undefined)
      return team.named.includes(level) && (level === "owner" || team.present.includes(level));
    if (level === "senior" && !team.hasSeniors) return false;
    if (level === "owner") return team.hasDepartments;
    return team.present.includes(level);
  });
}
