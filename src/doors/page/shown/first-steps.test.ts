/**
 * The first steps fit the team: nobody is registered twice, and there is always one who speaks and one who is notified.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstSteps } from "./first-steps.ts";

const active = (agent: string, role: "lead" | "dev") => ({ agent, role, status: "active" }) as const;
const lines = (...agents: Parameters<typeof firstSteps>[0][number][]) =>
  firstSteps(agents, "npx baton").map(({ line }) => line);

test("an empty team is made, and speaks", () => {
  assert.deepEqual(lines(), [
    "npx baton agent register lead-1 --role lead",
    "npx baton agent register dev-1 --role dev",
    "echo 'Hello' | npx baton send - --as dev-1 --to lead-1 --id hello-1",
  ]);
});

test("who is there is not registered again, and no name is taken twice", () => {
  assert.deepEqual(lines(active("ann", "lead"), active("ben", "dev")), [
    "echo 'Hello' | npx baton send - --as ben --to ann --id hello-1",
    "npx baton inbox --as ann",
  ]);
  assert.deepEqual(lines(active("lead-1", "dev"), { agent: "lead-2", role: "dev", status: "retired" }), [
    "npx baton agent register lead-3 --role lead",
    "echo 'Hello' | npx baton send - --as lead-1 --to lead-3 --id hello-1",
  ]);
});

test("agents whose program the team file names are started", () => {
  const declared = [{ agent: "dev-1", program: "codex" }, { agent: "qa-1" }] as const;
  assert.deepEqual(
    firstSteps([active("dev-1", "dev")], "baton", declared).map(({ line }) => line),
    ["baton run dev-1"],
  );
});

test("the lines call the command as the person does", () => {
  assert.match(firstSteps([], "baton")[0]?.line ?? "", /^baton agent register /);
});
