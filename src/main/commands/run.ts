/**
 * `baton run`: starts an agent program as an agent of the team. The program takes the place of this process, so its
 * terminal, signals and exit code are its own. Rules: docs/protocol/doors.md, section 7.
 */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { isatty } from "node:tty";
import { newMessageId } from "../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortList, visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { choiceIfGiven } from "../../doors/cli/kernel/time-argument.ts";
import { actingAs, hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import type { ExitCode } from "../../doors/cli/terminal/exit-codes.ts";
import { agentTreeIn, openAgentTree } from "../../evidence/git/agent-tree.ts";
import { gitAt } from "../../evidence/git/git.ts";
import { openRepository } from "../../evidence/git/repository.ts";
import { moveForward } from "../../evidence/services/tree-moving.ts";
import { isOwnersOrBatons, ownerName } from "../../messages/principal.ts";
import { type HookProgram, hookPrograms } from "../../messages/program-hooks.ts";
import { processesAbove, processNow, sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { agentOfShell } from "../../perform/workspace/config.ts";
import { placeOf } from "../../perform/workspace/place.ts";
import { checkoutAround, findWorkspace } from "../../perform/workspace/workspace.ts";
import { type CodexAsked, startSessionServer, trustsFolder } from "../../programs/install/codex-server.ts";
import { programCheck } from "../../programs/install/examined-programs.ts";
import { findProgram, isPluginOn } from "../../programs/install/plugins.ts";
import { programCalled, programFacts, sharingMax } from "../../programs/install/program-settings.ts";
import { hooksOff } from "../../programs/install/program-switches.ts";
import { codexHooks, skipped } from "../../programs/install/reviewed-hooks.ts";
import { nearestProject, oldSettings, settingsProblem } from "../../programs/install/settings-text.ts";
import { codexLine, firstPrompt, geminiTrusts, startLine } from "../../programs/install/start-line.ts";
import { openThread } from "../../programs/sessions/codex-thread.ts";
import { goingOnWords } from "../../programs/sessions/earlier-session.ts";
import { joinByRule, nobody } from "../../programs/sessions/hook-team.ts";
import { bindRecorded } from "../../programs/sessions/session-agent.ts";
import { runningHolder } from "../../programs/sessions/session-binding.ts";
import type { Unguarded } from "../../team/operations/agents.ts";
import { type CodexStart, readCodexWords } from "./codex-words.ts";

export const command: Command = {
  description:
    "Starts the agent's program in this terminal. The team file says which one it is (program), or --program. An agent with a\n" +
    "program in the file works in a tree of its own, .baton/trees/NAME on the branch baton/NAME, made when it first runs, and\n" +
    "goes on with its last session; in a terminal, without an ARGUMENT, it begins by itself with the next task. Another agent\n" +
    "works where you are. The program gets Baton's hooks and tools on its start line, so nothing of them is in the project;\n" +
    "where its plugin of Baton is on, that one counts. Baton first notes which agent this session is, so no other session can\n" +
    "take the name while this one runs. The program replaces this process: input, output, Ctrl-C and the exit code are the\n" +
    "program's.",
  positionals: [
    {
      name: "NAME",
      required: true,
      summary: "the agent; or claude, codex or gemini, for the next free name of that program",
    },
    { name: "ARGUMENT", repeatable: true, isHandedOn: true, summary: "what the program gets, after --" },
  ],
  options: [
    {
      name: "program",
      kind: "text",
      value: "PROGRAM",
      choices: hookPrograms,
      summary: "the agent program (default: the team file's)",
    },
    { name: "new", kind: "flag", summary: "begin a new session (default: go on with the agent's last one)" },
  ],
  examples: [
    { line: "baton run dev-1", meaning: "the program that the team file names for dev-1" },
    { line: "baton run lead-1 --program claude-code", meaning: "Claude Code as lead-1, in this folder" },
    {
      line: "baton run claude",
      meaning: "after baton start --here: as claude-1, or the next of its name that is free",
    },
    { line: "baton run dev-1 --program codex -- exec 'do task 1-1-T1'", meaning: "Codex without a terminal" },
    { line: "baton run dev-1 -- --resume SESSION", meaning: "go on with an earlier session of Claude Code" },
  ],
  next: "baton status shows the agent at work; docs/guides/claude-code.md tells what hooks do.",
  endsByInterrupt: true,
  run: async (call): Promise<ExitCode> => {
    const word = call.given.word("NAME") ?? "";
    const named = choiceIfGiven(call.given.text("program"), hookPrograms) ?? null;
    const own = hubOf(call) === null ? programCalled(word) : null;
    const isProgram = own !== null && (named ?? own) === own;
    const names = isProgram ? await freeNames(call, programFacts[own].command) : [word];
    let problems: Problem | readonly Problem[] = [];
    for (const agent of names) {
      const ready = await readyAs(call, agent, isProgram && agent !== word ? own : named);
      if (ready.ok) {
        if (agent !== word) call.output.say(`note: this session is ${agent}`);
        const { file, directory, words, environment } = ready.value;
        process.chdir(directory);
        return becomeProgram(file, words, environment);
      }
      problems = ready.error;
      // Another session was faster.
      if (!isProgram || !("code" in problems) || problems.code !== "identity-mismatch") break;
    }
    return call.output.fail(problems);
  },
};

/** The names under which a session of the program may join a folder that all share, or its own where an agent has that. */
async function freeNames(call: Call, word: string): Promise<readonly string[]> {
  const [opened, place] = [await openLocal(call, null), await placeOf(call)];
  if (!opened.ok || !place.ok) return [word];
  await using team = opened.value;
  const agents = await team.agents();
  if (!agents.ok || agents.value.some(({ agent }) => agent === word)) return [word];
  const all = Array.from({ length: sharingMax }, (_, at) => `${word}-${at + 1}`);
  const free = all.filter((each) => runningHolder(sessionsFolder(place.value.journal), each) === null);
  return free.length === 0 ? all.slice(-1) : free;
}

/** How the agent's program is started; its session is bound then. */
async function readyAs(
  asked: Call,
  agent: string,
  named: HookProgram | null,
): Promise<Result<Launched & { readonly file: readonly string[] }, Problem | readonly Problem[]>> {
  const acting = actingAs(asked, agent);
  if (!acting.ok) return acting;
  const call = acting.value;
  if (isOwnersOrBatons(agent)) return err(noAgent(agent));
  const member = hubOf(call) === null ? await memberOf(call, agent) : await provenBy(call, agent);
  if (!member.ok) return member;
  const program = named ?? member.value.program;
  if (program === null) return err(programMissing(call, agent));
  const found = findProgram(program, call.config.environment());
  if (!found.ok) return found;
  const given = call.given.words("ARGUMENT");
  const isBatons = given.length === 0 && member.value.program === program;
  const words = isBatons && !call.given.flag("new") ? await lastSession(call, program, agent) : given;
  const begins = isBatons && isatty(0);
  const begun = await begin(call, { program, agent, file: found.value, words, begins, member: member.value });
  if (!begun.ok) return begun;
  const environment = { ...surroundings(call), ...begun.value.environment };
  return ok({ ...begun.value, environment, file: found.value });
}

interface Launch {
  readonly program: HookProgram;
  readonly agent: string;
  /** The words that start the program, and those of the caller. */
  readonly file: readonly string[];
  readonly words: readonly string[];
  /** Whether it gets a first prompt. */
  readonly begins: boolean;
  readonly member: TeamMember;
}

/** What the team says of an agent. */
interface TeamMember {
  /** The program of the team file; null: it names none, so the agent has no tree. */
  readonly program: HookProgram | null;
  /** The team's main branch; null: git's. */
  readonly main: string | null;
  /** It is a lead, and developers are there. */
  readonly leads: boolean;
}

/** The words that go on with the agent's last session. */
async function lastSession(call: Call, program: HookProgram, agent: string): Promise<readonly string[]> {
  const place = await placeOf(call);
  if (!place.ok) return [];
  const words = goingOnWords(call, { folder: sessionsFolder(place.value.journal), program, agent });
  if (words.length > 0)
    call.output.say(`note: goes on with the last session; a new one: ${call.config.program} run ${agent} --new`);
  return words;
}

interface Launched {
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
}

/** Binds the session that begins. Answers how the program is started. */
async function begin(call: Call, launch: Launch): Promise<Result<Launched, Problem>> {
  const { program, agent, member } = launch;
  const root = nearestProject(call.config.directory) ?? call.config.directory;
  const old = oldSettings(call.config, program, root);
  if (!old.ok) return old;
  const [twice] = old.value;
  if (twice !== undefined) {
    const hint = `${call.config.program} uninstall ${program} takes them out`;
    return err(settingsProblem(twice.file, "An older Baton's hooks are here, so each would be asked twice.", hint));
  }
  const isLined =
    hubOf(call) === null &&
    (member.program !== null || !isPluginOn(call.config, program, root) || leavesOut(program, launch.words));
  if (program === "codex" && !isLined) return await beginCodex(call, launch);
  const codex = program === "codex" ? readCodexWords(launch.words, call.config.directory) : null;
  if (codex?.ok === false) return codex;
  const asks =
    program === "gemini" && isatty(0) && member.program !== null && !geminiTrusts(call.config, treePathOf(call, agent));
  const session =
    codex !== null
      ? { id: null, words: processWords(codex.value) }
      : // After its question it starts itself again by the same words, and a session of that name is there by then.
        asks
        ? { id: null, words: launch.words }
        : sessionOf(launch.words);
  const refused = await bindHere(call, launch, session.id);
  if (refused !== null) return err(refused);
  const directory = member.program === null ? ok(call.config.directory) : await treeOf(call, launch);
  if (!directory.ok) return directory;
  const place = isLined ? await placeOf(call) : null;
  if (place?.ok === false) return place;
  const line = place === null ? noLine : startLine({ ...launch, journal: place.value.journal, config: call.config });
  if (!line.ok) return line;
  const warning = asks
    ? untrusted(directory.value)
    : isLined
      ? await lineWarning(call, program, directory.value)
      : await pluginWarning(call, program);
  // Where nothing protects files yet, the person reads why before the program begins.
  const first = launch.begins && warning === null ? firstPrompt(program, member.leads) : [];
  await warn(call, launch, warning);
  const environment = {
    ...line.value.environment,
    ...(program === "gemini" ? await committerHere(call, directory.value) : {}),
    ...handedOn(call, launch.agent),
    PWD: directory.value,
  };
  const served =
    codex === null || place === null || warning !== null
      ? null
      : await servedWords(call, {
          start: codex.value,
          words: line.value.words,
          folder: sessionsFolder(place.value.journal),
          asked: {
            program: launch.file,
            environment: { ...surroundings(call), ...environment },
            directory: directory.value,
          },
        });
  const words = served ?? [...line.value.words, ...session.words];
  return ok({ words: [...words, ...first], environment, directory: directory.value });
}

/** Who commits there, as settings of git in variables: the shell of Gemini CLI reads git's global ones from nowhere else. */
async function committerHere({ config }: Call, directory: string): Promise<Readonly<Record<string, string>>> {
  const environment = config.environment();
  const asked = await gitAt({ directory, environment }).run(["config", "-z", "--get-regexp", "^user\\.(name|email)$"]);
  if (!asked.ok) return {};
  const set = Number(environment.GIT_CONFIG_COUNT ?? 0);
  const pairs = asked.value.output.toString("utf8").split("\0").slice(0, -1);
  const variables = pairs.flatMap((pair, at) => {
    const [key = "", ...value] = pair.split("\n");
    return [
      [`GIT_CONFIG_KEY_${set + at}`, key],
      [`GIT_CONFIG_VALUE_${set + at}`, value.join("\n")],
    ];
  });
  return { ...Object.fromEntries(variables), GIT_CONFIG_COUNT: String(set + pairs.length) };
}

const noLine = ok({ words: [], environment: {} });

/** Whether Claude Code, told so, does not load its plugins. */
function leavesOut(program: HookProgram, words: readonly string[]): boolean {
  return (
    program === "claude-code" && words.some((word) => /^--(bare|restricted|safe-mode|setting-sources)(=|$)/.test(word))
  );
}

/** Where the agent's tree is, or will be. */
function treePathOf({ config }: Call, agent: string): string {
  const workspace = findWorkspace(config.directory);
  return workspace === null ? config.directory : agentTreeIn(workspace.directory, agent);
}

/** The folder of the agent's tree that is the team's; without a repository all work in one folder. */
async function treeOf(call: Call, { agent, member: { main } }: Launch): Promise<Result<string, Problem>> {
  const workspace = findWorkspace(call.config.directory);
  const root = workspace === null ? null : (checkoutAround(workspace.root)?.root ?? null);
  if (workspace === null || root === null) return ok(workspace?.root ?? call.config.directory);
  const git = { environment: call.config.environment() };
  const opened = await openRepository(root, git);
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const tree = await openAgentTree(repository, { directory: workspace.directory, agent, main });
  if (!tree.ok) return tree;
  const { directory, branch, was, brought } = tree.value;
  const shown = visible(relative(root, directory));
  if (was === "made") call.output.say(`note: made ${shown} on the branch ${branch}`);
  if (was === "restored") call.output.say(`note: ${shown} was gone, and is there again as it was last committed`);
  if (brought.length > 0) call.output.say(`note: brought ${visible(shortList(brought))}, as .worktreeinclude says`);
  const onto = was === "there" ? await moveForward(repository, { ...git, directory: root }, { agent, main }) : null;
  if (onto !== null) call.output.say(`note: moved ${shown} to ${onto}`);
  const inside = join(directory, relative(root, workspace.root));
  return ok(existsSync(inside) ? inside : directory);
}

/**
 * The words of a terminal whose session runs in a server that ends with it, since mail wakes a thread in a server at once.
 * Null: there is no terminal, the words mean nothing to a server, the person must still be asked about the folder, which
 * only a separate process does, or this machine wakes nobody.
 */
async function servedWords(
  { signal }: Call,
  {
    start,
    asked,
    ...server
  }: {
    readonly start: CodexStart;
    readonly asked: CodexAsked;
    readonly words: readonly string[];
    readonly folder: string;
  },
): Promise<readonly string[] | null> {
  if (start.kind !== "thread" || start.words.includes("--add-dir") || !isatty(0) || processNow() === null) return null;
  const checkout = checkoutAround(asked.directory);
  const places = [asked.directory, ...(checkout === null ? [] : [checkout.root, checkout.repository])];
  if (!(await trustsFolder(asked, places))) return null;
  const terminal = await startSessionServer(asked, { ...server, signal });
  return terminal === null ? null : [...terminal, ...start.given];
}

/** The words of a session of Codex that runs in a separate process. */
function processWords(start: CodexStart): readonly string[] {
  return start.kind === "process" ? start.words : ["--no-daemon", ...start.given];
}

/** Gives Codex in a terminal a thread in its daemon; not through a hub, where the daemon would hand on its first token. */
async function beginCodex(call: Call, launch: Launch): Promise<Result<Launched, Problem>> {
  const start = readCodexWords(launch.words, call.config.directory);
  if (!start.ok) return start;
  const here = { directory: call.config.directory };
  const bind = async (session: string | null) => await bindHere(call, launch, session);
  const isThrough = hubOf(call) !== null;
  // Asked of the file itself: a stream on standard input would take it from the program.
  const isShown = isatty(0);
  if (start.value.kind === "thread" && isShown && !isThrough) {
    const { words, earlier, directory } = start.value;
    const [program, environment] = [launch.file, surroundings(call)];
    const thread = await openThread({ program, environment, name: launch.agent, bind, directory, earlier });
    // The id of the thread says who acts, in whichever process the thread runs.
    if (thread?.ok) {
      const warning = await pluginWarning(call, "codex");
      // The daemon has answered, so something is heard of it.
      if (warning !== null) await warn(call, launch, warning);
      return ok({ words: ["resume", thread.value, ...words], environment: {}, ...here });
    }
    if (thread !== null) return thread;
  }
  const because =
    start.value.kind === "process" ? start.value.because : isThrough ? "the hub" : "its daemon gave no answer";
  if (isShown && because !== null)
    call.output.say(
      `note: Codex runs in a separate process (${because}): mail wakes an idle agent after 5 to 40 seconds`,
    );
  const refused = await bind(null);
  if (refused !== null) return err(refused);
  await warn(call, launch, await pluginWarning(call, "codex"));
  return ok({ words: processWords(start.value), environment: handedOn(call, launch.agent), ...here });
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
    isOwners: !call.config.isInProgram && agentOfShell(call.config) === null,
  });
  return bound.refused;
}

/** What the team says of the agent; one that a rule for names lets in joins. */
async function memberOf(call: Call, agent: string): Promise<Result<TeamMember, readonly Problem[]>> {
  const opened = await openLocal(call, (isMember) => (isMember(agent) ? agent : nobody));
  if (!opened.ok) return opened;
  await using team = opened.value;
  const status = await team.status();
  if (!status.ok) return err([status.error]);
  const { agents, definition } = status.value;
  const member = agents.find((each) => each.agent === agent);
  const shown = visible(agent);
  const register = `baton agent register ${shown} --role ROLE`;
  const program = definition?.agents.find((each) => each.agent === agent)?.program ?? null;
  if (member?.status === "active") {
    const leads = member.role === "lead" && agents.some(({ role, status: is }) => role === "dev" && is === "active");
    return ok({ program, main: definition?.main ?? null, leads });
  }
  if (member !== undefined) {
    const hint = `${register} brings it back`;
    return err([makeProblem("retired-agent", agent, `${shown} has left team ${team.name}.`, { hint })]);
  }
  if (await joinByRule(call, agent)) return ok({ program: null, main: null, leads: false });
  const others = (definition?.agents ?? []).flatMap((each) => (each.program === undefined ? [] : [each.agent]));
  return err([
    makeProblem("unknown-agent", agent, `Team ${team.name} has no agent ${shown}.`, {
      expected: others.join(" | ") || undefined,
      hint: `${register} adds it`,
    }),
  ]);
}

/** An agent that the hub's token proves; through a hub the team file is not read. */
async function provenBy(call: Call, agent: string): Promise<Result<TeamMember, readonly Problem[]>> {
  const hub = hubOf(call);
  const connected = hub === null ? null : await call.connectHub({ ...hub, agent: null });
  if (connected?.ok === false) return err([connected.error]);
  const proven = connected?.value.agent ?? agent;
  if (proven === agent) return ok({ program: null, main: null, leads: false });
  return err([
    makeProblem(
      "identity-mismatch",
      "NAME",
      `The token for this hub proves ${visible(proven)}, not ${visible(agent)}.`,
      {
        hint: `baton token create ${visible(agent)} makes one for this agent; hand it over in BATON_TOKEN`,
      },
    ),
  ]);
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

/**
 * Says why nothing protects files: in the terminal before the program begins, and in what needs the person, who learns there
 * too if nothing is heard of the program.
 */
async function warn(call: Call, { agent, begins }: Launch, warning: Warning | null): Promise<void> {
  if (warning !== null)
    call.output.say(`warning: ${visible(warning.says)}${begins ? "; so it waits for your first prompt" : ""}`);
  const opened = hubOf(call) === null ? await openLocal(call, () => agent) : null;
  if (opened?.ok !== true) return;
  await using team = opened.value;
  const process = processNow();
  const unguarded = { unguarded: warning?.because ?? "unseen", ...(process === null ? {} : { process }) } as const;
  const noted = await team.shown({ context: null, seq: 0, ...unguarded });
  if (!noted.ok) call.output.problems([noted.error]);
}

function untrusted(directory: string): Warning {
  const says = `Gemini CLI asks whether you trust ${directory}; until you do, it runs without Baton, and may write files that others hold`;
  return { says, because: "untrusted" };
}

interface Warning {
  readonly says: string;
  readonly because: Unguarded["because"];
}

/** Why the hooks of the program's start line do not protect files; null: nothing is known. */
async function lineWarning({ config }: Call, program: HookProgram, directory: string): Promise<Warning | null> {
  const { title } = programFacts[program];
  const listed = program === "codex" ? await codexHooks(config, directory, codexLine()) : null;
  if (program === "codex" && listed === null)
    return { says: `it is not known whether ${title} runs Baton's hooks: it does not say`, because: "other" };
  const own = listed?.filter(({ key }) => key.startsWith(sessionFlags)) ?? [];
  const off = listed === null ? hooksOff(config, program, nearestProject(directory) ?? directory) : skipped(own);
  if (off === null) return null;
  const says = `${title} may write files that others hold: ${off.finding}; ${off.advice}`;
  return { says, because: own.length > 0 ? "unreviewed" : "other" };
}

/** What Codex calls the place of the settings of its line. */
const sessionFlags = "/<session-flags>/";

/** The same of the plugin's hooks. */
async function pluginWarning({ config }: Call, program: HookProgram): Promise<Warning | null> {
  const { title } = programFacts[program];
  const found = await programCheck(config, nearestProject(config.directory) ?? config.directory, program);
  const other = (says: string): Warning => ({ says, because: "other" });
  if (found === null) return other(`${title} has no hooks of Baton here: baton install ${program}`);
  if (found.state === "ok") return null;
  return other(
    `${title} may write files that others hold: ${found.finding}${found.advice === null ? "" : `; ${found.advice}`}`,
  );
}

function noAgent(name: string): Problem {
  const who = name === ownerName ? "the person" : "Baton itself";
  return usageProblem("NAME", `${visible(name)} is ${who}; name an agent.`, "baton agent list shows them");
}

function programMissing({ config }: Call, agent: string): Problem {
  const shown = visible(agent);
  const fact = `The team file does not say which program ${shown} is.`;
  return usageProblem("--program", fact, `${config.program} run ${shown} --program ${hookPrograms.join("|")}`);
}
