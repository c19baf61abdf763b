/** Errors planted into handoffs. */

import { handoffs } from "../../src/handoffs/decide/handoffs.ts";
import type { Handoff } from "../../src/handoffs/state.ts";
import { without, writing } from "./journal-plants.ts";
import { decides, evolves, type Plant, type Planted } from "./planting.ts";

/** Handoffs are kept otherwise than the entries say. */
function keeping(change: (handoff: Handoff) => Handoff): () => Planted {
  return evolves(handoffs, (evolve) => (state, event) => {
    const after = evolve(state, event);
    const id = event.event === "handoff-issued" ? event.handoff.id : event.id;
    const known = after.all.get(id);
    if (known !== undefined) after.all.set(id, change(known));
    return after;
  });
}

const somebodyElse = ["lead-1", "lead-b", "lead-f", "dev-1", "dev-b1", "dev-f1"];

export const handoffPlants: readonly Plant[] = [
  {
    problem: "a handoff is answered twice",
    plant: keeping((handoff) => ({ ...handoff, acceptance: null, rejection: null })),
  },
  {
    problem: "a handoff is accepted by an agent that it is not addressed to",
    plant: keeping((handoff) => ({ ...handoff, receivers: [...handoff.receivers, ...somebodyElse] })),
  },
  {
    problem: "a handoff is accepted in another role than it was meant for",
    plant: evolves(handoffs, (evolve) => (state, event) => {
      const after = evolve(state, event);
      after.roles.clear();
      return after;
    }),
  },
  {
    problem: "a handoff is accepted and nobody looked at its files",
    plant: keeping((handoff) => ({ ...handoff, files: 0 })),
  },
  {
    problem: "any agent completes a handoff",
    plant: decides(handoffs, (decide) => (command, state) => {
      if (command.command !== "complete-handoff") return decide(command, state);
      return decide({ ...command, by: state.all.get(command.id)?.issuer ?? command.by }, state);
    }),
  },
  {
    problem: "a handoff follows none in its line",
    plant: decides(
      handoffs,
      (decide) => (command, state) =>
        decide(command, command.command === "issue-handoff" ? { ...state, lines: new Map() } : state),
    ),
  },
  writing("the claim on a task stays where it is when its handoff is accepted", (draft) => {
    const { command } = draft.content as { readonly command?: { readonly name: string } };
    return command?.name === "accept-handoff" ? without(draft, "claim-released", "task-claimed") : draft;
  }),
  writing("nobody reads which handoffs wait for an agent that was taken out", (draft) => {
    const { command } = draft.content as { readonly command?: { readonly name: string } };
    return command?.name === "retire-agent" ? { ...draft, receivers: [] } : draft;
  }),
];
