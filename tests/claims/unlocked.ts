/**
 * The planted error of the claim campaign: a journal that reads the state, decides on it, and appends what was decided
 * afterwards. Everything else is the real thing. The campaign's check must see what comes of it.
 */
import { systemClock } from "../../src/base/clock.ts";
import { teamName } from "../../src/base/ids.ts";
import { invariant } from "../../src/base/invariant.ts";
import type { Attempt, Journal } from "../../src/journal/journal.ts";
import { dialectOf, dialects } from "../../src/messages/dialects/registry.ts";
import { teamHandle } from "../../src/perform/handle.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import type { TeamState } from "../../src/perform/state.ts";
import type { Team } from "../../src/perform/team.ts";

/** How long lies between a decision and its record. */
const unlockedMs = 15;

/** Opens the campaign's team as that agent, with decisions outside of the transaction. */
export async function openUnlocked(path: string, agent: string): Promise<Team> {
  const opened = await openTeamJournal(path, { create: false });
  invariant(opened.ok, `the campaign's journal opens: ${JSON.stringify(opened)}`);
  const journal = opened.value;
  const teams = await journal.teams();
  const team = teamName((teams.ok ? teams.value[0] : undefined) ?? "");
  invariant(team !== null, "the campaign's journal has its team");
  const context = { journal: decidedEarly(journal), team, clock: systemClock, dialectOf, dialects };
  return teamHandle(context, { agent, via: "launcher" }, () => journal.close());
}

function decidedEarly(journal: Journal<TeamState>): Journal<TeamState> {
  return {
    ...journal,
    async commit(team, attempt: Attempt<TeamState>) {
      const read = await journal.state(team);
      if (!read.ok) return read;
      const signs = await journal.heartbeats(team);
      if (!signs.ok) return signs;
      const { state, head } = read.value;
      const decided = attempt.decide(state, {
        team,
        seq: head.seq + 1,
        earlier: null,
        orEarlier: null,
        heartbeat: (agent) => signs.value.get(agent) ?? null,
      });
      // Long enough for another to come in between, as it would in a program that thinks nothing of it.
      await systemClock.wait(unlockedMs);
      return await journal.commit(team, { once: attempt.once, decide: () => decided });
    },
  };
}
