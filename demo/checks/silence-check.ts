/**
 * The check of a silence: the agent that was stopped was found out and no other was, its task went to another under a newer
 * token, and what it said of it afterwards was refused. Pure, and read from the record alone.
 */

import type { AgentDisappeared } from "../../src/health/state.ts";
import type { TaskClaimed } from "../../src/tasks/state/claim-events.ts";
import { fencedCode } from "../agents/agent-door.ts";
import { cast, plan } from "../story/story.ts";
import { isSame } from "./check.ts";
import type { RecordedPhase } from "./record.ts";

/** A silence as the record has it. */
export interface FoundSilence {
  readonly seq: number;
  readonly lost: AgentDisappeared;
  /** Grants of its task: to it, and the next one; null: there is none. */
  readonly first: TaskClaimed | null;
  readonly next: TaskClaimed | null;
}

/** The agent that falls silent, what it holds then, and whom Baton must notify. */
const agent = cast.thirdDev.agent;
const task = plan.readmeTask;
const lead = cast.lead.agent;

/** The silence that was found out, and who was granted the task; null: none was. */
export function silenceIn(phase: RecordedPhase): FoundSilence | null {
  const found = disappearances(phase).find(({ lost }) => lost.agent === agent);
  if (found === undefined) return null;
  const grants = phase.work.flatMap(({ seq, event }) =>
    event.event === "task-claimed" && event.task === task ? [{ seq, event }] : [],
  );
  const first = grants.find(({ seq, event }) => seq < found.seq && event.holder === agent)?.event ?? null;
  const next = grants.find(({ seq }) => seq > found.seq)?.event ?? null;
  return { ...found, first, next };
}

/**
 * What is wrong with it, a sentence each. `limitMs`: how late a heartbeat may be, and nobody may be found out before.
 */
export function silenceFindings(phase: RecordedPhase, limitMs: number): readonly string[] {
  const others = disappearances(phase).filter(({ lost }) => lost.agent !== agent);
  const alive = others.map(({ seq, lost }) => `entry ${seq} takes ${lost.agent} for gone, which was there`);
  const found = silenceIn(phase);
  if (found === null) return [...alive, `nobody found out that ${agent} was silent`];
  const { seq, lost, first, next } = found;
  const silentMs = lost.lastSignMs === null ? 0 : lost.atMs - lost.lastSignMs;
  const wanted: readonly (readonly [boolean, string])[] = [
    [silentMs >= limitMs, `${agent} was found out after ${silentMs} ms, before the limit of ${limitMs} ms`],
    [isSame(lost.tasks, [task]), `${agent} held ${lost.tasks.join(" ") || "nothing"} and not ${task}`],
    [isReleased(phase, found), `${task} did not come free when ${agent} was found out`],
    [
      phase.messages.some((told) => told.seq === seq && told.receivers.includes(lead)),
      `${lead} was not notified of it`,
    ],
    [next !== null && next.holder !== agent, `${task} was handed on to nobody`],
    [
      (next?.token ?? 0) > (first?.token ?? 0),
      `the token of ${next?.holder ?? "nobody"} is not newer than that before`,
    ],
    [isDoneBy(phase, next?.holder ?? null), `${task} was not done by the agent that took it over`],
    [isFenced(phase, next), `${agent} was not notified that ${task} is another's`],
    [isBack(phase, found), `${agent} did not come back`],
  ];
  return [...alive, ...wanted.filter(([holds]) => !holds).map(([, problem]) => problem)];
}

function disappearances({ health }: RecordedPhase): readonly Pick<FoundSilence, "seq" | "lost">[] {
  return health.flatMap(({ seq, event }) => (event.event === "agent-disappeared" ? [{ seq, lost: event }] : []));
}

function isReleased({ work }: RecordedPhase, { seq: at }: FoundSilence): boolean {
  return work.some(({ seq, event }) => {
    if (seq !== at || event.event !== "claim-released") return false;
    return event.task === task && event.holder === agent && event.reason === "disappeared";
  });
}

function isDoneBy({ reports }: RecordedPhase, successor: string | null): boolean {
  const last = reports.findLast((report) => report.task === task);
  return last !== undefined && last.sender === successor && last.verdict === "verified";
}

/** Whether the silent agent's own word came after the next grant and was refused for it. */
function isFenced({ refusals }: RecordedPhase, next: TaskClaimed | null): boolean {
  if (next === null) return false;
  return refusals.some(({ seq, sender, codes }) => seq > next.token && sender === agent && codes.includes(fencedCode));
}

function isBack({ health }: RecordedPhase, { seq: at }: FoundSilence): boolean {
  return health.some(({ seq, event }) => seq > at && event.event === "agent-returned" && event.agent === agent);
}
