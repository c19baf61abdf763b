/**
 * The artifacts that messages name, checked against the repository: every message that is the last about one. They are
 * read from the record, judged outside the write lock, and what is new is recorded under it and reported, as verdicts
 * on tasks are. Source: docs/protocol/verdicts.md.
 */
import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { ArtifactFinding } from "../../coordination/artifacts/artifact-state.ts";
import { type ArtifactView, artifactViewAt, artifactViews } from "../../coordination/artifacts/artifacts.ts";
import { decideWork } from "../../coordination/deciders.ts";
import type { Work } from "../../coordination/tasks/task-state.ts";
import { type ArtifactMessage, verifyArtifacts } from "../../evidence/artifacts.ts";
import { openRepository } from "../../evidence/git/repository.ts";
import { isUndecided } from "../../evidence/verdict.ts";
import type { ArtifactVerdict } from "../../operations/verification.ts";
import { act, type Command } from "../command.ts";
import { type Actor, batonActor, type Context } from "../context.ts";
import { contentOf } from "../record/content.ts";
import { entryAt } from "../record/recorded-act.ts";
import type { RepositoryPlace } from "./gate.ts";
import { askedBy, mayJudge } from "./judges.ts";
import { artifactNotification } from "./verdict-notification.ts";

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
  const mayRecord = mayJudge(actor, state);
  if (views.length === 0) return ok([]);
  const opened = await openRepository(place.directory, place);
  const verdicts: ArtifactVerdict[] = [];
  for (const view of views) {
    if (signal?.aborted === true) break;
    const named = await messageAt(context, view.seq);
    if (!named.ok) return named;
    if (named.value === null) continue;
    const problems = opened.ok ? await verifyArtifacts(opened.value, named.value.said) : [opened.error];
    const found = problems.length === 0 ? "verified" : isUndecided(problems) ? "reported" : "disputed";
    verdicts.push({ ...view, message: named.value.id, state: found, problems });
    const { receivers } = named.value;
    if (found !== "reported" && mayRecord)
      await record(context, actor, { ...view, receivers }, { state: found, problems });
  }
  if (opened.ok) await opened.value[Symbol.asyncDispose]();
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
 * one.
 */
async function record(
  context: Context,
  actor: Actor,
  view: ArtifactView & Pick<Named, "receivers">,
  found: Pick<ArtifactFinding, "state" | "problems">,
): Promise<void> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return;
  // Others may have judged it meanwhile, and no entry is needed to say it again.
  const standing = folded.value.state.coordination.work.artifacts.records.get(String(view.seq));
  if (standing === undefined || saysTheSame(standing.finding, found)) return;
  const { seq: message, artifacts, type, sender } = view;
  const problems = found.problems.map((each): JsonObject => ({ ...each }));
  const command: Command = {
    name: "record-artifacts",
    asked: { message, type, sender, artifacts, ...askedBy(actor), state: found.state, problems },
    decide(state, { seq }) {
      const { coordination } = state;
      const decided = decideWork(coordination, { command: "record-artifacts", message, ...found, seq });
      const judged = coordination.work.artifacts.records.get(String(message));
      if (!decided.ok || judged === undefined) return decided;
      const delivered = artifactNotification(state, judged, decided.value.events, view.receivers);
      return delivered === null ? decided : ok({ ...decided.value, delivered });
    },
  };
  await act(context, batonActor, command, undefined);
}
