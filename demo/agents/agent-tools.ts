/**
 * The client of a demo agent: everything a role may do. Each operation is reported as a step; a sending without an
 * answer is repeated under the same id, which is always safe.
 */
import { systemClock } from "../../src/base/clock.ts";
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import type { Environment } from "../story/programs.ts";
import { type Commit, type CommitOrder, type Repository, repositoryAt } from "../story/repository.ts";
import { type CastMember, farewellId, type PlannedTask } from "../story/story.ts";
import type { AgentDoor, Answer, BoardLine, ClaimAnswer, Letter, Planning } from "./agent-door.ts";
import type { AgentOrder, Holds, Moment, Step } from "./agent-process.ts";

/** A step without the name of who takes it. */
type OwnStep = Step extends infer Each ? (Each extends Step ? Omit<Each, "agent"> : never) : never;

/** A typed message before its envelope is written. */
export interface Draft {
  readonly id: string;
  readonly type: string;
  /** Absent: the first. */
  readonly phase?: number;
  readonly task: string;
  /** Derived from what the message is about, never from the clock: a repeat must be the same message. */
  readonly timestamp: string;
  readonly payload: JsonObject;
  readonly gist: string;
}

export interface Prose {
  readonly id: string;
  readonly text: string;
  readonly to: readonly string[];
}

export interface AgentTools {
  readonly member: CastMember;
  readonly order: AgentOrder;
  readonly environment: Environment;
  readonly door: AgentDoor;
  readonly repository: Repository;
  report(step: OwnStep): void;
  send(draft: Draft): Promise<Answer>;
  say(prose: Prose): Promise<Answer>;
  /** Puts a task on the board. */
  plan(task: PlannedTask, planId: string): Promise<Answer>;
  claim(task: string, id: string): Promise<ClaimAnswer>;
  /** Acknowledges everything up to `seq`. */
  acknowledge(seq: number): Promise<Answer>;
  /** Waits until the task can be claimed; gives up in silence after a while, and asking again tells why. */
  untilAvailable(task: string): Promise<void>;
  /** The board once all of these tasks match, or its state after a while; empty where the door shows none. */
  boardWhen(tasks: readonly string[], fits: (line: BoardLine) => boolean): Promise<readonly BoardLine[]>;
  /** Commits once for this occasion; throws where git fails. */
  commit(order: Omit<CommitOrder, "author">): Promise<Commit>;
  /**
   * A moment of the work on a task has come; where the order says so, it lasts until that is lifted, or the process
   * ended.
   */
  reach(moment: Moment, task: string): Promise<void>;
}

/** Sendings without an answer before the agent gives up. */
const triesMax = 5;
const betweenTriesMs = 300;
/** How often an agent looks whether something has come about, and the pause before it looks again. */
const looksMax = 200;
const betweenLooksMs = 100;

/** The tools of `member` behind `door`. */
export function toolsFor(
  member: CastMember,
  order: AgentOrder,
  door: AgentDoor,
  surroundings: { readonly environment: Environment; readonly holds: Holds; report(step: Step): void },
): AgentTools {
  const { agent, role } = member;
  const repository = repositoryAt(order.repository, surroundings.environment);
  const report = (step: OwnStep) => surroundings.report({ ...step, agent });
  const deliver = async (outgoing: Parameters<AgentDoor["send"]>[0], told: { type: string | null; gist: string }) => {
    await systemClock.wait(order.paceMs);
    const answer = await insist(() => door.send(outgoing));
    report({ step: "sent", type: told.type, id: outgoing.id, gist: told.gist, answer });
    return answer;
  };
  return {
    member,
    order,
    environment: surroundings.environment,
    door,
    repository,
    report,
    send: (draft) => deliver({ message: envelope(draft, role), id: draft.id }, { type: draft.type, gist: draft.gist }),
    say: ({ id, text, to }) => deliver({ message: text, to, id }, { type: null, gist: text }),
    plan: async (task, planId) => {
      const planning = planningOf(door);
      const answer = await insist(() => planning.addTask({ ...task, plan: planId }, `task-${task.task}`));
      report({ step: "planned", task, answer });
      return answer;
    },
    claim: async (task, id) => {
      await systemClock.wait(order.paceMs / 2);
      const answer = await insist(() => door.claim(task, id));
      report({ step: "claimed", task, id, answer });
      return answer;
    },
    acknowledge: (seq) => insist(() => door.acknowledge(seq)),
    untilAvailable: async (task) => {
      await lookUntil(
        () => door.available(),
        (found) => found.includes(task),
      );
    },
    boardWhen: async (tasks, fits) => {
      const { planning } = door;
      if (planning === null) return [];
      const ofThem = async () => (await planning.tasks()).filter((line) => tasks.includes(line.task));
      return await lookUntil(ofThem, (lines) => lines.length === tasks.length && lines.every(fits));
    },
    commit: async (wanted) => {
      await systemClock.wait(order.paceMs / 2);
      const before = await repository.log();
      const done = await repository.commitOnce({ ...wanted, author: agent });
      if (!done.ok) throw new Error(done.error.message);
      const isNew = before.ok && !before.value.some(({ hash }) => hash === done.value.hash);
      report({ step: "committed", hash: done.value.hash, subject: done.value.subject, isNew });
      return done.value;
    },
    reach: async (moment, task) => {
      if (!order.holds.some((hold) => hold.at === moment && hold.task === task)) return;
      report({ step: "holding", at: moment });
      await surroundings.holds.lifted(moment);
    },
  };
}

/** What only those have who plan. */
export function planningOf(door: AgentDoor): Planning {
  if (door.planning === null) throw new Error(`nobody plans over ${door.kind}`);
  return door.planning;
}

/** What a look finds when it is what is waited for, or after many looks. */
async function lookUntil<Found>(look: () => Promise<Found>, isIt: (found: Found) => boolean): Promise<Found> {
  for (let looks = 1; ; looks++) {
    try {
      const found = await look();
      if (isIt(found) || looks === looksMax) return found;
    } catch (problem) {
      if (looks === looksMax) throw problem;
      // A look that failed is no more than one look less.
    }
    await systemClock.wait(betweenLooksMs);
  }
}

async function insist<Told extends { readonly outcome: string }>(act: () => Promise<Told>): Promise<Told> {
  for (let tries = 1; ; tries++) {
    const answer = await act();
    if (answer.outcome !== "failed" || tries >= triesMax) return answer;
    await systemClock.wait(betweenTriesMs);
  }
}

function envelope(draft: Draft, role: string): JsonObject {
  return {
    id: draft.id,
    type: draft.type,
    phase: draft.phase ?? 1,
    task: draft.task,
    author_role: role,
    timestamp: draft.timestamp,
    schema_version: "2.0",
    confidence: "high",
    payload: draft.payload,
  };
}

/*
 * What a role is to the agent that plays it: how it begins, and what it does about each letter.
 */

/** After a letter: go on reading, or the part is over. */
export type Then = "read-on" | "leave";

export interface Role {
  /** What it does before any letter; left out: it waits for the first. */
  begin?(): Promise<void>;
  /** Acts on one letter. It is acknowledged afterwards, so a killed agent gets it again. */
  react(letter: Letter): Promise<Then>;
}

/**
 * A role with its client. What it remembers is gone when its process ends; what matters is in the journal and in git.
 */
export type MakeRole = (tools: AgentTools) => Role;

/** The payload of a letter's wire object; an empty one for prose. */
export function payloadOf(letter: Letter): JsonObject {
  return isJsonObject(letter.message) && isJsonObject(letter.message.payload) ? letter.message.payload : {};
}

/* Answering a request to stop, as every agent does that its dialect asks. */

/** Says yes in the agent's own dialect: `approve` in vbw/2, `approved` in yolo/2. */
export async function answerShutdown(tools: AgentTools, letter: Letter): Promise<Then> {
  const yes = tools.member.dialect === "yolo/2" ? "approved" : "approve";
  await tools.send({
    id: farewellId(tools.member.agent),
    type: "shutdown_response",
    task: "",
    timestamp: letter.recordedAt,
    payload: { request_id: letter.id ?? "", [yes]: true, final_status: "complete", pending_work: "" },
    gist: `stops (${yes}: true in ${tools.member.dialect})`,
  });
  return "leave";
}
