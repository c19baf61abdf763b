/**
 * The package as npm installs it, on the oldest Node that runs it: what `npm pack` makes, and nothing next to it. A day of
 * a team is played, and the record of it is asked by each door.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { environment, jsonLines } from "../e2e/command.ts";

const home = join(import.meta.dirname, "../..");
const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const oldest = join(
  cache,
  `baton-test-tools/oldest-node/node_modules/node-${process.platform}-${process.arch}/bin/node`,
);
const minutes = 60_000;

suite("the installed package on the oldest Node", {
  skip: existsSync(oldest) ? false : "oldest-node is not there",
}, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-installed-")));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const [bin, team] = [join(folder, "bin"), join(folder, "kept")];
  const env = environment({
    HOME: folder,
    PATH: [bin, process.env.PATH].join(delimiter),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CONFIG_HOME: join(folder, "config"),
    NODE_COMPILE_CACHE: "",
  });
  /** What `baton` answers; Node warns of nothing. */
  const baton = (words: readonly string[], input = "", cwd = team, status = 0) => {
    const done = spawnSync("baton", words, { cwd, env, encoding: "utf8", input, timeout: 2 * minutes });
    assert.equal(done.status, status, `baton ${words.join(" ")}\n${done.stdout}\n${done.stderr}`);
    assert.doesNotMatch(done.stderr, /Warning|trace-warnings/);
    return status === 0 ? done.stdout : done.stderr;
  };
  const json = (...words: readonly string[]) => jsonLines({ code: 0, stderr: "", stdout: baton([...words, "--json"]) });

  before(() => {
    const run = (program: string, ...words: readonly string[]) =>
      assert.equal(spawnSync(program, words, { cwd: folder }).status, 0, `${program} ${words.join(" ")}`);
    run("npm", "pack", home, "--ignore-scripts");
    run("tar", "-xzf", readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
    mkdirSync(bin);
    symlinkSync(oldest, join(bin, "node"));
    chmodSync(join(folder, "package/bin/baton.js"), 0o755);
    symlinkSync(join(folder, "package/bin/baton.js"), join(bin, "baton"));
  });

  test("a day is played: begun, claimed, lied about, judged, landed and ended", () => {
    const told = baton(["demo", "--fast", "--keep", team, "--json"], "", folder);
    const summary = told.split("\n").find((line) => line.includes('"summary"')) ?? "{}";
    const { landed, disputed, problems } = JSON.parse(summary) as Record<string, unknown>;
    assert.deepEqual([landed, disputed, problems], [6, 1, []]);
    assert.equal(json("doctor").find(({ check }) => check === "node")?.finding, "22.22.3");
  });

  test("the terminal asks and tells", () => {
    baton(["agent", "register", "dev-1", "--role", "dev"]);
    baton(["agent", "register", "dev-2", "--role", "dev"]);
    writeFileSync(join(folder, "note.txt"), "The prices are in euros.");
    baton(["send", join(folder, "note.txt"), "--as", "dev-1", "--to", "dev-2"]);
    assert.match(baton(["inbox", "--as", "dev-2"]), /The prices are in euros\./);
    assert.match(baton(["status"]), /team shop/);
    assert.match(baton(["verify"]), /verified {2}1 .* landed on main/);
    const receipt = baton(["receipt", "1"]);
    assert.match(receipt, /"payloadType":"application\/vnd\.in-toto\+json"/);
    baton(["journal", "backup", join(folder, "copy.db")]);
    assert.match(baton(["journal", "verify"]), /sound/);
  });

  test("a program is started as an agent, and its hook says who holds a file", () => {
    writeFileSync(join(bin, "gemini"), '#!/bin/sh\necho "$BATON_AGENT $@"\n', { mode: 0o755 });
    assert.match(baton(["run", "dev-1", "--program", "gemini", "--", "go"]), /^dev-1 .*go/);
    baton(["task", "add", "Round the prices", "--files", "src/price.js"]);
    baton(["task", "claim", "--as", "dev-1"]);
    const edit = {
      tool_name: "Edit",
      tool_input: { file_path: join(team, "src/price.js") },
      cwd: team,
      session_id: "s",
    };
    const words = ["hook", "PreToolUse", "--program", "claude-code", "--as", "dev-2"];
    assert.match(baton(words, JSON.stringify(edit), team, 2), /Not written:\n.*dev-1 holds this path/);
  });

  test("MCP answers, and the hub and its page", async () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const asked = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "team_status", arguments: {} } },
    ];
    const answered = baton(["mcp", "--as", "dev-1"], asked.map((each) => `${JSON.stringify(each)}\n`).join(""));
    assert.match(answered, /"team":"shop".*"id":2/);

    const hub = spawn("baton", ["up", "--port", "0", "--json"], { cwd: team, env, stdio: ["ignore", "pipe", "pipe"] });
    const ended = once(hub, "exit");
    try {
      let errors = "";
      hub.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
      const [line] = (await once(hub.stdout.setEncoding("utf8"), "data")) as [string];
      const { origin } = new URL(JSON.parse(line.split("\n")[0] ?? "").url);
      assert.match(await (await fetch(origin)).text(), /<script type="module"/);
      const { token } = json("token", "create", "dev-2")[0] ?? {};
      const through = ["inbox", "--hub", origin, "--token", String(token)];
      assert.match(baton(through), /The prices are in euros\./);
      assert.doesNotMatch(errors, /Warning/);
    } finally {
      hub.kill("SIGTERM");
    }
    assert.deepEqual(await ended, [0, null]);
  });
});
