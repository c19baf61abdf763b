/**
 * What a receipt states of a verified task: an in-toto statement whose subject is the work's commits. What is not known is
 * null. Rules: docs/protocol/verdicts.md, section 13.
 */
import { isJsonList, isJsonObject, parseBounded } from "../base/json.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { meansTask, planKey } from "../messages/task-ids.ts";
import type { TeamState } from "../perform/state.ts";
import { contractOf } from "../tasks/decide/contracts.ts";
import { idsOf, isVerified } from "../tasks/state/report-status.ts";
import type { CheckRecord, Task, Verdict } from "../tasks/state/task-state.ts";

/** The type of the statement, and of what it says; a name, at which nothing is found. */
export const statementType = "https://in-toto.io/Statement/v1";
export const predicateType = "https://batonhq.dev/receipt/v1";
export const payloadType = "application/vnd.in-toto+json";

/** A file as the work leaves it. */
export interface ReceiptFile {
  readonly path: string;
  /** The id of its content; null: it is not there any more. Absent: the record does not say. */
  readonly content?: string | null;
}

export interface ReceiptCheck {
  readonly command: string;
  readonly exit: number | null;
  readonly ms: number;
  readonly outputSha256: string;
  readonly sandbox: string;
  readonly commit: string;
  readonly tree: string;
}

/** What the key's owner vouches for. */
export interface Receipt {
  readonly team: string;
  readonly task: {
    readonly id: string;
    readonly title: string | null;
    readonly plan: string | null;
    readonly by: string;
  };
  /** Full ids, each behind those that it descends from. */
  readonly commits: readonly string[];
  /** What they change; null: too much to be recorded. */
  readonly files: readonly ReceiptFile[] | null;
  readonly verdict: {
    readonly state: "verified";
    /** `git`, or who decided where git did not. */
    readonly by: string;
    readonly entry: number;
    readonly report: number;
    /** Codes of what was noted. */
    readonly notes: readonly string[];
  };
  readonly contract: { readonly revision: number; readonly sha256: string } | null;
  readonly approvals: readonly {
    readonly id: string;
    readonly subject: string;
    readonly by: string;
    readonly approved: boolean;
    readonly conditions: readonly string[];
    readonly entry: number;
  }[];
  /** The checks as they last ran on the work; null: none did. */
  readonly checks: readonly ReceiptCheck[] | null;
  /**
   * The first commit of the branch that was found to have the work; null: it has not landed. Where the branch does not
   * have it any more, the first that has the files as the work left them, else the branch's tip.
   */
  readonly landed: {
    readonly branch: string;
    readonly commit: string;
    /** Those on the commit to which Baton moved the branch with the work; absent: none ran, or others landed it. */
    readonly checks?: readonly ReceiptCheck[];
    /** The request by which the person let it land, whatever was found of it; absent: as the rules say. */
    readonly override?: string;
  } | null;
  readonly journal: { readonly entry: number; readonly hash: string };
  readonly baton: string;
}

export interface Statement {
  readonly _type: typeof statementType;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly gitCommit: string } }[];
  readonly predicateType: typeof predicateType;
  readonly predicate: Receipt;
}

/** Where the record was when the receipt was made, and by which Baton. */
export interface Issued {
  readonly seq: number;
  readonly hash: string;
  readonly version: string;
}

/** The statement about a task. Refuses `not-ready` work that is not verified, or that has no commit. */
export function statementOf(
  { coordination, team }: TeamState,
  task: Task,
  { seq, hash, version }: Issued,
): Result<Statement, Problem> {
  const { verdict, report } = task;
  if (!isVerified(task) || verdict === null || report === null || task.claim !== null) return err(notVerified(task));
  const commits = verdict.work?.commits ?? idsOf(verdict);
  if (commits.length === 0) return err(withoutCommit(task));
  const contract = task.plan === null ? null : contractOf(coordination.contracts, task.plan);
  const predicate: Receipt = {
    team: team.definition?.name ?? "",
    task: { id: task.task, title: task.title, plan: task.plan, by: report.reporter },
    commits,
    files: filesOf(verdict),
    verdict: {
      state: "verified",
      by: verdict.settledBy ?? "git",
      entry: verdict.seq,
      report: verdict.report,
      notes: (verdict.notes ?? []).map(({ code }) => code),
    },
    contract: contract === null ? null : { revision: contract.revision, sha256: contract.hash },
    approvals: approvalsOf(coordination, task),
    checks: verdict.checks?.map(checkOf) ?? null,
    landed: landedOf(task),
    journal: { entry: seq, hash },
    baton: version,
  };
  const subject = commits.map((commit) => ({ name: `task/${task.task}`, digest: { gitCommit: commit } }));
  return ok({ _type: statementType, subject, predicateType, predicate });
}

function filesOf({ files, work }: Verdict): readonly ReceiptFile[] | null {
  if (files === null) return null;
  const known = new Map(work?.files.map(({ path, content }) => [path, content.after]));
  return files.map((path) => {
    const content = known.get(path);
    return content === undefined ? { path } : { path, content: /^0+$/.test(content) ? null : content };
  });
}

function checkOf({ check, exitCode, durationMs, outputDigest, sandbox, commit, tree }: CheckRecord) {
  return { command: check, exit: exitCode, ms: durationMs, outputSha256: outputDigest, sandbox, commit, tree };
}

function landedOf({ verdict, landed, report }: Task): Receipt["landed"] {
  const { at, branch = null, since = null } = verdict?.place ?? {};
  if (at !== "landed" || branch === null || since === null) return null;
  const { override, checks } = landed?.report === report?.seq ? (landed ?? {}) : {};
  return {
    branch,
    commit: since,
    ...(override === undefined ? {} : { override }),
    ...(checks === undefined ? {} : { checks: checks.map(checkOf) }),
  };
}

/** What was answered about the task, or about its plan as a whole. */
function approvalsOf({ approvals }: TeamState["coordination"], { task, plan }: Task): Receipt["approvals"] {
  return [...approvals.requests.values()].flatMap(({ requestId, subject, answer, ...request }) => {
    const isAbout =
      request.task === null
        ? request.plan !== null && plan !== null && planKey(request.plan) === plan
        : meansTask(request.task, task, plan);
    if (answer === null || !isAbout) return [];
    const { decidedBy, approved, conditions, seq } = answer;
    return [{ id: requestId, subject, by: decidedBy, approved, conditions, entry: seq }];
  });
}

function notVerified({ task }: Task): Problem {
  return makeProblem("not-ready", task, "A receipt states verified work, and this task's is not.", {
    hint: `\`baton verify ${task}\` says what git shows of it.`,
  });
}

function withoutCommit({ task }: Task): Problem {
  return makeProblem("not-ready", task, "The report of this task names no commit, so there is nothing to sign.");
}

/** Of a receipt what is told in a line, and what it is kept at; null: it is none. */
export function toldBy({ payload }: { readonly payload: string }): Told | null {
  const parsed = parseBounded(Buffer.from(payload, "base64"));
  const told = parsed.ok && isJsonObject(parsed.value) ? parsed.value.predicate : null;
  if (!isJsonObject(told) || !isJsonObject(told.task) || !isJsonList(told.commits)) return null;
  const { id, by } = told.task;
  const commits = told.commits.filter((each) => typeof each === "string" && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(each));
  if (typeof id !== "string" || typeof by !== "string" || commits.length !== told.commits.length) return null;
  const branch = isJsonObject(told.landed) && typeof told.landed.branch === "string" ? told.landed.branch : null;
  const landing = isJsonObject(told.landed) ? told.landed.checks : null;
  const checks = [told.checks, landing].flatMap((each) => (isJsonList(each) ? each : [])).length;
  return { task: id, by, commits: commits as readonly string[], branch, checks }; // as filtered
}

export interface Told {
  readonly task: string;
  readonly by: string;
  readonly commits: readonly string[];
  /** Where it landed; null: it has not. */
  readonly branch: string | null;
  readonly checks: number;
}
