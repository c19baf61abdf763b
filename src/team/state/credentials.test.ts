import assert from "node:assert/strict";
import { test } from "node:test";
import { decideCredentials, evolveCredentials, findCredential, initialCredentials } from "./credentials.ts";

test("a verifier's token of an older journal proves nobody any more, and no new one is made", () => {
  const [tokenId, agent, hash] = ["t-1", "verifier:ci-1", "0".repeat(64)];
  const state = evolveCredentials(initialCredentials(), { event: "token-issued", tokenId, agent, hash, session: 1 });
  const found = findCredential(state, hash, new Map());
  assert.ok(!found.ok);
  assert.equal(found.error.code, "token-revoked");
  assert.match(found.error.hint ?? "", /Start the hub in a clone/);
  const made = decideCredentials({ command: "issue-token", agent, tokenId: "t-2", hash: "1" }, state, new Map());
  assert.ok(!made.ok);
  assert.deepEqual(
    made.error.map(({ code }) => code),
    ["unknown-agent"],
  );
});
