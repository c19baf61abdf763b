/**
 * The check of a phase: nothing lost, nothing doubled, nothing believed that is not so, no two agents at the same files.
 * Pure, so that a test can show it a record in which something is wrong.
 */

import { batonName } from "../../src/messages/principal.ts";
import type { ActName } from "../../src/perform/act-line.ts";
import { withoutEvidence } from "../../src/tasks/state/plan-summary.ts";
import type { WorkEvent } from "../../src/tasks/state/task-events.ts";
import { cast, castMembers, farewellId, messageIds, plan, plannedTasks, updateId } from "../story/story.ts";
import type { RecordedMessage, RecordedPhase, RecordedReport, RecordedWork } from "./record.ts";

/** A message that must be in the journal exactly once. */
export interface Expected {
  readonly sender: string;
  readonly type: string | null;
  /** Null: it was sent without one. */
  readonly id: string | null;
}

/**
 * The operation that records what git shows about a report, and notifies the reporter and its lead if git disagrees.
 */
const verdictAct: ActName = "record-verdict";
/**
 * What agents left behind, such as mail that came while they answered, is reported when the lead may have left already.
 */
const remainsAct: ActName = "inspect-shutdown";

/** Every message of the demo's phase; `isSilent`: whether an agent falls silent in it. */
export function expectedMessages(isSilent: boolean): readonly Expected[] {
  const said = (member: { readonly agent: string }, type: string | null, id: string | null): Expected => {
    return { sender: member.agent, type, id };
  };
  const { lead, architect, scout, dev, secondDev, thirdDev, qa } = cast;
  const handOver = [
    said({ agent: batonName }, null, null),
    said(lead, null, messageIds.handOn),
    said(secondDev, "execution_update", updateId(plan.readmeTask)),
  ];
  return [
    said(lead, null, messageIds.kickOff),
    said(scout, "scout_findings", messageIds.findings),
    said(architect, "plan_contract", messageIds.contract),
    said(dev, "execution_update", updateId(plan.taxTask)),
    said(secondDev, "execution_update", updateId(plan.basketTask)),
    said(secondDev, null, messageIds.correction),
    said(secondDev, "execution_update", updateId(plan.basketTask, 2)),
    said(dev, "approval_request", messageIds.request),
    said(lead, "approval_response", messageIds.answer),
    said(lead, "plan_contract", messageIds.widerContract),
    said(dev, "execution_update", updateId(plan.moneyTask)),
    said(qa, "qa_verdict", messageIds.verdict),
    said(lead, null, messageIds.closing),
    said(lead, "shutdown_request", messageIds.shutdown),
    ...(isSilent ? handOver : [said(thirdDev, "execution_update", updateId(plan.readmeTask))]),
    ...[scout, dev, secondDev, thirdDev, qa].map((member) =>
      said(member, "shutdown_response", farewellId(member.agent)),
    ),
    said(architect, null, farewellId(architect.agent)),
  ];
}

/**
 * What is wrong with the phase, a sentence each; none: every expected message appears once, no other does, every
 * receiver acknowledged what it was sent, no two agents held the same files, every report that Baton did not dispute
 * names a commit that is in git with the files it names, and an agent that reported another commit was notified of the
 * dispute.
 */
export function problemsOf(phase: RecordedPhase, expected: readonly Expected[]): readonly string[] {
  const sent = phase.messages.filter(({ act }) => act !== remainsAct);
  return [
    ...expected.flatMap((each) => countProblem(each, sent)),
    ...sent
      .filter((message) => message.act !== verdictAct && !expected.some((each) => isIt(each, message)))
      .map(strangerProblem),
    ...phase.work.flatMap((work) => untoldFindings(work, phase)),
    ...sent.flatMap(deliveryProblems),
    ...claimProblems(phase.work),
    ...phase.reports.flatMap((report) =>
      report.verdict === "disputed" ? lieFindings(report) : reportProblems(report, phase),
    ),
  ];
}

/** What the demo promises beyond `faultsOf`: that everything it is to show has really happened. */
export function omissionsOf(phase: RecordedPhase): readonly string[] {
  const denied = phase.refusals.filter(({ type }) => type === "claim-task").flatMap(({ codes }) => codes);
  const disputed = phase.reports.filter(({ verdict }) => verdict === "disputed");
  const last = plannedTasks.map(({ task }) => phase.reports.findLast((report) => report.task === task));
  const wanted: readonly (readonly [boolean, string])[] = [
    [phase.refusals.some(({ codes }) => codes.includes("wrong-value")), "no message was refused for a wrong word"],
    [denied.includes("claim-overlap"), "no claim was denied for files of another"],
    [denied.includes("outside-contract"), "no claim was held to the contract"],
    [phase.approvals.some(({ standing }) => standing === "approved"), "no request was approved"],
    [phase.contracts.some(({ revision }) => revision === 2), "the contract was not widened"],
    [disputed.length === 1, `${disputed.length} reports were disputed, not 1`],
    [last.every((report) => report?.verdict === "verified"), "a task's last report is not verified"],
    [isSummedUp(phase, last), "the plan was not summed up with the commits that were reported last"],
    [unproven(phase).length === 0, `no report shows that: ${unproven(phase).join(", ")}`],
    [castMembers.every(({ agent }) => phase.messages.some(({ sender }) => sender === agent)), "an agent said nothing"],
  ];
  return wanted.filter(([holds]) => !holds).map(([, problem]) => problem);
}

/** Whether the last summary of the plan says that all of it is done, by these reports' commits. */
function isSummedUp({ work }: RecordedPhase, last: readonly (RecordedReport | undefined)[]): boolean {
  const summaries = work.flatMap(({ event }) => (event.event === "plan-summarised" ? [event.summary] : []));
  const summary = summaries.findLast((each) => each.plan === plan.planId);
  if (summary === undefined || summary.status !== "complete" || summary.tasksCompleted !== last.length) return false;
  return isSame(
    summary.commitHashes,
    last.flatMap((report) => report?.commit ?? []),
  );
}

/** The must-haves for which no accepted report shows anything. */
function unproven({ work }: RecordedPhase): readonly string[] {
  const evidence = work.flatMap(({ event }) => (event.event === "task-reported" ? (event.evidence ?? []) : []));
  return withoutEvidence(plan.mustHaves, evidence);
}

function isIt(expected: Expected, message: RecordedMessage): boolean {
  return expected.id === message.id && expected.sender === message.sender && expected.type === message.type;
}

function countProblem(expected: Expected, messages: readonly RecordedMessage[]): readonly string[] {
  const count = messages.filter((message) => isIt(expected, message)).length;
  const name = `${expected.type ?? "prose"} ${expected.id ?? "without an id"} of ${expected.sender}`;
  if (count === 1) return [];
  return [count === 0 ? `${name} is lost` : `${name} is there ${count} times`];
}

function strangerProblem({ seq, id, sender, type }: RecordedMessage): string {
  return `entry ${seq}, ${type ?? "prose"} ${id ?? "without an id"} of ${sender}, was never meant to be sent`;
}

function deliveryProblems({ seq, receivers, acknowledgedBy }: RecordedMessage): readonly string[] {
  if (receivers.length === 0) return [`entry ${seq} was sent to nobody`];
  return receivers
    .filter((agent) => !acknowledgedBy.includes(agent))
    .map((agent) => `${agent} never acknowledged entry ${seq}`);
}

/**
 * An agent whose report git does not confirm was notified, with its lead and nobody else, by the entry that records it.
 */
function untoldFindings({ seq, event }: RecordedWork, { messages, reports }: RecordedPhase): readonly string[] {
  if (event.event !== "task-disputed" && event.event !== "task-gone") return [];
  const reporter = reports.find((report) => report.seq === event.report)?.sender;
  const told = messages.find((message) => message.seq === seq && message.act === verdictAct);
  const about = `of what entry ${seq} says against the report of ${event.task}`;
  const concerned = reporter === undefined ? [] : [reporter, cast.lead.agent];
  const receivers = told?.receivers ?? [];
  if (concerned.length === 0) return [`nobody was notified ${about}`];
  return [
    ...concerned.filter((agent) => !receivers.includes(agent)).map((agent) => `${agent} was not notified ${about}`),
    ...receivers.filter((agent) => !concerned.includes(agent)).map((agent) => `${agent} was notified ${about}`),
  ];
}

/** A dispute is right only where git does not bear the report out. */
function lieFindings({ task, commit, files, committed }: RecordedReport): readonly string[] {
  const isBorneOut = committed !== null && isSame(files, committed);
  return isBorneOut ? [`the report of ${task} by ${commit} is disputed, and git bears it out`] : [];
}

function reportProblems(report: RecordedReport, phase: RecordedPhase): readonly string[] {
  const { sender, task, commit, files, committed } = report;
  if (committed === null) return [`the commit ${commit} that ${sender} reported for ${task} is not in git`];
  const wrong: string[] = [];
  if (!isSame(files, committed)) {
    wrong.push(`the report of ${task} names ${files.join(" ")}, the commit changes ${committed.join(" ")}`);
  }
  const made = phase.commits.filter(({ author, occasion }) => author === sender && occasion === task);
  if (made.length !== 1) wrong.push(`${sender} committed ${made.length} times for ${task}`);
  if (made[0] !== undefined && made[0].hash !== commit) wrong.push(`the report of ${task} names another commit`);
  return wrong;
}

/*
 * The check of claims: grants and ends are replayed in the order of the journal, and no two agents may ever have held the
 * same task or files, and of two grants of one task the later has the higher token. It compares paths by itself, without
 * anything of what decided the claims.
 */
interface Held {
  readonly holder: string;
  readonly task: string;
  readonly files: readonly string[];
}

/** What is wrong with the claims, a sentence each. */
function claimProblems(work: readonly RecordedWork[]): readonly string[] {
  const live = new Map<string, Held>();
  const tokens = new Map<string, number>();
  const problems: string[] = [];
  for (const { seq, event } of work) {
    for (const task of endedBy(event)) live.delete(task);
    problems.push(...tokenProblems({ seq, event }, tokens));
    const taken = takenBy(event, live);
    if (taken === null) continue;
    const before = live.get(taken.task);
    if (before !== undefined && before.holder !== taken.holder) {
      problems.push(`entry ${seq} grants ${taken.task} to ${taken.holder}, and ${before.holder} holds it`);
    }
    for (const other of live.values()) {
      const shared = other.holder === taken.holder ? null : sharedFile(other.files, taken.files);
      if (shared !== null) problems.push(`entry ${seq} gives ${taken.holder} ${shared}, which ${other.holder} holds`);
    }
    live.set(taken.task, taken);
  }
  return problems;
}

/** Whether a grant's token is newer than that of the task's grant before, which `tokens` knows; notes it there. */
function tokenProblems({ seq, event }: RecordedWork, tokens: Map<string, number>): readonly string[] {
  if (event.event !== "task-claimed") return [];
  const { task, token } = event;
  const before = tokens.get(task) ?? Number.NEGATIVE_INFINITY;
  tokens.set(task, token);
  return token > before ? [] : [`entry ${seq} grants ${task} under token ${token}, not newer than ${before}`];
}

/** Whether two lists hold the same, in any order. */
export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join("\n") === other.toSorted().join("\n");
}

/** Tasks that nobody holds any more after this. */
function endedBy(event: WorkEvent): readonly string[] {
  if (event.event === "claim-released" || event.event === "task-dropped") return [event.task];
  if (event.event === "task-reported") return event.status === "complete" ? [event.task] : [];
  return event.event === "leases-expired" ? event.holders.flatMap(({ tasks }) => tasks) : [];
}

/** The claim as it is after this; null: nothing is claimed. */
function takenBy(event: WorkEvent, live: ReadonlyMap<string, Held>): Held | null {
  if (event.event === "task-claimed") return { holder: event.holder, task: event.task, files: event.files };
  if (event.event !== "claim-grown") return null;
  return { holder: event.holder, task: event.task, files: [...(live.get(event.task)?.files ?? []), ...event.files] };
}

/** A file or folder of the second list that the first holds too; null: none. The demo claims no globs. */
function sharedFile(one: readonly string[], other: readonly string[]): string | null {
  return other.find((file) => one.some((each) => lies(file, each) || lies(each, file))) ?? null;
}

/** Whether a file or folder is the other, or is in it. */
function lies(path: string, folder: string): boolean {
  const below = folder.endsWith("/") ? folder : `${folder}/`;
  return path === folder || path.startsWith(below);
}
