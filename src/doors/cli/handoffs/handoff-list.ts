/** `baton handoff list`: what was handed over, to whom, and its state. */
import { type Handoff, handoffGraph } from "../../../coordination/handoffs/handoff-state.ts";
import { taskKey } from "../../../coordination/tasks/task-ids.ts";
import type { Call, Command } from "../kernel/command.ts";
import { exitCodes } from "../kernel/exit-codes.ts";
import { withTeam } from "../place/session.ts";
import { handoffText } from "./handoff-text.ts";

export const command: Command = {
  description:
    "Prints the handoffs that wait for an answer or are worked on, oldest first. With --graph they come as one graph in\n" +
    "Mermaid's words: which follows which, and the state of each.",
  options: [
    { name: "all", kind: "flag", summary: "also those that were rejected or are completed" },
    { name: "workflow", kind: "text", value: "ID", summary: "only those of this workflow" },
    { name: "task", kind: "text", value: "TASK", summary: "only those of this task" },
    { name: "agent", kind: "text", value: "AGENT", summary: "only those that this agent issued or was handed" },
    { name: "graph", kind: "flag", summary: "a Mermaid graph, of all unless narrowed" },
  ],
  examples: [
    { line: "baton handoff list", meaning: "what waits, and for whom" },
    { line: "baton handoff list --all --workflow sign-in --json", meaning: "a workflow, a line of JSON each" },
    { line: "baton handoff list --graph", meaning: "the lineage of all of them" },
  ],
  next: "baton handoff show ID prints one with its document.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const asGraph = given.flag("graph");
      const found = await team.handoffs({ all: given.flag("all") || asGraph });
      if (!found.ok) return output.fail(found.error);
      const chosen = found.value.filter((handoff) => isMeant(call, handoff));
      if (asGraph) {
        const graph = handoffGraph(chosen);
        output.result({ graph, handoffs: chosen.length }, () => graph);
        return exitCodes.done;
      }
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
