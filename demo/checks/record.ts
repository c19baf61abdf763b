/**
 * What the journal and git say of a phase after it is over, and the certificate of its shutdown round. Nothing here
 * comes from what agents reported while they worked: it is read from the file and the repository.
 */
import type { Problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import type { Output } from "../../src/doors/cli/terminal/output.ts";
import { type HealthEvent, isHealthEvent } from "../../src/health/state.ts";
import type { VerifyReport } from "../../src/journal/journal.ts";
import type { FactBodies } from "../../src/messages/fact-bodies.ts";
import { effectsOf } from "../../src/perform/content.ts";
import { openTeam, openTeamJournal } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";
import type { Shown } from "../../src/record/operations/entries.ts";
import type { ShutdownView } from "../../src/shutdown/operations.ts";
import { roundText } from "../../src/shutdown/text.ts";
import { isWorkEvent, type WorkEvent } from "../../src/tasks/state/task-events.ts";
import type { Environment } from "../story/programs.ts";
import type { Commit, Repository } from "../story/repository.ts";
import { demoTeam, messageIds } from "../story/story.ts";

/** A message as it is in the journal. */
export interface RecordedMessage {
  readonly seq: number;
  readonly id: string | null;
  readonly sender: string;
  /** Null: prose. */
  readonly type: string | null;
  /** The operation for which Baton wrote it; null: it was sent, or a deadline caused it. */
  readonly act: string | null;
  readonly receivers: readonly string[];
  /** Receivers that have acknowledged it. */
  readonly acknowledgedBy: readonly string[];
}

/** A report of finished work, what git knows of its commit, and what Baton found. */
export interface RecordedReport {
  readonly seq: number;
  readonly sender: string;
  readonly task: string;
  readonly commit: string;
  readonly files: readonly string[];
  /** The files that the commit changes; null: git has no such commit. */
  readonly committed: readonly string[] | null;
  /** Baton's last verdict on it, as recorded; null: there is none. */
  readonly verdict: "verified" | "disputed" | "gone" | null;
}

/** Something that happened to the work. */
export interface RecordedWork {
  readonly seq: number;
  readonly event: WorkEvent;
}

/** Something that happened to an agent: that it disappeared, or came back. */
export interface RecordedHealth {
  readonly seq: number;
  readonly event: HealthEvent;
}

export interface RecordedRefusal {
  readonly seq: number;
  readonly sender: string;
  /** What was refused: a message type, or an operation such as `claim-task`. */
  readonly type: string | null;
  readonly codes: readonly string[];
}

export interface RecordedPhase {
  readonly entries: number;
  readonly messages: readonly RecordedMessage[];
  readonly refusals: readonly RecordedRefusal[];
  /** What happened to tasks and claims, in the order of the journal. */
  readonly work: readonly RecordedWork[];
  /** Who disappeared and who came back, and whose program began and ended. */
  readonly health: readonly RecordedHealth[];
  readonly approvals: readonly { readonly requester: string; readonly standing: string; readonly by: string | null }[];
  readonly contracts: readonly { readonly plan: string; readonly revision: number }[];
  readonly reports: readonly RecordedReport[];
  /** The branch, newest first. */
  readonly commits: readonly Commit[];
}

/**
 * Reads the phase from journal and repository; `before`: as it was recorded before this entry. Problems are those of the
 * journal, or of git.
 */
export async function readPhase(
  journal: string,
  repository: Repository,
  before = Number.POSITIVE_INFINITY,
): Promise<Result<RecordedPhase, readonly Problem[]>> {
  const opened = await openTeam({ journal, team: demoTeam, readOnly: true });
  if (!opened.ok) return opened;
  await using team = opened.value;
  const shown = await everyEntry(team, before);
  if (!shown.ok) return shown;
  const approvals = await team.approvals({ all: true });
  if (!approvals.ok) return err([approvals.error]);
  const contracts = await team.contracts();
  if (!contracts.ok) return err([contracts.error]);
  const commits = await repository.log();
  if (!commits.ok) return err([commits.error]);
  const events = shown.value.flatMap(({ seq, entry }) =>
    (effectsOf(entry).events ?? []).map((event) => ({ seq, event })),
  );
  const work = events.flatMap(({ seq, event }) => (isWorkEvent(event) ? [{ seq, event }] : []));
  return ok({
    entries: shown.value.length,
    messages: shown.value.filter(({ message }) => message !== null).map(messageOf),
    refusals: shown.value
      .filter(({ kind }) => kind === "refusal")
      .map(({ seq, sender, type, problems }) => ({ seq, sender, type, codes: problems.map(({ code }) => code) })),
    work,
    health: events.flatMap(({ seq, event }) => (isHealthEvent(event) ? [{ seq, event }] : [])),
    approvals: approvals.value.map(({ requester, standing, answer }) => {
      return { requester, standing, by: answer?.decidedBy ?? null };
    }),
    contracts: contracts.value.map(({ plan, revision }) => ({ plan, revision })),
    reports: await reportsIn(shown.value, work, repository),
    commits: commits.value,
  });
}

/** Recomputes the journal's hash chain, as `baton journal verify` does. */
export async function verifyJournal(journal: string): Promise<Result<VerifyReport, Problem>> {
  const opened = await openTeamJournal(journal, { readOnly: true });
  if (!opened.ok) return opened;
  await using file = opened.value;
  return ok(await file.verify());
}

async function everyEntry(team: Team, before: number): Promise<Result<readonly Shown[], readonly Problem[]>> {
  const entries: Shown[] = [];
  for await (const line of team.log()) {
    if (!line.ok) return err([line.error]);
    if (line.value.seq >= before) break;
    const shown = await team.show(String(line.value.seq));
    if (!shown.ok) return err([shown.error]);
    entries.push(shown.value);
  }
  return ok(entries);
}

function messageOf({ seq, id, sender, type, receivers, kind, delivery }: Shown): RecordedMessage {
  const acknowledged = delivery.filter(({ state }) => state === "acknowledged").map(({ agent }) => agent);
  // An entry that is no message, and carries one, is listed under the name of its act.
  const what = kind === "message" ? { type, act: null } : { type: null, act: kind === "command" ? type : null };
  return { seq, id, sender, ...what, receivers, acknowledgedBy: acknowledged };
}

async function reportsIn(
  entries: readonly Shown[],
  work: readonly RecordedWork[],
  repository: Repository,
): Promise<readonly RecordedReport[]> {
  const reports: RecordedReport[] = [];
  const verdicts = new Map(work.flatMap(({ event }) => verdictIn(event)));
  for (const { seq, message, sender } of entries) {
    if (message?.fact?.kind !== "progress") continue;
    const body: unknown = message.fact.body;
    const { taskId, commit, filesModified } = body as FactBodies["progress"]; // which the kind says it is
    const files = await repository.filesOf(commit);
    reports.push({
      seq,
      sender,
      task: taskId,
      commit,
      files: filesModified ?? [],
      committed: files.ok ? files.value : null,
      verdict: verdicts.get(seq) ?? null,
    });
  }
  return reports;
}

/** The report that an event judges, by its seq, with the verdict. */
function verdictIn(event: WorkEvent): readonly (readonly [number, RecordedReport["verdict"]])[] {
  if (event.event === "task-verified") return [[event.report, "verified"]];
  if (event.event === "task-disputed") return [[event.report, "disputed"]];
  return event.event === "task-gone" ? [[event.report, "gone"]] : [];
}

/**
 * The certificate; null: the story ended before its round began. Uncommitted files are looked for here, where the hub has
 * not. Refuses what the journal refuses.
 */
export async function readCertificate(
  journal: string,
  directory: string,
  environment: Environment,
): Promise<Result<ShutdownView | null, readonly Problem[]>> {
  const opened = await openTeam({ journal, team: demoTeam });
  if (!opened.ok) return opened;
  await using team = opened.value;
  const looked = await team.inspectRounds({ directory, environment });
  if (!looked.ok) return err([looked.error]);
  const found = await team.shutdowns({ round: messageIds.shutdown });
  if (found.ok) return ok(found.value[0] ?? null);
  return found.error.code === "unknown-request" ? ok(null) : err([found.error]);
}

/** Prints the certificate. */
export function tellCertificate(output: Output, certificate: ShutdownView): void {
  const paint = output.paint.stdout;
  output.result({ event: "certificate", ...certificate }, () => {
    return `\n${paint.strong("The certificate of the shutdown")}\n${roundText(certificate, paint)}`;
  });
}

/** What is wrong with it, a sentence each: everybody stopped by its own word, and left nothing behind. */
export function certificateFindings(certificate: ShutdownView | null): readonly string[] {
  if (certificate === null) return ["nobody asked the team to stop"];
  const { outcome, agents, uncommitted } = certificate;
  const left = [...agents.map((each) => each.uncommitted), uncommitted].reduce(
    (sum, files) => sum + (files?.count ?? 0),
    0,
  );
  return [
    ...(outcome === "complete" ? [] : [`the shutdown round is ${outcome}`]),
    ...agents.flatMap(({ agent, outcome: ended }) => {
      return ended === "clean" || ended === "not_addressed" ? [] : [`${agent} ended its part ${ended ?? "not at all"}`];
    }),
    ...(left === 0 ? [] : [`${left} files are not committed`]),
  ];
}
