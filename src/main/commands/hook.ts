/** `baton hook`: what an agent program asks at its own events, answered on standard input and output. */

import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { jsonLine } from "../../base/json.ts";
import { hookBytesMax } from "../../base/limits.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible, visibleLines } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import type { ExitCode } from "../../doors/cli/kernel/exit-codes.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { nextCommand } from "../../doors/cli/kernel/next-command.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import { type ActingAgent, actingAgent } from "../../doors/hooks/acting-agent.ts";
import { answerHook, isDecided } from "../../doors/hooks/answers.ts";
import { type HookAnswer, nothing, writeAnswer } from "../../doors/hooks/hook-answer.ts";
import { type HookInput, readHookInput } from "../../doors/hooks/hook-input.ts";
import { problemLines } from "../../doors/hooks/hook-question.ts";
import {
  type HookEvent,
  type HookProgram,
  hookEvent,
  hookEventNames,
  hookMsMax,
  hookPrograms,
} from "../../message/program-hooks.ts";
import type { WorkingTeam } from "../../runtime/team/team.ts";
import { checkoutAround, findWorkspace } from "../../workspace/workspace.ts";

export const command: Command = {
  description:
    "An agent program calls it at certain events and tells it about the event as JSON on standard input; the answer is\n" +
    "in the program's own form. At the start of a session the agent reads who it is and what waits for it. Before a tool, a\n" +
    "typed message is recorded, and a file that is about to be written is checked against claims and contract: exit 2 with the\n" +
    "reasons denies. After a tool it reads new mail. It may not stop while mail or a claim waits. The agent is the teammate\n" +
    "that the program names, else --as, else BATON_AGENT. Where there is no .baton/, it says nothing.",
  positionals: [
    {
      name: "EVENT",
      required: true,
      choices: hookEventNames,
      summary: `as the program spells it: ${hookEventNames.slice(0, 6).join(", ")} ...`,
    },
  ],
  options: [
    {
      name: "program",
      kind: "text",
      value: "PROGRAM",
      required: true,
      choices: hookPrograms,
      summary: "the agent program that asks",
    },
  ],
  examples: [
    {
      line: "baton hook SessionStart --program claude-code --as lead-1",
      meaning: "as a line of .claude/settings.json",
    },
    { line: "echo '{}' | baton hook SessionStart --program codex --as dev-1", meaning: "try by hand what one says" },
  ],
  next: "docs/guides/agent-programs.md tells what each event does.",
  run: async (call): Promise<ExitCode> => {
    const program = chosen(call.given.text("program"), hookPrograms);
    const name = call.given.word("EVENT") ?? "";
    const event = hookEvent(program, name);
    if (event === null) return call.output.fail(otherEvent(program, name));
    if (process.stdin.isTTY) return call.output.fail(noInput());
    return tell(call, writeAnswer(program, event, await answerInTime(call, program, event)));
  },
};

/** Which part of the time is for the answer; the rest is for starting, for what waits for a lock then, and for writing. */
const answerPart = 0.75;

/** The answer within the time that a hook has. What decides is denied when the time is over, and on a bug of ours. */
async function answerInTime(call: Call, program: HookProgram, event: HookEvent): Promise<HookAnswer> {
  const over = new AbortController();
  const done = new AbortController();
  const msMax = (call.config.hookMs ?? hookMsMax) * answerPart;
  let input: HookInput | null = null;
  const ask = async (): Promise<HookAnswer> => {
    const signal = AbortSignal.any([call.signal, over.signal]);
    const told = await readWhole("-", hookBytesMax, signal);
    const read = told.ok ? readHookInput(told.value) : told;
    if (!read.ok) return unanswered({ program, event, input: null }, [read.error]);
    input = read.value;
    return await answer({ call, program, event, input, signal, msMax });
  };
  const late = systemClock.wait(msMax, done.signal).then(() => {
    over.abort();
    return unanswered({ program, event, input }, [tooLate(msMax)]);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch (fault) {
    if (!decides({ program, event, input })) throw fault;
    const words = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
    return { says: "deny", words: `Baton has a bug, so nothing was decided. Please report it:\n${words}` };
  } finally {
    done.abort();
  }
}

interface Question {
  readonly call: Call;
  readonly program: HookProgram;
  readonly event: HookEvent;
  readonly input: HookInput;
  readonly signal: AbortSignal;
  readonly msMax: number;
}

async function answer({ call, program, event, input, signal, msMax }: Question): Promise<HookAnswer> {
  const opened = await openHookTeam(call, program, input, { signal, msMax });
  if (!opened.ok) {
    // A hub proves nobody who has stopped any more: the refusal of the token is the answer about the shell too.
    const isStopped = event.asks === "before-tool" && opened.error.some(({ code }) => code === "agent-stopped");
    if (isStopped) return { says: "deny", words: `Baton:\n${problemLines(opened.error)}` };
    const isInUse = !opened.error.some(({ code }) => code === "not-initialised");
    return isInUse ? unanswered({ program, event, input }, opened.error) : nothing;
  }
  await using team = opened.value.team;
  const { agent, unknown } = opened.value;
  const { directory } = call.config;
  const works = input.directory !== null && isAbsolute(input.directory) ? input.directory : directory;
  const answered = await answerHook({
    program,
    event,
    input,
    team,
    agent,
    unknown,
    line: (words) => lineOf(call, words),
    pathsOf: pathsIn(directory, works),
  });
  return answered.ok ? answered.value : unanswered({ program, event, input }, [answered.error]);
}

/**
 * A line for the agent to run. It names the acting agent, which may differ from the one that the hook was set up for; a
 * word that cannot be shown unchanged is shown as `...`.
 */
function lineOf({ given, config }: Call, words: readonly string[]): string {
  const call = { config, given: { ...given, text: (name: string) => (name === "as" ? undefined : given.text(name)) } };
  const shown = words.map((word) => (visible(word) === word ? word : "..."));
  return nextCommand(call, shown) ?? `${config.program} ${shown.join(" ")}`;
}

type Happening = Pick<Question, "program" | "event"> & { readonly input: HookInput | null };

/** Whether something must be accepted or denied; what could not be read may be. */
function decides({ program, event, input }: Happening): boolean {
  return event.asks === "before-tool" && (input === null || isDecided({ program, input }));
}

/** What is said where Baton has no answer: what decides is denied, and nothing else breaks the user's session. */
function unanswered(happening: Happening, problems: readonly Problem[]): HookAnswer {
  if (decides(happening))
    return { says: "deny", words: `Baton could not be asked, so this is denied:\n${problemLines(problems)}` };
  const [first] = problems;
  if (happening.event.asks !== "begin" || first === undefined) return nothing;
  return { says: "warn", words: `Baton could not be asked: ${first.message}` };
}

function tell({ output }: Call, { exitCode, stdout, stderr }: ReturnType<typeof writeAnswer>): ExitCode {
  if (stdout !== null) output.raw(jsonLine(stdout));
  if (stderr !== null) output.say(visibleLines(stderr));
  return exitCode;
}

function tooLate(msMax: number): Problem {
  return problem("timed-out", "", `Baton had no answer within ${msMax / 1000} s.`, {
    hint: "Try again: a message with an id is not recorded twice. `baton doctor` looks for what holds it up.",
  });
}

function otherEvent(program: HookProgram, name: string): Problem {
  return usageProblem(
    "EVENT",
    `${program} has no event ${name} that Baton answers.`,
    "see docs/guides/agent-programs.md",
    name,
  );
}

function noInput(): Problem {
  return usageProblem(
    "standard input",
    "What the program says is missing: standard input is a terminal.",
    "echo '{}' | baton hook ...",
  );
}

/*
 * A file that a tool names, as a path of the team's repository: where links lead, so that no other name of a file gets
 * past, and relative to the root of its checkout, because every worktree has the same paths. Files of other
 * repositories, and of none, are not checked here.
 */

/**
 * Gives the paths of the files that a tool names in `directory`, where the team is that of `teamDirectory`; both
 * absolute.
 */
function pathsIn(teamDirectory: string, directory: string): (file: string) => readonly string[] {
  const home = rootsOf(teamDirectory);
  return (file) => {
    if (file.includes("\0")) return [];
    const named = isAbsolute(file) ? file : `${directory}${sep}${file}`;
    const place = join(realOf(dirname(named)), basename(named));
    return [...new Set([place, realOf(named)])].flatMap((real) => pathOf(home, resolve(real)));
  };
}

/** The repository of the team: whatever worktree it is asked from. Without a repository, the folder that holds `.baton/`. */
function rootsOf(directory: string): { readonly repository: string | null; readonly root: string } {
  const checkout = checkoutAround(directory);
  const root = findWorkspace(directory)?.root ?? directory;
  return { repository: checkout === null ? null : realOf(checkout.repository), root: realOf(root) };
}

function pathOf(home: ReturnType<typeof rootsOf>, place: string): readonly string[] {
  const checkout = checkoutAround(dirname(place));
  const repository = checkout === null ? null : realOf(checkout.repository);
  if (repository !== home.repository) return [];
  const path = relative(checkout === null ? home.root : realOf(checkout.root), place);
  const isInside = path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  return isInside ? [path.split(sep).join("/")] : [];
}

/** Where `path` leads as far as it exists, and the rest as it is written. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // It does not exist yet, may not be looked at, or leads in a circle: its folder says where it would lie.
    const folder = dirname(path);
    return folder === path ? path : join(realOf(folder), basename(path));
  }
}

/* The team that a hook asks, as the agent that acts there: on the journal of this machine, or through a hub. */

/** An open team, and who acts. Where nobody does, the handle may be asked and not acted by. */
export interface HookTeam extends ActingAgent {
  readonly team: WorkingTeam;
}

/** Which part of the time that a hook has one act may wait for a lock of the journal. */
const lockPart = 0.2;

/**
 * Opens the team that the call means. `signal` ends waiting, and `msMax` bounds it. Through a hub the acting agent is
 * the token's agent: another name in addition is not accepted. Refuses as opening a team does.
 */
async function openHookTeam(
  call: Call,
  program: HookProgram,
  input: HookInput,
  { signal, msMax }: { readonly signal: AbortSignal; readonly msMax: number },
): Promise<Result<HookTeam, readonly Problem[]>> {
  const said = [call.given.text("as") ?? null, call.config.agent];
  const hub = hubOf(call);
  if (hub !== null) {
    const connected = await call.connectHub({ ...hub, agent: null, signal, answerMsMax: msMax });
    if (!connected.ok) return err([connected.error]);
    const team = connected.value.team();
    if (!team.ok) return err([team.error]);
    const status = await team.value.status();
    if (!status.ok) return err([status.error]);
    const proven = connected.value.agent;
    const known = new Set(status.value.agents.map(({ agent }) => agent));
    const acting = actingAgent(program, input, [...said, proven], (name) => known.has(name));
    const isProven = acting.agent === proven;
    return ok({ team: team.value, agent: isProven ? proven : null, unknown: isProven ? null : acting.unknown });
  }
  let acting: ActingAgent = { agent: null, unknown: null };
  const choose = (isMember: (name: string) => boolean): string => {
    acting = actingAgent(program, input, said, isMember);
    return acting.agent ?? nobody;
  };
  const opened = await openLocal(call, choose, { via: "hook", waitMs: msMax * lockPart });
  return opened.ok ? ok({ team: opened.value, ...acting }) : opened;
}

/** No agent can be called so. */
const nobody = "";
