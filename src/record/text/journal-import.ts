/**
 * `baton journal import`: an exported journal. Two passes over the files: the first judges every line and writes nothing,
 * the second records. Memory holds no more than a group of entries, so files may be of any size.
 */
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TeamName } from "../../base/ids.ts";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { entryBytesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { bytesOf, unreadable } from "../../doors/cli/kernel/input.ts";
import { hereOnly } from "../../doors/cli/place/here-only.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { problemText } from "../../doors/cli/terminal/output.ts";
import { type Entry, type Head, looksLikeEntry, readEntry } from "../../journal/entry.ts";
import { eachMessage, placeIn, type SourceMessage } from "../../mail/text/message-source.ts";
import type { TeamContext } from "../../perform/context.ts";
import { type OpenedJournal, openTeamJournal } from "../../perform/open.ts";
import { checkEntries, type RestoredStream } from "../../perform/restoring.ts";
import { writablePlaceOf } from "../../perform/workspace/place.ts";
import { beginImport, endImport, isImporting } from "../../team/handlers/credentials.ts";

/** A file to be read. */
interface ImportFile {
  readonly path: string;
  /** As people know it: the path, or `-`. */
  readonly shown: string;
}

/** Only entries of this team are restored; undefined: all are. */
type Meant = string | undefined;

/** What the first pass found. */
interface Judged {
  readonly lines: number;
  readonly faulty: number;
  readonly streams: readonly RestoredStream[];
}

/** Called for each line with an error. */
type ReportProblems = (place: string, problems: readonly Problem[]) => void;

/** The files of `paths`; standard input and pipes, which can be read once, are kept in files until `dispose`. */
async function openSources(
  call: Call,
  paths: readonly string[],
): Promise<Result<{ readonly files: readonly ImportFile[]; dispose(): void }, Problem>> {
  const files: ImportFile[] = [];
  const folders: string[] = [];
  const dispose = () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  for (const path of paths) {
    const kind = path === "-" ? ok("once") : kindOf(path);
    if (kind.ok && kind.value === "file") {
      files.push({ path, shown: path });
      continue;
    }
    const folder = mkdtempSync(join(tmpdir(), "baton-import-"));
    folders.push(folder);
    const kept = kind.ok ? await keep(call, path, folder) : kind;
    if (!kept.ok) {
      dispose();
      return kept;
    }
    files.push(kept.value);
  }
  return ok({ files, dispose });
}

/** Whether a file can be read twice. Refuses what is not there, and a folder. */
function kindOf(path: string): Result<"file" | "once", Problem> {
  try {
    const facts = statSync(path);
    if (facts.isDirectory()) return err(isFolder(path));
    return ok(facts.isFile() ? "file" : "once");
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return err(unreadable(path, cause));
  }
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

/** Judges every line; null: there is no journal yet. Refuses what cannot be read, and entries of another stream. */
async function judge(
  call: Call,
  files: readonly ImportFile[],
  journal: OpenedJournal | null,
  meant: Meant,
  tell: ReportProblems,
): Promise<Result<Judged, Problem>> {
  const heads = await headsOf(journal);
  if (!heads.ok) return heads;
  const entries = checkEntries(journal, heads.value);
  const count = { lines: 0, faulty: 0 };
  const problem = await eachLine(call, files, (file, line) => {
    count.lines += 1;
    const read = entryIn(line.text);
    const taken = read.ok && isMeant(read.value, meant) ? entries.take(read.value) : read;
    if (taken.ok) return null;
    count.faulty += 1;
    tell(placeIn(file.shown, line), [taken.error]);
    return null;
  });
  if (problem !== null) return err(problem);
  const streams = await entries.streams();
  return streams.ok ? ok({ ...count, streams: streams.value }) : streams;
}

/** Appends the entries of the files, a group at a time. */
async function restore(
  call: Call,
  files: readonly ImportFile[],
  journal: OpenedJournal,
  meant: Meant,
): Promise<Problem | null> {
  const group: Entry[] = [];
  const write = async (): Promise<Problem | null> => {
    const [first] = group;
    if (first === undefined) return null;
    const done = await journal.restore(first.team, group.splice(0));
    const begun = done.ok && first.seq === 1 ? await beginImport(contextOf(journal, first.team)) : done;
    return begun.ok ? null : begun.error;
  };
  const problem = await eachLine(call, files, async (_, { text }) => {
    const read = entryIn(text);
    const entry = read.ok && isMeant(read.value, meant) ? readEntry(read.value) : null;
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

const entryLimits = { bytesMax: entryBytesMax, depthMax: 64, nodesMax: 1_000_000 };

/** The entry that a line is, also inside a CloudEvent. Refuses everything else. */
export function entryIn(text: string | Uint8Array): Result<JsonObject, Problem> {
  const parsed = parseBounded(text, entryLimits);
  if (!parsed.ok) return parsed;
  const inside = isJsonObject(parsed.value) && parsed.value.specversion === "1.0" ? parsed.value.data : parsed.value;
  return inside !== undefined && isJsonObject(inside) && looksLikeEntry(inside) ? ok(inside) : err(notExported);
}

const notExported = makeProblem("wrong-value", "$", "This is no entry of a journal.", {
  expected: "a line of `baton journal export`",
  hint: "A project of VBW, YOLO or BMAD is taken over by `baton adopt`.",
});

function isFolder(path: string): Problem {
  return makeProblem("invalid-path", path, "This is a folder.", {
    expected: "a file that `baton journal export` wrote",
    hint: "A project of VBW, YOLO or BMAD is taken over by `baton adopt`.",
  });
}

/** The most entries that are recorded together. */
const groupMax = 256;
/** After so many lines the progress is shown. */
const progressEvery = 20_000;

/** Passes every line to `take`, until it answers with a problem or the command is stopped. */
async function eachLine(
  call: Call,
  files: readonly ImportFile[],
  take: (file: ImportFile, line: SourceMessage) => Promise<Problem | null> | null,
): Promise<Problem | null> {
  let read = 0;
  for (const file of files) {
    let refused: Problem | null = null;
    const problem = await eachMessage(
      call,
      [file.path],
      async (_, line) => {
        if (refused !== null) return;
        refused = await take(file, line);
        read += 1;
        if (call.config.isInteractive() && read % progressEvery === 0) call.output.say(`${read} lines ...`);
      },
      { lineBytesMax: entryBytesMax },
    );
    if (problem !== null || refused !== null) return problem ?? refused;
  }
  return null;
}

function isMeant(value: JsonObject, meant: Meant): boolean {
  return meant === undefined || readEntry(value)?.team === meant;
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
async function journalBefore(path: string): Promise<Result<OpenedJournal | null, Problem>> {
  const opened = await openTeamJournal(path, { create: false, readOnly: true });
  if (opened.ok) return opened;
  return opened.error.code === "journal-missing" ? ok(null) : opened;
}

export const command: Command = {
  isLocal: true,
  isOwners: (given) => !given.flag("dry-run"),
  description:
    "Reads JSON lines, entries of `baton journal export`, and restores them exactly. The same again adds\n" +
    "nothing, so an import that was killed is just run again. Every line is checked before one is recorded: if one has an\n" +
    "error, nothing is (exit 2). Works where the journal lies, also while a hub runs.",
  positionals: [{ name: "PATH", required: true, repeatable: true, summary: "files; - reads standard input" }],
  options: [{ name: "dry-run", kind: "flag", summary: "only say what would be imported" }],
  examples: [
    { line: "baton journal import journal.jsonl", meaning: "the journal that was exported, again" },
    { line: "baton journal import journal.jsonl --dry-run", meaning: "would it be the same journal?" },
  ],
  next: "baton log shows what was imported; baton journal verify recomputes what was restored.",
  run: async (call) => {
    const hub = hubOf(call);
    if (hub !== null) return call.output.fail(hereOnly(hub.url, "an import works where the journal lies"));
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

async function importFrom(call: Call, files: readonly ImportFile[]): Promise<ExitCode> {
  const { output, given } = call;
  const place = await writablePlaceOf(call);
  if (!place.ok) return output.fail(place.error);
  const meant = given.text("team");
  const before = await journalBefore(place.value.address);
  if (!before.ok) return output.fail(before.error);
  const judged = await judge(call, files, before.value, meant, problemTeller(call));
  const unfinished = await unfinishedIn(before.value);
  await before.value?.close();
  if (!judged.ok) return output.fail(judged.error);
  if (!unfinished.ok) return output.fail(unfinished.error);
  if (call.signal.aborted) return exitCodes.interrupted;
  const { faulty, streams } = judged.value;
  if (faulty > 0 || given.flag("dry-run")) return tell(call, judged.value, false);
  const fresh = streams.flatMap(({ team, fresh }) => (fresh > 0 ? [team] : []));
  const ending = new Set([...unfinished.value, ...fresh]);
  if (ending.size > 0) {
    const ended = await restoreInto(place.value.address, { fresh, ending }, (journal) =>
      restore(call, files, journal, meant),
    );
    if (!ended.ok) return output.fail(ended.error);
    if (ended.value > 0) output.say(accessEnded(ended.value));
  }
  return tell(call, judged.value, true);
}

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
  act: (journal: OpenedJournal) => Promise<Problem | null>,
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

/** Reports the result. */
function tell(call: Call, { lines, faulty, streams }: Judged, recorded: boolean): ExitCode {
  const restored = streams.map(({ team, head, fresh }) => ({ team, entries: head.seq, fresh, hash: head.hash }));
  call.output.result({ recorded, lines, faulty, restored }, () => {
    const said = [
      ...restored.map(
        ({ team, entries, fresh }) =>
          `${recorded ? "Restored" : "Would restore"} team ${team}: ${fresh} of ${entries} entries are new here.`,
      ),
      ...(faulty === 0 ? [] : [`${faulty} of ${lines} lines have an error. Nothing was recorded.`]),
    ];
    return said.length === 0 ? "There was nothing to import." : said.join("\n");
  });
  return faulty === 0 ? exitCodes.done : exitCodes.refused;
}
