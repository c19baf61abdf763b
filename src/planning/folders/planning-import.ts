/**
 * What was found, brought into the journal: plans as contracts with their tasks, what the folder says is done as reports,
 * open escalations, and everything that happened as history. All of it comes in by messages and operations that any team
 * has. Contracts and reports carry the name of an agent that exists for the import only, because nobody knows who did the
 * work; it is retired at the end. A repeat adds what is new. Rule: docs/protocol/record.md, section 27.
 */

import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { addressOf } from "../../messages/authority/receivers.ts";
import type { DialectId } from "../../messages/message.ts";
import { unknownAuthor } from "../../messages/principal.ts";
import type { Origin } from "../../perform/content.ts";
import { problemsOf, type Reply } from "../../perform/operations/reply.ts";
import { isPhaseFile } from "../../perform/restoring.ts";
import type { LocalTeam } from "../../perform/team.ts";
import type { Finding, Found, FoundRow } from "../reading/found.ts";
import { type NewWork, newWork, type WorkOptions } from "./planning-work.ts";

/** What an import did. */
export interface Imported {
  /** Plans whose contract, or whose tasks, are new. */
  readonly plans: number;
  readonly tasks: number;
  /** Tasks that were reported as done by the folder's account. */
  readonly reports: number;
  readonly escalations: number;
  readonly history: number;
  /** What was in the journal already. */
  readonly known: number;
  /** What Baton refused or left out, with the file that it came from. */
  readonly refused: readonly Finding[];
  /** Files that say what waits for somebody: they are looked at again. */
  readonly waiting: readonly string[];
}

/** How an import acts: as the owner, and in the name of the unknown author. */
export interface Importers {
  readonly owner: LocalTeam;
  openAuthor(): Promise<Result<LocalTeam, readonly Problem[]>>;
}

interface Counts {
  plans: number;
  tasks: number;
  reports: number;
  escalations: number;
  history: number;
  known: number;
  readonly refused: Finding[];
  readonly waiting: string[];
}

/** So many records are given to the journal at a time: it writes those that wait together. */
const groupSize = 100;

/** Imports what is not there yet. Problems: those of the journal. */
export async function importFound(
  importers: Importers,
  found: Found,
  options: WorkOptions & { readonly signal: AbortSignal; progress?(part: string): void },
): Promise<Result<Imported, readonly Problem[]>> {
  const { owner } = importers;
  const counts: Counts = {
    plans: 0,
    tasks: 0,
    reports: 0,
    escalations: 0,
    history: 0,
    known: 0,
    refused: [],
    waiting: [],
  };
  const work = await newWork(owner, found, options);
  if (!work.ok) return work;
  counts.known += work.value.known;
  counts.refused.push(...work.value.left);
  counts.waiting.push(...work.value.waiting);
  const { contracts, reports, escalations, tasks } = work.value;
  const isNew = contracts.length + reports.length + escalations.length + tasks.length > 0;
  const mail = isNew ? await owner.inbox({ limit: 1 }) : null;
  if (isNew) {
    options.progress?.("plans and reports");
    const problems = await importWork(importers, found, work.value, counts, options.signal);
    if (problems !== null) return err(problems);
  }
  const isMailOurs = mail?.ok === true && mail.value.deliveries.length === 0;
  const ended = await endAuthor(owner, isMailOurs);
  if (ended !== null) return err([ended]);
  options.progress?.("history");
  const failure = await importRows(owner, found.rows, counts, options.signal);
  return failure === null ? ok(counts) : err([failure]);
}

async function importWork(
  { owner, openAuthor }: Importers,
  found: Found,
  { contracts, tasks, reports, escalations }: NewWork,
  counts: Counts,
  signal: AbortSignal,
): Promise<readonly Problem[] | null> {
  const began = await beginAuthor(owner, found, openAuthor);
  if (!began.ok) return began.error;
  await using author = began.value;
  await inGroups(contracts, signal, async ({ id, text, plan }) => {
    const reply = await author.send(text, { id, draft: true, to: [addressOf("owner")] });
    if (!taken(counts, plan.file, reply)) return;
    counts.plans += 1;
    counts.tasks += plan.tasks.length;
  });
  await inGroups(tasks, signal, async ({ plan, task, isWithoutFiles }) => {
    const files = isWithoutFiles ? ("none" as const) : task.files.length > 0 ? task.files : undefined;
    const title = task.title === null ? {} : { title: task.title };
    const added = { task: task.id, plan: plan.id, ...title, ...(files === undefined ? {} : { files }) };
    if (taken(counts, plan.file, await owner.addTask(added))) counts.tasks += 1;
  });
  await inGroups(reports, signal, async ({ plan, task, commits, evidence, deviations, isFinishedBefore }) => {
    const before = isFinishedBefore ? { finishedBefore: true } : {};
    const commit = commits.length === 0 ? {} : { commit: commits, ...before };
    const report = { task: task.id, plan: plan.id, ...commit, evidence, deviations };
    if (taken(counts, plan.file, await author.complete(report))) counts.reports += 1;
  });
  await inGroups(escalations, signal, async ({ id, text, file }) => {
    if (taken(counts, file, await author.send(text, { id }))) counts.escalations += 1;
  });
  return null;
}

async function inGroups<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length && !signal.aborted; at += groupSize)
    await Promise.all(items.slice(at, at + groupSize).map((item) => act(item)));
}

/** Whether it was accepted; a refusal is kept with its file. */
function taken({ refused }: Counts, file: string, reply: Reply): boolean {
  if (reply.outcome === "accepted") return true;
  const [problem] = problemsOf(reply);
  refused.push({ file, line: null, why: `Baton refused it: ${problem?.message ?? "no reason"}` });
  return false;
}

/** The dialect in which plans are assigned, of those that a team of this origin has. */
const authorDialects: { readonly [origin in Found["settings"]["origin"]]: DialectId } = {
  "vbw-flags": "vbw/2",
  "vbw-flat": "vbw/2",
  "vbw-later": "vbw/2.1",
  "yolo-typed": "yolo/2",
  "yolo-company": "yolo/2",
  bmad: "bmad/1",
};

async function beginAuthor(
  owner: LocalTeam,
  { settings }: Found,
  openAuthor: Importers["openAuthor"],
): Promise<Result<LocalTeam, readonly Problem[]>> {
  const dialect = authorDialects[settings.origin];
  // The tool counts as the backend's what names no department.
  const place = settings.departments.length === 0 ? {} : { department: "backend" as const };
  const reply = await owner.register({ agent: unknownAuthor, role: "lead", dialect, ...place });
  return reply.outcome === "accepted" ? await openAuthor() : err(problemsOf(reply));
}

/** Retires it, if it is there; what it sent to the owner is acknowledged, unless other mail waits there. */
async function endAuthor(owner: LocalTeam, acknowledges: boolean): Promise<Problem | null> {
  const agents = await owner.agents();
  if (!agents.ok) return agents.error;
  if (!agents.value.some(({ agent, status }) => agent === unknownAuthor && status === "active")) return null;
  const reason = "Everything that the planning folder says is imported.";
  const reply = await owner.retire({ agent: unknownAuthor, reason });
  if (reply.outcome === "failed") return reply.problem;
  if (!acknowledges) return null;
  const status = await owner.status();
  if (!status.ok) return status.error;
  const acknowledged = await owner.acknowledge(status.value.head.seq);
  return acknowledged.outcome === "failed" ? acknowledged.problem : null;
}

async function importRows(
  owner: LocalTeam,
  rows: readonly FoundRow[],
  counts: Counts,
  signal: AbortSignal,
): Promise<Problem | null> {
  for (let at = 0; at < rows.length && !signal.aborted; at += groupSize) {
    const done = await Promise.all(rows.slice(at, at + groupSize).map((row) => owner.remember(pastOf(row))));
    for (const each of done) {
      if (!each.ok) return each.error;
      if (each.value === "known") counts.known += 1;
      else counts.history += 1;
    }
  }
  return null;
}

function pastOf({ file, line, text, at }: FoundRow): Parameters<LocalTeam["remember"]>[0] {
  const [, ...below] = file.split("/");
  const phaseFile = below.join("/");
  const time = at === null ? {} : { at: at.slice(0, 256) };
  const id = `${file}:${line}`.slice(-256);
  const origin: Origin =
    isPhaseFile(phaseFile) && file.startsWith("phases/")
      ? { source: "phase", file: phaseFile, id, ...time }
      : { source: "events", id, ...time };
  const message = { dialect: null, type: null, rung: "markdown", wireId: null, text, fact: null } as const;
  return { message, notes: [], origin };
}
