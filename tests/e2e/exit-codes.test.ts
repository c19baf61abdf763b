/**
 * Every exit code of the command, by what leads to it. Scripts rely on the numbers, so they are here as literals. Each
 * of them is seen of a process too; what else leads there is called in this one.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { problemCodes as allCodes, makeProblem, type ProblemCode } from "../../src/base/problem.ts";
import { exitCodeOf } from "../../src/doors/cli/terminal/exit-codes.ts";
import { calledWithCode } from "./called.ts";
import { contract, expectCode, folder, team, update } from "./command.ts";

test("each problem code ends with its exit code", () => {
  const special: Partial<Record<ProblemCode, number>> = {
    "not-found": 3,
    "unknown-request": 3,
    "unknown-task": 3,
    "unknown-team": 3,
    "not-initialised": 3,
    "journal-missing": 3,
    "timed-out": 4,
    "wrong-usage": 64,
    interrupted: 0,
    "output-failed": 1,
    "hub-unreachable": 1,
    "not-a-hub": 1,
    "repository-unreadable": 1,
    "node-too-old": 1,
  };
  for (const code of Object.keys(allCodes) as ProblemCode[]) {
    const expected = special[code] ?? (code.startsWith("journal-") ? 1 : 2);
    assert.equal(exitCodeOf(makeProblem(code, "$", "…")), expected, code);
  }
});

test("what is refused or invalid ends with 2", async () => {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  expectCode(2, place, ["send", "--as", "dev-1"], contract());
  await calledWithCode(2, place, ["send", "--as", "dev-1"], update(["src/other.js"]));
  await calledWithCode(2, place, ["validate"], "{");
  await calledWithCode(2, place, ["init", "--dialect", "yolo/2", "--yes"]);
  await calledWithCode(2, place, ["send", "--as", "nobody"], contract());
  await calledWithCode(0, place, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  await calledWithCode(2, place, ["task", "claim", "1-1-T1", "--as", "qa-1"]);
  await calledWithCode(2, place, ["task", "claim", "9-9-T9", "--as", "qa-1"]);
  await calledWithCode(2, place, ["task", "complete", "1-1-T1", "--as", "qa-1", "--commit", "abc1234"]);
});

test("what is not there ends with 3", async () => {
  const place = team();
  expectCode(3, place, ["show", "17"]);
  await calledWithCode(3, place, ["show", "nothing-called-so"]);
  await calledWithCode(3, place, ["reference", "vbw/2/nothing", "--schema"]);
  await calledWithCode(3, place, ["contract", "show", "9-9"]);
  await calledWithCode(3, place, ["deny", "nothing", "--reason", "no"]);
  await calledWithCode(3, place, ["send", "missing.json", "--as", "dev-1"]);
  await calledWithCode(3, place, ["validate", "missing.json"]);
  await calledWithCode(3, place, ["status", "--team", "other"]);
  await calledWithCode(3, place, ["task", "release", "9-9-T9"]);
  await calledWithCode(3, place, ["summary", "9-9"]);
  await calledWithCode(3, place, ["journal", "backup", "none/copy.db"]);
  await calledWithCode(3, folder(), ["status"]);
  await calledWithCode(3, folder(), ["status", "--journal", "sqlite:none.db"]);
});

test("a wait in vain ends with 4", () => {
  expectCode(4, team(), ["inbox", "--as", "dev-1", "--wait", "0.2"]);
});

test("wrong usage ends with 64", async () => {
  const place = team();
  const lines = [
    ["nonsense"],
    ["constructor"],
    ["toString", "valueOf"],
    ["agent"],
    ["agent", "lst"],
    ["--json"],
    ["--bogus"],
    ["log", "--bogus"],
    ["log", "--limit", "many"],
    ["log", "--limit", "0"],
    ["inbox", "--seen", "-1"],
    ["log", "--limit"],
    ["log", "--limit", "1", "--limit", "2"],
    ["log", "--since", "yesterday"],
    ["ack"],
    ["ack", "zero"],
    ["ack", "0"],
    ["ack", "1", "2"],
    ["agent", "register", "dev-3"],
    ["agent", "register", "dev-3", "--role", "wizard"],
    ["deny", "x"],
    ["journal", "accept-loss"],
    ["status", "--journal", "redis://127.0.0.1:6379"],
    ["status", "--journal", "journal.db"],
    ["inbox", "--wait", "soon"],
    ["status", "--json=yes"],
    ["status", "--as", "--json"],
    ["status", "--hub", "127.0.0.1:4777"],
    ["status", "--hub", "ftp://127.0.0.1:4777"],
    ["status", "--hub", "http://owner:secret@127.0.0.1:4777"],
    ["status", "--hub", "http://127.0.0.1:4777", "--journal", "sqlite:journal.db"],
    ["status", "--token", "baton_secret"],
    ["doctor", "--hub", "http://127.0.0.1:4777"],
    ["status", "--hub", "http://127.0.0.1:4777", "--token", "42"],
    ["task"],
    ["task", "claim", "1-1-T1", "--token", "42"],
    ["task", "release", "1-1-T1", "--token", "42", "--token", "43"],
    ["task", "release", "1-1-T1", "--token", "baton_secret"],
    ["task", "complete", "1-1-T1", "--status", "done"],
    ["summary"],
    ["task", "list", "--state", "free"],
  ];
  for (const line of [["nonsense"], ["ack"], ["status", "--token", "baton_secret"]]) expectCode(64, place, line);
  for (const line of lines) {
    const done = await calledWithCode(64, place, line);
    assert.match(done.stderr, /^wrong-usage/, line.join(" "));
    assert.match(done.stderr, /usage: baton|hint/, line.join(" "));
  }
});

test("what the machine cannot do ends with 1", async () => {
  const place = folder();
  writeFileSync(join(place, "words.db"), "These are words and no database at all. ".repeat(200));
  expectCode(1, place, ["status", "--journal", "sqlite:words.db"]);
  await calledWithCode(1, place, ["journal", "verify", "--journal", "sqlite:words.db"]);
});
