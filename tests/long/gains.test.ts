/** The long search for rights that somebody gains. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { teamKindNames } from "../../src/team/state/kinds.ts";
import { gainPlants, searchPlanted } from "../authority/gain-plants.ts";
import { searchGains } from "../authority/gains.ts";
import { record } from "./record.ts";

const depth = 4;

test("no sequence of four operations of agents gains anything", async (t) => {
  const rows: [string, string | number][] = [];
  const gained: string[] = [];
  for (const kind of teamKindNames) {
    const { tried, accepted, gains } = await searchGains(kind, { depth });
    t.diagnostic(`${kind}: ${tried} sequences, ${accepted} accepted`);
    rows.push([`${kind}: sequences, of which accepted to the end; gains`, `${tried}, ${accepted}; ${gains.length}`]);
    gained.push(...gains);
  }
  let found = 0;
  for (const plant of gainPlants) found += (await searchPlanted(plant)).length;
  record(
    "gains",
    "Every sequence of at most four operations of agents, without the person, in a team of each kind: registering, retiring, " +
      "registering again, deciding and raising escalations, answering requests, reviews, verdicts, an owner's review and " +
      "decision, leaving a step out, ending the phase. A refused operation changes nothing, so only accepted ones are gone on from. " +
      "Each accepted one is held against the roles of the team's file and docs/protocol/authority.md, sections 11 to 16.",
    [...rows, ["control: planted faults, found", `${gainPlants.length}, ${found}`]],
  );
  assert.deepEqual(gained, []);
  assert.equal(found, gainPlants.length);
});
