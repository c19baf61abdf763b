/**
 * `baton watch` at a terminal: the whole screen, on a file and through a hub; decisions by key, and taken back; nothing that
 * agents write moves the terminal, which is left as it was.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { expectCode, jsonLines, message, start, team } from "./command.ts";
import { gather } from "./gathering.ts";
import { atTerminal, keys, withoutTerminal } from "./terminal.ts";

const needs = { skip: withoutTerminal };
const esc = "\u001b";

const asks = (id: string, subject: string) =>
  message("approval_request", "dev", { subject, request_type: "scope_change", evidence: "It is needed" }, { id });

/** A team with three requests of dev-1. */
function asking(): string {
  const place = team();
  for (const id of ["one", "two", "three"])
    expectCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1"], asks(id, `May I, ${id}?`));
  return place;
}

const permissions = (place: string) =>
  Object.fromEntries(
    jsonLines(expectCode(0, place, ["needs", "--requests", "--json"])).map((each) => {
      const { requestId, status, answer } = each as {
        requestId: string;
        status: string;
        answer: { reason: string } | null;
      };
      return [requestId, `${status} ${answer?.reason ?? ""}`.trim()];
    }),
  );

test(
  "shows the team, takes a denial back and denies with a reason by keys alone, and goes on with the next",
  needs,
  async () => {
    const place = asking();
    const done = await atTerminal(
      place,
      ["watch"],
      [
        ["Needs you (3)", "j"],
        ["> approval", "\r"],
        ["if no", "d"],
        ["deny, reason", keys.enter],
        ["Say why", `Not <now>${keys.enter}`],
        ["deny in", "z"],
        ["Taken back; nothing was sent.", "d"],
        ["deny, reason", `Really not${keys.enter}`],
        ["deny: recorded, entry", "a"],
        ["approve, reason, if any", esc],
        ["Needs you (2)", "q"],
      ],
    );
    assert.equal(done.code, 0, done.screen);
    assert.match(done.screen, /Agents \(\d+\)/);
    assert.match(done.screen, /What came last/);
    assert.match(done.screen, /need you/);
    const after = Object.values(permissions(place)).toSorted();
    assert.deepEqual(after, ["denied Really not", "open", "open"]);
  },
);

test("narrows to what is found, and decides what is marked together, each recorded for itself", needs, async () => {
  const place = asking();
  const done = await atTerminal(
    place,
    ["watch"],
    [
      ["Needs you (3)", "/"],
      ["find: ", "MAY I, T"],
      ["Needs you (2 of 3)", keys.enter],
      ["/ find", "xx"],
      [", 2 marked", "d"],
      ["deny 2, reason", `Not these two${keys.enter}`],
      ["deny in", ""],
      ["2 needs", ""],
      ["deny: 2 recorded, entries", esc],
      ["Needs you (1)", "q"],
    ],
  );
  assert.equal(done.code, 0, done.screen);
  assert.deepEqual(permissions(place), { one: "open", two: "denied Not these two", three: "denied Not these two" });
});

test("works through a hub as on a file, and says what another has decided first", needs, async () => {
  const place = asking();
  const hub = start(place, ["up", "--port", "0"]);
  const seen = gather(hub);
  try {
    await seen.until((stdout) => /http:\/\/127\.0\.0\.1:\d+\//.test(stdout));
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(seen.sofar().stdout)?.[0] ?? "";
    const token = expectCode(0, place, ["token", "create", "owner"]).stdout.trim();
    const done = await atTerminal(
      place,
      ["watch", "--hub", url, "--token", token],
      [
        ["Needs you (3)", "a"],
        ["approve, reason", keys.enter],
        ["approve: recorded, entry", "q"],
      ],
    );
    assert.equal(done.code, 0, done.screen);
    assert.equal(Object.values(permissions(place)).filter((each) => each.startsWith("approved")).length, 1);
  } finally {
    hub.kill("SIGINT");
    await seen.end();
  }
});

test("what agents write is shown and moves nothing; Ctrl-C leaves, and the terminal is as it was", needs, async () => {
  const place = team();
  const evil = `Clear ${esc}[2J${esc}]0;owned\u0007 \u202e it`;
  expectCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1"], asks("evil", evil));
  const done = await atTerminal(place, ["watch"], [["Needs you (1)", keys.interrupt]]);
  assert.equal(done.code, 0, done.screen);
  assert.match(done.screen, /Clear ␛\[2J␛\]0;owned␇ <U\+202E> it/);
  assert.doesNotMatch(done.raw, /\u001b\]0;owned/);
  assert.ok(
    done.raw.includes(`${esc}[?1049h`) && done.raw.trimEnd().endsWith(`${esc}[?25h${esc}[?1049l`),
    done.raw.slice(-80),
  );
});
