/**
 * The limits of the team file: shown with what is in force, and written into the file by the owner, with a look before at
 * what that changes. The file stays the one place of truth: what is written counts like any other change of it, and
 * everything else in it stays byte by byte. Rules: docs/protocol/authority.md, section 21.
 */
import { argument } from "../../base/argument.ts";
import { sha256 } from "../../base/canonical.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { yamlBytesMax } from "../../base/limits.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { nearest, shorten } from "../../base/text.ts";
import { loadYaml, parseYamlWith } from "../../base/text-formats/yaml.ts";
import { tryEditYaml } from "../../base/text-formats/yaml-edit.ts";
import { unifiedDiff } from "../../base/unified-diff.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Actor, Context, TeamTexts } from "../../perform/context.ts";
import type { SetLimits } from "../../perform/operations/generated/calls.ts";
import type { LimitsChange, LimitsView } from "../operations/revisions.ts";
import { limitOf, type TeamDefinition, teamLimits } from "../state/definition.ts";
import { compareDefinitions } from "../state/revision-changes.ts";
import { reviseTeam } from "./revision.ts";
import { olderFile, teamOfFile } from "./team-file.ts";

/** The team file as it is now, with what it says. */
interface FoundFile {
  readonly file: TeamTexts;
  readonly definition: TeamDefinition;
}

/** Each limit as the file has it and as it is in force. Refuses `not-found` without a team file, and what it refuses. */
export async function limits(context: Context): Promise<Result<LimitsView, Problem>> {
  const found = await fileOf(context);
  if (!found.ok) return found;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { file, definition } = found.value;
  const inForce = folded.value.state.team.definition?.limits;
  return ok({
    path: file.path,
    digest: sha256(file.text),
    limits: teamLimits.map(({ key, field, otherwise, min, max, says }) => ({
      limit: key,
      value: definition.limits?.[field] ?? null,
      inForce: limitOf(inForce, field),
      otherwise,
      min,
      max,
      says,
    })),
  });
}

/**
 * Writes limits into the team file and records what of it is in force at once; with `preview` nothing is written. Refuses
 * `human-required` for all but the owner, `wrong-value`, `changed-meanwhile` where `digest` names another file, `not-found`
 * without a team file, `team-file` where the file is older than the team's, and what the changed file refuses.
 */
export async function setLimits(
  context: Context,
  actor: Actor,
  given: SetLimits,
): Promise<Result<LimitsChange, Problem>> {
  if (actor.agent !== ownerName) return err(ownersOnly(actor.agent));
  const wanted = limitsIn(given.limits);
  if (!wanted.ok) return wanted;
  const found = await fileOf(context);
  if (!found.ok) return found;
  const { file } = found.value;
  if (given.digest !== undefined && given.digest !== sha256(file.text)) return err(changedMeanwhile(file.path));
  const text = await withLimits(file, wanted.value);
  if (!text.ok) return text;
  const changed = await definitionOf(context, { ...file, text: text.value });
  if (!changed.ok) return changed;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { definition, roster } = folded.value.state.team;
  const older = olderFile(context, found.value.definition, folded.value.state.team);
  if (older !== null) return err(older);
  const change = {
    isWritten: false,
    digest: sha256(text.value),
    diff: unifiedDiff(file.text, text.value, { from: file.path, to: file.path }),
    changes: definition === null ? [] : compareDefinitions(definition, changed.value, roster).changes,
    proposal: null,
  };
  if (given.preview === true || change.diff === "") return ok(change);
  const written = write(file, text.value);
  if (!written.ok) return written;
  const revised = await reviseTeam(context, changed.value);
  if (!revised.ok) return err(firstOf(revised.error, file.path));
  const { proposal } = revised.value;
  return ok({ ...change, isWritten: true, proposal: proposal?.status === "waiting" ? proposal.id : null });
}

async function fileOf(context: Context): Promise<Result<FoundFile, Problem>> {
  const file = context.readTeamFile?.() ?? ok(null);
  if (!file.ok) return file;
  if (file.value === null) return err(noFile());
  const definition = await definitionOf(context, file.value);
  return definition.ok ? ok({ file: file.value, definition: definition.value }) : definition;
}

/** What the file says, without what may be remembered of an earlier one. */
async function definitionOf(
  { team }: Context,
  { path, text, messages }: TeamTexts,
): Promise<Result<TeamDefinition, Problem>> {
  const read = await teamOfFile({ path, text, ...(messages === undefined ? {} : { messages }) });
  if (!read.ok) return err(firstOf(read.error, path));
  return read.value === null || read.value.name !== team ? err(noFile()) : ok(read.value);
}

/** The limits that `NAME=VALUE` set, by their names in the file. */
function limitsIn(assignments: readonly string[]): Result<{ readonly [limit: string]: number }, Problem> {
  const wanted = new Map<string, number>();
  for (const [at, assignment] of assignments.entries()) {
    const [, name = assignment, digits] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
    const limit = teamLimits.find(({ key }) => key === name);
    if (limit === undefined) return err(unknownLimit(at, name));
    if (digits === undefined) return err(withoutValue(at, limit, assignments[at + 1]));
    const value = /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
    if (!(value >= limit.min && value <= limit.max)) return err(wrongLimit(at, limit, digits));
    wanted.set(name, value);
  }
  return ok(Object.fromEntries(wanted));
}

/** The text of the file with these limits; comments, order and the rest stay. */
async function withLimits({ text, path }: TeamTexts, wanted: JsonObject): Promise<Result<string, Problem>> {
  const yaml = await loadYaml();
  const read = parseYamlWith(yaml, text, path);
  if (!read.ok) return read;
  const { value } = read.value;
  const before = isJsonObject(value) ? value : {};
  const limitsBefore = isJsonObject(before.limits) ? before.limits : {};
  return tryEditYaml(yaml, text, { ...before, limits: { ...limitsBefore, ...wanted } });
}

/** In the place of the very file that was read, with its mode; refused where it is another one by now. */
function write(file: TeamTexts, text: string): Result<void, Problem> {
  const now = readPlainFile(file.path, yamlBytesMax);
  if (!now.ok || now.value === null || now.value.text !== file.text) return err(changedMeanwhile(file.path));
  try {
    replacePlainFile(file.path, text, { mode: now.value.facts.mode & 0o777, isSynced: true });
    return ok(undefined);
  } catch (cause) {
    const hint = "Change the file yourself, or let Baton write in its folder.";
    return err(makeProblem("team-file", file.path, `The team file cannot be written (${reasonOf(cause)}).`, { hint }));
  }
}

function firstOf([first]: readonly Problem[], path: string): Problem {
  return first ?? makeProblem("team-file", path, "The file cannot be taken.");
}

function ownersOnly(agent: string): Problem {
  return makeProblem("human-required", agent, `${agent} may not change the team's limits.`, {
    expected: "the owner",
    hint: "Ask the person who owns the team.",
  });
}

function noFile(): Problem {
  return makeProblem("not-found", argument("team"), "There is no team file of this team at hand.", {
    hint: "Ask where the team file lies, or the hub that was started there.",
  });
}

function changedMeanwhile(path: string): Problem {
  return makeProblem("changed-meanwhile", argument("digest"), `${path} has changed since it was shown.`, {
    hint: "Look at the limits again: `baton team limits` shows them.",
  });
}

function unknownLimit(at: number, name: string): Problem {
  const known = teamLimits.map(({ key }) => key);
  const meant = nearest(name, known);
  return makeProblem("wrong-value", `${argument("limits")}[${at}]`, "There is no limit of this name.", {
    expected: known.join(" | "),
    received: shorten(name, 80),
    hint: meant === null ? "`baton team limits` lists them." : `did you mean "${meant}"?`,
  });
}

/** `next`: what comes after it, which is its value where it is a number. */
function withoutValue(at: number, { key, min, max }: (typeof teamLimits)[number], next = ""): Problem {
  const value = /^\d{1,15}$/.test(next) ? next : `${min}`;
  return makeProblem("wrong-value", `${argument("limits")}[${at}]`, `${key} has no value: the = is missing.`, {
    expected: `${key}= and a whole number from ${min} to ${max}`,
    received: key,
    hint: `Write ${key}=${value}.`,
  });
}

function wrongLimit(at: number, { key, min, max }: (typeof teamLimits)[number], received: string): Problem {
  return makeProblem("wrong-value", `${argument("limits")}[${at}]`, `${key} is out of bounds.`, {
    expected: `a whole number from ${min} to ${max}`,
    received: shorten(received, 80),
  });
}
