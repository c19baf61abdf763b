/** Letters of the matrix through every door, and the errors that the comparison finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { inLongRun } from "../run-size.ts";
import { type Door, doors } from "./doors.ts";
import { compare, type Exchange, isSentBy, type Letter, lettersOf, oneOf, singleLetters, turned } from "./letters.ts";
import { people, receiverName, senderName } from "./people.ts";
import { dialectsOfTable, type Person, type Row, type TableDialect, table } from "./table.ts";

const seed = chosenSeed(707);
const chance = chanceFrom(seed);

/** Departments matter to one dialect; of the others, one is tried at each door that costs processes. */
const other = oneOf(
  dialectsOfTable.filter((dialect) => dialect !== "yolo/1"),
  chance,
);

const everyLetter = new Map<TableDialect, readonly Letter[]>();

function everyone(dialect: TableDialect): readonly Letter[] {
  const letters = everyLetter.get(dialect) ?? lettersOf(dialect, () => people);
  everyLetter.set(dialect, letters);
  return letters;
}

/**
 * Letters to everybody by chance: of any sender, of one whose role may send, and to those alone who may get it; and
 * single ones.
 */
function sample(dialect: TableDialect, count: number): readonly Letter[] {
  const letters = everyone(dialect);
  const kinds = [
    letters.filter(({ to }) => to !== people),
    letters.filter(({ row, sender }) => isSentBy(row, sender.role)),
    letters,
  ] as const;
  const chosen = Array.from({ length: count }, (_, index) => oneOf(kinds[index % kinds.length] ?? letters, chance));
  return [...new Set(chosen), ...singleLetters(dialect, chance, count)];
}

/** All letters of a few who have something to say. */
function ofSome(dialect: TableDialect, count: number): readonly Letter[] {
  const speakers = people.filter(({ role }) => table[dialect].some((row: Row) => isSentBy(row, role)));
  const some = new Set(Array.from({ length: count }, () => oneOf(speakers, chance)));
  return lettersOf(dialect, () => [...some]);
}

const samples: readonly (readonly [Door, dialect: TableDialect, letters: readonly Letter[]])[] = [
  ...dialectsOfTable.map((dialect) => [doors.library, dialect, sample(dialect, inLongRun(4_000, 60))] as const),
  [doors.command, "yolo/1", sample("yolo/1", 3)],
  [doors["command-called"], "yolo/1", sample("yolo/1", inLongRun(400, 20))],
  [doors["command-called"], other, sample(other, inLongRun(200, 10))],
  [doors.mcp, "yolo/1", ofSome("yolo/1", 2)],
  [doors["mcp-at-hub"], other, ofSome(other, inLongRun(40, 6))],
  [doors.http, "yolo/1", sample("yolo/1", inLongRun(2_000, 100))],
];

for (const [door, dialect, letters] of samples) {
  test(`${door.name}: ${letters.length} letters of ${dialect} are judged as the table says (seed ${seed})`, async (t) => {
    const exchanges = await door(t, dialect, letters);
    assert.equal(exchanges.length, letters.length);
    const { wrong, judged, authorised } = compare(exchanges);
    assert.deepEqual(wrong.slice(0, 5), []);
    t.diagnostic(`${judged} pairs of sender and receiver, of which ${authorised} authorised`);
    findsTurnedCells(exchanges);
  });
}

/** A cell of the table turned, one at a time: just the letters with that pair are found. */
function findsTurnedCells(exchanges: readonly Exchange[]): void {
  for (let turn = 0; turn < 5; turn++) {
    const { letter } = oneOf(exchanges, chance);
    const receiver = oneOf(letter.to, chance);
    const { wrong } = compare(exchanges, turned(letter, receiver));
    const pair = `${letter.row[0]}: ${senderName(letter.sender)} to ${receiverName(receiver)}:`;
    assert.ok(wrong.length > 0 && wrong.every((line) => line.includes(pair)), `${pair} ${wrong.join("\n")}`);
  }
}

/** Doors that take one sender for another. */
const mistaken: readonly (readonly [Person, takenFor: Person])[] = [
  [
    { role: "lead", place: "backend" },
    { role: "dev", place: "backend" },
  ],
  [
    { role: "lead", place: "backend" },
    { role: "lead", place: "frontend" },
  ],
  [
    { role: "architect", place: "uiux" },
    { role: "architect", place: "none" },
  ],
];
for (const [sender, takenFor] of mistaken) {
  test(`a door that takes ${senderName(sender)} for ${senderName(takenFor)} is found`, async (t) => {
    const exchanges = await doors.library(
      t,
      "yolo/1",
      lettersOf("yolo/1", () => [takenFor]),
    );
    const asIfOf = exchanges.map(({ letter, answer }) => ({ letter: { ...letter, sender }, answer }));
    assert.ok(compare(asIfOf).wrong.length > 0);
  });
}
