/**
 * Records what became of work that was to land, and tells its author, the author of the other side and the leads why it did
 * not, with both sides. Rules: docs/protocol/verdicts.md, section 12.
 */
import { jsonLine } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shortList, visible } from "../../base/text.ts";
import { askedBy } from "../../evidence/services/reported-work.ts";
import { hearers, leadsAbove, line } from "../../evidence/services/verdict-notification.ts";
import { isLost } from "../../health/decide/health.ts";
import { type Actor, batonActor, type TeamContext } from "../../perform/context.ts";
import type { Decided } from "../../perform/decider.ts";
import { decideWork } from "../../perform/deciders.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { prose } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { isReturned } from "../../tasks/state/report-status.ts";
import type { LandingBegun, LandingHeld } from "../../tasks/state/task-events.ts";
import type { CheckRecord, NotLanded, Task } from "../../tasks/state/task-state.ts";
import { otherSideOf, type RecordLanded, recordLanded, recordNotLanded } from "../decide/outcomes.ts";

/** Work that landed, or did not. */
export interface Outcome {
  readonly key: string;
  readonly task: string;
  /** Seq of the report whose work it is, and its last commit. */
  readonly report: number;
  readonly theirs: string;
  readonly branch: string;
  /** The commit of the branch that brought it; null: it did not land. */
  readonly commit: string | null;
  /** Why not; null: it landed. */
  readonly failure: Failure | null;
  /** The checks that passed on the commit to which the branch moved. */
  readonly checks: readonly CheckRecord[];
  /** The request by which the person let it land, whatever was found of it; absent: as the rules say. */
  readonly override?: string;
}

/** What its author has to know of work that did not land. */
export interface Failure extends Pick<NotLanded, "reason" | "why" | "files" | "onto" | "behind"> {
  /** Both sides of what conflicts, as far as they are short. */
  readonly hunks: readonly Hunk[];
  /** The check that does not pass, and the end of its output; null: none failed. */
  readonly check: string | null;
  readonly outputEnd: string;
}

/** Lines that both sides changed. */
export interface Hunk {
  readonly file: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Records each once; what is recorded already, or not the last word any more, changes nothing. */
export async function recordOutcomes(context: TeamContext, actor: Actor, all: readonly Outcome[]): Promise<void> {
  for (const each of all) {
    const folded = await context.journal.state(context.team);
    if (folded.ok && isNews(folded.value.state, each))
      await perform({ context, actor: batonActor }, recordLanding, { ...each, ...askedBy(actor) });
  }
}

/** Records that the person took landed work back: the look that finds it does not say who did. */
export async function recordUndone(context: TeamContext, actor: Actor, undone: Undone): Promise<void> {
  await perform({ context, actor }, undoing, undone);
}

interface Undone {
  readonly task: string;
  readonly branch: string;
  readonly commit: string;
}

const undoing: Operation<Undone, TeamContext> = {
  name: "record-landing",
  recorded: (undone) => ({ ...undone, outcome: "undone" }),
  decide: () => ok({ events: [], notes: [] }),
};

/** Records where Baton's branch is about to be, so that after a crash it is known which commit is Baton's. */
export async function recordBegun(context: TeamContext, begun: Omit<LandingBegun, "event">): Promise<void> {
  await perform({ context, actor: batonActor }, beginLanding, begun);
}

const beginLanding: Operation<Omit<LandingBegun, "event">, TeamContext> = {
  name: "begin-landing",
  // The checks are in the event.
  recorded: ({ branch, from, to }) => ({ branch, from, to }),
  decide: (state, begun) => decideWork(state.coordination, beginning, { ...begun, seq: 0 }),
};

function beginning({ branch, from, to, checks = [] }: Omit<LandingBegun, "event">): Deciding<LandingBegun> {
  const known = checks.length === 0 ? {} : { checks };
  return ok({ events: [{ event: "landing-begun", branch, from, to, ...known }], notes: [] });
}

/** Records why nothing lands, or that it does again, where that is new. */
export async function recordHeld(context: TeamContext, landed: Result<unknown, Problem>): Promise<void> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return;
  const { landings } = folded.value.state.coordination.work;
  const held = [...landings].filter(([, each]) => each.held !== null);
  const { message: why, hint: help, path } = landed.ok ? { message: null, hint: undefined, path: null } : landed.error;
  if (!landed.ok && landed.error.code === "interrupted") return;
  const isKnown = (branch: string, said: string | undefined) => branch === path && said === why;
  const over = held.flatMap(([branch, each]) => (isKnown(branch, each.held?.why) ? [] : [{ branch, why: null }]));
  const isNew = why !== null && !held.some(([branch, each]) => isKnown(branch, each.held?.why));
  for (const each of [...over, ...(isNew ? [{ branch: path, why, ...(help === undefined ? {} : { help }) }] : [])])
    await perform({ context, actor: batonActor }, holdLanding, each);
}

type Held = Omit<LandingHeld, "event" | "seq">;

const holdLanding: Operation<Held, TeamContext> = {
  name: "hold-landing",
  recorded: ({ branch, why }) => ({ branch, why: why ?? undefined }),
  decide: (state, held, { seq }) => decideWork(state.coordination, holding, { ...held, seq }),
};

function holding(held: Held & { readonly seq: number }): Deciding<LandingHeld> {
  return ok({ events: [{ event: "landing-held", ...held }], notes: [] });
}

type Deciding<Event> = Result<Decided<Event>, never>;

function isNews({ coordination }: TeamState, { key, report, commit, failure }: Outcome): boolean {
  const { landed, notLanded } = coordination.work.tasks.get(key) ?? {};
  if (commit !== null) return landed?.report !== report;
  const behind = coordination.work.tasks.get(failure?.behind ?? "");
  // It was reported again while checks ran: the next landing takes both.
  if (behind !== undefined && !isReturned(behind)) return false;
  return notLanded?.report !== report || notLanded.why !== failure?.why;
}

const recordLanding: Operation<Outcome & { readonly askedBy?: string }, TeamContext> = {
  name: "record-landing",
  recorded({ task, report, branch, commit, failure, override, askedBy: by }) {
    const said = failure === null ? "landed" : failure.reason;
    return { task, report, outcome: said, branch, commit, why: failure?.why, override, askedBy: by };
  },
  decide(state, { key, report, branch, commit, failure, theirs, checks, override }, { seq, atMs, rules }) {
    const { coordination } = state;
    if (commit !== null || failure === null) {
      const ran = checks.length === 0 ? {} : { checks };
      const landed = { key, report, branch, commit: commit ?? theirs, ...ran, seq };
      return decideWork(coordination, recordLanded, landedBy(landed, override));
    }
    const reporter = coordination.work.tasks.get(key)?.report?.reporter ?? "";
    const member = state.team.roster.get(reporter);
    const isThere = member?.status === "active" && !isLost(coordination.health, reporter);
    const { reason, why, files, onto, behind } = failure;
    const waits = behind === undefined ? {} : { behind };
    const found = { key, reason, report, branch, onto, why, files, ...waits, seq, atMs, leaseMs: rules.leaseMs };
    const decided = decideWork(coordination, recordNotLanded, { ...found, session: isThere ? member.session : null });
    const task = coordination.work.tasks.get(key);
    const isTold = decided.ok && decided.value.events.length > 0 && reason !== "waits" && task !== undefined;
    if (!isTold) return decided;
    const isHeld = decided.value.events.some(({ event }) => event === "task-claimed");
    return ok({ ...decided.value, delivered: returnedNotice(state, task, { branch, theirs, failure, isHeld }) });
  },
};

function landedBy(landed: RecordLanded, override: string | undefined): RecordLanded {
  return override === undefined ? landed : { ...landed, override };
}

interface Returned {
  readonly branch: string;
  readonly theirs: string;
  readonly failure: Failure;
  /** Its author holds the task again. */
  readonly isHeld: boolean;
}

function returnedNotice(state: TeamState, { key, task, report }: Task, returned: Returned) {
  const { branch, theirs, failure, isHeld } = returned;
  const { files, onto, hunks, check, outputEnd, reason } = failure;
  const reporter = report?.reporter ?? "";
  const { isGone, receivers } = hearers(state, reporter);
  const others = reason === "conflict" ? otherSideOf(state.coordination.work, key, files) : [];
  const readers = others.map(({ by }) => by).filter((by) => state.team.roster.get(by)?.status === "active");
  const name = visible(task);
  const what = reason === "conflict" ? `it conflicts in ${shortList(files)}` : "a check does not pass with it";
  const who = isGone
    ? "have somebody claim the task"
    : isHeld
      ? `${reporter} holds the task again`
      : `${reporter} claims it`;
  const mend = reason === "conflict" ? "keeps what both sides want" : "mends what does not pass";
  const toDo = `${who}, merges ${visible(branch)} into its branch, ${mend}, commits, and reports it as complete again.`;
  const details = { task, files, ours: onto, theirs, hunks, check, outputEnd };
  const lines = [
    `The work of ${name} is verified and did not land on ${visible(branch)}: ${what}.`,
    ...(check === null ? [] : [line("Check", check)]),
    ...(others.length === 0 ? [] : [line("Other side", others.map((each) => `${each.task} by ${each.by}`).join(", "))]),
    `What to do: ${toDo}`,
    `Details: ${jsonLine(details)}`,
  ];
  return { message: prose(lines), receivers: [...new Set([...receivers, ...readers, ...leadsAbove(state, reporter)])] };
}
