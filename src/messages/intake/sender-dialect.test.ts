/** Which dialect judges a message. Rule: docs/protocol/messages.md, section 10. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";
import type { DialectId } from "../message.ts";
import { readMessage } from "./read-message.ts";

const issue = { test: "greets", file: "tests/greet.test.js", error: "no name" };
const findings = {
  type: "scout_findings",
  domain: "architecture",
  documents: [{ name: "MAP.md", content: "# Map" }],
  cross_cutting: [],
  confidence: "high",
  confidence_rationale: "Read in whole",
};

/** What a team of these dialects replies to `sender`; the dialect of every agent is `own`. */
async function replies(dialects: readonly DialectId[], own: DialectId, sender: string, message: JsonObject) {
  await using team = await testTeam({
    dialects,
    agents: [
      { agent: "lead-1", role: "lead", dialect: own },
      { agent: "dev-1", role: "dev", dialect: own },
      { agent: "qa-1", role: "qa", dialect: own },
      { agent: "scout-1", role: "scout", dialect: own },
    ],
  });
  const reply = await team
    .as(sender)
    .send(JSON.stringify(message), typeof message.id === "string" ? {} : { id: "m-1" });
  if (reply.outcome !== "refused") return reply.outcome;
  return reply.problems.map(({ code, path }) => `${code} ${path}`).join(", ");
}

const broken = typedMessage("execution_update", { status: "partial", pre_existing_issues: "oops" });
const sound = typedMessage("execution_update", { status: "partial", pre_existing_issues: [issue] });

/** what is sent, the team's dialects, the sender's, who sends, the message, the outcome */
const cases: readonly (readonly [string, readonly DialectId[], DialectId, string, JsonObject, string])[] = [
  [
    "content that the sender's dialect refuses",
    ["yolo/2", "vbw/2"],
    "yolo/2",
    "dev-1",
    broken,
    "wrong-type $.payload.pre_existing_issues",
  ],
  [
    "the same, where another dialect is the team's first",
    ["vbw/2", "yolo/2"],
    "yolo/2",
    "dev-1",
    broken,
    "wrong-type $.payload.pre_existing_issues",
  ],
  ["content that it accepts", ["yolo/2", "vbw/2"], "yolo/2", "dev-1", sound, "accepted"],
  [
    "a type that only another dialect knows",
    ["yolo/2", "vbw/2"],
    "yolo/2",
    "qa-1",
    typedMessage("qa_verdict"),
    "accepted",
  ],
  [
    "flat content that the sender's dialect refuses",
    ["yolo/1", "vbw/1"],
    "yolo/1",
    "scout-1",
    findings,
    "missing-field $.findings",
  ],
  [
    "the same from a sender of the dialect that accepts it",
    ["yolo/1", "vbw/1"],
    "vbw/1",
    "scout-1",
    findings,
    "accepted",
  ],
  ["an envelope from a sender whose dialect has none", ["vbw/1", "vbw/2"], "vbw/1", "dev-1", { ...sound }, "accepted"],
];

for (const [name, dialects, own, sender, message, outcome] of cases) {
  test(`${name}: ${outcome}`, async () => {
    assert.equal(await replies(dialects, own, sender, message), outcome);
  });
}

test("without a sender, the dialect that knows every field reads the message, whatever the order", () => {
  for (const dialects of [["vbw/2", "yolo/2"], ["yolo/2", "vbw/2"], undefined] as const) {
    const reading = readMessage(JSON.stringify(sound), dialects === undefined ? {} : { dialects });
    assert.equal(reading.dialect, "yolo/2");
    assert.deepEqual(
      reading.notes.filter(({ code }) => code !== "ambiguous-dialect"),
      [],
    );
  }
  const stranger = readMessage(JSON.stringify(typedMessage("execution_update", { mood: "fine" })));
  assert.equal(stranger.dialect, "vbw/2", "known to none: the first that accepts it");
});
