/** Mail that comes while an agent works is in the next request to its model, once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { HookProgram } from "../../src/message/program-hooks.ts";
import { needs } from "./installed.ts";
import { makeProject } from "./project.ts";
import { runSession } from "./session.ts";
import { lookOf } from "./tools.ts";

for (const program of ["claude-code", "codex", "gemini"] as const satisfies readonly HookProgram[]) {
  test(
    `in ${program} mail that comes during a turn is read after the next tool, and once`,
    needs(program),
    async () => {
      using project = makeProject(program);
      const { turns } = await runSession(project, program, {
        agent: "dev-1",
        script: ({ number }) => {
          if (number === 0) project.baton(["send", "--as", "lead-1", "--to", "dev-1"], "The plan has changed.");
          return number < 2 ? [lookOf(program)] : "Done.";
        },
      });
      assert.match(turns[1]?.fresh ?? "", /prose from lead-1/);
      assert.match(turns[1]?.fresh ?? "", /The plan has changed/);
      assert.doesNotMatch(turns[2]?.fresh ?? "", /The plan has changed/);
    },
  );
}
