/**
 * What Baton says for a shutdown round: the request, first and again, as the requester's dialect spells it; and how a
 * round ended, as prose for the one who asked.
 * Source: docs/protocol/asking.md, sections 14 to 16.
 */
import { timestampOf } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { shortList, visible } from "../../base/text.ts";
import { line, shownMax } from "../../evidence/services/verdict-notification.ts";
import type { Dialect } from "../../messages/dialects/dialect.ts";
import { derived, reasonTextField } from "../../messages/dialects/fields/derived-fields.ts";
import type { Fact } from "../../messages/facts.ts";
import type { Message } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Context } from "../../perform/context.ts";
import type { ShutdownRound } from "../../perform/deciders.ts";
import { prose } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { isReported } from "../../tasks/state/report-status.ts";
import { findTask, type Task } from "../../tasks/state/task-state.ts";
import { type ShutdownReason, shutdownReasons } from "../decide/shutdown-rounds.ts";
import { askingsMax } from "../decide/shutdowns.ts";
import type { StoppingView } from "../operations.ts";
import { leavesWork, leftBehind, stoppingStatusOf } from "../view/shutdown-status.ts";
import { leadsOf } from "./agent-departure.ts";
import { shutdownView } from "./shutdown-certificate.ts";

/** Those of them that only a first revision has. */
const earlierReasons: readonly string[] = ["timeout", "error"];

/** What a request says, in neutral words: the reason in those of both revisions. */
export function shutdownFact(said: {
  readonly reason: ShutdownReason;
  readonly teamName: string;
  readonly phase: number | string | null;
  readonly deadlineMs: number;
  readonly authorRole: string;
  /** Absent: no such extra field is written. */
  readonly extra?: JsonObject;
}): Fact<"shutdown-request"> {
  const { reason, teamName, phase, deadlineMs, authorRole, extra } = said;
  // What was said is kept as it was said; a dialect without the word is written the one that stands for it.
  const words = earlierReasons.includes(reason) ? derived("shutdown-request", { stopReason: reason }) : { reason };
  const deadlineSeconds = Math.max(1, Math.ceil(deadlineMs / 1000));
  return {
    kind: "shutdown-request",
    head: { phase: phase ?? 0, task: "", authorRole, timestamp: null, confidence: "high" },
    body: { reason, ...words, teamName, deadlineSeconds },
    ...(extra === undefined ? {} : { extra: { payload: extra } }),
  };
}

/** A fact as a message of some dialect. */
export interface Word {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  readonly message: Message;
}

/**
 * The fact in the dialect of `agent`, or, where that has no word for it, in the first of the team's, or of all, that
 * has; null: none has.
 */
export function wordFor(
  context: Context,
  state: TeamState,
  agent: string,
  said: {
    readonly fact: Fact;
    readonly id: string;
    readonly among?: "team";
    /** Who really decided what Baton writes in another's place; absent: nobody else. */
    readonly decidedBy?: string;
  },
): Word | null {
  const own = state.team.roster.get(agent)?.dialect;
  const teams = state.team.definition?.dialects ?? [];
  const { id, among } = said;
  for (const each of new Set([
    ...(own === undefined ? [] : [own]),
    ...teams,
    ...(among === "team" ? [] : context.dialects.map((one) => one.id)),
  ])) {
    const dialect = context.dialectOf(each);
    const fact = said.decidedBy === undefined ? said.fact : inAnothersPlace(said.fact, dialect, said.decidedBy);
    const type = dialect?.definitionOf(fact.kind)?.type;
    const given = { authorRole: fact.head.authorRole ?? "lead", timestamp: timestampOf(context.clock.now()) };
    const wire = type === undefined ? null : (dialect?.write(fact, { id, given }) ?? null);
    if (dialect === null || type === undefined || wire === null) continue;
    const rung = dialect.form === "typed" ? "typed" : "structured";
    const message: Message = { dialect: dialect.id, type, rung, wireId: id, text: JSON.stringify(wire), fact };
    return { dialect, wire: wire as JsonObject, message }; // A dialect writes objects.
  }
  return null;
}

/** An extra field of a message: in its payload, or if it has none, next to its type. */
function inAnothersPlace(fact: Fact, dialect: Dialect | null, decidedBy: string): Fact {
  const place = dialect?.form === "typed" ? "payload" : "envelope";
  return { ...fact, extra: { ...fact.extra, [place]: { ...fact.extra?.[place], decided_by: decidedBy } } };
}

/** The request again, under the same id, saying which time it is. */
export function repeatedRequest(
  context: Context,
  state: TeamState,
  round: ShutdownRound,
  asked: number,
): Message | null {
  const { requestId, requester, teamName, phase, deadlineMs } = round;
  const reason = (round.stopReason ?? round.reason) as ShutdownReason; // A request is read by its definition's words.
  const fact = shutdownFact({
    reason: shutdownReasons.includes(reason) ? reason : "user_abort",
    teamName: teamName ?? context.team,
    phase,
    deadlineMs,
    authorRole: "lead",
    extra: {
      asked,
      askings_max: askingsMax,
      ...(round.reasonText === undefined ? {} : { [reasonTextField]: round.reasonText }),
    },
  });
  return wordFor(context, state, requester, { fact, id: requestId })?.message ?? null;
}

/**
 * That these agents are forced, as prose; `others`: rounds that waited for some of them and ended by it too.
 */
export function forcedNotice(requestId: string, forced: readonly string[], others: readonly string[]): Message {
  const words = [
    `Shutdown "${visible(requestId)}": ${forced.join(", ")} did not stop when asked and may send nothing more.`,
    ...others.map((id) => `Shutdown "${visible(id)}", which waited for nobody else, ended too.`),
    "Their tasks are free again, their credentials revoked. The certificate of the round says what each agent left behind.",
  ];
  return prose([words.join(" ")]);
}

/**
 * What the agents of a round that is over left behind, for the one who asked and for those who lead the agents; null:
 * nothing was left. Agents that the round did not ask work on, so what they have in hand is not left behind.
 */
export function roundNotification(
  state: TeamState,
  round: ShutdownRound,
): { readonly message: Message; readonly receivers: readonly string[] } | null {
  const { round: id, requester, agents } = shutdownView(state, round, 0);
  const left = agents
    .filter((part) => part.outcome !== "not_addressed" && leavesWork(part))
    .map((part) => ({ part, left: leftBehind(part) }));
  if (left.length === 0) return null;
  const lines = left.map(({ part, left: things }) =>
    line(part.agent, `${stoppingStatusOf(part)}: ${things.join("; ")}`),
  );
  const words = [
    `Shutdown "${visible(id)}" is over, and not everything is done.`,
    ...lines.slice(0, shownMax),
    ...(lines.length > shownMax ? [`Further agents: ${lines.length - shownMax}; the certificate shows all.`] : []),
    ...whatToDo(
      state,
      left.map(({ part }) => part),
    ),
  ];
  const askers = requester === ownerName || isActive(state, requester) ? [requester] : [];
  const receivers = [...new Set([...askers, ...left.flatMap(({ part }) => leadsOf(state, part.agent))])];
  return { message: prose(words), receivers };
}

/** Names only the tasks that nobody has claimed since. */
function whatToDo({ coordination }: TeamState, parts: readonly StoppingView[]): readonly string[] {
  const named = new Set(parts.flatMap(({ openClaims, disputed }) => [...openClaims, ...disputed]));
  const free = [...named].filter((task) => isFree(findTask(coordination.work, task, null)));
  const isUncommitted = parts.some(
    ({ artifactsCommitted, uncommitted }) => artifactsCommitted === false || (uncommitted?.count ?? 0) > 0,
  );
  const things = [
    ...(free.length === 0 ? [] : [`others can claim ${shortList(free)}`]),
    ...(isUncommitted ? ["what is not committed is in the work trees"] : []),
  ];
  return things.length === 0 ? [] : [`What to do: ${things.join("; ")}.`];
}

function isFree(task: Task | null): boolean {
  return task !== null && task.claim === null && !isReported(task);
}

function isActive({ team }: TeamState, agent: string): boolean {
  return team.roster.get(agent)?.status === "active";
}
