/**
 * `baton handoff list` and `show`, and how both show a handoff to people. The answers: `baton handoff accept` verifies
 * the files, then takes the work over with the claim on its task; `reject` gives it back with the reason; `complete`
 * says that it is done, once its generated files are there.
 */
import { counted, visible, visibleLines } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import type { OneOfList } from "../../doors/cli/kernel/list-or-one.ts";
import { answer, isUnchanged, listed, withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Paint, toned } from "../../doors/cli/terminal/output.ts";
import { localTime } from "../../doors/cli/terminal/terminal-text.ts";
import { bodyOf, filesToMake, filesToVerify, type HandoffBody } from "../../messages/handoff-body.ts";
import { taskKey } from "../../messages/task-ids.ts";
import type { Handoff } from "../state.ts";
import { handoffArgument, handoffLookedAt, handoffMeant, rootOption } from "./handoff-file.ts";

export const listCommand: Command = {
  description: "Prints the handoffs that wait for an answer or are worked on, oldest first.",
  options: [
    { name: "all", kind: "flag", summary: "also those that were rejected or are completed" },
    { name: "workflow", kind: "text", value: "ID", summary: "only those of this workflow" },
    { name: "task", kind: "text", value: "TASK", summary: "only those of this task" },
    { name: "agent", kind: "text", value: "AGENT", summary: "only those that this agent issued or was handed" },
  ],
  examples: [
    { line: "baton handoff list", meaning: "what waits, and for whom" },
    { line: "baton handoff list --all --workflow sign-in --json", meaning: "a workflow, a line of JSON each" },
  ],
  next: "baton handoff accept ID takes one over.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const found = await team.handoffs({ all: given.flag("all") });
      if (!found.ok) return output.fail(found.error);
      const chosen = found.value.filter((handoff) => isMeant(call, handoff));
      for (const handoff of chosen) output.result(handoff, () => `${handoffText(handoff, output.paint.stdout)}\n`);
      if (chosen.length === 0) output.say("No handoff waits here; --all shows those that are over.");
      return exitCodes.done;
    }),
};

function isMeant({ given }: Call, { workflow, task, issuer, receivers }: Handoff): boolean {
  const [wantedWorkflow, wantedTask, agent] = [given.text("workflow"), given.text("task"), given.text("agent")];
  return (
    (wantedWorkflow === undefined || workflow === wantedWorkflow) &&
    (wantedTask === undefined || (task !== null && taskKey(task) === taskKey(wantedTask))) &&
    (agent === undefined || issuer === agent || receivers.includes(agent))
  );
}

/** Of `baton handoff list`: one handoff, its document, and those that it follows. */
export const showCommand: OneOfList = {
  description: "its state and what its document says. With --document the document as it was issued, comments and all.",
  positionals: [handoffArgument],
  options: [{ name: "document", kind: "flag", summary: "of ID only the document, as it was issued" }],
  examples: [
    { line: "baton handoff list handoff-7", meaning: "everything about it" },
    { line: "baton handoff list handoff-7 --document > handoff.yaml", meaning: "the document as a file" },
  ],
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const meant = await handoffMeant(call, team);
      if (!meant.ok) return output.fail(meant.error);
      const { handoff, document, text } = meant.value;
      const { stdout: paint } = output.paint;
      if (given.flag("document")) {
        const lines = text.replace(/\n$/, "");
        // A file gets it verbatim; a terminal would execute some of the characters.
        output.result(document, () => (process.stdout.isTTY ? visibleLines(lines) : lines));
      } else {
        output.result(meant.value, () => `${handoffText(handoff, paint)}\n\n${documentText(bodyOf(document), paint)}`);
      }
      return exitCodes.done;
    }),
};

/** A handoff in a few lines: who, what, its state. */
export function handoffText(handoff: Handoff, paint: Paint): string {
  const { id, source, target, summary, status, workflow, task, unfit, seq, after } = handoff;
  const tones = { issued: "warn", accepted: "good", rejected: "bad", completed: "faint" } as const;
  const belongs = [
    ...(workflow === null ? [] : [`workflow ${visible(workflow)}`]),
    ...(task === null ? [] : [`task ${visible(task)}`]),
  ];
  return [
    `${paint.strong(visible(id))}  ${toned(paint, tones, status)}  ${visible(source)} to ${visible(target)}, entry ${seq}`,
    `  what      ${visible(summary)}`,
    ...(belongs.length === 0 ? [] : [`  of        ${belongs.join(", ")}`]),
    ...(after === null ? [] : [`  after     ${visible(after)}`]),
    ...(unfit.length === 0 ? [] : [`  to repair ${unfit.map(visible).join(", ")}`]),
    ...answerLines(handoff),
  ].join("\n");
}

function answerLines({ status, receivers, acceptance, rejection, completion }: Handoff): readonly string[] {
  return [
    ...(status === "issued" ? [`  waits for ${listed(receivers)}`] : []),
    ...(acceptance === null
      ? []
      : [
          `  accepted  by ${visible(acceptance.by)}, ${localTime(acceptance.atMs)}, ${counted(acceptance.files, "file")} looked at` +
            (acceptance.task === null ? "" : `; ${visible(acceptance.task)} with the token ${acceptance.token ?? ""}`),
        ]),
    ...(rejection === null ? [] : [`  rejected  by ${visible(rejection.by)}, ${localTime(rejection.atMs)}`]),
    ...(rejection?.reasons ?? []).map((reason) => `  because   ${visible(reason)}`),
    ...(completion === null ? [] : [`  completed by ${visible(completion.by)}, ${localTime(completion.atMs)}`]),
  ];
}

/** What a document says to the one who takes the work over. */
function documentText({ context, instructions, dependencies, validation, history }: HandoffBody, paint: Paint): string {
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
        (each) => `${localTime(each.timestamp)}  ${each.source_agent} to ${each.target_agent}: ${each.summary}`,
      ),
    ),
    ...part("Learned", history?.lessons_learned ?? []),
  ].join("\n");
}

export const acceptCommand: Command = {
  acts: true,
  description:
    "Looks for the files here, as handoff validate --files does, and takes the work over when none is changed, missing or\n" +
    "outside the root. The claim on the document's task moves along with a new token, so the previous holder is fenced. Refused where\n" +
    "the document itself says that the work failed, its tests do not pass or its review failed. One answer counts.",
  positionals: [handoffArgument],
  options: [rootOption, { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" }],
  examples: [
    { line: "baton handoff accept handoff-7 --as dev-1", meaning: "dev-1 goes on with it" },
    {
      line: "baton handoff accept docs/handoffs/story-2.yaml --as dev-1 --json",
      meaning: "by the file, which must be as it was issued",
    },
  ],
  next: "Work on; baton handoff complete ID says that it is done.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const looked = await handoffLookedAt(call, team, filesToVerify);
      if (!looked.ok) return output.fail(looked.error);
      const { id: handoff, verified } = looked.value;
      const id = given.text("id");
      const reply = await team.acceptHandoff({ handoff, verified }, id === undefined ? {} : { id });
      if (reply.outcome !== "accepted") return answer(call, reply, () => "");
      output.notes(reply.notes);
      const { claim, receipt } = reply;
      const { files, weak } = verified;
      output.result({ accepted: true, handoff, files, weak, claim, receipt }, () => {
        const paint = output.paint.stdout;
        return [
          `${paint.good("Accepted")}: ${visible(handoff)}, ${counted(files, "file")} looked at${weak === 0 ? "" : `, ${weak} weak`}.`,
          ...(claim === null
            ? []
            : [
                `  ${visible(claim.task)} is yours with the token ${claim.token}, until ${localTime(claim.expiresAt)}.`,
              ]),
        ].join("\n");
      });
      return exitCodes.done;
    }),
};

/** `baton handoff reject`: gives the work back, and says why. */
export const rejectCommand: Command = {
  acts: true,
  description:
    "Gives a handoff back to its issuer, with the reasons. At least one reason is needed. Only those it is addressed to may,\n" +
    "and one answer counts; the mended document is issued again as a new handoff.",
  positionals: [handoffArgument],
  options: [
    {
      name: "reason",
      argument: "reasons",
      kind: "text",
      value: "TEXT",
      repeatable: true,
      summary: "what is wrong; needed, as often as needed",
    },
    { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" },
  ],
  examples: [
    {
      line: "baton handoff reject handoff-7 --as dev-1 --reason 'the story has no criteria'",
      meaning: "dev-1 gives it back",
    },
    {
      line: "baton handoff reject handoff-7 --as dev-1 --reason 'docs/story.md was changed' --reason 'no tests' --json",
      meaning: "two reasons",
    },
  ],
  next: "Its issuer mends the document and runs baton handoff issue FILE again.",
  run: (call) =>
    withTeam(call, async (team) => {
      const meant = await handoffMeant(call, team);
      if (!meant.ok) return call.output.fail(meant.error);
      const { id: handoff } = meant.value.handoff;
      const id = call.given.text("id");
      const reasons = call.given.texts("reason");
      const reply = await team.rejectHandoff({ handoff, reasons }, id === undefined ? {} : { id });
      return answer(
        call,
        reply,
        (receipt) =>
          `${isUnchanged(reply) ? "Already rejected" : "Rejected"}: ${visible(handoff)} (entry ${receipt.seq}).`,
      );
    }),
};

/** `baton handoff complete`: says that what was handed over is done, once its generated files are there. */
export const completeCommand: Command = {
  acts: true,
  description:
    "Checks that the files of the work exist (generated_files) and reports it as done. The agent that accepted the handoff or\n" +
    "issued it may. What became of the task itself is said with task complete or a message.",
  positionals: [handoffArgument],
  options: [rootOption, { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" }],
  examples: [
    { line: "baton handoff complete handoff-7 --as dev-1", meaning: "dev-1 is done" },
    {
      line: "baton handoff complete handoff-7 --as dev-1 --root ../checkout --json",
      meaning: "the files are in another tree",
    },
  ],
  next: "baton handoff new --from-task TASK compiles the next document from the record.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const looked = await handoffLookedAt(call, team, filesToMake);
      if (!looked.ok) return output.fail(looked.error);
      const { id: handoff, verified } = looked.value;
      const id = given.text("id");
      const reply = await team.completeHandoff({ handoff, verified }, id === undefined ? {} : { id });
      return answer(
        call,
        reply,
        (receipt) =>
          `${isUnchanged(reply) ? "Already completed" : "Completed"}: ${visible(handoff)} (entry ${receipt.seq}).`,
      );
    }),
};
