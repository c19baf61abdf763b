/** Contracts and approvals on the command line: every revision, what an answer is bound to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { calledWithCode } from "./called.ts";
import { contract, jsonLines, message, request, team, update } from "./command.ts";

const start = async () => {
  const directory = team();
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/feature.js", "docs/**/*.md"]));
  return directory;
};

test("contract show has every revision with its hash, and the entry that issued it", async () => {
  const directory = await start();
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/feature.js"], { id: "narrower" }));
  const [shown] = jsonLines(await calledWithCode(0, directory, ["contract", "show", "1-1", "--json"]));
  const revisions = shown?.revisions as { hash: string; previousHash: string | null }[];
  assert.equal(revisions.length, 2);
  assert.equal(revisions[1]?.previousHash, revisions[0]?.hash);
  const text = (await calledWithCode(0, directory, ["contract", "show", "1-1"])).stdout;
  const [, seq = ""] = / 1 {2}[0-9a-f]+ {2}entry (\d+) by lead-1$/m.exec(text) ?? [];
  assert.match((await calledWithCode(0, directory, ["show", seq])).stdout, /docs\/\*\*\/\*\.md/);
});

test("tokens that reports name are shown against the budget, and exceeding it is said once and shown in the status", async () => {
  const directory = team();
  const budget = JSON.parse(contract()) as { payload: object };
  const bounded = JSON.stringify({ ...budget, payload: { ...budget.payload, token_budget: 1_000 } });
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], bounded);
  const report = (id: string, tokens: number) => {
    const said = JSON.parse(update([], { id })) as { payload: object };
    return JSON.stringify({ ...said, payload: { ...said.payload, status: "partial", tokens_used: tokens } });
  };
  assert.doesNotMatch(
    (await calledWithCode(0, directory, ["send", "--as", "dev-1"], report("a", 900))).stderr,
    /over-budget/,
  );
  const over = await calledWithCode(0, directory, ["send", "--as", "dev-1"], report("b", 1_200));
  assert.match(over.stderr, /1200 tokens of a budget of 1000.*over-budget/);
  assert.doesNotMatch(
    (await calledWithCode(0, directory, ["send", "--as", "dev-1"], report("c", 1_300))).stderr,
    /over-budget/,
  );
  assert.match((await calledWithCode(0, directory, ["contract", "show"])).stdout, /1300 used of 1000, over the budget/);
  assert.match((await calledWithCode(0, directory, ["status"])).stdout, /over their token budget: 1-1/);
});

test("an answer's conditions and paths are listed, the paths are the next revision, and a gate says that it needs the owner", async () => {
  const directory = await start();
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], request());
  const gate = { subject: "Ship", request_type: "gate_override", evidence: "One test fails" };
  await calledWithCode(
    0,
    directory,
    ["send", "--as", "dev-1"],
    message("approval_request", "dev", gate, { id: "gate" }),
  );
  assert.match((await calledWithCode(0, directory, ["needs", "--requests"])).stdout, /needs +the owner/);
  await calledWithCode(2, directory, ["approve", "gate", "--as", "lead-1"]);
  const words = ["--condition", "keep the API", "--paths", "src/auth.js"];
  const yes = await calledWithCode(0, directory, ["approve", "approval_request-1", "--as", "lead-1", ...words]);
  assert.match(yes.stderr, /contract of plan 1-1 allows src\/auth\.js \(revision 2\)/);
  const listed = (await calledWithCode(0, directory, ["needs", "--requests"])).stdout;
  assert.match(listed, /on +keep the API/);
  assert.match(listed, /changes +src\/auth\.js/);
  const shown = await calledWithCode(0, directory, ["contract", "show"]);
  assert.match(shown.stdout, /allowed .*src\/auth\.js/);
  assert.match(shown.stdout, /entry \d+ by lead-1, widened as dev-1\/approval_request-1 asked/);
  const wider = contract(["src/feature.js", "docs/**/*.md", "src/other.js"], { id: "wide" });
  const sent = await calledWithCode(0, directory, ["send", "--as", "lead-1"], wider);
  assert.match(sent.stderr, /lets in what the one before did not: src\/other\.js/);
});

test("task list shows one task, however its id is spelled, and every task of a number", async () => {
  const directory = team();
  for (const task of ["1-1-T1", "1-1-T11", "1-2-T1"]) await calledWithCode(0, directory, ["task", "add", task]);
  const listed = async (task: string) =>
    jsonLines(await calledWithCode(0, directory, ["task", "list", task, "--json"])).map((line) => line.task);
  assert.deepEqual(await listed("01-01/task-1"), ["1-1-T1"]);
  assert.deepEqual(await listed("T1"), ["1-1-T1", "1-2-T1"]);
  await calledWithCode(3, directory, ["task", "list", "1-3-T1"]);
});
