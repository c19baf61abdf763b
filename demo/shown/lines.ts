/** Lines of the demo: who, what, and the rest, in columns; and what Baton answered. Agent text is made visible. */
import type { Json } from "../../src/base/json.ts";
import { shorten, visible } from "../../src/base/text.ts";
import type { Paint } from "../../src/doors/cli/terminal/output.ts";
import { type Answer, type ClaimAnswer, fencedCode, type ReportedProblem, waitingHelps } from "../agents/agent-door.ts";
import type { Step } from "../agents/agent-process.ts";
import type { Scene } from "../phase.ts";
import { castMembers } from "../story/story.ts";

export const nameWidth = Math.max(...castMembers.map(({ agent }) => agent.length)) + 2;
const typeWidth = "shutdown_response".length + 2;

/** A line about what an agent does; `what` is padded and shown as it is. */
export function row(agent: string, what: string, rest: string, paint: Paint): string {
  return `${paint.strong(visible(agent).padEnd(nameWidth))}${what.padEnd(typeWidth)} ${rest}`.trimEnd();
}

/** The outcome of a message, with the hint of a refusal on a separate line. */
export function answerText(answer: Answer, paint: Paint): string {
  if (answer.outcome === "failed") return paint.warn(`no answer (${visible(answer.said)}), sent again`);
  if (answer.outcome === "accepted") {
    if (answer.duplicate) return paint.warn(`duplicate of entry ${answer.seq}`);
    return `${paint.good(`entry ${answer.seq}`)} -> ${answer.receivers.map(visible).join(", ")}`;
  }
  const [problem] = answer.problems;
  if (problem === undefined) return paint.bad("refused");
  // Where nothing is wrong with what was sent, its place says nothing.
  const where = problem.code === fencedCode ? `, ${visible(problem.message)}` : ` at ${visible(problem.path)}`;
  return `${paint.bad(`refused: ${problem.code}`)}${where}${hintText(problem)}`;
}

/** The hint of an error on a separate line; empty where it has none. */
function hintText({ hint }: ReportedProblem): string {
  return hint === null ? "" : `\n${" ".repeat(nameWidth)}hint: ${visible(hint)}`;
}

/*
 * Lines about what happens to agents, hubs and servers: killed and back, silent and found out, and what Baton said of it by
 * itself.
 */

/** What happens to one of them. */
type AgentScene = Exclude<Scene, { readonly scene: "begin" }>;

/** The scene as a value of `--json`. */
export function sceneValue({ scene, ...rest }: AgentScene): { readonly [name: string]: Json } {
  return { event: scene, ...rest };
}

/** The scene as a line. */
export function sceneLine(scene: AgentScene, paint: Paint): string {
  const struck = (how: string) =>
    "agent" in scene ? `\n${paint.strong(scene.agent.padEnd(nameWidth))}${paint.bad(how)}` : how;
  switch (scene.scene) {
    case "killed":
      return struck(`is killed with kill -9 (process ${scene.pid ?? "unknown"}); it had not acknowledged its contract`);
    case "returns":
      return `${row(scene.agent, "is started again and remembers nothing", "", paint)}\n`;
    case "silenced": {
      const { pid, task, token } = scene;
      return struck(
        `is stopped with SIGSTOP (process group ${pid ?? "unknown"}), as a program that hangs; it holds ${task} under token ${token ?? "unknown"}`,
      );
    }
    case "continued":
      return `\n${row(scene.agent, "goes on by SIGCONT where it was, and knows of nothing", "", paint)}`;
  }
}

/** What is worth knowing about an agent that was stopped. */
export function silentAside({ limitSeconds }: Extract<Scene, { readonly scene: "silenced" }>): string {
  return `Nobody is notified. Until now its program sent heartbeats; in this team a heartbeat may be ${limitSeconds} s late.`;
}

/** What Baton said, a line each sentence. */
export function noticeLines({ agent, seq, words }: Extract<Step, { readonly step: "told" }>, paint: Paint): string {
  const [first = "", ...rest] = visible(words).split(/(?<=\.) /);
  const head = row(agent, "hears from Baton", `entry ${seq}: ${paint.bad(first)}`, paint);
  return [head, ...rest.map((sentence) => `${" ".repeat(nameWidth)}${sentence}`)].join("\n");
}

/* The lines about tasks: planned, claimed, looked for on the board and in git, summed up. */
type TaskStep = Extract<Step, { readonly step: "planned" | "claimed" | "looked" | "summed" | "compared" }>;

const problemCharactersMax = 100;

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
      const [problem] = step.line.problems;
      const why =
        problem === undefined
          ? ""
          : `, ${shorten(visible(`${problem.path}: ${problem.message}`), problemCharactersMax)}`;
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
    return ["Both want the same files at once; one is granted them, the other learns who holds them, and tries again."];
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
      const { reason, holder, paths, problems } = answer;
      const denied = paint.warn(`denied: ${visible(reason)}`);
      const [problem] = problems;
      // Its holder is in the way for as long as that works; everything else wants something done, as the hint says.
      if (waitingHelps.has(reason) || problem === undefined) {
        return holder === null ? denied : `${denied}, ${visible(holder)} holds ${listed(paths)}`;
      }
      return `${denied}, ${visible(problem.received ?? problem.message)}${hintText(problem)}`;
    }
  }
}

function listed(files: readonly string[]): string {
  return files.map(visible).join(", ");
}
