/**
 * Every type of yolo/1 from every role in every department to every role in every department, against tables written by
 * hand from the seeds and semantics.md section 2, not from the definitions.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf } from "../dialects/registry.ts";
import { readAddress } from "../message/address.ts";
import { type Department, departments, type Role, roles } from "../message/role.ts";
import type { Member, Roster } from "../team/roster.ts";
import { authorise } from "./authorise.ts";

type Place = Department | "none";
const places: readonly Place[] = [...departments, "none"];

const workers = "dev tester senior qa qa-lead qa-code scout critic security debugger docs";

/** Type, senders, receivers; where it goes across: departments it comes from and goes to. */
const table: readonly (readonly [type: string, senders: string, receivers: string, from?: string, to?: string])[] = [
  ["critique_result", "critic", "lead"],
  ["test_plan_result", "tester", "senior"],
  ["architecture_design", "architect", "lead"],
  ["senior_spec", "senior", "lead"],
  ["dev_progress", "dev", "senior"],
  ["dev_blocker", "dev", "senior"],
  ["code_review_changes", "senior", "dev"],
  ["code_review_result", "senior", "lead"],
  ["qa_result", "qa-lead", "lead"],
  ["qa_code_result", "qa-code", "lead"],
  ["security_audit", "security", "lead"],
  ["scout_findings", "scout", "lead"],
  ["debugger_report", "debugger", "lead"],
  ["escalation", `${workers} lead`, "senior lead architect"],
  ["escalation_resolution", "user owner architect lead", `${workers} lead architect owner`],
  ["agent_health_event", "", ""],
  ["circuit_breaker_state", "", ""],
  ["task_claim", "dev", "lead"],
  ["task_complete", "dev", "lead"],
  ["summary_aggregation", "", ""],
  ["phase_progress", "lead", "orchestrator"],
  ["shutdown_request", "lead", `${workers} architect`],
  ["shutdown_response", `${workers} architect`, "lead"],
  ["design_handoff", "lead", "lead", "uiux", "frontend backend"],
  ["api_contract", "lead", "lead", "frontend backend", "frontend backend"],
  ["department_result", "lead", "owner", "backend frontend uiux", "owner"],
  ["owner_review", "owner", "lead", "owner", "backend frontend uiux"],
  ["owner_signoff", "owner", "lead", "owner", "backend frontend uiux"],
];

/** Ranks of the chain, the lowest first: a resolution goes to who stands below. */
const chain = [
  "dev tester docs",
  "senior qa qa-lead qa-code scout critic security debugger",
  "lead",
  "architect",
  "owner",
  "user",
].map((level) => level.split(" "));

interface Person {
  readonly role: Role;
  readonly place: Place;
}

/** The department that counts: the one registered, else that of the role. */
function standing({ role, place }: Person): Place {
  if (place !== "none") return place;
  if (role === "owner") return "owner";
  return "critic scout debugger security".split(" ").includes(role) ? "shared" : "none";
}

/** Whether agents of two departments talk at all, beside the types that go across: semantics.md section 2. */
function talk(sender: Person, receiver: Person): boolean {
  const [from, to] = [standing(sender), standing(receiver)];
  if (from === "none" || to === "none" || from === to) return true;
  if (from === "owner") return receiver.role === "lead" || receiver.role === "architect";
  if (to === "owner") return sender.role === "lead" || sender.role === "architect";
  if (from === "shared") return receiver.role === "lead";
  return to === "shared" && sender.role === "lead";
}

function wanted(
  [type, senders, receivers, from, to]: (typeof table)[number],
  sender: Person,
  receiver: Person,
): string {
  if (!senders.split(" ").includes(sender.role)) return "sender-not-authorised";
  if (from !== undefined && !from.split(" ").includes(standing(sender))) return "sender-not-authorised";
  if (!receivers.split(" ").includes(receiver.role)) return "receiver-not-authorised";
  if (to !== undefined) {
    const isOther = standing(sender) !== standing(receiver);
    return isOther && to.split(" ").includes(standing(receiver)) ? "accepted" : "receiver-not-authorised";
  }
  const rank = ({ role }: Person) => chain.findIndex((level) => level.includes(role));
  if (type === "escalation_resolution" && (rank(receiver) === -1 || rank(receiver) >= rank(sender)))
    return "receiver-not-authorised";
  return talk(sender, receiver) ? "accepted" : "receiver-not-authorised";
}

const people: readonly Person[] = roles.flatMap((role) => places.map((place) => ({ role, place })));

function nameOf({ role, place }: Person, number: number): string {
  return `${role}-${place}-${number}`;
}

const roster: Roster = new Map(
  people.flatMap((person) =>
    [1, 2].map((number): [string, Member] => {
      const agent = nameOf(person, number);
      const department = person.place === "none" ? {} : { department: person.place };
      return [
        agent,
        { agent, role: person.role, dialect: "yolo/1", source: "file", status: "active", session: 1, ...department },
      ];
    }),
  ),
);

function judged(type: string, sender: Person, receiver: Person): string {
  const definition = dialectOf("yolo/1")?.definitions.get(type);
  assert.ok(definition !== undefined, type);
  const to = readAddress(nameOf(receiver, 2));
  assert.ok(to.ok);
  const result = authorise({
    principal: {
      agent: nameOf(sender, 1),
      role: sender.role,
      via: "launcher",
      ...(sender.place === "none" ? {} : { department: sender.place }),
    },
    roster,
    definition: { name: "team", dialects: ["yolo/1"], policy: "enforce", agents: [], routing: [], limits: {} },
    policy: "enforce",
    dialectOf,
    reading: {
      dialect: "yolo/1",
      type,
      message: { type },
      fact: {
        kind: definition.kind,
        head: { phase: null, task: null, authorRole: null, timestamp: null, confidence: null },
        body: {},
      },
    },
    to: [to.value],
    asker: null,
    repeated: null,
  });
  return result.ok ? "accepted" : (result.error[0]?.code ?? "");
}

test("the table has every type of yolo/1", () => {
  assert.deepEqual(
    [...(dialectOf("yolo/1")?.definitions.keys() ?? [])].toSorted(),
    table.map(([type]) => type).toSorted(),
  );
});

for (const row of table) {
  test(`${row[0]}: from each of ${people.length} roles and departments to each of them`, () => {
    let accepted = 0;
    for (const sender of people) {
      for (const receiver of people) {
        const got = judged(row[0], sender, receiver);
        if (got === "accepted") accepted++;
        if (got !== wanted(row, sender, receiver)) {
          assert.equal(got, wanted(row, sender, receiver), `${nameOf(sender, 1)} to ${nameOf(receiver, 2)}`);
        }
      }
    }
    assert.equal(accepted > 0, row[1] !== "", "somebody may, unless Baton alone writes it");
  });
}
