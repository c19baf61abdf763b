/** `--view`, as `log` and `watch` take it. */
import { type LogView, logViews } from "../../runtime/log-view.ts";
import { chosen } from "./choice.ts";
import type { Call, OptionFacts } from "./command.ts";

export const viewOption: OptionFacts = {
  name: "view",
  kind: "text",
  value: "VIEW",
  choices: logViews,
  summary: "messages: what was said or turned down, no bookkeeping; refusals: what agents were refused",
};

/** The view that is asked for, as an option of the log. */
export function viewOf({ given }: Call): { readonly view?: LogView } {
  const view = given.text("view");
  return view === undefined ? {} : { view: chosen(view, logViews) };
}
