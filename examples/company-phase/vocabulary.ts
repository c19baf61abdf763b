/** What Baton itself writes of a company, as the story shows it: an agent that sends such a message is refused. */
import { front } from "../sign-in.ts";
import { mustBe, type Stage, same } from "../stage.ts";

/** The types that Baton writes itself: an agent that sends one is refused, and they are shown. */
export async function wholeVocabulary(stage: Stage): Promise<void> {
  stage.step("What Baton itself writes");
  const owner = await stage.as("owner");
  const internal = {
    agent_health_event: {
      agent_id: "frontend-lead",
      dept: "frontend",
      state: "idle",
      timestamp: "2026-02-17T10:30:00Z",
      prev_state: "idle",
      timeout_triggered: false,
    },
    circuit_breaker_state: {
      dept: "frontend",
      state: "closed",
      opened_at: null,
      failure_count: 0,
      last_probe_at: null,
    },
    summary_aggregation: {
      plan_id: front.plan,
      tasks_completed: 1,
      tasks_total: 1,
      commit_hashes: [],
      files_modified: [],
      deviations: [],
      status: "complete",
    },
  };
  for (const [type, fields] of Object.entries(internal)) {
    await stage.refused("frontend-lead", { type, ...fields }, "sender-not-authorised");
  }
  const health = mustBe(await owner.agentEvents());
  same(
    "health is recorded",
    health.some((each) => each.type === "agent_health_event"),
    true,
  );
  const breakers = mustBe(await owner.breakerEvents());
  same(
    "so is every state of a breaker",
    breakers.map(({ state }) => state),
    ["closed", "open", "half-open", "half-open", "closed"],
  );
  const summary = mustBe(await owner.summary({ plan: front.plan }));
  same(
    "the plan is summed up",
    [summary.status, summary.tasksCompleted, summary.commitHashes.length],
    ["complete", 1, 1],
  );
  same("all 28 types were told", stage.sent.size + Object.keys(internal).length, 28);
}
