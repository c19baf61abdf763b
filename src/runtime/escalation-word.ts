/**
 * What Baton says of escalations: that one has come up because a level was silent, and what was decided.
 * Source: semantics.md section 3, Escalations.
 */
import { timestampOf } from "../base/clock.ts";
import type { Escalation } from "../coordination/deciders.ts";
import type { Fact } from "../message/facts.ts";
import type { Message } from "../message/message.ts";
import { prose } from "./prose.ts";

/** That an escalation has come to a level, and why, as prose: above the architect no dialect has a word for it. */
export function raisedNotice(escalation: Escalation, level: string, why: string): Message {
  const { id, issue, needs, recommendation, evidence, options, originators, round } = escalation;
  const lines = [
    `Escalation ${id} has come to you (${level}): ${why}`,
    `Held up: ${originators.join(", ")}. Issue: ${issue}`,
    ...(needs === null ? [] : [`Needs: ${needs}`]),
    ...(recommendation === null ? [] : [`Recommendation: ${recommendation}`]),
    ...evidence.map((each) => `Evidence: ${each}`),
    ...options.map((option, index) => `Option ${index + 1}: ${option}`),
    ...(round > 1 ? [`Round ${round}: an earlier decision did not help.`] : []),
    `Decide with \`baton escalation resolve ${id} --decision TEXT\`, over MCP with the tool task (action resolve), or with an escalation_resolution that names it.`,
  ];
  return prose(lines);
}

/**
 * Why silence brought an escalation up. `silentMs`: how long a level of the team may be silent; `aheadMs`: how far people's
 * clock is ahead of the one by which deadlines count.
 */
export function silenceWhy({ level, dueAtMs }: Escalation, silentMs: number, aheadMs: number): string {
  const until = dueAtMs === null ? "" : `, until ${timestampOf(dueAtMs + aheadMs)}`;
  return `${level} said nothing for ${silentMs / 1000} s${until}.`;
}

/** Why Baton hands something up itself. */
export const limitWhy = "Baton hands it up, because a limit was reached.";

/** Why Baton tells a level itself of what a message says. */
export const unheardWhy = "the message that says so went to others.";

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
  const lines = [
    `Escalation ${escalation.id} is decided by ${decidedBy}: ${decision}`,
    ...(rationale === "" ? [] : [`Why: ${rationale}`]),
    ...actionItems.map((item) => `To do: ${item}`),
  ];
  return prose(lines);
}
