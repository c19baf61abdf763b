/**
 * What the timeline is narrowed to, and how the hub is asked for it. The hub filters: what is not loaded yet is found
 * all the same.
 */

import { isInView, type LogLine, type LogView } from "../../../runtime/record/log-line.ts";

/** Which entries are of interest; `all`: bookkeeping too. */
export type View = LogView | "all";

/** Empty text: not narrowed by it. */
export interface Filter {
  readonly view: View;
  readonly agent: string;
  readonly type: string;
  readonly task: string;
  readonly text: string;
}

export const everything: Filter = { view: "messages", agent: "", type: "", task: "", text: "" };

/** The views in the order they are offered, with their names. */
export const views: readonly (readonly [View, string])[] = [
  ["messages", "Messages"],
  ["refusals", "Refusals"],
  ["all", "Everything"],
];

/** The filter as the query of `GET …/messages`. */
export function queryOf(filter: Filter): Readonly<Record<string, string | readonly string[] | undefined>> {
  const given = (text: string) => (text === "" ? undefined : text);
  return {
    view: filter.view === "all" ? undefined : filter.view,
    agent: given(filter.agent),
    type: given(filter.type),
    task: given(filter.task),
    text: given(filter.text),
  };
}

/** Whether a new line passes; null: only the hub can say, as a line holds no whole text. */
export function passes(line: LogLine, filter: Filter): boolean | null {
  if (filter.view !== "all" && !isInView(line, filter.view)) return false;
  if (filter.agent !== "" && line.sender !== filter.agent && !line.receivers.includes(filter.agent)) return false;
  if (filter.type !== "" && line.type !== filter.type) return false;
  if (filter.task !== "" && line.task !== filter.task) return false;
  return filter.text === "" ? true : null;
}

/** Whether anything but the view is narrowed. */
export function isNarrowed(filter: Filter): boolean {
  return filter.agent !== "" || filter.type !== "" || filter.task !== "" || filter.text !== "";
}
