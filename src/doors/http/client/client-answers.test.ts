import assert from "node:assert/strict";
import { test } from "node:test";
import { answerForms, namedForms } from "../../../operations/generated/answers.ts";
import { misfit } from "../../../schema/answer-form.ts";
import * as answers from "./client-answers.ts";
import * as entryAnswers from "./client-answers.ts";

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
  outcome: null,
  thread: null,
  supersededBy: null,
  problem: null,
  summary: "words of an agent \u001b[31m",
};
const hash = "0123456789abcdef".repeat(4);
const receipt = { team: "web", seq: 1, id: "t-1", digest: hash, hash, prevHash: hash, epoch: 1, durability: "fsync" };
const issued = {
  receipt: { ...receipt, duplicate: false },
  receivers: [],
  notes: [],
  token: "baton_abc",
  tokenId: "0123456789ab",
  agent: "dev-1",
};
const misfitOfIssued = (more: object = {}) => misfit(answerForms.issueToken, { ...issued, ...more }, namedForms);

test("a hub's own words are taken without what a terminal acts on; words of agents are taken as they are", () => {
  assert.ok(entryAnswers.logLine(line));
  assert.equal(misfitOfIssued(), null);
  assert.ok(answers.note({ code: "unknown-field", path: "$.x\u001b[2J", message: "…" }));
  for (const hidden of ["\u001b]0;title\u0007", "\u001b[2J", "\u009b31m", "\r", "\n", "\u202e", "\u200b"]) {
    assert.ok(!entryAnswers.logLine({ ...line, recordedAt: `2026${hidden}` }), "recordedAt");
    assert.ok(!entryAnswers.logLine({ ...line, dialect: `vbw/2${hidden}` }), "dialect");
    assert.equal(misfitOfIssued({ token: `baton_${hidden}` }), "/token");
    assert.equal(misfitOfIssued({ tokenId: hidden }), "/tokenId");
    assert.ok(!answers.note({ code: `note${hidden}`, path: "$", message: "…" }), "code");
  }
});
