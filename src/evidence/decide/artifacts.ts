/**
 * The artifacts that a message names: there, committed where the message says so, and with as much in them as it says.
 * What is committed is read from the branches' trees; what is not, from the working trees, without following a link.
 * Source: docs/protocol/verdicts.md; docs/protocol/authority.md, section 10.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { canonicalPath } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FactKind } from "../../messages/facts.ts";
import { planKey } from "../../messages/task-ids.ts";
import { linkMode } from "../git/changes.ts";
import { bytesOf, entriesAt, factsOf, giveUp, look } from "../git/questions.ts";
import { type Repository, workTreesOf } from "../git/repository.ts";
import { artifactsIn, artifactsMax } from "../state.ts";

/** A message that may name artifacts, as a neutral fact. */
export interface ArtifactMessage {
  readonly kind: FactKind;
  readonly body: JsonObject;
}

/** Largest artifact that is looked into, in bytes. */
export const artifactBytesMax = 4 * 1024 * 1024;
/** Most branches that are looked at, those with the newest commits first. */
const branchesMax = 200;

/**
 * The problems of a message's artifacts: `invalid-path`, `artifact-missing`, `artifact-uncommitted`,
 * `artifact-unreadable`, `counts-differ`; or what asking git refuses, and `repository-missing` where an uncommitted
 * artifact can only be in a working tree and there is none; `too-large` where it is on none of the branches that are looked
 * at, and there are more.
 */
export async function verifyArtifacts(repository: Repository, message: ArtifactMessage): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const named = artifactsIn(message.body);
  if (named.length > artifactsMax) return [tooMany(named.length)];
  const tips = named.length === 0 ? ok(noTips) : await branchTips(repository);
  if (!tips.ok) return [tips.error];
  for (const [field, written] of named) {
    const path = canonicalPath(written);
    if (!path.ok) problems.push({ ...path.error, path: `$.body.${field}` });
    else problems.push(...(await judgeArtifact(repository, message, path.value, tips.value)));
  }
  return problems;
}

async function judgeArtifact(
  repository: Repository,
  message: ArtifactMessage,
  path: string,
  tips: Tips,
): Promise<readonly Problem[]> {
  const committed = await committedVersions(repository, path, tips.trees);
  if (!committed.ok) return [committed.error];
  if (committed.value.length > 0) return problemsOfBest(message, path, committed.value);
  if (tips.isCut) return [tooManyBranches(path)];
  const trees = await workTreesOf(repository);
  if (!trees.ok) return [trees.error];
  const written = trees.value.flatMap(({ directory }) => readInside(directory, path) ?? []);
  if (written.length > 0 && message.body.committed !== true) return problemsOfBest(message, path, written);
  if (written.length > 0) return [uncommitted(path)];
  // A critic only says where its findings belong; the lead writes them down later.
  if (message.kind === "critique" && message.body.committed !== true) return [];
  return [trees.value.length === 0 && message.body.committed !== true ? noWorkTree(path) : absent(path)];
}

/** An artifact is good when one of its versions agrees with the message. */
function problemsOfBest(message: ArtifactMessage, path: string, versions: readonly Buffer[]): readonly Problem[] {
  const judged = versions.map((content) => contentProblems(message, path, content));
  return judged.find((problems) => problems.length === 0) ?? judged[0] ?? [];
}

function contentProblems(message: ArtifactMessage, path: string, content: Buffer): readonly Problem[] {
  const field = totals[message.kind];
  if (!path.endsWith(".jsonl") || field === undefined) return [];
  const rows = readRows(content.toString("utf8"), path);
  if (!rows.ok) return [rows.error];
  const own = entriesOf(message.body, rows.value);
  return own === null ? [] : countProblems(saidIn(message.body, field), field, own.length, path);
}

/**
 * The entries about the message's plan; null: nobody knows which they are. Not every row names its plan, or only a sum is
 * there, or several: then the plan's were written in several rounds.
 */
function entriesOf({ planId }: JsonObject, rows: readonly JsonObject[]): readonly JsonObject[] | null {
  const [first, ...others] = rows;
  const all = first !== undefined && isSum(first) && planIn(first) === null ? others : rows;
  const plans = all.map(planIn);
  if (typeof planId !== "string" || all.length === 0 || plans.includes(null)) return null;
  const own = all.filter((_, index) => planKey(plans[index] ?? "") === planKey(planId));
  const entries = own.filter((row) => !isSum(row));
  const sums = own.length - entries.length;
  return sums > 1 || (sums === 1 && entries.length === 0) ? null : entries;
}

/** The trees of the branches, and whether there are more. */
interface Tips {
  readonly trees: readonly string[];
  readonly isCut: boolean;
}

const noTips: Tips = { trees: [], isCut: false };

async function branchTips(repository: Repository): Promise<Result<Tips, Problem>> {
  const words = ["for-each-ref", `--count=${branchesMax + 1}`, "--sort=-committerdate", "--format=%(tree)"];
  const answer = await repository.git.run([...words, "refs/heads/", "refs/remotes/"]);
  if (!answer.ok) return answer;
  const trees = answer.value.output
    .toString("latin1")
    .split("\n")
    .filter((tree) => tree !== "");
  return ok({ trees: [...new Set(trees.slice(0, branchesMax))], isCut: trees.length > branchesMax });
}

/** The contents that are at `path` on the branches, each once. A folder or a link is no artifact. */
async function committedVersions(
  repository: Repository,
  path: string,
  trees: readonly string[],
): Promise<Result<readonly Buffer[], Problem>> {
  return await look(async () => {
    const versions = new Map<string, Buffer>();
    for (const tree of trees) {
      const found = await factsOf(repository, `${tree}:${path}`);
      if (found?.kind !== "blob" || versions.has(found.id)) continue;
      if ((await entriesAt(repository, tree, [path])).get(path)?.mode === linkMode) continue;
      if (found.size > artifactBytesMax) return giveUp(tooLarge(path));
      const content = await bytesOf(repository, found.id, artifactBytesMax);
      if (content !== null) versions.set(found.id, content);
    }
    return [...versions.values()];
  });
}

/** The file at `path` below `root` where no link leads out of it; null: there is none, or it is too large. */
function readInside(root: string, path: string): Buffer | null {
  let descriptor: number | null = null;
  try {
    const top = realpathSync(root);
    const real = realpathSync(join(top, path));
    if (!real.startsWith(top + sep)) return null;
    descriptor = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const stat = fstatSync(descriptor);
    return stat.isFile() && stat.size <= artifactBytesMax ? readFileSync(descriptor) : null;
  } catch {
    // Not there, or not readable: for a reader that is the same.
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function absent(path: string): Problem {
  return makeProblem("artifact-missing", path, "The artifact is on no branch and in no working tree.", {
    received: path,
    hint: "Write it at this path and commit it, or send the message again with the right path.",
  });
}

function uncommitted(path: string): Problem {
  return makeProblem(
    "artifact-uncommitted",
    path,
    "The message says that the artifact is committed; no branch has it.",
    {
      expected: "committed: false, or a commit that holds it",
      received: "committed: true",
      hint: `Commit it (git add ${path}, git commit), then verify again.`,
    },
  );
}

function tooLarge(path: string): Problem {
  return makeProblem("artifact-unreadable", path, `The artifact has more than ${artifactBytesMax} bytes.`, {
    hint: "Split it; one of this size is not looked into.",
  });
}

function tooManyBranches(path: string): Problem {
  const message = `The artifact is on none of the ${branchesMax} newest branches, and the others are not looked at.`;
  return makeProblem("too-large", path, message, { received: path, hint: "Remove branches that nobody needs." });
}

function tooMany(count: number): Problem {
  return makeProblem(
    "too-large",
    "$.body.artifacts",
    `The message names ${count} artifacts; at most ${artifactsMax} are looked at.`,
    {
      expected: `at most ${artifactsMax}`,
      hint: "Name them in several messages.",
    },
  );
}

function noWorkTree(path: string): Problem {
  return makeProblem(
    "repository-missing",
    path,
    "The artifact is not committed, and here is no working tree to look in.",
    {
      hint: "Verify where the files are checked out, or commit the artifact.",
    },
  );
}

/*
 * How many entries a message says that its artifact has, against those that it has. What the entries say, nobody defines.
 * Fields are named as in neutral facts. Source: docs/protocol/verdicts.md, section 7.
 */

/** In which field each kind of message says it; with a dot: inside an object; a list counts by its length. */
const totals: { readonly [Kind in FactKind]?: string } = {
  critique: "findings",
  "review-result": "findingsCount",
  "code-verdict": "findingsCount",
  "security-audit": "findings",
  research: "findings",
  verdict: "checks.total",
};

function countProblems(said: number | null, field: string, found: number, path: string): readonly Problem[] {
  if (said === null || said === found) return [];
  return [
    makeProblem("counts-differ", `$.body.${field}`, `The message says ${field} ${said}; ${path} shows ${found}.`, {
      expected: String(found),
      received: String(said),
      hint: "Send the message again with the numbers of the artifact, or commit the artifact that was meant.",
    }),
  ];
}

function saidIn(body: JsonObject, field: string): number | null {
  const value = field
    .split(".")
    .reduce<Json | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), body);
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" ? value : null;
}

/** Most rows of an artifact. */
const rowsMax = 100_000;

/** What a row of an artifact's own sum is known by, and what an entry is. */
const sumKeys = [
  "r",
  "result",
  "tier",
  "findings",
  "findings_count",
  "tt",
  "total",
  "ps",
  "cycle",
  "plan",
  "plan_id",
  "lint",
];
const entryKeys =
  "id sev severity f file issue finding q query c check name title desc description tf test_file task task_id".split(
    " ",
  );

/** The rows of a JSONL document, or `artifact-unreadable` with the line in error. */
function readRows(text: string, path: string): Result<readonly JsonObject[], Problem> {
  const rows: JsonObject[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const row = parseBounded(line);
    if (!row.ok || !isJsonObject(row.value)) return err(badRow(path, index + 1, row.ok ? null : row.error));
    if (rows.length >= rowsMax) return err(tooManyRows(path));
    rows.push(row.value);
  }
  return ok(rows);
}

/** Whether a row sums others up. */
function isSum(row: JsonObject): boolean {
  return sumKeys.some((key) => Object.hasOwn(row, key)) && !entryKeys.some((key) => Object.hasOwn(row, key));
}

/** The plan that an entry names; null: it names none. */
function planIn(row: JsonObject): string | null {
  const value = row.plan ?? row.plan_id ?? row.planId;
  return typeof value === "string" && value !== "" ? value : null;
}

function badRow(path: string, line: number, cause: Problem | null): Problem {
  const reason = cause === null ? "it is no JSON object" : cause.message;
  return makeProblem("artifact-unreadable", path, `Line ${line} of the artifact cannot be read: ${reason}`, {
    expected: "one JSON object a line",
    hint: "Write the artifact again, one object a line, and commit it.",
  });
}

function tooManyRows(path: string): Problem {
  return makeProblem("artifact-unreadable", path, `The artifact has more than ${rowsMax} rows.`);
}
