/**
 * What a team has in hand and what waits in it: who holds which task, and every open matter with how long it has waited
 * and the command that decides it. Asked of the team as every command asks, so it is the same on a file and over a hub.
 */

import type { ApprovalState } from "../../approvals/decide/approvals.ts";
import { needsOwner } from "../../approvals/state.ts";
import { timestampOf } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Handoff } from "../../handoffs/state.ts";
import { inHand, wordsOfOrphan } from "../../handoffs/view.ts";
import { planKeyOfTask } from "../../messages/task-ids.ts";
import type { Escalation } from "../../perform/deciders.ts";
import type { Team } from "../../perform/team.ts";
import type { PhaseGlance } from "../../phases/view/phase-view.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import type { ShutdownView } from "../../shutdown/operations.ts";
import { notedOf } from "../../tasks/state/plan-summary.ts";
import { isContradicted } from "../../tasks/state/report-status.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { OrphanView, ProposalView, TeamStatus } from "../../team/operations/status.ts";
import type { Need } from "../view/need-ranking.ts";
import {
  answerCommands,
  type Caller,
  type Commands,
  callerNamed,
  disputeCommands,
  isWord,
  type Matters,
  needCommands,
  phaseCommands,
  resolveCommands,
  revisionCommands,
  verifyCommands,
} from "./decision-commands.ts";
import type { Choice } from "./decision-text.ts";

/** Kinds of matters, in the order in which they are shown: first what a person may have to decide. */
export const matterKinds = [
  "hold",
  "unguarded",
  "revision",
  "approval",
  "escalation",
  "signoff",
  "shipped",
  "disputed",
  "dispute",
  "gone",
  "unverified",
  "check",
  "unchecked",
  "conflict",
  "landing",
  "unresponsive",
  "idle",
  "remote",
  "loop",
  "over-budget",
  "handoff",
  "shutdown",
  "blocked",
] as const;
export type MatterKind = (typeof matterKinds)[number];

/** Something that waits. Strings are the agents' as written, so every caller that shows them makes them harmless. */
export interface OpenMatter {
  readonly kind: MatterKind;
  /** The id that its command takes. */
  readonly id: string;
  /** Since when it has waited, RFC 3339; null: the entry that brought it is gone. */
  readonly since: string | null;
  /** What it is about. */
  readonly about: string;
  /** Who or what it waits for. */
  readonly waitsFor: readonly string[];
  /** What an escalation lets the one who decides choose from; absent for every other kind. */
  readonly choice?: Choice;
  /** The commands with which the caller decides it, or sees what does; see `decision-commands.ts`. */
  readonly decide: Commands;
}

/** A task that an agent works on. */
export interface HeldTask {
  readonly task: string;
  readonly holder: string;
  readonly since: string | null;
  /** Until when it lasts without another heartbeat of its holder. */
  readonly until: string | null;
}

/** What is in hand, what the verdicts of verified tasks note, and what waits. */
export interface OpenMatters {
  readonly held: readonly HeldTask[];
  /** As `TASK: message`. */
  readonly noted: readonly string[];
  readonly matters: readonly OpenMatter[];
}

/**
 * What is open in `team`, whose status tells a part of it: matters by kind, and within one in the order in
 * which they came. Each has the commands that the handle's agent may run.
 */
export async function openMatters(
  team: Team,
  status: Pick<TeamStatus, "proposal" | "phases" | "agents" | "orphanedHandoffs">,
  here: Pick<Matters, "isInTmux"> = {},
): Promise<Result<OpenMatters, Problem>> {
  const approvals = await team.approvals();
  if (!approvals.ok) return approvals;
  const escalations = await team.escalations();
  if (!escalations.ok) return escalations;
  const rounds = await team.shutdowns({ latest: true });
  if (!rounds.ok) return rounds;
  const tasks = await team.tasks();
  if (!tasks.ok) return tasks;
  const handoffs = await team.handoffs({ all: true });
  if (!handoffs.ok) return handoffs;
  const needs = await team.needs();
  if (!needs.ok) return needs;
  const { proposal, phases, agents, orphanedHandoffs = [] } = status;
  const caller = callerNamed(team.actor.agent, agents);
  const there = new Set(agents.flatMap(({ agent, status: at }) => (at === "active" ? [agent] : [])));
  // One contract brings many tasks, so there are far fewer entries than tasks.
  const lines = await entryLines(
    team,
    tasks.value.filter(needsTime).map(({ seq }) => seq),
  );
  if (!lines.ok) return lines;
  const timeAt = (seq: number) => lines.value.get(seq)?.recordedAt ?? null;
  const known = { ...here, agents, approvals: approvals.value, escalations: escalations.value, tasks: tasks.value };
  const matters = [
    ...needs.value.needs.flatMap((need) => ofNeed(caller, need, known)),
    ...(proposal?.status === "waiting" ? [ofProposal(caller, proposal)] : []),
    ...approvals.value.map((each) => ofApproval(caller, each)),
    ...escalations.value.map((each) => ofEscalation(caller, each)),
    ...phases.filter(({ hasFindings }) => hasFindings).map(ofFound),
    ...orphanedHandoffs.map(ofOrphan),
    ...inHand(handoffs.value).flatMap((each) => ofHandoff(each, there)),
    ...rounds.value.filter(({ outcome }) => outcome === "open").map(ofRound),
    ...tasks.value.flatMap((task) => ofTask(caller, task, timeAt(task.seq), there)),
  ];
  const held = tasks.value.flatMap(({ task, holder, expiresAt, seq }) =>
    holder === null ? [] : [{ task, holder, since: timeAt(seq), until: expiresAt }],
  );
  const noted = tasks.value.flatMap(({ task, verdict, notes }) => (verdict === "verified" ? notedOf(task, notes) : []));
  return ok({ held, noted, matters: matterKinds.flatMap((kind) => matters.filter((matter) => matter.kind === kind)) });
}

/** What needs the person and is shown from nothing else here: so nothing that `needs` counts is missing. */
function ofNeed(caller: Caller, need: Need, known: Matters): OpenMatter[] {
  const { kind, target, since, subject, asks, why, help } = need;
  // Of these the status says more, or whom they wait for.
  if (kind === "revision" || kind === "approval" || kind === "escalation" || kind === "finding") return [];
  if (kind === "dispute" && !need.id.startsWith("artifact:")) return [];
  const about = [subject, asks, why, help].filter((words) => words !== null).join(" ");
  return [{ kind, id: target, since, about, waitsFor: ["owner"], decide: needCommands(caller, need, known) }];
}

function ofProposal(caller: Caller, { id, changes }: ProposalView): OpenMatter {
  const waiting = changes.filter(({ waits }) => waits);
  return {
    kind: "revision",
    id: "team.yaml",
    since: null,
    about: waiting.map(({ place, before, after }) => `${place}: ${before ?? "none"} -> ${after ?? "none"}`).join("; "),
    waitsFor: ["owner"],
    decide: revisionCommands(caller, id),
  };
}

function ofOrphan({ id, issuedAt, waitsFor, ...handoff }: OrphanView): OpenMatter {
  return {
    kind: "handoff",
    id,
    since: issuedAt,
    about: wordsOfOrphan(handoff),
    waitsFor,
    decide: isWord(id) ? [["handoff", "list", id]] : [["handoff", "list"]],
  };
}

/** One that an agent who is there has in hand. */
function ofHandoff({ id, issuer, summary, acceptance }: Handoff, there: ReadonlySet<string>): OpenMatter[] {
  if (acceptance === null || !there.has(acceptance.by)) return [];
  const decide = isWord(id) ? [["handoff", "list", id]] : [["handoff", "list"]];
  const about = `of ${issuer}, accepted: ${summary}`;
  return [{ kind: "handoff", id, since: timestampOf(acceptance.atMs), about, waitsFor: [acceptance.by], decide }];
}

/** What was found wrong with a phase after it was shipped or ended. */
function ofFound({ phase, department, status, blockers }: PhaseGlance): OpenMatter {
  const over = status === "ended" ? "ended" : "shipped";
  return {
    kind: "shipped",
    id: department === null ? phase : `${phase} ${department}`,
    since: null,
    about: `found since it was ${over}: ${blockers.join("; ")}`,
    waitsFor: ["owner"],
    decide: phaseCommands(phase),
  };
}

function ofApproval(caller: Caller, approval: ApprovalState): OpenMatter {
  const { requestId, requester, requestType, subject, addressees, openedAtMs } = approval;
  return {
    kind: "approval",
    id: requestId,
    since: timestampOf(openedAtMs),
    about: `${requestType.replace("_", " ")} for ${requester}: ${subject}`,
    waitsFor: needsOwner(approval) ? ["owner"] : addressees,
    decide: answerCommands(caller, approval),
  };
}

function ofEscalation(caller: Caller, escalation: Escalation): OpenMatter {
  const { id, issue, severity, level, originators, openedAtMs, options, recommendation, evidence } = escalation;
  return {
    kind: "escalation",
    id,
    since: timestampOf(openedAtMs),
    about: `${severity}, of ${originators.join(", ")}: ${issue}`,
    waitsFor: [level],
    choice: { options, recommendation, evidence },
    decide: resolveCommands(caller, escalation),
  };
}

function ofRound({ round, requester, reason, agents, startedAt }: ShutdownView): OpenMatter {
  return {
    kind: "shutdown",
    id: round,
    since: startedAt,
    about: `${reason}, asked by ${requester}`,
    waitsFor: agents.filter(({ outcome }) => outcome === null).map(({ agent }) => agent),
    decide: [["shutdown", "status", ...(isWord(round) ? [round] : []), "--wait"]],
  };
}

function ofTask(
  caller: Caller,
  { task, plan, title, state, verdict, blockedBy, holder, reporter, problems, unseen }: TaskView,
  since: string | null,
  there: ReadonlySet<string>,
): OpenMatter[] {
  // Two plans may each have a task of this name.
  const name = plan === null || planKeyOfTask(task) !== null ? task : `${plan}/${task}`;
  const verify = verifyCommands(caller, name);
  // Who took landed work back said what is to become of it.
  if (state === "reverted") return [];
  if (verdict === "gone") {
    const about = problems[0]?.message ?? title ?? "";
    const decide = disputeCommands(caller, "gone:", name);
    return [{ kind: verdict, id: task, since, about, waitsFor: ["owner"], decide }];
  }
  if (isContradicted(verdict)) {
    const about = problems[0]?.message ?? title ?? "";
    // An agent that has left repairs nothing: the task is free for any agent.
    const next = holder ?? reporter;
    const waitsFor = next === null ? [] : there.has(next) ? [next] : ["any agent that claims it"];
    return [{ kind: verdict, id: task, since, about, waitsFor, decide: verify }];
  }
  if (verdict === "awaited") {
    const about = `reported as complete by ${reporter ?? "nobody known"}, and not verified yet`;
    if (unseen === undefined)
      return [{ kind: "unverified", id: task, since, about, waitsFor: ["baton"], decide: verify }];
    const why = `${about}: ${unseen.problems[0]?.message ?? `${unseen.judge} cannot see it`}`;
    const decide = disputeCommands(caller, "undecided:", name);
    return [{ kind: "unverified", id: task, since, about: why, waitsFor: ["owner"], decide }];
  }
  if (state !== "blocked") return [];
  return [{ kind: "blocked", id: task, since, about: title ?? "", waitsFor: blockedBy, decide: [["task", "list"]] }];
}

function needsTime({ holder, state, verdict }: TaskView): boolean {
  const isOpen = isContradicted(verdict) || state === "blocked";
  return holder !== null || isOpen || verdict === "awaited";
}

/* The lines of single entries, for what knows their numbers and wants to say when they were recorded, or what they say. */

/** The lines of these entries by their numbers, each read alone; a number that no entry has is left out. */
export async function entryLines(
  team: Pick<Team, "log">,
  seqs: Iterable<number>,
): Promise<Result<ReadonlyMap<number, LogLine>, Problem>> {
  const lines = new Map<number, LogLine>();
  for (const seq of new Set(seqs)) {
    // From its end the log reads a range and no more.
    for await (const line of team.log({ after: seq - 1, before: seq + 1, newestFirst: true })) {
      if (!line.ok) return line;
      lines.set(seq, line.value);
    }
  }
  return ok(lines);
}
