/** What the list of tools costs an agent that has it in its context. */
import assert from "node:assert/strict";
import { test } from "node:test";
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
