/**
 * The gates of what an actor does, in their order. Source: docs/protocol/record.md, section 10; docs/protocol/verdicts.md.
 */

import { steadyNow } from "../base/clock.ts";
import { isJsonList, isJsonObject, type Json, parseBounded } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Decline } from "../journal/journal.ts";
import { type RefusedRequest, singlyMax } from "../needs/view/refusal-loops.ts";
import { type BranchTips, branchesSeen } from "../tasks/state/branches.ts";
import type { Gate } from "./commit.ts";
import { asJson, contentOfDraft, type RecordedContent } from "./content.ts";
import type { Actor, TeamContext } from "./context.ts";
import { isDue } from "./expired-deadlines.ts";
import { heartbeat, isNews, recordHeartbeat } from "./heartbeat.ts";
import type { TeamState } from "./state.ts";
import { dueIn, fireDue } from "./timers.ts";

/** What an operation tells its gates. */
export interface Terms {
  /** No deadline concerns the operation, so it waits for none. */
  readonly timeless?: true;
  /** What is cleared out of the operation's way before it is decided. */
  readonly clearable?: Clearable;
}

/** The gates in order: deadlines, heartbeats, what can be cleared; after the decision repeats, then branches. */
export function gatesOf(context: TeamContext, actor: Actor, { timeless, clearable }: Terms): readonly Gate[] {
  const repeated = repeats(context, actor);
  if (timeless === true) return [repeated];
  return [
    deadlines(context),
    heartbeats(context, actor),
    ...(clearable === undefined ? [] : [cleared(clearable)]),
    repeated,
    ...(context.readBranches === undefined ? [] : [branches(context.readBranches)]),
  ];
}

/** Runs `clear` outside the lock, then the attempt is made again. */
function postponed(clear: () => Promise<Result<unknown, Problem>>): Decline {
  return {
    decline: [],
    remedy: async () => {
      const cleared = await clear();
      return cleared.ok ? ok("again") : cleared;
    },
  };
}

/** Records every deadline that has passed first, so that the decision sees it. */
function deadlines(context: TeamContext): Gate {
  return {
    before: (state) => (isDue(state.coordination, dueIn(context, state)) ? postponed(() => fireDue(context)) : null),
  };
}

/** Records first that the actor is back, or works in a new session. */
function heartbeats(context: TeamContext, actor: Actor): Gate {
  return {
    before: (state) => (isNews(context, state, actor) ? postponed(() => recordHeartbeat(context, actor)) : null),
  };
}

/** Something that may be in the way and can be cleared outside the lock. */
export interface Clearable {
  isInTheWay(state: TeamState): boolean;
  clear(): Promise<Result<void, Problem>>;
}

/** Clears once; the decision deals with what is left. */
function cleared(clearable: Clearable): Gate {
  let isTried = false;
  return {
    before: (state) =>
      isTried || !clearable.isInTheWay(state)
        ? null
        : postponed(() => {
            isTried = true;
            return clearable.clear();
          }),
  };
}

/**
 * An entry that adds a task, grants a claim or takes files says where the branches were. They are read outside the lock,
 * and only for such an entry. Rules: docs/protocol/verdicts.md.
 */
function branches(read: () => Promise<BranchTips | null>): Gate {
  let tips: BranchTips | null | undefined;
  return {
    after(draft, state, { seq }) {
      if (!eventsOf(draft).some(isTask)) return draft;
      if (tips !== undefined) return withSighting(draft, state, tips, seq);
      return postponed(async () => {
        tips = await read();
        return ok(undefined);
      });
    },
  };
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

const taskEvents: readonly string[] = ["task-added", "task-claimed", "files-taken"];

function isTask(event: Json): boolean {
  return isJsonObject(event) && taskEvents.some((kind) => event.event === kind);
}

/* The last gate: an equal refusal is only counted. */

/** After so long an equal refusal is recorded again: ten minutes. */
const apartMs = 600_000;
/** Most requests of an agent that are counted at a time. */
const countedMax = 20;

/** A request that was refused as often before as is recorded one by one. */
interface Repeated {
  readonly same: string;
  readonly before: RefusedRequest;
  readonly problems: readonly Problem[];
}

/** Counts an equal refusal instead of recording it, until its number or its time is due. */
function repeats(context: TeamContext, actor: Actor): Gate {
  let due: (Repeated & { readonly unrecorded: number }) | null = null;
  return {
    after(draft, state) {
      const repeated = repeatedIn(state, actor, draft);
      if (repeated === null) return draft;
      const { same, before, problems } = repeated;
      if (due !== null) {
        const isSame = same === due.same && before.seq === due.before.seq;
        return isSame ? withUnrecorded(draft, due.unrecorded - 1) : draft;
      }
      return {
        decline: problems,
        draft,
        remedy: async () => {
          const counted = await countOne(context, actor.agent, repeated);
          if (!counted.ok) return counted;
          const isDue =
            /^10+$/.test(String(before.times + counted.value)) || steadyNow(context.clock) - before.atMs >= apartMs;
          if (isDue) due = { ...repeated, unrecorded: counted.value };
          // A replaced program has no heartbeat; its answer says so already.
          else await heartbeat(context, actor);
          return ok(isDue ? "again" : "done");
        },
      };
    },
  };
}

/** What a decision refuses once more; null: it accepts, or its refusal is recorded. */
function repeatedIn({ refusedRequests }: TeamState, { agent }: Actor, draft: EntryDraft): Repeated | null {
  if (draft.kind !== "refusal") return null;
  const { refused, problems = [] } = contentOfDraft(draft);
  const same = refused?.same;
  const before = same === undefined ? undefined : refusedRequests.get(agent)?.get(same);
  if (same === undefined || before === undefined || before.times < singlyMax) return null;
  return { same, before, problems };
}

function withUnrecorded(draft: EntryDraft, unrecorded: number): EntryDraft {
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
