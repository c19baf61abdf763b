/**
 * Which checks of a contract may run on a report, and what a check that ran says of it. Checks are shell that an agent
 * wrote, so the owner's word decides: the list of the team file, and answers about what is not in it. A commit that changes
 * how checks run is asked about each time. Pure. Rules: docs/protocol/verdicts.md, section 11.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Note } from "../../messages/message.ts";
import type { CheckAnswer, Contracts } from "../../tasks/state/contract-terms.ts";
import { verdictAbout } from "../../tasks/state/report-status.ts";
import type { CheckRecord, Task, Verdict, Work } from "../../tasks/state/task-state.ts";
import type { CheckCommand, TeamChecks } from "../../team/state/definition.ts";

/** A check that ran. */
export interface CheckOutcome extends Omit<CheckRecord, "commit" | "tree"> {
  /** The end of what it wrote; shown to people, never recorded. */
  readonly outputEnd: string;
}

/** What plans want to run, and the owner's word on it. */
export interface CheckRules {
  readonly listed: TeamChecks | undefined;
  readonly answers: ReadonlyMap<string, CheckAnswer>;
  /** The checks of each plan that has some, by its key. */
  readonly wanted: ReadonlyMap<string, readonly string[]>;
}

/** The rules as they are now: who waits keeps them, while the state goes on. */
export function checkRules({ answers, plans }: Contracts, listed: TeamChecks | undefined): CheckRules {
  const wanted = [...plans].flatMap(([plan, { terms }]) =>
    terms.verificationChecks.length === 0 ? [] : [[plan, terms.verificationChecks] as const],
  );
  return { listed, answers: new Map(answers), wanted: new Map(wanted) };
}

/** A check that has not run on a report: as which command it may, or `asks` for the owner's word, or was refused. */
export interface OpenCheck {
  readonly check: string;
  readonly leave: CheckCommand | "asks" | "refused";
  /** How the work changes the way in which checks run; null: it does not. */
  readonly change: string | null;
}

/** The checks of a plan that have not run on a verified report. */
export function openChecks(
  plan: string | null,
  { report, notes = [], checks = [] }: Pick<Verdict, "report" | "notes" | "checks">,
  rules: CheckRules,
): readonly OpenCheck[] {
  const wanted = rules.wanted.get(plan ?? "") ?? [];
  const change = notes.find(({ code }) => code === changedCode)?.message ?? null;
  return [...new Set(wanted)]
    .filter((check) => !checks.some((done) => done.check === check))
    .map((check) => ({ check, change, leave: leaveOf(check, { report, isChanged: change !== null }, rules) }));
}

/** Of each verified task the checks that have not run on its report. */
export function askedChecks(
  { work, contracts }: { readonly work: Work; readonly contracts: Contracts },
  listed: TeamChecks | undefined,
): readonly (OpenCheck & { readonly task: Task; readonly verdict: Verdict })[] {
  const rules = checkRules(contracts, listed);
  if (rules.wanted.size === 0) return [];
  return [...work.tasks.values()].flatMap((task) => {
    const verdict = verdictAbout(task);
    if (verdict?.state !== "verified" || verdict.commit === null || verdict.place?.at === "settled") return [];
    return openChecks(task.plan, verdict, rules).map((open) => ({ ...open, task, verdict }));
  });
}

function leaveOf(
  check: string,
  { report, isChanged }: { readonly report: number; readonly isChanged: boolean },
  { listed, answers }: CheckRules,
): OpenCheck["leave"] {
  const answer = answers.get(check);
  const command = listed?.commands.find(({ run }) => run === check);
  // The owner has seen this report.
  if (answer !== undefined && answer.seq >= report)
    return answer.last === "no" ? "refused" : (command ?? { run: check });
  if (command !== undefined || answer?.lasting === "always") return isChanged ? "asks" : (command ?? { run: check });
  return answer?.lasting === "no" ? "refused" : "asks";
}

/** The note on work that changes how checks run. */
const changedCode = "check-changed";
/** The note on a check that was to run and did not. */
const unrunCode = "check-not-run";

/** The note to who reported the work that a check has to wait for the owner's word. */
export function askedNote({ check }: OpenCheck): Note {
  const message = `The check "${shown(check)}" waits for the owner's answer: \`baton needs\` asks.`;
  return { code: "check-asked", path: check, message };
}

/** The note of a verdict on a check that could not run; null: there is none. */
export function unrunNote({ notes = [] }: Pick<Verdict, "notes">, check: string): Note | null {
  return notes.find(({ code, path }) => code === unrunCode && path === check) ?? null;
}

/** The notes of a verdict after a try to run some checks; `why`: they could not, empty: they did. */
export function notesAfter(notes: readonly Note[], tried: readonly string[], why: string): readonly Note[] {
  const others = notes.filter(({ code, path }) => code !== unrunCode || !tried.includes(path));
  if (why === "") return others;
  const unrun = tried.map((check) => ({
    code: unrunCode,
    path: check,
    message: `The check "${shown(check)}" did not run: ${why}`,
  }));
  return [...others, ...unrun];
}

export function changedNote(file: string): Note {
  return { code: changedCode, path: file, message: `The work changes ${file}, and with it how its checks run.` };
}

/** Files that say how checks run; of `package.json` the scripts alone. */
const settings =
  /(?:^|\/)(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Rakefile|Taskfile\.ya?ml|tox\.ini|noxfile\.py|pytest\.ini|conftest\.py|setup\.cfg|pyproject\.toml|phpunit\.xml(?:\.dist)?|\.mocharc\.\w+|(?:jest|vitest|vite|playwright|cypress|karma)\.conf(?:ig)?\.\w+|\.gitlab-ci\.yml)$|^\.(?:github\/workflows|circleci)\//;

/** Whether a file says how these checks run, or is named by one. */
export function setsChecks(file: string, checks: readonly string[]): boolean {
  return (
    settings.test(file) || checks.some((check) => check.split(/[\s;&|<>()'"`=]+/).some((word) => isFile(word, file)))
  );
}

function isFile(word: string, file: string): boolean {
  return word.replace(/^(?:\.\/)+/, "") === file;
}

/** The problem of a check that did not end well; null: it passed. */
export function checkProblem({
  check,
  exitCode,
  isTimedOut,
  durationMs,
}: Omit<CheckRecord, "commit" | "tree">): Problem | null {
  if (exitCode === 0) return null;
  const how = isTimedOut
    ? `was ended after ${durationMs} ms`
    : exitCode === null
      ? "was ended by a signal"
      : `ended with ${exitCode}`;
  return makeProblem("check-failed", "$.verification_checks", `The check "${shown(check)}" ${how}.`, {
    expected: "exit code 0",
    received: exitCode === null ? (isTimedOut ? "timed out" : "signal") : String(exitCode),
    hint: "Repair what it found, then report the task again.",
  });
}

function shown(check: string): string {
  return check.slice(0, 200).toWellFormed();
}
