/** Agent programs that load Baton's plugin and leave it again: which lines run, what is refused, what was left. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { pluginFiles } from "../../scripts/generate/plugins.ts";
import { hookPrograms } from "../../src/messages/program-hooks.ts";
import { packageFacts } from "../../src/perform/workspace/package-root.ts";
import { git } from "../evidence/history.ts";
import { called } from "./called.ts";
import { expectCode, jsonLines, team } from "./command.ts";
import { onPath, type Place, project, put } from "./settings-texts.ts";

const plugins = join(packageFacts().root, "plugins");

/** What each program is told, in its order. */
const lines = {
  "claude-code": [`claude plugin marketplace add ${plugins}`, "claude plugin install baton@baton --scope project"],
  codex: [`codex plugin marketplace add ${plugins}`, "codex plugin add baton@baton"],
  gemini: [
    `gemini extensions install ${plugins}/gemini --consent`,
    "gemini extensions disable baton --scope user",
    "gemini extensions enable baton --scope workspace",
  ],
} as const;

/** Calls the command in the place, which must succeed. */
async function done(place: Place, words: readonly string[]) {
  const ended = await called(place.root, words, "", place.variables);
  assert.equal(ended.code, 0, ended.said);
  return ended;
}

test("install has each program on the PATH load the plugin by its own commands, and uninstall has it leave", async () => {
  const place = project("baton", "claude", "codex", "gemini");
  const dry = await done(place, ["install", "--dry-run"]);
  const all = hookPrograms.flatMap((program) => lines[program]);
  assert.deepEqual(
    dry.stdout.trim().split("\n"),
    all.map((line) => `would run ${line}`),
  );
  assert.equal(existsSync(join(place.home, "said")), false);
  const whole = await done(place, ["install"]);
  assert.match(whole.stderr, /No team lives here yet: baton start/);
  assert.match(whole.stderr, /Review Baton's hooks/);
  assert.match(whole.stderr, /BATON_AGENT=AGENT codex --no-daemon, or baton run AGENT/);
  const said = () => readFileSync(join(place.home, "said"), "utf8").trim().split("\n");
  assert.deepEqual(said(), all);
  // What is on is put in again, which brings it up to date.
  put(place.root, ".claude/settings.json", '{"enabledPlugins": {"baton@baton": true}}');
  const again = await done(place, ["install", "claude-code", "--json"]);
  const out = "claude plugin uninstall baton@baton --scope project";
  assert.deepEqual(
    jsonLines(again).map(({ command }) => command),
    [out, ...lines["claude-code"]],
  );
  // Claude Code lists the package for all projects, as long as one has the plugin.
  const known = ".claude/plugins/known_marketplaces.json";
  const installed = (plugins: object) =>
    put(place.home, ".claude/plugins/installed_plugins.json", JSON.stringify({ version: 2, plugins }));
  put(place.home, known, JSON.stringify({ baton: { installLocation: plugins } }));
  installed({ "baton@baton": [{ scope: "project", projectPath: "/elsewhere" }] });
  await done(place, ["uninstall", "claude-code"]);
  assert.equal(said().at(-1), out);
  installed({});
  await done(place, ["uninstall", "claude-code"]);
  assert.equal(said().at(-1), "claude plugin marketplace remove baton");
  const none = await done(place, ["uninstall", "codex"]);
  assert.match(none.stdout, /^nothing of Baton is in Codex\n/);
});

test("the plugins are what is made for them: no stray plugin.json makes Codex leave out the hooks", () => {
  const { root } = packageFacts();
  const files = readdirSync(plugins, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const found = files.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
  assert.deepEqual(found.toSorted(), [...pluginFiles().keys()].toSorted());
});

test("in Gemini CLI the plugin's lines deny where a team is and Baton gives no answer, and hold nothing up elsewhere", () => {
  const { hooks } = JSON.parse(pluginFiles().get("plugins/gemini/hooks/hooks.json") ?? "");
  const line = (event: string): string => hooks[event][0].hooks[0].command;
  const bare = project();
  const [shared, linked] = [project(), project()];
  put(shared.root, ".baton/team.yaml", "");
  put(linked.root, "src/a.js", "");
  git(linked.root, "init", "--quiet");
  mkdirSync(join(linked.root, ".git/baton"));
  const places = [
    ["no team", bare, bare.root, {}, false],
    ["a team", shared, shared.root, {}, true],
    ["a folder of a team", linked, join(linked.root, "src"), {}, true],
    ["a team at a hub", bare, bare.root, { BATON_HUB: "http://127.0.0.1:9" }, true],
  ] as const;
  const run = (event: string, { variables }: Place, cwd: string, more: object) => {
    const env = { ...variables, ...more };
    const { status, stderr } = spawnSync("sh", ["-c", line(event)], { cwd, env, encoding: "utf8" });
    return [status, /Baton gives no answer: put it on the PATH, with a Node/.test(stderr)];
  };
  for (const [where, place, cwd, more, isTeam] of places)
    for (const [what, code, own] of [
      ["Baton is gone", null, null],
      ["its Node is too old", 1, null],
      ["it is killed", 137, null],
      ["it denies", 2, 2],
      ["it allows", 0, 0],
    ] as const) {
      if (code !== null) onPath(place.bin, "baton", `exit ${code}`);
      const said = (otherwise: number) => [own ?? (isTeam ? otherwise : 0), own === null && isTeam];
      assert.deepEqual(run("BeforeTool", place, cwd, more), said(2), `${where}: an edit where ${what}`);
      assert.deepEqual(run("SessionStart", place, cwd, more), said(1), `${where}: a start where ${what}`);
      assert.deepEqual(run("AfterTool", place, cwd, more), [own ?? 0, false], `${where}: a tool's end where ${what}`);
      rmSync(join(place.bin, "baton"), { force: true });
    }
});

test("what cannot be is refused before anything runs, and a program's own refusal is told in its words", async () => {
  const place = project("claude");
  const code = async (words: readonly string[], directory = place.root) => {
    const done = await called(directory, [...words, "--json"], "", place.variables);
    const [problem] = (jsonLines(done).at(-1)?.problems ?? []) as readonly { code: string; hint: string }[];
    return [problem?.code, problem?.hint ?? ""] as const;
  };
  const [gone, hint] = await code(["install", "claude-code"]);
  assert.equal(gone, "not-found");
  assert.match(hint, /npm install -g .*baton run/);
  onPath(place.bin, "baton", "exit 0");
  assert.equal((await code(["install", "codex"]))[0], "not-found", "it is not on the PATH");
  assert.equal((await code(["install", "claude-code", "--as", "dev-1"]))[0], "wrong-usage", "--as is of git-hooks");
  mkdirSync(join(place.home, ".git"));
  assert.equal((await code(["install", "claude-code"], place.home))[0], "wrong-usage", "of all projects");
  onPath(place.bin, "claude", "echo 'plugins are off here' >&2; exit 1");
  const refused = await called(place.root, ["install", "claude-code"], "", place.variables);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /claude plugin marketplace add .*Claude Code did not do this: plugins are off here/s);
});

test("what an older Baton wrote into settings goes, and nothing else of them", async () => {
  const place = project("baton", "claude", "codex", "gemini");
  const baton = "/home/x/node /home/x/bin/baton.js";
  const call = { type: "mcp_tool", server: "baton", tool: "hook", input: {} };
  const line = { type: "command", command: `${baton} hook SessionStart --program claude-code` };
  const theirs = { type: "command", command: "make lint" };
  const server = { command: "/home/x/node", args: ["/home/x/bin/baton.js", "mcp", "--program", "claude-code"] };
  const claude = put(
    place.root,
    ".claude/settings.json",
    JSON.stringify({
      model: "x",
      hooks: {
        SessionStart: [{ hooks: [line] }],
        PreToolUse: [{ matcher: "Write", hooks: [call, theirs] }],
        Stop: [],
      },
      permissions: { allow: ["mcp__baton", "Bash"], deny: ["mcp__baton__hook"] },
      sandbox: { filesystem: { denyWrite: ["./.git/baton"] } },
    }),
  );
  const mcp = put(place.root, ".mcp.json", JSON.stringify({ mcpServers: { baton: server } }));
  const toml = put(
    place.root,
    ".codex/config.toml",
    'model = "x"\n# baton begin\n[mcp_servers.baton]\n# baton end\n[a]\n',
  );
  const users = put(place.home, ".codex/hooks.json", JSON.stringify({ hooks: { Stop: [{ hooks: [call] }] } }));
  const gemini = put(
    place.root,
    ".gemini/settings.json",
    `{ // mine\n "mcpServers": {"baton": ${JSON.stringify(server)}}}`,
  );
  for (const program of ["claude-code", "codex"]) {
    const dry = await done(place, ["uninstall", program, "--dry-run"]);
    assert.match(dry.stdout, /^would take out of /);
    await done(place, ["uninstall", program]);
  }
  assert.deepEqual(JSON.parse(readFileSync(claude, "utf8")), {
    model: "x",
    hooks: { PreToolUse: [{ matcher: "Write", hooks: [theirs] }], Stop: [] },
    permissions: { allow: ["Bash"] },
  });
  assert.deepEqual([existsSync(mcp), existsSync(users)], [false, false]);
  assert.equal(readFileSync(toml, "utf8"), 'model = "x"\n[a]\n');
  const commented = await called(place.root, ["install", "gemini"], "", place.variables);
  assert.equal(commented.code, 2);
  assert.match(commented.stderr, /has comments, so nothing was changed/);
  assert.match(readFileSync(gemini, "utf8"), /mine/);
});

test("baton run begins nothing where an older Baton's hooks would be asked as well", async () => {
  const directory = team();
  expectCode(0, directory, ["status"]);
  const { variables } = project("claude");
  put(
    directory,
    ".mcp.json",
    JSON.stringify({ mcpServers: { baton: { command: "n", args: ["/x/bin/baton.js", "mcp"] } } }),
  );
  const refused = await called(directory, ["run", "dev-1", "--program", "claude-code"], "", variables);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /each would be asked twice.*baton uninstall claude-code takes them out/s);
});
