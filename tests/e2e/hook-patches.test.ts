/** `baton hook` before Codex applies a patch: by its tool, and by the shell commands that it reads as that tool. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder } from "./command.ts";
import { commit, passes as committed, stage } from "./gate-place.ts";
import { claimed, hook, isDenied, passes, place } from "./hook-call.ts";

const held = /Not written:\n- outside-claim at src\/feature\.js: dev-1 holds this path for task 1-1-T1/;
const unplaced = /cannot see in which folder .*, so it cannot judge feature\.js\. .*by absolute paths/;

const begin = "*** Begin Patch";
const end = "*** End Patch";
const deletes = (file: string) => `${begin}\n*** Delete File: ${file}\n${end}\n`;
const document = (patch: string, command = "apply_patch") => `${command} <<'EOF'\n${patch}EOF`;

async function teamWhereOneHolds() {
  const directory = place();
  await claimed(directory);
  const ask = (event: string, tool: string, command: unknown, as = "qa-1") => {
    const input = { tool_name: tool, cwd: directory, tool_input: { command } };
    return hook(directory, event, input, ["--program", "codex", "--as", as]);
  };
  return { directory, ask, shell: (command: unknown, as?: string) => ask("PreToolUse", "Bash", command, as) };
}

test("a patch of Codex is judged in the folder that its shell command goes to", async () => {
  const { directory, shell } = await teamWhereOneHolds();
  const patch = document(deletes("feature.js"));
  const inSource = [
    `cd src && ${patch}`,
    `cd 'src' && ${patch}`,
    `cd ${directory}/lib && cd "../src" && ${patch}`,
    `cd src; ${patch}`,
    `cd src\n${patch}`,
    `cd src && ls; ${patch}`,
    ["bash", "-lc", `cd src && ${patch}`],
    `bash -lc "cd src && ${document(deletes("feature.js"))}"`,
  ];
  for (const command of inSource) isDenied(await shell(command), held);
  // Where the folder may not be there, the patch is applied in the one before.
  isDenied(await shell(`cd gone; ${document(deletes("src/feature.js"))}`), held);
  // Control: the same file name in other folders, a folder left again afterwards, and who holds the file.
  const docs = document(deletes("src/feature.js"));
  for (const command of [patch, `cd docs && ${docs}`, `${patch}\ncd src && ls`]) passes(await shell(command));
  passes(await shell(`cd src && ${patch}`, "dev-1"));
});

test("a patch of Codex in a folder that cannot be known is denied where it names files by relative paths", async () => {
  const { directory, shell } = await teamWhereOneHolds();
  const places = ['cd "$HERE" && ', "cd ~/x && ", "cd $(pwd)/src && ", "cd && ", "pushd src && ", "(cd src && ls) && "];
  const wholes = [`(cd src && ${document(deletes("feature.js"))}\n)`, `env -C src ${document(deletes("feature.js"))}`];
  const commands = places.map((before) => before + document(deletes("feature.js")));
  for (const command of [...commands, ...wholes, `set -e\ncd src && ${document(deletes("feature.js"))}`])
    isDenied(await shell(command), unplaced);
  const absolute = (file: string) => `cd "$HERE" && ${document(deletes(join(directory, file)))}`;
  isDenied(await shell(absolute("src/feature.js")), held);
  passes(await shell(absolute("README.md")));
});

test("a patch of Codex is seen under both names of the command, and as an argument of it", async () => {
  const { shell } = await teamWhereOneHolds();
  const forms = (file: string) => [
    document(deletes(file), "applypatch"),
    ["applypatch", deletes(file)],
    ["apply_patch", deletes(file)],
    `applypatch '${deletes(file)}'`,
  ];
  for (const command of forms("src/feature.js")) isDenied(await shell(command), held);
  for (const command of forms("README.md")) passes(await shell(command));
});

test("a patch of Codex names a file also in a line with blanks around the mark, before the tool and after it", async () => {
  const { ask } = await teamWhereOneHolds();
  const padded = (line: string) => `${begin}\n*** Add File: src/new9.js\n+1\n${line}\n${end}\n`;
  const lines = ["  *** Delete File: src/feature.js", "\t*** Update File: src/feature.js\t\n@@\n-a\n+b"];
  const others = [
    "\u0085*** Delete File: src/feature.js",
    "*** Update File: README.md\n *** Move to: src/feature.js\n@@\n-a\n+b",
  ];
  for (const line of [...lines, ...others]) {
    isDenied(await ask("PreToolUse", "apply_patch", padded(line)), held);
    isDenied(await ask("PreToolUse", "Bash", document(padded(line))), held);
    const told = await ask("PostToolUse", "apply_patch", padded(line));
    assert.match(told.context, /may not be\. .*\n- outside-claim at src\/feature\.js.*Take it back now/s);
  }
  isDenied(await ask("PreToolUse", "Bash", document(deletes("src/feature.js").replace("***", " ***"))), held);
  // Control: an added line of text about patches is no mark.
  const text = padded("+  *** Delete File: src/feature.js");
  passes(await ask("PreToolUse", "apply_patch", text));
  passes(await ask("PreToolUse", "Bash", document(text)));
  assert.doesNotMatch((await ask("PostToolUse", "apply_patch", text)).context, /may not be/);
});

test("a path through a link is judged as Codex takes it and as a shell does", async () => {
  const { directory, ask } = await teamWhereOneHolds();
  const deep = join(folder(), "deep");
  mkdirSync(deep);
  symlinkSync(deep, join(directory, "link"));
  isDenied(await ask("PreToolUse", "apply_patch", deletes("link/../src/feature.js")), held);
  passes(await ask("PreToolUse", "apply_patch", deletes("link/../README.md")));
});

test("a patch of Codex that failed does not keep its file held, one that was applied does", async () => {
  const directory = place();
  stage(directory, "src/a.js", "1\n");
  committed(commit(directory, null));
  const patch = `${begin}\n*** Update File: src/a.js\n@@\n-1\n+2\n${end}\n`;
  const ask = (event: string, as: string) => {
    const input = { tool_name: "apply_patch", cwd: directory, tool_input: { command: patch } };
    return hook(directory, event, input, ["--program", "codex", "--as", as]);
  };
  passes(await ask("PreToolUse", "dev-1"));
  isDenied(await ask("PreToolUse", "qa-1"), /dev-1 edits this path/);
  await ask("PostToolUse", "dev-1");
  passes(await ask("PreToolUse", "qa-1"));
  writeFileSync(join(directory, "src/a.js"), "2\n");
  await ask("PostToolUse", "qa-1");
  isDenied(await ask("PreToolUse", "dev-1"), /qa-1 edits this path/);
});
