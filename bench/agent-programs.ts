/**
 * What Baton's hooks add in the real agent programs: from the answer of a scripted model, which runs a shell command, to
 * the program's next request. Two sessions of one program take turns in one run, one with Baton's hooks and one without.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type HookProgram, hookPrograms } from "../src/message/program-hooks.ts";
import { readAddress } from "../src/message/role.ts";
import { openTeam } from "../src/runtime/open.ts";
import type { LocalTeam } from "../src/runtime/team/team.ts";
import { needs } from "../tests/programs/installed.ts";
import type { Project } from "../tests/programs/project.ts";
import { shellOf } from "../tests/programs/tools.ts";
import type { Measure } from "./measure.ts";

const rounds = 50;
/** Before the command and after it. */
const hooks = 2;
/** The first turns load what the program loads once; of the others one is not measured. */
const warm = 5;

/** Messages to an agent at work. */
const mailRounds = 20;

const hookMeasures: readonly Measure[] = (["claude-code", "codex"] as const)
  .filter((program) => needs(program).skip === false)
  .flatMap((program) => {
    const measure = (name: string, subject: string, prepare: (project: Project) => void): Measure => ({
      name,
      subject: `${subject} between the model's answer and its next request`,
      yardstick: "ten milliseconds",
      target: { of: "time", atMost: 1 },
      rounds,
      open: async () => {
        const [withHooks, without] = await pairedTimes(program, prepare);
        const added = withHooks.map((each, round) => (each - (without[round] ?? Number.NaN)) / hooks);
        return { yardstick: () => 10, subject: () => added.pop() ?? Number.NaN };
      },
    });
    const own = measure(`A hook in ${program}, of the two of a shell command`, "what it adds", () => undefined);
    if (program !== "claude-code") return [own];
    const least = "The least that a hook in claude-code costs";
    return [own, measure(least, "what the same two add, called on a server that answers nothing,", withSilentServer)];
  });

/** The hooks stay as they are installed; the server that they call is another. */
function withSilentServer({ root }: Project): void {
  const file = join(root, ".mcp.json");
  const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as { mcpServers: { baton: object } }; // as installed
  const args = [join(import.meta.dirname, "silent-server.mjs")];
  const baton = { ...mcpServers.baton, command: process.execPath, args };
  writeFileSync(file, JSON.stringify({ mcpServers: { baton } }));
}

/**
 * How long each turn of two sessions took that run one shell command after another, with Baton's hooks and without. They
 * take turns, so that the same load of the machine is on both.
 */
async function pairedTimes(
  program: HookProgram,
  prepare: (project: Project) => void,
): Promise<readonly [number[], number[]]> {
  // Loaded where it is needed: the parts of tests start a test runner.
  const { makeProject } = await import("../tests/programs/project.ts");
  const { runSession } = await import("../tests/programs/session.ts");
  using installed = makeProject(program);
  using bare = makeProject();
  prepare(installed);
  const turn = alternation();
  const sessions = [installed, bare].map(async (project) => {
    const times: number[] = [];
    let answeredMs: number | null = null;
    const { stderr } = await runSession(project, program, {
      agent: "dev-1",
      words: program === "claude-code" ? ["--allowedTools", "Bash"] : [],
      script: async ({ number, atMs }) => {
        if (answeredMs !== null) times.push(atMs - answeredMs);
        await turn.next();
        answeredMs = performance.now();
        return number < warm + rounds + 1 ? [shellOf(program, "true")] : "Done.";
      },
    });
    turn.leave();
    if (times.length < warm + rounds + 1) throw new Error(`the session ended early: ${stderr}`);
    return times.slice(warm);
  });
  const [one = [], other = []] = await Promise.all(sessions);
  return [one, other];
}

/** Mail for an agent at work: from the message, which comes while its model answers, to the request that shows it. */
const mailMeasures: readonly Measure[] = hookPrograms
  .filter((program) => needs(program).skip === false)
  .map((program) => ({
    name: `A message in the next request of ${program}`,
    subject: "from `send` to the request to the receiver's model that shows it, after a shell command",
    yardstick: "three tenths of a second",
    target: { of: "time", atMost: 1 },
    rounds: mailRounds,
    open: async () => {
      const times = await mailTimes(program);
      return { yardstick: () => 300, subject: () => times.pop() ?? Number.NaN };
    },
  }));

async function mailTimes(program: HookProgram): Promise<number[]> {
  const { makeProject } = await import("../tests/programs/project.ts");
  const { runSession } = await import("../tests/programs/session.ts");
  using project = makeProject(program);
  // The first command starts the team.
  project.baton(["agent", "list"]);
  await using sender = await openSender(project.root);
  const receiver = readAddress("dev-1");
  if (!receiver.ok) throw new Error(receiver.error.message);
  const times: number[] = [];
  let sentMs = Number.NaN;
  const { stderr } = await runSession(project, program, {
    agent: "dev-1",
    words: program === "claude-code" ? ["--allowedTools", "Bash"] : [],
    script: async ({ number, atMs, fresh }) => {
      if (fresh.includes(`Message ${number} is here.`)) times.push(atMs - sentMs);
      if (number > warm + mailRounds) return "Done.";
      sentMs = performance.now();
      await sender.send(`Message ${number + 1} is here.`, { to: [receiver.value] });
      // A model that repeats itself is stopped by Gemini CLI.
      return [shellOf(program, `echo ${number}`)];
    },
  });
  if (times.length <= warm + mailRounds)
    throw new Error(`${times.length} of ${warm + mailRounds} messages were in the next request: ${stderr}`);
  return times.slice(warm);
}

/** Lets two go on by turns: each waits until the other has come as far; one that has left is waited for no more. */
function alternation() {
  let waiting: (() => void) | null = null;
  let isAlone = false;
  return {
    next: async (): Promise<void> => {
      const other = waiting;
      waiting = null;
      await new Promise<void>((resolve) => {
        if (isAlone) resolve();
        else waiting = resolve;
        other?.();
      });
    },
    leave: (): void => {
      isAlone = true;
      waiting?.();
      waiting = null;
    },
  };
}

/** Mail for an idle agent of a session in a terminal: from the message to the request that it causes. */
const wakeMeasures: readonly Measure[] = (["claude-code", "codex"] as const)
  .filter((program) => needs(program).skip === false)
  .map((program) => ({
    name: `An idle agent in ${program} awake`,
    subject: `from \`send\` to the next request to its model${program === "codex" ? ", in the program's daemon" : ""}`,
    yardstick: "half a second",
    target: { of: "time", atMost: 1 },
    rounds: 10,
    open: async () => {
      const { makeProject } = await import("../tests/programs/project.ts");
      const { reviewedHooks } = await import("../tests/programs/session.ts");
      const { inTerminal } = await import("../tests/programs/terminal.ts");
      const project = makeProject(program);
      const settings = program === "codex" ? await reviewedHooks(project) : "";
      const session = await inTerminal(project, program, {
        agent: "dev-1",
        isLaunched: true,
        settings,
        script: () => "Done.",
      });
      await session.type("Begin.");
      await session.until("the first turn", () => session.turns.length === 1);
      const [sender, receiver] = [await openSender(project.root), readAddress("dev-1")];
      if (!receiver.ok) throw new Error(receiver.error.message);
      return {
        yardstick: () => 500,
        subject: async () => {
          while (!(await isIdle(sender, "dev-1"))) await setTimeout(20);
          const before = session.turns.length;
          const startMs = performance.now();
          await sender.send("Go on.", { to: [receiver.value] });
          await session.until("the wake", () => session.turns.length > before);
          return (session.turns[before]?.atMs ?? Number.NaN) - startMs;
        },
        close: async () => {
          await sender[Symbol.asyncDispose]();
          await session[Symbol.asyncDispose]();
          project[Symbol.dispose]();
        },
      };
    },
  }));

/** The measures of the programs that are installed here. */
export const programMeasures: readonly Measure[] = [...hookMeasures, ...mailMeasures, ...wakeMeasures];

/** The project's team, as its lead. */
async function openSender(root: string): Promise<LocalTeam> {
  const journal = `sqlite:${join(root, ".git/baton/journal.db")}`;
  const opened = await openTeam({ journal, agent: "lead-1" });
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  return opened.value;
}

async function isIdle(team: LocalTeam, agent: string): Promise<boolean> {
  const status = await team.status();
  const own = status.ok ? status.value.agents.find((each) => each.agent === agent) : undefined;
  return own?.delivery.idle === true;
}
