/**
 * Verifying the file itself: its pages, whose it is, its tables, and the rows of marks.
 * Source: docs/protocol/journal.md, section 13.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Problem } from "../../../base/problem.ts";
import { broken } from "../../chain.ts";
import { applicationId, migrations, pragmaNumber, schemaVersion } from "../migrate.ts";
import { marksChecksum } from "../store.ts";
import type { Stream } from "./verify-stream.ts";

/** SQLite's own check of its pages and indexes. */
export function checkPages(db: DatabaseSync, path: string): readonly Problem[] {
  const rows = db
    .prepare("PRAGMA integrity_check")
    .all()
    .map((row) => String(row.integrity_check));
  return rows.filter((row) => row !== "ok").map((row) => broken(path, `SQLite's integrity check: ${row}`));
}

/** The file's form: whose it is, its version, and the tables word for word. */
export function checkForm(db: DatabaseSync, path: string): readonly Problem[] {
  const found = db
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    .all()
    .map((row) => String(row.sql));
  const expected = migrations.flat();
  const isSame = found.toSorted().join("\n") === expected.toSorted().join("\n");
  const isOwn =
    pragmaNumber(db, "application_id") === applicationId && pragmaNumber(db, "user_version") === schemaVersion;
  return isSame && isOwn ? [] : [broken(path, "The definition of the tables is not the one that this Baton writes.")];
}

/** Every row of marks must have its checksum. */
export function checkMarks(
  db: DatabaseSync,
  streams: readonly Pick<Stream<unknown>, "number" | "team">[],
): readonly Problem[] {
  const teams = new Map(streams.map(({ number, team }) => [number, team]));
  const faults: Problem[] = [];
  for (const row of db.prepare("SELECT team, agent, offered, seen, checksum FROM mark").all()) {
    const number = Number(row.team);
    const agent = String(row.agent);
    const marks = { offered: Number(row.offered), seen: Number(row.seen) };
    if (teams.has(number) && row.checksum === marksChecksum(number, agent, marks)) continue;
    faults.push(
      broken(`${teams.get(number) ?? number} marks of ${agent}`, "The marks of this agent have changed by themselves."),
    );
  }
  return faults;
}
