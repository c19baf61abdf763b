/** Scripts of VBW and YOLO, answered by Baton: the table of cases, claims by a script, and being put in place. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { problem } from "../../src/base/problem.ts";
import { err } from "../../src/base/result.ts";
import type { ScriptPlace } from "../../src/doors/cli/shims/script.ts";
import { runScript, scripts } from "../../src/doors/cli/shims/scripts.ts";
import { answerDropIn } from "../../src/doors/cli/validate-message/validate-message-answer.ts";
import { readConfig } from "../../src/workspace/config.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { environment, folder } from "../e2e/command.ts";
import { makeLookAlike, put } from "./look-alike.ts";
import { departmentCases, later, type ShimCase } from "./shim-cases.ts";
import { gateCases } from "./shim-gate-cases.ts";
import { planCases } from "./shim-plan-cases.ts";

const nowMs = Date.UTC(2026, 2, 1, 12);

function placeAt(directory: string): ScriptPlace {
  return {
    directory,
    environment: {},
    input: () => Promise.resolve(""),
    nowMs,
    openTeam: async () => err([problem("not-found", directory, "There is no team here.")]),
    agent: null,
    wait: () => Promise.resolve(),
    script: null,
    judge: (text, dialect) => answerDropIn({ text, dialect, strict: false }, configAt(directory)),
  };
}

/** The drop-in looks for the folder where it is asked. */
function configAt(directory: string) {
  const streams = { stdin: {}, stdout: {}, stderr: {} };
  return readConfig({ env: environment(), ...streams, cwd: () => directory });
}

test("every case of the table is answered as the scripts answer it", async () => {
  const shimCases = [...departmentCases, ...gateCases, ...planCases];
  assert.ok(shimCases.length >= 300, `${shimCases.length} cases`);
  const project = folder();
  const untried = new Set(scripts.keys());
  for (const each of shimCases) {
    const { script, words, files = {}, config = later } = each;
    const root = join(project, ".vbw-planning");
    rmSync(root, { recursive: true, force: true });
    put(project, ".vbw-planning/config.json", JSON.stringify(config));
    for (const [path, text] of Object.entries(files)) put(root, path, text);
    const answer = await runScript(script, words, {
      ...placeAt(project),
      input: () => Promise.resolve(each.input ?? ""),
    });
    untried.delete(script);
    const said = `${script} ${words.join(" ")}\n${JSON.stringify(config)}\n${JSON.stringify(answer)}`;
    assert.ok(answer !== null, said);
    assert.equal(answer.code, each.code, said);
    fits(answer.stdout ?? "", each.stdout ?? "", said);
    fits(answer.stderr ?? "", each.stderr ?? "", said);
    for (const [path, form] of Object.entries(each.after ?? {}))
      assert.match(existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "", form, said);
  }
  assert.deepEqual([...untried], ["lease-lock", "lock-lite"], "those are tried with a team");
});

function fits(text: string, wanted: NonNullable<ShimCase["stdout"]>, said: string): void {
  if (typeof wanted === "string") assert.equal(text, wanted, said);
  else assert.match(text, wanted, said);
}

test("a lease is a claim where an agent calls, and nothing is recorded where nobody knows who does", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-later", seed: 7, plansIn: [2], withoutCommits: true });
  const ask = async (agent: string | null, ...words: readonly string[]) => {
    const variables = agent === null ? {} : { BATON_AGENT: agent };
    const { code, stdout } = await called(place, ["shim", "lease-lock", "--", ...words], "", variables);
    return [code, stdout];
  };
  assert.deepEqual(await ask("dev-01", "acquire", "01-02-T1"), [0, "skipped\n"], "there is no team yet");
  await calledWithCode(0, place, ["adopt"]);
  const head = async () =>
    (await calledWithCode(0, place, ["status", "--json"])).stdout.match(/"head":\{"seq":(\d+)/)?.[1];
  const before = await head();
  assert.deepEqual(await ask(null, "acquire", "01-02-T1", "src/a.ts"), [0, "acquired\n"]);
  assert.deepEqual(await ask(null, "check", "01-02-T1", "src/a.ts"), [0, "clear\n"]);
  assert.deepEqual(await ask(null, "query", "01-02-T1"), [0, "no_lock\n"]);
  assert.deepEqual(await ask(null, "renew", "01-02-T1"), [0, "no_lock\n"]);
  assert.deepEqual(await ask(null, "release", "01-02-T1"), [0, "no_lock\n"]);
  assert.equal(await head(), before, "nothing is recorded for a shell that proves nobody");

  assert.deepEqual(await ask("dev-01", "acquire", "01-02-T1", "--ttl=60", "src/a.ts"), [0, "acquired\n"]);
  assert.notEqual(await head(), before);
  assert.deepEqual(await ask("dev-02", "acquire", "01-02-T1", "src/a.ts"), [1, "conflict_blocked\n"]);
  assert.deepEqual(await ask(null, "acquire", "01-02-T1", "src/a.ts"), [1, "conflict_blocked\n"]);
  assert.deepEqual(await ask("dev-02", "check", "01-02-T2", "src/a.ts"), [1, "conflicts:1\n"]);
  assert.deepEqual(await ask("dev-02", "check", "01-02-T2", "src/b.ts"), [0, "clear\n"]);
  const [, lock] = await ask(null, "query", "01-02-T1");
  assert.deepEqual(Object.keys(JSON.parse(String(lock)) as object), [
    "task_id",
    "pid",
    "timestamp",
    "files",
    "ttl",
    "expires_at",
  ]);
  assert.deepEqual(await ask("dev-02", "release", "01-02-T1"), [0, "no_lock\n"]);
  assert.deepEqual(await ask("dev-01", "renew", "01-02-T1"), [0, "renewed\n"]);
  assert.deepEqual(await ask("dev-01", "release", "01-02-T1"), [0, "released\n"]);
  assert.deepEqual(await ask("dev-01", "steal", "01-02-T1"), [1, ""]);
});

test("scripts are put in place, answer as processes, and are taken back byte for byte", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-later", seed: 7, plansIn: [2], withoutCommits: true });
  const plugin = join(folder(), "it's scripts");
  mkdirSync(plugin);
  const original = "#!/bin/bash\necho original\n";
  for (const name of ["compute-dev-count.sh", "dept-gate.sh", "validate-message.sh", "statusline.sh"])
    writeFileSync(join(plugin, name), original, { mode: 0o755 });
  const empty = folder();
  assert.equal((await called(place, ["adopt", "--scripts", empty])).code, 3, "no such script");
  await calledWithCode(0, place, ["adopt", "--scripts", plugin]);
  assert.equal(readFileSync(join(plugin, "statusline.sh"), "utf8"), original, "what Baton does not answer stays");
  const run = (name: string, ...words: readonly string[]) =>
    spawnSync(join(plugin, name), words, { cwd: place, env: environment(), encoding: "utf8" });
  const counted = run("compute-dev-count.sh", "--available", "9");
  assert.deepEqual([counted.status, counted.stdout], [0, "5\n"], counted.stderr);
  const gate = run("dept-gate.sh", "--gate", "nothing");
  assert.deepEqual([gate.status, gate.stdout], [1, ""]);
  assert.match(gate.stderr, /unknown gate/);
  // The revision is the one whose schemas are next to the script: this one is older than the folder says.
  const answered = {
    id: "m-1",
    type: "shutdown_response",
    phase: 1,
    task: "1-1-T1",
    author_role: "dev",
    timestamp: "2026-03-01T12:00:00Z",
    schema_version: "2.0",
    confidence: "high",
    payload: { request_id: "s-1", final_status: "complete", approve: true },
  };
  const judged = () => run("validate-message.sh", JSON.stringify(answered));
  assert.equal(judged().status, 2);
  put(plugin, "../config/schemas/message-schemas.json", '{"shutdown_response":{}}');
  assert.deepEqual([judged().status, judged().stdout], [0, '{"valid":true,"errors":[]}\n']);
  // Again: nothing is kept twice, so the original stays the original.
  await calledWithCode(0, place, ["adopt", "--scripts", plugin]);
  // Its tool has replaced one since: that one is the tool's.
  writeFileSync(join(plugin, "dept-gate.sh"), "#!/bin/bash\necho newer\n", { mode: 0o755 });
  await calledWithCode(0, place, ["adopt", "--undo", "--scripts", plugin]);
  assert.equal(readFileSync(join(plugin, "compute-dev-count.sh"), "utf8"), original);
  assert.match(readFileSync(join(plugin, "dept-gate.sh"), "utf8"), /newer/);
  assert.ok(!existsSync(join(plugin, "dept-gate.sh.before-baton")) && existsSync(join(place, ".baton/team.yaml")));
  await calledWithCode(0, place, ["adopt", "--undo"]);
});
