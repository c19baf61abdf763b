/** What becomes of an edit when Baton cannot answer: blocked where the program can do that, judged after it where not. */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { startLine } from "../../src/programs/install/start-line.ts";
import { needs } from "./installed.ts";
import {
  haltCommand,
  heldByOther,
  hooksFile,
  loseBaton,
  makeProject,
  type Project,
  readFile,
  senderOf,
} from "./project.ts";
import { reviewedHooks, runSession } from "./session.ts";
import { eventually, inTerminal, serversOf } from "./terminal.ts";
import { editOf, lookOf } from "./tools.ts";

const edited = "src/feature.js";

test("where the server of its line does not start, codex does not start, and says why", needs("codex"), async () => {
  using project = makeProject();
  const gone = ["-c", 'mcp_servers.baton.command="/gone/baton"'];
  const asked = { agent: "qa-1", isLaunched: true, words: gone, script: () => "Done." };
  const { code, turns, stderr } = await runSession(project, "codex", asked);
  assert.deepEqual([code, turns.length], [1, 0], stderr);
  assert.match(stderr, /required MCP servers failed to initialize: baton/);
});

for (const program of ["claude-code", "gemini"] as const) {
  test(`where Baton is gone, ${program} blocks the edit, and still runs a shell`, needs(program), async () => {
    using project = makeProject(program);
    loseBaton(project);
    const before = readFileSync(join(project.root, edited), "utf8");
    const { turns, stderr } = await runSession(project, program, {
      agent: "qa-1",
      words: program === "claude-code" ? ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"] : [],
      script: ({ number }) => {
        if (number === 0) return [editOf(program, join(project.root, edited))];
        return number === 1 ? [lookOf(program)] : "Done.";
      },
    });
    const isWritten = readFile(join(project.root, edited)) !== before;
    assert.equal(isWritten, false, turns[1]?.fresh ?? stderr);
    assert.match(turns[2]?.fresh ?? stderr, /looked/);
  });
}

test(
  "where neither Baton nor a team is, a plugin that is left behind holds nothing up in gemini",
  needs("gemini"),
  async () => {
    using project = makeProject("gemini");
    loseBaton(project);
    for (const path of [".baton", ".git/baton"]) rmSync(join(project.root, path), { recursive: true, force: true });
    const file = join(project.root, edited);
    const { stderr } = await runSession(project, "gemini", {
      agent: "qa-1",
      script: ({ number }) => (number === 0 ? [editOf("gemini", file)] : "Done."),
    });
    assert.equal(readFile(file), "changed\n", stderr);
  },
);

/** The hook before a tool gives no answer: Codex makes no call for a field without a value, Gemini heeds no exit code 1. */
function loseHookBefore(project: Project, program: "codex" | "gemini"): void {
  const file = hooksFile(project, program);
  const settings = JSON.parse(readFileSync(file, "utf8")) as {
    hooks: Record<string, [{ hooks: [{ input?: Record<string, string>; command?: string }] }]>;
  }; // as Baton writes them
  const [group] = settings.hooks[program === "codex" ? "PreToolUse" : "BeforeTool"] ?? assert.fail();
  const [handler] = group.hooks;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a field that the event does not have.
  if (handler.input !== undefined) handler.input.none = "${agent_id}";
  if (handler.command !== undefined) handler.command = "exit 1";
  writeFileSync(file, JSON.stringify(settings));
}

for (const program of ["codex", "gemini"] as const) {
  test(
    `where the hook before an edit gives no answer, ${program} writes; its agent and the lead read so`,
    needs(program),
    async () => {
      using project = makeProject(program);
      heldByOther(project);
      loseHookBefore(project, program);
      const { turns, stderr } = await runSession(project, program, {
        agent: "dev-1",
        script: ({ number }) => (number === 0 ? [editOf(program, join(project.root, edited))] : "Done."),
      });
      assert.match(turns[1]?.fresh ?? stderr, /this was written, and it may not be.*dev-2 holds this path/);
      assert.deepEqual(senderOf(project, "lead-1"), ["dev-1"]);
    },
  );
}

/** The program waits for the hook before an edit this long, and for the others as before, or in Claude Code as long. */
function waitShortly(program: HookProgram, file: string): void {
  const read = JSON.parse(readFileSync(file, "utf8")) as {
    hooks: Record<string, readonly { hooks: { timeout: number }[] }[]>;
  }; // as Baton writes them
  for (const [event, groups] of Object.entries(read.hooks)) {
    if (program !== "claude-code" && !/^(?:PreToolUse|BeforeTool)$/.test(event)) continue;
    for (const { hooks } of groups) for (const hook of hooks) hook.timeout = program === "gemini" ? 1000 : 1;
  }
  writeFileSync(file, JSON.stringify(read));
}

/** Halts what answers the session's hooks, in the middle of the session: its server, or in Gemini CLI the command. */
function haltServer(project: Project, program: HookProgram): Disposable & { goOn(): void } {
  if (program === "gemini") {
    const goOn = haltCommand(project);
    return { goOn, [Symbol.dispose]: goOn };
  }
  const servers = serversOf(project, program);
  for (const id of servers) process.kill(id, "SIGSTOP");
  let isHalted = true;
  const goOn = (): void => {
    if (isHalted) for (const id of servers) process.kill(id, "SIGCONT");
    isHalted = false;
  };
  return { goOn, [Symbol.dispose]: goOn };
}

test(
  "where Claude Code stops waiting for the hook before an edit, it blocks the edit",
  needs("claude-code"),
  async () => {
    using project = makeProject();
    // Claude Code reads its plugin in the package itself, so the hooks of the start line are those that wait.
    const journal = join(project.root, ".git/baton/journal.db");
    const config = { home: project.home, environment: () => ({}) };
    const line = startLine({ program: "claude-code", journal, words: [], config });
    assert.ok(line.ok);
    waitShortly("claude-code", line.value.words.at(-1) ?? "");
    const before = readFileSync(join(project.root, edited), "utf8");
    using halted = new DisposableStack();
    const { turns, stderr } = await runSession(project, "claude-code", {
      agent: "qa-1",
      words: [...line.value.words, "--permission-mode", "acceptEdits"],
      script: ({ number }) => {
        if (number > 0) {
          halted.dispose();
          return "Done.";
        }
        halted.use(haltServer(project, "claude-code"));
        return [editOf("claude-code", join(project.root, edited))];
      },
    });
    assert.match(turns[1]?.fresh ?? stderr, /timed out; blocking because onFailure is/);
    assert.equal(readFile(join(project.root, edited)), before);
  },
);

for (const program of ["codex", "gemini"] as const) {
  test(
    `where ${program} stops waiting for the hook before an edit, it writes; its agent and the lead read so`,
    needs(program),
    async () => {
      using project = makeProject(program);
      heldByOther(project);
      waitShortly(program, hooksFile(project, program));
      const file = join(project.root, edited);
      const before = readFileSync(file, "utf8");
      using halted = new DisposableStack();
      const { turns, stderr } = await runSession(project, program, {
        agent: "dev-1",
        script: ({ number }) => {
          if (number > 0) return "Done.";
          const { goOn } = halted.use(haltServer(project, program));
          // The hook after the edit gets an answer again; an edit that never comes fails below.
          void eventually("the edit", () => readFile(file) !== before).then(goOn, goOn);
          return [editOf(program, file)];
        },
      });
      assert.match(turns[1]?.fresh ?? stderr, /this was written, and it may not be.*dev-2 holds this path/);
      assert.deepEqual(senderOf(project, "lead-1"), ["dev-1"]);
    },
  );
}

test(
  "in a folder that is not trusted Claude Code asks first; without a person its hooks deny a held file as ever",
  needs("claude-code"),
  async () => {
    using project = makeProject("claude-code");
    heldByOther(project);
    const before = readFileSync(join(project.root, edited), "utf8");
    {
      await using session = await inTerminal(project, "claude-code", {
        agent: "dev-1",
        isTrusted: false,
        script: () => "Done.",
      });
      assert.match(session.screen(), /Trustingthisfolderloads\.claude\/settings\.json.*No,exit/);
      assert.equal(session.turns.length, 0);
    }
    const { turns, stderr } = await runSession(project, "claude-code", {
      agent: "dev-1",
      isTrusted: false,
      words: ["--permission-mode", "acceptEdits"],
      script: ({ number }) => (number === 0 ? [editOf("claude-code", join(project.root, edited))] : "Done."),
    });
    assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path for task 1-1-T1/);
    assert.equal(readFile(join(project.root, edited)), before);
  },
);

test(
  "in a folder that is not trusted Codex denies a held file as ever, for the plugin is its user's",
  needs("codex"),
  async () => {
    using project = makeProject("codex");
    heldByOther(project);
    const { turns, stderr } = await runSession(project, "codex", {
      agent: "dev-1",
      isTrusted: false,
      script: ({ number }) => (number === 0 ? [editOf("codex", join(project.root, edited))] : "Done."),
    });
    assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path/);
    assert.notEqual(readFile(join(project.root, edited)), null);
  },
);

test(
  "in a folder that is not trusted Gemini CLI does not start without a person; one who keeps it so allows each edit",
  needs("gemini"),
  async () => {
    // Whoever installs the plugin says that the folder is to be trusted.
    using project = makeProject();
    heldByOther(project);
    const file = join(project.root, edited);
    const before = readFileSync(file, "utf8");
    const alone = await runSession(project, "gemini", { agent: "dev-1", isTrusted: false, script: () => "Done." });
    assert.deepEqual([alone.code, alone.turns.length], [55, 0], alone.stderr);
    await using session = await inTerminal(project, "gemini", {
      agent: "dev-1",
      isTrusted: false,
      words: ["--model", "gemini-2.5-pro"],
      script: ({ number }) => (number === 0 ? [editOf("gemini", file)] : "Done."),
    });
    await session.until("the question", () => session.screen().includes("3.Don'ttrust"));
    const skipped = "Thisfolderisuntrusted,projectsettings,hooks,MCPs,andGEMINI.mdfileswillnotbeapplied";
    await session.choose("3", "what it leaves out", () => session.screen().includes(skipped));
    // What is typed before it asks for a line is lost.
    const asks = () => session.screen().lastIndexOf("Typeyourmessage") > session.screen().indexOf(skipped);
    await session.until("the prompt", asks);
    await session.type("Edit it.");
    await session.until("the question", () => session.screen().includes("1.Allowonce"));
    assert.equal(readFile(file), before);
    await session.choose("1", "the edit", () => readFile(file) !== before);
  },
);

test("Codex writes where its user has not reviewed the hooks, and says nothing", needs("codex"), async () => {
  using project = makeProject("codex");
  heldByOther(project);
  const { turns, stderr } = await runSession(project, "codex", {
    agent: "dev-1",
    isReviewed: false,
    script: ({ number }) => (number === 0 ? [editOf("codex", join(project.root, edited))] : "Done."),
  });
  assert.equal(readFile(join(project.root, edited)), null, turns[1]?.fresh ?? stderr);
  assert.doesNotMatch(stderr, /hook.*trust|review/i);
});

test(
  "Codex denies where its user has reviewed the hooks; once the plugin has changed, it writes, and doctor and run say so",
  needs("codex"),
  async () => {
    using project = makeProject("codex");
    heldByOther(project);
    const before = readFileSync(join(project.root, edited), "utf8");
    const settings = await reviewedHooks(project);
    const checked = () =>
      project
        .baton(["doctor", "--json"])
        .split("\n")
        .find((line) => line.includes('"check":"codex"'));
    assert.match(checked() ?? "", /Codex skips preToolUse.*: nothing protects files/);
    const session = async (isLaunched: boolean) =>
      await runSession(project, "codex", {
        agent: "dev-1",
        isReviewed: false,
        isLaunched,
        settings,
        script: ({ number }) => (number === 0 ? [editOf("codex", join(project.root, edited))] : "Done."),
      });
    const { turns, stderr } = await session(false);
    assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path/);
    assert.equal(readFile(join(project.root, edited)), before);
    assert.match(checked() ?? "", /"state":"ok"/);
    // Any other byte of the plugin, and Codex skips its hooks until they are reviewed again.
    appendFileSync(join(hooksFile(project, "codex"), "../mcp.json"), "\n");
    assert.match(checked() ?? "", /"state":"warn".*Codex skips preToolUse \(changed since\).*: nothing protects files/);
    const changed = await session(true);
    assert.match(
      changed.stderr,
      /^warning: Codex may write files that others hold: Codex skips preToolUse \(changed since\)/m,
    );
    assert.equal(readFile(join(project.root, edited)), null, "control: it does");
  },
);
