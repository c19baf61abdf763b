/**
 * The play: five agents take their places, the lead begins, two developers race for files, and in the middle one of them
 * is killed and comes back. Whoever acts, acts by what it reads; nothing here tells an agent what to do next.
 */
import { systemClock } from "../../base/clock.ts";
import type { AgentRun } from "./agent-run.ts";
import { type CastMember, cast } from "./cast.ts";
import type { LifeOptions, Stage } from "./stage.ts";
import type { Step } from "./step.ts";
import { plan } from "./story.ts";

/** What the play tells as it goes. */
export type Scene =
  | { readonly scene: "begin" }
  | { readonly scene: "killed"; readonly agent: string; readonly pid: number | null }
  | { readonly scene: "returns"; readonly agent: string };

export interface Play {
  readonly paceMs: number;
  onStep(step: Step): void;
  onScene(scene: Scene): void;
  readonly signal: AbortSignal;
}

/** How a play ended: every agent left, or what went wrong. */
export interface PlayEnd {
  readonly fault: string | null;
  /** Agents that played their part to its end. */
  readonly left: number;
  readonly killed: number;
  /** Sendings that were answered with an earlier receipt. */
  readonly duplicates: number;
}

/** How long nothing may happen, beyond twice the pace, in milliseconds. */
const stillnessMsMax = 40_000;

/** Plays the phase on a stage. Ends early when an agent fails, nothing happens any more, or the signal aborts. */
export async function playPhase(stage: Stage, play: Play): Promise<PlayEnd> {
  const steps: Step[] = [];
  const stillness = watchStillness(stillnessMsMax + 2 * play.paceMs);
  let killed = 0;
  const onScene = (scene: Scene): void => {
    if (scene.scene === "killed") killed += 1;
    play.onScene(scene);
  };
  const onStep = (step: Step): void => {
    steps.push(step);
    stillness.moved();
    play.onStep(step);
  };
  let fault: string | null = null;
  const over = new AbortController();
  const end = (why: string): void => {
    fault ??= why;
    over.abort();
  };
  const doomed = new Set<AgentRun>();
  const company: Company = {
    over: AbortSignal.any([play.signal, over.signal]),
    start: (member, life = {}) => {
      const run = stage.start(member, { paceMs: play.paceMs, ...life }, onStep);
      void run.child.ended.then(({ code }) => {
        // The others may wait in vain for one that fails, so the play is over.
        if (code !== 0 && !doomed.has(run)) end(faultOf(run));
      });
      return run;
    },
    kill: async (run) => {
      doomed.add(run);
      run.child.kill();
      await run.child.ended;
    },
  };
  try {
    void stillness.reached.then(end);
    await Promise.race([perform(company, { ...play, onScene }), onAbort(company.over)]);
    return {
      fault,
      left: steps.filter(({ step }) => step === "left").length,
      killed,
      duplicates: steps.filter((each) => isDuplicate(each)).length,
    };
  } finally {
    over.abort();
    stillness.stop();
  }
}

/** Who can be started, and killed. */
interface Company {
  /** Aborts when the play is over before its time; nobody is started any more. */
  readonly over: AbortSignal;
  start(member: CastMember, life?: LifeOptions): AgentRun;
  kill(run: AgentRun): Promise<void>;
}

/** The play itself; resolves when every agent has ended, or the play is over. */
async function perform(company: Company, play: Play): Promise<void> {
  const { over } = company;
  const others = [cast.scout, cast.architect, cast.qa].map((member) => company.start(member));
  const firstLife = company.start(cast.dev, {
    holds: [
      { at: "claimed", task: plan.taxTask },
      { at: "sent", task: plan.taxTask },
    ],
  });
  const rival = company.start(cast.secondDev, { holds: [{ at: "claimed", task: plan.basketTask }] });
  await Promise.all([...others, firstLife, rival].map((run) => run.first(({ step }) => step === "arrived")));
  if (over.aborted) return;
  play.onScene({ scene: "begin" });
  const lead = company.start(cast.lead);

  // Work takes longer than asking for it. Here it may take no time at all, so the winner waits until both have asked.
  await Promise.all([firstLife, rival].map((run) => run.first(({ step }) => step === "claimed")));
  for (const run of [firstLife, rival]) run.goOn("claimed");
  await firstLife.first((step) => step.step === "holding" && step.at === "sent");
  if (over.aborted) return;
  await company.kill(firstLife);
  play.onScene({ scene: "killed", agent: cast.dev.agent, pid: firstLife.child.pid });
  await systemClock.wait(play.paceMs / 2, over);
  if (over.aborted) return;
  play.onScene({ scene: "returns", agent: cast.dev.agent });
  const secondLife = company.start(cast.dev, { livesBefore: 1 });

  await Promise.all([...others, lead, rival, secondLife].map((run) => run.child.ended));
}

/** Why an agent's life ended too early, in its own words where it had any. */
function faultOf(run: AgentRun): string {
  const last = run.steps.findLast(({ step }) => step === "failed");
  const said = last?.step === "failed" ? last.said : run.child.errors().trim().split("\n").slice(-3).join(" ");
  return `${run.agent} did not play its part to the end: ${said === "" ? "it said nothing" : said}`;
}

function isDuplicate(step: Step): boolean {
  return step.step === "sent" && step.answer.outcome === "accepted" && step.answer.duplicate;
}

function onAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

interface Stillness {
  /** Resolves with a sentence when nothing moved for too long. */
  readonly reached: Promise<string>;
  moved(): void;
  stop(): void;
}

function watchStillness(msMax: number): Stillness {
  let timer = new AbortController();
  const { promise, resolve } = Promise.withResolvers<string>();
  const wind = async (own: AbortController): Promise<void> => {
    await systemClock.wait(msMax, own.signal);
    if (!own.signal.aborted) resolve(`nothing happened for ${Math.round(msMax / 1000)} s`);
  };
  void wind(timer);
  return {
    reached: promise,
    moved: () => {
      timer.abort();
      timer = new AbortController();
      void wind(timer);
    },
    stop: () => timer.abort(),
  };
}
