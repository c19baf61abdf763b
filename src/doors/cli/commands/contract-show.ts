/** `baton contract show`: what the plans may touch. */

import { problem } from "../../../base/problem.ts";
import { visible } from "../../../base/text.ts";
import type { ContractState } from "../../../coordination/contracts.ts";
import { planKey } from "../../../coordination/work-ids.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Paint } from "../paint.ts";
import { withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Prints the contracts in force: objective, tasks, allowed and forbidden paths, and the hash of the revision.",
  positionals: [{ name: "PLAN", summary: "only this plan, however its id is spelled" }],
  examples: [
    { line: "baton contract show", meaning: "every plan's contract" },
    { line: "baton contract show 1-1 --json", meaning: "one plan's, with its revisions" },
  ],
  next: "baton contract check PATH tells whether a path lies inside.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const found = await team.contracts();
      if (!found.ok) return output.fail(found.error);
      const plan = call.given.word("PLAN");
      const shown =
        plan === undefined ? found.value : found.value.filter((contract) => contract.plan === planKey(plan));
      for (const contract of shown) output.result(contract, () => contractText(contract, output.paint.stdout));
      if (shown.length > 0) return exitCodes.done;
      if (plan !== undefined) {
        return output.fail(
          problem("not-found", plan, "No contract of this plan stands.", {
            hint: "baton contract show lists those that stand",
          }),
        );
      }
      output.say("No contract yet. A plan_contract message opens one.");
      return exitCodes.done;
    }),
};

function contractText({ terms, revision, hash, revisions }: ContractState, paint: Paint): string {
  const issuer = revisions.at(-1)?.issuedBy;
  return [
    `${paint.strong(`plan ${visible(terms.planId)}`)}  revision ${revision}${issuer === undefined ? "" : ` by ${visible(issuer)}`}`,
    `  objective  ${visible(terms.objective)}`,
    `  tasks      ${listText(terms.tasks)}`,
    `  allowed    ${listText(terms.allowedPaths)}`,
    `  forbidden  ${listText(terms.forbiddenPaths)}`,
    `  must have  ${listText(terms.mustHaves)}`,
    `  hash       ${hash}`,
    "",
  ].join("\n");
}

function listText(entries: readonly string[]): string {
  return entries.length === 0 ? "nothing" : entries.map(visible).join(", ");
}
