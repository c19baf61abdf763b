/** `baton contract show`: what the plans may touch, and how that came to be. */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { planKey } from "../../messages/task-ids.ts";
import type { ContractTerms } from "../decide/contracts.ts";
import type { ContractRevision, ContractView } from "../state/contract-terms.ts";

export const command: Command = {
  description:
    "Prints the contracts in force: objective, tasks, allowed and forbidden paths, tokens used of the budget, and every\n" +
    "revision with its hash and its entry (baton show SEQ: as it was issued). Exits 3 when there is no contract of PLAN.",
  positionals: [{ name: "PLAN", summary: "only this plan, however its id is spelled" }],
  examples: [
    { line: "baton contract show", meaning: "every plan's contract" },
    { line: "baton contract show 1-1 --json", meaning: "one plan's, with its revisions" },
  ],
  next: "A dev who needs more asks by an approval_request of type scope_change with the paths.",
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
      if (plan !== undefined) return output.fail(noContract(plan));
      output.say("No contract yet. A plan_contract message opens one.");
      return exitCodes.done;
    }),
};

function noContract(plan: string): Problem {
  return makeProblem("not-found", plan, "There is no contract of this plan.", {
    hint: "baton contract show lists the contracts",
  });
}

function contractText({ terms, revision, hash, revisions, tokensUsed }: ContractView, paint: Paint): string {
  const issuer = revisions.at(-1)?.issuedBy;
  return [
    `${paint.strong(`plan ${visible(terms.planId)}`)}  revision ${revision}${issuer === undefined ? "" : ` by ${visible(issuer)}`}`,
    ...termLines(terms),
    `  tokens     ${tokensText(tokensUsed, terms.tokenBudget, paint)}`,
    `  hash       ${hash}`,
    ...(revisions.length < 2 ? [] : ["  revisions", ...revisions.map(revisionLine)]),
    "",
  ].join("\n");
}

function termLines(terms: ContractTerms): readonly string[] {
  return [
    `  objective  ${visible(terms.objective)}`,
    `  tasks      ${listText(terms.tasks)}`,
    `  allowed    ${listText(terms.allowedPaths)}`,
    `  forbidden  ${listText(terms.forbiddenPaths)}`,
    `  must have  ${listText(terms.mustHaves)}`,
  ];
}

function revisionLine({ revision, hash, seq, issuedBy, permit }: ContractRevision): string {
  const widened = permit === null ? "" : `, widened as ${visible(permit)} asked`;
  return `    ${revision}  ${hash}  entry ${seq} by ${visible(issuedBy)}${widened}`;
}

function tokensText(used: number, budget: number | null, paint: Paint): string {
  if (budget === null) return `${used} used, no budget`;
  const text = `${used} used of ${budget}`;
  return used > budget ? paint.bad(`${text}, over the budget`) : text;
}

function listText(entries: readonly string[]): string {
  return entries.length === 0 ? "nothing" : entries.map(visible).join(", ");
}
