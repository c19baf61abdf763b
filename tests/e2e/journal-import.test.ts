/**
 * Importing a journal that was exported, and what is refused. What goes through pipes is done by processes, the rest is
 * called in this one.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "./called.ts";
import { baton, contract, expectCode, folder, jsonLines, problemCodes, request, team, update } from "./command.ts";

/** What `status` tells without times. */
async function stateOf(place: string, ...more: string[]) {
  const [verified] = jsonLines(await calledWithCode(0, place, ["journal", "verify", "--json", ...more]));
  const { teams } = verified as { teams: readonly [{ head: { seq: number } }] }; // as documented
  const whole = await calledWithCode(0, place, ["status", "--at", `${teams[0].head.seq}`, "--json", ...more]);
  const { at: _, ...state } = jsonLines(whole)[0] ?? {};
  return state;
}

/** A team with a contract, a report, an open request, a refusal and an acknowledgement. */
async function lively(): Promise<string> {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], update());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], request());
  await calledWithCode(2, place, ["send", "--as", "dev-1"], contract());
  await calledWithCode(0, place, ["task", "add", "9-1-T1", "--plan", "9-1", "--files", "lib/"]);
  await calledWithCode(0, place, ["task", "claim", "9-1-T1", "--as", "dev-1"]);
  await calledWithCode(0, place, ["ack", "2", "--as", "dev-1"]);
  await calledWithCode(
    0,
    place,
    ["send", "--as", "dev-1", "--to", "lead-1"],
    "Words \u202e and a line\nmore, \u001b[31m and \u{1f600}.",
  );
  return place;
}

test("an exported journal that is imported is the same journal, byte by byte, and importing it again changes nothing", async () => {
  const place = await lively();
  const exported = expectCode(0, place, ["journal", "export"]).stdout;
  const other = folder();
  mkdirSync(join(other, ".baton"));
  const [dry] = jsonLines(await called(other, ["journal", "import", "-", "--dry-run", "--json"], exported));
  assert.deepEqual([dry?.recorded, dry?.faulty], [false, 0]);
  assert.deepEqual(problemCodes(await calledWithCode(3, other, ["journal", "verify", "--json"])), ["journal-missing"]);
  const first = baton(other, ["journal", "import", "-", "--json"], exported);
  assert.equal(first.code, 0, first.stderr);
  for (let time = 1; time <= 2; time += 1) {
    assert.equal((await calledWithCode(0, other, ["journal", "export"])).stdout, exported);
    assert.deepEqual(await stateOf(other), await stateOf(place));
    await calledWithCode(0, other, ["journal", "verify"]);
    const again = jsonLines(await called(other, ["journal", "import", "-", "--json"], exported))[0];
    assert.match(JSON.stringify(again?.restored), /"fresh":0/);
  }
  // Both go on, and what goes on is imported from where it ended.
  await calledWithCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1"], "More.");
  const longer = (await calledWithCode(0, place, ["journal", "export"])).stdout;
  assert.equal((await called(other, ["journal", "import", "-"], longer)).code, 0);
  assert.equal((await calledWithCode(0, other, ["journal", "export"])).stdout, longer);
  // And a shorter one is known.
  assert.equal((await called(other, ["journal", "import", "-"], exported)).code, 0);
  assert.equal((await calledWithCode(0, other, ["journal", "export"])).stdout, longer);
});

test("entries that were changed, left out, repeated or of another stream restore nothing", async () => {
  const place = await lively();
  const lines = (await calledWithCode(0, place, ["journal", "export"])).stdout.trimEnd().split("\n");
  const changed = lines.with(2, (lines[2] ?? "").replace("dev-1", "dev-2"));
  const other = folder();
  mkdirSync(join(other, ".baton"));
  for (const wrong of [changed, lines.toSpliced(3, 1), [...lines, lines[1] ?? ""], lines.slice(1)]) {
    const done = await called(other, ["journal", "import", "-", "--json"], wrong.join("\n"));
    assert.equal(done.code, 2, done.stdout);
    assert.equal(jsonLines(done).at(-1)?.recorded, false);
  }
  await calledWithCode(3, other, ["journal", "verify"]);
  await calledWithCode(0, other, ["init", "--team", "web", "--yes"]);
  await calledWithCode(0, other, ["agent", "register", "dev-1", "--role", "dev"]);
  const taken = await called(other, ["journal", "import", "-", "--json"], lines.join("\n"));
  assert.deepEqual([taken.code, problemCodes(taken)], [2, ["already-exists"]]);
});

test("each line with an error is reported, and nothing is imported", async () => {
  const place = await lively();
  const lines = (await calledWithCode(0, place, ["journal", "export"])).stdout.trimEnd().split("\n");
  const wrong = ["{broken", '["a list"]', '{"id":"a","id":"b"}', update(), `{"x":"${"y".repeat(300_000)}"}`];
  const other = folder();
  mkdirSync(join(other, ".baton"));
  writeFileSync(join(other, "old.jsonl"), [lines[0], ...wrong, ...lines.slice(1)].join("\n"));
  const done = await calledWithCode(2, other, ["journal", "import", "old.jsonl", "--json"]);
  const told = jsonLines(done);
  assert.deepEqual(
    told.slice(0, -1).map(({ source }) => source),
    [2, 3, 4, 5, 6].map((line) => `old.jsonl:${line}`),
  );
  assert.deepEqual([told.at(-1)?.recorded, told.at(-1)?.faulty], [false, 5]);
  assert.match(done.stderr, /old\.jsonl:4: duplicate-key/);
  await calledWithCode(3, other, ["journal", "verify"]);
});

test("a folder, what is not there, and standard input twice are refused", async () => {
  const place = team();
  mkdirSync(join(place, "phases"));
  for (const [code, problem, ...paths] of [
    [2, "invalid-path", "phases"],
    [3, "not-found", "nowhere"],
    [64, "wrong-usage", "-", "-"],
  ] as const) {
    const refused = await calledWithCode(code, place, ["journal", "import", ...paths, "--json"]);
    assert.deepEqual(problemCodes(refused), [problem]);
  }
});

test("a pipe is read once and judged before it is recorded, like a file", async () => {
  const origin = await lively();
  const place = folder();
  mkdirSync(join(place, ".baton"));
  writeFileSync(join(place, "old.jsonl"), (await calledWithCode(0, origin, ["journal", "export"])).stdout);
  assert.equal(spawnSync("mkfifo", [join(place, "pipe.jsonl")]).status, 0);
  spawn("sh", ["-c", "cat old.jsonl > pipe.jsonl"], { cwd: place, stdio: "ignore" });
  const [done] = jsonLines(expectCode(0, place, ["journal", "import", "pipe.jsonl", "--json"]));
  assert.equal(done?.recorded, true);
});

test("status --at shows the state at an entry, and reads only", async () => {
  const place = await lively();
  const exported = (await calledWithCode(0, place, ["journal", "export"])).stdout;
  const at = async (seq: number) =>
    jsonLines(await calledWithCode(0, place, ["status", "--at", String(seq), "--json"]))[0] as {
      head: { seq: number };
      state: { team: { revision: number }; coordination: { contracts: { plans: object } } };
    };
  assert.deepEqual([(await at(0)).head.seq, (await at(0)).state.team.revision], [0, 0]);
  assert.deepEqual([(await at(1)).head.seq, (await at(1)).state.team.revision], [1, 1]);
  assert.deepEqual(Object.keys((await at(1)).state.coordination.contracts.plans), []);
  assert.equal(Object.keys((await at(2)).state.coordination.contracts.plans).length, 1);
  assert.deepEqual(problemCodes(await calledWithCode(3, place, ["status", "--at", "99", "--json"])), ["not-found"]);
  assert.equal((await calledWithCode(0, place, ["journal", "export"])).stdout, exported);
});

test("what is no line of a journal is refused, file by file", async () => {
  const place = team();
  const strangers = [
    { name: "pkg", version: "1.0.0", scripts: { test: "node --test" } },
    { specversion: "1.0", id: "1", source: "x", type: "y", data: { text: "words" } },
    { id: 7, user: { login: "x" }, body: "words" },
    {},
  ];
  for (const text of [...strangers.map((value) => JSON.stringify(value)), update()]) {
    const done = await called(place, ["journal", "import", "-", "--json"], text);
    assert.equal(done.code, 2, `${text}\n${done.stdout}`);
    assert.match(done.stdout, /"This is no entry of a journal\."/, text);
  }
});

test("a journal that is imported elsewhere puts nothing of its owner's access in force there", async () => {
  const place = team();
  await calledWithCode(0, place, ["token", "create", "owner"]);
  await calledWithCode(0, place, ["token", "create", "dev-1"]);
  const tokens = async (directory: string) =>
    jsonLines(await calledWithCode(0, directory, ["token", "list", "--json"])).map(
      ({ agent, status }) => `${String(agent)} ${String(status)}`,
    );
  const exported = (await calledWithCode(0, place, ["journal", "export"])).stdout;
  const other = folder();
  mkdirSync(join(other, ".baton"));
  const done = await calledWithCode(0, other, ["journal", "import", "-"], exported);
  assert.match(done.stderr, /Ended here: \d of the owner's tokens, links and sessions/);
  assert.deepEqual(await tokens(other), ["owner revoked", "dev-1 valid"]);
  assert.deepEqual(await tokens(place), ["owner valid", "dev-1 valid"]);
  assert.equal((await called(other, ["journal", "import", "-"], exported)).code, 0);
  assert.deepEqual(await tokens(other), ["owner revoked", "dev-1 valid"]);
});
