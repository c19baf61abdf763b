/**
 * The rows of the journal's engines in a server, the same for each: one commit after another and a hundred awaited
 * together next to what the server takes without Baton; two processes on one team; many teams; how soon another process
 * sees a commit; opening a long journal.
 */
import { openJournal } from "../../src/journal/engines.ts";
import { attempt, must, mustRecord, tally, team } from "../../src/testing/journal-subject.ts";
import { type Measure, type Pair, timed } from "../measure.ts";
import { fillBenchTeam, manyMessages, openBenchTeam } from "../team.ts";
import type { RawWriter } from "./least.ts";
import { type Engine, jetStream, postgres, threeCopies } from "./servers.ts";
import { content, startWriter, type Writer, type Written, writeFor } from "./writer.ts";

/** The least rates that are demanded of an engine, and how many rounds its measures have. */
interface Demands {
  readonly one: number;
  readonly grouped: number;
  readonly twoHubs: number;
}

const demands: readonly (readonly [Engine, Demands])[] = [
  [postgres, { one: 0.55, grouped: 0.25, twoHubs: 0.7 }],
  [jetStream, { one: 0.7, grouped: 0.25, twoHubs: 0.4 }],
  [threeCopies, { one: 0.95, grouped: 0.6, twoHubs: 0.4 }],
];

/** The measures of all engines; none of one whose server cannot be started, which is said. */
export function engineMeasures(): readonly Measure[] {
  return demands.flatMap(([engine, demanded]) => {
    if (engine.skip === false) return measuresOf(engine, demanded);
    console.log(`LEFT OUT: the journal on ${engine.name} (${engine.skip})`);
    return [];
  });
}

const rounds = 15;
const onesPerRound = 200;
const groupsPerRound = 10;
const groupSize = 100;
/** How long writers write in a round. */
const forMs = 1_000;
const inFlight = 50;
const teamsAtOnce = 20;
const inFlightOfEach = 5;
const followedPerRound = 200;

function measuresOf(engine: Engine, demanded: Demands): readonly Measure[] {
  const { name, raw } = engine;
  return [
    {
      name: `One commit on ${name}`,
      subject: "commit: decide, hash, fold, durable",
      yardstick: `${raw}, one entry after another`,
      target: { of: "rate", atLeast: demanded.one },
      rounds,
      open: (folder) => openNextToRaw(engine, folder, onesPerRound, 1),
    },
    {
      name: `100 commits on ${name} at once`,
      subject: "100 commits, awaited together",
      yardstick: `${raw}, 100 entries at once`,
      target: { of: "rate", atLeast: demanded.grouped },
      rounds,
      open: (folder) => openNextToRaw(engine, folder, groupsPerRound * groupSize, groupSize),
    },
    {
      name: `The least that one commit on ${name} costs`,
      subject: leastSubject,
      yardstick: `${raw}, one entry after another`,
      target: { of: "rate", atLeast: demanded.one },
      rounds,
      open: (folder) => openLeastNextToRaw(engine, folder, onesPerRound, 1),
    },
    {
      name: `The least that 100 commits on ${name} at once cost`,
      subject: leastSubject,
      yardstick: `${raw}, 100 entries at once`,
      target: { of: "rate", atLeast: demanded.grouped },
      rounds,
      open: (folder) => openLeastNextToRaw(engine, folder, groupsPerRound * groupSize, groupSize),
    },
    {
      name: `Two processes on one team on ${name}`,
      subject: `two processes, ${inFlight} commits under way from each`,
      yardstick: `one process, ${2 * inFlight} commits under way`,
      target: { of: "rate", atLeast: demanded.twoHubs },
      rounds: 9,
      open: (folder) => openTwo(engine, folder),
    },
    {
      name: `The slower of two processes on one team on ${name}`,
      subject: "a commit of the slower one",
      yardstick: "a commit of the faster one",
      target: { of: "rate", atLeast: 0.5 },
      rounds: 9,
      open: (folder) => openRivals(engine, folder),
    },
    {
      name: `${teamsAtOnce} teams on ${name}`,
      subject: `${inFlightOfEach} commits under way to each`,
      yardstick: "one team, one commit after another",
      target: { of: "rate", atLeast: 3 },
      rounds: 9,
      open: (folder) => openManyTeams(engine, folder),
    },
    {
      name: `A commit on ${name} at another process, p99`,
      subject: "from the call of commit until the other process has the entry",
      yardstick: "fifty milliseconds",
      target: { of: "time", atMost: 1 },
      rounds: 7,
      open: (folder) => openFollowed(engine, folder),
    },
    {
      name: `Opening a journal of ${manyMessages.toLocaleString("en")} messages on ${name}`,
      subject: "openTeam, which connects and reads the settings back, and its first inbox page; a snapshot is there",
      yardstick: "three tenths of a second",
      target: { of: "time", atMost: 1 },
      rounds: 5,
      open: (folder) => openLong(engine, folder),
    },
  ];
}

async function openNextToRaw(engine: Engine, folder: string, perRound: number, size: number): Promise<Pair> {
  const server = await engine.start(folder);
  const journal = must(await openJournal(server.newUrl(), tally));
  const raw = await server.openRaw(size);
  const web = team("web");
  let count = 0;
  const commit = async () => {
    count += 1;
    mustRecord(await journal.commit(web, attempt({ id: `m-${count}`, content })));
  };
  return {
    yardstick: () =>
      timed(perRound, async () => {
        for (let done = 0; done < perRound; done += size) await raw.write();
      }),
    subject: () =>
      timed(perRound, async () => {
        for (let done = 0; done < perRound; done += size) await Promise.all(Array.from({ length: size }, commit));
      }),
    async close() {
      await journal.close();
      await raw.close();
      await server.stop();
    },
  };
}

const leastSubject = "made into text, hashed and written as the journal does it, nothing decided, folded or answered";

async function openLeastNextToRaw(engine: Engine, folder: string, perRound: number, size: number): Promise<Pair> {
  const server = await engine.start(folder);
  const [raw, least] = [await server.openRaw(size), await server.openLeast(size)];
  const writing = (writer: RawWriter) => () =>
    timed(perRound, async () => {
      for (let done = 0; done < perRound; done += size) await writer.write();
    });
  return {
    yardstick: writing(raw),
    subject: writing(least),
    async close() {
      await Promise.all([raw.close(), least.close()]);
      await server.stop();
    },
  };
}

/** Two processes on a journal of the engine. */
async function startTwo(engine: Engine, folder: string) {
  const server = await engine.start(folder);
  const url = server.newUrl();
  const [one, other] = [await startWriter(url, "dev-1"), await startWriter(url, "dev-2")];
  const close = async () => {
    await Promise.all([one.close(), other.close()]);
    await server.stop();
  };
  return { one, other, close };
}

function together(writers: readonly Writer[]): Promise<readonly Written[]> {
  return Promise.all(writers.map((writer) => writer.write({ teams: ["shared"], inFlight, forMs })));
}

async function openTwo(engine: Engine, folder: string): Promise<Pair> {
  const { one, other, close } = await startTwo(engine, folder);
  return {
    // Another team: a team that two processes wrote to a moment ago is still written as such.
    async yardstick() {
      const { commits } = await one.write({ teams: ["alone"], inFlight: 2 * inFlight, forMs });
      return forMs / commits;
    },
    async subject() {
      const written = await together([one, other]);
      return forMs / written.reduce((sum, { commits }) => sum + commits, 0);
    },
    close,
  };
}

async function openRivals(engine: Engine, folder: string): Promise<Pair> {
  const { one, other, close } = await startTwo(engine, folder);
  let slowest = 0;
  return {
    async yardstick() {
      const counts = (await together([one, other])).map(({ commits }) => commits);
      slowest = Math.min(...counts);
      return forMs / Math.max(...counts);
    },
    subject: () => forMs / slowest,
    close,
  };
}

async function openManyTeams(engine: Engine, folder: string): Promise<Pair> {
  const server = await engine.start(folder);
  const journal = must(await openJournal(server.newUrl(), tally, { gathers: true }));
  const teams = Array.from({ length: teamsAtOnce }, (_, number) => `team-${number}`);
  const msOf = async (names: readonly string[], each: number) => {
    const { commits } = await writeFor(journal, "dev-1", { teams: names, inFlight: each, forMs });
    return forMs / commits;
  };
  return {
    yardstick: () => msOf(["alone"], 1),
    subject: () => msOf(teams, inFlightOfEach),
    async close() {
      await journal.close();
      await server.stop();
    },
  };
}

async function openFollowed(engine: Engine, folder: string): Promise<Pair> {
  const server = await engine.start(folder);
  const url = server.newUrl();
  const journal = must(await openJournal(url, tally, { gathers: true }));
  const web = team("web");
  let count = 0;
  const commit = async () => {
    count += 1;
    return mustRecord(await journal.commit(web, attempt({ id: `m-${count}`, content })));
  };
  await commit();
  const other = await startWriter(url, "dev-2");
  const seenAt = new Map<number, bigint>();
  let wake: () => void = () => undefined;
  await other.follow("web", (seq, at) => {
    seenAt.set(seq, at);
    wake();
  });
  return {
    yardstick: () => 50,
    async subject() {
      const took: number[] = [];
      for (let done = 0; done < followedPerRound; done += 1) {
        const start = process.hrtime.bigint();
        const { seq } = await commit();
        while (!seenAt.has(seq)) await new Promise<void>((resolve) => (wake = resolve));
        took.push(Number((seenAt.get(seq) ?? start) - start) / 1e6);
      }
      return percentile(took, 0.99);
    },
    async close() {
      await other.close();
      await journal.close();
      await server.stop();
    },
  };
}

async function openLong(engine: Engine, folder: string): Promise<Pair> {
  const server = await engine.start(folder);
  const url = server.newUrl();
  await fillBenchTeam(folder, manyMessages, url);
  return {
    yardstick: () => 300,
    subject: () =>
      timed(1, async () => {
        await using lead = await openBenchTeam(folder, "lead-1", url);
        const page = await lead.inbox({ limit: 100 });
        if (!page.ok || page.value.deliveries.length !== 100) throw new Error(`no first page: ${JSON.stringify(page)}`);
      }),
    close: () => server.stop(),
  };
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1] ?? Number.NaN;
}
