/** Of `baton contract show`: whether paths are inside a contract, before anybody edits them, and which entry says so. */

import { decodeUtf8, jsonLine } from "../../base/json.ts";
import { batchBytesMax } from "../../base/limits.ts";
import { checkScope, ruleOn } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { type ContractState, scopeOf } from "../state/contract-terms.ts";

/** Tells for each path that the call names whether these contracts allow it; refuses where there is no contract. */
export async function checkPaths(call: Call, asked: readonly ContractState[], plan: string): Promise<ExitCode> {
  const { output } = call;
  if (asked.length === 0) {
    return output.fail(
      makeProblem("not-found", plan, "There is no contract to check against.", {
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
}

/** The paths that the call names, those of standard input in the place of `-`. */
async function pathsOf({ given, signal }: Call): Promise<Result<readonly string[], Problem>> {
  const words = given.texts("path");
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
