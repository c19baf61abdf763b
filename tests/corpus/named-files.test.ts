/**
 * Every field of every definition that could name a file is either held against the contract of the message's plan or
 * known not to be, with the reason; and what is held refuses, in every dialect, read from the wire.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/base/json.ts";
import { fileFields } from "../../src/tasks/state/contract-files.ts";
import { type CoordinationState, decideFact, evolveCoordination, initialCoordination } from "../../src/perform/deciders.ts";
import type { Definition, Dialect } from "../../src/messages/dialects/dialect.ts";
import { dialectOf, dialects } from "../../src/messages/dialects/registry.ts";
import type { Fact } from "../../src/messages/facts.ts";
import type { ValueForm } from "../../src/base/schema/value-form.ts";

/** Fields whose names or words speak of files, and why what they name is not held against a contract. */
const notHeld: { readonly [field: string]: string } = {
  allowedPaths: "the contract itself",
  forbiddenPaths: "the contract itself",
  paths: "asked for, not changed",
  artifact: "a record of the phase in its own folder, not work of the plan",
  "artifacts.design_tokens": "records of the phase",
  "artifacts.component_specs": "records of the phase",
  "artifacts.user_flows": "records of the phase",
  artifactsCommitted: "a yes or no",
  committed: "a yes or no",
  "documents.name": "a title",
  "documents.content": "text",
  "preExistingIssues.file": "failures that were there before the work began",
  "context.story_file": "read, not written",
  "dependencies.required_files": "read, not written",
  "validation.file_checksums": "files that are there already; checked when the document is verified",
  "validation.quality_checks.documentation_complete": "a yes or no",
  recommendedFix: "text",
  "changes.fix": "text",
  "changes.issue": "text",
  "changes.ln": "a line",
  "endpoints.path": "a route, not a file",
  commit: "a commit",
  commitHashes: "commits",
};

const speaksOfFiles = /file|path|artifact|document|commit|folder|fix|(^|\.)f$|changes/i;

/** The leaves of a field, by neutral name and steps inside. */
function leaves(name: string, form: ValueForm): readonly string[] {
  if (form.fields !== undefined) return Object.entries(form.fields).flatMap(([key, each]) => leaves(`${name}.${key}`, each));
  if (form.is === "list" && form.entry !== undefined) return leaves(name, form.entry);
  return [name];
}

const definitions = dialects.flatMap((dialect) => [...dialect.definitions.values()].map((each) => ({ dialect, definition: each })));

test(`of ${definitions.length} definitions, every field that speaks of files is held against the contract or named with a reason`, (t) => {
  const held: string[] = [];
  const free = new Set<string>();
  for (const { definition } of definitions) {
    const rows = fileFields[definition.kind] ?? [];
    const heldNames = rows.map(({ field, inEntry }) => `${field.join(".")}${inEntry ?? ""}`);
    for (const { neutral, value } of definition.fields) {
      for (const leaf of leaves(neutral, value)) {
        if (heldNames.includes(leaf)) held.push(`${definition.dialect} ${definition.type} ${leaf}`);
        else if (speaksOfFiles.test(leaf)) free.add(leaf);
      }
    }
  }
  assert.deepEqual([...free].filter((leaf) => notHeld[leaf] === undefined).toSorted(), []);
  assert.deepEqual(Object.keys(notHeld).filter((name) => !free.has(name)), [], "no reason is given for what nobody says");
  assert.ok(definitions.length >= 61);
  t.diagnostic(`${held.length} fields are held: ${held.join(", ")}`);
  t.diagnostic(`${free.size} names speak of files and are not held`);
});

const plan = "7-3";

function contract(): CoordinationState {
  const body = {
    planId: plan,
    phaseId: "phase-7",
    objective: "Greet",
    tasks: ["T1"],
    allowedPaths: ["inside/"],
    forbiddenPaths: ["inside/Secret/"],
    mustHaves: [],
  };
  return folded(initialCoordination(), said({ kind: "contract", head, body }));
}

const head = { phase: 7, task: `${plan}-T1`, authorRole: "lead", timestamp: null, confidence: null };

function said(fact: Fact) {
  const principal = { agent: "lead-1", role: "lead", via: "launcher" } as const;
  return { fact, type: "any", wireId: "x", principal, session: 1, leaseMs: 1, levelSilentMs: 1, completes: true, receivers: [], answererRoles: [], seq: 1, atMs: 1 };
}

function folded(state: CoordinationState, command: ReturnType<typeof said>): CoordinationState {
  const decided = decideFact(state, command);
  assert.ok(decided.ok);
  return decided.value.events.reduce(evolveCoordination, state);
}

/** The definition's example, about plan 7-3, naming `file` in its field number `row`; the rest names what is inside. */
function exampleNaming(definition: Definition, row: number, file: string): Json {
  const fields = fileFields[definition.kind] ?? [];
  const message = JSON.parse(JSON.stringify(definition.example)) as { [key: string]: Json };
  const own = (message.payload ?? message.handoff ?? message) as { [key: string]: Json };
  const lists = new Map(fields.map((field, at) => [field.wire, at === row ? file : "inside/a"]));
  if ("plan_id" in own) own.plan_id = plan;
  if ("task_id" in own) own.task_id = "T1";
  for (const [wire, name] of lists) {
    if (wire === "must_fix") own.must_fix = [`${name}:3`];
    else if (wire === "changes") own.changes = ["inside/a", name, lists.get("must_fix") ?? name].map((f) => ({ f, ln: 3, issue: "", fix: "" }));
    else if (wire === "generated_files") {
      (own.dependencies as { [key: string]: Json }).generated_files = [name];
      (own.metadata as { [key: string]: Json }).task_id = `${plan}-T1`;
    } else own[wire] = [name];
  }
  return message;
}

function verdict(dialect: Dialect, message: Json): string {
  const read = dialect.read(message);
  assert.ok(read.answer === "accepted", JSON.stringify(read));
  const decided = decideFact(contract(), said(read.fact));
  return decided.ok ? "" : (decided.error[0]?.code ?? "");
}

const naming = definitions.flatMap(({ dialect, definition }) =>
  (fileFields[definition.kind] ?? []).map((field, row) => ({ dialect, definition, field, row })),
);
assert.ok(naming.length >= 8);

for (const { dialect, definition, field, row } of naming) {
  test(`${dialect.id} ${definition.type}: ${field.wire} is held against its plan's contract`, () => {
    const of = (file: string) => verdict(dialect, exampleNaming(definition, row, file));
    assert.equal(of("inside/a"), "");
    assert.equal(of("outside/a"), "outside-contract");
    assert.equal(of("inside/SECRET/a"), "outside-contract");
    assert.match(of("inside/../outside"), /^invalid-(path|glob)$/);
  });
}

test("files that a message carries beside its own fields are held too", () => {
  const flat = { type: "dev_progress", task: "7-3/T1", plan_id: plan, commit: "abc1234", status: "complete" };
  for (const id of ["vbw/1", "yolo/1"]) {
    const dialect = dialectOf(id);
    assert.ok(dialect);
    assert.equal(verdict(dialect, flat), "");
    assert.equal(verdict(dialect, { ...flat, files_modified: ["inside/a"] }), "");
    assert.equal(verdict(dialect, { ...flat, files_modified: ["outside/a"] }), "outside-contract");
    assert.equal(verdict(dialect, { ...flat, must_fix: ["outside/a:1"] }), "outside-contract");
  }
});
