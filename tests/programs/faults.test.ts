/** What becomes of an edit when Baton cannot answer: blocked where the program can do that, judged after it where not. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { HookProgram } from "../../src/message/program-hooks.ts";
import { needs } from "./installed.ts";
import { heldByOther, makeProject, type Project, senderOf } from "./project.ts";
import { reviewedHooks, runSession } from "./session.ts";
import { editOf, lookOf } from "./tools.ts";

const edited = "src/feature.js";

/** Every line of the settings leads to a Baton that is not there, as in a colleague's clone of the committed files. */
function loseBaton(project: Project, paths: readonly string[]): void {
  for (const path of paths) {
    const file = join(project.root, path);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("/bin/baton.js", "/gone/bin/baton.js"));
  }
}

const settings: Readonly<Record<HookProgram, readonly string[]>> = {
  "claude-code": [".mcp.json", ".claude/settings.json"],
  codex: [".codex/config.toml", ".codex/hooks.json"],
  gemini: [".gemini/settings.json"],
};

test("where Baton is gone, codex does not start, and says why", needs("codex"), async () => {
  using project = makeProject("codex");
  loseBaton(project, settings.codex);
  const { code, turns, stderr } = await runSession(project, "codex", { agent: "qa-1", script: () => "Done." });
  assert.deepEqual([code, turns.length], [1, 0], stderr);
  assert.match(stderr, /required MCP servers failed to initialize: baton/);
});

for (const program of ["claude-code", "gemini"] as const) {
  test(`where Baton is gone, ${program} blocks the edit, and still runs a shell`, needs(program), async () => {
    using project = makeProject(program);
    loseBaton(project, settings[program]);
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

/** The hook before a tool gives no answer: Codex makes no call for a field without a value, Gemini heeds no exit code 1. */
function loseHookBefore(project: Project, program: "codex" | "gemini"): void {
  const file = join(project.root, program === "codex" ? ".codex/hooks.json" : ".gemini/settings.json");
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
  "Codex denies where its user has reviewed the hooks, and doctor tells one state from the other",
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
    assert.match(checked() ?? "", /SessionStart.* are off: Codex skips them/);
    const { turns, stderr } = await runSession(project, "codex", {
      agent: "dev-1",
      isReviewed: false,
      settings,
      script: ({ number }) => (number === 0 ? [editOf("codex", join(project.root, edited))] : "Done."),
    });
    assert.match(turns[1]?.fresh ?? stderr, /dev-2 holds this path/);
    assert.equal(readFile(join(project.root, edited)), before);
    assert.match(checked() ?? "", /"state":"ok"/);
  },
);

function readFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Deleted, which is a change too.
    return null;
  }
}
