/** The team as it was at an entry. */
import { argument } from "../base/argument.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { ownerName } from "../messages/principal.ts";
import type { LogLine } from "../record/operations/entries.ts";
import type { Past } from "../record/operations/lanes.ts";
import { contextAt, type PastState, stateAt } from "../record/view/time-travel.ts";
import type { TaskStory } from "../tasks/operations/task-shapes.ts";
import { taskStory } from "../tasks/view/task-story.ts";
import type { Actor, Context } from "./context.ts";
import type { ShowPast, ShowTask } from "./operations/generated/calls.ts";
import { pastViews } from "./operations/reply.ts";
import type { LocalTeam } from "./team.ts";

/**
 * A look of today at the team as it was, as the person sees it: no agent's own claims are left out of it. Refuses
 * `wrong-value` and `not-found`.
 */
export async function pastLook(
  context: Context,
  { seq, view }: ShowPast,
  handleAt: (context: Context, actor: Actor) => LocalTeam,
): Promise<Result<Past, Problem>> {
  const known = pastViews.find((each) => each === view);
  if (known === undefined) return err(noPast("view", view, pastViews.join(" | ")));
  const at = await momentOf(context, "seq", seq);
  if (!at.ok) return at;
  const team = handleAt(contextAt(context, at.value), person);
  const value: Result<unknown, Problem> =
    known === "recent" ? await recentAt(team, at.value.head.seq) : await team[known]();
  return value.ok ? ok({ seq: at.value.head.seq, at: at.value.recordedAt, view: known, value: value.value }) : value;
}

/** The person, as who the past is looked at. */
const person = { agent: ownerName, via: "launcher" } as const;

/** A task, as it is or as it was. */
export function taskLook(context: Context, actor: Actor, given: ShowTask): Promise<Result<TaskStory, Problem>> {
  return given.at === undefined ? taskStory(context, actor, given) : pastTask(context, given);
}

/** A task as it was at an entry. Refuses what `taskStory` and the past refuse. */
async function pastTask(context: Context, given: ShowTask): Promise<Result<TaskStory, Problem>> {
  const at = await momentOf(context, "at", given.at ?? "");
  return at.ok ? taskStory(contextAt(context, at.value), person, given, context) : at;
}

/** The last messages before an entry was followed by others, with what had become of them then. */
async function recentAt(team: Pick<LocalTeam, "logPage">, seq: number): Promise<Result<readonly LogLine[], Problem>> {
  const page = await team.logPage({ view: "messages", newestFirst: true, limit: recentMax, before: seq + 1 });
  return page.ok ? ok(page.value.entries) : page;
}

/** Most lines of the past that are shown as the last ones. */
const recentMax = 8;

async function momentOf(context: Context, name: string, seq: string): Promise<Result<PastState, Problem>> {
  return /^\d{1,15}$/.test(seq) ? await stateAt(context, Number(seq)) : err(noPast(name, seq, "digits"));
}

function noPast(name: string, received: string, expected: string): Problem {
  return makeProblem("wrong-value", argument(name), "There is no such look at the past.", {
    expected,
    received: received.slice(0, 64).toWellFormed(),
  });
}
