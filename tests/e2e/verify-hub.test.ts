/**
 * `baton verify` and the gate through a hub: what was reported is judged by the hub, next to whose journal the
 * repository is; what is about to be committed where it is, in another clone on a machine that has no journal.
 */
import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sandboxHere } from "../../src/evidence/services/check-run.ts";
import { file, git, makeHistory } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import { contract, folder, jsonLines, problemCodes, team } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

const hasSandbox = (await sandboxHere({ PATH: process.env.PATH ?? "" })) !== null;
const source = ["src/feature.js", file("1")] as const;
const readme = ["README.md", file("x")] as const;

/** A team next to a repository with a contract for `src/`, and a clone elsewhere; the hub runs with `options`. */
async function places(options: readonly string[] = []) {
  const home = team({ isDeclared: true });
  const ids = makeHistory(home, {
    commits: [
      { tree: new Map([readme]), parents: [] },
      { tree: new Map([readme, source]), parents: [0] },
    ],
    references: { "refs/heads/main": 0 },
  });
  const checked = contract(["src/"]).replace(
    '"must_haves"',
    '"verification_checks":["test -e README.md"],"must_haves"',
  );
  await calledWithCode(0, home, ["send", "--as", "lead-1"], checked);
  // The work is put on the branch once its task is there.
  git(home, "reset", "--quiet", "--hard", ids[1] ?? "");
  const away = folder();
  git(away, "clone", "--quiet", home, "work");
  const ways = new Map<string, string>();
  for (const agent of ["owner", "lead-1", "dev-1"]) ways.set(agent, await tokenOf(home, agent));
  const hub = await startHub(home, 0, options);
  const ask = async (agent: string, words: readonly string[], input = "") =>
    await called(join(away, "work"), words, input, towards(hub, ways.get(agent) ?? ""));
  return { home, work: join(away, "work"), ids, hub, ways, ask };
}

test("a hub is asked to judge now, and what it found is what was recorded", async () => {
  const { ids, home, ask } = await places();
  assert.equal((await ask("dev-1", ["task", "claim", "1-1-T1", "--files", "src/"])).code, 0);
  const complete = ["task", "complete", "1-1-T1", "--commit", ids[1] ?? "", "--files"];
  const reported = await ask("dev-1", [...complete, "src/none.js"]);
  assert.equal(reported.code, 0, reported.stderr);
  assert.match(
    reported.stdout,
    /\n(Not verified yet: a hub with a clone checks it .*task list 1-1-T1 .*dev-1|Disputed: )/,
  );
  const lied = await ask("lead-1", ["verify", "--json"]);
  assert.equal(lied.code, 2, lied.stderr);
  assert.deepEqual(
    jsonLines(lied).map(({ task, state, commit }) => [task, state, commit]),
    [["1-1-T1", "disputed", ids[1]]],
  );
  assert.equal(jsonLines(await calledWithCode(0, home, ["task", "list", "--json"]))[0]?.state, "disputed");
  assert.equal((await ask("dev-1", [...complete, "src/feature.js"])).code, 0);
  const judged = await ask("owner", ["verify", "T1", "--json"]);
  assert.deepEqual(
    jsonLines(judged).map(({ state }) => state),
    ["complete"],
    judged.stderr,
  );
  const check = ["check", "test -e README.md"];
  assert.deepEqual(problemCodes(await ask("lead-1", [...check, "always", "--json"])), ["human-required"]);
  assert.equal((await ask("owner", [...check, "always"])).code, 0);
  const run = await ask("owner", ["verify", "T1", "--json"]);
  assert.equal(run.code, 0, run.stderr);
  const [line] = jsonLines(run) as readonly {
    checks?: readonly Record<string, unknown>[];
    notes: readonly { code: string }[];
  }[];
  const ran = line?.checks?.map(({ check: command, exitCode }) => [command, exitCode]);
  if (hasSandbox) assert.deepEqual(ran, [["test -e README.md", 0]]);
  else assert.ok(line?.notes.some(({ code }) => code === "check-not-run"));
  assert.equal((await ask("owner", ["verify", "--repository", "."])).code, 64);
  const further = await ask("dev-1", ["task", "complete", "1-1-T1", "--commit", "deadbeef"]);
  assert.match(further.stdout, /\n(Not verified yet: |Disputed: this report of 1-1-T1 does not hold)/);
});

test("a hub without a clone promises no check, and names who can make one", async () => {
  const home = team({ isDeclared: true });
  const [owner, dev] = [await tokenOf(home, "owner"), await tokenOf(home, "dev-1")];
  const hub = await startHub(home);
  const ask = async (token: string, words: readonly string[]) => {
    const done = await called(home, words, "", towards(hub, token));
    assert.equal(done.code, 0, done.said);
    return done.stdout;
  };
  const reportOf = async (task: string) => {
    await ask(owner, ["task", "add", task, "--files", `src/${task}.js`]);
    await ask(dev, ["task", "claim", task]);
    return await ask(dev, ["task", "complete", task, "--commit", "abc1234", "--files", `src/${task}.js`]);
  };
  assert.match(await reportOf("T1"), /\nNot verified: the hub has no clone to check it in\. Start it in a clone/);
});

test("the gate judges here, by the claims and contracts of the hub, for the agent of the token", async () => {
  const { work, ids, hub, ways, ask } = await places();
  writeFileSync(join(work, "src/feature.js"), "2");
  git(work, "add", "-A");
  const unclaimed = await ask("dev-1", ["verify", "--staged", "--json"]);
  assert.equal(unclaimed.code, 2, unclaimed.stderr);
  assert.equal(jsonLines(unclaimed)[0]?.agent, "dev-1");
  assert.equal((await ask("dev-1", ["task", "claim", "1-1-T1", "--files", "src/"])).code, 0);
  assert.equal((await ask("dev-1", ["verify", "--staged"])).code, 0);
  const persons = await ask("owner", ["verify", "--staged", "--json"]);
  assert.deepEqual([persons.code, jsonLines(persons)[0]?.agent], [2, "owner"]);
  assert.equal((await ask("dev-1", ["verify", "--staged", "--as", "lead-1"])).code, 2);
  git(work, "config", "baton.agent", "lead-1");
  const held = await ask("owner", ["verify", "--staged", "--json"]);
  assert.deepEqual([held.code, jsonLines(held)[0]?.agent], [2, "lead-1"]);
  git(work, "config", "--unset", "baton.agent");

  await calledWithCode(0, work, ["install", "git-hooks"]);
  const commit = (variables: Readonly<Record<string, string>>) => {
    const words = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    return git(work, "-c", `alias.gated=!f() { env ${words.join(" ")} git commit --quiet -m work; }; f`, "gated");
  };
  // Without a token the hub cannot be asked.
  assert.throws(() => commit({ BATON_HUB: hub.url, BATON_AGENT: "dev-1" }), /--token/);
  commit(towards(hub, ways.get("dev-1") ?? ""));
  // Whose a token is, is still known when the hub gives no answer.
  const away = (who: string) => {
    const { BATON_TOKEN: token = "" } = towards(hub, ways.get(who) ?? "");
    appendFileSync(join(work, "src/feature.js"), who);
    git(work, "add", "-A");
    return () => commit({ BATON_HUB: "http://127.0.0.1:1", BATON_TOKEN: token });
  };
  assert.throws(away("dev-1"), /hub-unreachable(?!.*If it is yours)/s);
  assert.throws(away("owner"), /hub-unreachable.*If it is yours: BATON_AGENT=owner/s);
  commit(towards(hub, ways.get("owner") ?? ""));
  assert.doesNotThrow(away("owner"));
  git(work, "reset", "--quiet", "--hard", "HEAD~2");
  writeFileSync(join(work, "README.md"), "y");
  git(work, "add", "-A");
  assert.throws(() => commit(towards(hub, ways.get("dev-1") ?? "")), /outside-contract/);
  git(work, "commit", "--quiet", "--no-verify", "-m", "past the gate");
  const range = await ask("owner", ["verify", "--range", `${ids[1]}..HEAD`, "--json"]);
  assert.equal(range.code, 2, range.stderr);
  assert.deepEqual(
    jsonLines(range).map(({ agent, files, problems }) => [agent, files, (problems as readonly unknown[]).length]),
    [
      ["dev-1", 1, 0],
      ["dev-1", 1, 2],
    ],
  );
});
