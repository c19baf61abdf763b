/**
 * What the record says since an entry that the planning folder of another tool shows: plans whose tasks or contracts
 * changed, what happened to plans and agents, escalations, departments, rows of phases. What the folder itself brought in
 * is left out. Costs the entries since, which a hub has in memory, and the plans that they touch. Rule:
 * docs/protocol/record.md, section 29.
 */
import { pageRowsMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Escalation } from "../../escalations/state.ts";
import type { Entry } from "../../journal/entry.ts";
import { unknownAuthor } from "../../messages/principal.ts";
import type { WorkDepartment } from "../../messages/role.ts";
import { phaseOfPlanId, planKey } from "../../messages/task-ids.ts";
import { contentOf } from "../../perform/content.ts";
import type { Context } from "../../perform/context.ts";
import { allEscalations, type CoordinationEvent, type CoordinationState } from "../../perform/coordination-state.ts";
import type { TeamState } from "../../perform/state.ts";
import { type PhaseFolders, type PhaseRow, rowsOf } from "../../phases/services/phase-rows.ts";
import { viewsOf } from "../../phases/services/phase-setting.ts";
import type { PartStatus } from "../../phases/view/phase-part-view.ts";
import type { ContractState } from "../../tasks/state/contract-terms.ts";
import { type PlanSummaryView, summaryViewOf } from "../../tasks/state/plan-summary.ts";
import { isWorkEvent } from "../../tasks/state/task-events.ts";
import type { Plan } from "../../tasks/state/task-state.ts";
import type { TeamEvent } from "../../team/state/revision.ts";
import { foldedAfter } from "./folded-entries.ts";

/** A plan as it is now. */
export interface FolderPlan {
  /** As first written, such as `01-02`. */
  readonly id: string;
  readonly phase: string | null;
  /** Whether somebody of the team did something for it; else all that is known of it came from the folder. */
  readonly isTeams: boolean;
  readonly isDone: boolean;
  readonly hasFailed: boolean;
  readonly tasks: readonly string[];
  readonly summary: PlanSummaryView | null;
  readonly contract: Pick<ContractState, "terms" | "revision"> | null;
  /** Whether the contract in force came from the folder. */
  readonly isContractOfFolder: boolean;
  /** When its summary was recorded; null: it is not done. */
  readonly doneAt: string | null;
}

/** Something that happened, as the event log of these tools knows it. */
export interface FolderEvent {
  readonly event: "plan_start" | "plan_end" | "phase_start" | "phase_end" | "agent_spawn" | "agent_shutdown";
  /** Names the entry, and which of its events. */
  readonly id: string;
  readonly at: string;
  readonly plan: string | null;
  readonly phase: string | null;
  readonly data: { readonly [key: string]: string };
}

/** A department's part of a phase. */
export interface FolderPart {
  readonly phase: string;
  readonly department: WorkDepartment | null;
  readonly status: PartStatus;
  readonly step: string | null;
  readonly plansComplete: number;
  readonly plansTotal: number;
}

/** Everything since an entry. */
export interface FolderChanges {
  /** The last entry that was looked at. */
  readonly head: number;
  readonly plans: readonly FolderPlan[];
  readonly events: readonly FolderEvent[];
  readonly rows: readonly PhaseRow[];
  /** All, where one of them changed and rows are asked; else none. */
  readonly escalations: readonly Escalation[];
  /** All, where something of a phase changed and rows are asked; else none. */
  readonly parts: readonly FolderPart[];
}

/** What is asked. */
export interface FolderQuestion {
  /** The entry up to which the folder shows everything. */
  readonly after: number;
  /** The folders of phases that hold rows; null: rows, escalations and departments are not asked. */
  readonly folders: PhaseFolders | null;
  /** Keys of plans whose beginning the folder shows. */
  readonly started: ReadonlySet<string>;
}

/** What changed. Problems: those of the journal. */
export async function folderChanges(
  context: Context,
  { after, folders, started }: FolderQuestion,
): Promise<Result<FolderChanges, Problem>> {
  const read = await entriesAfter(context, after);
  if (!read.ok) return read;
  const entries = read.value.filter(isOfInterest);
  // Later than the entries: a plan that changed since is in the next answer, too.
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const touched = new Set<string>();
  const known = new Set(started);
  const events = entries.flatMap((entry) => eventsOf(state, entry, { touched, known }));
  const all = entries.flatMap(({ content }) => (content as { events?: readonly CoordinationEvent[] }).events ?? []);
  const times = new Map(entries.map(({ seq, recordedAt }) => [seq, recordedAt]));
  return ok({
    head: read.value.at(-1)?.seq ?? after,
    plans: [...touched].flatMap((key) => planOf(state.coordination, key, times) ?? []),
    events,
    rows: folders === null ? [] : entries.flatMap((entry) => saidRows(state, entry, folders)),
    escalations:
      folders !== null && all.some(({ event }) => event.startsWith("escalation-"))
        ? [...allEscalations(state.coordination)]
        : [],
    parts: folders === null || all.length === 0 ? [] : partsIn(context, state),
  });
}

/** The entries above `after`: those that were folded here since the last question, else those of the journal. */
async function entriesAfter({ journal, team }: Context, after: number): Promise<Result<readonly Entry[], Problem>> {
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { state, head } = folded.value;
  const known = foldedAfter(state, after);
  if (known !== null || head.seq === after) return ok(known ?? []);
  const entries: Entry[] = [];
  for (let at = after; ; at = entries.at(-1)?.seq ?? at) {
    const page = await journal.read(team, { after: at, limit: pageRowsMax });
    if (!page.ok) return page;
    if (page.value.entries.length === 0) return ok(entries);
    entries.push(...page.value.entries);
  }
}

/** Entries with effects; what was refused or only acknowledged shows nowhere. */
function isOfInterest({ kind, content }: Entry): boolean {
  if (kind === "refusal" || kind === "ack" || kind === "epoch") return false;
  const { events, team, message } = content as { events?: unknown[]; team?: unknown[]; message?: unknown };
  return (events?.length ?? 0) > 0 || (team?.length ?? 0) > 0 || message !== undefined;
}

interface Seen {
  /** Keys of plans that changed. */
  readonly touched: Set<string>;
  /** Keys of plans of which it is known that they began. */
  readonly known: Set<string>;
}

function eventsOf(state: TeamState, entry: Entry, seen: Seen): readonly FolderEvent[] {
  const { events = [], team = [] } = entry.content as {
    readonly events?: readonly CoordinationEvent[];
    readonly team?: readonly TeamEvent[];
  };
  const isFolders = entry.principal.agent === unknownAuthor;
  const found: Omit<FolderEvent, "id" | "at">[] = [];
  for (const each of events) found.push(...planEvent(state.coordination, each, isFolders, seen));
  for (const each of team) found.push(...agentEvent(state, each));
  return found.map((event, index) => ({ ...event, id: eventId(entry.seq, index), at: entry.recordedAt }));
}

/** The id of an event of Baton's in the log; `isOwnEventId` knows it again. */
function eventId(seq: number, index: number): string {
  return index === 0 ? `baton-${seq}` : `baton-${seq}-${index}`;
}

type Happened = Omit<FolderEvent, "id" | "at">;

function planEvent(
  { work }: CoordinationState,
  event: CoordinationEvent,
  isFolders: boolean,
  { touched, known }: Seen,
): readonly Happened[] {
  if (event.event === "phase-ended") return [{ event: "phase_end", plan: null, phase: event.name, data: {} }];
  if (event.event === "phase-signed-off" && event.signoff.decision === "SHIP")
    return [{ event: "phase_end", plan: null, phase: event.phase, data: {} }];
  const key = planOfEvent(work.tasks, event);
  if (key === null) return [];
  touched.add(key);
  const plan = work.plans.get(key);
  if (plan === undefined) return [];
  const about = { plan: plan.plan, phase: phaseOfPlanId(plan.plan, null) };
  const isStart = event.event === "task-claimed" || event.event === "task-reported";
  if (isStart && !isFolders && !known.has(key)) {
    known.add(key);
    return [{ event: "plan_start", ...about, data: {} }];
  }
  if (event.event !== "plan-summarised" || !isTeamsPlan(work.tasks, plan)) return [];
  return [{ event: "plan_end", ...about, data: { status: event.summary.status } }];
}

type Tasks = CoordinationState["work"]["tasks"];

function planOfEvent(tasks: Tasks, event: CoordinationEvent): string | null {
  if (event.event === "contract-issued") return planKey(event.terms.planId);
  if (!isWorkEvent(event)) return null;
  if (event.event === "plan-summarised") return event.key;
  if (event.event === "task-added" || event.event === "task-reported") return event.plan;
  return "key" in event ? (tasks.get(event.key)?.plan ?? null) : null;
}

function agentEvent({ team: { roster } }: TeamState, event: TeamEvent): readonly Happened[] {
  const isLeaving = event.event === "agent-retired";
  if ((!isLeaving && event.event !== "agent-registered") || event.agent === unknownAuthor) return [];
  const role = roster.get(event.agent)?.role ?? ("role" in event ? event.role : null);
  const data = { ...(role === null ? {} : { role }), agent: event.agent };
  return [{ event: isLeaving ? "agent_shutdown" : "agent_spawn", plan: null, phase: null, data }];
}

/** Whether anybody but the folder has worked on it. */
function isTeamsPlan(tasks: Tasks, plan: Plan): boolean {
  return [...plan.tasks.keys()].some((key) => {
    const task = tasks.get(key);
    const { reporter = unknownAuthor } = task?.report ?? {};
    return reporter !== unknownAuthor || (task?.grants ?? []).some(([holder]) => holder !== unknownAuthor);
  });
}

function planOf(coordination: CoordinationState, key: string, times: ReadonlyMap<number, string>): FolderPlan | null {
  const plan = coordination.work.plans.get(key);
  const contract = coordination.contracts.plans.get(key) ?? null;
  const id = plan?.plan ?? contract?.terms.planId ?? null;
  if (id === null) return null;
  const summary = plan === undefined ? null : summaryViewOf(coordination, key);
  const isDone = summary !== null && summary.status === "complete" && summary.seq !== null;
  return {
    id,
    phase: phaseOfPlanId(id, contract?.terms.phaseId ?? null),
    isTeams: plan !== undefined && isTeamsPlan(coordination.work.tasks, plan),
    isDone,
    hasFailed: summary?.status === "failed",
    tasks: [...(plan?.tasks.keys() ?? [])].flatMap((task) => coordination.work.tasks.get(task)?.task ?? []),
    summary,
    contract: contract === null ? null : { terms: contract.terms, revision: contract.revision },
    isContractOfFolder: contract?.revisions.at(-1)?.issuedBy === unknownAuthor,
    doneAt: isDone ? (times.get(summary.seq ?? 0) ?? null) : null,
  };
}

/** The rows of a message that names no file: what it names is its sender's to write. */
function saidRows(state: TeamState, entry: Entry, folders: PhaseFolders): readonly PhaseRow[] {
  const { message, effect, imported } = entry.kind === "message" ? contentOf(entry) : {};
  if (message === undefined || message.fact === null || effect === false || imported !== undefined) return [];
  const { artifact }: { readonly [field: string]: unknown } = message.fact.body;
  return typeof artifact === "string" ? [] : rowsOf(state, entry, message.fact, folders);
}

function partsIn(context: Context, state: TeamState): readonly FolderPart[] {
  return viewsOf(context, state).flatMap(({ phase, departments }) =>
    departments.map(({ department, status, step, plansComplete, plansTotal }) => ({
      phase,
      department,
      status,
      step,
      plansComplete,
      plansTotal,
    })),
  );
}
