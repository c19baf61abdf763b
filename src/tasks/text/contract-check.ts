/** `baton contract check`: whether paths are inside a contract, before anybody edits them, and which entry says so. */

import { decodeUtf8, jsonLine } from "../../base/json.ts";
import { batchBytesMax } from "../../base/limits.ts";
import { checkScope, ruleOn } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { planKey } from "../../messages/task-ids.ts";
import { type ContractState, scopeOf } from "../state/contract-terms.ts";

export const command: Command = {
  description:
    "Tells for each path whether the contract allows it, and which entry decides: forbidden beats allowed. Without --plan\n" +
    "every contract is asked, and a path is inside when one of them allows it. Exits 2 when a path is outside, 3 when\n" +
    "there is no contract. With - the paths come from standard input, one a line or with NUL between them.",
  positionals: [
    {
      name: "PATH",
      required: true,
      repeatable: true,
      summary: "paths as the repository names them, or - for standard input",
    },
  ],
  options: [{ name: "plan", kind: "text", value: "PLAN", summary: "only this plan's contract" }],
  examples: [
    { line: "baton contract check src/feature.js", meaning: "may anybody touch this?" },
    {
      line: "git diff --name-only -z | baton contract check --plan 1-1 -",
      meaning: "is my work inside plan 1-1?",
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
          makeProblem("not-found", subject, "There is no contract to check against.", {
            hint: "baton contract show lists the contracts",
          }),
        );
      }
      const paths = await pathsOf(call);
      if (!paths.ok) return output.fail(paths.error);
      let outside = 0;
      for (const path of paths.value) {
        const judged = judge(path, asked);
        if (!judged.inside) outside++;
        output.result(judged, () => judgedText(judged, output.paint.stdout));
        output.problems(judged.problems);
      }
      return outside === 0 ? exitCodes.done : exitCodes.refused;
    }),
};

/** The paths that the call names, those of standard input in the place of `-`. */
async function pathsOf({ given, signal }: Call): Promise<Result<readonly string[], Problem>> {
  const words = given.words("PATH");
  if (!words.includes("-")) return ok(words);
  const bytes = await readWhole("-", batchBytesMax, signal);
  if (!bytes.ok) return bytes;
  if (bytes.value.length > batchBytesMax) {
    return err(
      makeProblem("too-large", "-", "There is more on standard input than is read.", {
        expected: `at most ${batchBytesMax} bytes`,
        hint: "check the paths in several calls",
      }),
    );
  }
  const text = decodeUtf8(bytes.value);
  if (!text.ok) return err(makeProblem("not-utf8", "-", "The paths on standard input are not UTF-8."));
  // As `git diff --name-only` writes them, with `-z` or without.
  const read = text.value.split(text.value.includes("\0") ? "\0" : /\r?\n/).filter((path) => path !== "");
  return ok(words.flatMap((word) => (word === "-" ? read : [word])));
}

/** What one contract says of a path, and the entry by which; null: none is about it, or the path is none. */
interface Verdict {
  readonly plan: string;
  readonly inside: boolean;
  readonly list: "allowed" | "forbidden" | null;
  readonly entry: string | null;
}

/** The path's status: the plans that allow it, what each says, or, where none allows it, why not. */
interface Judged {
  readonly path: string;
  readonly inside: boolean;
  readonly plans: readonly string[];
  readonly verdicts: readonly Verdict[];
  readonly problems: readonly Problem[];
}

function judge(path: string, contracts: readonly ContractState[]): Judged {
  const verdicts = contracts.map(({ terms }): Verdict => {
    const ruling = ruleOn(scopeOf(terms), path);
    return { plan: terms.planId, ...(ruling.ok ? ruling.value : { inside: false, list: null, entry: null }) };
  });
  const plans = verdicts.filter(({ inside }) => inside).map(({ plan }) => plan);
  const found = () => contracts.flatMap(({ terms }) => checkScope(scopeOf(terms), [path]));
  const problems = plans.length > 0 ? [] : withoutRepeats(found().map((problem) => ({ ...problem, path })));
  return { path, inside: plans.length > 0, plans, verdicts, problems };
}

/** Contracts that say the same of a path say it once. */
function withoutRepeats(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((each) => [jsonLine(each), each])).values()];
}

function judgedText({ path, inside, verdicts }: Judged, paint: Paint): string {
  const telling = verdicts.filter((verdict) => verdict.inside === inside && verdict.entry !== null);
  const by = telling.map(({ plan, list, entry }) => `plan ${visible(plan)}: ${list} ${visible(entry ?? "")}`);
  const why = by.length === 0 ? "no entry allows it" : by.join("; ");
  return `${inside ? `${paint.good("inside")} ` : paint.bad("outside")}  ${visible(path)}  (${why})`;
}
