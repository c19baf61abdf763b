/** What a message itself says of its way; which role and department may send what to which: tests/authority. */
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
  readonly repeated?: string;
}

function ask({ sender, type, dialect = "yolo/1", to, roster, body = {}, repeated }: Asked) {
  const { role = null, department } = roster.get(sender) ?? {};
  const definition = dialectOf(dialect)?.definitions.get(type);
  assert.ok(definition !== undefined, type);
  const address = to === undefined ? null : readAddress(to);
  if (address !== null && !address.ok) throw new Error(address.error.message);
  const head = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };
  const request: Request = {
    principal: { agent: sender, role, via: "launcher", ...(department === undefined ? {} : { department }) },
    roster,
    definition: { name: "team", dialects: [dialect], policy: "enforce", agents: [], routing: [], limits: {} },
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
  const inside = {
    sender: "backend-dev",
    type: "escalation",
    roster: departmental,
    body: { from: "dev", to: "senior" },
  };
  assert.equal(outcome(inside), "backend-senior");
});

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
