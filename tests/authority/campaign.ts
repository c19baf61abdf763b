/** The whole matrix through a door, counted, with cells of the table turned as its control. */
import { type Chance, chanceFrom } from "../crash/seed.ts";
import { doors, type Test } from "./doors.ts";
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
} from "./letters.ts";
import { people } from "./people.ts";
import { dialectsOfTable, type Person, type Row, type TableDialect, table } from "./table.ts";

export type DoorName = keyof typeof doors;

/** All pairs of sender and receiver, over all types. */
export const everyPair = people.length ** 2 * dialectsOfTable.reduce((sum, dialect) => sum + table[dialect].length, 0);

/**
 * Who sends what. `everyone`: each type from everybody. `where departments matter`: each type from each role in one
 * department that chance chooses, and in yolo/1, which alone knows departments, from a role that may send it in every one.
 */
type Senders = "everyone" | "where departments matter";

/** How much goes through a door; `single` letters have one receiver, and are counted a dialect. */
export interface Plan {
  readonly senders: Senders;
  readonly single: number;
}

export interface Campaign {
  readonly report: Report;
  /** Pairs of sender and receiver, each of one type, that were judged. */
  readonly pairs: number;
  /** Cells of the table turned one at a time, and how many of them the comparison found. */
  readonly turned: number;
  readonly found: number;
}

/** Cells that are turned for each dialect. */
const turns = 20;

/** Sends all that is planned through one door, a new team for each dialect. */
export async function campaign(test: Test, name: DoorName, plan: Plan, seed: number): Promise<Campaign> {
  const chance = chanceFrom(seed);
  const report: Report = { letters: 0, judged: 0, authorised: 0, admitted: 0, refusedLater: 0, wrong: [] };
  const pairs = new Set<string>();
  let found = 0;
  for (const dialect of dialectsOfTable) {
    const letters = [
      ...lettersOf(dialect, sendersOf(plan.senders, dialect, chance)),
      ...singleLetters(dialect, chance, plan.single),
    ];
    const exchanges = await doors[name](test, dialect, letters);
    if (exchanges.length !== letters.length) report.wrong.push(`${name}: letters of ${dialect} were not answered`);
    add(report, compare(exchanges));
    for (const { letter } of exchanges) addPairs(pairs, letter);
    for (let turn = 0; turn < turns; turn++) if (isFound(exchanges, chance)) found++;
  }
  return { report, pairs: pairs.size, turned: turns * dialectsOfTable.length, found };
}

function sendersOf(senders: Senders, dialect: TableDialect, chance: Chance): (row: Row) => readonly Person[] {
  if (senders === "everyone") return () => people;
  const byRole = [...Map.groupBy(people, ({ role }) => role).values()];
  const chosen = new Set(byRole.map((own) => oneOf(own, chance)));
  return (row) => people.filter((each) => chosen.has(each) || (dialect === "yolo/1" && isSentBy(row, each.role)));
}

function add(sum: Report, { letters, judged, authorised, admitted, refusedLater, wrong }: Report): void {
  sum.letters += letters;
  sum.judged += judged;
  sum.authorised += authorised;
  sum.admitted += admitted;
  sum.refusedLater += refusedLater;
  sum.wrong.push(...wrong);
}

function addPairs(pairs: Set<string>, { dialect, row: [type], sender, to }: Letter): void {
  for (const { role, place } of to) pairs.add(`${dialect} ${type} ${sender.role} ${sender.place} ${role} ${place}`);
}

/** Whether a cell of the table that chance turns makes a difference. */
function isFound(exchanges: readonly Exchange[], chance: Chance): boolean {
  const { letter } = oneOf(exchanges, chance);
  return compare(exchanges, turned(letter, oneOf(letter.to, chance))).wrong.length > 0;
}

/** The campaign's rows in the record. */
export function rowsOf(name: DoorName, { report, pairs, turned: tried, found }: Campaign) {
  const { letters, authorised, judged, admitted, refusedLater, wrong } = report;
  return [
    [`${name}: letters; pairs of sender and receiver judged by them`, `${letters}; ${pairs} of ${everyPair}`],
    [`${name}: judgements, of which authorised; different from the table`, `${judged}, ${authorised}; ${wrong.length}`],
    [`${name}: letters let in, of which the state of the work then refused`, `${admitted}, ${refusedLater}`],
    [`${name}: control: cells of the table turned, found`, `${tried}, ${found}`],
  ] as const;
}
