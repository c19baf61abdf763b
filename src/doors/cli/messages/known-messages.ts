/**
 * Every message that can be asked about here: those of the dialects, and the own ones of the team of the nearest
 * `.baton/`.
 */
import type { Problem } from "../../../base/problem.ts";
import { problem } from "../../../base/problem.ts";
import { nearest } from "../../../base/text.ts";
import type { Dialect } from "../../../dialects/dialect.ts";
import { dialects } from "../../../dialects/registry.ts";
import { teamDialect } from "../../../runtime/team/team-dialects.ts";
import type { TeamDefinition } from "../../../team/definition.ts";
import { nearestTeam } from "../../../workspace/team-files.ts";
import type { Call } from "../kernel/command.ts";
import type { ExitCode } from "../kernel/exit-codes.ts";

export interface KnownMessages {
  /** The dialects with the team's own types in them. */
  readonly dialects: readonly Dialect[];
  /** Every `dialect/type`, in order. */
  readonly names: readonly string[];
  readonly team: TeamDefinition | null;
  /** What is wrong with the team's files, where they cannot be read; its own types are then unknown. */
  readonly faults: readonly Problem[];
}

/** What can be asked about. A broken team file hides the team's own types, never those of the dialects. */
export async function knownMessages(call: Call): Promise<KnownMessages> {
  const read = await nearestTeam(call.config.directory);
  const team = read.ok ? read.value : null;
  const known = dialects.map((dialect) => teamDialect(team, dialect));
  const names = known.flatMap(({ id, definitions }) => [...definitions.keys()].map((type) => `${id}/${type}`));
  return { dialects: known, names, team, faults: read.ok ? [] : read.error };
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
    faults,
  }: { what: string; names: readonly string[]; lister: string; faults: readonly Problem[] },
): ExitCode {
  if (faults.length > 0) return call.output.fail(faults);
  const near = nearest(asked, names);
  // Who names a type alone means it in some dialect.
  const meant = near === null ? names.filter((name) => name.endsWith(`/${asked}`)) : [near];
  const said = meant.map((name) => `"${name}"`).join(" or ");
  const hint = meant.length === 0 ? `${lister} lists every name` : `did you mean ${said}?`;
  return call.output.fail(problem("not-found", asked, `There is no ${what} "${asked}".`, { hint }));
}
