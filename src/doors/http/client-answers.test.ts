import assert from "node:assert/strict";
import { test } from "node:test";
import * as answers from "./client-answers.ts";
import * as entryAnswers from "./client-entry-answers.ts";
import * as statusAnswers from "./client-status-answers.ts";

const line = {
  seq: 1,
  epoch: 1,
  kind: "message",
  id: "m-1",
  dialect: "vbw/2",
  type: "qa_verdict",
  sender: "qa-1",
  receivers: ["lead-1"],
  recordedAt: "2026-02-12T10:00:00.000Z",
  task: null,
  fact: null,
  report: null,
  summary: "words of an agent \u001b[31m",
};
const issued = { token: "baton_abc", tokenId: "0123456789ab" };

test("a hub's own words are taken without what a terminal acts on; words of agents are taken as they are", () => {
  assert.ok(entryAnswers.logLine(line));
  assert.ok(statusAnswers.issued(issued));
  assert.ok(answers.note({ code: "unknown-field", path: "$.x\u001b[2J", message: "…" }));
  for (const hidden of ["\u001b]0;title\u0007", "\u001b[2J", "\u009b31m", "\r", "\n", "\u202e", "\u200b"]) {
    assert.ok(!entryAnswers.logLine({ ...line, recordedAt: `2026${hidden}` }), "recordedAt");
    assert.ok(!entryAnswers.logLine({ ...line, dialect: `vbw/2${hidden}` }), "dialect");
    assert.ok(!statusAnswers.issued({ ...issued, token: `baton_${hidden}` }), "token");
    assert.ok(!statusAnswers.issued({ ...issued, tokenId: hidden }), "tokenId");
    assert.ok(!answers.note({ code: `note${hidden}`, path: "$", message: "…" }), "code");
  }
});
