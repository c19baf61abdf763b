/** `baton demo`: a team at work on a scratch repository, and what Baton does about it, in a minute. */

import { join, sep } from "node:path";
import { type Evidence, problemsIn, readEvidence } from "../../../examples/demo/check.ts";
import { playStory } from "../../../examples/demo/play.ts";
import { type Stage, setStage } from "../../../examples/demo/stage.ts";
import { agents, wantedFile } from "../../../examples/demo/story.ts";
import { tellOn } from "../../../examples/demo/told.ts";
import { invariant } from "../../base/invariant.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { packageFacts } from "../../perform/workspace/package-root.ts";
import { endOfNpm } from "../npm-end.ts";
import { openPage } from "./start-outside.ts";

export const command: Command = {
  description:
    "Plays a team's day on a scratch git repository: baton start, six tasks by baton plan add, three scripted agents as separate\n" +
    "processes with Baton's tools and hooks, each in its tree. An edit of a file that another holds is denied, a report of work\n" +
    "that is not done is disputed, work that conflicts and work that breaks a check go back to their authors, an agent is killed\n" +
    "and goes on; all six land, baton land moves main, and baton stop ends the day. In the end it reads journal and repository\n" +
    "and checks what it told. Takes about a minute, with --fast less; exits 1 when something does not hold. On a terminal the\n" +
    "page stays until you press Enter. Afterwards nothing is left, unless --keep names a folder.",
  options: [
    { name: "fast", kind: "flag", summary: "without pauses for reading, and without waiting for you" },
    { name: "keep", kind: "text", value: "DIR", summary: "leave repository and journal in this new or empty folder" },
  ],
  examples: [
    { line: "baton demo", meaning: "watch, in the terminal and on the page whose URL it prints" },
    { line: "baton demo --fast", meaning: "the same in some seconds" },
    { line: "baton demo --fast --keep shop", meaning: "and leave what was made in the folder shop" },
  ],
  next: "baton start in a repository of yours.",
  // It starts its own hub.
  isLocal: true,
  globals: [],
  run: async (call) => {
    using stop = stopOf(call);
    return await runDemo(call, stop.signal);
  },
};

/** Pause before each step, for people who watch, in milliseconds. */
const paceMs = 500;

async function runDemo(call: Call, signal: AbortSignal): Promise<ExitCode> {
  const { output } = call;
  const isFast = call.given.flag("fast");
  const keep = call.given.text("keep") ?? null;
  const isAsked = !isFast && call.config.isInteractive() && !output.json;
  const telling = tellOn(output);
  const set = await setStage({
    keep,
    directory: call.config.directory,
    environment: ownEnvironment(call),
    baton: selfWords(),
    signal,
  });
  if (signal.aborted && !set.ok) return exitCodes.interrupted;
  if (!set.ok) return output.fail(set.error);
  await using stage = set.value;
  telling.chapter("A shop, and three agents who work on it");
  telling.person(
    `begin in the repository of a small shop: baton start. ${agents.join(", ")} each have a tree of their own.`,
  );
  if (!isFast) output.result({ event: "page", url: stage.page }, () => `\nWatch it in a browser: ${stage.page}\n`);
  if (isAsked) openPage(call.config.environment(), stage.page);
  const wrong = await playStory(stage, telling, { paceMs: isFast ? 0 : paceMs, isAsked, signal });
  if (signal.aborted) return exitCodes.interrupted;
  await stage.end();
  const evidence = await readEvidence(stage);
  if (!evidence.ok) return output.fail(evidence.error);
  const problems = [...wrong, ...problemsIn(evidence.value)];
  telling.chapter("What journal and git hold");
  summarise(call, evidence.value, problems);
  if (keep !== null) tellKept(call, stage);
  else if (problems.length === 0) output.result({ event: "own", command: "baton start" }, () => ownTeam(call));
  return problems.length === 0 ? exitCodes.done : exitCodes.problem;
}

/** Says what journal and git hold, and what does not hold. */
function summarise({ output }: Call, evidence: Evidence, problems: readonly string[]): void {
  const paint = output.paint.stdout;
  const { entries, head, broken, messages, unread, tasks, liars, returned, authors } = evidence;
  const landed = tasks.filter(({ isOnMain }) => isOnMain).length;
  const value = { event: "summary", entries, head, messages, landed, disputed: liars.length, returned };
  output.result({ ...value, problems }, () =>
    [
      `${messages} messages${unread.length === 0 ? ", each acknowledged by its readers" : ""}`,
      `${landed} tasks landed on main, ${liars.length} false report disputed, ${returned.length} sent back to their authors`,
      `${wantedFile} was changed by ${authors.map(visible).join(" and ")}`,
      `${entries} entries in the journal, chained by their hashes: ${broken.length === 0 ? paint.good("sound") : paint.bad("broken")}, up to ${head.slice(0, 16)}`,
      "",
      problems.length === 0
        ? paint.good("Nothing lost, nothing overwritten, no lie believed.")
        : paint.bad("This does not hold:"),
    ].join("\n"),
  );
  for (const words of problems) output.say(`  ${visible(words)}`);
}

/** How one begins with agents of one's own. */
function ownTeam({ config }: Call): string {
  // npm runs a command of the clone, or of a project that has the package, where npx finds it.
  const isClone = config.isRunByNpm && !packageFacts().root.split(sep).includes("node_modules");
  const clone = isClone ? `In this clone: npm i -g .${"\n"}` : "";
  return `\n${clone}In a repository of yours: ${isClone ? "baton" : config.program} start`;
}

function tellKept({ output }: Call, { directory }: Stage): void {
  output.result({ event: "kept", directory, journal: join(directory, ".git/baton/journal.db") }, () => {
    const quoted = `'${visible(directory).replaceAll("'", "'\\''")}'`;
    return [
      `\nKept in ${visible(directory)}. Look at it with`,
      `  cd ${quoted}`,
      "  git log --stat",
      "  baton log",
      "  baton task list",
      "  baton verify",
      "  baton journal verify",
      "  baton up            # its page",
    ].join("\n");
  });
}

/** What hub and agents inherit: nothing of Baton's own, and nothing of git's, which would point them elsewhere. */
function ownEnvironment(call: Call): Readonly<Record<string, string>> {
  const all = Object.entries(call.config.environment());
  return Object.fromEntries(all.filter(([name]) => !/^(BATON|GIT)_/i.test(name)));
}

/** The words that start this very program again, without its arguments. */
function selfWords(): readonly string[] {
  const [node, program] = process.argv;
  invariant(node !== undefined && program !== undefined, "the command was started from a file");
  return [node, program];
}

/** Signals that ask to stop. A second one must not interrupt the clearing up, which takes a bounded time. */
function stopOf({ signal, config }: Call): Disposable & { readonly signal: AbortSignal } {
  const asked = new AbortController();
  const ask = (): void => asked.abort();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, ask);
  const npm = endOfNpm(config);
  return {
    signal: AbortSignal.any([signal, asked.signal, npm.signal]),
    [Symbol.dispose]: () => {
      npm[Symbol.dispose]();
      for (const name of names) process.removeListener(name, ask);
    },
  };
}
