/**
 * How the server of a session of Codex wakes its idle agent: it starts the program that started it, to put a prompt into the
 * session's queue. Here that program is a shell. tests/programs/waking.test.ts has Codex itself.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { place } from "../e2e/hook-call.ts";
import { eventually } from "../programs/terminal.ts";
import { type ProgramSession, programSession } from "./clients.ts";

test("mail for an idle agent of Codex is announced in its session's queue, once a turn, and with --no-wake nothing is", {
  skip: process.platform === "linux" ? false : "only Linux says which program started a server",
}, async () => {
  const directory = place();
  // `sh queue --thread ...` runs this file.
  writeFileSync(join(directory, "queue"), 'echo "$*" >> queued\n');
  const file = join(directory, "queued");
  const queued = () => (existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : []);
  const ask = async (session: ProgramSession, thread: string, event: string) => {
    const input = { hook_event_name: event, cwd: directory, session_id: thread };
    return (await session.call("hook", input, { threadId: thread, sessionId: thread })).text;
  };
  await using left = await programSession(directory, "codex", "dev-1", {}, true, ["--no-wake"]);
  await using woken = await programSession(directory, "codex", "qa-1", {}, true);
  for (const [session, thread] of [
    [left, "s1"],
    [woken, "s2"],
  ] as const)
    await ask(session, thread, "SessionStart");
  for (const turn of [1, 2]) {
    assert.equal(await ask(left, "s1", "Stop"), "{}");
    assert.equal(await ask(woken, "s2", "Stop"), "{}");
    for (const agent of ["dev-1", "qa-1"])
      await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", agent], `Mail of turn ${turn}.`);
    await eventually("the wake", () => queued().length === turn);
    // Both read it with their next turn.
    assert.match(await ask(left, "s1", "UserPromptSubmit"), /Mail of turn/);
    assert.match(await ask(woken, "s2", "UserPromptSubmit"), /Mail of turn/);
  }
  const words = "--thread s2 --message Baton: mail waits for qa-1. If it is not here, the tool read_inbox shows it.";
  assert.deepEqual(queued(), [words, words]);
});
