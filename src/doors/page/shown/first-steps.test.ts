/** The first steps fit the team: each agent is started, and who is there is not registered again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstSteps } from "./first-steps.ts";

const member = (agent: string, status: "active" | "retired" = "active") => ({ agent, role: "dev", status }) as const;
const lines = (...given: Parameters<typeof firstSteps>) => firstSteps(...given).map(({ line }) => line);

const cases: readonly (readonly [says: string, given: Parameters<typeof firstSteps>, lines: readonly string[]])[] = [
  [
    "each agent has the line that starts it, with a program where the team file names none",
    [[member("dev-1"), member("qa-1"), member("old", "retired")], "npx baton", [{ agent: "dev-1", program: "codex" }]],
    ["npx baton run dev-1", "npx baton run qa-1 --program claude-code"],
  ],
  [
    "an empty team gets an agent under a name that nobody has had",
    [[member("dev-1", "retired")], "baton"],
    ["baton agent register dev-2 --role dev", "baton run dev-2 --program claude-code"],
  ],
];
for (const [says, given, expected] of cases) test(says, () => assert.deepEqual(lines(...given), expected));
