/** Who acts: the session's agent by its name, and a helper that it started as nobody. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { contract } from "../e2e/command.ts";
import { git } from "../evidence/history.ts";
import { needs } from "./installed.ts";
import type { Script } from "./model.ts";
import { launcher, makeProject, type Project, senderOf, teamWithRule, withOlderPlugin, wrapped } from "./project.ts";
import { reviewedHooks, runSession } from "./session.ts";
import { inTerminal, processesOf } from "./terminal.ts";
import { commitOf, lookOf, sends, shellOf } from "./tools.ts";

const codexSend = sends.codex;
const say = (text: string) => ({ message: text, to: ["qa-1"] });

test(
  "in Claude Code a helper that the lead started sends nothing, by a tool or a shell, and the lead itself does",
  needs("claude-code"),
  async () => {
    using project = makeProject("claude-code");
    const inShell = {
      command: `echo shell | '${process.execPath}' '${launcher}' send --to qa-1 -`,
      description: "Send",
    };
    const shell = { tool: "Bash", input: inShell };
    const helper: Script = ({ number }) => {
      if (number === 0) return [{ tool: sends["claude-code"], input: say("from a helper") }];
      return number === 1 ? [shell] : "The helper is done.";
    };
    const lead: Script = ({ number, fresh }) => {
      // It works in the background until then.
      if (fresh.includes("<status>completed</status>")) return [shell];
      if (number === 0)
        return [
          {
            tool: "Agent",
            input: { description: "Help", prompt: "HELPER, send word.", subagent_type: "general-purpose" },
          },
        ];
      return number === 1 ? [{ tool: sends["claude-code"], input: say("from the lead") }] : "Done.";
    };
    const { turns, stdout } = await runSession(project, "claude-code", {
      agent: "lead-1",
      words: ["--allowedTools", "Bash"],
      script: (turn) => (turn.prompt.includes("HELPER, send") ? helper(turn) : lead(turn)),
    });
    const helped = turns.filter(({ prompt }) => prompt.includes("HELPER, send"));
    assert.match(helped[1]?.fresh ?? stdout, /A helper of lead-1 may look, and does not act for it/);
    assert.match(helped[2]?.fresh ?? stdout, /Several agents work in this session of Claude Code/);
    // The helper has stopped, so the shell is the lead's alone again.
    const last = turns.findLast(({ prompt }) => !prompt.includes("HELPER, send"));
    assert.deepEqual(senderOf(project, "qa-1"), ["lead-1", "lead-1"], last?.fresh);
  },
);

for (const program of ["claude-code", "codex", "gemini"] as const) {
  test(
    `\`baton run ${program}\` starts the program as its agent, with or without the plugin`,
    needs(program),
    async () => {
      for (const project of [makeProject(), makeProject(program)]) {
        using _gone = project;
        await sendsAs(project, program);
        wrapped(project, program);
        await sendsAs(project, program);
      }
    },
  );
}

for (const program of ["claude-code", "codex"] as const)
  test(
    `with an older version of the plugin in its cache ${program} has each tool and each message once`,
    needs(program),
    async () => {
      using project = makeProject(program);
      withOlderPlugin(project, program);
      await sendsAs(project, program);
    },
  );

/** The session of `baton run` sends as its agent, with every tool and every message once. */
async function sendsAs(project: Project, program: HookProgram): Promise<void> {
  let isSent = false;
  const before = senderOf(project, "qa-1").length;
  const { turns, stderr, code } = await runSession(project, program, {
    agent: "dev-1",
    isLaunched: true,
    family: "unknown",
    script: ({ tools }) => {
      if (isSent) return "Done.";
      // Codex begins before a slow server is there.
      const send = tools.find((tool) => tool.includes("baton") && tool.endsWith("send_message"));
      isSent = send !== undefined;
      return send !== undefined ? [{ tool: send, input: say("from dev-1") }] : [lookOf(program)];
    },
  });
  assert.equal(code, 0, stderr);
  assert.equal(senderOf(project, "qa-1").at(-1), "dev-1", turns.at(-1)?.fresh ?? stderr);
  assert.equal(senderOf(project, "qa-1").length, before + 1);
  const own = turns[0]?.tools.filter((tool) => tool.includes("baton")) ?? [];
  assert.ok(own.length <= 8, own.join(" "));
}

test(
  "in one daemon of Codex each session that `baton run` starts acts as its own agent, by its tools and in its shell",
  needs("codex"),
  async () => {
    // A session that a person started before has another name.
    using project = makeProject("codex");
    const settings = await reviewedHooks(project);
    const who = shellOf("codex", `'${process.execPath}' '${launcher}' whoami`);
    const start = async (agent: string, isLaunched: boolean) => {
      const session = await inTerminal(project, "codex", {
        agent,
        isLaunched,
        isFree: true,
        settings,
        family: "unknown",
        script: ({ number }) => {
          if (number === 0) return [{ tool: codexSend, input: say(`from ${agent}`) }];
          return number === 1 ? [who] : "Done.";
        },
      });
      await session.type("Send.");
      await session.until("the answers", () => session.turns.length > 2);
      assert.match(session.turns[1]?.fresh ?? "", /accepted/);
      return session;
    };
    await using _first = await start("dev-2", false);
    await using lead = await start("lead-1", true);
    await using developer = await start("dev-1", true);
    assert.deepEqual(senderOf(project, "qa-1"), ["dev-2", "lead-1", "dev-1"]);
    assert.match(lead.turns[2]?.fresh ?? "", /lead-1 {2}lead/);
    assert.match(developer.turns[2]?.fresh ?? "", /dev-1 {2}dev/);
    const daemons = processesOf((words) => words.startsWith(`${project.home}/.codex/`) && words.includes("--listen"));
    assert.equal(daemons.length, 1);
  },
);

test(
  "`baton run codex` goes on with a session in the daemon, takes options, and runs a separate process where it must",
  needs("codex"),
  async () => {
    using project = makeProject("codex");
    const settings = await reviewedHooks(project);
    const daemon = () =>
      processesOf((words) => words.startsWith(`${project.home}/.codex/`) && words.includes("--listen"));
    const bound = () =>
      readdirSync(join(project.root, ".git/baton/sessions")).filter((name) => name.startsWith("codex-"));
    /** The model that was asked, and whether the session's server is a child of the daemon. */
    const run = async (words: readonly string[]) => {
      await using session = await inTerminal(project, "codex", {
        agent: "dev-1",
        words,
        isLaunched: true,
        isFree: true,
        settings,
        family: "unknown",
        isLeft: true,
        script: ({ number, fresh, tools }) => {
          if (!tools.includes(codexSend)) return [lookOf("codex")];
          return fresh.includes("accepted")
            ? "Sent."
            : [{ tool: codexSend, input: say(`${words.join(" ")} ${number}`) }];
        },
      });
      await session.type("Send it.");
      await session.until("the answer", () => session.turns.some(({ fresh }) => fresh.includes("accepted")));
      const { model } = JSON.parse(session.turns[0]?.whole ?? "{}") as { model?: string };
      return {
        model,
        isSeparate: processesOf((line) => /\0--no-daemon\0/.test(line) && line.includes(project.home)).length > 0,
      };
    };
    // The daemon outlives its terminals, as it does for a person.
    using _left = {
      [Symbol.dispose]: () => {
        for (const id of daemon()) process.kill(id, "SIGKILL");
      },
    };
    assert.deepEqual(await run(["-m", "gpt-other"]), { model: "gpt-other", isSeparate: false });
    const [thread = ""] = bound();
    assert.deepEqual(await run(["resume", "--last"]), { model: "gpt-other", isSeparate: false });
    const id = thread.slice("codex-".length);
    assert.deepEqual(await run(["resume", id, "-m", "gpt-third"]), { model: "gpt-third", isSeparate: false });
    assert.deepEqual([bound(), daemon().length], [[thread], 1], "one thread, in one daemon");
    assert.deepEqual(await run(["-c", "model_reasoning_effort=low"]), { model: "unknown", isSeparate: true });
    assert.deepEqual(senderOf(project, "qa-1"), ["dev-1", "dev-1", "dev-1", "dev-1"]);
  },
);

test("Claude Code's model does not see the tool that its hooks call", needs("claude-code"), async () => {
  using project = makeProject("claude-code");
  const { turns } = await runSession(project, "claude-code", { agent: "dev-1", script: () => "Done." });
  const own = turns[0]?.tools.filter((tool) => tool.includes("baton")) ?? [];
  const named = (name: string) => own.some((tool) => tool.endsWith(`baton__${name}`));
  assert.ok(named("task") && !named("hook"), own.join(" "));
});

test("Codex's model does not see the tool that its hooks call", needs("codex"), async () => {
  using project = makeProject();
  const { turns, stderr } = await runSession(project, "codex", {
    agent: "dev-1",
    isLaunched: true,
    family: "unknown",
    script: ({ number, tools }) => (number > 5 || tools.includes(codexSend) ? "Done." : [lookOf("codex")]),
  });
  const own = turns.at(-1)?.tools.filter((tool) => tool.includes("baton")) ?? [];
  assert.ok(own.includes(codexSend) && !own.some((tool) => tool.endsWith("hook")), `${own.join(" ")} ${stderr}`);
});

test("in Codex the tools act as the session's agent", needs("codex"), async () => {
  using project = makeProject("codex");
  const { turns, stderr } = await runSession(project, "codex", {
    agent: "dev-1",
    family: "unknown",
    script: ({ tools, whole }) => {
      if (whole.includes("accepted")) return "Done.";
      // Codex begins before a slow server is there.
      return tools.includes(codexSend) ? [{ tool: codexSend, input: say("from dev-1") }] : [lookOf("codex")];
    },
  });
  assert.match(turns.at(-1)?.fresh ?? stderr, /accepted/);
  assert.deepEqual(senderOf(project, "qa-1"), ["dev-1"]);
});

test(
  "in Codex a model to which no tools are listed finds Baton's by a search, and acts by them",
  needs("codex"),
  async () => {
    using project = makeProject();
    let isSent = false;
    const { turns, stderr } = await runSession(project, "codex", {
      agent: "dev-1",
      isLaunched: true,
      script: ({ fresh, tools, number }) => {
        assert.ok(!tools.some((tool) => tool.includes("baton")), "control: none is listed");
        if (isSent || number > 9) return "Done.";
        isSent = fresh.includes('"send_message"');
        if (isSent) return [{ tool: codexSend, input: say("from dev-1") }];
        return [{ tool: "tool_search", input: { query: "baton send message", limit: 8 } }];
      },
    });
    assert.deepEqual(senderOf(project, "qa-1"), ["dev-1"], turns.at(-1)?.fresh ?? stderr);
  },
);

test("in Gemini the tools act as the session's agent", needs("gemini"), async () => {
  using project = makeProject("gemini");
  const { turns, stderr } = await runSession(project, "gemini", {
    agent: "dev-1",
    script: ({ number }) => (number === 0 ? [{ tool: "mcp_baton_send_message", input: say("from dev-1") }] : "Done."),
  });
  assert.match(turns[1]?.fresh ?? stderr, /accepted/);
  assert.deepEqual(senderOf(project, "qa-1"), ["dev-1"]);
});

test("in Codex a helper sends nothing for the agent that started it", needs("codex"), async () => {
  using project = makeProject("codex");
  let isStarted = false;
  let refusal = "";
  const { stderr } = await runSession(project, "codex", {
    agent: "lead-1",
    family: "unknown",
    script: ({ tools, prompt, fresh, whole, number }) => {
      if (prompt.includes("HELPER, send")) {
        if (number > 0) refusal = fresh;
        return number === 0 ? [{ tool: codexSend, input: say("from a helper") }] : "The helper is done.";
      }
      // The session is told when its helper has ended.
      if (whole.includes("The helper is done.")) return "Done.";
      if (isStarted || !tools.includes(codexSend)) return [lookOf("codex")];
      isStarted = true;
      return [{ tool: "multi_agent_v1/spawn_agent", input: { message: "HELPER, send word." } }];
    },
  });
  assert.match(refusal, /A helper of lead-1 may look, and does not act for it/, stderr);
  assert.deepEqual(senderOf(project, "qa-1"), []);
});

test("in Claude Code git's gate judges a teammate's commit as the teammate's", needs("claude-code"), async () => {
  using project = makeProject("claude-code");
  project.write(".baton/team.yaml", teamWithRule);
  project.baton(["install", "git-hooks"]);
  project.baton(["send", "--as", "lead-1"], contract(["src/"], {}));
  const file = "src/notes.js";
  const commit = shellOf("claude-code", commitOf("somebody", file));
  const teammate: Script = ({ number }) => {
    if (number === 0) return [{ tool: "Write", input: { file_path: `${project.root}/${file}`, content: "notes\n" } }];
    return number === 1 ? [commit] : "Written.";
  };
  const lead: Script = ({ fresh }) => {
    if (fresh.includes("HIRE NOW")) {
      const input = {
        description: "Notes",
        prompt: "TEAMMATE, write.",
        name: "helper-1",
        subagent_type: "general-purpose",
      };
      return [{ tool: "Agent", input }];
    }
    return "Done.";
  };
  await using session = await inTerminal(project, "claude-code", {
    agent: "lead-1",
    words: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
    script: (turn) => (turn.prompt.includes("TEAMMATE, write") ? teammate(turn) : lead(turn)),
  });
  await session.type("HIRE NOW");
  const read = (words: RegExp) =>
    session.turns.some(({ prompt, fresh }) => prompt.includes("TEAMMATE, write") && words.test(fresh));
  await session.until("the teammate's commit", () => read(/inside.*helper-1/));
  assert.equal(git(project.root, "log", "-1", "--format=%s").trim(), file);
});

test("of two sessions of Codex in one daemon that a person started the second is nobody", needs("codex"), async () => {
  using project = makeProject("codex");
  const settings = await reviewedHooks(project);
  const start = async (agent: string) => {
    const session = await inTerminal(project, "codex", {
      agent,
      family: "unknown",
      settings,
      script: ({ number }) => (number === 0 ? [{ tool: codexSend, input: say(`from ${agent}`) }] : "Sent."),
    });
    await session.type("Send.");
    await session.until("the answer", () => session.turns.length > 1);
    return session;
  };
  await using lead = await start("lead-1");
  await using another = await start("dev-2");
  assert.match(lead.turns[1]?.fresh ?? "", /accepted/);
  assert.match(another.turns[1]?.fresh ?? "", /Another session of the same process \(\d+\) is lead-1/);
  assert.deepEqual(senderOf(project, "qa-1"), ["lead-1"]);
});
