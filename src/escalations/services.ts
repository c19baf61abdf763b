/**
 * What Baton says of escalations: that one has come up because a level was silent, and what was decided.
 * Source: docs/protocol/asking.md, sections 5 to 10.
 */
import { spanOf, visible } from "../base/text.ts";
import { type Level, levelAbove } from "../messages/authority/chain-of-command.ts";
import type { Fact } from "../messages/facts.ts";
import type { Message } from "../messages/message.ts";
import type { Context } from "../perform/context.ts";
import { prose, quoted } from "../perform/prose.ts";
import type { TeamState } from "../perform/state.ts";
import { ownType } from "../perform/system-message.ts";
import type { Escalation } from "./state.ts";

/** The notification of an escalation's new level: whom it reaches, and why. */
export interface Raised {
  readonly level: Level;
  readonly why: string;
  readonly receivers: readonly string[];
}

/** That an escalation has come to a level, and why, as prose: above the architect no dialect has a word for it. */
export function raisedNotice(
  context: Context,
  state: TeamState,
  escalation: Escalation,
  { level, why, receivers }: Raised,
): Message {
  const { id, issue, needs, recommendation, evidence, options, originators, round } = escalation;
  const type = ownType(context, state, receivers, "resolution");
  const above = escalation.mustDecide ? null : levelAbove(escalation.chain, level);
  const name = visible(id);
  const how = [
    `resolve ${name} in your own words${options.length === 0 ? "" : " or by the number of an option"}`,
    ...(type === null ? [] : [`, or send an ${type} that names it`]),
    ...(above === null ? [] : [`; what you cannot decide, raise to ${above}`]),
  ];
  return prose([
    // The line is read elsewhere, too, so it says who is meant.
    `Escalation ${name} has come to the ${level}: ${why}`,
    `Held up: ${originators.join(", ")}`,
    quoted("Issue", issue),
    ...(needs === null ? [] : [quoted("Needs", needs)]),
    ...(recommendation === null ? [] : [quoted("Recommendation", recommendation)]),
    ...evidence.map((each) => quoted("Evidence", each)),
    ...options.map((option, index) => quoted(`Option ${index + 1}`, option)),
    ...(round > 1 ? [`Round ${round}: an earlier decision did not help.`] : []),
    `What to do: ${how.join("")}.`,
  ]);
}

/** Why silence brought an escalation up. `silentMs`: how long a level of the team may be silent. */
export function silenceWhy({ level }: Escalation, silentMs: number): string {
  return `${level} said nothing for ${spanOf(silentMs)}.`;
}

/** Why an escalation goes up before its level's time is over. */
export function leftWhy({ level }: Escalation): string {
  return `nobody is left at ${level} who could answer.`;
}

/** Why Baton hands something up itself. */
export const limitWhy = "Baton hands it up, because a limit was reached.";

/** Why Baton tells a level itself of what a message says. */
export const unseenWhy = "the message that says so went to others.";

/** A decision as a neutral fact. */
export function decisionFact(escalation: Escalation, said: Fact<"resolution">["body"]): Fact<"resolution"> {
  const { phase, task } = escalation;
  return {
    kind: "resolution",
    head: { phase, task, authorRole: null, timestamp: null, confidence: null },
    body: said,
  };
}

/** A decision as prose, for teams whose dialects have no word for it. */
export function decisionNotice(escalation: Escalation, said: Fact<"resolution">["body"], decidedBy: string): Message {
  const { decision, rationale, actionItems } = said;
  return prose([
    quoted(`Escalation ${visible(escalation.id)} is decided by ${decidedBy}`, decision),
    ...(rationale === "" ? [] : [quoted("Why", rationale)]),
    ...actionItems.map((item) => quoted("To do", item)),
  ]);
}
