/**
 * Deadlines become facts only here: late, never early, once. Every process that uses the journal records what expired,
 * so that a deadline passes with and without a hub; the decision is taken again under the write lock, where only one
 * can win. Source: docs/protocol/record.md, section 10.
 */
import { surelyNow } from "../base/clock.ts";
import { isJsonList, isJsonObject, type Json } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { type Due, isDue, nextDue } from "../coordination/expired-deadlines.ts";
import { type BranchTips, branchesSeen } from "../coordination/tasks/branches.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Attempt, Committed, Decline } from "../journal/journal.ts";
import { awayMsOf } from "../team/definition.ts";
import { type TeamContext, withDialects } from "./context.ts";
import { type HeartbeatSender, isNews, recordHeartbeat } from "./health/heartbeat.ts";
import { dueTermsOf } from "./projection.ts";
import type { TeamState } from "./state.ts";

/** What to do before an attempt can be committed. */
type Obstacle = "nothing" | "deadline" | "news" | "branches" | "clearable";

/** What may be in an attempt's way and can be cleared outside the write lock; it is tried once. */
export interface Clearable {
  isInTheWay(state: TeamState): boolean;
  clear(): Promise<Result<void, Problem>>;
}

/**
 * Commits an attempt behind every deadline that has passed, so that nothing slips in after one, and behind what is new in
 * hearing the actor. Looking for them happens in the decision itself and costs no extra round. Fails as `commit` does, and
 * where a deadline cannot be recorded.
 */
export async function commitInTime(
  context: TeamContext,
  attempt: Attempt<TeamState>,
  actor: HeartbeatSender,
  clearable?: Clearable,
): Promise<Result<Committed, Problem>> {
  let left = clearable;
  let tips: BranchTips | null | undefined;
  for (;;) {
    let first: Obstacle = "nothing";
    const committed = await context.journal.commit(context.team, {
      once: attempt.once,
      decide(state, moment) {
        first = isDue(state.coordination, dueIn(context, state))
          ? "deadline"
          : isNews(context, state, actor)
            ? "news"
            : "nothing";
        if (first === "nothing" && left?.isInTheWay(state) === true) first = "clearable";
        if (first !== "nothing") return { decline: [] };
        const draft = attempt.decide(state, moment);
        if (context.readBranches === undefined || !recordsTask(draft)) return draft;
        if (tips !== undefined) return withSighting(draft, state, tips, moment.seq);
        first = "branches";
        return { decline: [] };
      },
    });
    // What the decision found, which the compiler does not see.
    const found = first as Obstacle;
    if (found === "nothing") return committed;
    if (found === "branches") {
      tips = (await context.readBranches?.()) ?? null;
      continue;
    }
    if (found === "clearable") {
      const cleared = await left?.clear();
      if (cleared?.ok === false) return cleared;
      left = undefined;
      continue;
    }
    const recorded = found === "deadline" ? await fireDue(context) : await recordHeartbeat(context, actor);
    if (!recorded.ok) return recorded;
  }
}

/**
 * Records every deadline that has passed, and answers when the next one does (milliseconds of the clock; null: nothing
 * waits). Costs one look at the earliest deadline when nothing is due. A journal that cannot be written is left as it
 * is: nothing is decided by a clock alone.
 */
export async function fireDue(context: TeamContext): Promise<Result<number | null, Problem>> {
  const { journal, team } = context;
  if (journal.condition().condition !== "ready") return ok(null);
  for (let together = 1; ; together = Math.min(together * 4, togetherMax)) {
    const folded = await journal.state(team);
    if (!folded.ok) return folded;
    const { state } = folded.value;
    const due = dueIn(context, state);
    if (!isDue(state.coordination, due)) return ok(nextDue(state.coordination, due));
    // Seldom is something due, so nothing else loads what it becomes.
    const { passDeadlines } = await import("./expired-entries.ts");
    const speaking = await withDialects(context);
    const attempts = Array.from({ length: together }, () =>
      journal.commit(team, {
        once: null,
        decide: (now, moment) => passDeadlines(speaking, now, { moment, due: dueIn(context, now) }),
      }),
    );
    const committed = await Promise.all(attempts);
    const failed = committed.find((each) => !each.ok);
    if (failed !== undefined) return failed;
    const isDone = committed.every((each) => each.ok && each.value.outcome === "declined");
    if (isDone) return ok(nextDue(state.coordination, due));
  }
}

/**
 * Puts the team's next deadline into the index of a file on this machine, where that names one that has passed: a hub does
 * so as it looks, and there may be none.
 */
export async function keepDeadlineIndex({ journal, team, clock }: TeamContext): Promise<void> {
  if (journal.abilities.reach !== "machine") return;
  const known = await journal.due(surelyNow(clock));
  // The index is derived: what cannot be written is found again by the next look.
  if (known.ok && known.value.teams.includes(team)) await journal.noteDue(team);
}

/**
 * Most entries for deadlines that are asked of the journal at once, so that many of one instant become durable together;
 * each is decided when its turn comes, and finds what those before it left.
 */
const togetherMax = 64;

function dueIn({ clock, listeningSinceMs }: TeamContext, { team: { definition } }: TeamState): Due {
  return {
    atMs: surelyNow(clock),
    ...dueTermsOf(definition),
    listeningSinceMs: listeningSinceMs?.(awayMsOf(definition)) ?? 0,
  };
}

/*
 * Where the branches are when a task is recorded or claimed. They are read outside the write lock: a decision that
 * would record a task is put off, the branches are read, and it is taken again. Rules: docs/protocol/verdicts.md.
 */

/** Whether the entry adds a task, grants a claim or takes files, so that it must say where the branches were. */
function recordsTask(draft: EntryDraft | Decline): draft is EntryDraft {
  return "content" in draft && eventsOf(draft).some((event) => isTask(event));
}

/** The entry with the sighting before its other events. Null tips: nothing could be read, and it is as it was. */
function withSighting(draft: EntryDraft, state: TeamState, tips: BranchTips | null, seq: number): EntryDraft {
  const seen = branchesSeen(state.coordination.work.branches, tips, seq);
  if (seen.length === 0 || !isJsonObject(draft.content)) return draft;
  const sightings = seen.map((event): Json => ({ ...event }));
  return { ...draft, content: { ...draft.content, events: [...sightings, ...eventsOf(draft)] } };
}

function eventsOf({ content }: EntryDraft): readonly Json[] {
  const events = isJsonObject(content) ? content.events : undefined;
  return isJsonList(events) ? events : [];
}

const kinds: readonly string[] = ["task-added", "task-claimed", "files-taken"];

function isTask(event: Json): boolean {
  return isJsonObject(event) && kinds.some((kind) => event.event === kind);
}
