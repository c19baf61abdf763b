/**
 * Contracts: what a plan may touch. A plan's first contract is revision 1; the same plan again is the next revision, and
 * so is an approved scope change, by the paths that it allows. Every revision keeps its hash and that of the one before.
 * Source: docs/protocol/tasks.md, sections 17 to 20.
 */

import { argument } from "../../base/argument.ts";
import { unreachable } from "../../base/invariant.ts";
import { checkEntries, readAskedGlobs, type Scope } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Note } from "../../messages/message.ts";
import { planKey } from "../../messages/task-ids.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import {
  type ContractRevision,
  type ContractState,
  type Contracts,
  type ContractTerms,
  type ContractView,
  hashOf,
  overBudgetNote,
  type PlanTokens,
  reportKey,
  scopeOf,
  scopeProblems,
  type TokenReport,
  termsOf,
  totalAfter,
} from "../state/contract-terms.ts";
import type { CheckWord } from "../state/task-state.ts";

export type { ContractTerms } from "../state/contract-terms.ts";

/** Orders that contracts take. */
export type ContractCommand =
  | {
      readonly command: "issue-contract";
      readonly body: FactBodies["contract"];
      readonly issuedBy: string;
      /** An empty list of allowed paths declares no scope; absent: it allows nothing. */
      readonly isAdvisory?: boolean;
      readonly seq: number;
    }
  | {
      readonly command: "widen-contract";
      readonly plan: string;
      /** The request that asked for the paths. */
      readonly permit: string;
      readonly paths: readonly string[];
      readonly issuedBy: string;
      readonly seq: number;
    }
  | {
      readonly command: "answer-check";
      readonly check: string;
      readonly as: CheckWord;
      readonly by: string;
      readonly seq: number;
    }
  | ({ readonly command: "report-tokens"; readonly reporter: string } & TokenReport);

/** What happened to contracts. */
export type ContractEvent =
  | {
      readonly event: "contract-issued";
      readonly plan: string;
      readonly terms: ContractTerms;
      readonly revision: ContractRevision;
    }
  /** Of an earlier version, in which a later revision used what was permitted. */
  | {
      readonly event: "widening-permitted";
      readonly plan: string;
      readonly permit: string;
      readonly paths: readonly string[];
    }
  | {
      readonly event: "check-answered";
      readonly check: string;
      readonly as: CheckWord;
      readonly by: string;
      readonly seq: number;
    }
  | { readonly event: "tokens-reported"; readonly plan: string; readonly report: string; readonly tokens: number }
  /** Of an earlier version, which read transcripts: its entries still count. */
  | { readonly event: "tokens-counted"; readonly plan: string; readonly counted: string; readonly tokens: number };

/**
 * Refuses `invalid-glob` for entries of a contract. Files that messages name are judged in `contract-files.ts`.
 */
export const contracts: Decider<Contracts, ContractCommand, ContractEvent> = {
  name: "contracts",
  initial: () => ({ plans: new Map(), answers: new Map(), denied: new Map(), tokens: new Map() }),
  decide(command, state) {
    switch (command.command) {
      case "issue-contract":
        return issueContract(command, state);
      case "widen-contract":
        return widenContract(command, state);
      case "answer-check":
        return answerCheck(command, state);
      case "report-tokens":
        return reportTokens(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    switch (event.event) {
      case "contract-issued":
        return keepRevision(state, event);
      case "widening-permitted":
        return state;
      case "check-answered": {
        const { check, as: last, seq } = event;
        // Once says nothing of later reports.
        const lasting = last === "once" ? (state.answers.get(check)?.lasting ?? null) : last;
        state.answers.set(check, { last, seq, lasting });
        return state;
      }
      case "tokens-reported": {
        const known = keptTokens(state, event.plan);
        known.total = totalAfter(known, "reports", [event.report, event.tokens]);
        known.reports.set(event.report, event.tokens);
        return state;
      }
      case "tokens-counted": {
        const known = keptTokens(state, event.plan);
        known.total = totalAfter(known, "counted", [event.counted, event.tokens]);
        known.counted.set(event.counted, event.tokens);
        return state;
      }
      default:
        return unreachable(event);
    }
  },
};

/** A contract with what was used of its budget. */
export function contractView(state: Contracts, contract: ContractState): ContractView {
  return { ...contract, tokensUsed: state.tokens.get(contract.plan)?.total ?? 0 };
}

/** Plans whose reports say that they used more than their budget, as their ids were first written. */
export function plansOverBudget(state: Contracts): readonly string[] {
  return overBudgetPlans(state).map(({ plan }) => plan);
}

/** The same with what they used of which budget, and the entry of the contract's revision in force. */
export function overBudgetPlans(
  state: Contracts,
): readonly { readonly plan: string; readonly used: number; readonly budget: number; readonly seq: number }[] {
  return [...state.tokens].flatMap(([key, { total: used }]) => {
    const contract = state.plans.get(key);
    const { planId: plan, tokenBudget: budget = null } = contract?.terms ?? {};
    if (plan === undefined || budget === null || used <= budget) return [];
    return [{ plan, used, budget, seq: contract?.revisions.at(-1)?.seq ?? 0 }];
  });
}

/** The contract of a plan, however its id is spelled, or null: there is none. */
export function contractOf(state: Contracts, planId: string): ContractState | null {
  return state.plans.get(planKey(planId)) ?? null;
}

type Command<Name extends ContractCommand["command"]> = Extract<ContractCommand, { readonly command: Name }>;
type Outcome = Result<Decided<ContractEvent>, readonly Problem[]>;

function issueContract(command: Command<"issue-contract">, state: Contracts): Outcome {
  const plan = planKey(command.body.planId);
  const current = state.plans.get(plan) ?? null;
  const terms = termsOf(command.body, command.isAdvisory);
  const problems = scopeProblems(terms);
  if (problems.length > 0) return err(problems);
  // The first spelling of the plan's id stands for all, so that another spelling alone makes no revision.
  const hash = hashOf(current === null ? terms : { ...terms, planId: current.terms.planId });
  if (current?.hash === hash)
    return nothing("contract-unchanged", `Revision ${current.revision} of plan ${plan} says the same already.`);
  const revision = revisionAfter(current, hash, { ...command, permit: null });
  const used = state.tokens.get(plan)?.total ?? 0;
  const budgetBefore = current?.terms.tokenBudget ?? null;
  // An agent that lowers the budget below what was used gets one note, like a report that exceeds it.
  const before = budgetBefore !== null && used > budgetBefore ? used : 0;
  const note = overBudgetNote(plan, terms.tokenBudget, { before, after: used });
  const wider = current === null ? [] : widerBy(current.terms, terms);
  return ok({
    events: [{ event: "contract-issued", plan, terms, revision }],
    notes: [...wider, ...(note === null ? [] : [{ ...note, path: "$.body.tokenBudget" }])],
  });
}

/** That a revision lets in what the one before kept out. */
function widerBy(before: ContractTerms, after: ContractTerms): readonly Note[] {
  const stillOut = keptOutBy(scopeOf(after), before.forbiddenPaths);
  const freed = before.forbiddenPaths.filter((path) => !stillOut.includes(path));
  const entries = [...keptOutBy(scopeOf(before), scopeOf(after).allowed), ...freed];
  if (entries.length === 0) return [];
  const message = `This revision lets in what the one before did not: ${shortList([...new Set(entries)])}.`;
  return [{ code: "contract-widened", path: "$.body.allowedPaths", message }];
}

function revisionAfter(
  current: ContractState | null,
  hash: string,
  { seq, issuedBy, permit }: Pick<ContractRevision, "seq" | "issuedBy" | "permit">,
): ContractRevision {
  return { revision: (current?.revision ?? 0) + 1, hash, previousHash: current?.hash ?? null, seq, issuedBy, permit };
}

/** Adds paths to what the newest revision allows. What is forbidden stays so, and a path that is none is not added. */
function widenContract({ plan, paths, permit, ...by }: Command<"widen-contract">, state: Contracts): Outcome {
  const current = contractOf(state, plan);
  if (current === null) return nothing("no-contract", `Plan ${plan} has no contract, so nothing kept these paths out.`);
  const { terms } = current;
  const fit = [...new Set(paths)].filter((path) => readAskedGlobs([path], "$").ok);
  const unfit = paths.filter((path) => !fit.includes(path));
  const forbidden = keptOutBy({ allowed: ["**"], forbidden: terms.forbiddenPaths }, fit);
  const added = keptOutBy(scopeOf(terms), fit).filter((path) => !forbidden.includes(path));
  const wider = { ...terms, allowedPaths: [...terms.allowedPaths, ...added] };
  const revision = revisionAfter(current, hashOf(wider), { ...by, permit });
  const isWider = added.length > 0;
  const says = [
    `The contract of plan ${terms.planId} ${isWider ? `allows ${shortList(added)} (revision ${revision.revision})` : "stays as it is"}.`,
    ...(forbidden.length === 0 ? [] : [`It still forbids ${shortList(forbidden)}.`]),
    ...(unfit.length === 0 ? [] : [`No contract can allow ${shortList(unfit)}.`]),
  ];
  return ok({
    events: isWider ? [{ event: "contract-issued", plan: current.plan, terms: wider, revision }] : [],
    notes: [{ code: isWider ? "contract-widened" : "contract-unchanged", path: "$", message: says.join(" ") }],
  });
}

/** Those of the entries that the scope keeps out. */
export function keptOutBy(scope: Scope, entries: readonly string[]): readonly string[] {
  return checkEntries(scope, entries).flatMap(({ code, received }) =>
    code === "outside-contract" ? (received ?? []) : [],
  );
}

/** Keeps what the agent was denied, in place: the paths that it may mean when it asks for more. */
export function keepDenied(
  { denied }: Contracts,
  { plan, agent, paths }: { readonly plan: string | null; readonly agent: string; readonly paths: readonly string[] },
): void {
  if (plan === null || paths.length === 0) return;
  const ofPlan = denied.get(plan) ?? new Map<string, readonly string[]>();
  ofPlan.set(agent, [...new Set([...(ofPlan.get(agent) ?? []), ...paths])].slice(-deniedMax));
  denied.set(plan, ofPlan);
}

/** Most paths that are kept of one agent and plan, the latest. */
const deniedMax = 50;

/** Refuses `not-found` for what no contract names: nobody waits for the answer. */
function answerCheck({ check, as, by, seq }: Command<"answer-check">, state: Contracts): Outcome {
  const isNamed = [...state.plans.values()].some(({ terms }) => terms.verificationChecks.includes(check));
  if (isNamed) return ok({ events: [{ event: "check-answered", check, as, by, seq }], notes: [] });
  const message = "No contract has this check.";
  const hint = "Write it to the letter, as `baton needs` shows it.";
  return err([makeProblem("not-found", argument("check"), message, { received: shorten(check, 80), hint })]);
}

function reportTokens(command: Command<"report-tokens">, state: Contracts): Outcome {
  const plan = planKey(command.planId);
  const report = reportKey(command, command.reporter);
  const known = state.tokens.get(plan);
  // Reported again, or out of order: the highest value for a task counts.
  if (command.tokens <= (known?.reports.get(report) ?? 0)) return ok({ events: [], notes: [] });
  const used = { before: known?.total ?? 0, after: totalAfter(known, "reports", [report, command.tokens]) };
  const note = overBudgetNote(plan, state.plans.get(plan)?.terms.tokenBudget ?? null, used);
  return ok({
    events: [{ event: "tokens-reported", plan, report, tokens: command.tokens }],
    notes: note === null ? [] : [note],
  });
}

/** What is kept of the plan's tokens, to be changed in place. */
function keptTokens(state: Contracts, plan: string): PlanTokens {
  const known = state.tokens.get(plan) ?? { total: 0, reports: new Map(), counted: new Map() };
  state.tokens.set(plan, known);
  return known;
}

function keepRevision(
  state: Contracts,
  event: Extract<ContractEvent, { readonly event: "contract-issued" }>,
): Contracts {
  const { plan, terms, revision } = event;
  const before = state.plans.get(plan);
  // The plan's id stays as first written, see issueContract.
  const kept = before === undefined ? terms : { ...terms, planId: before.terms.planId };
  state.plans.set(plan, {
    plan,
    revision: revision.revision,
    hash: revision.hash,
    terms: kept,
    revisions: [...(before?.revisions ?? []), revision],
  });
  state.denied.delete(plan);
  return state;
}
