/** Asking the team: one entry an ask, who reads what, how it ends, and what the list says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { tasksOf } from "../../../tests/evidence/reporting.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, type TestTeamOptions, testTeam } from "../../testing/test-team.ts";
import type { AskView } from "../operations/asks.ts";
import { askPosition } from "../view/ask-list.ts";
import { askTaskId } from "./asks.ts";

const codeOf = (reply: Reply) => (reply.outcome === "refused" ? reply.problems[0]?.code : reply.outcome);
const task = askTaskId("scout-1", "ask-1");

function crew(options: Pick<TestTeamOptions, "hasRepository"> = {}): Promise<TestTeam> {
  return testTeam({
    ...options,
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "scout-1", role: "scout" },
      { agent: "shop", role: "guest" },
    ],
  });
}

async function asked(team: TestTeam, text = "Add the tax\nto the export"): Promise<void> {
  const reply = await team.as("scout-1").ask({ text, context: "sale:7" }, { id: "ask-1" });
  assert.equal(codeOf(reply), "accepted", JSON.stringify(reply));
}

async function mailOf(team: TestTeam, agent: string): Promise<readonly unknown[]> {
  const page = await team.as(agent).inbox();
  assert.ok(page.ok);
  return page.value.deliveries.map(({ message }) => message);
}

async function seen(team: TestTeam, history = 0): Promise<AskView> {
  const found = await team.as("scout-1").asks({ asker: "scout-1", history });
  assert.ok(found.ok);
  const [only] = found.value;
  assert.ok(only !== undefined);
  return only;
}

const headOf = async (team: TestTeam) => {
  const status = await team.as("owner").status();
  assert.ok(status.ok);
  return status.value.head.seq;
};

test("an ask is one entry: the task is on the board, and the lead reads whose words it has", async () => {
  await using team = await crew();
  const before = await headOf(team);
  await asked(team);
  assert.equal(await headOf(team), before + 1);
  const again = await team
    .as("scout-1")
    .ask({ text: "Add the tax\nto the export", context: "sale:7" }, { id: "ask-1" });
  assert.ok(again.outcome === "accepted" && again.receipt.duplicate);
  assert.equal(codeOf(await team.as("scout-1").ask({ text: "Other" }, { id: "ask-1" })), "id-conflict");
  const [mail] = await mailOf(team, "lead-1");
  assert.match(String(mail), /^scout-1 asks the team: Add the tax\n {2}to the export\nWhat to do: it is the task ask-/);
  const ask = await seen(team, 5);
  assert.deepEqual(
    [ask.task.task, ask.task.title, ask.task.state, ask.context, ask.question, ask.ended],
    [task, "Add the tax", "available", "sale:7", null, null],
  );
  assert.deepEqual(
    ask.said.map(({ by, text }) => [by, text]),
    [["scout-1", "Add the tax\nto the export"]],
  );
});

test("words that nobody could read are refused and bring no task", async () => {
  await using team = await crew();
  const wrong = ["", " \n", "half \ud800", "nul \0", "x".repeat(300 * 1024)];
  const codes = [];
  for (const text of wrong) codes.push(codeOf(await team.as("scout-1").ask({ text })));
  assert.deepEqual(codes, ["empty-message", "empty-message", "lone-surrogate", "nul-character", "too-large"]);
  assert.equal(codeOf(await team.as("scout-1").ask({ text: "a", context: "with blanks in it" })), "invalid-id");
  const found = await team.as("owner").tasks();
  assert.ok(found.ok);
  assert.deepEqual(found.value, []);
});

test("the lead asks back, and the asker's answer settles the question", async () => {
  await using team = await crew();
  await asked(team);
  const about = { task, text: "Gross or net?", question: true };
  assert.equal(codeOf(await team.as("scout-1").discuss(about)), "wrong-value");
  assert.equal(codeOf(await team.as("dev-1").discuss({ task, text: "I have no part in it" })), "sender-not-authorised");
  assert.equal(codeOf(await team.as("lead-1").discuss(about)), "accepted");
  assert.notEqual((await seen(team)).question, null);
  assert.match(String((await mailOf(team, "scout-1"))[0]), /^lead-1 asks about ask-\w+: Gross or net\?/);
  assert.equal((await team.as("dev-1").claim({ task })).outcome, "accepted");
  assert.equal(codeOf(await team.as("scout-1").discuss({ task, text: "Net" })), "accepted");
  const ask = await seen(team, 2);
  assert.deepEqual([ask.question, ask.said.map(({ text }) => text)], [null, ["Gross or net?", "Net"]]);
  assert.match(String((await mailOf(team, "dev-1"))[0]), /scout-1 writes about ask-\w+: Net/);
  await team.as("owner").addTask({ task: "1-1-T1" });
  assert.equal(codeOf(await team.as("lead-1").discuss({ task: "1-1-T1", text: "Hm" })), "wrong-value");
});

test("a planned task whose report nobody confirms is given up by a lead, and by nobody else", async () => {
  await using team = await crew({ hasRepository: true });
  const [lead, dev] = [team.as("lead-1"), team.as("dev-1")];
  await lead.addTask({ task: "1-1-T1", files: ["src/"] });
  await dev.claim({ task: "1-1-T1" });
  assert.equal(codeOf(await dev.complete({ task: "1-1-T1", commit: "abc1234" })), "accepted");
  const ending = { task: "1-1-T1", outcome: "given-up" } as const;
  assert.equal(codeOf(await dev.endTask(ending)), "sender-not-authorised");
  assert.equal(codeOf(await lead.endTask(ending)), "accepted");
  const [ended] = await tasksOf(team);
  assert.equal(ended?.state, "ended");
});

test("its asker withdraws, the lead refuses and gives up; then nobody claims or reports the task", async () => {
  await using team = await crew();
  await asked(team);
  const end = (agent: string, outcome: "withdrawn" | "refused" | "given-up") =>
    team.as(agent).endTask({ task, outcome, reason: "Not now" });
  assert.equal(codeOf(await end("lead-1", "withdrawn")), "sender-not-authorised");
  assert.equal(codeOf(await end("dev-1", "refused")), "sender-not-authorised");
  assert.equal(codeOf(await end("scout-1", "refused")), "sender-not-authorised");
  assert.equal((await team.as("dev-1").claim({ task, files: ["src/"] })).outcome, "accepted");
  assert.equal(codeOf(await team.as("lead-1").endTask({ task, reason: "Not now" })), "accepted");
  assert.equal(codeOf(await end("lead-1", "given-up")), "accepted", "a repeat changes nothing");
  const ask = await seen(team);
  assert.deepEqual(
    [ask.task.state, ask.task.holder, ask.ended?.outcome, ask.ended?.reason],
    ["ended", null, "given-up", "Not now"],
  );
  assert.match(
    String((await mailOf(team, "dev-1"))[0]),
    /lead-1 gave up ask-\w+: Not now\nWhat to do, dev-1: your claim has ended/,
  );
  const late = await team.as("dev-1").claim({ task });
  assert.equal(late.outcome === "refused" && late.denial?.reason, "done");
  assert.equal(codeOf(await team.as("dev-1").complete({ task, commit: "abc1234" })), "task-done");
  assert.equal(codeOf(await end("scout-1", "withdrawn")), "task-done");
  assert.equal(codeOf(await team.as("scout-1").discuss({ task, text: "Still there?" })), "task-done");
  const claimed = await team.as("dev-1").claim({ task: await freeTask(team), files: ["src/"] });
  assert.equal(claimed.outcome, "accepted", "its files are free");
});

async function freeTask(team: TestTeam): Promise<string> {
  await team.as("owner").addTask({ task: "1-1-T1" });
  return "1-1-T1";
}

test("asks are listed page by page, the latest change first, and one agent has 100 open ones at most", async () => {
  await using team = await crew();
  const scout = team.as("scout-1");
  for (let number = 1; number <= 100; number += 1)
    await scout.ask({ text: `Thing ${number}` }, { id: `thing-${number}` });
  assert.equal(codeOf(await scout.ask({ text: "One more" })), "too-many-requests");
  await scout.endTask({ task: askTaskId("scout-1", "thing-1"), outcome: "withdrawn" });
  assert.equal(codeOf(await scout.ask({ text: "One more" })), "accepted");
  const titles: (string | null)[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await scout.asks({ asker: "scout-1", limit: 40, ...(after === undefined ? {} : { after }) });
    assert.ok(page.ok);
    titles.push(...page.value.map(({ task }) => task.title));
    const last = page.value.at(-1);
    if (last === undefined) break;
    after = askPosition(last);
  }
  assert.deepEqual([titles.length, titles[0], titles[1], titles.at(-1)], [101, "One more", "Thing 1", "Thing 2"]);
  const other = await team.as("dev-1").asks({ asker: "dev-1" });
  assert.deepEqual(other.ok && other.value, []);
  const wrong = await scout.asks({ after: "next" });
  assert.equal(wrong.ok ? "" : wrong.error.code, "wrong-value");
});

test("a guest asks and writes about what it asked for; messages and every other operation are refused", async () => {
  await using team = await crew();
  const guest = team.as("shop");
  assert.equal(codeOf(await guest.ask({ text: "A column for the tax" }, { id: "ask-1" })), "accepted");
  await asked(team);
  const found = await guest.asks({});
  assert.deepEqual(found.ok && found.value.map(({ asker }) => asker), ["shop"]);
  const refused = [
    await guest.send("Do as I say", { to: ["role:lead"] }),
    await guest.addTask({ task: "1-1-T9" }),
    await guest.complete({ task: askTaskId("shop", "ask-1"), commit: "abc1234" }),
    await guest.discuss({ task, text: "Another's" }),
    await guest.claim({ task: askTaskId("shop", "ask-1") }),
  ];
  assert.deepEqual(
    refused.map(codeOf),
    refused.map(() => "sender-not-authorised"),
  );
});

test("who asks for a task does not lift the contracts by it: only a task that somebody planned does", async () => {
  await using team = await testTeam({
    claims: "edits",
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  const [lead, dev] = [team.as("lead-1"), team.as("dev-1")];
  assert.equal((await lead.send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  const bounds = async () => {
    const found = await dev.permissions({ when: "now", agent: "dev-1" });
    assert.ok(found.ok);
    return found.value.flatMap(({ tasks }) => tasks.map((each) => each.task));
  };
  const plan = await bounds();
  assert.equal(plan.length, 1);
  assert.equal(codeOf(await dev.ask({ text: "May somebody look at lib/?" }, { id: "ask-2" })), "accepted");
  assert.deepEqual(await bounds(), plan);
  assert.equal(codeOf(await lead.addTask({ task: "cleanup" })), "accepted");
  assert.deepEqual(await bounds(), [], "control: a planned task without a contract");
});
