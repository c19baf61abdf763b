/**
 * `baton journal import`: an exported journal, or earlier messages and elsewhere. Two passes over the files: the first
 * judges every item and writes nothing, the second records. Memory holds no more than a group of items, so files may be
 * of any size.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TeamName } from "../../base/ids.ts";
import { entryBytesMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { bytesOf, unreadable } from "../../doors/cli/kernel/input.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { problemText } from "../../doors/cli/terminal/output.ts";
import { addressForm } from "../../journal/engines.ts";
import { type Entry, type Head, readEntry } from "../../journal/entry.ts";
import { chooseDialects, type DialectChoice, readingOptions } from "../../mail/text/dialect-choice.ts";
import { eachMessage, placeIn } from "../../mail/text/message-source.ts";
import type { TeamContext } from "../../perform/context.ts";
import { type OpenedJournal, openTeamJournal } from "../../perform/open.ts";
import { checkEntries, type Past, type RestoredStream } from "../../perform/restoring.ts";
import type { LocalTeam } from "../../perform/team.ts";
import { writablePlaceOf } from "../../perform/workspace/place.ts";
import { beginImport, endImport, isImporting } from "../../team/handlers/credentials.ts";
import { type ImportFile, importFiles, newItemReader } from "./import-items.ts";

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
    const begun = done.ok && first.seq === 1 ? await beginImport(contextOf(journal, first.team)) : done;
    return begun.ok ? null : begun.error;
  };
  const problem = await eachText(call, files, async (file, message) => {
    const item = await reader.read(file, message);
    const entry = item.is === "entry" && isMeant(item.entry, options) ? readEntry(item.entry) : null;
    if (entry === null) return null;
    const [first] = group;
    const isApart = first !== undefined && (first.team !== entry.team || first.seq === 1);
    const isFull = group.length >= groupMax || isApart;
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

export const command: Command = {
  isLocal: true,
  isOwners: (given) => !given.flag("dry-run"),
  description:
    "Reads JSON lines: entries of `baton journal export` (also as CloudEvents), which are restored exactly, and messages of\n" +
    "any dialect; an inbox of Claude Code; a phase's folder with its *.jsonl, or a folder of such. What is no entry is recorded\n" +
    "as history: marked as imported, with who is said to have said it, addressed to nobody and without any effect. The same\n" +
    "again is imported once. Every item is checked before one is recorded: if one has an error, nothing is, or with --partial\n" +
    "the others are (exit 2 in both cases). Works where the journal lies, also while a hub runs.",
  positionals: [
    { name: "PATH", required: true, repeatable: true, summary: "files and folders; - reads standard input" },
  ],
  options: [
    ...readingOptions.filter(({ name }) => name === "dialect"),
    { name: "dry-run", kind: "flag", summary: "only say what would be imported" },
    {
      name: "partial",
      kind: "flag",
      summary: "leave out items with an error instead of importing nothing; entries are whole or none",
    },
    {
      name: "as-history",
      kind: "flag",
      summary: "bring in the messages of exported entries instead of restoring them",
    },
  ],
  examples: [
    { line: "baton journal import journal.jsonl", meaning: "the journal that was exported, again" },
    { line: "baton journal import .yolo-planning/phases --dry-run", meaning: "what the folders of all phases hold" },
    {
      line: "baton journal import ~/.claude/teams/session-1234abcd/inboxes",
      meaning: "what Claude Code has not delivered",
    },
  ],
  next: "baton log shows what was imported; baton journal verify recomputes what was restored.",
  run: async (call) => {
    const hub = hubOf(call);
    if (hub !== null) return call.output.fail(throughHub(hub.url));
    const paths = call.given.words("PATH");
    if (paths.filter((path) => path === "-").length > 1)
      return call.output.fail(usageProblem("-", "Standard input can be read once.", "give - once"));
    const sources = await openSources(call, paths);
    if (!sources.ok) return call.output.fail(sources.error);
    try {
      return await importFrom(call, sources.value.files);
    } finally {
      sources.value.dispose();
    }
  },
};

/** The environment names a hub: what goes into a journal here is not what that hub would show. */
function throughHub(url: string): Problem {
  return usageProblem(
    "BATON_HUB",
    "BATON_HUB names a hub, and an import works where the journal lies.",
    `name the journal with --journal ${addressForm}, on the machine that holds it; its hub may run meanwhile`,
    url,
  );
}

type Files = Parameters<typeof judge>[1];

async function importFrom(call: Call, files: Files): Promise<ExitCode> {
  const { output, given } = call;
  const place = await writablePlaceOf(call);
  if (!place.ok) return output.fail(place.error);
  const dialects = await chooseDialects(call);
  if (!dialects.ok) return output.fail(dialects.error);
  const options: ImportOptions = { asHistory: given.flag("as-history"), team: given.text("team") };
  const before = await journalBefore(place.value.address);
  if (!before.ok) return output.fail(before.error);
  const judged = await judge(call, files, dialects.value, before.value, options, problemTeller(call));
  const unfinished = await unfinishedIn(before.value);
  await before.value?.close();
  if (!judged.ok) return output.fail(judged.error);
  if (!unfinished.ok) return output.fail(unfinished.error);
  if (call.signal.aborted) return exitCodes.interrupted;
  const { faulty, isBroken, past, streams } = judged.value;
  const isAllowed = faulty === 0 || (given.flag("partial") && !isBroken);
  if (!isAllowed || given.flag("dry-run")) {
    return tell(call, judged.value, null, isAllowed ? exitCodes.done : exitCodes.refused);
  }
  const fresh = streams.flatMap(({ team, fresh }) => (fresh > 0 ? [team] : []));
  const ending = new Set([...unfinished.value, ...fresh]);
  if (ending.size > 0) {
    const ended = await restoreInto(place.value.address, { fresh, ending }, (journal) =>
      restore(call, files, dialects.value, journal, options),
    );
    if (!ended.ok) return output.fail(ended.error);
    if (ended.value > 0) output.say(accessEnded(ended.value));
  }
  const count = { imported: 0, known: 0 };
  if (past > 0) {
    const team = await openLocal(call, null);
    if (!team.ok) return output.fail(team.error);
    await using opened = team.value;
    const done = await remember(call, files, dialects.value, opened, options);
    if (!done.ok) return output.fail(done.error);
    Object.assign(count, done.value);
  }
  return tell(call, judged.value, count, faulty === 0 ? exitCodes.done : exitCodes.refused);
}

type Journal = Parameters<typeof restore>[3];

/** Teams of the journal, of which an import was killed. */
async function unfinishedIn(journal: OpenedJournal | null): Promise<Result<readonly TeamName[], Problem>> {
  const teams = journal === null ? ok([]) : await journal.teams();
  if (journal === null || !teams.ok) return teams;
  const found: TeamName[] = [];
  for (const team of teams.value) {
    const importing = await isImporting(contextOf(journal, team));
    if (!importing.ok) return importing;
    if (importing.value) found.push(team);
  }
  return ok(found);
}

/** Restores what is new, and ends what of the owner's access came with it and with imports before; answers how much. */
async function restoreInto(
  path: string,
  { fresh, ending }: { readonly fresh: readonly TeamName[]; readonly ending: ReadonlySet<TeamName> },
  act: (journal: Journal) => Promise<Problem | null>,
): Promise<Result<number, Problem>> {
  const opened = await openTeamJournal(path, { create: true });
  if (!opened.ok) return opened;
  await using journal = opened.value;
  for (const team of fresh) {
    const begun = await beginImport(contextOf(journal, team));
    if (!begun.ok) return begun;
  }
  const problem = fresh.length === 0 ? null : await act(journal);
  if (problem !== null) return err(problem);
  let count = 0;
  for (const team of ending) {
    const ended = await endImport(contextOf(journal, team));
    if (!ended.ok) return ended;
    count += ended.value;
  }
  return ok(count);
}

function contextOf(journal: OpenedJournal, team: TeamName): TeamContext {
  return { journal, team, clock: journal.clock };
}

function accessEnded(count: number): string {
  return `Ended here: ${count} of the owner's tokens, links and sessions, which came with the entries. \`baton token create owner\` makes a new token.`;
}

/** The most inputs with an error that are shown to people one by one. */
const toldMax = 50;

function problemTeller(call: Call) {
  let told = 0;
  return (place: string, problems: readonly Problem[]): void => {
    told += 1;
    const { output } = call;
    output.result({ source: place, problems }, () => null);
    if (told > toldMax) return;
    for (const problem of problems) output.say(`${visible(place)}: ${problemText(problem, output.paint.stderr)}`);
    if (told === toldMax) output.say("Further errors are only counted; --json lists all.");
  };
}

/** Reports the result. `count`: null where there is nothing to record. */
function tell(
  call: Call,
  { texts, past, faulty, streams }: Judged,
  count: { readonly imported: number; readonly known: number } | null,
  code: ExitCode,
): ExitCode {
  const recorded = count !== null;
  const restored = streams.map(({ team, head, fresh }) => ({ team, entries: head.seq, fresh, hash: head.hash }));
  call.output.result({ recorded, texts, faulty, past, ...count, restored }, () => {
    const lines = [
      ...restored.map(
        ({ team, entries, fresh }) =>
          `${recorded ? "Restored" : "Would restore"} team ${team}: ${fresh} of ${entries} entries are new here.`,
      ),
      ...(past === 0
        ? []
        : [
            count === null
              ? `Would import ${past} messages as history, without those that are known here.`
              : `Imported ${count.imported} messages as history; ${count.known} were known.`,
          ]),
      ...(faulty === 0 ? [] : [`${faulty} of ${texts} items have an error${recorded ? " and were left out" : ""}.`]),
      ...(recorded || code === exitCodes.done ? [] : ["Nothing was recorded; --partial leaves out what has an error."]),
    ];
    return lines.length === 0 ? "There was nothing to import." : lines.join("\n");
  });
  return code;
}
