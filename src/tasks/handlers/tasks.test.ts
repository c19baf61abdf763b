import assert from "node:assert/strict";
import { test } from "node:test";
import { leaseSecondsDefault } from "../../base/limits.ts";
import { reviseTeam } from "../../team/handlers/revision.ts";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, type TestTeamOptions, testTeam } from "../../testing/test-team.ts";

async function crew(more: Partial<TestTeamOptions> = {}): Promise<TestTeam> {
  const team = await testTeam({
    ...more,
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
      { agent: "dev-y", role: "dev", dialect: "yolo/1" },
      { agent: "senior-1", role: "senior", dialect: "yolo/1" },
    ],
    dialects: ["vbw/2", "yolo/1"],
  });
  const issued = await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")));
  assert.equal(issued.outcome, "accepted");
  return team;
}

async function listed(team: TestTeam, agent = "owner") {
  const tasks = await team.as(agent).tasks();
  assert.ok(tasks.ok);
  return tasks.value.map(({ task, state, holder }) => [task, state, holder]);
}

test("a contract brings its tasks, and hands add more or say which files they touch", async () => {
  await using team = await crew();
  const lead = team.as("lead-1");
  const described = await lead.addTask({ task: "1-1-T2", files: ["src/b.js"], title: "Greet back" });
  assert.equal(described.outcome, "accepted");
  assert.equal((await lead.addTask({ task: "T3", plan: "1-1", dependsOn: ["T1"] })).outcome, "accepted");
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "available", null],
    ["1-1-T2", "available", null],
    ["T3", "blocked", null],
  ]);
  const refused = await team.as("dev-1").addTask({ task: "1-1-T4" });
  assert.equal(refused.outcome === "refused" && refused.problems[0]?.code, "sender-not-authorised");
});

test("a title is enough: the answer has the number, and who holds the task reads what it is now", async () => {
  await using team = await crew();
  const owner = team.as("owner");
  const added = await owner.addTask({ task: "Totals carry tax", criteria: ["gross is net and tax"] });
  assert.ok(added.outcome === "accepted", JSON.stringify(added));
  assert.equal(added.task, "3");
  assert.deepEqual((await listed(team)).at(-1), ["3", "available", null]);
  assert.equal((await team.as("dev-1").claim({ task: "3" })).outcome, "accepted");
  assert.equal((await team.as("dev-1").claim({ task: "1" })).outcome, "accepted");
  const again = await owner.addTask({ task: "3", description: "Rates are in rates.json", priority: "high" });
  assert.ok(again.outcome === "accepted" && again.task === "3", JSON.stringify(again));
  const mail = await team.as("dev-1").inbox();
  assert.ok(mail.ok);
  assert.deepEqual(
    mail.value.deliveries.slice(1).map(({ message }) => message),
    [
      "owner described 3, which you hold, anew.\nDescription: Rates are in rates.json\nDone when 1: gross is net and tax\nWhat to do, dev-1: go on by these words.",
    ],
  );
  const story = await owner.task({ task: "3" });
  assert.ok(story.ok);
  assert.deepEqual(
    [story.value.description, story.value.criteria, story.value.task.priority],
    ["Rates are in rates.json", ["gross is net and tax"], "high"],
  );
  const first = await owner.tasks({ task: "1" });
  assert.deepEqual(first.ok && first.value.map(({ task, holder }) => [task, holder]), [["1-1-T1", "dev-1"]]);
  const lines = [];
  for await (const line of owner.log({ task: "1" })) lines.push(line.ok && line.value.type);
  assert.deepEqual(lines, ["plan_contract", "claim-task"]);
  const stranger = await owner.addTask({ title: "x", agent: "dev-9" });
  assert.equal(stranger.outcome === "refused" && stranger.problems[0]?.code, "unknown-agent");
});

test("a claim says what the contract of its plan asks and allows", async () => {
  await using team = await crew();
  const granted = await team.as("dev-1").claim({ task: "1-1-T1" });
  assert.ok(granted.outcome === "accepted");
  const { objective, must_haves, allowed_paths } = typedMessage("plan_contract").payload as {
    readonly [field: string]: unknown; // as documented
  };
  const said = granted.order?.description ?? "";
  for (const words of [objective, must_haves, allowed_paths].flat()) assert.ok(said.includes(String(words)), said);
});

test("a claim without a task takes the most urgent that is free, and says what is to be done", async () => {
  await using team = await testTeam({ agents: ["dev-1", "dev-2", "dev-3"].map((agent) => ({ agent, role: "dev" })) });
  const owner = team.as("owner");
  const next = async (agent: string) => {
    const reply = await team.as(agent).claim({ task: "next" });
    assert.ok(reply.outcome !== "failed");
    return reply.outcome === "accepted" ? reply : reply.problems[0]?.message;
  };
  assert.equal(await next("dev-1"), "There is no task yet.");
  const criteria = ["total() returns gross", "the page shows it"];
  for (const task of [
    { title: "later", priority: "low" },
    { title: "first", files: ["src/cart.js"], description: "See rates.json", criteria, checks: ["npm test"] },
    { title: "behind it", dependsOn: ["2"], priority: "urgent" },
    { title: "in the same file", files: ["src/cart.js"], priority: "normal" },
    { title: "for dev-3", agent: "dev-3" },
  ] as const)
    assert.equal((await owner.addTask(task)).outcome, "accepted");
  const got = await next("dev-1");
  assert.ok(typeof got === "object");
  assert.deepEqual(
    [got.task, got.files, got.order],
    [
      "2",
      ["src/cart.js"],
      { number: 2, title: "first", description: "See rates.json", criteria, checks: ["npm test"] },
    ],
  );
  const again = await next("dev-1");
  assert.ok(typeof again === "object" && again.task === "2" && again.token === got.token, "what it holds comes first");
  const low = await next("dev-2");
  assert.ok(
    typeof low === "object" && low.task === "1",
    "the file of the second is held, and the fifth is meant for dev-3",
  );
  const own = await next("dev-3");
  assert.ok(typeof own === "object" && own.task === "5");
  assert.equal((await owner.register({ agent: "lead-1", role: "lead" })).outcome, "accepted");
  const lead = await team.as("lead-1").claim({ task: "next" });
  assert.match((lead.outcome === "refused" && lead.problems[0]?.hint) || "", /claim one by its id to do it yourself/);
  const done = await team.as("dev-1").complete({ task: "2", commit: "abc1234", evidence: "1: npm test passes" });
  assert.ok(done.outcome === "accepted");
  assert.match(done.notes.map(({ message }) => message).join(), /no evidence for: 2\. the page shows it/);
  const urgent = await next("dev-1");
  assert.ok(typeof urgent === "object" && urgent.task === "3" && urgent.order?.dependsOn?.[0] === "2");
  assert.equal((await team.as("dev-2").complete({ task: "1", commit: "abc1235" })).outcome, "accepted");
  const last = await next("dev-2");
  assert.ok(typeof last === "object" && last.task === "4");
  assert.equal((await team.as("dev-3").complete({ task: "5", commit: "abc1236" })).outcome, "accepted");
  assert.equal(await next("dev-3"), "No task is free for dev-3: 2 open tasks, held, waiting, or meant for others.");
  const idle = await team.as("dev-3").claim({ task: "next" });
  assert.equal(idle.outcome === "refused" && idle.receipt, null, "nobody has to know who asked in vain");
  for (const [agent, task] of [
    ["dev-1", "3"],
    ["dev-2", "4"],
  ] as const)
    assert.equal((await team.as(agent).complete({ task, commit: `abc123${task}` })).outcome, "accepted");
  const over = await team.as("dev-3").claim({ task: "next" });
  assert.deepEqual(over.outcome === "refused" && [over.problems[0]?.message, over.denial?.reason], [
    "Every task is done.",
    "done",
  ]);
});

test("the next task is of the agent's own department, and of one that waits for no design; by its id any is given, with a note", async () => {
  const roster = (["uiux", "frontend", "backend"] as const).flatMap(
    (department) =>
      [
        { agent: `${department}-lead`, role: "lead", department },
        { agent: `${department}-dev`, role: "dev", department },
      ] as const,
  );
  await using team = await testTeam({ agents: roster, dialects: ["yolo/1"] });
  const next = async (agent: string, task = "next") => {
    const reply = await team.as(agent).claim({ task });
    assert.ok(reply.outcome !== "failed");
    return reply.outcome === "accepted" ? [reply.task, ...reply.notes.map(({ code }) => code)] : ["none"];
  };
  await team.as("uiux-lead").addTask({ task: "1-1-T1", plan: "1-1" });
  assert.deepEqual(await next("backend-dev"), ["none"]);
  await team.as("backend-lead").addTask({ task: "1-2-T1", plan: "1-2" });
  const order = ["uiux", "backend"];
  const review = {
    type: "owner_review",
    phase: "01",
    departments_needed: order,
    dispatch_order: order,
    priorities: [],
  };
  const sent = await team.as("owner").send(JSON.stringify({ ...review, risks: [] }));
  assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
  assert.deepEqual(await next("backend-dev"), ["none"], "the design is not handed over");
  await team.as("uiux-lead").addTask({ task: "1-1-T2", plan: "1-1" });
  assert.deepEqual(await next("uiux-dev"), ["1-1-T1"]);
  assert.deepEqual(await next("frontend-dev", "1-1-T2"), ["1-1-T2", "other-department"]);
  const done = await team.as("frontend-dev").complete({ task: "1-1-T2", commit: "abc1234" });
  assert.ok(done.outcome === "accepted" && done.notes.some(({ code }) => code === "other-department"));
});

test("the tasks of a list come in one entry, each with its number and what it waits for, or none comes", async () => {
  await using team = await crew();
  const owner = team.as("owner");
  const added = await owner.addPlan({
    text: "# Taxes\n1. Totals (high)\n   - gross\n2. A page\n   after: 1, 1-1-T1\n3. A page\n",
  });
  assert.ok(added.outcome === "accepted", JSON.stringify(added));
  assert.deepEqual(added.tasks, [
    { task: "3", title: "Totals" },
    { task: "4", title: "A page" },
    { task: "5", title: "A page" },
  ]);
  assert.deepEqual(
    added.notes.map(({ code, path }) => [code, path]),
    [["line-left-out", "line 6"]],
  );
  const [, , totals, page] = await shown(team);
  assert.deepEqual([totals?.priority, page?.dependsOn, page?.state], ["high", ["3", "1-1-T1"], "blocked"]);
  const refused = async (text: string) => {
    const reply = await owner.addPlan({ text });
    return reply.outcome === "refused" ? reply.problems.map(({ code, path }) => `${code} ${path}`) : [];
  };
  assert.deepEqual(await refused("- a\n- b\n  after: 9\n"), ["wrong-value line 2"]);
  assert.deepEqual(await refused("- a\n- b\n  files: ../x\n  agent: dev-1\n"), ["invalid-glob line 2, files[0]"]);
  assert.deepEqual(await refused("- a\n  agent: dev-9\n"), ["unknown-agent line 1"]);
  assert.equal((await shown(team)).length, 5);
  const byDev = await team.as("dev-1").addPlan({ text: "- a" });
  assert.equal(byDev.outcome === "refused" && byDev.problems[0]?.code, "sender-not-authorised");
  const many = await owner.addPlan({ text: "- task\n".repeat(500) });
  assert.ok(many.outcome === "accepted" && many.tasks.at(-1)?.task === "505");
});

async function shown(team: TestTeam) {
  const tasks = await team.as("owner").tasks();
  assert.ok(tasks.ok);
  return tasks.value;
}

test("a developer takes back its own report: the leads are notified, and the phase shows what holds it up", async () => {
  await using team = await crew();
  const dev = team.as("dev-1");
  assert.equal((await dev.complete({ task: "1-1-T1", commit: "abc1234" })).outcome, "accepted");
  const why = ["It loses the last line"];
  const other = await team.as("dev-2").complete({ task: "1-1-T1", status: "failed", deviations: why });
  assert.equal(other.outcome === "refused" && other.problems[0]?.code, "task-done");
  const taken = await dev.complete({ task: "1-1-T1", status: "failed", deviations: why });
  assert.ok(taken.outcome === "accepted", JSON.stringify(taken));
  assert.deepEqual(
    taken.notes.map(({ code }) => code),
    ["report-withdrawn"],
  );
  const mail = await team.as("lead-1").inbox();
  assert.ok(mail.ok);
  const said = mail.value.deliveries.at(-1)?.message;
  assert.match(
    typeof said === "string" ? said : "",
    /^dev-1 took back its report of 1-1-T1 .*\nSaid: It loses the last line\nWhat to do: the task is free/,
  );
  assert.deepEqual((await listed(team))[0], ["1-1-T1", "available", null]);
  const phases = await team.as("owner").phases();
  assert.ok(phases.ok);
  const parts = phases.value.flatMap(({ departments }) => departments);
  assert.deepEqual(parts[0]?.blockers, ["the report of 1-1-T1 was taken back"]);
  // The same under another agent: an agent that claims and reports the task ends its blocker.
  assert.equal((await team.as("dev-2").complete({ task: "1-1-T1", commit: "abc1235" })).outcome, "accepted");
  const again = await team.as("owner").phases();
  assert.ok(again.ok);
  assert.deepEqual(again.value[0]?.departments[0]?.blockers, []);
});

test("files outside the contract are reported when a task is put on the list, not first when it is claimed", async () => {
  await using team = await crew();
  const notesOf = async (more: object) => {
    const added = await team.as("lead-1").addTask({ task: "1-1-T5", ...more });
    assert.equal(added.outcome, "accepted");
    const notes = added.outcome === "accepted" ? added.notes : [];
    return notes.flatMap(({ code, message }) => (code === "task-changed" ? [] : [`${code}: ${message}`]));
  };
  const [outside] = await notesOf({ files: ["src/a.js", "lib/x.js", "**"] });
  assert.match(outside ?? "", /^outside-contract: .*lib\/x\.js, \*\*\. Nobody can claim the task until/);
  assert.equal((await notesOf({ title: "Another title" })).length, 1, "the files are still those");
  const claim = await team.as("dev-1").claim({ task: "1-1-T5" });
  assert.equal(claim.outcome === "refused" && claim.denial?.reason, "outside-contract");
  const shown = async () => {
    const board = await team.as("dev-1").board();
    assert.ok(board.ok);
    return [board.value.available, board.value.outsideContract];
  };
  assert.deepEqual(await shown(), [["1-1-T1", "1-1-T2"], ["1-1-T5"]], "no agent can claim it, so it is not available");
  assert.deepEqual(await notesOf({ files: ["src/a.js"] }), []);
  assert.deepEqual(await shown(), [["1-1-T1", "1-1-T2", "1-1-T5"], []]);
  assert.deepEqual(await notesOf({ task: "2-1-T1", files: ["lib/x.js"] }), [], "its plan has no contract yet");
});

test("the first progress on a task is its claim, where claims are made by edits, and no other task's", async () => {
  const report = (task: string, id: string, status: string) =>
    JSON.stringify(typedMessage("execution_update", { task_id: task, status }, { id, task }));
  await using team = await crew({ claims: "edits" });
  assert.equal((await team.as("dev-1").send(report("1-1-T1", "p-1", "partial"))).outcome, "accepted");
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "claimed", "dev-1"],
    ["1-1-T2", "available", null],
  ]);
  const other = await team.as("dev-2").send(report("1-1-T1", "p-2", "partial"));
  assert.match(JSON.stringify(other), /dev-1 has it since entry/, "who holds it is named");
  assert.equal((await team.as("dev-2").send(report("1-1-T2", "p-3", "complete"))).outcome, "accepted");
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "claimed", "dev-1"],
    ["1-1-T2", "reported", null],
  ]);
  await using declared = await crew();
  await declared.as("dev-1").send(report("1-1-T1", "p-1", "partial"));
  assert.deepEqual(
    (await listed(declared)).map(([, , holder]) => holder),
    [null, null],
  );
});

test("a claim without files is taken over as part of a plan only where claims are made by edits", async () => {
  for (const claims of ["declared", "edits"] as const) {
    const clock = manualClock();
    await using team = await crew({ claims, clock });
    assert.equal((await team.as("dev-1").claim({ task: "1-1-T1", files: [] })).outcome, "accepted");
    // Its holder is there all the time, and edits nothing that Baton sees.
    for (let part = 0; part < 3; part++) {
      clock.advance((leaseSecondsDefault * 1_000) / 2);
      await team.as("dev-1").heartbeat();
    }
    const taken = await team.as("dev-2").claim({ task: "1-1-T1", files: [] });
    assert.equal(taken.outcome, claims === "edits" ? "accepted" : "refused", claims);
    const mail = await team.as("dev-1").inbox();
    assert.ok(mail.ok);
    const last = mail.value.deliveries.at(-1)?.message;
    assert.ok(typeof last === "string" || claims === "declared");
    assert.equal(JSON.stringify(last).includes("dev-2 began the plan of 1-1-T1"), claims === "edits");
  }
});

test("a claim is granted once, with the seq of its entry; the other agent learns who holds what", async () => {
  await using team = await crew();
  const [one, other] = await Promise.all([
    team.as("dev-1").claim({ task: "1-1-T1", files: ["src/a.js"] }, { id: "claim-1" }),
    team.as("dev-2").claim({ task: "1-1-T2", files: ["src/"] }),
  ]);
  assert.ok(one.outcome === "accepted");
  assert.equal(one.token, one.receipt.seq);
  assert.equal(one.expiresAt, "2026-02-12T10:05:00.000Z");
  assert.ok(other.outcome === "refused");
  assert.deepEqual(other.denial, { granted: false, reason: "overlap", holder: "dev-1", paths: ["src/a.js"] });
  const again = await team.as("dev-1").claim({ task: "1-1-T1", files: ["src/a.js"] }, { id: "claim-1" });
  assert.ok(again.outcome === "accepted");
  assert.deepEqual([again.token, again.receipt.duplicate], [one.token, true]);
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "claimed", "dev-1"],
    ["1-1-T2", "available", null],
  ]);
});

test("a task_claim on the wire is a claim, and its denial a refusal", async () => {
  await using team = await crew();
  const said = (task: string) =>
    JSON.stringify({
      type: "task_claim",
      task_id: task,
      plan_id: "01-01",
      files: ["src/y.js"],
      claimed_at: "2026-02-12T10:00:00Z",
    });
  assert.equal((await team.as("dev-y").send(said("T1"))).outcome, "accepted");
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "claimed", "dev-y"],
    ["1-1-T2", "available", null],
  ]);
  const denied = await team.as("dev-1").claim({ task: "1-1-T1" });
  assert.ok(denied.outcome === "refused");
  assert.deepEqual([denied.denial?.reason, denied.denial?.holder], ["held", "dev-y"]);
  const unknown = await team.as("dev-y").send(said("T9"));
  assert.deepEqual(unknown.outcome === "refused" && unknown.problems.map(({ code, path }) => [code, path]), [
    ["unknown-task", "$.task_id"],
  ]);
});

test("a task_claim lists a task that is not on the board, with a note, and overlap counts as ever", async () => {
  await using team = await crew();
  const claim = (agent: string, task: string, file: string) =>
    team
      .as(agent)
      .send(said("task_claim", { task_id: task, plan_id: "03-01", files: [file], claimed_at: "2026-02-12T10:00:00Z" }));
  const first = await claim("dev-y", "T3", "src/y.js");
  assert.ok(first.outcome === "accepted", JSON.stringify(first));
  assert.deepEqual(
    first.notes.map(({ code }) => code),
    ["no-contract", "task-listed"],
  );
  const overlap = await claim("dev-1", "T4", "src/y.js");
  assert.deepEqual(overlap.outcome === "refused" && overlap.problems.map(({ code }) => code), ["claim-overlap"]);
  assert.deepEqual((await listed(team)).slice(2), [["T3", "claimed", "dev-y"]], "what is denied is not listed");
  const done = { task_id: "T3", plan_id: "03-01", commit: "abc1234", files_modified: ["src/y.js"], deviations: [] };
  const complete = await team.as("dev-y").send(said("task_complete", { ...done, status: "complete" }));
  assert.equal(complete.outcome, "accepted", JSON.stringify(complete));
  assert.deepEqual((await listed(team)).slice(2), [["T3", "reported", null]]);
  assert.equal((await claim("dev-y", "03-01/T3", "src/y.js")).outcome, "refused", "it is the same task");
});

test("only agents of the team hold tasks", async () => {
  await using team = await crew();
  const owner = await team.as("owner").claim({ task: "1-1-T1" });
  assert.ok(owner.outcome === "refused");
  assert.deepEqual([owner.denial?.reason, owner.problems[0]?.code], [null, "sender-not-authorised"]);
  await team.as("lead-1").retire({ agent: "dev-1" });
  const retired = await team.as("dev-1").claim({ task: "1-1-T1" });
  assert.equal(retired.outcome === "refused" && retired.problems[0]?.code, "retired-agent");
});

test("a released task is free again", async () => {
  await using team = await crew();
  await team.as("dev-1").claim({ task: "1-1-T1" });
  const refused = await team.as("dev-2").release({ task: "1-1-T1" });
  assert.equal(refused.outcome === "refused" && refused.problems[0]?.path, "arguments.task");
  assert.equal((await team.as("lead-1").release({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal((await team.as("dev-2").claim({ task: "1-1-T1" })).outcome, "accepted");
});

function said(type: string, payload: { readonly [field: string]: unknown }): string {
  return JSON.stringify({ type, ...payload });
}

async function stateOf(team: TestTeam, task: string) {
  const tasks = await team.as("owner").tasks();
  assert.ok(tasks.ok);
  return tasks.value.find((each) => each.task === task)?.state;
}

test("a message that says complete is a report, unless its dialect has a separate one for that", async () => {
  await using team = await crew();
  const progress = { task_id: "T1", plan_id: "1-1", status: "complete", commit: "abc1234", task: "1-1-T1" };
  const informed = await team.as("dev-y").send(said("dev_progress", progress), { to: ["senior-1"] });
  assert.equal(informed.outcome, "accepted", JSON.stringify(informed));
  assert.equal(await stateOf(team, "1-1-T1"), "available");
  const completed = await team
    .as("dev-y")
    .send(said("task_complete", { ...progress, files_modified: ["src/a.js"], deviations: [] }));
  assert.equal(completed.outcome, "accepted", JSON.stringify(completed));
  assert.equal(await stateOf(team, "1-1-T1"), "reported");
  const update = typedMessage("execution_update", { task_id: "1-1-T2", files_modified: ["src/b.js"] });
  assert.equal((await team.as("dev-1").send(JSON.stringify(update))).outcome, "accepted");
  assert.equal(await stateOf(team, "1-1-T2"), "reported");
});

test("in task mode progress that says complete is the report, in the same dialect", async () => {
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-y", role: "dev", dialect: "yolo/1" },
      { agent: "senior-1", role: "senior", dialect: "yolo/1" },
    ],
    dialects: ["vbw/2", "yolo/1"],
    teamMode: "task",
  });
  const contract = typedMessage("plan_contract", { tasks: ["1-1-T1"] });
  assert.equal((await team.as("lead-1").send(JSON.stringify(contract))).outcome, "accepted");
  const work = { task: "1-1-T1", plan_id: "01-01", commit: "abc1234" };
  const dev = team.as("dev-y");
  const send = async (type: string, status: string, more: object = {}) => {
    const sent = await dev.send(said(type, { ...work, ...more, status }), { to: ["senior-1"] });
    return sent.outcome === "refused" ? sent.problems.map(({ code }) => code) : sent.outcome;
  };
  assert.equal(await send("dev_progress", "partial"), "accepted");
  assert.equal(await stateOf(team, "1-1-T1"), "available");
  assert.deepEqual(await send("task_complete", "complete", { task_id: "T1", files_modified: [], deviations: [] }), [
    "sender-not-authorised",
  ]);
  assert.equal(await stateOf(team, "1-1-T1"), "available");
  assert.equal(await send("dev_progress", "complete"), "accepted");
  assert.equal(await stateOf(team, "1-1-T1"), "reported");
  const summary = await team.as("lead-1").summary({ plan: "1-1" });
  assert.deepEqual(summary.ok && [summary.value.status, summary.value.commitHashes], ["complete", ["abc1234"]]);
});

test("where it is known that there is no repository, a report of a plan that is summed up is complete", async () => {
  await using team = await crew({ hasRepository: false });
  const done = (task: string) => team.as("dev-1").complete({ task, commit: "abc1234" });
  await done("1-1-T1");
  assert.equal(await stateOf(team, "1-1-T1"), "reported");
  await done("1-1-T2");
  assert.deepEqual([await stateOf(team, "1-1-T1"), await stateOf(team, "1-1-T2")], ["complete", "complete"]);
});

test("a report by command carries its evidence to the plan's must-haves", async () => {
  await using team = await crew();
  const notes = async (task: string, evidence: string | undefined) => {
    const work = { task, commit: "abc1234", ...(evidence === undefined ? {} : { evidence }) };
    const done = await team.as("dev-1").complete(work);
    assert.equal(done.outcome, "accepted");
    return done.notes.map(({ code }) => code);
  };
  await notes("1-1-T1", undefined);
  assert.deepEqual(await notes("1-1-T2", undefined), ["no-evidence"]);
  assert.deepEqual(await notes("1-1-T2", "14 tests pass"), []);
  const summary = await team.as("lead-1").summary({ plan: "1-1" });
  assert.deepEqual(summary.ok && [summary.value.evidence, summary.value.unproven], [["14 tests pass"], []]);
});

test("completing by command needs a commit, the claim, and files inside the contract", async () => {
  await using team = await crew();
  const dev = team.as("dev-1");
  const granted = await dev.claim({ task: "1-1-T1", files: ["src/a.js"] });
  assert.ok(granted.outcome === "accepted");
  const { token } = granted;
  const problems = [
    [{ task: "1-1-T1", token }, "wrong-format", "arguments.commit"],
    [{ task: "1-1-T1", token, commit: "abc1234", files: ["docs/x"] }, "outside-contract", "arguments.files"],
    [{ task: "1-1-T1", token: token + 1, commit: "abc1234" }, "not-holder", "arguments.task"],
    [{ task: "1-1-T7", commit: "abc1234" }, "unknown-task", "arguments.task"],
  ] as const;
  for (const [asked, code, path] of problems) {
    const refused = await dev.complete(asked);
    assert.ok(refused.outcome === "refused");
    assert.deepEqual([refused.problems[0]?.code, refused.problems[0]?.path], [code, path]);
  }
  const done = await dev.complete({ task: "1-1-T1", token, commit: "abc1234", files: ["src/a.js"] }, { id: "done-1" });
  assert.equal(done.outcome, "accepted");
  const again = await dev.complete({ task: "1-1-T1", token, commit: "abc1234", files: ["src/a.js"] }, { id: "done-1" });
  assert.ok(again.outcome === "accepted" && again.receipt.duplicate);
});

test("a name that moves is no commit, and the refusal says how to give the id", async () => {
  await using team = await crew();
  for (const commit of ["HEAD", "main", "$(touch x)", "abc1234~1"]) {
    const refused = await team.as("dev-1").complete({ task: "1-1-T1", commit });
    const problem = refused.outcome === "refused" ? refused.problems[0] : undefined;
    assert.deepEqual([problem?.code, problem?.path, problem?.received], ["wrong-format", "arguments.commit", commit]);
    assert.match(problem?.message ?? "", /a name that moves, such as HEAD or a branch, is not taken/);
    assert.match(problem?.hint ?? "", /^Pass the id that "git rev-parse HEAD" prints as `arguments\.commit`\.$/);
  }
  const short = await team.as("dev-1").complete({ task: "1-1-T1", commit: "abc" });
  assert.equal(short.outcome === "refused" && short.problems[0]?.message, "This names no commit.");
});

test("the board says what may be begun, and by how many", async () => {
  await using team = await crew();
  await team.as("lead-1").addTask({ task: "1-1-T1", files: ["src/"] });
  await team.as("lead-1").addTask({ task: "1-1-T2", files: ["src/b.js"] });
  await team.as("dev-1").claim({ task: "1-1-T1" });
  const seen = async (agent: string) => {
    const board = await team.as(agent).board();
    assert.ok(board.ok);
    return board.value;
  };
  const other = await seen("dev-2");
  assert.deepEqual([other.available, other.advisedDevelopers, other.cycle], [[], 0, null]);
  assert.deepEqual(other.tasks[1]?.blockedBy, ["1-1-T1"]);
  assert.deepEqual((await seen("dev-1")).available, ["1-1-T2"]);
});

test("a plan's summary is recorded with its last task, and counts what is left before", async () => {
  await using team = await crew();
  const complete = (task: string, commit: string) =>
    team.as("dev-1").complete({ task, commit, files: ["src/a.js"], deviations: ["None was needed"] });
  const eventsOf = async (seq: number) => {
    const shown = await team.as("lead-1").show(String(seq));
    assert.ok(shown.ok);
    return JSON.stringify(shown.value.entry.content);
  };
  const first = await complete("1-1-T1", "abc1234");
  assert.ok(first.outcome === "accepted");
  assert.ok(!(await eventsOf(first.receipt.seq)).includes("plan-summarised"));
  const halfway = await team.as("lead-1").summary({ plan: "phase-1-plan-1" });
  assert.ok(halfway.ok);
  const { status, tasksCompleted, tasksTotal, seq } = halfway.value;
  assert.deepEqual([status, tasksCompleted, tasksTotal, seq], ["partial", 1, 2, null]);
  const last = await complete("1-1-T2", "def5678");
  assert.ok(last.outcome === "accepted");
  assert.ok((await eventsOf(last.receipt.seq)).includes("plan-summarised"));
  const whole = await team.as("lead-1").summary({ plan: "1-1" });
  assert.ok(whole.ok);
  assert.deepEqual(
    [whole.value.status, whole.value.commitHashes, whole.value.deviations, whole.value.seq, whole.value.date],
    ["complete", ["abc1234", "def5678"], ["None was needed"], last.receipt.seq, "2026-02-12T10:00:00.000Z"],
  );
  const nothing = await team.as("lead-1").summary({ plan: "9-9" });
  assert.equal(!nothing.ok && nothing.error.code, "not-found");
});

test("who is retired, by command or by the team file, holds nothing any more", async () => {
  await using team = await crew();
  await team.as("dev-1").claim({ task: "1-1-T1" });
  await team.as("dev-2").claim({ task: "1-1-T2" });
  assert.equal((await team.as("lead-1").retire({ agent: "dev-1" })).outcome, "accepted");
  assert.deepEqual(await listed(team), [
    ["1-1-T1", "available", null],
    ["1-1-T2", "claimed", "dev-2"],
  ]);
  const folded = await team.context.journal.state(team.context.team);
  assert.ok(folded.ok && folded.value.state.team.definition !== null);
  const { definition } = folded.value.state.team;
  const agents = definition.agents.filter(({ agent }) => agent !== "dev-2");
  assert.ok((await reviseTeam(team.context, { ...definition, agents })).ok);
  assert.equal(await stateOf(team, "1-1-T2"), "available");
});

test("the branches' tips are read before the lock and recorded with tasks and claims, and with nothing else", async () => {
  let reads = 0;
  const readBranches = async () => {
    reads++;
    return { ids: [String(reads).repeat(40)], isCut: false };
  };
  await using team = await crew({ readBranches });
  assert.equal(reads, 1, "the contract brought tasks");
  assert.equal((await team.as("dev-1").claim({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal((await team.as("dev-1").renew({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal((await team.as("dev-2").claim({ task: "1-1-T1" })).outcome, "refused");
  assert.equal((await team.as("lead-1").addTask({ task: "1-1-T9" }, { id: "add" })).outcome, "accepted");
  assert.equal((await team.as("lead-1").addTask({ task: "1-1-T9" }, { id: "add" })).outcome, "accepted");
  assert.equal(reads, 3, "a repeated act, a denied claim and a renewal read nothing");
  const folded = await team.context.journal.state(team.context.team);
  assert.ok(folded.ok);
  const { branches, tasks } = folded.value.state.coordination.work;
  assert.deepEqual([...branches.current.keys()], ["3".repeat(40)]);
  assert.ok([...tasks.values()].every((task) => task.branches !== null));
});

test("a task that needs no files is done when it is reported, without a commit", async () => {
  await using team = await crew();
  const payload = { plan_id: "8-1", tasks: ["8-1-T1", "8-1-T2"], tasks_without_files: ["8-1-T2"] };
  const contract = typedMessage("plan_contract", payload, { id: "contract-8", phase: 8 });
  assert.equal((await team.as("lead-1").send(JSON.stringify(contract))).outcome, "accepted");
  const listed = await team.as("owner").tasks({ plan: "8-1" });
  assert.deepEqual(listed.ok && listed.value.map(({ filesKind }) => filesKind), ["unknown", "none"]);
  assert.equal((await team.as("lead-1").addTask({ task: "9-1-T1", files: "none" })).outcome, "accepted");
  assert.equal((await team.as("dev-1").complete({ task: "9-1-T1" })).outcome, "accepted");
  const tasks = await team.as("owner").tasks({ plan: "9-1" });
  assert.deepEqual(tasks.ok && tasks.value.map(({ state, filesKind, commits }) => [state, filesKind, commits]), [
    ["complete", "none", []],
  ]);
  const needed = await team.as("dev-1").complete({ task: "1-1-T1" });
  assert.equal(needed.outcome === "refused" && needed.problems[0]?.code, "wrong-format");
});

test("several commits are one report, and only who plans says that work is older than its task", async () => {
  await using team = await crew();
  const dev = team.as("dev-1");
  const commit = ["abc1234", "def5678", "abc1234"];
  assert.equal((await dev.complete({ task: "1-1-T1", commit, finishedBefore: true })).outcome, "refused");
  assert.equal((await dev.complete({ task: "1-1-T1", commit })).outcome, "accepted");
  const tasks = await dev.tasks();
  const [first] = tasks.ok ? tasks.value : [];
  assert.deepEqual([first?.commit, first?.commits], ["def5678", ["abc1234", "def5678"]]);
  const before = await team.as("lead-1").complete({ task: "1-1-T2", commit: "abc1234", finishedBefore: true });
  assert.equal(before.outcome, "accepted");
});
