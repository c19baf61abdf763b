/**
 * An import in two passes over its files: the first judges every item and writes nothing, the second records. Memory
 * holds no more than a group of items, so files may be of any size.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TeamName } from "../../base/ids.ts";
import { entryBytesMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { bytesOf, unreadable } from "../../doors/cli/kernel/input.ts";
import { type Entry, type Head, readEntry } from "../../journal/entry.ts";
import type { DialectChoice } from "../../mail/text/dialect-choice.ts";
import { eachMessage, placeIn } from "../../mail/text/message-source.ts";
import { type OpenedJournal, openTeamJournal } from "../../perform/open.ts";
import { checkEntries, type Past, type RestoredStream } from "../../perform/restoring.ts";
import type { LocalTeam } from "../../perform/team.ts";
import { newItemReader } from "./import-items.ts";
import { type ImportFile, importFiles } from "./import-sources.ts";

export interface ImportOptions {
  readonly asHistory: boolean;
  /** Only entries of this team are restored. */
  readonly team: string | undefined;
}

/** What the first pass found. */
export interface Judged {
  readonly texts: number;
  /** Items that contain a message and are no journal entries. */
  readonly past: number;
  readonly faulty: number;
  /** Whether an entry is among the faulty: a stream is whole or it is none. */
  readonly isBroken: boolean;
  readonly streams: readonly RestoredStream[];
}

/** Called for each item with an error. */
export type ReportProblems = (place: string, problems: readonly Problem[]) => void;

/** The files of `paths`; standard input and pipes, which can be read once, are kept in files until `dispose`. */
export async function openSources(
  call: Call,
  paths: readonly string[],
): Promise<Result<{ readonly files: readonly ImportFile[]; dispose(): void }, Problem>> {
  const files: ImportFile[] = [];
  const folders: string[] = [];
  const dispose = () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  for (const path of paths) {
    const found = path === "-" ? ok([{ path, shown: path, isOnce: true as const }]) : importFiles(path);
    if (!found.ok) {
      dispose();
      return found;
    }
    for (const file of found.value) {
      if (!("isOnce" in file)) {
        files.push(file);
        continue;
      }
      const folder = mkdtempSync(join(tmpdir(), "baton-import-"));
      folders.push(folder);
      const kept = await keep(call, path, folder);
      if (!kept.ok) {
        dispose();
        return kept;
      }
      files.push(kept.value);
    }
  }
  return ok({ files, dispose });
}

async function keep(call: Call, source: string, folder: string): Promise<Result<ImportFile, Problem>> {
  chmodSync(folder, 0o700);
  const path = join(folder, "input");
  await using file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of bytesOf(source, call.signal)) await file.writeFile(chunk);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return err(unreadable(source, cause));
  }
  return ok({ path, shown: source });
}

/**
 * Judges every item. `journal`: null where there is none yet. Refuses what cannot be read, and entries of another
 * stream.
 */
export async function judge(
  call: Call,
  files: readonly ImportFile[],
  dialects: DialectChoice,
  journal: OpenedJournal | null,
  options: ImportOptions,
  tell: ReportProblems,
): Promise<Result<Judged, Problem>> {
  const heads = await headsOf(journal);
  if (!heads.ok) return heads;
  const entries = checkEntries(journal, heads.value);
  const reader = newItemReader(dialects, options);
  const count = { texts: 0, past: 0, faulty: 0, isBroken: false };
  const problem = await eachText(call, files, async (file, message) => {
    count.texts += 1;
    const item = await reader.read(file, message);
    if (item.is === "past") count.past += item.past.length;
    const taken = item.is === "entry" && isMeant(item.entry, options) ? entries.take(item.entry) : null;
    const problems = item.is === "faulty" ? item.problems : taken?.ok === false ? [taken.error] : [];
    if (problems.length === 0) return null;
    count.faulty += 1;
    count.isBroken ||= item.is === "entry";
    tell(placeIn(file.shown, message), problems);
    return null;
  });
  if (problem !== null) return err(problem);
  const streams = await entries.streams();
  return streams.ok ? ok({ ...count, streams: streams.value }) : streams;
}

/** Appends the entries of the files, a group at a time. */
export async function restore(
  call: Call,
  files: readonly ImportFile[],
  dialects: DialectChoice,
  journal: OpenedJournal,
  options: ImportOptions,
): Promise<Problem | null> {
  const reader = newItemReader(dialects, options);
  const group: Entry[] = [];
  const write = async (): Promise<Problem | null> => {
    const [first] = group;
    if (first === undefined) return null;
    const done = await journal.restore(first.team, group.splice(0));
    return done.ok ? null : done.error;
  };
  const problem = await eachText(call, files, async (file, message) => {
    const item = await reader.read(file, message);
    const entry = item.is === "entry" && isMeant(item.entry, options) ? readEntry(item.entry) : null;
    if (entry === null) return null;
    const isFull = group.length >= groupMax || (group.length > 0 && group[0]?.team !== entry.team);
    const refused = isFull ? await write() : null;
    group.push(entry);
    return refused;
  });
  return problem ?? (await write());
}

/** Records earlier messages, a group in one transaction. Returns how much of it was new, and how much known. */
export async function remember(
  call: Call,
  files: readonly ImportFile[],
  dialects: DialectChoice,
  team: LocalTeam,
  options: ImportOptions,
): Promise<Result<{ readonly imported: number; readonly known: number }, Problem>> {
  const reader = newItemReader(dialects, options);
  const count = { imported: 0, known: 0 };
  const group: Past[] = [];
  const write = async (): Promise<Problem | null> => {
    for (const done of await Promise.all(group.splice(0).map((past) => team.remember(past)))) {
      if (!done.ok) return done.error;
      count[done.value] += 1;
    }
    return null;
  };
  const problem = await eachText(call, files, async (file, message) => {
    const item = await reader.read(file, message);
    if (item.is !== "past") return null;
    group.push(...item.past);
    return group.length >= groupMax ? await write() : null;
  });
  const refused = problem ?? (await write());
  return refused === null ? ok(count) : err(refused);
}

/** The most items that are recorded together. */
const groupMax = 256;
/** After so many items the progress is shown. */
const progressEvery = 20_000;

type Message = Parameters<Parameters<typeof eachMessage>[2]>[1];

/** Passes every item to `take`, until it answers with a problem or the command is stopped. */
async function eachText(
  call: Call,
  files: readonly ImportFile[],
  take: (file: ImportFile, message: Message) => Promise<Problem | null>,
): Promise<Problem | null> {
  let read = 0;
  for (const file of files) {
    let refused: Problem | null = null;
    const problem = await eachMessage(
      call,
      [file.path],
      async (_, message) => {
        if (refused !== null) return;
        refused = await take(file, message);
        read += 1;
        if (call.config.isInteractive() && read % progressEvery === 0) call.output.say(`${read} lines ...`);
      },
      { lineBytesMax: entryBytesMax, hasEvents: true },
    );
    if (problem !== null || refused !== null) return problem ?? refused;
  }
  return null;
}

function isMeant(value: Parameters<typeof readEntry>[0], { team }: ImportOptions): boolean {
  return team === undefined || readEntry(value)?.team === team;
}

async function headsOf(journal: OpenedJournal | null): Promise<Result<ReadonlyMap<TeamName, Head>, Problem>> {
  const heads = new Map<TeamName, Head>();
  const teams = journal === null ? ok([]) : await journal.teams();
  if (!teams.ok) return teams;
  for (const team of teams.value) {
    const folded = await journal?.state(team);
    if (folded === undefined) continue;
    if (!folded.ok) return folded;
    heads.set(team, folded.value.head);
  }
  return ok(heads);
}

/** The journal as it is now, for the first pass; null: there is none yet. */
export async function journalBefore(path: string): Promise<Result<OpenedJournal | null, Problem>> {
  const opened = await openTeamJournal(path, { create: false, readOnly: true });
  if (opened.ok) return opened;
  return opened.error.code === "journal-missing" ? ok(null) : opened;
}
