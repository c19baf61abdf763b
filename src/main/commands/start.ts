/**
 * `baton start`: begins the day of a team, or goes on with it. The first time it asks which agents there are and writes the
 * team file; each time it starts a hub where none runs, brings back agents that had stopped, and says how each one's
 * program is started. Rules: docs/protocol/doors.md, section 7.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { isJsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { isGiven } from "../../doors/cli/kernel/list-or-one.ts";
import { nextCommand } from "../../doors/cli/kernel/next-command.ts";
import { type HubNote, lastPort, runningHubs } from "../../doors/cli/place/running-hubs.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import { tmuxWindows } from "../../doors/cli/place/team-tmux.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { planInstall } from "../../evidence/decide/git-hooks.ts";
import { treeStart } from "../../evidence/git/agent-tree.ts";
import { openRepository } from "../../evidence/git/repository.ts";
import { type HookProgram, hookPrograms } from "../../messages/program-hooks.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import type { WorkingTeam } from "../../perform/team.ts";
import { sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { takeTurn } from "../../perform/workspace/file-turn.ts";
import { batonWords } from "../../perform/workspace/package-root.ts";
import { type Place, writablePlaceOf } from "../../perform/workspace/place.ts";
import { programOnPath } from "../../perform/workspace/program-path.ts";
import { createState } from "../../perform/workspace/state-folder.ts";
import { nameFrom, otherTeamProblem, type Wanted, writeFiles } from "../../perform/workspace/team-creation.ts";
import {
  checkoutAround,
  findWorkspace,
  liesInRepository,
  type Workspace,
  workspaceAt,
} from "../../perform/workspace/workspace.ts";
import { programCalled, programFacts, sharingMax } from "../../programs/install/program-settings.ts";
import { endedAmong, runningHolder } from "../../programs/sessions/session-binding.ts";
import type { ShutdownView } from "../../shutdown/operations.ts";
import { dayText } from "../../shutdown/text.ts";
import { dayOf } from "../../shutdown/view/day.ts";
import type { AgentStatus } from "../../team/operations/agents.ts";
import { type AgentDefinition, branchPattern, type TeamDefinition } from "../../team/state/definition.ts";
import { readNotify, readWish, setNotify } from "../notify-settings.ts";
import { linkNotes, pageLink, printLink } from "./running-hub.ts";
import { openPage, spawnHub, startInTmux, tmuxAttach } from "./start-outside.ts";

const portDefault = 4777;
/** A machine that is very busy still starts a hub in this time, in milliseconds. */
const hubMsMax = 60_000;
const lookMs = 50;
/** More agents than a machine of today runs at once. */
const agentsMax = 20;

export const command: Command = {
  isLocal: true,
  isOwners: true,
  globals: ["journal", "team"],
  description:
    "Begins a team's day, and goes on with it: the same command next morning, after a stop or a crash. The first time it finds\n" +
    "the agent programs on this machine, asks which agents you want and which checks work must pass, and writes\n" +
    ".baton/team.yaml. Each time it starts the hub in the background where none runs, opens the page, and says how each agent's\n" +
    "program is started: `baton run NAME`, in a terminal of its own, or all in tmux. Git then asks Baton before each commit\n" +
    "(baton uninstall git-hooks takes that back).\n" +
    "With --here all agents share this folder, and each session joins as it comes: `baton run claude` is claude-1, then claude-2.",
  options: [
    { name: "agents", kind: "text", value: "LIST", summary: "programs and how many agents of each: claude:2,codex:1" },
    {
      name: "lead",
      kind: "text",
      value: "PROGRAM",
      summary: "the program of the agent that plans (default: the first)",
    },
    {
      name: "check",
      kind: "text",
      value: "COMMAND",
      repeatable: true,
      summary: "a command that work must pass before it lands, or none (default: npm test, where there is one)",
    },
    { name: "onto", kind: "text", value: "BRANCH", summary: "the branch on which work lands (default: main)" },
    { name: "here", kind: "flag", summary: "all agents work in this folder, without trees" },
    { name: "tmux", kind: "flag", summary: "start the agents in tmux" },
    { name: "yes", kind: "flag", short: "y", summary: "ask nothing" },
    { name: "link", kind: "flag", summary: "only print a new link to the page of the hub that runs" },
    {
      name: "notify",
      kind: "text",
      value: "WHERE",
      summary:
        "tell you what needs you by `desktop` or the URL of a webhook, or `off` (default: as before; at first off)",
    },
    {
      name: "allow-private",
      argument: "allowPrivate",
      kind: "flag",
      summary: "that URL may be on this machine or in a private network",
    },
    { name: "port", kind: "port", value: "PORT", summary: `the hub's port (default: ${portDefault}, or a free one)` },
  ],
  examples: [
    { line: "baton start", meaning: "begin, or go on; asks the first time" },
    { line: "baton start --agents claude:2,codex:1 --yes", meaning: "a lead and two developers, no questions" },
    { line: "baton start --tmux", meaning: "each agent in a window of tmux" },
    { line: "baton start --notify desktop", meaning: "also tell me on this machine when something needs me" },
    { line: "baton start --link", meaning: "a link to the page, alone on standard output" },
  ],
  next: "Give work on the page, or by baton task add; baton needs shows what waits for you.",
  run: async (call) => {
    if (call.given.flag("link")) {
      const idle = (command.options ?? []).find(
        (each) => each.name !== "link" && each.name !== "port" && isGiven(call.given, each),
      );
      if (idle === undefined) return await printLink(call);
      const hint = `run it without --link, or leave --${idle.name} out`;
      return call.output.fail(usageProblem(`--${idle.name}`, "With --link it only prints a link.", hint));
    }
    if (call.given.text("journal") !== undefined)
      return call.output.fail(
        usageProblem("--journal", "A team begins in its repository.", "for another journal: baton up --journal URL"),
      );
    const where = call.given.text("notify");
    const wish =
      where === undefined ? ok(null) : readWish(where, call.given.flag("allow-private"), call.config.environment());
    if (!wish.ok) return call.output.fail(wish.error);
    const workspace = await workspaceFor(call);
    if (!workspace.ok) return call.output.fail(workspace.error);
    const proposed = await proposal(call, workspace.value);
    if (!proposed.ok) return call.output.fail(proposed.error);
    if (proposed.value === "left") return exitCodes.interrupted;
    const begun = await beginOnce(call, workspace.value, proposed.value);
    if (!begun.ok) return call.output.fail(begun.error);
    const state = dirname(begun.value.place.journal);
    const secret = wish.value === null ? ok(null) : setNotify(state, wish.value);
    if (!secret.ok) return call.output.fail(secret.error);
    return await tell(call, workspace.value, begun.value, secret.value);
  },
};

/** The team's folder: the nearest, else at the root of the repository. Refuses what no team can begin in. */
async function workspaceFor({ config, given }: Call): Promise<Result<Workspace, Problem>> {
  const found = findWorkspace(config.directory);
  const root = checkoutAround(config.directory)?.repository ?? null;
  const workspace = found ?? workspaceAt(root ?? config.directory);
  if (root === null) {
    if (given.flag("here") && !liesInRepository(config.directory)) return ok(workspace);
    const isBare = liesInRepository(config.directory);
    const fact = isBare ? "This repository is bare: it has no files to work on." : "There is no git repository here.";
    const hint = isBare
      ? "Start in a clone of it."
      : "git init && git commit --allow-empty -m start; or share this folder without git: --here";
    return err(makeProblem("repository-missing", config.directory, fact, { hint }));
  }
  const opened = await openRepository(root, { environment: config.environment() });
  if (!opened.ok) return opened;
  await using repository = opened.value;
  const start = await treeStart(repository, given.text("onto") ?? null);
  return start.ok ? ok(workspace) : start;
}

/** What is written into a new team file; null: there is one. */
type Proposal = Wanted | null;

/** What the team file will say: by the options, the person's answers, or what is usual. `left`: the person left. */
async function proposal(call: Call, workspace: Workspace): Promise<Result<Proposal | "left", Problem>> {
  const { given, config, output } = call;
  const branch = given.text("onto");
  if (branch !== undefined && !branchPattern.test(branch))
    return err(usageProblem("--onto", "This cannot be a branch's name.", "a branch such as main", branch));
  const listed = given.text("agents");
  const asked = listed === undefined ? ok(null) : readAgents(listed, given.text("lead"));
  if (!asked.ok) return asked;
  if (hasTeamFile(workspace)) return ok(null);
  const other = otherTeamProblem(workspace);
  if (other !== null && given.text("team") === undefined) return err(other);
  const found = hookPrograms.filter(
    (each) => programOnPath([programFacts[each].command], config.environment().PATH ?? "") !== null,
  );
  if (found.length === 0 && asked.value === null && !given.flag("here")) return err(noProgram());
  const usual = found.map((each, at) => `${programFacts[each].command}:${at === 0 ? 2 : 1}`).join(",");
  const usualChecks = given.texts("check").length > 0 ? given.texts("check") : proposedChecks(workspace.root);
  const isAsked = config.isInteractive() && !given.flag("yes") && !output.json;
  const isNamed = asked.value !== null || given.flag("here");
  if (!isAsked && !given.flag("yes") && !isNamed) {
    output.say(
      `Would begin with the agents ${usual}${usualChecks.length === 0 ? "" : ` and the check ${usualChecks.join(", ")}`}.`,
    );
    return err(
      usageProblem(
        "--yes",
        "Nobody is here to be asked, so nothing was changed.",
        `${config.program} start --yes, or --agents ${usual}`,
      ),
    );
  }
  const answers =
    isAsked && !isNamed
      ? await askStart({ found: found.map((each) => programFacts[each].title), agents: usual, checks: usualChecks })
      : { agents: listed ?? usual, checks: usualChecks };
  if (answers === null) return ok("left");
  const agents = given.flag("here") ? ok([]) : readAgents(answers.agents, given.text("lead"));
  if (!agents.ok) return agents;
  const checks = answers.checks.filter((each) => each.trim() !== "" && each !== "none");
  const names = hookPrograms.map((each) => ({
    pattern: `${programFacts[each].command}-*`,
    role: "dev" as const,
    max: sharingMax,
  }));
  return ok({
    name: given.text("team") ?? nameFrom(workspace.root),
    kind: null,
    dialects: [],
    agents: agents.value,
    settings: {
      land: { when: "auto" },
      ...(checks.length === 0 ? {} : { checks }),
      ...(branch === undefined ? {} : { main: branch }),
      ...(given.flag("here") ? { names } : {}),
    },
  });
}

function hasTeamFile({ teamFile }: Workspace): boolean {
  const there = readPlainFile(teamFile, Number.MAX_SAFE_INTEGER);
  return !there.ok || there.value !== null;
}

async function askStart(proposed: {
  readonly found: readonly string[];
  readonly agents: string;
  readonly checks: readonly string[];
}) {
  const { askStart: ask } = await import("../../doors/cli/terminal/asking.ts");
  const isList = (text: string) => {
    const read = readAgents(text, undefined);
    return read.ok ? undefined : read.error.message;
  };
  return await ask(proposed, isList);
}

/** `claude:2,codex:1` as agents: a lead, and developers. */
function readAgents(text: string, lead: string | undefined): Result<readonly AgentDefinition[], Problem> {
  const refused = (what: string, word: string, fact: string) =>
    err(usageProblem(what, fact, "such as claude:2,codex:1; programs: claude, codex, gemini", word));
  const programs: HookProgram[] = [];
  for (const part of text.split(",").map((each) => each.trim())) {
    const [word = "", count = "1", ...more] = part.split(":");
    const program = programCalled(word);
    if (program === null) return refused("--agents", part, "This is no agent program that Baton knows.");
    if (more.length > 0 || !/^[1-9]\d?$/.test(count))
      return refused("--agents", part, "How many agents is not a number from 1 on.");
    programs.push(...Array.from({ length: Number(count) }, () => program));
  }
  if (programs.length > agentsMax) return refused("--agents", text, `These are more than ${agentsMax} agents.`);
  const first = lead === undefined ? programs[0] : programCalled(lead);
  if (first === null || first === undefined || !programs.includes(first))
    return refused("--lead", lead ?? "", "The lead's program is none of the agents'.");
  if (programs.length === 1) return ok([{ agent: "dev-1", role: "dev", program: first }]);
  const others = programs.toSpliced(programs.indexOf(first), 1);
  const developers = others.map((program, at) => ({ agent: `dev-${at + 1}`, role: "dev" as const, program }));
  return ok([{ agent: "lead", role: "lead", program: first }, ...developers]);
}

/** The project's own test command. */
function proposedChecks(root: string): readonly string[] {
  const file = readPlainFile(join(root, "package.json"), 1024 * 1024);
  const read = file.ok && file.value !== null ? parseBounded(file.value.text) : null;
  const scripts = read?.ok === true && isJsonObject(read.value) ? read.value.scripts : undefined;
  const test = isJsonObject(scripts) ? scripts.test : undefined;
  // What npm writes into a new package fails on purpose.
  return typeof test === "string" && test !== "" && !test.includes("no test specified") ? ["npm test"] : [];
}

/** The team, ready to work. */
interface Begun {
  readonly team: string;
  readonly definition: TeamDefinition | null;
  readonly place: Place;
  readonly hub: HubNote;
  readonly isNew: boolean;
  /** How an earlier day ended that nobody had ended; null: there is none. */
  readonly earlier: ShutdownView | null;
}

/** Writes, registers and starts what is not there yet; of several at once, one after the other. */
async function beginOnce(
  call: Call,
  workspace: Workspace,
  wanted: Proposal,
): Promise<Result<Begun, Problem | readonly Problem[]>> {
  const unmade = createState(workspace.state);
  if (unmade !== null) return err(unmade);
  using _turn = await longTurn(join(workspace.state, "start.lock"));
  const isNew = wanted !== null && !hasTeamFile(workspace);
  const unwritten = isNew ? writeFiles(workspace, wanted) : null;
  if (unwritten !== null) return err(unwritten);
  const place = await writablePlaceOf(call);
  if (!place.ok) return place;
  // A hub that was killed left its page open somewhere: the next one has the same address.
  const port = lastPort(place.value.journal);
  const [running] = await runningHubs(place.value.journal);
  const team = await readyTeam(call, running === undefined ? sessionsFolder(place.value.journal) : null);
  if (!team.ok) return team;
  const gate = await installGate(call, workspace);
  if (gate !== null)
    call.output.say(
      `warning: git does not ask Baton before a commit: ${visible(gate.message)} ${visible(gate.hint ?? "")}`,
    );
  const hub = running === undefined ? await newHub(call, place.value, port) : ok(running);
  return hub.ok ? ok({ ...team.value, place: place.value, hub: hub.value, isNew }) : hub;
}

/** A turn that may wait as long as another start takes. */
async function longTurn(path: string): Promise<Disposable | null> {
  const until = systemClock.monotonic() + hubMsMax;
  let turn = await takeTurn(path);
  while (turn === null && systemClock.monotonic() < until) turn = await takeTurn(path);
  return turn;
}

/**
 * The team with every agent of its file at work, but for those that the person retired. `sessions`: where it stands which
 * programs ran on the day before; null: that day goes on.
 */
async function readyTeam(
  call: Call,
  sessions: string | null,
): Promise<Result<Pick<Begun, "team" | "definition" | "earlier">, readonly Problem[]>> {
  const opened = await openLocal(call, null);
  if (!opened.ok) return opened;
  await using team = opened.value;
  const status = await team.status();
  if (!status.ok) return err([status.error]);
  const { definition, agents } = status.value;
  const earlier = sessions === null ? ok(null) : await earlierDay(call, team, sessions, agents);
  if (!earlier.ok) return earlier;
  for (const { agent, role, department, dialect, program } of definition?.agents ?? []) {
    const known = agents.find((each) => each.agent === agent);
    if (program === undefined || known?.status === "active") continue;
    if (known !== undefined && known.retiredBy === undefined) {
      const words = ["agent", "register", agent, "--role", role];
      call.output.say(
        `${visible(agent)} is retired, and stays so: ${nextCommand(call, words) ?? "baton agent register"}`,
      );
      continue;
    }
    const reply = await team.register({
      agent,
      role,
      ...(department === undefined ? {} : { department }),
      ...(dialect === undefined ? {} : { dialect }),
    });
    const problems = refusals(reply);
    if (problems !== null) return err(problems);
  }
  return ok({ team: team.name, definition, earlier: earlier.value });
}

/** A day that was not ended: agents whose programs have ended since are asked to stop, and it is told what they left. */
async function earlierDay(
  { config, output }: Call,
  team: WorkingTeam,
  sessions: string,
  agents: readonly AgentStatus[],
): Promise<Result<ShutdownView | null, readonly Problem[]>> {
  const seen = agents.filter(({ status, health, stopped }) => status === "active" && health !== "start" && !stopped);
  const ended = endedAmong(
    sessions,
    seen.map(({ agent }) => agent),
  );
  if (ended.length === 0) return ok(null);
  const reply = await team.startShutdown({ reason: "error", agents: ended });
  const problems = refusals(reply);
  if (problems !== null) return err(problems);
  const passed = await team.passAgents(ended);
  if (!passed.ok) return err([passed.error]);
  // Where there is no repository, the certificate says nothing of files.
  await team.inspectRounds({ directory: config.directory, environment: config.environment() });
  const [tasks, rounds, needs] = [await team.tasks(), await team.shutdowns(), await team.needs()];
  if (!tasks.ok) return err([tasks.error]);
  if (!rounds.ok) return err([rounds.error]);
  if (!needs.ok) return err([needs.error]);
  const round = rounds.value.at(-1) ?? null;
  const day = dayOf(tasks.value, rounds.value, round?.round ?? null);
  output.say(`The day before was not ended. ${dayText(day, round, needs.value.total, output.paint.stderr)}\n`);
  return ok(round);
}

/** Why it was not done; null: it was. */
function refusals(reply: Reply): readonly Problem[] | null {
  if (reply.outcome === "failed") return [reply.problem];
  return reply.outcome === "refused" ? reply.problems : null;
}

/** Lets git ask the gate. Answers why it does not; null: it does, or there is no git. */
async function installGate({ config }: Call, { root }: Workspace): Promise<Problem | null> {
  const environment = config.environment();
  const opened = await openRepository(root, { environment });
  if (!opened.ok) return opened.error.code === "repository-missing" ? null : opened.error;
  await using repository = opened.value;
  const plan = await planInstall(repository, { program: batonWords(), agent: null, environment });
  const done = plan.ok ? plan.value.carryOut() : plan;
  return done.ok ? null : done.error;
}

/** A new hub in the background. */
async function newHub(call: Call, place: Place, last: number | null): Promise<Result<HubNote, Problem>> {
  const named = call.given.number("port");
  const started = await startHub(call, place, named ?? last ?? portDefault);
  // Another team's hub has the usual port.
  return !started.ok && started.error.code === "port-taken" && named === undefined
    ? await startHub(call, place, 0)
    : started;
}

async function startHub({ config, signal }: Call, place: Place, port: number): Promise<Result<HubNote, Problem>> {
  const log = join(dirname(place.journal), "hub.log");
  const hub = spawnHub({ environment: config.environment(), root: place.root, log, port });
  const until = systemClock.monotonic() + hubMsMax;
  while (!hub.hasEnded() && !signal.aborted && systemClock.monotonic() < until) {
    const note = (await runningHubs(place.journal)).find(({ pid }) => pid === hub.pid);
    if (note !== undefined) return ok(note);
    await systemClock.wait(lookMs, signal);
  }
  return err(noHub(log, port));
}

function noHub(log: string, port: number): Problem {
  const read = readPlainFile(log, 1024 * 1024);
  const said = read.ok ? (read.value?.text ?? "") : "";
  if (said.includes("port-taken"))
    return makeProblem("port-taken", `port ${port}`, "Something else has this port.", {
      hint: "Leave --port out, or name another one.",
    });
  const last = said.trim().split("\n").slice(-3).join(" ");
  return makeProblem("hub-unreachable", log, `The hub did not start: ${visible(last) || "it gave no answer"}`, {
    hint: "baton up starts it here and says more.",
  });
}

/** What to do now. */
async function tell(call: Call, { root }: Workspace, begun: Begun, secret: string | null): Promise<ExitCode> {
  const { config, output, given } = call;
  const { team, definition, place, hub } = begun;
  const link = pageLink(place.journal, hub);
  if (!link.ok) return output.fail(link.error);
  const folder = sessionsFolder(place.journal);
  const agents = (definition?.agents ?? []).flatMap(({ agent, role, program }) => {
    if (program === undefined) return [];
    const isThere = programOnPath([programFacts[program].command], config.environment().PATH ?? "") !== null;
    const process = runningHolder(folder, agent)?.process.split("-")[0];
    return [
      {
        agent,
        role,
        program,
        isThere,
        pid: process === undefined ? null : Number(process),
        line: `${config.program} run ${agent}`,
      },
    ];
  });
  const waiting = agents.filter(({ pid, isThere }) => pid === null && isThere);
  const isShown = config.isShown() && !output.json;
  if (isShown) openPage(config.environment(), link.value);
  const isWanted =
    given.flag("tmux") ||
    (isShown && config.isInteractive() && !given.flag("yes") && (await wantsTmux(call, waiting.length)));
  const server = { environment: config.environment(), state: dirname(place.journal), team };
  const tmux = isWanted
    ? startInTmux({
        ...server,
        root,
        agents: waiting.map(({ agent }) => agent),
      })
    : null;
  if (tmux?.ok === false) output.problems([tmux.error]);
  output.result(
    {
      team,
      isNew: begun.isNew,
      earlier: begun.earlier,
      url: link.value,
      pid: hub.pid,
      agents,
      tmux: tmux?.ok === true ? tmux.value : null,
      ...(secret === null ? {} : { secret }),
    },
    () =>
      [
        `Team ${visible(team)}: ${agents.map(({ agent, program }) => `${visible(agent)} (${programFacts[program].title})`).join(", ") || "agents join by their names"}`,
        `Page  ${link.value}`,
      ].join("\n"),
  );
  output.say(linkNotes);
  const notify = readNotify(dirname(place.journal));
  if (!notify.ok) output.problems([notify.error]);
  const ways = notify.ok
    ? [...(notify.value.isDesktop ? ["this machine"] : []), notify.value.webhook?.url ?? []].flat()
    : [];
  if (ways.length > 0)
    output.say(`What needs you is told by ${ways.map(visible).join(" and ")}; --notify off ends it.`);
  if (secret !== null)
    output.say(
      `The webhook's secret, shown this once: ${secret}\nIts receiver checks with it that a message is yours.`,
    );
  // From a submodule or another work tree it is not where one stands.
  if (begun.isNew && config.directory !== root) output.say(`The team's folder: ${visible(root)}`);
  if (begun.isNew && basename(root) !== "")
    output.say(`Commit the team, so that a clone has it: git add .baton && git commit -m "Baton's team"`);
  if (begun.isNew && existsSync(join(root, ".env")) && !existsSync(join(root, ".worktreeinclude")))
    output.say("Where git ignores .env, the agents' trees are without it: name it in .worktreeinclude");
  for (const { program } of agents.filter(({ isThere }) => !isThere))
    output.say(
      `${programFacts[program].title} is not on the PATH: npm install -g ${programFacts[program].packageName}`,
    );
  const windows = tmux?.ok === true ? tmuxWindows(server) : null;
  for (const { agent, program, pid } of agents.filter((each) => each.pid !== null)) {
    const isApart = windows?.includes(agent) === false;
    const ends = isApart ? `; it has no window in tmux: end it there, or by kill -9 ${pid}, and start again` : "";
    output.say(`${visible(agent)} runs: ${programFacts[program].title}, process ${pid}${ends}`);
  }
  if (agents.length === 0) {
    const here = hookPrograms.map((each) => programFacts[each].command);
    const found = here.filter((each) => programOnPath([each], config.environment().PATH ?? "") !== null);
    output.say("Start each program in a terminal here, as often as you like:");
    for (const each of found.length === 0 ? here : found) output.say(`  ${config.program} run ${each}`);
  }
  if (tmux?.ok === true && windows?.length !== 0) {
    // It is still there once the person has left the session.
    output.say(`The agents run in tmux: ${tmux.value.attach}`);
    if (isShown && config.isInteractive()) return tmuxAttach(config.environment(), tmux.value);
  } else if (waiting.length > 0) {
    output.say("Start each agent in a terminal of its own:");
    for (const { line } of waiting) output.say(`  ${line}`);
  }
  for (const each of begun.isNew ? hookPrograms : []) {
    const { title, asks } = programFacts[each];
    if (waiting.some(({ program }) => program === each)) output.say(`${title} first asks you ${asks}.`);
  }
  return tmux?.ok === false ? exitCodes.refused : exitCodes.done;
}

async function wantsTmux({ config }: Call, count: number): Promise<boolean> {
  if (count === 0 || programOnPath(["tmux"], config.environment().PATH ?? "") === null) return false;
  const { askWhether } = await import("../../doors/cli/terminal/asking.ts");
  return (await askWhether("Start the agents here in tmux?")) === true;
}

function noProgram(): Problem {
  const lines = hookPrograms.map((each) => `npm install -g ${programFacts[each].packageName}`).join(", or ");
  return makeProblem("not-found", "PATH", "No agent program is on the PATH: no claude, codex or gemini.", {
    hint: `Install one: ${lines}; then run this again.`,
  });
}
