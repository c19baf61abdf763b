/** How agents in the programs come to hold a plan without a claim message, by the server that the programs start. */
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "../e2e/called.ts";
import { contract, jsonLines, team } from "../e2e/command.ts";
import { teammate } from "../e2e/hook-call.ts";
import { clients, programSession } from "./clients.ts";
import { good } from "./every-tool.ts";

test("a teammate holds the plan that its lead starts it with, by file, by number or by the program's task; nobody takes it from it", async () => {
  const directory = team();
  appendFileSync(join(directory, ".baton/team.yaml"), 'names:\n  - {pattern: "vbw-dev-*", role: dev, max: 4}\n');
  for (const plan of ["1-1", "1-2", "1-3"]) {
    const tasks = [`${plan}-T1`, `${plan}-T2`];
    const terms = { phase_id: "phase-1", objective: "Cart", allowed_paths: ["src/"], must_haves: ["It works"] };
    const more = { id: `plan-${plan}`, task: `${plan}-T1`, payload: { plan_id: plan, tasks, ...terms } };
    await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract([], more));
  }
  await using lead = await programSession(directory, "claude-code", "lead-1");
  const ask = async (event: string, who: object, more: object) =>
    (await lead.call("hook", { hook_event_name: event, session_id: "s1", agent_id: "", ...who, ...more })).text;
  const uses = async (tool: string, input: object, who: object = {}) =>
    await ask("PreToolUse", who, { tool_name: tool, tool_use_id: "u", tool_input: JSON.stringify(input) });
  const start = (name: string) => ask("SubagentStart", teammate(name), {});
  const held = async (agent: string) =>
    jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]))
      .filter(({ holder }) => holder === agent)
      .map(({ task }) => task);
  // By the file in its prompt.
  const prompt = "Execute .vbw-planning/phases/01-cart/01-02-PLAN.md, then report.";
  assert.equal(await uses("Agent", { name: "vbw-dev-07", prompt, description: "Cart" }), "{}");
  assert.match(await start("vbw-dev-07"), /vbw-dev-07 holds 1-2-T1, 1-2-T2 from now on/);
  // By its number, which is that of one open plan.
  assert.match(await start("vbw-dev-01"), /vbw-dev-01 holds 1-1-T1, 1-1-T2/);
  // By the program's own task, of which only the answer to its creation says what it is about.
  const created = {
    tool_name: "TaskCreate",
    tool_input: "{}",
    tool_response: { task: { id: "4", subject: "Execute 01-03: tax" } },
  };
  await ask("PostToolUse", {}, created);
  await uses("TaskUpdate", { taskId: "4", owner: "dev-1" });
  await ask("PostToolBatch", teammate("dev-1"), {});
  assert.deepEqual(await held("dev-1"), ["1-3-T1", "1-3-T2"]);
  assert.match(
    await uses("TaskUpdate", { taskId: "4", status: "in_progress" }, teammate("vbw-dev-07")),
    /"permissionDecision":"deny".*dev-1 holds/,
  );
  // Controls: words that name several plans or none, a role that writes nothing, and the number of no plan.
  for (const [name, words] of [
    ["vbw-dev-08", "01-01-PLAN.md and 01-02-PLAN.md"],
    ["vbw-dev-09", "Execute plan 1-1."],
  ] as const) {
    await uses("Agent", { name, prompt: words });
    assert.doesNotMatch(await start(name), /holds/);
  }
  await uses("TaskUpdate", { taskId: "4", status: "in_progress" }, teammate("qa-1"));
  assert.deepEqual(await held("qa-1"), []);
  // The files of a plan are a forecast: another agent edits one that nobody holds.
  const input = { file_path: join(directory, "src/feature.js") };
  assert.equal(await uses("Write", input, teammate("vbw-dev-01")), "{}");
});

test("the only developer holds what contracts order; a plan is begun by its number in the phase at work; a done task frees the rest", async () => {
  const directory = team();
  appendFileSync(join(directory, ".baton/team.yaml"), 'names:\n  - {pattern: "vbw-dev-*", role: dev, max: 4}\n');
  const orders = async (plan: string) => {
    const terms = { phase_id: "phase-1", objective: "Cart", allowed_paths: ["src/"], must_haves: ["It works"] };
    const payload = { plan_id: plan, tasks: [`${plan}-T1`, `${plan}-T2`], ...terms };
    const more = { id: `plan-${plan}`, phase: Number(plan[0]), task: `${plan}-T1`, payload };
    await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract([], more));
  };
  const holders = async () =>
    Object.fromEntries(
      jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"])).map(({ task, holder }) => [
        task,
        holder,
      ]),
    );
  await using dev = await programSession(directory, "codex", "dev-1");
  const meta = { threadId: "s1", sessionId: "s1" };
  const ask = async (event: string) =>
    (await dev.call("hook", { hook_event_name: event, session_id: "s1", cwd: directory }, meta)).text;
  await ask("SessionStart");
  await orders("1-1");
  assert.match(await ask("PostToolUse"), /plan_contract from lead-1.*dev-1 holds 1-1-T1, 1-1-T2 from now on/);
  assert.deepEqual(await holders(), { "1-1-T1": "dev-1", "1-1-T2": "dev-1" });
  // A second developer: what comes now is nobody's.
  await calledWithCode(0, directory, ["agent", "register", "dev-2", "--role", "dev"]);
  await orders("1-2");
  await orders("2-2");
  assert.doesNotMatch(await ask("PostToolUse"), /holds/);
  await using lead = await programSession(directory, "claude-code", "lead-1");
  const start = { hook_event_name: "SubagentStart", session_id: "s2", ...teammate("vbw-dev-02") };
  assert.match((await lead.call("hook", start)).text, /vbw-dev-02 holds 1-2-T1, 1-2-T2 from now on/);
  // The program's task is done, and nothing of the plan is reported: it is not done, and free.
  const done = {
    session_id: "s2",
    cwd: directory,
    task_id: "4",
    task_subject: "Execute 01-02: tax",
    ...teammate("vbw-dev-02"),
  };
  const input = JSON.stringify({ hook_event_name: "TaskCompleted", teammate_name: "vbw-dev-02", ...done });
  const finished = await called(
    directory,
    ["hook", "TaskCompleted", "--program", "claude-code", "--as", "lead-1"],
    input,
  );
  assert.equal(finished.code, 0, finished.stderr);
  const free = { "1-2-T1": null, "1-2-T2": null, "2-2-T1": null, "2-2-T2": null };
  assert.deepEqual(await holders(), { "1-1-T1": "dev-1", "1-1-T2": "dev-1", ...free });
});

test("the company line's way to claim, a status that the program's task does not have, claims that task for its caller alone", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["agent", "register", "dev-2", "--role", "dev"]);
  for (const task of ["T1", "T2"]) await calledWithCode(0, directory, ["task", "add", task]);
  await using lead = await programSession(directory, "claude-code", "lead-1");
  const claims = async (agent: string, input: object) =>
    (
      await lead.call("hook", {
        hook_event_name: "PreToolUse",
        session_id: "s1",
        tool_name: "TaskUpdate",
        tool_use_id: "u",
        tool_input: JSON.stringify({ status: "claimed", ...input }),
        ...teammate(agent),
      })
    ).text;
  const holders = async () =>
    jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"])).map(({ task, holder }) => [task, holder]);
  assert.equal(await claims("dev-1", { task_id: "T1", assignee: "dev-1" }), "{}");
  // For another agent nobody claims.
  assert.equal(await claims("dev-1", { task_id: "T2", assignee: "dev-2" }), "{}");
  assert.deepEqual(await holders(), [
    ["T1", "dev-1"],
    ["T2", null],
  ]);
  assert.match(await claims("dev-2", { task_id: "T1" }), /"permissionDecision":"deny".*Not claimed.*dev-1/);
  assert.match(await claims("dev-2", { task_id: "T9" }), /"permissionDecision":"deny".*Not claimed/);
  assert.equal(await claims("dev-2", { task_id: "T2" }), "{}");
  assert.deepEqual((await holders()).at(-1), ["T2", "dev-2"]);
});

test("a list that an agent adds with the tool is of the plan that it names", async () => {
  const directory = team();
  const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");
  const lead = await connect({ directory, words: ["mcp", "--as", "lead-1"] });
  await good(lead.call("task", { action: "plan", plan: "1-2", text: "- Sign in\n- Sign out" }));
  const listed = jsonLines(await calledWithCode(0, directory, ["task", "list", "--plan", "1-2", "--json"]));
  assert.deepEqual(
    listed.map(({ title }) => title),
    ["Sign in", "Sign out"],
  );
  await lead.close();
});
