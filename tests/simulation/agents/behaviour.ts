/** What an agent does on its turn: its role's work mostly, what every agent does, and now and then what it must not. */
import type { Role } from "../../../src/messages/role.ts";
import { weighted } from "../world/chance.ts";
import type { Asked } from "./act.ts";
import { type Acting, type Choice, roleOf } from "./agent.ts";
import { commonChoices } from "./common-acts.ts";
import { developerChoices } from "./developer-acts.ts";
import { architectChoices, leadChoices, ownerChoices, seniorChoices } from "./leading-acts.ts";
import { lies } from "./lies.ts";
import { bringingChoices, phaseOwnerChoices } from "./phase-acts.ts";

/** How often an agent thinks again that finds no occasion for what it thought of. */
const thoughtsMax = 4;

/** What the agent asks for now; null: it finds nothing to do. */
export function nextAct(acting: Acting): Asked | null {
  const { agent, chance } = acting;
  const choices = chance.happens(agent.lies) ? lies : choicesOf(agent.name, roleOf(acting));
  for (let thought = 0; thought < thoughtsMax; thought++) {
    const asked = weighted(chance, choices)(acting);
    if (asked !== null) return asked;
  }
  return null;
}

const byRole: { readonly [role in Role]?: readonly Choice[] } = {
  dev: [...developerChoices, ...commonChoices],
  docs: [...developerChoices, ...commonChoices],
  lead: [...leadChoices, ...commonChoices],
  architect: [...architectChoices, ...commonChoices],
  senior: [...seniorChoices, ...commonChoices],
  owner: [...phaseOwnerChoices, ...commonChoices],
};

const choicesByRole = new Map<Role, readonly Choice[]>();

function choicesOf(name: string, role: Role): readonly Choice[] {
  if (name === "owner") return ownerChoices;
  const known = choicesByRole.get(role) ?? [...(byRole[role] ?? commonChoices), ...bringingChoices(role)];
  choicesByRole.set(role, known);
  return known;
}
