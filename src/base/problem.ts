/**
 * Problems: everything the outside can cause, reported so that the caller can act on it. The codes are a closed list in
 * order of precedence: when a message has several errors, the error whose code is first in this table is reported
 * first. Each code answers two questions: who caused it, and may a retry help? How a problem writes the path of a value
 * is decided here too, so that every report writes a key in the same way.
 */
import { problemsMax } from "./limits.ts";

/** One error: what was expected, what was received, and how to repair it. */
export interface Problem {
  readonly code: ProblemCode;
  /**
   * Where: a JSON path such as `$.payload.status`, an argument such as `arguments.id` (each door names it in its own way),
   * a file with line and column, or the subject's name. `$` is the whole.
   */
  readonly path: string;
  /** One sentence a person can act on. */
  readonly message: string;
  readonly expected?: string;
  /** What was found, shortened; agent text, so doors escape it. */
  readonly received?: string;
  /** What to do next, e.g. `did you mean "partial"?`. */
  readonly hint?: string;
}

interface CodeFacts {
  /** Who can repair it: the message's sender, the one who runs the command or hub, or the machine's state. */
  readonly causedBy: "sender" | "operator" | "machine";
  /** Whether the same act may succeed later without a change. */
  readonly retry: "never" | "later";
}

/** A step to a value: the key of a member, or the number of an entry of a list. */
export type PathStep = string | number;

const sender: CodeFacts = { causedBy: "sender", retry: "never" };
const senderLater: CodeFacts = { causedBy: "sender", retry: "later" };
const operator: CodeFacts = { causedBy: "operator", retry: "never" };
const machine: CodeFacts = { causedBy: "machine", retry: "never" };
const machineLater: CodeFacts = { causedBy: "machine", retry: "later" };

/** Every problem code, in order of precedence. */
export const problemCodes = {
  // The text itself.
  "empty-message": sender,
  "too-large": sender,
  "not-utf8": sender,
  "byte-order-mark": sender,
  "not-json": sender,
  "not-yaml": sender,
  "too-deep": sender,
  "too-many-nodes": sender,
  "duplicate-key": sender,
  "forbidden-key": sender,
  "number-range": sender,
  "lone-surrogate": sender,
  "nul-character": sender,
  "not-an-object": sender,
  // The definition.
  "unknown-dialect": sender,
  "unknown-type": sender,
  // No repair of the fields helps a role that may not send the type.
  "sender-not-authorised": sender,
  "missing-field": sender,
  "wrong-type": sender,
  "wrong-value": sender,
  "wrong-format": sender,
  "unknown-field": sender,
  "cross-field": sender,
  // The request that carried it.
  "wrong-media-type": sender,
  "foreign-request": sender,
  unauthenticated: sender,
  "token-revoked": sender,
  "too-many-requests": senderLater,
  // Who and to whom.
  "invalid-id": sender,
  "unknown-agent": sender,
  "retired-agent": sender,
  "agent-stopped": sender,
  "session-replaced": sender,
  "identity-mismatch": sender,
  "unknown-receiver": sender,
  "receiver-not-authorised": sender,
  "no-receiver": sender,
  "id-conflict": sender,
  "id-taken": sender,
  // The state of the work.
  "invalid-path": sender,
  "invalid-glob": sender,
  "unknown-task": sender,
  "task-done": sender,
  "fenced-claim": sender,
  "not-holder": sender,
  "task-held": senderLater,
  "breaker-open": senderLater,
  "task-blocked": senderLater,
  "dependency-cycle": sender,
  "outside-contract": sender,
  "claim-overlap": senderLater,
  // Reports, checked against the repository.
  "commit-missing": sender,
  "commit-ambiguous": sender,
  "commit-unreachable": sender,
  "commit-before-task": sender,
  "unrelated-history": sender,
  "commit-credited": sender,
  "same-change": sender,
  "work-apart": sender,
  "nothing-changed": sender,
  "outside-claim": sender,
  "symlink-escape": sender,
  "submodule-change": sender,
  "files-unlisted": sender,
  "files-not-changed": sender,
  "artifact-missing": sender,
  "artifact-uncommitted": sender,
  "artifact-unreadable": sender,
  "counts-differ": sender,
  "file-changed": sender,
  "file-missing": senderLater,
  "file-outside": sender,
  "not-verified": sender,
  "handoff-not-accepted": sender,
  "check-failed": sender,
  "work-overwritten": sender,
  "work-reverted": sender,
  "unknown-request": sender,
  "ambiguous-request": sender,
  "already-answered": sender,
  "changed-meanwhile": senderLater,
  "request-expired": sender,
  "own-request": sender,
  "must-decide": sender,
  "phase-open": senderLater,
  "not-ready": senderLater,
  "human-required": sender,
  "not-found": senderLater,
  // The command, the team file, the place.
  "wrong-usage": operator,
  "not-initialised": operator,
  "already-exists": operator,
  "team-file": operator,
  "settings-file": operator,
  "repository-missing": operator,
  "shallow-clone": operator,
  "git-missing": operator,
  "unknown-team": operator,
  "timed-out": machineLater,
  interrupted: machineLater,
  "output-failed": machineLater,
  "repository-unreadable": machine,
  "hub-unreachable": machineLater,
  "not-a-hub": operator,
  "port-taken": operator,
  // The journal and the machine.
  "journal-missing": operator,
  "journal-moved": operator,
  "team-archived": operator,
  "journal-tracked": operator,
  "journal-copied": operator,
  "journal-busy": machineLater,
  "journal-unreachable": machineLater,
  "journal-read-only": machine,
  "journal-cannot-open": machine,
  "journal-full": machine,
  "journal-not-database": machine,
  "journal-newer": operator,
  "journal-network-file-system": operator,
  "journal-linked": operator,
  "journal-regressed": machine,
  "journal-corrupt": machine,
  "journal-failed": machine,
  "node-too-old": operator,
} as const satisfies Record<string, CodeFacts>;

/** A code of `problemCodes`: what is wrong, whose mistake it is, and whether another try may help. */
export type ProblemCode = keyof typeof problemCodes;

/** Whether the state of the machine or of the journal causes it; of a code that a newer hub has, no. */
export function isMachines(code: ProblemCode): boolean {
  const known: { readonly [code: string]: CodeFacts | undefined } = problemCodes;
  return known[code]?.causedBy === "machine";
}

const precedence: ReadonlyMap<string, number> = new Map(Object.keys(problemCodes).map((code, index) => [code, index]));

/** A problem from its parts; the optional parts that are undefined are left out. */
export function makeProblem(
  code: ProblemCode,
  path: string,
  message: string,
  more: {
    readonly expected?: string | undefined;
    readonly received?: string | undefined;
    readonly hint?: string | undefined;
  } = {},
): Problem {
  return {
    code,
    path,
    message,
    ...(more.expected === undefined ? {} : { expected: more.expected }),
    ...(more.received === undefined ? {} : { received: more.received }),
    ...(more.hint === undefined ? {} : { hint: more.hint }),
  };
}

/** The problems, or what else has a code, in their fixed order: by precedence of code, then as they came. */
export function inOrder<Coded extends Pick<Problem, "code">>(problems: readonly Coded[]): readonly Coded[] {
  return problems.toSorted((a, b) => (precedence.get(a.code) ?? 0) - (precedence.get(b.code) ?? 0));
}

/**
 * No more problems than an answer may list, as they come; the last one then says how many were left out, including those
 * that were never described (`unsaid`).
 */
export function boundedProblems(problems: readonly Problem[], unsaid = 0): readonly Problem[] {
  const last = problems[problemsMax - 1];
  const more = problems.length + unsaid - problemsMax;
  if (more <= 0 || last === undefined) return problems;
  const leftOut = `(${more} more errors are not listed.)`;
  return [...problems.slice(0, problemsMax - 1), { ...last, message: `${last.message} ${leftOut}` }];
}

/**
 * `[3]` for an entry; `.key` where the key is a plain word, else `["key"]`, shortened so that a hostile key stays readable.
 * A key of digits is quoted, so that it is never read as an entry.
 */
export function pathStep(step: PathStep): string {
  if (typeof step === "number") return `[${step}]`;
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(step)) return `.${step}`;
  return `[${JSON.stringify(step.length > 64 ? `${step.slice(0, 63).toWellFormed()}…` : step)}]`;
}

/** `$.payload.failures[0]["a.b"]`; `root` is what the path begins with. */
export function jsonPath(steps: readonly PathStep[], root = "$"): string {
  return steps.reduce<string>((path, step) => path + pathStep(step), root);
}

/** The value that `steps` lead to, by own members only, or undefined. */
export function valueAt(value: unknown, steps: readonly PathStep[]): unknown {
  let here = value;
  for (const step of steps) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Readonly<Record<PathStep, unknown>>)[step]; // an own member, by the line above
  }
  return here;
}

/** `line L, column C` of an offset, both from 1, columns in UTF-16 units. */
export function place(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (;;) {
    const next = text.indexOf("\n", start);
    if (next < 0 || next >= offset) return `line ${line}, column ${offset - start + 1}`;
    line++;
    start = next + 1;
  }
}

/** A problem or a note of another place: the words that name its place name the new one. */
export function atPath<Told extends { readonly path: string; readonly message: string; readonly hint?: string }>(
  told: Told,
  path: string,
): Told {
  if (path === told.path) return told;
  const { hint } = told;
  return {
    ...told,
    path,
    message: told.message.replaceAll(told.path, path),
    ...(hint === undefined ? {} : { hint: hint.replaceAll(told.path, path) }),
  };
}
