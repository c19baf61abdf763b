/** After a night in which the machine went down, an agent goes on by itself, with its name, claim and session. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { needs } from "./installed.ts";
import { makeProject } from "./project.ts";
import { runSession } from "./session.ts";
import { inTerminal } from "./terminal.ts";

test(
  "next day Claude Code goes on by itself with its agent's session, and the agent still has its claim",
  needs("claude-code"),
  async () => {
    using project = makeProject();
    rmSync(join(project.root, ".baton"), { recursive: true });
    const begin = () =>
      JSON.parse(
        project.baton(["start", "--agents", "claude:1", "--check", "none", "--yes", "--port", "0", "--json"]),
      ) as { readonly pid: number }; // as documented
    const first = begin();
    project.baton(["task", "add", "Totals carry tax"]);
    const evening = "The tax is still missing.";
    const claim = [{ tool: "mcp__baton__task", input: { action: "claim" } }];
    const { turns, stderr } = await runSession(project, "claude-code", {
      agent: "dev-1",
      isLaunched: true,
      script: ({ number }) => (number === 0 ? claim : evening),
    });
    assert.match(turns[1]?.fresh ?? stderr, /Totals carry tax/);
    process.kill(first.pid, "SIGKILL");
    const second = begin();
    try {
      await using session = await inTerminal(project, "claude-code", {
        agent: "dev-1",
        isLaunched: true,
        script: () => "Good morning.",
      });
      await session.until("the turn that nobody asked for", () => session.turns.length > 0);
      assert.ok(session.turns[0]?.whole.includes(evening), session.screen());
      assert.match(session.turns[0]?.fresh ?? "", /Begin: go on with your task/);
      await session.type("Go on.");
      await session.until("the turn of the person", () => session.turns.length > 1);
      assert.match(project.baton(["task", "list", "1"]), /^claimed +1 .*\n?.*dev-1/);
    } finally {
      process.kill(second.pid, "SIGTERM");
    }
  },
);
