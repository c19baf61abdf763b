/**
 * An agent's desk: everything a role may do. Each act is reported as a step; a sending without an answer is repeated
 * under the same id, which is always safe.
 */
import { type Clock, systemClock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AgentDoor, Answer } from "./agent-door.ts";
import type { AgentOrder, Moment } from "./agent-order.ts";
import type { CastMember } from "./cast.ts";
import type { Environment } from "./programs.ts";
import { type Commit, type CommitOrder, type Repository, repositoryAt } from "./repository.ts";
import type { Step } from "./step.ts";

/** A step without the name of who takes it. */
type OwnStep = Step extends infer Each ? (Each extends Step ? Omit<Each, "agent"> : never) : never;

/** A typed message before its envelope is written. */
export interface Draft {
  readonly id: string;
  readonly type: string;
  readonly task: string;
  /** From what the message rests on, never from the clock: said again, it must be the same message. */
  readonly timestamp: string;
  readonly payload: JsonObject;
  readonly gist: string;
}

export interface Prose {
  readonly id: string;
  readonly text: string;
  readonly to: readonly string[];
}

export interface Desk {
  readonly member: CastMember;
  readonly order: AgentOrder;
  readonly environment: Environment;
  readonly door: AgentDoor;
  readonly repository: Repository;
  report(step: OwnStep): void;
  send(draft: Draft): Promise<Answer>;
  say(prose: Prose): Promise<Answer>;
  /** Commits once for this occasion; throws where git fails. */
  commit(order: Omit<CommitOrder, "author">): Promise<Commit>;
  /** A moment of the work on a task has come; where the order says so, it lasts until the process is ended. */
  reach(moment: Moment, task: string): Promise<void>;
}

/** Sendings without an answer before the agent gives up. */
const triesMax = 5;
const betweenTriesMs = 300;

/** The desk of `member` behind `door`. */
export function deskFor(
  member: CastMember,
  order: AgentOrder,
  door: AgentDoor,
  surroundings: { readonly environment: Environment; report(step: Step): void },
): Desk {
  const { agent, role } = member;
  const repository = repositoryAt(order.repository, surroundings.environment);
  const report = (step: OwnStep) => surroundings.report({ ...step, agent });
  const deliver = async (outgoing: Parameters<AgentDoor["send"]>[0], told: { type: string | null; gist: string }) => {
    await systemClock.wait(order.paceMs);
    const answer = await insist(systemClock, () => door.send(outgoing));
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
      if (order.hold?.at !== moment || order.hold.task !== task) return;
      report({ step: "holding", at: moment });
      await systemClock.wait(holdMs);
    },
  };
}

/** Longer than any demo; the life ends before. */
const holdMs = 3_600_000;

async function insist(clock: Clock, act: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await act();
    if (answer.outcome !== "failed" || tries === triesMax) return answer;
    await clock.wait(betweenTriesMs);
  }
}

function envelope(draft: Draft, role: string): JsonObject {
  return {
    id: draft.id,
    type: draft.type,
    phase: 1,
    task: draft.task,
    author_role: role,
    timestamp: draft.timestamp,
    schema_version: "2.0",
    confidence: "high",
    payload: draft.payload,
  };
}
