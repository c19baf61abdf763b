/**
 * What may follow on a command line: asked of the command in this process, and by a real bash that read the script. No
 * list is here twice: commands and options are those of the catalogue.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogue } from "../../src/main/catalogue.ts";
import { called, calledWithCode } from "./called.ts";
import {
  commandMsMax,
  contract,
  environment,
  folder,
  jsonLines,
  mainBundle,
  message,
  request,
  team,
} from "./command.ts";

/** What may be in place of the last of `words`. */
async function follows(place: string, ...words: readonly string[]): Promise<readonly string[]> {
  const done = await calledWithCode(0, place, ["completion", "zsh", "--", ...words]);
  assert.equal(done.stderr, "", words.join(" "));
  return done.stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

test("every command of the catalogue is reached word by word, and every option of it", async () => {
  const place = folder();
  const first = await follows(place, "");
  for (const { name, load } of catalogue) {
    const words = name.split(" ");
    assert.ok(first.includes(words[0] ?? ""), name);
    if (words.length === 2) assert.ok((await follows(place, words[0] ?? "", "")).includes(words[1] ?? ""), name);
    const { command } = await load();
    const options = await follows(place, ...words, "--");
    for (const option of command.options ?? []) {
      assert.ok(options.includes(`--${option.name}`), `${name} --${option.name}`);
      if (option.choices === undefined) continue;
      assert.deepEqual(
        await follows(place, ...words, `--${option.name}`, ""),
        option.choices,
        `${name} ${option.name}`,
      );
    }
  }
  assert.deepEqual(await follows(place, "help", "token", ""), ["create", "list", "revoke"]);
});

test("values are those of the team, and none that a shell would read as more than a word", async () => {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], request());
  const hostile = message("approval_request", "dev", JSON.parse(request()).payload, { id: "--help" });
  await calledWithCode(0, place, ["send", "--as", "dev-1"], hostile);
  for (const task of ["$(id)", "a b", "`id`", "--json", "a;b"]) await called(place, ["task", "add", "--", task]);
  const cases: readonly (readonly [words: string, follows: string])[] = [
    ["task claim _", "1-1-T1 3"],
    ["task claim 1-1-T1 _", ""],
    ["task claim --as _", "lead-1 dev-1 qa-1 architect-1 scout-1"],
    ["--as dev-1 task claim _", "1-1-T1 3"],
    ["inbox --as=d_", "--as=dev-1"],
    ["approve _", "approval_request-1"],
    ["deny --reason no _", "approval_request-1"],
    ["contract show _", "1-1"],
    ["status --team _", "web"],
    ["phase _", "skip end exclude lift 1"],
    ["verify 1-1-T1 1_", "1-1-T1"],
    ["log --view m_", "messages"],
    ["completion _", "bash zsh fish"],
    ["send _", ""],
    ["send -- _", ""],
    ["nonsense _", ""],
    ["task claim --journal sqlite:none.db _", ""],
    ["task claim --hub http://127.0.0.1:1 _", ""],
  ];
  const before = await calledWithCode(0, place, ["log", "--json"]);
  for (const [words, expected] of cases) {
    const found = await follows(place, ...words.replace("_", "").split(" "));
    assert.equal(found.join(" "), expected, words);
  }
  assert.deepEqual(
    jsonLines(await calledWithCode(0, place, ["log", "--json"])),
    jsonLines(before),
    "looking records nothing",
  );
  assert.equal(existsSync(join(place, "none.db")), false);
  const [task] = jsonLines(await calledWithCode(0, place, ["completion", "bash", "--json", "--", "task", "cl"]));
  assert.deepEqual(task, { word: "claim", summary: "take a task and its files, or the next free one" });
  assert.match((await calledWithCode(64, place, ["completion", "bahs"])).stderr, /did you mean "bash"\?/);
});

test("a bash that read the script completes, and runs nothing that it reads", async () => {
  const place = team();
  await calledWithCode(0, place, ["status"]);
  const shim = join(place, "baton");
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${mainBundle}' "$@"\n`);
  chmodSync(shim, 0o755);
  // As readline calls it: the words of the line, broken at = and :, and which of them is being typed.
  const script = `
    set -eu
    eval "$(baton completion bash)"
    complete -p baton
    ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _baton baton; echo "$* -> \${COMPREPLY[*]-}"; }
    ask baton ta
    ask baton task re
    ask baton log --view = re
    ask baton inbox --as d
    ask baton task claim ""
    ask baton send ./
    complete -r baton`;
  const done = spawnSync("bash", ["--norc", "-c", script], {
    cwd: place,
    encoding: "utf8",
    env: environment({ PATH: `${place}:${process.env.PATH ?? ""}` }),
    timeout: commandMsMax,
  });
  assert.equal(done.status, 0, done.stderr);
  assert.deepEqual(
    done.stdout.split("\n").flatMap((line) => line.trimEnd() || []),
    [
      "complete -o bashdefault -o default -F _baton baton",
      "baton ta -> task",
      "baton task re -> release reassign reopen",
      "baton log --view = re -> refusals",
      "baton inbox --as d -> dev-1",
      "baton task claim  ->",
      "baton send ./ ->",
    ],
  );
});
