/**
 * The campaign of the lost agent: a developer over MCP behind a hub is killed with signal 9 again and again, after it read,
 * after it claimed, after it committed, after it reported, or at a random moment, and comes back each time. In the end
 * every contract and every report must appear once, be acknowledged, and have one commit, and every task was granted once.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readAddress } from "../../src/messages/role.ts";
import { effectsOf } from "../../src/perform/content.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";
import type { Shown } from "../../src/record/operations/entries.ts";
import { baton, environment, mainBundle, message, team } from "../e2e/command.ts";
import { startHub, tokenOf } from "../e2e/hub-process.ts";
import { git } from "../evidence/history.ts";
import { type DeveloperOrder, fileOf, type Moment, moments, type Said } from "./lost-developer.ts";
import { chanceFrom } from "./seed.ts";

/** A kill at a random moment strikes within so many milliseconds after the contract was issued. */
const randomMsMax = 300;
/** How long the returned developer may take to acknowledge, in milliseconds, however busy the machine is. */
const acknowledgedMsMax = 120_000;
const developer = "dev-1";

const taskOf = (round: number): string => `${round}-1-T1`;

function contractOf(round: number): string {
  const payload = {
    plan_id: `${round}-1`,
    phase_id: "phase-1",
    objective: `Part ${round}`,
    tasks: [taskOf(round)],
    allowed_paths: [fileOf(taskOf(round))],
    must_haves: ["It is there"],
  };
  return message("plan_contract", "architect", payload, { id: `contract-${round}`, task: taskOf(round) });
}

/** One life of the developer. */
interface Life {
  readonly child: ChildProcess;
  readonly said: Said[];
  /** The first time that it says so; fails where it ends before. */
  until(moment: Said["moment"]): Promise<void>;
}

/** What a campaign found. */
export interface LostAgentReport {
  readonly seed: number;
  readonly kills: number;
  /** Kills that struck after the contract was acknowledged already. */
  readonly late: number;
  readonly reports: number;
  /** What was lost, doubled or not acknowledged. */
  readonly wrong: readonly string[];
  /** What the same check says of the record without its first message, with it twice, and with each grant twice. */
  readonly controls: readonly (readonly string[])[];
}

/** Kills the developer once in each round. */
export async function loseAgent(rounds: number, seed: number): Promise<LostAgentReport> {
  const chance = chanceFrom(seed);
  const directory = team();
  git(directory, "init", "--quiet");
  const owner = ["-c", "user.name=owner", "-c", "user.email=owner@localhost"];
  git(directory, ...owner, "commit", "--quiet", "--allow-empty", "-m", "Begin");
  const hub = await startHub(directory);
  const token = await tokenOf(directory, developer);
  const live = (moment: Moment | "any", round: number) => {
    const hold = moment === "any" ? null : { moment, task: taskOf(round) };
    const order = { agent: developer, team: "web", hub: hub.url, baton: [process.execPath, mainBundle], hold };
    return lifeOf(directory, token, order);
  };
  const journal = join(directory, ".git/baton/journal.db");
  const opened = await openTeam({ journal, team: "web", agent: "architect-1" });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using architect = opened.value;
  // Every moment has its share, in an order that the seed chooses.
  const kinds: readonly (Moment | "any")[] = [...moments, "any"];
  const order = Array.from({ length: rounds }, (_, index) => kinds[index % kinds.length]!)
    .map((moment) => ({ moment, at: chance.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ moment }) => moment);
  const address = readAddress(developer);
  assert.ok(address.ok);
  let late = 0;
  let life = await live(order[0]!, 1);
  for (const [index, moment] of order.entries()) {
    const round = index + 1;
    const task = { task: taskOf(round), plan: `${round}-1`, files: [fileOf(taskOf(round))] };
    assert.equal((await architect.addTask(task)).outcome, "accepted");
    const sent = await architect.send(contractOf(round), { to: [address.value] });
    assert.ok(sent.outcome === "accepted", JSON.stringify(sent));
    const { seq } = sent.receipt;
    if (moment === "any") await new Promise((resolve) => setTimeout(resolve, chance.below(randomMsMax)));
    else await life.until("holding");
    life.child.kill("SIGKILL");
    await once(life.child, "close");
    const isLate = life.said.some((each) => each.moment === "acknowledged" && each.seq === seq);
    if (isLate) late++;
    if (moment !== "any") assert.equal(isLate, false, `killed at "${moment}", it had acknowledged already`);
    life = await live(order[round] ?? "any", round + 1);
    await untilAcknowledged(architect, seq);
  }
  life.child.stdin?.end();
  await once(life.child, "close");
  const entries = await everyEntry(architect);
  const wrong = wrongIn(entries, rounds);
  for (let round = 1; round <= rounds; round++) {
    const commits = git(directory, "log", "--format=%H", "--", fileOf(taskOf(round)))
      .trim()
      .split("\n");
    if (commits.length !== 1) wrong.push(`${taskOf(round)} has ${commits.length} commits`);
  }
  const verified = baton(directory, ["journal", "verify"]);
  if (verified.code !== 0) wrong.push(verified.stdout);
  const first = entries.find(({ kind }) => kind === "message")!;
  const grants = entries.filter(({ type }) => type === "claim-task");
  return {
    seed,
    kills: rounds,
    late,
    reports: entries.filter(({ type, kind }) => kind === "message" && type === "execution_update").length,
    wrong,
    controls: [entries.filter((each) => each !== first), [first, ...entries], [...entries, ...grants]].map((damaged) =>
      wrongIn(damaged, rounds),
    ),
  };
}

async function lifeOf(directory: string, token: string, order: DeveloperOrder): Promise<Life> {
  const program = join(import.meta.dirname, "lost-developer.ts");
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {
    cwd: directory,
    env: environment({ BATON_TOKEN: token }),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const said: Said[] = [];
  let next = Promise.withResolvers<void>();
  createInterface(child.stdout).on("line", (line) => {
    said.push(JSON.parse(line) as Said); // as lost-developer.ts says it
    next.resolve();
    next = Promise.withResolvers<void>();
  });
  const ended = once(child, "close").then(() => "ended" as const);
  const life: Life = {
    child,
    said,
    until: async (moment) => {
      while (!said.some((each) => each.moment === moment))
        assert.notEqual(await Promise.race([next.promise, ended]), "ended", `it ended before "${moment}"`);
    },
  };
  await life.until("arrived");
  return life;
}

/** What of the rounds is lost, doubled, refused, not acknowledged or granted twice, a sentence each. */
function wrongIn(entries: readonly Shown[], rounds: number): string[] {
  const wrong: string[] = [];
  const count = (what: string, found: number) => {
    if (found !== 1) wrong.push(found === 0 ? `${what} is lost` : `${what} is there ${found} times`);
  };
  const messages = entries.filter(({ kind }) => kind === "message");
  for (let round = 1; round <= rounds; round++) {
    const task = taskOf(round);
    for (const id of [`contract-${round}`, `update-${task}`])
      count(id, messages.filter((each) => each.id === id).length);
    const granted = entries
      .flatMap(({ entry }) => effectsOf(entry).events ?? [])
      .filter((event) => {
        return event.event === "task-claimed" && event.task === task;
      });
    if (granted.length !== 1) wrong.push(`${task} was granted ${granted.length} times`);
  }
  for (const { seq, kind, problems, delivery } of entries) {
    if (kind === "refusal") wrong.push(`entry ${seq} refuses: ${problems[0]?.code}`);
    if (delivery.some(({ agent, state }) => agent === developer && state !== "acknowledged"))
      wrong.push(`entry ${seq} was never acknowledged`);
  }
  return wrong;
}

async function everyEntry(team: Team): Promise<readonly Shown[]> {
  const entries: Shown[] = [];
  for await (const line of team.log()) {
    assert.ok(line.ok);
    const shown = await team.show(String(line.value.seq));
    assert.ok(shown.ok);
    entries.push(shown.value);
  }
  return entries;
}

/**
 * Resolves when the developer has acknowledged the entry, whichever life did it: what the last one did in its last moment
 * is the journal's word, not ours.
 */
async function untilAcknowledged(team: Team, seq: number): Promise<void> {
  const signal = AbortSignal.timeout(acknowledgedMsMax);
  for await (const { kind, sender } of team.follow({ after: seq, signal })) {
    if (kind !== "ack" || sender !== developer) continue;
    const status = await team.status();
    assert.ok(status.ok);
    const found = status.value.agents.find(({ agent }) => agent === sender);
    if (found !== undefined && found.acknowledged >= seq) return;
  }
  assert.fail(`entry ${seq} was not acknowledged in time`);
}
