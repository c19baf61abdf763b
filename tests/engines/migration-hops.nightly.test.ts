/** A journal that moves from a file to PostgreSQL, to JetStream and back to a file while agents write at every step. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../src/base/canonical.ts";
import { systemClock } from "../../src/base/clock.ts";
import { messageId, type TeamName } from "../../src/base/ids.ts";
import { migrateJournal } from "../../src/journal/engines.ts";
import type { Entry, Page } from "../../src/journal/entry.ts";
import { addressOfMove } from "../../src/perform/closed-team.ts";
import { commitBehind } from "../../src/perform/commit.ts";
import { type OpenedJournal, openTeamJournal } from "../../src/perform/open.ts";
import { leaveJournal } from "../../src/record/handlers/journal-migration.ts";
import { must, team } from "../../src/testing/journal-subject.ts";
import { folder } from "../e2e/command.ts";
import { testServer as natsServer, skip as natsSkip } from "./nats/server.ts";
import { testServer as postgresServer, skip as postgresSkip } from "./postgres/server.ts";

const teams = [team("alpha"), team("beta")];
const agents = ["dev-1", "dev-2", "dev-3"];

/** What an agent was told of one message that it sent. */
interface Sent {
  readonly team: TeamName;
  readonly id: string;
  readonly seq: number;
  readonly hash: string;
}

/** How far the agents of a step are, and what to do with them. */
interface Step {
  readonly journal: OpenedJournal;
  readonly name: string;
  /** What was acknowledged, by all agents. */
  readonly sent: Sent[];
  /** Tells the agents to stop, where nothing else does. */
  readonly stop: AbortController;
}

/** Sends one message as `agent`, with an id that may be sent again. */
async function send({ journal, sent }: Step, agent: string, to: TeamName, id: string): Promise<string | null> {
  const name = messageId(id);
  assert.ok(name);
  const draft = {
    kind: "message" as const,
    principal: { agent, role: "dev" as const, via: "launcher" as const },
    receivers: [],
    content: { text: `written by ${agent}` },
    id: name,
    digest: sha256(id),
  };
  const once = { principal: agent, id, digest: draft.digest };
  const done = must(await commitBehind({ journal, team: to }, [], { once, decide: () => draft }));
  if (done.outcome === "declined") return done.problems.map(({ code, message }) => `${code}: ${message}`).join();
  const { seq, hash } = done.receipt;
  sent.push({ team: to, id, seq, hash });
  return null;
}

/** Writes one message after another until the team records nothing more here; answers what the agent is told then. */
async function writeOn(step: Step, agent: string, to: TeamName): Promise<string> {
  for (let index = 0; !step.stop.signal.aborted; index += 1) {
    const refusal = await send(step, agent, to, `${step.name}-${agent}-${to}-${index}`);
    if (refusal !== null) return refusal;
    // A commit to a file gives nobody else a turn.
    await systemClock.wait(1);
  }
  return "";
}

/** Runs `move` while every agent writes to every team, and after it has begun; answers what the agents are told. */
async function underLoad(step: Step, move: () => Promise<void>): Promise<ReadonlySet<string>> {
  const writers = agents.flatMap((agent) => teams.map((to) => writeOn(step, agent, to)));
  await until(() => step.sent.length >= 30);
  const before = step.sent.length;
  await move();
  assert.ok(step.sent.length > before, `${step.name}: nobody wrote while it moved`);
  return new Set(await Promise.all(writers));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.wait(5);
}

async function entriesOf(address: string): Promise<ReadonlyMap<TeamName, readonly Entry[]>> {
  await using journal = must(await openTeamJournal(address, { create: false, readOnly: true }));
  const found = new Map<TeamName, readonly Entry[]>();
  for (const name of teams) {
    const entries: Entry[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: Page = must(await journal.read(name, { after }));
      entries.push(...page.entries);
      after = page.next;
    }
    found.set(name, entries);
  }
  assert.deepEqual((await journal.verify()).problems, []);
  return found;
}

/** What is wrong with a journal by what the agents were told: messages that are missing, changed or there twice. */
function faultsOf(entries: ReadonlyMap<TeamName, readonly Entry[]>, sent: readonly Sent[]): readonly string[] {
  const known = new Map([...entries].map(([name, all]) => [name, new Map(all.map((entry) => [entry.seq, entry]))]));
  const missing = sent
    .filter(({ team: of, seq, hash, id }) => {
      const entry = known.get(of)?.get(seq);
      return entry?.hash !== hash || entry.id !== id;
    })
    .map(({ id }) => `missing: ${id}`);
  const ids = [...entries].flatMap(([name, all]) => all.flatMap(({ id }) => (id === null ? [] : [`${name} ${id}`])));
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `twice: ${id}`);
  return [...missing, ...twice];
}

test("agents write at every step of a way from a file to PostgreSQL, JetStream and a file: nothing is lost or doubled", {
  skip: postgresSkip === false ? natsSkip : postgresSkip,
}, async () => {
  const way = [
    join(folder(), "from.db"),
    (await postgresServer()).newUrl(),
    (await natsServer()).newUrl(),
    join(folder(), "back.db"),
  ];
  const sent: Sent[] = [];
  {
    await using journal = must(await openTeamJournal(way[0] ?? "", { create: true }));
    const step: Step = { journal, name: "first", sent, stop: new AbortController() };
    for (const name of teams) assert.equal(await send(step, "dev-1", name, `first-${name}`), null);
  }
  for (const [index, to] of way.slice(1).entries()) {
    const from = way[index] ?? "";
    await using journal = must(await openTeamJournal(from, { create: false }));
    const step: Step = { journal, name: `step-${index + 1}`, sent, stop: new AbortController() };
    let place = "";
    const told = await underLoad(step, async () => {
      place = must(await leaveJournal(openTeamJournal, from, to)).place;
    });
    // Every agent of every team is told where the team continues.
    assert.ok(told.size > 0);
    for (const words of told) {
      assert.match(words, /^journal-moved: /);
      assert.ok(words.includes(addressOfMove(place)), words);
    }
    // An answer that was lost: sent again there, the last message is the one that is recorded.
    await using there = must(await openTeamJournal(to, { create: false }));
    const last = sent.findLast((each) => each.team === teams[0]);
    assert.ok(last);
    const again: Sent[] = [];
    await send({ ...step, journal: there, sent: again }, agentOf(last.id), last.team, last.id);
    assert.deepEqual(again, [last]);
  }
  const all = await Promise.all(way.map(entriesOf));
  const [end] = all.slice(-1);
  assert.ok(end);
  assert.deepEqual(faultsOf(end, sent), []);
  for (const before of all)
    for (const [name, entries] of before)
      assert.deepEqual(end.get(name)?.slice(0, entries.length), entries, "the same numbers, times and hashes");
});

/** The agent whose id it is. */
function agentOf(id: string): string {
  return agents.find((agent) => id.includes(agent)) ?? "dev-1";
}

test("the comparison finds what a copy lacks whose source nobody left", { skip: natsSkip }, async () => {
  const [from, to] = [join(folder(), "from.db"), (await natsServer()).newUrl()];
  const sent: Sent[] = [];
  await using journal = must(await openTeamJournal(from));
  const step: Step = { journal, name: "control", sent, stop: new AbortController() };
  await underLoad(step, async () => {
    must(await migrateJournal(from, to));
    const copied = sent.length;
    await until(() => sent.length > copied + 20);
    step.stop.abort();
  });
  assert.ok(faultsOf(await entriesOf(to), sent).some((fault) => fault.startsWith("missing: ")));
  assert.deepEqual(faultsOf(await entriesOf(from), sent), []);
  const [first] = sent;
  assert.ok(first);
  assert.deepEqual(faultsOf(await entriesOf(from), [{ ...first, hash: sha256("another") }]), [`missing: ${first.id}`]);
});
