/**
 * The play: all agents at once, who act by what they read, and the person, who answers the one question that the team
 * cannot. Nothing here tells an agent what to do next.
 */
import { createInterface } from "node:readline";
import { systemClock } from "../../src/base/clock.ts";
import type { Stage } from "./stage.ts";
import { agents, question } from "./story.ts";
import type { Telling } from "./told.ts";

/** `paceMs`: a pause before each step, for people who watch. `isAsked`: somebody sits at the terminal, and is asked. */
type Play = { readonly paceMs: number; readonly isAsked: boolean; readonly signal: AbortSignal };

/** Longest time of the whole play, of a person's answer, and between two looks, in milliseconds. */
const [playMsMax, answerMsMax, betweenLooksMs] = [180_000, 30_000, 100];

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
  await Promise.all([
    ...agents.map((agent) => stage.play(agent, play.paceMs, (step) => telling.step(step)).then(end)),
    decide(stage, telling, { ...play, signal }).then(end),
  ]);
  timed.abort();
  return wrong;
}

/** Waits for the question, and answers it as the person: with what it types, or what it does on the page, or the first. */
async function decide({ team }: Stage, telling: Telling, { paceMs, isAsked, signal }: Play): Promise<string | null> {
  /** Looks until the question waits, or waits no more. */
  const until = async (waits: boolean, stop: AbortSignal) => {
    while (!stop.aborted) {
      const needs = await team.needs();
      if (needs.ok && needs.value.needs.some(({ kind }) => kind === "escalation") === waits) return;
      await systemClock.wait(betweenLooksMs, stop);
    }
  };
  await until(true, signal);
  const listed = question.options.map((option, at) => `${at + 1}) ${option}`).join(", ");
  if (!signal.aborted) telling.person(`are asked, in the terminal and on the page: ${question.text} ${listed}`);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  let typed = "";
  if (isAsked && !signal.aborted) {
    telling.aside(
      `Type a number and Enter, or decide on the page. In ${answerMsMax / 1_000} s the demo takes the first.`,
    );
    const answers = [lineTyped(stop), until(false, stop), systemClock.wait(answerMsMax, stop)];
    typed = (await Promise.race(answers)) ?? "";
  } else await systemClock.wait(paceMs, signal);
  over.abort();
  if (signal.aborted) return null;
  const option = question.options[Number(typed) - 1] === undefined ? 1 : Number(typed);
  const reply = await team.resolve({ escalation: question.id, option });
  // Decided on the page meanwhile, it cannot be decided again.
  if (reply.outcome === "failed") return reply.problem.message;
  telling.person("have decided, and Baton delivers it to dev-1 and to lead-1.");
  telling.aside("What no agent can decide waits for you; dev-1 goes on when it reads your answer.");
  return null;
}

/** The next line that is typed, or nothing when the input ends or `signal` aborts. */
export function lineTyped(signal: AbortSignal): Promise<string> {
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
