/**
 * `baton demo` as people run it: it ends well in time, and what it claims is read again from what it left: the journal
 * with the library, the commits with git.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { expectedMessages, omissionsOf, problemsOf } from "../../demo/checks/check.ts";
import { readPhase } from "../../demo/checks/record.ts";
import { silenceFindings } from "../../demo/checks/silence-check.ts";
import { canSilence, tempos } from "../../demo/story/programs.ts";
import { repositoryAt } from "../../demo/story/repository.ts";
import { effectsOf } from "../../src/perform/content.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Shown } from "../../src/record/operations/entries.ts";
import { baton, folder, jsonLines, mainBundle } from "../e2e/command.ts";
import { damages, gaps, silenceDamages } from "./planted-faults.ts";
import { demo } from "./played.ts";

function git(directory: string, ...words: string[]): string {
  const run = spawnSync("git", ["-C", directory, ...words], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

/** The entries of the phase; with the first after it, in which the owner calls the agents back, the next one begins. */
async function entriesIn(directory: string): Promise<readonly Shown[]> {
  const entries = await everyEntryIn(directory);
  return entries.slice(0, entries.findIndex(isNext));
}

function isNext({ type }: Shown): boolean {
  return type === "register-agent";
}

async function everyEntryIn(directory: string): Promise<readonly Shown[]> {
  const opened = await openTeam({ journal: join(directory, ".git/baton/journal.db"), readOnly: true });
  assert.ok(opened.ok);
  await using team = opened.value;
  const entries: Shown[] = [];
  for await (const line of team.log()) {
    assert.ok(line.ok);
    const shown = await team.show(String(line.value.seq));
    assert.ok(shown.ok);
    entries.push(shown.value);
  }
  return entries;
}

const place = folder();
const kept = join(place, "kept");
const run = await demo(place, ["--fast", "--keep", "kept", "--json"]);
/** The phase as it was recorded before the next one began. */
const readKept = async () => {
  const repository = repositoryAt(kept, { PATH: process.env.PATH ?? "" });
  const next = (await everyEntryIn(kept)).find(isNext);
  return await readPhase(join(kept, ".git/baton/journal.db"), repository, next?.seq);
};

test("the demo ends well, and says one JSON value a line", (t) => {
  assert.equal(run.code, 0, `${run.stdout}\n${run.stderr}`);
  t.diagnostic(`took ${Math.round(run.tookMs)} ms`);
  const events = jsonLines(run);
  const summary = events.find(({ event }) => event === "summary");
  assert.deepEqual(summary?.problems, []);
  assert.equal(summary?.agentsEnded, 7);
  assert.equal(summary?.agentsSilenced, canSilence ? 1 : 0);
  assert.equal(summary?.tasksVerified, 4);
  assert.equal(summary?.reportsDisputed, 1);
  const doors = events.filter(({ event }) => event === "arrived").map(({ agent, door }) => `${agent} ${door}`);
  assert.deepEqual(
    new Set(doors),
    new Set(["lead-1 http", "architect-1 http", "scout-1 mcp", "dev-1 mcp", "dev-2 http", "dev-3 mcp", "qa-1 mcp"]),
  );
  assert.equal(events.filter(({ event }) => event === "killed").length, 1);
  assert.equal(events.at(-1)?.event, "kept");
});

test("the journal holds what it claims, each message once and acknowledged by every receiver", async () => {
  const entries = await entriesIn(kept);
  const messages = entries.filter(({ kind }) => kind === "message");
  const types = messages.map(({ type }) => type ?? "prose").toSorted();
  assert.deepEqual(types, [
    "approval_request",
    "approval_response",
    "execution_update",
    "execution_update",
    "execution_update",
    "execution_update",
    "execution_update",
    "plan_contract",
    "plan_contract",
    "prose",
    "prose",
    "prose",
    "prose",
    ...(canSilence ? ["prose"] : []),
    "qa_verdict",
    "scout_findings",
    "shutdown_request",
    "shutdown_response",
    "shutdown_response",
    "shutdown_response",
    "shutdown_response",
    "shutdown_response",
  ]);
  assert.equal(new Set(messages.map(({ sender, id }) => `${sender} ${id}`)).size, messages.length, "no id twice");
  for (const { seq, delivery } of messages) {
    assert.ok(delivery.length > 0, `entry ${seq} has receivers`);
    for (const { agent, state } of delivery) assert.equal(state, "acknowledged", `entry ${seq} by ${agent}`);
  }
  const refused = entries.filter(({ kind }) => kind === "refusal");
  // Who of the two developers is denied how often is a matter of chance; that one is, is not.
  const codes = refused.map(({ type, problems }) => `${type} ${problems[0]?.code}`);
  assert.deepEqual([...new Set(codes)].toSorted(), [
    "claim-task claim-overlap",
    "claim-task outside-contract",
    ...(canSilence ? ["execution_update fenced-claim"] : []),
    "execution_update wrong-value",
  ]);
  for (const { problems } of refused) assert.ok(problems[0]?.hint, "a refusal has a hint");
  for (const { entry, kind } of entries) {
    if (kind === "message" || kind === "ack") assert.equal(entry.principal.via, "token", "agents are proven by tokens");
  }
});

test("two developers race for the same files: one is granted them, the other learns who holds them", async () => {
  const claims = jsonLines(run).filter(({ event }) => event === "claimed");
  const first = ["dev-1", "dev-2"].map((agent) => {
    const { answer } = claims.find((each) => each.agent === agent) ?? {};
    // As a step says it.
    return { agent, ...(answer as { outcome: string; reason?: string; holder?: string; paths?: string[] }) };
  });
  const granted = first.find(({ outcome }) => outcome === "granted");
  const denied = first.find(({ outcome }) => outcome === "denied");
  assert.deepEqual([granted?.holder, denied?.reason, denied?.holder], [undefined, "overlap", granted?.agent]);
  assert.match(String(denied?.paths), /^test(\/price\.test\.js)?$/);
});

test("an agent that falls silent is found out, and its task goes to another under a newer token", {
  skip: canSilence ? false : "no signal stops a process here",
}, async () => {
  const entries = await entriesIn(kept);
  const events = entries.flatMap((entry) => (effectsOf(entry.entry).events ?? []).map((event) => ({ entry, event })));
  const [silence, ...others] = events.flatMap(({ entry, event }) =>
    event.event === "agent-disappeared" ? [{ entry, event }] : [],
  );
  assert.ok(silence !== undefined);
  assert.deepEqual(others, [], "nobody else is taken for gone");
  const { agent, cause, tasks, lastSignMs, atMs } = silence.event;
  assert.deepEqual({ agent, cause, tasks }, { agent: "dev-3", cause: "program", tasks: ["1-1-T4"] });
  assert.ok(lastSignMs !== null && atMs - lastSignMs >= tempos.fast.disappearSeconds * 1_000, "late and never early");
  assert.deepEqual(silence.entry.delivery, [{ agent: "lead-1", state: "acknowledged" }], "its lead is told");
  const grants = events.flatMap(({ entry: { seq }, event }) =>
    event.event === "task-claimed" && event.task === "1-1-T4"
      ? [{ seq, holder: event.holder, token: event.token }]
      : [],
  );
  assert.deepEqual(
    grants.map(({ holder }) => holder),
    ["dev-3", "dev-2"],
  );
  const [before, after] = grants;
  assert.ok(before !== undefined && after !== undefined);
  assert.ok(before.seq < silence.entry.seq && silence.entry.seq < after.seq && before.token < after.token);
  const late = entries.filter(({ kind, sender }) => kind === "refusal" && sender === "dev-3");
  assert.deepEqual(
    late.map(({ type, problems }) => [type, problems.map(({ code }) => code)]),
    [["execution_update", ["fenced-claim"]]],
  );
  assert.ok((late[0]?.seq ?? 0) > after.seq);
  assert.equal(late[0]?.problems[0]?.message, `1-1-T4 was granted to dev-2 since, at entry ${after.token}.`);
  const back = events.filter(({ event }) => event.event === "agent-returned");
  assert.deepEqual(
    back.map(({ event }) => ("agent" in event ? event.agent : null)),
    ["dev-3"],
  );
  const told = jsonLines(run);
  const scenes = told.filter(
    ({ agent: who, event }) => who === "dev-3" && /silenced|continued|left/.test(String(event)),
  );
  assert.deepEqual(
    scenes.map(({ event, task, token }) => ({ event, task, token })),
    [
      { event: "silenced", task: "1-1-T4", token: before.token },
      { event: "continued", task: undefined, token: undefined },
      { event: "left", task: undefined, token: undefined },
    ],
  );
  const parts = told.find(({ event }) => event === "certificate")?.agents as readonly {
    agent: string;
    outcome: string;
  }[];
  assert.equal(parts.find((part) => part.agent === "dev-3")?.outcome, "clean", "it stops as all the others do");
});

test("the reported commits are in git, by the developer, with the files that were reported; a lie is disputed", async () => {
  const events = (await entriesIn(kept)).flatMap(({ entry }) => effectsOf(entry).events ?? []);
  const disputed = events.flatMap((event) => (event.event === "task-disputed" ? [event] : []));
  assert.deepEqual(
    disputed.map(({ task }) => task),
    ["1-1-T3"],
  );
  for (const { seq, sender, message } of await entriesIn(kept)) {
    if (message?.type !== "execution_update") continue;
    const { payload } = JSON.parse(message.text) as { payload: { commit: string; files_modified: string[] } };
    const author = git(kept, "show", "-s", "--format=%an", payload.commit).trim();
    const files = git(kept, "show", "--name-only", "--format=", payload.commit).trim().split("\n");
    if (disputed.some(({ report }) => report === seq)) {
      assert.equal(author, "architect-1", "it was another's commit");
      assert.notDeepEqual(files.toSorted(), payload.files_modified.toSorted());
      continue;
    }
    assert.equal(author, sender);
    assert.deepEqual(files.toSorted(), payload.files_modified.toSorted());
  }
  const [first, second, ...work] = git(kept, "log", "--reverse", "--format=%an: %s").trim().split("\n");
  assert.deepEqual([first, second], ["owner: The shop as it is", "architect-1: Plan 1-1 is written down"]);
  assert.deepEqual(work.toSorted(), [
    "dev-1: A receipt lists every item",
    "dev-1: Money is shown with its cents",
    "dev-1: Totals carry tax",
    "dev-2: An empty basket costs nothing",
    ...(canSilence ? ["dev-2: The README names what is new"] : []),
    "dev-3: The README names what is new",
  ]);
  assert.equal(git(kept, "status", "--porcelain"), "", "nothing is left uncommitted, and the journal is ignored");
});

test("what it left can be looked at as it says: the tasks, and git's word on each", () => {
  const journal = `sqlite:${join(kept, ".git/baton/journal.db")}`;
  const ask = (...words: string[]) => baton(place, [...words, "--journal", journal, "--json"]);
  const done = ["1-1-T1 complete", "1-1-T2 complete", "1-1-T3 complete", "1-1-T4 complete"];
  const next = ["2-1-T1 verified", "2-1-T2 disputed", "2-1-T3 available", "2-1-T4 claimed", "2-1-T5 blocked"];
  const listed = jsonLines(ask("task", "list")).map(({ task, state }) => `${task} ${state}`);
  assert.deepEqual(listed, [...done, ...(canSilence ? next : listed.slice(4))]);
  const verified = ask("verify", "--repository", kept);
  assert.notEqual(verified.code, 0, "the lie of the next phase is found");
  assert.deepEqual(
    jsonLines(verified).map(({ task, state }) => `${task} ${state}`),
    [...done, "2-1-T1 verified", "2-1-T2 disputed"],
  );
});

test("the next phase is left open with something in every view, and all that needs a person", async () => {
  const opened = await openTeam({ journal: join(kept, ".git/baton/journal.db"), readOnly: true });
  assert.ok(opened.ok);
  await using team = opened.value;
  const [needs, handoffs, phases, counts] = [
    await team.needs(),
    await team.handoffs({ all: true }),
    await team.phases(),
    await team.metrics({}),
  ];
  const [lie, blocked] = [await team.task({ task: "2-1-T2" }), await team.task({ task: "2-1-T4" })];
  assert.ok(needs.ok && handoffs.ok && phases.ok && counts.ok && lie.ok && blocked.ok);
  assert.deepEqual(
    needs.value.needs.map(({ kind, agent, task }) => `${kind} ${agent} ${task}`).toSorted(),
    [
      "approval dev-2 2-1-T5",
      "dispute dev-2 2-1-T2",
      "escalation dev-1 2-1-T4",
      ...(canSilence ? ["unresponsive dev-3 2-1-T3"] : []),
    ].toSorted(),
  );
  assert.deepEqual(handoffs.value.map(({ id, standing }) => `${id} ${standing}`).toSorted(), [
    "receipt-1 accepted",
    "receipt-2 issued",
  ]);
  assert.deepEqual(
    phases.value.map(({ departments }) => departments[0]?.standing),
    ["ended", "running"],
  );
  const { tokens, pairs, agents } = counts.value;
  assert.ok(tokens.length === 2 && pairs.length > 5, "tokens and who writes to whom");
  assert.deepEqual(
    agents.find(({ agent }) => agent === "dev-2")?.disputed.reduce((sum, each) => sum + each, 0),
    2,
  );
  assert.deepEqual(
    lie.value.waitsFor.map(({ task }) => task),
    ["2-1-T1"],
    "tasks wait for each other",
  );
  assert.equal(blocked.value.claims[0]?.holder, "dev-1");
  // The lie and the silence of the phase that is over can still be found.
  const old = await team.task({ task: "1-1-T3" });
  assert.ok(old.ok);
  assert.deepEqual(
    old.value.disputes.map(({ reporter, repair }) => [reporter, repair !== null]),
    [["dev-2", true]],
  );
  const later = (await everyEntryIn(kept)).slice((await entriesIn(kept)).length);
  const refused = later.flatMap(({ kind, sender, problems }) =>
    kind === "refusal" ? [[sender, problems[0]?.code]] : [],
  );
  assert.deepEqual(refused, [["dev-2", "claim-overlap"]]);
});

test("the record that was kept is sound, and no token is in the folder", () => {
  const verify = spawnSync(process.execPath, [mainBundle, "journal", "verify", "--json"], {
    cwd: kept,
    encoding: "utf8",
  });
  assert.equal(verify.status, 0, verify.stdout);
  const found = spawnSync("grep", ["-rlaE", "baton_[A-Za-z0-9_-]{43}", kept], { encoding: "utf8" });
  assert.equal(found.stdout, "", "tokens are kept nowhere");
});

test("the demo's own check finds nothing here, and every planted error", async () => {
  const read = await readKept();
  assert.ok(read.ok);
  assert.deepEqual([...problemsOf(read.value, expectedMessages(canSilence)), ...omissionsOf(read.value)], []);
  for (const [what, damage, problem] of damages) {
    assert.match(problemsOf(damage(read.value), expectedMessages(canSilence)).join("\n"), problem, what);
  }
  for (const [what, damage, problem] of gaps) assert.match(omissionsOf(damage(read.value)).join("\n"), problem, what);
});

test("the demo's own check of the silence finds nothing here, and every planted error", {
  skip: canSilence ? false : "no signal stops a process here",
}, async () => {
  const read = await readKept();
  assert.ok(read.ok);
  const limitMs = tempos.fast.disappearSeconds * 1_000;
  assert.deepEqual(silenceFindings(read.value, limitMs), []);
  for (const [what, damage, problem] of silenceDamages) {
    assert.match(silenceFindings(damage(read.value), limitMs).join("\n"), problem, what);
  }
});
