/** A page of an inbox as a tool answers it: what fits into one answer, and the rest with the next call. */
import { jsonLine } from "../../base/json-line.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { Delivery, InboxPage } from "../../runtime/team/team.ts";
import { refusal, type ToolAnswer } from "./tool.ts";

/** Messages that one answer brings when the agent does not say how many. */
export const messagesDefault = 20;
/** Most that it may ask for. */
export const messagesMax = 100;
/** Clients cut long answers, and a message that was cut is a message not read; one message always comes whole. */
const pageCharactersMax = 64 * 1024;

/** The page as an answer. Messages are data in JSON, in the text too: clients that know no structured content need them. */
export function pageAnswer(page: Result<InboxPage, Problem>): ToolAnswer {
  if (!page.ok) return refusal([page.error]);
  const { deliveries, unread, acknowledged } = page.value;
  const messages: Readonly<Record<string, unknown>>[] = [];
  let characters = 0;
  for (const delivery of deliveries) {
    const line = lineOf(delivery);
    characters += JSON.stringify(line).length;
    if (messages.length > 0 && characters > pageCharactersMax) break;
    messages.push(line);
  }
  const data = { messages, unread, acknowledged };
  return { data, text: jsonLine(data) };
}

/** A message that was only let pass says so, with its faults; of the others nobody needs to read that they count. */
function lineOf({ effect, notes, ...line }: Delivery): Readonly<Record<string, unknown>> {
  return effect ? line : { ...line, effect, notes };
}
