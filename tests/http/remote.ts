/** The client's side of a hub, for tests: where it is, and its team as an agent has it. */
import assert from "node:assert/strict";
import { connectHub } from "../../src/doors/http/client/client.ts";
import type { HubAddress } from "../../src/perform/hub-connection.ts";
import type { Team } from "../../src/perform/team.ts";

/** A token that no hub knows. */
export const unknownToken = `baton_${"x".repeat(43)}`;

/** The hub at `url`, to which nobody is known yet. */
export function address(url: string, more: Partial<HubAddress> = {}): HubAddress {
  const { signal } = new AbortController();
  return { url, token: unknownToken, team: null, agent: null, say: () => undefined, signal, ...more };
}

/** The only team of the hub at `url`, by a separate token. */
export async function teamOf(url: string, token: string, more: Partial<HubAddress> = {}): Promise<Team> {
  const connected = await connectHub(address(url, { token, ...more }));
  assert.ok(connected.ok, JSON.stringify(connected));
  const team = connected.value.team();
  assert.ok(team.ok, JSON.stringify(team));
  return team.value;
}
