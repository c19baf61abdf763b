/**
 * An agent of the demo is a separate process: how it is started, with its order as one line of JSON on its standard
 * input, because other users could see its token among the arguments; and the steps that it reports, one line of JSON
 * each on its standard output. This program alone writes and reads both, so both sides share one type.
 */

import { invariant } from "../../src/base/invariant.ts";
import { isJsonObject, type Json, parseBounded } from "../../src/base/json.ts";
import { agentWord } from "../story/own-words.ts";
import { type Child, type Environment, startChild } from "../story/programs.ts";
import { type CastMember, type Changes, castMembers, type DoorKind, type PlannedTask } from "../story/story.ts";
import type { Answer, BoardLine, ClaimAnswer, PlanLine } from "./agent-door.ts";
import type { HubAccess } from "./http-door.ts";

/**
 * Steps: what an agent reports of what it does, one line of JSON each on its standard output. The demo shows them as they
 * come; what it claims in the end it reads from the journal.
 */
export type Step = { readonly agent: string } & (
  | { readonly step: "arrived"; readonly door: DoorKind; readonly livesBefore: number }
  | { readonly step: "read"; readonly seq: number; readonly type: string | null; readonly sender: string }
  /** Baton said something by itself. */
  | { readonly step: "told"; readonly seq: number; readonly words: string }
  | {
      readonly step: "sent";
      /** Null: prose. */
      readonly type: string | null;
      readonly id: string;
      /** In a few words, what it says. */
      readonly gist: string;
      readonly answer: Answer;
    }
  | { readonly step: "committed"; readonly hash: string; readonly subject: string; readonly isNew: boolean }
  | { readonly step: "planned"; readonly task: PlannedTask; readonly answer: Answer }
  | { readonly step: "claimed"; readonly task: string; readonly id: string; readonly answer: ClaimAnswer }
  | { readonly step: "looked"; readonly line: BoardLine }
  | { readonly step: "summed"; readonly plan: PlanLine }
  | {
      /** A report was checked against git. */
      readonly step: "compared";
      readonly task: string;
      readonly commit: string;
      readonly reported: readonly string[];
      /** The files that the commit changes; null: there is no such commit. */
      readonly committed: readonly string[] | null;
    }
  | { readonly step: "tested"; readonly passed: number; readonly failed: number }
  | { readonly step: "holding"; readonly at: Moment }
  | { readonly step: "acknowledged"; readonly seq: number; readonly answer: Answer }
  | { readonly step: "left" }
  | { readonly step: "failed"; readonly said: string }
);

/** An agent's life as the demo sees it: started with an order, heard step by step, ended for certain. */
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

/** Moments in the work on a task: read about it, claimed, committed, reported it. Only then is the contract acknowledged. */
export const moments = ["read", "claimed", "committed", "sent"] as const;
export type Moment = (typeof moments)[number];

/** Where in its work an agent is to stop and wait, as long work would, until it is reported to go on or ended. */
export interface Hold {
  readonly at: Moment;
  readonly task: string;
}

export interface AgentOrder extends HubAccess {
  /** Directory of the scratch repository. */
  readonly repository: string;
  /** Pause before each step, for people who watch, in milliseconds; 0: none. */
  readonly paceMs: number;
  /** How often this agent was started before. */
  readonly livesBefore: number;
  readonly holds: readonly Hold[];
  /** What it writes for each task. */
  readonly changes: Changes;
  /** What it writes for tasks of others, once the lead asks it to take them over. */
  readonly standsIn: Changes;
  /** Program and arguments that start `baton` itself, for agents that come over MCP. */
  readonly baton: readonly string[];
}

/** The order as one line. */
function writeOrder(order: AgentOrder): string {
  return JSON.stringify(order);
}

/** The order that a line holds, and who is meant; null for anything else. */
export function readOrder(line: string): { readonly order: AgentOrder; readonly member: CastMember } | null {
  const parsed = parseBounded(line);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  const value: { readonly [key: string]: Json } = parsed.value;
  const member = castMembers.find(({ agent }) => agent === value.agent);
  if (member === undefined || typeof value.token !== "string" || typeof value.hub !== "string") return null;
  // Only this program writes orders (writeOrder); the three fields tell a person who types into it what is wrong.
  return { order: parsed.value as unknown as AgentOrder, member };
}

/* Moments at which an agent waits, as long work would, until its starter lets it continue. */
export interface Holds {
  /** Lets work go on past the moment that a line names, now or when it comes; other lines mean nothing. */
  lift(line: string): void;
  /** Resolves when the moment is lifted. */
  lifted(moment: Moment): Promise<void>;
}

/** Holds that are all still in force. */
export function makeHolds(): Holds {
  const waiting = new Map(moments.map((moment) => [moment as string, Promise.withResolvers<void>()]));
  return {
    lift: (line) => waiting.get(line)?.resolve(),
    lifted: (moment) => {
      const hold = waiting.get(moment);
      invariant(hold !== undefined, "every moment has a hold");
      return hold.promise;
    },
  };
}

/** The step as a line, without its line end. */
export function writeStep(step: Step): string {
  return JSON.stringify(step);
}

/** The step that a line holds, or null: it is none. */
function readStep(line: string): Step | null {
  const parsed = parseBounded(line);
  if (!parsed.ok || !isJsonObject(parsed.value)) return null;
  if (typeof parsed.value.agent !== "string" || typeof parsed.value.step !== "string") return null;
  // Only this program's agents write here (writeStep); what is not a step at all was sorted out above.
  return parsed.value as unknown as Step;
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
