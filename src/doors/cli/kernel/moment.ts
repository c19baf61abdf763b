/** A time as people type it: RFC 3339, a date, or how long ago (`10m`, `2h`, `3d`). */
import { systemClock, timestampOf } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { usageProblem } from "./arguments.ts";

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `text` as RFC 3339 in UTC; else `wrong-usage` about `option`. */
export function readMoment(option: string, text: string): Result<string, Problem> {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined && unit !== undefined) {
    return ok(timestampOf(systemClock.now() - Number(amount) * (unitMs[unit] ?? 0)));
  }
  const isTime = /^\d{4}-\d{2}-\d{2}([Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ok(timestampOf(ms));
  return err(
    usageProblem(
      option,
      "This is not a time.",
      "write 2026-02-12T10:00:00Z, 2026-02-12, or 10m, 2h, 3d for a time ago",
      text,
    ),
  );
}
