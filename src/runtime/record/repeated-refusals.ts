/**
 * An agent that asks again and again for what it was refused is answered each time, and recorded a few times. What is not
 * recorded is counted next to the journal. Source: docs/protocol/record.md, section 1.
 */
import { steadyNow } from "../../base/clock.ts";
import { isJsonList, type Json, parseBounded } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type RefusedRequest, singlyMax } from "../../coordination/needs/refusal-loops.ts";
import type { EntryDraft } from "../../journal/entry.ts";
import type { Attempt, Committed, Decline } from "../../journal/journal.ts";
import type { Actor, TeamContext } from "../context.ts";
import { signOfLife } from "../health/heartbeat.ts";
import type { TeamState } from "../state.ts";
import { asJson, contentOfDraft, type RecordedContent } from "./content.ts";

/** After so long an equal refusal is recorded again: ten minutes. */
const apartMs = 600_000;
/** Most requests of an agent that are counted at a time. */
const countedMax = 20;

type Draft = EntryDraft | Decline;

/** A request that was refused as often before as is recorded one by one. */
interface Repeated {
  readonly same: string;
  readonly before: RefusedRequest;
  readonly problems: readonly Problem[];
}

/**
 * Commits the attempt by `commit`. A refusal that is only one more of the same is counted and not recorded, and its
 * problems come back as those of an attempt that records nothing.
 */
export async function commitOrCount(
  context: TeamContext,
  actor: Actor,
  attempt: Attempt<TeamState>,
  commit: (attempt: Attempt<TeamState>) => Promise<Result<Committed, Problem>>,
): Promise<Result<Committed, Problem>> {
  let last: Repeated | null = null;
  const committed = await commit({
    once: attempt.once,
    decide(state, moment) {
      const draft = attempt.decide(state, moment);
      last = repeatedIn(state, actor, draft);
      return last === null ? draft : { decline: last.problems };
    },
  });
  // What the decision found, which the compiler does not see.
  const repeated = last as Repeated | null;
  if (repeated === null || !committed.ok) return committed;
  const unrecorded = await countOne(context, actor.agent, repeated);
  if (!unrecorded.ok) return unrecorded;
  const { before } = repeated;
  const isDue =
    /^10+$/.test(String(before.times + unrecorded.value)) || steadyNow(context.clock) - before.atMs >= apartMs;
  if (!isDue) {
    // Of a program that was replaced there is none, which its answer says already.
    await signOfLife(context, actor);
    return committed;
  }
  return await commit({
    once: attempt.once,
    decide(state, moment) {
      const draft = attempt.decide(state, moment);
      const again = repeatedIn(state, actor, draft);
      const isSame = again?.same === repeated.same && again.before.seq === before.seq;
      return isSame ? withUnrecorded(draft, unrecorded.value - 1) : draft;
    },
  });
}

/** What a decision refuses once more; null: it accepts, or its refusal is recorded. */
function repeatedIn({ refusedRequests }: TeamState, { agent }: Actor, draft: Draft): Repeated | null {
  if ("decline" in draft || draft.kind !== "refusal") return null;
  const { refused, problems = [] } = contentOfDraft(draft);
  const same = refused?.same;
  const before = same === undefined ? undefined : refusedRequests.get(agent)?.get(same);
  if (same === undefined || before === undefined || before.times < singlyMax) return null;
  return { same, before, problems };
}

function withUnrecorded(draft: Draft, unrecorded: number): Draft {
  if ("decline" in draft) return draft;
  const { refused, ...content } = contentOfDraft(draft);
  const counted: RecordedContent =
    refused === undefined ? content : { ...content, refused: { ...refused, unrecorded } };
  return { ...draft, content: asJson(counted) };
}

/** Counts one refusal that is not recorded; answers how many there are since the entry that was. */
async function countOne(
  { journal, team }: TeamContext,
  agent: string,
  { same, before: { seq } }: Repeated,
): Promise<Result<number, Problem>> {
  let times = 1;
  // No agent can have such a name.
  const noted = await journal.note(team, `${agent}/refused`, (text) => {
    const counts = countsIn(text);
    const found = counts.find(([of, since]) => of === same && since === seq);
    times = (found?.[2] ?? 0) + 1;
    const others = counts.filter(([of]) => of !== same).slice(1 - countedMax);
    return JSON.stringify([...others, [same, seq, times]]);
  });
  return noted.ok ? ok(times) : noted;
}

type Count = readonly [same: string, seq: number, times: number];

/** What this file noted; anything else counts as nothing. */
function countsIn(text: string | null): readonly Count[] {
  const read = text === null ? null : parseBounded(text);
  return read?.ok === true && isJsonList(read.value) ? read.value.flatMap((each) => countOf(each)) : [];
}

function countOf(said: Json): readonly Count[] {
  if (!isJsonList(said)) return [];
  const [same, seq, times] = said;
  return typeof same === "string" && typeof seq === "number" && typeof times === "number" ? [[same, seq, times]] : [];
}
