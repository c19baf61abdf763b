/** Agent programs set up and taken back, in real folders: what is written, what stays, what is refused, what doctor says. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { shellWords } from "../../src/doors/cli/kernel/next-command.ts";
import { type HookProgram, hookEvents, hookFields, hookPrograms } from "../../src/messages/program-hooks.ts";
import { programFacts } from "../../src/programs/install/program-settings.ts";
import { carryOutSettings } from "../../src/programs/install/settings-file.ts";
import { planRemoval, planSetup } from "../../src/programs/install/settings-plan.ts";
import { git } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import { commandMsMax, environment, type Finished, folder, jsonLines, mainBundle, team } from "./command.ts";
import { groupsOf, launcher, project, put, read, settingsTexts, strictTexts } from "./settings-texts.ts";

const seed = 154;
/** The problem that a command with `--json` ended with. */
function problemOf(done: Finished): { readonly code: string; readonly path: string; readonly hint: string } {
  const [line] = jsonLines(done);
  const [problem] = (line?.problems ?? []) as readonly { code: string; path: string; hint: string }[];
  assert.ok(problem !== undefined, done.stdout);
  return problem;
}

const hookFiles: Readonly<Record<HookProgram, string>> = {
  "claude-code": ".claude/settings.json",
  codex: ".codex/hooks.json",
  gemini: ".gemini/settings.json",
};

for (const program of hookPrograms) {
  test(`${program}: every hook of the table and the server are written, once, and all of it goes again`, async () => {
    const directory = project();
    const dry = await calledWithCode(0, directory, ["install", program, "--dry-run", "--diff", "--as", "dev-1"]);
    assert.match(dry.stdout, /^\+\+\+ b\/\./m);
    assert.match(dry.stdout, /^would write /m);
    assert.deepEqual(readdirSync(directory), [".git"]);
    const short = await calledWithCode(0, directory, ["install", program, "--dry-run", "--as", "dev-1"]);
    assert.match(short.stdout, /^would write \S+: \d+ lines added \(hooks[^\n]*\)\n/);
    assert.match(short.stdout, /\(.*the MCP server baton\)\n$/);
    assert.ok(dry.stdout.endsWith(short.stdout) && short.stdout.split("\n").length <= 3, short.stdout);
    assert.equal(short.stderr, "--diff shows each line.\n");
    const done = await calledWithCode(0, directory, ["install", program, "--diff", "--as", "dev-1"]);
    assert.equal(done.stdout, dry.stdout.replaceAll("would write", "wrote"), "what was shown is what was written");
    assert.match(done.stderr, /it is dev-1 here/);
    if (program === "claude-code") {
      const named = /settings\.json: .*\((.*)\)/.exec(short.stdout)?.[1]?.split(", ");
      assert.deepEqual(named, ["hooks", "permissions", "sandbox.filesystem.denyWrite"]);
    }
    const settings = read(directory, hookFiles[program]);
    const written = Object.entries(settings.hooks).flatMap(([name, groups]) =>
      groups.map(({ matcher = null, hooks }) => ({ name, matcher, hooks })),
    );
    assert.deepEqual(
      written.map(({ name, matcher }) => ({ name, matcher })),
      hookEvents[program].map(({ name, matcher }) => ({ name, matcher })),
    );
    for (const [index, event] of hookEvents[program].entries()) {
      const [handler, ...more] = written[index]?.hooks ?? [];
      assert.ok(handler !== undefined && more.length === 0);
      if (event.asks === "wake") {
        const words = ["hook", "Stop", "--program", program, "--as", "dev-1", "--wake"];
        assert.deepEqual(shellWords(handler.command ?? ""), ["exec", process.execPath, launcher, ...words]);
        assert.deepEqual([handler.asyncRewake, handler.timeout], [true, 86_400]);
        continue;
      }
      assert.equal(handler.timeout, program === "gemini" ? 120_000 : 120);
      if (event.by === "command") {
        const words = ["hook", event.name, "--program", program, "--as", "dev-1"];
        const end = event.blocks ? " || exit 2" : "";
        const line = handler.command ?? "";
        assert.ok(line.endsWith(end));
        const bare = line.slice(0, line.length - end.length);
        assert.deepEqual(shellWords(bare), [process.execPath, launcher, ...words]);
        continue;
      }
      const { type, server, tool, onFailure } = handler;
      const blocks = event.blocks ? "block" : undefined;
      assert.deepEqual([type, server, tool, onFailure], ["mcp_tool", "baton", "hook", blocks]);
      assert.deepEqual(Object.keys(handler.input ?? {}), hookFields(program, event));
    }
    const again = jsonLines(await calledWithCode(0, directory, ["install", program, "--as", "dev-1", "--json"]));
    assert.deepEqual(
      again.map(({ file, action, done: isDone, diff }) => ({ file, action, isDone, diff })),
      programFacts[program].files.map(({ path }) => ({
        file: join(directory, path),
        action: "leave",
        isDone: true,
        diff: "",
      })),
    );
    if (program === "claude-code") {
      await calledWithCode(0, directory, ["install", program, "--as", "dev-1", "--no-wake"]);
      assert.ok(!readFileSync(join(directory, hookFiles[program]), "utf8").includes("asyncRewake"), "switched off");
    }
    if (program === "codex") {
      await calledWithCode(0, directory, ["install", program, "--as", "dev-1", "--no-wake"]);
      assert.match(readFileSync(join(directory, ".codex/config.toml"), "utf8"), /"--no-wake"\]/, "switched off");
    }
    const checks = jsonLines(await called(directory, ["doctor", "--json"]));
    // Nobody has reviewed Codex's hooks.
    assert.equal(checks.find(({ check }) => check === program)?.state, program === "codex" ? "warn" : "ok");
    await calledWithCode(0, directory, ["uninstall", program]);
    assert.deepEqual(readdirSync(directory), [".git"], "files and folders that were made for it are gone");
    assert.match((await calledWithCode(0, directory, ["uninstall", program])).stdout, /^nothing to change in /);
  });
}

test("the server is the launcher with the agent, or hands BATON_AGENT on as each program does", async () => {
  const directory = project();
  for (const program of hookPrograms) {
    const { stderr } = await calledWithCode(0, directory, ["install", program]);
    assert.match(stderr, new RegExp(`as an agent of the team: baton run AGENT --program ${program}\n`));
    assert.doesNotMatch(stderr, /BATON_AGENT/);
  }
  const server = (program: string) => ({ command: process.execPath, args: [launcher, "mcp", "--program", program] });
  const claude = {
    ...server("claude-code"),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as Claude Code fills it in.
    env: { BATON_AGENT: "${BATON_AGENT:-}" },
    alwaysLoad: true,
  };
  assert.deepEqual(read(directory, ".mcp.json").mcpServers?.baton, claude);
  assert.deepEqual(read(directory, ".claude/settings.json").permissions, {
    allow: ["mcp__baton"],
    deny: ["mcp__baton__hook"],
  });
  assert.deepEqual(read(directory, ".claude/settings.json").sandbox, { filesystem: { denyWrite: ["./.baton"] } });
  assert.deepEqual(read(directory, ".gemini/settings.json").mcpServers?.baton, {
    ...server("gemini"),
    env: { BATON_AGENT: "$BATON_AGENT", BATON_HUB: "$BATON_HUB", BATON_TOKEN: "$BATON_TOKEN" },
    trust: true,
  });
  assert.equal(
    readFileSync(join(directory, ".codex/config.toml"), "utf8"),
    `# baton begin\n[mcp_servers.baton]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(launcher)}, "mcp", "--program", "codex"]\n` +
      'env_vars = ["BATON_AGENT", "BATON_HUB", "BATON_TOKEN", "CODEX_HOME"]\ntool_timeout_sec = 330\nstartup_timeout_sec = 60\nrequired = true\n# baton end\n',
  );
  const named = jsonLines(await calledWithCode(0, directory, ["install", "claude-code", "--as", "qa-1", "--json"]));
  assert.deepEqual(
    named.map(({ action }) => action),
    ["change", "change"],
  );
  assert.deepEqual(read(directory, ".mcp.json").mcpServers?.baton, {
    ...claude,
    args: [...claude.args, "--as", "qa-1"],
  });
});

test("install names a hub for each program's hooks and server, and uninstall gives back the same bytes", async () => {
  const directory = project();
  const before = put(directory, ".claude/settings.json", '{"sandbox": {"enabled": true}}\n');
  const url = "http://127.0.0.1:4777";
  for (const program of hookPrograms) {
    assert.match(
      (await calledWithCode(64, directory, ["install", program, "--hub", "4777"])).stderr,
      /--hub.*no address of a hub/s,
    );
    await calledWithCode(0, directory, ["install", program, "--hub", url, "--as", "dev-1"]);
    const texts = programFacts[program].files.map(({ path }) => readFileSync(join(directory, path), "utf8")).join("");
    assert.match(texts, /"--as",\s+"dev-1",\s+"--hub",\s+"http:\/\/127\.0\.0\.1:4777"/, "the server");
    const commands = texts.match(/[^"]*baton\.js'? hook [^"]*/g) ?? [];
    for (const command of commands) assert.match(command, /--as dev-1 --hub http:\/\/127\.0\.0\.1:4777/);
    assert.equal(commands.length, hookEvents[program].filter(({ by }) => by === "command").length);
    const again = jsonLines(
      await calledWithCode(0, directory, ["install", program, "--hub", url, "--as", "dev-1", "--json"]),
    );
    assert.ok(again.every(({ action }) => action === "leave"));
    await calledWithCode(0, directory, ["uninstall", program]);
  }
  assert.equal(readFileSync(before, "utf8"), '{"sandbox": {"enabled": true}}\n');
  assert.deepEqual(readdirSync(directory).toSorted(), [".claude", ".git"]);
});

test("in a linked worktree a sandbox is kept from the state folder of the repository", async () => {
  const directory = folder();
  git(directory, "init", "--quiet");
  git(directory, "commit", "--quiet", "--allow-empty", "-m", "start");
  const tree = join(folder(), "tree");
  git(directory, "worktree", "add", "--quiet", tree);
  await calledWithCode(0, directory, ["install", "claude-code"]);
  assert.match(
    readFileSync(join(directory, ".claude/settings.json"), "utf8"),
    /"denyWrite": \[\s+"\.\/\.git\/baton"\s+\]/,
  );
  await calledWithCode(0, tree, ["install", "claude-code"]);
  const { denyWrite } = (read(tree, ".claude/settings.json").sandbox as { filesystem: { denyWrite: unknown } })
    .filesystem;
  assert.deepEqual(denyWrite, [join(realpathSync(directory), ".git/baton")]);
  await calledWithCode(0, tree, ["uninstall", "claude-code"]);
  assert.deepEqual(readdirSync(tree), [".git"]);
});

test(`settings of any layout are the same bytes after install and uninstall (seed ${seed})`, () => {
  const directory = project();
  const setup = { words: [process.execPath, launcher], agent: null };
  fc.assert(
    fc.property(settingsTexts, strictTexts, fc.constantFrom(...hookPrograms), (lenient, strict, program) => {
      const text = programFacts[program].readsComments ? lenient : strict;
      const json = programFacts[program].files.filter(({ path }) => path.endsWith(".json"));
      for (const { path } of json) put(directory, path, text);
      const plan = planSetup(directory, { ...setup, program });
      // What holds something else where hooks belong is refused, and nothing is written.
      if (!plan.ok) return assert.equal(plan.error.code, "settings-file");
      assert.ok(carryOutSettings(plan.value).ok);
      const again = planSetup(directory, { ...setup, program });
      assert.ok(again.ok && again.value.every(({ action }) => action === "leave"));
      // A Baton that lies elsewhere brings its lines up to date, and doubles none.
      const moved = planSetup(directory, { words: ["/old/node", "/old/bin/baton.js"], agent: "dev-1", program });
      assert.ok(moved.ok && carryOutSettings(moved.value).ok);
      const removal = planRemoval(directory, program);
      assert.ok(removal.ok && carryOutSettings(removal.value).ok);
      for (const { path } of json) assert.equal(readFileSync(join(directory, path), "utf8"), text, path);
      return undefined;
    }),
    { seed, numRuns: 60 },
  );
});

test("a rule that a person wrote for Baton's tools stays when Baton's own goes, whatever was installed in between", async () => {
  const directory = project();
  const own = '{"permissions": {"allow": ["mcp__baton", "Bash"] } }\n';
  const file = put(directory, ".claude/settings.json", own);
  for (const words of [[], [], ["--as", "dev-1"]])
    await calledWithCode(0, directory, ["install", "claude-code", ...words]);
  const { allow } = read(directory, ".claude/settings.json").permissions as { readonly allow: readonly string[] };
  assert.deepEqual(allow, ["mcp__baton", "Bash", "mcp__baton"]);
  for (const _ of [1, 2]) {
    await calledWithCode(0, directory, ["uninstall", "claude-code"]);
    assert.equal(readFileSync(file, "utf8"), own);
  }
});

const tomlTexts: readonly string[] = [
  "",
  "\n",
  'model = "x"',
  'model = "x"\r\n[mcp_servers.other]\r\ncommand = "y" # baton begin\r\n',
  'note = """\n# baton begin\n[mcp_servers.baton]\n# baton end\n"""\n',
  "a = [ # baton\n  { b = ']' },\n  '''\n[mcp_servers.baton]''',\n]\n\n\n",
  '[projects."/a b"]\ntrust_level = "trusted"\n\n# the end',
];

test("TOML settings of any layout are the same bytes after install and uninstall, edited in between or not", async () => {
  for (const text of tomlTexts) {
    const directory = project();
    const file = put(directory, ".codex/config.toml", text);
    await calledWithCode(0, directory, ["install", "codex"]);
    const installed = readFileSync(file, "utf8");
    assert.ok(installed.startsWith(text) && installed.includes("command = "), installed);
    writeFileSync(file, `# first\n${installed}`);
    await calledWithCode(0, directory, ["install", "codex", "--as", "dev-1"]);
    assert.equal(readFileSync(file, "utf8").match(/^\[mcp_servers\.baton\]\r?\ncommand/gm)?.length, 1);
    await calledWithCode(0, directory, ["uninstall", "codex"]);
    assert.equal(readFileSync(file, "utf8"), `# first\n${text}`);
    // The mark of an older version.
    writeFileSync(file, installed.replace(/ \(uninstalling .*\)/, ", with the line end before it"));
    await calledWithCode(0, directory, ["uninstall", "codex"]);
    assert.equal(readFileSync(file, "utf8"), text);
  }
});

test("a table that a program appended before the last mark stays when the block goes", async () => {
  const directory = project();
  const file = put(directory, ".codex/config.toml", 'model = "x"');
  await calledWithCode(0, directory, ["install", "codex"]);
  const table = '[projects."/x"]\ntrust_level = "trusted"\n';
  writeFileSync(file, readFileSync(file, "utf8").replace("# baton end", `${table}# baton end`));
  await calledWithCode(0, directory, ["install", "codex", "--as", "dev-1"]);
  assert.ok(
    readFileSync(file, "utf8").includes(
      `"CODEX_HOME"]\ntool_timeout_sec = 330\nstartup_timeout_sec = 60\nrequired = true\n${table}# baton end\n`,
    ),
  );
  await calledWithCode(0, directory, ["uninstall", "codex"]);
  assert.equal(readFileSync(file, "utf8"), `model = "x"\n${table}`);
});

test("a line that was written is one that a shell runs and Baton answers, as the agent it names", () => {
  const directory = team();
  const setup = { program: "gemini", words: [process.execPath, mainBundle], agent: "dev-1" } as const;
  const plan = planSetup(directory, setup);
  assert.ok(plan.ok && carryOutSettings(plan.value).ok);
  const [group] = groupsOf(read(directory, ".gemini/settings.json"), "SessionStart");
  const line = group?.hooks[0]?.command ?? "";
  const input = JSON.stringify({ hook_event_name: "SessionStart", session_id: "s", cwd: directory });
  const answered = spawnSync("sh", ["-c", line], {
    cwd: directory,
    encoding: "utf8",
    input,
    env: environment({ BATON_HOOK_SECONDS: "99" }),
    timeout: commandMsMax,
  });
  assert.equal(answered.status, 0, answered.stderr);
  assert.match(answered.stdout, /you are dev-1/);
});

test("what cannot be changed safely is refused with its place, and nothing is written anywhere", async () => {
  const cases: readonly (readonly [program: HookProgram, path: string, text: string, code: string, place: string])[] = [
    ["claude-code", ".mcp.json", '{\n  "mcpServers": {,}\n}', "settings-file", ".mcp.json:2:18"],
    ["claude-code", ".claude/settings.json", "", "settings-file", "settings.json:1:1"],
    ["claude-code", ".claude/settings.json", '{"hooks": []}', "settings-file", "settings.json:1:11"],
    ["claude-code", ".claude/settings.json", '{"hooks": {"Stop": {}}}', "settings-file", "settings.json:1:20"],
    ["claude-code", ".claude/settings.json", '{"hooks": {}, "hooks": {}}', "settings-file", "settings.json:1:15"],
    ["claude-code", ".mcp.json", '{"mcpServers":{"baton":{"command":"baton"}}}', "already-exists", ".mcp.json"],
    ["claude-code", ".claude/settings.json", "{\n  // mine\n}", "settings-file", "settings.json:2:3"],
    ["claude-code", ".mcp.json", '{"mcpServers": {"x": {}, } }', "settings-file", ".mcp.json:1:24"],
    ["codex", ".codex/hooks.json", '{"hooks": {}} /* mine */', "settings-file", "hooks.json:1:15"],
    ["gemini", ".gemini/settings.json", "\ufeff[]", "settings-file", "settings.json:1:2"],
    ["codex", ".codex/config.toml", 'a = "x\n', "settings-file", "config.toml:1:7"],
    ["codex", ".codex/config.toml", "a = 1\nb 2\n", "settings-file", "config.toml:2:3"],
    ["codex", ".codex/config.toml", "# baton begin\n", "settings-file", "config.toml:1:1"],
    ["codex", ".codex/config.toml", "x=1\n[ mcp_servers . 'baton' ]\n", "already-exists", "config.toml:2:1"],
    ["codex", ".codex/config.toml", "mcp_servers = {}\n", "already-exists", "config.toml:1:1"],
    ["codex", ".codex/config.toml", 'mcp_servers.baton.command = "x"\n', "already-exists", "config.toml:1:1"],
    ["codex", ".codex/config.toml", '[mcp_servers]\n"bat\\u006fn" = {}\n', "already-exists", "config.toml:2:1"],
  ];
  for (const [program, path, text, code, place] of cases) {
    const directory = project();
    const file = put(directory, path, text);
    const refused = await calledWithCode(2, directory, ["install", program, "--json"]);
    const problem = problemOf(refused);
    assert.equal(problem.code, code, text);
    assert.ok(problem.path.endsWith(place) && problem.hint.length > 0, `${problem.path}, not ${place}`);
    assert.equal(readFileSync(file, "utf8"), text);
    assert.deepEqual(
      readdirSync(directory).toSorted(),
      [".git", path.split("/", 1).join()].toSorted(),
      "no other file was written",
    );
  }
});

test("links, folders, foreign bytes and read-only files in the place of settings are refused", async () => {
  const traps: Readonly<Record<string, (directory: string) => void>> = {
    "a link in the place of the file": (directory) => {
      put(directory, "elsewhere", "{}");
      mkdirSync(join(directory, ".claude"));
      symlinkSync("../elsewhere", join(directory, ".claude/settings.json"));
    },
    "a link in the place of the folder": (directory) => {
      mkdirSync(join(directory, "elsewhere"));
      symlinkSync("elsewhere", join(directory, ".claude"));
    },
    "a folder in the place of the file": (directory) => mkdirSync(join(directory, ".mcp.json")),
    "a file in the place of the folder": (directory) => void put(directory, ".claude", "x"),
    "a read-only file": (directory) => chmodSync(put(directory, ".mcp.json", "{}"), 0o444),
    "bytes that are no UTF-8": (directory) =>
      writeFileSync(join(directory, ".mcp.json"), Buffer.from([0x7b, 0xff, 0x7d])),
  };
  for (const [name, set] of Object.entries(traps)) {
    const directory = project();
    set(directory);
    const refused = await called(directory, ["install", "claude-code", "--json"]);
    assert.equal(problemOf(refused).code, "settings-file", name);
    assert.equal(existsSync(join(directory, "elsewhere/settings.json")), false, name);
  }
});

test("a file that changes after the plan is not written over, and a mode stays", () => {
  const directory = project();
  const file = put(directory, ".mcp.json", "{}");
  chmodSync(file, 0o664);
  const setup = { program: "claude-code", words: ["node", "/x/bin/baton.js"], agent: null } as const;
  const plan = planSetup(directory, setup);
  assert.ok(plan.ok);
  writeFileSync(file, '{"mine": 1}');
  const refused = carryOutSettings(plan.value);
  assert.equal(!refused.ok && refused.error.code, "settings-file");
  assert.equal(readFileSync(file, "utf8"), '{"mine": 1}');
  assert.equal(existsSync(join(directory, ".claude")), false, "nothing else was written either");
  const anew = planSetup(directory, setup);
  assert.ok(anew.ok && carryOutSettings(anew.value).ok);
  assert.equal(statSync(file).mode & 0o777, 0o664);
  assert.deepEqual(readdirSync(directory).toSorted(), [".claude", ".git", ".mcp.json"], "no draft is left");
});

test("a handler of ours among somebody's own goes alone", async () => {
  const directory = project();
  await calledWithCode(0, directory, ["install", "claude-code"]);
  const settings = read(directory, ".claude/settings.json");
  groupsOf(settings, "Stop")[0]?.hooks.unshift({ type: "command", command: "say done" });
  groupsOf(settings, "Stop")[0]?.hooks.push({
    type: "command",
    command: `${launcher} hook Stop --program claude-code`,
  });
  put(directory, ".claude/settings.json", JSON.stringify(settings));
  await calledWithCode(0, directory, ["uninstall", "claude-code"]);
  const [left] = groupsOf(read(directory, ".claude/settings.json"), "Stop");
  assert.deepEqual(
    left?.hooks.map(({ command }) => command),
    ["say done", `${launcher} hook Stop --program claude-code`],
  );
});

test("the project is the nearest one or the named one, and the home folder only when it is named", async () => {
  const directory = project();
  mkdirSync(join(directory, "deep/er"), { recursive: true });
  await calledWithCode(0, join(directory, "deep/er"), ["install", "claude-code"]);
  assert.ok(existsSync(join(directory, ".mcp.json")));
  const inHome = await called(directory, ["install", "gemini", "--json"], "", { HOME: directory });
  assert.equal(inHome.code, 64);
  assert.equal(existsSync(join(directory, ".gemini")), false);
  const named = await called(directory, ["install", "gemini", "--project", "."], "", { HOME: directory });
  assert.equal(named.code, 0);
  assert.match(named.stderr, /is your home folder/);
  assert.equal((await called(directory, ["install", "gemini", "--project", "nowhere"])).code, 3);
  assert.equal((await called(directory, ["install", "gemini", "--as", "no name"])).code, 2);
  for (const word of ["install", "uninstall"]) {
    const alone = await called(directory, [word]);
    assert.match(alone.stderr, /^ +hint +one of: claude-code, codex, gemini, git-hooks$/m);
  }
});
