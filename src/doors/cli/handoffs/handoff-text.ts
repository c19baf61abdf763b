/** Handoffs for people: one in some lines, and its answers. */
import { timestampOf } from "../../../base/clock.ts";
import { counted, visible } from "../../../base/text.ts";
import type { Handoff } from "../../../coordination/handoffs/handoff-state.ts";
import type { HandoffBody } from "../../../message/handoff-body.ts";
import { listed } from "../place/session.ts";
import { type Paint, toned } from "../terminal/paint.ts";

/** A handoff in a few lines: who, what, its state. */
export function handoffText(handoff: Handoff, paint: Paint): string {
  const { id, source, target, summary, standing, workflow, task, unfit, seq, after } = handoff;
  const tones = { issued: "warn", accepted: "good", rejected: "bad", completed: "faint" } as const;
  const belongs = [
    ...(workflow === null ? [] : [`workflow ${visible(workflow)}`]),
    ...(task === null ? [] : [`task ${visible(task)}`]),
  ];
  return [
    `${paint.strong(visible(id))}  ${toned(paint, tones, standing)}  ${visible(source)} to ${visible(target)}, entry ${seq}`,
    `  what      ${visible(summary)}`,
    ...(belongs.length === 0 ? [] : [`  of        ${belongs.join(", ")}`]),
    ...(after === null ? [] : [`  after     ${visible(after)}`]),
    ...(unfit.length === 0 ? [] : [`  unfit     ${unfit.map(visible).join(", ")}`]),
    ...answerLines(handoff),
  ].join("\n");
}

function answerLines({ standing, receivers, acceptance, rejection, completion }: Handoff): readonly string[] {
  return [
    ...(standing === "issued" ? [`  waits for ${listed(receivers)}`] : []),
    ...(acceptance === null
      ? []
      : [
          `  accepted  by ${visible(acceptance.by)}, ${timestampOf(acceptance.atMs)}, ${counted(acceptance.files, "file")} looked at` +
            (acceptance.task === null ? "" : `; ${visible(acceptance.task)} with the token ${acceptance.token ?? ""}`),
        ]),
    ...(rejection === null ? [] : [`  rejected  by ${visible(rejection.by)}, ${timestampOf(rejection.atMs)}`]),
    ...(rejection?.reasons ?? []).map((reason) => `  because   ${visible(reason)}`),
    ...(completion === null ? [] : [`  completed by ${visible(completion.by)}, ${timestampOf(completion.atMs)}`]),
  ];
}

/** What a document says to the one who takes the work over. */
export function documentText(
  { context, instructions, dependencies, validation, history }: HandoffBody,
  paint: Paint,
): string {
  const part = (title: string, lines: readonly (string | undefined)[]): readonly string[] => {
    const said = lines.filter((line) => line !== undefined);
    return said.length === 0 ? [] : [paint.strong(title), ...said.map((line) => `  ${visible(line)}`)];
  };
  const { source_status: status, quality_checks: checks } = validation ?? {};
  const said = (name: string, value: string | boolean | undefined) =>
    value === undefined ? undefined : `${name}: ${String(value)}`;
  return [
    ...part("To do", [instructions.primary, ...(instructions.secondary ?? [])]),
    ...part("Bound to", instructions.constraints ?? []),
    ...part("Done when", instructions.success_criteria ?? []),
    ...part(
      "Decided",
      (context.key_decisions ?? []).map((each) => `${each.decision} (${each.rationale}); so: ${each.impact}`),
    ),
    ...part("Read", [
      context.story_file,
      context.architecture_context,
      context.prd_context,
      ...(context.additional_context ?? []),
    ]),
    ...part("Needs", dependencies.required_files ?? []),
    ...part("Makes", dependencies.generated_files ?? []),
    ...part("Still to do", status?.pending_tasks ?? []),
    ...part("Checked", [
      said("overall status", status?.overall_status),
      said("tests passed", checks?.tests_passed),
      said("code review", checks?.code_review_status),
      said("documentation complete", checks?.documentation_complete),
    ]),
    ...part(
      "Before",
      (history?.previous_handoffs ?? []).map(
        (each) => `${each.timestamp}  ${each.source_agent} to ${each.target_agent}: ${each.summary}`,
      ),
    ),
    ...part("Learned", history?.lessons_learned ?? []),
  ].join("\n");
}
