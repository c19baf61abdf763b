/**
 * The artifacts that messages name, checked against the repository: every message that is the last about one. They are
 * read from the record, judged outside the write lock, and what is new is recorded under it and reported, as verdicts
 * on tasks are. Source: docs/protocol/verdicts.md.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import { contentOf } from "../../perform/content.ts";
import { type Actor, batonActor, type Context, type TeamContext } from "../../perform/context.ts";
import { decideWork } from "../../perform/deciders.ts";
import type { Reply, TaskVerdict } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { entryAt, entryOf } from "../../perform/reply.ts";
import { verifyWithFixes } from "../../phases/services/fixes.ts";
import { inspectRounds } from "../../shutdown/services/shutdown-inspection.ts";
import { findTask, type Work } from "../../tasks/state/task-state.ts";
import {
  type ArtifactView,
  artifactViewAt,
  artifactViews,
  recordArtifacts as decideArtifacts,
} from "../decide/artifact-disputes.ts";
import { type ArtifactMessage, verifyArtifacts } from "../decide/artifacts.ts";
import { askedChecks, askedNote } from "../decide/contract-checks.ts";
import { isUndecided } from "../decide/verdict.ts";
import { openRepository } from "../git/repository.ts";
import type { ArtifactVerdict } from "../operations/verification.ts";
import type { RepositoryPlace } from "../services/gate.ts";
import { foreignNote, namedRepository } from "../services/own-repository.ts";
import { askedBy, mayJudge } from "../services/reported-work.ts";
import { artifactNotification } from "../services/verdict-notification.ts";
import type { ArtifactFinding } from "../state.ts";

export interface ArtifactOptions {
  /** Only what nobody has judged yet. */
  readonly onlyNew?: boolean;
  /** Only what the messages of these entries name. */
  readonly messages?: readonly number[];
  readonly signal?: AbortSignal;
}

/**
 * The verdict on each message that is the last word on artifacts, in their order; what is new is recorded, where the actor
 * may judge. Refuses what the journal refuses.
 */
export async function artifactVerdicts(
  context: Context,
  actor: Actor,
  place: RepositoryPlace,
  { onlyNew = false, messages, signal }: ArtifactOptions = {},
): Promise<Result<readonly ArtifactVerdict[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  // Whatever is read of the state is read before anything waits: it is folded in place.
  const { state } = folded.value;
  const views = viewsOf(state.coordination.work, messages).filter((view) => !onlyNew || view.state === "reported");
  const { records } = state.coordination.work.artifacts;
  const settled = new Set(views.filter(({ seq }) => records.get(String(seq))?.finding?.settledBy !== undefined));
  const named = namedRepository(context, state);
  const isJudge = mayJudge(actor, state);
  if (views.length === 0) return ok([]);
  const opened = await openRepository(place.directory, place);
  await using _ = opened.ok ? opened.value : null;
  const mayRecord = isJudge && opened.ok && (await foreignNote(context, named, opened.value)) === null;
  const verdicts: ArtifactVerdict[] = [];
  for (const view of views) {
    if (signal?.aborted === true) break;
    const message = await messageAt(context, view.seq);
    if (!message.ok) return message;
    if (message.value === null) continue;
    const { id, said, receivers } = message.value;
    if (settled.has(view)) {
      verdicts.push({ ...view, message: id, state: "verified", problems: [] });
      continue;
    }
    const problems = opened.ok ? await verifyArtifacts(opened.value, said) : [opened.error];
    const found = !opened.ok || isUndecided(problems) ? "reported" : problems.length === 0 ? "verified" : "disputed";
    verdicts.push({ ...view, message: id, state: found, problems });
    if (found === "reported" || !mayRecord) continue;
    const lost = await record(context, actor, { ...view, receivers }, { state: found, problems });
    if (lost !== null) return err(lost);
  }
  return ok(verdicts);
}

/** What is the last word on artifacts; of these entries alone, where they are named. Costs what is asked for. */
function viewsOf(work: Work, messages: readonly number[] | undefined): readonly ArtifactView[] {
  return messages === undefined ? artifactViews(work) : messages.flatMap((seq) => artifactViewAt(work, seq) ?? []);
}

/** A message that names artifacts, with its readers. */
interface Named {
  readonly id: string | null;
  readonly said: ArtifactMessage;
  readonly receivers: readonly string[];
}

/** The message in the entry of that number; null: none that says something. */
async function messageAt(context: Context, seq: number): Promise<Result<Named | null, Problem>> {
  const entry = await entryAt(context, seq);
  if (!entry.ok) return entry;
  const fact = entry.value === null ? null : (contentOf(entry.value).message?.fact ?? null);
  if (entry.value === null || fact === null) return ok(null);
  // A body of a fact is JSON by what `Fact` says of it.
  const { id, receivers } = entry.value;
  return ok({ id, said: { kind: fact.kind, body: fact.body }, receivers });
}

function saysTheSame(one: ArtifactFinding | null, other: Pick<ArtifactFinding, "state" | "problems">): boolean {
  const words = ({ state, problems }: Pick<ArtifactFinding, "state" | "problems">) => JSON.stringify([state, problems]);
  return one !== null && words(one) === words(other);
}

/**
 * Records what differs from the current state; the decider drops what is about a message that is no longer the last
 * one. Answers why it could not be recorded; null: it is, or needs no entry.
 */
async function record(
  context: Context,
  actor: Actor,
  view: ArtifactView & Pick<Named, "receivers">,
  found: Pick<ArtifactFinding, "state" | "problems">,
): Promise<Problem | null> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded.error;
  // Others may have judged it meanwhile, and no entry is needed to say it again.
  const before = folded.value.state.coordination.work.artifacts.records.get(String(view.seq));
  if (before === undefined || saysTheSame(before.finding, found)) return null;
  const done = await perform({ context, actor: batonActor }, recordArtifacts, { view, found, ...askedBy(actor) });
  return done.outcome === "failed" ? done.problem : null;
}

interface JudgedArtifacts {
  readonly view: ArtifactView & Pick<Named, "receivers">;
  readonly found: Pick<ArtifactFinding, "state" | "problems">;
  readonly askedBy?: string;
}

const recordArtifacts: Operation<JudgedArtifacts, TeamContext> = {
  name: "record-artifacts",
  recorded({ view: { seq, type, sender, artifacts }, found: { state, problems }, askedBy: by }) {
    return { message: seq, type, sender, artifacts, askedBy: by, state, problems };
  },
  decide(state, { view, found }, { seq }) {
    const { coordination } = state;
    const decided = decideWork(coordination, decideArtifacts, { message: view.seq, ...found, seq });
    const judged = coordination.work.artifacts.records.get(String(view.seq));
    if (!decided.ok || judged === undefined) return decided;
    const delivered = artifactNotification(state, judged, decided.value.events, view.receivers);
    return ok({ ...decided.value, delivered });
  },
};

/*
 * The verdict on a report, and on artifacts that a message names, right after it was recorded, for a command or program that
 * works on the journal itself: without a hub nobody else would look. Baton records the verdict; the reply contains it.
 * Source: docs/protocol/verdicts.md, section 1.
 */

/**
 * The reply, with the verdicts on the tasks that it reports as complete, with disputes on others' reports that it settles,
 * and with what the repository shows against the
 * artifacts that it names as notes, where a repository is at hand (`Context.judgesAt`). A repeated report is
 * judged again. Where the journal cannot be read, the reply stays as it is: the report is recorded.
 */
export async function withVerdicts(context: Context, actor: Actor, reply: Reply): Promise<Reply> {
  const { judgesAt } = context;
  if (judgesAt === undefined || reply.outcome !== "accepted") return reply;
  const { seq } = reply.receipt;
  await inspectEnded(context, seq, judgesAt);
  const named = await artifactVerdicts(context, batonActor, judgesAt, { messages: [seq] });
  const found = named.ok ? named.value.flatMap(({ problems }) => problems) : [];
  const noted = found.length === 0 ? reply : { ...reply, notes: [...reply.notes, ...found.map(asNote)] };
  return await withTaskVerdicts(context, actor, noted, judgesAt);
}

function asNote({ code, path, message }: Problem): Note {
  return { code, path, message };
}

async function withTaskVerdicts(
  context: Context,
  actor: Actor,
  reply: Extract<Reply, { readonly outcome: "accepted" }>,
  judgesAt: NonNullable<Context["judgesAt"]>,
): Promise<Reply> {
  const reports = await reportsIn(context, reply.receipt.seq);
  if (reports.length === 0) return reply;
  const isReporters = actor.agent !== ownerName;
  const judged = await verifyWithFixes(context, batonActor, judgesAt, { reports, isReporters });
  const folded = await context.journal.state(context.team);
  if (!judged.ok || !folded.ok) return reply;
  const { coordination, team } = folded.value.state;
  const { work } = coordination;
  const asked = askedChecks(coordination, team.definition?.checks).filter(({ leave }) => leave === "asks");
  const isOwn = ({ task, plan }: TaskVerdict): boolean =>
    reports.includes(findTask(work, task, plan)?.report?.seq ?? 0);
  const verdicts = judged.value.filter(isOwn).map((verdict) => {
    const key = findTask(work, verdict.task, verdict.plan)?.key;
    const own = asked.filter(({ task }) => task.key === key);
    return { ...verdict, notes: [...verdict.notes, ...own.map(askedNote)] };
  });
  // The others were disputed and name a commit of this report; what is still disputed is no news.
  const settled = judged.value.filter((each) => !isOwn(each) && isConfirmed(each));
  return {
    ...reply,
    ...(verdicts.length === 0 ? {} : { verdicts }),
    ...(settled.length === 0 ? {} : { settled }),
  };
}

function isConfirmed({ state }: TaskVerdict): boolean {
  return state === "verified" || state === "complete";
}

/** Seqs of the reports of complete work that the entry holds, or repeats. */
async function reportsIn(context: Context, seq: number): Promise<readonly number[]> {
  const entry = await entryOf(context, seq);
  if (!entry.ok) return [];
  const { events = [], command } = entry.value;
  const reported = events.filter((event) => event.event === "task-reported" && event.status === "complete");
  if (reported.length > 0) return [seq];
  if (command?.name !== "complete-task" || typeof command.task !== "string") return [];
  const folded = await context.journal.state(context.team);
  const plan = typeof command.plan === "string" ? command.plan : null;
  const report = folded.ok ? findTask(folded.value.state.coordination.work, command.task, plan)?.report : null;
  return report?.status === "complete" ? [report.seq] : [];
}

/** Completes the certificate of a round that ended by the entry: nobody else may look for uncommitted files. */
async function inspectEnded(context: Context, seq: number, place: NonNullable<Context["judgesAt"]>): Promise<void> {
  const entry = await entryOf(context, seq);
  if (entry.ok && entry.value.events?.some(({ event }) => event === "shutdown-ended") === true)
    await inspectRounds(context, batonActor, place);
}
