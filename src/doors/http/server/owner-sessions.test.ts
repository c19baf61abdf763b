/** Sessions of the owner's browsers: what a code buys, how long, and what outlives the hub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { evolveCredentials, initialCredentials } from "../../../team/state/credentials.ts";
import { manualClock } from "../../../testing/fixtures.ts";
import { newSessions, type Session, type SessionStore } from "./owner-sessions.ts";

const limits = { codeMs: 1_000, sessionMs: 10_000 };

/** A store in memory; one that `takes` nothing is a journal that cannot be written. */
function store(takes = true): SessionStore & { readonly kept: Map<string, Session> } {
  const kept = new Map<string, Session>();
  const codes = new Set<string>();
  return {
    kept,
    keepCode(hash) {
      if (takes) codes.add(hash);
      return Promise.resolve(takes);
    },
    takeCode: (hash) => Promise.resolve(codes.delete(hash)),
    find: (hash) => Promise.resolve(kept.get(hash) ?? null),
    add(session) {
      if (takes) kept.set(session.hash, session);
      return Promise.resolve(takes);
    },
    remove(hash) {
      kept.delete(hash);
      return Promise.resolve();
    },
  };
}

test("a code buys one session, however often it is shown at once", async () => {
  const sessions = newSessions(manualClock(), limits, store());
  const code = sessions.newCode();
  const tries = await Promise.all([sessions.exchange(code), sessions.exchange(code), sessions.exchange(code)]);
  const [bought, ...others] = tries.filter((each) => each !== null);
  assert.ok(bought !== undefined && others.length === 0);
  assert.equal((await sessions.find(bought.id))?.hash, bought.session.hash);
  assert.equal(await sessions.exchange("baton_guess"), null);
});

test("codes and sessions are good for their time", async () => {
  const clock = manualClock();
  const sessions = newSessions(clock, limits, store());
  const late = sessions.newCode();
  const bought = await sessions.exchange(sessions.newCode());
  assert.ok(bought !== null);
  clock.advance(limits.codeMs);
  assert.equal(await sessions.exchange(late), null);
  assert.equal(await sessions.isOpen(bought.session), true);
  clock.advance(limits.sessionMs - limits.codeMs);
  assert.equal(await sessions.isOpen(bought.session), false);
  assert.equal(await sessions.find(bought.id), null);
});

test("a session ends by the journal's time, at a hub whose wall clock is another", async () => {
  const clock = manualClock();
  const kept = store();
  const hub = (aheadMs: number) =>
    newSessions({ ...clock, now: () => clock.now() + aheadMs, steady: () => clock.now() }, limits, kept);
  const opened = await hub(0).open();
  assert.notEqual(await hub(20_000).find(opened.id), null);
  clock.advance(limits.sessionMs);
  assert.equal(await hub(-20_000).find(opened.id), null);
});

test("a stored session outlives the hub, a code and a closed session do not, and the store opens nothing", async () => {
  const clock = manualClock();
  const kept = store();
  const before = newSessions(clock, limits, kept);
  const [one, other] = [await before.open(), await before.open()];
  const code = before.newCode();
  await before.close(other.session);
  const after = newSessions(clock, limits, kept);
  assert.notEqual(await after.find(one.id), null);
  assert.equal(await after.find(other.id), null);
  assert.equal(await after.exchange(code), null);
  assert.equal(kept.kept.size, 1);
  assert.equal(JSON.stringify([...kept.kept]).includes(one.id), false);
  assert.equal(await after.find(one.session.hash), null);
});

test("where the journal takes no session, it lives as long as the hub, the oldest making room", async () => {
  const sessions = newSessions(manualClock(), limits, store(false));
  const first = await sessions.open();
  const others = await Promise.all(Array.from({ length: 64 }, () => sessions.open()));
  assert.equal(await sessions.find(first.id), null);
  for (const { id } of others) assert.notEqual(await sessions.find(id), null);
  const [last] = others;
  assert.ok(last !== undefined);
  await sessions.close(last.session);
  assert.equal(await sessions.find(last.id), null);
});

test("the journal's state keeps a bounded number of sessions, none that had expired when the next one opened", () => {
  const open = (hash: string, openedAtMs: number) =>
    ({ event: "session-opened", hash, openedAtMs, expiresAtMs: openedAtMs + 1_000 }) as const;
  let state = initialCredentials();
  for (let n = 0; n < 1_000; n += 1) state = evolveCredentials(state, open(`hash-${n}`, n));
  assert.equal(state.sessions.size, 64);
  assert.deepEqual([[...state.sessions.keys()][0], state.sessions.has("hash-999")], ["hash-936", true]);
  state = evolveCredentials(state, { event: "session-ended", hash: "hash-999" });
  assert.equal(state.sessions.has("hash-999"), false);
  state = evolveCredentials(state, open("later", 1_950));
  assert.deepEqual([...state.sessions.keys()], [...Array.from({ length: 48 }, (_, n) => `hash-${951 + n}`), "later"]);
});
