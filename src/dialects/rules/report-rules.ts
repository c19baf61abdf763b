/**
 * Rules about work: what a finished task names, what must be fixed, which way an escalation goes.
 * Source: docs/protocol/messages.md, section 6.
 */

import { isJsonList, type Json, type JsonObject } from "../../base/json.ts";
import { jsonPath } from "../../base/json-path.ts";
import { fileLine, placeOf } from "../../base/paths/file-line.ts";
import { shortened } from "../../schema/preview.ts";
import { crossFault, objectsIn, type Rule } from "./rule.ts";

/** Who is one level above whom, in the words that an escalation uses. */
const oneUp: ReadonlyMap<string, string> = new Map([
  ["dev", "senior"],
  ["senior", "lead"],
  ["lead", "architect"],
]);

/** Rules about work by name. */
export const workRules = {
  "commit-when-complete": {
    words: "`commit` may be empty only while `status` is not `complete`.",
    check(fields, place) {
      if (fields.status !== "complete" || fields.commit !== "") return null;
      return crossFault(`${place}.commit`, "A complete task names its commit.", {
        expected: "a commit of 7 to 64 hex digits",
        received: '""',
        hint: 'commit the work and write its hash, or write the status "partial"',
      });
    },
  },
  "must-fix-names-changes": {
    words: "Each entry of `must_fix` is `file:line` of one of the `changes`.",
    check(fields, place) {
      if (!isJsonList(fields.must_fix) || !isJsonList(fields.changes)) return null;
      const { changes, must_fix: named } = fields;
      const stray = strayPlace(named, objectsIn(changes));
      if (stray < 0) return null;
      const places = objectsIn(changes).flatMap(({ f, ln }) =>
        typeof f === "string" && typeof ln === "number" ? [`${f}:${ln}`] : [],
      );
      const shown = places.slice(0, 12).join(" | ");
      return crossFault(
        jsonPath(["must_fix", stray], place),
        "must_fix names a place that no change of this message is about.",
        {
          expected: places.length === 0 ? "nothing, because changes is empty" : shown,
          received: shortened(named[stray]),
          hint: "write file:line of one of the changes, or add the change",
        },
      );
    },
  },
  "one-level-up": {
    words: "An escalation goes one level up: `dev` to `senior`, `senior` to `lead`, `lead` to `architect`.",
    check(fields, place) {
      const { from, to } = fields;
      if (typeof from !== "string") return null;
      const above = oneUp.get(from);
      if (above === undefined || typeof to !== "string" || to === above) return null;
      // A word outside the list is the validator's fault to tell.
      if (![...oneUp.values()].includes(to)) return null;
      return crossFault(`${place}.to`, `An escalation from ${from} goes to ${above}, one level up.`, {
        expected: above,
        received: to,
        hint: `write "to": "${above}"`,
      });
    },
  },
} as const satisfies { readonly [name: string]: Rule };

/** So many comparisons cost less than a set of all places. */
const comparisonsMax = 64;

/** Which of the named places, the first, no change is about; -1: each is. */
function strayPlace(named: readonly Json[], changes: readonly JsonObject[]): number {
  // Nearly all are written as their changes are, and comparing letters costs least.
  const isFew = named.length * changes.length <= comparisonsMax;
  if (isFew && named.every((one) => changes.some((change) => isAt(change, one)))) return -1;
  const known = new Set(changes.map(({ f, ln }) => placeOf(f, ln)));
  return named.findIndex((one) => typeof one === "string" && !known.has(canonicalPlace(one)));
}

/** Whether a place is written as this change would write it. */
function isAt({ f, ln }: JsonObject, place: Json): boolean {
  return typeof f === "string" && typeof ln === "number" && place === `${f}:${ln}`;
}

function canonicalPlace(text: string): string {
  const { file, line } = fileLine(text);
  return line === null ? file : `${file}:${line}`;
}
