/** `baton hook` before a tool: which messages and which files are accepted, and what is denied, with which words. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProgram, hookEvents, shellTools, writingTools } from "../../src/messages/program-hooks.ts";
import { git } from "../evidence/history.ts";
import { calledWithCode } from "./called.ts";
import { contract, folder, jsonLines, message, update } from "./command.ts";
import {
  claimed,
  entries,
  hook,
  isDenied,
  isRecorded,
  passes,
  place,
  sending,
  teammate,
  writing,
} from "./hook-call.ts";

test("words pass unrecorded; a typed message is recorded once, in the name that the program asserts", async () => {
  const directory = place();
  passes(await hook(directory, "PreToolUse", sending("Lunch? {maybe}"), ["--as", "dev-1"]));
  assert.equal((await entries(directory)).length, 1);
  isRecorded(await hook(directory, "PreToolUse", sending(contract(), teammate("lead-1"))));
  isRecorded(await hook(directory, "PreToolUse", sending(contract(), teammate("lead-1"))));
  const recorded = await entries(directory);
  assert.equal(recorded.length, 2);
  const [shown] = jsonLines(await calledWithCode(0, directory, ["show", "2", "--json"]));
  const recordedBy = (shown?.entry as { principal: unknown } | undefined)?.principal; // as documented
  assert.deepEqual(recordedBy, { agent: "lead-1", role: "lead", via: "hook" });
  const named = await hook(directory, "PreToolUse", sending(update([], { id: "u-1" }), {}, "team-lead"), [
    "--as",
    "dev-1",
  ]);
  assert.equal(named.code, 0, named.stderr);
});

test("a message that is faulty, forged or to nobody is denied with what to do, and the refusal is recorded", async () => {
  const directory = place();
  const as = ["--as", "dev-1"];
  const faulty = message("execution_update", "dev", { plan_id: "1-1", task_id: "1-1-T1", status: "doen", commit: "" });
  isDenied(
    await hook(directory, "PreToolUse", sending(faulty), as),
    /wrong-value at \$\.payload\.status: .*do: did you mean "done"|\$\.payload\.status/,
  );
  isDenied(await hook(directory, "PreToolUse", sending(contract()), as), /identity-mismatch at \$\.author_role/);
  const forged = JSON.stringify({ ...JSON.parse(update()), from: "lead-1" });
  isDenied(await hook(directory, "PreToolUse", sending(forged), as), /identity-mismatch at \$\.from/);
  isDenied(await hook(directory, "PreToolUse", sending(update(), {}, "dev-9"), as), /unknown-receiver/);
  isDenied(
    await hook(directory, "PreToolUse", sending(update(), {}, "a\u001b[31m b"), as),
    /cannot be the name of an agent/,
  );
  isDenied(await hook(directory, "PreToolUse", sending(update())), /does not know which agent you are/);
  const unknown = sending(update(), teammate("worker"));
  isDenied(await hook(directory, "PreToolUse", unknown, as), /baton agent register worker --role ROLE/);
  isDenied(await hook(directory, "PreToolUse", sending("x".repeat(300_000)), as), /too-large/);
  isDenied(await hook(directory, "PreToolUse", sending(`{"type":"execution_update","payload":`), as), /not-json/);
  const kinds = (await entries(directory)).map(({ kind }) => kind);
  assert.equal(kinds.filter((kind) => kind === "refusal").length, 6);
});

test("under observe an error in a message is reported and allowed, and a held file is denied", async () => {
  const directory = place({ policy: "observe" });
  const faulty = message("execution_update", "dev", { plan_id: "1-1", task_id: "1-1-T1", status: "so-so", commit: "" });
  const told = await hook(directory, "PreToolUse", sending(faulty), ["--as", "dev-1"]);
  assert.equal(told.code, 0);
  assert.match(told.context, /recorded it as entry 2; Baton delivers it to lead-1, .* Notes:/);
  await claimed(directory);
  const edit = await hook(directory, "PreToolUse", writing(join(directory, "src/feature.js")), ["--as", "qa-1"]);
  isDenied(edit, /Not written:\n- outside-claim at src\/feature\.js: dev-1 holds this path for task 1-1-T1/);
});

test("a denied edit says how to ask for leave, and the person's yes is all that the next edit needs", async () => {
  const directory = place({ isDeclared: true });
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"], {}));
  const as = ["--as", "dev-1"];
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--files", "src/feature.js", ...as]);
  const edit = async () => await hook(directory, "PreToolUse", writing(join(directory, "docs/my api.md")), as);
  const denied = await edit();
  isDenied(denied, /outside-contract at docs\/my api\.md/);
  const ask = /tool `task` of the MCP server baton with action "ask" \(text WHY, task (\S+), files (\[.*?\])\)/;
  const [, task = "", paths = ""] = ask.exec(denied.stderr) ?? [];
  const asks = ["task", "ask", "It is described there", "--task", task, "--paths", ...JSON.parse(paths)];
  await calledWithCode(0, directory, [...asks, ...as]);
  const [asked] = jsonLines(await calledWithCode(0, directory, ["needs", "--requests", "--json"]));
  assert.deepEqual([asked?.task, asked?.paths], ["1-1-T1", ["docs/my api.md"]]);
  await calledWithCode(0, directory, ["approve", String(asked?.requestId)]);
  passes(await edit());
  const [shown] = jsonLines(await calledWithCode(0, directory, ["contract", "show", "--json"]));
  assert.equal(shown?.revision, 2);
  const mail = (await calledWithCode(0, directory, ["inbox", "--as", "lead-1", "--json"])).stdout;
  assert.match(mail, /approval_response.*docs\/my api\.md/s);
});

test("a denied edit outside the files of a task without a contract says how the task takes the file, too", async () => {
  const directory = place({ isDeclared: true });
  await calledWithCode(0, directory, ["task", "add", "Totals carry tax", "--files", "src/cart.js"]);
  await calledWithCode(0, directory, ["task", "claim", "--as", "dev-1"]);
  const edit = () => hook(directory, "PreToolUse", writing("docs/cart.md"), ["--as", "dev-1"]);
  const denied = await edit();
  const way = /outside-claim at docs\/cart\.md.*tool `task` .* action "claim" \(task (\S+), files \["(.*?)"\]\)/s;
  isDenied(denied, way);
  const [, task = "", file = ""] = way.exec(denied.stderr) ?? [];
  await calledWithCode(0, directory, ["task", "claim", task, "--files", file, "--as", "dev-1"]);
  passes(await edit());
});

test("what was written without Baton being asked is judged after the tool, recorded once, and lead and holder read it", async () => {
  const directory = place();
  await claimed(directory);
  const file = join(directory, "src/feature.js");
  const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-1\n+2\n*** End Patch\n`;
  const asked = [
    ["gemini", "AfterTool", { tool_name: "replace", tool_input: { file_path: file } }],
    ["codex", "PostToolUse", { tool_name: "apply_patch", tool_input: { command: patch } }],
    ["codex", "PostToolUse", { tool_name: "Bash", tool_input: { command: `apply_patch <<'EOF'\n${patch}EOF` } }],
  ] as const;
  for (const _ of Array.from({ length: 3 })) {
    for (const [program, event, input] of asked) {
      const told = await hook(directory, event, input, ["--program", program, "--as", "qa-1"]);
      assert.match(
        told.context,
        /may not be\. .*\n- outside-claim at src\/feature\.js: dev-1 holds this path.*Take it back now/s,
      );
    }
  }
  const found = (await entries(directory)).filter(({ summary }) =>
    String(summary).includes("without Baton being asked"),
  );
  assert.deepEqual(
    found.map(({ sender, receivers }) => [sender, receivers]),
    [["qa-1", ["lead-1", "dev-1"]]],
  );
  const mail = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "lead-1", "--json"])).at(-1);
  assert.match(String(mail?.message), /qa-1 has written files that it may not write.*dev-1 holds this path/s);
  // Control: who holds the file, and a tool that writes nothing.
  const own = await hook(directory, "AfterTool", asked[0][2], ["--program", "gemini", "--as", "dev-1"]);
  assert.doesNotMatch(own.context, /may not be/);
  const looked = { tool_name: "read_file", tool_input: { file_path: file } };
  passes(await hook(directory, "AfterTool", looked, ["--program", "gemini", "--as", "architect-1"]));
});

test("the tool's own objects are the program's frames: a request to stop opens a round, and who stopped is ended", async () => {
  const directory = place();
  const ask = sending({ type: "shutdown_request", reason: "all is done" }, {}, "dev-1");
  assert.equal((await hook(directory, "PreToolUse", ask, ["--as", "lead-1"])).code, 0);
  const [round] = jsonLines(await calledWithCode(0, directory, ["shutdown", "status", "--json"]));
  assert.equal(round?.round, "shutdown-toolu_01");
  const idle = { ...teammate("dev-1"), teammate_name: "dev-1" };
  assert.equal((await hook(directory, "TeammateIdle", idle)).code, 2, "the request is mail");
  const stop = sending({ type: "shutdown_response", request_id: "shutdown-1@dev-1", approve: true }, {}, "team-lead");
  const answered = await hook(directory, "PreToolUse", { ...stop, ...idle });
  assert.equal(answered.code, 0, answered.stderr);
  const ended = await hook(directory, "TeammateIdle", idle);
  assert.deepEqual([ended.code, ended.answer?.continue], [0, false]);
  assert.match(String(ended.answer?.stopReason), /dev-1 has stopped in shutdown shutdown-toolu_01 \(clean\)/);
  const shell = { tool_name: "Bash", tool_input: { command: "ls" } };
  const runs = await hook(directory, "PreToolUse", { ...shell, ...idle });
  isDenied(runs, /dev-1 has stopped in shutdown shutdown-toolu_01 .*baton agent register dev-1 --role dev/);
  passes(await hook(directory, "PreToolUse", shell, ["--as", "qa-1"]));
  const edit = writing(join(directory, "src/new.js"));
  for (const who of [idle, { agent_id: "a0123456789abcdef" }]) {
    const edits = await hook(directory, "PreToolUse", { ...edit, ...who }, ["--as", "dev-1"]);
    isDenied(edits, /dev-1 has stopped in shutdown shutdown-toolu_01 .* so nothing is written/);
  }
  for (const [tool, what] of [
    [sending("One more thing", {}, "lead-1"), "sent"],
    [{ tool_name: "TaskUpdate", tool_input: { taskId: "1", status: "completed" } }, "changed"],
  ] as const) {
    const more = await hook(directory, "PreToolUse", { ...tool, ...idle });
    isDenied(more, new RegExp(`dev-1 has stopped in shutdown shutdown-toolu_01 .* so no.* is ${what}`));
  }
  for (const program of ["codex", "gemini"] as const) {
    const called = { ...shell, tool_name: shellTools[program] };
    const written = { ...edit, tool_name: writingTools[program][0] };
    const event = program === "gemini" ? "BeforeTool" : "PreToolUse";
    for (const input of program === "codex" ? [called] : [called, written])
      isDenied(await hook(directory, event, input, ["--program", program, "--as", "dev-1"]), /has stopped/);
  }
  // Back again, it is a new session.
  await calledWithCode(0, directory, ["agent", "register", "dev-1", "--role", "dev"]);
  passes(await hook(directory, "PreToolUse", { ...edit, ...idle }));
  assert.notEqual((await hook(directory, "TeammateIdle", idle)).answer?.continue, false);
});

test("a request to stop is shown while the agent is asked, and no more after its part has ended", async () => {
  const directory = place();
  const begin = async () => (await hook(directory, "SessionStart", { session_id: "s1" }, ["--as", "dev-1"])).context;
  const start = ["stop", "dev-1", "--no-wait", "--as", "lead-1", "--reason", "phase_complete"];
  await calledWithCode(0, directory, [...start, "--id", "s1"]);
  assert.match(await begin(), /#2 shutdown_request from lead-1/, "control");
  const yes = { request_id: "s1", approve: true, final_status: "complete" };
  const answer = message("shutdown_response", "dev", yes, { task: "" });
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], answer);
  await calledWithCode(0, directory, ["agent", "register", "dev-1", "--role", "dev"]);
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], "Go on with the next phase.");
  const again = await begin();
  assert.doesNotMatch(again, /shutdown_request/);
  assert.match(again, /Go on with the next phase\./);
  await calledWithCode(0, directory, [...start, "--id", "s2"]);
  const last = await hook(directory, "PostToolBatch", { session_id: "s2" }, ["--as", "dev-1"]);
  assert.match(last.context, /shutdown_request from lead-1/);
});

test("the program's team does not end while a round waits for answers, and says for whose", async () => {
  const directory = place();
  const end = { tool_name: "TeamDelete", tool_input: {} };
  passes(await hook(directory, "PreToolUse", end, ["--as", "lead-1"]));
  const start = ["stop", "dev-1", "--no-wait", "--as", "lead-1", "--reason", "phase_complete", "--id", "s1"];
  await calledWithCode(0, directory, start);
  for (const who of [["--as", "lead-1"], []])
    isDenied(
      await hook(directory, "PreToolUse", end, who),
      /answers are missing\.\n- s1: dev-1\n.*shutdown status --wait/,
    );
  const yes = { request_id: "s1", approve: true, final_status: "complete" };
  const answer = message("shutdown_response", "dev", yes, { task: "" });
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], answer);
  passes(await hook(directory, "PreToolUse", end, ["--as", "lead-1"]));
});

test("a session that names no agent is not the owner: it changes none of Baton's own files", async () => {
  const directory = place();
  const edit = (file: string, who: object) =>
    hook(directory, "PreToolUse", { ...writing(join(directory, file)), ...who });
  for (const who of [{}, teammate("worker"), { agent_type: "owner" }]) {
    for (const file of [".baton/team.yaml", ".baton/messages/mine.yaml", ".baton/.gitignore"])
      isDenied(await edit(file, who), /The owner alone changes .baton\/team.yaml/);
    passes(await edit("src/free.js", who));
  }
});

test("an answer to a plan of the program's own answers no request of Baton's", async () => {
  const directory = place();
  const asked = message("approval_request", "dev", {
    subject: "More",
    request_type: "scope_change",
    evidence: "needed",
  });
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], asked);
  const own = sending({ type: "plan_approval_response", request_id: "plan-7@dev-1", approve: true }, {}, "dev-1");
  passes(await hook(directory, "PreToolUse", own, ["--as", "lead-1"]));
  const [open] = jsonLines(await calledWithCode(0, directory, ["needs", "--requests", "--json"]));
  assert.equal(open?.outcome ?? null, null);
  assert.equal((await entries(directory)).length, 2);
});

test("a patch that Codex applies by a shell command is checked as the edit that it is", async () => {
  const directory = place();
  await claimed(directory);
  const asked = (command: unknown) => ({ tool_name: "Bash", cwd: directory, tool_input: { command } });
  const ask = (command: unknown, as: string) =>
    hook(directory, "PreToolUse", asked(command), ["--program", "codex", "--as", as]);
  const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/feature.js\n@@\n-a\n+b\n*** End Patch\nEOF";
  for (const command of [patch, `cd . && ${patch}`, ["bash", "-lc", patch]])
    isDenied(await ask(command, "qa-1"), /dev-1 holds this path for task 1-1-T1/);
  passes(await ask(patch, "dev-1"));
  passes(await ask("grep -rn '*** Update File: src/feature.js' docs", "qa-1"));
});

test("a denial names the tools that its reader has, and no command", async () => {
  const directory = place({ isDeclared: true });
  await claimed(directory);
  const denied = async (file: string, agent: string) => {
    const done = await hook(directory, "PreToolUse", writing(join(directory, file)), ["--as", agent]);
    isDenied(done, /outside-claim/);
    assert.doesNotMatch(done.stderr, /`baton|baton task/);
    return done.stderr;
  };
  const listed = /go on with other files: the tool `task` of the MCP server baton with action "available" lists tasks/;
  assert.match(await denied("src/feature.js", "qa-1"), listed);
  await calledWithCode(0, directory, ["agent", "register", "dev-2", "--role", "dev"]);
  const claims = /Claim a task first: the tool `task` of the MCP server baton with action "claim"/;
  assert.match(await denied("src/new.js", "dev-2"), claims);
});

test("files are checked against claims and contract, under whatever name they are given", async () => {
  const directory = place();
  await claimed(directory);
  mkdirSync(join(directory, "src"));
  writeFileSync(join(directory, "src/feature.js"), "");
  symlinkSync("src", join(directory, "link"));
  symlinkSync(join(directory, "src/feature.js"), join(directory, "other.js"));
  const elsewhere = folder();
  symlinkSync(directory, join(elsewhere, "in"));
  const file = join(directory, "src/feature.js");
  for (const tool of ["Write", "Edit", "MultiEdit"]) {
    passes(await hook(directory, "PreToolUse", writing(file, tool), ["--as", "dev-1"]));
    isDenied(
      await hook(directory, "PreToolUse", writing(file, tool), ["--as", "qa-1"]),
      /dev-1 holds this path for task 1-1-T1/,
    );
    isDenied(await hook(directory, "PreToolUse", writing(file, tool)), /dev-1 holds[\s\S]*does not know which agent/);
  }
  const names = [
    `${directory}/lib/../src/./feature.js`,
    "src/feature.js",
    join(directory, "link/feature.js"),
    join(directory, "other.js"),
    join(elsewhere, "in/src/feature.js"),
    `${directory}/link/../src/feature.js`,
  ];
  for (const name of names)
    isDenied(await hook(directory, "PreToolUse", writing(name), ["--as", "qa-1"]), /holds this path/);
  passes(await hook(directory, "PreToolUse", writing(join(directory, "README.md")), ["--as", "qa-1"]));
  isDenied(
    await hook(directory, "PreToolUse", writing(join(directory, "src/b.js")), ["--as", "dev-1"]),
    /outside-claim at src\/b\.js/,
  );
  isDenied(
    await hook(directory, "PreToolUse", writing(join(directory, "lib/b.js")), ["--as", "dev-1"]),
    /outside-contract at lib\/b\.js/,
  );
  for (const outside of [join(elsewhere, "x.js"), "/etc/hosts", "../x.js", "/"])
    passes(await hook(directory, "PreToolUse", writing(outside), ["--as", "dev-1"]));
  for (const unclear of ["a\u0000b", "src/\u0000feature.js", join(elsewhere, "x\u001b.js")])
    isDenied(await hook(directory, "PreToolUse", writing(unclear), ["--as", "dev-1"]), /has control characters/);
  const notebook = { tool_name: "NotebookEdit", tool_input: { notebook_path: file } };
  isDenied(await hook(directory, "PreToolUse", notebook, ["--as", "qa-1"]), /holds this path/);
  isDenied(
    await hook(directory, "PreToolUse", { tool_name: "Write", tool_input: { file_path: 7 } }, ["--as", "qa-1"]),
    /cannot see which file/,
  );
});

test("who holds files is bound to them whatever its role, and who is refused again and again needs the person", async () => {
  const directory = place({ isDeclared: true });
  await calledWithCode(0, directory, ["task", "add", "T1", "--files", "src/a.js"]);
  await calledWithCode(0, directory, ["task", "claim", "T1", "--as", "lead-1"]);
  const edits = async (file: string) => await hook(directory, "PreToolUse", writing(file), ["--as", "lead-1"]);
  passes(await edits("src/a.js"));
  for (const _ of [1, 2, 3]) isDenied(await edits("src/b.js"), /outside-claim at src\/b\.js/);
  assert.match(
    (await calledWithCode(0, directory, ["needs"])).stdout,
    /lead-1 was refused 3 times for the same reason/,
  );
  await calledWithCode(0, directory, ["task", "release", "T1", "--as", "lead-1"]);
  passes(await edits("src/b.js"));
});

test("Codex's patches and Gemini's tools are held the same", async () => {
  const directory = place();
  await claimed(directory);
  const patch = "*** Begin Patch\n*** Update File: README.md\n*** Move to: src/feature.js\n@@\n-a\n+b\n*** End Patch\n";
  const codex = { cwd: directory, tool_name: "apply_patch", tool_input: { command: patch } };
  isDenied(
    await hook(directory, "PreToolUse", codex, ["--program", "codex", "--as", "qa-1"]),
    /src\/feature\.js: dev-1 holds/,
  );
  passes(
    await hook(directory, "PreToolUse", { ...codex, tool_input: { command: patch.replace("src/", "docs/") } }, [
      "--program",
      "codex",
      "--as",
      "qa-1",
    ]),
  );
  const gemini = { cwd: join(directory, "x"), tool_name: "replace", tool_input: { file_path: "../src/feature.js" } };
  isDenied(await hook(directory, "BeforeTool", gemini, ["--program", "gemini", "--as", "qa-1"]), /holds this path/);
});

test("Gemini's tools are judged by every file that Gemini takes a name for; where it would look for one, they are denied", async () => {
  const directory = place();
  await claimed(directory);
  mkdirSync(join(directory, "src"));
  const file = join(directory, "src/feature.js");
  writeFileSync(file, "1");
  writeFileSync(join(directory, "README.md"), "1");
  symlinkSync(folder(), join(directory, "away"));
  const as = ["--program", "gemini", "--as", "qa-1"];
  const call = (file_path: string, tool_name: string, old_string = "1") => ({
    cwd: directory,
    tool_name,
    tool_input: { file_path, old_string },
  });
  const asked = async (name: string, tool: string, old?: string) =>
    await hook(directory, "BeforeTool", call(name, tool, old), as);
  const names = [
    "src/feature%2Ejs",
    `${directory}/src/%66eature.js`,
    `${directory}/away/%2e%2e/src/feature.js`,
    "away/../src/feature.js",
    "@src/feature.js",
    "@/src/feature.js",
  ];
  for (const name of names) isDenied(await asked(name, "write_file"), /src\/feature\.js: dev-1 holds this path/);
  for (const name of names.filter((each) => each.startsWith("/") || each.includes("..")))
    isDenied(await asked(name, "replace"), /src\/feature\.js: dev-1 holds this path/);
  for (const name of ["feature.js", "c/feature.js", "src/feature%2Ejs"])
    isDenied(await asked(name, "replace"), /there is no file .*Name the file by its path from that folder/);
  isDenied(await asked("src/fea\u0000ture.js", "replace"), /has control characters/);
  // What is there, what is new, and what another program takes as it is.
  passes(await asked("README.md", "replace"));
  passes(await asked("feature.js", "write_file"));
  passes(await asked("docs/new.js", "replace", ""));
  passes(await asked("100%.md", "write_file"));
  passes(await hook(directory, "PreToolUse", writing("lib/feature%2Ejs"), ["--as", "qa-1"]));
  // Written without Baton being asked: the only changed file whose path ends so.
  const told = await hook(directory, "AfterTool", call("ture.js", "replace"), as);
  assert.doesNotMatch(told.context, /may not be/, "no file has this name");
  const found = await hook(directory, "AfterTool", call("feature.js", "replace"), as);
  assert.match(found.context, /may not be\. .*src\/feature\.js: dev-1 holds this path/s);
});

test("another worktree has the same paths, another repository has none", async () => {
  const directory = place();
  await claimed(directory);
  git(directory, "commit", "--quiet", "--allow-empty", "-m", "first");
  const worktree = join(folder(), "tree");
  git(directory, "worktree", "add", "--quiet", worktree);
  isDenied(
    await hook(worktree, "PreToolUse", writing(join(worktree, "src/feature.js")), ["--as", "qa-1"]),
    /holds this path/,
  );
  const other = folder();
  git(other, "init", "--quiet");
  passes(await hook(directory, "PreToolUse", writing(join(other, "src/feature.js")), ["--as", "qa-1"]));
});

test("in every dialect a lead stops its team by the program's own objects, to one or to all, and agents answer by them", async () => {
  for (const dialects of ["vbw/2", "vbw/2.1, vbw/1", "vbw/1", "yolo/1", "yolo/2", "bmad/1"]) {
    for (const to of ["dev-1", "*"]) {
      const directory = place({ dialects });
      const where = `${dialects} to ${to}`;
      const said = (who: string, use: string, content: object, whom: string) =>
        hook(directory, "PreToolUse", { ...sending(content, { tool_use_id: use }, whom) }, ["--as", who]);
      const asked = await said("lead-1", "toolu_a", { type: "shutdown_request", reason: "all is done" }, to);
      assert.equal(asked.code, 0, `${where}: ${asked.stderr}`);
      assert.match(asked.context, /recorded it as entry \d+; Baton delivers it to .*dev-1/, where);
      const [round] = jsonLines(await calledWithCode(0, directory, ["shutdown", "status", "--json"]));
      const name = String(round?.round);
      const answer = { type: "shutdown_response", request_id: name, approve: true };
      const answered = await said("dev-1", "toolu_b", answer, "team-lead");
      assert.equal(answered.code, 0, `${where}: ${answered.stderr}`);
      const [after] = jsonLines(await calledWithCode(0, directory, ["shutdown", "status", "--json"]));
      const parts = after?.agents as readonly { readonly agent: string; readonly outcome: string | null }[]; // as documented
      assert.equal(parts.find(({ agent }) => agent === "dev-1")?.outcome, "clean", where);
    }
  }
});

test("where several departments have a lead, an agent answers the lead that asked it to stop, by the program's name for a lead", async () => {
  const directory = place({ dialects: "yolo/1, yolo/2" });
  const agents = ["backend", "frontend"].flatMap((department) =>
    ["lead", "dev"].map((role) => `  ${department}-${role}-1: {role: ${role}, department: ${department}}\n`),
  );
  const file = join(directory, ".baton/team.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace(/(?<=agents:\n).*/s, agents.join("")));
  const said = (who: string, content: object, to: string, tool_use_id: string) =>
    hook(directory, "PreToolUse", sending(content, { tool_use_id }, to), ["--as", who]);
  isRecorded(await said("backend-lead-1", { type: "shutdown_request", reason: "done" }, "backend-dev-1", "toolu_a"));
  // The program has its own id for the request.
  const answer = { type: "shutdown_response", request_id: "shutdown-1@backend-dev-1", approve: true };
  const answered = await said("backend-dev-1", answer, "team-lead", "toolu_b");
  assert.match(answered.context, /Baton delivers it to backend-lead-1, also/, answered.stderr);
  const [round] = jsonLines(await calledWithCode(0, directory, ["shutdown", "status", "--json"]));
  const parts = round?.agents as readonly { readonly outcome: string | null }[]; // as documented
  assert.deepEqual(
    parts.map(({ outcome }) => outcome),
    ["clean"],
  );
});

test("a tool of another MCP server that writes a held file is denied, one that reads or names no file is not", async () => {
  const directory = place();
  await claimed(directory);
  const ask = (program: string, tool_name: string, tool_input: object) =>
    hook(directory, program === "gemini" ? "BeforeTool" : "PreToolUse", { tool_name, tool_input, cwd: directory }, [
      "--program",
      program,
      "--as",
      "qa-1",
    ]);
  const held = "src/feature.js";
  const denied: readonly (readonly [string, string, object])[] = [
    ["claude-code", "mcp__filesystem__write_file", { path: join(directory, held) }],
    ["claude-code", "mcp__filesystem__edit_file", { path: held, edits: [] }],
    ["claude-code", "mcp__filesystem__move_file", { source: held, destination: "lib/x.js" }],
    ["claude-code", "mcp__plugin_serena_serena__replace_symbol_body", { relative_path: held }],
    ["codex", "mcp__serena__create_text_file", { relative_path: held, content: "" }],
    ["codex", "mcp__ide__deleteFile", { file_path: held }],
    ["gemini", "mcp_filesystem_write_file", { path: held }],
  ];
  const allowed: readonly (readonly [string, string, object])[] = [
    ["claude-code", "mcp__text-editor__read_file", { path: held }],
    ["claude-code", "mcp__filesystem__write_file", { path: "README.md" }],
    ["claude-code", "mcp__filesystem__create_directory", { path: "src" }],
    ["claude-code", "mcp__serena__write_memory", { memory_name: held }],
    ["codex", "mcp__serena__find_symbol", { relative_path: held }],
  ];
  for (const [program, tool, input] of denied) {
    const answered = await ask(program, tool, input);
    const said = answered.stderr + answered.stdout;
    assert.match(said, /Not written:.*outside-claim at src\/feature\.js: dev-1 holds this path/s, tool);
    const settings = hookEvents[program as HookProgram].filter(
      ({ asks, matcher }) => asks === "before-tool" && matcher !== null,
    );
    assert.ok(
      settings.some(({ matcher }) => new RegExp(`^(?:${matcher})$`).test(tool)),
      `settings name ${tool}`,
    );
  }
  for (const [program, tool, input] of allowed) passes(await ask(program, tool, input));
});
