/**
 * Which dialects a command reads by: those asked for alone; else the team's first and the others if only they accept an
 * input; all of them where there is no team. Source: docs/protocol/messages.md, section 14.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { nearest } from "../../base/text.ts";
import type { OptionFacts } from "../../doors/cli/kernel/arguments.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { ExitCode } from "../../doors/cli/terminal/exit-codes.ts";
import type { Dialect } from "../../messages/dialects/dialect.ts";
import { dialects as allDialects, dialectIds, dialectOf, dialects } from "../../messages/dialects/registry.ts";
import { read } from "../../messages/intake/read.ts";
import type { Reading } from "../../messages/intake/reading.ts";
import { teamDialect, teamDialectOf } from "../../perform/team-dialects.ts";
import { nearestTeam } from "../../perform/workspace/team-files.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";

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
    makeProblem("unknown-dialect", option, `There is no dialect "${word}" in this build.`, {
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

/*
 * Every message that can be asked about here: those of the dialects, and the own ones of the team of the nearest
 * `.baton/`.
 */

export interface KnownMessages {
  /** The dialects with the team's own types in them. */
  readonly dialects: readonly Dialect[];
  /** Every `dialect/type`, in order. */
  readonly names: readonly string[];
  readonly team: TeamDefinition | null;
  /** What is wrong with the team's files, where they cannot be read; its own types are then unknown. */
  readonly problems: readonly Problem[];
}

/** What can be asked about. A broken team file hides the team's own types, never those of the dialects. */
export async function knownMessages(call: Call): Promise<KnownMessages> {
  const read = await nearestTeam(call.config.directory);
  const team = read.ok ? read.value : null;
  const known = dialects.map((dialect) => teamDialect(team, dialect));
  const names = known.flatMap(({ id, definitions }) => [...definitions.keys()].map((type) => `${id}/${type}`));
  return { dialects: known, names, team, problems: read.ok ? [] : read.error };
}

/**
 * The name that `asked` stands for: a type alone is that of the team's first dialect that has it, and the others that
 * have it are said to the caller. Anything else is its own name.
 */
export function nameInTeam({ output }: Call, { team, names }: KnownMessages, asked: string): string {
  const alike = names.filter((name) => name.endsWith(`/${asked}`));
  const name = team?.dialects.map((id) => `${id}/${asked}`).find((each) => alike.includes(each));
  if (name === undefined) return asked;
  const others = alike.filter((each) => each !== name);
  if (others.length > 0) output.say(`This is ${name}, the team's. There is also ${others.join(", ")}.`);
  return name;
}

/**
 * Ends a command that was asked about something unknown: with the team's errors, which may be why, or with what was
 * meant.
 */
export function failUnknown(
  call: Call,
  asked: string,
  {
    what,
    names,
    lister,
    problems,
  }: { what: string; names: readonly string[]; lister: string; problems: readonly Problem[] },
): ExitCode {
  if (problems.length > 0) return call.output.fail(problems);
  const near = nearest(asked, names);
  // Who names a type alone means it in some dialect.
  const type = nearest(asked, [...new Set(names.map((name) => name.slice(name.lastIndexOf("/") + 1)))]);
  const meant = near === null ? names.filter((name) => name.endsWith(`/${type}`)) : [near];
  const said = meant.map((name) => `"${name}"`).join(" or ");
  const hint = meant.length === 0 ? `${lister} lists every name` : `did you mean ${said}?`;
  return call.output.fail(makeProblem("not-found", asked, `There is no ${what} "${asked}".`, { hint }));
}
