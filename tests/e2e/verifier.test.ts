/** `baton verifier`, as it is run next to a clone on another machine. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../src/base/canonical.ts";
import { git } from "../evidence/history.ts";
import { called } from "./called.ts";
import { baton, jsonLines, problemCodes, start } from "./command.ts";
import { type Company, commit, company, report, states, taskOf } from "./company.ts";
import { towards } from "./hub-process.ts";

test("a verifier on another machine judges what agents push, and what it cannot see is shown", async () => {
  const all = await company();
  const work = all.clone("dev-1");
  const one = all.clone("ci-1");
  const id = commit(work, { "src/a.js": "1" });
  await report(all, "T1", "src/a.js", id);
  assert.deepEqual(await taskOf(all, "T1").then(({ state, verdict }) => [state, verdict]), ["reported", "awaited"]);

  // The branch is not pushed, so nobody knows yet; the agent is told what to do, once.
  const unseen = await all.verify("ci-1", one);
  assert.equal(unseen.code, 5, unseen.said);
  assert.deepEqual(states(unseen), [["T1", "undecided", true]]);
  assert.match(unseen.said, /Push the branch that holds it \(`git push`\)/);
  assert.deepEqual(states(await all.verify("ci-1", one)), [["T1", "undecided", false]]);
  assert.match((await all.as("dev-1", ["inbox"])).stdout, /push the branch/);
  const unsure = await taskOf(all, "T1");
  assert.deepEqual([unsure.verdict, unsure.unseen?.judge], ["awaited", "verifier:ci-1"]);

  git(work, "push", "--quiet", "origin", "HEAD:refs/heads/t1");
  const seen = await all.verify("ci-1", one);
  assert.equal(seen.code, 0, seen.said);
  assert.deepEqual(states(seen), [["T1", "verified", true]]);
  assert.equal((await taskOf(all, "T1")).state, "verified");
  // The clone's own branches and its configuration are as they were.
  assert.deepEqual(git(one, "for-each-ref", "--format=%(refname)").trim().split("\n").sort(), [
    "refs/heads/main",
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
  ]);

  // A lie: the file is not in the commit.
  const other = commit(work, { "src/b.js": "1" });
  git(work, "push", "--quiet", "origin", "HEAD:refs/heads/t2");
  await report(all, "T2", "src/c.js", other);
  const lied = await all.verify("ci-1", one);
  assert.equal(lied.code, 2, lied.said);
  assert.deepEqual(states(lied), [
    ["T1", "verified", false],
    ["T2", "disputed", true],
  ]);
  assert.equal((await taskOf(all, "T2")).state, "disputed");
  const log = jsonLines(await all.as("owner", ["log", "--json"]));
  assert.deepEqual(
    log.filter(({ type }) => type === "record-finding").map(({ sender, summary }) => [sender, summary]),
    [
      ["verifier:ci-1", "found T1 undecided"],
      ["verifier:ci-1", "found T1 verified"],
      ["verifier:ci-1", "found T2 disputed"],
    ],
  );
});

test("work that is gone from the remote is gone, and a revoked verifier judges no more", async () => {
  const all = await company();
  const [work, one] = [all.clone("dev-1"), all.clone("ci-1")];
  const id = commit(work, { "src/a.js": "1" });
  git(work, "push", "--quiet", "origin", "HEAD:refs/heads/t1");
  await report(all, "T1", "src/a.js", id);
  assert.deepEqual(states(await all.verify("ci-1", one)), [["T1", "verified", true]]);
  git(all.origin, "update-ref", "-d", "refs/heads/t1");
  assert.deepEqual(states(await all.verify("ci-1", one)), [["T1", "gone", true]]);
  assert.equal((await taskOf(all, "T1")).state, "gone");
  const [token] = jsonLines(await all.as("owner", ["token", "list", "--json"])).filter(
    ({ agent }) => agent === "verifier:ci-1",
  );
  assert.equal((await all.as("owner", ["token", "revoke", String(token?.tokenId)])).code, 0);
  assert.deepEqual(problemCodes(await all.verify("ci-1", one)), ["token-revoked"]);
});

test("a verifier looks on the main branch that the team file names", async () => {
  const all = await company(undefined, "main: trunk\n");
  const [work, one] = [all.clone("dev-1"), all.clone("ci-1")];
  const id = commit(work, { "src/a.js": "1" });
  git(work, "push", "--quiet", "origin", "HEAD:refs/heads/trunk");
  await report(all, "T1", "src/a.js", id);
  await all.verify("ci-1", one);
  const { at, branch } = (await taskOf(all, "T1")).place ?? {};
  assert.deepEqual([at, branch?.endsWith("trunk")], ["landed", true]);
});

/** A company with one report whose branch is pushed, for the tests below; made by the first, for calls come one by one. */
let made: Promise<Company> | null = null;
const reported = (): Promise<Company> => (made ??= oneReport());

async function oneReport(): Promise<Company> {
  const all = await company();
  const work = all.clone("dev-1");
  const id = commit(work, { "src/a.js": "1" });
  git(work, "push", "--quiet", "origin", "HEAD:refs/heads/t1");
  await report(all, "T1", "src/a.js", id);
  return all;
}

test("a verifier that is killed and started again records nothing twice", async () => {
  const all = await reported();
  const one = all.clone("ci-1");
  const variables = towards(all.hub, await all.token("verifier:ci-1"));
  for (let round = 0; round < 2; round += 1) {
    const child = start(one, ["verifier", "--every", "1", "--json"], variables);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (round === 0) await new Promise((resolve) => child.stdout?.once("data", resolve));
    // It says on standard error by what it judges once it has begun to look.
    else await new Promise((resolve) => child.stderr?.once("data", resolve));
    child.kill("SIGKILL");
    await ended;
  }
  assert.deepEqual(states(baton(one, ["verifier", "--once", "--json"], "", variables)), [["T1", "verified", false]]);
  const log = jsonLines(await all.as("owner", ["log", "--json"]));
  assert.equal(
    log.filter((line) => JSON.stringify(line).includes("found T1")).length,
    1,
    JSON.stringify(log.slice(-3)),
  );
});

test("a verifier runs no hook and no program that the clone's configuration names, and asks nothing", async () => {
  const all = await reported();
  const one = all.clone("evil");
  const mark = join(one, "ran");
  const script = join(one, "evil.sh");
  writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  for (const name of ["reference-transaction", "post-checkout", "post-merge"])
    writeFileSync(join(one, ".git/hooks", name), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 });
  for (const [name, value] of [
    ["core.sshCommand", script],
    ["credential.helper", `!${script}`],
    ["core.askPass", script],
    ["core.fsmonitor", script],
    ["core.alternateRefsCommand", script],
    ["remote.origin.uploadpack", script],
    ["gc.recentObjectsHook", script],
  ] as const)
    git(one, "config", name, value);
  // The control: git itself runs one of them.
  git(one, "-c", "core.fsmonitor=false", "remote", "set-url", "origin", all.origin);
  assert.throws(() => git(one, "-c", "core.fsmonitor=false", "fetch", "origin"));
  assert.ok(existsSync(mark), "the planted program works");
  rmSync(mark);
  const seen = await all.verify("ci-1", one);
  assert.deepEqual(states(seen), [["T1", "verified", false]], seen.said);
  assert.equal(existsSync(mark), false);
  // What somebody writes into the verifier's own repository does not count either.
  const state = join(tmpdir(), "baton-state/baton/verifier");
  for (const own of readdirSync(state))
    writeFileSync(
      join(state, own, "config"),
      `[core]\n\tbare = true\n\trepositoryformatversion = 0\n\tsshCommand = ${script}\n\tfsmonitor = ${script}\n`,
    );
  assert.equal((await all.verify("ci-1", one)).code, 0);
  assert.equal(existsSync(mark), false);

  git(one, "config", "remote.elsewhere.url", `ext::${script}`);
  assert.deepEqual(problemCodes(await all.verify("ci-1", one, ["--remote", "elsewhere"])), ["wrong-value"]);
  git(one, "config", "remote.gone.url", join(all.origin, "none"));
  assert.deepEqual(problemCodes(await all.verify("ci-1", one, ["--remote", "gone"])), ["repository-unreadable"]);
  assert.deepEqual(problemCodes(await all.verify("ci-1", one, ["--remote", "nobody"])), ["not-found"]);
  assert.equal(existsSync(mark), false);
});

test("a verifier writes nothing into the clone's git folder, where a link could lead into another repository", async () => {
  const all = await reported();
  const [one, victim] = [all.clone("linked"), all.clone("victim")];
  const before = git(victim, "config", "--local", "--list");
  const digest = sha256(all.origin).slice(0, 12);
  mkdirSync(join(one, ".git/baton-verifier"));
  symlinkSync(join(victim, ".git"), join(one, ".git/baton-verifier", `${digest}.git`));
  const names = () =>
    readdirSync(join(one, ".git"), { recursive: true })
      .map(String)
      .toSorted((a, b) => (a < b ? -1 : 1));
  const own = names();
  const seen = states(await all.verify("ci-1", one));
  assert.deepEqual(
    seen.map(([task, state]) => [task, state]),
    [["T1", "verified"]],
  );
  assert.equal(git(victim, "config", "--local", "--list"), before);
  assert.ok(existsSync(join(victim, ".git/hooks")));
  assert.deepEqual(names(), own);
});

test("only a verifier's token verifies, next to a hub and next to a journal", async () => {
  const all = await reported();
  const one = all.clone("other");
  for (const who of ["owner", "dev-1"])
    assert.deepEqual(problemCodes(await all.as(who, ["verifier", "--once", "--json"], one)), ["sender-not-authorised"]);
  const local = (token: string | null) =>
    called(
      all.home,
      ["verifier", "--once", "--json", "--repository", one],
      "",
      token === null ? {} : { BATON_TOKEN: token },
    );
  assert.equal((await local(await all.token("verifier:ci-1"))).code, 0);
  assert.deepEqual(problemCodes(await local(await all.token("dev-1"))), ["sender-not-authorised"]);
  assert.deepEqual(problemCodes(await local(null)), ["wrong-usage"]);
  const named = await called(all.home, ["inbox", "--as", "verifier:ci-1", "--json"]);
  assert.equal(named.code, 2, named.said);
});

test("a verifier without a hub says what to set, and begins no journal in its clone", async () => {
  const all = await company();
  const one = all.clone("ci-1");
  mkdirSync(join(one, ".baton"));
  writeFileSync(join(one, ".baton/team.yaml"), "version: 1\nteam: web\ndialects: [vbw/2]\n");
  const before = readdirSync(join(one, ".git"));
  const variables = { BATON_TOKEN: await all.token("verifier:ci-1") };
  for (const more of [[], ["--journal", `sqlite:${join(one, "none.db")}`]]) {
    const refused = await called(one, ["verifier", "--once", "--json", ...more], "", variables);
    assert.deepEqual(problemCodes(refused), ["journal-missing"], refused.said);
    assert.match(refused.said, /set BATON_HUB, or add --hub URL/);
  }
  assert.deepEqual(readdirSync(join(one, ".git")), before);
  assert.deepEqual(readdirSync(one).sort(), [".baton", ".git", "README.md"]);
});
