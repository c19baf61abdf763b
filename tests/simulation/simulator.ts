/**
 * The simulator: the production core over a virtual clock, network and disk, with agents that crash, stall, repeat,
 * contradict and lie. Chance comes from a seed alone, so a seed replays exactly. At every step the checker compares the
 * state and the answers with separate models; at the end the failures stop, and everything must end too. Source:
 * docs/protocol/record.md, section 12.
 */

import type { TeamName } from "../../src/base/ids.ts";
import { shorten } from "../../src/base/text.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { dialectOf, dialects } from "../../src/messages/dialects/registry.ts";
import type { Context } from "../../src/perform/context.ts";
import { teamHandle } from "../../src/perform/handle.ts";
import { actorOf } from "./agents/act.ts";
import { checkReplay, checkViews } from "./models/view-check.ts";
import { type Disk, fileDisk, type JournalWrapper, memoryDisk } from "./world/disk.ts";
import { arrive } from "./world/network.ts";
import { settleDown } from "./world/settling.ts";
import { step } from "./world/step.ts";
import type { SimulatedClock } from "./world/time.ts";
import { entriesAfter, newWorld, takeEntries, type World } from "./world/world.ts";

/** What is simulated. */
export interface SimulationOptions {
  /** A whole number; the same one is the same run. */
  readonly seed: number;
  /** How many things happen before the errors stop. */
  readonly steps: number;
  /** Path of a journal in a file to run on; absent: a journal in memory. */
  readonly file?: string;
  /** A layer between the core and its journal, or around its context: tests plant errors with it. */
  readonly journal?: JournalWrapper;
  readonly context?: (context: Context) => Context;
}

/** What came of it. */
export interface SimulationReport {
  readonly seed: number;
  readonly steps: number;
  /** How many entries are in the journal. */
  readonly entries: number;
  /** The head's hash, which stands for every entry: the same seed gives the same one. */
  readonly digest: string;
  /** What happened, and how often. */
  readonly happened: ReadonlyMap<string, number>;
  /** Null: everything held. */
  readonly violation: SimulationViolation | null;
}

/** Something that must hold and did not. */
export interface SimulationViolation {
  /** The step after which it showed; one more than the last: after the errors had stopped. */
  readonly step: number;
  readonly wrongs: readonly string[];
  /** The last entries, as one line each. */
  readonly last: readonly string[];
  /** Everything above, and how to see it again. */
  readonly text: string;
}

/** How many steps lie between two looks at everything that is shown. */
const stepsBetweenViews = 125;
const lastEntriesShown = 12;
const lineCharactersMax = 500;

/** Runs one simulation to its end, or to the first step after which something is wrong. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { seed, steps, file, journal = (kept) => kept, context = (given) => given } = options;
  const openDisk = async (team: TeamName, clock: SimulatedClock): Promise<Disk> =>
    file === undefined ? memoryDisk(team, clock, journal) : fileDisk(file, clock, journal);
  const world = await newWorld({ seed, openDisk, context });
  try {
    const at = await run(world, steps);
    return report(world, { steps, at });
  } finally {
    await world.disk.close();
  }
}

/** Goes on until something is wrong, and says after which step; null: nothing was. */
async function run(world: World, steps: number): Promise<number | null> {
  const { checker } = world;
  world.isFaulty = false;
  await arrive(world, { id: "", agent: "owner", asked: { do: "revise", definition: world.definition } });
  world.isFaulty = true;
  for (let at = 1; at <= steps; at++) {
    await step(world);
    if (at % stepsBetweenViews === 0) await look(world);
    if (checker.wrongs.length > 0) return at;
  }
  await settleDown(world);
  if (checker.wrongs.length === 0) await look(world);
  if (checker.wrongs.length === 0) {
    const entries = await entriesAfter(world, 0);
    checker.models.record.checkAll(entries);
    await checkReplay(world.disk.journal(), entries, checker.wrong);
  }
  return checker.wrongs.length > 0 ? steps + 1 : null;
}

/** Looks at everything that the core shows, through a process in which nothing fails. */
async function look(world: World): Promise<void> {
  const { team, clock, disk, checker, wiring } = world;
  const journal = disk.journal();
  const { hasRepository } = wiring;
  const context = wiring.context({ journal, team, clock, dialectOf, dialects, hasRepository });
  const handle = teamHandle(context, actorOf({ agent: "owner" }), () => Promise.resolve());
  // What is due is recorded by the first look, so that all the others see the same.
  await handle.approvals();
  await takeEntries(world);
  await checkViews(handle, checker.models, checker.wrong);
}

function report(world: World, { steps, at }: { readonly steps: number; readonly at: number | null }): SimulationReport {
  const { seed, checker, happened } = world;
  const { entries } = checker.models.record;
  const digest = entries.at(-1)?.hash ?? "";
  const head = { seed, steps, entries: entries.length, digest, happened };
  if (at === null) return { ...head, violation: null };
  const last = entries.slice(-lastEntriesShown).map(lineOf);
  const { wrongs } = checker;
  const text = [
    `seed ${seed}, step ${at} of ${steps}:`,
    ...wrongs.map((wrong) => `  ${wrong}`),
    "the last entries:",
    ...last.map((line) => `  ${line}`),
    `again: node scripts/simulate.ts --seed ${seed} --steps ${steps}`,
  ].join("\n");
  return { ...head, violation: { step: at, wrongs, last, text } };
}

/** An entry as one line: who, what, and what followed. */
function lineOf({ seq, kind, principal, id, recordedAt, receivers, content }: Entry): string {
  const written = JSON.stringify(content);
  const to = receivers.length === 0 ? "" : ` to ${receivers.join(",")}`;
  return `${seq} ${recordedAt} ${kind} ${principal.agent} ${id ?? ""}${to}: ${shorten(written, lineCharactersMax)}`;
}
