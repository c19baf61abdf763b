/**
 * Faults planted into the core: each decorates a decider, the journal or the context of a run, breaks one promise of
 * guarantees.md or semantics.md, and leaves the production code as it is. For tests alone.
 */
import { approvals } from "../../src/coordination/approvals.ts";
import { breakers } from "../../src/coordination/breakers.ts";
import { emptyIndex } from "../../src/coordination/claim-index.ts";
import { contracts } from "../../src/coordination/contracts.ts";
import type { Decider } from "../../src/coordination/decider.ts";
import { escalations } from "../../src/coordination/escalations.ts";
import { health } from "../../src/coordination/health.ts";
import type { ApprovalState } from "../../src/coordination/requests.ts";
import type { ShutdownEvent } from "../../src/coordination/shutdown-events.ts";
import { latestRound, type ShutdownRound } from "../../src/coordination/shutdown-rounds.ts";
import { shutdowns } from "../../src/coordination/shutdowns.ts";
import { work } from "../../src/coordination/work.ts";
import type { Task } from "../../src/coordination/work-state.ts";
import type { Definition, Dialect } from "../../src/dialects/dialect.ts";
import type { SimulationOptions } from "../../src/testing/simulator.ts";
import { journalPlants } from "./journal-plants.ts";

/** What a run is made with, and how the fault is taken out again. */
export interface Planted extends Pick<SimulationOptions, "journal" | "context"> {
  remove?(): void;
}

export interface Plant {
  /** What the core does wrong. */
  readonly fault: string;
  /** Puts it in. */
  plant(): Planted;
}

/** Puts `made` in the place of the decider's `decide`; the original comes with it. */
function decides<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  make: (original: Decider<State, Command, Event>["decide"]) => Decider<State, Command, Event>["decide"],
): () => Planted {
  return () => {
    const { decide } = decider;
    decider.decide = make(decide);
    return {
      remove: () => {
        decider.decide = decide;
      },
    };
  };
}

/** The same for `evolve`. */
function evolves<State, Command, Event>(
  decider: Decider<State, Command, Event>,
  make: (original: Decider<State, Command, Event>["evolve"]) => Decider<State, Command, Event>["evolve"],
): () => Planted {
  return () => {
    const { evolve } = decider;
    decider.evolve = make(evolve);
    return {
      remove: () => {
        decider.evolve = evolve;
      },
    };
  };
}

/** A map with each value changed. */
function changed<Value>(values: ReadonlyMap<string, Value>, change: (value: Value) => Value): Map<string, Value> {
  return new Map([...values].map(([key, value]) => [key, change(value)]));
}

/** Decides on tasks that look otherwise than they are. */
function seeingTasks(names: readonly string[], look: (task: Task) => Task): () => Planted {
  return decides(work, (decide) => (command, state) => {
    return decide(command, names.includes(command.command) ? { ...state, tasks: changed(state.tasks, look) } : state);
  });
}

function seeingRequests(look: (request: ApprovalState) => ApprovalState): () => Planted {
  return decides(approvals, (decide) => (command, state) => {
    if (command.command !== "answer-request") return decide(command, state);
    return decide(command, { ...state, requests: changed(state.requests, look) });
  });
}

/** What follows where a round's deadline passed, otherwise than it was decided. */
function passing(
  change: (event: ShutdownEvent, round: ShutdownRound, atMs: number) => readonly ShutdownEvent[],
): () => Planted {
  return decides(shutdowns, (decide) => (command, state) => {
    const decided = decide(command, state);
    if (!decided.ok || command.command !== "pass-deadline") return decided;
    const events = decided.value.events.flatMap((event) => {
      const round = latestRound(state, "requestId" in event ? event.requestId : "");
      return round === null ? [event] : change(event, round, command.atMs);
    });
    return { ok: true, value: { ...decided.value, events } };
  });
}

const workPlants: readonly Plant[] = [
  {
    fault: "claims that overlap are granted",
    plant: decides(work, (decide) => (command, state) => decide(command, { ...state, covered: emptyIndex() })),
  },
  {
    fault: "a task that another holds is granted",
    plant: seeingTasks(["claim-task"], (task) => ({ ...task, claim: null })),
  },
  {
    fault: "a task that is done is granted again",
    plant: seeingTasks(["claim-task"], (task) => ({ ...task, report: null, verdict: null })),
  },
  {
    fault: "a task is granted before what it waits for",
    plant: decides(work, (decide) => (command, state) => {
      if (command.command !== "claim-task") return decide(command, state);
      const plans = changed(state.plans, (plan) => ({ ...plan, needs: [] }));
      return decide(command, { ...state, plans, tasks: changed(state.tasks, (task) => ({ ...task, needs: [] })) });
    }),
  },
  {
    fault: "a task is completed by one who does not hold it",
    plant: seeingTasks(["report-task"], (task) => ({ ...task, claim: null })),
  },
  {
    fault: "a token of an ended claim completes a task",
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "report-task" ? { ...command, token: null } : command, state);
    }),
  },
  {
    fault: "a token is given out twice",
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
    fault: "a claim reaches beyond its contract",
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "claim-task" ? { ...command, scope: null } : command, state);
    }),
  },
  {
    fault: "a lease ends although its holder showed itself beside the record",
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "expire-leases" ? { ...command, signs: [] } : command, state);
    }),
  },
  {
    fault: "a developer takes a task from another",
    plant: decides(work, (decide) => (command, state) => {
      return decide(command.command === "release-task" ? { ...command, mayTake: true } : command, state);
    }),
  },
  {
    fault: "deciding changes what is known",
    plant: decides(work, (decide) => (command, state) => {
      if (command.command === "claim-task") state.signs.delete(command.holder);
      return decide(command, state);
    }),
  },
  {
    fault: "claims never end by silence",
    plant: decides(work, (decide) => (command, state) => {
      if (command.command !== "expire-leases") return decide(command, state);
      return decide({ ...command, signs: command.signs.map(([agent]) => [agent, command.atMs] as const) }, state);
    }),
  },
];

const approvalPlants: readonly Plant[] = [
  {
    fault: "a second answer is accepted",
    plant: seeingRequests((request) => ({ ...request, standing: "open", answer: null })),
  },
  {
    fault: "a gate is lifted by an agent",
    plant: seeingRequests((request) => ({ ...request, requestType: "plan_approval" })),
  },
  {
    fault: "developers answer requests",
    plant: () => ({ context: (context) => ({ ...context, dialectOf: (id) => answering(context.dialectOf(id)) }) }),
  },
  {
    fault: "a request expires a millisecond early",
    plant: decides(approvals, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.map((event) => {
        if (event.event !== "approval-requested" || event.request.deadlineMs === null) return event;
        return { ...event, request: { ...event.request, deadlineMs: event.request.deadlineMs - 1 } };
      });
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    fault: "an expired request counts as approved",
    plant: evolves(approvals, (evolve) => (state, event) => {
      const after = evolve(state, event);
      if (event.event !== "approval-expired") return after;
      const request = after.requests.get(event.key);
      if (request !== undefined) after.requests.set(event.key, { ...request, standing: "approved" });
      return after;
    }),
  },
  {
    fault: "a contract widens without leave",
    plant: decides(contracts, (decide) => (command, state) => {
      if (command.command !== "issue-contract") return decide(command, state);
      const permits = new Map(
        [...state.plans.keys()].map((plan) => [plan, [{ permit: "-", paths: [], usedBy: null }]]),
      );
      return decide(command, { ...state, permits });
    }),
  },
  {
    fault: "one approval widens a contract again and again",
    plant: evolves(contracts, (evolve) => (state, event) => {
      const after = evolve(state, event);
      for (const [plan, permits] of after.permits) {
        after.permits.set(
          plan,
          permits.map((permit) => ({ ...permit, usedBy: null })),
        );
      }
      return after;
    }),
  },
];

/** The machine's own time is not asked: what the wall clock says counts. */
const clockPlant: Plant = {
  fault: "deadlines are counted by the wall clock",
  plant: () => ({
    context: (context) => {
      const { clock } = context;
      const { now, monotonic, wait } = clock;
      return { ...context, clock: { now, monotonic, wait } };
    },
  }),
};

const escalationPlants: readonly Plant[] = [
  {
    fault: "silence skips levels",
    plant: decides(escalations, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok || command.command !== "pass-level") return decided;
      const events = decided.value.events.map((event) =>
        event.event === "escalation-raised"
          ? { ...event, step: { ...event.step, level: "user" as const }, dueAtMs: null }
          : event,
      );
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    fault: "a level is passed by a millisecond early",
    plant: decides(escalations, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.map((event) => {
        if (event.event !== "escalation-opened" || event.escalation.dueAtMs === null) return event;
        return { ...event, escalation: { ...event.escalation, dueAtMs: event.escalation.dueAtMs - 1 } };
      });
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    fault: "a decision comes from below",
    plant: decides(escalations, (decide) => (command, state) => {
      if (command.command !== "resolve") return decide(command, state);
      return decide({ ...command, level: "user", isPerson: true }, state);
    }),
  },
  {
    fault: "a second decision replaces the first",
    plant: decides(escalations, (decide) => (command, state) => {
      if (command.command !== "resolve") return decide(command, state);
      const all = changed(state.all, (each) => ({ ...each, standing: "open" as const, decision: null }));
      return decide(command, { ...state, all });
    }),
  },
  {
    fault: "a task is escalated again and again",
    plant: decides(escalations, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.map((event) =>
        event.event === "escalation-raised" ? { ...event, mustDecide: false } : event,
      );
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
];

const shutdownPlants: readonly Plant[] = [
  {
    fault: "a round asks four times",
    plant: passing((event, { requestId, asked, deadlineMs }, atMs) => {
      if (event.event === "shutdown-ended") return [];
      if (event.event !== "shutdown-forced") return [event];
      const { agents, seq } = event;
      return [{ event: "shutdown-repeated", requestId, agents, asked: asked + 1, dueAtMs: atMs + deadlineMs, seq }];
    }),
  },
  {
    fault: "whoever is silent once is forced",
    plant: passing((event, { requestId }, atMs) => {
      if (event.event !== "shutdown-repeated") return [event];
      const { agents, seq } = event;
      return [
        { event: "shutdown-forced", requestId, agents, claims: {}, seq, atMs },
        { event: "shutdown-ended", requestId, outcome: "incomplete", seq, atMs },
      ];
    }),
  },
  {
    fault: "a refusal to stop counts as stopping",
    plant: decides(shutdowns, (decide) => (command, state) => {
      if (command.command !== "answer-shutdown") return decide(command, state);
      return decide({ ...command, body: { ...command.body, approved: true } }, state);
    }),
  },
  {
    fault: "a round that left work behind is complete",
    plant: decides(shutdowns, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.map((event) =>
        event.event === "shutdown-ended" ? { ...event, outcome: "complete" as const } : event,
      );
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    fault: "a round never ends",
    plant: decides(shutdowns, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.filter(({ event }) => event !== "shutdown-ended");
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
];

const healthPlants: readonly Plant[] = [
  {
    fault: "an open breaker lets new agents in",
    plant: decides(breakers, (decide) => (command, state) => {
      return command.command === "admit-agent"
        ? { ok: true, value: { events: [], notes: [] } }
        : decide(command, state);
    }),
  },
  {
    fault: "a breaker opens after one disappearance",
    plant: decides(breakers, (decide) => (command, state) => {
      if (command.command !== "count-failures") return decide(command, state);
      return decide({ ...command, limits: { ...command.limits, failures: 1 } }, state);
    }),
  },
  {
    fault: "a breaker never opens",
    plant: decides(breakers, (decide) => (command, state) => {
      if (command.command !== "count-failures") return decide(command, state);
      return decide({ ...command, limits: { ...command.limits, failures: 1_000 } }, state);
    }),
  },
  {
    fault: "agents disappear that showed themselves beside the record",
    plant: decides(health, (decide) => (command, state) => {
      if (command.command !== "pass-silence") return decide(command, state);
      return decide({ ...command, signs: command.signs.map(([agent]) => [agent, 0] as const) }, state);
    }),
  },
  {
    fault: "a program that was replaced goes on",
    plant: evolves(health, (evolve) => (state, event) => {
      const known = event.event === "program-begun" ? state.programs.get(event.agent) : undefined;
      const after = evolve(state, event);
      if (event.event === "program-begun" && known !== undefined) after.programs.delete(event.agent);
      return after;
    }),
  },
];

/** A dialect in which developers may send answers to requests. */
function answering(dialect: Dialect | null): Dialect | null {
  const answer = dialect?.definitionOf("approval-response") ?? null;
  if (dialect === null || answer === null) return dialect;
  const wider: Definition = { ...answer, senders: [...answer.senders, "dev"] };
  return {
    ...dialect,
    definitions: new Map([...dialect.definitions, [wider.type, wider]]),
    definitionOf: (kind) => (kind === "approval-response" ? wider : dialect.definitionOf(kind)),
  };
}

/** Every planted fault. */
export const plants: readonly Plant[] = [
  ...workPlants,
  clockPlant,
  ...approvalPlants,
  ...escalationPlants,
  ...shutdownPlants,
  ...healthPlants,
  ...journalPlants,
];
