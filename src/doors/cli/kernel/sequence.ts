/** Reading an entry's number from the command line. */

import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { usageProblem } from "./arguments.ts";

/** `text` as the seq of an entry, a whole number from 1; else `wrong-usage`. */
export function readSequence(text: string): Result<number, Problem> {
  if (/^[1-9]\d{0,14}$/.test(text)) return ok(Number(text));
  return err(usageProblem("SEQ", "SEQ is the number of an entry.", "baton inbox and baton log show the numbers", text));
}
