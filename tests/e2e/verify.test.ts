/** `baton verify` as people and scripts run it, and a hub that does it by itself. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { sandboxHere } from "../../src/evidence/services/check-run.ts";
import { file, git, type HistoryOrder, makeHistory } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import { baton, contract, folder, jsonLines, problemCodes, start, team } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

const hasSandbox = (await sandboxHere({ PATH: process.env.PATH ?? "" })) !== null;
const skip = hasSandbox ? false : "no sandbox of bwrap here (package bubblewrap, and user namespaces)";
const files = { "src/feature.js": file("1") };
const history: HistoryOrder = {
  commits: [
    { tree: new Map([["README.md", file("x")]]), parents: [] },
    { tree: new Map([["README.md", file("x")], ...Object.entries(files)]), parents: [0] },
    { tree: new Map([["README.md", file("y")], ...Object.entries(files)]), parents: [1] },
  ],
  references: { "refs/heads/main": 2 },
};

/** A team in a repository; dev-1 holds task 1-1-T1 for `src/`. Answers the folder and the commits. */
async function place(options: Parameters<typeof team>[0] = {}): Promise<{
  readonly directory: string;
  readonly ids: readonly string[];
}> {
  const directory = team(options);
  const ids = makeHistory(directory, { ...history, references: { "refs/heads/main": 0 } });
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"], {}));
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  // The work is put on the branch once its task is there.
  git(directory, "reset", "--quiet", "--hard", ids.at(-1) ?? "");
  return { directory, ids };
}

/** The report of the task at `commit`, as a message. */
function report(commit: string, modified: readonly string[], id = "done-1"): string {
  const payload = { plan_id: "1-1", task_id: "1-1-T1", status: "complete", commit, files_modified: modified };
  const head = { id, type: "execution_update", phase: 1, task: "1-1-T1", author_role: "dev" };
  const rest = { timestamp: "2026-02-12T10:00:00Z", schema_version: "2.0", confidence: "high" };
  return JSON.stringify({ ...head, ...rest, payload });
}

test("a line per task, and exit 2 when one is disputed", async () => {
  const { directory, ids } = await place();
  assert.equal((await calledWithCode(0, directory, ["verify", "--json"])).stdout, "");
  const { stderr } = await calledWithCode(0, directory, ["verify", "1-1-T1"]);
  assert.equal(stderr, "1-1-T1 is claimed, and not reported as complete.\n");
  // It is judged as it is sent, because no hub runs.
  await calledWithCode(
    2,
    directory,
    ["send", "--as", "dev-1"],
    report(ids[1] ?? "", ["src/feature.js", "src/other.js"]),
  );
  const lied = baton(directory, ["verify", "--json"]);
  assert.equal(lied.code, 2, lied.stderr);
  const [line] = jsonLines(lied);
  assert.deepEqual([line?.task, line?.plan, line?.state, line?.commit], ["1-1-T1", "1-1", "disputed", ids[1]]);
  assert.match(lied.stderr, /files-not-changed at src\/other\.js/);
  // Whoever shows it counts it alike, also while an agent holds the task again.
  const counted = async () => {
    const [status] = jsonLines(await calledWithCode(0, directory, ["status", "--json"]));
    const [summary] = jsonLines(await calledWithCode(0, directory, ["summary", "1-1", "--json"]));
    const [task] = jsonLines(await calledWithCode(0, directory, ["task", "list", "--state", "disputed", "--json"]));
    const [phase] = jsonLines(await calledWithCode(0, directory, ["phase", "1", "--json"]));
    const { claimed, disputed } = (status?.tasks ?? {}) as Record<string, number>;
    const parts = phase?.departments as { plans: { disputed: string[] }[] }[] | undefined;
    const inPhase = parts?.[0]?.plans[0]?.disputed;
    return { claimed, disputed, summary: summary?.disputed, holder: task?.holder, phase: inPhase };
  };
  const free = await counted();
  const found = { claimed: 0, disputed: 1, summary: ["1-1-T1"], holder: null, phase: ["1-1-T1"] };
  assert.deepEqual(free, found);
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  assert.deepEqual(await counted(), { ...free, holder: "dev-1" });
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], report(ids[1] ?? "", ["src/feature.js"], "done-2"));
  assert.match((await calledWithCode(0, directory, ["verify", "T1"])).stdout, /^complete {2}1-1-T1/);
  const [listed] = jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]));
  // Its plan has no other task, so it was summed up at once.
  assert.equal(listed?.state, "complete");
  assert.deepEqual(problemCodes(await called(directory, ["verify", "T9", "--json"])), ["unknown-task"]);
});

test("what another repository shows is printed, and not recorded, wherever it is asked", async () => {
  const { directory, ids } = await place();
  const fake = folder();
  const [first = "", forged = ""] = makeHistory(fake, {
    commits: [
      { tree: new Map([["README.md", file("forged")]]), parents: [] },
      { tree: new Map([["README.md", file("forged")], ...Object.entries(files)]), parents: [0] },
    ],
    references: { "refs/heads/main": 1 },
  });
  const complete = (commit: string) => ["task", "complete", "1-1-T1", "--commit", commit, "--as", "dev-1"];
  const journal = ["--journal", `sqlite:${join(directory, ".git/baton/journal.db")}`];
  // A journal that lies in no repository has none of its own.
  const plain = team();
  await calledWithCode(0, plain, ["task", "add", "1-1-T1", "--files", "src/"]);
  await calledWithCode(0, plain, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  await calledWithCode(0, plain, complete(forged));
  const ask = async (at: string, words: readonly string[], state: string) => {
    const log = async () => jsonLines(await calledWithCode(0, at, ["log", "--json"])).length;
    const before = await log();
    for (const [from, more] of [
      [at, ["--repository", fake]],
      [fake, at === plain ? ["--journal", `sqlite:${join(plain, ".baton/journal.db")}`] : journal],
    ] as const) {
      const asked = await called(from, ["verify", "--as", "lead-1", "--json", ...more]);
      const [line] = jsonLines(asked);
      assert.deepEqual([line?.state, asked.stderr.includes("not-recorded")], [state, true], asked.said);
    }
    assert.equal(await log(), before, words.join(" "));
  };
  await ask(plain, ["a journal without a repository"], "verified");
  await calledWithCode(2, directory, complete(forged));
  await ask(directory, ["a lie stays disputed"], "verified");
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/", "--as", "dev-1"]);
  await calledWithCode(0, directory, complete(ids[1] ?? ""));
  git(fake, "update-ref", "refs/heads/main", first);
  await ask(directory, ["true work is not lost by an old clone"], "gone");
  const up = await called(directory, ["up", "--port", "0", "--repository", fake, "--json"]);
  assert.deepEqual(problemCodes(up), ["wrong-usage"], up.said);
});

test("what a verdict notes is shown with the verified work, in words", async () => {
  const { directory, ids } = await place();
  await calledWithCode(0, directory, ["task", "release", "1-1-T1", "--as", "lead-1"]);
  const said = ["task", "complete", "1-1-T1", "--commit", ids[1] ?? "", "--finished-before", "--as", "lead-1"];
  await calledWithCode(0, directory, said);
  const note = /1-1-T1: .* before the task was recorded/;
  const { stdout: status } = await calledWithCode(0, directory, ["status"]);
  assert.match(status, new RegExp(`\\nNotes on verified work\\n {2}${note.source}`));
  assert.match(
    (await calledWithCode(0, directory, ["summary", "1-1"])).stdout,
    new RegExp(`\\n {2}note {8}${note.source}`),
  );
});

test("a check waits for the owner's word, then verify runs it in the sandbox, and says what it found", {
  skip,
}, async () => {
  const { directory, ids } = await place();
  const check = "cat README.md; exit 3";
  const checked = contract(["src/"], {})
    .replace('"must_haves"', `"verification_checks":["${check}"],"must_haves"`)
    .replace("plan_contract-1", "plan_contract-2");
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], checked);
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], report(ids[1] ?? "", ["src/feature.js"]));
  assert.equal("checks" in (jsonLines(await calledWithCode(0, directory, ["verify", "--json"]))[0] ?? {}), false);
  const needs = await calledWithCode(0, directory, ["needs"]);
  assert.match(needs.stdout, /check .*\n +Plan 1-1 wants to run a check that the team file does not list\./);
  assert.match(needs.stdout, /baton check 'cat README\.md; exit 3' once\n/);
  assert.deepEqual(problemCodes(await called(directory, ["check", check, "once", "--as", "dev-1", "--json"])), [
    "human-required",
  ]);
  await calledWithCode(0, directory, ["check", check, "once"]);
  const run = await called(directory, ["verify", "--json"]);
  assert.equal(run.code, 2);
  const [line] = jsonLines(run) as readonly { checks: readonly Record<string, unknown>[] }[];
  assert.deepEqual([line?.checks[0]?.check, line?.checks[0]?.exitCode, line?.checks[0]?.sandbox], [check, 3, "bwrap"]);
  assert.match(run.stderr, /did not pass .*\nx\nAll that it printed: baton\/checks\/[0-9a-f]{64}\.log/);
});

test("a range is judged for a build server, and is a question of its own", async () => {
  const { directory, ids } = await place();
  writeFileSync(join(directory, "outside.txt"), "x");
  git(directory, "add", "-A", "--", "outside.txt");
  git(directory, "commit", "--quiet", "-m", "outside");
  const range = `${ids[2]}..HEAD`;
  const judged = await called(directory, ["verify", "--range", range, "--json"]);
  assert.deepEqual([judged.code, problemCodes(judged)], [2, ["outside-contract", "outside-claim"]]);
  await calledWithCode(0, directory, ["verify", "--range", `${ids[0]}..${ids[1]}`, "--as", "dev-1"]);
  assert.equal((await called(directory, ["verify", "--staged", "--range", range])).code, 64);
});

test("a hub judges what is reported by itself, tasks and artifacts", async () => {
  const { directory, ids } = await place({ dialects: "vbw/2, yolo/1" });
  const hub = await startHub(directory);
  const token = await tokenOf(directory, "dev-1");
  const watching = start(directory, ["log", "--follow", "--json", "--kind", "command"]);
  assert.ok(watching.stdout !== null);
  const design = { type: "architecture_design", phase: "01", artifact: "design.toon", decisions: [], risks: [] };
  const committed = JSON.stringify({ ...design, committed: true });
  await calledWithCode(0, directory, ["send", "--as", "architect-1", "--to", "lead-1"], committed);
  // Through the hub, so that the sender does not look itself.
  const sent = await called(directory, ["send"], report(ids[1] ?? "", ["src/none.js"]), towards(hub, token));
  assert.equal(sent.code, 0, sent.stderr);
  const expected = new Set([
    "found 1-1-T1 disputed",
    "found the artifacts of architect-1's architecture_design disputed",
  ]);
  for await (const line of createInterface(watching.stdout)) {
    const { type, sender, summary } = JSON.parse(line);
    if (!String(type).startsWith("record-")) continue;
    assert.equal(sender, "baton");
    assert.ok(expected.delete(summary), summary);
    if (expected.size === 0) break;
  }
  watching.kill("SIGINT");
  const [listed] = jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]));
  assert.deepEqual([listed?.state, listed?.heldUpBy], ["disputed", ["design.toon"]]);
  assert.match((await calledWithCode(0, directory, ["task", "list"])).stdout, /disputed {3}design\.toon/);
  const told = /disputed design\.toon, which architecture_design of architect-1 names \(entry \d+\)/;
  assert.match((await calledWithCode(0, directory, ["status"])).stdout, told);
  assert.match((await calledWithCode(0, directory, ["summary", "1-1"])).stdout, /disputed +1-1-T1, design\.toon/);
  assert.equal((await called(directory, ["verify"])).code, 2);
});

test("plain verify asks the repository of the folder, whatever GIT_DIR the caller has", async () => {
  const { directory, ids } = await place();
  const other = await place();
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], report(ids[1] ?? "", ["src/feature.js"]));
  // A repository of another kind, in which the commit cannot be.
  git(other.directory, "update-ref", "-d", "refs/heads/main");
  for (const variable of [join(other.directory, ".git"), "/nowhere"]) {
    const judged = await called(directory, ["verify", "1-1-T1", "--json"], "", { GIT_DIR: variable });
    assert.equal(judged.code, 0, judged.stderr);
    assert.deepEqual(
      jsonLines(judged).map(({ state }) => state),
      ["complete"],
    );
  }
});
