/**
 * Phases through a door: how far each is, a step that is left out, an end, and a failed security audit that the owner lifts.
 * Source: docs/protocol/phases.md.
 */

import { argument } from "../base/argument.ts";
import { plainCopy } from "../base/json.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text.ts";
import type { Fact } from "../messages/facts.ts";
import { deciderName, ownerName, type Principal } from "../messages/principal.ts";
import { isWorkDepartment, type WorkDepartment, workDepartments } from "../messages/role.ts";
import { phaseKey } from "../messages/task-ids.ts";
import { changedMeanwhile, changesOfStop } from "../needs/view/changed-meanwhile.ts";
import type { Context } from "../perform/context.ts";
import { decidePhaseCommand } from "../perform/deciders.ts";
import type {
  EndPhase,
  ExcludeDepartment,
  LiftStop,
  ListPhases,
  SkipStep,
} from "../perform/operations/generated/calls.ts";
import type { Operation } from "../perform/perform.ts";
import type { At } from "../perform/rules.ts";
import type { TeamState } from "../perform/state.ts";
import { wordFor } from "../shutdown/services/shutdown-notification.ts";
import { factsOf, type Setting } from "./decide/phase-facts.ts";
import { ownStepProblem } from "./decide/phase-judges.ts";
import { decidePhaseFact } from "./decide/phase-rules.ts";
import { settingOf, viewsOf } from "./services/phase-setting.ts";
import { currentPart, isPhaseStep, type Part, phaseSteps } from "./state/phase-state.ts";
import { isHeld, reportsResults, stepsOf } from "./view/phase-conditions.ts";
import { type PhaseView, phaseNames, phaseViewOf } from "./view/phase-view.ts";

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

/**
 * Leaves a step out, with the reason. The owner, leads in their own department, and architects. Refuses `wrong-value`,
 * `not-found`, `sender-not-authorised`, `own-request` (others judge its own work by the step), and `human-required` where a
 * failed audit or an open escalation holds the step.
 */
export const skipStep: Operation<SkipStep> = {
  name: "skip-step",
  decide(state, asked, { by, seq }, { context }) {
    const { step, reason } = asked;
    const setting = settingOf(context, state);
    const led = partLed(state, setting.active, asked, by);
    if (!led.ok) return led;
    const part = led.value;
    if (!isPhaseStep(step)) return err([noSuchStep(step)]);
    if (reason.trim() === "") return err([reasonMissing("A step is left out with a reason.")]);
    if (isHeld(step, factsOf(state.coordination, part, setting))) return err([heldStep(step)]);
    const own = ownStepProblem(state.coordination, part, { step, agent: by.agent, setting });
    if (own !== null) return err([own]);
    const skip = { by: by.agent, seq, reason };
    return decidePhaseCommand(state.coordination, {
      decider: "phases",
      command: { command: "skip-step", part, step, skip },
    });
  },
};

/**
 * Ends a part of a phase. The owner and leads, where no departments are at work; else the owner ships the phase, as an
 * `owner_signoff` does that approves every department. Refuses `phase-open` with every step that is neither done nor
 * skipped, and where departments work what a sign-off refuses.
 */
export const endPhase: Operation<EndPhase> = {
  name: "end-phase",
  decide(state, asked, at, { context }) {
    const { by, seq } = at;
    const setting = settingOf(context, state);
    const led = partLed(state, setting.active, asked, by);
    if (!led.ok) return led;
    const part = led.value;
    const isOwner = by.role === "owner";
    const { missing } = phaseViewOf(state.coordination, setting, part, at.atMs);
    if (part.department === null && isOwner && missing !== null) return shipped(context, state, part, at);
    // Where departments have worked, the phase is the owner's to ship, also when one alone is left.
    if (part.department !== null || setting.active.length > 0 || missing !== null)
      return err([ownersEnd(part, setting)]);
    const facts = factsOf(state.coordination, part, setting);
    const open = stepsOf(facts, setting)
      .filter(({ step, state: reached }) => step !== "signoff" && (reached === "pending" || reached === "running"))
      .map(({ step, exit }) => ({
        step,
        missing: exit.flatMap(({ met, says }) => (met ? [] : [says])),
        ...(isHeld(step, facts) ? { hint: heldHint(step) } : {}),
      }));
    const ended = { by: by.agent, seq };
    return decidePhaseCommand(state.coordination, {
      decider: "phases",
      command: { command: "end-phase", part, ended, open },
    });
  },
};

/** The owner's sign-off, decided as the message is, and told to the leads in its words. */
function shipped(context: Context, state: TeamState, part: Part, { by, id, seq, atMs }: At) {
  const setting = settingOf(context, state);
  const { needed } = factsOf(state.coordination, part, setting);
  const fact: Fact<"owner-signoff"> = {
    kind: "owner-signoff",
    head: { phase: part.name, task: "", authorRole: "owner", timestamp: null, confidence: "high" },
    body: { decision: "SHIP", departmentsApproved: needed, integrationQa: "PASS" },
  };
  const company = { active: setting.active, concerned: [] };
  const said = { fact, principal: by, company, receivers: [], setting, seq, atMs };
  const decided = decidePhaseFact(state.coordination, said);
  if (!decided.ok) return err(decided.error.map((each) => ({ ...each, path: part.name })));
  const leads = [...state.team.roster.values()].filter(({ role, status }) => role === "lead" && status === "active");
  const word = wordFor(context, state, leads[0]?.agent ?? "", { fact, id, among: "team" });
  const receivers = leads.map(({ agent }) => agent);
  return ok({ ...decided.value, delivered: word === null ? null : { message: word.message, receivers } });
}

/** Lifts a failed security audit, which the owner alone does. Refuses as `quality.ts` does, and `changed-meanwhile`. */
export const liftStop: Operation<LiftStop> = {
  name: "lift-stop",
  decide(state, { stop = null, reason, ifSeq }, { by, seq }) {
    if (reason.trim() === "") return err([reasonMissing("A failed audit is lifted with a reason.")]);
    const said = { by: by.agent, seq };
    const decided = decidePhaseCommand(state.coordination, {
      decider: "quality",
      command: { command: "lift-stop", stop, reason, said, decidedBy: deciderName(by) },
    });
    const lifted = decided.ok ? decided.value.events.find(({ event }) => event === "stop-lifted") : undefined;
    const known = lifted?.event === "stop-lifted" ? state.coordination.quality.stops.get(lifted.stop) : undefined;
    if (known === undefined) return decided;
    const changed = changedMeanwhile(changesOfStop(state.coordination, known), ifSeq, known.stop);
    return changed === null ? decided : err([changed]);
  },
};

/**
 * Leaves a department out of a phase, which the person alone does: also one that has reported that it failed. Refuses
 * `human-required`, `wrong-value` (no such department, or the phase does not need it), `not-found` and `missing-field`.
 */
export const excludeDepartment: Operation<ExcludeDepartment> = {
  name: "exclude-department",
  decide(state, { department, reason, phase: named }, { by, seq }, { context }) {
    if (!isWorkDepartment(department)) return err([noSuchDepartment(department)]);
    if (reason.trim() === "") return err([reasonMissing("A department is left out with a reason.")]);
    const setting = settingOf(context, state);
    const part = partMeant(state, setting.active, named === undefined ? {} : { phase: named }, by);
    if (!part.ok) return part;
    const { phase, name } = part.value;
    const { needed } = factsOf(state.coordination, { ...part.value, department: null }, setting);
    const said = { by: by.agent, seq };
    return decidePhaseCommand(state.coordination, {
      decider: "departments",
      command: { command: "exclude-department", phase, name, department, needed, reason, said },
    });
  },
};

/** The part of a phase that is meant, which this agent leads. */
function partLed(
  state: TeamState,
  active: readonly WorkDepartment[],
  asked: EndPhase,
  by: Principal,
): Result<Part, readonly Problem[]> {
  const part = partMeant(state, active, asked, by);
  const denied = part.ok ? mayLead(by, part.value) : null;
  return denied === null ? part : err([denied]);
}

function reasonMissing(message: string): Problem {
  return makeProblem("missing-field", argument("reason"), message);
}

function partMeant(
  { coordination }: TeamState,
  active: readonly WorkDepartment[],
  { phase, department: named }: EndPhase,
  principal: Principal,
): Result<Part, readonly Problem[]> {
  if (named !== undefined && !isWorkDepartment(named)) return err([noSuchDepartment(named)]);
  const own = principal.department;
  const department = active.length === 0 ? null : (named ?? (own !== undefined && isWorkDepartment(own) ? own : null));
  const all = phaseNames(coordination);
  if (phase === undefined) {
    const current = currentPart(coordination.phases, department) ?? all.at(-1);
    return current === undefined ? err([noPhase]) : ok({ ...current, department });
  }
  const key = phaseKey(phase);
  const part = all.find((each) => each.phase === key);
  return part === undefined ? err([unknownPhase(phase)]) : ok({ ...part, department });
}

/** A lead leads its own department; the owner and an architect the whole. */
function mayLead({ agent, role, department }: Principal, part: Part): Problem | null {
  if (agent === ownerName || role === "owner" || role === "architect") return null;
  const isOwn = part.department === null ? true : department === part.department;
  if (role === "lead" && isOwn) return null;
  const whose = part.department === null ? "the phase" : `the part of ${part.department}`;
  return makeProblem("sender-not-authorised", agent, `${agent} does not lead ${whose}.`, {
    expected: "the owner, an architect, or the lead of that department",
    received: role ?? "no role",
    hint: `Leave it to ${part.department === null ? "the lead" : "its lead"}, or to the person who owns the team.`,
  });
}

function noSuchStep(step: string): Problem {
  const near = nearest(step, phaseSteps);
  return makeProblem("wrong-value", argument("step"), `There is no step "${step}".`, {
    expected: phaseSteps.join(" | "),
    received: step,
    hint: near === null ? "`baton phase` shows the steps." : `did you mean "${near}"?`,
  });
}

function noSuchDepartment(department: string): Problem {
  return makeProblem(
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
  return makeProblem("human-required", step, message, { hint: heldHint(step) });
}

function heldHint(step: string): string {
  return step === "security"
    ? "The owner lifts it with `baton phase lift --reason TEXT`."
    : "`baton needs --escalations` shows it.";
}

function ownersEnd({ name }: Part, setting: Setting): Problem {
  const ships = `he owner ships it with \`baton phase end --phase ${name}\`.`;
  return makeProblem("sender-not-authorised", name, `Several departments work on phase ${name}; the owner ships it.`, {
    expected: "the owner",
    hint: reportsResults(setting) ? `Each lead sends its department_result; t${ships}` : `T${ships}`,
  });
}

const noPhase = makeProblem("not-found", argument("phase"), "Nothing was said of a phase yet.", {
  hint: "A plan begins one: `baton task add TITLE --plan 01-01`.",
});

function unknownPhase(phase: string): Problem {
  return makeProblem("not-found", phase, `Nothing is known of phase "${phase}".`, {
    hint: "`baton phase` shows the phases that something was said of.",
  });
}
