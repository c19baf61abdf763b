/**
 * A shutdown round among real processes: agents that obey, ignore it, refuse, die, answer late, twice or both ways, and
 * nobody but themselves and the one who waits to pass the deadlines.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";
import type { ShutdownView } from "../../src/shutdown/operations.ts";
import { bundledProgram } from "../apart/program.ts";

/** How each agent behaves, and how its part must end. */
export const expected = {
  obeys: "clean",
  ignores: "forced",
  refuses: "forced",
  "refuses once": "refused-then-clean",
  dies: "forced",
  "is late": "forced",
  "answers twice": "clean",
  contradicts: "clean",
} as const;
const program = await bundledProgram("tests/runtime/stopping-agent.ts", "esm");
const manners = Object.keys(expected);

export interface Round {
  readonly certificate: ShutdownView;
  /** By manner: what came back for each answer, and `ready` before the first. */
  readonly replies: ReadonlyMap<string, readonly string[]>;
  /** From the start's receipt until the end was seen. */
  readonly tookMs: number;
  /** How many entries Baton made of the round. */
  readonly timers: number;
}

/** How the one who waits passes the time until the round is over. */
type Pass = (round: ShutdownView) => Promise<void>;

/** By the machine's clock: deadlines pass when they pass. */
export const byTheClock: { readonly clock: Clock; readonly pass: Pass } = {
  clock: systemClock,
  pass: () => systemClock.wait(20),
};

/**
 * By a clock that is put forward once every answer has come: however slow the machine is, nobody is late who should not
 * be. The agents' own clocks never reach a deadline.
 */
export function byAnswers(deadlineMs: number): { readonly clock: Clock; readonly pass: Pass } {
  let aheadMs = 0;
  // A refusal is answered by asking again at once, so these end without a deadline.
  const answering = ["obeys", "refuses", "refuses once", "answers twice", "contradicts"];
  return {
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    async pass({ agents }) {
      const isComplete = answering.every((manner) => agents[manners.indexOf(manner)]?.outcome !== null);
      if (isComplete) aheadMs += deadlineMs;
      else await systemClock.wait(20);
    },
  };
}

/** Runs one round on a new journal; `deadlineMs` for each of its askings. */
export async function runRound(deadlineMs: number, { clock, pass }: typeof byTheClock): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), "baton-round-"));
  const journal = join(folder, "journal.db");
  const agents = manners.map((_, index) => `  dev-${index + 1}: {role: dev}\n`).join("");
  const text = `version: 1\nteam: greeters\ndialects: [vbw/2]\nagents:\n  lead-1: {role: lead}\n${agents}`;
  const children: ChildProcess[] = [];
  /** When each has ended and all that it said was read, which may be after it has ended. */
  const closed: Promise<unknown>[] = [];
  try {
    const opened = await openTeam({
      journal,
      agent: "lead-1",
      teamFile: { path: "team.yaml", text },
      create: true,
      clock,
    });
    assert.ok(opened.ok, JSON.stringify(opened));
    await using lead = opened.value;
    const replies = new Map<string, string[]>();
    const ready = manners.map(async (manner, index) => {
      const child = spawn(process.execPath, [program, journal, `dev-${index + 1}`, manner], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      children.push(child);
      closed.push(once(child, "close"));
      const said: string[] = [];
      replies.set(manner, said);
      const lines = createInterface(child.stdout);
      lines.on("line", (line) => said.push(line));
      await once(lines, "line");
    });
    await Promise.all(ready);
    const started = await lead.startShutdown({ reason: "phase_complete", deadlineMs }, { id: "shut-1" });
    assert.equal(started.outcome, "accepted", JSON.stringify(started));
    const startMs = systemClock.monotonic();
    const certificate = await ended(lead, pass);
    const tookMs = systemClock.monotonic() - startMs;
    await Promise.all(closed);
    let timers = 0;
    for await (const line of lead.log({ kinds: ["timer"] })) if (line.ok) timers += 1;
    return { certificate, replies, tookMs, timers };
  } finally {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
}

async function ended(lead: Team, pass: Pass): Promise<ShutdownView> {
  for (;;) {
    const found = await lead.shutdowns({ round: "shut-1" });
    assert.ok(found.ok);
    const [round] = found.value;
    if (round !== undefined && round.outcome !== "open") return round;
    if (round !== undefined) await pass(round);
  }
}

/** What is wrong with a round, in words; empty: nothing. */
export function problemsOf({ certificate, replies, timers }: Round): readonly string[] {
  const problems: string[] = [];
  for (const [index, [manner, outcome]] of Object.entries(expected).entries()) {
    const part = certificate.agents.find(({ agent }) => agent === `dev-${index + 1}`);
    if (part?.outcome !== outcome) problems.push(`who ${manner} ends ${part?.outcome}, not ${outcome}`);
  }
  if (certificate.outcome !== "incomplete") problems.push(`the round is ${certificate.outcome}`);
  // Four refusals are asked again, the fourth of one agent forces it, and one deadline ends the rest.
  if (timers !== 6) problems.push(`${timers} entries of Baton`);
  for (const manner of ["answers twice", "contradicts"]) {
    const said = replies.get(manner)?.join(" ");
    if (said !== 'ready "accepted" "agent-stopped"') problems.push(`who ${manner} was told ${said}`);
  }
  return problems;
}
