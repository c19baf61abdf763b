/** Errors planted into tasks and claims. */

import { contracts } from "../../src/tasks/decide/contracts.ts";
import { work } from "../../src/tasks/decide/task-decider.ts";
import { claiming, completeTask } from "../../src/tasks/handlers/tasks.ts";
import { emptyIndex } from "../../src/tasks/state/claim-index.ts";
import { findTask, type Task, type Work } from "../../src/tasks/state/task-state.ts";
import { changed, decides, evolves, type Plant, type Planted, performs } from "./planting.ts";

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
    plant: evolves(work, (evolve) => (state, event) => {
      if (event.event !== "task-reported") return evolve(state, event);
      const { leavesRefuted: _, ...told } = event;
      return evolve(state, told);
    }),
  },
  {
    problem: "a verdict on an earlier report counts",
    plant: decides(work, (decide) => (command, state) => {
      if (command.command !== "record-verdict") return decide(command, state);
      const last = findTask(state, command.taskId, command.planId)?.report;
      return decide({ ...command, report: last?.seq ?? command.report }, state);
    }),
  },
  {
    problem: "a verifier's doubt leaves the verdict as it was",
    plant: decides(work, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok || command.command !== "record-finding") return decided;
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
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "expire-leases" ? { ...command, signs: [] } : command, state);
    }),
  },
  {
    problem: "a task that waits for a decision is lost with the others",
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "expire-leases" ? { ...command, waiting: [] } : command, state);
    }),
  },
  {
    problem: "a task that waits for a decision is kept without end",
    plant: decides(work, (decide) => (command, state) => {
      return decide(command, command.command === "expire-leases" ? { ...state, kept: new Map() } : state);
    }),
  },
  {
    problem: "a developer takes a task from another",
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "release-task" ? { ...command, mayTake: true } : command, state);
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
    plant: decides(work, (decide) => (command, state) => {
      if (command.command !== "expire-leases") return decide(command, state);
      return decide({ ...command, signs: command.signs.map(([agent]) => [agent, command.atMs] as const) }, state);
    }),
  },
];
