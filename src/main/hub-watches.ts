/**
 * The team file while a hub runs: an edit is recorded as the next revision, and one that cannot be taken is reported
 * once, with the line that is wrong. The file is looked at rather than watched for events, which editors, git and
 * network folders report in different ways.
 */
import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err } from "../base/result.ts";
import type { HubLog } from "../doors/http/index.ts";
import { ownerName, unknownAuthor } from "../messages/principal.ts";
import type { Hub } from "../perform/hub.ts";
import { readTeamTexts } from "../perform/workspace/team-files.ts";
import { type LookMemory, type SyncedPlace, syncFolder } from "../planning/folders/folder-sync.ts";
import type { Revised } from "../team/handlers/revision.ts";
import type { TeamFileText } from "../team/handlers/team-file.ts";

/** How often the file is looked at, in milliseconds. */
const lookMs = 1_000;

/** Looks at the team's files until `signal` aborts; `recorded` is what of them is recorded already. */
export async function watchTeamFile(hub: Hub, recorded: TeamFileText, log: HubLog, signal: AbortSignal): Promise<void> {
  const { path } = recorded;
  let seen = await marksOf(path);
  let known = JSON.stringify(recorded);
  // What was written between the hub's reading and the first look is read as well.
  let isFirst = true;
  while (!signal.aborted) {
    const marks = await marksOf(path);
    if (marks !== seen || isFirst) {
      const now = readTeamTexts(path);
      if (!now.ok) await refuse(hub, [now.error], path, log);
      else if (now.value === null && !isFirst) log.warn({ path }, "the team file is gone; the revision in force stays");
      else if (now.value !== null && JSON.stringify(now.value) !== known) {
        known = JSON.stringify(now.value);
        await take(hub, now.value, log);
      }
      seen = marks;
      isFirst = false;
    }
    await systemClock.wait(lookMs, signal);
  }
}

async function take(hub: Hub, file: TeamFileText, log: HubLog): Promise<void> {
  const revised = await hub.revise(file);
  if (!revised.ok) return refuse(hub, revised.error, file.path, log);
  tellRevised(revised.value, { path: file.path, revision: await revisionOf(hub) }, log);
}

/** Says of the team file that was there at the start what waits for the owner, and that it is older than the team's. */
export function tellFound(found: Revised | null, facts: { readonly path: string }, log: HubLog): void {
  if (found !== null && (found.proposal ?? found.older) !== null) tellRevised(found, facts, log);
}

/** Says what became of the team file, and what of it waits for the owner. */
function tellRevised(
  { proposal, older }: Revised,
  facts: { readonly path: string; readonly revision?: number | "unknown" },
  log: HubLog,
): void {
  if (older !== null) {
    log.warn({ path: facts.path, why: `${older.message} ${older.hint}` }, "the team file is not taken");
    return;
  }
  if (proposal === null) {
    log.info(facts, "the team file is recorded");
    return;
  }
  const { id, status, changes } = proposal;
  const told = { ...facts, proposal: id };
  const waiting = changes.filter(({ waits }) => waits).map(({ place }) => place);
  if (status === "declined") log.warn(told, "the team file differs from what is in force: its change was declined");
  else {
    const words = "the team file has a change that the owner must confirm: `baton team` shows it, and so does the page";
    log.warn({ ...told, changes: waiting.slice(0, 20), count: waiting.length }, words);
  }
}

async function refuse(hub: Hub, problems: readonly Problem[], path: string, log: HubLog): Promise<void> {
  const [first = makeProblem("team-file", path, "The file cannot be taken.")] = problems;
  const words = [first.message, first.hint].filter((part) => part !== undefined).join(" ");
  log.warn(
    { code: first.code, at: first.path },
    `the team file is not taken: ${words} Revision ${await revisionOf(hub)} stays in force.`,
  );
}

async function revisionOf(hub: Hub): Promise<number | "unknown"> {
  const inForce = await hub.revision();
  return inForce.ok ? inForce.value : "unknown";
}

/**
 * What distinguishes one state of the team's files from another: of the team file, and of the message types next to it.
 */
async function marksOf(path: string): Promise<string> {
  const folder = join(dirname(path), "messages");
  const marks = await Promise.all([path, ...(await namesIn(folder))].map(markOf));
  return marks.join("|");
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.toSorted().map((name) => join(folder, name));
  } catch {
    // Most teams have no custom message types.
    return [];
  }
}

async function markOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await lstat(path);
    return `${path} ${mtimeMs} ${size} ${ino}`;
  } catch {
    return `${path} is not there`;
  }
}

/*
 * A hub's watch on the planning folder of another tool, where the team file in force names one: what other tools write is
 * taken in, and what the team does is written. Source: docs/protocol/record.md, section 29.
 */

/** How often the record's head is compared, and the folder looked through, in milliseconds. */
const folderLookMs = 1_000;
const folderWalkMs = 5_000;

/** Keeps the folder in step until `signal` aborts. What cannot be done is logged once, and tried again. */
export async function watchPlanning(
  hub: Hub,
  team: TeamName,
  { project, state }: Pick<SyncedPlace, "project" | "state">,
  log: HubLog,
  signal: AbortSignal,
): Promise<void> {
  const told = new Set<string>();
  const memory: LookMemory = { last: null };
  let head = -1;
  let lookedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const folded = await hub.journal.state(team);
    const { planning: folder, scope } = (folded.ok ? folded.value.state.team.definition : null) ?? {};
    const seq = folded.ok ? folded.value.head.seq : head;
    const isWalk = systemClock.monotonic() - lookedAt >= folderWalkMs;
    const isDue = seq !== head || isWalk;
    if (folder !== undefined && isDue && hub.journal.condition().condition === "ready") {
      const place = { project, folder, state, isStrict: scope === "strict", isQuick: !isWalk, memory, signal };
      const { warnings, isDone } = await lookAtPlanning(hub, team, place);
      for (const [why, facts] of warnings) {
        if (!told.has(why)) log.warn(facts, why);
        told.add(why);
      }
      const after = await hub.journal.state(team);
      // What came in by this very look is written by the next one; and where it was another hub's turn, it may end now.
      head = isDone && after.ok && after.value.head.seq === seq ? seq : -1;
      if (isWalk && isDone) lookedAt = systemClock.monotonic();
    }
    await systemClock.wait(folderLookMs, signal);
  }
}

type Warning = readonly [why: string, facts: { readonly [fact: string]: string | number | null }];

/** One look. `isDone`: not while another hub looks. */
interface PlanningLook {
  readonly warnings: readonly Warning[];
  readonly isDone: boolean;
}

async function lookAtPlanning(hub: Hub, team: TeamName, place: SyncedPlace): Promise<PlanningLook> {
  const owner = await hub.localTeam(team, { agent: ownerName, via: "launcher" });
  // A team without entries has nothing to show yet.
  if (!owner.ok) return { warnings: [], isDone: true };
  const openAuthor = async () => {
    const author = await hub.localTeam(team, { agent: unknownAuthor, via: "launcher" });
    return author.ok ? author : err([author.error]);
  };
  const synced = await syncFolder({ owner: owner.value, openAuthor }, place);
  if (!synced.ok) {
    const words = "the planning folder is not kept in step";
    return { warnings: synced.error.map(({ code, message }) => [`${words}: ${message}`, { code }]), isDone: true };
  }
  const findings = [...synced.value.findings, ...(synced.value.imported?.refused ?? [])];
  const warnings = findings.map(({ file, line, why }) => [`in the planning folder: ${why}`, { file, line }] as const);
  return { warnings, isDone: synced.value.isOthersTurn !== true };
}
