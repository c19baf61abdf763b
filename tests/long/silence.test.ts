/** The long campaign of silence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import {
  noticedAfter,
  oversleep,
  type SilenceReport,
  silenceAll,
  silenceFindings,
} from "../runtime/silence-campaign.ts";
import { record } from "./record.ts";

const skip = process.platform === "win32" ? "stopping a process needs a POSIX system" : false;
const shortSeconds = 6;
const usualSeconds = 60;

test("no agent that is paused for less than the limit is taken for dead, and each that is killed is found", {
  skip,
}, async () => {
  const seed = chosenSeed(20_264);
  const chance = chanceFrom(seed);
  // The usual limit takes its time, so both run at once.
  const [short, usual, overslept] = await Promise.all([
    silenceAll({ limitSeconds: shortSeconds, agents: 8, pauses: 12, longest: 0.9, chance }),
    silenceAll({ limitSeconds: usualSeconds, agents: 6, pauses: 1, longest: 0.95, chance }),
    oversleep(shortSeconds),
  ]);
  const problems = [...silenceFindings(short), ...silenceFindings(usual)];
  const planted = controls(short);
  const caught = planted.filter((each) => silenceFindings(each).length > 0).length;
  const [pauses, deaths] = [short, usual]
    .map(countsOf)
    .reduce((all, each) => all.map((sum, at) => sum + (each[at] ?? 0)), [0, 0]);
  record(
    "silence",
    "Agents, each a `baton mcp` of its own on one journal with a hub, are stopped (SIGSTOP) for up to nine tenths of the limit " +
      "again and again at random moments, and in the end killed (SIGKILL); by a limit of 6 s, and by the usual one of 60 s.",
    [
      ["pauses shorter than the limit", pauses ?? 0],
      ["living agents taken for dead", problems.filter((problem) => problem.includes("alive")).length],
      ["silent deaths", deaths ?? 0],
      ["found once, within twice the limit", noticedAfter(short).length + noticedAfter(usual).length],
      [`longest until one was found, of ${2 * shortSeconds} s`, seconds(short)],
      [`longest until one was found, of ${2 * usualSeconds} s`, seconds(usual)],
      ["faults in all", problems.length],
      ["control: an agent paused for twice the limit is found, and heard again", overslept.isBack ? "yes" : "no"],
      [
        "control: planted false, late, doubled and missed deaths that the check finds",
        `${caught} of ${planted.length}`,
      ],
      ["seed", seed],
    ],
  );
  assert.deepEqual(problems, []);
  assert.equal(overslept.found.length, 1);
  assert.ok(overslept.isBack);
  assert.equal(caught, planted.length);
});

function countsOf({ silenced }: SilenceReport): readonly number[] {
  const killed = silenced.filter(({ how }) => how === "killed").length;
  return [silenced.length - killed, killed];
}

function seconds(report: SilenceReport): string {
  return `${(Math.max(...noticedAfter(report)) / 1000).toFixed(1)} s`;
}

/** The same report with an error in it, one after the other. */
function controls(report: SilenceReport): readonly SilenceReport[] {
  const { found, silenced, limitMs } = report;
  const [first] = found;
  const pause = silenced.find(({ how }) => how === "paused");
  if (first === undefined || pause === undefined) return [];
  return [
    { ...report, found: [...found, { agent: pause.agent, atMs: pause.atMs + 1 }] },
    { ...report, found: found.slice(1) },
    { ...report, found: [...found, first] },
    { ...report, found: [{ ...first, atMs: first.atMs + 2 * limitMs }, ...found.slice(1)] },
  ];
}
