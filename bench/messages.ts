/** The messages that the bench sends: of the usual size, each with a separate id. */
import { randomUUID } from "node:crypto";

const envelope = { phase: 1, timestamp: "2026-02-12T10:00:00Z", schema_version: "2.0", confidence: "high" };

/** The contract of the updates, with three tasks. */
export function contractText(): string {
  return JSON.stringify({
    id: randomUUID(),
    type: "plan_contract",
    ...envelope,
    task: "1-1",
    author_role: "lead",
    payload: {
      plan_id: "phase-1-plan-1",
      phase_id: "phase-1",
      objective: "Measure what accepting a message costs.",
      tasks: ["1-1-T1", "1-1-T2", "1-1-T3"],
      allowed_paths: ["src/session/", "tests/session/"],
      must_haves: ["Sessions end after thirty minutes"],
    },
  });
}

/**
 * A progress report of the usual size, 585 bytes. Each names another commit: a report that says nothing new is recorded
 * more cheaply.
 */
export function updateText(): string {
  const id = randomUUID();
  return JSON.stringify({
    id,
    type: "execution_update",
    ...envelope,
    task: "1-1-T1",
    author_role: "dev",
    payload: {
      plan_id: "phase-1-plan-1",
      task_id: "1-1-T1",
      status: "partial",
      commit: id.slice(0, 7),
      files_modified: ["src/session/store.ts", "src/session/expiry.ts", "tests/session/store.test.ts"],
      concerns: ["The store keeps expired sessions until the next sweep; the sweep runs every five minutes."],
      evidence: "Fourteen tests pass, two are new: one for expiry, one for the sweep under load.",
    },
  });
}
