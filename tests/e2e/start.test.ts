/**
 * A day's beginning with stand-in programs: each agent's program starts in a tree of its own, with Baton on its line.
 * tests/programs does it with the real programs.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { git } from "../evidence/history.ts";
import { baton, folder, problemCodes } from "./command.ts";

const echoing = `#!/bin/sh
echo "in $(pwd -P)"
echo "words: $*"
`;

/** A PATH with git and these programs, which say where they run and with which words. */
function programs(...names: readonly string[]): { readonly PATH: string } {
  const bin = folder();
  for (const name of names) {
    writeFileSync(join(bin, name), echoing);
    chmodSync(join(bin, name), 0o755);
  }
  return { PATH: `${bin}:/usr/bin:/bin` };
}

const all = programs("claude", "codex", "gemini");

/** A repository with one commit and a team of one agent a program. */
function repository(): string {
  const root = folder();
  git(root, "init", "--quiet", "--initial-branch=main");
  mkdirSync(join(root, ".baton"));
  const agents = "  claude-1: {role: lead, program: claude-code}\n  codex-1: {role: dev, program: codex}\n";
  const file = `version: 1\nteam: shop\ndialects: [vbw/2]\nagents:\n${agents}  gemini-1: {role: dev, program: gemini}\n`;
  writeFileSync(join(root, ".baton/team.yaml"), file);
  writeFileSync(join(root, "cart.js"), "export const cart = 1;\n");
  git(root, "add", "-A");
  git(root, "commit", "--quiet", "-m", "start");
  return root;
}

function run(root: string, agent: string, words: readonly string[] = []) {
  return baton(root, ["run", agent, ...(words.length === 0 ? [] : ["--", ...words])], "", {
    ...all,
    HOME: join(root, "../home"),
  });
}

test("each program starts in its agent's tree, with Baton on its line, and git sees nothing of it", () => {
  const root = repository();
  for (const [agent, line] of [
    ["claude-1", /--mcp-config (\S+) --settings (\S+) --session-id \S+ -p go$/m],
    ["codex-1", / -c hooks\.PreToolUse=.* --no-daemon -p go$/m],
    ["gemini-1", /words: --session-id \S+ -p go$/m],
  ] as const) {
    const done = run(root, agent, ["-p", "go"]);
    const tree = join(root, ".baton/trees", agent);
    assert.match(done.stdout, line, done.stderr);
    assert.ok(done.stdout.startsWith(`in ${tree}\n`), done.stdout);
    assert.equal(git(tree, "branch", "--show-current"), `baton/${agent}\n`);
    assert.match(done.stderr, /note: made \.baton\/trees\//);
    assert.doesNotMatch(run(root, agent).stderr, /note: made/);
    for (const place of [root, tree]) assert.equal(git(place, "status", "--porcelain"), "", place);
  }
  const [, servers = "", settings = ""] =
    /--mcp-config (\S+) --settings (\S+)/.exec(run(root, "claude-1").stdout) ?? [];
  assert.match(readFileSync(servers, "utf8"), /"--program",\s*"claude-code"/);
  assert.match(readFileSync(settings, "utf8"), /PreToolUse[\s\S]*"deny"/);
});

test("a commit in an agent's tree is the agent's, and elsewhere the person's", () => {
  const root = repository();
  run(root, "codex-1");
  const who = (place: string) => JSON.parse(baton(place, ["whoami", "--json"]).stdout) as { agent: string };
  assert.equal(who(join(root, ".baton/trees/codex-1")).agent, "codex-1");
  assert.equal(who(root).agent, "owner");
});

test("a tree that was deleted by hand, or whose repository was moved, is there again; its branch keeps what was committed", () => {
  const root = repository();
  run(root, "codex-1");
  const tree = join(root, ".baton/trees/codex-1");
  writeFileSync(join(tree, "new.js"), "1\n");
  git(tree, "add", "-A");
  git(tree, "commit", "--quiet", "--no-verify", "-m", "kept");
  rmSync(tree, { recursive: true });
  assert.match(run(root, "codex-1").stderr, /was gone, and is there again as it was last committed/);
  assert.ok(existsSync(join(tree, "new.js")));
  const moved = `${root}-moved`;
  renameSync(root, moved);
  const done = run(moved, "codex-1");
  assert.match(done.stdout, /^in .*-moved\/\.baton\/trees\/codex-1\n/, done.stderr);
  assert.equal(git(join(moved, ".baton/trees/codex-1"), "status", "--porcelain"), "");
  rmSync(moved, { recursive: true });
});

test("what is in the way of a tree is named with what to do, and stays as it is", () => {
  const cases: readonly (readonly [(root: string) => void, string, RegExp])[] = [
    [(root) => git(root, "branch", "baton"), "already-exists", /git branch -m baton OTHER/],
    [(root) => git(root, "switch", "--quiet", "-c", "baton/codex-1"), "already-exists", /switch -/],
    [
      (root) => mkdirSync(join(root, ".baton/trees/codex-1/mine"), { recursive: true }),
      "already-exists",
      /move it away/,
    ],
    [(root) => symlinkSync("/tmp", join(root, ".baton/trees")), "already-exists", /move it away/],
  ];
  for (const [prepare, code, hint] of cases) {
    const root = repository();
    prepare(root);
    const done = baton(root, ["run", "codex-1", "--json"], "", all);
    assert.deepEqual(problemCodes(done), [code], done.stdout + done.stderr);
    assert.match(done.stdout, hint);
  }
  const empty = folder();
  git(empty, "init", "--quiet", "--initial-branch=main");
  mkdirSync(join(empty, ".baton"));
  const text = "version: 1\nteam: shop\ndialects: [vbw/2]\nagents: {dev-1: {role: dev, program: codex}}\n";
  writeFileSync(join(empty, ".baton/team.yaml"), text);
  const done = baton(empty, ["run", "dev-1", "--json"], "", all);
  assert.deepEqual(problemCodes(done), ["not-found"], done.stdout);
  assert.match(done.stdout, /git commit --allow-empty -m start/);
});
