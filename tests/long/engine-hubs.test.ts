/** Two hubs on a journal in a server: killed in mid-write, paused for a minute, with clocks an hour apart. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { openJournal } from "../../src/journal/engines.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { folder } from "../e2e/command.ts";
import { entriesOf, judge } from "../engines/fault-harness.ts";
import { skip as natsSkip, newFolder, startServer as startNats } from "../engines/nats/server.ts";
import { skip as postgresSkip, startServer as startPostgres } from "../engines/postgres/server.ts";
import { ask } from "../http/hub.ts";
import { type HubProcess, startUp, teamFolder } from "../http/process.ts";
import { must, tally, team } from "../journal/journal-subject.ts";
import { record } from "./record.ts";

const kills = Number(process.env.BATON_TEST_HUB_KILLS ?? 20);
const leaseMs = 30_000;
/** Longer than a lease: one runs out meanwhile. */
const pauseMs = Math.max(Number(process.env.BATON_TEST_PAUSE_SECONDS ?? 60) * 1_000, leaseMs + 10_000);
/** A hub that wakes has looked for deadlines by then. */
const looksMs = 3_000;
const rows: (readonly [string, string])[] = [];
const hourMs = 3_600_000;
const teamText = `version: 1
team: web
dialects: [vbw/2]
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
  dev-2: { role: dev }
  dev-3: { role: dev }
`;
const withLease = teamText.replace("agents:", "limits: { lease_seconds: 30 }\nagents:");
const silent = "1-1-T11";
const messages = "/api/teams/web/messages";
const tasks = "/api/teams/web/tasks";
const inboxOf = (agent: string) => `/api/teams/web/agents/${agent}/inbox`;

const engines = [
  { name: "PostgreSQL", skip: postgresSkip, startServer: startPostgres },
  { name: "NATS JetStream", skip: natsSkip, startServer: startNats },
] as const;

async function readAll(url: string): Promise<readonly Entry[]> {
  await using journal = must(await openJournal(url, tally, { create: false, readOnly: true }));
  assert.deepEqual((await journal.verify()).problems, []);
  return await entriesOf(journal, team("web"));
}

describe("two hubs on a journal in a server", () => {
  after(() => {
    record(
      "engine-hubs",
      "Two `baton up`, each a process with a folder, on one journal. Clients speak HTTP and send again with the same id, to the other hub, what was not answered.",
      rows,
    );
  });

  for (const { name, skip, startServer } of engines) {
    test(`hubs killed in mid-write on ${name}`, { skip }, async (t) => {
      const server = await startServer(newFolder());
      t.after(() => server.stop());
      const url = server.newUrl();
      const words = ["--port", "0", "--journal", url];
      const hubs = [await startUp(t, teamFolder(t, teamText), words), await startUp(t, teamFolder(t, teamText), words)];
      const lead = (await hubs[0]?.token("lead-1")) ?? "";
      const receipts = new Map<string, { readonly hash: string }>();
      const ended = new AbortController();
      let repeats = 0;
      let [lastAt, longest] = [systemClock.monotonic(), 0];
      const write = async (lane: number) => {
        for (let round = 0; !ended.signal.aborted; round += 1) {
          const id = `m-${lane}-${round}`;
          for (let tries = lane; ; tries += 1) {
            const hub = hubs[tries % 2];
            const body = { message: `Message ${id}`, to: ["dev-1"], id };
            const done = await ask(hub?.url ?? "", messages, { as: lead, body }).catch(() => null);
            if (done !== null && done.status < 300) {
              receipts.set(id, { hash: String(done.body.receipt.hash) });
              longest = Math.max(longest, systemClock.monotonic() - lastAt);
              lastAt = systemClock.monotonic();
              break;
            }
            repeats += 1;
            await systemClock.wait(20);
          }
        }
      };
      const load = Promise.all([0, 1, 2, 3, 4, 5].map(write));
      for (let kill = 0; kill < kills; kill += 1) {
        const before = receipts.size;
        while (receipts.size < before + 10) await systemClock.wait(10);
        const which = kill % 2;
        await hubs[which]?.end("SIGKILL");
        hubs[which] = await startUp(t, teamFolder(t, teamText), words);
      }
      ended.abort();
      await load;
      const held = await readAll(url);
      const found = judge(receipts, held);
      const control = judge(receipts, held.slice(0, -10));
      rows.push([
        `${name}: a hub killed with signal 9 in mid-write, by turns`,
        `${kills} times; acknowledged ${receipts.size}; sent again ${repeats}; lost ${found.lost}, doubled ${found.doubled}, gaps ${found.gaps}; longest pause ${(longest / 1_000).toFixed(1)} s; control lost ${control.lost}`,
      ]);
      console.log(rows.at(-1)?.join(": "));
      assert.deepEqual(found, { lost: 0, doubled: 0, gaps: 0 });
      assert.ok(control.lost > 0);
    });

    test(`a hub paused on ${name} decides nothing on old state`, { skip }, async (t) => {
      const server = await startServer(newFolder());
      t.after(() => server.stop());
      const url = server.newUrl();
      const words = ["--port", "0", "--journal", url];
      const sleeper = await startUp(t, teamFolder(t, withLease), words);
      const other = await startUp(t, teamFolder(t, withLease), words);
      const agents = ["lead-1", "dev-1", "dev-2", "dev-3"];
      const [lead, one, two, three] = await Promise.all(agents.map((agent) => other.token(agent)));
      const names = Array.from({ length: 10 }, (_, index) => `1-1-T${index + 1}`);
      for (const task of names) await created(other, tasks, lead, { task, plan: "1-1", files: [`src/${task}.ts`] });
      // One more is claimed by an agent that is not heard again: its lease runs out while the hub sleeps.
      await created(other, tasks, lead, { task: silent, plan: "1-1", files: ["src/silent.ts"] });
      await created(other, `${tasks}/${silent}/claim`, three, {});
      // The sleeper has the team folded and its connections open.
      assert.equal((await ask(sleeper.url, tasks, { as: one ?? "" })).status, 200);
      sleeper.child.kill("SIGSTOP");
      const asleep = names.map((task) => ask(sleeper.url, `${tasks}/${task}/claim`, { as: one ?? "", body: {} }));
      // Every second task is taken meanwhile by somebody else; the rest is the control.
      const taken = names.filter((_, index) => index % 2 === 0);
      for (const task of taken) await created(other, `${tasks}/${task}/claim`, two, {});
      for (const until = systemClock.monotonic() + pauseMs; systemClock.monotonic() < until; ) {
        // Who took the tasks is heard, so these leases go on.
        assert.equal((await ask(other.url, inboxOf("dev-2"), { as: two ?? "" })).status, 200);
        await systemClock.wait(1_000);
      }
      sleeper.child.kill("SIGCONT");
      const answers = await Promise.all(asleep);
      await systemClock.wait(looksMs);
      const granted = names.filter((_, index) => answers[index]?.status === 201);
      const held = await readAll(url);
      const timers = held.filter(({ kind }) => kind === "timer").map(({ content }) => JSON.stringify(content));
      const expired = timers.filter((each) => each.includes(silent)).length;
      const doubled = timers.length - new Set(timers).size;
      rows.push([
        `${name}: a hub paused (SIGSTOP) for ${pauseMs / 1_000} s with ten claims on their way to it, five of the tasks given to another and a lease run out meanwhile`,
        `granted twice ${granted.filter((task) => taken.includes(task)).length}; control, granted of the five that were free: ${granted.length}; deadlines recorded ${timers.length}, that lease among them ${expired} time, twice ${doubled}`,
      ]);
      console.log(rows.at(-1)?.join(": "));
      assert.deepEqual(
        granted,
        names.filter((task) => !taken.includes(task)),
      );
      assert.deepEqual([expired, doubled], [1, 0], timers.join("\n"));
    });

    test(`hubs whose clocks are an hour apart on ${name}`, { skip }, async (t) => {
      const server = await startServer(newFolder());
      t.after(() => server.stop());
      const url = server.newUrl();
      const words = ["--port", "0", "--journal", url];
      const ahead = await startUp(t, teamFolder(t, withLease), words, shifted(hourMs));
      const behind = await startUp(t, teamFolder(t, withLease), words, shifted(-hourMs));
      const [lead, dev, quiet] = await Promise.all(["lead-1", "dev-1", "dev-2"].map((agent) => behind.token(agent)));
      for (const [agent, task, token] of [
        ["dev-1", "1-1-T1", dev],
        ["dev-2", "1-1-T2", quiet],
      ] as const) {
        await created(behind, tasks, lead, { task, plan: "1-1", files: [`src/${agent}.ts`] });
        await created(behind, `${tasks}/${task}/claim`, token, {});
      }
      // One goes on being heard, through the hub whose clock is behind; the other is not heard again.
      const begun = systemClock.monotonic();
      while (systemClock.monotonic() < begun + 2 * leaseMs) {
        assert.equal((await ask(behind.url, inboxOf("dev-1"), { as: dev ?? "" })).status, 200);
        await created(ahead, messages, lead, { message: "Hello", to: ["dev-1"] });
        await systemClock.wait(1_000);
      }
      const held = await readAll(url);
      const timers = held.filter(({ kind }) => kind === "timer").map(({ content }) => JSON.stringify(content));
      const [living, unseen] = ["1-1-T1", "1-1-T2"].map((task) => timers.filter((each) => each.includes(task)).length);
      const stamps = held.map(({ recordedAt }) => Date.parse(recordedAt));
      const spread = Math.max(...stamps) - Math.min(...stamps);
      rows.push([
        `${name}: hubs whose machines' clocks are two hours apart, for a minute, with leases of 30 s`,
        `claims of a living agent that ran out ${living}, of a silent one ${unseen}; control: stamps of the entries differ by ${(spread / hourMs).toFixed(1)} h`,
      ]);
      console.log(rows.at(-1)?.join(": "));
      assert.deepEqual([living, unseen], [0, 1], timers.join("\n"));
      assert.ok(spread > hourMs);
    });
  }
});

/** Starts a process with its wall clock wrong by so much. */
function shifted(byMs: number): Readonly<Record<string, string>> {
  const file = join(folder(), "clock.cjs");
  writeFileSync(
    file,
    `const real = Date.now; const R = Date;
globalThis.Date = class extends R { constructor(...a) { if (a.length === 0) super(real() + ${byMs}); else super(...a); } };
globalThis.Date.now = () => real() + ${byMs};`,
  );
  return { NODE_OPTIONS: `--require=${file}` };
}

async function created(hub: HubProcess, path: string, as: string | undefined, body: object): Promise<void> {
  const done = await ask(hub.url, path, { as: as ?? "", body });
  assert.ok(done.status < 300, JSON.stringify(done.body));
}
