/**
 * The play: six agents take their places, the lead begins, two developers race for files, and in the middle one of them
 * is killed and comes back. Meanwhile a third is stopped in its work until another has done it. The agents act by what
 * they read; nothing here tells an agent what to do next.
 */
import { systemClock } from "../src/base/clock.ts";
import type { AgentRun, Step } from "./agents/agent-process.ts";
import type { LifeOptions, Stage } from "./stage.ts";
import { canSilence, type Tempo } from "./story/programs.ts";
import { type CastMember, cast, plan, updateId } from "./story/story.ts";

/** What the play reports as it goes. */
export type Scene =
  | { readonly scene: "begin" }
  | { readonly scene: "killed"; readonly agent: string; readonly pid: number | null }
  | { readonly scene: "returns"; readonly agent: string }
  | {
      readonly scene: "silenced";
      readonly agent: string;
      readonly pid: number | null;
      readonly task: string;
      /** The fencing token under which it holds the task. */
      readonly token: number | null;
      /** How late its heartbeat may be, in seconds. */
      readonly limitSeconds: number;
    }
  | { readonly scene: "continued"; readonly agent: string };

export interface Play {
  readonly tempo: Tempo;
  onStep(step: Step): void;
  onScene(scene: Scene): void;
  readonly signal: AbortSignal;
}

/** How a play ended: every agent left, or what went wrong. */
export interface PlayEnd {
  readonly problem: string | null;
  /** Agents that played their part to its end. */
  readonly left: number;
  readonly killed: number;
  /** Agents that were stopped for a while. */
  readonly silenced: number;
  /** Sendings that were answered with an earlier receipt. */
  readonly duplicates: number;
}

/** How long nothing may happen, beyond twice the pace, in milliseconds. */
const stillnessMsMax = 40_000;

/** Plays the phase on a stage. Ends early when an agent fails, nothing happens any more, or the signal aborts. */
export async function playPhase(stage: Stage, play: Play): Promise<PlayEnd> {
  const steps: Step[] = [];
  const stillness = watchStillness(stillnessMsMax + 2 * play.tempo.paceMs);
  const scenes: Scene[] = [];
  const onScene = (scene: Scene): void => {
    scenes.push(scene);
    play.onScene(scene);
  };
  const countOf = (what: Scene["scene"]) => scenes.filter(({ scene }) => scene === what).length;
  const onStep = (step: Step): void => {
    steps.push(step);
    stillness.moved();
    play.onStep(step);
  };
  let problem: string | null = null;
  const over = new AbortController();
  const end = (why: string): void => {
    problem ??= why;
    over.abort();
  };
  const doomed = new Set<AgentRun>();
  const company: Company = {
    over: AbortSignal.any([play.signal, over.signal]),
    start: (member, life = {}) => {
      const run = stage.start(member, { paceMs: play.tempo.paceMs, ...life }, onStep);
      void run.child.ended.then(({ code }) => {
        // The others may wait in vain for one that fails, so the play is over.
        if (code !== 0 && !doomed.has(run)) end(problemOf(run));
      });
      return run;
    },
    kill: async (run) => {
      doomed.add(run);
      run.child.kill();
      await run.child.ended;
    },
    silence: (run) => stage.silence(run),
  };
  try {
    void stillness.reached.then(end);
    await Promise.race([perform(company, { ...play, onScene }), onAbort(company.over)]);
    return {
      problem,
      left: steps.filter(({ step }) => step === "left").length,
      killed: countOf("killed"),
      silenced: countOf("silenced"),
      duplicates: steps.filter((each) => isDuplicate(each)).length,
    };
  } finally {
    over.abort();
    stillness.stop();
  }
}

/** Who can be started, killed, and stopped for a while. */
interface Company {
  /** Aborts when the play is over before its time; nobody is started any more. */
  readonly over: AbortSignal;
  start(member: CastMember, life?: LifeOptions): AgentRun;
  kill(run: AgentRun): Promise<void>;
  silence: Stage["silence"];
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
  const sleeper = company.start(cast.thirdDev, {
    holds: canSilence ? [{ at: "committed", task: plan.readmeTask }] : [],
  });
  await Promise.all([...others, firstLife, rival, sleeper].map((run) => run.first(({ step }) => step === "arrived")));
  if (over.aborted) return;
  play.onScene({ scene: "begin" });
  const lead = company.start(cast.lead);
  const asleep = sleepUntilReplaced(company, play, { sleeper, successor: rival });

  // Work takes longer than asking for it. Here it may take no time at all, so the winner waits until both have asked.
  await Promise.all([firstLife, rival].map((run) => run.first(({ step }) => step === "claimed")));
  for (const run of [firstLife, rival]) run.goOn("claimed");
  await firstLife.first((step) => step.step === "holding" && step.at === "sent");
  if (over.aborted) return;
  await company.kill(firstLife);
  play.onScene({ scene: "killed", agent: cast.dev.agent, pid: firstLife.child.pid });
  await systemClock.wait(play.tempo.paceMs / 2, over);
  if (over.aborted) return;
  play.onScene({ scene: "returns", agent: cast.dev.agent });
  const secondLife = company.start(cast.dev, { livesBefore: 1 });

  await asleep;
  await Promise.all([...others, lead, rival, sleeper, secondLife].map((run) => run.child.ended));
}

/**
 * Stops an agent once it has committed and before it can say so, and lets it go on when `successor` has reported the
 * same task. Nobody is notified of it: Baton and the agents must find out and react by themselves.
 */
async function sleepUntilReplaced(
  { over, silence }: Company,
  play: Play,
  { sleeper, successor }: { readonly sleeper: AgentRun; readonly successor: AgentRun },
): Promise<void> {
  const held = canSilence ? await sleeper.first(({ step }) => step === "holding") : null;
  if (held === null || over.aborted) return;
  const silenced = await silence(sleeper);
  if (silenced !== null) {
    const [task, agent] = [plan.readmeTask, sleeper.agent];
    const token = tokenOf(sleeper, task);
    const limitSeconds = play.tempo.disappearSeconds;
    play.onScene({ scene: "silenced", agent, pid: sleeper.child.pid, task, token, limitSeconds });
    await successor.first((step) => isReport(step, task));
    if (over.aborted) return;
    play.onScene({ scene: "continued", agent });
  }
  sleeper.goOn("committed");
  await silenced?.end();
}

/** The token under which an agent was granted a task. */
function tokenOf(run: AgentRun, task: string): number | null {
  const claimed = run.steps.findLast((step) => step.step === "claimed" && step.task === task);
  return claimed?.step === "claimed" && claimed.answer.outcome === "granted" ? claimed.answer.token : null;
}

function isReport(step: Step, task: string): boolean {
  return step.step === "sent" && step.id === updateId(task) && step.answer.outcome === "accepted";
}

/** Why an agent's life ended too early, in its own words where it had any. */
function problemOf(run: AgentRun): string {
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
