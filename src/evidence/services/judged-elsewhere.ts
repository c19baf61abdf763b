/**
 * Work and artifacts that were judged before by what this clone does not have: another clone of the team judged them, and
 * this one lacks a pull. That is no finding, so nothing is recorded. Rules: docs/protocol/verdicts.md, section 6.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { artifactBytesMax } from "../decide/artifacts.ts";
import { findCommit } from "../git/commits.ts";
import type { Repository } from "../git/repository.ts";
import type { ArtifactFinding } from "../state.ts";
import type { Judged } from "./plan-checks.ts";

/**
 * The verdicts, with `reported` for each that takes an earlier one back only because a commit is not in this clone, the
 * reported one or a later one that overtook it. A
 * report that nobody judged before is judged by what is here: a made-up commit is in no clone.
 */
export async function withoutElsewhere(repository: Repository, judged: readonly Judged[]): Promise<readonly Judged[]> {
  const told: Judged[] = [];
  for (const each of judged) {
    const missing = await missingHere(repository, each);
    told.push(
      missing === null ? each : { ...each, verdict: { ...each.verdict, state: "reported", problems: [missing] } },
    );
  }
  return told;
}

/** The commit that is not in this clone, where an earlier verdict shows that somebody saw the work; else null. */
async function missingHere(
  repository: Repository,
  { candidate: { before }, verdict: { state, problems } }: Judged,
): Promise<Problem | null> {
  if (before === null) return null;
  if (state === "verified" && before.state === "gone") return await unseenLater(repository, before.problems);
  if (state !== "disputed" && state !== "gone") return null;
  // Where it was missing for all who judged it before, it still is.
  if (before.state === "disputed" && before.problems.some(({ code }) => code === "commit-missing")) return null;
  for (const each of problems) {
    if (each.code === "commit-missing") return each;
    if (each.code !== "commit-unreachable") continue;
    const found = await findCommit(repository, each.path);
    if (!found.ok) return found.error;
  }
  return null;
}

/** The later commit by which another clone found the work gone, where it is not in this one; else null. */
async function unseenLater(repository: Repository, problems: readonly Problem[]): Promise<Problem | null> {
  for (const { code, received = "" } of problems) {
    if (code !== "work-overwritten" && code !== "work-reverted") continue;
    const found = await findCommit(repository, received);
    if (!found.ok) return found.error;
  }
  return null;
}

/** Problems of an artifact that is not where the message says. */
const absentCodes: readonly string[] = ["artifact-missing", "artifact-uncommitted"];

const isAbsent = ({ code }: Problem): boolean => absentCodes.includes(code);

/**
 * Why this clone says nothing of artifacts that were judged before; null: it judges. It lacks something that the earlier
 * finding rests on, or a file that only a working tree had.
 */
export async function artifactsElsewhere(
  repository: Repository,
  before: ArtifactFinding | null,
  problems: readonly Problem[],
): Promise<Problem | null> {
  if (before?.basis === undefined) return null;
  const { objects, isUncommitted } = before.basis;
  for (const id of objects) {
    const found = await repository.objects.read(id, artifactBytesMax);
    if (!found.ok) return found.error;
    if (found.value === "missing") return lacking(id, before);
  }
  return isUncommitted && problems.some(isAbsent) ? lacking("a working tree", before) : null;
}

/** What a finding rests on, with what an earlier one rests on where the artifact was there and is gone. */
export function basisOf(
  sight: { readonly objects: ReadonlySet<string>; readonly isUncommitted: boolean },
  before: ArtifactFinding | null,
  problems: readonly Problem[],
): Pick<ArtifactFinding, "basis"> {
  const isGone = problems.some(isAbsent);
  // Nobody has seen it anywhere, so a clone that has it knows more, whatever else it lacks.
  if (isGone && before?.basis === undefined) return {};
  const objects = [...new Set([...sight.objects, ...(isGone ? (before?.basis?.objects ?? []) : [])])];
  return { basis: { objects: objects.slice(0, objectsMax), isUncommitted: sight.isUncommitted } };
}

/** Most objects that a finding names. */
const objectsMax = 100;

function lacking(what: string, { state, seq }: ArtifactFinding): Problem {
  const message = `The artifacts were found ${state} at entry ${seq} by what is not in this clone.`;
  return makeProblem("artifact-missing", what, message, { hint: "Fetch what the other clone has, then verify again." });
}
