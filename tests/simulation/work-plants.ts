/** Errors planted into tasks and claims. */

import { work } from "../../src/tasks/decide/task-decider.ts";
import { emptyIndex } from "../../src/tasks/state/claim-index.ts";
import { findTask, type Task } from "../../src/tasks/state/task-state.ts";
import { changed, decides, evolves, type Plant, type Planted } from "./planting.ts";

/** Decides on tasks that look otherwise than they are. */
function seeingTasks(names: readonly string[], look: (task: Task) => Task): () => Planted {
  return decides(work, (decide) => (command, state) => {
    return decide(command, names.includes(command.command) ? { ...state, tasks: changed(state.tasks, look) } : state);
  });
}

export const workPlants: readonly Plant[] = [
  {
    problem: "claims that overlap are granted",
    plant: decides(work, (decide) => (command, state) => decide(command, { ...state, covered: emptyIndex() })),
  },
  {
    problem: "a task that another holds is granted",
    plant: seeingTasks(["claim-task"], (task) => ({ ...task, claim: null })),
  },
  {
    problem: "a task that is done is granted again",
    plant: seeingTasks(["claim-task"], (task) => ({ ...task, report: null, verdict: null })),
  },
  {
    problem: "a task is granted before what it waits for",
    plant: decides(work, (decide) => (command, state) => {
      if (command.command !== "claim-task") return decide(command, state);
      const plans = changed(state.plans, (plan) => ({ ...plan, needs: [] }));
      return decide(command, { ...state, plans, tasks: changed(state.tasks, (task) => ({ ...task, needs: [] })) });
    }),
  },
  {
    problem: "a task is completed by one who does not hold it",
    plant: seeingTasks(["report-task"], (task) => ({ ...task, claim: null })),
  },
  {
    problem: "a token of an ended claim completes a task",
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "report-task" ? { ...command, token: null } : command, state);
    }),
  },
  {
    problem: "a token is given out twice",
    plant: decides(work, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.map((event) => {
        const before = event.event === "task-claimed" ? state.tasks.get(event.key)?.grants.at(-1) : undefined;
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
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "claim-task" ? { ...command, scope: null } : command, state);
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
    plant: decides(work, (decide) => (command, state) => {
      if (command.command === "claim-task") state.signs.delete(command.holder);
      return decide(command, state);
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
