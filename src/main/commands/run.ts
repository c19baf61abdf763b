/**
 * `baton run`: starts an agent program as an agent of the team. The program takes the place of this process, so its
 * terminal, signals and exit code are its own. Rules: docs/protocol/doors.md, section 7.
 */
import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { isatty } from "node:tty";
import { newMessageId } from "../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { callerOf, hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import type { ExitCode } from "../../doors/cli/terminal/exit-codes.ts";
import { isOwnersOrBatons, ownerName } from "../../messages/principal.ts";
import { type HookProgram, hookPrograms } from "../../messages/program-hooks.ts";
import { processesAbove, processNow, sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { placeOf } from "../../perform/workspace/place.ts";
import { isExecutable, programOnPath } from "../../perform/workspace/program-path.ts";
import { installedHub, programFinding } from "../../programs/install/examined-programs.ts";
import { programFacts } from "../../programs/install/program-settings.ts";
import { hooksOff } from "../../programs/install/program-switches.ts";
import { nearestProject } from "../../programs/install/settings-file.ts";
import { openThread } from "../../programs/sessions/codex-thread.ts";
import { joinByRule, nobody } from "../../programs/sessions/hook-team.ts";
import { bindRecorded } from "../../programs/sessions/session-agent.ts";
import { readCodexWords } from "./codex-words.ts";

export const command: Command = {
  description:
    "Starts the agent program in this terminal as the agent that --as names. Baton first notes which agent this session is, so\n" +
    "no other session can take the name while this one runs. The program replaces this process: input, output, Ctrl-C and the\n" +
    "exit code are the program's. In a terminal Codex runs in its daemon, in a thread that is bound to the agent: a new one, or\n" +
    "that of resume. With exec, through a hub, and with options that its daemon does not take, it runs in a separate process\n" +
    "(--no-daemon). Refuses where the program is not installed, the team has no such agent, or another session is this agent.",
  positionals: [
    { name: "PROGRAM", required: true, choices: hookPrograms, summary: "the agent program" },
    { name: "ARGUMENT", repeatable: true, isHandedOn: true, summary: "what the program gets, after --" },
  ],
  examples: [
    { line: "baton run claude-code --as lead-1", meaning: "Claude Code as lead-1" },
    { line: "baton run codex --as dev-1 -- exec 'do task 1-1-T1'", meaning: "Codex without a terminal, as dev-1" },
    { line: "baton run codex --as dev-1 -- resume --last", meaning: "go on with the newest session in this folder" },
    { line: "baton run claude-code --as lead-1 -- --resume SESSION", meaning: "go on with an earlier session" },
  ],
  next: "baton status shows the agent at work; docs/guides/claude-code.md tells what hooks do.",
  endsByInterrupt: true,
  run: async (asked): Promise<ExitCode> => {
    const program = chosen(asked.given.word("PROGRAM"), hookPrograms);
    const call = towardsHub(asked, program);
    const agent = callerOf(call);
    if (agent === null) return call.output.fail(agentMissing(program));
    if (isOwnersOrBatons(agent)) return call.output.fail(noAgent(agent));
    const found = findProgram(program, call.config.environment());
    if (!found.ok) return call.output.fail(found.error);
    const known = hubOf(call) === null ? await knownProblem(call, agent) : await provenBy(call, agent);
    if (known !== null) return call.output.fail(known);
    const begun = await begin(call, { program, agent, file: found.value, words: call.given.words("ARGUMENT") });
    if (!begun.ok) return call.output.fail(begun.error);
    const warning = warningOf(call, program);
    if (warning !== null) call.output.say(`warning: ${visible(warning)}`);
    const { words, isThread } = begun.value;
    return becomeProgram(found.value, words, { ...surroundings(call), ...(isThread ? {} : handedOn(call, agent)) });
  },
};

interface Launch {
  readonly program: HookProgram;
  readonly agent: string;
  /** The words that start the program, and those of the caller. */
  readonly file: readonly string[];
  readonly words: readonly string[];
}

interface Launched {
  readonly words: readonly string[];
  /** The id of the thread says who acts, in whichever process the thread runs. */
  readonly isThread: boolean;
}

/** Binds the session that begins. Answers the program's words. */
async function begin(call: Call, launch: Launch): Promise<Result<Launched, Problem>> {
  if (launch.program === "codex") return await beginCodex(call, launch);
  const session = sessionOf(launch.words);
  const refused = await bindHere(call, launch, session.id);
  return refused === null ? ok({ words: session.words, isThread: false }) : err(refused);
}

/** Gives Codex in a terminal a thread in its daemon; not through a hub, where the daemon would hand on its first token. */
async function beginCodex(call: Call, launch: Launch): Promise<Result<Launched, Problem>> {
  const start = readCodexWords(launch.words, call.config.directory);
  if (!start.ok) return start;
  const bind = async (session: string | null) => await bindHere(call, launch, session);
  const isThrough = hubOf(call) !== null;
  // Asked of the file itself: a stream on standard input would take it from the program.
  const isShown = isatty(0);
  if (start.value.kind === "thread" && isShown && !isThrough) {
    const { words, earlier, directory } = start.value;
    const [program, environment] = [launch.file, surroundings(call)];
    const thread = await openThread({ program, environment, name: launch.agent, bind, directory, earlier });
    if (thread?.ok) return ok({ words: ["resume", thread.value, ...words], isThread: true });
    if (thread !== null) return thread;
  }
  const [because, words] =
    start.value.kind === "process"
      ? [start.value.because, start.value.words]
      : [isThrough ? "the hub" : "its daemon gave no answer", ["--no-daemon", ...launch.words]];
  if (isShown && because !== null)
    call.output.say(
      `note: Codex runs in a separate process (${because}): mail wakes an idle agent after 5 to 40 seconds`,
    );
  const refused = await bind(null);
  return refused === null ? ok({ words, isThread: false }) : err(refused);
}

/** The call through the hub that the program's settings name, where the call names no place. */
function towardsHub(call: Call, program: HookProgram): Call {
  const { given, config } = call;
  const url = hubOf(call) === null && given.text("journal") === undefined ? installedHub(config, program) : null;
  const text = (name: string) => (name === "hub" ? (url ?? undefined) : given.text(name));
  return url === null ? call : { ...call, given: { ...given, text } };
}

/** The environment without what says who acts: the session that this command runs in is not the one that begins. */
function surroundings({ config }: Call): Readonly<Record<string, string>> {
  const gone = [
    "BATON_AGENT",
    "BATON_HUB",
    "BATON_TOKEN",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
  ];
  return Object.fromEntries(Object.entries(config.environment()).filter(([name]) => !gone.includes(name)));
}

/** The session that is started: its id where it is known before, and the words of the program. */
interface LaunchedSession {
  readonly id: string | null;
  readonly words: readonly string[];
}

/** Options by which these programs go on with a session that has an id. */
const resuming = ["--resume", "-r", "--session-id"];
const goingOn = [...resuming, "--continue", "-c", "--session-file", "--list-sessions", "--delete-session"];

/** The program's words, with an id for the session where the caller named none. */
function sessionOf(words: readonly string[]): LaunchedSession {
  const named = words.flatMap((word, at) => {
    const [option = "", value] = word.split("=", 2);
    return resuming.includes(option) ? [value ?? words[at + 1] ?? ""] : [];
  });
  const id = named.find((word) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word)) ?? null;
  if (words.some((word) => goingOn.includes(word.split("=", 1)[0] ?? ""))) return { id, words };
  const own = newMessageId();
  return { id: own, words: ["--session-id", own, ...words] };
}

/** Binds the session in this project of this machine. Answers why the agent may not begin. */
async function bindHere(call: Call, { program, agent }: Launch, session: string | null): Promise<Problem | null> {
  // The token says who it is.
  if (hubOf(call) !== null) return null;
  const place = await placeOf(call);
  if (!place.ok) return place.error;
  const own = processNow();
  const bound = await bindRecorded(call, {
    folder: sessionsFolder(place.value.journal),
    program,
    session,
    names: [agent],
    processes: own === null ? null : [own, ...(processesAbove() ?? [])],
    takes: "launcher",
  });
  return bound.refused;
}

/** Why the team does not have the agent; one that a rule for names lets in joins. */
async function knownProblem(call: Call, agent: string): Promise<readonly Problem[] | null> {
  const opened = await openLocal(call, (isMember) => (isMember(agent) ? agent : nobody));
  if (!opened.ok) return opened.error;
  await using team = opened.value;
  const status = await team.status();
  if (!status.ok) return [status.error];
  const member = status.value.agents.find((each) => each.agent === agent);
  const shown = visible(agent);
  const register = `baton agent register ${shown} --role ROLE`;
  if (member?.status === "active") return null;
  if (member !== undefined)
    return [
      makeProblem("retired-agent", agent, `${shown} has left team ${team.name}.`, {
        hint: `${register} brings it back`,
      }),
    ];
  if (await joinByRule(call, agent)) return null;
  return [
    makeProblem("unknown-agent", agent, `Team ${team.name} has no agent ${shown}.`, { hint: `${register} adds it` }),
  ];
}

/** Why the hub's token does not prove the agent. */
async function provenBy(call: Call, agent: string): Promise<readonly Problem[] | null> {
  const hub = hubOf(call);
  if (hub === null) return null;
  const connected = await call.connectHub({ ...hub, agent: null });
  if (!connected.ok) return [connected.error];
  const proven = connected.value.agent;
  if (proven === agent) return null;
  return [
    makeProblem(
      "identity-mismatch",
      "--as",
      `The token for this hub proves ${visible(proven)}, not ${visible(agent)}.`,
      {
        hint: `baton token create ${visible(agent)} makes one for this agent; hand it over in BATON_TOKEN`,
      },
    ),
  ];
}

/** What the program and its servers read of who they are. */
function handedOn(call: Call, agent: string): Readonly<Record<string, string>> {
  const hub = hubOf(call);
  return {
    BATON_AGENT: agent,
    ...(hub === null ? {} : { BATON_HUB: hub.url }),
    ...(hub?.token === null || hub?.token === undefined ? {} : { BATON_TOKEN: hub.token }),
  };
}

/** The words that start the program: the file itself, or Node and a script that needs it. */
function findProgram(
  program: HookProgram,
  { PATH = "" }: Readonly<Record<string, string>>,
): Result<readonly string[], Problem> {
  const { command: name, title, packageName } = programFacts[program];
  const file = programOnPath([name], PATH);
  if (file === null) {
    const hint = `install it, for example with npm install -g ${packageName}, or put the folder of ${name} on PATH`;
    return err(makeProblem("not-found", name, `${title} is not on the PATH: there is no program ${name}.`, { hint }));
  }
  const start = firstLine(file);
  // With the Node that runs Baton, which is new enough wherever the script is called from.
  if (/^#!.*\bnode\b/.test(start)) return ok([process.execPath, realpathSync(file)]);
  if (start.startsWith("#!")) {
    const [interpreter = "", ...words] = start.slice(2).trim().split(/\s+/, 2);
    if (isExecutable(interpreter)) return ok([interpreter, ...words, file]);
  } else if (/^(?:\x7fELF|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe)/.test(start)) return ok([file]);
  return err(
    makeProblem("not-found", file, `${title} cannot be started: ${file} is no program of this machine.`, {
      hint: `install it again, with the scripts of its package: npm install -g ${packageName}`,
    }),
  );
}

/** Its first line, as far as a line that names an interpreter goes. */
function firstLine(file: string): string {
  const bytes = Buffer.alloc(256);
  const opened = openSync(file, "r");
  try {
    const [line = ""] = bytes.toString("latin1", 0, readSync(opened, bytes)).split("\n", 1);
    return line;
  } finally {
    closeSync(opened);
  }
}

/** Ends as the program: it takes the place of this process. */
function becomeProgram(
  [file = "", ...first]: readonly string[],
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): never {
  // What Node ignores would stay ignored in the program; what it handles goes back to what is usual.
  for (const signal of ["SIGPIPE", "SIGXFSZ"] as const) process.on(signal, () => undefined);
  if (process.execve === undefined) throw new Error("this Node cannot start a program in its place");
  return process.execve(file, [file, ...first, ...words], environment);
}

/** Why Baton's hooks do not protect files in this project, of Codex also where they are off; null: nothing is known. */
function warningOf({ config }: Call, program: HookProgram): string | null {
  const { title } = programFacts[program];
  const found = programFinding(config, program);
  if (found === null) return `this project's settings of ${title} have no hooks of Baton: baton install ${program}`;
  const off = hooksOff(config, program, nearestProject(config.directory) ?? config.directory);
  if (off !== null) return `${title} may write files that others hold: ${off.finding}; ${off.advice}`;
  if (found.state === "ok" || program !== "codex") return null;
  return `${title} may write files that others hold: ${found.finding}${found.advice === null ? "" : `; ${found.advice}`}`;
}

function noAgent(name: string): Problem {
  const who = name === ownerName ? "the person" : "Baton itself";
  return usageProblem("--as", `${visible(name)} is ${who}; name an agent.`, "baton agent list shows them");
}

function agentMissing(program: HookProgram): Problem {
  return usageProblem("--as", "The agent that the program acts as is missing.", `baton run ${program} --as AGENT`);
}
