/** Checks of contracts run by the owner's word, on exactly the commit, once a report; and nothing of them is left. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openRepository } from "../../src/evidence/git/repository.ts";
import { sandboxHere } from "../../src/evidence/services/check-run.ts";
import { type KeptTree, releaseTree, runOn } from "../../src/evidence/services/plan-checks.ts";
import type { Need } from "../../src/needs/view/need-ranking.ts";
import type { TestTeam } from "../../src/testing/test-team.ts";
import { file, git, testEnvironment } from "./history.ts";
import { madeRepository, tree } from "./place.ts";
import { report, reporting, state, work } from "./reporting.ts";

const hasSandbox = (await sandboxHere(testEnvironment)) !== null;
const skip = hasSandbox ? false : "no sandbox of bwrap here (package bubblewrap, and user namespaces)";
const unboxed = { sandbox: "none" } as const;
const passing = new Map([
  ["src/a.js", file("2")],
  ["src/passes", file("")],
]);
const twice = { ...work, commits: [...work.commits, { tree: passing, parents: [1] }] };

/** What the owner is asked about checks. */
async function asked(team: TestTeam): Promise<readonly Need[]> {
  const found = await team.as("owner").needs();
  assert.ok(found.ok);
  return found.value.needs.filter(({ kind }) => kind === "check" || kind === "unchecked");
}

test("a check that the team file does not list waits for the owner, who says once, always or no", async () => {
  await using made = await madeRepository(twice);
  const place = { directory: made.directory, environment: testEnvironment };
  const check = "test -e src/passes";
  const checks = { commands: [{ run: "true" }], ...unboxed };
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"], { check, checks });
  const owner = team.as("owner");
  assert.deepEqual(await asked(team), [], "nothing is verified yet");
  const looked = await owner.verify(place, { checks: {} });
  assert.deepEqual(looked.ok && [looked.value[0]?.state, looked.value[0]?.checks], ["verified", undefined]);
  const [need] = await asked(team);
  assert.deepEqual([need?.kind, need?.target, need?.plan, need?.agent], ["check", check, "1-1", "lead-1"]);
  const dev = await team.as("dev-1").answerCheck({ check, as: "always" });
  assert.deepEqual(dev.outcome === "refused" && dev.problems[0]?.code, "human-required");
  const unknown = await owner.answerCheck({ check: "rm -rf /", as: "always" });
  assert.deepEqual(unknown.outcome === "refused" && unknown.problems[0]?.code, "not-found");

  const stale = await owner.answerCheck({ check, as: "once", ifSeq: 1 });
  assert.deepEqual(stale.outcome === "refused" && stale.problems[0]?.code, "changed-meanwhile");
  assert.equal((await owner.answerCheck({ check, as: "once", ifSeq: need?.ifSeq ?? 0 })).outcome, "accepted");
  assert.deepEqual(await asked(team), []);
  const failed = await owner.verify(place, { checks: {} });
  assert.ok(failed.ok);
  const [ran] = failed.value[0]?.checks ?? [];
  const treeId = git(made.directory, "rev-parse", `${made.ids[1]}^{tree}`).trim();
  assert.deepEqual(
    [ran?.check, ran?.exitCode, ran?.commit, ran?.tree, ran?.sandbox],
    [check, 1, made.ids[1], treeId, "none"],
  );
  assert.deepEqual(await state(team), ["disputed", "check-failed"]);

  // Another report is another question; once said nothing of it.
  await report(team, made.ids[3] ?? "", ["src/passes"]);
  git(made.directory, "update-ref", "refs/heads/main", made.ids[3] ?? "");
  assert.ok((await owner.verify(place, { checks: {} })).ok);
  assert.deepEqual([await state(team), (await asked(team)).length], [["verified"], 1]);
  assert.equal((await owner.answerCheck({ check, as: "no" })).outcome, "accepted");
  assert.deepEqual(await asked(team), []);
  assert.equal((await owner.answerCheck({ check, as: "always" })).outcome, "accepted");
  const passed = await owner.verify(place, { checks: {} });
  assert.deepEqual(passed.ok && passed.value[0]?.checks?.map(({ exitCode }) => exitCode), [0]);
  const before = await owner.status();
  assert.ok((await owner.verify(place, { checks: {} })).ok);
  const after = await owner.status();
  assert.ok(before.ok && after.ok);
  assert.equal(after.value.head.seq, before.value.head.seq, "a check runs once a report");
});

test("what a check disputes stays disputed until it passes: another look at git confirms nothing", async () => {
  await using made = await madeRepository(work);
  const place = { directory: made.directory, environment: testEnvironment };
  const flag = join(made.folder, "flag");
  const check = `test -e ${flag}`;
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"], {
    check,
    checks: { commands: [{ run: check }], ...unboxed },
  });
  const owner = team.as("owner");
  assert.ok((await owner.verify(place, { checks: {} })).ok);
  assert.deepEqual(await state(team), ["disputed", "check-failed"]);
  for (const options of [{}, { checks: {} }, { tasks: ["1-1-T1"] }]) {
    assert.ok((await owner.verify(place, options)).ok);
    assert.deepEqual(await state(team), ["disputed", "check-failed"]);
  }
  // The machine was not as it should be, and a person says so.
  writeFileSync(flag, "");
  assert.ok((await owner.verify(place, { tasks: ["1-1-T1"], checks: {} })).ok);
  assert.deepEqual(await state(team), ["verified"]);
});

test("a check sees the commit and nothing that lies in somebody's folder, and its tree goes again", async () => {
  await using made = await madeRepository(work);
  const place = { directory: made.directory, environment: testEnvironment };
  const check = "test -e src/passes || git log --format=%H -1; mkdir -p shut/in && chmod 0 shut";
  const checks = { commands: [{ run: check }], setup: { run: "test -e src/a.js" }, ...unboxed };
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"], { check, checks });
  git(made.directory, "checkout", "--quiet", "--force", "-b", "other", made.ids[2] ?? "");
  writeFileSync(join(made.directory, "src/passes"), "");
  const ended: string[] = [];
  const judged = await team
    .as("owner")
    .verify(place, { checks: { onCheck: ({ outputEnd }) => ended.push(outputEnd) } });
  assert.ok(judged.ok);
  assert.deepEqual(ended, [`${made.ids[1]}\n`]);
  assert.equal(git(made.directory, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length, 1);
  const [ran] = judged.value[0]?.checks ?? [];
  assert.equal(ran?.tree, git(made.directory, "rev-parse", `${made.ids[1]}^{tree}`).trim());
  assert.ok(existsSync(join(made.directory, ".git/baton/checks", `${ran.outputDigest}.log`)));
});

test("who checks again keeps the tree, and nothing of what a check did to it", async () => {
  await using made = await madeRepository(twice);
  const place = { directory: made.directory, environment: testEnvironment };
  const opened = await openRepository(made.directory, place);
  assert.ok(opened.ok);
  await using repository = opened.value;
  git(made.directory, "config", "core.trustctime", "false");
  const kept: KeptTree = { made: null };
  const outside = join(made.folder, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.js"), "theirs");
  const runs = async (at: number, run: string) => {
    const said: string[] = [];
    const rules = { listed: { commands: [{ run }], ...unboxed } };
    const onCheck = ({ outputEnd }: { readonly outputEnd: string }) => said.push(outputEnd);
    const { ran, unrun } = await runOn(made.ids[at] ?? "", [{ run }], { repository, place, rules, kept, onCheck });
    return [ran[0]?.exitCode, unrun, said.join("")];
  };
  const look =
    "cat src/a.js; git status --porcelain --ignored; git rev-parse HEAD; (cd $HOME; ls -A); (cd $TMPDIR; ls -A)";
  const clean = await runs(1, look);
  const where = "pwd";
  const [, , first] = await runs(1, where);
  for (const [what, isKept] of [
    ["touch -r src/a.js old; printf X | dd of=src/a.js conv=notrunc; touch -r old src/a.js; rm old", true],
    ["echo '*' > .gitignore; touch new $HOME/new $TMPDIR/new; mkdir -p nested; cd nested; git init -q .", true],
    [`rm -r src; ln -s ${outside} src`, true],
    ["rm .git; git init -q .; git config core.worktree /; git config filter.x.clean 'touch /tmp/ran'", true],
    ["mkdir -p shut/in; chmod 0 shut; rm -r $HOME; ln -s / $HOME", true],
    [`echo 'gitdir: ${outside}' > .git`, true],
    [`cd ..; rm -rf tree`, false],
  ] as const) {
    await runs(1, what);
    assert.deepEqual(await runs(1, look), clean, what);
    assert.equal((await runs(1, where))[2] === first, isKept, what);
  }
  assert.deepEqual((await runs(3, "test -e src/passes && git rev-parse HEAD"))[2], `${made.ids[3]}\n`);
  assert.equal(readFileSync(join(outside, "a.js"), "utf8"), "theirs");
  const { folder = "" } = kept.made ?? {};
  assert.ok(existsSync(folder));
  await releaseTree(kept, place);
  assert.ok(!existsSync(folder));
  assert.equal(git(made.directory, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length, 1);
});

test("what a killed run left goes with the next one", async () => {
  await using made = await madeRepository(work);
  const place = { directory: made.directory, environment: testEnvironment };
  const gone = spawnSync("true").pid;
  const left = join(realpathSync(tmpdir()), `baton-check-${gone}-left`);
  git(made.directory, "worktree", "add", "--quiet", "--detach", join(left, "tree"), made.ids[1] ?? "");
  const checks = { commands: [{ run: "true" }], ...unboxed };
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"], { check: "true", checks });
  assert.ok((await team.as("owner").verify(place, { checks: {} })).ok);
  assert.ok(!existsSync(left));
  assert.deepEqual(readdirSync(join(made.directory, ".git")).includes("worktrees"), false);
});

test("a setup that fails says so, and nobody is disputed for it", async () => {
  await using made = await madeRepository(work);
  const place = { directory: made.directory, environment: testEnvironment };
  const checks = { commands: [{ run: "true" }], setup: { run: "exit 4" }, ...unboxed };
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"], { check: "true", checks });
  assert.ok((await team.as("owner").verify(place, { checks: {} })).ok);
  assert.deepEqual(await state(team), ["verified"]);
  const [need] = await asked(team);
  assert.deepEqual([need?.kind, need?.target], ["unchecked", "1-1-T1"]);
  assert.match(need?.why ?? "", /^The check "true" did not run: the setup before it failed\. .* ended with 4/);
});

test("without a sandbox nothing runs, and the owner reads what helps", async () => {
  await using made = await madeRepository(work);
  const programs = join(made.folder, "programs");
  mkdirSync(programs);
  const git =
    testEnvironment.PATH?.split(":")
      .map((folder) => join(folder, "git"))
      .find(existsSync) ?? "";
  symlinkSync(git, join(programs, "git"));
  const place = { directory: made.directory, environment: { ...testEnvironment, PATH: programs } };
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"], {
    check: "true",
    checks: { commands: [{ run: "true" }] },
  });
  assert.ok((await team.as("owner").verify(place, { checks: {} })).ok);
  const [need] = await asked(team);
  assert.deepEqual([need?.kind, await state(team)], ["unchecked", ["verified"]]);
  assert.match(need?.why ?? "", /no sandbox .* Install bubblewrap .* `sandbox: none`/);
  // Once there is one, or none is needed.
  const helped = { directory: made.directory, environment: testEnvironment };
  if (hasSandbox) assert.ok((await team.as("owner").verify(helped, { checks: {} })).ok);
  assert.equal((await asked(team)).length, hasSandbox ? 0 : 1);
});

test("in the sandbox a check reads the repository and what its tree links to", { skip }, async () => {
  await using made = await madeRepository(work);
  mkdirSync(join(made.directory, "node_modules/one"), { recursive: true });
  const place = { directory: made.directory, environment: testEnvironment };
  const check = "git status --porcelain && git log -1 --format=%H && ls node_modules && ! touch node_modules/two";
  await using team = await reporting(made.ids[1] ?? "", ["src/a.js"], {
    check,
    checks: { commands: [{ run: check }] },
  });
  const ended: string[] = [];
  const judged = await team
    .as("owner")
    .verify(place, { checks: { onCheck: ({ outputEnd }) => ended.push(outputEnd) } });
  assert.ok(judged.ok);
  assert.deepEqual(
    judged.value[0]?.checks?.map(({ exitCode, sandbox }) => [exitCode, sandbox]),
    [[0, "bwrap"]],
    ended[0],
  );
  assert.match(ended[0] ?? "", new RegExp(`\\n?${made.ids[1]}\none\n`));
});

for (const [what, before, after, check, isAsked] of [
  ["the scripts of a package", '{"scripts":{"test":"a"}}', '{"scripts":{"test":"b"}}', "npm test", true],
  [
    "the packages of a package alone",
    '{"scripts":{"test":"a"}}',
    '{"scripts":{"test":"a"},"dependencies":{"b":"1"}}',
    "npm test",
    false,
  ],
] as const)
  test(`${what}, changed by the work itself: the owner is asked about a listed check: ${isAsked}`, async () => {
    const commits = [
      { tree: tree({ "src/package.json": before }), parents: [] },
      { tree: tree({ "src/package.json": after }), parents: [0] },
    ];
    await changedBy(commits, ["src/package.json"], check, isAsked);
  });

for (const [path, check, isAsked] of [
  ["src/Makefile", "true", true],
  ["src/vitest.config.ts", "true", true],
  ["src/check.sh", "true ./src/check.sh", true],
  ["src/check.sh", "true other.sh", false],
] as const)
  test(`${path}, changed by the work itself: the owner is asked about the listed check \`${check}\`: ${isAsked}`, async () => {
    const commits = [
      { tree: tree({ [path]: "1" }), parents: [] },
      { tree: tree({ [path]: "2" }), parents: [0] },
    ];
    await changedBy(commits, [path], check, isAsked);
  });

async function changedBy(
  commits: Parameters<typeof madeRepository>[0]["commits"],
  files: readonly string[],
  check: string,
  isAsked: boolean,
): Promise<void> {
  await using made = await madeRepository({ commits, references: { "refs/heads/main": 1 } });
  const place = { directory: made.directory, environment: testEnvironment };
  const checks = { commands: [{ run: check }], ...unboxed };
  await using team = await reporting(made.ids[1] ?? "", files, { check, checks });
  const owner = team.as("owner");
  const first = await owner.verify(place, isAsked ? { checks: {} } : {});
  assert.ok(first.ok);
  const needs = await asked(team);
  assert.deepEqual([first.value[0]?.state, needs.length], ["verified", isAsked ? 1 : 0]);
  if (!isAsked) return;
  const changed = first.value[0]?.notes.filter(({ code }) => code === "check-changed").map(({ path }) => path);
  assert.deepEqual(changed, files);
  assert.match(needs[0]?.subject ?? "", /^1-1-T1 changes how a check runs/);
  assert.equal((await owner.answerCheck({ check, as: "no" })).outcome, "accepted");
  assert.deepEqual(await asked(team), []);
  assert.equal((await owner.answerCheck({ check, as: "once" })).outcome, "accepted");
  const ran = await owner.verify(place, { checks: {} });
  assert.equal(ran.ok && ran.value[0]?.checks?.length, 1);
}
