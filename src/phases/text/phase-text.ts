/** How phases are shown to people: a line a department with a bar on a terminal, its steps, and what is missing. */
import { counted, visible } from "../../base/text.ts";
import { type Paint, toned } from "../../doors/cli/terminal/output.ts";
import { table } from "../../doors/cli/terminal/terminal-text.ts";
import type { StepState, StepView } from "../view/phase-conditions.ts";
import type { PartProgress, PartStatus, PhasePartView, PhasePlan } from "../view/phase-part-view.ts";
import type { PhaseGlance, PhaseView } from "../view/phase-view.ts";

/** How it is shown. */
export interface PhaseStyle {
  readonly paint: Paint;
  /** Bars belong on a terminal. */
  readonly hasBars: boolean;
}

const stepTones: Readonly<Record<StepState, keyof Paint>> = {
  pending: "faint",
  running: "warn",
  complete: "good",
  skipped: "faint",
};
const partTones: Readonly<Record<PartStatus, keyof Paint>> = {
  waiting: "warn",
  running: "strong",
  stopped: "bad",
  held: "bad",
  ended: "good",
  shipped: "good",
  "shipped-with-findings": "bad",
};

/** A phase whole. */
export function phaseText(view: PhaseView, style: PhaseStyle): string {
  const { paint } = style;
  return [
    `${paint.strong(`phase ${visible(view.phase)}`)}  ${numbersText(view, style)}`,
    ...companyLines(view),
    ...view.departments.flatMap((part) => partLines(part, style)),
    ...view.unconfirmed.map((each) => `  ${paint.warn("unconfirmed")}  ${visible(each)}`),
    ...missingLines(view, paint),
  ].join("\n");
}

/** What is not over, a line for each department's part. */
export function glanceLines(glances: readonly PhaseGlance[], style: PhaseStyle): readonly string[] {
  return glances.map((each) => {
    const whose = each.department === null ? "" : ` ${each.department}`;
    const step = each.step === null ? "" : `, first open step: ${each.step}`;
    const held = each.blockers.length === 0 ? "" : style.paint.bad(`  ${counted(each.blockers.length, "blocker")}`);
    return `phase ${visible(each.phase)}${whose} ${statusText(each, style.paint)}${step}  ${numbersText(each, style)}${held}`;
  });
}

function numbersText(
  { plansComplete, plansTotal, percentComplete, unverified, eta }: PartProgress,
  { hasBars }: PhaseStyle,
): string {
  const bar = hasBars ? `${barOf(percentComplete)} ` : "";
  const end = eta === null ? "" : `, may be done at ${eta}`;
  const open = unverified === 0 ? "" : `, ${counted(unverified, "task")} not verified`;
  return `${bar}${percentComplete}% (${plansComplete} of ${plansTotal} plans${open}${end})`;
}

const barWidth = 20;

/** `█████░░░░░`, as wide as every other. */
export function barOf(percent: number): string {
  const full = Math.floor((Math.min(100, Math.max(0, percent)) * barWidth) / 100);
  return "█".repeat(full) + "░".repeat(barWidth - full);
}

function statusText({ status, hasFindings }: Pick<PhaseGlance, "status" | "hasFindings">, paint: Paint): string {
  return status === "ended" && hasFindings ? paint.bad("ended, with findings") : toned(paint, partTones, status);
}

function companyLines({ review, waves, handoff, apis, signoff, excluded }: PhaseView): readonly string[] {
  return [
    ...(review === null
      ? []
      : [
          `  owner      needs ${review.needed.join(", ")}; first ${review.priorities.map(visible).join("; ") || "nothing"}`,
        ]),
    ...excluded.map(
      ({ department, result, by, reason }) =>
        `  left out   ${department}${result === null ? "" : `, which reported ${result}`}, by ${visible(by)}: ${visible(reason)}`,
    ),
    ...(waves.length < 2 ? [] : [`  waves      ${waves.map((wave) => wave.join(" + ")).join(", then ")}`]),
    ...(handoff === null
      ? []
      : [
          `  design     ${handoff.status}: ready ${handoff.ready.map(visible).join(", ") || "nothing"}` +
            (handoff.deferred.length === 0 ? "" : `; deferred ${handoff.deferred.map(visible).join(", ")}`),
          ...handoff.acceptanceCriteria.map((criterion) => `             must hold: ${visible(criterion)}`),
        ]),
    ...apis.flatMap((api) => [
      `  endpoints  ${api.status} (${api.proposer}, ${api.counters} counter-proposals)`,
      ...api.endpoints.map((endpoint) => `             ${visible(endpoint)}`),
      ...(api.steps.at(-1)?.differences ?? []).map((line) => `             changed: ${visible(line)}`),
    ]),
    ...(signoff === null
      ? []
      : [
          `  signoff    ${signoff.decision} by ${visible(signoff.by)}, integration ${signoff.integrationQa}${signoff.notes === "" ? "" : `: ${visible(signoff.notes)}`}`,
        ]),
  ];
}

function partLines(part: PhasePartView, style: PhaseStyle): readonly string[] {
  const { paint } = style;
  const { department, step, blockers, differences, stops } = part;
  const width = Math.max(...part.steps.map((each) => each.step.length));
  return [
    ...(department === null
      ? [`  ${statusText(part, paint)}${step === null ? "" : `, first open step: ${step}`}`]
      : [
          `  ${paint.strong(department)}  ${statusText(part, paint)}${step === null ? "" : `, first open step: ${step}`}  ${numbersText(part, style)}`,
        ]),
    ...part.steps.map((each) => `    ${each.step.padEnd(width)}  ${stepText(each, paint)}`),
    ...planLines(part.plans),
    ...judgedLines(part),
    ...stops.map(
      ({ stop }) =>
        `    ${paint.bad("stopped")}  only the owner lifts it: baton phase lift --stop ${stop} --reason TEXT`,
    ),
    ...blockers.map((blocker) => `    ${paint.bad("blocked")}  ${visible(blocker)}`),
    ...differences.map((difference) => `    ${paint.warn("told")}     ${visible(difference)}`),
  ];
}

function stepText({ state, reason, skippedBy, exit }: StepView, paint: Paint): string {
  const word = toned(paint, stepTones, state, state.padEnd("complete".length));
  if (state === "skipped")
    return `${word}  ${visible(reason ?? "")}${skippedBy === null ? "" : ` (${visible(skippedBy)})`}`;
  if (state !== "running") return word.trimEnd();
  const waits = exit.flatMap(({ met, says }) => (met ? [] : [visible(says)]));
  return waits.length === 0 ? word.trimEnd() : `${word}  ends when ${waits.join("; ")}`;
}

function planLines(plans: readonly PhasePlan[]): readonly string[] {
  if (plans.length === 0) return [];
  const rows = plans.map(
    ({
      plan,
      tasksDone,
      tasksTotal,
      isSpecified,
      allRed,
      reviewCycle,
      review,
      mustFix,
      unverified,
      disputed,
      gone,
    }) => {
      const open = mustFix.filter(({ state }) => state === "open" || state === "untouched").length;
      return [
        `plan ${visible(plan)}`,
        `${tasksDone} of ${tasksTotal} tasks`,
        isSpecified ? "specified" : "",
        allRed === null ? "" : allRed ? "tests red" : "tests pass too early",
        review === null ? "" : `review ${reviewCycle}: ${review}`,
        open === 0 ? "" : `${open} to fix`,
        unverified.length === 0 ? "" : `${unverified.length} not verified`,
        disputed.length === 0 ? "" : `${disputed.length} disputed`,
        gone.length === 0 ? "" : `${gone.length} gone`,
      ];
    },
  );
  return table(rows)
    .split("\n")
    .map((line) => `    ${line}`);
}

function judgedLines({ critique, verdict, codeVerdict, remediation, audit, result }: PhasePartView): readonly string[] {
  return [
    ...(critique === null
      ? []
      : [
          `    critique ${critique.critical} critical, ${critique.major} major, ${critique.minor} minor (${critique.categories.map(visible).join(", ")})` +
            (critique.committed ? "" : "; its file is the lead's to commit"),
        ]),
    ...(verdict === null
      ? []
      : [
          `    qa ${verdict.tier} ${verdict.result}, ${verdict.passed} of ${verdict.total} checks` +
            (remediation === 0 ? "" : `, remediation round ${remediation}`),
        ]),
    ...(codeVerdict === null
      ? []
      : [
          `    qa of the code ${codeVerdict.result}, ${codeVerdict.failed} tests fail, ${codeVerdict.lintErrors} lint errors`,
        ]),
    ...(audit === null ? [] : [`    security ${audit.result}, ${audit.findings} findings, ${audit.critical} critical`]),
    ...(result === null ? [] : [`    reported ${result.result} to the owner`]),
  ];
}

function missingLines({ phase, missing, signoff }: PhaseView, paint: Paint): readonly string[] {
  if (missing === null || signoff?.decision === "SHIP") return [];
  if (missing.length === 0)
    return [`  ${paint.good("ready")}      the owner ships it: baton phase end --phase ${visible(phase)}`];
  return missing.map((each) => `  ${paint.warn("missing")}    ${visible(each)}`);
}
