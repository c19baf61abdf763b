/** Agents, their health, their breakers, their tokens and links to read for a terminal. */
import { argument } from "../../base/argument.ts";
import { counted, nearest, shorten, visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { OneOfList } from "../../doors/cli/kernel/list-or-one.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Paint, toned } from "../../doors/cli/terminal/output.ts";
import { lastSeenText, localTime, table } from "../../doors/cli/terminal/terminal-text.ts";
import type { BreakerView } from "../../health/operations.ts";
import { logLineText } from "../../mail/text/show.ts";
import { batonName, ownerName } from "../../messages/principal.ts";
import { remotePrefix } from "../../messages/remote-address.ts";
import type { Team } from "../../perform/team.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import { isRemoteOver } from "../../remotes/decide.ts";
import type { RemoteView } from "../../remotes/operations.ts";
import { tasksText } from "../../tasks/text/task-text.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { AgentStatus } from "../operations/agents.ts";
import type { ShareView } from "../operations/tokens.ts";
import type { Credential } from "../state/credentials.ts";
import { unknownAgent } from "../state/roster.ts";
import { type AgentSigns, stateOf } from "../view/agent-state.ts";

/** The state of an agent, loud where it is gone. */
export function stateText(agent: AgentSigns): string {
  const state = stateOf(agent);
  return state === "disappeared" || state === "has ended" ? state.toUpperCase() : state;
}

/** When it was last seen, or since when it waits at its prompt with a task: its program's heartbeats go on. */
export function seenText({ health, delivery: { idle, idleSince }, lastSeenAt }: AgentStatus): string {
  if (idle && idleSince && health === "working") return `idle since ${localTime(idleSince)}`;
  return lastSeenAt === null ? "" : lastSeenText(lastSeenAt);
}

/** The agents of a team, a line each. */
export function agentsText(agents: readonly AgentStatus[]): string {
  const rows = agents.map((agent) => {
    const department = agent.department === undefined ? "" : ` (${agent.department})`;
    const role = `${agent.role}${department}`;
    return [visible(agent.agent), role, agent.dialect, stateText(agent), `${agent.unread} unread`];
  });
  return table(rows);
}

/** One line that says the state of a breaker, and in which mode to start another agent. */
export function breakerText(breaker: BreakerView, paint: Paint): string {
  const { department, state, failures, until, probe, spawn } = breaker;
  const parts = [
    counted(failures, "disappearance counts", "disappearances count"),
    ...(probe === null ? [] : [`${visible(probe)} is let in to try`]),
    ...(until === null ? [] : [`until ${localTime(until)}`]),
    `spawn: ${spawn}`,
  ];
  return `breaker of ${department === "team" ? "the team" : department}  ${toned(paint, breakerTones, state)}  ${parts.join(", ")}`;
}

const breakerTones = { closed: "good", open: "bad", "half-open": "warn" } as const;

/** A line a token: its id, whom it proves, whether it holds. */
export function tokensText(tokens: readonly Credential[]): string {
  return table(tokens.map(({ tokenId, agent, status }) => [tokenId, visible(agent), status]));
}

/** A line a link: its id, until when it is good, whether it is, and for whom. */
export function sharesText(shares: readonly ShareView[]): string {
  return table(
    shares.map(({ shareId, expiresAt, status, note }) => [
      shareId,
      localTime(expiresAt),
      status === "revoked" ? "ended" : status,
      note === null ? "" : visible(note),
    ]),
  );
}

/** A remote in a line, marked as one, and below it what it was asked: its word is shown as its word. */
export function remotesText(remotes: readonly RemoteView[], paint: Paint): string {
  return remotes
    .flatMap((each) => [
      remoteLine(each, paint),
      ...each.asks.map(({ ask, asker, title, state, task, words, work }) => {
        const about = task === null ? "" : ` for ${task}`;
        const commit = work?.commit === undefined || work.commit === null ? "" : `, commit ${work.commit}`;
        const said = words === null ? "" : `: ${shorten(words.replaceAll(/\s+/g, " "), 200)}`;
        const by = `${remoteWords(state)}${commit}${said}`;
        return `  ${visible(ask)}  ${visible(asker)} asked${visible(about)}: ${visible(title)}; ${visible(by)}`;
      }),
    ])
    .join("\n");
}

/** What a remote says of what it was asked, as its word; nothing here verified it. */
export function remoteWords(state: RemoteView["asks"][number]["state"]): string {
  return state === "unsent" ? "not sent yet" : `says ${state}`;
}

/** A remote in a line: whether it is reached, and how much is open there. */
export function remoteLine({ remote, isKnown, problem, asks }: RemoteView, paint: Paint): string {
  const open = asks.filter(({ state }) => !isRemoteOver(state)).length;
  const reach = !isKnown
    ? paint.faint("removed")
    : problem === null
      ? paint.good("no failure")
      : paint.bad(`not reached since entry ${problem.seq}: ${visible(problem.message)}`);
  return `remote ${visible(remote)}  ${reach}, ${counted(open, "open ask")}`;
}

/** Looks at these options alone. Nothing is refused: who looks on may use any name. */
export async function sayUnknown(call: Call, team: Team, options: readonly string[]): Promise<ExitCode> {
  const named = options.flatMap((option) => call.given.text(option) ?? []);
  if (named.length === 0) return exitCodes.done;
  const status = await team.status();
  if (!status.ok) return call.output.fail(status.error);
  const remotes = (status.value.remotes ?? []).map(({ remote }) => `${remotePrefix}${remote}`);
  const known = [...status.value.agents.map(({ agent }) => agent), ...remotes, ownerName, batonName];
  for (const name of named.filter((each) => !known.includes(each))) {
    const meant = nearest(name, known);
    const hint = meant === null ? "baton agent list shows who is there." : `Did you mean ${visible(meant)}?`;
    call.output.say(`There is no agent "${visible(name)}" in the team. ${hint}`);
  }
  return exitCodes.done;
}

/* Of `baton agent list`: one agent, what it holds, and what it last said. */

/** Of what it sent and was sent, so many of the newest. */
const entriesMax = 5;

export const showCommand: OneOfList = {
  description:
    "its role, dialect and state, how many messages it has not acknowledged, the tasks that it holds, and the newest\n" +
    "entries that it sent or was sent.",
  positionals: [{ name: "AGENT", argument: "agent", required: true, summary: "the agent's name" }],
  examples: [
    { line: "baton agent list dev-1", meaning: "what dev-1 is doing" },
    { line: "baton agent list dev-1 --json", meaning: 'one line: the agent with its "tasks" and "entries"' },
  ],
  run: (call) =>
    withTeam(call, async (team) => {
      const { output, given } = call;
      const name = given.word("AGENT") ?? "";
      const status = await team.status();
      if (!status.ok) return output.fail(status.error);
      const { agents } = status.value;
      const agent = agents.find((each) => each.agent === name);
      if (agent === undefined) {
        const known = agents.map((each) => each.agent);
        return output.fail(unknownAgent(name, known, { path: argument("agent") }));
      }
      const board = await team.tasks();
      if (!board.ok) return output.fail(board.error);
      const tasks = board.value.filter(({ state, holder }) => state === "claimed" && holder === name);
      const entries: LogLine[] = [];
      for await (const line of team.log({ agent: name, newestFirst: true, limit: entriesMax, signal: call.signal })) {
        if (!line.ok) return output.fail(line.error);
        entries.unshift(line.value);
      }
      output.result({ ...agent, tasks, entries }, () => agentText(agent, tasks, entries, output.paint.stdout));
      return exitCodes.done;
    }),
};

function agentText(agent: AgentStatus, tasks: readonly TaskView[], entries: readonly LogLine[], paint: Paint): string {
  const department = agent.department === undefined ? "" : ` (${agent.department})`;
  const seen = seenText(agent);
  return [
    `${paint.strong(visible(agent.agent))}  ${agent.role}${department}, ${agent.dialect}, session ${agent.session}`,
    `  state    ${stateText(agent)}${seen === "" ? "" : `, ${seen}`}`,
    `  inbox    ${counted(agent.unread, "message")} to acknowledge`,
    ...(tasks.length === 0 ? ["  holds    no task"] : [tasksText(tasks, paint)]),
    ...entries.map((line) => `  ${logLineText(line, paint)}`),
  ].join("\n");
}
