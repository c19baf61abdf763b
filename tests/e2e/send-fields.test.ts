/** A message written on the command line, field by field. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { called } from "./called.ts";
import { jsonLines, team } from "./command.ts";

const update = ["send", "--as", "dev-1", "--type", "execution_update"];

test("a report is sent from its fields alone and reaches its reader whole", async () => {
  const directory = team();
  const fields = [
    "--task",
    "1-1-T1",
    "--set",
    "status=partial",
    "--set",
    "commit=",
    "--set",
    "files_modified[]=src/a.ts",
  ];
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

test("a refusal names the fields as they were written, lists all that is missing, and gives a line that is accepted", async () => {
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
  const line = /^With what is missing: baton (.+)$/m.exec(refused.stderr)?.[1]?.replace("--set filez=a.ts ", "");
  assert.ok(line, refused.stderr);
  const again = await called(directory, line.split(" "));
  assert.equal(again.code, 0, again.said);
});

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
