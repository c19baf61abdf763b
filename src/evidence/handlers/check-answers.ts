/** The owner's word on a check that a contract names. Rules: docs/protocol/verdicts.md, section 11. */
import { makeProblem } from "../../base/problem.ts";
import { err } from "../../base/result.ts";
import { ownerName } from "../../messages/principal.ts";
import { changedMeanwhile } from "../../needs/view/changed-meanwhile.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { AnswerCheck } from "../../perform/operations/generated/calls.ts";
import type { Operation } from "../../perform/perform.ts";
import { contracts } from "../../tasks/decide/contracts.ts";
import { askedChecks } from "../decide/contract-checks.ts";

/**
 * Lets a check run, or not. Refuses `human-required` for all but the owner, `changed-meanwhile` where a report came since
 * that asks for it, and `not-found` as the decider does.
 */
export const answerCheck: Operation<AnswerCheck, TeamContext> = {
  name: "answer-check",
  decide(state, { check, as, ifSeq }, { by, seq }) {
    if (by.agent !== ownerName)
      return err([
        makeProblem("human-required", by.agent, `${by.agent} may not let a check run.`, {
          expected: "the owner",
          hint: "Ask the person who owns the team.",
        }),
      ]);
    const asked = askedChecks(state.coordination, state.team.definition?.checks).filter((each) => each.check === check);
    const changes = asked.map(({ task, verdict }) => ({ seq: verdict.report, says: `${task.task} was reported` }));
    const changed = changedMeanwhile(changes, ifSeq, check);
    if (changed !== null) return err([changed]);
    return contracts.decide({ command: "answer-check", check, as, by: by.agent, seq }, state.coordination.contracts);
  },
};
