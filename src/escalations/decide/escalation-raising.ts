/**
 * Handing an issue up: which escalation is meant, and whether the level is the next. An escalation is opened by what
 * holds somebody up, learns more while it waits, and is opened once more where its decision did not help. Source:
 * docs/protocol/asking.md, sections 5 to 10.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortList } from "../../base/text.ts";
import { isAtOrAbove, type Level, levelAbove } from "../../messages/authority/chain-of-command.ts";
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
  isBeside,
  type LevelNotified,
  openOf,
  waitingAt,
} from "../state.ts";

/** An agent hands an issue up. `original`: the escalation it names; null: none. */
export interface Raise extends Spoken {
  readonly command: "raise";
  readonly level: Level;
  readonly target: Level;
  readonly original: string | null;
  /** Its level in the chain, null for an agent outside it; absent: the level that it names. */
  readonly chainLevel?: Level | null;
}

type Outcome = Result<Decided<EscalationEvent>, readonly Problem[]>;

/**
 * Brings an escalation up one level, or opens it there; a note says which. Refuses `wrong-value` (a level that is not the
 * next), `unknown-request` and `must-decide`.
 */
export function raise(command: Raise, state: Escalations): Outcome {
  const { agent, level, target, seq, atMs, trouble, levelSilentMs } = command;
  const bound = boundTo(command, state);
  if (!bound.ok) return bound;
  // If its own task already waits for an escalation, it is the same one, even if another agent raised it.
  const known = bound.value ?? escalationOf(state, idFor(trouble, state));
  if (known?.status !== "open") {
    const next = nextFor(target, command.chain, level);
    if (!next.ok) return err([next.error]);
    return known === null
      ? noting(
          "escalation-opened",
          openedWords(command, state, next.value),
          open(command, idFor(trouble, state), next.value),
        )
      : noting("escalation-joined", `Opens ${known.id} once more.`, again(command, known));
  }
  const { id } = known;
  // It waits at the requested level or higher: what the message adds is kept.
  if (isAtOrAbove(known.level, target)) {
    if (isKnown(trouble, known)) return nothing("escalation-unchanged", `${id} waits at ${known.level} already.`);
    return noting("escalation-joined", `Joined ${id}, which waits at ${known.level}.`, tell(known, command));
  }
  if (known.mustDecide) return err([mustDecide(known)]);
  const next = nextFor(target, known.chain, known.level);
  if (!next.ok) return err([next.error]);
  const { chainLevel = level } = command;
  if (chainLevel !== known.level) return err([elsewhere(known, chainLevel, "$.body.from")]);
  const raised = raisedTo(next.value, known, { agent, seq, atMs, levelSilentMs, ...trouble });
  return noting("escalation-joined", `Joined ${id}, which goes up to ${next.value}.`, raised);
}

/** The next level of the chain, if the message goes there: those below it that the message may name are empty. */
function nextFor(target: Level, chain: readonly Level[], level: Level): Result<Level, Problem> {
  const next = levelAbove(chain, level);
  return next !== null && isAtOrAbove(next, target) && !isAtOrAbove(level, target)
    ? ok(next)
    : err(notNext(target, next));
}

/** What became of the message, for its sender. */
function noting(code: "escalation-opened" | "escalation-joined", message: string, outcome: Outcome): Outcome {
  return outcome.ok ? ok({ ...outcome.value, notes: [{ code, path: "$", message }, ...outcome.value.notes] }) : outcome;
}

/** The new escalation in words, with others that wait at the sender's level, in case the sender meant one of them. */
function openedWords({ level, target, department, trouble }: Raise, state: Escalations, next: Level): string {
  const skipped = next === target ? "" : `, because nobody is at ${target}`;
  const opened = `This is the new escalation ${idFor(trouble, state)}; it waits at ${next}${skipped}.`;
  const others = waitingAt(state, level).filter((each) => isBeside(each, { department, level }));
  if (others.length === 0 || trouble.task !== null) return opened;
  const ids = shortList(others.map(({ id }) => id));
  return `${opened} At your level waits ${ids}; to raise that, name it in original_escalation.`;
}

/** An agent of the level where an escalation waits hands it to the next, whatever that level is called. */
export interface HandUp {
  readonly command: "hand-up";
  readonly agent: string;
  readonly department?: Department;
  readonly id: string;
  /** Null: the agent is in no chain. */
  readonly level: Level | null;
  readonly evidence: readonly string[];
  readonly options: readonly string[];
  /** What it would do; null: it does not say. */
  readonly recommendation: string | null;
  readonly levelSilentMs: number;
  readonly seq: number;
  readonly atMs: number;
}

/** There is no escalation of this id; somebody who names a task means the escalation about it. */
export function unknownEscalation(state: Escalations, id: string): Problem {
  const ofTask = escalationOf(state, escalationIdOf(id, null));
  const hint = ofTask === null ? listHint : `did you mean "${ofTask.id}"?`;
  return makeProblem("unknown-request", id, `There is no escalation "${id}".`, { received: id, hint });
}

/**
 * Brings an escalation one level up from where it waits, also above the architect, where no dialect has a word for it.
 * Refuses `unknown-request`, `already-answered`, `sender-not-authorised` (it waits at another level), `must-decide` and
 * `wrong-value` (nobody is above).
 */
export function handUp(command: HandUp, state: Escalations): Outcome {
  const { id, level, department } = command;
  const known = escalationOf(state, id);
  if (known === null) {
    return err([unknownEscalation(state, id)]);
  }
  if (known.status !== "open") {
    const message = `${known.id} was decided by ${known.decision?.decidedBy ?? "its level"}; it waits nowhere.`;
    const hint = "A new blocker on the task opens it again.";
    return err([makeProblem("already-answered", id, message, { hint })]);
  }
  if (!isBeside(known, { department, level })) return err([foreign(known, id)]);
  if (level !== known.level) {
    return err([elsewhere(known, level, id)]);
  }
  if (known.mustDecide) return err([mustDecide(known)]);
  const next = levelAbove(known.chain, known.level);
  if (next === null) {
    const message = `${known.id} waits at ${known.level}, and nobody is above.`;
    return err([makeProblem("wrong-value", id, message, { hint: decideIt(known.id) })]);
  }
  return raisedTo(next, known, command);
}

/** It waits at another level than the one that wants to hand it up. */
function elsewhere({ id, level }: Escalation, received: Level | null, path: string): Problem {
  const message = `${id} waits at ${level}, and only that level hands it up.`;
  return makeProblem("sender-not-authorised", path, message, {
    expected: level,
    received: received ?? "no level",
    hint: `Leave it to the ${level}.`,
  });
}

type Handed = Pick<HandUp, "agent" | "seq" | "atMs" | "levelSilentMs" | "evidence" | "options" | "recommendation"> &
  Partial<Pick<Trouble, "issue" | "severity">>;

function raisedTo(level: Level, known: Escalation, handed: Handed): Outcome {
  const { agent, seq, atMs, levelSilentMs, options, recommendation, issue = "", severity = known.severity } = handed;
  const { id, round, mustDecide: must } = known;
  const evidence = newIn({ issue, evidence: handed.evidence }, known);
  const step = { level, by: agent, how: "raised" as const, seq, atMs };
  const dueAtMs = dueAt(known.chain, level, atMs + levelSilentMs);
  const said = {
    evidence,
    ...offered(options),
    ...(recommendation === null ? {} : { recommendation }),
    ...worse({ severity }, known),
  };
  return ok({
    events: [{ event: "escalation-raised", id, step, round, mustDecide: must, ...said, dueAtMs }],
    notes: [],
  });
}

/** How a level decides, whose dialect may have no word for it. */
function decideIt(id: string): string {
  return `Decide it: \`baton escalation resolve ${id} --decision TEXT\`.`;
}

function mustDecide({ id, level }: Escalation): Problem {
  const message = `${id} was decided ${escalationRoundsMax} times without help; ${level} decides it now and raises it no further.`;
  return makeProblem("must-decide", "$.body.to", message, { hint: decideIt(id) });
}

/**
 * The escalation that a message means; null: a new one. A name decides (`unknown-request` for a wrong one), then the task;
 * then what it repeats of one that its sender handed up or that waits for it: the id, or the issue in the same words.
 */
function boundTo(command: Raise, state: Escalations): Result<Escalation | null, readonly Problem[]> {
  const { agent, level, original, department, trouble } = command;
  const isOwn = (each: Escalation) => isBeside(each, { department, level });
  if (original !== null) {
    const named = escalationOf(state, original);
    if (named?.status === "open" && !isOwn(named)) return err([foreign(named, "$.original_escalation")]);
    if (named?.status === "open") return ok(named);
    const message = `No open escalation has the id "${original}".`;
    return err([
      makeProblem("unknown-request", "$.original_escalation", message, { received: original, hint: listHint }),
    ]);
  }
  if (trouble.task !== null) return ok(null);
  const own = openOf(state).findLast((each) => repeats(trouble, each) && isFrom(agent, each));
  // Nothing waits for one that is outside the chain.
  const atLevel = command.chainLevel === null ? [] : waitingAt(state, level);
  const [meant = null, ...others] = atLevel.filter((each) => isOwn(each) && repeats(trouble, each));
  return ok(own ?? (others.length === 0 ? meant : null));
}

function isFrom(agent: string, { originators, steps }: Escalation): boolean {
  return originators.includes(agent) || steps.some(({ by }) => by === agent);
}

/** Whether somebody says which escalation is meant: by its id, or by its issue in the same words. */
function repeats({ issue, evidence }: Trouble, known: Escalation): boolean {
  return [issue, ...evidence].some(
    (said) =>
      sameWords(said) === sameWords(known.issue) || (said.match(/ESC-[\w-]+/gi) ?? []).some((id) => isId(id, known)),
  );
}

function isId(written: string, { id }: Escalation): boolean {
  return escalationKey(written.toUpperCase()) === escalationKey(id.toUpperCase());
}

function sameWords(words: string): string {
  return words.toLowerCase().replaceAll(/[.!]/g, "").replaceAll(/\s+/g, " ").trim();
}

/** Somebody of another department speaks for it. */
export function foreign({ id, department }: Escalation, path: string): Problem {
  const message = `${id} is a matter of the department ${department}, up to the architect.`;
  return makeProblem("sender-not-authorised", path, message, {
    expected: department,
    hint: `Leave it to ${department}, or to an architect.`,
  });
}

const listHint = "`baton needs --escalations` shows what waits, and for whom.";

function notNext(target: Level, next: Level | null): Problem {
  return makeProblem(
    "wrong-value",
    "$.body.to",
    `An escalation goes up one level at a time, and ${target} is not the next.`,
    {
      expected: next ?? "nobody: this is the highest level",
      received: target,
      hint: next === null ? undefined : `Write "${next}".`,
    },
  );
}

/** How often a task may be escalated. */
const escalationRoundsMax = 2;

/** What somebody is held up by. */
export type Trouble = Pick<
  Escalation,
  "issue" | "needs" | "recommendation" | "severity" | "evidence" | "options" | "phase" | "plan" | "task"
>;

/** What an agent says holds it up, and the chain above it. */
export interface Spoken {
  readonly agent: string;
  /** Who is held up, too; absent: nobody else. */
  readonly others?: readonly string[];
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
  if (known.status === "open") {
    if (known.originators.includes(agent) && isKnown(trouble, known)) {
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
function tell(known: Escalation, { agent, trouble }: Spoken): Outcome {
  const { id } = known;
  const [evidence, { options }] = [newIn(trouble, known), trouble];
  const more = { ...offered(options), ...worse(trouble, known) };
  return ok({ events: [{ event: "escalation-told", id, agent, evidence, mustDecide: false, ...more }], notes: [] });
}

/** From the mildest to the worst. */
const severities = ["minor", "major", "blocking"] as const;

/** The severity that somebody adds, where it is worse than what is known. */
function worse(
  { severity }: Pick<Trouble, "severity">,
  known: Escalation,
): { readonly severity?: Escalation["severity"] } {
  return severities.indexOf(severity) > severities.indexOf(known.severity) ? { severity } : {};
}

function isKnown(trouble: Trouble, known: Escalation): boolean {
  return newIn(trouble, known).length === 0 && worse(trouble, known).severity === undefined;
}

/** What is said that is not known yet: the trouble in other words than at first, and evidence. */
function newIn({ issue, evidence }: Pick<Trouble, "issue" | "evidence">, known: Escalation): readonly string[] {
  const said = [...(issue === "" || issue === known.issue ? [] : [issue]), ...evidence];
  return said.filter((each) => !known.evidence.includes(each));
}

/** Choices, where there are any. */
function offered(options: readonly string[]): { readonly options?: readonly string[] } {
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
  const more = { ...offered(options), ...worse(trouble, known) };
  const raised = { id: known.id, step, round, mustDecide, evidence, ...more, dueAtMs };
  return ok({ events: [{ event: "escalation-raised", ...raised }], notes: [] });
}

/** Opens an escalation, which waits at a level for the first time. */
export function open(command: Spoken, id: string, level: Level): Outcome {
  const { agent, others = [], department, seq, atMs, chain, trouble, levelSilentMs } = command;
  const escalation: Escalation = {
    ...trouble,
    id,
    originators: [...new Set([agent, ...others])],
    ...(department === undefined ? {} : { department }),
    chain,
    level,
    round: 1,
    mustDecide: false,
    steps: [{ level, by: agent, how: "opened", seq, atMs }],
    openedAtMs: atMs,
    dueAtMs: dueAt(chain, level, atMs + levelSilentMs),
    status: "open",
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
    const id = escalationIdOf(`${count}`, `${phase ?? 0}`);
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
  const isNew = known?.status === "open" && known.steps.at(-1)?.seq === since;
  const dueAtMs = isNew ? dueAt(known.chain, known.level, atMs + levelSilentMs) : null;
  if (dueAtMs === null || dueAtMs === known?.dueAtMs) return { events: [], notes: [] };
  return { events: [{ event: "level-told", id, dueAtMs }], notes: [] };
}

/** When a level that may be silent until `untilMs` is skipped. The highest is not: there is nobody above it. */
function dueAt(chain: readonly Level[], level: Level, untilMs: number): number | null {
  return levelAbove(chain, level) === null ? null : untilMs;
}
