/**
 * Verified work that will not merge: with the main branch, or with earlier work that has not landed either. Git merges both
 * in a folder of its own, and only where a file was changed on both sides. Rules: docs/protocol/verdicts.md, section 6.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shortList } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import type { Places } from "../decide/following.ts";
import type { Unlanded } from "../decide/unlanded.ts";
import { hasNoDriver } from "../git/checkout.ts";
import { contentAt } from "../git/questions.ts";
import type { Repository } from "../git/repository.ts";
import { isNone } from "../git/work.ts";
import { conflictCode, type FileWork } from "../state.ts";
import type { Judged } from "./plan-checks.ts";

/** One look at what will merge. */
interface Merging {
  readonly repository: Repository;
  readonly places: Places;
  readonly unlanded: readonly Unlanded[];
  /** Whether no program of the configuration would merge. */
  isPlain(): Promise<boolean>;
}

export function mergingIn(repository: Repository, places: Places, unlanded: readonly Unlanded[]): Merging {
  let plain: Promise<boolean> | null = null;
  return { repository, places, unlanded, isPlain: () => (plain ??= hasNoDriver(repository)) };
}

/** The verdict with a note for each side with which its work will not merge; of two tasks the later one has it. */
export async function withConflicts(merging: Merging, judged: Judged): Promise<Judged> {
  const { candidate, verdict, place } = judged;
  const work = judged.grown ?? judged.work ?? candidate.before?.grown ?? candidate.before?.work;
  if (verdict.state !== "verified" || place?.at !== "branch" || work === undefined) return judged;
  const { key, task, report } = candidate;
  const found = await conflictsOf(merging, { key, task, report, branch: place.branch, work });
  const { notes = [], ...rest } = place;
  const others = notes.filter(({ code }) => code !== conflictCode);
  const all = [...others, ...found];
  return { ...judged, place: all.length === 0 ? rest : { ...rest, notes: all } };
}

async function conflictsOf(merging: Merging, own: Unlanded): Promise<readonly Note[]> {
  const { repository, places, unlanded } = merging;
  const tip = tipOf(merging, own);
  const paths = new Map(own.work.files.map((file) => [file.path, file]));
  const notes: Note[] = [];
  const compare = async (other: string, name: string) => {
    const files = (await conflictsBetween(merging, tip, other)).filter((path) => paths.has(path));
    const message = `Will conflict with ${name} in ${shortList(files)}.`;
    if (files.length > 0) notes.push({ code: conflictCode, path: files[0] ?? "$", message });
  };
  const [main] = places.main;
  if (main !== undefined && (await isChangedAt(repository, own.work.files, main.id))) await compare(main.id, main.name);
  for (const other of unlanded) {
    const isMet = other.work.files.some(({ path, content }) => {
      const file = paths.get(path);
      return file !== undefined && file.content.after !== content.after;
    });
    const theirs = tipOf(merging, other);
    if (other.report >= own.report || !isMet || theirs === tip) continue;
    await compare(theirs, other.branch === null ? other.task : `${other.task} (on ${other.branch})`);
  }
  return notes;
}

function tipOf({ places }: Merging, { branch, work }: Unlanded): string {
  return places.tips.find(({ name }) => name === branch)?.id ?? work.commits.at(-1) ?? "";
}

/** Whether a commit has one of the files otherwise than it was before the work and after it. */
async function isChangedAt(repository: Repository, files: readonly FileWork[], commit: string): Promise<boolean> {
  for (const { path, content } of files) {
    const id = (await contentAt(repository, commit, path))?.id ?? null;
    const isSide = [content.before, content.after].some((side) => (id === null ? isNone(side) : side === id));
    if (!isSide) return true;
  }
  return false;
}

/** What was found of two commits; a start forgets it. */
const merged = new Map<string, readonly string[]>();
const mergedMax = 10_000;

/**
 * Files in which merging two commits ends in a conflict; none where git cannot say: before 2.38, without a common history,
 * and where a program of the configuration would merge.
 */
async function conflictsBetween(
  { repository, isPlain }: Merging,
  one: string,
  other: string,
): Promise<readonly string[]> {
  const name = `${repository.commonDirectory} ${[one, other].toSorted().join(" ")}`;
  const known = merged.get(name);
  if (known !== undefined) return known;
  if (!(await isPlain())) return [];
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "baton-merge-"));
  try {
    const objects = join(repository.commonDirectory, "objects").replaceAll(/["\\]/g, "\\$&");
    const own = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects}"` };
    const words = ["-c", "merge.renormalize=false", "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z"];
    const answer = await repository.git.run([...words, one, other], { answers: [0, 1], own });
    if (!answer.ok) return [];
    const { code, output } = answer.value;
    const [, ...paths] = output.toString("utf8").split("\0");
    const files = code === 1 ? paths.filter((path) => path !== "") : [];
    if (merged.size >= mergedMax) merged.clear();
    merged.set(name, files);
    return files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
