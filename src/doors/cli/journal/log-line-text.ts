/** A line of the log for people: when, which entry, what it is, who sent it to whom, and what it says. */
import { visible } from "../../../base/text.ts";
import { invalidStateOf } from "../../../coordination/tasks/report-status.ts";
import type { LogLine } from "../../../operations/entries.ts";
import { faultStyle } from "../messages/watch-line.ts";
import { listed } from "../place/session.ts";
import type { Paint } from "../terminal/output.ts";
import { localTime } from "../terminal/terminal-text.ts";

export function logLineText(line: LogLine, paint: Paint): string {
  const isRefused = line.kind === "refusal";
  // Of a refused text that is no message there is no type to tell.
  const what = line.type === null ? (isRefused ? "an input" : line.kind) : visible(line.type);
  const word = invalidStateOf(line.report);
  const fault = word === null ? "" : `${faultStyle(word, paint)(word)} `;
  const shown = isRefused ? paint.bad(`refused ${what}`) : `${fault}${what}`;
  const to = line.receivers.length === 0 ? "" : ` -> ${listed(line.receivers)}`;
  // That it was refused is before what it is.
  const said = isRefused ? line.summary.replace(/^refused: /, "") : line.summary;
  const head = `${paint.faint(`${localTime(line.recordedAt)} `)}${paint.strong(`#${line.seq}`)}`;
  return `${head} ${shown} ${visible(line.sender)}${to}  ${visible(said)}`;
}
