/** A department that has reported stays in its phase; only the person leaves it out, and everybody can see that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../perform/operations/reply.ts";
import { teamKinds } from "../../team/state/kinds.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";

const { agents, dialects } = teamKinds["yolo-departments"];

function codesOf(reply: Reply): readonly string[] {
  return reply.outcome === "refused" ? reply.problems.map(({ code }) => code) : [reply.outcome];
}

const send = (team: TestTeam, agent: string, message: object) => team.as(agent).send(JSON.stringify(message));

function review(...needed: readonly string[]) {
  const order = { dispatch_order: needed, priorities: ["Ship"], risks: [] };
  return { type: "owner_review", phase: "01", departments_needed: needed, ...order };
}

function result(department: string, how: "PASS" | "FAIL") {
  const plans = { plans_completed: 1, plans_total: 1, tdd_coverage: "all" };
  return {
    type: "department_result",
    department,
    phase: "01",
    result: how,
    ...plans,
    qa_result: how,
    security_result: how,
    escalations_to_owner: [],
  };
}

function ship(...approved: readonly string[]) {
  const decision = { decision: "SHIP", departments_approved: approved, integration_qa: "PASS", notes: "" };
  return { type: "owner_signoff", phase: "01", ...decision };
}

async function phase(team: TestTeam) {
  const found = await team.as("owner").phases();
  const [view] = found.ok ? found.value : [];
  assert.ok(view !== undefined);
  return view;
}

/** Backend passed, frontend failed. */
async function failed(): Promise<TestTeam> {
  const team = await testTeam({ agents, dialects });
  for (const [agent, message] of [
    ["owner-1", review("backend", "frontend")],
    ["backend-lead-1", result("backend", "PASS")],
    ["frontend-lead-1", result("frontend", "FAIL")],
  ] as const)
    assert.deepEqual(codesOf(await send(team, agent, message)), ["accepted"]);
  return team;
}

test("an agent owner does not narrow a failed department away", async () => {
  await using team = await failed();
  assert.deepEqual(codesOf(await send(team, "owner-1", review("backend"))), ["human-required"]);
  assert.deepEqual(codesOf(await send(team, "owner-1", review("backend", "frontend", "uiux"))), ["accepted"]);
  assert.deepEqual(codesOf(await send(team, "owner-1", review("backend", "frontend"))), ["accepted"]);
  const shipped = codesOf(await send(team, "owner-1", ship("backend")));
  assert.ok(shipped.length > 0 && shipped.every((code) => code === "not-ready"), JSON.stringify(shipped));
  for (const agent of ["owner-1", "backend-lead-1", "backend-architect-1", "frontend-lead-1"]) {
    const asked = { department: "frontend", reason: "in the way" };
    assert.deepEqual(codesOf(await team.as(agent).excludeDepartment(asked)), ["human-required"], agent);
  }
});

test("a department that reports its failure after the owner narrowed it away is needed again", async () => {
  await using team = await testTeam({ agents, dialects });
  await send(team, "owner-1", review("backend"));
  await send(team, "backend-lead-1", result("backend", "PASS"));
  await send(team, "frontend-lead-1", result("frontend", "FAIL"));
  assert.match((await phase(team)).missing?.join() ?? "", /frontend did not pass/);
  assert.ok(codesOf(await send(team, "owner-1", ship("backend"))).includes("not-ready"));
});

test("the person leaves a failed department out, with a reason that the phase, the decision and the log show", async () => {
  await using team = await failed();
  const person = team.as("owner");
  assert.deepEqual(codesOf(await person.excludeDepartment({ department: "frontend", reason: " " })), ["missing-field"]);
  assert.deepEqual(codesOf(await person.excludeDepartment({ department: "sales", reason: "x" })), ["wrong-value"]);
  assert.deepEqual(codesOf(await person.excludeDepartment({ department: "uiux", reason: "x" })), ["wrong-value"]);
  const asked = { department: "frontend", reason: "ships next week" };
  assert.deepEqual(codesOf(await person.excludeDepartment({ ...asked, phase: "7" })), ["not-found"]);
  assert.deepEqual(codesOf(await person.excludeDepartment(asked)), ["accepted"]);
  const again = await person.excludeDepartment(asked);
  assert.ok(again.outcome === "accepted" && again.notes.some(({ code }) => code === "already-so"));
  const view = await phase(team);
  const [only, ...others] = view.excluded;
  assert.deepEqual(
    [only?.department, only?.by, only?.reason, only?.result, others.length],
    ["frontend", "owner", "ships next week", "FAIL", 0],
  );
  assert.ok(
    view.departments.some(({ department }) => department === "frontend"),
    "it is shown still",
  );
  const shipped = await send(team, "owner-1", ship("backend"));
  assert.ok(shipped.outcome === "accepted");
  assert.match(shipped.notes.map(({ message }) => message).join(), /frontend reported FAIL and was left out by owner/);
  const lines: string[] = [];
  for await (const line of person.log({ kinds: ["command"] })) lines.push(JSON.stringify(line));
  assert.match(lines.join(), /left frontend out: ships next week/);
});

test("an owner that needs a department again takes it in again", async () => {
  await using team = await failed();
  await team.as("owner").excludeDepartment({ department: "frontend", reason: "ships next week" });
  assert.deepEqual(codesOf(await send(team, "owner-1", review("backend"))), ["accepted"]);
  assert.deepEqual(codesOf(await send(team, "owner-1", review("backend", "frontend"))), ["accepted"]);
  assert.deepEqual((await phase(team)).excluded, []);
  assert.ok(codesOf(await send(team, "owner-1", ship("backend"))).includes("not-ready"));
});

test("who reported a department's result does not ship it, whatever it is called now", async () => {
  await using team = await failed();
  await team.as("owner").excludeDepartment({ department: "frontend", reason: "ships next week" });
  await team.as("owner").retire({ agent: "backend-lead-1" });
  const owner = { agent: "backend-lead-1", role: "owner", department: "owner" } as const;
  assert.deepEqual(codesOf(await team.as("owner").register(owner)), ["accepted"]);
  assert.deepEqual(codesOf(await send(team, "backend-lead-1", ship("backend"))), ["own-request"]);
});

test("a phase of which only departments have spoken is known, by the name that they wrote", async () => {
  await using team = await testTeam({ agents, dialects });
  const person = team.as("owner");
  const unknown = await person.skipStep({ step: "planning", reason: "x" });
  assert.match(unknown.outcome === "refused" ? (unknown.problems[0]?.hint ?? "") : "", /baton task add TITLE --plan/);
  await send(team, "backend-lead-1", result("backend", "PASS"));
  assert.equal((await phase(team)).phase, "01");
  const skipped = { step: "planning", department: "uiux", reason: "drawn before" };
  for (const named of [{ phase: "01" }, { phase: "1" }, {}])
    assert.deepEqual(codesOf(await person.skipStep({ ...skipped, ...named })), ["accepted"]);
  const left = { department: "frontend", phase: "01", reason: "ships next week" };
  assert.deepEqual(codesOf(await person.excludeDepartment(left)), ["accepted"]);
  assert.match((await phase(team)).missing?.join() ?? "", /^Phase 01 cannot ship/);
  const endpoints = [{ method: "POST", path: "/codes", request: {}, response: {} }];
  const contract = { type: "api_contract", direction: "frontend_to_backend", endpoints, status: "proposed" };
  await send(team, "frontend-lead-1", contract);
  assert.equal((await phase(team)).apis.length, 1, "what names no phase is of the one that another spoke of");
});

test("endpoints are agreed before any phase is named, and by departments that work in different phases", async () => {
  const says = async (team: TestTeam, from: string, to: string, status: string, path = "/codes") => {
    const endpoints = [{ method: "POST", path, request: {}, response: {} }];
    const word = { type: "api_contract", direction: `${from}_to_${to}`, endpoints, status };
    assert.deepEqual(codesOf(await send(team, `${from}-lead-1`, word)), ["accepted"]);
  };
  const progress = { type: "phase_progress", step: "planning", plans_complete: 0, plans_total: 1, percent_complete: 0 };
  await using team = await testTeam({ agents, dialects });
  await says(team, "frontend", "backend", "proposed");
  for (const [department, name] of [
    ["frontend", "01"],
    ["backend", "02"],
  ])
    await send(team, `${department}-lead-1`, { ...progress, department, phase: name, blockers: [], eta: "" });
  await says(team, "backend", "frontend", "agreed");
  await says(team, "backend", "frontend", "proposed", "/sent");
  await says(team, "frontend", "backend", "agreed", "/sent");
  const found = await team.as("owner").phases();
  assert.deepEqual(found.ok ? found.value.map(({ apis }) => apis.map(({ status }) => status)) : [], [
    ["agreed"],
    ["agreed", "agreed"],
  ]);
});

test("a phase that no agent may ship waits for the person, who ships it by the command, and the leads are told", async () => {
  const without = agents.filter(({ role }) => role !== "owner");
  await using team = await testTeam({ agents: without, dialects });
  const person = team.as("owner");
  const waiting = async () => {
    const found = await person.needs();
    assert.ok(found.ok);
    return found.value.needs.filter(({ kind }) => kind === "signoff").map(({ target }) => target);
  };
  for (const department of ["backend", "frontend"])
    await send(team, `${department}-lead-1`, result(department, "PASS"));
  const early = await person.endPhase({ phase: "1" });
  assert.deepEqual(codesOf(early), ["not-ready"]);
  assert.match(JSON.stringify(early), /uiux has not reported/);
  assert.deepEqual(await waiting(), []);
  await send(team, "uiux-lead-1", result("uiux", "PASS"));
  assert.deepEqual(await waiting(), ["01"]);
  const ended = await team.as("backend-lead-1").endPhase({ phase: "1" });
  assert.deepEqual(codesOf(ended), ["sender-not-authorised"]);
  assert.match(JSON.stringify(ended), /baton phase end --phase 01/);
  assert.deepEqual(codesOf(await person.endPhase({ phase: "1" })), ["accepted"]);
  assert.deepEqual(await waiting(), []);
  const { signoff } = await phase(team);
  assert.deepEqual([signoff?.decision, signoff?.by], ["SHIP", "owner"]);
  for (const department of ["backend", "frontend", "uiux"]) {
    const inbox = await team.as(`${department}-lead-1`).inbox();
    assert.ok(inbox.ok);
    const [told] = inbox.value.deliveries.filter(({ type }) => type === "owner_signoff");
    const { departments_approved: approved, decision } = JSON.parse(JSON.stringify(told?.message));
    assert.deepEqual([decision, approved.toSorted()], ["SHIP", ["backend", "frontend", "uiux"]]);
  }
});

test("a phase that the person holds waits again once a department has reported anew", async () => {
  await using team = await failed();
  const kinds = async () => {
    const found = await team.as("owner").needs();
    return found.ok ? found.value.needs.map(({ kind }) => kind) : [];
  };
  await send(team, "frontend-lead-1", result("frontend", "PASS"));
  assert.deepEqual(await kinds(), [], "an agent of the role owner ships it");
  await team.as("owner").retire({ agent: "owner-1" });
  assert.deepEqual(await kinds(), ["signoff"]);
  const hold = {
    type: "owner_signoff",
    phase: "01",
    decision: "HOLD",
    departments_approved: [],
    integration_qa: "FAIL",
  };
  assert.deepEqual(codesOf(await send(team, "owner", hold)), ["accepted"]);
  assert.deepEqual(await kinds(), []);
  await send(team, "frontend-lead-1", { ...result("frontend", "PASS"), tdd_coverage: "more" });
  assert.deepEqual(await kinds(), ["signoff"]);
});
