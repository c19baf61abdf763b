/** Verifying a commit of 50 files: contract, claim and list compared, against the two git calls that it needs. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gitEnvironment, gitOptions } from "../src/evidence/git/git.ts";
import { openRepository } from "../src/evidence/git/repository.ts";
import { verifyCompletion } from "../src/evidence/verdict.ts";
import { type Measure, timed } from "./measure.ts";

const files = 50;
const commits = 200;
const branches = 10;
const rounds = 40;

/** The median of many, because starting a program varies more than what is measured. */
export const verifyCommit: Measure = {
  name: "verifying a commit of 50 files",
  subject:
    "a commit looked up, found on a branch, its diff checked against contract, claim, `files_modified` and the branches that were recorded",
  yardstick: "`git diff-tree` of it and `git for-each-ref --contains`, one after the other",
  target: { of: "time", atMost: 2 },
  rounds,
  async open(folder) {
    const environment = { PATH: process.env.PATH ?? "", HOME: folder };
    const git = (...words: readonly string[]): string => {
      const done = spawnSync("git", [...gitOptions, ...words], {
        cwd: folder,
        encoding: "utf8",
        env: gitEnvironment(environment),
      });
      if (done.status !== 0) throw new Error(done.stderr);
      return done.stdout;
    };
    git("init", "--quiet", "-b", "main");
    const paths = Array.from({ length: files }, (_, index) => `src/part-${index % 7}/file-${index}.ts`);
    const as = ["-c", "user.name=dev-1", "-c", "user.email=dev-1@example.invalid"];
    for (let commit = 0; commit < commits; commit++) {
      for (const path of commit === commits - 1 ? paths : [`docs/${commit}.md`]) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), `${commit} ${path}\n`);
      }
      git("add", "-A");
      git(...as, "commit", "--quiet", "-m", "work");
    }
    const commit = git("rev-parse", "HEAD").trim();
    // Where the branches were when the task was recorded: before the work, and others that are still there.
    const [parent, ...others] = Array.from({ length: branches }, (_, back) =>
      git("rev-parse", `HEAD~${back + 1}`).trim(),
    );
    for (const [index, id] of others.entries()) git("branch", `other-${index}`, id);
    const recorded = { ids: [parent ?? "", ...others], isCut: false };
    const opened = await openRepository(folder, { environment });
    if (!opened.ok) throw new Error(opened.error.message);
    const repository = opened.value;
    const work = {
      commits: [commit.slice(0, 12)],
      filesModified: paths,
      scope: { allowed: ["src/**"], forbidden: ["src/secrets/"] },
      claimed: ["src/"],
      branches: { recorded, claimed: null, isFinishedBefore: false },
    };
    return {
      // Started the same way, so that only what is asked differs.
      yardstick: () =>
        timed(1, async () => {
          await repository.git.run(["diff-tree", "-r", "-z", "--raw", "--no-commit-id", commit]);
          await repository.git.run(["for-each-ref", `--contains=${commit}`, "refs/heads/"]);
        }),
      subject: () =>
        timed(1, async () => {
          const verdict = await verifyCompletion(repository, work);
          await repository[Symbol.asyncDispose]();
          if (verdict.state !== "verified") throw new Error(JSON.stringify(verdict.problems));
        }),
      close: async () => repository[Symbol.asyncDispose](),
    };
  },
};
