/** `baton demo`: one phase of a real team, start to sign-off, on a scratch repository. */

import { join } from "node:path";
import { expectedMessages, omissionsOf, problemsOf } from "../../../demo/checks/check.ts";
import {
  certificateFindings,
  type RecordedPhase,
  readCertificate,
  readPhase,
  tellCertificate,
  verifyJournal,
} from "../../../demo/checks/record.ts";
import { silenceFindings } from "../../../demo/checks/silence-check.ts";
import { playNextPhase } from "../../../demo/next-phase.ts";
import { type PlayEnd, playPhase } from "../../../demo/phase.ts";
import { type Presentation, presentOn } from "../../../demo/shown/presentation.ts";
import { summarise } from "../../../demo/shown/summary.ts";
import { type Stage, setStage } from "../../../demo/stage.ts";
import { canSilence, type Tempo, tempos } from "../../../demo/story/programs.ts";
import { cast, castMembers } from "../../../demo/story/story.ts";
import { invariant } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { fileAddress } from "../../journal/engines.ts";
import type { ShutdownView } from "../../shutdown/operations.ts";

export const command: Command = {
  description:
    "Makes a scratch git repository, starts a hub and seven agents as separate processes (four over MCP, three over HTTP),\n" +
    "and lets them play one phase with real commits: findings, a contract, work, a request for approval, a verdict, the end.\n" +
    "Two developers race for the same files, one reports a commit that is not its work, a message is refused, one is sent\n" +
    "twice, one agent is killed in the middle and comes back, and one is stopped (SIGSTOP) until it is found out and another has\n" +
    "done its task. Then it reads journal and repository and checks that nothing was lost or doubled, no two held the same\n" +
    "files, no lie is believed, and no late report counts. Takes about a minute, with --fast some ten seconds.\n" +
    "Exits 1 when something does not hold. Then the next phase begins (with --fast only if it is kept), so that every view of\n" +
    "the page shows something and you can decide; on a terminal the page stays until you press Enter. Afterwards nothing is\n" +
    "left, unless --keep names a folder.",
  options: [
    { name: "fast", kind: "flag", summary: "without pauses for reading" },
    { name: "keep", kind: "text", value: "DIR", summary: "leave repository and journal in this new or empty folder" },
  ],
  examples: [
    { line: "baton demo", meaning: "watch, in the terminal and on the page whose URL it prints" },
    { line: "baton demo --fast", meaning: "the whole phase in some ten seconds" },
    { line: "baton demo --fast --keep shop", meaning: "and leave what was made in the folder shop" },
  ],
  next: "baton init in a repository of yours, then baton up.",
  // It starts its own hub.
  isLocal: true,
  globals: [],
  run: (call) => runDemo(call),
};

async function runDemo(call: Call): Promise<ExitCode> {
  const stop = stopOf(call.signal);
  try {
    return await perform(call, stop.signal);
  } finally {
    stop.forget();
  }
}

async function perform(call: Call, signal: AbortSignal): Promise<ExitCode> {
  const { output } = call;
  const isFast = call.given.flag("fast");
  const tempo = isFast ? tempos.fast : tempos.watched;
  const keep = call.given.text("keep") ?? null;
  const presentation = presentOn(output);
  const set = await setStage({
    keep,
    directory: call.config.directory,
    environment: ownEnvironment(call),
    baton: selfWords(),
    disappearSeconds: tempo.disappearSeconds,
    signal,
  });
  if (signal.aborted && !set.ok) return exitCodes.interrupted;
  if (!set.ok) return output.fail(set.error);
  await using stage = set.value;
  presentation.chapter(
    "The team",
    `A scratch repository, a hub on this machine, ${castMembers.length} agents: each is a process with its own token. ${cast.lead.agent} comes last and begins.`,
  );
  if (!isFast) tellPage(call, stage);
  const play = await playPhase(stage, {
    tempo,
    onStep: (step) => presentation.step(step),
    onScene: (scene) => presentation.scene(scene),
    signal,
  });
  if (signal.aborted) return exitCodes.interrupted;
  // Read while nothing else is in the record.
  const read = await readEnd(call, stage);
  if (!read.ok) return output.fail(read.error);
  const isSeen = !isFast || keep !== null;
  const left = isSeen && play.problem === null ? await leaveOpen(stage, tempo, presentation) : null;
  if (!isFast && call.config.isInteractive() && !output.json && !signal.aborted) {
    output.say("\nThe page stays open; Enter ends it.");
    await enterPressed(signal);
  }
  if (signal.aborted) return exitCodes.interrupted;
  await stage.end();
  const code = await conclude(call, stage, { ...read.value, play, left }, tempo);
  if (keep !== null) tellKept(call, stage);
  return code;
}

/** Resolves when a line or the end comes on standard input, or when `signal` aborts. */
function enterPressed(signal: AbortSignal): Promise<void> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const done = (): void => {
      stdin.off("data", done);
      stdin.off("end", done);
      signal.removeEventListener("abort", done);
      stdin.pause();
      resolve();
    };
    stdin.once("data", done);
    stdin.once("end", done);
    signal.addEventListener("abort", done, { once: true });
    stdin.resume();
  });
}

/** The phase as journal and repository have it when it is over. */
interface End {
  readonly phase: RecordedPhase;
  readonly certificate: ShutdownView | null;
}

async function readEnd(call: Call, { journal, repository }: Stage): Promise<Result<End, readonly Problem[]>> {
  const phase = await readPhase(journal, repository);
  if (!phase.ok) return phase;
  const certificate = await readCertificate(journal, repository.directory, ownEnvironment(call));
  return certificate.ok ? ok({ phase: phase.value, certificate: certificate.value }) : certificate;
}

/** Begins the next phase, which stays open: the page has something to show and to decide. What went wrong with that. */
async function leaveOpen(stage: Stage, tempo: Tempo, presentation: Presentation): Promise<string | null> {
  presentation.chapter("The next phase", "It has begun when you look at the page, where it needs you.");
  return await playNextPhase(stage, { tempo, onStep: (step) => presentation.step(step) });
}

/** Checks the phase as it ended, and prints the result; `left`: what went wrong with the next one. */
async function conclude(
  { output }: Call,
  stage: Stage,
  { phase, certificate, play, left }: End & { readonly play: PlayEnd; readonly left: string | null },
  tempo: Tempo,
): Promise<ExitCode> {
  const verified = await verifyJournal(stage.journal);
  if (!verified.ok) return output.fail(verified.error);
  if (certificate !== null) tellCertificate(output, certificate);
  const problems = [
    ...certificateFindings(certificate),
    ...(play.problem === null ? [] : [play.problem]),
    ...(left === null ? [] : [left]),
    ...problemsOf(phase, expectedMessages(canSilence)),
    ...omissionsOf(phase),
    ...(canSilence ? silenceFindings(phase, tempo.disappearSeconds * 1_000) : []),
    ...(play.duplicates >= 2 ? [] : ["nothing that was sent twice was recognised"]),
    ...verified.value.problems.map(({ message }) => message),
  ];
  summarise(output, { phase, play, verified: verified.value, problems });
  return problems.length === 0 && verified.value.ok ? exitCodes.done : exitCodes.problem;
}

function tellPage({ output }: Call, stage: Stage): void {
  output.result({ event: "page", url: stage.hub.page }, () => `Watch it live in a browser: ${stage.hub.page}\n`);
}

function tellKept({ output }: Call, stage: Stage): void {
  const { directory } = stage.repository;
  output.result({ event: "kept", directory, journal: join(directory, ".git/baton/journal.db") }, () => {
    const quoted = `'${visible(directory).replaceAll("'", "'\\''")}'`;
    const journal = fileAddress(`${quoted}/.git/baton/journal.db`);
    return [
      `\nKept in ${visible(directory)}. Look at it with`,
      `  git -C ${quoted} log --stat`,
      `  baton up --journal ${journal}    # its page`,
      `  baton log --journal ${journal}`,
      `  baton task list --journal ${journal}`,
      `  baton verify --journal ${journal} --repository ${quoted}`,
      `  baton journal verify --journal ${journal}`,
    ].join("\n");
  });
}

/** What hub and agents inherit: nothing of Baton's own, which would point them to another team. */
function ownEnvironment(call: Call): Readonly<Record<string, string>> {
  const all = Object.entries(call.config.environment());
  return Object.fromEntries(all.filter(([name]) => !name.startsWith("BATON_")));
}

/** The words that start this very program again, without its arguments. */
function selfWords(): readonly string[] {
  const [node, program] = process.argv;
  invariant(node !== undefined && program !== undefined, "the command was started from a file");
  return [node, program];
}

/** Signals that ask to stop. A second one must not interrupt the clearing up, which takes a bounded time. */
function stopOf(signal: AbortSignal): { readonly signal: AbortSignal; forget(): void } {
  const asked = new AbortController();
  const ask = (): void => asked.abort();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of names) process.on(name, ask);
  return {
    signal: AbortSignal.any([signal, asked.signal]),
    forget: () => {
      for (const name of names) process.removeListener(name, ask);
    },
  };
}
