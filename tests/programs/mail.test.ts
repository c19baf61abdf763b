/** Mail that comes while an agent works is in the next request to its model, once, and costs no further request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import type { AgentStatus } from "../../src/team/operations/agents.ts";
import { contract, update } from "../e2e/command.ts";
import { needs } from "./installed.ts";
import type { ModelTurn } from "./model.ts";
import { heldByOther, makeProject, type Project, teamWithRule } from "./project.ts";
import { runSession } from "./session.ts";
import { inTerminal } from "./terminal.ts";
import { editOf, failOf, lookOf, sends } from "./tools.ts";

const planOf = (plan: string) => ({
  plan_id: plan,
  phase_id: "phase-1",
  objective: "Cart",
  tasks: [`${plan}-T1`],
  allowed_paths: ["src/"],
  must_haves: ["It works"],
});

const programs = ["claude-code", "codex", "gemini"] as const satisfies readonly HookProgram[];

const write = (project: Project, words: string): void => {
  project.baton(["send", "--as", "lead-1", "--to", "dev-1"], words);
};

/** The agent as the team's status shows it. */
function agentOf(project: Project, name: string): AgentStatus {
  const { agents } = JSON.parse(project.baton(["status", "--json"])) as { agents: readonly AgentStatus[] }; // as documented
  const found = agents.find(({ agent }) => agent === name);
  assert.ok(found !== undefined);
  return found;
}

for (const program of programs) {
  test(
    `in ${program} mail is read at the prompt, after a tool, after one that failed and one that was denied, and where it would stop`,
    needs(program),
    async () => {
      using project = makeProject(program);
      heldByOther(project);
      write(project, "Before the prompt.");
      write(project, "Also before the prompt.");
      const words = ["After a tool.", "After a failed tool.", "After a denied tool.", "At the end."];
      const { turns, stderr } = await runSession(project, program, {
        agent: "dev-1",
        words: program === "claude-code" ? ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"] : [],
        script: ({ number }) => {
          const said = words[number];
          if (said !== undefined) write(project, said);
          if (number === 0) return [lookOf(program)];
          if (number === 1) return [failOf(program)];
          return number === 2 ? [editOf(program, `${project.root}/src/feature.js`)] : "Done.";
        },
      });
      assert.equal(turns.length, 5, `a request more for the last mail alone: ${stderr}`);
      const first = turns[0]?.whole ?? "";
      assert.match(first, /Before the prompt\..*Also before the prompt\./s);
      for (const [index, said] of words.entries()) {
        assert.ok((turns[index + 1]?.fresh ?? "").includes(said), `${said} ${turns[index + 1]?.fresh ?? stderr}`);
        const times = (turns.at(-1)?.whole ?? "").split(said).length - 1;
        assert.equal(times, 1, `${said} is in the conversation ${times} times`);
      }
      const { unread, delivery } = agentOf(project, "dev-1");
      assert.equal(unread, 0, "acknowledged by going on, without a call");
      assert.deepEqual(Object.keys(delivery.lags).toSorted(), ["acknowledged", "injected", "offered", "seen"]);
    },
  );
}

for (const program of programs) {
  test(
    `in ${program} the author of a false report reads in its next request that it is disputed`,
    needs(program),
    async () => {
      using project = makeProject(program);
      project.baton(["send", "--as", "lead-1"], contract(["src/"], {}));
      project.baton(["task", "claim", "1-1-T1", "--files", "src/feature.js", "--as", "dev-1"]);
      let asked = -1;
      const { turns, stderr } = await runSession(project, program, {
        agent: "dev-1",
        family: "unknown",
        script: ({ tools, number }) => {
          if (asked >= 0) return "Done.";
          // Codex begins before a slow server is there.
          if (!tools.includes(sends[program])) return [lookOf(program)];
          asked = number;
          return [{ tool: sends[program], input: { message: update() } }];
        },
      });
      const next = turns[asked + 1]?.fresh ?? stderr;
      assert.match(next, /report of 1-1-T1 \(entry \d+\) is disputed.*abc1234/, "the mail about it is there at once");
    },
  );
}

test(
  "in Claude Code a teammate holds the plan of the file in its prompt, and a message that the program brings is there once",
  needs("claude-code"),
  async () => {
    using project = makeProject("claude-code");
    project.write(".baton/team.yaml", teamWithRule);
    project.baton(["send", "--as", "lead-1"], contract([], { task: "1-2-T1", payload: planOf("1-2") }));
    const hired = {
      description: "Cart",
      prompt: "TEAMMATE, write. Your plan: phases/01-cart/01-02-PLAN.md",
      name: "helper-1",
      subagent_type: "general-purpose",
    };
    const told = contract([], { id: "told-once", task: "1-3-T1", payload: planOf("1-3") });
    const isTeammates = ({ prompt }: ModelTurn) => prompt.includes("TEAMMATE, write");
    await using session = await inTerminal(project, "claude-code", {
      agent: "lead-1",
      words: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
      script: (turn) => {
        if (isTeammates(turn)) return turn.fresh.includes("told-once") ? [lookOf("claude-code")] : "Nothing more.";
        if (turn.fresh.includes("HIRE NOW")) return [{ tool: "Agent", input: hired }];
        const sent = { to: "helper-1", summary: "plan", message: told };
        return turn.fresh.includes("SEND NOW") ? [{ tool: "SendMessage", input: sent }] : "Done.";
      },
    });
    const own = () => session.turns.filter(isTeammates);
    await session.type("HIRE NOW");
    await session.until("it is idle", () => session.turns.some(({ fresh }) => fresh.includes("idle_notification")));
    assert.match(own()[0]?.fresh ?? "", /Baton: helper-1 holds 1-2-T1 from now on/);
    await session.type("SEND NOW");
    await session.until("its look", () => own().some(({ fresh }) => fresh.includes("looked")));
    const whole = own().findLast(({ fresh }) => fresh.includes("looked"))?.whole ?? "";
    assert.equal(whole.split("told-once").length - 1, 1, "no hook has shown it again");
    await session.until("its acknowledgement", () => agentOf(project, "helper-1").unread === 0);
  },
);

test(
  "in Claude Code an idle teammate that its program starts again reads its mail after its tool, or where it would stop",
  needs("claude-code"),
  async () => {
    using project = makeProject("claude-code");
    project.write(".baton/team.yaml", teamWithRule);
    const hired = {
      description: "Cart",
      prompt: "TEAMMATE, wait.",
      name: "helper-1",
      subagent_type: "general-purpose",
    };
    const isTeammates = ({ prompt }: ModelTurn) => prompt.includes("TEAMMATE, wait");
    const mailOf = (word: string) => `The mail of ${word}.`;
    await using session = await inTerminal(project, "claude-code", {
      agent: "lead-1",
      words: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
      script: (turn) => {
        if (isTeammates(turn)) return turn.fresh.includes("USE A TOOL") ? [lookOf("claude-code")] : "Nothing more.";
        if (turn.fresh.includes("HIRE NOW")) return [{ tool: "Agent", input: hired }];
        const word = ["USE A TOOL", "ONLY STOP"].find((each) => turn.fresh.includes(`SAY ${each}`));
        if (word === undefined) return "Done.";
        project.baton(["send", "--as", "lead-1", "--to", "helper-1"], mailOf(word));
        return [{ tool: "SendMessage", input: { to: "helper-1", summary: "look", message: word } }];
      },
    });
    const idles = () => session.turns.filter(({ fresh }) => fresh.includes("idle_notification")).length;
    await session.type("HIRE NOW");
    await session.until("it is idle", () => idles() === 1);
    for (const [index, word] of ["USE A TOOL", "ONLY STOP"].entries()) {
      await session.type(`SAY ${word}`);
      await session.until("it is idle again", () => idles() === index + 2);
      const own = session.turns.filter(isTeammates);
      const read = own.filter(({ fresh }) => fresh.includes(mailOf(word)));
      assert.equal(read.length, 1, `${word}: ${own.map(({ fresh }) => fresh).join("\n")}`);
      assert.equal((own.at(-1)?.whole ?? "").split(mailOf(word)).length, 2, "once in its conversation");
    }
  },
);

test(
  "in Claude Code a task in the program's list whose subject names a plan is that plan's claim",
  needs("claude-code"),
  async () => {
    using project = makeProject("claude-code");
    project.baton(["send", "--as", "lead-1"], contract([], { task: "1-2-T1", payload: planOf("1-2") }));
    const begin = { taskId: "1", status: "in_progress" };
    const { turns, stderr } = await runSession(project, "claude-code", {
      agent: "dev-1",
      env: { CLAUDE_CODE_ENABLE_TASKS: "1", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" },
      script: ({ number }) => {
        if (number === 0)
          return [{ tool: "TaskCreate", input: { subject: "Execute 01-02: cart", description: "Cart" } }];
        return number === 1 ? [{ tool: "TaskUpdate", input: begin }] : "Done.";
      },
    });
    assert.match(turns[2]?.fresh ?? stderr, /Baton: dev-1 holds 1-2-T1 from now on/, turns[1]?.fresh);
  },
);
