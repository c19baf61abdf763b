/** The lines about tasks: planned, claimed, looked for on the board and in git, summed up. */
import { shorten, visible } from "../../src/base/text.ts";
import type { Paint } from "../../src/doors/cli/terminal/paint.ts";
import { type ClaimAnswer, waitingHelps } from "../doors/agent-door.ts";
import type { Step } from "../step.ts";
import { hintText, row } from "./lines.ts";

type TaskStep = Extract<Step, { readonly step: "planned" | "claimed" | "looked" | "summed" | "compared" }>;

const faultCharactersMax = 100;

/** The step as a line. */
export function taskLine(step: TaskStep, paint: Paint): string {
  const line = (what: string, rest: string) => row(step.agent, what, rest, paint);
  switch (step.step) {
    case "planned": {
      const { task, answer } = step;
      const added = answer.outcome === "accepted" ? "on the board" : paint.bad("not on the board");
      return line(`plans ${task.task}`, `${added}: ${task.title.toLowerCase()}, ${listed(task.files)}`);
    }
    case "claimed":
      return line(`claims ${visible(step.task)}`, claimText(step.answer, paint));
    case "looked": {
      const [fault] = step.line.faults;
      const why =
        fault === undefined ? "" : `, ${shorten(visible(`${fault.path}: ${fault.message}`), faultCharactersMax)}`;
      return line("reads the board", `${visible(step.line.task)} is ${paint.bad(visible(step.line.state))}${why}`);
    }
    case "summed": {
      const { plan, status, tasksCompleted, tasksTotal, files } = step.plan;
      const done = `${tasksCompleted} of ${tasksTotal} tasks, ${files.length} files`;
      return line("reads the summary", `plan ${visible(plan)} is ${paint.good(visible(status))}: ${done}`);
    }
    case "compared": {
      const changes = step.committed === null ? "is not in git" : `changes ${listed(step.committed)}`;
      const rest = `${visible(step.commit.slice(0, 7))} ${changes}, not ${listed(step.reported)}`;
      return line("git show", `${rest}: ${paint.bad("does not count")}`);
    }
  }
}

/** What is worth knowing about it. */
export function taskAsides(step: Step): readonly string[] {
  if (step.step === "looked")
    return ["Baton believes no report, it looks in git. A disputed task is free again, so it is claimed and done."];
  if (step.step !== "claimed" || step.answer.outcome !== "denied") return [];
  if (step.answer.reason === "overlap")
    return ["Both want the same files at once; one is granted them, the other is told by whom, and comes again."];
  if (step.answer.reason === "outside-contract")
    return ["The contract is held before anything is touched. So it asks, as the hint says."];
  return [];
}

function claimText(answer: ClaimAnswer, paint: Paint): string {
  switch (answer.outcome) {
    case "failed":
      return paint.warn(`no answer (${visible(answer.said)}), sent again`);
    case "granted":
      return `${paint.good("granted")} under token ${answer.token}: ${listed(answer.files)}`;
    case "denied": {
      const { reason, holder, paths, faults } = answer;
      const denied = paint.warn(`denied: ${visible(reason)}`);
      const [fault] = faults;
      // Its holder is in the way for as long as that works; everything else wants something done, as the hint says.
      if (waitingHelps.has(reason) || fault === undefined) {
        return holder === null ? denied : `${denied}, ${visible(holder)} holds ${listed(paths)}`;
      }
      return `${denied}, ${visible(fault.received ?? fault.message)}${hintText(fault)}`;
    }
  }
}

function listed(files: readonly string[]): string {
  return files.map(visible).join(", ");
}
