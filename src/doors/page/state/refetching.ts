/**
 * What the page refetches after an entry: what the entry may have changed of what is shown, judged by its line alone,
 * and never the same twice in parallel. An unlisted entry may change everything, so too much is refetched rather than
 * too little. `tests/page/refetching.test.ts` checks the lists against what entries do.
 */

import type { Clock } from "../../../base/clock.ts";
import type { FactKind } from "../../../messages/facts.ts";
import type { ActName } from "../../../perform/act-line.ts";
import { recordedTouches } from "../../../perform/operations/generated/recorded.ts";
import type { LogLine } from "../../../record/operations/entries.ts";

/** The answers of the hub that the page shows as the current state; each is one route. */
export const everyList = ["status", "approvals", "tasks", "escalations", "shutdowns", "handoffs"] as const;
export type Shown = (typeof everyList)[number];

/** What of a line it is judged by. */
export type Touching = Pick<LogLine, "kind" | "type" | "fact" | "receivers">;

/**
 * Each kind of message changes these, besides the status, which counts every entry: an artifact that is named again
 * ends a dispute that held up a task, and a limit is escalated. A new kind does not compile before it is here.
 */
const byFact: { readonly [Kind in Exclude<FactKind, `own:${string}`>]: readonly Shown[] } = {
  findings: [],
  contract: ["tasks"],
  progress: ["tasks"],
  blocker: ["escalations", "tasks"],
  diagnosis: ["tasks"],
  verdict: ["tasks", "escalations"],
  "approval-request": ["approvals", "tasks"],
  "approval-response": ["approvals", "tasks"],
  "shutdown-request": ["shutdowns"],
  // An agent that stops gives back its claims, and its requests are closed.
  "shutdown-response": ["shutdowns", "tasks", "approvals"],
  "idle-notice": [],
  "assignment-notice": [],
  "completion-notice": [],
  "termination-notice": [],
  "permission-notice": [],
  critique: ["tasks"],
  "test-plan": ["tasks", "escalations"],
  design: ["tasks"],
  specification: [],
  "review-changes": ["escalations"],
  "review-result": ["tasks", "escalations"],
  "code-verdict": ["tasks", "escalations"],
  "security-audit": ["tasks"],
  research: ["tasks"],
  escalation: ["escalations"],
  resolution: ["escalations"],
  health: [],
  breaker: [],
  claim: ["tasks"],
  completion: ["tasks"],
  summary: [],
  "phase-progress": [],
  "design-handoff": ["tasks"],
  "api-contract": ["escalations"],
  "department-result": [],
  "owner-review": [],
  "owner-signoff": [],
  handoff: ["handoffs"],
};

const facts: ReadonlyMap<string, readonly Shown[]> = new Map(Object.entries(byFact));

/** A type of the team's own may name an artifact. */
const byOwn: readonly Shown[] = ["tasks"];

/** Acts that no operation of a door records, or whose operation has no definition yet. */
const otherActs: readonly (readonly [ActName, readonly Shown[]])[] = [
  ["record-verdict", ["tasks"]],
  ["record-landing", ["tasks"]],
  ["begin-landing", []],
  ["hold-landing", []],
  ["record-artifacts", ["tasks"]],
  ["take-files", ["tasks"]],
  ["free-files", ["tasks"]],
  ["record-collision", ["tasks"]],
  ["edit-files", []],
  ["approval-taken-back", []],
  ["begin-program", []],
  ["end-program", []],
  ["begin-session", []],
  ["end-session", []],
  ["name-repository", []],
  // What remotes are asked and say is in the status.
  ["report-remote", []],
  ["reach-remote", []],
];

/** Acts by name. A command that is not here may change everything but handoffs, whose acts are all here. */
const byAct: ReadonlyMap<string, readonly Shown[]> = new Map<string, readonly Shown[]>([
  ...Object.entries(recordedTouches),
  ...otherActs,
]);

const allButHandoffs = everyList.filter((each) => each !== "handoffs");

/**
 * What must be asked again after the entry. `isStopping`: a shutdown round is shown, which counts what its agents have
 * not read, and the reports of theirs that do not count as done.
 */
export function touched(line: Touching, isStopping: boolean): ReadonlySet<Shown> {
  const moved = new Set<Shown>(["status", ...movedBy(line)]);
  const isCounted = line.kind === "ack" || line.receivers.length > 0 || moved.has("tasks");
  if (isStopping && isCounted) moved.add("shutdowns");
  return moved;
}

function movedBy({ kind, type, fact }: Touching): readonly Shown[] {
  if (kind === "ack" || kind === "refusal") return [];
  // Prose has no effect.
  if (kind === "message" && fact === null) return [];
  if (fact !== null && kind !== "timer") return facts.get(fact) ?? (fact.startsWith("own:") ? byOwn : everyList);
  if (kind === "command" && type !== null) return byAct.get(type) ?? allButHandoffs;
  return allButHandoffs;
}

/** Whether it may have changed phases. Refusals and acknowledgements change none. */
export function touchesPhases({ kind }: Pick<LogLine, "kind">): boolean {
  return kind !== "ack" && kind !== "refusal";
}

/** Whether an answer to a handoff was refused; what was found of its files is there. */
export function refusesHandoff({ kind, type }: Pick<LogLine, "kind" | "type">): boolean {
  return kind === "refusal" && type !== null && (byAct.get(type)?.includes("handoffs") ?? false);
}

/** Whether a handoff came, was answered, or was tried to be. */
export function touchesHandoffs(line: Touching): boolean {
  return refusesHandoff(line) || touched(line, false).has("handoffs");
}

/** How long entries gather: longer than those of one act are apart, shorter than a person notices. */
const gatherMs = 60;
const pauseMs = 300;

/** How far apart entries make the page ask, in the long run; a few askings may come at once after a while without any. */
const turnMs = 600;
const turnsAtOnce = 6;
/** When the turns that were given are over, by the clock by which they are. */
const turnsUntil = new WeakMap<Clock, number>();

/**
 * Waits for a turn to ask because of an entry: all that a tab shows shares them, so that it asks less than twice a second
 * however many entries come.
 */
async function turn(clock: Clock, requests: number): Promise<void> {
  const now = clock.monotonic();
  const until = Math.max(turnsUntil.get(clock) ?? 0, now) + requests * turnMs;
  turnsUntil.set(clock, until);
  const waitMs = until - now - turnsAtOnce * turnMs;
  if (waitMs > 0) await clock.wait(waitMs);
}

/**
 * Asking that is never done twice at once. Entries that come together are one asking, what comes while one goes on is one
 * more, a moment later: last of all after the last.
 */
export class Joined {
  readonly #ask: () => Promise<void>;
  readonly #clock: Clock;
  readonly #rest: () => number;
  readonly #requests: number;
  #asking = false;
  #gathering = false;
  #askAgain = false;

  /**
   * `rest`: milliseconds after each asking in which none begins; for answers that take the hub long. `requests`: of how
   * many an asking consists.
   */
  constructor(ask: () => Promise<void>, clock: Clock, rest: () => number = () => 0, requests = 1) {
    this.#requests = requests;
    this.#ask = ask;
    this.#clock = clock;
    this.#rest = rest;
  }

  /** Whether an answer is on its way, or about to be asked for. */
  get isUnderWay(): boolean {
    return this.#asking || this.#gathering;
  }

  /** Asks, unless it is being asked: then once more when that is over, and this returns at once. */
  async run(): Promise<void> {
    if (this.#asking) {
      this.#askAgain = true;
      return;
    }
    this.#asking = true;
    do {
      this.#askAgain = false;
      await this.#ask();
      const rest = this.#rest();
      if (this.#askAgain || rest > 0) await this.#clock.wait(Math.max(rest, pauseMs));
      if (this.#askAgain) await turn(this.#clock, this.#requests);
    } while (this.#askAgain);
    this.#asking = false;
  }

  /** Asks a moment later, once for all calls until then. */
  async soon(): Promise<void> {
    if (this.#gathering) return;
    this.#gathering = true;
    await this.#clock.wait(gatherMs);
    // What is asked for by somebody else meanwhile has this entry, too, and goes on by its own turns.
    if (!this.#asking) await turn(this.#clock, this.#requests);
    this.#gathering = false;
    await this.run();
  }
}
