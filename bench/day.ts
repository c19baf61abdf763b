/**
 * A team's day in a large repository, against git's own commands: its first morning, a claim that moves the agent's tree,
 * work that lands, a collision that is seen; and how long the hub's event loop is held by all of these.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Measure, timed } from "./measure.ts";

const launcher = join(import.meta.dirname, "../bin/baton.js");
const agents = ["lead", "dev-1", "dev-2"] as const;
type Agent = (typeof agents)[number];

const usual = 10_000;
const many = 100_000;
const inFiles = (files: number) => `in ${files.toLocaleString("en")} files`;
const once = { of: "time", atMost: 1 } as const;

export const dayMeasures: readonly Measure[] = [
  {
    name: `A team of three begins ${inFiles(usual)}`,
    subject: "baton start, and three programs in their trees",
    yardstick: "three git worktree add, and 3 s",
    target: once,
    rounds: 5,
    open: (folder, opened) => {
      const shop = newShop(folder, usual);
      opened.defer(shop.clear);
      const took = async (act: () => void) => {
        const ms = await timed(1, act);
        shop.clear();
        return ms;
      };
      return Promise.resolve({
        yardstick: async () => 3_000 + (await took(() => shop.git(...agents.map(treeWords)))),
        subject: () => took(shop.begin),
      });
    },
  },
  {
    name: `A claim that moves its tree ${inFiles(usual)}`,
    subject: "asked of the agent's server",
    yardstick: "git status, git rev-list, git merge --ff-only",
    target: { of: "time", atMost: 2 },
    rounds: 15,
    open: async (folder, opened) => {
      const shop = begunShop(folder, usual, opened);
      const ask = await shop.serve("dev-1", opened);
      let at = 0;
      /** What has landed moves by one commit. */
      const land = () => {
        at += 1;
        shop.change(shop.root, at, `landed ${at}`);
        shop.git(["branch", "--force", "baton/main", "main"]);
      };
      return {
        yardstick: () => {
          land();
          return timed(1, () => {
            const tree = ["-C", shop.treeOf("dev-2")];
            shop.git(
              [...tree, "status", "--porcelain"],
              [...tree, "rev-list", "--count", "baton/main..HEAD"],
              [...tree, "merge", "--quiet", "--ff-only", "baton/main"],
            );
          });
        },
        subject: async () => {
          land();
          const task = shop.task();
          let answer = "";
          const ms = await timed(1, async () => {
            answer = await ask({ action: "claim" });
          });
          if (!answer.includes("has moved to")) throw new Error(`the tree has not moved: ${answer}`);
          await ask({ action: "release", task });
          shop.baton("task", "end", task, "--reason", "measured");
          return ms;
        },
      };
    },
  },
  {
    name: `From a verdict to the landing ${inFiles(usual)}`,
    subject: "by a hub, behind a check that takes no time",
    yardstick: "1 s",
    target: once,
    rounds: 9,
    open: async (folder, opened) => {
      const shop = begunShop(folder, usual, opened);
      const work = await shop.worker("dev-1", opened);
      return { yardstick: () => 1_000, subject: async () => (await work()).landedMs };
    },
  },
  {
    name: `A task from its claim until it has landed ${inFiles(usual)}`,
    subject: "asked, claimed, committed, reported, checked, landed",
    yardstick: "git merge, commit, merge, and the check, by hand; and 3 s",
    target: once,
    rounds: 5,
    open: async (folder, opened) => {
      const shop = begunShop(folder, usual, opened);
      const work = await shop.worker("dev-1", opened);
      let at = usual / 4;
      return {
        yardstick: async () => {
          at += 1;
          const [tree, landing] = [shop.treeOf("dev-2"), shop.treeOf("lead")];
          const ms = await timed(1, () => {
            shop.git(["-C", tree, "merge", "--quiet", "--ff-only", "baton/lead"]);
            shop.change(tree, at, `by hand ${at}`);
            shop.git(["-C", landing, "merge", "--quiet", "--no-ff", "--no-edit", "baton/dev-2"]);
            run(landing, "true", []);
          });
          return 3_000 + ms;
        },
        subject: () => timed(1, async () => void (await work())),
      };
    },
  },
  {
    name: `A live collision is known ${inFiles(usual)}`,
    subject: "from the second edit to the record",
    yardstick: "1 s",
    target: once,
    rounds: 5,
    open: (folder, opened) => {
      const shop = begunShop(folder, usual, opened);
      return Promise.resolve({ yardstick: () => 1_000, subject: shop.collide });
    },
  },
  {
    name: `The hub's event loop, held by any of it ${inFiles(many)}`,
    subject: "the longest of claims, collisions, commits, verdicts, landings",
    yardstick: "50 ms",
    target: once,
    rounds: 3,
    open: async (folder, opened) => {
      const shop = begunShop(folder, many, opened);
      const works = [await shop.worker("dev-1", opened), await shop.worker("dev-2", opened)];
      return {
        yardstick: () => 50,
        subject: async () => {
          await shop.heldMs();
          await shop.collide();
          for (const work of works) await work();
          return await shop.heldMs();
        },
      };
    },
  },
];

/** A repository with so many files, in which a team of three has begun, until the measure is over. */
function begunShop(folder: string, files: number, opened: AsyncDisposableStack) {
  const shop = newShop(folder, files);
  opened.defer(shop.clear);
  shop.begin();
  return shop;
}

/** A repository with so many files, in which a team of three may begin. */
function newShop(folder: string, files: number) {
  const root = join(folder, "shop");
  const bin = join(folder, "bin");
  for (const each of [root, bin]) mkdirSync(each);
  // It stands in for the agents' program.
  writeFileSync(join(bin, "codex"), "#!/bin/sh\nexit 0\n");
  chmodSync(join(bin, "codex"), 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: folder };
  const git = (...calls: readonly (readonly string[])[]) => {
    for (const words of calls) run(root, "git", ["-c", "gc.auto=0", ...words], env);
  };
  const baton = (...words: readonly string[]) => run(root, process.execPath, [launcher, ...words], env);
  const treeOf = (agent: Agent) => join(root, ".baton/trees", agent);
  const fileAt = (at: number) => `part-${at % 100}/file-${at}.js`;
  const textOf = (at: number, first: string) => `${first}\n${`export const value = ${at};\n`.repeat(40)}`;
  git(["init", "--quiet", "--initial-branch=main"]);
  git(["config", "user.name", "b"], ["config", "user.email", "b@example.invalid"]);
  for (let at = 0; at < files; at += 1) {
    if (at < 100) mkdirSync(join(root, `part-${at}`));
    writeFileSync(join(root, fileAt(at)), textOf(at, "first"));
  }
  git(["add", "-A"], ["commit", "--quiet", "-m", "start"]);
  let hub: { readonly pid: number; readonly url: string } | null = null;
  let [tasks, collisions] = [0, files / 2];
  const shop = {
    root,
    git,
    baton,
    treeOf,
    begin: () => {
      hub = JSON.parse(baton("start", "--json", "--port", "0", "--agents", "codex:3", "--check", "true", "--yes"));
      for (const agent of agents) baton("run", agent);
    },
    clear: () => {
      if (hub !== null) baton("stop");
      hub = null;
      for (const place of [".baton", ".git/baton", ".git/hooks"])
        rmSync(join(root, place), { recursive: true, force: true });
      for (const agent of agents) git(["worktree", "unlock", treeOf(agent)]);
      git(["worktree", "prune"], ...agents.map((agent) => ["branch", "--quiet", "-D", `baton/${agent}`]));
    },
    /** Puts a task on the board; answers its number. */
    task: () => {
      tasks += 1;
      baton("task", "add", `Task ${tasks} of the day`);
      return String(tasks);
    },
    /** Commits a change of one file. */
    change: (place: string, at: number, first: string) => {
      writeFileSync(join(place, fileAt(at)), textOf(at, first));
      git(["-C", place, "commit", "--quiet", "-m", first, fileAt(at)]);
    },
    /** The server of the agent's session, in its tree; answers how the tool for tasks is asked. */
    serve: async (agent: Agent, opened: AsyncDisposableStack) => {
      const client = new Client({ name: "bench", version: "1" });
      const words = [launcher, "mcp", "--as", agent];
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: words, cwd: treeOf(agent), env }),
      );
      opened.defer(() => client.close());
      return async (input: object) => JSON.stringify(await client.callTool({ name: "task", arguments: { ...input } }));
    },
    /** Takes a task, does it, and waits until it has landed; answers how long that took from the verdict on. */
    worker: async (agent: Agent, opened: AsyncDisposableStack) => {
      const ask = await shop.serve(agent, opened);
      return async () => {
        const task = shop.task();
        await ask({ action: "claim", task });
        const tree = treeOf(agent);
        shop.change(tree, tasks, `done ${task}`);
        const commit = run(tree, "git", ["rev-parse", "HEAD"]).trim();
        const told = await ask({ action: "complete", task, commit });
        if (!told.includes("verified")) throw new Error(`the work is not verified: ${told}`);
        const [judged, landed] = [`found ${task} verified`, `landed ${task} on`];
        return { landedMs: (await entryMs(landed)) - (await entryMs(judged)) };
      };
    },
    /** Two agents change the same line of a file; answers how soon that is recorded after the second edit. */
    collide: async () => {
      collisions += 1;
      const file = fileAt(collisions);
      const hook = (agent: Agent, event: string) => {
        const tool_input = { file_path: join(treeOf(agent), file) };
        const words = [launcher, "hook", event, "--program", "claude-code", "--as", agent];
        const input = JSON.stringify({ tool_name: "Write", tool_input });
        run(treeOf(agent), process.execPath, words, env, input);
      };
      hook("dev-1", "PreToolUse");
      shop.change(treeOf("dev-1"), collisions, "dev-1");
      hook("dev-2", "PreToolUse");
      writeFileSync(join(treeOf("dev-2"), file), textOf(collisions, "dev-2"));
      const secondMs = Date.now();
      hook("dev-2", "PostToolUse");
      const ms = (await entryMs(`${file} hot`)) - secondMs;
      // Nothing of it is work of a task, with which it would wait for the person.
      git(["-C", treeOf("dev-1"), "reset", "--quiet", "--hard", "HEAD^"]);
      git(["-C", treeOf("dev-2"), "checkout", "--quiet", "--", "."]);
      return ms;
    },
    /** The longest time for which the hub's event loop was held since this was last asked. */
    heldMs: async () => {
      const text = await (await fetch(`${new URL(hub?.url ?? "").origin}/metrics`)).text();
      return 1_000 * Number(/delay_seconds\{quantile="1"\} (\S+)/.exec(text)?.[1]);
    },
  };
  /** When the first entry was recorded whose line in the log has these words, which is waited for. */
  async function entryMs(words: string): Promise<number> {
    for (;;) {
      const line = baton("log", "--json", "--last", "40")
        .split("\n")
        .find((each) => each.includes(words));
      if (line !== undefined) return Date.parse((JSON.parse(line) as { readonly recordedAt: string }).recordedAt);
      await setTimeout(50);
    }
  }
  return shop;
}

const treeWords = (agent: Agent) => [
  "worktree",
  "add",
  "--quiet",
  "--lock",
  "-b",
  `baton/${agent}`,
  `.baton/trees/${agent}`,
  "main",
];

function run(
  cwd: string,
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  input = "",
): string {
  const done = spawnSync(program, words, { cwd, env, input, encoding: "utf8", maxBuffer: 1e8 });
  // What is cleared may be gone already.
  if (done.status !== 0 && !words.includes("worktree") && !words.includes("branch") && words.at(-1) !== "stop")
    throw new Error(`${program} ${words.join(" ")} failed: ${done.stdout}${done.stderr}`);
  return done.stdout;
}
