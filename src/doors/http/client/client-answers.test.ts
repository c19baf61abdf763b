import assert from "node:assert/strict";
import { test } from "node:test";
import { misfit } from "../../../base/schema/answer-form.ts";
import { answerForms, namedForms } from "../../../perform/operations/generated/answers.ts";

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
const misfitOfLine = (more: object) => misfit(answerForms.follow, { ...line, ...more }, namedForms);
const misfitOfNote = (more: object) => misfit("@Note", { path: "$", message: "…", ...more }, namedForms);

test("a hub's own words are taken without what a terminal acts on; words of agents are taken as they are", () => {
  assert.equal(misfitOfLine({}), null);
  assert.equal(misfitOfIssued(), null);
  assert.equal(misfitOfNote({ code: "unknown-field", path: "$.x\u001b[2J" }), null);
  for (const hidden of ["\u001b]0;title\u0007", "\u001b[2J", "\u009b31m", "\r", "\n", "\u202e", "\u200b"]) {
    assert.equal(misfitOfLine({ recordedAt: `2026${hidden}` }), "/recordedAt");
    assert.equal(misfitOfLine({ dialect: `vbw/2${hidden}` }), "/dialect");
    assert.equal(misfitOfIssued({ token: `baton_${hidden}` }), "/token");
    assert.equal(misfitOfIssued({ tokenId: hidden }), "/tokenId");
    assert.equal(misfitOfNote({ code: `note${hidden}` }), "/code");
  }
});
