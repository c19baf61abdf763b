/** A team's first morning: `baton start` and each agent's first `baton run`, against git's own checkouts of their trees. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Measure } from "./measure.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");
const files = 10_000;
const agents = ["lead", "dev-1", "dev-2"];
/** What Baton may take beyond git, in milliseconds. */
const beyondMsMax = 3_000;

export const firstMorning: Measure = {
  name: `A team of three begins in ${files.toLocaleString("en")} files`,
  subject: "baton start, and three programs in their trees",
  yardstick: `three git worktree add, and ${beyondMsMax / 1_000} s`,
  target: { of: "time", atMost: 1 },
  rounds: 5,
  open: async (folder, opened) => {
    const root = join(folder, "shop");
    const bin = join(folder, "bin");
    for (const each of [root, bin]) mkdirSync(each);
    writeFileSync(join(bin, "codex"), "#!/bin/sh\nexit 0\n");
    chmodSync(join(bin, "codex"), 0o755);
    for (let at = 0; at < files; at += 1) {
      const inside = join(root, `part-${at % 100}`);
      mkdirSync(inside, { recursive: true });
      writeFileSync(join(inside, `file-${at}.js`), `export const value = ${at};\n`.repeat(40));
    }
    const git = (...words: readonly string[]) => run(root, "git", ["-c", "gc.auto=0", ...words]);
    git("init", "--quiet", "--initial-branch=main");
    git("add", "-A");
    git("-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "--quiet", "-m", "start");
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: folder };
    const baton = (...words: readonly string[]) => run(root, process.execPath, [launcher, ...words], env);
    let hub: number | null = null;
    const clear = () => {
      if (hub !== null) baton("stop");
      hub = null;
      for (const place of [".baton", ".git/baton", ".git/hooks"])
        rmSync(join(root, place), { recursive: true, force: true });
      for (const agent of agents) git("worktree", "unlock", join(root, ".baton/trees", agent));
      git("worktree", "prune");
      for (const agent of agents) git("branch", "--quiet", "-D", `baton/${agent}`);
    };
    opened.defer(clear);
    return {
      yardstick: () => {
        const begin = performance.now();
        for (const agent of agents)
          git(
            "worktree",
            "add",
            "--quiet",
            "--lock",
            "-b",
            `baton/${agent}`,
            join(root, ".baton/trees", agent),
            "main",
          );
        const took = performance.now() - begin;
        clear();
        return took + beyondMsMax;
      },
      subject: () => {
        const begin = performance.now();
        const said = baton("start", "--json", "--port", "0", "--agents", "codex:3", "--yes");
        for (const agent of agents) baton("run", agent);
        const took = performance.now() - begin;
        hub = (JSON.parse(said) as { pid: number }).pid;
        clear();
        return took;
      },
    };
  },
};

function run(cwd: string, program: string, words: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const done = spawnSync(program, words, { cwd, env, encoding: "utf8" });
  // What is cleared may be gone already.
  if (done.status !== 0 && !words.includes("worktree") && !words.includes("branch"))
    throw new Error(`${program} ${words.join(" ")} failed: ${done.stdout}${done.stderr}`);
  return done.stdout;
}
