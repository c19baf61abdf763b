/**
 * The commands that decide what waits, or that show what would end it: words after `baton`, in which capitals stand for what
 * the person enters. They are those of one caller: a decision that it may not make has no command here.
 */
import { type ApprovalState, mayAnswer, pathsSuggested } from "../../approvals/decide/approvals.ts";
import { mayResolve } from "../../escalations/decide/escalations.ts";
import { rosterProblem } from "../../messages/authority/roster-rights.ts";
import { ownerName, type Principal } from "../../messages/principal.ts";
import { remotePrefix } from "../../messages/remote-address.ts";
import type { Judge } from "../../perform/conflict-of-interest.ts";
import type { Escalation } from "../../perform/deciders.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import { type Member, registrarsIn } from "../../team/state/roster.ts";
import type { Need, NeedKind } from "../view/need-ranking.ts";

export type Commands = readonly (readonly string[])[];

/** For whom commands are proposed. Its role is null for the person, and for a name that is not in the team. */
export type Caller = Judge & Pick<Principal, "role" | "department">;

/** The caller of this name, by the team's agents. */
export function callerNamed(agent: string, agents: readonly Member[]): Caller {
  const roster = new Map(agents.map((member) => [member.agent, member]));
  const member = roster.get(agent);
  if (member?.status !== "active") return { agent, role: null };
  const { role, department } = member;
  return { agent, role, ...(department === undefined ? {} : { department }), ...registrarsIn(roster, agent) };
}

/** Whether it is the person who owns the team. */
export function isOwner({ agent }: Caller): boolean {
  return agent === ownerName;
}

/** To answer a request. */
export function answerCommands(
  caller: Caller,
  request: Pick<
    ApprovalState,
    "requestId" | "requestType" | "requester" | "addressees" | "paths" | "subject" | "evidence" | "options"
  >,
): Commands {
  const { requestId, requestType } = request;
  if (!mayAnswer(caller, request)) return [];
  if (!isWord(requestId)) return [["needs", "--requests"]];
  const suggested = requestType === "scope_change" ? pathsSuggested(request) : [];
  // What a shell would read otherwise is left to the person.
  const paths = suggested.every((path) => /^[\w.@+][\w./@+-]*$/.test(path)) ? suggested : [];
  return [
    ["approve", requestId, ...paths.flatMap((path) => ["--paths", path])],
    ["deny", requestId, "--reason", "TEXT"],
  ];
}

/** To decide an escalation: by one of its options, or in words. */
export function resolveCommands(caller: Caller, escalation: Escalation): Commands {
  const { id, options } = escalation;
  if (!mayResolve(caller, escalation)) return [];
  if (!isWord(id)) return [["needs", "--escalations"]];
  return [["escalation", "resolve", id, ...(options.length === 0 ? ["--decision", "TEXT"] : ["--option", "N"])]];
}

/** To see what the team file changes, and to decide it. */
export function revisionCommands(caller: Caller, id: string): Commands {
  return isOwner(caller) ? [["team"], ["team", "confirm", id], ["team", "decline", id, "--reason", "TEXT"]] : [];
}

/** To check a report again. */
export function verifyCommands(caller: Caller, task: string): Commands {
  const isOfTeam = isOwner(caller) || (caller.role !== null && caller.role !== "guest");
  return isOfTeam ? [["verify", ...(isWord(task) ? [task] : [])]] : [];
}

/** What decides about a report: that lost work is meant to be or is done again, that one counts or not; of artifacts too. */
export function disputeCommands(caller: Caller, id: string, task: string): Commands {
  const settle = (as: string): readonly string[] => ["task", "settle", task, as];
  const mayDecide = (isOwner(caller) || caller.role === "lead") && isWord(task);
  const reopen = ["task", "reopen", task];
  if (id.startsWith("artifact:")) {
    const again = verifyCommands(caller, task).length === 0 ? [] : [["verify", "--artifacts"]];
    return [["show", task], ...again, ...(mayDecide ? [["artifact", "settle", task]] : [])];
  }
  if (mayDecide && id.startsWith("gone:")) return [settle("superseded"), reopen];
  if (mayDecide && id.startsWith("undecided:")) return [settle("verified"), settle("disputed"), reopen];
  return [...verifyCommands(caller, task), ...(mayDecide ? [settle("verified"), reopen] : [])];
}

/** What a phase lacks, and what was found in it. */
export function phaseCommands(phase: string): Commands {
  return [["phase", ...(isWord(phase) ? [phase] : [])]];
}

/** Whether an agent's id can be among words without being taken for an option. */
export function isWord(id: string): boolean {
  return !id.startsWith("-");
}

/** What the commands of needs depend on, in addition to the needs themselves. */
export interface Matters {
  readonly agents: readonly Member[];
  readonly approvals: readonly ApprovalState[];
  readonly escalations: readonly Escalation[];
  readonly tasks: readonly TaskView[];
  /** Whether `baton start` has started the agent in tmux; absent: in none. */
  isInTmux?(agent: string): boolean;
}

/** By kind; a kind that only a later hub knows has none. */
const ofKind: { readonly [Kind in NeedKind]?: (caller: Caller, need: Need, matters: Matters) => Commands } = {
  hold: (caller, { target }) => (isOwner(caller) ? [["phase", "lift", "--stop", target, "--reason", "TEXT"]] : []),
  revision: (caller, { target }) => revisionCommands(caller, target),
  approval(caller, { target, agent }, { approvals }) {
    const request = approvals.find(({ requestId, requester }) => requestId === target && requester === agent);
    return request === undefined ? [] : answerCommands(caller, request);
  },
  escalation(caller, { target }, { escalations }) {
    const escalation = escalations.find(({ id }) => id === target);
    return escalation === undefined ? [] : resolveCommands(caller, escalation);
  },
  dispute: (caller, { id, target }) => disputeCommands(caller, id, target),
  check: (caller, { target }) =>
    isOwner(caller) && isWord(target) ? (["once", "always", "no"] as const).map((word) => ["check", target, word]) : [],
  unchecked: (caller, { target }) => verifyCommands(caller, target),
  conflict(caller, { id, target, agent }) {
    const look = [["task", "list", ...(isWord(target) ? [target] : [])]];
    if (id.startsWith("edited:") && isOwner(caller) && agent !== null) return [["send", "-", "--to", agent], ...look];
    return id.startsWith("unlanded:") && isOwner(caller) && isWord(target) ? [...look, ["land", target]] : look;
  },
  landing: (caller) => (isOwner(caller) ? [["land"]] : []),
  finding: (_, { target }) => phaseCommands(target),
  signoff: (caller, { target }) => [
    ...phaseCommands(target),
    ...(isOwner(caller) && isWord(target) ? [["phase", "end", "--phase", target]] : []),
  ],
  handoff(caller, { id, target }) {
    const look = [["handoff", "list", ...(isWord(target) ? [target] : [])]];
    if (!isOwner(caller) || !isWord(target)) return look;
    if (id.startsWith("accepted:")) return [...look, ["handoff", "complete", target]];
    return [...look, ["handoff", "accept", target], ["handoff", "reject", target, "--reason", "TEXT"]];
  },
  unguarded: () => [["doctor"]],
  unresponsive: (caller, { target }, { agents, isInTmux }) => [
    ...(isOwner(caller) ? [isInTmux?.(target) === true ? ["start", "--tmux"] : ["run", target]] : []),
    ["agent", mayRetire(caller, target, agents) ? "retire" : "list", target],
  ],
  idle: (caller, { id, target, agent }) => [
    // Mail wakes it once more, with the person's own words.
    ...(isOwner(caller) && /^(?:idle|paused):/.test(id) && agent !== null ? [["send", "-", "--to", agent]] : []),
    ...(isOwner(caller) && id.startsWith("paused:") && isWord(target)
      ? [["task", "reassign", target, "--to", "AGENT", "--reason", "TEXT"]]
      : []),
    ["task", "list", ...(isWord(target) ? [target] : [])],
  ],
  remote(caller, { agent, target }) {
    if (agent === null) return [["start", "--notify", "off"]];
    if (!target.includes("/")) return [["remote", "list"]];
    // The person asked, so the remote's question is the person's to answer.
    return isOwner(caller) ? [["send", "-", "--to", `${remotePrefix}${target}`]] : [];
  },
  loop: (_, { target }) => [["log", "--view", "refusals", "--agent", target]],
  "over-budget": (_, { target }) => [["contract", "show", target]],
};

/** To decide a need; where nothing decides it, what to look at or to do about it. */
export function needCommands(caller: Caller, need: Need, matters: Matters): Commands {
  return ofKind[need.kind]?.(caller, need, matters) ?? [];
}

/** Whether the command decides; the others only show or look again. */
export function isDecision(words: readonly string[]): boolean {
  return words.some((word, at) => at < 2 && deciding.has(word));
}

const deciding = new Set(
  "approve deny resolve confirm decline settle reopen lift check retire send end accept complete".split(" "),
);

function mayRetire({ agent, role, department }: Caller, retired: string, agents: readonly Member[]): boolean {
  const place = agents.find((each) => each.agent === retired);
  const principal = { agent, role, via: "launcher", ...(department === undefined ? {} : { department }) } as const;
  return place !== undefined && rosterProblem(principal, retired, [place]) === null;
}
