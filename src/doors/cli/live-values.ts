/**
 * What the words of a command line may name in the team at hand, for completion: agents, tasks, plans, teams, what waits.
 * Read from the journal of this machine, which is only looked at: no entry comes of pressing a key, no journal is made, and
 * no hub is waited for. What cannot be read has no values.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { openTeam, openTeamJournal } from "../../runtime/open.ts";
import type { Team } from "../../runtime/team.ts";
import type { Call } from "./command.ts";
import { hubOf } from "./hub-address.ts";
import { placeOf } from "./place.ts";

type Source = (team: Team) => Promise<Result<readonly string[], Problem>>;

/** By what help calls the value; `approval ID` is what commands of that group call `ID`. */
const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ["AGENT", agents],
  ["RECEIVER", agents],
  ["TASK", tasks],
  ["TASKS", tasks],
  ["PLAN", async (team) => named(await team.contracts(), ({ terms }) => terms.planId)],
  ["PHASE", async (team) => named(await team.phases(), ({ phase }) => phase)],
  ["ROUND", async (team) => named(await team.shutdowns(), ({ round }) => round)],
  ["approval ID", async (team) => named(await team.approvals(), ({ requestId }) => requestId)],
  ["escalation ID", async (team) => named(await team.escalations(), ({ id }) => id)],
  ["handoff ID", async (team) => named(await team.handoffs({ all: true }), ({ id }) => id)],
  ["token ID", async (team) => named(await team.tokens(), ({ tokenId }) => tokenId)],
]);

/** The values that `name` stands for in a command of `group`; none: it names nothing of a team, or there is no team to see. */
export async function liveValues(
  call: Pick<Call, "given" | "config" | "output" | "signal">,
  name: string,
  group: string,
): Promise<readonly string[]> {
  if (hubOf(call) !== null) return [];
  const place = placeOf(call);
  if (!place.ok) return [];
  const { journal } = place.value;
  if (name === "NAME") return await teams(journal);
  const source = sources.get(name) ?? sources.get(`${group} ${name}`);
  if (source === undefined) return [];
  const asked = call.given.text("team");
  const opened = await openTeam({
    journal,
    readOnly: true,
    create: false,
    ...(asked === undefined ? {} : { team: asked }),
  });
  if (!opened.ok) return [];
  await using team = opened.value;
  const values = await source(team);
  return values.ok ? values.value : [];
}

async function teams(journal: string): Promise<readonly string[]> {
  const opened = await openTeamJournal(journal, { readOnly: true, create: false });
  if (!opened.ok) return [];
  const known = await opened.value.teams();
  await opened.value.close();
  return known.ok ? known.value : [];
}

async function agents(team: Team): Promise<Result<readonly string[], Problem>> {
  const status = await team.status();
  return status.ok ? named(ok(status.value.agents), ({ agent }) => agent) : status;
}

async function tasks(team: Team): Promise<Result<readonly string[], Problem>> {
  return named(await team.tasks(), ({ task }) => task);
}

function named<Thing>(
  things: Result<readonly Thing[], Problem>,
  nameOf: (thing: Thing) => string,
): Result<readonly string[], Problem> {
  return things.ok ? ok(things.value.map(nameOf)) : things;
}
