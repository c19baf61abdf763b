/** The client over a line that breaks: what is sent is recorded once, and a follower loses nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { type Address, readAddress } from "../../src/messages/role.ts";
import type { Team } from "../../src/perform/team.ts";
import type { LogLine } from "../../src/record/operations/entries.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { ask, testHub } from "./hub.ts";
import { cutter } from "./line.ts";
import { teamOf } from "./remote.ts";

function to(name: string): readonly Address[] {
  const read = readAddress(name);
  assert.ok(read.ok);
  return [read.value];
}

async function messagesOf(team: Team): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of team.log({ kinds: ["message"] })) {
    assert.ok(line.ok, JSON.stringify(line));
    lines.push(line.value);
  }
  return lines;
}

for (const cut of ["before", "after"] as const) {
  test(`what is sent over a line that is cut ${cut} the hub is recorded once`, async (test) => {
    const hub = await testHub(test);
    let sends = 0;
    const url = await cutter(
      test,
      () => hub.port,
      ({ method }) => (method === "POST" && ++sends <= 2 ? cut : "never"),
    );
    const team = await teamOf(url, await hub.token("dev-1"));
    const reply = await team.send("Only once.", { to: to("lead-1") });
    assert.equal(sends, 3, "it was sent three times");
    assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
    assert.equal(reply.outcome === "accepted" && reply.receipt.duplicate, cut === "after");
    assert.equal((await messagesOf(team)).length, 1);
  });
}

const update = typedMessage("execution_update", { status: "partial" }, { id: "update-1" });
const claim = typedMessage("execution_update", {}, { id: "claim-1" });
const quoted = (message: object) => `I mean this:\n\`\`\`json\n${JSON.stringify(message)}\n\`\`\``;

/** Strings that may be prose, with the type that each is recorded as; `before` is recorded when it is sent. */
const words: readonly {
  readonly what: string;
  readonly text: string;
  readonly before?: object;
  readonly type: string | null;
  /** Whether who does not name the words says them twice. */
  readonly isCopied: boolean;
}[] = [
  { what: "plain prose", text: "Only once.", type: null, isCopied: true },
  { what: "a message among words", text: quoted(update), type: "execution_update", isCopied: false },
  { what: "words that quote what must stand alone", text: quoted(claim), type: null, isCopied: true },
  { what: "words that quote a message sent before", text: quoted(update), before: update, type: null, isCopied: true },
];

for (const { what, text, before, type, isCopied } of words) {
  test(`${what}: recorded once, though the line is cut after the hub`, async (test) => {
    const hub = await testHub(test);
    const own = await hub.token("dev-1");
    const direct = await teamOf(hub.url, own);
    if (before !== undefined) assert.equal((await direct.send(JSON.stringify(before))).outcome, "accepted");
    const counted = (await messagesOf(direct)).length;
    let sends = 0;
    const url = await cutter(
      test,
      () => hub.port,
      ({ method }) => (method === "POST" && ++sends <= 2 ? "after" : "never"),
    );
    const reply = await (await teamOf(url, own)).send(text, { to: to("lead-1") });
    assert.ok(reply.outcome === "accepted", JSON.stringify(reply));
    assert.deepEqual([sends, reply.receipt.duplicate], [3, true]);
    const recorded = (await messagesOf(direct)).slice(counted);
    assert.deepEqual(
      recorded.map((line) => [line.type, line.id]),
      [[type, reply.receipt.id]],
    );
    assert.equal(recorded[0]?.id === update.id, type !== null);
  });

  test(`the control, ${what} by a client that does not name them: ${isCopied ? "twice" : "once"}`, async (test) => {
    const hub = await testHub(test);
    const own = await hub.token("dev-1");
    const direct = await teamOf(hub.url, own);
    if (before !== undefined) assert.equal((await direct.send(JSON.stringify(before))).outcome, "accepted");
    const counted = (await messagesOf(direct)).length;
    const url = await cutter(
      test,
      () => hub.port,
      ({ headers }) => (headers["x-try"] === "1" ? "after" : "never"),
    );
    const path = "/api/teams/web/messages";
    const body = { message: text, to: ["lead-1"] };
    await assert.rejects(ask(url, path, { as: own, body, headers: { "x-try": "1" } }));
    assert.ok((await ask(url, path, { as: own, body, headers: { "x-try": "2" } })).status < 300);
    assert.equal((await messagesOf(direct)).length - counted, isCopied ? 2 : 1);
  });
}

test("a line that is cut for good leaves a problem that says how to go on", async (test) => {
  const hub = await testHub(test);
  const own = await hub.token("dev-1");
  const url = await cutter(
    test,
    () => hub.port,
    ({ method }) => (method === "POST" ? "after" : "never"),
  );
  const team = await teamOf(url, own);
  const lost = await Promise.all([
    team.acknowledge(1),
    team.send(quoted(claim), { to: to("lead-1") }),
    team.release({ task: "1-1-T1" }, { id: "release-1" }),
    team.claim({ task: "1-1-T1" }, { id: "claim-1" }),
  ]);
  const hints = lost.map((reply) => {
    assert.ok(reply.outcome === "failed");
    assert.equal(reply.problem.code, "hub-unreachable");
    assert.match(reply.problem.message, /not known/);
    return reply.problem.hint ?? "";
  });
  assert.match(hints[0] ?? "", /`arguments\.id ack\/dev-1\/1`/);
  assert.match(hints[2] ?? "", /`arguments\.id release-1`/);
  assert.match(hints[3] ?? "", /`arguments\.id claim-1`/);
  const proseId = /`arguments\.proseId (\S+)`/.exec(hints[1] ?? "")?.[1];
  assert.ok(proseId !== undefined, hints[1]);
  const direct = await teamOf(hub.url, own);
  const reply = await direct.send(quoted(claim), { to: to("lead-1"), proseId });
  assert.equal(reply.outcome === "accepted" && reply.receipt.duplicate, true, JSON.stringify(reply));
  assert.equal((await messagesOf(direct)).length, 1);
});

test("a follower loses nothing and gets nothing twice when its line is cut again and again", async (test) => {
  const hub = await testHub(test);
  let streams = 0;
  const said: string[] = [];
  const url = await cutter(
    test,
    () => hub.port,
    (request) => {
      if (request.url?.includes("/events") !== true) return "never";
      streams++;
      // Every other stream is let through, and cut as soon as something has come over it.
      if (streams % 2 === 0) return "before";
      request.socket.setTimeout(150, () => request.socket.destroy());
      return "never";
    },
  );
  const own = await hub.token("dev-1");
  const team = await teamOf(url, own, { say: (words) => said.push(words) });
  const writer = await teamOf(hub.url, own);
  const stop = new AbortController();
  const seen: number[] = [];
  const following = (async () => {
    for await (const { seq, kind } of team.follow({ after: 0, signal: stop.signal })) {
      if (kind === "message") seen.push(seq);
      if (seen.length === 12) stop.abort();
    }
  })();
  const sent: number[] = [];
  for (let n = 0; n < 12; n++) {
    const reply = await writer.send(`note ${n}`, { to: to("lead-1") });
    assert.ok(reply.outcome === "accepted");
    sent.push(reply.receipt.seq);
    // The next comes over another line than this one did.
    if (n === 3 || n === 7) for (const before = streams; streams === before; ) await systemClock.wait(10);
  }
  await following;
  assert.deepEqual(seen, sent);
  assert.ok(streams >= 3, `${streams} streams`);
  assert.ok(
    said.some((words) => /broke; waiting/.test(words)) && said.some((words) => /is back; going on/.test(words)),
  );
});

test("a credential that ends while somebody follows ends the following", async (test) => {
  const hub = await testHub(test);
  const owner = await teamOf(hub.url, await hub.token("owner"));
  const team = await teamOf(hub.url, await hub.token("dev-1"));
  const { signal } = new AbortController();
  const lines: string[] = [];
  const tokens = await owner.tokens();
  assert.ok(tokens.ok);
  const id = tokens.value.find(({ agent }) => agent === "dev-1")?.tokenId ?? "";
  for await (const line of team.follow({ after: 0, signal })) {
    if (lines.length === 0) assert.equal((await owner.revokeToken({ token: id })).outcome, "accepted");
    lines.push(line.type ?? line.kind);
  }
  const status = await team.status();
  assert.equal(!status.ok && status.error.code, "token-revoked");
});

test("a message that no JSON can hold is refused as it is on a file", async (test) => {
  const hub = await testHub(test);
  const team = await teamOf(hub.url, await hub.token("dev-1"));
  const reply = await team.send(new Uint8Array([0x4c, 0xff, 0xfe]), { to: to("lead-1") });
  assert.ok(reply.outcome === "refused", JSON.stringify(reply));
  assert.equal(reply.problems[0]?.code, "not-utf8");
});
