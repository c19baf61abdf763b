/** An idle agent is woken when mail comes for it: once, and by words that say only that mail waits. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { needs } from "./installed.ts";
import { makeProject } from "./project.ts";
import { claudeInTerminal } from "./session.ts";

/** The processes that wait for mail of the project. */
function waiters(root: string): readonly string[] {
  return readdirSync("/proc").filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const isOurs = readFileSync(`/proc/${id}/environ`, "utf8").includes(`CLAUDE_PROJECT_DIR=${root}\0`);
      return isOurs && readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--wake");
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

test(
  "an idle lead in Claude Code is woken by mail, by one waiting process, which ends with the program",
  needs("claude-code"),
  async (t) => {
    using project = makeProject("claude-code");
    const mail = "Which of the two routes?";
    const isWaiting = () => waiters(project.root).length === 1;
    {
      await using session = await claudeInTerminal(project, { agent: "lead-1", script: () => "Done." });
      for (const [index, text] of ["One.", "Two.", "Three."].entries()) {
        if (index === 0) await session.until("the prompt", () => session.screen().includes("shift+tabtocycle"));
        await session.type(text);
        await session.until(`turn ${index}`, () => session.turns.length > index);
        await session.until("one waiting process", isWaiting);
      }
      const before = session.turns.length;
      project.baton(["send", "--as", "dev-1", "--to", "lead-1"], mail);
      const sentMs = performance.now();
      await session.until("the wake", () => session.turns.length > before);
      const woken = session.turns[before];
      assert.match(woken?.fresh ?? "", /mail waits for lead-1/);
      assert.equal((woken?.fresh ?? "").split(mail).length, 2, "the hook of the prompt brings the mail, once");
      t.diagnostic(`asked ${Math.round((woken?.atMs ?? 0) - sentMs)} ms after \`baton send\` had ended`);
      await session.until("the next waiting process", isWaiting);
      assert.equal(session.turns.length, before + 1, "mail that was read wakes nobody");
    }
    assert.deepEqual(waiters(project.root), []);
  },
);
