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
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shellWords } from "../../src/doors/cli/kernel/next-command.ts";
import { type HookProgram, hookEvents, hookFields, hookPrograms } from "../../src/messages/program-hooks.ts";
import { programFacts } from "../../src/programs/install/program-settings.ts";
import { carryOutSettings } from "../../src/programs/install/settings-file.ts";
import { planSetup } from "../../src/programs/install/settings-plan.ts";
import { git } from "../evidence/history.ts";
import { called, calledWithCode } from "./called.ts";
import { commandMsMax, environment, type Finished, folder, jsonLines, mainBundle, team } from "./command.ts";
import { groupsOf, launcher, project, put, read } from "./settings-texts.ts";

/** The problem that a command with `--json` ended with. */
function problemOf(done: Finished): { readonly code: string; readonly path: string; readonly hint: string } {
  const line = jsonLines(done).at(-1);
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
    const dry = await calledWithCode(0, directory, ["install", program, "--dry-run", "--as", "dev-1"]);
    assert.match(dry.stdout, /^would write \S+: hooks/);
    assert.match(dry.stdout, /the MCP server baton\n$/);
    assert.deepEqual(readdirSync(directory), [".git"]);
    const done = await calledWithCode(0, directory, ["install", program, "--as", "dev-1"]);
    assert.equal(done.stdout, dry.stdout.replaceAll("would write", "wrote"), "what was shown is what was written");
    assert.match(done.stderr, /it is dev-1 here/);
    if (program === "claude-code")
      assert.match(dry.stdout, /settings\.json: hooks, permissions, sandbox\.filesystem\.denyWrite\n/);
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
      again.map(({ file, action, done: isDone }) => ({ file, action, isDone })),
      programFacts[program].files.map(({ path }) => ({ file: join(directory, path), action: "leave", isDone: true })),
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
  assert.equal(read(directory, ".claude/settings.json").permissions, undefined);
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

test("install names a hub for each program's hooks and server", async () => {
  const directory = project();
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

test("settings of a person's own are not written: what to put in is shown, and once it is there all is as wanted", async () => {
  const mine: Readonly<Record<string, string>> = {
    ".claude/settings.json": '{"permissions": {"allow": ["Bash"]}, "hooks": {"Stop": []}}',
    ".codex/config.toml": 'model = "x"\n',
    ".gemini/settings.json": '{\n  // mine\n  "theme": "x", }',
  };
  for (const program of hookPrograms) {
    const directory = project();
    const path = programFacts[program].files.map((file) => file.path).find((each) => each in mine) ?? assert.fail();
    const file = put(directory, path, mine[path] ?? "");
    const shown = await calledWithCode(2, directory, ["install", program, "--json"]);
    assert.deepEqual([problemOf(shown).code, problemOf(shown).path], ["settings-file", file]);
    assert.equal(readFileSync(file, "utf8"), mine[path]);
    const text = String(jsonLines(shown).find((line) => line.action === "paste")?.text);
    const said = await calledWithCode(2, directory, ["install", program]);
    assert.ok(said.stdout.includes(`put this into ${file}: `) && said.stdout.includes(text), said.stdout);
    // As a person puts it in.
    const inJson = () =>
      JSON.stringify(joined(JSON.parse((mine[path] ?? "").replace(/\/\/.*|, (?=})/g, "")), JSON.parse(text)));
    if (program === "gemini") {
      const commented = `// mine\n${inJson()}`;
      writeFileSync(file, commented);
      assert.match((await calledWithCode(2, directory, ["uninstall", program])).stderr, /has comments, so nothing was/);
      assert.equal(readFileSync(file, "utf8"), commented);
    }
    writeFileSync(file, path.endsWith(".toml") ? `${mine[path]}${text}` : inJson());
    assert.match((await calledWithCode(0, directory, ["install", program])).stdout, /^nothing to change in .*\n/);
    await calledWithCode(0, directory, ["uninstall", program]);
    const left = readFileSync(file, "utf8");
    if (program === "codex") assert.equal(left, mine[path]);
    if (program === "gemini") assert.deepEqual(JSON.parse(left), { theme: "x" });
    if (program === "claude-code") assert.deepEqual(JSON.parse(left), { permissions: { allow: ["Bash"] } });
  }
});

/** Two settings as one: lists one behind the other. */
function joined(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...(one as unknown[]), ...(other as unknown[])];
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return other;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const [left, right] = [one, other] as readonly Record<string, unknown>[];
  return Object.fromEntries(
    keys.map((key) => [
      key,
      key in one && key in other ? joined(left?.[key], right?.[key]) : (left?.[key] ?? right?.[key]),
    ]),
  );
}

test("what is Baton's alone is brought up to date, and what others added to its table stays when that goes", async () => {
  const directory = project();
  const file = join(directory, ".codex/config.toml");
  await calledWithCode(0, directory, ["install", "codex"]);
  await calledWithCode(0, directory, ["install", "codex", "--as", "dev-1"]);
  assert.match(readFileSync(file, "utf8"), /"--as", "dev-1"/);
  const table = '[projects."/x"]\ntrust_level = "trusted"\n';
  const installed = readFileSync(file, "utf8").replace("# baton end", `${table}# baton end`);
  // An older Baton began the block behind a line end of its own.
  const older = installed.replace(
    "# baton begin",
    "# baton begin (uninstalling also removes the line break before this line)",
  );
  writeFileSync(file, `model = "x"\n\n${older}`);
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

test("settings that the program itself cannot read are refused, and nothing is written anywhere", async () => {
  const cases: readonly (readonly [program: HookProgram, path: string, text: string, why: RegExp])[] = [
    ["claude-code", ".mcp.json", '{\n  "mcpServers": {,}\n}', /loads nothing of this file/],
    ["claude-code", ".claude/settings.json", "", /loads nothing of this file/],
    ["claude-code", ".claude/settings.json", "{\n  // mine\n}", /reads strict JSON only/],
    ["codex", ".codex/hooks.json", '{"hooks": {}, }', /reads strict JSON only/],
    ["gemini", ".gemini/settings.json", "\ufeff[]", /no object/],
  ];
  for (const [program, path, text, why] of cases) {
    const directory = project();
    const file = put(directory, path, text);
    const refused = await calledWithCode(2, directory, ["install", program, "--json"]);
    assert.equal(problemOf(refused).code, "settings-file", text);
    assert.equal(problemOf(refused).path, file);
    assert.match(refused.stdout, why);
    assert.equal(readFileSync(file, "utf8"), text);
    assert.deepEqual(readdirSync(directory).toSorted(), [".git", path.split("/", 1).join()].toSorted());
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

test("a file that is there after the plan is not written over", () => {
  const directory = project();
  const setup = { program: "claude-code", words: ["node", "/x/bin/baton.js"], agent: null } as const;
  const plan = planSetup(directory, setup);
  assert.ok(plan.ok);
  const file = put(directory, ".mcp.json", '{"mine": 1}');
  const refused = carryOutSettings(plan.value);
  assert.equal(!refused.ok && refused.error.code, "settings-file");
  assert.equal(readFileSync(file, "utf8"), '{"mine": 1}');
  assert.equal(existsSync(join(directory, ".claude")), false, "nothing else was written either");
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
