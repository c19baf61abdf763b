/**
 * Importing: a journal that was exported, and what was said earlier; errors, hostile folders, and that history has no
 * effect. What goes through pipes is done by processes, the rest is called in this one.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
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
    const done = await called(other, ["journal", "import", "-", "--json", "--partial"], wrong.join("\n"));
    assert.equal(done.code, 2, done.stdout);
    assert.equal(jsonLines(done).at(-1)?.recorded, false);
  }
  await calledWithCode(3, other, ["journal", "verify"]);
  await calledWithCode(0, other, ["init", "--team", "web", "--yes"]);
  await calledWithCode(0, other, ["agent", "register", "dev-1", "--role", "dev"]);
  const taken = await called(other, ["journal", "import", "-", "--json"], lines.join("\n"));
  assert.deepEqual([taken.code, problemCodes(taken)], [2, ["already-exists"]]);
  const before = (await calledWithCode(0, other, ["journal", "export"])).stdout;
  const history = await called(other, ["journal", "import", "-", "--as-history", "--json"], lines.join("\n"));
  assert.equal(history.code, 0, history.stderr);
  assert.equal(jsonLines(history)[0]?.imported, 4);
  assert.ok((await calledWithCode(0, other, ["journal", "export"])).stdout.startsWith(before));
});

test("old messages are history: shown, once, and without any effect", async () => {
  const place = team();
  await calledWithCode(0, place, ["status"]);
  const before = (await stateOf(place)).state as Record<string, unknown>;
  const stop = {
    type: "shutdown_request",
    requestId: "shutdown-1@dev-1",
    from: "team-lead",
    reason: "done",
    timestamp: "2026-01-02T03:04:05Z",
  };
  writeFileSync(
    join(place, "old.jsonl"),
    [contract(), request({ deadline: "2020-01-01T00:00:00Z" }), JSON.stringify(stop), update(), ""].join("\n"),
  );
  const first = jsonLines(await calledWithCode(0, place, ["journal", "import", "old.jsonl", "--json"]))[0];
  assert.deepEqual([first?.imported, first?.known], [4, 0]);
  const second = jsonLines(await calledWithCode(0, place, ["journal", "import", "old.jsonl", "--json"]))[0];
  assert.deepEqual([second?.imported, second?.known], [0, 4]);
  const after = (await stateOf(place)).state as Record<string, unknown>;
  for (const part of ["team", "coordination", "mail", "credentials"]) assert.deepEqual(after[part], before[part], part);
  assert.equal((await calledWithCode(0, place, ["needs", "--requests"])).stdout, "");
  assert.deepEqual(jsonLines(await calledWithCode(0, place, ["inbox", "--as", "lead-1", "--json"])), []);
  const log = jsonLines(await calledWithCode(0, place, ["log", "--json"])).filter(({ kind }) => kind === "message");
  assert.deepEqual(
    log.map(({ sender, receivers }) => [sender, receivers]),
    Array(4).fill(["owner", []]),
  );
  assert.match((await calledWithCode(0, place, ["log"])).stdout, /imported \(lead\)/);
  // The control: said now, the same message has its effect.
  await calledWithCode(0, place, ["send", "--as", "dev-1"], request());
  assert.notEqual((await calledWithCode(0, place, ["needs", "--requests"])).stdout, "");
});

test("an inbox of Claude Code says from whom, to whom and when", async () => {
  const place = team();
  mkdirSync(join(place, "inboxes"));
  const entries = [
    { from: "dev-1", text: "Done with the first.", timestamp: "2026-01-02T03:04:05Z", read: true },
    {
      from: "dev-1",
      text: update(),
      timestamp: "2026-01-02T03:05:05Z",
      msgV: 1,
      msg_id: "5d1c",
      type: "message",
      read: false,
    },
  ];
  writeFileSync(join(place, "inboxes/lead-1.json"), JSON.stringify(entries));
  await calledWithCode(0, place, ["journal", "import", "inboxes"]);
  const imported = jsonLines(await calledWithCode(0, place, ["journal", "export"])).slice(1);
  assert.deepEqual(
    imported.map(({ content }) => (content as { imported: object }).imported),
    [
      { source: "inbox", from: "dev-1", to: "lead-1", at: "2026-01-02T03:04:05Z" },
      { source: "inbox", from: "dev-1", to: "lead-1", at: "2026-01-02T03:05:05Z", id: "5d1c" },
    ],
  );
  assert.equal(jsonLines(await calledWithCode(0, place, ["log", "--json"])).at(-1)?.type, "execution_update");
});

test("with an error nothing is imported and each line is reported; with --partial the others are", async () => {
  const place = team();
  await calledWithCode(0, place, ["status"]);
  const lines = [
    contract(),
    "{broken",
    '["a list"]',
    '{"id":"a","id":"b"}',
    update(),
    `{"x":"${"y".repeat(300_000)}"}`,
  ];
  writeFileSync(join(place, "old.jsonl"), lines.join("\n"));
  const head = async () => ((await stateOf(place)).head as { seq: number }).seq;
  const done = await calledWithCode(2, place, ["journal", "import", "old.jsonl", "--json"]);
  const told = jsonLines(done);
  assert.deepEqual(
    told.slice(0, -1).map(({ source }) => source),
    [2, 3, 4, 6].map((line) => `old.jsonl:${line}`),
  );
  assert.deepEqual([told.at(-1)?.recorded, told.at(-1)?.faulty, await head()], [false, 4, 1]);
  assert.match(done.stderr, /old\.jsonl:4: duplicate-key/);
  const partial = await calledWithCode(2, place, ["journal", "import", "old.jsonl", "--partial", "--json"]);
  assert.deepEqual([jsonLines(partial).at(-1)?.imported, await head()], [2, 3]);
});

test("a folder is not left: links, pipes, odd names and deeper folders", async () => {
  const place = team();
  const phase = join(place, "phases/01-auth");
  mkdirSync(join(phase, "deeper"), { recursive: true });
  writeFileSync(join(phase, "critique.jsonl"), '{"id":"C1"}\n');
  writeFileSync(join(phase, "deeper/hidden.jsonl"), '{"id":"never"}\n');
  writeFileSync(join(phase, "notes.md"), "not rows");
  const [read] = jsonLines(await calledWithCode(0, place, ["journal", "import", "phases", "--dry-run", "--json"]));
  assert.equal(read?.past, 1);
  writeFileSync(join(place, "secret"), '{"secret":true}\n');
  symlinkSync(join(place, "secret"), join(phase, "research.jsonl"));
  assert.deepEqual(problemCodes(await calledWithCode(2, place, ["journal", "import", "phases", "--json"])), [
    "invalid-path",
  ]);
  const odd = join(folder(), "odd");
  mkdirSync(odd);
  writeFileSync(join(odd, "a b.jsonl"), "{}\n");
  assert.deepEqual(problemCodes(await calledWithCode(2, place, ["journal", "import", odd, "--json"])), [
    "invalid-path",
  ]);
  assert.deepEqual(problemCodes(await calledWithCode(3, place, ["journal", "import", "nowhere", "--json"])), [
    "not-found",
  ]);
  assert.deepEqual(problemCodes(await calledWithCode(64, place, ["journal", "import", "-", "-", "--json"])), [
    "wrong-usage",
  ]);
});

test("a pipe is read once and judged before it is recorded, like a file", () => {
  const place = team();
  writeFileSync(join(place, "old.jsonl"), `${contract()}\n${update()}\n`);
  assert.equal(spawnSync("mkfifo", [join(place, "pipe.jsonl")]).status, 0);
  spawn("sh", ["-c", "cat old.jsonl > pipe.jsonl"], { cwd: place, stdio: "ignore" });
  const [done] = jsonLines(expectCode(0, place, ["journal", "import", "pipe.jsonl", "--json"]));
  assert.deepEqual([done?.imported, done?.known], [2, 0]);
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

test("what is no journal and nothing that anybody said is refused, file by file", async () => {
  const place = team();
  const strangers = [
    { name: "pkg", version: "1.0.0", scripts: { test: "node --test" } },
    { compilerOptions: { strict: true }, include: ["src"] },
    { lockfileVersion: 3, packages: {} },
    { openapi: "3.1.0", paths: {} },
    { id: 7, user: { login: "x" }, body: "words" },
    { entries: [] },
    {},
  ];
  for (const value of strangers) {
    const done = await called(place, ["journal", "import", "-", "--json"], JSON.stringify(value));
    assert.equal(done.code, 2, `${JSON.stringify(value)}\n${done.stdout}`);
    assert.match(done.stdout, /"unknown-type"/, JSON.stringify(value));
  }
  // The control: what somebody said is taken.
  assert.equal((await called(place, ["journal", "import", "-"], update())).code, 0);
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
