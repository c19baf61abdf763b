/**
 * What a person sees of the demo: a line for each step with who, what and Baton's answer, a sentence where something is
 * worth knowing, and the summary. Everything that an agent wrote is made visible first. With `--json` each is one value.
 */
import { shorten, visible } from "../../src/base/text.ts";
import type { Output, Paint } from "../../src/doors/cli/terminal/output.ts";
import { fencedCode } from "../agents/agent-door.ts";
import type { Step } from "../agents/agent-process.ts";
import type { Scene } from "../phase.ts";
import { type CastMember, cast, castMembers } from "../story/story.ts";
import {
  answerText,
  nameWidth,
  noticeLines,
  row,
  sceneLine,
  sceneValue,
  silentAside,
  taskAsides,
  taskLine,
} from "./lines.ts";

export interface Presentation {
  step(step: Step): void;
  scene(scene: Scene): void;
  /** A heading, with a sentence below it. */
  chapter(title: string, words: string): void;
}

const gistCharactersMax = 72;

/** Shows the demo on `output`. */
export function presentOn(output: Output): Presentation {
  const paint = output.paint.stdout;
  const told = new Set<string>();
  const granted = new Map<string, { readonly agent: string; readonly token: number }>();
  const aside = (words: string): void => {
    if (output.json || told.has(words)) return;
    told.add(words);
    output.result(null, () => `${" ".repeat(nameWidth)}${paint.faint(words)}`);
  };
  const chapter: Presentation["chapter"] = (title, words) => {
    output.result({ event: "chapter", title, words }, () => `\n${paint.strong(title)}\n${paint.faint(words)}\n`);
  };
  return {
    chapter,
    step: (step) => {
      const { step: event, ...rest } = step;
      output.result({ event, ...rest }, () => stepLine(step, paint));
      for (const words of asidesFor(step)) aside(words);
      if (step.step === "claimed" && step.answer.outcome === "granted") {
        const { agent, task } = step;
        const { token } = step.answer;
        const before = granted.get(task);
        if (before?.token === token)
          aside("Same id, same claim: the grant of its first life again, under the same token.");
        else if (before !== undefined && before.agent !== agent) {
          aside(
            `A newer token than ${before.token}, under which ${before.agent} held it: the older one is fenced off.`,
          );
        }
        granted.set(task, { agent, token });
      }
    },
    scene: (scene) => {
      presentScene(scene, output, chapter);
      if (scene.scene === "silenced") aside(silentAside(scene));
    },
  };
}

function presentScene(scene: Scene, output: Output, chapter: Presentation["chapter"]): void {
  const paint = output.paint.stdout;
  if (scene.scene === "begin") {
    chapter(
      "The phase",
      "Every agent only reads its inbox and the board, and reacts. Each line is an operation and what Baton answered.",
    );
    return;
  }
  output.result(sceneValue(scene), () => sceneLine(scene, paint));
}

/** The step as a line; null for what goes without saying. */
function stepLine(step: Step, paint: Paint): string | null {
  switch (step.step) {
    case "arrived":
      return step.livesBefore > 0
        ? null
        : row(step.agent, `comes over ${step.door.toUpperCase()}`, facts(step.agent), paint);
    case "read":
      return step.agent === cast.dev.agent && step.type === "plan_contract"
        ? row(step.agent, `reads ${visible(step.type)}`, `entry ${step.seq}, of ${visible(step.sender)}`, paint)
        : null;
    case "told":
      return noticeLines(step, paint);
    case "sent":
      return row(
        step.agent,
        visible(step.type ?? "prose"),
        `${answerText(step.answer, paint)}${gist(step, paint)}`,
        paint,
      );
    case "planned":
    case "claimed":
    case "looked":
    case "summed":
    case "compared":
      return taskLine(step, paint);
    case "committed":
      return row(
        step.agent,
        step.isNew ? "git commit" : "finds its commit",
        `${step.hash.slice(0, 7)} ${visible(step.subject)}`,
        paint,
      );
    case "tested":
      return row(step.agent, "node --test", `${step.passed} passed, ${step.failed} failed`, paint);
    case "left":
      return row(step.agent, "leaves", "its inbox is empty", paint);
    case "failed":
      return row(step.agent, paint.bad("failed"), visible(step.said), paint);
    case "holding":
    case "acknowledged":
      return null;
    default:
      return null;
  }
}

function facts(agent: string): string {
  const member: CastMember | undefined = castMembers.find((each) => each.agent === agent);
  return member === undefined ? "" : `role ${member.role}, speaks ${member.dialect}`;
}

function gist(step: Extract<Step, { readonly step: "sent" }>, paint: Paint): string {
  if (step.answer.outcome === "refused") return "";
  return paint.faint(`  ${shorten(visible(step.gist), gistCharactersMax)}`);
}

const fencedAside =
  "It was asleep when its claim ended, so its report about that task does not count, and the refusal says why.";

/** What is worth knowing about a step; each sentence is said once. */
function asidesFor(step: Step): readonly string[] {
  if (step.step === "committed" && !step.isNew) return ["What it had committed is in git, so it is not done twice."];
  if (step.step !== "sent") return taskAsides(step);
  const { answer, type, agent } = step;
  if (answer.outcome === "refused") {
    if (answer.problems.some(({ code }) => code === fencedCode)) return [fencedAside];
    return ["Refused before anybody saw it, with the place and a hint. The hint is enough to repair it."];
  }
  if (answer.outcome !== "accepted") return [];
  if (answer.duplicate)
    return ["Same id, same content: the first receipt again. Nothing is recorded or delivered twice."];
  if (agent === cast.dev.agent && type === "execution_update") {
    return ["It speaks yolo/2; lead-1 and qa-1 read it in vbw/2."];
  }
  return [];
}
