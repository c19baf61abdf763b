/** What `baton doctor` says of agent programs: in which the plugin is on, what was left, and what is switched off. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type HookProgram, hookPrograms } from "../../src/messages/program-hooks.ts";
import { called } from "./called.ts";
import { jsonLines } from "./command.ts";
import { listingHooks, onPath, type Place, project, put } from "./settings-texts.ts";

/** The plugin is on, as the program's own command leaves it. */
function plugged({ root, home }: Place, program: HookProgram): void {
  if (program === "claude-code") put(root, ".claude/settings.json", '{"enabledPlugins": {"baton@baton": true}}');
  if (program === "codex")
    put(home, ".codex/config.toml", '[plugins."baton@baton"]\nenabled = true\n\n[other]\nx = 1\n');
  if (program !== "gemini") return;
  put(home, ".gemini/extensions/baton/gemini-extension.json", "{}");
  const overrides = [`!${home}/*`, `${root}/*`];
  put(home, ".gemini/extensions/extension-enablement.json", JSON.stringify({ baton: { overrides } }));
}

async function checkOf(place: Place, name: string) {
  const done = await called(place.root, ["doctor", "--json"], "", place.variables);
  return jsonLines(done).find(({ check }) => check === name);
}

test("doctor says in which programs the plugin is on, and that Codex could not be asked about its review", async () => {
  const place = project("baton");
  assert.match(String((await checkOf(place, "programs"))?.finding), /no agent program has Baton's plugin here/);
  for (const program of hookPrograms) {
    plugged(place, program);
    const found = await checkOf(place, program);
    if (program === "codex") assert.match(String(found?.finding), /does not say whether its hooks were reviewed/);
    else assert.deepEqual([found?.state, /the plugin is on/.test(String(found?.finding))], ["ok", true], program);
  }
  // Nearer settings count before those of the user, and an override of Gemini CLI's for the folder before the others.
  put(place.root, ".claude/settings.local.json", '{"enabledPlugins": {"baton@baton": false}}');
  put(place.home, ".codex/config.toml", '[plugins."baton@baton"]\nenabled = false\n[x]\nenabled = true\n');
  const elsewhere = { baton: { overrides: [`!${place.root}/*`] } };
  put(place.home, ".gemini/extensions/extension-enablement.json", JSON.stringify(elsewhere));
  for (const program of hookPrograms) assert.equal(await checkOf(place, program), undefined, program);
});

test("a plugin whose command is gone fails, and what an older Baton wrote is named with the line that takes it out", async () => {
  const place = project();
  plugged(place, "claude-code");
  const gone = await checkOf(place, "claude-code");
  assert.deepEqual([gone?.state, gone?.finding], ["fail", "its plugin calls baton, which is not on your PATH"]);
  const file = put(
    place.root,
    ".mcp.json",
    JSON.stringify({ mcpServers: { baton: { command: "node", args: ["/x/bin/baton.js", "mcp"] } } }),
  );
  const old = await checkOf(place, "claude-code");
  assert.deepEqual([old?.state, old?.finding], ["warn", `an older Baton's hooks are in ${file}`]);
  assert.match(String(old?.advice), /^run: baton install claude-code, /);
});

test("doctor says that a program's settings switch hooks off, in which file, and what to do", async () => {
  const place = project("baton");
  for (const program of ["claude-code", "gemini"] as const) plugged(place, program);
  const { root, home } = place;
  const claude = { enabledPlugins: { "baton@baton": true }, disableAllHooks: true };
  const gemini = { hooksConfig: { enabled: false } };
  const cases = [
    ["claude-code", root, ".claude/settings.json", claude, "disableAllHooks"],
    ["claude-code", root, ".claude/settings.local.json", claude, "disableAllHooks"],
    ["claude-code", home, ".claude/settings.json", claude, "disableAllHooks"],
    ["gemini", root, ".gemini/settings.json", gemini, "hooksConfig.enabled"],
    ["gemini", home, ".gemini/settings.json", gemini, "hooksConfig.enabled"],
  ] as const;
  for (const [program, at, path, off, key] of cases) {
    assert.equal((await checkOf(place, program))?.state, "ok", `control: ${program}`);
    put(at, path, JSON.stringify(off));
    const { state, finding, advice } = (await checkOf(place, program)) ?? assert.fail();
    assert.deepEqual([state, finding], ["warn", `hooks are switched off in ${join(at, path)}: nothing protects files`]);
    assert.ok(String(advice).startsWith(`in ${join(at, path)}, remove ${key}, then start `), String(advice));
    rmSync(join(at, path));
    plugged(place, program);
  }
  plugged(place, "codex");
  onPath(place.bin, "codex", listingHooks([]));
  const codex = await checkOf(place, "codex");
  assert.deepEqual(
    [codex?.state, codex?.finding],
    ["warn", "Codex runs none of Baton's hooks: nothing protects files"],
    "all are off in its own settings",
  );
  // The project's own file counts before the user's, and what is neither true nor false switches nothing.
  put(home, ".claude/settings.json", JSON.stringify({ disableAllHooks: true }));
  put(root, ".claude/settings.local.json", JSON.stringify({ disableAllHooks: false }));
  assert.equal((await checkOf(place, "claude-code"))?.state, "ok");
  rmSync(join(home, ".claude"), { recursive: true });
  put(root, ".claude/settings.local.json", JSON.stringify({ disableAllHooks: "yes" }));
  assert.equal((await checkOf(place, "claude-code"))?.state, "ok");
});

test("a folder in the place of settings, and settings that no program reads, are no plugin", async () => {
  const place = project("baton");
  mkdirSync(join(place.root, ".claude/settings.json"), { recursive: true });
  put(place.root, ".claude/settings.local.json", '{"enabledPlugins": {"baton@baton": true}, // no JSON\n}');
  assert.equal(await checkOf(place, "claude-code"), undefined);
});
