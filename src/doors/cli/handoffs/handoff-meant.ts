/**
 * Which handoff a command means: the one with that id, or the one whose document a file holds, or the only one whose id
 * begins so. A file is only taken for an issued handoff where it still says what was issued.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { checkFiles, reportOf } from "../../../evidence/checksums.ts";
import { bodyOf } from "../../../message/handoff-body.ts";
import { handoffDigest } from "../../../message/handoff-digest.ts";
import type { VerifiedFiles } from "../../../message/handoff-files.ts";
import type { HandoffDetail } from "../../../operations/handoff-shapes.ts";
import type { Team } from "../../../runtime/team/team.ts";
import type { PositionalFacts } from "../kernel/arguments.ts";
import type { Call } from "../kernel/command.ts";
import { handoffIn } from "./handoff-file.ts";
import { rootOf } from "./handoff-root.ts";

/** The argument of the commands about one issued handoff. */
export const handoffArgument: PositionalFacts = {
  name: "ID",
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
    problem("not-verified", word, "The file does not say what was issued: it was changed since.", {
      expected: `the document of ${issued.value.handoff.id}, entry ${issued.value.handoff.seq}`,
      hint: `baton handoff show ${issued.value.handoff.id} --document prints it as it was issued.`,
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
    return err([problem("unknown-request", word, `${ids.length} handoffs have an id that begins so.`, { hint })]);
  }
  const meant = await team.handoff({ handoff: only });
  return meant.ok ? meant : err([meant.error]);
}

/** Most ids that a hint lists. */
const listedIdsMax = 6;
