/**
 * The gate next to the hook managers that people use, husky, lefthook and pre-commit, themselves: installed before it and
 * after it, once more by `npm install`, in the main worktree and in a linked one. What they ran before still runs, once.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "./called.ts";
import { commandMsMax, environment, folder, jsonLines } from "./command.ts";
import { commit, done, everything, gatedTeam, git, install, isStopped, passes, stage, write } from "./gate-place.ts";
import { managerMissing, modules } from "./hook-managers.ts";

/** A hook manager as a project has it. */
interface Manager {
  readonly name: string;
  /** Files of the project. */
  readonly files: Readonly<Record<string, string>>;
  /** What `npm install` runs in the project. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Whether it is set up in each worktree by itself. */
  readonly isPerTree?: true;
  /** Which of its hooks the project uses. */
  readonly hooks: readonly string[];
}

/** Notes the hook, in the worktree in which it runs. */
const notes = (hook: string) => `echo ${hook} >> "$(git rev-parse --show-toplevel)/ran"`;

const yaml = (hook: string) => `      - id: ${hook}
        name: ${hook}
        language: system
        entry: sh -c 'echo ${hook} >> ran'
        always_run: true
        pass_filenames: false
        stages: [${hook.replace(/^pre-/, "")}]
`;

const managers: readonly Manager[] = [
  {
    name: "husky",
    files: { ".husky/pre-commit": `${notes("pre-commit")}\n`, ".husky/pre-push": `${notes("pre-push")}\n` },
    scripts: { prepare: `node '${modules}/husky/bin.js'` },
    isPerTree: true,
    hooks: ["pre-commit", "pre-push"],
  },
  {
    name: "lefthook",
    files: {
      "lefthook.yml": ["pre-commit", "commit-msg", "pre-push"]
        .map((hook) => `${hook}:\n  commands:\n    note:\n      run: ${notes(hook)}\n`)
        .join(""),
    },
    scripts: { postinstall: `node '${modules}/lefthook/postinstall.js'` },
    hooks: ["pre-commit", "commit-msg", "pre-push"],
  },
  {
    name: "pre-commit",
    files: {
      ".pre-commit-config.yaml": `default_install_hook_types: [pre-commit, commit-msg, pre-push]
repos:
  - repo: local
    hooks:
${["pre-commit", "commit-msg", "pre-push"].map(yaml).join("")}`,
    },
    scripts: { prepare: "pre-commit install" },
    hooks: ["pre-commit", "commit-msg", "pre-push"],
  },
  {
    name: "nobody's manager",
    files: { "tools/pre-commit": `#!/bin/sh\n${notes("pre-commit")}\n` },
    scripts: { prepare: "cp tools/pre-commit .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit" },
    hooks: ["pre-commit"],
  },
];

const surroundings = {
  PATH: `${modules}/.bin:${process.env.PATH ?? ""}`,
  CI: "",
  PRE_COMMIT_HOME: join(folder(), "pre-commit"),
  LEFTHOOK_QUIET: "meta,success,summary,execution",
};

/** What people do after each pull. */
function npmInstall(directory: string): void {
  const options = { cwd: directory, encoding: "utf8", timeout: commandMsMax } as const;
  const words = ["install", "--offline", "--no-audit", "--no-fund", "--foreground-scripts"];
  const ran = spawnSync("npm", words, { ...options, env: environment(surroundings) });
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
}

/** Which hooks ran since this was asked last. */
function ranIn(directory: string): readonly string[] {
  const file = join(directory, "ran");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  rmSync(file, { force: true });
  return lines;
}

async function project(manager: Manager): Promise<string> {
  const directory = await gatedTeam();
  writeFileSync(
    join(directory, "package.json"),
    JSON.stringify({ name: "x", private: true, scripts: manager.scripts }),
  );
  for (const [path, text] of Object.entries(manager.files)) write(join(directory, path), text, 0o755);
  writeFileSync(join(directory, ".gitignore"), "ran\nnode_modules\npackage-lock.json\n");
  done(directory, "add", "--all");
  passes(commit(directory, null));
  return directory;
}

/** One hook of each commit and push, and the gate behind it. */
async function holds(directory: string, { hooks }: Manager, when: string): Promise<void> {
  const atCommit = hooks.filter((hook) => hook !== "pre-push");
  stage(directory, "docs.md", when);
  ranIn(directory);
  passes(git(directory, ["commit", "--quiet", "-m", "work"], surroundings));
  assert.deepEqual(ranIn(directory), atCommit, `${when}: each hook runs once`);
  stage(directory, "src/feature.js", when);
  isStopped(
    git(directory, ["commit", "--quiet", "-m", "work"], { ...surroundings, BATON_AGENT: "qa-1" }),
    /outside-claim at src\/feature\.js/,
  );
  done(directory, "reset", "--quiet", "--hard");
  ranIn(directory);
  passes(git(directory, ["push", "--quiet", "origin", "HEAD"], surroundings));
  assert.deepEqual(
    ranIn(directory),
    hooks.filter((hook) => hook === "pre-push"),
    when,
  );
  const checks = jsonLines(await called(directory, ["doctor", "--json"])).filter(({ check }) => check === "git gate");
  assert.deepEqual([...new Set(checks.map(({ state }) => state))], ["ok"], `${when}: ${JSON.stringify(checks)}`);
}

for (const manager of managers)
  for (const isFirst of [true, false])
    test(`${manager.name} runs as before with the gate installed ${isFirst ? "after" : "before"} it`, {
      skip: managerMissing(manager.name),
    }, async () => {
      const directory = await project(manager);
      const remote = `${directory}-remote.git`;
      done(directory, "init", "--quiet", "--bare", remote);
      done(directory, "remote", "add", "origin", remote);
      if (isFirst) npmInstall(directory);
      const before = everything(directory);
      await install(directory);
      if (!isFirst) {
        npmInstall(directory);
        await called(directory, ["status"]);
      }
      await holds(directory, manager, "installed");
      npmInstall(directory);
      await called(directory, ["status"]);
      await holds(directory, manager, "after npm install");
      const linked = `${directory}-linked`;
      done(directory, "worktree", "add", "--quiet", "-b", "side", linked);
      stage(linked, "src/feature.js", "linked");
      isStopped(
        git(linked, ["commit", "--quiet", "-m", "work"], { ...surroundings, BATON_AGENT: "qa-1" }),
        /outside-claim at src\/feature\.js/,
      );
      done(linked, "reset", "--quiet", "--hard");
      if (manager.isPerTree === true) npmInstall(linked);
      await holds(linked, manager, "in a linked worktree");
      if (!isFirst) return;
      await calledWithCode(0, directory, ["uninstall", "git-hooks"]);
      assert.deepEqual(everything(directory), before);
    });
