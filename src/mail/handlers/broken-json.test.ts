/** JSON that does not parse: refused, or prose with a note. Rule: docs/protocol/messages.md, section 12. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrokenJsonRule, Policy } from "../../team/state/definition.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";

const whole = JSON.stringify(typedMessage("execution_update"));
const broken = whole.slice(0, -1);

/** the policy, the team's own rule, what becomes of broken JSON */
const cases: readonly (readonly [Policy, BrokenJsonRule | undefined, "accepted" | "refused"])[] = [
  ["enforce", undefined, "refused"],
  ["observe", undefined, "accepted"],
  ["enforce", "prose", "accepted"],
  ["observe", "refuse", "refused"],
  ["enforce", "refuse", "refused"],
];

for (const [policy, brokenJson, outcome] of cases) {
  test(`policy ${policy}, broken_json ${brokenJson ?? "not set"}: broken JSON is ${outcome}`, async () => {
    await using team = await testTeam({
      policy,
      ...(brokenJson === undefined ? {} : { brokenJson }),
      agents: [
        { agent: "lead-1", role: "lead" },
        { agent: "dev-1", role: "dev" },
      ],
    });
    const dev = team.as("dev-1");
    for (const [index, text] of [broken, `So: ${broken}`, `${whole}\n${whole}`].entries()) {
      const id = `broken-${index}`;
      const reply = await dev.send(text, { id, to: ["lead-1"] });
      const isWords = index === 1 && policy === "observe";
      assert.equal(reply.outcome, isWords ? "accepted" : outcome, `${text}: ${JSON.stringify(reply)}`);
      if (reply.outcome !== "accepted") continue;
      const page = await team.as("lead-1").inbox();
      const delivery = page.ok ? page.value.deliveries.at(-1) : undefined;
      assert.deepEqual([delivery?.type, delivery?.message], [null, text]);
      assert.ok(reply.notes.length > 0, "with a note");
      const again = await dev.send(text, { id, to: ["lead-1"] });
      assert.ok(again.outcome === "accepted" && again.receipt.duplicate, "the same act again is safe");
    }
    const tasks = await dev.tasks();
    assert.ok(tasks.ok && tasks.value.every(({ state }) => state === "available"), "it has no effect");
    for (const [text, code] of [
      [`${broken}\0`, "nul-character"],
      [`{"a":${"[".repeat(100)}`, "too-deep"],
      ['{"a":1,"a":2}', "duplicate-key"],
    ] as const) {
      const reply = await dev.send(text, { id: `limit-${code}`, to: ["lead-1"] });
      assert.equal(reply.outcome, "refused", `${code} holds in every case`);
    }
    const strict = await dev.send(broken, { id: "strict-1", to: ["lead-1"], strict: true });
    assert.equal(strict.outcome, "refused");
  });
}
