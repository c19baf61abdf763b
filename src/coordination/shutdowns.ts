/**
 * Requests to stop, as far as an answer needs them: which requests wait for an agent's answer, and who made them. A
 * first revision's answer names no request, so what it answers is known here or not at all. An answer ends every
 * request of the same requester; a refusal ends none, for it is asked again.
 * Source: semantics.md sections 1.5, 2 ("an answer goes to the asker") and 3, Shutdown.
 */
import { unreachable } from "../base/invariant.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Decided, Decider } from "./decider.ts";

/** A request to stop that somebody still has to answer. */
export interface OpenShutdown {
  readonly requestId: string;
  readonly requester: string;
  readonly seq: number;
  /** Agents that have not answered it, in the order they were asked. */
  readonly waiting: Map<string, true>;
}

export interface Shutdowns {
  /** By request id: while one is open, no other principal may use its id. */
  readonly open: Map<string, OpenShutdown>;
  /** Ids of the open requests by the agents that have not answered, oldest first. */
  readonly asked: Map<string, Map<string, true>>;
}

/** Orders about requests to stop. */
export type ShutdownCommand =
  | {
      readonly command: "ask-to-stop";
      readonly requestId: string;
      readonly requester: string;
      readonly addressees: readonly string[];
      readonly seq: number;
    }
  | { readonly command: "answer-shutdown"; readonly answer: ShutdownAnswer };

/** An agent's answer, as far as it says which request it means. */
export interface ShutdownAnswer {
  readonly answerer: string;
  /** Null: the answer names none, as in a first revision. */
  readonly requestId: string | null;
  /** False: the agent works on. */
  readonly approved: boolean;
}

/** What happened to requests to stop. */
export type ShutdownEvent =
  | {
      readonly event: "shutdown-requested";
      readonly requestId: string;
      readonly requester: string;
      readonly addressees: readonly string[];
      readonly seq: number;
    }
  | {
      readonly event: "shutdown-answered";
      readonly requestId: string;
      readonly requester: string;
      readonly answerer: string;
    };

/** Refuses `id-taken`. An answer that nobody asked for, or that fits several requests, is out of step and noted. */
export const shutdowns: Decider<Shutdowns, ShutdownCommand, ShutdownEvent> = {
  name: "shutdowns",
  initial: () => ({ open: new Map(), asked: new Map() }),
  decide(command, state) {
    switch (command.command) {
      case "ask-to-stop":
        return askToStop(command, state);
      case "answer-shutdown":
        return answerShutdown(command.answer, state);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    switch (event.event) {
      case "shutdown-requested":
        return keepRequest(state, event);
      case "shutdown-answered":
        return endAnswered(state, event);
      default:
        return unreachable(event);
    }
  },
};

type Outcome = Result<Decided<ShutdownEvent>, readonly Problem[]>;

/**
 * The request that an answer means: the one it names; where it names none, the newest that waits for the answerer, if
 * one requester made all that do. Null: no such request waits, or nobody can say which of several is meant.
 */
export function shutdownMeant(state: Shutdowns, { answerer, requestId }: ShutdownAnswer): OpenShutdown | null {
  const waiting = waitingFor(state, answerer);
  if (requestId !== null) return waiting.find((request) => request.requestId === requestId) ?? null;
  const newest = waiting.at(-1);
  return newest !== undefined && waiting.every(({ requester }) => requester === newest.requester) ? newest : null;
}

function askToStop(command: ShutdownCommand & { readonly command: "ask-to-stop" }, state: Shutdowns): Outcome {
  const { requestId, requester, seq } = command;
  const holder = state.open.get(requestId);
  if (holder !== undefined && holder.requester !== requester) {
    const message = `${holder.requester} has an open request with the id "${requestId}".`;
    return err([problem("id-taken", "$.id", message, { hint: "Send the request with another id." })]);
  }
  const addressees = command.addressees.filter((agent) => agent !== requester && holder?.waiting.has(agent) !== true);
  if (addressees.length === 0) {
    return nothing("request-unchanged", `Everyone addressed was asked before under the id "${requestId}".`);
  }
  return ok({ events: [{ event: "shutdown-requested", requestId, requester, addressees, seq }], notes: [] });
}

function answerShutdown(answer: ShutdownAnswer, state: Shutdowns): Outcome {
  const { answerer, approved } = answer;
  const request = shutdownMeant(state, answer);
  if (request === null) return outOfStep(answer, waitingFor(state, answerer));
  if (!approved) return ok({ events: [], notes: [] });
  const { requestId, requester } = request;
  return ok({ events: [{ event: "shutdown-answered", requestId, requester, answerer }], notes: [] });
}

/** An answer that nobody asked for, or that does not say which of several questions it answers. */
function outOfStep({ answerer, requestId }: ShutdownAnswer, waiting: readonly OpenShutdown[]): Outcome {
  if (requestId === null && waiting.length > 0) {
    const ids = waiting.map((request) => request.requestId).join(", ");
    return nothing("ambiguous-request", `Requests to stop of several agents wait for ${answerer}: ${ids}.`);
  }
  const which = requestId === null ? "No request to stop" : `No request to stop with the id "${requestId}"`;
  return nothing("no-open-request", `${which} waits for ${answerer}; the answer is delivered and ends nothing.`);
}

function waitingFor({ asked, open }: Shutdowns, agent: string): readonly OpenShutdown[] {
  return [...(asked.get(agent)?.keys() ?? [])].flatMap((id) => open.get(id) ?? []);
}

function keepRequest(state: Shutdowns, event: ShutdownEvent & { readonly event: "shutdown-requested" }): Shutdowns {
  const { requestId, requester, seq } = event;
  const waiting = state.open.get(requestId)?.waiting ?? new Map<string, true>();
  state.open.set(requestId, { requestId, requester, seq, waiting });
  for (const agent of event.addressees) {
    waiting.set(agent, true);
    const ids = state.asked.get(agent) ?? new Map<string, true>();
    ids.set(requestId, true);
    state.asked.set(agent, ids);
  }
  return state;
}

function endAnswered(state: Shutdowns, event: ShutdownEvent & { readonly event: "shutdown-answered" }): Shutdowns {
  const { answerer, requester } = event;
  const ids = state.asked.get(answerer);
  for (const request of waitingFor(state, answerer)) {
    if (request.requester !== requester) continue;
    ids?.delete(request.requestId);
    request.waiting.delete(answerer);
    if (request.waiting.size === 0) state.open.delete(request.requestId);
  }
  if (ids?.size === 0) state.asked.delete(answerer);
  return state;
}

function nothing(code: string, message: string): Outcome {
  return ok({ events: [], notes: [{ code, path: "$", message }] });
}
