/**
 * `baton run` with stand-in programs: the program takes the process's place with its words, streams, signals and exit
 * code, and the session is bound to its agent before it begins. tests/programs does it with the real programs.
 */
import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "./called.ts";
import { baton, commandNode, folder, jsonLines, problemCodes, start, team } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";
import { listingHooks, put } from "./settings-texts.ts";

/** A folder whose program `name` is this script; it is the whole PATH. */
function standIn(name: string, script: string): { readonly PATH: string } {
  const bin = folder();
  writeFileSync(join(bin, name), script);
  chmodSync(join(bin, name), 0o755);
  return { PATH: bin };
}

const echoing = `#!/bin/sh
read -r line
echo "words: $*" "in: $line" "agent: $BATON_AGENT" "hub: \${BATON_HUB:-none} \${BATON_TOKEN:-none}"
echo said >&2
exit 7
`;

/** Says that it runs, and ends by a signal or with its input. */
const staying = `#!/bin/sh
trap 'echo ended; exit 9' TERM
echo "running $$"
while read -r line; do echo "$line"; done
`;

function state(directory: string): string {
  return join(directory, ".baton/sessions");
}

async function running(child: ChildProcess): Promise<string> {
  const [text] = (await once(child.stdout ?? assert.fail(), "data")) as [Buffer];
  return text.toString();
}

test("where the program's settings switch all hooks off, it says so before the program begins", () => {
  const switches = {
    "claude-code": [".claude/settings.local.json", '{"disableAllHooks": true}', "claude"],
    gemini: [".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "gemini"],
  } as const;
  for (const [program, [file, off, name]] of Object.entries(switches)) {
    const directory = team();
    const run = () => baton(directory, ["run", "dev-1", "--program", program], "x\n", standIn(name, echoing)).stderr;
    assert.equal(run(), "said\n", "control: nothing is off");
    put(directory, file, off);
    assert.match(
      run(),
      /^warning: .* may write files that others hold: hooks are switched off in .*settings.*; .*\nsaid\n$/,
    );
  }
  const ofLine = { key: "/<session-flags>/config.toml:pre_tool_use:0:0", eventName: "preToolUse" };
  for (const [hooks, said] of [
    [[{ ...ofLine, trustStatus: "trusted" }], /^said\n$/],
    [[{ ...ofLine, trustStatus: "untrusted" }], /Codex may write .* Codex skips preToolUse.* \/hooks,/],
    // As Codex answers where its settings have switched the feature off.
    [[], /Codex may write .* Codex runs none of Baton's hooks.*hooks = false.*\nsaid\n$/],
  ] as const) {
    const codex = standIn("codex", echoing.replace("\n", `\n${listingHooks(hooks)}`));
    assert.match(baton(team(), ["run", "dev-1", "--program", "codex"], "x\n", codex).stderr, said);
  }
});

test("the program gets its words, input and agent, and its output and exit code are the command's", () => {
  const directory = team();
  const run = (program: string, words: readonly string[], as = "dev-1") =>
    baton(
      directory,
      ["run", as, "--program", program, "--", ...words],
      "hello\n",
      standIn(program === "claude-code" ? "claude" : program, echoing),
    );
  const codex = run("codex", ["exec", "a b", "--json"]);
  assert.match(
    codex.stdout,
    / -c hooks\.PreToolUse=.* --no-daemon exec a b --json in: hello agent: dev-1 hub: none none\n$/,
  );
  // This one does not answer what it makes of hooks.
  assert.match(codex.stderr, /warning: it is not known whether Codex runs Baton's hooks: .*\nsaid\n$/);
  assert.equal(codex.code, 7);
  const place = folder();
  put(place, "config.toml", '[plugins."baton@baton"]\nenabled = true\n');
  const off = baton(team(), ["run", "dev-1", "--program", "codex"], "x\n", {
    ...standIn("codex", echoing),
    CODEX_HOME: place,
  });
  assert.match(off.stderr, /^warning: Codex may write files that others hold: .*baton.*\nsaid\n$/);
  for (const program of ["claude-code", "gemini"]) {
    const done = run(program, ["-p", "go"]);
    const [, id = ""] = /--session-id ([0-9a-f-]{36}) -p go in/.exec(done.stdout) ?? [];
    // Bound before it began.
    assert.equal(readFileSync(join(state(directory), `${program}-${id}`), "utf8"), "dev-1", done.stdout + done.stderr);
    const resumed = run(program, ["--resume", id], "qa-1");
    assert.deepEqual([resumed.code, resumed.stdout], [2, ""]);
    assert.match(resumed.stderr, /This session began as dev-1, not as qa-1/);
    assert.match(run(program, ["--resume", id]).stdout, new RegExp(` --resume ${id} in`));
  }
});

test("where the plugin is on, words by which Claude Code leaves plugins out get the start line, or are refused", async () => {
  const directory = team();
  put(directory, ".claude/settings.json", '{"enabledPlugins": {"baton@baton": true}}');
  const run = (...words: readonly string[]) =>
    baton(directory, ["run", "dev-1", "--program", "claude-code", "--", ...words], "x\n", standIn("claude", echoing));
  assert.doesNotMatch(run("-p").stdout, /--mcp-config/, "control: the plugin counts");
  assert.match(
    run("--setting-sources", "user").stdout,
    /--mcp-config .*claude-mcp\.json --settings .*claude-settings\.json/,
  );
  assert.match(run("--bare", "-p").stdout, /--permission-prompt-tool mcp__baton__permit .*--bare -p/);
  for (const words of [["--bare"], ["--bare", "-p", "--permission-mode", "acceptEdits"]])
    assert.match(run(...words).stderr, /Next to --bare nothing would protect files/);
  for (const word of ["--safe-mode", "--restricted"]) {
    const refused = run(word);
    assert.deepEqual([refused.code, refused.stdout], [64, ""], word);
    assert.match(refused.stderr, /With it Claude Code would not read Baton's settings/);
  }
});

test("words of Codex that begin no session of the agent here are refused, and it is not bound", async () => {
  const directory = team();
  for (const words of [["login"], ["--worktree"], ["exec", "-C", "/", "go"]]) {
    const line = ["run", "dev-1", "--program", "codex", "--json", "--", ...words];
    const done = await called(directory, line, "", standIn("codex", echoing));
    assert.deepEqual([done.code, problemCodes(done)], [64, ["wrong-usage"]], words.join(" "));
  }
  assert.ok(!existsSync(state(directory)));
});

test("a script that needs Node runs on the Node of Baton; what is no program is said to be none", async () => {
  const directory = team();
  const gemini = standIn("gemini", "#!/usr/bin/env node\nconsole.log(process.execPath);\n");
  const done = baton(directory, ["run", "dev-1", "--program", "gemini"], "", gemini);
  assert.equal(done.stdout, `${commandNode}\n`);
  const trusted = "console.log(process.env.GEMINI_CLI_TRUSTED_FOLDERS_PATH);";
  const own = standIn("gemini", `#!/usr/bin/env node\n${trusted}\n`);
  const where = baton(directory, ["run", "dev-1", "--program", "gemini"], "", own);
  assert.match(where.stdout, /\/\.gemini\/trustedFolders\.json\n$/);
  assert.doesNotMatch(where.stdout, /gemini-home/, "what its user trusts is known in their own home too");
  const broken = await called(
    directory,
    ["run", "dev-1", "--program", "gemini"],
    "",
    standIn("gemini", "echo nothing\n"),
  );
  assert.match(broken.stderr, /is no program of this machine[\s\S]*npm install -g @google\/gemini-cli/);
  const missing = await called(directory, ["run", "dev-1", "--program", "codex", "--json"], "", { PATH: folder() });
  assert.deepEqual([missing.code, problemCodes(missing)], [3, ["not-found"]]);
  assert.match(missing.stdout, /npm install -g @openai\/codex/);
});

test("nobody, the owner, an unknown and a retired agent are refused, and no session is bound; a rule lets a new one in", async () => {
  const directory = team();
  appendFileSync(join(directory, ".baton/team.yaml"), 'names:\n  - {pattern: "vbw-dev-*", role: dev, max: 2}\n');
  await calledWithCode(0, directory, ["agent", "register", "old-1", "--role", "dev"]);
  await calledWithCode(0, directory, ["agent", "retire", "old-1"]);
  const path = standIn("codex", echoing);
  const refused = async (words: readonly string[], code: string) => {
    const done = await called(directory, ["run", ...words, "--json"], "", path);
    assert.deepEqual(problemCodes(done), [code], done.stderr);
    return done.stdout;
  };
  await refused([], "wrong-usage");
  assert.match(await refused(["dev-1"], "wrong-usage"), /does not say which program dev-1 is.*run dev-1 --program/);
  assert.match(await refused(["owner"], "wrong-usage"), /owner is the person; name an agent/);
  await refused(["nobody-1", "--program", "codex"], "unknown-agent");
  await refused(["old-1", "--program", "codex"], "retired-agent");
  assert.ok(!existsSync(state(directory)));
  assert.match(baton(directory, ["run", "vbw-dev-3", "--program", "codex"], "x\n", path).stdout, /agent: vbw-dev-3/);
  const agents = jsonLines(await calledWithCode(0, directory, ["agent", "list", "--json"]));
  assert.equal(agents.find(({ agent }) => agent === "vbw-dev-3")?.role, "dev");
});

test("while a session runs no other one is its agent, which is recorded once; signals are the program's", async () => {
  const directory = team();
  const path = standIn("codex", staying);
  const line = ["run", "dev-1", "--program", "codex"];
  const first = start(directory, line, path);
  assert.equal(await running(first), `running ${first.pid}\n`);
  for (const _ of [1, 2]) {
    const second = await called(directory, [...line, "--json"], "", path);
    assert.deepEqual([second.code, problemCodes(second)], [2, ["identity-mismatch"]]);
    assert.match(second.stdout, /Another session is dev-1: codex, process \d+/);
  }
  // A hook of another session that claims the name is nobody's, and says why.
  const hook = await called(
    directory,
    ["hook", "SessionStart", "--program", "claude-code", "--as", "dev-1"],
    JSON.stringify({ session_id: "s9" }),
  );
  assert.match(hook.stdout, /Baton does not let you act.*Another session is dev-1/);
  const other = await called(directory, ["run", "qa-1", "--program", "codex"], "", { PATH: folder() });
  assert.match(other.stderr, /not on the PATH/);
  const [code] = await ended(first);
  assert.equal(code, 9);
  const again = start(directory, line, path);
  await running(again);
  await ended(again);
  const refusals = jsonLines(await calledWithCode(0, directory, ["log", "--json", "--kind", "refusal"]));
  assert.deepEqual(
    refusals.map(({ sender }) => sender),
    ["dev-1", "dev-1"],
    "the second launch and the hook, each once",
  );
  assert.equal(readdirSync(state(directory)).filter((name) => name.startsWith("agent-dev-1.")).length, 1);
});

async function ended(child: ChildProcess): Promise<readonly unknown[]> {
  const over = once(child, "close");
  child.kill("SIGTERM");
  return await over;
}

test("an error in the team file is said once, whatever becomes of the session", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["agent", "list"]);
  appendFileSync(join(directory, ".baton/team.yaml"), "polcy: strict\n");
  const path = standIn("codex", staying);
  const told = (stderr: string) => [stderr.split("polcy").length > 1, stderr.split("is not taken").length - 1];
  const unknown = await called(directory, ["run", "nobody-1", "--program", "codex"], "", path);
  assert.match(unknown.stderr, /unknown-agent/);
  assert.deepEqual(told(unknown.stderr), [true, 1], unknown.stderr);
  const first = start(directory, ["run", "dev-1", "--program", "codex"], path);
  await running(first);
  const second = await called(directory, ["run", "dev-1", "--program", "codex"], "", path);
  assert.match(second.stderr, /identity-mismatch/);
  assert.deepEqual(told(second.stderr), [true, 1], second.stderr);
  await ended(first);
});

test("through a hub the token says who the program is, and is handed on", async () => {
  const directory = team();
  mkdirSync(join(directory, "away"));
  const hub = await startHub(directory);
  const { BATON_HUB = "", ...token } = towards(hub, await tokenOf(directory, "dev-1"));
  const variables = { BATON_HUB, ...token, ...standIn("codex", echoing) };
  const away = folder();
  const done = baton(away, ["run", "dev-1", "--program", "codex"], "x\n", variables);
  assert.match(done.stdout, /agent: dev-1 hub: http:\/\/127\.0\.0\.1:\d+ baton_/);
  const other = await called(away, ["run", "qa-1", "--program", "codex", "--json"], "", variables);
  assert.deepEqual(problemCodes(other), ["identity-mismatch"]);
});
