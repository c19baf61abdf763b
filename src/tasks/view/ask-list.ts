/**
 * The list of what agents asked the team for, the latest change first, with the last words about each.
 * Rules: docs/protocol/tasks.md, section 12.
 */
import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { meansTask } from "../../messages/task-ids.ts";
import { effectsOf } from "../../perform/content.ts";
import type { Actor, Context } from "../../perform/context.ts";
import type { ListAsks } from "../../perform/operations/generated/calls.ts";
import { entryAt } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import type { AskRemark, AskView } from "../operations/asks.ts";
import type { Task } from "../state/task-state.ts";
import { looking } from "./task-list.ts";
import { taskViewOf, type Viewer } from "./task-view.ts";

/** Most asks of one answer, and how many when nothing is said. */
const asksMax = 100;
const asksDefault = 50;

/** An ask before its entries are read. */
interface FoundAsk extends Omit<AskView, "at" | "askedAt" | "said"> {
  readonly entries: readonly number[];
  readonly first: number;
}

/** The asks that match, the latest change first. Refuses `wrong-value` for a position that is none. */
export async function listAsks(
  context: Context,
  actor: Actor,
  filter: ListAsks = {},
): Promise<Result<readonly AskView[], Problem>> {
  const { after, limit = asksDefault, history = 0 } = filter;
  const from = after === undefined ? null : positionOf(after);
  if (after !== undefined && from === null) {
    return err(
      makeProblem("wrong-value", argument("after"), "There is no such place in the list.", {
        received: after.slice(0, 160).toWellFormed(),
      }),
    );
  }
  const found = await looking(context, actor, (state, viewer) => {
    const isGuest = state.team.roster.get(actor.agent)?.role === "guest";
    const seen = isGuest ? { ...filter, asker: actor.agent } : filter;
    const all = [...asksIn(state, seen)].map((task) => foundAsk(state, task, viewer));
    const sorted = all.toSorted(byChange);
    const rest = from === null ? sorted : sorted.filter((each) => byChange(from, each) < 0);
    return rest.slice(0, Math.min(limit, asksMax));
  });
  if (!found.ok) return found;
  const views: AskView[] = [];
  for (const each of found.value) {
    const view = await withEntries(context, each, history);
    if (!view.ok) return view;
    views.push(view.value);
  }
  return ok(views);
}

interface Position {
  readonly seq: number;
  readonly task: { readonly task: string };
}

function byChange(one: Position, other: Position): number {
  if (one.seq !== other.seq) return other.seq - one.seq;
  return one.task.task < other.task.task ? -1 : one.task.task > other.task.task ? 1 : 0;
}

/** `17~ask-…`: the place of an ask in the list, as `after` names it. */
export function askPosition({ seq, task }: Position): string {
  return `${seq}~${task.task}`;
}

function positionOf(text: string): Position | null {
  const [, seq, task] = /^(\d{1,15})~([^~]{1,128})$/.exec(text) ?? [];
  return seq === undefined || task === undefined ? null : { seq: Number(seq), task: { task } };
}

function* asksIn({ coordination: { work } }: TeamState, { asker, task: wanted }: ListAsks): Iterable<Task> {
  const keys =
    asker === undefined
      ? [...work.asked.values()].flatMap((each) => [...each.keys()])
      : (work.asked.get(asker)?.keys() ?? []);
  for (const key of keys) {
    const task = work.tasks.get(key);
    if (task !== undefined && (wanted === undefined || meansTask(wanted, task.task, null, task.number))) yield task;
  }
}

function foundAsk({ coordination: { work } }: TeamState, task: Task, viewer: Viewer): FoundAsk {
  const view = taskViewOf(work, task, viewer);
  const { asker = "", context = null, entries = [], question = null } = task.ask ?? {};
  return {
    task: view,
    asker,
    context,
    question,
    ended: task.ended ?? null,
    evidence: task.report?.evidence ?? null,
    entries,
    first: task.seq,
    seq: Math.max(view.seq, entries.at(-1) ?? 0),
  };
}

async function withEntries(context: Context, found: FoundAsk, history: number): Promise<Result<AskView, Problem>> {
  const { entries, first, ...view } = found;
  const said: AskRemark[] = [];
  // The question that waits is always shown: without it nobody can answer.
  const shown = entries.filter((seq, index) => seq === found.question || index >= entries.length - history);
  for (const seq of shown) {
    const entry = await entryAt(context, seq);
    if (!entry.ok) return entry;
    const { command } = entry.value === null ? {} : effectsOf(entry.value);
    if (entry.value === null || typeof command?.text !== "string") continue;
    const { principal, recordedAt: at, id } = entry.value;
    said.push({ seq, at, by: principal.agent, id, text: command.text, isQuestion: command.question === true });
  }
  const [begun, changed] = [await entryAt(context, first), await entryAt(context, found.seq)];
  if (!begun.ok) return begun;
  if (!changed.ok) return changed;
  return ok({ ...view, at: changed.value?.recordedAt ?? "", askedAt: begun.value?.recordedAt ?? "", said });
}
