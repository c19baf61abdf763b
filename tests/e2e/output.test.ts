/**
 * Results on standard output, words on standard error, and with `--json` nothing but JSON lines. One command of
 * each subject is started as a process, and in a long run every one; the rest is called in this one.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogue } from "../../src/main/catalogue.ts";
import { isLongRun } from "../run-size.ts";
import { called, calledWithCode } from "./called.ts";
import { baton, contract, folder, jsonLines, message, request, team, update } from "./command.ts";
import { exampleTeam, firstLines, lastingCommands } from "./example-lines.ts";

/** What prints a line for each thing that is open, and nothing where nothing is. */
const lists = ["remote list", "verify", "handoff list"];

test("with --json every command prints JSON lines only, also where it fails", async () => {
  const place = await exampleTeam();
  const withLine = new Set([...firstLines.map(({ name }) => name), ...lastingCommands]);
  assert.deepEqual(
    catalogue.filter(({ name }) => !withLine.has(name)).map(({ name }) => name),
    ["journal copy"],
    "every command has an example that is tried; what speaks to a server of a journal is tried in tests/engines",
  );
  const started = new Set<string>();
  for (const { name, words, as } of firstLines) {
    const [subject = name] = name.split(" ");
    const line = [...name.split(" "), ...words, ...(as === undefined ? [] : ["--as", as])];
    const after = await (isLongRun || !started.has(subject) ? baton : called)(place, [...line, "--json"]);
    started.add(subject);
    if (!lists.includes(name)) assert.ok(jsonLines(after).length > 0, `${name} answers: ${after.stderr}`);
    assert.equal(after.stdout.includes("\u001b"), false);
    // The drop-in for scripts takes its words in another way, before anything else is loaded.
    const failed = await (name === "validate-message" ? baton : called)(place, ["--json", ...line, "--bogus"]);
    for (const value of jsonLines(failed)) assert.ok(Array.isArray(value.problems), name);
  }
});

test("the lines have the fields that scripts rely on", async () => {
  const place = team();
  const [receipt] = jsonLines(await calledWithCode(0, place, ["send", "--as", "lead-1", "--json"], contract()));
  const fields = "digest duplicate durability epoch hash id prevHash seq team";
  assert.equal(
    Object.keys(receipt ?? {})
      .toSorted()
      .join(" "),
    fields,
  );
  assert.equal(receipt?.durability, "fsync");
  const [delivery] = jsonLines(await calledWithCode(0, place, ["inbox", "--as", "dev-1", "--json"]));
  const { seq, id, dialect, type, sender, message: wire } = delivery ?? {};
  assert.deepEqual(
    { seq, id, dialect, type, sender, wire },
    {
      seq: receipt?.seq,
      id: "plan_contract-1",
      dialect: "vbw/2",
      type: "plan_contract",
      sender: "lead-1",
      wire: JSON.parse(contract()),
    },
  );
  const logged = jsonLines(await calledWithCode(0, place, ["log", "--json", "--type", "plan_contract"]))[0] ?? {};
  for (const field of ["seq", "kind", "id", "dialect", "type", "sender", "receivers"])
    assert.ok(field in logged, field);
  assert.equal(logged.kind, "message");
  const judged = jsonLines(await calledWithCode(0, place, ["validate", "--json"], contract()))[0];
  assert.deepEqual(judged, {
    source: "-",
    index: 0,
    dialect: "vbw/2",
    rung: "typed",
    type: "plan_contract",
    valid: true,
    problems: [],
    notes: [],
  });
  const agents = jsonLines(await calledWithCode(0, place, ["agent", "list", "--json"]));
  assert.deepEqual(agents.map(({ agent, role }) => [agent, role])[0], ["lead-1", "lead"]);
  const verified = jsonLines(await calledWithCode(0, place, ["journal", "verify", "--json"]))[0];
  assert.equal(verified?.ok, true);
});

test("a refused send prints the refusal with its receipt and the problems", async () => {
  const done = await calledWithCode(
    2,
    team(),
    ["send", "--as", "dev-1", "--json"],
    message("execution_update", "dev", { plan_id: "1-1" }),
  );
  const [answer] = jsonLines(done) as [
    { refused: boolean; receipt: { seq: number }; problems: { code: string; path: string }[] },
  ]; // as documented
  assert.equal(answer.refused, true);
  assert.ok(answer.receipt.seq > 0);
  assert.deepEqual(
    answer.problems.map(({ code, path }) => `${code} ${path}`),
    ["missing-field $.payload.task_id", "missing-field $.payload.status", "missing-field $.payload.commit"],
  );
});

test("what agents write acts on no terminal, with and without --json", async () => {
  const place = team();
  const hostile = "\u001b]0;owned\u0007\u009b31m\u202egnp.exe\u200b";
  await calledWithCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1", "--id", "h-1"], hostile);
  const text = update(["src/feature.js"], { id: "h-2", note: hostile });
  await calledWithCode(0, place, ["send", "--as", "dev-1"], text);
  await calledWithCode(0, place, ["task", "add", "1-1-T8", "--title", hostile, "--files", "src/owned.ts"]);
  for (const words of [
    ["task", "list"],
    ["task", "claim", "1-1-T8", "--as", "dev-1"],
    ["inbox", "--as", "lead-1"],
    ["log"],
    ["show", "h-1"],
    ["show", "h-2"],
    ["journal", "export"],
    ["validate", "-"],
  ]) {
    for (const json of [[], ["--json"]]) {
      const done = await called(place, [...words, ...json], text);
      if (words[0] !== "validate") assert.match(done.stdout, /owned/, words.join(" "));
      assert.doesNotMatch(
        done.stdout + done.stderr,
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/,
        words.join(" "),
      );
    }
  }
  const [delivery] = jsonLines(await called(place, ["inbox", "--as", "lead-1", "--json"]));
  assert.equal(delivery?.message, hostile, "the JSON value is what was sent");
});

test("JSON lines are judged one by one, however many, and a long line is an error of that line alone", async () => {
  const place = folder();
  const long = JSON.stringify({ type: "x", pad: "a".repeat(300 * 1024) });
  const lines = [
    contract(),
    "",
    long,
    "plain words",
    ...Array.from({ length: 3_000 }, (_, n) => update(["a"], { id: `u-${n}` })),
  ];
  writeFileSync(join(place, "inbox.jsonl"), lines.join("\r\n"));
  const done = await calledWithCode(2, place, ["validate", "inbox.jsonl", "--dialect", "vbw/2", "--json"]);
  const answers = jsonLines(done);
  assert.equal(answers.length, 3_003);
  assert.deepEqual(
    answers.slice(0, 4).map(({ index, valid }) => [index, valid]),
    [
      [0, true],
      [1, false],
      [2, true],
      [3, true],
    ],
  );
  assert.match(JSON.stringify(answers[1]?.problems), /"code":"too-large"/);
  const piped = jsonLines(baton(place, ["validate", "--json"], `${contract()}\n${update()}\n`));
  assert.deepEqual(
    piped.map(({ type }) => type),
    ["plan_contract", "execution_update"],
  );
  const indented = jsonLines(
    await called(place, ["validate", "--json"], JSON.stringify(JSON.parse(contract()), null, 2)),
  );
  assert.equal(indented.length, 1);
});

test("filters of the log combine", async () => {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], update());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], request());
  const types = async (...words: string[]) =>
    jsonLines(await calledWithCode(0, place, ["log", "--json", ...words])).map(({ type }) => type);
  assert.deepEqual(await types("--from", "dev-1"), ["execution_update", "approval_request"]);
  assert.deepEqual(await types("--from", "dev-1", "--grep", "AUTH MODULE"), ["approval_request"]);
  assert.deepEqual(await types("--type", "plan_contract", "--since", "1h"), ["plan_contract"]);
  assert.deepEqual(await types("--type", "plan_contract", "--since", "2999-01-01"), []);
  assert.equal((await types("--after", "1", "--limit", "1")).length, 1);
  assert.deepEqual(await types("--last", "2"), ["execution_update", "approval_request"], "oldest first");
  assert.deepEqual(await types("--last", "1", "--from", "lead-1"), ["plan_contract"]);
  assert.deepEqual(await types("--to", "lead-1", "--limit", "1"), ["execution_update"]);
  assert.deepEqual(await types("--to", "lead-1", "--last", "1"), ["approval_request"]);
  assert.equal((await types("--kind", "team")).length, 1);
  const { task } = JSON.parse(update());
  const ofTask = jsonLines(await calledWithCode(0, place, ["log", "--json", "--task", task, "--from", "dev-1"]));
  assert.deepEqual(new Set(ofTask.map((line) => line.task)), new Set([task]));
  const none = await calledWithCode(0, place, ["log", "--from", "qa-1", "--type", "plan_contract"]);
  assert.deepEqual([none.stdout, none.stderr], ["", "No entry matches.\n"]);
  await calledWithCode(64, place, ["log", "--last", "1", "--limit", "1"]);
});

test("colours are for terminals only", () => {
  const done = baton(team(), ["status"]);
  assert.doesNotMatch(done.stdout + done.stderr, /\u001b/);
});

test("an inbox says each message in a line for people, escaped, and then the message; programs get the message alone", async () => {
  const place = team();
  const red = "Names\u001b[31m\n are in";
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1"], request());
  await calledWithCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1", "--id", "words"], red);
  const { stdout, stderr } = await calledWithCode(0, place, ["inbox", "--as", "lead-1"]);
  const lines = stdout.split("\n");
  assert.equal(lines[0], "#3 approval_request from dev-1: 1-1-T1: Auth module too");
  assert.match(lines[1] ?? "", /^ {2}\d\d:\d\d:\d\d, vbw\/2$/);
  assert.deepEqual(JSON.parse(stdout.slice(stdout.indexOf("{"), stdout.indexOf("#4"))), JSON.parse(request()));
  assert.match(stdout, /#4 prose from dev-1\n {2}\d\d:\d\d:\d\d\n {2}Names␛\[31m\n {3}are in\n/);
  assert.match(stderr, /^2 of 2 unread\. Acknowledge with: baton ack 4 --as lead-1$/m);
  const [first] = jsonLines(await calledWithCode(0, place, ["inbox", "--as", "lead-1", "--json"]));
  assert.deepEqual(Object.keys(first ?? {}), ["seq", "id", "sender", "recordedAt", "dialect", "type", "message"]);
});
