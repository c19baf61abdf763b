/**
 * Artifacts that were judged before by what this clone does not have: another clone of the team judged them, and this one
 * lacks a pull. That is no finding, so nothing is recorded. Rules: docs/protocol/verdicts.md, section 7.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Repository } from "../git/repository.ts";
import type { ArtifactFinding } from "../state.ts";

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
    const found = await repository.objects.facts(id);
    if (!found.ok) return found.error;
    if (found.value === null) return lacking(id, before);
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
