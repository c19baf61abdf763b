/** `baton contract show`: what the plans may touch, and how that came to be. */
import { decodeUtf8, jsonLine } from "../../base/json.ts";
import { batchBytesMax } from "../../base/limits.ts";
import { checkScope, ruleOn } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { planKey } from "../../messages/task-ids.ts";
import { contentOf } from "../../perform/content.ts";
import type { Team } from "../../perform/team.ts";
import type { Shown } from "../../record/operations/entries.ts";
import type { ContractTerms } from "../decide/contracts.ts";
import { type ContractRevision, type ContractState, type ContractView, scopeOf } from "../state/contract-terms.ts";

export const command: Command = {
  description:
    "Prints the contracts in force: objective, tasks, allowed and forbidden paths, tokens used of the budget, and every\n" +
    "revision with its hash. With --revision one revision as it was issued, and what it changed from the one before. With\n" +
    "--path tells for each path whether the contract allows it, and which entry decides: forbidden beats allowed; without PLAN\n" +
    "a path is inside when one contract allows it. Then exits 2 when a path is outside, 3 when there is no contract.",
  positionals: [{ name: "PLAN", summary: "only this plan, however its id is spelled" }],
  options: [
    { name: "revision", kind: "count", value: "N", summary: "this revision of PLAN, with what it changed" },
    {
      name: "path",
      kind: "text",
      value: "PATH",
      repeatable: true,
      summary: "whether it is inside; - reads paths from standard input, one a line or with NUL between them",
    },
  ],
  examples: [
    { line: "baton contract show", meaning: "every plan's contract" },
    { line: "baton contract show 1-1 --json", meaning: "one plan's, with its revisions" },
    { line: "baton contract show 1-1 --revision 2", meaning: "what the second revision said, and what was new in it" },
    { line: "baton contract show --path src/feature.js", meaning: "may anybody touch this?" },
    { line: "git diff --name-only -z | baton contract show 1-1 --path -", meaning: "is my work inside plan 1-1?" },
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
      const revision = call.given.number("revision");
      if (call.given.texts("path").length > 0) {
        if (revision === undefined) return await checkPaths(call, shown, plan ?? "PLAN");
        return output.fail(
          usageProblem("--revision", "Paths are checked against the contract in force.", "leave it out"),
        );
      }
      if (revision !== undefined) return await showRevision(call, team, shown, { plan, revision });
      for (const contract of shown) output.result(contract, () => contractText(contract, output.paint.stdout));
      if (shown.length > 0) return exitCodes.done;
      if (plan !== undefined) return output.fail(noContract(plan));
      output.say("No contract yet. A plan_contract message opens one.");
      return exitCodes.done;
    }),
};

async function showRevision(
  { output }: Call,
  team: Team,
  shown: readonly ContractView[],
  asked: { readonly plan: string | undefined; readonly revision: number },
): Promise<ExitCode> {
  if (asked.plan === undefined) {
    return output.fail(
      makeProblem("wrong-usage", "PLAN", "Say whose revision: baton contract show PLAN --revision N."),
    );
  }
  const [contract] = shown;
  if (contract === undefined) return output.fail(noContract(asked.plan));
  const { revisions } = contract;
  const revision = revisions.find((each) => each.revision === asked.revision);
  if (revision === undefined) {
    const problem = makeProblem("not-found", String(asked.revision), `Plan ${asked.plan} has no such revision.`, {
      expected: `1 to ${contract.revision}`,
    });
    return output.fail(problem);
  }
  const terms = await termsOf(team, contract, revision);
  if (!terms.ok) return output.fail(terms.error);
  const earlier = revisions.find((each) => each.revision === asked.revision - 1);
  const before = earlier === undefined ? null : await termsOf(team, contract, earlier);
  if (before !== null && !before.ok) return output.fail(before.error);
  const changes = before === null ? [] : changesBetween(before.value, terms.value);
  output.result({ ...revision, plan: contract.plan, terms: terms.value, changes }, () =>
    revisionText(revision, terms.value, changes, output.paint.stdout),
  );
  return exitCodes.done;
}

/** The terms of a revision, from the entry that issued it. */
async function termsOf(
  team: Team,
  { plan }: ContractView,
  { seq }: ContractRevision,
): Promise<Result<ContractTerms, Problem>> {
  const entry = await team.show(String(seq));
  if (!entry.ok) return entry;
  const terms = termsIssuedBy(entry.value, plan);
  return terms === null
    ? err(makeProblem("not-found", String(seq), "The entry that issued this revision no longer says so."))
    : ok(terms);
}

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

function revisionText(
  revision: ContractRevision,
  terms: ContractTerms,
  changes: readonly TermChange[],
  paint: Paint,
): string {
  const marks = changes.flatMap(({ term, removed, added }) => [
    ...removed.map((entry) => paint.bad(`  - ${term}: ${visible(entry)}`)),
    ...added.map((entry) => paint.good(`  + ${term}: ${visible(entry)}`)),
  ]);
  const first = revision.revision === 1;
  return [
    `${paint.strong(`plan ${visible(terms.planId)}`)}  revision ${revision.revision} by ${visible(revision.issuedBy)}`,
    ...termLines(terms),
    `  budget     ${terms.tokenBudget ?? "none"}`,
    `  hash       ${revision.hash}`,
    first ? "  the first revision" : `  changed from revision ${revision.revision - 1}`,
    ...(first || marks.length > 0 ? marks : ["  only the order or the spelling"]),
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

/*
 * A revision of a contract as the record has it. The state keeps the active terms and the history's hashes; an earlier
 * revision is in the entry that issued it. Also: what changed from one revision to the next.
 */

/** The terms that the entry issued for the plan with this key, or null: it issued none. */
function termsIssuedBy({ entry }: Pick<Shown, "entry">, plan: string): ContractTerms | null {
  const issued = (contentOf(entry).events ?? []).find(
    (event) => event.event === "contract-issued" && event.plan === plan,
  );
  return issued?.event === "contract-issued" ? issued.terms : null;
}

/** One term that differs: what went and what came; a list by its entries, another value whole. */
interface TermChange {
  readonly term: keyof ContractTerms;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What differs from one revision to another, in the order of the terms; the plan's id may be spelled again. */
function changesBetween(before: ContractTerms, after: ContractTerms): readonly TermChange[] {
  // The terms of one type have the same keys.
  const terms = (Object.keys(after) as (keyof ContractTerms)[]).filter((term) => term !== "planId");
  return terms.flatMap((term): readonly TermChange[] => {
    const [old, now] = [entriesOf(before[term]), entriesOf(after[term])];
    const [removed, added] = [without(old, now), without(now, old)];
    return removed.length === 0 && added.length === 0 ? [] : [{ term, removed, added }];
  });
}

function entriesOf(value: ContractTerms[keyof ContractTerms]): readonly string[] {
  if (value === null) return [];
  return typeof value === "object" ? value : [String(value)];
}

function without(entries: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return entries.filter((entry) => !known.has(entry));
}

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
