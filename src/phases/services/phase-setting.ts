/**
 * What of a team its phases depend on: which departments are at work, whom a message concerns, what the team's dialects can
 * say, and which roles are there. Rosters and definitions are replaced, never changed, so each is looked through once.
 * Source: docs/protocol/authority.md, section 6; docs/protocol/phases.md.
 */

import { activeDepartments } from "../../messages/authority/departments.ts";
import type { FactKind } from "../../messages/facts.ts";
import type { Principal } from "../../messages/principal.ts";
import { isWorkDepartment, type Role, type WorkDepartment } from "../../messages/role.ts";
import type { Context } from "../../perform/context.ts";
import type { TeamState } from "../../perform/state.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import { type Roster, registrarsIn } from "../../team/state/roster.ts";
import type { Setting } from "../decide/phase-facts.ts";
import type { Company } from "../state/phase-state.ts";
import { type PhaseView, phaseViews } from "../view/phase-view.ts";

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

/** One for each roster and definition: this is asked with every message. */
const known = new WeakMap<Roster, { readonly of: TeamDefinition | null; readonly setting: Setting }>();

/** What the team can say and who is in it. */
export function settingOf(context: Pick<Context, "dialectOf">, { team: { definition, roster } }: TeamState): Setting {
  const last = known.get(roster);
  if (last?.of === definition) return last.setting;
  const tellable = roster.size === 0 ? {} : { tellable: tellableIn(context, definition, roster) };
  const setting: Setting = {
    kinds: kindsOf(context, definition),
    roles: rolesOf(roster),
    active: departmentsAtWork(roster),
    registrars: { get: (agent) => registrarsIn(roster, agent).registrars },
    ...tellable,
  };
  known.set(roster, { of: definition, setting });
  return setting;
}

/** Kinds that somebody's role may send. An agent that has left counts too, so that nobody skips a step by retiring it. */
function tellableIn(
  { dialectOf }: Pick<Context, "dialectOf">,
  definition: TeamDefinition | null,
  roster: Roster,
): readonly FactKind[] {
  const roles = new Set([...roster.values()].map(({ role }) => role));
  const kinds = (definition?.dialects ?? []).flatMap((id) =>
    [...(dialectOf(id)?.definitions.values() ?? [])].flatMap((sent) =>
      sent.senders.some((role) => roles.has(role)) ? [sent.kind] : [],
    ),
  );
  return [...new Set(kinds)];
}

const none: readonly WorkDepartment[] = [];

function departmentsAtWork(roster: Roster): readonly WorkDepartment[] {
  const active = activeDepartments(roster);
  return active.length > 1 ? active : none;
}

function kindsOf({ dialectOf }: Pick<Context, "dialectOf">, definition: TeamDefinition | null): readonly FactKind[] {
  const kinds = (definition?.dialects ?? []).flatMap((id) =>
    [...(dialectOf(id)?.definitions.values() ?? [])].map(({ kind }) => kind),
  );
  return [...new Set(kinds)];
}

function rolesOf(roster: Roster): readonly Role[] {
  return [...new Set([...roster.values()].flatMap(({ status, role }) => (status === "active" ? [role] : [])))];
}

/** Every phase of the state, as it is now. */
export function viewsOf(context: Context, state: TeamState): readonly PhaseView[] {
  return phaseViews(state.coordination, settingOf(context, state), context.clock.now());
}
