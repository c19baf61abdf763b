/** A handoff document in a file, read as a message of bmad/1 and as nothing else. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { messageBytesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { OptionFacts, PositionalFacts } from "../../doors/cli/kernel/arguments.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { checkFiles, reportOf } from "../../evidence/decide/checksums.ts";
import { dialectOf } from "../../messages/dialects/registry.ts";
import { bodyOf, type HandoffBody, type VerifiedFiles } from "../../messages/handoff-body.ts";
import { handoffDigest } from "../../messages/handoff-draft.ts";
import { read } from "../../messages/intake/read.ts";
import type { AcceptedReading, Reading } from "../../messages/intake/reading.ts";
import type { Team } from "../../perform/team.ts";
import { findUpwards, findWorkspace } from "../../perform/workspace/workspace.ts";
import type { HandoffDetail } from "../operations.ts";

/** The dialect of handoff documents. */
export const handoffDialect = "bmad/1";

export interface HandoffFile {
  readonly reading: AcceptedReading;
  readonly body: HandoffBody;
}

/** The reading of a file (`-`: standard input) as a handoff document. Refuses `not-found` what cannot be read. */
export async function readHandoff(
  call: Call,
  file: string,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<Result<Reading, Problem>> {
  const bytes = await readWhole(file, messageBytesMax, call.signal);
  return bytes.ok ? ok(await readingOf(bytes.value, { strict })) : bytes;
}

/** The reading of an input as a handoff document. Anything else is invalid, even if it could be sent as prose. */
export async function readingOf(
  text: string | Uint8Array,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<Reading> {
  const bmad = dialectOf(handoffDialect);
  const reading = await read(text, { dialects: bmad === null ? [] : [bmad], strict });
  if (reading.outcome !== "prose" || reading.problems.length > 0) return reading;
  return { ...reading, problems: [noDocument("$")] };
}

/** The document in a file. Refuses what it does not hold, with every problem of its form. */
export async function handoffIn(call: Call, file: string): Promise<Result<HandoffFile, readonly Problem[]>> {
  const reading = await readHandoff(call, file);
  if (!reading.ok) return err([reading.error]);
  if (reading.value.outcome !== "accepted") return err(reading.value.problems);
  return ok({ reading: reading.value, body: bodyOf(reading.value.message) });
}

/** That there is no document at `path`, and how one is made. */
export function noDocument(path: string): Problem {
  return makeProblem("unknown-type", path, "The file holds no handoff document.", {
    expected: "YAML or JSON with everything under the one key handoff; in Markdown at its head, or in one fence",
    hint: "baton handoff new writes one.",
  });
}

/** That `team` does not read such documents, where none of what its agents speak is their dialect; else null. */
export function dialectNotRead(team: string, spoken: readonly string[]): Problem | null {
  if (spoken.includes(handoffDialect)) return null;
  return makeProblem(
    "unknown-dialect",
    team,
    `This team does not read handoff documents: they are ${handoffDialect}.`,
    {
      expected: handoffDialect,
      received: [...new Set(spoken)].join(", "),
      hint: `add ${handoffDialect} to dialects in .baton/team.yaml`,
    },
  );
}

/* Where the files of a handoff document lie: the root that its paths start from. */

/** The option of the commands that look at files. */
export const rootOption: OptionFacts = {
  name: "root",
  kind: "text",
  value: "DIR",
  summary: "where its paths start (default: the root of the repository around you)",
};

/** The folder that is named, else the working tree around this one, else that with `.baton/`, else this one. Absolute. */
export function rootOf({ given, config }: Call): string {
  const named = given.text("root");
  if (named !== undefined) return resolve(config.directory, named);
  return rootAround(config.directory);
}

/** The working tree around a folder, else the one with `.baton/`, else the folder itself. Absolute. */
export function rootAround(directory: string): string {
  return findUpwards(directory, ".git", existsSync) ?? findWorkspace(directory)?.root ?? directory;
}

/*
 * Which handoff a command means: the one with that id, or the one whose document a file holds, or the only one whose id
 * begins so. A file is only taken for an issued handoff where it still says what was issued.
 */

/** The argument of the commands about one issued handoff. */
export const handoffArgument: PositionalFacts = {
  name: "ID",
  argument: "handoff",
  required: true,
  summary: "the handoff's id or how it alone begins, or a file with its document",
};

/** The issued handoff that `ID` means. Refuses `unknown-request`, and `not-verified` a file that was changed since. */
export async function handoffMeant(call: Call, team: Team): Promise<Result<HandoffDetail, readonly Problem[]>> {
  const word = call.given.word("ID") ?? "";
  const found = await team.handoff({ handoff: word });
  if (found.ok) return found;
  const isFile = found.error.code === "unknown-request" && existsSync(resolve(call.config.directory, word));
  if (!isFile)
    return found.error.code === "unknown-request" ? await beginningWith(team, word, found.error) : err([found.error]);
  const document = await handoffIn(call, word);
  if (!document.ok) return document;
  const issued = await team.handoff({ handoff: document.value.body.metadata.id });
  if (!issued.ok) return err([issued.error]);
  if (issued.value.handoff.digest === handoffDigest(document.value.reading.fact)) return issued;
  return err([
    makeProblem("not-verified", word, "The file does not say what was issued: it was changed since.", {
      expected: `the document of ${issued.value.handoff.id}, entry ${issued.value.handoff.seq}`,
      hint: `baton handoff list ${issued.value.handoff.id} --document prints it as it was issued.`,
    }),
  ]);
}

/**
 * The id of the issued handoff that `ID` means, and what is found of those of its files that `filesOf` picks. Refuses as
 * `handoffMeant` does, and what keeps the files from being looked at.
 */
export async function handoffLookedAt(
  call: Call,
  team: Team,
  filesOf: (body: ReturnType<typeof bodyOf>) => Parameters<typeof checkFiles>[1],
): Promise<Result<{ readonly id: string; readonly verified: VerifiedFiles }, readonly Problem[]>> {
  const meant = await handoffMeant(call, team);
  if (!meant.ok) return meant;
  const { handoff, document } = meant.value;
  const checks = await checkFiles(rootOf(call), filesOf(bodyOf(document)), { signal: call.signal });
  return checks.ok ? ok({ id: handoff.id, verified: reportOf(handoff.digest, checks.value) }) : err([checks.error]);
}

/** Shorter beginnings are no names. */
const beginningCharactersMin = 4;

/** The only handoff whose id begins with `word`; else `unknown`, which says where there are several. */
async function beginningWith(
  team: Team,
  word: string,
  unknown: Problem,
): Promise<Result<HandoffDetail, readonly Problem[]>> {
  if (word.length < beginningCharactersMin) return err([unknown]);
  const all = await team.handoffs({ all: true });
  if (!all.ok) return err([all.error]);
  const ids = all.value.flatMap(({ id }) => (id.startsWith(word) ? [id] : []));
  const [only, another] = ids;
  if (only === undefined) return err([unknown]);
  if (another !== undefined) {
    const hint = `Write more of the id: ${ids.slice(0, listedIdsMax).join(", ")}${ids.length > listedIdsMax ? ", and more" : ""}.`;
    return err([makeProblem("unknown-request", word, `${ids.length} handoffs have an id that begins so.`, { hint })]);
  }
  const meant = await team.handoff({ handoff: only });
  return meant.ok ? meant : err([meant.error]);
}

/** Most ids that a hint lists. */
const listedIdsMax = 6;
