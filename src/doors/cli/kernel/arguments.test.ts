import assert from "node:assert/strict";
import { test } from "node:test";
import { type Declared, readArguments, splitName } from "./arguments.ts";
import { globalOptions } from "./command.ts";

const declared: Declared = {
  options: [
    ...globalOptions,
    { name: "to", kind: "text", value: "AGENT", repeatable: true, summary: "" },
    { name: "limit", kind: "count", summary: "" },
    { name: "wait", kind: "seconds", summary: "" },
    { name: "port", kind: "port", summary: "" },
    { name: "role", kind: "text", choices: ["lead", "dev"], summary: "" },
  ],
  positionals: [
    { name: "FIRST", required: true, summary: "the first" },
    { name: "REST", repeatable: true, summary: "the rest" },
  ],
};

function given(...line: string[]) {
  const read = readArguments(line, declared);
  assert.ok(read.ok, read.ok ? "" : read.error.message);
  return read.value;
}

function problem(...line: string[]) {
  const read = readArguments(line, declared);
  assert.ok(!read.ok);
  assert.equal(read.error.code, "wrong-usage");
  return read.error;
}

test("options and words are read in any order", () => {
  const read = given("a", "--to", "x", "b", "--json", "--to=y", "--wait", "1.5", "c", "--limit", "3");
  assert.deepEqual(read.texts("to"), ["x", "y"]);
  assert.equal(read.text("to"), "y");
  assert.equal(read.flag("json"), true);
  assert.equal(read.flag("no-color"), false);
  assert.equal(read.number("wait"), 1.5);
  assert.equal(read.number("limit"), 3);
  assert.equal(read.word("FIRST"), "a");
  assert.deepEqual(read.words("REST"), ["b", "c"]);
  assert.equal(read.text("as"), undefined);
});

test("a dash is a word, two dashes end the options, an equals sign takes any value", () => {
  assert.equal(given("-").word("FIRST"), "-");
  assert.deepEqual(given("--", "--json", "--to").words("REST"), ["--to"]);
  assert.equal(given("a", "--to=--json").text("to"), "--json");
  assert.equal(given("a", "--to", "-5").text("to"), "-5");
});

test("what was not declared is refused with what was meant", () => {
  assert.match(problem("a", "--jsno").hint ?? "", /--json/);
  assert.match(problem("a", "--role", "leed").hint ?? "", /"lead"/);
  assert.equal(problem("a", "--role", "Developer").hint, 'did you mean "dev"?');
  assert.equal(problem("a", "--role", "wizard").hint, "one of: lead, dev");
  for (const line of [
    ["a", "-x"],
    ["a", "--constructor"],
    ["a", "--__proto__=1"],
    ["a", "--toString"],
  ])
    problem(...line);
});

test("a missing value, a value too many, a wrong number and a missing word are refused", () => {
  const lines = [
    ["a", "--to"],
    ["a", "--to", "--json"],
    ["a", "--json=1"],
    ["a", "--limit", "0"],
    ["a", "--limit", "1e3"],
  ];
  for (const line of [...lines, ["a", "--wait", "-1"], ["a", "--limit", "1", "--limit", "2"], []]) problem(...line);
  for (const port of ["abc", "-1", "65536", "4777.5"])
    assert.match(problem("a", `--port=${port}`).message, /0 to 65535/);
  assert.equal(given("a", "--port", "0").number("port"), 0);
  assert.equal(problem().path, "FIRST");
  assert.equal(given("--help").flag("help"), true, "help is given without the rest");
});

test("a word of a command that takes none is offered as the value of its option, unless it is a part of one", () => {
  const options = [
    ...globalOptions,
    { name: "limit", argument: "limit", kind: "count", summary: "" },
    { name: "phase", argument: "phase", kind: "text", value: "PHASE", summary: "" },
  ] as const;
  const hintOf = (positionals: Declared["positionals"], ...line: string[]) => {
    const read = readArguments(line, { options, positionals });
    return read.ok ? "" : read.error.hint;
  };
  const quote = "quote an argument that contains spaces";
  assert.equal(hintOf([], "1"), "did you mean --limit 1?");
  assert.equal(hintOf([], "one", "--as", "dev-1"), "did you mean --phase one?");
  assert.equal(hintOf([], "--phase", "the", "first"), quote);
  assert.equal(hintOf([{ name: "TASK", summary: "" }], "the", "first"), quote);
});

test("the command's name is found between options, and only its words are taken", () => {
  const split = (...line: string[]) => splitName(line, globalOptions, (word) => word === "agent");
  assert.deepEqual(split("--as", "dev-1", "inbox", "--limit", "3"), {
    name: ["inbox"],
    rest: ["--as", "dev-1", "--limit", "3"],
  });
  assert.deepEqual(split("--json", "agent", "--team", "web", "list", "x"), {
    name: ["agent", "list"],
    rest: ["--json", "--team", "web", "x"],
  });
  assert.deepEqual(split("agent"), { name: ["agent"], rest: [] });
  assert.deepEqual(split("--", "inbox"), { name: [], rest: ["--", "inbox"] });
});
