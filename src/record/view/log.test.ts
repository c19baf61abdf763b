import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock, typedMessage } from "../../testing/fixtures.ts";
import { testTeam } from "../../testing/test-team.ts";
import { logPage } from "./log.ts";
import type { LogOptions } from "./log-line.ts";

const agents = [{ agent: "lead-1", role: "lead" }] as const;

test("the log read backwards is the log read forwards, turned round, whatever the bounds", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  for (let n = 0; n < 450; n += 1) await owner.register({ agent: `dev-${n}`, role: "dev" });
  const seqs = async (options: LogOptions) => {
    const found: number[] = [];
    for await (const line of owner.log(options)) {
      assert.ok(line.ok);
      found.push(line.value.seq);
    }
    return found;
  };
  const all = await seqs({});
  assert.equal(all.length, 451);
  for (const bounds of [
    {},
    { after: 17 },
    { before: 230 },
    { after: 20, before: 421 },
    { after: 451 },
    { before: 1 },
  ]) {
    const forwards = await seqs(bounds);
    const { after = 0, before = Number.POSITIVE_INFINITY } = bounds as LogOptions;
    assert.deepEqual(
      forwards,
      all.filter((seq) => seq > after && seq < before),
    );
    assert.deepEqual(await seqs({ ...bounds, newestFirst: true }), forwards.toReversed());
  }
  assert.deepEqual(await seqs({ newestFirst: true, limit: 3 }), [451, 450, 449]);
  assert.deepEqual(await seqs({ newestFirst: true, before: 449, limit: 2, text: "dev-4" }), [448, 447]);
});

test("an id of no entry is reported with what it names, and the command that shows it", async () => {
  await using team = await testTeam({ agents: [...agents, { agent: "dev-1", role: "dev" }] });
  assert.equal((await team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract")))).outcome, "accepted");
  assert.equal((await team.as("dev-1").send(JSON.stringify(typedMessage("blocker_report")))).outcome, "accepted");
  const told = async (key: string) => {
    const shown = await team.as("owner").show(key);
    return shown.ok ? "an entry" : `${shown.error.code}: ${shown.error.message} ${shown.error.hint ?? ""}`;
  };
  for (const [key, says] of [
    ["01-01/T1", /id of the task 1-1-T1\. .*baton log --task 01-01\/T1/],
    ["ESC-01-01-T1", /id of the escalation ESC-01-01-T1, which is open\. .*baton needs --escalations/],
    ["1-1", /id of a plan\. .*baton contract show 1-1/],
    ["dev-1", /id of an agent\. .*baton agent list.*baton log --from dev-1/],
    ["$(rm -rf x)", /no entry .*in team "greeters"\. `baton log` lists/],
  ] as const) {
    assert.match(await told(key), says);
    assert.match(await told(key), /^not-found: /);
  }
});

test("a page looks at a bounded number of entries, lets others run, and says where to go on", async () => {
  await using team = await testTeam({ agents });
  const owner = team.as("owner");
  for (let n = 0; n < 1_000; n += 1) await owner.register({ agent: `dev-${n}`, role: "dev" });
  let reads = 0;
  const { journal } = team.context;
  const counted = {
    ...journal,
    read: (...asked: Parameters<typeof journal.read>) => {
      reads += 1;
      return journal.read(...asked);
    },
  };
  const context = { ...team.context, journal: counted };
  for (const newestFirst of [false, true]) {
    let rounds = 0;
    let isOver = false;
    const count = () => {
      rounds += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    reads = 0;
    const page = await logPage(context, { sender: "nobody", newestFirst }, 300);
    isOver = true;
    assert.ok(page.ok);
    assert.deepEqual(page.value, { entries: [], next: newestFirst ? 1002 - 3 * 128 : 3 * 128, head: 1_001 });
    assert.equal(reads, 3);
    assert.ok(rounds >= 2, `${rounds} rounds of the event loop`);
    const rest = await logPage(context, {
      text: newestFirst ? "dev-3 " : "dev-997",
      newestFirst,
      [newestFirst ? "before" : "after"]: page.value.next ?? 0,
    });
    assert.ok(rest.ok);
    assert.equal(rest.value.next, null);
    const gone = new AbortController();
    reads = 0;
    const reading = logPage(context, { sender: "nobody", newestFirst, signal: gone.signal });
    gone.abort();
    const ended = await reading;
    assert.equal(!ended.ok && ended.error.code, "interrupted");
    assert.equal(reads, 1, "nothing is read for a caller that has gone");
  }
});

test("where two senders used one id, showing it lists both, and the sender names one", async () => {
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "dev-2", role: "dev" },
    ],
  });
  const lead = team.as("lead-1");
  for (const agent of ["dev-1", "dev-2"])
    assert.equal((await team.as(agent).send(`From ${agent}`, { id: "shared", to: ["lead-1"] })).outcome, "accepted");
  assert.equal((await team.as("dev-1").send("Alone", { id: "own", to: ["lead-1"] })).outcome, "accepted");
  const both = await lead.show("shared");
  assert.ok(!both.ok);
  assert.deepEqual([both.error.code, both.error.expected], ["ambiguous-request", "dev-2 | dev-1"]);
  assert.match(
    both.error.message,
    /^2 senders used the id "shared": #3 message from dev-2 at \S+; #2 message from dev-1 at \S+\.$/,
  );
  assert.match(both.error.hint ?? "", /baton show ID --from dev-2.*baton show 3/);
  const shown = async (key: string, sender?: string) => {
    const found = await lead.show(key, sender === undefined ? {} : { sender });
    return found.ok ? found.value.seq : found.error.code;
  };
  assert.deepEqual([await shown("shared", "dev-1"), await shown("shared", "dev-2"), await shown("own")], [2, 3, 4]);
  assert.deepEqual([await shown("shared", "lead-1"), await shown("2")], ["not-found", 2]);
});

test("a line says what became of its entry when it is read, in a page, in full and in a stream", async () => {
  await using team = await testTeam({ agents: [...agents, { agent: "dev-1", role: "dev" }] });
  const [owner, dev] = [team.as("owner"), team.as("dev-1")];
  const ending = new AbortController();
  const streamed: (string | number | null)[][] = [];
  const followed = (async () => {
    for await (const { type, outcome, thread } of owner.follow({ after: 1, signal: ending.signal })) {
      streamed.push([type, outcome, thread]);
      if (streamed.length === 3) ending.abort();
    }
  })();
  assert.equal((await dev.send(JSON.stringify(typedMessage("approval_request")))).outcome, "accepted");
  const before = await owner.show("2");
  assert.ok(before.ok);
  assert.deepEqual([before.value.outcome, before.value.thread], ["open", 2]);
  assert.equal((await dev.send(JSON.stringify(typedMessage("qa_verdict", {}, { id: "lie" })))).outcome, "refused");
  const answered = await owner.answer({ request: "approval_request-1", approved: true, reason: "yes" });
  assert.equal(answered.outcome, "accepted");
  await followed;
  const page = await owner.logPage({ after: 1 });
  assert.ok(page.ok);
  assert.deepEqual(
    page.value.entries.map(({ seq, outcome, thread, problem }) => [seq, outcome, thread, problem?.code ?? null]),
    [
      [2, "approved", 2, null],
      [3, "refused", null, "identity-mismatch"],
      [4, "approved", 2, null],
    ],
  );
  const refused = page.value.entries[1];
  assert.equal(refused?.summary, `refused: ${refused?.problem?.message}`.slice(0, refused?.summary.length));
  assert.deepEqual(streamed.at(-1), ["approval_response", "approved", 2]);
});

test("entries are filtered by what has become of them and until when, and counted beyond the page", async () => {
  const clock = manualClock();
  await using team = await testTeam({ clock, agents: [...agents, { agent: "dev-1", role: "dev" }] });
  const [owner, dev] = [team.as("owner"), team.as("dev-1")];
  for (let n = 1; n <= 5; n += 1) {
    clock.advance(60_000);
    const request = typedMessage("approval_request", { subject: `may I, ${n}` }, { id: `ask-${n}` });
    assert.equal((await dev.send(JSON.stringify(request))).outcome, "accepted");
  }
  for (const request of ["ask-2", "ask-4"])
    assert.equal((await owner.answer({ request, approved: true, reason: "yes" })).outcome, "accepted");
  const seqs = async (options: LogOptions) => {
    const page = await owner.logPage(options);
    assert.ok(page.ok);
    return [page.value.entries.map(({ seq }) => seq), page.value.count ?? null];
  };
  assert.deepEqual(await seqs({ outcomes: ["open"] }), [[2, 4, 6], null]);
  assert.deepEqual(await seqs({ outcomes: ["approved"], newestFirst: true }), [[8, 7, 5, 3], null]);
  const all = { matched: 3, isAll: true };
  assert.deepEqual(await seqs({ outcomes: ["open"], limit: 1, count: true }), [[2], all]);
  assert.deepEqual(await seqs({ text: "MAY I", limit: 2, count: true }), [[2, 3], { matched: 5, isAll: true }]);
  const third = new Date(clock.now() - 2 * 60_000).toISOString();
  assert.deepEqual(await seqs({ until: third, count: true, kinds: ["message"] }), [
    [2, 3],
    { matched: 2, isAll: true },
  ]);
  assert.deepEqual(await seqs({ since: third, kinds: ["message"] }), [[4, 5, 6], null]);
});

test("a search finds a refusal by the reason that its line shows, and by the place of the error", async () => {
  await using team = await testTeam({
    agents: [...agents, { agent: "dev-1", role: "dev" }, { agent: "dev-2", role: "dev" }],
  });
  const [owner, dev] = [team.as("owner"), team.as("dev-1")];
  for (const task of ["1-1-T1", "1-1-T2"]) await owner.addTask({ task, files: ["src/currency/"] });
  assert.equal((await dev.claim({ task: "1-1-T1" })).outcome, "accepted");
  assert.equal((await team.as("dev-2").claim({ task: "1-1-T2" })).outcome, "refused");
  const wrong = { status: "perhaps" };
  assert.equal(
    (await dev.send(JSON.stringify(typedMessage("execution_update", wrong, { id: "u-1" })))).outcome,
    "refused",
  );
  const found = async (text: string) => {
    const page = await owner.logPage({ text, kinds: ["refusal"] });
    assert.ok(page.ok);
    return page.value.entries.map(({ summary }) => summary);
  };
  const [reason = ""] = await found("holds src/currency");
  assert.match(reason, /^refused: dev-1 holds src\/currency for 1-1-T1/);
  assert.equal((await found("$.payload.status")).length, 1);
  assert.match((await found("status must be"))[0] ?? "", /^refused: status must be/);
});
