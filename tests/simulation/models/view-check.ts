/**
 * What the core shows of the whole, checked against the models and against a replay from the first entry: everything
 * shown must follow from the entries.
 */

import type { Entry } from "../../../src/journal/entry.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { teamProjection } from "../../../src/perform/projection.ts";
import type { TeamState } from "../../../src/perform/state.ts";
import type { WorkingTeam } from "../../../src/perform/team.ts";
import type { TaskView } from "../../../src/tasks/view/task-view.ts";
import { numbersOf } from "../world/vocabulary.ts";
import type { Models } from "./models.ts";
import type { Wrong } from "./seen.ts";

/** Holds status, tasks, approvals, escalations and rounds, as `team` shows them, against what the entries say. */
export async function checkViews(team: WorkingTeam, models: Models, wrong: Wrong): Promise<void> {
  const [approvals, escalations, rounds, handoffs] = [
    await team.approvals({ all: true }),
    await team.escalations({ all: true }),
    await team.shutdowns(),
    await team.handoffs({ all: true }),
  ];
  if (!approvals.ok || !escalations.ok || !rounds.ok || !handoffs.ok) return wrong("a view cannot be read");
  compare(
    "handoffs",
    handoffs.value.map(({ id, status, after, acceptance, rejection }) => {
      return `${id} ${status} ${after} ${(acceptance ?? rejection)?.by ?? null}`;
    }),
    [...models.handoffs.all.values()].map(({ id, status, after, answeredBy }) => {
      return `${id} ${status} ${after} ${answeredBy}`;
    }),
    wrong,
  );
  compare(
    "approvals",
    approvals.value.map(({ requester, requestId, status }) => `${requester}/${requestId} ${status}`),
    [...models.approvals.requests.values()].map(({ key, status }) => `${key} ${status}`),
    wrong,
  );
  compare(
    "escalations",
    escalations.value.map(({ id, status, level, round }) => `${id} ${status} ${level} ${round}`),
    [...models.escalations.all.values()].map(({ id, status, level, round }) => `${id} ${status} ${level} ${round}`),
    wrong,
  );
  compare(
    "rounds",
    rounds.value.map(({ round, outcome, asked, agents }) => {
      return `${round} ${outcome} ${asked} ${agents.map((part) => `${part.agent}:${part.outcome}:${part.unread}`).join()}`;
    }),
    models.shutdowns.rounds.map(models.shutdowns.certificate),
    wrong,
  );
  await checkTasks(team, models, wrong);
  await checkPhases(team, models, wrong);
  await checkStatus(team, models, wrong);
}

async function checkTasks(team: WorkingTeam, { work }: Models, wrong: Wrong): Promise<void> {
  const tasks = await team.tasks();
  if (!tasks.ok) return wrong("the tasks cannot be read");
  const doneStates: readonly TaskView["state"][] = ["complete", "reported", "verified"];
  const shownState = (state: TaskView["state"]) => (doneStates.includes(state) ? "done" : state);
  compare(
    "tasks",
    tasks.value.map(({ task, state, holder, token }) => `${task} ${shownState(state)} ${holder} ${token}`),
    [...work.tasks.values()].map((task) => {
      const { claim, doneBy, verdict } = task;
      const isHindered = work.isBlocked(task) || work.meeting(task.files, "owner").length > 0;
      const free = verdict ?? (isHindered ? "blocked" : "available");
      const isRefuted = verdict !== null && verdict !== "verified";
      const done = verdict === "gone" ? "gone" : "done";
      const state = claim !== null && !isRefuted ? "claimed" : doneBy !== null ? done : claim === null ? free : verdict;
      return `${task.task} ${state} ${claim?.holder ?? null} ${claim?.token ?? null}`;
    }),
    wrong,
  );
}

async function checkPhases(team: WorkingTeam, { reviews, roster, phases: known }: Models, wrong: Wrong): Promise<void> {
  const phases = await team.phases();
  if (!phases.ok) return wrong("the phases cannot be read");
  known.checkViews(phases.value);
  // A plan of a department that is neither at work nor needed is not shown, and a plan of no department is shown with
  // each.
  const shown = new Map(
    phases.value.flatMap(({ departments }) =>
      departments.flatMap(({ plans }) => plans.map((plan) => [numbersOf(plan.plan), plan] as const)),
    ),
  );
  const isWhole = roster.workingDepartments().length < 2;
  compare(
    "reviews",
    [...shown].flatMap(([plan, { review, reviewCycle }]) =>
      review === null ? [] : [`${plan} ${reviewCycle} ${review}`],
    ),
    [...reviews.plans].flatMap(([plan, { round, status }]) =>
      isWhole || shown.has(plan) ? [`${plan} ${round} ${status}`] : [],
    ),
    wrong,
  );
}

async function checkStatus(team: WorkingTeam, { mail, roster, counts, record }: Models, wrong: Wrong): Promise<void> {
  const status = await team.status();
  if (!status.ok) return wrong("the status cannot be read");
  const { agents, head } = status.value;
  compare(
    "agents",
    agents.map(
      (each) => `${each.agent} ${each.role} ${each.status} ${each.session} ${each.unread} ${each.acknowledged}`,
    ),
    [...roster.agents.values()].map(({ agent, role, isActive, session }) => {
      const place = `${agent} ${role} ${isActive ? "active" : "retired"} ${session}`;
      return `${place} ${mail.waiting(agent).length} ${mail.acknowledged(agent)}`;
    }),
    wrong,
  );
  compare(
    "counts",
    Object.entries(status.value.counts).map(([kind, count]) => `${kind} ${count}`),
    Object.keys(status.value.counts).map((kind) => `${kind} ${counts.get(kind) ?? 0}`),
    wrong,
  );
  if (head.seq !== record.entries.length) wrong(`the status is at ${head.seq} of ${record.entries.length}`);
}

function compare(what: string, shown: readonly string[], expected: readonly string[], wrong: Wrong): void {
  const [some, others] = [shown.toSorted(), expected.toSorted()];
  for (let index = 0; index < Math.max(some.length, others.length); index++) {
    const [here, there] = [some[index] ?? "nothing more", others[index] ?? "nothing more"];
    if (here === there) continue;
    wrong(`${what}: shown "${here}", the entries say "${there}"`);
    return;
  }
}

/** Holds the state that the core works with against a fold of every entry from the first. */
export async function checkReplay(journal: Journal<TeamState>, entries: readonly Entry[], wrong: Wrong): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  const replayed = entries.reduce((state, entry) => teamProjection.evolve(state, entry), teamProjection.initial());
  const folded = await journal.state(first.team);
  if (!folded.ok) return wrong("the state cannot be read");
  if (folded.value.head.seq !== entries.length) wrong(`the state is at ${folded.value.head.seq} of ${entries.length}`);
  if (teamProjection.encode(folded.value.state) !== teamProjection.encode(replayed)) {
    wrong("the state differs from a replay of every entry");
  }
}
