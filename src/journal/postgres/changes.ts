/**
 * The statements that write a team's changes: one by itself where nobody holds the team's lock, or those of a transaction.
 */
import type { TeamName } from "../../base/ids.ts";
import type { Changes, Expected } from "../remote/backend.ts";
import { type Statement, statement, type Values } from "./driver.ts";

/** Asks whether the team is still as expected, which one row says. */
export function isStill(team: TeamName, expected: Expected): Statement {
  return statement("isAt", expectedValues(team, expected));
}

/**
 * Writes the changes where the team is still as expected, which one row says. One entry that was decided without heartbeats,
 * as most are, needs less of the server: its id breaks a key where an older entry holds it.
 */
export function writeWhere(team: TeamName, expected: Expected, changes: Changes): Statement {
  const { head, rows, ids, signs, due } = changes;
  const [row, id] = [rows[0], ids[0]];
  const isOne = row !== undefined && rows.length === 1 && ids.length <= 1 && signs.size === 0;
  const isKeyed = expected.absent.every((pair) => pair.id === id?.id && pair.agent === id.agent);
  if (!isOne || !isKeyed || expected.signs.size > 0)
    return statement("writeAt", [...expectedValues(team, expected), ...valuesOf(changes)]);
  const { seq, hash } = expected.head;
  const moved = [team, seq, hash, head.seq, head.hash, head.epoch, due?.rule ?? null, due?.at ?? null];
  const entry = [row.seq, row.hash, Buffer.from(row.text, "utf8")];
  return id === undefined
    ? statement("writeOne", [...moved, ...entry])
    : statement("writeOneWithId", [...moved, ...entry, id.id, id.agent]);
}

/** Whether the server wrote nothing because an entry holds the id. */
export function isIdTaken(error: unknown): boolean {
  return error instanceof Error && "constraint" in error && error.constraint === "once_pkey";
}

/** What must still be so for something to be written. */
function expectedValues(team: TeamName, { head, absent, signs }: Expected): Values {
  const [ids, agents] = [absent.map(({ id }) => id), absent.map(({ agent }) => agent)];
  return [team, head.seq, head.hash, ids, agents, [...signs.keys()], [...signs.values()]];
}

/** Rows, ids, heartbeats and the head, as `writeAt` takes them. */
function valuesOf({ head, rows, ids, signs, due }: Changes): Values {
  return [
    rows.map(({ seq }) => seq),
    rows.map(({ hash }) => hash),
    rows.map(({ text }) => text),
    ids.map(({ id }) => id),
    ids.map(({ agent }) => agent),
    ids.map(({ seq }) => seq),
    [...signs.keys()],
    [...signs.values()],
    head.seq,
    head.hash,
    head.epoch,
    signs.size,
    due?.rule ?? null,
    due?.at ?? null,
  ];
}

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
