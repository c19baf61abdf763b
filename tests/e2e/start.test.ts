/**
 * A day's beginning with stand-in programs: each agent's program starts in a tree of its own, with Baton on its line.
 * tests/programs does it with the real programs.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { after, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { git } from "../evidence/history.ts";
import { baton, environment, folder, jsonLines, mainBundle, problemCodes, start } from "./command.ts";

const identity = {
  GIT_AUTHOR_NAME: "p",
  GIT_AUTHOR_EMAIL: "p@example.invalid",
  GIT_COMMITTER_NAME: "p",
  GIT_COMMITTER_EMAIL: "p@example.invalid",
};

const echoing = `#!/bin/sh
echo "in $(pwd -P)"
echo "words: $*"
`;

/** A PATH with git and these programs, which say where they run and with which words. */
function programs(names: readonly string[], script = echoing): { readonly PATH: string } {
  const bin = folder();
  for (const name of names) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  return { PATH: `${bin}:/usr/bin:/bin` };
}

const names = ["claude", "codex", "gemini"];
const all = programs(names);
/** They run until they are killed. */
const sleeping = programs(names, "#!/bin/sh\nexec sleep 600\n");

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
  assert.match(readFileSync(settings, "utf8"), /PreToolUse[\s\S]*"onFailure":\s*"block"/);
});

test("a new tree has the ignored files that .worktreeinclude names, and nothing else of them", () => {
  const root = repository();
  writeFileSync(join(root, ".gitignore"), "*.log\n.env*\nsecret/\n");
  writeFileSync(join(root, ".worktreeinclude"), ".env*\nnotes.txt\nsecret/key\nlinked.log\n!.env.old\n");
  git(root, "add", "-A");
  git(root, "commit", "--quiet", "-m", "ignore");
  mkdirSync(join(root, "secret"));
  for (const file of [".env", ".env.old", "notes.txt", "a.log", "secret/key", "secret/other"])
    writeFileSync(join(root, file), `${file}\n`);
  symlinkSync("/etc/hostname", join(root, "linked.log"));
  assert.match(run(root, "codex-1").stderr, /note: brought \.env, secret\/key, as \.worktreeinclude says/);
  const tree = join(root, ".baton/trees/codex-1");
  assert.equal(git(tree, "status", "--porcelain", "--ignored"), "!! .env\n!! secret/\n");
  assert.deepEqual(readdirSync(join(tree, "secret")), ["key"]);
  writeFileSync(join(tree, ".env"), "mine\n");
  assert.doesNotMatch(run(root, "codex-1").stderr, /brought/);
  assert.equal(readFileSync(join(tree, ".env"), "utf8"), "mine\n");
});

test("without words of the person the agent's last session goes on, as long as its program keeps it", () => {
  const root = repository();
  const home = join(root, "../home");
  const lineOf = (words: readonly string[] = []) => {
    const done = baton(root, ["run", "claude-1", ...words], "", { ...all, HOME: home });
    return /words: .* (--session-id|--resume) (\S+)/.exec(done.stdout) ?? [];
  };
  const [, , first = ""] = lineOf();
  assert.equal(lineOf()[1], "--session-id", "Claude Code has kept nothing");
  const kept = join(home, ".claude/projects/shop");
  mkdirSync(kept, { recursive: true });
  const [, , last = ""] = lineOf();
  for (const id of [first, last]) writeFileSync(join(kept, `${id}.jsonl`), "{}\n");
  assert.deepEqual(lineOf().slice(1), ["--resume", last]);
  assert.equal(lineOf(["--new"])[1], "--session-id");
});

test("a commit in an agent's tree is the agent's, and elsewhere the person's", () => {
  const root = repository();
  run(root, "codex-1");
  const who = (place: string) => JSON.parse(baton(place, ["whoami", "--json"]).stdout) as { agent: string };
  assert.equal(who(join(root, ".baton/trees/codex-1")).agent, "codex-1");
  assert.equal(who(root).agent, "owner");
});

test("the day is not ended in an agent's tree, where nobody says that the person is there", () => {
  const root = repository();
  run(root, "claude-1");
  const tree = join(root, ".baton/trees/claude-1");
  const refused = baton(tree, ["stop", "--json"]);
  assert.deepEqual(problemCodes(refused), ["human-required"], refused.stdout);
  assert.match(refused.stdout, /in another work tree, or here with BATON_AGENT=owner/);
  assert.equal(baton(tree, ["stop"], "", { BATON_AGENT: "owner" }).code, 0);
});

test("a day may end with clean trees removed: one with work of its own, or whose program runs, stays and is named", async () => {
  const root = repository();
  for (const agent of ["claude-1", "codex-1"]) run(root, agent);
  const tree = (agent: string) => join(root, ".baton/trees", agent);
  writeFileSync(join(tree("codex-1"), "mine.js"), "1\n");
  const clean = () => baton(root, ["stop", "--clean"]);
  const first = clean();
  assert.equal(first.code, 2, first.stderr);
  assert.match(
    first.stderr,
    /Removed the tree of claude-1\.\nThe tree of codex-1 stays: 1 uncommitted file: mine\.js\.\n/,
  );
  assert.deepEqual([existsSync(tree("claude-1")), git(root, "branch", "--list", "baton/claude-1")], [false, ""]);
  git(tree("codex-1"), "add", "-A");
  git(tree("codex-1"), "commit", "--quiet", "--no-verify", "-m", "mine");
  const left = clean();
  assert.match(left.stderr, /The tree of codex-1 stays: 1 commit not landed on the main branch\.\n/);
  assert.match(left.stdout, /^of no task +codex-1: 1 commit that landed nowhere: git log main\.\.baton\/codex-1$/m);
  git(root, "merge", "--quiet", "--squash", "baton/codex-1");
  git(root, "commit", "--quiet", "--no-verify", "-m", "a pull request");
  const program = start(root, ["run", "gemini-1"], { ...sleeping, HOME: join(root, "../home") });
  while (!existsSync(join(tree("gemini-1"), ".git"))) await systemClock.wait(20);
  assert.match(
    clean().stderr,
    /Removed the tree of codex-1\.\nThe tree of gemini-1 stays: its program runs, process (\d+); where it does not end: kill -9 \1\.\n/,
  );
  program.kill("SIGKILL");
  await once(program, "exit");
  // One of which no session is known.
  const unknown = spawn("sleep", ["600"], { cwd: tree("gemini-1") });
  await once(unknown, "spawn");
  if (existsSync("/proc/self/cwd"))
    assert.match(clean().stderr, /The tree of gemini-1 stays: in use by sleep \(\d+\)\.\n/);
  unknown.kill("SIGKILL");
  await once(unknown, "exit");
  assert.equal(clean().code, 0);
  assert.deepEqual(problemCodes(baton(root, ["stop", "dev-1", "--clean", "--json"])), ["wrong-usage"]);
  assert.match(run(root, "codex-1").stderr, /note: made/);
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

test("a session begins on all that has landed, where its tree has nothing of its own", () => {
  const root = repository();
  const tree = join(root, ".baton/trees/claude-1");
  const commitIn = (place: string, file: string) => {
    writeFileSync(join(place, file), `${file}\n`);
    git(place, "add", "-A");
    git(place, "commit", "--quiet", "--no-verify", "-m", file);
  };
  run(root, "claude-1");
  commitIn(root, "landed.js");
  writeFileSync(join(tree, "open.js"), "1\n");
  assert.match(run(root, "claude-1").stderr, /note: moved \.baton\/trees\/claude-1 to main\n/);
  assert.deepEqual(
    ["landed.js", "open.js"].map((file) => existsSync(join(tree, file))),
    [true, true],
  );
  commitIn(tree, "own.js");
  commitIn(root, "later.js");
  assert.doesNotMatch(run(root, "claude-1").stderr, /note: moved/);
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

/** What `baton start` said with `--json`; its hub ends with the tests. */
function started(
  root: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = all,
  port = ["--port", "0"],
) {
  const done = baton(root, ["start", "--json", ...port, ...words], "", {
    ...variables,
    HOME: join(root, "../home"),
  });
  const said = (done.stdout === "" ? {} : JSON.parse(done.stdout)) as Partial<Started>; // as documented
  if (typeof said.pid === "number") hubs.add(said.pid);
  return { ...done, said: said as Started };
}

interface Started {
  readonly isNew: boolean;
  readonly earlier: object | null;
  readonly pid: number;
  readonly url: string;
  readonly agents: readonly {
    readonly agent: string;
    readonly role: string;
    readonly program: string;
    readonly pid: number | null;
  }[];
}

const hubs = new Set<number>();
after(() => {
  for (const pid of hubs) process.kill(pid, "SIGTERM");
});

/** A Node project with one commit. */
function shop(): string {
  const root = folder();
  git(root, "init", "--quiet", "--initial-branch=main");
  writeFileSync(join(root, "package.json"), '{"scripts": {"test": "node --test"}}\n');
  git(root, "add", "-A");
  git(root, "commit", "--quiet", "-m", "start");
  return root;
}

test("in a fresh repository it makes the team, a hub and a page; the same command goes on with them", async () => {
  const root = shop();
  const inside = join(root, "src");
  mkdirSync(inside);
  const first = started(inside, ["--agents", "claude:2,codex:1", "--yes"]);
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(
    first.said.agents.map(({ agent, role, program }) => [agent, role, program]),
    [
      ["lead", "lead", "claude-code"],
      ["dev-1", "dev", "claude-code"],
      ["dev-2", "dev", "codex"],
    ],
  );
  assert.match(first.stderr, /baton run lead\n\s+\S*.*baton run dev-1\n/);
  assert.match(
    first.stderr,
    /Codex first asks you about the folder \(trust it\) and, once, Baton's hooks \(trust all\)/,
  );
  assert.doesNotMatch(first.stderr, /Gemini CLI first asks/);
  assert.equal((await fetch(first.said.url)).status, 200);
  assert.equal(git(root, "status", "--porcelain"), "?? .baton/\n");
  assert.match(readFileSync(join(root, ".baton/team.yaml"), "utf8"), /^land: \{when: auto\}$/m);
  assert.match(readFileSync(join(root, ".baton/team.yaml"), "utf8"), /^checks: \{commands: \["npm test"\]\}$/m);
  const second = started(root, []);
  assert.doesNotMatch(second.stderr, /first asks/);
  assert.deepEqual([second.said.isNew, second.said.pid], [false, first.said.pid], second.stderr);
  const registered = baton(root, ["log", "--json"]).stdout.split("\n").length;
  started(root, ["--agents", "claude:2,codex:1"]);
  assert.equal(baton(root, ["log", "--json"]).stdout.split("\n").length, registered, "nothing is recorded twice");
  assert.match(run(root, "dev-2").stdout, /^in .*\.baton\/trees\/dev-2\n/);
});

/** The agents and whether each is at work, in a word. */
function statusOf(root: string) {
  const agents = jsonLines(baton(root, ["agent", "list", "--json"]));
  return agents.map(({ agent, status, stopped }) => `${agent} ${stopped === true ? "stopped" : status}`);
}

test("next day who stopped is back under its name, and who was retired on purpose is not", async () => {
  const root = shop();
  const first = started(root, ["--agents", "codex:3", "--yes"]);
  for (const agent of ["dev-1", "dev-2"]) baton(root, ["send", "--as", agent, "--to", "lead"], "Here");
  assert.equal(baton(root, ["agent", "retire", "dev-2"]).code, 0);
  const ended = baton(root, ["stop", "--json"]);
  assert.equal(ended.code, 0, ended.stderr);
  hubs.delete(first.said.pid);
  assert.deepEqual(statusOf(root), ["lead stopped", "dev-1 stopped", "dev-2 retired"]);
  const second = started(root, []);
  assert.match(second.stderr, /^dev-2 is retired, and stays so: baton agent register dev-2 --role dev$/m);
  assert.equal(second.said.earlier, null);
  assert.equal(statusOf(root)[2], "dev-2 retired");
  assert.equal(baton(root, ["send", "--as", "dev-1", "--to", "lead"], "Here again").code, 0);
  const status = () => baton(root, ["status"]).stdout;
  assert.match(status(), /^lead .* stopped /m);
  // It says nothing before its first prompt.
  const program = start(root, ["run", "lead"], { ...sleeping, HOME: join(root, "../home") });
  while (!/^lead .* idle /m.test(status())) assert.equal(program.exitCode, null);
  program.kill("SIGKILL");
  await once(program, "exit");
});

/** As after a reboot: what Baton noted of processes names numbers that other processes have by now. */
function givesNumbersAway(root: string): void {
  const state = join(root, ".git/baton");
  const own = String(process.pid);
  const change = (file: string, of: RegExp) => {
    const text = readFileSync(file, "utf8");
    const changed = text.replace(of, (_, before: string) => `${before}${own}`);
    assert.notEqual(changed, text);
    writeFileSync(file, changed);
  };
  for (const name of readdirSync(join(state, "sessions")).filter((each) => each.startsWith("agent-")))
    change(join(state, "sessions", name), /("process":")\d+/);
  const [note = ""] = readdirSync(state).filter((each) => /\.hub-\d+$/.test(each));
  change(join(state, note), /("pid":)\d+/);
  renameSync(join(state, note), join(state, note.replace(/\d+$/, own)));
}

test("after an evening without a stop, or a reboot, the next start says what was left, once, and goes on", async () => {
  const root = shop();
  const home = join(root, "../home");
  const first = started(root, ["--agents", "claude:2", "--yes"]);
  const program = start(root, ["run", "dev-1"], { ...sleeping, HOME: home });
  const tree = join(root, ".baton/trees/dev-1");
  while (!existsSync(join(tree, ".git"))) await systemClock.wait(20);
  assert.equal(baton(root, ["task", "add", "Totals carry tax"]).code, 0);
  assert.equal(baton(tree, ["task", "claim", "1"]).code, 0);
  writeFileSync(join(tree, "mine.js"), "1\n");
  const sessions = readdirSync(join(root, ".git/baton/sessions"));
  const [session = ""] = sessions.flatMap((each) => (/^claude-code-(.+)$/.exec(each) ?? []).slice(1));
  mkdirSync(join(home, ".claude/projects/shop"), { recursive: true });
  writeFileSync(join(home, ".claude/projects/shop", `${session}.jsonl`), "{}\n");
  program.kill("SIGKILL");
  await once(program, "exit");
  process.kill(first.said.pid, "SIGKILL");
  hubs.delete(first.said.pid);
  givesNumbersAway(root);
  assert.match(baton(root, ["status"]).stdout, /^no hub runs, so nothing is verified or lands: baton start goes on$/m);
  assert.match(baton(root, ["needs"]).stderr, /^no hub runs/);
  const second = started(root, [], all, []);
  assert.equal(new URL(second.said.url).port, new URL(first.said.url).port, "pages that are open find the next hub");
  assert.doesNotMatch(baton(root, ["status"]).stdout, /no hub runs/);
  assert.notEqual(second.said.pid, first.said.pid);
  assert.equal((await fetch(second.said.url)).status, 200);
  assert.match(second.stderr, /^The day before was not ended\. 1 agent stopped; dev-1 left something behind\.\n/m);
  assert.match(
    second.stderr,
    /\n {2}dev-1 +had ended, and left behind +claims: 1, 1 uncommitted file: dev-1:mine\.js \(kept as/,
  );
  assert.match(second.stderr, /\nopen +1 \(dev-1\)\n/);
  assert.equal(git(root, "show", "refs/baton/left/dev-1:mine.js"), "1\n");
  assert.doesNotMatch(started(root, []).stderr, /not ended/);
  process.kill(second.said.pid, "SIGKILL");
  hubs.delete(second.said.pid);
  assert.doesNotMatch(started(root, []).stderr, /not ended/, "nobody has worked since");
  const [task] = jsonLines(baton(root, ["task", "list", "--json"]));
  assert.equal(task?.holder, "dev-1");
  assert.ok(second.said.agents.every(({ pid }) => pid === null));
  assert.match(run(root, "dev-1").stdout, new RegExp(`^in ${tree}\n.* --resume ${session} ?`));
  assert.equal(git(tree, "status", "--porcelain"), "?? mine.js\n");
});

/** A program that is killed while it holds a task, and whose server cannot say so. */
async function endsAtOnce(isInTmux: boolean): Promise<void> {
  const root = shop();
  const script = `#!/bin/sh
mkfifo in && exec 3<>in
"${process.execPath}" "${mainBundle}" mcp --program claude-code <&3 >/dev/null 2>&1 &
echo $! >server.pid
exec sleep 600
`;
  const variables = { ...programs(["claude"], script), HOME: join(root, "../home") };
  const way = isInTmux ? ["--tmux"] : [];
  const { stderr } = started(root, ["--agents", "claude:1", "--yes", ...way], variables);
  const socket = /tmux -L (\S+) attach/.exec(stderr)?.[1] ?? "";
  const tmux = (...words: readonly string[]) =>
    spawnSync("/usr/bin/tmux", ["-L", socket, ...words], { encoding: "utf8", env: environment(variables) });
  using _ = { [Symbol.dispose]: () => void (isInTmux && tmux("kill-server")) };
  const program = isInTmux ? null : start(root, ["run", "dev-1"], variables);
  const tree = join(root, ".baton/trees/dev-1");
  const server = join(tree, "server.pid");
  while (!existsSync(server) || readFileSync(server, "utf8") === "") await systemClock.wait(20);
  const isThere = () => /began a program that speaks for it/.test(baton(root, ["log"]).stdout);
  while (!isThere()) await systemClock.wait(20);
  assert.equal(baton(root, ["task", "add", "Totals carry tax"]).code, 0);
  assert.equal(baton(tree, ["task", "claim", "1"]).code, 0);
  process.kill(Number(readFileSync(server, "utf8")), "SIGKILL");
  assert.doesNotMatch(baton(root, ["needs"]).stdout, /has ended/, "its program runs");
  process.kill(program?.pid ?? Number(tmux("list-panes", "-t", "baton", "-F", "#{pane_pid}").stdout), "SIGKILL");
  if (program !== null) await once(program, "exit");
  const killedAtMs = systemClock.now();
  const needs = () => baton(root, ["needs"], "", variables).stdout;
  while (!/The program of dev-1 has ended, and dev-1 holds 1\./.test(needs()))
    assert.ok(systemClock.now() - killedAtMs < 60_000, needs());
  const status = baton(root, ["status"], "", variables).stdout;
  assert.match(status, /dev-1 .*HAS ENDED/);
  const back = new RegExp(`^ +baton ${isInTmux ? "start --tmux" : "run dev-1"}$`, "m");
  assert.match(status, back);
  assert.match(needs(), back);
  const [task] = jsonLines(baton(root, ["task", "list", "--json"]));
  assert.equal(task?.holder, "dev-1");
}

test("a program that is killed with a task in hand is known to have ended at once", () => endsAtOnce(false));

test("such a program that runs in tmux is brought back there", { skip: !existsSync("/usr/bin/tmux") }, () =>
  endsAtOnce(true),
);

test("of two starts at once one makes the team, and both have one hub", async () => {
  const root = shop();
  const words = ["start", "--json", "--port", "0", "--agents", "codex:2", "--yes"];
  const said = await Promise.all(
    [1, 2].map(async () => {
      const child = start(root, words, all);
      assert.ok(child.stdout !== null);
      return JSON.parse(await textOf(child.stdout)) as Started;
    }),
  );
  for (const { pid } of said) hubs.add(pid);
  assert.deepEqual([hubs.has(said[0]?.pid ?? 0), said[0]?.pid], [true, said[1]?.pid]);
  assert.equal(said.filter(({ isNew }) => isNew).length, 1);
});

test("a commit in an agent's tree asks the gate as the agent", () => {
  const root = shop();
  started(root, ["--agents", "codex:2", "--yes"]);
  run(root, "dev-1");
  const tree = join(root, ".baton/trees/dev-1");
  mkdirSync(join(tree, ".baton"), { recursive: true });
  writeFileSync(join(tree, ".baton/team.yaml"), "version: 1\n");
  git(tree, "add", "-f", ".baton/team.yaml");
  const commit = (place: string) =>
    spawnSync("git", ["commit", "-m", "x"], { cwd: place, encoding: "utf8", env: environment(identity) });
  const done = commit(tree);
  assert.notEqual(done.status, 0);
  assert.match(done.stderr, /The owner alone changes \.baton\/team\.yaml/);
  git(root, "add", "-A");
  assert.equal(commit(root).status, 0, "the person's own commit of the same file");
});

test("where nothing can begin it says what to do, and changes nothing", () => {
  const cases: readonly (readonly [string, (root: string) => unknown, readonly string[], string, RegExp])[] = [
    ["nobody to ask", () => undefined, [], "wrong-usage", /start --yes, or --agents claude:2,codex:1,gemini:1/],
    ["an unknown program", () => undefined, ["--agents", "cursor:1"], "wrong-usage", /programs: claude, codex, gemini/],
    ["no number", () => undefined, ["--agents", "codex:0"], "wrong-usage", /claude:2,codex:1/],
    ["another lead", () => undefined, ["--agents", "codex:2", "--lead", "gemini"], "wrong-usage", /claude:2,codex:1/],
    [
      "a link and more",
      () => undefined,
      ["--link", "--notify", "off"],
      "wrong-usage",
      /without --link, or leave --notify out/,
    ],
    ["no such branch", () => undefined, ["--yes", "--onto", "develop"], "not-found", /git branch lists/],
    ["a branch called baton", (root) => git(root, "branch", "baton"), ["--yes"], "already-exists", /git branch -m/],
    [
      "no branch",
      (root) =>
        [
          ["checkout", "--quiet", "--detach"],
          ["branch", "-D", "main"],
        ].map((line) => git(root, ...line)),
      ["--yes"],
      "not-found",
      /--onto BRANCH/,
    ],
    ["no commit", (root) => git(root, "update-ref", "-d", "HEAD"), ["--yes"], "not-found", /git commit --allow-empty/],
    ["no git", (root) => rmSync(join(root, ".git"), { recursive: true }), ["--yes"], "repository-missing", /git init/],
  ];
  for (const [what, prepare, words, code, hint] of cases) {
    const root = shop();
    prepare(root);
    const done = started(root, words);
    assert.deepEqual(problemCodes(done), [code], `${what}: ${done.stdout}${done.stderr}`);
    assert.match(done.stdout, hint, what);
    assert.ok(!existsSync(join(root, ".baton")), what);
  }
  const none = started(shop(), ["--yes"], { PATH: "/usr/bin:/bin" });
  assert.deepEqual(problemCodes(none), ["not-found"]);
  assert.match(none.stdout, /npm install -g @anthropic-ai\/claude-code, or .*@openai\/codex, or .*@google\/gemini-cli/);
});

test("a taken port is named where one asked for it, and else another one is taken", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo; // as it listens on a port
  const root = shop();
  const words = ["start", "--yes", "--json", "--agents", "codex:2"];
  const refused = baton(root, [...words, "--port", String(port)], "", all);
  assert.deepEqual(problemCodes(refused), ["port-taken"], refused.stderr);
  assert.match(refused.stdout, /Leave --port out, or name another one/);
  assert.equal(started(root, ["--agents", "codex:2"]).code, 0, "the team is there, and goes on");
  other.close();
});

test("in another work tree, and in a submodule, the team is the repository's, and where it lies is said", () => {
  const root = shop();
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", shop(), "lib");
  git(root, "commit", "--quiet", "-m", "lib");
  const first = started(join(root, "lib"), ["--agents", "codex:2", "--yes"]);
  assert.match(first.stderr, new RegExp(`^The team's folder: ${root}$`, "m"));
  assert.ok(existsSync(join(root, ".baton/team.yaml")) && !existsSync(join(root, "lib/.baton")));
  git(root, "worktree", "add", "--quiet", `${root}-other`, "-b", "other");
  assert.equal(started(`${root}-other`, []).said.pid, first.said.pid);
  rmSync(`${root}-other`, { recursive: true });
});

test("where nothing is checked out as a branch, work lands on the main branch that there is", () => {
  const root = shop();
  git(root, "checkout", "--quiet", "--detach");
  assert.equal(started(root, ["--agents", "codex:2", "--yes"]).code, 0);
  assert.match(run(root, "dev-1").stdout, /^in .*\.baton\/trees\/dev-1\n/);
});

test("in a bare repository, and in a shell of an agent, it does not start", () => {
  const bare = folder();
  git(bare, "init", "--quiet", "--bare");
  assert.deepEqual(problemCodes(started(bare, ["--yes"])), ["repository-missing"]);
  assert.deepEqual(problemCodes(started(shop(), ["--yes"], { ...all, BATON_AGENT: "dev-1" })), ["human-required"]);
});

test("with --here sessions join this folder as they come, by the names of their programs", async () => {
  const root = shop();
  const begun = started(root, ["--here", "--yes"]);
  assert.deepEqual(begun.said.agents, [], begun.stderr);
  assert.match(begun.stderr, /run claude\n {2}.*run codex\n {2}.*run gemini\n/);
  const variables = { ...sleeping, HOME: join(root, "../home") };
  const two = ["claude", "claude"].map((word) => start(root, ["run", word], variables));
  const names = () => statusOf(root).filter((each) => each.startsWith("claude"));
  while (names().length < 2) await systemClock.wait(50);
  assert.deepEqual(names(), ["claude-1 active", "claude-2 active"]);
  const third = run(root, "claude");
  assert.match(third.stderr, /note: this session is claude-3/);
  assert.ok(third.stdout.startsWith(`in ${root}\n`), third.stdout + third.stderr);
  for (const program of two) {
    program.kill("SIGKILL");
    await once(program, "exit");
  }
  assert.match(
    run(root, "claude").stderr,
    /note: this session is claude-1/,
    "a name is free when its program has ended",
  );
  assert.match(run(root, "codex").stderr, /note: this session is codex-1/);
});

test("in tmux each agent has a window and begins by itself, and a second start leaves those that run alone", {
  skip: !existsSync("/usr/bin/tmux"),
}, async () => {
  const root = shop();
  const bin = folder();
  // This Codex says nothing of its hooks.
  const script = `#!/bin/sh\n[ -n "$BATON_AGENT" ] || exit 1\necho "$BATON_AGENT: $*" >>${root}/.baton/ran\nexec sleep 600\n`;
  for (const name of names) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
  const variables = { PATH: `${bin}:/usr/bin:/bin`, TMUX_TMPDIR: folder() };
  const first = started(root, ["--agents", "claude:1,codex:1,gemini:1", "--yes", "--tmux"], variables);
  const [, socket = ""] = /tmux -L (\S+) attach/.exec(first.stderr) ?? [];
  const tmux = (...words: readonly string[]) =>
    spawnSync("/usr/bin/tmux", ["-L", socket, ...words], { encoding: "utf8", env: environment(variables) });
  try {
    assert.deepEqual(
      tmux("list-windows", "-t", "baton", "-F", "#{window_name}").stdout.split("\n"),
      ["lead", "dev-1", "dev-2", ""],
      first.stderr,
    );
    const ran = () =>
      existsSync(join(root, ".baton/ran")) ? readFileSync(join(root, ".baton/ran"), "utf8").split("\n") : [];
    while (ran().length < 4) await systemClock.wait(20);
    const lines = ran().toSorted().join("\n");
    assert.match(lines, /^dev-1: .* --no-daemon$/m, "where nobody knows that hooks run, the person begins");
    assert.match(lines, /^dev-2: $/m, "where it asks about its folder first, too");
    const needs = baton(root, ["needs"], "", { ...variables, HOME: join(root, "../home") }).stdout;
    for (const agent of ["dev-1", "dev-2"]) assert.match(needs, new RegExp(`Nothing keeps ${agent} from files`));
    assert.match(lines, /^lead: .* Begin: .* developers take free ones\. Read your mail\.$/m);
    const again = started(root, ["--tmux"], variables);
    assert.equal(again.said.agents.filter(({ pid }) => pid !== null).length, 3, again.stderr);
    assert.equal(ran().length, 4);
    const line = `'${process.execPath}' '${join(import.meta.dirname, "../../bin/baton.js")}' run lead -- go`;
    tmux("respawn-window", "-k", "-t", "baton:=lead", "-c", root, line);
    while (ran().length < 5) await systemClock.wait(20);
    tmux("rename-window", "-t", "baton:=dev-2", "another");
    const { stderr, said } = started(root, ["--tmux"], variables);
    const { pid } = said.agents[2] ?? assert.fail();
    assert.match(
      stderr,
      new RegExp(`dev-2 runs: Gemini CLI, process ${pid}; it has no window in tmux: .* kill -9 ${pid},`),
    );
    assert.equal(stderr.match(/no window/g)?.length, 1);
    tmux("rename-window", "-t", "baton:=another", "dev-2");
    assert.match(ran()[3] ?? "", /^lead: .* --session-id \S+ go$/, "the person's own words are all");
  } finally {
    tmux("kill-server");
  }
  rmSync(join(root, ".baton/ran"));
  const tools = folder();
  symlinkSync("/usr/bin/git", join(tools, "git"));
  const without = started(root, ["--tmux"], { PATH: `${bin}:${tools}` });
  assert.deepEqual([without.code, without.said.pid], [2, first.said.pid], without.stderr);
  assert.match(without.stderr, /There is no tmux on the PATH[\s\S]*baton run lead|run lead/);
  started(root, ["--tmux"], variables);
  const stop = () => baton(root, ["stop"], "", { ...variables, HOME: join(root, "../home") }).stderr;
  try {
    assert.match(stop(), new RegExp(`^The agents' windows .*: tmux -L ${socket} kill-session -t baton$`, "m"));
    hubs.delete(first.said.pid);
    tmux("kill-session", "-t", "baton");
    assert.doesNotMatch(stop(), /tmux/);
  } finally {
    tmux("kill-server");
  }
});
