/** The drop-in as hooks call it: one JSON object, exit 0 or 2, and never a pass because something is missing. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { baton, contract, type Finished, folder, hook, message, update } from "./command.ts";

interface Answer {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly reason?: string;
}

/** The one JSON object, which must agree with the exit code. */
function answer(done: Finished): Answer {
  assert.match(done.stdout, /^\{.*\}\n$/);
  const read = JSON.parse(done.stdout) as Answer; // as documented
  assert.equal(done.code, read.valid ? 0 : 2, done.stdout);
  return read;
}

/** A folder with a planning directory. */
function project(name: string, config: string | null, contracts: Readonly<Record<string, string>> = {}): string {
  const place = folder();
  mkdirSync(join(place, name, ".contracts"), { recursive: true });
  if (config !== null) writeFileSync(join(place, name, "config.json"), config);
  for (const [file, text] of Object.entries(contracts)) writeFileSync(join(place, name, ".contracts", file), text);
  return place;
}

const valid: Answer = { valid: true, errors: [] };

test("a message comes as an argument or on standard input, by the launcher's way and the long way", () => {
  const place = folder();
  assert.deepEqual(answer(hook(place, ["validate-message", contract()])), valid);
  assert.deepEqual(answer(hook(place, ["validate-message"], contract())), valid);
  assert.deepEqual(answer(baton(place, ["validate-message", contract()])), valid);
  assert.deepEqual(answer(baton(place, ["validate-message", "--json"], contract())), valid);
  assert.deepEqual(answer(hook(place, [], "")), { valid: false, errors: ["empty message"] });
  assert.deepEqual(answer(hook(place, [], "{")), { valid: false, errors: ["not valid JSON"] });
  assert.deepEqual(answer(hook(place, [], message("nope", "dev", {}))), {
    valid: false,
    errors: ["unknown message type: nope"],
  });
});

test("the planning directory decides the dialect, unless one is asked for", () => {
  const verdict = message("debugger_report", "debugger", {
    hypothesis: "h",
    evidence_for: [],
    evidence_against: [],
    confidence: "low",
    recommended_fix: "f",
  });
  const yolo = project(".yolo-planning", null);
  const vbw = project(".vbw-planning", null);
  assert.equal(answer(hook(yolo, [], verdict)).valid, true);
  assert.deepEqual(answer(hook(vbw, [], verdict)).errors, ["unknown message type: debugger_report"]);
  assert.deepEqual(answer(hook(folder(), [], verdict)).errors, ["unknown message type: debugger_report"]);
  assert.equal(answer(hook(vbw, ["--dialect", "yolo/2"], verdict)).valid, true);
  assert.deepEqual(answer(hook(vbw, ["--dialect", "vbw/2.1"], verdict)).errors, [
    "missing payload field: resolution_observation",
  ]);
});

test("only a readable flag of false turns the judgement off", () => {
  const off: Answer = { valid: true, errors: [], reason: "v2_typed_protocol=false" };
  assert.deepEqual(answer(hook(project(".vbw-planning", '{"v2_typed_protocol": false}'), [], "{")), off);
  for (const config of [
    null,
    "",
    "{",
    "[]",
    '{"v2_typed_protocol": "false"}',
    '{"v2_typed_protocol": null}',
    "false",
  ]) {
    assert.deepEqual(
      answer(hook(project(".vbw-planning", config), [], "{")).errors,
      ["not valid JSON"],
      String(config),
    );
  }
  const place = project(".vbw-planning", '{"v2_typed_protocol": false}');
  assert.equal(answer(hook(place, ["--dialect", "vbw/2.1"], "{")).valid, false, "the later revision does not heed it");
});

test("files are judged by the phase's first contract", () => {
  const place = project(".vbw-planning", null, {
    "1-01.json": '{"allowed_paths":["./src/feature.js"]}',
    "1-02.json": '{"allowed_paths":["src/other.js"]}',
    "2-01.json": '{"allowed_paths":[]}',
    "3-01.json": "{ broken",
  });
  const named = (phase: unknown) =>
    answer(hook(place, [], update(["src/feature.js", "src/other.js"], { phase }))).errors;
  assert.deepEqual(named(1), ["file reference src/other.js outside contract scope"]);
  assert.deepEqual(named("1"), ["file reference src/other.js outside contract scope"]);
  assert.deepEqual(named(2), [], "an empty list checks nothing");
  assert.deepEqual(named(0), []);
  assert.deepEqual(named(7), []);
  assert.deepEqual(named(3), ["contract file cannot be read: 3-01.json"], "broken is not absent");
});

test("the environment may name the planning directory", () => {
  const place = project("plans", '{"v2_typed_protocol": false}');
  assert.equal(answer(hook(place, [], "{", { VBW_PLANNING_DIR: "plans" })).valid, true);
  assert.equal(answer(hook(place, [], "{", { VBW_PLANNING_DIR: join(place, "plans") })).valid, true);
  assert.equal(answer(hook(place, [], "{", { VBW_PLANNING_DIR: "" })).valid, false);
});

test("--strict adds Baton's own checks", () => {
  const place = folder();
  const odd = message("execution_update", "dev", { plan_id: "1-1", task_id: "T1", status: "whatever", commit: "" });
  assert.equal(answer(hook(place, [], odd)).valid, true, "presence is all that the scripts look at");
  const strict = answer(hook(place, ["--strict"], odd));
  assert.ok(
    strict.errors.some((error) => error.startsWith("wrong-value at $.payload.status")),
    strict.errors.join("; "),
  );
  assert.equal(answer(hook(place, ["--strict"], contract())).valid, true);
  assert.equal(answer(hook(place, ["--strict", "--dialect", "vbw/2.1"], contract())).valid, true);
});

test("a wrong call does not pass either", () => {
  const place = folder();
  for (const words of [["--bogus"], ["--dialect"], ["--dialect", "vbw/9"], [contract(), contract()]]) {
    assert.equal(answer(hook(place, words, contract())).valid, false, words.join(" "));
  }
  assert.deepEqual(answer(hook(place, ["--dialect", "constructor"], contract())).errors, [
    "unknown dialect: constructor",
  ]);
  const help = hook(place, ["validate-message", "--help"]);
  assert.equal(help.code, 0);
  assert.equal(help.stdout, baton(place, ["validate-message", "--help"]).stdout);
});

test("300 KB and 20 MB on standard input are answered", () => {
  const place = folder();
  assert.equal(answer(hook(place, [], contract(["a".repeat(300 * 1024)]))).valid, true, "as today's scripts");
  assert.equal(answer(hook(place, ["--strict"], contract(["a".repeat(300 * 1024)]))).valid, false);
  assert.deepEqual(answer(hook(place, [], Buffer.alloc(20 * 1024 * 1024, 0x20))).errors, ["message too large"]);
});
