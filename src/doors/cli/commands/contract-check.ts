/** `baton contract check`: whether paths lie inside a contract, before anybody edits them. */
import { problem } from "../../../base/problem.ts";
import { checkScope } from "../../../base/scope.ts";
import { visible } from "../../../base/text.ts";
import type { ContractState } from "../../../coordination/contracts.ts";
import { planKey } from "../../../coordination/work-ids.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Tells for each path whether the contract allows it: forbidden beats allowed. Without --plan every contract is asked,\n" +
    "and a path is inside when one of them allows it. Exits 2 when a path is outside, 3 when there is no contract.",
  positionals: [{ name: "PATH", required: true, repeatable: true, summary: "paths as the repository names them" }],
  options: [{ name: "plan", kind: "text", value: "PLAN", summary: "only this plan's contract" }],
  examples: [
    { line: "baton contract check src/feature.js", meaning: "may anybody touch this?" },
    {
      line: "git diff --name-only | xargs baton contract check --plan 1-1",
      meaning: "does my work lie inside plan 1-1?",
    },
  ],
  next: "A dev who needs more sends an approval_request of type scope_change.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const found = await team.contracts();
      if (!found.ok) return output.fail(found.error);
      const plan = call.given.text("plan");
      const asked =
        plan === undefined ? found.value : found.value.filter((contract) => contract.plan === planKey(plan));
      if (asked.length === 0) {
        const subject = plan ?? "PLAN";
        return output.fail(
          problem("not-found", subject, "There is no contract to check against.", {
            hint: "baton contract show lists the contracts",
          }),
        );
      }
      let outside = 0;
      for (const path of call.given.words("PATH")) {
        const judged = judge(path, asked);
        if (!judged.inside) outside++;
        output.result(judged, () => {
          const paint = output.paint.stdout;
          return judged.inside
            ? `${paint.good("inside")}   ${visible(path)}  (plan ${judged.plans.map(visible).join(", ")})`
            : `${paint.bad("outside")}  ${visible(path)}`;
        });
        output.problems(judged.problems);
      }
      return outside === 0 ? exitCodes.done : exitCodes.refused;
    }),
};

/** The path's standing: the plans that allow it, or, where none does, why not. */
function judge(path: string, contracts: readonly ContractState[]) {
  const verdicts = contracts.map((contract) => ({
    plan: contract.terms.planId,
    problems: checkScope({ allowed: contract.terms.allowedPaths, forbidden: contract.terms.forbiddenPaths }, [
      path,
    ]).map((fault) => ({ ...fault, path })),
  }));
  const plans = verdicts.filter(({ problems }) => problems.length === 0).map(({ plan }) => plan);
  const problems = plans.length > 0 ? [] : verdicts.flatMap((verdict) => verdict.problems);
  return { path, inside: plans.length > 0, plans, problems };
}
