/**
 * Which messages escalate, decide and go on, whatever they are called: blockers and escalations go up, resolutions decide,
 * progress closes.
 * Source: docs/protocol/asking.md, sections 5 to 10.
 */
import type { Json } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { chainLevelOf, type Level, levelOf } from "../../messages/authority/chain-of-command.ts";
import { type Fact, says } from "../../messages/facts.ts";
import type { Note } from "../../messages/message.ts";
import { deciderName, ownerName, type Principal } from "../../messages/principal.ts";
import { planKey, planKeyOfReference, planKeyOfTask } from "../../messages/task-ids.ts";
import type { Decided } from "../../perform/decider.ts";
import { unknownTask } from "../../tasks/decide/claims.ts";
import { findTask, type Work } from "../../tasks/state/task-state.ts";
import type { EscalationEvent, Escalations } from "../state.ts";
import type { HandUp, Trouble } from "./escalation-raising.ts";
import { escalations, type ResolutionEvent, type Resolutions, resolutions } from "./escalations.ts";

/** The part of the state that escalations are decided on. */
interface State {
  readonly escalations: Escalations;
  readonly resolutions: Resolutions;
  readonly work: Work;
}

/** What a message says, and who says it. */
interface Said {
  readonly fact: Fact;
  readonly principal: Principal;
  /** Whether the sender passes on what the user decided; absent: it speaks for itself. */
  readonly speaksForUser?: boolean;
  readonly receivers: readonly string[];
  /** The chain above the sender; absent where the fact asks for none. */
  readonly chain?: readonly Level[];
  /** How long a level may be silent. */
  readonly levelSilentMs: number;
  /** The chain of agents that registered the sender's name, as in `Judge`; absent: none did. */
  readonly registrars?: readonly string[];
  readonly seq: number;
  readonly atMs: number;
}

/** The phase that a message belongs to where it names none, looked up where it is needed; null: nobody knows. */
type PhaseOf = () => string | number | null;

type Event = EscalationEvent | ResolutionEvent;
type Outcome = Result<Decided<Event>, readonly Problem[]>;

const quiet: Outcome = ok({ events: [], notes: [] });

/** What a fact of any kind does to escalations. Refuses what `escalations.ts` refuses. */
export function decideEscalations(state: State, said: Said, phaseOf: PhaseOf): Outcome {
  const { fact } = said;
  if (says(fact, "progress") || says(fact, "completion")) {
    const { taskId, planId } = fact.body;
    const { principal, seq, atMs } = said;
    const meant = inRecord(state.work, taskId, planId);
    return escalations.decide({ command: "go-on", agent: principal.agent, seq, atMs, ...meant }, state.escalations);
  }
  if (says(fact, "blocker")) return decideBlocker(state, said, fact, phaseOf);
  if (says(fact, "escalation")) return decideRaise(state, said, fact, phaseOf);
  if (says(fact, "resolution")) return decideResolution(state, said, fact.body);
  return quiet;
}

/** A task as its plan has it, which may be named by its number alone: one task has one escalation. */
function inRecord(work: Work, taskId: string, planId: string | null) {
  const known = findTask(work, taskId, planId);
  return { task: known?.task ?? taskId, plan: planId ?? known?.plan ?? null };
}

function decideBlocker(state: State, said: Said, { body, head }: Fact<"blocker">, phaseOf: PhaseOf): Outcome {
  const { severity = "blocking", blocker, needs, attempted = [], taskId, planId } = body;
  if (severity !== "blocking") {
    const message = `A blocker that is ${severity} informs; it opens no escalation.`;
    return ok({ events: [], notes: [{ code: "blocker-informs", path: "$.body.severity", message }] });
  }
  const trouble: Trouble = {
    issue: blocker,
    needs,
    recommendation: null,
    severity: "blocking",
    evidence: attempted,
    options: optionsOf(said.fact),
    phase: head.phase ?? phaseOf(),
    ...inRecord(state.work, taskId, planId),
  };
  const decided = escalations.decide(
    { command: "report-blocker", ...momentOf(said), ...aboveOf(said), level: levelIn(said) ?? "dev", trouble },
    state.escalations,
  );
  const unlisted = unlistedNote(state.work, taskId, planId);
  if (!decided.ok || unlisted === null) return decided;
  return ok({ ...decided.value, notes: [...decided.value.notes, unlisted] });
}

/** A blocker of a task that a listed plan does not have: it is passed on, and holds no task. */
function unlistedNote(work: Work, taskId: string, planId: string | null): Note | null {
  const plan = planId ?? planKeyOfTask(taskId);
  if (taskId === "" || plan === null || !work.plans.has(planKey(plan))) return null;
  if (findTask(work, taskId, plan) !== null) return null;
  const { code, path, message } = unknownTask(work, taskId, plan);
  return {
    code,
    path,
    message: `${message} The blocker is passed on and waits for a decision, and no task is held by it.`,
  };
}

function decideRaise(state: State, said: Said, { body, head }: Fact<"escalation">, phaseOf: PhaseOf): Outcome {
  const { to: target, issue, recommendation, severity, evidence } = body;
  const { task } = head;
  const options = optionsOf(said.fact);
  const trouble: Trouble = {
    issue,
    needs: null,
    recommendation,
    severity,
    evidence,
    options: options.length > 0 || recommendation === "" ? options : [recommendation],
    phase: head.phase ?? phaseOf(),
    ...(task === null || task === ""
      ? { plan: null, task: null }
      : inRecord(state.work, task, planKeyOfReference(task))),
  };
  const original = extraOf(said.fact, "original_escalation");
  return escalations.decide(
    {
      command: "raise",
      ...momentOf(said),
      ...aboveOf(said),
      level: levelIn(said) ?? body.from,
      chainLevel: chainLevelIn(said),
      target,
      original: typeof original === "string" ? original : null,
      trouble,
    },
    state.escalations,
  );
}

/** A decision: the escalation's, and what others may pass on word for word. */
export function decideResolution(
  state: State,
  said: Omit<Said, "fact" | "receivers" | "levelSilentMs">,
  body: Fact<"resolution">["body"],
): Outcome {
  const { seq, principal } = said;
  const { originalEscalation: id, decision, rationale, actionItems } = body;
  const recorded = resolutions.decide(
    { command: "record-resolution", body, sender: principal.agent, seq },
    state.resolutions,
  );
  const decided = escalations.decide(
    { command: "resolve", ...momentOf(said), ...authorityOf(said), id, decision, rationale, actionItems },
    state.escalations,
  );
  if (!decided.ok) return decided;
  if (!recorded.ok) return err(recorded.error);
  return ok({
    events: [...recorded.value.events, ...decided.value.events],
    notes: [...recorded.value.notes, ...decided.value.notes],
  });
}

/** An agent's own word, through a door, that its level hands an escalation up. Refuses what `escalation-raising.ts` does. */
export function decideHandUp(
  state: Pick<State, "escalations">,
  said: Pick<Said, "principal" | "seq" | "atMs" | "levelSilentMs">,
  handed: Pick<HandUp, "id" | "evidence" | "options" | "recommendation">,
): Result<Decided<EscalationEvent>, readonly Problem[]> {
  const { levelSilentMs } = said;
  return escalations.decide(
    { command: "hand-up", ...momentOf(said), level: chainLevelIn(said), levelSilentMs, ...handed },
    state.escalations,
  );
}

function authorityOf(said: Pick<Said, "principal" | "registrars" | "speaksForUser">) {
  const { principal, registrars, speaksForUser: isSpeaker = false } = said;
  const judge = registrars === undefined ? {} : { registrars };
  const level = isSpeaker ? ("user" as const) : chainLevelIn(said);
  return { level, decidedBy: deciderName(principal), isPerson: principal.agent === ownerName, isSpeaker, ...judge };
}

/** The level of the sender; the person who owns the team is its user. */
function levelIn({ principal: { agent, role } }: Pick<Said, "principal">): Level | null {
  if (agent === ownerName) return "user";
  return role === null ? null : levelOf(role);
}

function aboveOf({ chain = [], levelSilentMs }: Said) {
  return { chain, levelSilentMs };
}

function momentOf({ principal: { agent, department }, seq, atMs }: Pick<Said, "principal" | "seq" | "atMs">) {
  return { agent, ...(department === undefined ? {} : { department }), seq, atMs };
}

/** The sender's level in the chain; null: it is outside the chain. */
function chainLevelIn({ principal: { agent, role } }: Pick<Said, "principal">): Level | null {
  if (agent === ownerName) return "user";
  return role === null ? null : chainLevelOf(role);
}

/** Choices that a message offers in addition to its own fields. */
function optionsOf(fact: Fact): readonly string[] {
  const options = extraOf(fact, "options");
  return Array.isArray(options) ? options.filter((option) => typeof option === "string") : [];
}

function extraOf({ extra }: Fact, name: string): Json | undefined {
  return extra?.payload?.[name] ?? extra?.envelope?.[name];
}
