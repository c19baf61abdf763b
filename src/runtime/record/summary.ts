/**
 * What an entry says, in one line for people, the same at every door: the words of a message that tell most, and acts
 * and team events as sentences whose subject is the sender. Holds agents' text, so doors escape it.
 */
import { factLine } from "../../message/fact-line.ts";
import type { Message } from "../../message/message.ts";
import type { TeamEvent } from "../../team/events.ts";
import { actLine } from "./act-line.ts";
import type { Content } from "./content.ts";
import { timerLine } from "./timer-line.ts";

/** The line of an entry with this content. */
export function summaryOf(content: Content): string {
  if (content.problems !== undefined && content.message === undefined) {
    return `refused: ${content.problems.map((each) => `${each.code} ${each.path}`).join(", ")}`;
  }
  if (content.imported !== undefined && content.message !== undefined)
    return importedSummary(content.imported, content.message);
  // What Baton says in prose of an act is said to others than who reads the record, which has the act's own sentence.
  const isAct = content.command !== undefined && (content.message?.fact ?? null) === null;
  if (content.message !== undefined && !isAct) return messageSummary(content.message);
  if (content.acknowledged !== undefined) return `acknowledged up to ${content.acknowledged}`;
  if (content.command !== undefined) return commandSummary(content.command, content.team);
  if (content.team !== undefined) return content.team.map(teamSummary).join(", ");
  return content.reason ?? timerLine(content.events ?? []);
}

/** What was said before is told from what is said now. */
function importedSummary({ from, file }: NonNullable<Content["imported"]>, message: Message): string {
  const whence = [from, file].filter((word) => word !== undefined).join(" in ");
  return `imported${whence === "" ? "" : ` (${whence})`}: ${messageSummary(message)}`;
}

function commandSummary(command: NonNullable<Content["command"]>, team: Content["team"]): string {
  const act = actLine(command);
  // An act that found everything as it wanted it is recorded without an event.
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
  }
}

/** Of prose its first line; of a fact what its kind says, and where that is nothing, what it is. */
function messageSummary({ fact, type, text }: Message): string {
  if (fact === null) return text.trimStart().split("\n", 1)[0] ?? "";
  const line = factLine(fact);
  return line === "" ? (type ?? fact.kind).replaceAll(/[_:-]/g, " ") : line;
}
