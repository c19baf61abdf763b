/** What it costs a hub to start and to look for deadlines, which must not grow with the teams of the journal. */
import { invariant } from "../../src/base/invariant.ts";
import { openJournal } from "../../src/journal/engines.ts";
import { openHub } from "../../src/runtime/hub.ts";
import { teamProjection } from "../../src/runtime/projection.ts";
import { attempt, must, mustRecord, tally, team } from "../../src/testing/journal-subject.ts";
import { type Measure, type Pair, timed } from "../measure.ts";
import { postgres } from "./servers.ts";

export const startOfHub: readonly Measure[] =
  postgres.skip === false
    ? [
        {
          name: "A hub's start on PostgreSQL with 1,000 teams",
          subject: "open, look for deadlines in 1,000 teams",
          yardstick: "the same with 10 teams",
          target: { of: "rate", atLeast: 0.7 },
          rounds: 15,
          open: openHubs,
        },
      ]
    : [];

async function openHubs(folder: string): Promise<Pair> {
  const server = await postgres.start(folder);
  const withTeams = async (count: number) => {
    const url = server.newUrl();
    const journal = must(await openJournal(url, teamProjection));
    const { decide } = attempt({ content: {} });
    for (let number = 0; number < count; number += 1)
      mustRecord(
        await journal.commit(team(`team-${number}`), { once: null, decide: (_, moment) => decide(none, moment) }),
      );
    await journal.close();
    return async () => {
      const hub = await openHub({ journal: url });
      invariant(hub.ok, "the hub opens");
      must(await hub.value.fireDue());
      await hub.value[Symbol.asyncDispose]();
    };
  };
  const [few, many] = [await withTeams(10), await withTeams(1_000)];
  return { yardstick: () => timed(1, few), subject: () => timed(1, many), close: () => server.stop() };
}

const none = tally.initial();
