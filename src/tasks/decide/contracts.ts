/**
 * Contracts: what a plan may touch. A plan's first contract is revision 1; the same plan again is the next revision,
 * which may only narrow the scope, unless an approved scope change permits one widening. Every revision keeps its
 * hash and that of the one before. Source: docs/protocol/tasks.md, sections 17 to 20.
 */

import { argument } from "../../base/argument.ts";
import { unreachable } from "../../base/invariant.ts";
import { readGlob } from "../../base/paths/globs.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
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
  permitCovers,
  reportKey,
  scopeOf,
  scopeProblems,
  type TokenReport,
  termsOf,
  totalAfter,
  type WideningPermit,
  widenings,
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
      readonly command: "permit-widening";
      /** The plan's key; null: the request points to no plan. */
      readonly plan: string | null;
      readonly permit: string;
      readonly paths: readonly string[];
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
 * Refuses: `invalid-glob` for entries of a contract, `contract-widened` for a revision that lets in more than the one
 * before and has no permit for it. Files that messages name are judged in `contract-files.ts`.
 */
export const contracts: Decider<Contracts, ContractCommand, ContractEvent> = {
  name: "contracts",
  initial: () => ({ plans: new Map(), answers: new Map(), permits: new Map(), tokens: new Map() }),
  decide(command, state) {
    switch (command.command) {
      case "issue-contract":
        return issueContract(command, state);
      case "permit-widening":
        return permitWidening(command, state);
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
      case "widening-permitted": {
        const permits = state.permits.get(event.plan) ?? [];
        permits.push({ permit: event.permit, paths: [...event.paths], usedBy: null });
        state.permits.set(event.plan, permits);
        return state;
      }
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
  let permit: string | null = null;
  if (current !== null) {
    const wider = widenings(scopeOf(current.terms), scopeOf(terms));
    if (wider.length > 0) {
      const open = (state.permits.get(plan) ?? []).filter(({ usedBy }) => usedBy === null);
      const fitting = open.find(({ paths }) => permitCovers(paths, wider));
      if (fitting === undefined) return err([widened(current, wider, open)]);
      permit = fitting.permit;
    }
  }
  const revision: ContractRevision = {
    revision: (current?.revision ?? 0) + 1,
    hash,
    previousHash: current?.hash ?? null,
    seq: command.seq,
    issuedBy: command.issuedBy,
    permit,
  };
  const used = state.tokens.get(plan)?.total ?? 0;
  const budgetBefore = current?.terms.tokenBudget ?? null;
  // An agent that lowers the budget below what was used gets one note, like a report that exceeds it.
  const before = budgetBefore !== null && used > budgetBefore ? used : 0;
  const note = overBudgetNote(plan, terms.tokenBudget, { before, after: used });
  return ok({
    events: [{ event: "contract-issued", plan, terms, revision }],
    notes: note === null ? [] : [{ ...note, path: "$.body.tokenBudget" }],
  });
}

function permitWidening(command: Command<"permit-widening">, state: Contracts): Outcome {
  if (command.plan === null) {
    return nothing("permit-without-plan", "The approved request points to no plan, so no contract may widen by it.");
  }
  const known = (state.permits.get(command.plan) ?? []).some(({ permit }) => permit === command.permit);
  if (known) return nothing("permit-unchanged", "This approval permitted its widening already.");
  const { plan, permit, paths } = command;
  // What is no path of the repository stays in the permit, so that it permits nothing instead of everything.
  const [fit, unfit] = [paths.filter((each) => readGlob(each).ok), paths.filter((each) => !readGlob(each).ok)];
  const what = paths.length === 0 ? "any paths that a contract can allow" : `only these paths: ${shortList(fit)}`;
  const may =
    contractOf(state, plan) === null
      ? `Plan ${plan} has no contract yet, and its first one needs no permit. One revision after it may add ${what}.`
      : `One later revision of the contract of plan ${plan} may add ${what}.`;
  const none = unfit.length === 0 ? "" : `Not permitted, for no contract can allow it: ${shortList(unfit)}.`;
  const permits = paths.length > 0 && fit.length === 0 ? `This approval permits no path of plan ${plan}.` : may;
  const message = none === "" ? permits : `${permits} ${none}`;
  const notes = [{ code: "widening-permitted", path: "$", message }];
  return ok({ events: [{ event: "widening-permitted", plan, permit, paths }], notes });
}

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
  if (revision.permit !== null) {
    const permits = state.permits.get(plan) ?? [];
    const used = permits.map((permit) =>
      permit.permit === revision.permit ? { ...permit, usedBy: revision.revision } : permit,
    );
    state.permits.set(plan, used);
  }
  return state;
}

function widened(current: ContractState, wider: readonly string[], open: readonly WideningPermit[]): Problem {
  const [task = current.terms.planId] = current.terms.tasks;
  const listed = open.flatMap(({ paths }) => paths);
  return makeProblem(
    "contract-widened",
    "$.body.allowedPaths",
    `Revision ${current.revision + 1} of plan ${current.terms.planId} lets in what revision ${current.revision} does not.`,
    {
      expected: `nothing beyond revision ${current.revision}${open.length === 0 ? "" : `, or what the approval lists: ${shortList(listed)}`}`,
      received: shortList(wider),
      hint: `Ask for it with an approval_request of type scope_change whose task is one of the plan's, such as ${task}; once approved, one revision may widen.`,
    },
  );
}
