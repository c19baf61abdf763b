/** The door `./journal/sqlite`: a journal in one SQLite file, shared by the processes of one machine. */
export type { SqliteJournal } from "./handle.ts";
export { openSqliteJournal, type SqliteOptions } from "./open.ts";
export type { FileSystemType } from "./place.ts";
