/**
 * Replays the history of any clone as if each commit were a task's work: `node scripts/replay-history.ts FOLDER 250` takes
 * the last 250 commits, and asks of each what a verdict would. Its own parent must not hold its work, and what is said to
 * be gone must have no line left that `git blame` still gives to it. Ends with 1 where one does. Nothing is written.
 */
import { resolve } from "node:path";
import { follow } from "../src/evidence/decide/following.ts";
import { type Looking, lookingAt } from "../src/evidence/decide/looking.ts";
import { takeWork } from "../src/evidence/decide/taking.ts";
import { commitsFor } from "../src/evidence/git/commits.ts";
import { factsOf, linesOf, look } from "../src/evidence/git/questions.ts";
import { openRepository } from "../src/evidence/git/repository.ts";
import { isHeld } from "../src/evidence/git/work.ts";
import type { TakenWork } from "../src/evidence/state.ts";

const [folder = ".", count = "100"] = process.argv.slice(2);
const opened = await openRepository(resolve(folder), { environment: { PATH: process.env.PATH ?? "" } });
if (!opened.ok) throw new Error(opened.error.message);
await using repository = opened.value;

/** How many lines with a letter or digit the files have at the tip that blame gives to the commit. */
async function linesLeft({ files }: TakenWork, commit: string, tip: string): Promise<number> {
  let left = 0;
  for (const { path } of files) {
    if ((await factsOf(repository, `${tip}:${path}`)) === null) continue;
    const told = await linesOf(repository, ["blame", "--line-porcelain", tip, "--", path]);
    let by = "";
    for (const line of told)
      if (line.startsWith("\t")) left += Number(by === commit && /[\p{L}\p{N}]/u.test(line));
      else by = /^([0-9a-f]{40,64}) \d+ \d+/.exec(line)?.[1] ?? by;
  }
  return left;
}

interface Sum {
  commits: number;
  empty: number;
  landed: number;
  changed: number;
  gone: number;
  unsure: number;
}

async function replay(looking: Looking, sum: Sum): Promise<readonly string[]> {
  const wrong: string[] = [];
  const commits = await commitsFor(repository, ["--topo-order", `--max-count=${count}`, "HEAD"]);
  const tip = commits[0]?.id ?? "";
  const places = { tips: [], main: [{ id: tip, name: "HEAD", isDetached: false }] };
  // Newest first, so that what came later is known as others' work.
  const others: { readonly task: string; readonly work: TakenWork }[] = [];
  for (const commit of commits) {
    const { work, pairs } = await takeWork(repository, [commit], { claimed: null, scope: null });
    sum.commits += 1;
    if (work.files.length === 0) {
      sum.empty += 1;
      continue;
    }
    const [parent = ""] = pairs[0] ?? [];
    if (commit.parents.length > 0 && isHeld(await looking.at(work.files, parent)))
      wrong.push(`${commit.id} is held by its parent: ${commit.subject}`);
    // The control: the commit itself.
    if (!isHeld(await looking.at(work.files, commit.id)))
      wrong.push(`${commit.id} does not hold itself: ${commit.subject}`);
    const before = { at: "landed", branch: "HEAD", since: commit.id, isChanged: false } as const;
    const { place } = await follow(looking, { work, before, others }, places);
    others.push({ task: commit.id.slice(0, 12), work });
    if (place === null) sum.unsure += 1;
    else if (place.at !== "gone") sum[place.isChanged ? "changed" : "landed"] += 1;
    else {
      sum.gone += 1;
      const left = await linesLeft(work, commit.id, tip);
      if (left > 0) wrong.push(`${commit.id} is said to be gone, and ${left} lines are left: ${commit.subject}`);
    }
  }
  return wrong;
}

const sum: Sum = { commits: 0, empty: 0, landed: 0, changed: 0, gone: 0, unsure: 0 };
const found = await look(() => replay(lookingAt(repository), sum));
if (!found.ok) throw new Error(found.error.message);
console.log(JSON.stringify({ ...sum, wrong: found.value.length }));
for (const line of found.value) console.log(line);
process.exitCode = found.value.length > 0 ? 1 : 0;
