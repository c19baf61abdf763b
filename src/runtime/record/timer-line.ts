/**
 * What time has brought in one line for people: a sentence for everything that stands in an entry that nobody asked for.
 * Holds agents' text, so doors escape it.
 */
import { counted } from "../../base/text.ts";
import type { CoordinationEvent } from "../../coordination/deciders.ts";
import type { BreakerScope } from "../../coordination/health/breaker-events.ts";
import { shortList } from "../../coordination/short-list.ts";
import { askingsMax } from "../../coordination/shutdown/shutdown-forcing.ts";

type EventOf<Name> = Extract<CoordinationEvent, { readonly event: Name }>;

const sentences: { readonly [Name in CoordinationEvent["event"]]?: (event: EventOf<Name>) => string } = {
  "approval-expired": ({ key }) => `the deadline of request ${key} passed`,
  "approval-closed": ({ key, requester }) => `request ${key} is closed, because ${requester} left`,
  "leases-expired": ({ holders }) =>
    holders.map(({ holder, tasks }) => `${holder} was silent and lost ${tasks.join(", ")}`).join("; "),
  "leases-renewed": ({ holders }) => `${holders.map(({ holder }) => holder).join(", ")} still there`,
  "claims-kept": ({ holders }) =>
    holders
      .map(({ holder, tasks }) => {
        const waiting = tasks.map(({ task, escalation }) => `${task}, which waits for a decision of ${escalation}`);
        return `${holder} was silent and keeps ${waiting.join("; ")}`;
      })
      .join("; "),
  "claim-released": ({ task, holder }) => `${task} is free again, which ${holder} held`,
  "agents-heard": ({ agents }) => `${agents.map(({ agent }) => agent).join(", ")} still there`,
  "agent-disappeared": ({ agent, tasks }) =>
    `${agent} disappeared${tasks.length === 0 ? "" : ` and lost ${tasks.join(", ")}`}`,
  "agent-returned": ({ agent }) => `${agent} is back`,
  "breaker-counted": ({ scope, failures }) => `${breakerOf(scope)} counts ${counted(failures.length, "disappearance")}`,
  "breaker-opened": ({ scope }) => `${breakerOf(scope)} is open`,
  "breaker-half-opened": ({ scope }) => `${breakerOf(scope)} lets one agent try`,
  "breaker-probed": ({ scope, agent }) => `${breakerOf(scope)} lets ${agent} try`,
  "breaker-closed": ({ scope, agent }) => `${breakerOf(scope)} is closed, ${agent} is there`,
  "shutdown-repeated": ({ requestId, agents, asked }) =>
    `shutdown ${requestId} asks ${shortList(agents)} again (${asked} of ${askingsMax})`,
  "shutdown-forced": ({ requestId, agents }) => `shutdown ${requestId} stops ${shortList(agents)} without an answer`,
  "shutdown-ended": ({ requestId, outcome }) =>
    `shutdown ${requestId} is over${outcome === "complete" ? "" : ", but not all stopped cleanly"}`,
  "escalation-raised": ({ id, step }) =>
    `${id} goes up to the ${step.level}, because nobody ${step.how === "left" ? "is left below" : "answered in time"}`,
  "level-told": ({ id }) => `the level where ${id} waits has its time from here`,
  "shipped-finding-told": ({ seq }) => `the person is told what entry ${seq} found in a shipped phase`,
  "limit-told": ({ escalation }) => `${escalation} is told to the level where it waits`,
};

/** The events that have a sentence: what time may bring. */
export const timedEvents: readonly string[] = Object.keys(sentences);

/** The line of what time has brought; of what only a later Baton knows, its name. */
export function timerLine(events: readonly CoordinationEvent[]): string {
  // What became free, and until when a level has time, says nothing more beside why.
  const telling = events.filter(({ event }) => event !== "claim-released" && event !== "level-told");
  return (telling.length === 0 ? events : telling).map(sentenceOf).join(", ");
}

function sentenceOf(event: CoordinationEvent): string {
  // The sentence that stands under an event's name takes that event, which the compiler does not follow.
  const sentence = sentences[event.event] as ((event: CoordinationEvent) => string) | undefined;
  return sentence?.(event) ?? event.event.replaceAll("-", " ");
}

function breakerOf(scope: BreakerScope): string {
  return `the breaker of ${scope === "team" ? "the team" : scope}`;
}
