/**
 * The end of a day with programs that have ended, wait and refuse, and the day after it; and after a night in which the
 * machine went down an agent goes on by itself, with its name, claim and session.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { needs } from "./installed.ts";
import { bareEnvironment, launcher, makeProject } from "./project.ts";
import { runSession } from "./session.ts";
import { inTerminal, processesOf } from "./terminal.ts";
import { shellOf } from "./tools.ts";

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

test(
  "a day ends for two ended programs and an idle one at once, for one that refuses in its time, and the next day has all of them",
  needs("claude-code", "codex", "gemini"),
  async (t) => {
    using project = makeProject();
    rmSync(join(project.root, ".baton"), { recursive: true });
    const ours = () => processesOf((_, environment) => environment.includes(`HOME=${project.home}\0`));
    const begin = () => {
      const words = ["--agents", "claude:3,codex:1,gemini:1", "--check", "none", "--yes", "--port", "0", "--json"];
      const hub = JSON.parse(project.baton(["start", ...words])) as { readonly pid: number }; // as documented
      t.after(() => ours().includes(hub.pid) && process.kill(hub.pid));
      return hub;
    };
    const first = begin();
    for (const [title, agent] of [
      ["The migration", "dev-2"],
      ["Totals carry tax", "dev-3"],
      ["Pages show it", "dev-4"],
    ] as const)
      project.baton(["task", "add", title, "--agent", agent]);
    // Two hold their tasks when their programs end.
    for (const [agent, program, tool] of [
      ["dev-3", "codex", "mcp__baton/task"],
      ["dev-4", "gemini", "mcp_baton_task"],
    ] as const) {
      const script = ({ number }: { readonly number: number }) =>
        number === 0 ? [{ tool, input: { action: "claim" } }] : "That is all for now.";
      const { turns, stderr } = await runSession(project, program, { agent, isLaunched: true, script });
      assert.match(turns[1]?.fresh ?? stderr, /granted/);
    }
    const launched = { isLaunched: true } as const;
    await using idle = await inTerminal(project, "claude-code", { ...launched, agent: "dev-1", script: () => "Done." });
    await idle.until("the idle one's turn", () => idle.turns.length > 0);
    await using busy = await inTerminal(project, "claude-code", {
      ...launched,
      agent: "dev-2",
      words: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
      script: ({ number, fresh }) => {
        if (number === 0) return [{ tool: "mcp__baton__task", input: { action: "claim" } }];
        const refuse = "baton shutdown answer --refuse --left 'a migration runs'";
        return /shutdown_request/.test(fresh) ? [shellOf("claude-code", refuse)] : "It runs.";
      },
    });
    await busy.type("Begin.");
    await busy.until("the busy one's turns", () => busy.turns.length > 2);
    const held = () => project.baton(["task", "list"]);
    assert.match(held(), /dev-2[\s\S]*dev-3[\s\S]*dev-4/);
    const env = bareEnvironment(project.home);
    const words = [launcher, "stop", "--json"];
    const beganMs = performance.now();
    const stop = spawn(process.execPath, words, { cwd: project.root, env, stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    stop.stdout.on("data", (text) => {
      said += text;
    });
    await once(stop, "close");
    const ms = Math.round(performance.now() - beganMs);
    t.diagnostic(`${ms} ms`);
    assert.ok(ms < 95_000, `${ms} ms`);
    const { round } = JSON.parse(said) as { round: { agents: { agent: string; outcome: string }[] } }; // as documented
    const ends = Object.fromEntries(round.agents.map(({ agent, outcome }) => [agent, outcome]));
    assert.deepEqual(ends, { lead: "gone", "dev-1": "idle", "dev-2": "forced", "dev-3": "gone", "dev-4": "gone" });
    assert.notEqual(begin().pid, first.pid);
    const agents = project.baton(["agent", "list"]);
    for (const agent of Object.keys(ends)) assert.match(agents, new RegExp(`^${agent} `, "m"));
    assert.match(held(), /^available +1 .*[\s\S]*dev-3 [\s\S]*dev-4 /);
  },
);
