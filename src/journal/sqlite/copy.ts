/**
 * The copy of a journal of any engine: its entries restored into a new journal in a file, with the marks and heartbeats
 * that are kept next to them. The copy gets its name when it is complete.
 */
import { renameSync, rmSync } from "node:fs";
import type { TeamName } from "../../base/ids.ts";
import { reasonOf } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { anchorPath } from "../anchor-file.ts";
import type { Journal, Projection } from "../journal.ts";
import { takenProblem } from "./files/backup.ts";
import type { SqliteJournal } from "./handle.ts";
import { openSqliteJournal } from "./open.ts";
import { cannotOpenProblem } from "./sqlite-errors.ts";

/** A copy folds nothing: the code that opens it has a projection and folds the entries. */
const nothing: Projection<null> = {
  version: "copy-1",
  initial: () => null,
  evolve: () => null,
  encode: () => "",
  decode: () => null,
};

/** Copies everything of `source` to `file`. Problems as of `copyJournal`. */
export async function copyEntries<State>(source: Journal<State>, file: string): Promise<Result<void, Problem>> {
  const taken = takenProblem(file);
  if (taken !== null) return err(taken);
  const draft = `${file}.part`;
  removeDraft(draft);
  try {
    const opened = await openSqliteJournal(draft, nothing);
    if (!opened.ok) return opened;
    const copied = await copyTeams(source, opened.value);
    // Closing takes the log into the file and moves the anchor to the head.
    await opened.value.close();
    if (!copied.ok) return copied;
    renameSync(anchorPath(draft), anchorPath(file));
    renameSync(draft, file);
    return ok(undefined);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause)) throw cause;
    return err(cannotOpenProblem(file, reasonOf(cause)));
  } finally {
    removeDraft(draft);
  }
}

function removeDraft(draft: string): void {
  for (const path of [draft, `${draft}-wal`, `${draft}-shm`, anchorPath(draft)]) rmSync(path, { force: true });
}

async function copyTeams<State>(source: Journal<State>, copy: SqliteJournal<null>): Promise<Result<void, Problem>> {
  const teams = await source.teams();
  if (!teams.ok) return teams;
  for (const team of teams.value) {
    const agents = await copyStream(source, copy, team);
    if (!agents.ok) return agents;
    const kept = await copyAgents(source, copy, team, agents.value);
    if (!kept.ok) return kept;
  }
  return ok(undefined);
}

/** Copies a team's entries page by page; answers the agents that they name. */
async function copyStream<State>(
  source: Journal<State>,
  copy: SqliteJournal<null>,
  team: TeamName,
): Promise<Result<ReadonlySet<string>, Problem>> {
  const agents = new Set<string>();
  for (let after: number | null = 0; after !== null; ) {
    const page = await source.read(team, { after });
    if (!page.ok) return page;
    const { entries, next } = page.value;
    const restored = await copy.restore(team, entries);
    if (!restored.ok) return restored;
    for (const { receivers, principal } of entries)
      for (const agent of [...receivers, principal.agent]) agents.add(agent);
    after = next;
  }
  return ok(agents);
}

/** Copies what is kept of each agent next to the entries. */
async function copyAgents<State>(
  source: Journal<State>,
  copy: SqliteJournal<null>,
  team: TeamName,
  agents: ReadonlySet<string>,
): Promise<Result<void, Problem>> {
  for (const agent of agents) {
    const marks = await source.marks(team, agent);
    if (!marks.ok) return marks;
    const marked = await copy.mark(team, agent, marks.value);
    if (!marked.ok) return marked;
  }
  const signs = await source.signsOfLife(team);
  if (!signs.ok) return signs;
  for (const [agent, at] of signs.value) {
    const signed = await copy.signOfLife(team, agent, () => at);
    if (!signed.ok) return signed;
  }
  const notes = await source.notes(team);
  if (!notes.ok) return notes;
  for (const [agent, text] of notes.value) {
    const noted = await copy.note(team, agent, () => text);
    if (!noted.ok) return noted;
  }
  return ok(undefined);
}
