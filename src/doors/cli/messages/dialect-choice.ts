/**
 * Which dialects a command reads by: those asked for alone; else the team's first and the others if only they accept an
 * input; all of them where there is no team. Source: docs/protocol/reading.md, section 8.
 */
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { nearest } from "../../../base/text.ts";
import type { Dialect } from "../../../dialects/dialect.ts";
import { dialects as allDialects, dialectIds, dialectOf } from "../../../dialects/registry.ts";
import { read } from "../../../intake/read.ts";
import type { Reading } from "../../../intake/reading.ts";
import { teamDialect, teamDialectOf } from "../../../runtime/team/team-dialects.ts";
import { nearestTeam } from "../../../workspace/team-files.ts";
import type { OptionFacts } from "../kernel/arguments.ts";
import type { Call } from "../kernel/command.ts";

/** Dialects that are tried first, and those that are asked when the first accept nothing. */
export interface DialectChoice {
  readonly first: readonly Dialect[];
  readonly others: readonly Dialect[];
}

/** Options of the commands that read inputs. */
export const readingOptions: readonly OptionFacts[] = [
  { name: "dialect", kind: "text", value: "DIALECT", repeatable: true, summary: "only these dialects, in this order" },
  {
    name: "strict",
    kind: "flag",
    summary: "refuse what is otherwise read with a note: unknown fields, drifted spelling",
  },
];

/** The dialects to try. Refuses `unknown-dialect`, and a team file that is there and broken. */
export async function chooseDialects(call: Call): Promise<Result<DialectChoice, Problem | readonly Problem[]>> {
  const team = await nearestTeam(call.config.directory);
  const asked = call.given.texts("dialect");
  if (asked.length === 0) {
    if (!team.ok) return team;
    const ids = team.value?.dialects ?? [];
    const first = ids.flatMap((id) => teamDialectOf(team.value, dialectOf)(id) ?? []);
    return ok({ first, others: allDialects.filter(({ id }) => !ids.includes(id)) });
  }
  const first: Dialect[] = [];
  for (const word of asked) {
    const dialect = knownDialect(word, "--dialect");
    if (!dialect.ok) return dialect;
    // Where the team's files are broken, the dialect is used without them.
    first.push(teamDialect(team.ok ? team.value : null, dialect.value));
  }
  return ok({ first, others: [] });
}

/** The dialect called `word`, or `unknown-dialect` with what was meant; `option` says where it was asked for. */
export function knownDialect(word: string, option: string): Result<Dialect, Problem> {
  const dialect = dialectOf(word);
  if (dialect !== null) return ok(dialect);
  const near = nearest(word, dialectIds);
  return err(
    problem("unknown-dialect", option, `There is no dialect "${word}" in this build.`, {
      expected: dialectIds.join(" | "),
      received: word,
      hint: near === null ? `one of: ${dialectIds.join(", ")}` : `did you mean "${near}"?`,
    }),
  );
}

/**
 * The reading by the first dialects; by the others where only they accept the text. `isFinal`: what one of the first
 * refuses stays refused, as the team would refuse it, and the others are asked only for types that the first do not know.
 */
export function readChosen(
  text: string | Uint8Array,
  { first, others }: DialectChoice,
  { isFinal = false, ...options }: { readonly strict: boolean; readonly isFinal?: boolean },
): Reading | Promise<Reading> {
  const reading = read(text, { dialects: first.length > 0 ? first : others, ...options });
  if (first.length === 0 || others.length === 0) return reading;
  const isDone = ({ outcome, dialect }: Reading) => outcome === "accepted" || (isFinal && dialect !== null);
  const again = async (one: Reading): Promise<Reading> => {
    const second = await read(text, { dialects: others, ...options });
    return second.outcome === "accepted" ? second : one;
  };
  if (reading instanceof Promise) return reading.then((late) => (isDone(late) ? late : again(late)));
  return isDone(reading) ? reading : again(reading);
}
