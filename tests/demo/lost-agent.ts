/**
 * The campaign of the lost agent: a developer over MCP is killed with signal 9 again and again, after it read, after it
 * claimed, after it committed, after it reported, or at a random moment, and comes back each time. In the end every
 * contract and every report must appear once, be acknowledged, and have one commit, and every task was granted once.
 */
import assert from "node:assert/strict";
import { type AgentRun, type Hold, type Moment, moments as workMoments } from "../../demo/agents/agent-process.ts";
import { type Expected, problemsOf } from "../../demo/checks/check.ts";
import { type RecordedPhase, readPhase, verifyJournal } from "../../demo/checks/record.ts";
import { type Stage, setStage } from "../../demo/stage.ts";
import { type Changes, cast, demoTeam } from "../../demo/story/story.ts";
import { readAddress } from "../../src/messages/role.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";
import { chanceFrom } from "../crash/seed.ts";
import { environment, folder, mainBundle, message } from "../e2e/command.ts";

/** A kill at a random moment strikes within so many milliseconds after the contract was issued. */
const randomMsMax = 300;
/** How long the returned developer may take to acknowledge, in milliseconds, however busy the machine is. */
const acknowledgedMsMax = 120_000;
const moments: readonly (Moment | "any")[] = [...workMoments, "any"];

const taskOf = (round: number): string => `${round}-1-T1`;
/** A small change for each round's task. */
function changesFor(rounds: number): Changes {
  return Object.fromEntries(
    Array.from({ length: rounds }, (_, index) => index + 1).map((round) => [
      taskOf(round),
      {
        subject: `Part ${round}`,
        evidence: "none is needed",
        files: { [`src/part-${round}.js`]: `export const part = ${round};\n` },
      },
    ]),
  );
}

function contractOf(round: number): string {
  const payload = {
    plan_id: `${round}-1`,
    phase_id: "phase-1",
    objective: `Part ${round}`,
    tasks: [taskOf(round)],
    allowed_paths: [`src/part-${round}.js`],
    must_haves: ["It is there"],
  };
  return message("plan_contract", "architect", payload, { id: `contract-${round}`, task: taskOf(round) });
}

/** What the rounds leave in the journal, each exactly once. */
function expectedOf(changes: Changes): readonly Expected[] {
  return Object.keys(changes).flatMap((task, index) => [
    { sender: cast.architect.agent, type: "plan_contract", id: `contract-${index + 1}` },
    { sender: cast.dev.agent, type: "execution_update", id: `update-${task}` },
  ]);
}

async function stageFor(): Promise<Stage> {
  const variables = Object.entries(environment()).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const set = await setStage({
    keep: folder(),
    directory: folder(),
    environment: Object.fromEntries(variables) as Record<string, string>,
    baton: [process.execPath, mainBundle],
    signal: new AbortController().signal,
  });
  assert.ok(set.ok, JSON.stringify(set));
  return set.value;
}

/** One run of the developer, which must stop at the given moment of the round's work. */
async function lifeFor(stage: Stage, changes: Changes, moment: Moment | "any", round: number): Promise<AgentRun> {
  const holds: readonly Hold[] = moment === "any" ? [] : [{ at: moment, task: taskOf(round) }];
  const run = stage.start(cast.dev, { livesBefore: 1, holds, changes }, () => undefined);
  assert.notEqual(await run.first(({ step }) => step === "arrived"), null, run.child.errors());
  return run;
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
  const changes = changesFor(rounds);
  await using stage = await stageFor();
  const opened = await openTeam({ journal: stage.journal, team: demoTeam, agent: cast.architect.agent });
  assert.ok(opened.ok);
  await using architect = opened.value;
  // Every moment has its share, in an order that the seed chooses.
  const order = Array.from({ length: rounds }, (_, index) => moments[index % moments.length]!)
    .map((moment) => ({ moment, at: chance.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ moment }) => moment);
  const developer = readAddress(cast.dev.agent);
  assert.ok(developer.ok);
  let late = 0;
  let life = await lifeFor(stage, changes, order[0]!, 1);
  for (const [index, moment] of order.entries()) {
    const round = index + 1;
    const task = { task: taskOf(round), plan: `${round}-1`, files: Object.keys(changes[taskOf(round)]?.files ?? {}) };
    assert.equal((await architect.addTask(task)).outcome, "accepted");
    const sent = await architect.send(contractOf(round), { to: [developer.value] });
    assert.equal(sent.outcome, "accepted", JSON.stringify(sent));
    const seq = sent.outcome === "accepted" ? sent.receipt.seq : 0;
    if (moment === "any") await new Promise((resolve) => setTimeout(resolve, chance.below(randomMsMax)));
    else assert.notEqual(await life.first(({ step }) => step === "holding"), null, life.child.errors());
    life.child.kill();
    assert.equal((await life.child.ended).signal, "SIGKILL");
    const before = acknowledgedBy(life, seq);
    if (before) late++;
    if (moment !== "any") assert.equal(before, false, `killed at "${moment}", it had acknowledged already`);
    life = await lifeFor(stage, changes, order[round] ?? "any", round + 1);
    await untilAcknowledged(architect, seq);
  }
  await life.child.end(500);
  for (const reader of [cast.lead, cast.qa]) await acknowledgeAll(stage, reader.agent);
  await stage.end();
  return await judge(stage, { seed, kills: rounds, late }, changes);
}

async function judge(
  stage: Stage,
  told: Pick<LostAgentReport, "seed" | "kills" | "late">,
  changes: Changes,
): Promise<LostAgentReport> {
  const expected = expectedOf(changes);
  const phase = await readPhase(stage.journal, stage.repository);
  const verified = await verifyJournal(stage.journal);
  assert.ok(phase.ok && verified.ok);
  const { messages, refusals, reports } = phase.value;
  const grantsIn = (work: RecordedPhase["work"]) => Object.keys(changes).flatMap((task) => grantProblems(task, work));
  const wrong = [
    ...problemsOf(phase.value, expected),
    ...grantsIn(phase.value.work),
    ...refusals.map(({ seq, codes }) => `entry ${seq} refuses: ${codes.join(", ")}`),
    ...verified.value.problems.map((problem) => problem.message),
  ];
  const [first, ...others] = messages;
  assert.ok(first !== undefined);
  const controls = [others, [first, first, ...others]].map((damaged) =>
    problemsOf({ ...phase.value, messages: damaged }, expected),
  );
  const { work } = phase.value;
  return { ...told, reports: reports.length, wrong, controls: [...controls, grantsIn([...work, ...work])] };
}

/** However often its developer came back, a task is granted once. */
function grantProblems(task: string, work: RecordedPhase["work"]): readonly string[] {
  const grants = work.filter(({ event }) => event.event === "task-claimed" && event.task === task).length;
  return grants === 1 ? [] : [`${task} was granted ${grants} times`];
}

function acknowledgedBy(life: AgentRun, seq: number): boolean {
  return life.steps.some((step) => step.step === "acknowledged" && step.seq === seq);
}

/**
 * Resolves when the developer has acknowledged the entry, whichever life did it: what the last one did in its last moment
 * is the journal's word, not ours.
 */
async function untilAcknowledged(team: Team, seq: number): Promise<void> {
  const signal = AbortSignal.timeout(acknowledgedMsMax);
  for await (const { kind, sender } of team.follow({ after: seq, signal })) {
    if (kind !== "ack" || sender !== cast.dev.agent) continue;
    const status = await team.status();
    assert.ok(status.ok);
    const developer = status.value.agents.find(({ agent }) => agent === sender);
    if (developer !== undefined && developer.acknowledged >= seq) return;
  }
  assert.fail(`entry ${seq} was not acknowledged in time`);
}

async function acknowledgeAll(stage: Stage, agent: string): Promise<void> {
  const opened = await openTeam({ journal: stage.journal, team: demoTeam, agent });
  assert.ok(opened.ok);
  await using reader = opened.value;
  const page = await reader.inbox({ limit: 1000 });
  assert.ok(page.ok);
  const last = page.value.deliveries.at(-1);
  assert.ok(last !== undefined);
  assert.equal((await reader.acknowledge(last.seq)).outcome, "accepted");
}
