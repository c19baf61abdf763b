/** What `validate-message --strict` adds: Baton's own reading in the same dialect. Loaded only when it is asked for. */
import type { Dialect } from "../../../dialects/dialect.ts";
import { dialectOf } from "../../../dialects/registry.ts";
import { findCandidate } from "../../../intake/decode.ts";
import { judgeCandidate } from "../../../intake/read.ts";

/**
 * The problems of the text as Baton reads it, one sentence each; none when the dialect accepts it. `own` is the dialect
 * with a team's own types in it; null: the built-in one.
 */
export function strictErrors(text: string, dialect: string, own: Dialect | null): readonly string[] {
  const known = own ?? dialectOf(dialect);
  if (known === null) return [`strict checks of ${dialect} are not in this build`];
  const candidate = findCandidate(text);
  // A handoff document is no message of the dialects that are judged here, so nobody needs to read its YAML.
  if (candidate.as === "document") return ["not a message: a handoff document"];
  const reading = judgeCandidate(candidate, { dialects: [known], strict: true, senderKnown: true });
  if (reading.outcome === "prose" && reading.problems.length === 0) return ["not a message: plain text"];
  return reading.problems.map(({ code, path, message, hint }) => {
    return `${code} at ${path}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
  });
}
