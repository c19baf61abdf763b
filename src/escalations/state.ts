/**
 * Escalations as they are kept: what each is about, at which level it waits, how it came there, what was decided. The
 * rules about them are `escalations.ts`.
 */

import { invariant } from "../base/invariant.ts";
import { isAtOrAbove, type Level } from "../messages/authority/chain-of-command.ts";
import type { Department } from "../messages/role.ts";
import { planKey, taskKey } from "../messages/task-ids.ts";
import { addDeadline, type Deadlines, dropEnded, passedDeadlines } from "../perform/deadlines.ts";
import { enter, leave } from "../perform/decider.ts";

/** How an escalation came to a level. `silence`: the level below said nothing in time. `left`: nobody was left there. */
interface EscalationStep {
  readonly level: Level;
  /** The agent that raised it, or `baton`. */
  readonly by: string;
  readonly how: "opened" | "raised" | "silence" | "left" | "again";
  readonly seq: number;
  readonly atMs: number;
}

/** What was decided. */
interface EscalationDecision {
  readonly decision: string;
  readonly rationale: string;
  readonly actionItems: readonly string[];
  /** The level that decided, and who spoke for it. */
  readonly level: Level;
  readonly decidedBy: string;
  readonly seq: number;
  readonly atMs: number;
}

/** One escalation. */
export interface Escalation {
  readonly id: string;
  /** Who is held up, the first that said so first. */
  readonly originators: readonly string[];
  readonly phase: number | string | null;
  /** Plan and task as written; null: it is about none. */
  readonly plan: string | null;
  readonly task: string | null;
  readonly issue: string;
  readonly needs: string | null;
  readonly recommendation: string | null;
  readonly severity: "blocking" | "major" | "minor";
  readonly evidence: readonly string[];
  /** What the one who decides may choose from; a decision in other words is as good. */
  readonly options: readonly string[];
  /** Where who is held up works; absent: in none, or there is only one. */
  readonly department?: Department;
  /** Levels it may wait at, lowest first. */
  readonly chain: readonly Level[];
  readonly level: Level;
  /** 1, or 2 after a decision that did not help. */
  readonly round: number;
  /** A further blocker came after the last round: the level where it waits decides and raises it no further. */
  readonly mustDecide: boolean;
  readonly steps: readonly EscalationStep[];
  readonly openedAtMs: number;
  /** When the level is skipped; null: the last one waits for as long as it takes, or nothing waits. */
  readonly dueAtMs: number | null;
  readonly status: "open" | "resolved" | "closed";
  readonly decision: EscalationDecision | null;
}

export interface Escalations {
  /** By `escalationKey` of the id, in the order they came. */
  readonly all: Map<string, Escalation>;
  /** Keys of the open ones, in the order they came. */
  readonly open: Map<string, true>;
  /** Keys of the open ones by the level where they wait, and of those not closed by the one who is held up. */
  readonly byLevel: Map<string, Map<string, true>>;
  readonly byOriginator: Map<string, Map<string, true>>;
  /** How many are under `ESC-{phase}-{n}`, by phase. */
  readonly numbered: Map<string, number>;
  readonly deadlines: Deadlines;
  /** Keys of the open ones at whose level nobody is left. */
  readonly deserted: Map<string, true>;
}

/** None yet. */
export function noEscalations(): Escalations {
  return {
    all: new Map(),
    open: new Map(),
    byLevel: new Map(),
    byOriginator: new Map(),
    numbered: new Map(),
    deadlines: [],
    deserted: new Map(),
  };
}

/** The escalation with that id, however its numbers are written; null: there is none. */
export function escalationOf(state: Escalations, id: string): Escalation | null {
  return state.all.get(escalationKey(id)) ?? null;
}

/**
 * Whether somebody of that department may speak for an escalation at that level: below the architect each department is
 * among itself; an agent in none, or in one that all share, belongs to every one.
 */
export function isBeside(
  { department: own, chain }: Pick<Escalation, "department" | "chain">,
  { department, level }: { readonly department: Department | undefined; readonly level: Level | null },
): boolean {
  if (level !== null && isAtOrAbove(level, "architect")) return true;
  // Only where several departments are at work is an owner in the chain.
  if (!chain.includes("owner") || own === undefined || department === undefined) return true;
  return own === department || own === "shared" || department === "shared";
}

/** Open ones, oldest first. */
export function openOf(state: Escalations): readonly Escalation[] {
  return [...state.open.keys()].map((key) => at(state, key));
}

/** Open ones that wait at a level, oldest first. */
export function waitingAt(state: Escalations, level: Level): readonly Escalation[] {
  return keysAt(state.byLevel, level).map((key) => at(state, key));
}

/** Those of an originator that are not closed, oldest first. */
export function heldUp(state: Escalations, agent: string): readonly Escalation[] {
  return keysAt(state.byOriginator, agent).map((key) => at(state, key));
}

/** When the next level is skipped, in the accepting machine's milliseconds; null: none is. */
export function nextEscalationDeadline(state: Escalations): number | null {
  return state.deadlines[0]?.[0] ?? null;
}

/** The open escalation whose level was silent longest beyond its time at `atMs`; null: none was. */
export function firstEscalationDue(state: Escalations, atMs: number): Escalation | null {
  const due = passedDeadlines(state.deadlines, atMs)
    .flatMap((entry) => withDeadline(state, entry) ?? [])
    .toSorted((a, b) => (a.dueAtMs ?? 0) - (b.dueAtMs ?? 0) || a.openedAtMs - b.openedAtMs);
  return due[0] ?? null;
}

/** The open escalation that waits longest at a level where nobody is left; null: none does. */
export function firstDeserted(state: Escalations): Escalation | null {
  const waiting = [...state.deserted.keys()].map((key) => at(state, key));
  return waiting.toSorted((a, b) => a.openedAtMs - b.openedAtMs)[0] ?? null;
}

/** Whether there is somebody at a level who may decide what holds these up. */
export type IsAnybodyAt = (level: Level, originators: readonly string[]) => boolean;

/** Keeps whether somebody is left where open escalations wait, in place: those with these ids, or all. */
export function keepDeserted(state: Escalations, isAnybodyAt: IsAnybodyAt, ids?: readonly string[]): void {
  for (const key of ids?.map(escalationKey) ?? state.open.keys()) {
    if (!state.open.has(key)) continue;
    const { level, originators, dueAtMs } = at(state, key);
    // The highest level has no deadline, and nobody is above it.
    if (dueAtMs === null || isAnybodyAt(level, originators)) state.deserted.delete(key);
    else state.deserted.set(key, true);
  }
}

/** Stores the current state of an escalation, and every index of it, in place. */
export function keepEscalation(state: Escalations, escalation: Escalation): Escalations {
  const key = escalationKey(escalation.id);
  const before = state.all.get(key);
  state.all.set(key, escalation);
  if (before !== undefined) leave(state.byLevel, before.level, key);
  // Who is at another level is seen when the entry is folded.
  if (before?.level !== escalation.level) state.deserted.delete(key);
  if (escalation.status === "open") {
    state.open.set(key, true);
    enter(state.byLevel, escalation.level, key);
  } else {
    state.open.delete(key);
    state.deserted.delete(key);
  }
  for (const agent of before?.originators ?? []) leave(state.byOriginator, agent, key);
  if (escalation.status !== "closed") {
    for (const agent of escalation.originators) enter(state.byOriginator, agent, key);
  }
  const { dueAtMs } = escalation;
  if (dueAtMs !== null && dueAtMs !== before?.dueAtMs) addDeadline(state.deadlines, dueAtMs, `${dueAtMs}/${key}`);
  dropEnded(state.deadlines, (entry) => withDeadline(state, entry) !== null);
  return state;
}

/** The escalation that this very deadline is of; an earlier level's means nothing any more. */
function withDeadline(state: Escalations, entry: string): Escalation | null {
  const escalation = state.all.get(entry.slice(entry.indexOf("/") + 1));
  return escalation?.status === "open" && `${escalation.dueAtMs}` === entry.slice(0, entry.indexOf("/"))
    ? escalation
    : null;
}

function at(state: Escalations, key: string): Escalation {
  const escalation = state.all.get(key);
  invariant(escalation !== undefined, `an index of escalations names one that is kept: ${key}`);
  return escalation;
}

function keysAt(sets: Map<string, Map<string, true>>, name: string): readonly string[] {
  return [...(sets.get(name)?.keys() ?? [])];
}

/*
 * Ids of escalations: `ESC-{phase}-{plan}-T{n}` for a task, `ESC-{phase}-{n}` where there is none; phase and plan have two
 * digits. They are compared by their numbers, as ids of plans and tasks are.
 * Source: docs/protocol/asking.md, sections 5 to 10; tests/requirements/yolo-1.tsv.
 */

/** The id of a task's escalation. */
export function escalationIdOf(taskId: string, planId: string | null): string {
  const [, plan = planId, task = taskId] = /^(.*)-(T\d+)$/.exec(taskKey(taskId, planId)) ?? [];
  return `ESC-${plan === null ? "" : `${planPart(plan)}-`}${task}`;
}

function planPart(planId: string): string {
  const key = planKey(planId);
  return /^\d+(?:-\d+)?$/.test(key) ? key.replaceAll(/\d+/g, (digits) => `${Number(digits)}`.padStart(2, "0")) : key;
}

/** The form by which ids are compared: without the zeros that numbers may be filled up with. */
export function escalationKey(id: string): string {
  return id.replaceAll(/[0-9]+/g, (digits) => digits.replace(/^0+/, "") || "0");
}

/* What can happen to escalations, as facts of the journal. */

/** Somebody is held up, by something that nobody raised before. */
export interface EscalationOpened {
  readonly event: "escalation-opened";
  readonly escalation: Escalation;
}

/** More was said of an escalation that waits, by one more that it holds up or by the same. */
export interface EscalationAmended {
  readonly event: "escalation-told";
  readonly id: string;
  readonly agent: string;
  readonly evidence: readonly string[];
  /** Choices that were offered in addition to those known; absent: none. */
  readonly options?: readonly string[];
  /** Worse than it was known to be; absent: no worse. */
  readonly severity?: Escalation["severity"];
  readonly mustDecide: boolean;
}

/** Baton told its level of it, which the message itself did not reach; the level's time runs from here. */
export interface LevelNotified {
  readonly event: "level-told";
  readonly id: string;
  readonly dueAtMs: number;
}

/** It waits at another level, or again at one that decided it: by an agent's word or by silence. */
export interface EscalationRaised {
  readonly event: "escalation-raised";
  readonly id: string;
  readonly step: EscalationStep;
  readonly round: number;
  readonly mustDecide: boolean;
  readonly evidence: readonly string[];
  /**
   * Choices that were offered in addition to those known, and what the agent that raised it recommends; absent: none,
   * nothing.
   */
  readonly options?: readonly string[];
  readonly recommendation?: string;
  /** Worse than it was known to be; absent: no worse. */
  readonly severity?: Escalation["severity"];
  readonly dueAtMs: number | null;
}

/** It was decided; those who were held up have not gone on yet. */
export interface EscalationResolved {
  readonly event: "escalation-resolved";
  readonly id: string;
  readonly decision: EscalationDecision;
}

/** The agent that was held up continues. */
export interface EscalationClosed {
  readonly event: "escalation-closed";
  readonly id: string;
  readonly seq: number;
  readonly atMs: number;
}

export type EscalationEvent =
  | EscalationOpened
  | EscalationAmended
  | LevelNotified
  | EscalationRaised
  | EscalationResolved
  | EscalationClosed;
