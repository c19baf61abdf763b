/** Verified work, however it lands and whatever happens to it later: a team in front of a repository that people use. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { git, testEnvironment } from "./history.ts";
import { type Made, madeRepository, tree } from "./place.ts";
import { report, reporting, tasksOf, toldTo } from "./reporting.ts";

const lines = (...changed: readonly (readonly [number, string])[]) => {
  const all = Array.from({ length: 12 }, (_, index) => `line ${index}`);
  for (const [at, text] of changed) all[at] = text;
  return `${all.join("\n")}\n`;
};

/** A repository whose branch `dev` changes a line in `src/a.js`; the task is reported at it and judged. */
async function done(
  after = tree({ "src/a.js": lines([3, "the work of dev-1"]), "src/b.js": "b\n" }),
  files: readonly string[] = ["src/a.js"],
) {
  const made = await madeRepository({
    commits: [
      { tree: tree({ "src/a.js": lines(), "src/b.js": "b\n" }), parents: [] },
      { tree: after, parents: [0] },
    ],
    references: { "refs/heads/main": 0, "refs/heads/dev": 1 },
  });
  git(made.directory, "checkout", "--quiet", "--force", "main");
  const team = await reporting(made.ids[1] ?? "", files);
  const look = async (): Promise<string> => {
    const judged = await team.as("owner").verify({ directory: made.directory, environment: testEnvironment });
    assert.ok(judged.ok, JSON.stringify(judged));
    const [task] = await tasksOf(team);
    const { at = "", branch = "", isChanged = false } = task?.place ?? {};
    return `${task?.state} ${at} ${branch ?? ""}${isChanged ? " changed" : ""}`.trim();
  };
  const dispose = async () => {
    await team[Symbol.asyncDispose]();
    await made[Symbol.asyncDispose]();
  };
  return { made, team, look, [Symbol.asyncDispose]: dispose };
}

const write = ({ directory }: Made, content: string, name = "a commit", path = "src/a.js") => {
  writeFileSync(join(directory, path), content);
  git(directory, "commit", "--quiet", "--all", "-m", name);
};

const ways: Readonly<Record<string, (made: Made) => void>> = {
  "a squash, after which its branch is deleted": ({ directory }) => {
    git(directory, "merge", "--squash", "dev");
    git(directory, "commit", "--quiet", "-m", "Squash (#1)");
  },
  "a rebase onto other work": (made) => {
    write(made, "other\n", "other", "src/b.js");
    git(made.directory, "cherry-pick", "dev");
  },
  "a merge": (made) => {
    write(made, "other\n", "other", "src/b.js");
    git(made.directory, "merge", "--quiet", "dev", "-m", "merge");
  },
};

test("what landed on Baton's own branch is not on the main one before that has it, whatever the main one lacks", async () => {
  // A mend of the agent's own earlier line: the main branch has neither.
  const after = tree({ "src/a.js": lines([3, "mended"]), "src/b.js": "b\n" });
  await using at = await done(after);
  git(at.made.directory, "branch", "baton/main", "dev");
  assert.equal(await at.look(), "verified landed baton/main");
  write(at.made, lines([3, "the person's own"]));
  assert.equal(await at.look(), "verified landed baton/main");
});

const move = ({ directory }: Made, from: string, to: string) => {
  git(directory, "mv", from, to);
  git(directory, "commit", "--quiet", "-m", "move");
};

test("work lands where main renamed its folder, and stays done when it is renamed again and changed", async () => {
  await using at = await done();
  const { directory } = at.made;
  move(at.made, "src", "lib");
  assert.equal(await at.look(), "verified branch dev", "the renamed file without the work does not have it");
  git(directory, "merge", "--quiet", "dev", "-m", "merge");
  git(directory, "branch", "-d", "dev");
  assert.equal(await at.look(), "verified landed main");
  move(at.made, "lib/a.js", "lib/a.ts");
  assert.equal(await at.look(), "verified landed main changed");
  const notes = (await tasksOf(at.team))[0]?.notes.map(({ message }) => message) ?? [];
  assert.ok(notes.includes("What was in src/a.js is in lib/a.ts now."), notes.join());
  write(at.made, lines([3, "the good work of dev-1"]), "typo", "lib/a.ts");
  assert.equal(await at.look(), "verified landed main changed");
  write(at.made, lines(), "take it back", "lib/a.ts");
  assert.equal(await at.look(), "gone gone");
});

test("work that is taken back is gone and frees nothing, is told, waits for a person, and comes back by itself", async () => {
  await using at = await done();
  const { directory } = at.made;
  const lead = at.team.as("lead-1");
  assert.equal(
    (await lead.addTask({ task: "1-1-T2", dependsOn: ["1-1-T1"], files: ["src/b.js"] })).outcome,
    "accepted",
  );
  git(directory, "merge", "--quiet", "dev");
  assert.equal(await at.look(), "verified landed main");
  write(at.made, lines(), "take it back");
  assert.equal(await at.look(), "gone gone");
  assert.equal(await at.look(), "gone gone", "the branch that still has it does not count");
  const owner = at.team.as("owner");
  const needs = await owner.needs({});
  assert.ok(needs.ok);
  assert.deepEqual(
    needs.value.needs.map(({ id, blocks }) => [id, blocks]),
    [["gone:1-1-T1", ["1-1-T2"]]],
  );
  const claimed = await at.team.as("dev-1").claim({ task: "1-1-T1" });
  assert.equal(claimed.outcome, "refused", "gone never frees a task by itself");
  const waits = await at.team.as("dev-1").claim({ task: "1-1-T2" });
  assert.ok(waits.outcome === "refused");
  assert.equal(waits.denial?.reason, "blocked");
  assert.match(waits.problems[0]?.message ?? "", /^1-1-T2 waits for 1-1-T1\. The work of 1-1-T1 is gone\.$/);
  assert.match(waits.problems[0]?.hint ?? "", /`baton task settle 1-1-T1 superseded`, or `baton task reopen 1-1-T1`/);
  const [said = ""] = await toldTo(at.team, "lead-1");
  assert.match(
    said,
    /^The work of 1-1-T1 was verified, and is gone\. .*\nFound: work-reverted .* by dev-1 changed it later/,
  );
  git(directory, "revert", "--no-edit", "HEAD");
  assert.equal(await at.look(), "verified landed main");
  assert.deepEqual(await needsOf(owner), []);
  assert.equal((await at.team.as("dev-1").claim({ task: "1-1-T2" })).outcome, "accepted");
});

test("a revert by hand says reverted whichever way the work had landed, frees the task, and its revert lands it again", async () => {
  for (const [name, land] of Object.entries(ways)) {
    await using at = await done();
    const { directory } = at.made;
    await at.look();
    land(at.made);
    assert.equal(await at.look(), "verified landed main", name);
    write(at.made, "later\n", "later", "src/b.js");
    const landed = git(directory, "log", "-1", "--format=%H %P", "--skip=1").trim();
    const [commit = "", , second] = landed.split(" ");
    git(directory, "revert", "--no-edit", ...(second === undefined ? [] : ["-m", "1"]), commit);
    assert.equal(await at.look(), "reverted reverted main", name);
    assert.equal(await at.look(), "reverted reverted main", name);
    assert.deepEqual(await needsOf(at.team.as("owner")), []);
    const [said = ""] = await toldTo(at.team, "lead-1");
    assert.match(said, /^The work of 1-1-T1 had landed and was taken back: .*\nFound: work-reverted .* took it back\./);
    git(directory, "revert", "--no-edit", "HEAD");
    assert.equal(await at.look(), "verified landed main", name);
    git(directory, "revert", "--no-edit", "HEAD");
    assert.equal(await at.look(), "reverted reverted main", name);
    assert.equal((await at.team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted", name);
    assert.equal(await at.look(), "claimed reverted main", name);
  }
});

test("an undo stands though a word of the work is left, or others write what looks like it, until all of it is back", async () => {
  const page = Array.from({ length: 7 }, (_, at) => `The price of bag ${at}\n`);
  const before = { "src/a.js": "const bags = 1;\n", "src/b.js": "b\n" };
  await using at = await done(
    tree({ ...before, "src/a.js": "const bags = 1;\nwrap(bags);\n", "src/p.md": page.join("") }),
    ["src/a.js", "src/p.md"],
  );
  const { directory } = at.made;
  git(directory, "merge", "--quiet", "--no-ff", "dev", "-m", "merge");
  assert.equal(await at.look(), "verified landed main");
  write(at.made, "const bags = 1;\nwrap(bags);\n\n\n// see wrap\n", "another's");
  const undo = ["-m", "Revert 1-1-T1", "-m", "Baton-Undone: 1-1-T1"];
  write(at.made, "const bags = 1;\n\n\n// see wrap\n", "x");
  git(directory, "rm", "--quiet", "src/p.md");
  git(directory, "commit", "--quiet", "--amend", ...undo);
  assert.equal(await at.look(), "reverted reverted main");
  const add = (path: string, text: string) => {
    writeFileSync(join(directory, path), text);
    git(directory, "add", path);
    git(directory, "commit", "--quiet", "-m", "another's");
  };
  add("src/q.md", page.join(""));
  assert.equal(await at.look(), "reverted reverted main");
  add("src/p.md", page.slice(1).join(""));
  assert.equal(await at.look(), "reverted reverted main");
  add("src/p.md", page.join(""));
  assert.equal(await at.look(), "reverted reverted main");
  write(at.made, "const bags = 1;\nwrap(bags);\n\n\n// see wrap\n");
  assert.equal(await at.look(), "verified landed main");
  add("src/p.md", page.slice(1).join(""));
  assert.equal(await at.look(), "verified landed main changed");
});

async function needsOf(
  owner: Awaited<ReturnType<typeof done>>["team"] extends { as(name: string): infer Team } ? Team : never,
) {
  const needs = await owner.needs({});
  return needs.ok ? needs.value.needs.map(({ id }) => id) : [];
}

test("what is gone is settled as superseded, or done again", async () => {
  for (const way of ["superseded", "reopened"] as const) {
    await using at = await done();
    git(at.made.directory, "merge", "--quiet", "dev");
    await at.look();
    write(at.made, lines(), "take it back");
    assert.equal(await at.look(), "gone gone");
    const lead = at.team.as("lead-1");
    const denied = await at.team.as("dev-1").settle({ task: "1-1-T1", as: "superseded" });
    assert.equal(denied.outcome === "refused" && denied.problems[0]?.code, "sender-not-authorised");
    const odd = await lead.settle({ task: "1-1-T1", as: "superseded", reason: "\0" });
    assert.equal(odd.outcome === "refused" && odd.problems[0]?.path, "arguments.reason");
    const reply =
      way === "superseded" ? await lead.settle({ task: "1-1-T1", as: way }) : await lead.reopen({ task: "1-1-T1" });
    assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
    assert.equal(await at.look(), way === "superseded" ? "verified settled" : "available");
    assert.deepEqual(await needsOf(at.team.as("owner")), []);
    assert.equal((await at.team.as("dev-1").claim({ task: "1-1-T1" })).outcome === "accepted", way === "reopened");
  }
});

test("a merge on main that drops work before it landed makes it gone by that merge, and it comes back", async () => {
  await using at = await done();
  const { directory } = at.made;
  assert.equal(await at.look(), "verified branch dev");
  write(at.made, "other\n", "other", "src/b.js");
  git(directory, "merge", "--quiet", "-s", "ours", "dev", "-m", "merge");
  const merge = git(directory, "rev-parse", "--short", "HEAD").trim();
  assert.equal(await at.look(), "gone gone");
  assert.equal(await at.look(), "gone gone", "the branch that still has it brings nothing");
  const found = `Found: work-reverted .*The commit ${merge} by dev-1 merged, and kept what the other side had`;
  for (const agent of ["lead-1", "dev-1"]) assert.match((await toldTo(at.team, agent)).join(), new RegExp(found));
  assert.deepEqual(await needsOf(at.team.as("owner")), ["gone:1-1-T1"]);
  git(directory, "cherry-pick", "dev");
  assert.equal(await at.look(), "verified landed main");
});

test("a further report never makes worse what is verified and there", async () => {
  await using at = await done();
  assert.equal(await at.look(), "verified branch dev");
  const dev = at.team.as("dev-1");
  const again = await dev.complete({ task: "1-1-T1", commit: "f".repeat(40) });
  assert.equal(again.outcome, "accepted");
  assert.match(await at.look(), /^verified/);
  const [task] = await tasksOf(at.team);
  assert.deepEqual(
    task?.notes.map(({ code }) => code),
    ["branches-unknown", "further-report"],
  );
  assert.match((await toldTo(at.team, "dev-1")).join(), /A further report \(entry \d+\) does not hold/);
  assert.match(await at.look(), /^verified/);
});

test("a report beside verified work is settled as verified, and not as disputed", async () => {
  await using at = await done();
  assert.equal(await at.look(), "verified branch dev");
  const [dev, lead, task] = [at.team.as("dev-1"), at.team.as("lead-1"), "1-1-T1"];
  for (const isJudged of [false, true]) {
    assert.equal((await dev.complete({ task, commit: (isJudged ? "e" : "f").repeat(40) })).outcome, "accepted");
    if (isJudged) await at.look();
    const denied = await lead.settle({ task, as: "disputed" });
    assert.match((denied.outcome === "refused" && denied.problems[0]?.message) || "", /1-1-T1 was verified at entry/);
    assert.equal((await lead.settle({ task, as: "verified" })).outcome, "accepted");
    assert.equal(await at.look(), "verified settled");
    assert.deepEqual(
      (await tasksOf(at.team))[0]?.notes.map(({ code }) => code),
      ["settled"],
    );
  }
});

test("of two commits whose work was gone one alone brings back nothing: both are there again, or it is not done", async () => {
  for (const way of ["one", "picked", "both"] as const) {
    const files = ["src/a.js", "src/b.js"];
    await using at = await done(tree({ "src/a.js": lines([3, "the work of dev-1"]), "src/b.js": "b\n" }), files);
    const [dev, task] = [at.team.as("dev-1"), "1-1-T1"];
    const { directory, ids } = at.made;
    git(directory, "checkout", "--quiet", "dev");
    write(at.made, "more\n", "second", "src/b.js");
    const second = git(directory, "rev-parse", "HEAD").trim();
    assert.equal((await dev.complete({ task, commit: [ids[1] ?? "", second] })).outcome, "accepted");
    assert.equal(await at.look(), "verified branch dev");
    git(directory, "checkout", "--quiet", "--detach", "main");
    git(directory, "branch", "-D", "dev");
    assert.equal(await at.look(), "gone gone");
    assert.equal((await at.team.as("lead-1").reopen({ task })).outcome, "accepted");
    git(directory, "checkout", "--quiet", "-b", "dev", way === "both" ? second : "main");
    if (way !== "both") git(directory, "cherry-pick", second);
    await dev.claim({ task, files });
    const commit = way === "picked" ? git(directory, "rev-parse", "HEAD").trim() : second;
    assert.equal((await dev.complete({ task, commit })).outcome, "accepted");
    assert.equal(await at.look(), way === "both" ? "verified branch dev" : "disputed", way);
  }
});

test("a commit that was reported before a lead had the work done again proves nothing, but where it was gone", async () => {
  for (const isGone of [false, true]) {
    await using at = await done();
    const { directory, ids } = at.made;
    assert.equal(await at.look(), "verified branch dev");
    if (isGone) {
      git(directory, "branch", "-D", "dev");
      assert.equal(await at.look(), "gone gone");
    }
    const [dev, lead, task] = [at.team.as("dev-1"), at.team.as("lead-1"), "1-1-T1"];
    assert.equal((await lead.reopen({ task, reason: "it does not work" })).outcome, "accepted");
    if (isGone) git(directory, "branch", "dev", ids[1] ?? "");
    await dev.claim({ task, files: ["src/a.js"] });
    assert.equal((await dev.complete({ task, commit: ids[1] ?? "" })).outcome, "accepted");
    assert.equal(await at.look(), isGone ? "verified branch dev" : "disputed");
    if (isGone) continue;
    assert.match((await toldTo(at.team, "dev-1")).join(), /Found: commit-before-task .*before the task was reopened/);
    git(directory, "checkout", "--quiet", "dev");
    const again = async () => {
      await dev.claim({ task, files: ["src/a.js"] });
      const commit = git(directory, "rev-parse", "HEAD").trim();
      assert.equal((await dev.complete({ task, commit })).outcome, "accepted");
      return await at.look();
    };
    git(directory, "commit", "--quiet", "--amend", "-m", "the same");
    assert.equal(await again(), "disputed", "amended");
    git(directory, "checkout", "--quiet", "-B", "dev", `${ids[0]}`);
    git(directory, "commit", "--quiet", "--allow-empty", "-m", "another base");
    git(directory, "cherry-pick", ids[1] ?? "");
    assert.equal(await again(), "disputed", "rebased");
    write(at.made, lines([3, "the good work of dev-1"]), "again");
    assert.equal(await again(), "verified branch dev");
  }
});

test("a further report that does not hold, or a word of its reporter, frees nothing that is gone", async () => {
  await using at = await done();
  assert.equal(await at.look(), "verified branch dev");
  git(at.made.directory, "branch", "-D", "dev");
  assert.equal(await at.look(), "gone gone");
  const [dev, owner] = [at.team.as("dev-1"), at.team.as("owner")];
  const needed = async () => {
    const needs = await owner.needs({});
    return needs.ok ? needs.value.needs.map(({ id }) => id) : [];
  };
  const task = "1-1-T1";
  assert.equal((await dev.complete({ task, commit: "f".repeat(40) })).outcome, "accepted");
  const [unjudged] = await tasksOf(at.team);
  assert.deepEqual([unjudged?.state, await needed()], ["gone", ["gone:1-1-T1"]]);
  assert.equal(await at.look(), "gone gone");
  assert.deepEqual(await needed(), ["gone:1-1-T1"]);
  const [judged] = await tasksOf(at.team);
  assert.ok(judged?.notes.some(({ code }) => code === "further-report"));
  assert.equal((await dev.complete({ task, commit: "", status: "failed" })).outcome, "refused");
  assert.equal((await dev.claim({ task })).outcome, "refused");
  assert.equal((await owner.settle({ task, as: "superseded" })).outcome, "accepted");
  assert.deepEqual(await needed(), []);
});

test("a report that cannot be judged needs a person, who settles, reopens or ends it", async () => {
  for (const way of ["verified", "disputed", "reopened", "ended"] as const) {
    await using made = await madeRepository({
      commits: [
        { tree: tree({ "src/a.js": "1\n" }), parents: [] },
        { tree: tree({ "src/a.js": "1\n2\n3\n" }), parents: [0] },
      ],
      references: { "refs/heads/main": 1 },
    });
    const shallow = join(made.folder, "shallow");
    git(made.folder, "clone", "--quiet", "--depth", "1", `file://${made.directory}`, shallow);
    await using team = await reporting(made.ids[1] ?? "", ["src/a.js"]);
    const owner = team.as("owner");
    const look = () => owner.verify({ directory: shallow, environment: testEnvironment });
    assert.ok((await look()).ok && (await look()).ok);
    const needs = await owner.needs({});
    assert.ok(needs.ok);
    assert.deepEqual(
      needs.value.needs.map(({ id, why }) => [id, why]),
      [["undecided:1-1-T1", "This is a shallow clone, and its history is cut off at this commit."]],
    );
    const task = "1-1-T1";
    const reply =
      way === "reopened"
        ? await owner.reopen({ task })
        : way === "ended"
          ? await owner.endTask({ task, outcome: "given-up" })
          : await owner.settle({ task, as: way, reason: "I looked" });
    // A task of a contract ends by a revision of the contract.
    assert.equal(reply.outcome, way === "ended" ? "refused" : "accepted", JSON.stringify(reply));
    const [shown] = await tasksOf(team);
    const expected = { verified: "verified", disputed: "disputed", reopened: "available", ended: "reported" };
    assert.equal(shown?.state, expected[way]);
    assert.ok((await look()).ok);
    assert.equal(
      (await tasksOf(team))[0]?.state,
      way === "reopened" ? "available" : expected[way],
      "looking changes nothing",
    );
    if (way !== "disputed") continue;
    assert.equal((await owner.reopen({ task, reason: "Do it again" })).outcome, "accepted");
    assert.equal((await tasksOf(team))[0]?.state, "available");
    await report(team, made.ids[1] ?? "", ["src/a.js"]);
  }
});
