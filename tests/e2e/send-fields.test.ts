/** A message written on the command line, field by field. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { called } from "./called.ts";
import { type Finished, jsonLines, team } from "./command.ts";

const update = ["send", "--as", "dev-1", "--type", "execution_update"];

test("a report is sent from its fields alone and reaches its reader whole", async () => {
  const directory = team();
  const fields = "--task 1-1-T1 --set status=partial --set commit= --set files_modified[]=src/a.ts".split(" ");
  const sent = await called(directory, [...update, ...fields, "--id", "u-1", "--json"]);
  assert.equal(sent.code, 0, sent.said);
  const read = await called(directory, ["inbox", "--as", "lead-1", "--json"]);
  const [delivery] = jsonLines(read) as { readonly message: { readonly [field: string]: unknown } }[];
  const { assumed: _, timestamp, ...message } = delivery?.message ?? {};
  assert.equal(typeof timestamp, "string");
  assert.deepEqual(message, {
    id: "u-1",
    type: "execution_update",
    phase: 1,
    task: "1-1-T1",
    author_role: "dev",
    schema_version: "2.0",
    confidence: "low",
    payload: {
      plan_id: "1-1",
      task_id: "1-1-T1",
      status: "partial",
      commit: "",
      files_modified: ["src/a.ts"],
    },
  });
});

test("a refusal names the fields as they were written, lists all that is missing, and gives a line to fill in", async () => {
  const directory = team();
  const refused = await called(directory, [...update, "--set", "status=partial", "--set", "filez=a.ts"]);
  assert.equal(refused.code, 2, refused.said);
  for (const words of [
    "missing-field at --set plan_id",
    "missing-field at --set task_id",
    "missing-field at --set commit",
    "unknown-field at --set filez",
  ])
    assert.ok(refused.stderr.includes(words), `${words}: ${refused.stderr}`);
  const line = /^Fill in the words in capitals, and send it: baton (.+)$/m.exec(refused.stderr)?.[1];
  assert.ok(line, refused.stderr);
  assert.match(line, /status=partial --as dev-1 --set plan_id=PLAN_ID --set task_id=TASK_ID --set commit=COMMIT$/);
  // Only the sender knows them: a line with somebody's commit would be a report that nobody meant.
  const filled = line.replace("PLAN_ID", "1-1").replace("TASK_ID", "1-1-T1").replace("COMMIT", "");
  const again = await called(directory, filled.split(" "));
  assert.equal(again.code, 0, again.said);
});

test("the offered line has no unknown field, and the value or the name that was meant", async () => {
  const directory = team();
  const more = ["--set", "status=parzial", "--set", "filez.deep=1", "--set", "plan_id=1-1", "--set", "comit="];
  const line = offered(await called(directory, [...update, ...more, "--set", "task_id=1-1-T1"]));
  assert.match(line, /--set status=partial --set plan_id=1-1 --set commit= --set task_id=1-1-T1 /);
  assert.equal((await called(directory, line.split(" "))).code, 0);
  await called(directory, ["stop", "dev-1", "--no-wait", "--as", "lead-1", "--reason", "phase_complete", "--id", "s1"]);
  const answer = "send --as dev-1 --type shutdown_response --set request_id=s1 --set approve=true".split(" ");
  const refused = await called(directory, [...answer, "--set", "final_status=jolly", "--set", "mood=good"]);
  // Which of them is true only the sender knows.
  assert.match(offered(refused), /approve=true --set 'final_status=complete\|idle\|in_progress' /);
  assert.ok(!offered(refused).includes("mood"));
  // Nothing that a line could repair.
  const other = await called(directory, [
    ...update,
    "--set",
    "plan_id:=7",
    "--set",
    "task_id=1-1-T1",
    "--set",
    "commit=",
  ]);
  assert.doesNotMatch(other.stderr, /plan_id=2-1/);
});

test("a role that may not send the type is refused for that first, and no line is offered", async () => {
  const directory = team();
  for (const [sender, hint] of [
    ["dev-1", "Ask an agent that is lead or architect to send it."],
    ["owner", "Send it by `--as` as an agent that is lead or architect."],
  ] as const) {
    const line = ["send", "--as", sender, "--type", "plan_contract", "--set", "objective=x"];
    const refused = await called(directory, line);
    assert.equal(refused.code, 2, refused.said);
    assert.match(refused.stderr, /^Refused; recorded as entry \d+\.\nsender-not-authorised at --type\n/);
    assert.ok(refused.stderr.includes(hint), refused.stderr);
    assert.doesNotMatch(refused.stderr, /to copy and change|in capitals/);
  }
});

test("the offered line has every value at its place, and says which have none", async () => {
  const directory = team();
  const set = (...settings: readonly string[]) => settings.flatMap((each) => ["--set", each]);
  const shown = async (...words: readonly string[]) => {
    const refused = await called(directory, words);
    return { line: offered(refused), leftOut: /^Left out: (.+)$/m.exec(refused.stderr)?.[1] ?? null };
  };
  const wrong = set("payload.status=partal", "commit=", "payload.task_id=1-1-T1", "body.plan_id=1-1", "payload.mood=x");
  const moved = await shown(...update, ...wrong);
  assert.match(moved.line, /--set status=partial --set commit= --set task_id=1-1-T1 --set plan_id=1-1 /);
  assert.equal(moved.leftOut, "--set payload.mood=x");
  assert.equal((await called(directory, moved.line.split(" "))).code, 0);

  const whole = '{"plan_id":"1-1","files_modified":["a.ts","b.ts"],"status":"failed","mood":1}';
  const parted = await shown(...update, ...set(`payload:=${whole}`, "task_id=1-1-T1", "commit=", "status=partial"));
  assert.match(parted.line, /--set plan_id=1-1 --set 'files_modified:=\["a.ts","b.ts"\]' --set task_id=1-1-T1 /);
  assert.match(parted.line, / --set status=partial --as/);
  assert.equal(parted.leftOut, "--set payload.status=failed --set payload.mood:=1");

  const verdict = ["send", "--as", "qa-1", "--type", "qa_verdict", "--task", "1-1-T1"];
  const counts = await shown(
    ...verdict,
    ...set("total=3", "passed=3", "checks.faild=0", "tier=quick", "checks.result=PASS"),
  );
  const right = "--set checks.total=3 --set checks.passed=3 --set checks.failed=0 --set tier=quick --set result=PASS ";
  assert.ok(counts.line.includes(right), counts.line);
  assert.equal(counts.leftOut, null);
});

test("a contract that is written in one line names its plan where its readers look for the task", async () => {
  const directory = team();
  const fields = "plan_id=1-2 phase_id=phase-1 objective=x tasks[]=1-2-T1 allowed_paths[]=src/ must_haves[]=y".split(
    " ",
  );
  const settings = fields.flatMap((each) => ["--set", each]);
  const sent = await called(directory, ["send", "--as", "lead-1", "--type", "plan_contract", ...settings]);
  assert.equal(sent.code, 0, sent.said);
  const inbox = await called(directory, ["inbox", "--as", "dev-1"]);
  assert.match(inbox.stdout, /plan_contract from lead-1: 1-2: x/);
});

/** The line that a refusal offers, without `baton`. */
function offered(refused: Finished): string {
  const line = /^Repaired, to copy and change: baton (.+)$/m.exec(refused.stderr)?.[1];
  assert.ok(line, refused.stderr);
  return line;
}

test("options that mean something only together are refused alone", async () => {
  const directory = team();
  for (const words of [
    ["send", "--set", "status=partial", "--as", "dev-1"],
    ["send", "--task", "1-1-T1", "--as", "dev-1"],
    [...update, "message.json"],
    [...update, "--set", "status"],
    [...update, "--set", "type=x"],
  ])
    assert.equal((await called(directory, words)).code, 64, words.join(" "));
});

test("a type that there is none of is refused with the one that was meant", async () => {
  const refused = await called(team(), ["send", "--as", "dev-1", "--type", "execution_updat"]);
  assert.match(refused.stderr, /unknown-type at --type[\s\S]*did you mean "execution_update"\?/);
});
