/** The messages that the bench reads and sends: of the usual size, each with a separate id. */
import { randomUUID } from "node:crypto";

const envelope = { phase: 1, timestamp: "2026-02-12T10:00:00Z", schema_version: "2.0", confidence: "high" };

/** The contract of the updates. */
export function contractText(): string {
  return contractOf("phase-1-plan-1");
}

/** The contract of a plan, with three tasks. */
export function contractOf(plan: string): string {
  const short = plan.replace(/^phase-(\d+)-plan-(\d+)$/, "$1-$2");
  return JSON.stringify({
    id: randomUUID(),
    type: "plan_contract",
    ...envelope,
    task: short,
    author_role: "lead",
    payload: {
      plan_id: plan,
      phase_id: `phase-${short.split("-")[0]}`,
      objective: "Measure what accepting a message costs.",
      tasks: [1, 2, 3].map((number) => `${short}-T${number}`),
      allowed_paths: ["src/session/", "tests/session/"],
      must_haves: ["Sessions end after thirty minutes"],
    },
  });
}

/** A progress report of the usual size, 585 bytes, with a separate id. */
export function updateText(): string {
  return updateOf("1-1");
}

/**
 * The same about a plan's first task. Each names another commit: a report that says nothing new is recorded more
 * cheaply.
 */
export function updateOf(plan: string): string {
  const id = randomUUID();
  return JSON.stringify({
    id,
    type: "execution_update",
    ...envelope,
    task: `${plan}-T1`,
    author_role: "dev",
    payload: {
      plan_id: plan === "1-1" ? "phase-1-plan-1" : plan,
      task_id: `${plan}-T1`,
      status: "partial",
      commit: id.slice(0, 7),
      files_modified: ["src/session/store.ts", "src/session/expiry.ts", "tests/session/store.test.ts"],
      concerns: ["The store keeps expired sessions until the next sweep; the sweep runs every five minutes."],
      evidence: "Fourteen tests pass, two are new: one for expiry, one for the sweep under load.",
    },
  });
}
