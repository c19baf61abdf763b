/**
 * Bad input, from the outside in: each gets a clear error that says what to do, and nothing is lost or half done. Bytes,
 * devices and directories are given to processes; the rest is called in this one.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { unreadable } from "../../src/evidence/git/git.ts";
import { git } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import {
  baton,
  contract,
  expectCode,
  type Finished,
  folder,
  jsonLines,
  message,
  problemCodes,
  request,
  team,
  update,
} from "./command.ts";

/** The answer to a refused send: its first problem, which must say what to do. */
function refusal(done: Finished): { code: string; path: string; hint?: string; expected?: string } {
  assert.equal(done.code, 2, done.stderr);
  const [answer] = jsonLines(done);
  assert.equal(answer?.refused, true);
  const problems = answer.problems as {
    code: string;
    path: string;
    message: string;
    hint?: string;
    expected?: string;
  }[]; // as documented
  const [first] = problems;
  assert.ok(first !== undefined);
  assert.ok(
    first.hint !== undefined || first.expected !== undefined,
    `${first.code} says what to do: ${first.message}`,
  );
  assert.match(done.stderr, new RegExp(first.code));
  return first;
}

const deep = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
const cases: readonly (readonly [
  name: string,
  agent: string,
  text: string,
  words: readonly string[],
  code: string,
  path: string,
])[] = [
  ["an unknown type", "dev-1", message("exection_update", "dev", {}), [], "unknown-type", "$.type"],
  ["another dialect's type", "dev-1", message("debugger_report", "dev", {}), [], "unknown-type", "$.type"],
  ["an unknown receiver", "dev-1", update(), ["--to", "dev-9"], "unknown-receiver", "dev-9"],
  ["a receiver that may not", "dev-1", update(), ["--to", "qa-1"], "receiver-not-authorised", "qa-1"],
  ["a message in another's name", "dev-1", contract(), [], "identity-mismatch", "$.author_role"],
  [
    "a role that may not",
    "dev-1",
    message("plan_contract", "dev", JSON.parse(contract()).payload),
    [],
    "sender-not-authorised",
    "$.type",
  ],
  [
    "a role that is none",
    "dev-1",
    message("execution_update", "wizard", JSON.parse(update()).payload),
    [],
    "wrong-value",
    "$.author_role",
  ],
  ["an agent that is none", "nobody", update(), [], "unknown-agent", "nobody"],
  ["broken JSON", "dev-1", '{"type":"execution_update",}', [], "not-json", "$"],
  ["nothing at all", "dev-1", "", [], "empty-message", "$"],
  ["300 KB", "dev-1", JSON.stringify({ type: "x", pad: "a".repeat(300 * 1024) }), [], "too-large", "$"],
  ["depth 1,000", "dev-1", `{"a":${deep}}`, [], "too-deep", "$.a"],
  ["a key twice", "dev-1", '{"type":"a","type":"b"}', [], "duplicate-key", "$.type"],
  ["the key __proto__", "dev-1", '{"type":"a","__proto__":{}}', [], "forbidden-key", "$.__proto__"],
  ["a number too large", "dev-1", '{"type":"a","n":1e400}', [], "number-range", "$.n"],
  ["a lone surrogate", "dev-1", '{"type":"a","n":"\\ud800"}', [], "lone-surrogate", "$.n"],
  ["a NUL", "dev-1", '{"type":"a","n":"\\u0000"}', [], "nul-character", "$.n"],
  ["files outside the contract", "dev-1", update(["src/other.js"]), [], "outside-contract", "$.payload.files_modified"],
];

test("each bad message is refused with its own code, its place and what to do", async (t) => {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  for (const [name, agent, text, words, code, path] of cases) {
    await t.test(name, async () => {
      const first = refusal(await called(place, ["send", "--as", agent, "--json", ...words], text));
      assert.equal(first.code, code);
      assert.ok(first.path.startsWith(path) || path === "$", `${first.path} is ${path}`);
    });
  }
  const typo = await called(place, ["send", "--as", "dev1", "--json"], update());
  assert.match(refusal(typo).hint ?? "", /^did you mean "dev-1"\? /);
  await called(place, ["send", "--as", "dev-1"], "[]");
  assert.match((await calledWithCode(0, place, ["log", "--last", "1"])).stdout, / refused an input dev-1 /);
  const status = jsonLines(await calledWithCode(0, place, ["status", "--json"]))[0] as {
    counts: Record<string, number>;
  }; // as documented
  assert.equal(status.counts.message, 1, "none of them had an effect");
  assert.ok((status.counts.refusal ?? 0) >= cases.length - 2, "and they are on the record");
  await calledWithCode(0, place, ["journal", "verify"]);
});

test("bytes that are no UTF-8 are refused", () => {
  const first = refusal(baton(team(), ["send", "--as", "dev-1", "--json"], new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])));
  assert.equal(first.code, "not-utf8");
});

test("the same id with the same words is a duplicate, with other words a conflict", async () => {
  const place = team();
  const [first] = jsonLines(await calledWithCode(0, place, ["send", "--as", "lead-1", "--json"], contract()));
  const [again] = jsonLines(await calledWithCode(0, place, ["send", "--as", "lead-1", "--json"], contract()));
  assert.deepEqual(again, { ...first, duplicate: true });
  const conflict = refusal(await called(place, ["send", "--as", "lead-1", "--json"], contract(["src/else.js"])));
  assert.equal(conflict.code, "id-conflict");
});

test("what was so already is said once, as such, and without a further note", async () => {
  const place = team();
  const { tokenId } = jsonLines(await calledWithCode(0, place, ["token", "create", "dev-1", "--json"]))[0] as {
    tokenId: string;
  }; // as documented
  const acts: readonly (readonly [words: string[], first: RegExp, again: RegExp])[] = [
    [["agent", "register", "dev-2", "--role", "dev"], /^Registered: dev-2/, /^Already registered: dev-2/],
    [["token", "revoke", tokenId], /^Ended: /, /^Ended before: /],
    [["agent", "retire", "dev-2"], /^Retired: dev-2/, /^Already retired: dev-2/],
  ];
  for (const [words, first, again] of acts) {
    assert.match((await calledWithCode(0, place, words)).stdout, first);
    const second = await calledWithCode(0, place, words);
    assert.match(second.stdout, again);
    assert.equal(second.stderr, "");
  }
});

test("a request is answered once, by a role that may, and not by its sender", async () => {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "dev-1"], request());
  const own = await called(place, ["approve", "approval_request-1", "--as", "dev-1", "--json"]);
  assert.equal(own.code, 2);
  assert.match(problemCodes(own)[0] ?? "", /own-request|sender-not-authorised/);
  await calledWithCode(0, place, ["approve", "approval_request-1", "--as", "lead-1"]);
  const second = await called(place, ["deny", "approval_request-1", "--reason", "late", "--json"]);
  assert.equal(second.code, 2);
  assert.deepEqual(problemCodes(second), ["already-answered"]);
});

test("unknown dialects are named at every command that takes one", async () => {
  const place = folder();
  for (const words of [
    ["init", "--yes", "--dialect", "vwb/2"],
    ["validate", "--dialect", "vwb/2"],
  ]) {
    const done = await called(place, [...words, "--json"], "{}");
    assert.equal(done.code, 2);
    assert.deepEqual(problemCodes(done), ["unknown-dialect"]);
    assert.match(done.stderr, /did you mean "vbw\/2"\?/);
  }
});

test("a broken team file is reported with line and column, by every command that needs it", async () => {
  const place = team();
  writeFileSync(
    join(place, ".baton/team.yaml"),
    "version: 1\nteam: web\ndialects: [vbw/2]\nagents:\n  dev-1: {role: wizard}\n",
  );
  for (const words of [["status"], ["send", "--as", "dev-1"], ["validate"]]) {
    const done = await calledWithCode(2, place, words, update());
    assert.match(done.stderr, /^team-file at .*team\.yaml:5:\d+/);
  }
});

test("a journal of a newer version is refused by name and stays as it is", async () => {
  const place = team();
  await calledWithCode(0, place, ["status"]);
  const path = join(place, ".baton/journal.db");
  const db = new DatabaseSync(path);
  db.exec("PRAGMA user_version = 99");
  db.close();
  const done = await calledWithCode(1, place, ["send", "--as", "lead-1", "--json"], contract());
  assert.deepEqual(problemCodes(done), ["journal-newer"]);
  assert.match(done.stderr, /hint/);
});

test("a directory, a device and an unreadable path are reported, not thrown", () => {
  const place = team();
  const directory = expectCode(3, place, ["send", ".", "--as", "dev-1", "--json"]);
  assert.deepEqual(problemCodes(directory), ["not-found"]);
  assert.match(directory.stderr, /directory/);
  expectCode(2, place, ["send", "/dev/zero", "--as", "dev-1"]);
  expectCode(2, place, ["validate", "/dev/zero"]);
});

test("a name that is no file's is cut where it is shown", async () => {
  const done = await called(folder(), ["validate", "x".repeat(50_000)]);
  assert.match(done.stderr, /not-found at x+…/);
  assert.ok(done.stderr.length < 1_000, String(done.stderr.length));
});

test("a team file that is no file, and a place that is taken, are reported by path", async () => {
  const place = folder();
  mkdirSync(join(place, ".baton/team.yaml"), { recursive: true });
  for (const words of [["status"], ["validate"], ["doctor"]]) {
    const done = await calledWithCode(2, place, words, update());
    assert.match(done.stdout + done.stderr, /team\.yaml/);
    assert.doesNotMatch(done.stderr, /bug of baton/);
  }
  const taken = folder();
  writeFileSync(join(taken, ".baton"), "not a directory");
  assert.deepEqual(problemCodes(await calledWithCode(1, taken, ["init", "--yes", "--json"])), ["journal-cannot-open"]);
});

test("words in the place of a file are answered with how text and typed messages are sent", async () => {
  const place = team();
  const done = await called(place, ["send", "hello", "--as", "dev-1"]);
  assert.equal(done.code, 3);
  assert.match(
    done.stderr,
    /echo 'TEXT' \| baton send - --as AGENT --to RECEIVER\. A typed message is a file with JSON/,
  );
  assert.match((await called(place, ["send", "update.json", "--as", "dev-1"])).stderr, /check the path/);
});

test("a list in JSON where a command takes words is that list, with a note", async () => {
  const directory = team({ isDeclared: true });
  const words = ["task", "add", "T1", "--as", "lead-1", "--files"];
  const added = await called(directory, [...words, '["src/a.js","src/b.js"]']);
  assert.equal(added.code, 0, added.said);
  assert.match(added.stderr, /read as the list \["src\/a\.js","src\/b\.js"\]\. \(list-as-text at --files\)/);
  const [task] = jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]));
  assert.deepEqual(task?.files, ["src/a.js", "src/b.js"]);
});

test("a file that is named from a folder of the repository is refused with its name from the root", async () => {
  const directory = team({ isDeclared: true });
  git(directory, "init", "--quiet");
  const sub = join(directory, "packages");
  mkdirSync(join(sub, "src"), { recursive: true });
  writeFileSync(join(sub, "src/w.ts"), "");
  const words = ["task", "add", "T1", "--as", "lead-1", "--files"];
  const done = await called(sub, [...words, "src/w.ts", "--json"]);
  assert.equal(done.code, 2, done.said);
  assert.match(done.said, /"invalid-path".*packages\/src\/w\.ts/s);
  for (const right of ["packages/src/w.ts", "src/new.ts"]) {
    const task = right.includes("new") ? "T2" : "T1";
    await calledWithCode(0, sub, ["task", "add", task, "--as", "lead-1", "--files", right]);
  }
});

test("doctor says that a clone is partial, and a repository of somebody else how it can be trusted", async () => {
  const directory = team();
  git(directory, "init", "--quiet");
  assert.doesNotMatch((await called(directory, ["doctor"])).said, /partial/);
  git(directory, "config", "remote.origin.partialclonefilter", "blob:none");
  assert.match((await called(directory, ["doctor"])).said, /partial clone.*git fetch --refetch/s);
  const bin = folder();
  const script = `export GIT_TEST_ASSUME_DIFFERENT_OWNER=1; PATH="\${PATH#*:}" exec git "$@"`;
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const others = await called(directory, ["doctor"], "", { PATH: `${bin}:${process.env.PATH ?? ""}` });
  assert.match(others.said, /git gate.*if you trust it: git config --global --add safe\.directory/s);
  const foreign = unreadable("git log", "fatal: detected dubious ownership in repository at '/srv/x'\n");
  assert.match(foreign.hint ?? "", /safe\.directory \/srv\/x/);
  assert.match(unreadable("git log", "fatal: could not fetch 1f from promisor remote").hint ?? "", /--refetch/);
  assert.match(unreadable("git log", "fatal: bad object").hint ?? "", /git fsck/);
});
