/** Errors planted into tasks and claims. */

import { recordUndecided } from "../../src/evidence/services/undecided-reports.ts";
import { recordVerdict } from "../../src/evidence/services/verification.ts";
import { contracts } from "../../src/tasks/decide/contracts.ts";
import { leases } from "../../src/tasks/decide/leases.ts";
import { claiming, completeTask, releaseTask } from "../../src/tasks/handlers/tasks.ts";
import { emptyIndex } from "../../src/tasks/state/claim-index.ts";
import { workFolds } from "../../src/tasks/state/task-events.ts";
import { findTask, type Task, type Work } from "../../src/tasks/state/task-state.ts";
import { changed, type Plant, type Planted, performs, replaces } from "./planting.ts";

/** Does the operation on work that looks otherwise than it is. */
function seeing(operation: typeof claiming | typeof completeTask, look: (work: Work) => Work): () => Planted {
  return performs(operation as typeof claiming, (decide) => (state, input, at, on) => {
    const { coordination } = state;
    return decide({ ...state, coordination: { ...coordination, work: look(coordination.work) } }, input, at, on);
  });
}

/** The same where each task looks otherwise. */
function seeingTasks(operation: Parameters<typeof seeing>[0], look: (task: Task) => Task): () => Planted {
  return seeing(operation, (known) => ({ ...known, tasks: changed(known.tasks, look) }));
}

export const workPlants: readonly Plant[] = [
  {
    problem: "claims that overlap are granted",
    plant: seeing(claiming, (known) => ({ ...known, covered: emptyIndex() })),
  },
  {
    problem: "a task that another holds is granted",
    plant: seeingTasks(claiming, (task) => ({ ...task, claim: null })),
  },
  {
    problem: "a task that is done is granted again",
    plant: seeingTasks(claiming, (task) => ({ ...task, report: null, verdict: null })),
  },
  {
    problem: "a task is granted before what it waits for",
    plant: seeing(claiming, (known) => ({
      ...known,
      plans: changed(known.plans, (plan) => ({ ...plan, needs: [] })),
      tasks: changed(known.tasks, (task) => ({ ...task, needs: [] })),
    })),
  },
  {
    problem: "a task is completed by one who does not hold it",
    plant: seeingTasks(completeTask, (task) => ({ ...task, claim: null })),
  },
  {
    problem: "a token of an ended claim completes a task",
    plant: performs(completeTask, (decide) => (state, input, at, on) => {
      const { token: _, ...rest } = input;
      return decide(state, rest, at, on);
    }),
  },
  {
    problem: "a token is given out twice",
    plant: performs(claiming, (decide) => (state, input, at, on) => {
      const decided = decide(state, input, at, on);
      if (!decided.ok) return decided;
      const { tasks } = state.coordination.work;
      const events = decided.value.events.map((event) => {
        const before = event.event === "task-claimed" ? tasks.get(event.key)?.grants.at(-1) : undefined;
        return event.event === "task-claimed" && before !== undefined ? { ...event, token: before[1] } : event;
      });
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    problem: "a dispute ends with a report that is not complete",
    plant: replaces(workFolds, "task-reported", (fold) => (work, event) => {
      const { leavesRefuted: _, ...told } = event;
      fold(work, told);
    }),
  },
  {
    problem: "a verdict on an earlier report counts",
    plant: performs(recordVerdict, (decide) => (state, input, at, on) => {
      const { candidate } = input;
      const last = findTask(state.coordination.work, candidate.key, candidate.planKey)?.report;
      return decide(state, { ...input, candidate: { ...candidate, report: last?.seq ?? candidate.report } }, at, on);
    }),
  },
  {
    problem: "a doubt leaves the verdict as it was",
    plant: performs(recordUndecided, (decide) => (state, input, at, on) => {
      const decided = decide(state, input, at, on);
      if (!decided.ok) return decided;
      const events = decided.value.events.filter(({ event }) => event !== "verdict-opened");
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    problem: "a claim reaches beyond its contract",
    plant: performs(claiming, (decide) => (state, input, at, on) => {
      const coordination = { ...state.coordination, contracts: contracts.initial() };
      return decide({ ...state, coordination }, input, at, on);
    }),
  },
  {
    problem: "a lease ends although its holder showed itself beside the record",
    plant: replaces(leases, "expire", (expire) => (command, work) => expire({ ...command, signs: [] }, work)),
  },
  {
    problem: "a task that waits for a decision is lost with the others",
    plant: replaces(leases, "expire", (expire) => (command, work) => expire({ ...command, waiting: [] }, work)),
  },
  {
    problem: "a task that waits for a decision is kept without end",
    plant: replaces(leases, "expire", (expire) => (command, work) => expire(command, { ...work, kept: new Map() })),
  },
  {
    problem: "a developer takes a task from another",
    plant: performs(releaseTask, (decide) => (state, input, at, on) => {
      return decide(state, input, { ...at, by: { ...at.by, role: "lead" } }, on);
    }),
  },
  {
    problem: "deciding changes what is known",
    plant: performs(claiming, (decide) => (state, input, at, on) => {
      state.coordination.work.signs.delete(at.by.agent);
      return decide(state, input, at, on);
    }),
  },
  {
    problem: "claims never end by silence",
    plant: replaces(leases, "expire", (expire) => (command, work) => {
      return expire({ ...command, signs: command.signs.map(([agent]) => [agent, command.atMs] as const) }, work);
    }),
  },
];
