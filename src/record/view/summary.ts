/**
 * What an entry says, in one line for people, the same at every door: the words of a message that tell most, and acts
 * and team events as sentences whose subject is the sender. Holds agents' text, so doors escape it.
 */
import { counted, shortList } from "../../base/text.ts";
import type { BreakerScope } from "../../health/state.ts";
import { factLine } from "../../messages/fact-line.ts";
import type { Message } from "../../messages/message.ts";
import { actLine } from "../../perform/act-line.ts";
import { type Content, refusalSentence } from "../../perform/content.ts";
import type { CoordinationEvent } from "../../perform/deciders.ts";
import { askingsMax } from "../../shutdown/decide/shutdowns.ts";
import type { TeamEvent } from "../../team/state/revision.ts";

/** The line of an entry with this content. */
export function summaryOf(content: Content): string {
  if (content.problems !== undefined && content.message === undefined) {
    const [first, ...others] = content.problems;
    const { unrecorded = 0 } = content.refused ?? {};
    const before =
      unrecorded === 0
        ? ""
        : `, after ${counted(unrecorded, "equal refusal")} that ${unrecorded === 1 ? "is" : "are"} not recorded`;
    return `refused: ${first === undefined ? "for no reason that is recorded" : refusalSentence(first)}${others.length === 0 ? "" : ` (and ${others.length} more)`}${before}`;
  }
  if (content.imported !== undefined && content.message !== undefined)
    return importedSummary(content.imported, content.message);
  // Baton's prose about an operation is for its receivers; the record shows the operation's own sentence.
  const isAct = content.command !== undefined && (content.message?.fact ?? null) === null;
  if (content.message !== undefined && !isAct)
    return `${content.effect === false ? "without effect: " : ""}${messageSummary(content.message)}`;
  if (content.acknowledged !== undefined) return `acknowledged up to ${content.acknowledged}`;
  if (content.command !== undefined) return commandSummary(content.command, content.team);
  if (content.team !== undefined) return content.team.map(teamSummary).join(", ");
  return content.reason ?? timerLine(content.events ?? []);
}

/** An imported message is distinguished from a current one. */
function importedSummary({ from, file }: NonNullable<Content["imported"]>, message: Message): string {
  const whence = [from, file].filter((word) => word !== undefined).join(" in ");
  return `imported${whence === "" ? "" : ` (${whence})`}: ${messageSummary(message)}`;
}

function commandSummary(command: NonNullable<Content["command"]>, team: Content["team"]): string {
  const act = actLine(command);
  // An operation that found everything as it wanted it is recorded without an event.
  return team?.length === 0 ? `${act} (it was so already)` : act;
}

function teamSummary(event: TeamEvent): string {
  switch (event.event) {
    case "team-revised":
      return `recorded team revision ${event.revision}`;
    case "revision-proposed":
      return "the team file has changed: the owner must confirm it";
    case "revision-declined":
      return actLine({ name: "decline-revision", reason: event.reason ?? "" });
    case "revision-withdrawn":
      return "the team file says what is in force again";
    case "agent-registered":
      return actLine({
        name: "register-agent",
        agent: event.agent,
        role: event.role,
        department: event.department ?? "",
      });
    case "agent-retired":
      return actLine({ name: "retire-agent", agent: event.agent, reason: event.reason ?? "" });
    case "members-kept":
      return "kept the agents of the record that was copied";
    case "token-issued":
      return actLine({ name: "issue-token", agent: event.agent });
    case "token-revoked":
      return actLine({ name: "revoke-token", tokenId: event.tokenId });
    case "session-opened":
      return actLine({ name: "begin-session" });
    case "session-ended":
      return actLine({ name: "end-session" });
    case "share-created":
      return actLine({ name: "create-share", shareId: event.shareId });
    case "share-revoked":
      return actLine({ name: "revoke-token", tokenId: event.shareId });
    case "repository-named":
      return actLine({ name: "name-repository" });
  }
}

/** Of prose its first line; of a fact what its kind says, and where that is nothing, what it is. */
function messageSummary({ fact, type, text }: Message): string {
  if (fact === null) return text.trimStart().split("\n", 1)[0] ?? "";
  const line = factLine(fact);
  return line === "" ? (type ?? fact.kind).replaceAll(/[_:-]/g, " ") : line;
}

/*
 * Expired deadlines in one line for people: a sentence for everything in an entry without a request. Holds agents'
 * text, so doors escape it.
 */
type EventOf<Name> = Extract<CoordinationEvent, { readonly event: Name }>;

const sentences: { readonly [Name in CoordinationEvent["event"]]?: (event: EventOf<Name>) => string } = {
  "approval-expired": ({ key }) => `the deadline of request ${key} passed`,
  "approval-closed": ({ key, requester }) => `request ${key} is closed, because ${requester} left`,
  "leases-expired": ({ holders }) =>
    holders.map(({ holder, tasks }) => `${holder} was silent and lost ${tasks.join(", ")}`).join("; "),
  "leases-renewed": ({ holders, pausedMs }) => {
    const names = holders.map(({ holder }) => holder).join(", ");
    return pausedMs === undefined
      ? `${names} still there`
      : `the hub stood still for ${Math.round(pausedMs / 1_000)} s; ${names} keep their claims for as much longer`;
  },
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
  "shutdown-forced": ({ requestId, agents }) => `shutdown ${requestId} stops ${shortList(agents)} without consent`,
  "shutdown-ended": ({ requestId, outcome }) =>
    `shutdown ${requestId} is over${outcome === "complete" ? "" : ", but not all stopped cleanly"}`,
  "escalation-raised": ({ id, step }) =>
    `${id} goes up to the ${step.level}, because nobody ${step.how === "left" ? "is left below" : "answered in time"}`,
  "level-told": ({ id }) => `the level where ${id} waits has its time from here`,
  "shipped-finding-told": ({ seq }) => `the person is notified of what entry ${seq} found in a shipped phase`,
  "limit-told": ({ escalation }) => `${escalation} is reported to the level where it waits`,
};

/** The events that have a sentence: what time may bring. */
export const timedEvents: readonly string[] = Object.keys(sentences);

/** The line of expired deadlines; for one that only a later Baton knows, its name. */
export function timerLine(events: readonly CoordinationEvent[]): string {
  // What became free, and until when a level has time, adds nothing to the reason.
  const telling = events.filter(({ event }) => event !== "claim-released" && event !== "level-told");
  return (telling.length === 0 ? events : telling).map(sentenceOf).join(", ");
}

function sentenceOf(event: CoordinationEvent): string {
  // The sentence under an event's name takes that event, which the compiler cannot follow.
  const sentence = sentences[event.event] as ((event: CoordinationEvent) => string) | undefined;
  return sentence?.(event) ?? event.event.replaceAll("-", " ");
}

function breakerOf(scope: BreakerScope): string {
  return `the breaker of ${scope === "team" ? "the team" : scope}`;
}
