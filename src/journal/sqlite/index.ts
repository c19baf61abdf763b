/** The door `./journal/sqlite`: a journal in one SQLite file, shared by the processes of one machine. */

export type { FileSystemType } from "./files/place.ts";
export type { SqliteJournal } from "./handle.ts";
export { openSqliteJournal, type SqliteOptions } from "./open.ts";
