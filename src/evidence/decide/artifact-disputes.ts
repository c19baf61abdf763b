/**
 * The artifacts that messages name: which message was the last about which artifact, and what the repository shows. A
 * dispute stays until a corrected message or a corrected artifact ends it. Source: docs/protocol/verdicts.md.
 */
import { argument } from "../../base/argument.ts";
import { pathBytesMax } from "../../base/limits.ts";
import { canonicalPath } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Fact, Json } from "../../messages/facts.ts";
import { planKey, planKeyOfReference } from "../../messages/task-ids.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import { summaryOnceFree } from "../../tasks/state/plan-summary.ts";
import type { PlanSummarised } from "../../tasks/state/task-events.ts";
import type { Work } from "../../tasks/state/task-state.ts";
import {
  type ArtifactFinding,
  type ArtifactRecord,
  type ArtifactsJudged,
  type ArtifactsNamed,
  artifactsIn,
  artifactsMax,
  holding,
  overtakenBy,
  phaseNumberOf,
} from "../state.ts";

/** A message that may name artifacts. */
export interface NameArtifacts {
  readonly fact: Fact;
  /** The message's type on the wire. */
  readonly type: string;
  readonly sender: string;
  readonly seq: number;
}

/** What the repository says of the artifacts of the message with that seq. */
export interface RecordArtifacts extends ArtifactFinding {
  readonly message: number;
}

/** Disputed artifacts are to count, because somebody says so. */
export interface SettleArtifacts {
  /** Seq of the message, as somebody wrote it. */
  readonly message: string;
  readonly by: string;
  readonly seq: number;
}

/** What a message that names artifacts brings about; nothing where it names none. Never refused. */
export function nameArtifacts(
  { fact, type, sender, seq }: NameArtifacts,
  work: Work,
): Decided<ArtifactsNamed | PlanSummarised> {
  const { kind, body } = fact;
  const named = artifactsIn(body).slice(0, artifactsMax);
  if (named.length === 0) return { events: [], notes: [] };
  const about = aboutOf(fact, sender);
  const event: ArtifactsNamed = {
    event: "artifacts-named",
    seq,
    type,
    kind,
    sender,
    ...about,
    artifacts: named.map(([, path]) => path.slice(0, pathBytesMax)),
    keys: [...new Set(named.map(([, path]) => keyOf(kind, path)))],
  };
  const overtaken = overtakenBy(work.artifacts, event);
  return { events: [event, ...freed(work, overtaken, seq)], notes: [] };
}

/** Never refused: a finding about what is no longer the last word comes too late, which is noted. */
export function recordArtifacts(
  { message, state, problems, seq }: RecordArtifacts,
  work: Work,
): Result<Decided<ArtifactsJudged | PlanSummarised>, readonly Problem[]> {
  const record = work.artifacts.records.get(String(message));
  if (record === undefined) {
    return nothing("verdict-outdated", `Message ${message} is no longer the last word on an artifact.`);
  }
  const { finding, artifacts } = record;
  if (finding?.settledBy !== undefined)
    return nothing(
      "verdict-outdated",
      `${finding.settledBy} decided about message ${message}, at entry ${finding.seq}.`,
    );
  if (finding !== null && JSON.stringify([finding.state, finding.problems]) === JSON.stringify([state, problems])) {
    return nothing(
      "already-so",
      `The artifacts of message ${message} were found ${state} before, at entry ${finding.seq}.`,
    );
  }
  const event: ArtifactsJudged = { event: `artifacts-${state}`, message, artifacts, problems, seq };
  const ended = state === "verified" ? [record] : [];
  return ok({ events: [event, ...freed(work, ended, seq)], notes: [] });
}

/** They count until a later message speaks of them. Refuses `not-found` where nothing of the message is disputed. */
export function settleArtifacts(
  { message, by, seq }: SettleArtifacts,
  work: Work,
): Result<Decided<ArtifactsJudged | PlanSummarised>, readonly Problem[]> {
  const record = work.artifacts.records.get(message);
  if (record?.finding?.state !== "disputed") return err([nothingDisputed(message)]);
  const about = { message: record.seq, artifacts: record.artifacts };
  const event: ArtifactsJudged = { event: "artifacts-verified", ...about, problems: [], settledBy: by, seq };
  return ok({ events: [event, ...freed(work, [record], seq)], notes: [] });
}

function nothingDisputed(message: string): Problem {
  return makeProblem("not-found", argument("message"), "No artifact of this entry is disputed.", {
    received: message,
    hint: "`baton needs` shows what is disputed.",
  });
}

/** The summaries of the plans that nothing holds up any more once these records are out of the way. */
function freed(work: Work, ended: readonly ArtifactRecord[], seq: number): readonly PlanSummarised[] {
  const gone = new Set(ended.map((record) => record.seq));
  const plans = new Set(ended.flatMap((record) => (record.finding?.state === "disputed" ? plansOf(work, record) : [])));
  return [...plans].flatMap((key) =>
    holding(work.artifacts, key).every((record) => gone.has(record.seq)) ? summaryOnceFree(work, key, seq) : [],
  );
}

function plansOf(work: Work, { plan, phase }: ArtifactRecord): readonly string[] {
  if (plan !== null) return [plan];
  return phase === null ? [] : [...work.plans.keys()].filter((key) => phaseNumberOf(key) === phase);
}

/**
 * What the message is about: its plan or its phase, and the subject on which its sender's later word stands for this
 * one.
 */
function aboutOf({ kind, head, body }: Fact, sender: string): Pick<ArtifactRecord, "plan" | "phase" | "subject"> {
  const said: { readonly [field: string]: Json } = body;
  const words = (field: string) => {
    const value = said[field];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const planId = words("planId");
  const plan =
    planId === null ? (planKeyOfReference(words("taskId")) ?? planKeyOfReference(head.task)) : planKey(planId);
  const phase = plan === null ? phaseNumber(said.phase ?? said.phaseId ?? head.phase) : null;
  const topic = ["domain", "department", "hypothesis"].map(
    (field) => words(field)?.slice(0, topicCharactersMax) ?? null,
  );
  const subject = JSON.stringify([kind, sender, plan, phase, words("taskId") ?? head.task, ...topic]);
  return { plan, phase, subject };
}

const topicCharactersMax = 200;

function phaseNumber(said: Json): number | null {
  if (typeof said === "number") return Number.isSafeInteger(said) && said >= 0 ? said : null;
  const digits = typeof said === "string" ? /^(?:phase[-_ ]?)?(\d{1,9})$/i.exec(said)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}

/** Messages about one artifact are of one kind and name one path. */
function keyOf(kind: string, written: string): string {
  const path = canonicalPath(written);
  return `${kind} ${(path.ok ? path.value : written).slice(0, pathBytesMax)}`;
}

/* Messages that name artifacts, as people and agents see them. Derived from the work, never stored. */

/** The artifacts of one message, with what the repository says of them. */
export interface ArtifactView {
  /** The entry of the message. */
  readonly seq: number;
  readonly type: string;
  readonly sender: string;
  /** The plan that it is about, as first written; null: none. */
  readonly plan: string | null;
  /** The artifacts' paths as written. */
  readonly artifacts: readonly string[];
  /** `reported`: nobody has looked, or could not see. */
  readonly state: "reported" | "verified" | "disputed";
  readonly problems: readonly Problem[];
}

/** Every message that is the last word on its artifacts, in their order. */
export function artifactViews(work: Work): readonly ArtifactView[] {
  return [...work.artifacts.records.values()].map((record) => artifactView(work, record));
}

/** The message of that entry; null: it names no artifact, or a later message is the last word. */
export function artifactViewAt(work: Work, seq: number): ArtifactView | null {
  const record = work.artifacts.records.get(String(seq));
  return record === undefined ? null : artifactView(work, record);
}

/** Those of them that are in dispute. */
export function disputedArtifacts(work: Work): readonly ArtifactView[] {
  return artifactViews(work).filter(({ state }) => state === "disputed");
}

function artifactView(work: Work, { seq, type, sender, plan, artifacts, finding }: ArtifactRecord): ArtifactView {
  return {
    seq,
    type,
    sender,
    plan: plan === null ? null : (work.plans.get(plan)?.plan ?? plan),
    artifacts,
    state: finding?.state ?? "reported",
    problems: finding?.problems ?? [],
  };
}
