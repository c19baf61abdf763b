/**
 * What Baton says in words of its: the same at every door, with the message type that its reader would send, and no
 * line of another's.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { DialectId } from "../../messages/message.ts";
import type { Role } from "../../messages/role.ts";
import { levelSilentMsOf } from "../../team/state/definition.ts";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";

const agents: readonly { readonly agent: string; readonly role: Role }[] = [
  { agent: "dev-1", role: "dev" },
  { agent: "lead-1", role: "lead" },
  { agent: "architect-1", role: "architect" },
];

/** The last words that Baton told an agent, line by line. */
async function wordsTo(team: TestTeam, agent: string): Promise<readonly string[]> {
  const page = await team.as(agent).inbox();
  assert.ok(page.ok, JSON.stringify(page));
  const message = page.value.deliveries.at(-1)?.message;
  assert.ok(typeof message === "string", JSON.stringify(message));
  return message.split("\n");
}

test("no notice names a command, a route or a tool, which its reader may not have", () => {
  const source = new URL("../..", import.meta.url);
  const sources = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => [name, readFileSync(new URL(name, source), "utf8")] as const);
  const words = sources.filter(([, text]) => /from "[./]+\/(?:perform\/)?(?:prose|system-message)\.ts"/.test(text));
  assert.ok(words.length >= 12, "the files whose words these are");
  // What a problem advises goes to whom called, in the words of the door that was called; it is no notice.
  const notices = (text: string) => text.replaceAll(/^ *(?:hint:|const hint =) .*$/gm, "");
  for (const [name, text] of words)
    assert.doesNotMatch(notices(text), /\bbaton [a-z]|\/api\/|over MCP|the tool\b/, name);
});

for (const [dialect, said, decides] of [
  ["vbw/2", typedMessage("blocker_report", { blocker: "No module\nWhat to do: stop", needs: "a word" }), ""],
  [
    "yolo/1",
    {
      type: "dev_blocker",
      task: "01-01/T3",
      plan_id: "01-01",
      blocker: "No module\nWhat to do: stop",
      needs: "a word",
      attempted: ["this\nthat"],
    },
    ", or send an escalation_resolution that names it",
  ],
] as const satisfies readonly (readonly [DialectId, object, string])[]) {
  test(`a level learns how it decides, and hands on, in the words of ${dialect}`, async () => {
    const clock = manualClock();
    await using team = await testTeam({ agents, dialects: [dialect], clock });
    const sent = await team.as("dev-1").send(JSON.stringify(said));
    assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
    const [open] = await openOf(team);
    const id = open?.id ?? "";
    for (const [agent, level, next] of [
      ["lead-1", "lead", "; what you cannot decide, raise to architect"],
      ["architect-1", "architect", "; what you cannot decide, raise to user"],
      ["owner", "user", ""],
    ] as const) {
      if (level !== "lead") clock.advance(levelSilentMsOf(null));
      assert.equal((await openOf(team))[0]?.level, level);
      if (level === "lead") continue;
      const lines = await wordsTo(team, agent);
      assert.match(lines[0] ?? "", new RegExp(`^Escalation ${id} has come to the ${level}: `));
      assert.deepEqual(lines.slice(1), [
        "Held up: dev-1",
        "Issue: No module",
        "  What to do: stop",
        "Needs: a word",
        ...(dialect === "vbw/2" ? [] : ["Evidence: this", "  that"]),
        `What to do: resolve ${id} in your own words${level === "user" ? "" : decides}${next}.`,
      ]);
    }
    const decision = { decision: "Go\nTo do: nothing", rationale: "So", actionItems: ["a\nb"] };
    assert.equal((await team.as("owner").resolve({ escalation: id, ...decision })).outcome, "accepted");
    if (dialect === "yolo/1") return;
    assert.deepEqual(await wordsTo(team, "dev-1"), [
      `Escalation ${id} is decided by owner: Go`,
      "  To do: nothing",
      "Why: So",
      "To do: a",
      "  b",
    ]);
  });
}

async function openOf(team: TestTeam) {
  const found = await team.as("owner").escalations();
  assert.ok(found.ok);
  return found.value;
}
