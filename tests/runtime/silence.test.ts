/** Silence judged by several connections to one file, and by a hub that was away. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { teamName } from "../../src/base/ids.ts";
import { openTeam, type Team } from "../../src/index.ts";
import { openHub } from "../../src/runtime/hub.ts";
import { manualClock } from "../../src/testing/fixtures.ts";
import { folder } from "../e2e/command.ts";
import { silenceFaults } from "./silence-campaign.ts";

const unheardMs = 100_000;
const teamFile = {
  path: "team.yaml",
  text: "version: 1\nteam: web\ndialects: [vbw/2]\nagents: {lead-1: {role: lead}, dev-1: {role: dev}}\n",
};

async function opened(
  journal: string,
  clock: ReturnType<typeof manualClock>,
  agent: string,
  program?: string,
): Promise<Team> {
  const speaks = program === undefined ? {} : { program };
  const team = await openTeam({ journal, teamFile, create: true, clock, agent, ...speaks });
  assert.ok(team.ok, JSON.stringify(team));
  return team.value;
}

async function timersOf(team: Team): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of team.log({ kinds: ["timer"] })) if (line.ok) lines.push(line.value.summary);
  return lines;
}

test("many who look at once record a disappearance once", async () => {
  const journal = join(folder(), "journal.db");
  const clock = manualClock();
  await using dev = await opened(journal, clock, "dev-1", "p");
  assert.ok((await dev.attend()).ok);
  const others = await Promise.all(Array.from({ length: 8 }, () => opened(journal, clock, "lead-1")));
  clock.advance(unheardMs - 1);
  await Promise.all(others.map((team) => team.status()));
  assert.deepEqual(await timersOf(dev), []);
  clock.advance(1);
  await Promise.all(others.flatMap((team) => [team.status(), team.send("hello", { to: [] }), team.tasks()]));
  const timers = await timersOf(dev);
  assert.equal(timers.length, 1, JSON.stringify(timers));
  assert.match(timers[0] ?? "", /dev-1 has disappeared/);
  for (const team of others) await team[Symbol.asyncDispose]();
});

test("a hub that was away has missed signs of life, and takes nobody for dead by them", async () => {
  const journal = join(folder(), "journal.db");
  const clock = manualClock();
  const name = teamName("web") ?? assert.fail();
  const hubFor = async () => {
    const hub = await openHub({ journal, teamFile, create: true, clock });
    assert.ok(hub.ok, JSON.stringify(hub));
    return hub.value;
  };
  const first = await hubFor();
  const team = await first.team(name, { agent: "dev-1", via: "token", program: "p" });
  assert.ok(team.ok && (await team.value.attend()).ok);
  await first[Symbol.asyncDispose]();
  clock.advance(10 * unheardMs);
  await using second = await hubFor();
  const owner = await second.team(name, { agent: "owner", via: "launcher" });
  assert.ok(owner.ok);
  const health = async () => {
    const status = await owner.value.status();
    return status.ok ? status.value.agents.find(({ agent }) => agent === "dev-1")?.health : null;
  };
  assert.equal(await health(), "idle");
  // From here on it listens, and looks every second.
  for (let passed = 0; passed < unheardMs - 1_000; passed += 1_000) {
    clock.advance(1_000);
    assert.ok((await second.fireDue()).ok);
  }
  assert.equal(await health(), "idle");
  clock.advance(1_000);
  assert.equal(await health(), "disappeared");
});

test("the campaign's check finds what is planted", () => {
  const death = { agent: "a", how: "killed", atMs: 1_000, forMs: null } as const;
  const pause = { agent: "b", how: "paused", atMs: 1_000, forMs: 500 } as const;
  const report = (found: readonly { readonly agent: string; readonly atMs: number }[]) => {
    return silenceFaults({ limitMs: 6_000, silenced: [pause, death], found });
  };
  assert.deepEqual(report([{ agent: "a", atMs: 13_000 }]), []);
  assert.equal(report([]).length, 1);
  assert.equal(report([{ agent: "a", atMs: 13_001 }]).length, 1);
  assert.equal(
    report([
      { agent: "a", atMs: 999 },
      { agent: "a", atMs: 5_000 },
    ]).length,
    1,
  );
  assert.equal(
    report([
      { agent: "a", atMs: 5_000 },
      { agent: "a", atMs: 9_000 },
    ]).length,
    1,
  );
  assert.equal(
    report([
      { agent: "b", atMs: 5_000 },
      { agent: "a", atMs: 9_000 },
    ]).length,
    1,
  );
});
