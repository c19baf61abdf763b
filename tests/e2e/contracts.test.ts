/** Contracts and approvals on the command line: which entry decides, what a revision changed, what an answer is bound to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { calledWithCode } from "./called.ts";
import { contract, jsonLines, message, request, team, update } from "./command.ts";

const start = async () => {
  const directory = team();
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/feature.js", "docs/**/*.md"]));
  return directory;
};

test("contract show --path names the entry that decides about each path, of arguments and of standard input", async () => {
  const directory = await start();
  const more = { plan_id: "1-2", phase_id: "1", objective: "Other", tasks: [], must_haves: [] };
  const payload = { ...more, allowed_paths: ["src/"], forbidden_paths: ["src/Secrets/"] };
  await calledWithCode(
    0,
    directory,
    ["send", "--as", "lead-1"],
    message("plan_contract", "lead", payload, { id: "second" }),
  );
  const done = await calledWithCode(
    2,
    directory,
    ["contract", "show", "1-2", "--path", "docs/a/b.md", "--path", "-", "--json"],
    "src/a.js\nsrc/SECRETS/key\n../x\n",
  );
  const verdicts = jsonLines(done).flatMap(({ path, verdicts: all, problems }) =>
    (all as { list: string; entry: string; inside: boolean }[]).map(({ list, entry, inside }) => [
      path,
      inside,
      list,
      entry,
      (problems as { code: string }[]).map(({ code }) => code).join(),
    ]),
  );
  assert.deepEqual(verdicts, [
    ["docs/a/b.md", false, null, null, "outside-contract"],
    ["src/a.js", true, "allowed", "src", ""],
    ["src/SECRETS/key", false, "forbidden", "src/Secrets", "outside-contract"],
    ["../x", false, null, null, "invalid-path"],
  ]);
  const phase = (await calledWithCode(0, directory, ["phase"])).stdout;
  assert.match(phase, /^ +research +running +ends when scout_findings came: not yet$/m);
  const words = (await calledWithCode(0, directory, ["contract", "show", "--path", "src/feature.js"])).stdout;
  const outside = await calledWithCode(2, directory, ["contract", "show", "--path", "lib/a.js"]);
  assert.equal(outside.stderr.match(/outside-contract/g)?.length, 1, "what two contracts say alike is said once");
  assert.match(words, /inside +src\/feature\.js {2}\(plan 1-1: allowed src\/feature\.js; plan 1-2: allowed src\)/);
});

test("contract show has every revision with its hash, and --revision what it changed", async () => {
  const directory = await start();
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/feature.js"], { id: "narrower" }));
  const [shown] = jsonLines(await calledWithCode(0, directory, ["contract", "show", "1-1", "--json"]));
  const revisions = shown?.revisions as { hash: string; previousHash: string | null }[];
  assert.equal(revisions.length, 2);
  assert.equal(revisions[1]?.previousHash, revisions[0]?.hash);
  const [second] = jsonLines(
    await calledWithCode(0, directory, ["contract", "show", "1-1", "--revision", "2", "--json"]),
  );
  assert.deepEqual(second?.changes, [{ term: "allowedPaths", removed: ["docs/**/*.md"], added: [] }]);
  const [first] = jsonLines(
    await calledWithCode(0, directory, ["contract", "show", "1-1", "--revision", "1", "--json"]),
  );
  assert.ok(first !== undefined);
  assert.deepEqual((first.terms as { allowedPaths: string[] }).allowedPaths, ["src/feature.js", "docs/**/*.md"]);
  assert.equal(first.hash, revisions[0]?.hash);
  assert.match(
    (await calledWithCode(0, directory, ["contract", "show", "1-1", "--revision", "2"])).stdout,
    /- allowedPaths: docs/,
  );
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
  assert.match(shown.stdout, /entry \d+ by lead-1, widened as dev-1\/approval_request-1 asked/);
  await calledWithCode(0, directory, ["contract", "show", "--path", "src/auth.js"]);
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
