/**
 * What an entry says, in one line for people, the same at every door: the words of a message that tell most, and acts
 * and team events as sentences whose subject is the sender. Holds agents' text, so doors escape it.
 */
import { isBreakerEvent } from "../coordination/breaker-events.ts";
import type { CoordinationEvent } from "../coordination/deciders.ts";
import { factLine } from "../message/fact-line.ts";
import type { Message } from "../message/message.ts";
import type { TeamEvent } from "../team/events.ts";
import type { Content } from "./content.ts";

/** The line of an entry with this content. */
export function summaryOf(content: Content): string {
  if (content.problems !== undefined && content.message === undefined) {
    return `refused: ${content.problems.map((each) => `${each.code} ${each.path}`).join(", ")}`;
  }
  if (content.imported !== undefined && content.message !== undefined)
    return importedSummary(content.imported, content.message);
  if (content.message !== undefined) return messageSummary(content.message);
  if (content.acknowledged !== undefined) return `acknowledged up to ${content.acknowledged}`;
  if (content.command !== undefined) return commandSummary(content.command, content.team);
  if (content.team !== undefined) return content.team.map(teamSummary).join(", ");
  return content.reason ?? (content.events ?? []).map(eventSummary).join(", ");
}

/** What was said before is told from what is said now. */
function importedSummary({ from, file }: NonNullable<Content["imported"]>, message: Message): string {
  const whence = [from, file].filter((word) => word !== undefined).join(" in ");
  return `imported${whence === "" ? "" : ` (${whence})`}: ${messageSummary(message)}`;
}

function commandSummary(command: NonNullable<Content["command"]>, team: Content["team"]): string {
  const act = actSummary(command);
  // An act that found everything as it wanted it is recorded without an event.
  return team?.length === 0 ? `${act} (it was so already)` : act;
}

function actSummary({ name, ...given }: NonNullable<Content["command"]>): string {
  const word = (argument: string) => {
    const value = given[argument];
    return isText(value) ? value : "";
  };
  switch (name) {
    case "register-agent":
      return registered(word("agent"), word("role"), word("department"));
    case "retire-agent":
      return retired(word("agent"), word("reason"));
    case "issue-token":
      return `made a token for ${word("agent")}`;
    case "revoke-token":
      return `revoked the token ${word("tokenId")}`;
    case "add-task":
      return `put ${word("task")} on the list${word("title") === "" ? "" : `: ${word("title")}`}`;
    case "claim-task":
      return `claimed ${word("task")}`;
    case "renew-task":
      return `renewed ${word("task")}`;
    case "release-task":
      return `released ${word("task")}`;
    case "complete-task":
      return `reported ${word("task")} as ${word("status") || "complete"}${word("commit") === "" ? "" : ` at ${word("commit")}`}`;
    case "begin-program":
      return "began a program that speaks for it";
    case "end-program":
      return "ended its program";
    case "record-verdict":
      return `found ${word("task")} ${word("state")}`;
    case "record-artifacts":
      return `found the artifacts of ${word("sender")}'s ${word("type")} ${word("state")}`;
    case "approval-answer":
      return answered(given.approved === true, word("request"), word("reason"));
    default: {
      const words = Object.values(given).filter(isText);
      return [name.replaceAll("-", " "), ...words].join(" ");
    }
  }
}

function teamSummary(event: TeamEvent): string {
  switch (event.event) {
    case "team-revised":
      return `recorded team revision ${event.revision}`;
    case "agent-registered":
      return registered(event.agent, event.role, event.department ?? "");
    case "agent-retired":
      return retired(event.agent, event.reason ?? "");
    case "token-issued":
      return `made a token for ${event.agent}`;
    case "token-revoked":
      return `revoked the token ${event.tokenId}`;
  }
}

function eventSummary(event: CoordinationEvent): string {
  if (event.event === "approval-expired") return `the deadline of request ${event.key} passed`;
  if (event.event === "leases-expired")
    return event.holders.map(({ holder, tasks }) => `${holder} was silent and lost ${tasks.join(", ")}`).join("; ");
  if (event.event === "leases-renewed") return `${event.holders.map(({ holder }) => holder).join(", ")} still there`;
  return healthSummary(event) ?? breakerSummary(event) ?? event.event.replaceAll("-", " ");
}

function healthSummary(event: CoordinationEvent): string | null {
  if (event.event === "agents-heard") return `${event.agents.map(({ agent }) => agent).join(", ")} still there`;
  if (event.event === "agent-returned") return `${event.agent} is back`;
  if (event.event !== "agent-disappeared") return null;
  return `${event.agent} disappeared${event.tasks.length === 0 ? "" : ` and lost ${event.tasks.join(", ")}`}`;
}

function breakerSummary(event: CoordinationEvent): string | null {
  if (!isBreakerEvent(event)) return null;
  const breaker = `the breaker of ${event.scope === "team" ? "the team" : event.scope}`;
  switch (event.event) {
    case "breaker-counted":
      return `${breaker} counts ${event.failures.length}`;
    case "breaker-opened":
      return `${breaker} is open`;
    case "breaker-half-opened":
      return `${breaker} lets one agent try`;
    case "breaker-probed":
      return `${breaker} lets ${event.agent} try`;
    case "breaker-closed":
      return `${breaker} is closed, ${event.agent} is there`;
  }
}

function registered(agent: string, role: string, department: string): string {
  return `registered ${agent} as ${role}${department === "" ? "" : ` in ${department}`}`;
}

function retired(agent: string, reason: string): string {
  return `retired ${agent}${reason === "" ? "" : `: ${reason}`}`;
}

/** A reason that only repeats the answer tells nothing more. */
function answered(approved: boolean, requestId: string, reason: string): string {
  const word = approved ? "approved" : "denied";
  return `${word} ${requestId}${reason === "" || reason === word ? "" : `: ${reason}`}`;
}

/** Of prose its first line; of a fact what its kind says, and where that is nothing, what it is. */
function messageSummary({ fact, type, text }: Message): string {
  if (fact === null) return text.trimStart().split("\n", 1)[0] ?? "";
  const line = factLine(fact);
  return line === "" ? (type ?? fact.kind).replaceAll(/[_:-]/g, " ") : line;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
