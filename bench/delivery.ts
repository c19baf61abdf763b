/**
 * `npm run delivery`: how soon a message is in front of the model. Each agent program runs for real, offline and by `baton
 * run`, with a scripted model that thinks for 300 ms. A second process sends messages while the program works (busy), and
 * while it waits for a prompt (idle). Prints the table of docs/measured.md; words narrow it, as in
 * `npm run delivery -- codex idle`.
 * Exits with 1 where a message was never seen, or twice, or took too long.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { cpus, loadavg } from "node:os";
import { setTimeout } from "node:timers/promises";
import { type HookProgram, hookPrograms } from "../src/messages/program-hooks.ts";
import { programFacts } from "../src/programs/install/program-settings.ts";
import { codexLine } from "../src/programs/install/start-line.ts";
import { needs, wantedVersion } from "../tests/programs/installed.ts";
import type { ModelTurn, Script } from "../tests/programs/model.ts";
import { bareEnvironment, launcher, makeProject, type Project } from "../tests/programs/project.ts";
import { reviewedHooks, runSession } from "../tests/programs/session.ts";
import { inTerminal } from "../tests/programs/terminal.ts";
import { shellOf } from "../tests/programs/tools.ts";

/** What the program does when messages come; "apart": idle too, Codex with its hooks on its line, so not in its daemon. */
const states = ["busy", "idle", "apart"] as const;
type State = (typeof states)[number];
const thinksMs = 300;
/** How long a message is waited for before the next is sent, or the session ends. */
const seenMsMax = 45_000;
/** Gemini CLI asks its model after 30 requests whether it is in a loop, so its sessions are shorter. */
const perSession: Readonly<Record<HookProgram, number>> = { "claude-code": 40, codex: 40, gemini: 10 };
const messages = 40;
/** Where nothing is measured, or each takes long. */
const few = 10;

interface Sent {
  readonly word: string;
  /** When `baton send` had ended: the message is durable. */
  readonly atMs: number;
}

/** What one session shows. */
interface Observed {
  readonly sent: readonly Sent[];
  readonly turns: readonly (ModelTurn & { readonly answeredMs: number })[];
}

/** Messages to the agent of one session, and the model that it asks. */
function observing(project: Project) {
  const sent: Sent[] = [];
  const turns: (ModelTurn & { answeredMs: number })[] = [];
  const isSeen = ({ word }: Sent) => turns.some(({ fresh }) => fresh.includes(word));
  return {
    sent,
    turns,
    isSeen,
    thinking:
      (script: Script): Script =>
      async (turn) => {
        const kept = { ...turn, answeredMs: Number.POSITIVE_INFINITY };
        turns.push(kept);
        await setTimeout(thinksMs);
        kept.answeredMs = performance.now();
        return await script(turn);
      },
    send: async (): Promise<Sent> => {
      const word = `MESSAGE-${sent.length}-${randomInt(1e9)}`;
      const words = [launcher, "send", "--as", "lead-1", "--to", "dev-1"];
      const child = spawn(process.execPath, words, {
        cwd: project.root,
        env: bareEnvironment(project.home),
        stdio: ["pipe", "ignore", "inherit"],
      });
      child.stdin.end(word);
      const code = await new Promise((resolve) => child.once("close", resolve));
      if (code !== 0) throw new Error(`baton send ended with ${code}`);
      const one = { word, atMs: performance.now() };
      sent.push(one);
      return one;
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (const endMs = performance.now() + seenMsMax; !isSo() && performance.now() < endMs; ) await setTimeout(5);
}

/** The program calls one tool after the other, while messages come at any moment. */
async function busy(program: HookProgram, count: number): Promise<Observed> {
  using project = makeProject();
  const observed = observing(project);
  let isOver = false;
  const sending = async () => {
    await until(() => observed.turns.length > 1);
    for (let each = 0; each < count; each++) {
      await setTimeout(randomInt(100, 1000));
      await observed.send();
    }
    await until(() => observed.sent.every(observed.isSeen));
    isOver = true;
  };
  const words = program === "claude-code" ? ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"] : [];
  const script = observed.thinking(({ number }) =>
    isOver ? "Done." : [shellOf(program, `echo look ${number}; sleep 0.2`)],
  );
  await Promise.all([sending(), runSession(project, program, { agent: "dev-1", isLaunched: true, words, script })]);
  return observed;
}

/** The program waits in a terminal. The next message comes some time after the one before was seen. */
async function idle(program: HookProgram, count: number, state: State): Promise<Observed> {
  const isDaemons = program === "codex" && state === "idle";
  using project = isDaemons ? makeProject(program) : makeProject();
  const observed = observing(project);
  const words = program === "gemini" ? ["--model", "gemini-2.5-pro"] : [];
  const settings = program === "codex" ? await reviewedHooks(project, isDaemons ? [] : codexLine()) : "";
  const script = observed.thinking(() => "Done.");
  await using session = await inTerminal(project, program, {
    agent: "dev-1",
    isLaunched: true,
    words,
    settings,
    script,
  });
  await session.type("Begin.");
  await session.until("the first turn", () => observed.turns.length > 0);
  for (let each = 0; each < count; each++) {
    // From none on: also while the program still ends its turn.
    await setTimeout(randomInt(2500));
    const one = await observed.send();
    if (program === "gemini") await session.type(`Next ${each}.`);
    await until(() => observed.isSeen(one));
  }
  return observed;
}

/** How long a message took, without the time that the model thought meanwhile; null: it was never seen. */
function delayOf({ word, atMs }: Sent, turns: Observed["turns"]): number | null {
  const seen = turns.find(({ fresh }) => fresh.includes(word));
  if (seen === undefined) return null;
  const thought = turns.map((turn) => Math.min(turn.answeredMs, seen.atMs) - Math.max(turn.atMs, atMs));
  return seen.atMs - atMs - thought.reduce((sum, ms) => sum + Math.max(ms, 0), 0);
}

function row(program: HookProgram, state: State, sessions: readonly Observed[]): string {
  const all = sessions.flatMap(({ sent, turns }) => sent.map((one) => ({ one, turns })));
  const seen = all.map(({ one, turns }) => delayOf(one, turns)).filter((ms) => ms !== null);
  const twice = all.filter(({ one, turns }) => turns.filter(({ fresh }) => fresh.includes(one.word)).length > 1).length;
  const next = all.filter(({ one, turns }) =>
    turns.find(({ atMs }) => atMs > one.atMs)?.fresh.includes(one.word),
  ).length;
  const sorted = seen.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN);
  const late = seen.filter((ms) => ms > 2000).length;
  const isWoken = state === "busy" || program !== "gemini";
  const never = all.length - seen.length;
  if (never > 0 || twice > 0 || (isWoken && (late > 0 || at(0.99) >= 1000))) process.exitCode = 1;
  const times = isWoken ? [at(0.5), at(0.99), late] : ["not woken", "-", "-"];
  const name = `${programFacts[program].title} ${wantedVersion(program)}`;
  const shown = state === "apart" ? "idle, without its daemon" : state;
  return `|${[name, shown, all.length, never, twice, ...times, next].join("|")}|`;
}

const asked = process.argv.slice(2);
const of = <Word extends string>(words: readonly Word[]): readonly Word[] => {
  const named = words.filter((word) => asked.includes(word));
  return named.length === 0 ? words : named;
};
const wrong = asked.find((word) => ![...hookPrograms, ...states].some((known) => known === word));
if (wrong !== undefined) throw new Error(`${wrong} is none of ${[...hookPrograms, ...states].join(", ")}`);
console.log("|program|state|sent|never seen|twice|p50 ms|p99 ms|over 2 s|in the next request|");
console.log("|---|---|---|---|---|---|---|---|---|");
let load = 0;
for (const program of of(hookPrograms)) {
  const { skip } = needs(program);
  if (skip !== false) console.log(`${program} is left out: ${skip}`);
  const possible = states.filter((state) => skip === false && (state !== "apart" || program === "codex"));
  for (const state of of(states).filter((each) => possible.includes(each))) {
    const count = state === "idle" && program === "gemini" ? few : messages;
    const sessions: Observed[] = [];
    for (let left = count; left > 0; left -= perSession[program])
      sessions.push(await (state === "busy" ? busy : idle)(program, Math.min(left, perSession[program]), state));
    load = Math.max(load, loadavg()[0] ?? 0);
    console.log(row(program, state, sessions));
  }
}
const machine = `${cpus().length} x ${cpus()[0]?.model.trim() ?? "an unknown processor"}`;
console.log(
  `\n${machine}, Node ${process.version}, load at most ${load.toFixed(1)}, ${new Date().toISOString().slice(0, 10)}`,
);
// An import brings the test runner, which would print its own end.
process.exit();
