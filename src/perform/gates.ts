/**
 * The gates of what an actor does, in their order. Source: docs/protocol/record.md, section 10; docs/protocol/verdicts.md.
 */
import { isJsonList, isJsonObject, type Json } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Decline } from "../journal/journal.ts";
import { type BranchTips, branchesSeen } from "../tasks/state/branches.ts";
import type { Gate } from "./commit.ts";
import type { Actor, TeamContext } from "./context.ts";
import { isDue } from "./expired-deadlines.ts";
import { isNews, recordHeartbeat } from "./heartbeat.ts";
import { repeats } from "./repeats.ts";
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
