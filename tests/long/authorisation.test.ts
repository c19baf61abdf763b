/** The long campaign of authorisation: the whole matrix through every door. Results go to docs/verification.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { doors } from "../authority/doors.ts";
import {
  compare,
  type Exchange,
  isSentBy,
  type Letter,
  lettersOf,
  oneOf,
  type Report,
  singleLetters,
  turned,
} from "../authority/letters.ts";
import { people } from "../authority/people.ts";
import { dialectsOfTable, type Person, type Row, type TableDialect, table } from "../authority/table.ts";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { record } from "./record.ts";

const seed = chosenSeed(808);
const chance = chanceFrom(seed);

/** Letters to one receiver alone, beside those to everybody, a dialect. */
const singles = { library: 4_000, http: 4_000, mcp: 500, command: 20 } as const;
type DoorName = keyof typeof doors;
const names = Object.keys(doors) as readonly DoorName[]; // the keys, in their order

/** Cells turned in the table, one at a time, for each door and dialect. */
const turns = 20;

interface Campaign {
  readonly report: Report;
  readonly pairs: Set<string>;
  turned: number;
  found: number;
}

const everyPair = people.length ** 2 * dialectsOfTable.reduce((sum, dialect) => sum + table[dialect].length, 0);

test("every pair of sender and receiver is judged as the table says, by the library, the command, MCP and HTTP", async (t) => {
  const campaigns = new Map<DoorName, Campaign>();
  for (const name of names) {
    const campaign = empty();
    for (const dialect of dialectsOfTable) {
      const exchanges = await doors[name](t, dialect, lettersFor(name, dialect));
      add(campaign, exchanges);
    }
    campaigns.set(name, campaign);
    const { letters, wrong } = campaign.report;
    t.diagnostic(`${name}: ${letters} letters, ${campaign.pairs.size} of ${everyPair} pairs, ${wrong.length} differ`);
  }
  record(
    "authorisation",
    "Every type of every dialect, from each of 16 roles in each of 5 departments and in none to each of them, against one " +
      "table written by hand. A letter names every receiver; the refusal names each that may not get it, and a second letter " +
      "goes to just those that may. Further letters have one receiver. The command and MCP are processes, HTTP is a hub in " +
      "one. A process for each letter is dear: the command is asked from one department, which chance chooses, where the role " +
      "may send the type from none, and from each in all other cases.",
    [
      ["pairs of sender and receiver, over all types", everyPair],
      ...[...campaigns].flatMap(([name, campaign]) => rowsOf(name, campaign)),
      ["seed", seed],
    ],
  );
  for (const [name, { report, pairs, turned: tried, found }] of campaigns) {
    assert.deepEqual(report.wrong.slice(0, 5), [], name);
    assert.equal(found, tried, name);
    if (name !== "command") assert.equal(pairs.size, everyPair, name);
  }
});

function lettersFor(name: DoorName, dialect: TableDialect): readonly Letter[] {
  const senders = name === "command" ? fewer : () => people;
  return [...lettersOf(dialect, senders), ...singleLetters(dialect, chance, singles[name])];
}

/** Each role in every department where it may send the type, else in one. */
function fewer(row: Row): readonly Person[] {
  return [...Map.groupBy(people, ({ role }) => role)].flatMap(([role, own]) =>
    isSentBy(row, role) ? own : [oneOf(own, chance)],
  );
}

function empty(): Campaign {
  const report: Report = { letters: 0, judged: 0, authorised: 0, admitted: 0, refusedLater: 0, wrong: [] };
  return { report, pairs: new Set(), turned: 0, found: 0 };
}

function add(campaign: Campaign, exchanges: readonly Exchange[]): void {
  const { report, pairs } = campaign;
  const { wrong, ...counts } = compare(exchanges);
  report.wrong.push(...wrong);
  report.letters += counts.letters;
  report.judged += counts.judged;
  report.authorised += counts.authorised;
  report.admitted += counts.admitted;
  report.refusedLater += counts.refusedLater;
  for (const { letter } of exchanges) {
    const sender = people.indexOf(letter.sender);
    for (const receiver of letter.to)
      pairs.add(`${letter.dialect} ${letter.row[0]} ${sender} ${people.indexOf(receiver)}`);
  }
  for (let turn = 0; turn < turns; turn++) {
    const { letter } = oneOf(exchanges, chance);
    campaign.turned++;
    if (compare(exchanges, turned(letter, oneOf(letter.to, chance))).wrong.length > 0) campaign.found++;
  }
}

function rowsOf(name: DoorName, { report, pairs, turned: tried, found }: Campaign) {
  const { letters, judged, authorised, admitted, refusedLater, wrong } = report;
  return [
    [`${name}: letters; pairs judged by them`, `${letters}; ${pairs.size}`],
    [`${name}: judgements, of which authorised; different from the table`, `${judged}, ${authorised}; ${wrong.length}`],
    [`${name}: letters let in, of which the state of the work refused`, `${admitted}, ${refusedLater}`],
    [`${name}: control: cells of the table turned, found`, `${tried}, ${found}`],
  ] as const;
}
