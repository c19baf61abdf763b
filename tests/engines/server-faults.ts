/**
 * What can go wrong with a journal on a server, whichever engine it has: the server, the network, other processes. Each
 * engine says how its server is started, spoken to, broken and taken back.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import type { Problem } from "../../src/base/problem.ts";
import type { Result } from "../../src/base/result.ts";
import type { Journal, JournalOptions } from "../../src/journal/journal.ts";
import { attempt, must, mustRecord, type Tally, take, tally } from "../journal/journal-subject.ts";
import { alpha, heldIds } from "./held.ts";
import { cuttingProxy } from "./proxy.ts";

interface Server {
  readonly port: number;
  newUrl(): string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface Engine {
  testServer(): Promise<Server>;
  open(t: TestContext, url: string, options?: JournalOptions): Promise<Journal<Tally>>;
  openJournal(
    url: string,
    projection: typeof tally,
    options?: JournalOptions,
  ): Promise<Result<Journal<Tally>, Problem>>;
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** Whether what goes to the server writes an entry. */
  isWrite(bytes: Buffer): boolean;
  /** Ends on the server what a process follows by. */
  breakFollowing(url: string): Promise<void>;
  /** Whether only reading notices a broken connection: what is sent before has an unknown outcome. */
  readonly noticesByReading: boolean;
  /** Takes the journal back to its first entries, as a restored backup does, and waits until a process can see that. */
  rewind(url: string, entries: number): Promise<void>;
  /** What else is so of this engine once the loss of entries was accepted. */
  afterLoss(
    t: TestContext,
    at: { readonly url: string; readonly other: Journal<Tally>; readonly headsFile: string },
  ): Promise<void>;
}

const owner = { agent: "owner", role: "owner", via: "launcher" } as const;

/** Registers the tests, within a `describe`. */
export function serverProblems(engine: Engine): void {
  it("takes rounds of commits that are awaited, from two processes, and starves neither", async (t) => {
    const url = (await engine.testServer()).newUrl();
    const [one, other] = await Promise.all([engine.open(t, url), engine.open(t, url)]);
    const ended = new AbortController();
    const load = async (journal: Journal<Tally>, agent: string) => {
      let count = 0;
      const lane = async (name: number) => {
        for (let round = 0; !ended.signal.aborted; round += 1) {
          mustRecord(await journal.commit(alpha, attempt({ id: `${name}-${round}`, agent })));
          count += 1;
          // So many that who began first, and a processor that another had for a while, no longer count.
          if (count === 400) ended.abort();
        }
      };
      await Promise.all(Array.from({ length: 10 }, (_, name) => lane(name)));
      return count;
    };
    const [first, second] = await Promise.all([load(one, "dev-1"), load(other, "dev-2")]);
    assert.equal((await heldIds(one)).length, first + second);
    assert.ok(Math.min(first, second) >= Math.max(first, second) / 4, `${first} and ${second}`);
    assert.equal(must(await one.state(alpha)).state.digest, must(await other.state(alpha)).state.digest);
  });

  it("decides what records nothing on the state at the head, too", async (t) => {
    const url = (await engine.testServer()).newUrl();
    const [one, other] = await Promise.all([engine.open(t, url), engine.open(t, url)]);
    mustRecord(await one.commit(alpha, attempt()));
    must(await other.state(alpha));
    for (let count = 2; count < 12; count += 1) {
      mustRecord(await one.commit(alpha, attempt()));
      let seen = 0;
      const looked = await other.commit(alpha, {
        once: null,
        decide: (state) => {
          seen = state.count;
          return { decline: [] };
        },
      });
      assert.equal(must(looked).outcome, "declined");
      assert.equal(seen, count);
    }
  });

  it("writes at once only what was decided on the heartbeats and ids that the server has", async (t) => {
    const url = (await engine.testServer()).newUrl();
    const [one, other] = await Promise.all([engine.open(t, url), engine.open(t, url)]);
    for (const id of ["m-1", "m-2"]) mustRecord(await one.commit(alpha, attempt({ id })));
    must(await other.heartbeat(alpha, "a", () => 9));
    const told: (number | null)[] = [];
    const { decide } = attempt();
    const looked = await one.commit(alpha, {
      once: null,
      decide: (state, moment) => {
        told.push(moment.heartbeat("a"));
        return decide(state, moment);
      },
    });
    mustRecord(looked);
    assert.deepEqual(told, [null, 9], "decided on what it knew, and then on what the server has");
    // An id that this process has forgotten, or never saw, is found all the same.
    const late = await engine.open(t, url);
    mustRecord(await late.commit(alpha, attempt({ id: "m-9" })));
    assert.equal(must(await late.commit(alpha, attempt({ id: "m-1" }))).outcome, "duplicate");
    assert.equal((await heldIds(late)).length, 4);
    // Notes of two processes are changed one after the other.
    const count = (before: string | null) => String(Number(before ?? 0) + 1);
    const noted = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : other).note(alpha, "a", count));
    for (const done of await Promise.all(noted)) must(done);
    assert.equal(must(await late.notes(alpha)).get("a"), "10");
  });

  it("holds entries of the largest size, and follows over what breaks it", async (t) => {
    const url = (await engine.testServer()).newUrl();
    const [one, other] = await Promise.all([engine.open(t, url), engine.open(t, url)]);
    mustRecord(await one.commit(alpha, attempt()));
    const followed = take(other.follow(alpha, { after: 0, signal: new AbortController().signal }), 4);
    mustRecord(await one.commit(alpha, attempt({ text: "x".repeat(7 * 1024 * 1024) })));
    await engine.breakFollowing(url);
    for (const id of ["m-1", "m-2"]) mustRecord(await one.commit(alpha, attempt({ id })));
    assert.deepEqual(
      (await followed).map(({ seq, text }) => [seq, text?.length ?? 0]),
      [
        [1, 0],
        [2, 7 * 1024 * 1024],
        [3, 0],
        [4, 0],
      ],
    );
  });

  it("records each attempt once where connections break in the middle of commits", async (t) => {
    const { newUrl, port } = await engine.testServer();
    const direct = newUrl();
    const proxy = await cuttingProxy(t, port, engine.isWrite);
    const through = direct.replace(`:${port}/`, `:${proxy.port}/`);
    const journals = [await engine.open(t, through), await engine.open(t, through)];
    proxy.cuts = true;
    const rounds = 15;
    const run = async (journal: Journal<Tally>, agent: string) => {
      for (let round = 0; round < rounds; round += 1) {
        // Without an id nothing but the entries themselves tells that one is recorded.
        const contents = [0, 1, 2].map((index) => `${round}-${index}`);
        const sent = contents.map((content) => journal.commit(alpha, attempt({ agent, content })));
        for (const done of await Promise.all(sent)) mustRecord(done);
      }
    };
    await Promise.all(journals.map((journal, index) => run(journal, `dev-${index + 1}`)));
    proxy.cuts = false;
    assert.ok(proxy.broken > 3, `${proxy.broken} connections were cut`);
    assert.equal((await heldIds(await engine.open(t, direct))).length, 2 * 3 * rounds);
  });

  it("says that the outcome is unknown where the server goes away at the commit and stays away", async (t) => {
    const { newUrl, port } = await engine.testServer();
    const direct = newUrl();
    const proxy = await cuttingProxy(t, port, engine.isWrite);
    const journal = await engine.open(t, direct.replace(`:${port}/`, `:${proxy.port}/`), { waitMs: 300 });
    mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    proxy.swallowsCommit = true;
    const lost = await journal.commit(alpha, attempt({ id: "m-2" }));
    assert.equal(!lost.ok && lost.error.code, "journal-failed");
    proxy.swallowsCommit = false;
    await engine.until(() => journal.condition().condition === "ready");
    const again = must(await journal.commit(alpha, attempt({ id: "m-2" })));
    assert.ok(again.outcome === "duplicate" || again.outcome === "recorded");
    assert.equal((await heldIds(journal)).length, 2);
  });

  it("is unreachable while its server is away, refuses at once in the end, and is ready by itself", async (t) => {
    const server = await engine.testServer();
    const url = server.newUrl();
    const journal = await engine.open(t, url, { waitMs: 200 });
    const first = mustRecord(await journal.commit(alpha, attempt({ id: "m-1" })));
    const followed = take(journal.follow(alpha, { after: 0, signal: new AbortController().signal }), 2);
    await server.kill();
    // However this ends, the tests behind it need the server.
    t.after(() => server.start());
    const commit = () => journal.commit(alpha, attempt({ id: "m-2" }));
    const early = engine.noticesByReading ? null : await commit();
    for (const read of [await journal.state(alpha), await journal.read(alpha), await journal.probe()])
      assert.equal(!read.ok && read.error.code, "journal-unreachable");
    const condition = journal.condition();
    assert.ok(condition.condition === "unreachable" && condition.problem.code === "journal-unreachable");
    const refused = early ?? (await commit());
    assert.equal(!refused.ok && refused.error.code, "journal-unreachable");
    const closed = await engine.openJournal(url, tally, { waitMs: 200 });
    assert.equal(!closed.ok && closed.error.code, "journal-unreachable");
    assert.doesNotMatch(JSON.stringify([refused, condition, closed]), /only-for-tests/);
    await server.start();
    await engine.until(() => journal.condition().condition === "ready");
    mustRecord(await journal.commit(alpha, attempt({ id: "m-2" })));
    assert.deepEqual(
      (await followed).map(({ id }) => id),
      ["m-1", "m-2"],
    );
    assert.deepEqual(must(await journal.read(alpha, { limit: 1 })).entries, [first]);
  });

  it("notices that its server has lost entries, records nothing until that is accepted, and goes on behind", async (t) => {
    const url = (await engine.testServer()).newUrl();
    const folder = mkdtempSync(join(tmpdir(), "baton-heads-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const headsFile = join(folder, "heads");
    const [one, other] = await Promise.all([engine.open(t, url), engine.open(t, url)]);
    for (let index = 1; index <= 10; index += 1) mustRecord(await one.commit(alpha, attempt({ id: `m-${index}` })));
    must(await other.state(alpha));
    const before = await engine.open(t, url, { headsFile });
    must(await before.state(alpha));
    await before.close();
    await engine.rewind(url, 7);
    for (const journal of [one, other]) {
      const refused = await journal.commit(alpha, attempt({ id: "m-11" }));
      assert.equal(!refused.ok && refused.error.code, "journal-regressed");
      const condition = journal.condition();
      assert.ok(condition.condition === "regressed" && condition.anchor.seq === 10 && condition.head.seq === 7);
      const probed = await journal.probe();
      assert.equal(!probed.ok && probed.error.code, "journal-regressed");
      assert.equal(must(await journal.read(alpha)).entries.length, 7);
      assert.equal((await journal.verify()).ok, false);
    }
    // The control: a process that saw nothing before, and has no file that says what was there.
    const stranger = await engine.open(t, url, { readOnly: true });
    must(await stranger.state(alpha));
    assert.equal((await stranger.verify()).ok, true);
    const later = await engine.open(t, url, { headsFile, readOnly: true });
    must(await later.state(alpha));
    const found = later.condition();
    assert.ok(found.condition === "regressed" && found.anchor.seq === 10, "the file of this machine knows better");
    const receipt = must(await one.acceptLoss(alpha, owner, "the disk is gone"));
    assert.deepEqual([receipt.seq, receipt.epoch], [11, 2]);
    // A process that only asks whether it may write learns that another one has accepted the loss.
    assert.equal(other.condition().condition, "regressed");
    must(await other.probe());
    assert.equal(other.condition().condition, "ready");
    for (const journal of [one, other]) {
      mustRecord(await journal.commit(alpha, attempt()));
      assert.equal(journal.condition().condition, "ready");
      assert.deepEqual((await journal.verify()).problems, []);
    }
    await engine.afterLoss(t, { url, other, headsFile });
  });

  it("keeps nobody from writing where an entry of another process cannot be folded", async (t) => {
    const url = (await engine.testServer()).newUrl();
    const lenient = must(await engine.openJournal(url, { ...tally, evolve: (state: Tally): Tally => state }));
    t.after(() => lenient.close());
    const strict = await engine.open(t, url, { waitMs: 500 });
    mustRecord(await strict.commit(alpha, attempt()));
    mustRecord(await lenient.commit(alpha, attempt({ content: { poison: true } })));
    await assert.rejects(strict.commit(alpha, attempt()), /poisoned/);
    const begun = systemClock.monotonic();
    mustRecord(await lenient.commit(alpha, attempt()));
    assert.ok(systemClock.monotonic() - begun < 2_000);
  });
}
