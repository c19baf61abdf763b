/**
 * One part of a team's definition compared: what changed in it, and which of it waits for the owner. Here are the parts that
 * are a value, a list or numbers; those with rules between their members are in `revision-changes.ts`.
 * Rules: docs/protocol/authority.md, sections 17 to 21.
 */
import { canonical } from "../../base/canonical.ts";
import type { Json } from "../../base/json.ts";
import type { TeamDefinition } from "./definition.ts";
import type { Roster } from "./roster.ts";
import { limitOf, teamLimits } from "./team-limits.ts";

/** One difference between two definitions, as a line of a diff: `agents.dev-1.role: dev -> lead`. */
export interface RevisionChange {
  /** Where, in the words of the team file. */
  readonly place: string;
  /** Null: it was not there. */
  readonly before: string | null;
  /** Null: it is taken out. */
  readonly after: string | null;
  /** Whether it takes effect only after the owner has confirmed it. */
  readonly waits: boolean;
}

/** One part of a definition: its changes, and its value with those that apply at once. */
export interface Part<Value> {
  readonly changes: readonly RevisionChange[];
  readonly atOnce: Value;
}

export interface Both {
  readonly inForce: TeamDefinition;
  readonly wanted: TeamDefinition;
  readonly roster: Roster;
}

/** A part that waits as a whole where it differs. */
export function whole<Value extends string | readonly string[] | undefined>(
  place: string,
  before: Value,
  after: Value,
): Part<Value> {
  const changes = isSame(before, after) ? [] : change(place, textOf(before), textOf(after), true);
  return { changes, atOnce: changes.length === 0 ? after : before };
}

export function change(
  place: string,
  before: string | null,
  after: string | null,
  waits: boolean,
): readonly RevisionChange[] {
  return before === after ? [] : [{ place, before, after, waits }];
}

/**
 * A rule whose default depends on the team's dialects, compared by what holds. The `strict` value applies at once, unless
 * it only follows from other dialects, which wait.
 */
export function compareRule<Key extends "claims" | "scope">(
  place: Key,
  { inForce, wanted }: Both,
  ruleOf: (definition: TeamDefinition) => string,
  strict: NonNullable<TeamDefinition[Key]>,
): Part<TeamDefinition[Key]> {
  const isNamed = wanted[place] === strict;
  const waits = ruleOf(wanted) !== strict || !(isNamed || isSame(inForce.dialects, wanted.dialects));
  const changes = change(place, ruleOf(inForce), ruleOf(wanted), waits);
  // Without its new dialects, a file that leaves the rule out may say something else.
  const isOther = ruleOf({ ...inForce, [place]: wanted[place] }) !== ruleOf(wanted);
  return { changes, atOnce: isOther || changes.some((each) => each.waits) ? inForce[place] : wanted[place] };
}

/** A new glob of shared files waits; one that is taken out is none at once. */
export function compareShared({ inForce, wanted }: Both): Part<TeamDefinition["shared"]> {
  const [before, after] = [inForce.shared ?? [], wanted.shared ?? []];
  const changes = [
    ...after.filter((glob) => !before.includes(glob)).flatMap((glob) => change("shared", null, glob, true)),
    ...before.filter((glob) => !after.includes(glob)).flatMap((glob) => change("shared", glob, null, false)),
  ];
  const stay = after.filter((glob) => before.includes(glob));
  return { changes, atOnce: stay.length === 0 ? undefined : stay };
}

/** A larger limit waits. So does a smaller one of those that guard by being large; any other smaller one applies. */
export function compareLimits({ inForce, wanted }: Both): Part<TeamDefinition["limits"]> {
  const changes: RevisionChange[] = [];
  const held: { [limit: string]: number | undefined } = {};
  for (const limit of teamLimits) {
    const before = limitOf(inForce.limits, limit.field);
    const after = limitOf(wanted.limits, limit.field);
    const waits = after > before || "guardsByBeingLarge" in limit;
    changes.push(...change(`limits.${limit.key}`, String(before), String(after), waits));
    if (waits && before !== after) held[limit.field] = inForce.limits[limit.field];
  }
  const merged = Object.entries({ ...wanted.limits, ...held }).filter(([, value]) => value !== undefined);
  return { changes, atOnce: Object.fromEntries(merged) };
}

export function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  // Parts of definitions are plain JSON by their types.
  return canonical(one as Json) === canonical(other as Json);
}

function textOf(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : value.join(", ");
}
