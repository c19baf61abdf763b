/**
 * The stage: a real git repository with the shop and its team, a hub, a token for each agent, and the agents as processes.
 * All of it is ended, and removed where nobody asked to keep it, when the stage is disposed of.
 */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { closing } from "../../src/base/closing.ts";
import { makeProblem, type Problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { openAgentTree } from "../../src/evidence/git/agent-tree.ts";
import { openRepository } from "../../src/evidence/git/repository.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Team } from "../../src/perform/team.ts";
import { journalIn, workspaceAt } from "../../src/perform/workspace/workspace.ts";
import type { Step } from "./agent.ts";
import { agentWord, hubWord } from "./own-words.ts";
import { type Child, type Finished, type Place, runProgram, startChild } from "./processes.ts";
import { type AgentName, agents, plan, planFile, projectFiles, teamFile, teamName } from "./story.ts";
import { objectIn } from "./tools.ts";

export interface StageOptions {
  /** Where repository and journal are to stay; null: in a folder that is removed. */
  readonly keep: string | null;
  /** The caller's working directory. */
  readonly directory: string;
  readonly environment: Place["environment"];
  readonly baton: readonly string[];
  readonly signal: AbortSignal;
}

export interface Stage extends AsyncDisposable {
  readonly directory: string;
  readonly journal: string;
  /** The page for a person, with its one-time code in the fragment. */
  readonly page: string;
  /** The team as the person has it. */
  readonly team: Team;
  /**
   * Starts an agent in its tree, again after it was killed; resolves when it has ended, with what went wrong or null.
   * `onStep` may kill it.
   */
  play(agent: AgentName, part: Part, onStep: (step: Step, kill: () => void) => void): Promise<string | null>;
  /** A command of Baton as the person gives it. */
  baton(...words: string[]): Promise<Finished>;
  git(...words: string[]): Promise<Finished>;
  /** Ends hub and agents; the folder stays until the stage is disposed of. */
  end(): Promise<void>;
}

interface Part {
  readonly paceMs: number;
  readonly isAgain?: boolean;
}

/** Git as it is on every machine. A process that tidies up behind a commit would stay when the folder goes. */
const gitVariables = {
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};
/** How long agents, and then the hub, may take to end, in milliseconds. */
const [agentGraceMs, hubGraceMs] = [500, 3_000];

/** Sets the stage. Refuses `already-exists` for a folder that holds something, and what git, journal or hub refuse. */
export async function setStage(options: StageOptions): Promise<Result<Stage, readonly Problem[]>> {
  const folder = folderFor(options);
  if (!folder.ok) return err([folder.error]);
  const { directory, remove } = folder.value;
  const [players, hubs]: [Child[], Child[]] = [[], []];
  await using opened = closing();
  opened.defer(remove);
  const end = async () => {
    await Promise.all(players.map((each) => each.end(agentGraceMs)));
    await Promise.all(hubs.map((each) => each.end(hubGraceMs)));
  };
  opened.defer(end);
  const environment = { ...options.environment, ...gitVariables };
  const place = { directory, environment };
  const git = (...words: string[]) => runProgram(["git", ...words], place, options);
  const made = await makeRepository(directory, git);
  if (!made.ok) return err([made.error]);
  const journal = journalIn(workspaceAt(directory).state);
  const page = await startHub(options, place, (hub) => hubs.push(hub));
  if (!page.ok) return err([page.error]);
  const owner = await openTeam({ journal, team: teamName });
  if (!owner.ok) return owner;
  const team = opened.use(owner.value);
  const [hub = ""] = page.value.split("/#");
  const baton = (...words: string[]) => runProgram([...options.baton, ...words], place, options);
  const started = await baton("start", "--yes", "--json");
  if (started.code !== 0) return err([makeProblem("hub-unreachable", "start", started.stderr.trim())]);
  const trees = await makeTrees(directory, environment);
  if (!trees.ok) return err([trees.error]);
  const kept = opened.move();
  return ok({
    directory,
    journal,
    page: page.value,
    team,
    git,
    end,
    baton,
    play: async (agent, { paceMs, isAgain = false }, onStep) => {
      const tree = join(directory, ".baton", "trees", agent);
      const words = [...options.baton, agentWord, agent, hub, String(paceMs), ...(isAgain ? ["again"] : [])];
      const issued = await team.issueToken({ agent });
      if (issued.outcome !== "accepted") return `${agent} gets no token: ${issued.outcome}`;
      const own = { ...environment, BATON_TOKEN: issued.token ?? "" };
      let said = "";
      const child = startChild(words, { directory: tree, environment: own }, (line) => {
        // Only our agents write there.
        const step = objectIn(line) as unknown as Step | null;
        if (step?.step === "failed") said = step.words;
        if (step !== null) onStep(step, () => child.kill());
      });
      players.push(child);
      if ((await child.ended) === 0) return null;
      return `${agent} did not play its part to the end. ${said === "" ? child.errors() : said}`.trim();
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  });
}

/** The repository: the owner commits the team, and then the shop. */
async function makeRepository(directory: string, git: Stage["git"]): Promise<Result<null, Problem>> {
  const files = { ...projectFiles, ".baton/team.yaml": teamFile, ".baton/.gitignore": "*\n!.gitignore\n!team.yaml\n" };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const commit = ["-c", "user.name=owner", "-c", "user.email=owner@localhost", "commit", "--quiet", "-m"];
  const calls = [
    ["add", ".baton"],
    [...commit, "The team"],
    ["add", "."],
    [...commit, "The shop as it is"],
  ];
  for (const words of [["init", "--quiet", "--template=", "--initial-branch=main"], ...calls]) {
    const { code, stderr } = await git(...words);
    const hint = "The demo makes real commits, and needs the program git on the PATH.";
    if (code !== 0) return err(makeProblem("not-found", "git", `git ${words[0]} failed: ${stderr.trim()}`, { hint }));
  }
  writeFileSync(join(directory, ".baton", planFile), plan);
  return ok(null);
}

/** A tree for each agent, as `baton run` makes them. */
async function makeTrees(directory: string, environment: Place["environment"]): Promise<Result<null, Problem>> {
  const opened = await openRepository(directory, { environment });
  if (!opened.ok) return opened;
  await using repository = opened.value;
  for (const agent of agents) {
    const made = await openAgentTree(repository, { directory: join(directory, ".baton"), agent, main: null });
    if (!made.ok) return made;
  }
  return ok(null);
}

/** Starts `baton up`; the URL of its page. Refuses `hub-unreachable` in its words. */
async function startHub(
  { baton, signal }: StageOptions,
  place: Place,
  enter: (hub: Child) => void,
): Promise<Result<string, Problem>> {
  const said = Promise.withResolvers<string | null>();
  const hub = startChild([...baton, hubWord, "--port", "0", "--json"], place, (line) => {
    const url = objectIn(line)?.url;
    if (typeof url === "string") said.resolve(url);
  });
  enter(hub);
  void hub.ended.then(() => said.resolve(null));
  signal.addEventListener("abort", () => said.resolve(null), { once: true });
  // Without a limit: a busy machine takes long, and a hub that cannot start ends.
  const page = await said.promise;
  if (page !== null) return ok(page);
  return err(makeProblem("hub-unreachable", "up", `The hub of the demo did not start. ${hub.errors()}`.trim()));
}

/** The folder in which the demo works, and how it is removed: not at all where it is kept. */
function folderFor({ keep, directory }: StageOptions): Result<Pick<Stage, "directory"> & { remove(): void }, Problem> {
  const wanted = keep === null ? tmpdir() : resolve(directory, keep);
  try {
    if (keep === null) {
      const made = realpathSync(mkdtempSync(join(wanted, "baton-demo-")));
      return ok({ directory: made, remove: () => rmSync(made, { recursive: true, force: true, maxRetries: 5 }) });
    }
    mkdirSync(wanted, { recursive: true });
    if (readdirSync(wanted).length === 0) return ok({ directory: realpathSync(wanted), remove: () => undefined });
    const hint = "Name a folder that is empty or not there yet.";
    return err(makeProblem("already-exists", wanted, "This folder holds something.", { hint }));
  } catch (cause) {
    const reason = `No folder can be made here (${cause instanceof Error ? cause.message : JSON.stringify(cause)}).`;
    const hint = "Name a folder where you may write with --keep, or point TMPDIR to one.";
    return err(makeProblem(keep === null ? "journal-cannot-open" : "already-exists", wanted, reason, { hint }));
  }
}
