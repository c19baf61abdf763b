/** One interface: a folder's team and a hub's answer alike, also to arguments that are wrong, and neither ever throws. */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, type TestContext, test } from "node:test";
import {
  BatonError,
  connectHub,
  createTeam,
  openTeam,
  orThrow,
  type Problem,
  type Result,
  type Team,
} from "../../src/index.ts";
import { madeOperations } from "../../src/perform/operations/registry.ts";
import { type TestHub, teamText, testHub } from "../http/hub.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-same-")));
const closing: (() => Promise<void> | void)[] = [];
after(async () => {
  for (const close of closing.toReversed()) await close();
  rmSync(folder, { recursive: true, force: true });
});

let hub: TestHub;
const teams = new Map<string, Team>();

function opened(result: Result<Team, readonly Problem[]>): Team {
  assert.ok(result.ok, JSON.stringify(result));
  closing.push(() => result.value.close());
  return result.value;
}

/** The team as an agent has it, through the door of this name. */
function as(door: string, agent: string): Team {
  const team = teams.get(`${door} ${agent}`);
  assert.ok(team);
  return team;
}

before(async () => {
  // The hub serves the same journal that the folder's team opens next to it.
  writeFileSync(join(folder, "team.yaml"), teamText);
  hub = await testHub({ after: (done) => void closing.push(done) }, { folder });
  for (const agent of ["lead-1", "dev-1"]) {
    teams.set(`folder ${agent}`, opened(await openTeam({ folder, journal: "journal.db", agent })));
    const token = await hub.token(agent);
    teams.set(`hub ${agent}`, opened(await connectHub({ url: hub.url, token, agent })));
  }
});

for (const door of ["folder", "hub"]) {
  suite(`the team of a ${door}`, () => {
    test("plans, claims, reports, sends, receives and reads the record", async () => {
      const [lead, dev] = [as(door, "lead-1"), as(door, "dev-1")];
      const task = door === "hub" ? "2-1-T1" : "1-1-T1";
      assert.equal(
        (await lead.addTask({ task, files: [`src/${door}.ts`] }, { id: `add-${door}` })).outcome,
        "accepted",
      );
      const again = await lead.addTask({ task, files: [`src/${door}.ts`] }, { id: `add-${door}` });
      assert.ok(again.outcome === "accepted" && again.receipt.duplicate);
      const claim = await dev.claim({ task });
      assert.ok(claim.outcome === "accepted", JSON.stringify(claim));
      const denied = await lead.claim({ task });
      assert.ok(denied.outcome === "refused" && denied.denial?.holder === "dev-1");
      const reply = await dev.complete({ task, token: claim.token, status: "partial" });
      assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
      const sent = await dev.send("Half of it is done.", { to: ["lead-1"], id: `half-${door}` });
      assert.ok(sent.outcome === "accepted");
      for await (const item of lead.receive()) {
        assert.ok(item.ok);
        await lead.acknowledge(item.value.seq);
        if (item.value.id === `half-${door}`) break;
      }
      const mail = await lead.inbox();
      assert.ok(mail.ok && mail.value.acknowledged >= sent.receipt.seq);
      const seen: number[] = [];
      for await (const line of lead.log({ sender: "dev-1" })) {
        assert.ok(line.ok);
        seen.push(line.value.seq);
      }
      assert.ok(seen.includes(sent.receipt.seq));
      const shown = await lead.show(sent.receipt.seq);
      assert.ok(shown.ok && shown.value.message?.text === "Half of it is done.");
      assert.ok((await dev.heartbeat()).ok);
      assert.ok((await lead.status()).ok);
    });

    test("who waits for a verdict gets the task once it has one", async () => {
      const [lead, dev] = [as(door, "lead-1"), as(door, "dev-1")];
      const task = door === "hub" ? "2-2-T1" : "1-2-T1";
      orThrow(await lead.addTask({ task, files: "none" }));
      const inVain = await lead.waitForVerdict({ task, waitMs: 1 });
      assert.ok(!inVain.ok && inVain.error.code === "timed-out", JSON.stringify(inVain));
      const waiting = lead.waitForVerdict({ task });
      orThrow(await dev.claim({ task }));
      orThrow(await dev.complete({ task }));
      assert.equal(orThrow(await waiting).state, "complete");
      assert.equal(orThrow(await lead.waitForVerdict({ task, waitMs: 0 })).state, "complete");
    });

    test("a watch sees what comes, and ends with its signal", async () => {
      const [lead, dev] = [as(door, "lead-1"), as(door, "dev-1")];
      const status = await lead.status();
      assert.ok(status.ok);
      const stop = new AbortController();
      await dev.send("Watched.", { to: "lead-1", id: `watched-${door}` });
      const ids: (string | null)[] = [];
      for await (const line of lead.watch({ after: status.value.head.seq, signal: stop.signal })) {
        assert.ok(line.ok);
        ids.push(line.value.id);
        if (line.value.id === `watched-${door}`) stop.abort();
      }
      assert.equal(ids.at(-1), `watched-${door}`);
    });

    test("wrong arguments of every call are coded problems and record nothing", async () => {
      const team = as(door, "dev-1");
      const before = await headOf(team);
      for (const name of [...madeOperations.map(({ call }) => call), ...writtenCalls]) {
        for (const [given, options] of wrongArguments) {
          if (options === undefined && !isWrongAlone(name, given)) continue;
          const code = await codeOf(team, name, [given, options]);
          assert.ok(typeof code === "string", `${name}(${String(code)})`);
        }
      }
      assert.equal(await headOf(team), before);
    });
  });
}

const writtenCalls = "send inbox receive acknowledge verify verifyArtifacts waitForVerdict log show watch".split(" ");
const circle: { self?: unknown } = {};
circle.self = circle;
/** Arguments that no call takes. */
const wrongArguments: readonly (readonly [unknown, unknown?])[] = [
  [null],
  [7n],
  [Symbol("task")],
  [() => 1],
  [[{}]],
  [{ nothingLikeIt: 1 }],
  [{ task: 1n, agent: circle }],
  [{ task: "a\u0000b", agent: "\ud800", request: "\ud800", proposal: "\ud800", plan: "\ud800", handoff: "\ud800" }],
];

/** Whether the call cannot mean anything by this: an object may be a message, and text may name an entry. */
function isWrongAlone(name: string, given: unknown): boolean {
  return name !== "send" || typeof given !== "object" || given === null;
}

async function headOf(team: Team): Promise<number> {
  const status = await team.status();
  assert.ok(status.ok);
  return status.value.head.seq;
}

/** The code of the first problem that the call answers; undefined: it answered something else. */
async function codeOf(team: Team, name: string, words: readonly unknown[]): Promise<unknown> {
  const call = (team as unknown as Record<string, (...words: readonly unknown[]) => unknown>)[name]; // as plain JavaScript
  const answer = call?.(...words);
  const found = isIterable(answer) ? await firstOf(answer) : await answer;
  const { error, reply, problems } = found as {
    error?: Problem;
    reply?: { problems?: readonly Problem[] };
    problems?: readonly Problem[];
  };
  return (error ?? reply?.problems?.[0] ?? problems?.[0])?.code;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function firstOf(items: AsyncIterable<unknown>): Promise<unknown> {
  for await (const item of items) return item;
  return {};
}

test("both doors refuse in the same words", async () => {
  const cases: readonly ((team: Team) => Promise<unknown>)[] = [
    (team) => team.claim({ task: "9-9-T9" }),
    (team) => team.addTask({ task: "3-1-T1" }),
    (team) => team.claim({ task: 7 } as never),
    (team) => team.claim({ task: "a\u0000b" }),
    (team) => team.claim({ task: "1-1-T1", files: ["\ud800"] }),
    (team) => team.tasks({ state: "done" } as never),
    (team) => team.send({ type: "plan_contract" }, { to: "nobody-1" }),
    (team) => team.send("x", { to: "role:boss" }),
    (team) => team.inbox({ limit: 0 }),
    (team) => team.show("no-such-id"),
    (team) => team.acknowledge(-1),
    (team) => team.waitForVerdict({ task: "9-9-T9" }),
    (team) => team.waitForVerdict({ task: "9-9-T9", waitMs: Number.NaN }),
    (team) => team.answer({ request: "none", approved: true, reason: "so" }),
  ];
  for (const ask of cases) {
    const [local, remote] = [await ask(as("folder", "dev-1")), await ask(as("hub", "dev-1"))].map(problemsIn);
    assert.deepEqual(remote, local);
    assert.notEqual(local, "[]");
  }
});

/** The problems of an answer as text, without the entry that recorded them. */
function problemsIn(answer: unknown): string {
  const { error, reply = answer } = answer as { readonly error?: Problem; readonly reply?: unknown };
  const { problems = [] } = reply as { readonly problems?: readonly Problem[] };
  return JSON.stringify(error === undefined ? problems : [error].flat());
}

test("a hub needs a token of somebody, and the one that was meant", async () => {
  const codes = async (options: object) => {
    const refused = await connectHub({ url: hub.url, ...options } as never);
    return refused.ok ? [] : refused.error.map(({ code, path }) => `${code} ${path}`);
  };
  assert.deepEqual(await codes({}), ["missing-field arguments.token"]);
  assert.deepEqual(await codes({ token: "" }), ["unauthenticated arguments.token"]);
  assert.deepEqual(await codes({ token: "baton_unknown" }), ["unauthenticated arguments.token"]);
  assert.deepEqual(await codes({ token: await hub.token("dev-1"), agent: "lead-1" }), [
    "identity-mismatch arguments.agent",
  ]);
  assert.deepEqual(await codes({ url: "here", token: "x" }), ["wrong-usage arguments.url"]);
});

test("a closed team ends its waits and does nothing more", async (t: TestContext) => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "baton-closed-")));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  assert.ok((await createTeam({ folder: place, agents: [{ agent: "dev-1", role: "dev" }] })).ok);
  for (const team of [
    opened(await openTeam({ folder: place, agent: "dev-1" })),
    opened(await connectHub({ url: hub.url, token: await hub.token("qa-1") })),
  ]) {
    const waiting = firstOf(team.receive());
    const watching = firstOf(team.watch());
    const asked = team.inbox({ waitMs: 60_000 });
    await team.close();
    await team.close();
    assert.deepEqual([await waiting, await watching], [{}, {}]);
    assert.equal((await asked).ok, false);
    const sent = await team.send("Too late.");
    assert.ok(sent.outcome === "refused" && sent.problems[0]?.code === "wrong-usage");
    assert.equal(await codeOf(team, "log", []), "wrong-usage");
  }
});

test("closing ends the questions to a hub that is gone", async (t) => {
  const other = await testHub(t);
  const team = opened(await connectHub({ url: other.url, token: await other.token("dev-1") }));
  await other.hub.stop();
  const asked = team.status();
  await team.close();
  const status = await asked;
  assert.ok(!status.ok && status.error.code === "interrupted", JSON.stringify(status));
});

test("orThrow gives what was accepted, and throws the problems of everything else", async () => {
  const team = as("folder", "dev-1");
  const refusals = [
    await openTeam({ folder, agent: "stranger", journal: "journal.db" }),
    await team.show("nothing"),
    await team.send("x", { to: "nobody-1" }),
    await team.claim({ task: "9-9-T9" }),
    await team.issueToken({ agent: "dev-1" }),
  ];
  for (const refusal of refusals) {
    const codes = problemsIn(refusal);
    const thrown = (error: unknown) => error instanceof BatonError && JSON.stringify(error.problems) === codes;
    assert.throws(() => orThrow(refusal as never), thrown, codes);
  }
  const sent = orThrow(await team.send("Done.", { to: "lead-1" }));
  assert.deepEqual(sent.receivers, ["lead-1"]);
});
