/** What agents get wrong in the messages of the documents, one mistake each: the hint of the refusal leads on. */
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import type { TableDialect } from "../authority/table.ts";
import { type Cast, play } from "./play.ts";

type Team = Awaited<ReturnType<typeof play>>;

const crew: Cast = { "lead-1": "lead", "senior-1": "senior", "dev-1": "dev", "dev-2": "dev" };
const company: Cast = {
  "owner-1": "owner@owner",
  "backend-1": "lead@backend",
  "frontend-1": "lead@frontend",
  "uiux-1": "lead@uiux",
};

/** A message with one field set, or left out. */
const mistakes: readonly (readonly [
  dialect: TableDialect,
  who: string,
  type: string,
  code: string,
  fields: JsonObject,
])[] = [
  ["vbw/2", "dev-1", "execution_update", "wrong-value", { status: "finito" }],
  ["vbw/2", "dev-1", "execution_update", "cross-field", { commit: "" }],
  ["vbw/2", "dev-1", "execution_update", "wrong-value", { confidence: "hihg" }],
  ["vbw/2", "dev-1", "blocker_report", "wrong-value", { severity: "grave" }],
  ["vbw/2", "dev-1", "approval_request", "wrong-value", { deadline: "2020-01-01T00:00:00Z" }],
  ["vbw/2", "qa-1", "qa_verdict", "cross-field", { result: "PASS" }],
  ["vbw/2", "qa-1", "qa_verdict", "cross-field", { checks: { passed: 1, failed: 1, total: 3 } }],
  ["yolo/1", "critic-1", "critique_result", "cross-field", { findings: 9 }],
  ["yolo/1", "senior-1", "code_review_changes", "cross-field", { must_fix: ["src/none.ts:1"] }],
  ["yolo/1", "dev-1", "escalation", "wrong-value", { from: "dev", to: "architect" }],
  ["yolo/1", "dev-1", "agent_health_event", "sender-not-authorised", {}],
  ["yolo/1", "lead-1", "design_handoff", "sender-not-authorised", {}],
];

for (const [dialect, who, type, code, fields] of mistakes) {
  test(`${dialect}: ${type} of ${who} with ${JSON.stringify(fields)} is ${code}, and its hint leads on`, async () => {
    const team = await play([dialect], { ...crew, "critic-1": "critic", "qa-1": "qa" });
    await team.isRefused(code, who, type, fields, { dialect });
  });
}

const stories: readonly (readonly [
  what: string,
  dialect: TableDialect,
  cast: Cast,
  story: (team: Team) => Promise<void>,
])[] = [
  [
    "a receiver that does not get it, one that is not there, and oneself",
    "vbw/2",
    crew,
    async (team) => {
      await team.isRefused(
        "receiver-not-authorised",
        "dev-1",
        "execution_update",
        { commit: "abc1234" },
        { to: ["dev-2"] },
      );
      await team.isRefused("unknown-receiver", "dev-1", "execution_update", {}, { to: ["lead-7"] });
      await team.refused("no-receiver", "dev-1", ["send", "--to", "dev-1"], "Who helps?");
      await team.refused("no-receiver", "dev-1", ["send"], "Who helps?");
      await team.does("owner", ["agent", "retire", "dev-2"]);
      await team.refused("retired-agent", "dev-1", ["send", "--to", "dev-2"], "Do you help?");
    },
  ],
  [
    "an id that another's request has, and an answer that is neither yes nor no",
    "vbw/2",
    crew,
    async (team) => {
      const id = await team.says("dev-1", "approval_request", { request_type: "plan_approval" });
      await team.isRefused("id-taken", "lead-1", "approval_request", { id });
      await team.isRefused("wrong-type", "lead-1", "approval_response", { request_id: id, approved: "yes" });
    },
  ],
  [
    "a level that is not the next, an escalation that waits elsewhere, and one that must be decided",
    "yolo/1",
    crew,
    async (team) => {
      team.on({ plan_id: "01-01", task: "01-01/T1" });
      await team.says("dev-1", "dev_blocker");
      const id = await team.newest();
      await team.isRefused(
        "identity-mismatch",
        "dev-1",
        "escalation_resolution",
        { original_escalation: "ESC-01-01-T9", resolved_by: "lead" },
        { to: ["senior-1"] },
      );
      await team.refused("sender-not-authorised", "lead-1", ["escalation", "raise", id]);
      for (const _ of [1, 2]) {
        await team.does("lead-1", ["escalation", "resolve", id, "--decision", "Ours"]);
        await team.says("dev-1", "dev_blocker", {}, { reaches: ["senior-1"] });
      }
    },
  ],
  [
    "a sign-off without approval, without integration, and without a department",
    "yolo/1",
    company,
    async (team) => {
      team.on({ phase: "01" });
      const both = ["backend", "frontend"];
      await team.says("owner-1", "owner_review", { departments_needed: both, dispatch_order: both });
      const passed = { plans_completed: 1, plans_total: 1, result: "PASS", qa_result: "PASS", security_result: "PASS" };
      for (const department of both) await team.says(`${department}-1`, "department_result", { ...passed, department });
      await team.isRefused("sender-not-authorised", "backend-1", "design_handoff");
      await team.isRefused("human-required", "owner-1", "owner_review", {
        departments_needed: ["backend"],
        dispatch_order: ["backend"],
      });
      await team.says("owner-1", "owner_review", { departments_needed: both, dispatch_order: both });
      await team.isRefused("not-ready", "owner-1", "owner_signoff", { departments_approved: ["backend"] });
      await team.isRefused("not-ready", "owner-1", "owner_signoff", {
        departments_approved: both,
        integration_qa: "FAIL",
      });
    },
  ],
  [
    "a verdict where nobody is qa, and findings where nobody is scout",
    "vbw/2",
    crew,
    async (team) => {
      const checks = { passed: 12, failed: 0, total: 12 };
      await team.isRefused("sender-not-authorised", "dev-1", "qa_verdict", { result: "PASS", failures: [], checks });
      await team.isRefused("sender-not-authorised", "lead-1", "scout_findings");
    },
  ],
  [
    "a stop of security and the step that it holds, which the person alone decides about",
    "yolo/1",
    { "lead-1": "lead", "security-1": "security", "dev-1": "dev" },
    async (team) => {
      team.on({ phase: "01", plan_id: "01-01", task_id: "T1", files: ["src/a.ts"] });
      await team.says("dev-1", "task_claim");
      await team.says("security-1", "security_audit", { result: "FAIL", artifact: "phases/01-auth/audit.jsonl" });
      await team.refused("human-required", "lead-1", ["phase", "skip", "security", "--reason", "No time"]);
      await team.says("security-1", "security_audit", { result: "FAIL", artifact: "phases/01-auth/again.jsonl" });
      await team.refused("human-required", "lead-1", ["phase", "lift", "--reason", "It is a test"]);
    },
  ],
  [
    "an id that another handoff has, and one that none has",
    "bmad/1",
    { sm: "lead", dev: "dev", qa: "qa" },
    async (team) => {
      const to = { metadata: { target_agent: "dev", id: "handoff-1" }, dependencies: { required_files: [] } };
      await team.says("sm", "handoff", to, { reaches: ["dev"] });
      await team.isRefused("id-conflict", "sm", "handoff", { ...to, instructions: { primary: "Something else" } });
      await team.isRefused("id-taken", "qa", "handoff", to);
      await team.refused("unknown-request", "dev", ["handoff", "reject", "handoff-7", "--reason", "Not ours"]);
    },
  ],
  [
    "a stop that a developer asks for, and an answer that nobody waits for",
    "vbw/2",
    crew,
    async (team) => {
      await team.refused("unknown-request", "dev-2", ["shutdown", "answer"]);
      await team.isRefused("sender-not-authorised", "dev-1", "shutdown_request", { task: "" });
      await team.does("dev-1", ["shutdown", "answer"]);
    },
  ],
];

for (const [what, dialect, cast, story] of stories) {
  test(`${dialect}: ${what}`, async () => await story(await play([dialect], cast)));
}
