/** Lines about what happens to agents: killed and back, silent and found out, and what Baton said of it by itself. */
import type { Json } from "../../src/base/json.ts";
import { visible } from "../../src/base/text.ts";
import type { Paint } from "../../src/doors/cli/terminal/paint.ts";
import type { Scene } from "../phase.ts";
import type { Step } from "../step.ts";
import { nameWidth, row } from "./lines.ts";

/** What happens to one agent. */
type AgentScene = Exclude<Scene, { readonly scene: "begin" }>;

/** The scene as a value of `--json`. */
export function sceneValue({ scene, ...rest }: AgentScene): { readonly [name: string]: Json } {
  return { event: scene, ...rest };
}

/** The scene as a line. */
export function sceneLine(scene: AgentScene, paint: Paint): string {
  const struck = (how: string) => `\n${paint.strong(scene.agent.padEnd(nameWidth))}${paint.bad(how)}`;
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
  return `Nobody is told. Until now its program showed itself regularly; in this team such a sign may be ${limitSeconds} s late.`;
}

/** What Baton said, a line each sentence. */
export function toldLines({ agent, seq, words }: Extract<Step, { readonly step: "told" }>, paint: Paint): string {
  const [first = "", ...rest] = visible(words).split(/(?<=\.) /);
  const head = row(agent, "hears from Baton", `entry ${seq}: ${paint.bad(first)}`, paint);
  return [head, ...rest.map((sentence) => `${" ".repeat(nameWidth)}${sentence}`)].join("\n");
}
