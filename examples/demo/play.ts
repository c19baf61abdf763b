/**
 * The play: all agents at once, who act by what they read, and the person, who gives a list, sees an agent killed, and moves
 * the main branch. Nothing here tells an agent what to do next.
 */
import { createInterface } from "node:readline";
import { systemClock } from "../../src/base/clock.ts";
import type { Step } from "./agent.ts";
import type { Stage } from "./stage.ts";
import { agents, landingBranch, planFile, taskCount } from "./story.ts";
import type { Telling } from "./told.ts";

/** `paceMs`: a pause before each step, for people who watch. `isAsked`: somebody sits at the terminal. */
type Play = { readonly paceMs: number; readonly isAsked: boolean; readonly signal: AbortSignal };

/** Longest time of the whole play, and between two looks, in milliseconds. */
const [playMsMax, betweenLooksMs] = [300_000, 1_000];

/** Plays the story; what went wrong, a sentence each. Ends early where an agent fails, or the signal aborts. */
export async function playStory(stage: Stage, telling: Telling, play: Play): Promise<readonly string[]> {
  const over = new AbortController();
  const signal = AbortSignal.any([play.signal, over.signal]);
  const wrong: string[] = [];
  const end = (words: string | null): void => {
    if (words === null || signal.aborted) return;
    wrong.push(words);
    over.abort();
  };
  signal.addEventListener("abort", () => void stage.end(), { once: true });
  const timed = new AbortController();
  void systemClock
    .wait(playMsMax, timed.signal)
    .then(() => timed.signal.aborted || end("the play did not end in time"));
  /** One agent; killed where it is stuck, it is started again. */
  const act = async (agent: (typeof agents)[number]): Promise<string | null> => {
    let wasStuck = false;
    const onStep = (step: Step, kill: () => void) => {
      telling.step(step);
      if (step.step !== "stuck") return;
      wasStuck = true;
      kill();
    };
    const said = await stage.play(agent, play, onStep);
    if (!wasStuck || signal.aborted) return said;
    telling.person(`kill -9 ${agent}, and start it again.`);
    return await stage.play(agent, { ...play, isAgain: true }, onStep);
  };
  await Promise.all([
    ...agents.map((agent) => act(agent).then(end)),
    runDay(stage, telling, { ...play, signal }).then(end),
  ]);
  timed.abort();
  return wrong;
}

/** What the person does: gives the list, moves its branch when all has landed, and ends the day. */
async function runDay(stage: Stage, telling: Telling, { isAsked, signal }: Play): Promise<string | null> {
  const given = await stage.baton("plan", "add", `.baton/${planFile}`, "--yes");
  if (given.code !== 0) return signal.aborted ? null : `plan add: ${given.stderr}`;
  telling.person(`give ${taskCount} tasks as a list: baton plan add ${planFile}`);
  while (!signal.aborted && (await landedOn(stage)) < taskCount) await systemClock.wait(betweenLooksMs, signal);
  if (signal.aborted) return null;
  const landed = await stage.baton("land");
  if (landed.code !== 0) return `land: ${landed.stderr}`;
  telling.person(`move main to what has landed: baton land\n${landed.stderr.trim().split("\n").at(-1)}`);
  if (isAsked) {
    telling.aside("All six have landed, and the page is open. Enter ends the day.");
    await lineTyped(signal);
    if (signal.aborted) return null;
  }
  const stopped = await stage.baton("stop");
  if (stopped.code !== 0) return `stop: ${stopped.stderr}`;
  telling.person(`end the day: baton stop\n${stopped.stdout.trim()}`);
  return null;
}

/** How many tasks the hub has put on its branch. */
async function landedOn({ git }: Stage): Promise<number> {
  const { stdout } = await git("log", "--format=%(trailers:key=Baton-Landed)", landingBranch);
  return stdout.split("\n").filter((line) => line.startsWith("Baton-Landed:")).length;
}

/** The next line that is typed, or nothing when the input ends or `signal` aborts. */
function lineTyped(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface(process.stdin);
    const close = () => lines.close();
    signal.addEventListener("abort", close, { once: true });
    lines.once("line", (line) => {
      resolve(line.trim());
      close();
    });
    lines.once("close", () => {
      signal.removeEventListener("abort", close);
      resolve("");
    });
  });
}
