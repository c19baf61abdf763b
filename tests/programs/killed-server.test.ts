/** What each program does where its session's server is killed between two tools, and what Baton makes up for. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { needs } from "./installed.ts";
import { heldByOther, makeProject, type Project, readFile, senderOf } from "./project.ts";
import { runSession } from "./session.ts";
import { eventually, serversOf } from "./terminal.ts";
import { editOf, lookOf } from "./tools.ts";

const edited = "src/feature.js";

type Signal = "SIGKILL" | "SIGTERM";

/** A session that looks, whose server is killed then, that edits the held file, looks, and is done. */
async function sessionKilled(project: Project, program: HookProgram, by: Signal = "SIGKILL") {
  return await runSession(project, program, {
    agent: "dev-1",
    words: program === "claude-code" ? ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"] : [],
    script: async ({ number }) => {
      if (number === 1) {
        const [id = 0] = serversOf(project, program);
        process.kill(id, by);
        // Of a process that has ended there are no words left, whether its parent has noticed or not.
        await eventually("the end of its server", () => !readFile(`/proc/${id}/cmdline`));
        return [editOf(program, join(project.root, edited))];
      }
      return number < 3 ? [lookOf(program)] : "Done.";
    },
  });
}

for (const program of ["claude-code", "gemini"] as const) {
  test(
    `where ${program}'s server is killed between two tools, the edit of a held file is denied`,
    needs(program),
    async () => {
      using project = makeProject(program);
      heldByOther(project);
      const before = readFileSync(join(project.root, edited), "utf8");
      const { turns, stderr } = await sessionKilled(project, program);
      const denied = {
        "claude-code": /blocking because onFailure is/,
        gemini: /dev-2 holds this path for task 1-1-T1/,
      };
      assert.match(turns[2]?.fresh ?? stderr, denied[program]);
      assert.match(turns[3]?.fresh ?? stderr, /looked/);
      assert.equal(readFile(join(project.root, edited)), before);
      assert.deepEqual(senderOf(project, "lead-1"), []);
    },
  );
}

for (const by of ["SIGKILL", "SIGTERM"] as const) {
  test(
    `where ${by} ends codex's server between two tools, it writes; its agent's next session and the lead read which files changed`,
    needs("codex"),
    async () => {
      using project = makeProject("codex");
      heldByOther(project);
      const file = join(project.root, edited);
      const look = async () => {
        const script = ({ number }: { number: number }) => (number === 0 ? [lookOf("codex")] : "Done.");
        const { turns, stderr } = await runSession(project, "codex", { agent: "dev-1", script });
        assert.match(turns[1]?.fresh ?? stderr, /looked/);
        return JSON.stringify(turns);
      };
      const tell = /these files of others changed:.*src\/feature\.js.*dev-2 holds this path/;
      await look();
      writeFileSync(file, "by its holder, while no session runs");
      assert.doesNotMatch(await look(), tell, "the session before has ended as it should");
      const { turns, stderr } = await sessionKilled(project, "codex", by);
      assert.equal(readFile(file), null, turns[2]?.fresh ?? stderr);
      assert.match(turns[3]?.fresh ?? stderr, /looked/);
      assert.doesNotMatch(JSON.stringify(turns), /dev-2 holds this path/, "nobody says so in this session");
      assert.match(await look(), tell);
      assert.deepEqual(senderOf(project, "lead-1"), ["dev-1"]);
      assert.doesNotMatch(await look(), tell, "once");
      assert.deepEqual(senderOf(project, "lead-1"), ["dev-1"]);
    },
  );
}
