/** A session of Codex is the agent that it was bound to first, and one process has one session of its surroundings' name. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bindThread, parentProcess } from "./thread-binding.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-binding-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("the first session of a process takes the name, a second one is nobody, another process may have it", () => {
  const claim = { folder: join(folder, "a"), agent: "lead-1", parent: "100-1" };
  assert.equal(bindThread({ ...claim, session: "s1" }), "bound");
  assert.equal(bindThread({ ...claim, session: "s1" }), "bound");
  assert.equal(bindThread({ ...claim, session: "s2" }), "taken");
  assert.equal(bindThread({ ...claim, session: "s2", agent: "dev-1", parent: "101-1" }), "bound");
});

test("a session that is resumed as another agent is not that agent, in whatever process", () => {
  const claim = { folder: join(folder, "b"), session: "../odd/s1", parent: "100-1" };
  assert.equal(bindThread({ ...claim, agent: "dev-1" }), "bound");
  assert.equal(bindThread({ ...claim, agent: "qa-1" }), "other");
  assert.equal(bindThread({ ...claim, agent: "dev-1", parent: "102-1" }), "bound");
});

test("a process is known by more than its id where the machine says more", () => {
  assert.equal(parentProcess(), parentProcess(process.ppid));
  assert.notEqual(parentProcess(process.pid), parentProcess());
  assert.equal(parentProcess(2 ** 30), String(2 ** 30));
});
