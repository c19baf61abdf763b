/**
 * Reports that could not be judged, as one process that looks again and again remembers them: they are tried at once when
 * something is new that may decide them, else more and more rarely, and their agents get one message.
 * Rules: docs/protocol/verdicts.md, section 4.
 */
import { sha256 } from "../../base/canonical.ts";
import type { Clock } from "../../base/clock.ts";
import type { Problem, ProblemCode } from "../../base/problem.ts";
import { ok } from "../../base/result.ts";
import { batonName } from "../../messages/principal.ts";
import { batonActor, type Context, type TeamContext } from "../../perform/context.ts";
import { decideWork } from "../../perform/deciders.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { recordUndecided as decideUndecided } from "../../tasks/decide/completions.ts";
import { verdictAbout } from "../../tasks/state/report-status.ts";
import { findTask } from "../../tasks/state/task-state.ts";
import { isUndecided, namesSame } from "../decide/verdict.ts";
import { cutOffMark, type Repository } from "../git/repository.ts";
import { branchTips } from "../git/tips.ts";
import type { Judged } from "./plan-checks.ts";
import type { Candidate, Reported } from "./reported-work.ts";
import { unjudgedNotification } from "./verdict-notification.ts";

/** From the first try to the second, and the longest time between two, in milliseconds; each time is twice as long. */
const firstWaitMs = 5_000;
const longestWaitMs = 300_000;
/** The try at which the agents get a message. What is too large stays so, so there it is the first. */
const messageTry = 3;

/** What a process remembers of the reports that it could not judge. */
export interface UndecidedReports {
  /** Those of the candidates that must be judged now. */
  due(
    repository: Repository,
    candidates: readonly Candidate[],
    reported: readonly Reported[],
  ): Promise<readonly Candidate[]>;
  /** Remembers what could not be judged. Answers those of which the agents get a message now. */
  keep(judged: readonly Judged[]): readonly Judged[];
  /** Whether some are left that could not be judged. */
  areLeft(): boolean;
}

/** A report that could not be judged. */
interface Try {
  readonly report: number;
  /** What it was judged by. */
  readonly facts: string;
  /** How often, and how often by these facts. */
  readonly tries: number;
  readonly alike: number;
  readonly lastAtMs: number;
}

/** None is known yet. */
export function undecidedReports(clock: Pick<Clock, "monotonic">): UndecidedReports {
  const known = new Map<string, Try>();
  let factsOf: (candidate: Candidate) => string = () => "";
  return {
    async due(repository, candidates, reported) {
      const place = await placeFacts(repository);
      factsOf = (candidate) => factsAbout(candidate, reported, place);
      return candidates.filter((candidate) => {
        const before = known.get(candidate.key);
        if (before === undefined || before.facts !== factsOf(candidate)) return true;
        return clock.monotonic() - before.lastAtMs >= Math.min(firstWaitMs * 2 ** (before.alike - 1), longestWaitMs);
      });
    },
    keep: (judged) =>
      judged.filter(({ candidate, verdict }) => {
        const { key, report } = candidate;
        if (verdict.state !== "reported" || verdict.problems.length === 0) {
          known.delete(key);
          return false;
        }
        const facts = factsOf(candidate);
        const last = known.get(key);
        const before = last?.report === report ? last : undefined;
        const tries = (before?.tries ?? 0) + 1;
        const alike = before?.facts === facts ? before.alike + 1 : 1;
        known.set(key, { report, facts, tries, alike, lastAtMs: clock.monotonic() });
        return tries === messageAt(verdict.problems);
      }),
    areLeft: () => known.size > 0,
  };
}

/** Where branches are, and where history is cut off. */
async function placeFacts(repository: Repository): Promise<string> {
  const tips = await branchTips(repository);
  return `${cutOffMark(repository)} ${tips.ok ? tips.value.ids.join() : tips.error.code}`;
}

/** What the report is judged by; where branches were when its task was recorded does not change. */
function factsAbout({ key, report, work }: Candidate, reported: readonly Reported[], place: string): string {
  const { branches: _, ...said } = work;
  const others = reported.filter((other) => other.key !== key && namesSame(other.commits, work.commits));
  return sha256(JSON.stringify([place, report, said, others]));
}

/** Problems of the machine: no agent can end them, and the hub's log names them. */
const machines: readonly ProblemCode[] = ["repository-missing", "git-missing", "interrupted"];

/** What stays so, however often one looks. */
const lasting: readonly ProblemCode[] = ["too-large", "same-change", "work-apart"];

/** The try at which the agents get a message; null: never. */
function messageAt(problems: readonly Problem[]): number | null {
  if (!isUndecided(problems) || problems.every(({ code }) => machines.includes(code))) return null;
  return problems.some(({ code }) => lasting.includes(code)) ? 1 : messageTry;
}

/** Whether a report could not be judged for a reason that a person can end, or decide about. */
export function isUnjudged({ verdict: { state, problems } }: Judged): boolean {
  return state === "reported" && messageAt(problems) !== null;
}

/** Records that a report could not be judged, and sends its reporter and its leads one message. */
export async function recordUnjudged(context: Context, { candidate, verdict }: Judged): Promise<void> {
  const { key, task, planKey, report } = candidate;
  const unjudged = { key, planKey, task, report, problems: verdict.problems };
  const codes = verdict.problems.map(({ code }) => code).join();
  const id = `undecided:${report}:${sha256(`${key} ${codes}`).slice(0, 16)}`;
  await perform({ context, actor: batonActor }, recordUndecided, unjudged, id);
}

interface Unjudged extends Pick<Candidate, "key" | "planKey" | "task" | "report"> {
  readonly problems: readonly Problem[];
}

export const recordUndecided: Operation<Unjudged, TeamContext> = {
  name: "record-verdict",
  recorded: ({ task, report }) => ({ task, report, state: "undecided" }),
  decide(state, { key, planKey, report, problems }, { seq }) {
    const judged = findTask(state.coordination.work, key, planKey);
    const isOpen = judged?.report?.seq === report && verdictAbout(judged) === null;
    const nothing = { commit: null, files: null, judge: batonName } as const;
    const order = { taskId: key, planId: planKey, report };
    const decided = decideWork(state.coordination, decideUndecided, { ...order, ...nothing, problems, seq });
    const isFirst = isOpen && judged.unseen === undefined;
    const delivered = isFirst ? unjudgedNotification(state, judged, problems) : null;
    return decided.ok ? ok({ ...decided.value, delivered }) : decided;
  },
};
