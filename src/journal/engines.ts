/**
 * Which engine a journal's address names, and how it is opened, copied and moved. Nothing above `journal/` knows an
 * engine: it passes on the address that a person gave and works with the contract. An engine's code is loaded when a
 * journal of its kind is opened; the drivers of servers are packages that install apart. An address is a URL such as
 * `sqlite:PATH`; programs may give a path instead, which is a journal in a file.
 * Rules: docs/protocol/record.md, sections 23 to 25.
 */
import { sha256 } from "../base/canonical.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isAtLeast } from "../base/text.ts";
import type { CopiedTeam } from "./copy-teams.ts";
import type { Journal, JournalOptions, Projection } from "./journal.ts";

/** The schemes that this build can open; each names its engine. */
type ServerScheme = "postgres" | "nats";

/** An address that was read. */
export type JournalAddress =
  | {
      readonly scheme: "sqlite";
      /** The journal's file on this machine, as it was written: perhaps relative. */
      readonly file: string;
    }
  | {
      readonly scheme: ServerScheme;
      /** The server, perhaps with credentials: for opening only, and never shown. */
      readonly url: string;
    };

type Opener = <State>(
  /** What follows the scheme of a journal in a file; the whole URL of one in a server. */
  where: string,
  projection: Projection<State>,
  options: JournalOptions,
) => Promise<Result<Journal<State>, Problem>>;

const openers: Readonly<Record<JournalAddress["scheme"], () => Promise<Opener>>> = {
  sqlite: async () => (await import("./sqlite/open.ts")).openSqliteJournal,
  postgres: async () => (await import("./postgres/open.ts")).openPostgresJournal,
  nats: async () => (await import("./nats/open.ts")).openNatsJournal,
};

/**
 * Takes a lock between processes of this machine, in a file at `path` that holds nothing; null: somebody has it. The system
 * frees it when its holder ends, however that happens. Refuses with the reason what cannot be locked, such as a link.
 */
export async function takeFileLock(path: string): Promise<Result<Disposable | null, string>> {
  const { takeSqliteLock } = await import("./sqlite/file-lock.ts");
  return takeSqliteLock(path);
}

/** How an address is written where the journal is the file `path`. */
export function fileAddress(path: string): string {
  return `sqlite:${path}`;
}

/** How an address is written, for people. */
export const addressForm = fileAddress("PATH");
/** The same of a journal in a server. */
export const serverForm = "postgres://USER@HOST/DATABASE";
/** Every form of such an address. */
export const serverForms = `${serverForm} or nats://HOST/NAME`;

/** The engine of a URL that names a server; null: it names none. */
function serverScheme(url: string): ServerScheme | null {
  if (/^postgres(?:ql)?:\/\//.test(url)) return "postgres";
  return url.startsWith("nats://") ? "nats" : null;
}

/**
 * Reads the URL that a person gave; `subject` names the argument. Refuses with `wrong-usage` what is no such URL, and
 * a path, whose URL the hint gives.
 */
export function readJournalUrl(url: string, subject: string): Result<JournalAddress, Problem> {
  const [, scheme = "", rest = ""] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  // Two more slashes, as other URLs have them, change nothing of an absolute path.
  if (scheme === "sqlite" && rest !== "") return ok({ scheme, file: rest.replace(/^\/\/(?=\/)/, "") });
  const server = serverScheme(url);
  if (server !== null) return ok({ scheme: server, url });
  const hint = `write --journal ${scheme === "" ? fileAddress(url) : addressForm}`;
  return err(
    makeProblem("wrong-usage", subject, "This is not the URL of a journal.", { hint, received: shownAddress(url) }),
  );
}

/** Reads an address as programs give it: a URL, or the path of a journal in a file. */
function readAddress(address: string): Result<JournalAddress, Problem> {
  if (address.startsWith("sqlite:")) return ok({ scheme: "sqlite", file: address.slice("sqlite:".length) });
  const server = serverScheme(address);
  if (server !== null) return ok({ scheme: server, url: address });
  if (!/^[a-z][a-z0-9+.-]+:\/\//.test(address)) return ok({ scheme: "sqlite", file: address });
  return err(
    makeProblem("wrong-usage", shownAddress(address), "This build opens no journals of this kind.", {
      expected: `${addressForm}, ${serverForms}, or a path`,
    }),
  );
}

/** Whether the address names a journal in a server, which every machine can reach. */
export function isServerAddress(address: string): boolean {
  return serverScheme(address) !== null;
}

/**
 * The name, in a state folder, under which notes about a journal in a server lie: the hubs of this machine that serve it,
 * the codes for a browser. The same for every user of it.
 */
export function serverFileName(address: string): string {
  const shown = shownAddress(address);
  // How the servers of NATS are asked is said behind a question mark, and which journal it is before it.
  const named = serverScheme(address) === "nats" ? (shown.split("?", 1)[0] ?? shown) : shown;
  return `server-${sha256(named).slice(0, 16)}`;
}

/** An address without the credentials that it may hold, for people and logs. */
export function shownAddress(address: string): string {
  // A slash that a person left out makes no credentials of a server less secret; a file's name may hold an at sign.
  const logins = /(:\/\/|^(?!sqlite:)[a-z]+:\/?)[^/?#]*@/g;
  return address.replace(logins, "$1").replace(/([?&](?:password|sslkey|options)=)[^&#]*/gi, "$1…");
}

/**
 * Opens the journal at `address`, a URL or a path. Refuses with `wrong-usage` an engine that this build does not have, with
 * `journal-cannot-open` one whose driver is not installed, and with the `journal-*` problems of the engine.
 */
export async function openJournal<State>(
  address: string,
  projection: Projection<State>,
  options: JournalOptions = {},
): Promise<Result<Journal<State>, Problem>> {
  const read = readAddress(address);
  if (!read.ok) return read;
  const open = await openers[read.value.scheme]();
  return await open(read.value.scheme === "sqlite" ? read.value.file : read.value.url, projection, options);
}

/** What this machine has of an engine. */
export interface EngineCheck {
  readonly engine: string;
  /** Its version, or why it cannot be used. */
  readonly finding: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}

/** Looks at what the engines need of this machine. */
export function checkEngines(): readonly EngineCheck[] {
  return [checkLibrary(process.versions.sqlite)];
}

/** The media type of a copy. */
export const copyMediaType = "application/vnd.sqlite3";
/** What a copy is, for people. */
export const copyKind = "A SQLite database.";

/**
 * Writes a copy to `file`, an absolute path. It is there whole or not at all. Refuses with `already-exists` where a file
 * is there, with the problems of reading the journal, and with those of writing a new one.
 */
export async function copyJournal<State>(journal: Journal<State>, file: string): Promise<Result<void, Problem>> {
  if (journal.copyTo !== undefined) return await journal.copyTo(file);
  const { copyIntoFile } = await import("./sqlite/copy.ts");
  return await copyIntoFile(journal, file);
}

/** What was copied into a journal. */
export interface CopiedTeams {
  /** The journal's address, without credentials. */
  readonly place: string;
  readonly teams: readonly CopiedTeam[];
}

/**
 * Copies the entries of the journal at `from` into the one at `to`, which is made where there is none, and verifies it.
 * Refuses with `wrong-value` where `to` has entries that `from` does not have, and with the problems of both.
 */
export async function copyEntries(from: string, to: string): Promise<Result<CopiedTeams, Problem>> {
  const { copyTeams, unfolded } = await import("./copy-teams.ts");
  const source = await openJournal(from, unfolded, { create: false, readOnly: true });
  if (!source.ok) return source;
  await using opened = source.value;
  const target = await openJournal(to, unfolded);
  if (!target.ok) return target;
  await using copy = target.value;
  const teams = await copyTeams(opened, copy);
  if (!teams.ok) return teams;
  const [problem] = (await copy.verify()).problems;
  return problem === undefined ? ok({ place: copy.place, teams: teams.value }) : err(problem);
}

export { type OldJournal, oldJournalAt } from "./sqlite/files/file-header.ts";

/**
 * Moves the journal at `from` to `to`, where none may be yet, or finishes a move that was interrupted. Both absolute; the
 * folder of `to` exists. Refuses with `journal-busy` while another process has it open, and with the problems of opening.
 */
export async function moveJournal(from: string, to: string): Promise<Result<void, Problem>> {
  const { moveJournal: move } = await import("./sqlite/move.ts");
  return await move(from, to);
}

/** Watches a journal in a file for commits of anybody, as `sqlite/commit-watch.ts` says. */
export async function watchCommits(file: string, signal: AbortSignal): Promise<() => boolean> {
  const look = await import("./sqlite/commit-watch.ts");
  return look.watchCommits(file, signal);
}

/** Below this version of SQLite, processes that share a file can corrupt it. */
const sqliteVersionMin = [3, 51, 3] as const;

/** Whether the SQLite of this Node is new enough; `version` undefined: it has none. */
function checkLibrary(version: string | undefined): EngineCheck {
  if (version === undefined)
    return { engine: "sqlite", finding: "this Node has no SQLite", advice: "use an official build of Node" };
  if (isAtLeast(version, sqliteVersionMin)) return { engine: "sqlite", finding: version, advice: null };
  return {
    engine: "sqlite",
    finding: `${version} can corrupt a journal that several processes write`,
    advice: `use a Node that brings SQLite ${sqliteVersionMin.join(".")} or newer`,
  };
}
