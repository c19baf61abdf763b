import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../base/json.ts";
import type { Member, Roster } from "../../team/state/roster.ts";
import { dialectOf } from "../dialects/registry.ts";
import type { DialectId } from "../message.ts";
import { type Department, type Role, readAddress, roles } from "../role.ts";
import { authorise } from "./authorise.ts";
import type { Request } from "./receivers.ts";

function member(agent: string, role: Role, dialect: DialectId, department?: Department): [string, Member] {
  const more = department === undefined ? {} : { department };
  return [agent, { agent, role, dialect, source: "file", status: "active", session: 1, ...more }];
}

/** Two agents a role. */
function everyone(dialect: DialectId): Roster {
  return new Map(roles.flatMap((role) => [1, 2].map((number) => member(`${role}-${number}`, role, dialect))));
}

interface Asked {
  readonly sender: string;
  readonly type: string;
  readonly dialect?: DialectId;
  readonly to?: string;
  readonly roster: Roster;
  readonly body?: { readonly [field: string]: Json };
  readonly teamMode?: "teammate" | "task";
  readonly repeated?: string;
}

function ask({ sender, type, dialect = "yolo/1", to, roster, body = {}, teamMode, repeated }: Asked) {
  const { role = null, department } = roster.get(sender) ?? {};
  const definition = dialectOf(dialect)?.definitions.get(type);
  assert.ok(definition !== undefined, type);
  const address = to === undefined ? null : readAddress(to);
  if (address !== null && !address.ok) throw new Error(address.error.message);
  const head = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };
  const mode = teamMode === undefined ? {} : { teamMode };
  const request: Request = {
    principal: { agent: sender, role, via: "launcher", ...(department === undefined ? {} : { department }) },
    roster,
    definition: { name: "team", dialects: [dialect], policy: "enforce", agents: [], routing: [], limits: {}, ...mode },
    policy: "enforce",
    dialectOf,
    reading: { dialect, type, message: { type, ...body }, fact: { kind: definition.kind, head, body } },
    to: address === null ? null : [address.value],
    asker: null,
    repeated: repeated ?? null,
  };
  return authorise(request);
}

function outcome(asked: Asked): string {
  const result = ask(asked);
  return result.ok ? result.value.receivers.toSorted().join(" ") : (result.error[0]?.code ?? "");
}

/** Levels of the chain from the lowest, by hand: docs/protocol/asking.md, section 6. */
const chain = [
  ["dev", "tester", "docs"],
  ["senior", "qa", "qa-lead", "qa-code", "scout", "critic", "security", "debugger"],
  ["lead"],
  ["architect"],
  ["owner"],
  ["user"],
];
const rank = (role: Role) => chain.findIndex((level) => level.includes(role));

test("an escalation goes to the level it names, from its sender's level", () => {
  const roster = everyone("yolo/1");
  const escalate = (sender: string, from: string, to: string, named?: string) =>
    outcome({ sender, type: "escalation", roster, body: { from, to }, ...(named === undefined ? {} : { to: named }) });
  assert.equal(escalate("dev-1", "dev", "senior"), "senior-1 senior-2");
  assert.equal(escalate("tester-1", "dev", "senior"), "senior-1 senior-2");
  assert.equal(escalate("qa-code-1", "senior", "lead"), "lead-1 lead-2");
  assert.equal(escalate("lead-1", "lead", "architect"), "architect-1 architect-2");
  assert.equal(escalate("dev-1", "senior", "lead"), "identity-mismatch", "a dev does not speak as a senior");
  assert.equal(escalate("dev-1", "dev", "senior", "lead-1"), "receiver-not-authorised", "one level at a time");
  assert.equal(escalate("architect-1", "lead", "architect"), "identity-mismatch");
});

test("a resolution without named receivers goes to all below, and only in its own sender's name", () => {
  const roster = everyone("yolo/1");
  const resolve = (sender: string, resolvedBy: string) => {
    const result = ask({
      sender,
      type: "escalation_resolution",
      roster,
      body: { resolvedBy, resolved_by: resolvedBy },
    });
    return result.ok ? new Set(result.value.receivers.map((agent) => roster.get(agent)?.role)) : result.error[0]?.code;
  };
  const below = new Set(roles.filter((role) => rank(role) >= 0 && rank(role) < rank("lead")));
  assert.deepEqual(resolve("lead-1", "lead"), below);
  assert.ok((resolve("architect-1", "architect") as Set<Role>).has("lead"));
  assert.equal(resolve("lead-1", "architect"), "identity-mismatch");
});

test("what is used only among teammates is refused in task mode", () => {
  const roster = everyone("yolo/1");
  const types = [...(dialectOf("yolo/1")?.definitions.values() ?? [])].filter(
    ({ routing }) => routing.mode !== undefined,
  );
  assert.deepEqual(types.map(({ type }) => type).toSorted(), [
    "agent_health_event",
    "circuit_breaker_state",
    "summary_aggregation",
    "task_claim",
    "task_complete",
  ]);
  assert.equal(outcome({ sender: "dev-1", type: "task_claim", roster }), "lead-1 lead-2");
  assert.equal(outcome({ sender: "dev-1", type: "task_claim", roster, teamMode: "task" }), "sender-not-authorised");
  assert.equal(outcome({ sender: "dev-1", type: "dev_progress", roster, teamMode: "task" }), "senior-1 senior-2");
});

const departmental: Roster = new Map([
  ...(["backend", "frontend", "uiux"] as const).flatMap((department) =>
    (["lead", "senior", "dev", "architect"] as const).map((role) =>
      member(`${department}-${role}`, role, "yolo/1", department),
    ),
  ),
  member("scout", "scout", "yolo/1", "shared"),
  member("critic", "critic", "yolo/1"),
  member("owner-1", "owner", "yolo/1"),
  member("orchestrator", "orchestrator", "yolo/1"),
]);

const crossings: readonly (readonly [
  sender: string,
  type: string,
  to: string | null,
  body: object,
  expected: string,
])[] = [
  ["backend-dev", "dev_progress", null, {}, "backend-senior"],
  ["backend-dev", "dev_progress", "frontend-senior", {}, "receiver-not-authorised"],
  ["backend-dev", "escalation", null, { from: "dev", to: "senior" }, "backend-senior"],
  ["frontend-senior", "code_review_changes", "uiux-dev", {}, "receiver-not-authorised"],
  ["scout", "scout_findings", null, {}, "backend-lead frontend-lead uiux-lead"],
  ["critic", "critique_result", "uiux-lead", {}, "uiux-lead"],
  ["backend-lead", "shutdown_request", null, {}, "backend-architect backend-dev backend-senior"],
  ["backend-lead", "phase_progress", null, { department: "backend" }, "orchestrator"],
  ["backend-lead", "phase_progress", null, { department: "uiux" }, "identity-mismatch"],
  ["frontend-lead", "api_contract", null, { direction: "frontend_to_backend" }, "backend-lead"],
  ["backend-lead", "api_contract", null, { direction: "backend_to_frontend" }, "frontend-lead"],
  ["backend-lead", "api_contract", null, { direction: "frontend_to_backend" }, "identity-mismatch"],
  ["frontend-lead", "api_contract", "uiux-lead", { direction: "frontend_to_backend" }, "receiver-not-authorised"],
  ["uiux-lead", "api_contract", null, { direction: "frontend_to_backend" }, "sender-not-authorised"],
  ["uiux-lead", "design_handoff", null, { department: "uiux" }, "backend-lead frontend-lead"],
  ["backend-lead", "design_handoff", null, { department: "uiux" }, "sender-not-authorised"],
  ["backend-lead", "department_result", null, { department: "backend" }, "owner-1"],
  ["backend-lead", "department_result", null, { department: "frontend" }, "identity-mismatch"],
  ["owner-1", "owner_review", null, {}, "backend-lead frontend-lead uiux-lead"],
  ["owner-1", "owner_signoff", "uiux-lead", {}, "uiux-lead"],
  ["owner-1", "escalation_resolution", "backend-architect", { resolved_by: "owner" }, "backend-architect"],
  ["owner-1", "escalation_resolution", "backend-dev", { resolved_by: "owner" }, "receiver-not-authorised"],
  ["backend-lead", "escalation_resolution", "frontend-dev", { resolved_by: "lead" }, "receiver-not-authorised"],
];

for (const [sender, type, to, body, expected] of crossings) {
  test(`with departments: ${type} of ${sender}${to === null ? "" : ` to ${to}`} ${JSON.stringify(body)}: ${expected}`, () => {
    const named = to === null ? {} : { to };
    const fields = body as { readonly [field: string]: Json };
    assert.equal(outcome({ sender, type, roster: departmental, body: fields, ...named }), expected);
  });
}

test("a result goes to the person who owns the team where no agent is its owner", () => {
  const roster = new Map([...departmental].filter(([agent]) => agent !== "owner-1"));
  const body = { department: "backend" };
  assert.equal(outcome({ sender: "backend-lead", type: "department_result", roster, body }), "owner");
});

test("a handoff goes to whom its metadata names, in the name of its sender", () => {
  const roster = everyone("bmad/1");
  const hand = (target: string, source: string) => {
    const metadata = { source_agent: source, target_agent: target };
    const result = ask({
      sender: "dev-1",
      type: "handoff",
      dialect: "bmad/1",
      roster,
      body: { metadata, handoff: { metadata } },
    });
    return result.ok
      ? result.value.receivers.join(" ")
      : `${result.error[0]?.code} ${result.error[0]?.path} ${result.error[0]?.hint}`;
  };
  assert.equal(hand("qa-1", "dev-1"), "qa-1");
  assert.equal(hand("qa", "dev"), "qa-1 qa-2");
  assert.equal(hand("nobody", "dev-1"), "owner");
  assert.equal(hand("qa-3", "dev-1"), 'unknown-receiver qa-3 did you mean "qa-1"?');
  assert.match(hand("two words", "dev-1"), /^unknown-receiver two words /);
  assert.match(hand("dev-1", "dev-1"), /^no-receiver dev-1 /);
  // The document requires the field, so no hint says to leave it out.
  const mismatch = 'identity-mismatch $.handoff.metadata.source_agent Write "dev-1", your own name.';
  assert.equal(hand("qa-1", "lead-1"), mismatch);
});

test("a hint asks to leave the receivers out only where receivers were named", () => {
  const roster: Roster = new Map([member("lead-1", "lead", "yolo/1"), member("lead-2", "lead", "yolo/1")]);
  const hintFor = (more: Partial<Asked>) => {
    const result = ask({ sender: "lead-1", type: "escalation_resolution", roster, ...more });
    assert.ok(!result.ok);
    return result.error[0]?.hint ?? "";
  };
  assert.match(hintFor({ to: "lead-2" }), /^Leave `arguments.to` out/);
  assert.match(hintFor({}), /^Only an agent below you in the chain receives it/);
  const vbw: Roster = new Map([member("scout-1", "scout", "vbw/2"), member("qa-1", "qa", "vbw/2")]);
  const named = { type: "scout_findings", sender: "scout-1", dialect: "vbw/2", roster: vbw } as const;
  assert.match(hintFor({ ...named, to: "qa-1" }), /^Leave `arguments.to` out/);
});

test("progress of a phase may be reported without an orchestrator: the person receives it, and nobody who was not meant", () => {
  const roster = new Map([...departmental].filter(([agent]) => agent !== "orchestrator"));
  const body = { department: "backend" };
  assert.equal(outcome({ sender: "backend-lead", type: "phase_progress", roster, body }), "owner");
  assert.equal(
    outcome({ sender: "backend-lead", type: "phase_progress", roster, body, to: "backend-senior" }),
    "receiver-not-authorised",
  );
});
