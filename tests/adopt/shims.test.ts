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
import { locksOf } from "../../src/doors/hooks/script-claims.ts";
import { readConfig } from "../../src/workspace/config.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { environment, folder, jsonLines } from "../e2e/command.ts";
import { teammate } from "../e2e/hook-call.ts";
import { programSession } from "../mcp/clients.ts";
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
    callers: [],
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

test("every case of the table is answered as the scripts answer it", async (context) => {
  const shimCases = [...departmentCases, ...gateCases, ...planCases];
  context.diagnostic(`${shimCases.length} cases of ${scripts.size} scripts`);
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
  // The scripts have one word for every refusal; why it is refused is on standard error.
  const stranger = ["shim", "lease-lock", "--", "acquire", "01-02-T2"];
  const refused = await called(place, stranger, "", { BATON_AGENT: "nobody-1" });
  assert.deepEqual([refused.code, refused.stdout], [1, "conflict_blocked\n"]);
  assert.match(refused.stderr, /unknown-agent/);
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

test("in a Claude session with teammates the hook after the shell records what a script did, as the agent that ran it", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-later", seed: 7, plansIn: [2], withoutCommits: true });
  await calledWithCode(0, place, ["adopt"]);
  await using session = await programSession(place, "claude-code", null);
  const ask = async (event: string, who: object, more: object) =>
    (await session.call("hook", { hook_event_name: event, session_id: "s1", cwd: place, ...who, ...more })).text;
  const [first, second] = [teammate("dev-02"), teammate("dev-01")];
  for (const who of [first, second]) await ask("SubagentStart", who, {});
  const holder = async (task: string) =>
    jsonLines(await calledWithCode(0, place, ["task", "list", "--json"])).find((each) => each.task === task)?.holder;
  /** One command of the shell, as the program runs it: the hook before, the script, the hook after, and the batch's. */
  const runs = async (
    who: object,
    words: readonly string[],
    line = `bash "$VBW/scripts/lease-lock.sh" ${words.join(" ")}`,
  ) => {
    const tool_input = JSON.stringify({ command: `${line} 2>/dev/null || true`, description: "Lock" });
    const tool = { tool_name: "Bash", tool_use_id: "u1", tool_input };
    assert.equal(await ask("PreToolUse", who, tool), "{}");
    const variables = { BATON_AGENT: "lead", CLAUDE_CODE_SESSION_ID: "s1" };
    const { stdout } = await called(place, ["shim", "lease-lock", "--", ...words], "", variables);
    const tool_response = JSON.stringify({ stdout, stderr: "", interrupted: false, isImage: false });
    const said = await ask("PostToolUse", who, { ...tool, tool_response });
    await ask("PostToolBatch", who, {});
    return [stdout.trim(), said];
  };
  // It holds its plan since it was started; what it then releases and takes by the script is its own, too.
  assert.equal(await holder("01-02-T1"), "dev-02");
  assert.deepEqual(await runs(first, ["release", "1-2-T1"]), ["released", "{}"]);
  assert.equal(await holder("01-02-T1"), null);
  assert.deepEqual(await runs(first, ["acquire", "1-2-T1", "--ttl=300", "src/a.ts"]), ["acquired", "{}"]);
  assert.equal(await holder("01-02-T1"), "dev-02");
  // Its own again is no conflict, and adds no entry of a claim; the other's is one.
  const claims = async () =>
    jsonLines(await calledWithCode(0, place, ["log", "--json"])).filter(({ type }) => type === "claim-task").length;
  const count = await claims();
  assert.equal(count, 3);
  assert.deepEqual(await runs(first, ["acquire", "01-02-T1", "src/a.ts"]), ["acquired", "{}"]);
  assert.deepEqual(await runs(second, ["acquire", "01-02-T1", "src/a.ts"]), ["conflict_blocked", "{}"]);
  assert.deepEqual(await runs(second, ["check", "01-02-T2", "src/a.ts"]), ["conflicts:1", "{}"]);
  assert.equal(await claims(), count);
  // A script that said so although another holds it: the agent reads who.
  const late = {
    tool_name: "Bash",
    tool_use_id: "u2",
    tool_input: JSON.stringify({ command: "sh lock-lite.sh acquire 1-2-T1" }),
  };
  const answer = { ...late, tool_response: JSON.stringify({ stdout: "acquired\n" }) };
  assert.match(await ask("PostToolUse", second, answer), /lock of 01-02-T1 is no claim of yours.*dev-02 holds/);
  // A helper that no rule names acts for nobody.
  assert.equal(
    await ask("PostToolUse", { agent_id: "a0123456789abcdef", agent_type: "general-purpose" }, answer),
    "{}",
  );
  // Nor does what it prints free what another holds.
  const freed = {
    tool_name: "Bash",
    tool_use_id: "u3",
    tool_input: JSON.stringify({ command: "lease-lock.sh release 1-2-T1" }),
    tool_response: JSON.stringify({ stdout: "released\n" }),
  };
  assert.equal(await ask("PostToolUse", second, freed), "{}");
  assert.equal(await holder("01-02-T1"), "dev-02");
  // Several calls of one command count one after the other.
  const several = (command: string, stdout: string) =>
    ask("PostToolUse", first, {
      tool_name: "Bash",
      tool_use_id: "u4",
      tool_input: JSON.stringify({ command }),
      tool_response: JSON.stringify({ stdout }),
    });
  const [take, free] = ["lease-lock.sh acquire 1-2-T1 src/a.ts", "lease-lock.sh release 1-2-T1"];
  assert.equal(await several(`${free}; ${take}`, "released\nacquired\n"), "{}");
  assert.equal(await holder("01-02-T1"), "dev-02");
  assert.equal(await several(`${free}; ${take}; ${free}`, "released\nacquired\nreleased\n"), "{}");
  assert.equal(await holder("01-02-T1"), null);
  assert.equal(await several(take, "acquired\n"), "{}");
  assert.deepEqual(await runs(second, ["release", "01-02-T1"]), ["no_lock", "{}"]);
  assert.deepEqual(await runs(first, ["release", "01-02-T1"]), ["released", "{}"]);
  assert.equal(await holder("01-02-T1"), null);
});

test("the calls of scripts in a command are found with their answers, or not at all", () => {
  const acquired = { does: "acquire", task: "1-1-T1", files: ["src/a.ts"] };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell.
  const lock = 'bash "${VBW_PLUGIN_ROOT}/scripts/lease-lock.sh" acquire 1-1-T1 --ttl=300 src/a.ts';
  const steps = (name: string, status: string) =>
    JSON.stringify({ action: "pre-task", steps: [{ name, status, detail: "acquired" }] }, null, 2);
  for (const [command, stdout, wanted] of [
    [lock, "acquired\n", [acquired]],
    [`cd sub && ${lock} 2>/dev/null || true; echo done`, "building\nacquired\ndone\n", [acquired]],
    [`if ! ${lock}; then exit 1; fi`, "acquired\n", [acquired]],
    [
      `LEASE=$(${lock} 2>&1 || echo failed); echo "lease: $LEASE"; echo "$LEASE"`,
      "lease: acquired\nacquired\n",
      [acquired],
    ],
    ["BATON_X=1 'it is'/lease-lock.sh acquire '1-1-T1' \"src/a.ts\" >out 2>&1; cat out", "acquired\n", [acquired]],
    ["yolo lease-lock acquire 1-1-T1 src/a.ts", "acquired\n", [acquired]],
    ["baton shim lease-lock -- acquire 1-1-T1 src/a.ts", "acquired\n", [acquired]],
    [
      `${lock}\n/p/lock-lite.sh release 1-1-T1`,
      "acquired\nreleased\n",
      [acquired, { ...acquired, does: "release", files: [] }],
    ],
    // What it answered, and not what it was asked.
    [lock, "conflict_blocked\n", []],
    [lock, "skipped\n", []],
    ["bash lease-lock.sh check 1-1-T1 src/a.ts", "clear\n", []],
    ["bash lease-lock.sh renew 1-1-T1", "renewed\n", []],
    // Output that nobody sees, that is of more calls than were found, or that is not the script's.
    [`OUT=$(${lock})`, "", []],
    [`for t in 1 2; do ${lock}; done`, "acquired\nacquired\n", []],
    [`echo ${lock}`, "acquired\n", []],
    [`git commit -m '${lock}'`, "acquired\n", []],
    ["cat scripts/lease-lock.sh acquire", "acquired\n", []],
    // Words that the shell has replaced.
    ["lease-lock.sh acquire $TASK src/a.ts", "acquired\n", []],
    ["lease-lock.sh acquire 1-1-T1 src/*.ts", "acquired\n", []],
    ["lease-lock.sh acquire", "acquired\n", []],
    // The steps of a script that takes the lock itself.
    ["bash p/control-plane.sh pre-task 1 1 1 --claimed-files=src/a.ts,", steps("lease_acquire", "pass"), [acquired]],
    [
      "bash p/control-plane.sh full 9 9 9 --task-id=1-1-T1 --claimed-files=src/a.ts",
      steps("lease_acquire", "pass"),
      [acquired],
    ],
    ["bash p/control-plane.sh pre-task 1 1 1", steps("lease_acquire", "fail"), []],
    ["bash p/control-plane.sh pre-task 1 1 $N", steps("lease_acquire", "pass"), []],
    ["bash p/control-plane.sh pre-task 1 1 1", "acquired\n", []],
    ["'".repeat(100_001), "acquired\n", []],
    // Comments and here-documents are no calls, and what is quoted in them ends nothing.
    [`true # don't ; ${lock}\n${lock}`, "acquired\n", [acquired]],
    [`cat notes # ; ${lock}`, "acquired\n", []],
    [`cat > run.sh <<'EOF'\n${lock}\nit's\nEOF\n${lock}`, "acquired\n", [acquired]],
    [`cat <<-EOF; echo\n\t${lock}\n\tEOF\necho acquired`, "acquired\n", []],
    [`cat <<EOF\n${lock}\n`, "acquired\n", []],
    [`cat <<< "x"; ${lock}`, "acquired\n", [acquired]],
    [`echo $'it\\'s'; ${lock}`, "acquired\n", [acquired]],
    [`echo $'\\'; ${lock}`, "acquired\n", []],
    [`echo "${lock}`, "acquired\n", []],
    [`echo \\" ; ${lock}`, "acquired\n", [acquired]],
    // At the same time: which of them answered is only known where all answered alike.
    [`${lock} & lease-lock.sh acquire 1-1-T2 & wait`, "conflict_blocked\nacquired\n", []],
    [
      `${lock} & lease-lock.sh acquire 1-1-T2 & wait`,
      "acquired\nacquired\n",
      [acquired, { does: "acquire", task: "1-1-T2", files: [] }],
    ],
    [
      `${lock} &> out && lease-lock.sh acquire 1-1-T2`,
      "conflict_blocked\nacquired\n",
      [{ ...acquired, task: "1-1-T2", files: [] }],
    ],
    // The second did not run, or neither did.
    [`${lock} && lease-lock.sh acquire 1-1-T2`, "conflict_blocked\n", []],
    [`false && ${lock}; lease-lock.sh acquire 1-1-T2`, "acquired\n", []],
    // A longer command or output could say something else in the part that is not read.
    [`${"true;".repeat(20_000)}${lock}`, "acquired\n", []],
    [lock, `acquired\n${"\n".repeat(10_000)}conflict_blocked\n`, []],
    [`${"lease-lock.sh acquire 1-1-T1;".repeat(101)}`, "acquired\n".repeat(101), []],
  ] as const)
    assert.deepEqual(locksOf(command, stdout), wanted, command);
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
