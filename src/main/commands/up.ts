/** `baton up`: the hub on this machine, until it is reported to stop. */
import { dirname, join, resolve } from "node:path";
import { pino } from "pino";
import { type Clock, systemClock, timestampOf } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { newJournalProblem } from "../../doors/cli/place/hubs-elsewhere.ts";
import { type HubNote, leaveNote, runningHubs } from "../../doors/cli/place/running-hubs.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { writeError } from "../../doors/cli/terminal/process-streams.ts";
import { localTime } from "../../doors/cli/terminal/terminal-text.ts";
import { type HubLog, type HubRepository, hubLimits } from "../../doors/http/index.ts";
import { pageFiles } from "../../doors/http/server/pages.ts";
import type { McpHandler } from "../../doors/mcp/index.ts";
import { addressToPaste } from "../../journal/address-to-paste.ts";
import { anchorPath } from "../../journal/anchor-file.ts";
import { packageFacts } from "../../perform/workspace/package-root.ts";
import { type Place, writablePlaceOf } from "../../perform/workspace/place.ts";
import { seenFileNote } from "../../perform/workspace/team-opening.ts";
import { checkoutAround, liesInWorkTree } from "../../perform/workspace/workspace.ts";
import { hookMount } from "../../programs/sessions/hub-hooks.ts";
import type { ShutdownView } from "../../shutdown/operations.ts";
import { initialiseHere } from "../../team/text/init.ts";
import { codeFiles } from "../code-files.ts";
import { type RunningHub, startHub } from "../hub.ts";
import { endOfNpm } from "../npm-end.ts";
import { publicOptions, publicWish, readPublicAddress } from "../public-address.ts";
import { settling } from "../settling.ts";

/** Levels of `--log-level`, the most talkative first. */
const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

/** The log at `level`; `plain` for people at a terminal. */
function hubLog(level: LogLevel, plain: boolean): HubLog {
  return plain ? plainLog(level) : jsonLog(level);
}

function jsonLog(level: LogLevel): HubLog {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${timestampOf(systemClock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: writeError },
  );
}

/** What is in a line is shown, never executed by the terminal. */
function plainLog(level: LogLevel): HubLog {
  const least = logLevels.indexOf(level);
  const say = (at: LogLevel) => (facts: object, words: string) => {
    if (logLevels.indexOf(at) < least) return;
    const told = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
    const line = [localTime(systemClock.now()), at, words, ...told].join(" ");
    writeError(`${visible(line)}\n`);
  };
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}

const portDefault = 4777;
/** How long answers of tools that wait may take once the hub stops; less than what it gives requests. */
const answersMs = 1_000;

export const command: Command = {
  isLocal: true,
  isOwners: true,
  description:
    "Serves the team on 127.0.0.1, and with --listen for other machines too: the HTTP interface for agents with a\n" +
    "token, and the page for the person, whose URL it prints; the code in it is good for one browser and a quarter of\n" +
    "an hour. Without a .baton/ it first does what `init --yes` does. Completions that agents report are checked against the\n" +
    "repository around the journal. Ctrl-C ends it after what is being recorded, and after a shutdown round that goes on; a\n" +
    "second Ctrl-C ends it at once.",
  options: [
    {
      name: "port",
      kind: "port",
      value: "PORT",
      summary: `the port (default: ${portDefault}; 0 takes a free one)`,
    },
    ...publicOptions,
    {
      name: "log-level",
      kind: "text",
      value: "LEVEL",
      choices: logLevels,
      summary: "how much it says (default: warn)",
    },
    {
      name: "repository",
      kind: "text",
      value: "DIR",
      summary:
        "a folder of the team's repository, for a journal that lies in none (default: the one around the team's folder)",
    },
    { name: "no-verify", kind: "flag", summary: "leave reported completions to `baton verify`" },
  ],
  examples: [
    { line: "baton up", meaning: "the hub of this repository" },
    { line: "baton up --port 0 --json", meaning: "on a free port, for a program that reads the first line" },
    {
      line: "baton up --listen 0.0.0.0:4778 --public-url https://baton.example.com",
      meaning: "for other machines, behind a proxy that speaks TLS",
    },
  ],
  next: "baton start --link prints another link to the page, baton token create AGENT a credential for an agent, baton stop ends the day.",
  endsByInterrupt: true,
  run: async (call) => {
    const port = call.given.number("port") ?? portDefault;
    const publicAddress = readPublicAddress(publicWish(call.given));
    if (!publicAddress.ok) return call.output.fail(publicAddress.error);
    const { stop, terminated } = stopOf(call);
    const place = await placeFor(call);
    if (!place.ok) return call.output.fail(place.error);
    const unsafe = await newJournalProblem(call, place.value);
    if (unsafe !== null) return call.output.fail(unsafe);
    const { journal, address, shown, teamFile, root: project } = place.value;
    const wrong = otherRepository(call, place.value);
    if (wrong !== null) return call.output.fail(wrong);
    if (liesInWorkTree(journal)) call.output.say(`warning: ${visible(journal)} ${inWorkTree}`);
    const log = hubLog(chosen(call.given.text("log-level") ?? "warn", logLevels), call.config.isInteractive());
    const { root, version } = packageFacts();
    const mcp = whenAsked(async () => {
      const { mcpHandler } = await import("../../doors/mcp/index.ts");
      return mcpHandler({
        version,
        onProblem: (problem) => log.warn({ problem: problem.message }, "an MCP request failed"),
      });
    });
    const home: { team: string | null } = { team: null };
    const started = await startHub({
      journal: address,
      stateFolder: dirname(journal),
      headsFile: anchorPath(journal),
      teamFile,
      ...(teamFile === null ? {} : { seenFile: seenFileNote(journal, teamFile.path) }),
      create: teamFile !== null,
      port,
      version,
      log,
      mcp: (request, team) => mcp.fetch(request, team),
      hooks: hookMount(call, home),
      a2a: async () => (await import("../../doors/a2a/server.ts")).a2aDoor,
      pages: pageFiles(join(root, "dist/page"), call.config.program),
      codes: codeFiles(journal, systemClock),
      ...(publicAddress.value === null ? {} : { publicAddress: publicAddress.value }),
      repository: repositoryFor(call, project),
      isRepositoryMeant: call.given.text("repository") !== undefined,
      environment: call.config.environment(),
    });
    if (!started.ok) return call.output.fail(await whyNot(started.error, journal, port));
    const hub = started.value;
    home.team = hub.team;
    const { url, instance } = hub;
    // Looked for before this hub is one of them; who waits for this one does not wait for their answers.
    const others = runningHubs(journal);
    const startedAt = timestampOf(systemClock.now());
    const takeNoteAway = leaveNote(journal, { pid: process.pid, url, startedAt, instance }, addressToPaste(address));
    const { publicUrl } = hub;
    if (publicUrl?.startsWith("http:") === true) call.output.say(`warning: ${visible(publicUrl)} ${unencrypted}`);
    await tell(call, hub, shown);
    for (const other of await others) call.output.say(`note: ${alsoRuns(other)}`);
    log.info({ url: hub.url }, "the hub answers");
    await using _start = settling();
    using npm = endOfNpm(call.config);
    await aborted(AbortSignal.any([stop, npm.signal]));
    // Only Ctrl-C waits for agents: who ends a service wants it ended.
    if (call.signal.aborted) await drainRounds(hub, (words) => call.output.say(words), { signal: terminated });
    log.info({}, "the hub stops");
    await stopBoth(hub, mcp);
    takeNoteAway();
    return exitCodes.done;
  },
};

const unencrypted =
  "is not encrypted: others on the way can read the tokens and act with them. Use https, or a network that encrypts.";

/** Several hubs on one journal are allowed, and rarely meant. */
function alsoRuns({ url, pid }: HubNote): string {
  return `another hub of this team runs at ${url} (pid ${pid}). Both work on the same journal; \`baton stop\` ends both.`;
}

const inWorkTree =
  "is in the work tree, where a commit can put files that a hub takes for its own. Leave --journal out: the state is then in git's folder.";

/** Where the team lives; made where there is none, unless a journal was named. */
async function placeFor(call: Call): Promise<Result<Place, Problem>> {
  const place = await writablePlaceOf(call);
  if (place.ok || place.error.code !== "not-initialised") return place;
  const made = initialiseHere(call);
  if (!made.ok) return made;
  call.output.say(`Made ${made.value.teamFile} for team ${made.value.team}, as \`baton init --yes\` does.`);
  return await writablePlaceOf(call);
}

/** Why reports cannot be judged by the repository that is named: the journal's file lies in another. Null: they can. */
function otherRepository({ given, config }: Call, { journal, address, root }: Place): Problem | null {
  const named = given.text("repository");
  const [own, other] = [root, resolve(config.directory, named ?? root)].map(
    (folder) => checkoutAround(folder)?.repository ?? null,
  );
  if (named === undefined || address !== journal || own === null || own === other) return null;
  return makeProblem(
    "wrong-usage",
    "--repository",
    `The journal lies in the repository at ${own}, which is the team's.`,
    {
      received: named,
      hint: "Leave it out. With --no-verify this hub judges nothing.",
    },
  );
}

/** Where reported work is looked for; a folder in no repository leaves it reported. */
function repositoryFor({ given, config }: Call, project: string): HubRepository | null {
  if (given.flag("no-verify")) return null;
  const named = given.text("repository");
  const directory = named === undefined ? project : resolve(config.directory, named);
  return { directory, environment: config.environment() };
}

/** The URL for the owner's browser, alone where standard output goes to a program; and what one needs to know next. */
async function tell(call: Call, hub: RunningHub, journal: string): Promise<void> {
  const { output, config } = call;
  const url = hub.ownerUrl();
  const publicPage = await hub.publicOwnerUrl();
  const paint = config.isShown() ? output.paint.stdout : output.paint.stderr;
  const next = () => {
    const rows = [
      ["team", paint.strong(hub.team ?? "those of the journal")],
      ["journal", visible(journal)],
      ["the page", url],
      [
        "",
        paint.faint(
          `opens once, within ${hubLimits.codeMs / 60_000} minutes; ${config.program} start --link prints a new link`,
        ),
      ],
      ...(publicPage === null ? [] : [["", `elsewhere ${publicPage}`]]),
      ["agents", `connect to ${hub.publicUrl ?? hub.url} with a token: ${config.program} token create AGENT`],
      ["", paint.faint(`or speak MCP: ${config.program} mcp --as AGENT; docs/guides/mcp.md and docs/guides/hub.md`)],
      ["", "Ctrl-C stops the hub."],
    ];
    return rows.map(([name = "", said = ""]) => `${name.padEnd(10)}${said}`).join("\n");
  };
  const elsewhere = publicPage === null ? {} : { publicUrl: publicPage };
  output.result({ url, ...elsewhere, pid: process.pid, team: hub.team }, () => (config.isShown() ? next() : url));
  if (!config.isShown() && !output.json) output.say(next());
}

/** Why the hub did not start; a port that a hub of the same journal holds is no riddle. */
async function whyNot(problems: readonly Problem[], journal: string, port: number): Promise<readonly Problem[]> {
  if (problems[0]?.code !== "port-taken") return problems;
  const own = (await runningHubs(journal)).find(({ url }) => url.endsWith(`:${port}`));
  if (own === undefined) return problems;
  return [
    makeProblem("port-taken", `port ${port}`, `The hub of this team runs already (pid ${own.pid}) at ${own.url}.`, {
      hint: "A new link to its page: `baton start --link`. `baton stop` ends it; --port 0 starts another one.",
    }),
  ];
}

/** A handler made by the first request: loading MCP takes a quarter of a hub's start, and many hubs have no such program. */
function whenAsked(make: () => Promise<McpHandler>): McpHandler {
  let made: Promise<McpHandler> | null = null;
  return {
    async fetch(request, team) {
      made ??= make();
      return (await made).fetch(request, team);
    },
    async close() {
      await (await made)?.close();
    },
  };
}

/** Tools that wait are answered as the hub stops; what of MCP is open after that has nothing more to say. */
async function stopBoth(hub: RunningHub, mcp: McpHandler): Promise<void> {
  const stopped = hub.stop();
  const isStopped = new AbortController();
  await Promise.race([stopped, systemClock.wait(answersMs, isStopped.signal)]);
  isStopped.abort();
  await mcp.close();
  await stopped;
}

/** Ctrl-C and SIGTERM both mean the end; Ctrl-C waits for shutdown rounds. */
function stopOf(call: Call): { readonly stop: AbortSignal; readonly terminated: AbortSignal } {
  const { signal: terminated, abort } = abortable();
  process.once("SIGTERM", abort);
  return { stop: AbortSignal.any([call.signal, terminated]), terminated };
}

function abortable(): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** Waits for the word to stop. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/* The end of a hub while a shutdown round goes on. */

/** How often it is looked whether the rounds are over, in milliseconds. */
const roundLookMs = 200;
/** How long the hub stays after them at least, so that uncommitted files can be reported with them. */
const afterMs = 1_000;
/** How long it stays after them at most, for those who wait through it and ask slowly. */
const afterMsMax = 10_000;

/** What is drained. */
interface Draining {
  /** The rounds that go on. */
  openRounds(): Promise<readonly ShutdownView[]>;
  /** Whether somebody waits for the end of one, and has not seen it. */
  isRoundAwaited(): boolean;
}

/**
 * Waits until no round goes on, and then until each caller that waits for one has seen its end, or `signal` aborts;
 * each round that is waited for is reported once.
 */
export async function drainRounds(
  { openRounds, isRoundAwaited }: Draining,
  tell: (words: string) => void,
  { signal, clock = systemClock }: { readonly signal: AbortSignal; readonly clock?: Clock },
): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const rounds = signal.aborted ? [] : await openRounds();
    if (rounds.length === 0) break;
    for (const round of rounds) {
      const key = `${round.requester}/${round.round}`;
      if (!told.has(key)) tell(waitingWords(round));
      told.add(key);
    }
    await clock.wait(roundLookMs, signal);
  }
  const endedAtMs = clock.monotonic();
  if (told.size > 0) await clock.wait(afterMs, signal);
  while (!signal.aborted && isRoundAwaited() && clock.monotonic() - endedAtMs < afterMsMax)
    await clock.wait(roundLookMs, signal);
}

function waitingWords({ round, agents, dueAt }: ShutdownView): string {
  const left = agents.filter(({ outcome }) => outcome === null).map(({ agent }) => visible(agent));
  return (
    `Shutdown ${visible(round)} goes on: ${left.join(", ")} ${left.length === 1 ? "has" : "have"} not stopped ` +
    `(until ${dueAt === null ? "now" : localTime(dueAt)}). The hub ends after it; Ctrl-C again ends it at once.`
  );
}
