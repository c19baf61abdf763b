/**
 * What a contract says, the hash that names it, and what is kept of contracts. Who may issue one and what a revision may
 * change is `contracts.ts`.
 * Source: docs/protocol/tasks.md, sections 17 to 20.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import { readAskedGlobs, readGlobs, type Scope } from "../../base/paths/scope.ts";
import type { Problem } from "../../base/problem.ts";
import { shownMax } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Fact, FactKind, Json } from "../../messages/facts.ts";
import type { Note } from "../../messages/message.ts";
import { planKey, taskKey } from "../../messages/task-ids.ts";
import type { CheckWord } from "./task-state.ts";

/** What a contract says, values as written; lists that the message left out are empty, the budget is null. */
export interface ContractTerms {
  readonly planId: string;
  readonly phaseId: string;
  readonly objective: string;
  readonly tasks: readonly string[];
  readonly allowedPaths: readonly string[];
  readonly forbiddenPaths: readonly string[];
  readonly mustHaves: readonly string[];
  readonly dependsOn: readonly string[];
  readonly verificationChecks: readonly string[];
  readonly tokenBudget: number | null;
  /** It allows no path by name in a team with advisory scope, so it declares none; absent: what it allows is a bound. */
  readonly declaresNoScope?: true;
}

/** The terms that a contract's message says. */
export function termsOf(body: FactBodies["contract"], isAdvisory = false): ContractTerms {
  return {
    planId: body.planId,
    phaseId: body.phaseId,
    objective: body.objective,
    tasks: body.tasks,
    allowedPaths: body.allowedPaths,
    forbiddenPaths: body.forbiddenPaths ?? [],
    mustHaves: body.mustHaves,
    dependsOn: body.dependsOn ?? [],
    verificationChecks: body.verificationChecks ?? [],
    tokenBudget: body.tokenBudget ?? null,
    ...(isAdvisory && body.allowedPaths.length === 0 ? { declaresNoScope: true as const } : {}),
  };
}

/** The paths that the terms allow. */
export function scopeOf(terms: ContractTerms): Scope {
  const allowed = terms.declaresNoScope === true ? anyPath : terms.allowedPaths;
  return { allowed, forbidden: terms.forbiddenPaths };
}

const anyPath: readonly string[] = ["**"];

/** SHA-256 over the canonical JSON of the terms. */
export function hashOf(terms: ContractTerms): string {
  const { declaresNoScope: _, ...said } = terms;
  return sha256(canonical(said));
}

/** `invalid-glob` for each entry of the scope that is none, at most `shownMax`. */
export function scopeProblems(terms: ContractTerms): readonly Problem[] {
  const allowed = readAskedGlobs(terms.allowedPaths, "$.body.allowedPaths");
  const forbidden = readGlobs(terms.forbiddenPaths, "$.body.forbiddenPaths");
  return [...(allowed.ok ? [] : allowed.error), ...(forbidden.ok ? [] : forbidden.error)].slice(0, shownMax);
}

/*
 * Tokens that a plan has used, as its reports say, against its contract's budget. No document of the protocols has a
 * field for them, so they travel as the extra field `tokens_used` of a report: what its sender has used on that task up
 * to now. Exceeding the budget is noted, never refused: the work is done already. Source: docs/protocol/tasks.md,
 * section 20.
 */

/** What has been reported and counted for one plan. */
export interface PlanTokens {
  /** Of each agent what its reports say or what its transcripts show, whichever is more. */
  total: number;
  /** By task and reporter; each is what was said last, or the most that was. */
  readonly reports: Map<string, number>;
  /** By the context of a model and its agent, what the transcript shows that was used on this plan. */
  readonly counted: Map<string, number>;
}

/** A report's own number: what its sender has used on the task up to now. */
export interface TokenReport {
  readonly planId: string;
  readonly taskId: string;
  readonly tokens: number;
}

/** The extra field of a report, as it is written on the wire. */
export const tokensField = "tokens_used";

const reportKinds: ReadonlySet<FactKind> = new Set(["progress", "completion", "blocker"]);

/** The tokens that the fact reports; null: none. A value that is no count is reported in a note. */
export function tokensIn(fact: Fact): TokenReport | Note | null {
  const said = { ...fact.extra?.envelope, ...fact.extra?.payload }[tokensField];
  if (said === undefined || !reportKinds.has(fact.kind)) return null;
  const { planId, taskId }: { readonly [field: string]: Json } = fact.body;
  if (typeof planId !== "string" || typeof taskId !== "string") return null;
  if (typeof said === "number" && Number.isSafeInteger(said) && said >= 0) return { planId, taskId, tokens: said };
  const message = `${tokensField} is no whole number of tokens, so nothing was counted.`;
  return { code: "tokens-unread", path: `$.body.${tokensField}`, message };
}

/** Under which key a report of this plan is counted: the same task by the same agent counts once. */
export function reportKey({ planId, taskId }: Omit<TokenReport, "tokens">, reporter: string): string {
  return `${taskKey(taskId, planId)} ${reporter}`;
}

/** What was reported for a task by one agent. */
export interface TokensOfTask {
  /** Key of the task. */
  readonly task: string;
  readonly reporter: string;
  readonly tokens: number;
}

/** The reports of a plan one by one, in the order in which they came first. */
export function tokenReportsOf(known: PlanTokens | undefined): readonly TokensOfTask[] {
  return [...(known?.reports ?? [])].map(([key, tokens]) => {
    // Names of agents hold no blanks; ids of tasks may.
    const blank = key.lastIndexOf(" ");
    return { task: key.slice(0, blank), reporter: key.slice(blank + 1), tokens };
  });
}

/** What a plan has used once `tokens` are kept under `key` of one kind; a smaller number than before changes nothing. */
export function totalAfter(
  known: PlanTokens | undefined,
  kind: "reports" | "counted",
  [key, tokens]: readonly [key: string, tokens: number],
): number {
  const { reports = new Map<string, number>(), counted = new Map<string, number>() } = known ?? {};
  const kept = { reports, counted }[kind];
  const after = { reports, counted, [kind]: new Map(kept).set(key, Math.max(tokens, kept.get(key) ?? 0)) };
  const [said, seen] = [byAgent(after.reports), byAgent(after.counted)];
  const agents = new Set([...said.keys(), ...seen.keys()]);
  return [...agents].reduce((sum, agent) => sum + Math.max(said.get(agent) ?? 0, seen.get(agent) ?? 0), 0);
}

/** The sum of each agent, whose name ends every key. */
function byAgent(kept: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [key, tokens] of kept) {
    const agent = key.slice(key.lastIndexOf(" ") + 1);
    sums.set(agent, (sums.get(agent) ?? 0) + tokens);
  }
  return sums;
}

/** The note for an agent whose report exceeds a plan's budget; null: it stays within, or was over before. */
export function overBudgetNote(
  planId: string,
  budget: number | null,
  used: { readonly before: number; readonly after: number },
): Note | null {
  if (budget === null || used.before > budget || used.after <= budget) return null;
  const message = `Plan ${planKey(planId)} has used ${used.after} tokens of a budget of ${budget}.`;
  return { code: "over-budget", path: `$.body.${tokensField}`, message };
}

/** One revision's place in history. */
export interface ContractRevision {
  readonly revision: number;
  /** SHA-256 over the canonical JSON of the terms as issued. */
  readonly hash: string;
  /** Hash of the revision before; null for the first. */
  readonly previousHash: string | null;
  readonly seq: number;
  readonly issuedBy: string;
  /** The request whose approval made this revision, or let it widen in an older journal; null: none. */
  readonly permit: string | null;
}

/** A plan's contract in force, with the history of its revisions, oldest first. */
export interface ContractState {
  /** The form by which plan ids are compared (`task-ids.ts`). */
  readonly plan: string;
  readonly revision: number;
  readonly hash: string;
  readonly terms: ContractTerms;
  readonly revisions: readonly ContractRevision[];
}

/** A contract with what was used of its budget. */
export interface ContractView extends ContractState {
  /** Tokens that the plan's reports say were used; 0 where none says. */
  readonly tokensUsed: number;
}

/** What the owner said of a check. */
export interface CheckAnswer {
  readonly last: CheckWord;
  readonly seq: number;
  /** What holds for later reports; null: they are asked about. */
  readonly lasting: "always" | "no" | null;
}

/** All contracts, denials and reported tokens, by plan key. */
export interface Contracts {
  /** The owner's answers about checks that contracts name, by the check. */
  readonly answers: Map<string, CheckAnswer>;
  /** The contract in force by plan key. */
  readonly plans: Map<string, ContractState>;
  /** Paths that an agent was denied since the contract was last revised, by plan key, then by agent. */
  readonly denied: Map<string, Map<string, readonly string[]>>;
  readonly tokens: Map<string, PlanTokens>;
}
