/**
 * Who is held up, and by what: an escalation is opened, learns more while it waits, and is opened once more where its
 * decision did not help.
 * Source: docs/protocol/asking.md, sections 5 to 10.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { type Level, levelAbove } from "../../messages/authority/chain-of-command.ts";
import { batonName } from "../../messages/principal.ts";
import type { Department } from "../../messages/role.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import {
  type Escalation,
  type EscalationEvent,
  type EscalationRaised,
  type Escalations,
  escalationIdOf,
  escalationKey,
  escalationOf,
  firstDeserted,
  firstEscalationDue,
  type LevelNotified,
} from "../state.ts";

/** How often a task may be escalated. */
export const escalationRoundsMax = 2;

/** What somebody is held up by. */
export type Trouble = Pick<
  Escalation,
  "issue" | "needs" | "recommendation" | "severity" | "evidence" | "options" | "phase" | "plan" | "task"
>;

/** What an agent says holds it up, and the chain above it. */
export interface Spoken {
  readonly agent: string;
  /** Absent: it is in none. */
  readonly department?: Department;
  readonly chain: readonly Level[];
  readonly trouble: Trouble;
  /** How long a level may be silent about it. */
  readonly levelSilentMs: number;
  readonly seq: number;
  readonly atMs: number;
}

/** An agent cannot go on with a task. */
export interface ReportBlocker extends Spoken {
  readonly command: "report-blocker";
  readonly level: Level;
}

type Outcome = Result<Decided<EscalationEvent>, readonly Problem[]>;

/** Opens an escalation, adds to one that waits, or opens one again that was decided. Never refused. */
export function reportBlocker(command: ReportBlocker, state: Escalations): Outcome {
  const { trouble, agent, level, chain } = command;
  const id = idFor(trouble, state);
  const known = escalationOf(state, id);
  if (known === null) {
    const target = levelAbove(chain, level);
    return target === null
      ? nothing("top-level", "Nobody is above the sender; it decides itself.")
      : open(command, id, target);
  }
  if (known.standing === "open") {
    if (known.originators.includes(agent) && newIn(trouble, known).length === 0) {
      return nothing(
        "escalation-unchanged",
        `${known.id} waits at ${known.level} since entry ${known.steps.at(-1)?.seq}.`,
      );
    }
    return tell(known, command);
  }
  return again(command, known);
}

/** Keeps what is said of an escalation that waits already. */
export function tell(known: Escalation, { agent, trouble }: Spoken): Outcome {
  const { id } = known;
  const [evidence, { options }] = [newIn(trouble, known), trouble];
  const event = { event: "escalation-told" as const, id, agent, evidence, mustDecide: false, ...offered(options) };
  return ok({ events: [event], notes: [] });
}

/** What is said that is not known yet: the trouble in other words than at first, and evidence. */
export function newIn({ issue, evidence }: Trouble, known: Escalation): readonly string[] {
  const said = [...(issue === "" || issue === known.issue ? [] : [issue]), ...evidence];
  return said.filter((each) => !known.evidence.includes(each));
}

/** Choices, where there are any. */
export function offered(options: readonly string[]): { readonly options?: readonly string[] } {
  return options.length === 0 ? {} : { options };
}

/** What was decided did not help: once more, from the level that decided, and then it must decide for good. */
export function again(command: Spoken, known: Escalation): Outcome {
  const { agent, seq, atMs, trouble, levelSilentMs } = command;
  const round = Math.min(known.round + 1, escalationRoundsMax);
  const mustDecide = known.round >= escalationRoundsMax;
  const level = known.decision?.level ?? known.level;
  const step = { level, by: agent, how: "again" as const, seq, atMs };
  const dueAtMs = dueAt(known.chain, level, atMs + levelSilentMs);
  const [evidence, { options }] = [newIn(trouble, known), trouble];
  const raised = { id: known.id, step, round, mustDecide, evidence, ...offered(options), dueAtMs };
  return ok({ events: [{ event: "escalation-raised", ...raised }], notes: [] });
}

/** Opens an escalation, which waits at a level for the first time. */
export function open(command: Spoken, id: string, level: Level): Outcome {
  const { agent, department, seq, atMs, chain, trouble, levelSilentMs } = command;
  const escalation: Escalation = {
    ...trouble,
    id,
    originators: [agent],
    ...(department === undefined ? {} : { department }),
    chain,
    level,
    round: 1,
    mustDecide: false,
    steps: [{ level, by: agent, how: "opened", seq, atMs }],
    openedAtMs: atMs,
    dueAtMs: dueAt(chain, level, atMs + levelSilentMs),
    standing: "open",
    decision: null,
  };
  return ok({ events: [{ event: "escalation-opened", escalation }], notes: [] });
}

/** The id of the escalation that this trouble is, or would be. */
export function idFor({ task, plan, phase }: Trouble, state: Escalations): string {
  return task === null ? numberedId(state, phase) : escalationIdOf(task, plan);
}

/** The first free number of the phase: a task may be called so too. */
function numberedId(state: Escalations, phase: number | string | null): string {
  for (let count = (state.numbered.get(escalationKey(`${phase ?? 0}`)) ?? 0) + 1; ; count++) {
    const id = `ESC-${phase ?? 0}-${count}`;
    if (escalationOf(state, id) === null) return id;
  }
}

/*
 * Levels that say nothing: what waits at one goes up by itself, once the level has had its whole time since it was
 * reported, and immediately if no agent is left there. The highest waits for as long as it takes. Source:
 * docs/protocol/asking.md, sections 5 to 10.
 */

/**
 * The level at which nobody is left, else the one that was silent longest beyond its time: each is a separate entry.
 */
export interface PassLevel {
  readonly command: "pass-level";
  /** How long the next level may be silent. */
  readonly levelSilentMs: number;
  readonly seq: number;
  readonly atMs: number;
}

/**
 * Raises what waits at a level where nobody is left, else at the one that was silent longest beyond its time, if one
 * was. The record of it notifies the next level, so its time runs from there: if no process looked for long, no level
 * is skipped that could not answer.
 */
export function passLevel({ seq, atMs, levelSilentMs }: PassLevel, state: Escalations): Decided<EscalationRaised> {
  const left = firstDeserted(state);
  const due = left ?? firstEscalationDue(state, atMs);
  const next = due === null ? null : levelAbove(due.chain, due.level);
  if (due === null || due.dueAtMs === null || next === null) return { events: [], notes: [] };
  const step = { level: next, by: batonName, how: left === null ? ("silence" as const) : ("left" as const), seq, atMs };
  const { id, round, mustDecide } = due;
  const dueAtMs = dueAt(due.chain, next, atMs + levelSilentMs);
  return {
    events: [{ event: "escalation-raised", id, step, round, mustDecide, evidence: [], dueAtMs }],
    notes: [],
  };
}

/** Baton tells a level of what waits there. */
export interface TellLevel {
  readonly command: "tell-level";
  readonly id: string;
  /** The entry whose message did not reach the level. */
  readonly since: number;
  readonly levelSilentMs: number;
  readonly atMs: number;
}

/**
 * Starts a level's time now, if that entry brought the escalation there. A level that knew of it and only gets an
 * addition keeps its time.
 */
export function tellLevel({ id, since, levelSilentMs, atMs }: TellLevel, state: Escalations): Decided<LevelNotified> {
  const known = escalationOf(state, id);
  const isNew = known?.standing === "open" && known.steps.at(-1)?.seq === since;
  const dueAtMs = isNew ? dueAt(known.chain, known.level, atMs + levelSilentMs) : null;
  if (dueAtMs === null || dueAtMs === known?.dueAtMs) return { events: [], notes: [] };
  return { events: [{ event: "level-told", id, dueAtMs }], notes: [] };
}

/** When a level that may be silent until `untilMs` is skipped. The highest is not: there is nobody above it. */
export function dueAt(chain: readonly Level[], level: Level, untilMs: number): number | null {
  return levelAbove(chain, level) === null ? null : untilMs;
}
