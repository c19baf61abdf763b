/** The person at the agent's own terminal decides what the agent asks the owner for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codexLine } from "../../src/programs/install/start-line.ts";
import { needs } from "./installed.ts";
import { heldByOther, makeProject } from "./project.ts";
import { reviewedHooks } from "./session.ts";
import { inTerminal } from "./terminal.ts";
import { lookOf, sends } from "./tools.ts";

/** The keys that say no in each program's form, and the letters that it shows before the next; null: the form is over. */
const denials = {
  "claude-code": [
    ["\x1b[C", "Spacetoselect"],
    ["\x1b[B", "❯deny"],
    ["\r", "❯Accept"],
    ["\r", null],
  ],
  codex: [["2", null]],
} as const;

for (const [program, isLined] of [
  ["claude-code", false],
  ["codex", false],
  ["codex", true],
] as const) {
  test(
    `in ${program}${isLined ? " with hooks on its line" : ""} the person says no in a form where the agent asks for leave: its model reads so, and nothing waits`,
    needs(program),
    async () => {
      using project = isLined ? makeProject() : makeProject(program);
      heldByOther(project);
      const task = sends[program].replace("send_message", "task");
      const ask = { action: "ask", text: "The API is described there", task: "1-1-T1", files: ["docs/api.md"] };
      let asked = -1;
      await using session = await inTerminal(project, program, {
        agent: "dev-1",
        isLaunched: true,
        family: "unknown",
        settings: program === "codex" ? await reviewedHooks(project, isLined ? codexLine() : []) : "",
        script: ({ tools, number }) => {
          if (asked >= 0) return "Done.";
          // Codex begins before a slow server is there.
          if (!tools.includes(task)) return [lookOf(program)];
          asked = number;
          return [{ tool: task, input: ask }];
        },
      });
      await session.type("Ask.");
      await session.until("the form", () => session.screen().includes("asksforyourapproval"));
      for (const [key, next] of denials[program]) {
        const from = session.screen().length;
        const isSo = () =>
          next === null ? session.turns.length > asked + 1 : session.screen().slice(from).includes(next);
        await session.choose(key, next ?? "the next request", isSo);
      }
      const read = session.turns[asked + 1]?.fresh ?? "";
      assert.match(read, /approved[\\": ]+false.*by elicitation in session (?:[0-9a-f-]{36}|of process)/s, read);
      assert.doesNotMatch(project.baton(["needs"]), /docs\/api\.md/);
      assert.match(
        project.baton(["log"]),
        /owner .*denied \S+: by elicitation in session (?:[0-9a-f-]{36}|of process)/,
      );
    },
  );
}
