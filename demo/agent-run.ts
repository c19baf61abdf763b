/** An agent's life as the demo sees it: started with an order, heard step by step, ended for certain. */
import type { AgentOrder, Moment } from "./agent-order.ts";
import { writeOrder } from "./agent-order.ts";
import { agentWord } from "./own-words.ts";
import { type Child, type Environment, startChild } from "./programs.ts";
import { readStep, type Step } from "./step.ts";

export interface AgentRun {
  readonly agent: string;
  readonly child: Child;
  /** Every step so far, in order. */
  readonly steps: readonly Step[];
  /** The first step of this life that fits, waited for; null: the life ended without one. */
  first(fits: (step: Step) => boolean): Promise<Step | null>;
  /** Lifts the holds at this moment, whether it has come or not. */
  goOn(at: Moment): void;
}

/** Starts an agent; `onStep` is called with each step as it is taken. */
export function startAgent(order: AgentOrder, environment: Environment, onStep: (step: Step) => void): AgentRun {
  const steps: Step[] = [];
  const waiting = new Set<() => void>();
  const [program = "", ...words] = order.baton;
  const child = startChild({
    words: [program, ...words, agentWord],
    directory: order.repository,
    environment,
    input: writeOrder(order),
    onLine: (line) => {
      const step = readStep(line);
      if (step === null || step.agent !== order.agent) return;
      steps.push(step);
      onStep(step);
      for (const look of waiting) look();
    },
  });
  let isEnded = false;
  void child.ended.then(() => {
    isEnded = true;
    for (const look of waiting) look();
  });
  return {
    agent: order.agent,
    child,
    steps,
    goOn: (at) => child.write(at),
    first: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = steps.find(fits) ?? null;
          if (found === null && !isEnded) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
