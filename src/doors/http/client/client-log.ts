/** The log of a hub, read page by page in either direction. */

import { pageRowsMax } from "../../../base/limits.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { LogOptions, LogPage } from "../../../runtime/record/log-line.ts";
import type { Caller } from "./client-caller.ts";
import * as entryAnswers from "./client-entry-answers.ts";
import { notAHub } from "./client-faults.ts";

/** The lines that match among those that the hub looks at for one answer. */
export async function logPage(
  caller: Caller,
  path: readonly string[],
  options: LogOptions,
): Promise<Result<LogPage, Problem>> {
  const { newestFirst = false, limit = pageRowsMax, kinds, signal, looked: _, ...filters } = options;
  const query = { ...filters, kind: kinds, order: newestFirst ? "desc" : "asc", limit: Math.min(limit, pageRowsMax) };
  const page = await caller.ask({ method: "GET", path, query, shape: entryAnswers.logPage }, signal);
  if (!page.ok) return err(page.error.problems[0]);
  const { next } = page.value;
  const { after = -1, before = Number.POSITIVE_INFINITY } = options;
  // A page that leads nowhere would be asked for without end.
  const isOnward = next === null || (newestFirst ? next < before : next > after);
  return isOnward ? ok(page.value) : err(notAHub(caller.wire.hub.shown, "its pages lead in a circle"));
}
