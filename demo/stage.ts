/**
 * The stage: a scratch repository with a team in it, a hub, and a token for every agent. Everything on it is ended and,
 * where nobody asked to keep it, removed when it is disposed of, whatever happened before.
 */
import { invariant } from "../src/base/invariant.ts";
import type { Problem } from "../src/base/problem.ts";
import { err, ok, type Result } from "../src/base/result.ts";
import type { Team } from "../src/perform/team.ts";
import { journalIn, workspaceAt } from "../src/perform/workspace/workspace.ts";
import { type AgentOrder, type AgentRun, makeHolds, type Step, startAgent } from "./agents/agent-process.ts";
import { type AgentTools, toolsFor } from "./agents/agent-tools.ts";
import { openHttpDoor } from "./agents/http-door.ts";
import { type HubRun, startHub } from "./hub-run.ts";
import { folderFor } from "./stage-folders.ts";
import { callBack, issueTokens, prepare, teamFor } from "./stage-team.ts";
import { type Child, type Environment, type Silence, silenceGroup } from "./story/programs.ts";
import type { Repository } from "./story/repository.ts";
import { type CastMember, demoTeam, developerChanges, standInChanges } from "./story/story.ts";

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
  /** The hub, whose page a person watches. */
  readonly hub: HubRun;
  /** The path of the journal's file. */
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
  const [agents, hubs]: [Child[], Child[]] = [[], []];
  // Agents first: a hub that ends while they ask would only make them say so.
  let isOver = false;
  const end = async () => {
    isOver = true;
    await Promise.all(agents.map((agent) => agent.end(agentGraceMs)));
    await Promise.all(hubs.map((hub) => hub.end(hubGraceMs)));
  };
  const clear = async () => {
    await end();
    remove();
  };
  const into =
    <Each>(list: Each[]) =>
    (each: Each): void => {
      invariant(!isOver, "nobody enters a stage that is being cleared");
      list.push(each);
    };
  try {
    const entrance = { agent: into(agents), hub: into(hubs) };
    const built = await build({ ...options, directory }, entrance);
    if (built.ok) return ok({ ...built.value, end, [Symbol.asyncDispose]: clear });
    await clear();
    return built;
  } catch (problem) {
    await clear();
    throw problem;
  }
}

/** Takes in everything that is started, for it to be ended. */
interface Entrance {
  agent(child: Child): void;
  hub(child: Child): void;
}

/** Repository, hub and tokens. */
async function build(
  options: StageOptions,
  enter: Entrance,
): Promise<Result<Omit<Stage, "end" | typeof Symbol.asyncDispose>, readonly Problem[]>> {
  const { directory, environment, baton } = options;
  const repository = await prepare(directory, environment, options.disappearSeconds ?? null);
  if (!repository.ok) return repository;
  const journal = journalIn(workspaceAt(directory).state);
  const started = await startHub({ baton, directory, environment, signal: options.signal });
  if (!started.ok) return err([started.error]);
  const hub = started.value;
  enter.hub(hub.child);
  const issued = await issueTokens(journal);
  if (!issued.ok) return issued;
  let tokens = issued.value;
  const usual = { team: demoTeam, repository: directory, baton };
  const firstLife = { paceMs: 0, livesBefore: 0, holds: [] };
  const orderOf = (agent: string, life: LifeOptions): AgentOrder => {
    const token = tokens.get(agent);
    invariant(token !== undefined, "every agent of the cast has a token");
    const own = { changes: developerChanges[agent] ?? {}, standsIn: standInChanges[agent] ?? {} };
    return { ...usual, ...firstLife, ...own, ...life, agent, token, hub: hub.url };
  };
  return ok({
    repository: repository.value,
    hub,
    journal,
    start: ({ agent }, life, onStep) => {
      const run = startAgent(orderOf(agent, life), environment, onStep);
      enter.agent(run.child);
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
    silence: ({ child }) => silenceGroup(child, { directory, environment, enter: enter.agent }),
  });
}
