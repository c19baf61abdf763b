/** What the list of tools costs an agent that has it in its context. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expectCode, team } from "../e2e/command.ts";
import { clients } from "./clients.ts";
import { serve } from "./http-place.ts";

/** docs/protocol/doors.md, section 6: at most seven tools; what a model sees of all is at most 1,000 tokens of o200k. */
const toolsMax = 7;
const tokensMax = 1_000;

test("all tools together cost a model at most 1,000 tokens", async () => {
  const directory = team();
  expectCode(0, directory, ["status"]);
  const place = await serve(directory);
  const client = await (clients["the first SDK's client"] ?? assert.fail())(place);
  const tools = await client.tools();
  assert.ok(tools.length <= toolsMax);
  // Programs show their models no titles and no hints.
  const seen = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const tokens = countTokens(JSON.stringify(seen));
  assert.ok(tokens <= tokensMax, `${tokens} tokens`);
  for (const { name, description } of tools) assert.ok(Buffer.byteLength(description ?? "") < 2048, name);
});

test("a person has three words for the agent, which cost its model nothing until then", async () => {
  const directory = team();
  expectCode(0, directory, ["status"]);
  const client = await (clients["the first SDK's client"] ?? assert.fail())(await serve(directory));
  const listed = await client.prompts();
  assert.deepEqual(
    listed.map(({ name }) => name),
    ["plan", "work", "stop"],
  );
  const known = new Set((await client.tools()).map(({ name }) => name));
  for (const { name } of listed) {
    const words = await client.prompt(name);
    for (const tool of words.match(/\b[a-z]+_[a-z]+\b/g) ?? []) assert.ok(known.has(tool), `${name}: ${tool}`);
  }
});

test("a task costs an agent two calls and at most 350 tokens, with what it is to do", async () => {
  const directory = team();
  const criteria = [
    "total() returns net, tax and gross in cents",
    "an unknown country has the rate 0",
    "npm test passes",
  ];
  const about =
    "The cart shows prices without tax. Rates are in src/tax/rates.json, one a country; a rate is a percentage.";
  const said = ["--description", about, "--files", "src/cart.js,src/tax/", "--priority", "high"];
  expectCode(0, directory, [
    "task",
    "add",
    "Totals carry tax",
    ...said,
    ...criteria.flatMap((each) => ["--done-when", each]),
  ]);
  const client = await (clients["the first SDK's client"] ?? assert.fail())(await serve(directory));
  const calls = [
    { action: "claim" },
    {
      action: "complete",
      task: "1",
      commit: "abc1234",
      evidence: "1: cart.test.js 3; 2: cart.test.js 9; 3: 41 passed",
    },
  ];
  let tokens = 0;
  for (const call of calls) {
    const answer = await client.call("task", call);
    assert.notEqual(answer.isError, true, JSON.stringify(answer));
    tokens += countTokens(JSON.stringify(call)) + countTokens(answer.text);
  }
  assert.ok(tokens <= 350, `${tokens} tokens`);
});

test("a validator as programs use it takes the input of each tool without a warning", async () => {
  const directory = team();
  expectCode(0, directory, ["status"]);
  const place = await serve(directory);
  const client = await (clients["the first SDK's client"] ?? assert.fail())(place);
  const warnings: unknown[] = [];
  const warn = (...words: readonly unknown[]) => void warnings.push(words);
  const validator = new Ajv2020({ logger: { log: warn, warn, error: warn } });
  for (const { inputSchema } of await client.tools()) validator.compile(inputSchema);
  assert.deepEqual(warnings, []);
  validator.compile({ type: ["object", "string"] });
  assert.equal(warnings.length, 1, "control: such a list is warned of");
});
