/**
 * `baton stop`: asks agents to stop, waits until each has, and prints the page of the day. Where the person stops everybody,
 * the hub ends after it.
 */
import { dirname } from "node:path";
import { ok } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { callerHere, callerOf, hubOf } from "../../doors/cli/place/hub-address.ts";
import { answer, openFor, warnOf } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { removeLandedTrees, unlandedCommits } from "../../evidence/services/landed-trees.ts";
import { ownerName } from "../../messages/principal.ts";
import type { WorkingTeam } from "../../perform/team.ts";
import { sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { shellProblem } from "../../perform/workspace/config.ts";
import { lookForPlace } from "../../perform/workspace/place.ts";
import { findWorkspace } from "../../perform/workspace/workspace.ts";
import { endedAmong, runningHolder } from "../../programs/sessions/session-binding.ts";
import { type ShutdownReason, shutdownReasons } from "../../shutdown/decide/shutdown-rounds.ts";
import type { ShutdownView } from "../../shutdown/operations.ts";
import { dayText, lookedAt } from "../../shutdown/text.ts";
import { dayOf } from "../../shutdown/view/day.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { AgentStatus } from "../../team/operations/agents.ts";
import { type EndedHubs, endHubs, tellHubs } from "./running-hub.ts";
import { tmuxEnd } from "./start-outside.ts";

export const command: Command = {
  acts: true,
  description:
    "Ends the day: asks all agents to stop, each in its own dialect, and prints what landed, what waits, what came back, what\n" +
    "is open and what needs you; then the hub ends, as Ctrl-C ends it. An agent whose program has ended is not waited for, and\n" +
    "keeps its tasks; one that runs has 30 seconds. Who refuses is asked again, three more times. Who then goes on, or has not\n" +
    "answered, is forced: its tasks are free and its tokens revoked. What an agent's work tree has not committed is kept as a\n" +
    "commit at refs/baton/left/AGENT; nothing is deleted, unless --clean removes a tree with nothing of its own and no process\n" +
    "in it. Exit code 2: a round was incomplete, or a tree stays; 4: a hub has not ended. With AGENTs, or as a lead, only\n" +
    "agents are asked, and the hub stays.",
  positionals: [
    { name: "AGENT", argument: "agents", repeatable: true, summary: "an agent, or role:ROLE (default: everybody)" },
  ],
  options: [
    { name: "clean", kind: "flag", summary: "then remove the trees of agents whose work has landed; others are named" },
    { name: "keep-hub", kind: "flag", summary: "leave the hub running" },
    {
      name: "deadline",
      argument: "deadlineMs",
      kind: "seconds",
      value: "SECONDS",
      summary: "how long agents have to answer (default: 30)",
    },
    {
      name: "reason",
      kind: "text",
      value: "WORD",
      choices: shutdownReasons,
      summary: "what they are told (default: user_abort)",
    },
    { name: "no-wait", kind: "flag", summary: "ask, and go on at once" },
    {
      name: "team-name",
      argument: "teamName",
      kind: "text",
      value: "NAME",
      summary: "what the request calls the team (default: its name)",
    },
    { name: "phase", kind: "position", value: "N", summary: "the phase of the request" },
    { name: "id", kind: "text", value: "ID", summary: "the id of the round and of this operation, for retries" },
  ],
  examples: [
    { line: "baton stop", meaning: "end the day" },
    {
      line: "baton stop dev-1 dev-2 --as lead-1 --reason plan_complete --no-wait",
      meaning: "lead-1 asks two agents and goes on",
    },
  ],
  next: "baton start goes on, with the same agents. baton shutdown status shows the round again.",
  run: async (call) => {
    const { given, output } = call;
    // By its place alone nobody is known to be the tree's agent, nor to be the person.
    const owner = given.words("AGENT").length === 0 && callerOf(call) === null ? callerHere(call) : null;
    const refused = owner === null ? null : shellProblem(call.config);
    if (refused !== null) return output.fail(refused);
    const isDay = given.words("AGENT").length === 0 && hubOf(call) === null && !given.flag("no-wait");
    if (given.flag("clean") && (!isDay || given.flag("keep-hub") || !isPerson(call)))
      return output.fail(usageProblem("--clean", "Trees are removed at the end of the day.", "baton stop --clean"));
    const opened = await openFor(call);
    // A hub ends also where its journal cannot be used any more.
    if (!opened.ok && isDay && !given.flag("keep-hub") && isPerson(call)) {
      const hubs = await endHubs(call);
      tellHubs(call, hubs);
      return output.fail(opened.error);
    }
    if (!opened.ok) return output.fail(opened.error);
    await using team = opened.value;
    warnOf(call, team.condition());
    const endsHub = isDay && team.actor.agent === ownerName && !given.flag("keep-hub");
    const started = await startRound(call, team, endsHub);
    if (typeof started === "number") return started;
    const round = started === null ? null : await lookedAt(call, team, started, true, endedHere(call));
    if (round !== null && !round.ok) return round.error;
    return await end(call, team, round?.value ?? null, endsHub);
  },
};

/** Those of the agents whose program ran here last, and has ended. */
function endedHere(call: Call): (agents: readonly string[]) => readonly string[] {
  const place = lookForPlace(call);
  return (agents) => (place.ok ? endedAmong(sessionsFolder(place.value.journal), agents) : []);
}

/** Whether nobody is named who acts. */
function isPerson({ given }: Call): boolean {
  return (given.text("as") ?? ownerName) === ownerName;
}

/** The round that goes on now; null: nobody is at work. An exit code: there is none, or nobody waits for it. */
async function startRound(call: Call, team: WorkingTeam, endsHub: boolean): Promise<string | null | ExitCode> {
  const { given, output } = call;
  const id = given.text("id");
  const isEverybody = given.words("AGENT").length === 0;
  if (isEverybody && id === undefined && team.actor.agent === ownerName) {
    const rounds = await team.shutdowns({ latest: true });
    if (!rounds.ok) return output.fail(rounds.error);
    const going = rounds.value.findLast(({ outcome, requester }) => outcome === "open" && requester === ownerName);
    if (going !== undefined) return given.flag("no-wait") ? said(call, going.round) : going.round;
    const agents = await team.agents();
    if (!agents.ok) return output.fail(agents.error);
    const isAway = ({ status, stopped, health }: AgentStatus) =>
      status === "retired" || stopped === true || health === "start";
    if (agents.value.every(isAway)) return null;
  }
  const reply = await team.startShutdown(startOf(call), id === undefined ? {} : { id });
  // A hub ends also where nothing can be recorded.
  if (reply.outcome === "failed" && endsHub) tellHubs(call, await endHubs(call));
  if (given.flag("no-wait") || reply.outcome !== "accepted" || reply.receipt.id === null)
    return answer(call, reply, ({ id: round, seq }, receivers) => {
      const asked = receivers.length === 0 ? "nobody is left to ask" : `${receivers.length} asked`;
      return `Shutdown ${visible(round ?? "")} started: ${asked} (entry ${seq}).`;
    });
  output.notes(reply.notes);
  return reply.receipt.id;
}

function said({ output }: Call, round: string): ExitCode {
  output.say(`Shutdown ${visible(round)} goes on: baton shutdown status`);
  return exitCodes.done;
}

function startOf({ given }: Call) {
  const reason: ShutdownReason = chosen(given.text("reason") ?? "user_abort", shutdownReasons);
  const deadline = given.number("deadline");
  const agents = given.words("AGENT");
  const teamName = given.text("team-name");
  const phase = given.number("phase");
  return {
    reason,
    ...(deadline === undefined ? {} : { deadlineMs: deadline * 1000 }),
    ...(agents.length === 0 ? {} : { agents }),
    ...(teamName === undefined ? {} : { teamName }),
    ...(phase === undefined ? {} : { phase }),
  };
}

/** Prints the day, ends the hub and cleans up where that is wanted. */
async function end(call: Call, team: WorkingTeam, round: ShutdownView | null, endsHub: boolean): Promise<ExitCode> {
  const { output } = call;
  const [tasks, rounds, needs] = [await team.tasks(), await team.shutdowns(), await team.needs()];
  for (const asked of [tasks, rounds, needs]) if (!asked.ok) output.problems([asked.error]);
  const day = dayOf(tasks.ok ? tasks.value : [], rounds.ok ? rounds.value : [], round?.round ?? null);
  const total = needs.ok ? needs.value.total : 0;
  const none: EndedHubs = { ended: [], others: [], problem: null };
  const hubs = endsHub ? await endHubs(call) : none;
  const { ended, others, problem } = hubs;
  const isClean = call.given.flag("clean") && problem === null && tasks.ok;
  const known = tasks.ok && (endsHub || isClean) ? await treesOf(call, team, tasks.value) : ok(null);
  const strays = endsHub && tasks.ok ? await straysOf(known, tasks.value) : ok([]);
  if (!strays.ok) output.problems([strays.error]);
  const ofNoTask = strays.ok ? strays.value : [];
  const trees = isClean ? await cleaned(call, known) : ok([]);
  const result = { round, ...day, ofNoTask, needs: total, ended, others, trees: trees.ok ? trees.value : [] };
  output.result(result, () => dayText({ ...day, ofNoTask }, round, total, output.paint.stdout));
  if (endsHub) tellHubs(call, hubs);
  const place = endsHub ? lookForPlace(call) : null;
  const state = place?.ok === true ? dirname(place.value.journal) : null;
  const line = state === null ? null : tmuxEnd({ environment: call.config.environment(), state, team: team.name });
  if (line !== null) {
    output.say(`The agents' windows stay open in tmux; this ends them, with what runs there: ${line}`);
    const agents = await team.agents();
    for (const { agent } of agents.ok ? agents.value : []) {
      const holder = place?.ok === true ? runningHolder(sessionsFolder(place.value.journal), agent) : null;
      // It does not end with its terminal.
      if (holder?.program === "gemini")
        output.say(
          `Gemini CLI of ${visible(agent)} may go on without its window; this ends it: kill -9 ${numberOf(holder)}`,
        );
    }
  }
  if (problem !== null) return exitCodes.timedOut;
  if (!trees.ok) return output.fail(trees.error);
  for (const { agent, why } of trees.value)
    output.say(
      why === null ? `Removed the tree of ${visible(agent)}.` : `The tree of ${visible(agent)} stays: ${visible(why)}.`,
    );
  const stays = trees.value.some(({ why }) => why !== null);
  return stays || round?.outcome === "incomplete" ? exitCodes.refused : exitCodes.done;
}

/** Removes the trees that nobody needs any more. */
async function cleaned(call: Call, trees: Awaited<ReturnType<typeof treesOf>>) {
  const place = lookForPlace(call);
  if (!trees.ok || !place.ok || trees.value === null) return trees.ok ? ok([]) : trees;
  const folder = sessionsFolder(place.value.journal);
  const processOf = (agent: string) => numberOf(runningHolder(folder, agent));
  return await removeLandedTrees(trees.value.at, { ...trees.value, processOf });
}

/** The number of the process that acts as an agent; null: none does. */
function numberOf(holder: ReturnType<typeof runningHolder>): string | null {
  return holder?.process.split("-")[0] ?? null;
}

/** Commits that landed nowhere, of agents with no task that could bring them. */
async function straysOf(trees: Awaited<ReturnType<typeof treesOf>>, tasks: readonly TaskView[]) {
  if (!trees.ok || trees.value === null) return trees.ok ? ok([]) : trees;
  const found = await unlandedCommits(trees.value.at, trees.value);
  const isOpen = ({ state, place }: TaskView) => state !== "ended" && place?.at !== "landed";
  const busy = new Set(tasks.filter(isOpen).flatMap(({ holder, reporter }) => [holder, reporter]));
  return found.ok ? ok(found.value.filter(({ agent }) => !busy.has(agent))) : found;
}

/** The agents' trees, and what has landed of their work; null: there are none. */
async function treesOf({ config }: Call, team: WorkingTeam, tasks: readonly TaskView[]) {
  const [workspace, status] = [findWorkspace(config.directory), await team.status()];
  if (!status.ok) return status;
  if (workspace === null) return ok(null);
  return ok({
    at: { directory: workspace.root, environment: config.environment() },
    directory: workspace.directory,
    main: status.value.definition?.main ?? null,
    landed: tasks.flatMap(({ commits, place }) => (place?.at === "landed" ? commits : [])),
  });
}
