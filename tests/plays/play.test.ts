/** What a play looks for, it finds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { follow } from "./hints.ts";
import { play } from "./play.ts";

test("a message that is refused, one that reaches others, one that nobody said, and a hint without a way on fail a play", async () => {
  const team = await play(["vbw/1"], { "lead-1": "lead", "dev-1": "dev" });
  await assert.rejects(team.says("dev-1", "qa_result"), /sender-not-authorised/);
  await assert.rejects(team.says("dev-1", "dev_progress", {}, { reaches: ["owner"] }), /dev_progress of dev-1/);
  assert.throws(() => team.whole(), /dev_blocker: dev -> lead/);
  await team.says("dev-1", "dev_progress");
  await team.says("dev-1", "dev_blocker");
  team.whole();
  const line = { play: team, who: "dev-1", words: ["inbox"], input: "" };
  await assert.rejects(follow("Dance.", { code: "", path: "", message: "" }, line), /nobody follows this hint: Dance/);
  const lost = { ...line, words: ["task", "claim", "T9", "--files", "../a.ts"] };
  await assert.rejects(team.insists(lost), /nobody follows this hint|hints lead nowhere|has no hint/);
});
