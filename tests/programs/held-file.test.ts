/** A file that another agent holds is not written, in each of the programs, and the model reads who holds it. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { programFacts } from "../../src/programs/install/program-settings.ts";
import { startLine } from "../../src/programs/install/start-line.ts";
import { startHub } from "../e2e/hub-process.ts";
import { git } from "../evidence/history.ts";
import { needs } from "./installed.ts";
import { heldByOther, makeProject, newcomers, readFile, senderOf } from "./project.ts";
import { runSession, starts } from "./session.ts";
import { editOf, lookOf, sends, shellOf } from "./tools.ts";

const held = "src/feature.js";

for (const program of ["claude-code", "codex", "gemini"] as const satisfies readonly HookProgram[]) {
  test(
    `${program} refuses an edit of a file that another agent holds, and says who holds it`,
    needs(program),
    async () => {
      using project = makeProject(program);
      heldByOther(project);
      const before = readFileSync(join(project.root, held), "utf8");
      const { turns, stderr } = await runSession(project, program, {
        agent: "dev-1",
        script: ({ number }) => (number === 0 ? [editOf(program, join(project.root, held))] : "Done."),
      });
      assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path for task 1-1-T1/);
      assert.equal(readFileSync(join(project.root, held), "utf8"), before);
      // What was denied is not taken for written.
      assert.deepEqual(senderOf(project, "lead-1"), []);
    },
  );
}

for (const program of ["claude-code", "codex", "gemini"] as const satisfies readonly HookProgram[]) {
  test(
    `${program} refuses it by its start line alone, in a tree of its agent, and git sees nothing of Baton`,
    needs(program),
    async () => {
      using project = makeProject();
      const team = readFileSync(join(project.root, ".baton/team.yaml"), "utf8");
      project.write(".baton/team.yaml", team.replace("dev-1: {role: dev}", `dev-1: {role: dev, program: ${program}}`));
      git(project.root, "commit", "--quiet", "-am", "program");
      heldByOther(project);
      const tree = join(project.root, ".baton/trees/dev-1");
      const { turns, stdout, stderr } = await runSession(project, program, {
        agent: "dev-1",
        isLaunched: true,
        script: ({ number }) => (number === 0 ? [editOf(program, join(tree, held))] : "Done."),
      });
      assert.match(turns[1]?.fresh ?? `${stdout}${stderr}`, /dev-2 holds this path for task 1-1-T1/);
      assert.equal(readFileSync(join(tree, held), "utf8"), "export const feature = 1;\n");
      const status = (place: string) => git(place, "status", "--porcelain", "--untracked-files=all");
      // Claude Code puts there what these tests' own settings of its user say.
      assert.deepEqual([status(project.root).replace("?? .claude/settings.local.json\n", ""), status(tree)], ["", ""]);
      assert.equal(git(tree, "branch", "--show-current"), "baton/dev-1\n");
    },
  );
}

for (const [program, other] of [
  ["claude-code", "gemini"],
  ["codex", "gemini"],
  ["gemini", "codex"],
] as const) {
  test(
    `a newcomer with nothing but the package sees within three minutes that ${program} may not edit what another has in hand`,
    needs(program, other),
    async (t) => {
      using made = makeProject();
      const beganMs = performance.now();
      const project = newcomers(made);
      const { pid } = JSON.parse(project.baton(["start", "--here", "--yes", "--port", "0", "--json"]));
      try {
        const path = join(project.root, held);
        const edits = async (by: HookProgram) =>
          await runSession(project, by, {
            agent: programFacts[by].command,
            isLaunched: true,
            script: ({ number }) => (number === 0 ? [editOf(by, path)] : "Done."),
          });
        await edits(other);
        const edited = readFile(path);
        assert.notEqual(edited, "export const feature = 1;\n");
        const { turns, stderr } = await edits(program);
        const ms = Math.round(performance.now() - beganMs);
        t.diagnostic(`${ms} ms`);
        assert.match(turns[1]?.fresh ?? stderr, new RegExp(`${programFacts[other].command}-1 edits this path`));
        assert.equal(readFile(path), edited);
        assert.ok(ms < 180_000, `${ms} ms`);
      } finally {
        process.kill(pid, "SIGTERM");
      }
    },
  );
}

test(
  "with --bare, which runs no hooks, claude-code asks Baton for leave: a held file stays, a free one and a message go",
  needs("claude-code"),
  async () => {
    using project = makeProject();
    heldByOther(project);
    const free = "src/free.js";
    project.write(free, "export const free = 1;\n");
    const at = (file: string) => ({ file_path: join(project.root, file) });
    const edit = (file: string) => ({
      tool: "Edit",
      input: { ...at(file), old_string: "export const", new_string: "const" },
    });
    const steps = [
      [free, held].map((file) => ({ tool: "Read", input: at(file) })),
      [edit(free)],
      [edit(held)],
      [{ tool: "mcp__baton__send_message", input: { message: "from dev-1", to: ["qa-1"] } }],
    ];
    const { turns, stderr } = await runSession(project, "claude-code", {
      agent: "dev-1",
      isLaunched: true,
      words: ["--bare"],
      script: ({ number }) => steps[number] ?? "Done.",
    });
    assert.match(turns[3]?.fresh ?? stderr, /dev-2 holds this path for task 1-1-T1/);
    assert.equal(readFileSync(join(project.root, free), "utf8"), "const free = 1;\n", turns[2]?.fresh);
    assert.deepEqual(senderOf(project, "qa-1"), ["lead-1", "dev-1"], turns[4]?.fresh ?? stderr);
  },
);

for (const program of ["claude-code", "codex", "gemini"] as const satisfies readonly HookProgram[]) {
  test(
    `through a hub ${program} refuses an edit of a held file, and its tools act as the agent of the token`,
    needs(program),
    async () => {
      using project = makeProject(program);
      heldByOther(project);
      const hub = await startHub(project.root);
      const BATON_TOKEN = project.baton(["token", "create", "dev-1"]).trim();
      let asked = -1;
      const { turns, stdout, stderr } = await runSession(project, program, {
        agent: "dev-1",
        env: { BATON_HUB: hub.url, BATON_TOKEN },
        family: "unknown",
        script: ({ number, tools }) => {
          if (asked >= 0) return "Done.";
          // Codex begins before a slow server is there.
          if (number === 0 || !tools.includes(sends[program]))
            return [number === 0 ? heldEdit(program) : lookOf(program)];
          asked = number;
          return [{ tool: sends[program], input: { message: "from dev-1", to: ["qa-1"] } }];
        },
      });
      assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path for task 1-1-T1/);
      assert.ok(!(stdout + stderr).includes(BATON_TOKEN), "no program shows the token");
      // The first is the lead's contract.
      assert.deepEqual(senderOf(project, "qa-1"), ["lead-1", "dev-1"], turns[asked + 1]?.fresh);
      await hub.kill();

      function heldEdit(which: HookProgram) {
        const patch = `apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: ${held}\n*** End Patch\nEOF`;
        return which === "codex" ? shellOf(which, patch) : editOf(which, join(project.root, held));
      }
    },
  );
}

test(
  "in Gemini a commit is of who commits by git's global settings, which its shell does not read",
  needs("gemini"),
  async () => {
    using project = makeProject();
    writeFileSync(join(project.home, ".gitconfig"), "[user]\n\tname = Ann\n\temail = ann@example.org\n");
    const commit = "git commit --quiet --allow-empty -m own && git log -1 --format='%an <%ae> %cn'";
    const { turns, stderr } = await runSession(project, "gemini", {
      agent: "dev-1",
      isLaunched: true,
      script: ({ number }) => (number === 0 ? [shellOf("gemini", commit)] : "Done."),
    });
    assert.match(turns[1]?.fresh ?? stderr, /Ann <ann@example.org> Ann/);
  },
);

test(
  "in Gemini the session's own server answers the hook before an edit, without the command",
  needs("gemini"),
  async () => {
    using project = makeProject("gemini");
    heldByOther(project);
    starts.gemini(project, "", { agent: "dev-1", script: () => "" });
    const line = startLine({
      program: "gemini",
      journal: join(project.root, ".git/baton/journal.db"),
      words: [],
      config: { home: project.home, environment: () => ({}) },
    });
    assert.ok(line.ok);
    const { GEMINI_CLI_HOME: own = "" } = line.value.environment;
    const settings = join(own, ".gemini/settings.json");
    const installed = readFileSync(settings, "utf8");
    // What the command would deny passes here.
    writeFileSync(
      settings,
      installed.replaceAll(/[^ ]+ [^ ]+ hook BeforeTool --program gemini( \|\| exit 2)?/g, "exit 0"),
    );
    assert.notEqual(readFileSync(settings, "utf8"), installed, "control: it has the command");
    const { turns, stderr } = await runSession(project, "gemini", {
      agent: "dev-1",
      env: { GEMINI_CLI_HOME: own },
      script: ({ number }) => (number === 0 ? [editOf("gemini", join(project.root, held))] : "Done."),
    });
    assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path for task 1-1-T1/);
  },
);

test(
  "gemini changes no held file by another name of it: by the end of its path, as an address, or with a zero byte",
  needs("gemini"),
  async () => {
    using project = makeProject("gemini");
    heldByOther(project);
    const before = readFileSync(join(project.root, held), "utf8");
    const change = { instruction: "change it", old_string: "export const feature = 1;", new_string: "changed" };
    const uses = [
      ["feature.js", /there is no file feature\.js/],
      [join(project.root, "src/feature%2Ejs"), /dev-2 holds this path/],
      ["src/fea\0ture.js", /has control characters/],
    ] as const;
    const { turns, stderr } = await runSession(project, "gemini", {
      agent: "dev-1",
      script: ({ number }) => {
        const file_path = uses[number]?.[0];
        return file_path === undefined ? "Done." : [{ tool: "replace", input: { ...change, file_path } }];
      },
    });
    for (const [at, [, words]] of uses.entries()) assert.match(turns[at + 1]?.fresh ?? stderr, words);
    assert.equal(readFileSync(join(project.root, held), "utf8"), before);
  },
);

test(
  "in a linked worktree codex refuses an edit of a held file, for its plugin is in every project",
  needs("codex"),
  async () => {
    using project = makeProject("codex");
    heldByOther(project);
    const tree = join(project.root, "../tree");
    git(project.root, "worktree", "add", "--quiet", tree);
    const worktree = { ...project, root: realpathSync(tree) };
    const { turns, stderr } = await runSession(worktree, "codex", {
      agent: "dev-1",
      script: ({ number }) => (number === 0 ? [editOf("codex", join(worktree.root, held))] : "Done."),
    });
    assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path for task 1-1-T1/);
    assert.ok(existsSync(join(worktree.root, held)));
  },
);

test("codex refuses a patch of a held file that its model applies by a shell command", needs("codex"), async () => {
  using project = makeProject("codex");
  heldByOther(project);
  const before = readFileSync(join(project.root, held), "utf8");
  const patch = `*** Begin Patch\n*** Update File: ${held}\n@@\n-export const feature = 1;\n+changed\n*** End Patch`;
  const { turns, stderr } = await runSession(project, "codex", {
    agent: "dev-1",
    family: "unknown",
    script: ({ number }) =>
      number === 0 ? [{ tool: "exec_command", input: { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` } }] : "Done.",
  });
  assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path for task 1-1-T1/);
  assert.equal(readFileSync(join(project.root, held), "utf8"), before);
});

test(
  "codex judges a patch by a shell command in the folder in which its model has the command run",
  needs("codex"),
  async () => {
    using project = makeProject("codex");
    heldByOther(project);
    const before = readFileSync(join(project.root, held), "utf8");
    const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: feature.js\n*** End Patch\nEOF";
    const { turns, stderr } = await runSession(project, "codex", {
      agent: "dev-1",
      family: "unknown",
      script: ({ number }) =>
        number === 0
          ? [{ tool: "exec_command", input: { cmd: patch, workdir: "src", yield_time_ms: 30_000 } }]
          : "Done.",
    });
    assert.match(turns[1]?.fresh ?? stderr, /src\/feature\.js.*dev-2 holds this path for task 1-1-T1/);
    assert.equal(readFileSync(join(project.root, held), "utf8"), before);
  },
);

test(
  "codex refuses a patch of a held file that its newest models apply from JavaScript, by a tool or a shell",
  needs("codex"),
  async () => {
    using project = makeProject("codex");
    heldByOther(project);
    const before = readFileSync(join(project.root, held), "utf8");
    const patch = `*** Begin Patch\n*** Update File: ${held}\n@@\n-export const feature = 1;\n+changed\n*** End Patch`;
    const calls = [
      `tools.apply_patch(${JSON.stringify(patch)})`,
      `tools.exec_command({ cmd: ${JSON.stringify(`apply_patch <<'EOF'\n${patch}\nEOF`)} })`,
      'tools.mcp__baton__send_message({ message: "from dev-1", to: ["qa-1"] })',
    ];
    const { turns, stderr } = await runSession(project, "codex", {
      agent: "dev-1",
      family: "gpt-6-sol",
      script: ({ number }) => {
        const call = calls[number];
        return call === undefined ? "Done." : [{ tool: "exec", input: { code: `text(await ${call});` } }];
      },
    });
    for (const turn of [1, 2]) assert.match(turns[turn]?.fresh ?? stderr, /dev-2 holds this path for task 1-1-T1/);
    assert.equal(readFileSync(join(project.root, held), "utf8"), before);
    // The first is the lead's contract.
    assert.deepEqual(senderOf(project, "qa-1"), ["lead-1", "dev-1"], turns[3]?.fresh);
  },
);
