/** Sessions of the owner's browsers: what a code buys, how long, and what outlives the hub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../testing/fixtures.ts";
import { newSessions, type Session, type SessionStore } from "./sessions.ts";

const limits = { codeMs: 1_000, sessionMs: 10_000 };

function store(): SessionStore & { kept: readonly Session[] } {
  return {
    kept: [],
    read() {
      return this.kept;
    },
    write(sessions) {
      this.kept = sessions;
    },
  };
}

test("a code buys one session", () => {
  const sessions = newSessions(manualClock(), limits);
  const code = sessions.newCode();
  const bought = sessions.exchange(code);
  assert.ok(bought !== null);
  assert.equal(sessions.find(bought.id)?.hash, bought.session.hash);
  assert.equal(sessions.exchange(code), null);
  assert.equal(sessions.exchange("baton_guess"), null);
});

test("codes and sessions are good for their time", async () => {
  const clock = manualClock();
  const sessions = newSessions(clock, limits);
  const late = sessions.newCode();
  const bought = sessions.exchange(sessions.newCode());
  assert.ok(bought !== null);
  clock.advance(limits.codeMs);
  assert.equal(sessions.exchange(late), null);
  assert.equal(sessions.isOpen(bought.session), true);
  clock.advance(limits.sessionMs - limits.codeMs);
  assert.equal(sessions.isOpen(bought.session), false);
  assert.equal(sessions.find(bought.id), null);
});

test("a stored session outlives the hub, a code and a closed session do not, and the store opens nothing", () => {
  const clock = manualClock();
  const kept = store();
  const before = newSessions(clock, limits, kept);
  const [one, other] = [before.open(), before.open()];
  const code = before.newCode();
  before.close(other.session);
  const after = newSessions(clock, limits, kept);
  assert.notEqual(after.find(one.id), null);
  assert.equal(after.find(other.id), null);
  assert.equal(after.exchange(code), null);
  assert.equal(kept.kept.length, 1);
  assert.equal(JSON.stringify(kept.kept).includes(one.id), false);
  assert.equal(after.find(kept.kept[0]!.hash), null);
});

test("the oldest sessions make room", () => {
  const sessions = newSessions(manualClock(), limits);
  const first = sessions.open();
  const others = Array.from({ length: 64 }, () => sessions.open());
  assert.equal(sessions.find(first.id), null);
  for (const { id } of others) assert.notEqual(sessions.find(id), null);
});
