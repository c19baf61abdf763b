/** Hubs that serve the journal of a call, and that a team needs one of which none runs. */
import { placeOf } from "../../../perform/workspace/place.ts";
import type { TeamDefinition } from "../../../team/state/definition.ts";
import type { Call } from "../kernel/command.ts";
import { hubOf } from "./hub-address.ts";
import { type HubNote, runningHubs } from "./running-hubs.ts";

/** Hubs that run on the journal, where it is one of this machine. */
export async function hubsHere(call: Call): Promise<readonly HubNote[]> {
  const place = hubOf(call) === null ? await placeOf(call) : null;
  return place?.ok === true ? await runningHubs(place.value.journal) : [];
}

/** Whether the team is one that `baton start` began: its agents' programs count on a hub. */
export function wantsHub(definition: TeamDefinition | null): boolean {
  return definition?.agents.some(({ program }) => program !== undefined) === true;
}

/** What is said where none runs. */
export const noHubWords = "no hub runs, so nothing is verified or lands: baton start goes on";
