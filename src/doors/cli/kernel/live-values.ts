/**
 * What the words of a command line may name in the team at hand, for completion: agents, tasks, plans, teams, what waits.
 * Looked at where the command would work: in the journal of this machine, or at its hub, which has a moment to answer. No
 * entry comes of pressing a key, and no journal is made. What cannot be read has no values.
 */
import { systemClock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { HubAddress } from "../../../perform/hub-connection.ts";
import { openTeam, openTeamJournal } from "../../../perform/open.ts";
import type { Team } from "../../../perform/team.ts";
import { lookForPlace } from "../../../perform/workspace/place.ts";
import { hubOf } from "../place/hub-address.ts";
import type { Call } from "./command.ts";

/** Where is looked, and for how long at most a hub is waited for, in milliseconds. */
export interface Looking extends Pick<Call, "given" | "config" | "output" | "signal" | "connectHub"> {
  readonly hubMsMax: number;
  /** The command works on this machine, whatever hub the surroundings name. */
  readonly isLocal: boolean;
}

type Source = (team: Team) => Promise<Result<readonly string[], Problem>>;

/** By what help calls the value; `handoff ID` is what commands of that group call `ID`. */
const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ["AGENT", agents],
  ["RECEIVER", agents],
  ["TASK", tasks],
  ["TASKS", tasks],
  ["PLAN", async (team) => named(await team.contracts(), ({ terms }) => terms.planId)],
  ["PHASE", async (team) => named(await team.phases(), ({ phase }) => phase)],
  ["ROUND", async (team) => named(await team.shutdowns(), ({ round }) => round)],
  ["approve ID", requests],
  ["deny ID", requests],
  ["escalation ID", async (team) => named(await team.escalations(), ({ id }) => id)],
  ["handoff ID", async (team) => named(await team.handoffs({ all: true }), ({ id }) => id)],
  ["token ID", async (team) => named(await team.tokens(), ({ tokenId }) => tokenId)],
]);

/** The teams, of which one is not needed for the question. */
const teamsValue = "NAME";

/**
 * The values that `name` stands for in a command of `group`; none: it names nothing of a team, or there is no team to
 * see.
 */
export async function liveValues(looking: Looking, name: string, group: string): Promise<readonly string[]> {
  const source = name === teamsValue ? null : (sources.get(name) ?? sources.get(`${group} ${name}`));
  if (source === undefined) return [];
  const hub = looking.isLocal ? null : hubOf(looking);
  return hub === null ? await inJournal(looking, source) : await atHub(looking, hub, source);
}

async function inJournal(looking: Looking, source: Source | null): Promise<readonly string[]> {
  const place = lookForPlace(looking);
  if (!place.ok) return [];
  const { address: journal } = place.value;
  if (source === null) return await teams(journal);
  const asked = looking.given.text("team");
  const opened = await openTeam({
    journal,
    readOnly: true,
    create: false,
    ...(asked === undefined ? {} : { team: asked }),
  });
  return opened.ok ? await valuesOf(opened.value, source) : [];
}

async function teams(journal: string): Promise<readonly string[]> {
  const opened = await openTeamJournal(journal, { readOnly: true, create: false });
  if (!opened.ok) return [];
  const known = await opened.value.teams();
  await opened.value.close();
  return known.ok ? known.value : [];
}

/**
 * Asks the hub as the token's agent, even if the line names another. If a warning would be needed, such as for a token
 * that others on the way can read, nothing is sent, because completion cannot show it.
 */
async function atHub(looking: Looking, hub: HubAddress, source: Source | null): Promise<readonly string[]> {
  const [late, done] = [new AbortController(), new AbortController()];
  const watch = systemClock.wait(looking.hubMsMax, done.signal).then(() => late.abort());
  const signal = AbortSignal.any([looking.signal, late.signal]);
  try {
    const connected = await looking.connectHub({ ...hub, agent: null, say: () => late.abort(), signal });
    if (!connected.ok) return [];
    if (source === null) return connected.value.teams;
    const team = connected.value.team();
    return team.ok ? await valuesOf(team.value, source) : [];
  } finally {
    done.abort();
    await watch;
  }
}

/** What `source` finds in the team, which is closed with it. */
async function valuesOf(team: Team, source: Source): Promise<readonly string[]> {
  await using opened = team;
  const values = await source(opened);
  return values.ok ? values.value : [];
}

async function agents(team: Team): Promise<Result<readonly string[], Problem>> {
  const status = await team.status();
  return status.ok ? named(ok(status.value.agents), ({ agent }) => agent) : status;
}

async function tasks(team: Team): Promise<Result<readonly string[], Problem>> {
  return named(await team.tasks(), ({ task }) => task);
}

async function requests(team: Team): Promise<Result<readonly string[], Problem>> {
  return named(await team.approvals(), ({ requestId }) => requestId);
}

function named<Thing>(
  things: Result<readonly Thing[], Problem>,
  nameOf: (thing: Thing) => string,
): Result<readonly string[], Problem> {
  return things.ok ? ok(things.value.map(nameOf)) : things;
}
