/**
 * Handoffs that wait: for agents that have left the team, so that somebody has to hand the work to another agent, and for
 * those who join. Pure. Source: docs/protocol/tasks.md, section 14.
 */
import { visible } from "../base/text.ts";
import type { Message } from "../messages/message.ts";
import { ownerName } from "../messages/principal.ts";
import type { Department, Role } from "../messages/role.ts";
import { taskKey } from "../messages/task-ids.ts";
import { prose } from "../perform/prose.ts";
import type { TeamState } from "../perform/state.ts";
import type { TaskView } from "../tasks/view/task-view.ts";
import type { TeamEvent } from "../team/state/revision.ts";
import { type Handoff, isAddressee } from "./state.ts";

/** A handoff that nobody can answer, and who can issue it again or bring its receiver back. */
export interface OrphanedHandoff {
  readonly handoff: Pick<Handoff, "id" | "issuer" | "receivers" | "task" | "summary" | "issuedAtMs">;
  readonly waitsFor: readonly string[];
}

/** What is known of the team. */
interface Place {
  readonly agents: readonly {
    readonly agent: string;
    readonly role: Role;
    readonly department?: Department;
    readonly status: "active" | "retired";
  }[];
  readonly tasks: readonly Pick<TaskView, "task" | "state">[];
}

/** Those of all handoffs that nobody has issued again and whose task is not done, or is to be repaired, oldest first. */
export function orphanedHandoffs(all: Iterable<Handoff>, place: Place): readonly OrphanedHandoff[] {
  const there = new Set(place.agents.flatMap(({ agent, status }) => (status === "active" ? [agent] : [])));
  const isLeft = (handoff: Handoff) =>
    isOpen(handoff) && holdersOf(handoff).every((agent) => agent !== ownerName && !there.has(agent));
  const known = [...all];
  const left = known.filter(isLeft);
  if (left.length === 0) return [];
  const done = new Set(place.tasks.flatMap(({ task, state }) => (doneStates.has(state) ? [taskKey(task)] : [])));
  // Whether the work was handed over again is known by those too that are answered.
  const latest = new Map(known.map((handoff) => [workOf(handoff), handoff.seq]));
  const isOver = ({ task, unfit }: Handoff) => task !== null && unfit.length === 0 && done.has(taskKey(task));
  const waiting = left.filter((handoff) => !isOver(handoff) && latest.get(workOf(handoff)) === handoff.seq);
  return waiting.map((handoff) => {
    const { id, issuer, task, summary, issuedAtMs } = handoff;
    const receivers = holdersOf(handoff);
    const waitsFor = decidersOf({ issuer, receivers }, place.agents);
    return { handoff: { id, issuer, receivers, task, summary, issuedAtMs }, waitsFor };
  });
}

/** Whether it waits for an answer, or is accepted and not done. */
export function isOpen({ status }: Pick<Handoff, "status">): boolean {
  return status === "issued" || status === "accepted";
}

/** Those of all that somebody accepted, and neither completed nor handed on. */
export function inHand(all: readonly Handoff[]): readonly Handoff[] {
  const handedOn = new Set(all.map(({ after }) => after));
  return all.filter(({ id, status }) => status === "accepted" && !handedOn.has(id));
}

/** Who has to do the next thing about it: the one who accepted it, else all that it was handed to. */
export function holdersOf({ acceptance, receivers }: Pick<Handoff, "acceptance" | "receivers">): readonly string[] {
  return acceptance === null ? receivers : [acceptance.by];
}

/** What is wrong with it, in the words of every door. */
export function wordsOfOrphan({
  issuer,
  receivers,
  summary,
}: Pick<Handoff, "issuer" | "receivers" | "summary">): string {
  return `of ${issuer} for ${receivers.join(", ")}, who left; to issue again to another agent: ${summary}`;
}

/** The issuer, if it is there, and the leads of its receivers; the owner where nobody leads. */
function decidersOf(
  { issuer, receivers }: Pick<Handoff, "issuer" | "receivers">,
  agents: Place["agents"],
): readonly string[] {
  const there = agents.filter(({ status }) => status === "active");
  const departments = agents.flatMap(({ agent, department }) => (receivers.includes(agent) ? [department] : []));
  const leads = there.filter(
    ({ role, department }) => role === "lead" && (department === undefined || departments.includes(department)),
  );
  const deciders = leads.length === 0 ? [ownerName] : leads.map(({ agent }) => agent);
  return [...new Set([...(there.some(({ agent }) => agent === issuer) ? [issuer] : []), ...deciders])];
}

const doneStates: ReadonlySet<TaskView["state"]> = new Set(["verified", "complete"]);

/** The same for handoffs of the same task; without a task, with the same instruction. */
function workOf({ workflow, task, summary }: Handoff): string {
  return JSON.stringify(task === null ? [workflow, null, summary] : [workflow, taskKey(task)]);
}

/** What waits for agents that join by these events under a name or role to which work was handed; null: nothing. */
export function waitingHandoffs(
  { coordination: { handoffs } }: Pick<TeamState, "coordination">,
  events: readonly TeamEvent[],
): { readonly message: Message; readonly receivers: readonly string[] } | null {
  const joined = events.flatMap((event) => (event.event === "agent-registered" ? [event] : []));
  const waiting = [...handoffs.all.values()].filter(
    (handoff) => handoff.status === "issued" && joined.some(({ agent, role }) => isAddressee(handoff, agent, role)),
  );
  if (waiting.length === 0) return null;
  const lines = waiting.map(
    ({ id, issuer, target, summary }) =>
      `${visible(issuer)} handed work to ${visible(target)}: ${visible(summary)} Accept ${visible(id)} to take it.`,
  );
  return { message: prose(lines), receivers: joined.map(({ agent }) => agent) };
}
