/** The log of a hub, read page by page in either direction. */

import { pageRowsMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LogLine, LogOptions } from "../../runtime/log-line.ts";
import type { Caller } from "./client-caller.ts";
import * as entryAnswers from "./client-entry-answers.ts";
import { notAHub } from "./client-faults.ts";

/** The lines that match, in the order asked for; a problem ends them. */
export async function* logLines(
  caller: Caller,
  path: readonly string[],
  options: LogOptions,
): AsyncIterable<Result<LogLine, Problem>> {
  const { newestFirst = false, limit = Number.POSITIVE_INFINITY, kinds, ...filters } = options;
  const fixed = { ...filters, kind: kinds, order: newestFirst ? "desc" : "asc" };
  let { after, before } = options;
  let left = limit;
  while (left > 0) {
    const query = { ...fixed, after, before, limit: Math.min(left, pageRowsMax) };
    const page = await caller.ask({ method: "GET", path, query, shape: entryAnswers.logPage });
    if (!page.ok) {
      yield err(page.error.problems[0]);
      return;
    }
    const { entries, next } = page.value;
    for (const line of entries) yield ok(line);
    left -= entries.length;
    if (next === null) return;
    // A page that leads nowhere would be asked for without end.
    const isOnward = newestFirst ? next < (before ?? Number.POSITIVE_INFINITY) : next > (after ?? -1);
    if (!isOnward) {
      yield err(notAHub(caller.wire.hub.shown, "its pages lead in a circle"));
      return;
    }
    if (newestFirst) before = next;
    else after = next;
  }
}
