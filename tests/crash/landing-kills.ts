/**
 * The hub of a team lands by itself while the person commits, and is killed with signal 9, its process group with it (git
 * too), at random moments. In the end each task has landed once, the repository is sound, and the person's is as it was.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "../../src/base/clock.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { environment, mainBundle, team } from "../e2e/command.ts";
import { commit, done, passes, stage } from "../e2e/gate-place.ts";
import { chanceFrom } from "./seed.ts";

export interface LandingKills {
  readonly seed: number;
  readonly kills: number;
  /** Those that struck between the first check of a landing and the record that it landed. */
  readonly struck: number;
  readonly landed: number;
  readonly wrong: readonly string[];
}

/** How long after the landing's check began a kill strikes at most, in ms; each third kill strikes at any time before. */
const aimMsMax = 250;
const anyMsMax = 1_500;

export async function killLandings(options: { readonly seed: number; readonly kills: number }): Promise<LandingKills> {
  const { seed, kills } = options;
  const chance = chanceFrom(seed);
  const directory = team();
  appendFileSync(
    join(directory, ".baton/team.yaml"),
    'land:\n  when: auto\nchecks:\n  commands: ["touch $(git rev-parse --git-common-dir)/checking; sleep 0.1"]\n  sandbox: none\n',
  );
  writeFileSync(join(directory, ".baton/.gitignore"), "*\n");
  done(directory, "init", "--quiet", "-b", "main");
  stage(directory, "README.md", "The shop.\n");
  passes(commit(directory, null));
  const tree = `${directory}-dev-1`;
  done(directory, "worktree", "add", "--quiet", "-b", "dev-1", tree);
  writeFileSync(join(directory, "README.md"), "The shop, being written.\n");
  const checking = join(directory, ".git/checking");
  let struck = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const task = `1-1-T${kill}`;
    await calledWithCode(0, directory, ["task", "add", "--plan", "1-1", "--files", `src/${kill}.js`, task]);
    await calledWithCode(0, tree, ["task", "claim", task, "--as", "dev-1"]);
    stage(tree, `src/${kill}.js`, `${task}\n`);
    passes(commit(tree, "dev-1"));
    const id = done(tree, "rev-parse", "HEAD").trim();
    await calledWithCode(0, tree, ["task", "complete", task, "--commit", id, "--as", "dev-1"]);
    rmSync(checking, { force: true });
    const hub = await startGroup(directory);
    stage(directory, `notes/${kill}.txt`, `${kill}\n`);
    done(directory, "commit", "--quiet", "-m", "the person's", "--", `notes/${kill}.txt`);
    if (kill % 3 === 0) await waits(chance.below(anyMsMax));
    else {
      while (!existsSync(checking)) await waits(5);
      await waits(chance.below(aimMsMax));
    }
    await hub.kill();
    if (existsSync(checking) && !(await logOf(directory)).includes(`landed ${task} on baton/main`)) struck += 1;
  }
  const hub = await startGroup(directory);
  const names = Array.from({ length: kills }, (_, index) => `1-1-T${index + 1}`);
  const landedIn = (log: string) => names.filter((task) => log.includes(`landed ${task} on baton/main`));
  while (landedIn(await logOf(directory)).length < kills) await waits(200);
  await hub.kill();
  const wrong = wrongIn(directory, names, await logOf(directory), kills);
  return { seed, kills, struck, landed: names.length, wrong };
}

const waits = (ms: number) => systemClock.wait(ms, new AbortController().signal);

async function logOf(directory: string): Promise<string> {
  return (await called(directory, ["log", "--limit", "5000"])).said;
}

function wrongIn(directory: string, names: readonly string[], log: string, kills: number): readonly string[] {
  const wrong: string[] = [];
  const trailer = "--format=%(trailers:key=Baton-Landed,valueonly,separator=%x20)";
  const merges = done(directory, "log", "--first-parent", trailer, "baton/main").split("\n");
  for (const task of names) {
    const [recorded, merged] = [
      log.split("\n").filter((line) => line.endsWith(`landed ${task} on baton/main`)).length,
      merges.filter((each) => each === task).length,
    ];
    if (recorded !== 1 || merged !== 1) wrong.push(`${task} is recorded ${recorded} times, and merged ${merged} times`);
  }
  const status = done(directory, "status", "--porcelain");
  if (status !== " M README.md\n") wrong.push(`the person's checkout is not as it was: ${status}`);
  const own = Number(done(directory, "rev-list", "--count", "main"));
  if (own !== kills + 1) wrong.push(`main has ${own} commits, and the person made ${kills + 1}`);
  const broken = done(directory, "fsck", "--strict", "--no-dangling");
  if (broken !== "") wrong.push(broken);
  return wrong;
}

/** A hub that leads a process group of its own, once it says where it is. */
async function startGroup(directory: string): Promise<{ kill(): Promise<void> }> {
  const words = [mainBundle, "up", "--port", "0", "--json"];
  const child = spawn(process.execPath, words, {
    cwd: directory,
    env: environment(),
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const ended = once(child, "exit");
  await once(createInterface({ input: child.stdout }), "line");
  const kill = async () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
  };
  return { kill };
}
