/** What `baton doctor` says of agent programs: which are set up, what they call, and what they skip. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProgram, hookPrograms } from "../../src/messages/program-hooks.ts";
import { git } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import { folder, jsonLines } from "./command.ts";
import { hubLinesWithToken } from "./earlier-lines.ts";
import { launcher, project, put, read } from "./settings-texts.ts";

test("doctor says what to run where a hook of an older version asks about other calls", async () => {
  const directory = project();
  await calledWithCode(0, directory, ["install", "claude-code"]);
  const file = join(directory, ".claude/settings.json");
  const now = readFileSync(file, "utf8");
  const said = async () =>
    jsonLines(await called(directory, ["doctor", "--json"])).find(({ check }) => check === "claude-code");
  const earlier = [
    ["PreToolUse", now.replace("|Write", "")],
    ["PostToolUse", now.replace('"TaskCreate"', '"TaskCreate|Bash"')],
  ] as const;
  for (const [event, text] of earlier) {
    assert.notEqual(text, now, "control: it is another file");
    writeFileSync(file, text);
    const warned = await said();
    assert.equal(warned?.state, "warn", event);
    assert.match(String(warned?.finding), new RegExp(`hooks ${event} ask about other calls`));
    assert.match(String(warned?.advice), /^run: baton install claude-code$/);
    await calledWithCode(0, directory, ["install", "claude-code"]);
    assert.equal((await said())?.state, "ok");
    assert.equal(readFileSync(file, "utf8"), now);
  }
});

test("doctor says where Gemini CLI still fills a hub's token into the lines of an earlier version, and what to run", async () => {
  const directory = project();
  const hub = "http://127.0.0.1:4777";
  await calledWithCode(0, directory, ["install", "gemini", "--as", "dev-1", "--hub", hub]);
  const file = join(directory, ".gemini/settings.json");
  const now = readFileSync(file, "utf8");
  const said = async () =>
    jsonLines(await called(directory, ["doctor", "--json"])).find(({ check }) => check === "gemini") ?? assert.fail();
  assert.equal((await said()).state, "ok");
  const earlier = hubLinesWithToken(now);
  assert.doesNotMatch(earlier, /baton_token/, "control: it is another line");
  writeFileSync(file, earlier);
  const { state, finding, advice } = await said();
  assert.equal(state, "warn");
  assert.match(String(finding), /fills BATON_TOKEN into its hook lines, so it is on the screen and in the arguments/);
  const [first = "", ...more] = String(advice).split(";");
  assert.match(more.join(), /baton token list, baton token revoke ID, baton token create AGENT/);
  await calledWithCode(0, directory, first.replace("run: baton ", "").split(" "));
  assert.equal((await said()).state, "ok");
  assert.equal(readFileSync(file, "utf8"), now, "the advised line keeps agent and hub");
});

test("doctor says that Claude Code's user has declined the server, and how it asks again", async () => {
  const directory = project();
  await calledWithCode(0, directory, ["install", "claude-code"]);
  const said = async () =>
    jsonLines(await called(directory, ["doctor", "--json"])).find(({ check }) => check === "claude-code");
  // As Claude Code writes it when its question is answered by the marked answer.
  for (const text of ['{"disabledMcpjsonServers":["other"]}', "{", '{"disabledMcpjsonServers":"baton"}']) {
    put(directory, ".claude/settings.local.json", text);
    assert.equal((await said())?.state, "ok", text);
  }
  put(directory, ".claude/settings.local.json", '{\n  "disabledMcpjsonServers": [\n    "baton"\n  ]\n}');
  const { state, finding, advice } = (await said()) ?? assert.fail();
  assert.equal(state, "warn");
  assert.match(String(finding), /declined the server baton of \.mcp\.json, so every edit is blocked/);
  assert.match(String(advice), /^run: claude mcp reset-project-choices; /);
});

test("doctor says that a program's settings switch hooks off, in which file, and what to do", async () => {
  const directory = project();
  const geminis = project();
  const home = folder();
  await calledWithCode(0, directory, ["install", "claude-code"]);
  await calledWithCode(0, geminis, ["install", "gemini"]);
  const check = async (name: string) => {
    const done = await called(name.startsWith("gemini") ? geminis : directory, ["doctor", "--json"], "", {
      HOME: home,
      CODEX_HOME: folder(),
    });
    return jsonLines(done).find((each) => each.check === name) ?? assert.fail();
  };
  const claude = { disableAllHooks: true };
  const gemini = { hooksConfig: { enabled: false } };
  const cases = [
    ["claude-code", directory, ".claude/settings.json", claude, "disableAllHooks"],
    ["claude-code", directory, ".claude/settings.local.json", claude, "disableAllHooks"],
    ["claude-code", home, ".claude/settings.json", claude, "disableAllHooks"],
    ["gemini", geminis, ".gemini/settings.json", gemini, "hooksConfig.enabled"],
    ["gemini", home, ".gemini/settings.json", gemini, "hooksConfig.enabled"],
  ] as const;
  for (const [program, root, path, more, key] of cases) {
    const before = existsSync(join(root, path)) ? read(root, path) : {};
    assert.equal((await check(program)).state, "ok", `control: ${program}`);
    put(root, path, JSON.stringify({ ...before, ...more }));
    const off = `hooks are switched off in ${join(root, path)}: nothing protects files`;
    const { state, finding, advice } = await check(program);
    assert.deepEqual([state, finding], ["warn", off]);
    assert.ok(String(advice).startsWith(`in ${join(root, path)}, remove ${key}, then start `), String(advice));
    put(root, path, JSON.stringify(before));
  }
  // The project's own file counts before the user's, and what is neither true nor false switches nothing.
  put(home, ".claude/settings.json", JSON.stringify(claude));
  put(directory, ".claude/settings.local.json", JSON.stringify({ disableAllHooks: false }));
  assert.equal((await check("claude-code")).state, "ok");
  rmSync(join(home, ".claude"), { recursive: true });
  put(directory, ".claude/settings.local.json", JSON.stringify({ disableAllHooks: "yes" }));
  assert.equal((await check("claude-code")).state, "ok");
});

test("doctor says which hooks Codex skips until its user has reviewed them, and where a program goes on without an answer", async () => {
  const directory = project();
  const home = folder();
  for (const program of hookPrograms) await calledWithCode(0, directory, ["install", program]);
  const file = join(directory, ".codex/hooks.json");
  const checks = async (config: string) => {
    writeFileSync(join(home, "config.toml"), config);
    const found = jsonLines(await called(directory, ["doctor", "--json"], "", { CODEX_HOME: home }));
    return (program: HookProgram) => found.find(({ check }) => check === program) ?? assert.fail();
  };
  const key = (event: string, place = "0:0") => `[hooks.state.${JSON.stringify(`${file}:${event}:${place}`)}]\n`;
  const reviewed = ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use", "stop"].map(
    (event) => `${key(event)}trusted_hash = "sha256:00"\n`,
  );
  const all = (await checks(reviewed.join("")))("codex");
  assert.equal(all.state, "ok");
  assert.match(String(all.finding), /without an answer of Baton an edit passes/);
  assert.match(String((await checks(""))("claude-code").finding), /an edit is blocked/);
  const offs = [
    "",
    `${reviewed.join("")}`.replace(key("pre_tool_use"), key("pre_tool_use", "1:0")),
    `${reviewed.join("")}`.replace(key("pre_tool_use"), `${key("pre_tool_use")}enabled = false\n`),
    `${reviewed.join("")}`.replaceAll(file, "/elsewhere/.codex/hooks.json"),
  ];
  for (const config of offs) {
    const { state, finding, advice } = (await checks(config))("codex");
    assert.equal(state, "warn", config);
    assert.match(String(finding), /PreToolUse.* are off: Codex skips them until you have reviewed them/);
    assert.match(String(advice), /\/hooks/);
  }
  rmSync(join(home, "config.toml"));
  mkdirSync(join(home, "config.toml"));
  const unreadable = jsonLines(await called(directory, ["doctor", "--json"], "", { CODEX_HOME: home }));
  const unread = unreadable.find(({ check }) => check === "codex");
  assert.match(String(unread?.finding), /it is not known whether its hooks were reviewed/);
});

test("doctor says that a program loads nothing of a file with a comment, which the program's own reader does not take", async () => {
  const directory = project();
  for (const program of hookPrograms) await calledWithCode(0, directory, ["install", program]);
  for (const path of [".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json"]) {
    const file = join(directory, path);
    writeFileSync(file, `// mine\n${readFileSync(file, "utf8")}`);
  }
  const done = await called(directory, ["doctor", "--json"], "", { CODEX_HOME: folder() });
  const found = jsonLines(done);
  for (const program of ["claude-code", "codex"] as const) {
    const check = found.find((each) => each.check === program);
    assert.equal(check?.state, "warn", program);
    assert.match(String(check?.finding), /json: .* loads nothing of this file/);
    assert.match(String(check?.advice), /reads strict JSON only: remove comments/);
    assert.equal((await called(directory, ["install", program])).code, 2, "what is installed already is refused too");
  }
  assert.equal(found.find(({ check }) => check === "gemini")?.state, "ok");
});

test("doctor tells which programs are set up, and that what they call is gone", async () => {
  const directory = project();
  const none = jsonLines(await called(directory, ["doctor", "--json"])).find(({ check }) => check === "programs");
  assert.equal(none?.state, "ok");
  for (const program of hookPrograms) await calledWithCode(0, directory, ["install", program]);
  for (const path of [".claude/settings.json", ".codex/config.toml"]) {
    const file = join(directory, path);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(launcher, "/gone/bin/baton.js"));
  }
  const lacking = read(directory, ".gemini/settings.json");
  delete lacking.mcpServers;
  put(directory, ".gemini/settings.json", JSON.stringify(lacking));
  const found = jsonLines(await called(directory, ["doctor", "--json"]));
  const of = (program: HookProgram) => found.find(({ check }) => check === program);
  for (const program of ["claude-code", "codex"] as const) {
    assert.equal(of(program)?.state, "fail");
    assert.match(String(of(program)?.finding), /\/gone\/bin\/baton\.js, which is not there/);
  }
  assert.match(String(of("gemini")?.finding), /lack the MCP server/);
  rmSync(join(directory, ".mcp.json"));
  put(directory, ".mcp.json", "{");
  assert.equal(
    jsonLines(await called(directory, ["doctor", "--json"])).find(({ check }) => check === "claude-code")?.state,
    "warn",
  );
});

test("a worktree without the hooks of its project, and an agent that the team does not have, are said", async () => {
  const directory = project();
  git(directory, "init", "-q");
  await calledWithCode(0, directory, ["init", "--yes", "--kind", "solo"]);
  await calledWithCode(0, directory, ["install", "claude-code"]);
  const worktree = join(folder(), "second");
  git(directory, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "--allow-empty", "-m", "first");
  git(directory, "worktree", "add", "-q", worktree);
  const said = async (check: string) =>
    jsonLines(await called(worktree, ["doctor", "--json"])).find((each) => each.check === check);
  const warned = await said("programs");
  assert.deepEqual(
    [warned?.state, String(warned?.advice).split(",")[0]],
    ["warn", "run baton install claude-code here"],
  );
  const unknown = await calledWithCode(0, worktree, ["install", "claude-code", "--as", "dev-77"]);
  assert.match(unknown.stderr, /warning: team \S+ has no agent dev-77, .*baton agent register dev-77 --role ROLE/);
  const known = await calledWithCode(0, worktree, ["install", "claude-code", "--as", "dev-1"]);
  assert.doesNotMatch(known.stderr, /warning/);
  assert.equal(await said("programs"), undefined);
  // Codex reads the hooks of a linked worktree in the main one.
  await calledWithCode(0, worktree, ["install", "codex"]);
  assert.deepEqual(
    [existsSync(join(directory, ".codex/hooks.json")), existsSync(join(worktree, ".codex/hooks.json"))],
    [true, false],
  );
  assert.match(String((await said("codex"))?.finding), /are off: Codex skips them until you have reviewed them/);
  await calledWithCode(0, worktree, ["uninstall", "codex"]);
  assert.equal(existsSync(join(worktree, ".codex")), false);
  assert.ok(existsSync(join(directory, ".codex/hooks.json")), "other worktrees need them");
  // The main worktree has their hooks, and nothing of the server that they call.
  const main = jsonLines(await called(directory, ["doctor", "--json"])).find(({ check }) => check === "codex");
  assert.equal(main?.state, "warn");
  assert.match(String(main?.finding), /no MCP server: here Codex edits without asking/);
  await calledWithCode(0, directory, ["uninstall", "codex"]);
  assert.equal(existsSync(join(directory, ".codex")), false);
});

test("Codex is set up once for all projects of its user, and doctor finds that from any project", async () => {
  const directory = project();
  const home = folder();
  const settings = ["hooks.json", "config.toml"].map((name) => join(home, name));
  const inHome = { CODEX_HOME: home };
  const run = (...words: readonly string[]) => called(directory, words, "", inHome);
  const dry = await run("install", "codex", "--user", "--dry-run");
  const done = await run("install", "codex", "--user");
  assert.deepEqual([dry.code, done.code], [0, 0], done.stderr);
  assert.match(done.stderr, /has Codex's own settings: they apply to all your projects/);
  assert.deepEqual(readdirSync(directory), [".git"]);
  const doctor = async () => jsonLines(await run("doctor", "--json")).find(({ check }) => check === "codex");
  assert.match(String((await doctor())?.finding), /are off: Codex skips them until you have reviewed them/);
  const reviewed = ["session_start", "user_prompt_submit", "pre_tool_use", "post_tool_use"].map(
    (event) => `[hooks.state.${JSON.stringify(`${settings[0]}:${event}:0:0`)}]\ntrusted_hash = "sha256:00"\n`,
  );
  const stop = `[hooks.state.${JSON.stringify(`${settings[0]}:stop:0:0`)}]\ntrusted_hash = "sha256:00"\n`;
  appendFileSync(settings[1] ?? "", [...reviewed, stop].join(""));
  assert.deepEqual((await doctor())?.state, "ok", JSON.stringify(await doctor()));
  // A project of its own settings in addition: each event would be asked twice.
  await run("install", "codex");
  assert.match(String((await doctor())?.finding), /so each is asked twice/);
  await run("uninstall", "codex");
  assert.equal((await run("uninstall", "codex", "--user")).code, 0);
  assert.equal(readFileSync(settings[1] ?? "", "utf8"), [...reviewed, stop].join(""));
  for (const [words, variables, code] of [
    [["install", "codex", "--user", "--project", "."], inHome, 64],
    [["install", "codex", "--user"], { CODEX_HOME: join(home, "nowhere") }, 3],
  ] as const)
    assert.equal((await called(directory, words, "", variables)).code, code);
});
