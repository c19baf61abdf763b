/** What a person decides of a need from a terminal: sent as the operation that it is, and said in a line. */
import { newMessageId } from "../../base/new-ids.ts";
import { problemsOf, type Reply } from "../../perform/operations/reply.ts";
import type { Team } from "../../perform/team.ts";
import type { Need, NeedVerb } from "../view/need-ranking.ts";

/** A decision with its reason, which may be empty where none is needed. */
interface Decision {
  readonly verb: NeedVerb;
  readonly reason: string;
}

/** Sends the decision; it counts only for what was shown. */
export function sendDecision(team: Team, { target, ifSeq }: Need, { verb, reason }: Decision): Promise<Reply> {
  const named = { id: newMessageId() };
  switch (verb) {
    case "approve":
    case "deny":
      return team.answer(
        { request: target, approved: verb === "approve", reason: reason === "" ? "approved" : reason, ifSeq },
        named,
      );
    case "decide":
      return team.resolve({ escalation: target, decision: reason, ifSeq }, named);
    case "lift":
      return team.liftStop({ stop: target, reason, ifSeq }, named);
    case "ship":
      return team.endPhase({ phase: target }, named);
    case "once":
    case "always":
    case "no":
      return team.answerCheck({ check: target, as: verb, ifSeq }, named);
    case "confirm":
      return team.confirmRevision({ proposal: target }, named);
    case "decline":
      return team.declineRevision({ proposal: target, ...(reason === "" ? {} : { reason }) }, named);
  }
}

/** What became of decisions that were made together, in a line. */
export function toldOfDecisions(verb: NeedVerb, replies: readonly (readonly [Need, Reply])[]): string {
  const recorded = replies.flatMap(([, reply]) => (reply.outcome === "accepted" ? [reply.receipt.seq] : []));
  const [first] = replies.filter(([, { outcome }]) => outcome !== "accepted");
  if (first === undefined) {
    return replies.length === 1
      ? `${verb}: recorded, entry ${recorded[0]}`
      : `${verb}: ${replies.length} recorded, entries ${recorded.join(", ")}`;
  }
  const [need, reply] = first;
  const [problem] = problemsOf(reply);
  const of = replies.length === 1 ? "" : ` ${recorded.length} of ${replies.length} recorded. ${need.subject}`;
  return `${verb}:${of} not recorded. ${problem?.message ?? ""}`;
}
