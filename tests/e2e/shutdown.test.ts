/** `stop` and `shutdown status` as people run them, and a hub that passes deadlines although nobody asks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openTeam } from "../../src/perform/open.ts";
import { called, calledWithCode } from "./called.ts";
import { type baton, contract, jsonLines, message, team } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

interface Certificate {
  readonly outcome: string;
  readonly agents: readonly { readonly agent: string; readonly outcome: string | null }[];
}

function certificateOf(done: ReturnType<typeof baton>): Certificate {
  const [line, ...more] = jsonLines(done);
  assert.deepEqual(more, [], "one value a line, and only this one");
  return line as unknown as Certificate; // What it is, the caller asserts.
}

test("a round that everybody answers prints its certificate, and the agents may send nothing more", async () => {
  const directory = team();
  const words = ["stop", "--as", "lead-1", "--no-wait", "--reason", "phase_complete", "--deadline", "60", "--id", "s1"];
  await calledWithCode(0, directory, words);
  for (const role of ["dev", "qa", "scout"]) {
    const payload = { request_id: "s1", approve: true, final_status: "complete" };
    const yes = message("shutdown_response", role, payload, { task: "" });
    await calledWithCode(0, directory, ["send", "--as", `${role}-1`], yes);
  }
  const certificate = certificateOf(await calledWithCode(0, directory, ["shutdown", "status", "--wait", "--json"]));
  assert.equal(certificate.outcome, "complete");
  assert.deepEqual(certificate.agents.map(({ agent, outcome }) => `${agent} ${outcome}`).toSorted(), [
    "architect-1 not_addressed",
    "dev-1 clean",
    "qa-1 clean",
    "scout-1 clean",
  ]);
  const more = await called(directory, ["send", "--as", "dev-1", "--to", "lead-1"], "One more thing");
  assert.equal(more.code, 2);
  assert.match(more.stderr, /agent-stopped.*may send nothing more/s);
});

test("without a hub the waiting command passes the deadlines itself, and tells what happens", async () => {
  const directory = team();
  const words = ["stop", "--as", "lead-1", "--reason", "phase_complete", "--deadline", "0.2"];
  const done = await calledWithCode(2, directory, [...words, "--json"]);
  const { round: certificate, ended } = jsonLines(done)[0] as unknown as {
    round: Certificate;
    ended: readonly unknown[];
  };
  assert.deepEqual([certificate.outcome, ended], ["incomplete", []]);
  assert.equal(certificate.agents.find(({ agent }) => agent === "dev-1")?.outcome, "forced");
  const shown = await calledWithCode(0, directory, ["shutdown", "status"]);
  assert.match(
    shown.stdout,
    /^0 agents stopped; dev-1, qa-1, scout-1 did not, and may do nothing more; nothing is left/,
  );
  assert.match(shown.stdout, /: incomplete, phase_complete, asked by lead-1, ended/);
  assert.match(shown.stdout, /dev-1 +forced/);
});

test("what an agent left behind is named, and mail that it did not read is no work", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  const words = ["stop", "dev-1", "qa-1", "scout-1", "--no-wait", "--reason", "phase_complete", "--id", "s1"];
  await calledWithCode(0, directory, [...words, "--as", "lead-1", "--deadline", "60"]);
  for (const role of ["dev", "qa", "scout"]) {
    const payload = { request_id: "s1", approve: true, final_status: "complete" };
    await calledWithCode(0, directory, ["ack", "4", "--as", "scout-1"]);
    const yes = message("shutdown_response", role, payload, { task: "" });
    await calledWithCode(0, directory, ["send", "--as", `${role}-1`], yes);
  }
  const waited = await calledWithCode(2, directory, ["shutdown", "status", "--wait"]);
  assert.match(waited.stdout, /^3 agents stopped; dev-1 left something behind\.\n/);
  assert.match(waited.stdout, /\n {2}qa-1 +stopped {2,}1 unread message\n/);
  assert.match(waited.stdout, /\n {2}dev-1 +stopped, and left behind {2}claims: 1-1-T1, 1 unread message\n/);
  assert.match(waited.stdout, /\n {2}scout-1 +stopped\n/);
  assert.equal(waited.stderr, "", "of a round that is over all is said once");
});

test("a team in which no round was started says so", async () => {
  assert.equal((await called(team(), ["shutdown", "status"])).code, 3);
});

test("a hub passes the deadlines of a round although nobody asks", async () => {
  const directory = team();
  const hub = await startHub(directory);
  const lead = towards(hub, await tokenOf(directory, "lead-1"));
  const opened = await openTeam({ journal: join(directory, ".baton/journal.db"), create: false });
  assert.ok(opened.ok);
  await using watcher = opened.value;
  const stop = new AbortController();
  const words = ["stop", "dev-1", "--no-wait", "--reason", "error", "--deadline", "0.3"];
  assert.equal((await called(directory, words, "", lead)).code, 0);
  const timers: number[] = [];
  // Following only reads: whatever is fired, the hub fired.
  for await (const line of watcher.follow({ after: 0, signal: stop.signal })) {
    if (line.kind !== "timer") continue;
    timers.push(line.seq);
    stop.abort();
  }
  assert.equal(timers.length, 1);
  const status = certificateOf(await called(directory, ["shutdown", "status", "--json"], "", lead));
  assert.equal(status.outcome, "incomplete");
});

test("the person's stop ends the day: nobody waits for who has no program, the hub ends, and a second stop has nothing to do", async () => {
  const directory = team();
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract());
  const hub = await startHub(directory);
  // The lead has acted from a shell, and nobody else was ever seen: who waits for one of them waits a minute.
  const done = await calledWithCode(0, directory, ["stop", "--deadline", "60"]);
  assert.match(done.stdout, /^4 agents stopped; nothing is left behind\.\n/);
  assert.match(done.stdout, /\n {2}dev-1 +had ended {2,}1 unread message\n/);
  assert.match(done.stdout, /\n {2}lead-1 +had ended\n/);
  assert.match(done.stdout, /\nopen +1-1-T1\n/);
  assert.match(done.stderr, new RegExp(`The hub at ${hub.url} has ended`));
  assert.doesNotMatch(done.stdout, /forced/);
  assert.match((await called(directory, ["agent", "list"])).stdout, /lead-1 .* stopped /);
  assert.doesNotMatch(done.stderr, /asked/);
  const [again] = jsonLines(await calledWithCode(0, directory, ["stop", "--json"]));
  assert.deepEqual([again?.ended, again?.round], [[], null]);
});
