/**
 * The stage: a scratch repository with a team in it, a hub, and a token for every agent. Everything on it is ended and,
 * where nobody asked to keep it, removed when it is disposed of, whatever happened before.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { invariant } from "../src/base/invariant.ts";
import { isJsonObject, parseBounded } from "../src/base/json.ts";
import { type Problem, problem } from "../src/base/problem.ts";
import { err, ok, type Result } from "../src/base/result.ts";
import { openTeam } from "../src/runtime/open.ts";
import type { Team } from "../src/runtime/team/team.ts";
import { journalIn, workspaceAt } from "../src/workspace/workspace.ts";
import { type AgentOrder, type AgentRun, makeHolds, type Step, startAgent } from "./agents/agent-process.ts";
import { type AgentTools, toolsFor } from "./agents/agent-tools.ts";
import { openHttpDoor } from "./agents/http-door.ts";
import { hubWord } from "./story/own-words.ts";
import { type Child, type Environment, type Silence, silenceGroup, startChild } from "./story/programs.ts";
import { makeRepository, type Repository } from "./story/repository.ts";
import {
  type CastMember,
  castMembers,
  demoTeam,
  demoTeamFile,
  developerChanges,
  projectFiles,
  standInChanges,
} from "./story/story.ts";

export interface StageOptions {
  /** Where repository and journal are to stay; null: in a folder that is removed. */
  readonly keep: string | null;
  /** The caller's working directory. */
  readonly directory: string;
  readonly environment: Environment;
  /** Program and arguments that start `baton`. */
  readonly baton: readonly string[];
  readonly signal: AbortSignal;
  /** How late an agent's expected heartbeat may be, in seconds, for the team file; absent: as usual. */
  readonly disappearSeconds?: number;
}

/** The settings of one run of an agent, beyond what all have in common. */
export type LifeOptions = Partial<Pick<AgentOrder, "paceMs" | "livesBefore" | "holds" | "changes">>;

export interface Stage extends AsyncDisposable {
  readonly repository: Repository;
  readonly hub: HubRun;
  /** Path of the journal's file. */
  readonly journal: string;
  /** Starts one life of an agent. */
  start(member: CastMember, life: LifeOptions, onStep: (step: Step) => void): AgentRun;
  /** Begins a new session, with a new token, for every agent. Throws where the journal refuses that. */
  callBack(): Promise<void>;
  /**
   * An agent that is played in this process: its tools over HTTP, and the team as the hub's client has it. `stays`: as a
   * program of which heartbeats are expected.
   */
  seat(
    member: CastMember,
    life: { readonly paceMs: number; readonly stays: boolean },
    onStep: (step: Step) => void,
  ): Promise<Seat>;
  /** Stops an agent and everything it started, as if they hung; null: they cannot be stopped. */
  silence(run: AgentRun): Promise<Silence | null>;
  /** Ends hub and agents; the folder stays until the stage is disposed of. */
  end(): Promise<void>;
}

/** An agent that is played in this process. */
export interface Seat {
  readonly tools: AgentTools;
  readonly team: Team;
}

/** How long agents, and then the hub, may take to end when they are asked to, in milliseconds. */
const agentGraceMs = 500;
const hubGraceMs = 3_000;

/** Sets the stage. Refuses `already-exists` for a folder that holds something, and what git, journal or hub refuse. */
export async function setStage(options: StageOptions): Promise<Result<Stage, readonly Problem[]>> {
  const folder = folderFor(options);
  if (!folder.ok) return err([folder.error]);
  const { directory, remove } = folder.value;
  const children: Child[] = [];
  // Agents first: a hub that ends while they ask would only make them say so.
  let isOver = false;
  const end = async () => {
    isOver = true;
    const [hub, ...agents] = children;
    await Promise.all(agents.map((agent) => agent.end(agentGraceMs)));
    await hub?.end(hubGraceMs);
  };
  const clear = async () => {
    await end();
    remove();
  };
  try {
    const built = await build({ ...options, directory }, (child) => {
      invariant(!isOver, "nobody enters a stage that is being cleared");
      children.push(child);
    });
    if (built.ok) return ok({ ...built.value, end, [Symbol.asyncDispose]: clear });
    await clear();
    return built;
  } catch (fault) {
    await clear();
    throw fault;
  }
}

/** Repository, hub and tokens; `enter` is called with every child that is started, the hub first. */
async function build(
  options: StageOptions,
  enter: (child: Child) => void,
): Promise<Result<Omit<Stage, "end" | typeof Symbol.asyncDispose>, readonly Problem[]>> {
  const { directory, environment, baton } = options;
  const repository = await prepare(directory, environment, options.disappearSeconds ?? null);
  if (!repository.ok) return repository;
  const journal = journalIn(workspaceAt(directory).state);
  const hub = await startHub({ baton, directory, environment, signal: options.signal });
  if (!hub.ok) return err([hub.error]);
  enter(hub.value.child);
  const issued = await issueTokens(journal);
  if (!issued.ok) return issued;
  let tokens = issued.value;
  const usual = { hub: hub.value.url, team: demoTeam, repository: directory, baton };
  const first = { paceMs: 0, livesBefore: 0, holds: [] };
  const orderOf = (agent: string, life: LifeOptions): AgentOrder => {
    const token = tokens.get(agent);
    invariant(token !== undefined, "every agent of the cast has a token");
    const own = { changes: developerChanges[agent] ?? {}, standsIn: standInChanges[agent] ?? {} };
    return { ...usual, ...first, ...own, ...life, agent, token };
  };
  return ok({
    repository: repository.value,
    hub: hub.value,
    journal,
    start: ({ agent }, life, onStep) => {
      const run = startAgent(orderOf(agent, life), environment, onStep);
      enter(run.child);
      return run;
    },
    callBack: async () => {
      await callBack(journal);
      const again = await issueTokens(journal);
      if (!again.ok) throw new Error(again.error[0]?.message);
      tokens = again.value;
    },
    seat: async (member, { paceMs, stays }, report) => {
      const order = orderOf(member.agent, { paceMs });
      const tools = toolsFor(member, order, openHttpDoor(order), { environment, holds: makeHolds(), report });
      return { tools, team: await teamFor(order, stays, options.signal) };
    },
    silence: ({ child }) => silenceGroup(child, { directory, environment, enter }),
  });
}

interface Folder {
  readonly directory: string;
  remove(): void;
}

function folderFor({ keep, directory }: StageOptions): Result<Folder, Problem> {
  return keep === null ? scratchFolder() : keptFolder(resolve(directory, keep));
}

function scratchFolder(): Result<Folder, Problem> {
  try {
    const made = realpathSync(mkdtempSync(join(tmpdir(), "baton-demo-")));
    return ok({ directory: made, remove: () => rmSync(made, { recursive: true, force: true, maxRetries: 5 }) });
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    const hint = "Point TMPDIR to a folder where you may write, or name one with --keep.";
    return err(problem("journal-cannot-open", tmpdir(), `No scratch folder can be made (${reason}).`, { hint }));
  }
}

function keptFolder(wanted: string): Result<Folder, Problem> {
  try {
    if (existsSync(wanted) && readdirSync(wanted).length > 0) return err(inUse(wanted, "This folder holds something."));
    mkdirSync(wanted, { recursive: true });
    return ok({ directory: realpathSync(wanted), remove: () => undefined });
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    return err(inUse(wanted, `This folder cannot be used (${reason}).`));
  }
}

function inUse(path: string, message: string): Problem {
  return problem("already-exists", path, message, { hint: "Name a folder that is empty or not there yet." });
}

/** The repository with the project, and the team's definition in it. */
async function prepare(
  directory: string,
  environment: Environment,
  disappearSeconds: number | null,
): Promise<Result<Repository, readonly Problem[]>> {
  mkdirSync(join(directory, ".baton"), { recursive: true });
  const files = {
    ...projectFiles,
    ".baton/team.yaml": demoTeamFile(disappearSeconds),
    ".baton/.gitignore": "*\n!.gitignore\n!team.yaml\n",
  };
  for (const name of [".baton/team.yaml", ".baton/.gitignore"] as const) {
    writeFileSync(join(directory, name), files[name]);
  }
  const first = { author: "owner", subject: "The shop as it is", files, occasion: "start" };
  const made = await makeRepository(directory, environment, first);
  return made.ok ? made : err([made.error]);
}

/** A token for each agent, made by the owner, who has the journal's file; the hub reads their hashes from it. */
async function issueTokens(journal: string): Promise<Result<ReadonlyMap<string, string>, readonly Problem[]>> {
  const opened = await openTeam({ journal, team: demoTeam });
  if (!opened.ok) return opened;
  await using team = opened.value;
  const tokens = new Map<string, string>();
  for (const { agent } of castMembers) {
    const { reply, token } = await team.issueToken({ agent });
    if (reply.outcome === "failed") return err([reply.problem]);
    if (reply.outcome === "refused") return err(reply.problems);
    if (token !== null) tokens.set(agent, token);
  }
  return ok(tokens);
}

/** The team as the order's agent has it through the hub. */
async function teamFor(
  { hub: url, team, agent, token }: AgentOrder,
  stays: boolean,
  signal: AbortSignal,
): Promise<Team> {
  const { connectHub } = await import("../src/doors/http/client/client.ts");
  const program = stays ? { program: `${agent}-next-phase` } : {};
  const found = await connectHub({ url, team, agent, token, ...program, signal, say: () => undefined });
  const opened = found.ok ? found.value.team() : found;
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Registers every agent of the cast again, as the owner does, so that each may work after a shutdown. */
async function callBack(journal: string): Promise<void> {
  const opened = await openTeam({ journal, team: demoTeam });
  if (!opened.ok) throw new Error(opened.error[0]?.message);
  await using team = opened.value;
  for (const { agent, role, dialect } of castMembers) {
    const reply = await team.register({ agent, role, dialect });
    if (reply.outcome !== "accepted") throw new Error(JSON.stringify(reply));
  }
}

/* The hub of the demo: `baton up` in the scratch repository, on a port that the machine chooses. */
interface HubRun {
  readonly child: Child;
  /** Base of the hub's interface, e.g. `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The page for a person, with its one-time code in the fragment. */
  readonly page: string;
}

export interface HubRunOptions {
  readonly baton: readonly string[];
  readonly directory: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** How long a hub may take to answer, in milliseconds. */
const startMsMax = 30_000;

/** Starts a hub and waits until it answers. Refuses `hub-unreachable` with the hub's own words. */
async function startHub(options: HubRunOptions): Promise<Result<HubRun, Problem>> {
  const [program = "", ...words] = options.baton;
  const said = Promise.withResolvers<string | null>();
  const child = startChild({
    words: [program, ...words, hubWord, "--port", "0", "--json"],
    directory: options.directory,
    environment: options.environment,
    onLine: (line) => said.resolve(pageIn(line)),
  });
  void child.ended.then(() => said.resolve(null));
  const over = new AbortController();
  const limit = systemClock.wait(startMsMax, AbortSignal.any([over.signal, options.signal])).then(() => null);
  const page = await Promise.race([said.promise, limit]);
  over.abort();
  if (page !== null) return ok({ child, page, url: page.split("/#")[0] ?? page });
  await child.end(0);
  const excuse = child.errors().trim().split("\n").slice(0, 3).join(" ");
  return err(problem("hub-unreachable", "up", `The hub of the demo did not start. ${excuse}`.trim()));
}

function pageIn(line: string): string | null {
  const parsed = parseBounded(line);
  return parsed.ok && isJsonObject(parsed.value) && typeof parsed.value.url === "string" ? parsed.value.url : null;
}
