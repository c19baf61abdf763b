/**
 * What of a team its phases depend on: which departments are at work, whom a message concerns, what the team's dialects can
 * say, and which roles are there. Rosters and definitions are replaced, never changed, so each is looked through once.
 * Source: docs/protocol/authority.md, section 6; docs/protocol/phases.md.
 */
import { activeDepartments } from "../../authority/departments.ts";
import type { Setting } from "../../coordination/phases/phase-facts.ts";
import type { Company } from "../../coordination/phases/phase-state.ts";
import type { FactKind } from "../../message/facts.ts";
import type { Principal } from "../../message/principal.ts";
import { isWorkDepartment, type Role, type WorkDepartment } from "../../message/role.ts";
import type { TeamDefinition } from "../../team/definition.ts";
import type { Roster } from "../../team/roster.ts";
import type { Context } from "../context.ts";
import type { TeamState } from "../state.ts";

/** The departments that a message concerns: the sender's, else those of its receivers; none while one is at work. */
export function companyOf(state: TeamState, { department }: Principal, receivers: readonly string[]): Company {
  const { roster } = state.team;
  const active = departmentsAtWork(roster);
  if (active.length === 0) return { active, concerned: [] };
  if (department !== undefined && isWorkDepartment(department)) return { active, concerned: [department] };
  const theirs = new Set<WorkDepartment>();
  for (const receiver of receivers) {
    const found = roster.get(receiver)?.department;
    if (found !== undefined && isWorkDepartment(found)) theirs.add(found);
  }
  return { active, concerned: [...theirs] };
}

/** What the team can say and who is in it. */
export function settingOf(context: Pick<Context, "dialectOf">, { team: { definition, roster } }: TeamState): Setting {
  const tellable = roster.size === 0 ? {} : { tellable: tellableIn(context, definition, roster) };
  return {
    kinds: kindsOf(context, definition),
    roles: rolesOf(roster),
    active: departmentsAtWork(roster),
    registrars: registrarsOf(roster),
    ...tellable,
  };
}

const tellableKnown = new WeakMap<
  Roster,
  { readonly of: TeamDefinition | null; readonly kinds: readonly FactKind[] }
>();

/** Kinds that somebody's role may send. An agent that has left counts too, so that nobody skips a step by retiring it. */
function tellableIn(
  { dialectOf }: Pick<Context, "dialectOf">,
  definition: TeamDefinition | null,
  roster: Roster,
): readonly FactKind[] {
  const known = tellableKnown.get(roster);
  if (known?.of === definition) return known.kinds;
  const roles = new Set([...roster.values()].map(({ role }) => role));
  const found = (definition?.dialects ?? []).flatMap((id) =>
    [...(dialectOf(id)?.definitions.values() ?? [])].flatMap((sent) =>
      sent.senders.some((role) => roles.has(role)) ? [sent.kind] : [],
    ),
  );
  const kinds = [...new Set(found)];
  tellableKnown.set(roster, { of: definition, kinds });
  return kinds;
}

const none: readonly WorkDepartment[] = [];

function departmentsAtWork(roster: Roster): readonly WorkDepartment[] {
  const active = activeDepartments(roster);
  return active.length > 1 ? active : none;
}

const kindsKnown = new WeakMap<TeamDefinition, readonly FactKind[]>();

function kindsOf({ dialectOf }: Pick<Context, "dialectOf">, definition: TeamDefinition | null): readonly FactKind[] {
  if (definition === null) return [];
  const known = kindsKnown.get(definition);
  if (known !== undefined) return known;
  const kinds = definition.dialects.flatMap((id) =>
    [...(dialectOf(id)?.definitions.values() ?? [])].map(({ kind }) => kind),
  );
  const found = [...new Set(kinds)];
  kindsKnown.set(definition, found);
  return found;
}

const registrarsKnown = new WeakMap<Roster, ReadonlyMap<string, readonly string[]>>();

function registrarsOf(roster: Roster): ReadonlyMap<string, readonly string[]> {
  const known = registrarsKnown.get(roster);
  if (known !== undefined) return known;
  const found = new Map([...roster].flatMap(([name, { registrars }]) => (registrars ? [[name, registrars]] : [])));
  registrarsKnown.set(roster, found);
  return found;
}

const rolesKnown = new WeakMap<Roster, readonly Role[]>();

function rolesOf(roster: Roster): readonly Role[] {
  const known = rolesKnown.get(roster);
  if (known !== undefined) return known;
  const found = [...new Set([...roster.values()].flatMap(({ status, role }) => (status === "active" ? [role] : [])))];
  rolesKnown.set(roster, found);
  return found;
}
