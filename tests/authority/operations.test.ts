/**
 * The operations against one table, as the messages are: which role registers and retires which, decides and raises what
 * waits at which level, answers what is asked, leaves a step out and ends a phase. Nobody may do by an operation what a
 * message would refuse. The table is written by hand from docs/protocol/authority.md, sections 11 to 16.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Role, roles } from "../../src/messages/role.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";

const belowLead = words("dev tester docs senior qa qa-lead qa-code scout critic debugger");

/** Who decides what waits at a level, and who hands it up from there. */
const deciders = {
  senior: words("senior lead architect owner user"),
  lead: words("lead architect owner user"),
  architect: words("architect owner user"),
} as const;

/** Roles that do the other operations, where no departments are at work. */
const operators = {
  register: words("lead"),
  answer: words("lead architect"),
  skip: words("lead architect owner"),
  plan: words("lead architect"),
  stop: words("lead"),
  reassign: words("lead"),
} as const;

function words(text: string): readonly string[] {
  return text.split(" ");
}

const nameOf = (role: Role) => `${role}-1`;
const everybody = [...roles.map((role) => ({ agent: nameOf(role), role })), { agent: "dev-2", role: "dev" as const }];
const codeOf = (reply: Reply) => (reply.outcome === "refused" ? (reply.problems[0]?.code ?? "") : reply.outcome);

type Act = (team: TestTeam, role: Role) => Promise<Reply>;

/** How a role learns that it may not: by the rule, or because its dialect has no word for it. */
const notPermitted = words("sender-not-authorised human-required");
const noWord = words("wrong-value unknown-type unknown-dialect identity-mismatch");

/** The roles that may do it, each tried in a separate team. `without`: further codes that mean that it may not. */
async function permitted(
  dialect: "vbw/2" | "yolo/1",
  act: Act,
  without: readonly string[] = [],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const role of roles) {
    await using team = await testTeam({ agents: everybody, dialects: [dialect] });
    const reply = await act(team, role);
    if ([...notPermitted, ...without].includes(codeOf(reply))) continue;
    assert.equal(reply.outcome, "accepted", `${role}: ${JSON.stringify(reply)}`);
    found.push(role);
  }
  return found.toSorted();
}

test("each role registers and retires the roles that the table names, and no other", async () => {
  await using team = await testTeam({ agents: everybody });
  for (const by of roles) {
    for (const role of roles) {
      const isAllowed = operators.register.includes(by) && belowLead.includes(role);
      const agent = `new-${by}-${role}`;
      const registered = await team.as(nameOf(by)).register({ agent, role });
      assert.equal(codeOf(registered), isAllowed ? "accepted" : "sender-not-authorised", `${by} registers ${role}`);
      if (!isAllowed) assert.equal(codeOf(await team.as("owner").register({ agent, role })), "accepted");
      const retired = await team.as(nameOf(by)).retire({ agent });
      assert.equal(codeOf(retired), isAllowed ? "accepted" : "sender-not-authorised", `${by} retires ${role}`);
    }
  }
});

const blocked = {
  type: "dev_blocker",
  task: "01-02/T1",
  plan_id: "01-02",
  blocker: "The module is missing",
  needs: "01-01 first",
  attempted: [],
};
const id = "ESC-01-02-T1";

/** A developer's escalation that waits at a level. */
async function waitingAt(team: TestTeam, level: keyof typeof deciders): Promise<void> {
  assert.equal((await team.as("dev-2").send(JSON.stringify(blocked))).outcome, "accepted");
  for (const below of ["senior", "lead"] as const) {
    if (level === below) return;
    assert.equal((await team.as(nameOf(below)).raise({ escalation: id })).outcome, "accepted");
  }
}

for (const level of ["senior", "lead", "architect"] as const) {
  test(`what waits at ${level} is decided by those whom the table names, by operation as by message`, async () => {
    const byOperation = await permitted("yolo/1", async (team, role) => {
      await waitingAt(team, level);
      return team.as(nameOf(role)).resolve({ escalation: id, decision: "Use another" });
    });
    assert.deepEqual(byOperation, deciders[level].toSorted());
    const decide: Act = async (team, role) => {
      await waitingAt(team, level);
      const decision = { original_escalation: id, decision: "Use another", rationale: "", action_items: [] };
      const message = { type: "escalation_resolution", ...decision, resolved_by: role };
      return team.as(nameOf(role)).send(JSON.stringify(message), { to: ["dev-2"] });
    };
    const byMessage = await permitted("yolo/1", decide, noWord);
    // A senior has another message for it, which says what to change.
    assert.deepEqual(
      byMessage,
      byOperation.filter((role) => role !== "senior"),
    );
  });

  test(`what waits at ${level} is escalated by that level alone`, async () => {
    const raised = await permitted("yolo/1", async (team, role) => {
      await waitingAt(team, level);
      return team.as(nameOf(role)).raise({ escalation: id });
    });
    assert.deepEqual(raised, [level]);
  });
}

test("nobody but the senior raises by a message what waits for the senior, named or not", async () => {
  const raise = { type: "escalation", to: "lead", evidence: [], recommendation: "", severity: "major" };
  for (const role of roles.filter((each) => each !== "senior")) {
    await using team = await testTeam({ agents: everybody, dialects: ["yolo/1"] });
    await waitingAt(team, "senior");
    for (const more of [{ original_escalation: id }, { original_escalation: id, task: "01-02/T1" }, {}]) {
      for (const from of ["dev", "senior"]) {
        const message = { ...raise, from, issue: `I take this (${JSON.stringify(more)})`, ...more };
        await team.as(nameOf(role)).send(JSON.stringify(message));
      }
    }
    const found = await team.as("owner").escalations();
    assert.equal(found.ok ? found.value.find((each) => each.id === id)?.level : "", "senior", role);
  }
});

test("a request is answered by those whom the table names", async () => {
  const answered = await permitted(
    "vbw/2",
    async (team, role) => {
      const asked = { subject: "More files", request_type: "scope_change", evidence: "src/b.ts is missing" };
      const request = typedMessage("approval_request", asked, { id: "request-1" });
      assert.equal((await team.as("dev-2").send(JSON.stringify(request))).outcome, "accepted");
      return team.as(nameOf(role)).answer({ request: "request-1", approved: true, reason: "Yes" });
    },
    noWord,
  );
  assert.deepEqual(answered, operators.answer.toSorted());
});

test("a held task is reassigned by those whom the table names", async () => {
  const reassigned = await permitted("vbw/2", async (team, role) => {
    assert.equal((await team.as("owner").addTask({ task: "1-1-T1" })).outcome, "accepted");
    assert.equal((await team.as("dev-2").claim({ task: "1-1-T1" })).outcome, "accepted");
    return team.as(nameOf(role)).reassign({ task: "1-1-T1", to: nameOf("tester") });
  });
  assert.deepEqual(reassigned, operators.reassign);
});

const contract = {
  plan_id: "1-1",
  phase_id: "phase-1",
  objective: "Greet",
  tasks: ["1-1-T1"],
  allowed_paths: ["src/"],
  must_haves: ["It greets"],
};

/** A phase of one plan, on which a developer has worked. */
async function phaseBegun(team: TestTeam): Promise<void> {
  const issued = typedMessage("plan_contract", contract, { author_role: "lead" });
  assert.equal((await team.as("lead-1").send(JSON.stringify(issued), { to: ["dev-2"] })).outcome, "accepted");
}

const others: readonly (readonly [name: keyof typeof operators, says: string, act: Act])[] = [
  ["skip", "a step is left out", (team, role) => team.as(nameOf(role)).skipStep({ step: "qa", reason: "None" })],
  ["plan", "a task is added", (team, role) => team.as(nameOf(role)).addTask({ task: "1-1-T9", files: ["src/a.ts"] })],
  [
    "stop",
    "agents are asked to stop",
    (team, role) => team.as(nameOf(role)).startShutdown({ reason: "phase_complete", agents: ["dev-2"] }),
  ],
];
for (const [name, says, act] of others) {
  test(`${says} by those whom the table names`, async () => {
    const did = await permitted("vbw/2", async (team, role) => {
      await phaseBegun(team);
      return act(team, role);
    });
    assert.deepEqual(did, operators[name].toSorted());
  });
}
