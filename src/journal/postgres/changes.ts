/**
 * The statements of one transaction: what it writes, and before that what it gives up or puts back, in parts that the server
 * answers in time.
 */
import type { TeamName } from "../../base/ids.ts";
import type { Changes } from "../remote/backend.ts";
import { type Statement, statement } from "./driver.ts";

/** What the changes write, and the new head. */
export function statementsOf(team: TeamName, { head, rows, ids, signs, notes, due }: Changes): readonly Statement[] {
  const asked: Statement[] = [];
  if (rows.length > 0) asked.push(addEntries(team, rows));
  if (rows.length > 0 || signs.size > 0)
    asked.push(
      statement("moveHead", [team, head.seq, head.hash, head.epoch, signs.size, due?.rule ?? null, due?.at ?? null]),
    );
  if (ids.length > 0) asked.push(addIds(team, ids));
  if (signs.size > 0) asked.push(statement("putSigns", [team, [...signs.keys()], [...signs.values()]]));
  if (notes.size > 0) asked.push(statement("putNotes", [team, [...notes.keys()], [...notes.values()]]));
  return asked;
}

function addEntries(team: TeamName, rows: Changes["rows"]): Statement {
  const columns = [rows.map(({ seq }) => seq), rows.map(({ hash }) => hash), rows.map(({ text }) => text)];
  return statement("addEntries", [team, ...columns]);
}

function addIds(team: TeamName, ids: Changes["ids"]): Statement {
  const columns = [ids.map(({ id }) => id), ids.map(({ agent }) => agent), ids.map(({ seq }) => seq)];
  return statement("addIds", [team, ...columns]);
}

/** Entries that one statement gives up or puts back, so that each is answered in time. */
const changedRows = 2_000;
/** The same in characters of entries that are put back. */
const changedSize = 4_000_000;

/** What gives up entries or puts them back, part by part in the one transaction. */
export function* startOf(team: TeamName, { giveUpBefore, putBack }: Changes): Iterable<Statement> {
  for (let seq = 1; giveUpBefore !== undefined && seq < giveUpBefore; seq += changedRows)
    yield statement("giveUpEntries", [team, seq, Math.min(seq + changedRows, giveUpBefore)]);
  if (giveUpBefore !== undefined)
    yield* [statement("giveUpIds", [team, giveUpBefore]), statement("giveUpSnapshot", [team])];
  for (const { rows, ids } of partsOf(putBack ?? [])) {
    yield addEntries(team, rows);
    if (ids.length > 0) yield addIds(team, ids);
  }
}

/** What is put back, in parts that one statement takes; at no time more than one of them is in memory. */
function* partsOf(putBack: NonNullable<Changes["putBack"]>): Iterable<Pick<Changes, "rows" | "ids">> {
  let [rows, ids, size]: [Changes["rows"][number][], Changes["ids"][number][], number] = [[], [], 0];
  for (const { row, ids: taken } of putBack) {
    rows.push(row);
    ids.push(...taken);
    size += row.text.length;
    if (rows.length < changedRows && size < changedSize) continue;
    yield { rows, ids };
    [rows, ids, size] = [[], [], 0];
  }
  if (rows.length > 0) yield { rows, ids };
}
