/** What people call the states of a task. Pure, and fit for a browser. */
import type { TaskState } from "./task-view.ts";

const names: { readonly [State in TaskState]?: string } = {
  available: "open",
  claimed: "in work",
  returned: "came back",
};

/** The word for a state where people read it. */
export function stateName(state: TaskState): string {
  return names[state] ?? state;
}
