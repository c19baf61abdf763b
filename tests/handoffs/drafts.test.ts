/** Drafts of handoff documents: from flags, from the record of a plan or task, and from Markdown. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { contract, jsonLines, message, problemCodes, request, team, update } from "../e2e/command.ts";

interface Draft {
  readonly missing: readonly string[];
  readonly document: { readonly handoff: { readonly [section: string]: { readonly [field: string]: unknown } } };
}

async function draft(directory: string, ...words: readonly string[]): Promise<Draft> {
  const [line] = jsonLines(await calledWithCode(0, directory, ["handoff", "new", ...words, "--json"]));
  return line as unknown as Draft; // as documented
}

test("flags make a draft that is well formed, and that can be issued as it is", async () => {
  const directory = team({ dialects: "bmad/1" });
  mkdirSync(join(directory, "docs"));
  writeFileSync(join(directory, "docs/story.md"), "# The story\n");
  const flags = ["--to", "dev-1", "--primary", "Sign users in", "--requires", "docs/story.md", "--constraint", "a: b"];
  await calledWithCode(0, directory, [
    "handoff",
    "new",
    "draft.yaml",
    "--as",
    "lead-1",
    ...flags,
    "--workflow",
    "sign-in",
  ]);
  await calledWithCode(0, directory, ["handoff", "validate", "draft.yaml", "--strict"]);
  assert.deepEqual(
    problemCodes(await calledWithCode(2, directory, ["handoff", "new", "draft.yaml", ...flags, "--json"])),
    ["already-exists"],
  );
  await calledWithCode(0, directory, ["handoff", "issue", "draft.yaml", "--as", "lead-1"]);
  await calledWithCode(0, directory, ["handoff", "accept", "draft.yaml", "--as", "dev-1"]);
  const [first] = jsonLines(await calledWithCode(0, directory, ["handoff", "list", "--all", "--json"]));
  const beginning = String(first?.id).slice(0, 8);
  assert.match(
    (await calledWithCode(0, directory, ["handoff", "list", beginning])).stdout,
    new RegExp(`^${first?.id} `),
  );
  await calledWithCode(3, directory, ["handoff", "list", beginning.slice(0, 3)]);
  await calledWithCode(0, directory, ["handoff", "new", "draft.json", "--as", "lead-1", ...flags]);
  const inJson = readFileSync(join(directory, "draft.json"), "utf8");
  assert.ok(inJson.startsWith('{\n  "handoff"'));
  const { id } = JSON.parse(inJson).handoff.metadata;
  writeFileSync(join(directory, "draft.json"), inJson.replace(id, `${beginning}-second`));
  await calledWithCode(0, directory, ["handoff", "issue", "draft.json", "--as", "lead-1"]);
  const { stderr } = await calledWithCode(3, directory, ["handoff", "list", beginning]);
  assert.match(stderr, new RegExp(`2 handoffs have an id that begins so.[^]*${beginning}-second`));
});

test("what is missing is listed", async () => {
  const directory = team({ dialects: "bmad/1" });
  assert.deepEqual((await draft(directory)).missing, ["metadata.target_agent", "instructions.primary"]);
  assert.deepEqual(
    problemCodes(
      await calledWithCode(64, directory, ["handoff", "new", "--from-plan", "1", "--from-task", "x", "--json"]),
    ),
    ["wrong-usage"],
  );
});

test("the record of a plan says what it is for, what binds it, what was decided, done and checked", async () => {
  const directory = team({ dialects: "vbw/2, bmad/1" });
  mkdirSync(join(directory, "src"));
  writeFileSync(join(directory, "src/feature.js"), "export {};\n");
  const tasks = { tasks: ["1-1-T1", "1-1-T2"], forbidden_paths: ["src/secrets/"] };
  const plan = JSON.parse(contract()) as { payload: object }; // a fixture of ours
  await calledWithCode(
    0,
    directory,
    ["send", "--as", "lead-1"],
    JSON.stringify({ ...plan, payload: { ...plan.payload, ...tasks } }),
  );
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], update());
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], request());
  await calledWithCode(0, directory, [
    "approve",
    "approval_request-1",
    "--paths",
    "src/auth.js",
    "--reason",
    "it belongs together",
  ]);
  const verdict = { tier: "quick", result: "PASS", checks: { passed: 2, failed: 0, total: 2 } };
  await calledWithCode(0, directory, ["send", "--as", "qa-1"], message("qa_verdict", "qa", verdict));
  const made = await draft(directory, "--from-plan", "1-1", "--to", "qa-1", "--as", "dev-1");
  const { metadata, context, instructions, dependencies, validation } = made.document.handoff;
  assert.deepEqual([metadata?.source_agent, metadata?.target_agent, metadata?.workflow_id], ["dev-1", "qa-1", "1-1"]);
  assert.match(String(instructions?.primary), /plan 1-1.*Implement feature X/);
  assert.deepEqual(instructions?.constraints, ["Touch only: src/feature.js, src/auth.js", "Leave alone: src/secrets/"]);
  assert.deepEqual(instructions?.success_criteria, ["Feature passes tests"]);
  const [decision] = (context?.key_decisions ?? []) as readonly { decision: string; rationale: string }[]; // of our making
  assert.deepEqual([decision?.decision, decision?.rationale], ["Auth module too: approved", "it belongs together"]);
  assert.deepEqual(dependencies?.required_files, ["src/feature.js"]);
  assert.match(JSON.stringify(validation?.file_checksums), /"src\/feature\.js":"sha256:[0-9a-f]{64}"/);
  const status = validation?.source_status as { completed_tasks: string[]; pending_tasks: string[] }; // of our making
  assert.deepEqual([status.completed_tasks, status.pending_tasks], [["1-1-T1"], ["1-1-T2"]]);
  assert.deepEqual(validation?.quality_checks, { tests_passed: true });
  const ofTask = (await draft(directory, "--from-task", "1-1-T2", "--to", "qa-1")).document.handoff;
  assert.equal(ofTask.metadata?.task_id, "1-1-T2");
  assert.deepEqual(
    problemCodes(await calledWithCode(3, directory, ["handoff", "new", "--from-plan", "9-9", "--json"])),
    ["not-found"],
  );
});

test("a draft names who hands over and the files that are there, and what a team cannot read is refused at once", async () => {
  const directory = team({ dialects: "bmad/1" });
  mkdirSync(join(directory, "docs"));
  writeFileSync(join(directory, "docs/story.md"), "# The story\n");
  const made = await draft(directory, "--requires", "docs/story.md", "--as", "lead-1");
  const { metadata, validation } = made.document.handoff;
  assert.equal(metadata?.source_agent, "lead-1");
  assert.deepEqual(Object.keys(validation?.file_checksums ?? {}), ["docs/story.md"]);
  const other = await calledWithCode(2, team({ dialects: "vbw/2" }), ["handoff", "new", "--to", "dev-1", "--json"]);
  assert.deepEqual(problemCodes(other), ["unknown-dialect"]);
});
