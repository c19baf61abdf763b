/** Errors planted into approvals. */

import { approvals } from "../../src/approvals/decide/approvals.ts";
import type { ApprovalState } from "../../src/approvals/state.ts";
import type { Definition, Dialect } from "../../src/messages/dialects/dialect.ts";
import { contracts } from "../../src/tasks/decide/contracts.ts";
import { changed, decides, evolves, type Plant, type Planted } from "./planting.ts";

function seeingRequests(look: (request: ApprovalState) => ApprovalState): () => Planted {
  return decides(approvals, (decide) => (command, state) => {
    if (command.command !== "answer-request") return decide(command, state);
    return decide(command, { ...state, requests: changed(state.requests, look) });
  });
}

export const approvalPlants: readonly Plant[] = [
  {
    problem: "a second answer is accepted",
    plant: seeingRequests((request) => ({ ...request, status: "open", answer: null })),
  },
  {
    problem: "a gate is lifted by an agent",
    plant: seeingRequests((request) => ({ ...request, requestType: "plan_approval" })),
  },
  {
    problem: "developers answer requests",
    plant: () => ({ context: (context) => ({ ...context, dialectOf: (id) => answering(context.dialectOf(id)) }) }),
  },
  {
    problem: "a request expires a millisecond early",
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
    problem: "an expired request counts as approved",
    plant: evolves(approvals, (evolve) => (state, event) => {
      const after = evolve(state, event);
      if (event.event !== "approval-expired") return after;
      const request = after.requests.get(event.key);
      if (request !== undefined) after.requests.set(event.key, { ...request, status: "approved" });
      return after;
    }),
  },
  {
    problem: "a yes to a scope change lets in what was not asked for",
    plant: decides(
      contracts,
      (decide) => (command, state) =>
        decide(
          command.command === "widen-contract" ? { ...command, paths: [...command.paths, "**/*"] } : command,
          state,
        ),
    ),
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
