/** The page of the scale: what was measured, what follows from it, what the simulation says, and how far off it was. */
import { machine } from "../page.ts";
import { type Measured, method } from "./measure.ts";
import { type Demand, type Inputs, mean, percentile, type Sizing, sizingOf } from "./model.ts";
import { type Delays, simulate } from "./simulation.ts";

/** One engine's measurements. */
export interface Engine {
  readonly name: string;
  readonly copies: number;
  readonly measured: Measured;
}

/** What the page sizes for. */
export const demand: Demand = { teams: 10_000, messagesPerSecond: 1_000, busyMax: 0.6 };
const simulatedMessages = 200_000;

type Line = readonly [what: string, ...values: string[]];

/** The whole page. */
export function scalePage(engines: readonly Engine[]): string {
  const sized = engines.map((engine) => ({ engine, inputs: inputsOf(engine), sizing: sizeOf(engine) }));
  const measured: readonly Line[] = [
    row("copies that the servers keep", sized, ({ inputs }) => String(inputs.copies)),
    row("messages a second, many under way", sized, ({ inputs }) => whole(inputs.messagesPerSecond)),
    row("`send` to receipt, one after another: median", sized, ({ inputs }) => ms(percentile(inputs.latenciesMs, 0.5))),
    row("the same: mean, p99", sized, ({ inputs }) => {
      return `${ms(mean(inputs.latenciesMs))}, ${ms(percentile(inputs.latenciesMs, 0.99))}`;
    }),
    row("processor time of the hub for a message", sized, ({ inputs }) => ms(inputs.hubProcessorMs)),
    row("bytes of a message in the servers, one copy", sized, ({ inputs }) => whole(inputs.bytesPerMessage)),
    row("the same with its acknowledgement", sized, ({ inputs }) => whole(inputs.bytesPerAcknowledgedMessage)),
    row("memory of a hub without teams", sized, ({ inputs }) => size(inputs.hubBytes)),
    row("memory for each team that it has read", sized, ({ inputs }) => size(inputs.hubBytesPerTeam)),
    row("memory for each message recorded since", sized, ({ inputs }) => size(inputs.hubBytesPerMessage)),
    row("first look at a team, the median", sized, ({ inputs }) => ms(inputs.firstLookMs)),
    row(
      `a look for deadlines in ${whole(engines[0]?.measured.inputs.deadlines.teams ?? 0)} teams`,
      sized,
      ({ inputs }) => ms(inputs.deadlines.lookMs),
    ),
    row(`finding whose a token is, among ${whole(engines[0]?.measured.teams ?? 0)} teams`, sized, ({ inputs }) =>
      ms(inputs.tokenMs),
    ),
    row("finding the owner's session in the last of them", sized, ({ inputs }) => ms(inputs.sessions.lookMs)),
    row("connections of a hub to the servers", sized, ({ inputs }) => String(inputs.connections)),
  ];
  const derived: readonly Line[] = [
    row("journals: demand / (busy at most x messages a second), up", sized, ({ sizing }) => String(sizing.journals)),
    row("busy: demand / journals / messages a second", sized, ({ sizing }) => `${whole(sizing.busy * 100)} %`),
    row("teams of a journal: teams / journals, up", sized, ({ sizing }) => whole(sizing.teamsPerJournal)),
    row("hubs of a journal: by processor time, 2 at least", sized, ({ sizing }) => String(sizing.hubsPerJournal)),
    row("hubs: journals x hubs of a journal", sized, ({ sizing }) => String(sizing.hubs)),
    row("disk a day, one copy: demand x 86,400 x bytes with acknowledgement", sized, ({ sizing }) =>
      size(sizing.bytesPerDay),
    ),
    row("disk a day, all copies", sized, ({ sizing }) => size(sizing.bytesPerDayInAllCopies)),
    row("memory of a hub that has read all its teams", sized, ({ sizing }) => size(sizing.hubBytes)),
    row("what an hour adds to it at first: messages of the journal x memory for each", sized, ({ sizing }) =>
      size(sizing.hubBytesPerHour),
    ),
    row(
      "a new hub reads all its teams: teams x first look",
      sized,
      ({ sizing }) => `${whole(sizing.takeOverSeconds)} s`,
    ),
    row("connections to the servers of a journal", sized, ({ sizing }) => String(sizing.connectionsPerJournal)),
    row("finding the owner's session: as measured x teams / teams measured", sized, ({ sizing }) =>
      ms(sizing.sessionMs),
    ),
  ];
  const simulated = sized.map(({ inputs, sizing }) => ({
    sizing,
    delays: simulate({
      teams: sizing.teamsPerJournal,
      messagesPerSecond: demand.messagesPerSecond / sizing.journals,
      capacityPerSecond: inputs.messagesPerSecond,
      latenciesMs: inputs.latenciesMs,
      messages: simulatedMessages,
      seed: method.seed,
    }),
  }));
  const heads = engines.map(({ name }) => name);
  return [
    "# Scale",
    "",
    "Written by `npm run bench:scale`; do not edit. It sizes a journal in a server for",
    `${whole(demand.teams)} teams that send ${whole(demand.messagesPerSecond)} messages a second. Every number is measured on this machine by that command, or derived on this`,
    "page from such numbers. Hub, servers and load share the machine, so servers on separate machines take more; the ratios",
    "between engines also depend on its disk. Measure on your own machines before you buy any.",
    "",
    `Machine: ${machine()}. Node ${process.versions.node}.`,
    "",
    "## What is measured",
    "",
    `One process does what a hub does for ${whole(engines[0]?.measured.teams ?? 0)} teams of two agents, without HTTP: read, check, authorise, decide,`,
    `record. A message is an update of 585 bytes. Many under way: ${method.underWay}, each to a team at random.`,
    "",
    ...table(["", ...heads], measured),
    "",
    "The look for deadlines has one answer for all teams, so a hub does not read teams that have nothing due.",
    "",
    "## What follows",
    "",
    `A journal and a hub's processor are busy for ${demand.busyMax * 100} % of the time at most: waiting grows fast above it. HTTP costs a hub more`,
    "processor time than is measured here; `npm run bench` has the rows of a hub. The model is `bench/scale/model.ts`.",
    "",
    ...table([`${whole(demand.teams)} teams, ${whole(demand.messagesPerSecond)} messages a second`, ...heads], derived),
    "",
    "Where more than one journal is needed, each has separate servers and takes a part of the teams. Teams share nothing, so",
    "any division holds, for example by the hash of a team's name; it is chosen when a team begins, and",
    "`baton journal migrate` moves a journal. With one team in ten thousand under way at a time, a transaction mostly holds one",
    "message, so what groups of messages gain does not help here.",
    "",
    "## The simulation",
    "",
    `Each journal gets its part of ${whole(simulatedMessages)} messages at random times (a Poisson process, seed ${method.seed}), each of a random team. One`,
    "transaction after another takes the bottleneck for as long as the measured rate says; the rest of the measured",
    "time passes next to the others. Of each transaction the time is drawn from the measured ones. Messages of a team that come",
    "while its transaction is under way share the next one. The simulation is `bench/scale/simulation.ts`.",
    "",
    ...table(
      ["`send` to receipt", ...heads],
      [
        delayRow("median", simulated, ({ median }) => ms(median)),
        delayRow("p95", simulated, ({ p95 }) => ms(p95)),
        delayRow("p99", simulated, ({ p99 }) => ms(p99)),
        delayRow("of it waiting for others: median", simulated, ({ waitedMedian }) => ms(waitedMedian)),
        delayRow("of it waiting for others: p99", simulated, ({ waitedP99 }) => ms(waitedP99)),
        delayRow("busy", simulated, ({ busy }) => `${whole(busy * 100)} %`),
        delayRow("messages of a transaction", simulated, ({ perTransaction }) => perTransaction.toFixed(3)),
      ],
    ),
    "",
    "## How far off it is",
    "",
    "The same process sends at random times what a part of the measured rate is, for ten seconds. Next to it is what the",
    "simulation says for the same teams, rate and measurements. A message's time begins when it should have been sent, so a late",
    "timer and a busy process count, which the simulation does not know.",
    "",
    ...table(
      ["engine, messages a second", "median, run / simulated", "p95", "p99"],
      engines.flatMap((engine) => engine.measured.runs.map((run) => compared(engine, run))),
    ),
    "",
    "A value above 1 means that the run was slower than the simulation. Take the largest of them as the error of the",
    "table before.",
    "",
    "## What is not built",
    "",
    "- **A journal is not divided.** On JetStream it has one stream for entries and one for what is next to them; on PostgreSQL its",
    "  tables are not partitioned. Several journals share out teams by hand: no hub serves two, and nothing routes a request to",
    "  the hub of its team's journal.",
    "- **Requests of a team are not routed to one hub.** Any hub may answer; it is safe, and costs folding twice and lost races",
    "  (see two processes on one team in `npm run bench`).",
    "- **A hub never drops a team that it has read**, so its memory grows to all teams of the journal and with what they record",
    "  until it is restarted. Parts of it stop growing: of each team a hub keeps 10,000 ids at most, and on JetStream the last",
    "  entries up to 4 MiB, which for all teams together can be more than a machine has. PostgreSQL has the other ids in a table;",
    "  on JetStream they are 24 bytes each in memory.",
    "- **The owner's session and links to read name no team.** A hub looks for them in each team, one round trip each, so a request",
    "  of the page takes `teams x first look` at first. Tokens name their team. A token that was made before they did is looked for",
    "  in each team, too.",
    "- **Nothing is deleted.** The disk must hold what the table says for each day.",
    "- The simulation knows no failures, no bursts beyond chance, no network between machines, and no slow minute of a disk.",
    "",
  ].join("\n");
}

interface Sized {
  readonly engine: Engine;
  readonly inputs: Inputs;
  readonly sizing: Sizing;
}

function inputsOf({ name, copies, measured }: Engine): Inputs {
  return { ...measured.inputs, engine: name, copies };
}

function sizeOf(engine: Engine): Sizing {
  return sizingOf(inputsOf(engine), demand);
}

function row(what: string, sized: readonly Sized[], value: (sized: Sized) => string): Line {
  return [what, ...sized.map(value)];
}

function delayRow(
  what: string,
  simulated: readonly { readonly delays: Delays }[],
  value: (delays: Delays) => string,
): Line {
  return [what, ...simulated.map(({ delays }) => value(delays))];
}

function compared(engine: Engine, run: Measured["runs"][number]): Line {
  const { messagesPerSecond, latenciesMs } = engine.measured.inputs;
  const said = simulate({
    teams: engine.measured.teams,
    messagesPerSecond: run.messagesPerSecond,
    capacityPerSecond: messagesPerSecond,
    latenciesMs,
    messages: simulatedMessages,
    seed: method.seed,
  });
  const both = (real: number, model: number) => `${ms(real)} / ${ms(model)} = ${(real / model).toFixed(2)}`;
  return [
    `${engine.name}, ${whole(run.messagesPerSecond)}`,
    both(run.median, said.median),
    both(run.p95, said.p95),
    both(run.p99, said.p99),
  ];
}

function table(heads: readonly string[], lines: readonly Line[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), `|${heads.map(() => "---").join("|")}|`, ...lines.map(line)];
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function ms(value: number): string {
  if (value >= 10_000) return `${(value / 1_000).toFixed(0)} s`;
  return `${value.toFixed(value >= 100 ? 0 : value >= 1 ? 1 : 2)} ms`;
}

function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value >= 100 || power === 0 ? 0 : 1)} ${units[power]}`;
}
