/** Teams that hand work to each other over A2A: two hubs, two repositories, and remotes that fail or lie. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { teamName } from "../../src/base/ids.ts";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import { watchRemotes } from "../../src/main/remote-delivery.ts";
import { openHub } from "../../src/perform/hub.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, start } from "../e2e/command.ts";
import { gather } from "../e2e/gathering.ts";
import { startHub, tokenOf } from "../e2e/hub-process.ts";
import { git } from "../evidence/history.ts";
import { ask } from "../http/hub.ts";
import { teamOf } from "../http/remote.ts";
import { remote, stateOf } from "./scripted-remote.ts";
import { askedUntil, cardOf, commitAll, introduce, type Side, seenUntil, side } from "./two-hubs.ts";

/** Hands `task` of one team to the other, does the work there, and brings it back as a commit that is verified here. */
async function handOver(from: Side, to: Side, { task, file }: { readonly task: string; readonly file: string }) {
  const [dev, lead] = [await from.as("dev-1"), await from.as("lead-1")];
  assert.equal((await lead.addTask({ task, files: [file] })).outcome, "accepted");
  assert.equal((await dev.claim({ task })).outcome, "accepted");
  const text = `Write ${file}, please`;
  assert.equal((await dev.askRemote({ remote: "other", text, task })).outcome, "accepted");
  const taken = await askedUntil(dev, (each) => each.task === task && each.state === "submitted");
  const theirs = { lead: await to.as("lead-1"), dev: await to.as("dev-1"), task: taken.remoteTask ?? "" };

  // The other team's lead asks back, and the answer goes by the same remote.
  await theirs.lead.discuss({ task: theirs.task, text: "In which words?", question: true });
  const asked = await askedUntil(dev, (each) => each.task === task && each.state === "input-required");
  assert.equal(asked.words, "In which words?");
  const answered = await dev.send("In short ones", { to: [{ remote: "other", ask: asked.ask }] });
  assert.equal(answered.outcome, "accepted", JSON.stringify(answered));
  await askedUntil(dev, (each) => each.task === task && each.state === "submitted");

  // Work and report there; the remote calls it completed once it has verified the commit in its own repository.
  await theirs.lead.addTask({ task: theirs.task, files: [file] });
  assert.equal((await theirs.dev.claim({ task: theirs.task })).outcome, "accepted");
  writeFileSync(join(to.repository, file), `${task}\n`);
  const commit = commitAll(to.repository, `Write ${file}`);
  await theirs.dev.complete({ task: theirs.task, commit, files: [file] });
  const done = await askedUntil(dev, (each) => each.task === task && each.state === "completed");
  assert.deepEqual(done.work, { commit, files: [file], state: "verified" });

  // It is the remote's word: here the task is still claimed, and a report without the commit is not believed.
  const before = await dev.tasks({ task });
  assert.deepEqual(before.ok && before.value.map(({ state }) => state), ["claimed"]);
  const inbox = await dev.inbox();
  const last = inbox.ok ? inbox.value.deliveries.at(-1) : undefined;
  assert.match(JSON.stringify(last?.message), /This is the word of a remote; nothing here verified it/);
  assert.match(JSON.stringify(last?.message), new RegExp(commit));
  await dev.complete({ task, commit, files: [file] });
  const stateOf = async () => {
    const tasks = await dev.tasks({ task });
    return tasks.ok ? (tasks.value[0]?.state ?? null) : null;
  };
  await seenUntil(dev, async () => ((await stateOf()) === "disputed" ? true : null));
  git(
    from.repository,
    "pull",
    "--quiet",
    "--no-rebase",
    "--no-edit",
    "--allow-unrelated-histories",
    to.repository,
    "main",
  );
  await dev.complete({ task, commit, files: [file] });
  await seenUntil(dev, async () => ((await stateOf()) === "verified" ? true : null));
}

test("two hubs hand a task to each other over A2A, and it comes back verified", { timeout: 60_000 }, async (t) => {
  const [one, two] = [await side(t), await side(t)];
  await introduce(one, "other", cardOf(two), await two.token("shop"));
  await introduce(two, "other", cardOf(one), await one.token("shop"));
  await handOver(one, two, { task: "tax", file: "tax.txt" });
  await handOver(two, one, { task: "sum", file: "sum.txt" });

  // The credential is in its file alone, and the file is for its user alone.
  const secrets = join(one.folder, "remotes.json");
  assert.equal(statSync(secrets).mode & 0o777, 0o600);
  const { token } = JSON.parse(readFileSync(secrets, "utf8")).remotes.other;
  const record = await ask(one.url, "/api/teams/web/entries?limit=500", { as: one.session });
  assert.ok(!JSON.stringify(record.body).includes(token) && !JSON.stringify(record.body).includes(two.url));

  // A guest asks no remote, and an agent adds none.
  const guest = await ask(one.url, "/api/teams/web/remotes/other/asks", {
    as: await one.token("shop"),
    body: { text: "Hi" },
  });
  assert.equal(guest.status, 403);
  const dev = await one.token("dev-1");
  const added = await ask(one.url, "/api/teams/web/remotes", { as: dev, body: { remote: "more" } });
  assert.equal(added.status, 403);
  const unknown = await ask(one.url, "/api/teams/web/remotes/http:%2F%2Fx/asks", { as: dev, body: { text: "Hi" } });
  assert.equal(unknown.body.problems[0].code, "unknown-receiver");
});

test("VER-CLIENT-001 VER-CLIENT-002: a remote that is away is tried again and shown, and what it answers is bounded and never trusted", async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  let tries = 0;
  const shop = await remote(t, (method) => {
    tries += 1;
    if (tries <= 2) return "dies";
    const artifacts = [
      { artifactId: "w", parts: [{ data: { commit: "$(reboot)", files: ["a\u001b[2J", 7], state: "verified" } }] },
    ];
    const parts = [{ text: `${"long ".repeat(2_000)}` }];
    const done = stateOf("COMPLETED", { artifacts });
    return {
      result: method === "SendMessage" ? { task: { ...done, status: { ...done.status, message: { parts } } } } : done,
    };
  });
  await introduce(one, "shop", `${shop.url}/card.json`, "a-secret-token");
  const asked = await dev.send("Add the tax", { to: [{ remote: "shop", ask: null }], id: "ask-1" });
  assert.equal(asked.outcome, "accepted");
  assert.equal(
    (await dev.send("Add the tax", { to: [{ remote: "shop", ask: null }], id: "ask-1" })).outcome,
    "accepted",
  );
  // It is shown as away in the status, and then again as reached.
  await seenUntil(dev, async () => {
    const status = await dev.status();
    return status.ok && status.value.remotes?.[0]?.problem?.code === "hub-unreachable" ? true : null;
  });
  const done = await askedUntil(dev, ({ state }) => state === "completed");
  assert.deepEqual(done.work, { commit: null, files: ["a\u001b[2J"], state: "verified" });
  assert.ok((done.words ?? "").length <= 4_000);
  await seenUntil(dev, async () => {
    const remotes = await dev.remotes();
    return remotes.ok && remotes.value[0]?.problem === null ? true : null;
  });
  const messages = shop.sent.filter(({ method }) => method === "SendMessage");
  assert.deepEqual([messages.length, new Set(messages.map(({ params }) => params.message.messageId)).size], [3, 1]);
  // The card is fetched without the token.
  assert.ok(shop.sent.every(({ method, authorization }) => (method === "card") === (authorization === undefined)));
  assert.deepEqual(await dev.withdrawRemote({ ask: done.ask }).then((reply) => reply.outcome), "refused");
});

test("a hub without the remote's address says nothing of it while another hub of the journal works with the remote", async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const stateFolder = mkdtempSync(join(tmpdir(), "baton-without-"));
  t.after(() => rmSync(stateFolder, { recursive: true, force: true }));
  const opened = await openHub({ journal: one.journal, create: false, stateFolder });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using other = opened.value;
  const over = new AbortController();
  const warned = Promise.withResolvers<void>();
  const log = { ...silentLog, warn: () => warned.resolve() };
  const web = teamName("web");
  assert.ok(web !== null);
  const watching = watchRemotes(other, web, log, over.signal);
  const looks = Promise.withResolvers<void>();
  let left = 5;
  const shop = await remote(t, (method) => {
    const task = stateOf("WORKING");
    if (method === "SendMessage") return { result: { task } };
    left -= 1;
    if (left === 0) looks.resolve();
    return { result: task };
  });
  await introduce(one, "shop", `${shop.url}/card.json`, null);
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  // The hub with the address looks at the open task, less and less often; the other has found again that it has none.
  await Promise.all([warned.promise, looks.promise]);
  over.abort();
  await watching;
  const remotes = await dev.remotes();
  assert.equal(remotes.ok && remotes.value[0]?.problem, null);
  const entries = await other.journal.read(web);
  assert.ok(entries.ok);
  assert.doesNotMatch(JSON.stringify(entries.value), /reach-remote/);
});

test("hostile cards and answers are refused, and a withdrawal cancels the task there", {
  timeout: 60_000,
}, async (t) => {
  const one = await side(t);
  const dev = await one.as("dev-1");
  const elsewhere = [{ url: "http://10.0.0.1/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
  const answers: Readonly<Record<string, readonly [card: object, answer: object, code: string]>> = {
    elsewhere: [{ supportedInterfaces: elsewhere }, {}, "wrong-value"],
    old: [{ supportedInterfaces: [{ ...elsewhere[0], protocolVersion: "0.3" }] }, {}, "wrong-value"],
    nameless: [{ name: 7 }, {}, "not-a-hub"],
    // Good answers to SendMessage and to GetTask, but for what is wrong.
    foreign: [{}, { id: "another", result: { ...stateOf("WORKING"), task: stateOf("WORKING") } }, "not-a-hub"],
    swapped: [{}, { result: { ...stateOf("COMPLETED"), id: "t-2", task: stateOf("WORKING") } }, "not-a-hub"],
    stateless: [{}, { result: { task: stateOf("DONE") } }, "not-a-hub"],
  };
  for (const [name, [card, answer]] of Object.entries(answers)) {
    const bad = await remote(t, () => answer, card);
    await introduce(one, name, `${bad.url}/card.json`, null);
    await dev.askRemote({ remote: name, text: "Add the tax" });
  }
  const unknown = await ask(one.url, "/api/teams/web/remotes", { as: one.session, body: { remote: "unset" } });
  assert.equal(unknown.status, 201);
  await dev.askRemote({ remote: "unset", text: "Add the tax" });
  const codes = await seenUntil(dev, async () => {
    const remotes = await dev.remotes();
    const problems = remotes.ok
      ? remotes.value.map(({ remote: name, problem }) => [name, problem?.code ?? null] as const)
      : [];
    return problems.length > 0 && problems.every(([, code]) => code !== null) ? Object.fromEntries(problems) : null;
  });
  const expected = Object.entries(answers).map(([name, [, , code]]) => [name, code] as const);
  assert.deepEqual(codes, { ...Object.fromEntries(expected), unset: "not-initialised" });

  let state = "WORKING";
  const shop = await remote(t, (method) => {
    if (method === "CancelTask") state = "CANCELED";
    return { result: method === "SendMessage" ? { task: stateOf(state) } : stateOf(state) };
  });
  await introduce(one, "shop", `${shop.url}/card.json`, null);
  await dev.askRemote({ remote: "shop", text: "Add the tax" });
  const working = await askedUntil(dev, (each) => each.remote === "shop" && each.state === "working");
  assert.equal((await dev.withdrawRemote({ ask: working.ask })).outcome, "accepted");
  await askedUntil(dev, (each) => each.remote === "shop" && each.state === "canceled");
  const refuses = await remote(t, () => ({ error: { code: -32602, message: "No" } }));
  await introduce(one, "strict", `${refuses.url}/card.json`, null);
  await dev.askRemote({ remote: "strict", text: "Add the tax" });
  const refused = await askedUntil(dev, (each) => each.remote === "strict" && each.state === "refused");
  assert.match(refused.words ?? "", /No/);
});

test("a hub that is killed while it sends goes on after its return, and the remote sees one message", async (t) => {
  const place = folder();
  git(place, "init", "--quiet", "-b", "main");
  await calledWithCode(0, place, ["init", "--yes"]);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  let kill: () => Promise<void> = () => Promise.resolve();
  const shop = await remote(t, (method) => {
    const task = stateOf(method === "SendMessage" ? "WORKING" : "COMPLETED");
    if (shop.sent.filter((each) => each.method === "SendMessage").length > 1)
      return { result: method === "SendMessage" ? { task } : task };
    // The remote has taken the message, and its answer never comes to a hub that is dead.
    void kill();
    return "dies";
  });
  writeFileSync(join(place, "token"), "a-secret-token\n");
  const add = ["remote", "add", "shop", `${shop.url}/card.json`, "--token-file", join(place, "token")];
  const refused = await called(place, add);
  assert.match(refused.stderr, /--allow-private/, "an address of this machine is the owner's explicit choice");
  const added = await calledWithCode(0, place, [...add, "--allow-private"]);
  assert.match(added.stdout, /^Added shop \(entry \d+\)\. It says of itself:\n {2}shop {2}http:/);

  const first = await startHub(place);
  const died = new Promise<void>((resolve) => {
    kill = async () => {
      await first.kill();
      resolve();
    };
  });
  await calledWithCode(0, place, ["remote", "ask", "shop", "Add the tax", "--as", "dev-1"]);
  await died;
  const listed = await calledWithCode(0, place, ["remote", "list", "--json"]);
  assert.equal(JSON.parse(listed.stdout).asks[0].state, "unsent");

  const second = await startHub(place);
  const dev = await teamOf(second.url, await tokenOf(place, "dev-1"));
  await askedUntil(dev, ({ state }) => state === "completed");
  const messages = shop.sent.filter(({ method }) => method === "SendMessage");
  assert.equal(new Set(messages.map(({ params }) => params.message.messageId)).size, 1);
  assert.ok(messages.length >= 2);
  // Who reads along sees a remote as one: as the receiver of what it was asked, and as the sender of its word.
  const watch = start(place, ["log", "--follow", "--last", "50"]);
  const watched = gather(watch);
  await watched.until((stdout) => stdout.includes("completed"));
  watch.kill("SIGINT");
  const lines = (await watched.end()).stdout.split("\n");
  assert.ok(
    lines.some((line) => /#\d+ .*dev-1 -> remote:shop .*Add the tax/.test(line)),
    lines.join("\n"),
  );
  assert.ok(
    lines.some((line) => /#\d+ .*remote:shop -> dev-1 .*completed/.test(line)),
    lines.join("\n"),
  );
  const sent = await calledWithCode(0, place, ["send", "-", "--to", "remote:shop", "--as", "dev-1"], "Which rate?\n");
  assert.match(sent.stdout, /, to remote:shop \(/);
  const removed = await calledWithCode(0, place, ["remote", "remove", "shop"]);
  assert.match(removed.stdout, /Removed shop/);
  assert.ok(!readFileSync(join(place, ".git/baton/remotes.json"), "utf8").includes("a-secret-token"));
});
