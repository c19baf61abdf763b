/** Errors planted into what ends: escalations, shutdown rounds, health. */

import { escalations } from "../../src/escalations/decide/escalations.ts";
import { escalationOf } from "../../src/escalations/state.ts";
import { breakers } from "../../src/health/decide/breakers.ts";
import { health } from "../../src/health/decide/health.ts";
import { limits } from "../../src/phases/decide/limit-rules.ts";
import { latestRound, type ShutdownRound, type WorkBehind } from "../../src/shutdown/decide/shutdown-rounds.ts";
import { shutdowns } from "../../src/shutdown/decide/shutdowns.ts";
import type { ShutdownEvent } from "../../src/shutdown/state.ts";
import { changed, decides, evolves, type Plant, type Planted } from "./planting.ts";

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

/** Whatever happens to rounds, certificates of those that are over look otherwise from then on. */
function certifying(change: (round: ShutdownRound) => ShutdownRound): () => Planted {
  return evolves(shutdowns, (evolve) => (state, event) => {
    const after = evolve(state, event);
    for (const [key, round] of after.rounds) if (round.behind !== undefined) after.rounds.set(key, change(round));
    return after;
  });
}

export const escalationPlants: readonly Plant[] = [
  {
    problem: "a blocker that nobody was there to hear is told to nobody else",
    plant: decides(limits, (decide) => (command, state) => {
      const isUnseen = command.command === "reach-limit" && command.limit.kind === "unheard";
      return isUnseen ? { ok: true, value: { events: [], notes: [] } } : decide(command, state);
    }),
  },
  {
    problem: "silence skips levels",
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
    problem: "a level is passed by a millisecond early",
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
    problem: "a level has no more time than what was left when it was told",
    plant: decides(escalations, (decide) => (command, state) => {
      const decided = decide(command, state);
      return command.command === "tell-level" ? { ok: true, value: { events: [], notes: [] } } : decided;
    }),
  },
  {
    problem: "the time of a level that silence brought something to runs from the deadline before",
    plant: decides(escalations, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok || command.command !== "pass-level") return decided;
      const events = decided.value.events.map((event) => {
        const before = event.event === "escalation-raised" ? escalationOf(state, event.id)?.dueAtMs : null;
        const isOlder = event.event === "escalation-raised" && event.dueAtMs !== null && typeof before === "number";
        return isOlder ? { ...event, dueAtMs: before + command.levelSilentMs } : event;
      });
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    problem: "what waits where nobody is left waits on",
    plant: evolves(escalations, (evolve) => (state, event) => {
      const after = evolve(state, event);
      after.deserted.set = () => after.deserted;
      return after;
    }),
  },
  {
    problem: "a level is passed by as empty while somebody is there",
    plant: decides(escalations, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok || command.command !== "pass-level") return decided;
      const events = decided.value.events.map((event) =>
        event.event === "escalation-raised" ? { ...event, step: { ...event.step, how: "left" as const } } : event,
      );
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    problem: "a decision comes from below",
    plant: decides(escalations, (decide) => (command, state) => {
      if (command.command !== "resolve") return decide(command, state);
      return decide({ ...command, level: "user", isPerson: true }, state);
    }),
  },
  {
    problem: "a second decision replaces the first",
    plant: decides(escalations, (decide) => (command, state) => {
      if (command.command !== "resolve") return decide(command, state);
      const all = changed(state.all, (each) => ({ ...each, status: "open" as const, decision: null }));
      return decide(command, { ...state, all });
    }),
  },
  {
    problem: "a task is escalated again and again",
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

export const shutdownPlants: readonly Plant[] = [
  {
    problem: "a round asks again who is silent",
    plant: passing((event, { requestId, asked, deadlineMs }, atMs) => {
      if (event.event === "shutdown-ended") return [];
      if (event.event !== "shutdown-forced") return [event];
      const { agents, seq } = event;
      return [{ event: "shutdown-repeated", requestId, agents, asked: asked + 1, dueAtMs: atMs + deadlineMs, seq }];
    }),
  },
  {
    problem: "whoever refuses once is forced",
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
    problem: "a refusal to stop counts as stopping",
    plant: decides(shutdowns, (decide) => (command, state) => {
      if (command.command !== "answer-shutdown") return decide(command, state);
      return decide({ ...command, body: { ...command.body, approved: true } }, state);
    }),
  },
  {
    problem: "a round that left work behind is complete",
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
    problem: "a certificate changes after its round",
    plant: certifying((round) => {
      const { behind, ...others } = round;
      return behind === undefined ? round : others;
    }),
  },
  {
    problem: "whoever says that all is clean is certified so",
    plant: certifying((round) => {
      const behind = changed(round.behind ?? new Map<string, WorkBehind>(), (left) => ({ ...left, unread: 0 }));
      return { ...round, behind };
    }),
  },
  {
    problem: "a round never ends",
    plant: decides(shutdowns, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.filter(({ event }) => event !== "shutdown-ended");
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
];

export const healthPlants: readonly Plant[] = [
  {
    problem: "an open breaker lets new agents in",
    plant: decides(breakers, (decide) => (command, state) => {
      return command.command === "admit-agent"
        ? { ok: true, value: { events: [], notes: [] } }
        : decide(command, state);
    }),
  },
  {
    problem: "a breaker opens after one disappearance",
    plant: decides(breakers, (decide) => (command, state) => {
      if (command.command !== "count-failures") return decide(command, state);
      return decide({ ...command, limits: { ...command.limits, failures: 1 } }, state);
    }),
  },
  {
    problem: "a breaker never opens",
    plant: decides(breakers, (decide) => (command, state) => {
      if (command.command !== "count-failures") return decide(command, state);
      return decide({ ...command, limits: { ...command.limits, failures: 1_000 } }, state);
    }),
  },
  {
    problem: "agents disappear that showed themselves beside the record",
    plant: decides(health, (decide) => (command, state) => {
      if (command.command !== "pass-silence") return decide(command, state);
      return decide({ ...command, signs: command.signs.map(([agent]) => [agent, 0] as const) }, state);
    }),
  },
  {
    problem: "whoever disappears before it acted counts as at work",
    plant: evolves(health, (evolve) => (state, event) => {
      const after = evolve(state, event);
      const known = event.event === "agent-disappeared" ? after.agents.get(event.agent) : undefined;
      if (event.event === "agent-disappeared" && known?.startedSeq === null)
        after.agents.set(event.agent, { ...known, startedSeq: 0 });
      return after;
    }),
  },
  {
    problem: "a program that was replaced goes on",
    plant: evolves(health, (evolve) => (state, event) => {
      const known = event.event === "program-begun" ? state.programs.get(event.agent) : undefined;
      const after = evolve(state, event);
      if (event.event === "program-begun" && known !== undefined) after.programs.delete(event.agent);
      return after;
    }),
  },
];
