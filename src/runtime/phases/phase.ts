/**
 * Phases through a door: how far each is, a step that is left out, an end, and a failed security audit that the owner lifts.
 * Source: docs/protocol/phases.md.
 */
import { argument } from "../../base/argument.ts";
import { plainCopy } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { nearest } from "../../base/text.ts";
import { decidePhaseCommand } from "../../coordination/deciders.ts";
import { changedMeanwhile, changesOfStop } from "../../coordination/needs/changed-meanwhile.ts";
import { factsOf } from "../../coordination/phases/phase-facts.ts";
import {
  currentPart,
  isPhaseStep,
  namedPart,
  type Part,
  phaseKey,
  phaseSteps,
} from "../../coordination/phases/phase-state.ts";
import { type PhaseView, phaseViews } from "../../coordination/phases/phase-view.ts";
import { isHeld, stepsOf } from "../../coordination/phases/steps/phase-conditions.ts";
import { ownStepProblem } from "../../coordination/phases/steps/phase-judges.ts";
import { ownerName, type Principal } from "../../message/principal.ts";
import { isWorkDepartment, type WorkDepartment, workDepartments } from "../../message/role.ts";
import type {
  EndPhase,
  ExcludeDepartment,
  LiftStop,
  ListPhases,
  Named,
  SkipStep,
} from "../../operations/generated/calls.ts";
import type { Reply } from "../../operations/reply.ts";
import { act, type Command } from "../command.ts";
import type { Actor, Context } from "../context.ts";
import type { TeamState } from "../state.ts";
import { settingOf } from "./phase-setting.ts";

/** The state of phases, those with numbers in their order; `phase`: only that one. Refuses `not-found`. */
export async function phases(
  context: Context,
  { phase }: ListPhases = {},
): Promise<Result<readonly PhaseView[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const views = viewsOf(context, state);
  if (phase === undefined) return ok(plainCopy(views));
  const key = phaseKey(phase);
  const named = views.filter((view) => phaseKey(view.phase) === key);
  return named.length > 0 ? ok(plainCopy(named)) : err(unknownPhase(phase));
}

/** Every phase of the state, as it is now. */
export function viewsOf(context: Context, state: TeamState): readonly PhaseView[] {
  return phaseViews(state.coordination, settingOf(context, state), context.clock.now());
}

/**
 * Leaves a step out, with the reason. The owner, leads in their own department, and architects. Refuses `wrong-value`,
 * `not-found`, `sender-not-authorised`, `own-request` (others judge its own work by the step), and `human-required` where a
 * failed audit or an open escalation holds the step.
 */
export function skipStep(context: Context, actor: Actor, asked: SkipStep, options: Named = {}): Promise<Reply> {
  const { step, reason } = asked;
  return phaseAct(
    context,
    actor,
    { name: "skip-step", asked: { ...asked }, options, of: asked },
    (state, part, said) => {
      if (!isPhaseStep(step)) return err([noSuchStep(step)]);
      if (reason.trim() === "")
        return err([problem("missing-field", argument("reason"), "A step is left out with a reason.")]);
      const facts = factsOf(state.coordination, part, settingOf(context, state));
      if (isHeld(step, facts)) return err([heldStep(step)]);
      const own = ownStepProblem(state.coordination, part, {
        step,
        agent: said.by,
        setting: settingOf(context, state),
      });
      if (own !== null) return err([own]);
      return decidePhaseCommand(state.coordination, {
        decider: "phases",
        command: { command: "skip-step", part, step, skip: { ...said, reason } },
      });
    },
  );
}

/**
 * Ends a part of a phase. The owner and leads, where no departments are at work; else the owner ships the phase. Refuses
 * `phase-open` with every step that is neither done nor skipped.
 */
export function endPhase(context: Context, actor: Actor, asked: EndPhase, options: Named = {}): Promise<Reply> {
  return phaseAct(
    context,
    actor,
    { name: "end-phase", asked: { ...asked }, options, of: asked },
    (state, part, said) => {
      if (part.department !== null) return err([ownersEnd(part)]);
      const setting = settingOf(context, state);
      const open = stepsOf(factsOf(state.coordination, part, setting), setting)
        .filter(({ step, state: standing }) => step !== "signoff" && (standing === "pending" || standing === "running"))
        .map(({ step, exit }) => ({ step, missing: exit.flatMap(({ met, says }) => (met ? [] : [says])) }));
      return decidePhaseCommand(state.coordination, {
        decider: "phases",
        command: { command: "end-phase", part, ended: said, open },
      });
    },
  );
}

/** Lifts a failed security audit, which the owner alone does. Refuses as `quality.ts` does, and `changed-meanwhile`. */
export function liftStop(context: Context, actor: Actor, asked: LiftStop, options: Named = {}): Promise<Reply> {
  const command: Command = {
    name: "lift-stop",
    asked: { ...asked },
    decide(state, { seq }, { agent: by }) {
      const { stop = null, reason, ifSeq } = asked;
      if (reason.trim() === "")
        return err([problem("missing-field", argument("reason"), "A failed audit is lifted with a reason.")]);
      const decided = decidePhaseCommand(state.coordination, {
        decider: "quality",
        command: { command: "lift-stop", stop, reason, said: { by, seq } },
      });
      const lifted = decided.ok ? decided.value.events.find(({ event }) => event === "stop-lifted") : undefined;
      const known = lifted?.event === "stop-lifted" ? state.coordination.quality.stops.get(lifted.stop) : undefined;
      if (known === undefined) return decided;
      const changed = changedMeanwhile(changesOfStop(state.coordination, known), ifSeq, known.stop);
      return changed === null ? decided : err([changed]);
    },
  };
  return act(context, actor, command, options.id);
}

/**
 * Leaves a department out of a phase, which the person alone does: also one that has reported that it failed. Refuses
 * `human-required`, `wrong-value` (no such department, or the phase does not need it), `not-found` and `missing-field`.
 */
export function excludeDepartment(
  context: Context,
  actor: Actor,
  asked: ExcludeDepartment,
  options: Named = {},
): Promise<Reply> {
  const command: Command = {
    name: "exclude-department",
    asked: { ...asked },
    decide(state, { seq }, principal) {
      const { department, reason, phase } = asked;
      if (!isWorkDepartment(department)) return err([noSuchDepartment(department)]);
      if (reason.trim() === "")
        return err([problem("missing-field", argument("reason"), "A department is left out with a reason.")]);
      const setting = settingOf(context, state);
      const part = partMeant(state, setting.active, phase === undefined ? {} : { phase }, principal);
      if (!part.ok) return part;
      const { needed } = factsOf(state.coordination, { ...part.value, department: null }, setting);
      return decidePhaseCommand(state.coordination, {
        decider: "departments",
        command: {
          command: "exclude-department",
          phase: part.value.phase,
          name: part.value.name,
          department,
          needed,
          reason,
          said: { by: principal.agent, seq },
        },
      });
    },
  };
  return act(context, actor, command, options.id);
}

interface PhaseAct {
  readonly name: Command["name"];
  readonly asked: Command["asked"];
  readonly of: EndPhase;
  readonly options: { readonly id?: string };
}

type Decide = (
  state: TeamState,
  part: Part,
  said: { readonly by: string; readonly seq: number },
) => ReturnType<Command["decide"]>;

/** An operation on a part of a phase, by an agent that may lead there. */
function phaseAct(
  context: Context,
  actor: Actor,
  { name, asked, of, options }: PhaseAct,
  decide: Decide,
): Promise<Reply> {
  const command: Command = {
    name,
    asked,
    decide(state, { seq }, principal) {
      const part = partMeant(state, settingOf(context, state).active, of, principal);
      if (!part.ok) return part;
      const denied = mayLead(principal, part.value);
      return denied === null ? decide(state, part.value, { by: principal.agent, seq }) : err([denied]);
    },
  };
  return act(context, actor, command, options.id);
}

function partMeant(
  { coordination: { phases: known } }: TeamState,
  active: readonly WorkDepartment[],
  { phase, department: named }: EndPhase,
  principal: Principal,
): Result<Part, readonly Problem[]> {
  if (named !== undefined && !isWorkDepartment(named)) return err([noSuchDepartment(named)]);
  const own = principal.department;
  const department = active.length === 0 ? null : (named ?? (own !== undefined && isWorkDepartment(own) ? own : null));
  if (phase === undefined) {
    const current = currentPart(known, department);
    return current === null ? err([unknownPhase("the current one")]) : ok(current);
  }
  const key = phaseKey(phase);
  return key === null || !known.names.has(key) ? err([unknownPhase(phase)]) : ok(namedPart(known, key, department));
}

/** A lead leads its own department; the owner and an architect the whole. */
function mayLead({ agent, role, department }: Principal, part: Part): Problem | null {
  if (agent === ownerName || role === "owner" || role === "architect") return null;
  const isOwn = part.department === null ? true : department === part.department;
  if (role === "lead" && isOwn) return null;
  const whose = part.department === null ? "the phase" : `the part of ${part.department}`;
  return problem("sender-not-authorised", agent, `${agent} does not lead ${whose}.`, {
    expected: "the owner, an architect, or the lead of that department",
    received: role ?? "no role",
  });
}

function noSuchStep(step: string): Problem {
  const near = nearest(step, phaseSteps);
  return problem("wrong-value", argument("step"), `There is no step "${step}".`, {
    expected: phaseSteps.join(" | "),
    received: step,
    hint: near === null ? undefined : `did you mean "${near}"?`,
  });
}

function noSuchDepartment(department: string): Problem {
  return problem(
    "wrong-value",
    argument("department"),
    `There is no department "${department}" that works on phases.`,
    {
      expected: workDepartments.join(" | "),
      received: department,
    },
  );
}

function heldStep(step: string): Problem {
  const message =
    step === "security"
      ? "A failed security audit holds this step; leaving it out would pass it by."
      : "An open escalation holds this step until it is decided.";
  const hint =
    step === "security"
      ? "The owner lifts it with `baton phase lift --reason TEXT`."
      : "`baton escalation list` shows it.";
  return problem("human-required", step, message, { hint });
}

function ownersEnd({ name }: Part): Problem {
  return problem("sender-not-authorised", name, `Several departments work on phase ${name}; the owner ships it.`, {
    expected: "an owner_signoff of the owner",
    hint: "Each lead sends its department_result; the owner decides.",
  });
}

function unknownPhase(phase: string): Problem {
  return problem("not-found", phase, `Nothing is known of phase "${phase}".`, {
    hint: "`baton phase` shows the phases that something was said of.",
  });
}
