/** What the list of tools costs an agent that has it in its context. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expectCode, team } from "../e2e/command.ts";
import { clients } from "./clients.ts";
import { serve } from "./http-place.ts";

/** docs/protocol/doors.md, section 6: at most seven tools; their list, as JSON, is at most 2,000 tokens of o200k. */
const toolsMax = 7;
const tokensMax = 2_000;

test("all tools together cost at most 2,000 tokens", async () => {
  const directory = team();
  expectCode(0, directory, ["status"]);
  const place = await serve(directory);
  const client = await (clients["the first SDK's client"] ?? assert.fail())(place);
  const tools = await client.tools();
  assert.ok(tools.length <= toolsMax);
  const tokens = countTokens(JSON.stringify(tools));
  assert.ok(tokens <= tokensMax, `${tokens} tokens`);
  for (const { name, description } of tools) assert.ok(Buffer.byteLength(description ?? "") < 2048, name);
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
