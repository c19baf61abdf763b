/** Several decisions in one request: each is done as its own operation does it, one after the other. */
import type { z } from "zod";
import { type DecisionResult, decideSeveral } from "../../../operations/decisions.ts";
import type { Reply } from "../../../operations/reply.ts";
import type { Team } from "../../../runtime/team/team.ts";
import { json } from "../server/answers.ts";
import { byHand } from "./defined-operations.ts";
import { given, type Operation } from "./operation.ts";

type Decision = z.infer<typeof decideSeveral.input>["decisions"][number];

export const decisionOperations: readonly Operation[] = [
  byHand(decideSeveral, async ({ decisions }, { team, id: batch }) => {
    const results: DecisionResult[] = [];
    for (const [index, decision] of decisions.entries()) {
      // A batch that comes again under its id is the same decisions again, each recorded once.
      const id = decision.id ?? (batch === undefined ? undefined : `${batch}-${index + 1}`);
      results.push(resultOf(await decide(team, decision, id === undefined ? {} : { id })));
    }
    return json({ results });
  }),
];

function decide(team: Team, decision: Decision, named: { readonly id?: string }): Promise<Reply> {
  switch (decision.decide) {
    case "approve":
    case "deny": {
      const { decide: word, id: _, request, reason, ...more } = decision;
      return team.answer({ request, approved: word === "approve", reason, ...given(more) }, named);
    }
    case "resolve": {
      const { decide: _, id: __, escalation, ...more } = decision;
      return team.resolve({ escalation, ...given(more) }, named);
    }
    case "raise": {
      const { decide: _, id: __, escalation, ...more } = decision;
      return team.raise({ escalation, ...given(more) }, named);
    }
    case "lift": {
      const { decide: _, id: __, stop, reason, ...more } = decision;
      return team.liftStop({ stop, reason, ...given(more) }, named);
    }
  }
}

function resultOf(reply: Reply): DecisionResult {
  switch (reply.outcome) {
    case "accepted":
      return { outcome: "accepted", receipt: reply.receipt, problems: [] };
    case "refused":
      return { outcome: "refused", receipt: reply.receipt, problems: reply.problems };
    case "failed":
      return { outcome: "failed", receipt: null, problems: [reply.problem] };
  }
}
