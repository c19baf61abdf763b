/** Errors planted into reassignment: it is decided once more, on a state that looks otherwise than it is. */

import type { EntryDraft } from "../../src/journal/entry.ts";
import type { TeamState } from "../../src/perform/state.ts";
import { emptyIndex } from "../../src/tasks/state/claim-index.ts";
import type { Member } from "../../src/team/state/roster.ts";
import { writing } from "./journal-plants.ts";
import { changed, type Plant } from "./planting.ts";

const commandIn = (draft: EntryDraft) => (draft.content as { readonly command?: { readonly name: string } }).command;
const refusedIn = (draft: EntryDraft) =>
  (draft.content as { readonly refused?: { readonly type: string | null } }).refused?.type;

/** A reassignment that is refused is decided again on the state that `look` makes of it, in its caller's own name. */
function deciding(problem: string, look: (state: TeamState) => TeamState): Plant {
  return {
    problem,
    plant: () => ({
      journal: (kept) => ({
        ...kept,
        commit: (team, attempt) =>
          kept.commit(team, {
            once: attempt.once,
            decide(state, moment) {
              const decided = attempt.decide(state, moment);
              if ("decline" in decided || refusedIn(decided) !== "reassign-task") return decided;
              const again = attempt.decide(look(state), moment);
              return "decline" in again ? again : { ...again, principal: decided.principal };
            },
          }),
      }),
    }),
  };
}

function withoutDepartment(member: Member): Member {
  return Object.fromEntries(Object.entries(member).filter(([key]) => key !== "department")) as unknown as Member;
}

function withMembers(state: TeamState, change: (member: Member) => Member): TeamState {
  return { ...state, team: { ...state.team, roster: changed(state.team.roster, change) } };
}

export const reassignmentPlants: readonly Plant[] = [
  deciding("two agents hold one file after a reassignment", (state) => {
    const { coordination } = state;
    return { ...state, coordination: { ...coordination, work: { ...coordination.work, covered: emptyIndex() } } };
  }),
  deciding("a lead of one department reassigns a task of another", (state) =>
    withMembers(state, (member) => withoutDepartment(member)),
  ),
  deciding("a task is reassigned to an agent that has left", (state) =>
    withMembers(state, (member) => ({ ...member, status: "active" })),
  ),
  writing("a reassigned task is free in between", (draft) => {
    if (commandIn(draft)?.name !== "reassign-task") return draft;
    const content = draft.content as { readonly events?: readonly { readonly event: string }[] };
    const events = (content.events ?? []).filter(({ event }) => event !== "task-claimed");
    return { ...draft, content: { ...content, events } };
  }),
  writing("the old token counts after a reassignment", (draft, state) => {
    if (commandIn(draft)?.name !== "reassign-task") return draft;
    const content = draft.content as {
      readonly events?: readonly { readonly event: string; readonly key: string }[];
    };
    const events = (content.events ?? []).map((event) =>
      event.event === "task-claimed"
        ? { ...event, token: state.coordination.work.tasks.get(event.key)?.claim?.token ?? 0 }
        : event,
    );
    return { ...draft, content: { ...content, events } };
  }),
];
