import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json.ts";
import { dialects } from "../../messages/dialects/registry.ts";
import type { DialectId } from "../../messages/message.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { readChosen } from "./dialect-choice.ts";

const broken = typedMessage("execution_update", { status: "partial", pre_existing_issues: "oops" });

/** the team's dialect, the message, its outcome where refusals are final, and where the others are asked as well */
const cases: readonly (readonly [DialectId, JsonObject, string, string])[] = [
  ["yolo/2", broken, "invalid yolo/2", "accepted vbw/2"],
  ["yolo/2", typedMessage("qa_verdict"), "accepted vbw/2", "accepted vbw/2"],
  ["vbw/2", typedMessage("execution_update"), "accepted vbw/2", "accepted vbw/2"],
  ["vbw/2", { type: "lunch" }, "prose null", "prose null"],
];

for (const [own, message, final, otherwise] of cases) {
  test(`in a team of ${own}: ${JSON.stringify(message).slice(0, 70)} is ${final}`, async () => {
    const choice = {
      first: dialects.filter(({ id }) => id === own),
      others: dialects.filter(({ id }) => id !== own),
    };
    const told = async (isFinal: boolean) => {
      const { outcome, dialect } = await readChosen(JSON.stringify(message), choice, { strict: false, isFinal });
      return `${outcome} ${dialect}`;
    };
    assert.deepEqual([await told(true), await told(false)], [final, otherwise]);
  });
}
