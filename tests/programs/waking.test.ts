/** An idle agent is woken when mail comes for it or a task is free: once, and by words that say only that. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codexLine } from "../../src/programs/install/start-line.ts";
import { needs } from "./installed.ts";
import { makeProject } from "./project.ts";
import { reviewedHooks } from "./session.ts";
import { eventually, inTerminal, processesOf } from "./terminal.ts";

/** The processes that wait for mail of the project. */
function waiters(root: string): readonly number[] {
  const isOurs = (environment: string) => environment.includes(`CLAUDE_PROJECT_DIR=${root}\0`);
  return processesOf((words, environment) => words.includes("--wake") && isOurs(environment));
}

/** Codex in a terminal that `baton run` started, and the server that ends with it. */
function terminals(home: string): readonly number[] {
  return processesOf(
    (words, environment) => /codex\0resume\0|\/codex-server-/.test(words) && environment.includes(`HOME=${home}\0`),
  );
}

test(
  "an idle lead in Claude Code is woken by mail and a task, by one waiting process, which ends with the program",
  needs("claude-code"),
  async (t) => {
    using project = makeProject("claude-code");
    const mail = "Which of the two routes?";
    const isWaiting = () => waiters(project.root).length === 1;
    {
      await using session = await inTerminal(project, "claude-code", { agent: "lead-1", script: () => "Done." });
      for (const [index, text] of ["One.", "Two.", "Three."].entries()) {
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
      project.baton(["task", "add", "Totals carry tax", "--agent", "lead-1"]);
      const isFree = /a task is free for lead-1\. Claim the next/;
      await session.until("the wake for a task", () => session.turns.some(({ fresh }) => isFree.test(fresh)));
    }
    await eventually("the end of the waiting process", () => waiters(project.root).length === 0);
  },
);

for (const [name, start, isLined] of [
  ["in its daemon", { isLaunched: true }, false],
  ["in a server that ends with its terminal", { isLaunched: true }, true],
  ["in a separate process", { words: ["--no-daemon"] }, false],
] as const) {
  test(
    `in Codex ${name} an idle agent is woken by mail and a task, once, and a half-written prompt stays`,
    needs("codex"),
    async (t) => {
      using project = isLined ? makeProject() : makeProject("codex");
      const settings = await reviewedHooks(project, isLined ? codexLine() : []);
      const mail = "Which of the two routes?";
      await using session = await inTerminal(project, "codex", {
        agent: "dev-1",
        ...start,
        settings,
        script: () => "Done.",
      });
      await session.type("One.");
      await session.until("the turn", () => session.turns.length === 1);
      await session.until("the end of the turn", () => session.screen().includes("Done."));
      await session.draft("half a dra");
      project.baton(["send", "--as", "lead-1", "--to", "dev-1"], mail);
      const sentMs = performance.now();
      await session.until("the wake", () => session.turns.length > 1);
      const [, woken] = session.turns;
      assert.match(woken?.fresh ?? "", /mail waits for dev-1/);
      assert.equal((woken?.fresh ?? "").split(mail).length, 2, "the hook of the prompt brings the mail, once");
      assert.doesNotMatch(woken?.whole ?? "", /half a dra/);
      t.diagnostic(`asked ${Math.round((woken?.atMs ?? 0) - sentMs)} ms after \`baton send\` had ended`);
      // While it works, Codex takes a line as something to do later.
      await session.until("the end of the second turn", () => session.screen().split("Done.").length > 2);
      await session.type("ft.");
      await session.until("the drafted prompt", () => session.turns.length > 2);
      assert.match(session.turns[2]?.fresh ?? "", /half a draft\./);
      await session.until("the end of the third turn", () => session.screen().split("Done.").length > 3);
      project.baton(["task", "add", "Totals carry tax"]);
      await session.until("the wake for a task", () => session.turns.length > 3);
      assert.match(session.turns[3]?.fresh ?? "", /a task is free for dev-1\. Claim the next/);
      if (!("isLaunched" in start)) return;
      await session.type("/exit");
      await session.until("the end of the terminal", () => terminals(project.home).length === 0);
      const unseen = "Nobody looks at this.";
      project.baton(["send", "--as", "lead-1", "--to", "dev-1"], unseen);
      await using later = await inTerminal(project, "codex", {
        agent: "dev-1",
        ...start,
        settings,
        script: () => "Done.",
      });
      await later.type("Go on.");
      await later.until("the mail", () => later.turns.length > 0);
      assert.equal((later.turns[0]?.fresh ?? "").split(unseen).length, 2, "the name is free, and the mail is there");
      assert.equal(session.turns.length, 4, "a session whose terminal is closed is not woken");
    },
  );
}

test("Codex asks whether a new folder is trusted before a server runs its sessions", needs("codex"), async () => {
  using project = makeProject();
  const settings = await reviewedHooks(project, codexLine());
  const asked = { agent: "dev-1", isLaunched: true, isTrusted: false, settings, script: () => "Done." } as const;
  await using session = await inTerminal(project, "codex", asked);
  assert.doesNotMatch(session.screen(), /Baton/, "control: its user has reviewed the hooks");
  assert.deepEqual(terminals(project.home), []);
});
