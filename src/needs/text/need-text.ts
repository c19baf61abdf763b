/**
 * What needs the person who owns the team, as `baton needs` lists it: each need with what ends it, when, and the command to
 * type next. The list is the owner's for every caller; to an agent it says which of it that agent may decide.
 */
import { systemClock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { ageOf, counted, visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { nextCommand } from "../../doors/cli/kernel/next-command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { hubsHere, noHubWords, wantsHub } from "../../doors/cli/place/missing-hub.ts";
import { isInTmux } from "../../doors/cli/place/team-tmux.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { foldLine, localTime, table } from "../../doors/cli/terminal/terminal-text.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Team } from "../../perform/team.ts";
import { unknownAgent } from "../../team/state/roster.ts";
import { dueWords, endOfNeed } from "../view/need-ends.ts";
import { type Need, type Needs, needKinds, type Triage, titleOf } from "../view/need-ranking.ts";
import {
  type Caller,
  type Commands,
  callerNamed,
  isDecision,
  isOwner,
  type Matters,
  needCommands,
} from "./decision-commands.ts";
import { choiceLines, firstLine } from "./decision-text.ts";

/** A need with the commands that decide it, or show or do something about it; none: the caller may run none. */
interface OfferedNeed extends Need {
  readonly decide: Commands;
}

/** What the command prints: `json` with `--json`, else `text`. */
export interface OfferedNeeds {
  readonly json: Omit<Needs, "needs"> & { readonly needs: readonly OfferedNeed[] };
  text(paint: Paint): string;
}

/**
 * The needs with the commands for the caller of `team`. Problems: `unknown-agent` for a caller that is not in the team, and
 * those of the journal and the hub.
 */
export async function offeredNeeds(call: Call, team: Team, needs: Needs): Promise<Result<OfferedNeeds, Problem>> {
  const agents = await team.agents();
  if (!agents.ok) return agents;
  const { agent } = team.actor;
  const names = agents.value.map((member) => member.agent);
  if (agent !== ownerName && !names.includes(agent)) return err(unknownAgent(agent, names));
  if (hubOf(call) === null && (await hubsHere(call)).length === 0) {
    const status = await team.status();
    if (status.ok && wantsHub(status.value.definition)) call.output.say(noHubWords);
  }
  return await needsFor(call, team, needs, agents.value);
}

/** The same for a caller that may be unknown, which may decide nothing then. */
export async function needsFor(
  call: Call,
  team: Team,
  needs: Needs,
  agents: Matters["agents"],
): Promise<Result<OfferedNeeds, Problem>> {
  const found = await mattersOf(team, needs);
  if (!found.ok) return found;
  const matters = { ...found.value, agents, isInTmux: isInTmux(call, team.name) };
  const caller = callerNamed(team.actor.agent, agents);
  const offered = needs.needs.map((need) => ({ ...need, decide: needCommands(caller, need, matters) }));
  const json = { ...needs, needs: offered };
  return ok({ json, text: (paint) => needsText(call, { caller, matters, needs: json }, paint) });
}

/** What the commands depend on; nothing is looked up of which there is no need. */
async function mattersOf(team: Team, { total }: Needs): Promise<Result<Omit<Matters, "agents">, Problem>> {
  if (total === 0) return ok({ approvals: [], escalations: [], tasks: [] });
  const approvals = await team.approvals();
  if (!approvals.ok) return approvals;
  const escalations = await team.escalations();
  if (!escalations.ok) return escalations;
  const tasks = await team.tasks();
  if (!tasks.ok) return tasks;
  return ok({ approvals: approvals.value, escalations: escalations.value, tasks: tasks.value });
}

/** The colour of what is the matter. */
export const triageTones: Readonly<Record<Triage, keyof Paint>> = {
  broken: "bad",
  stuck: "warn",
  decide: "warn",
  ready: "faint",
};
const kindWidth = Math.max(...needKinds.map((kind) => kind.length));
const indent = " ".repeat(kindWidth + 4);

interface Listed {
  readonly caller: Caller;
  readonly matters: Matters;
  readonly needs: OfferedNeeds["json"];
}

function needsText(call: Call, { caller, matters, needs: { total, needs } }: Listed, paint: Paint): string {
  const name = isOwner(caller) ? null : visible(caller.agent);
  const who = name === null ? "you" : "the owner";
  if (total === 0) return `Nothing needs ${who}.`;
  const now = systemClock.now();
  const rows = table(needs.map((need) => rowOf(need, now))).split("\n");
  const more = total - needs.length;
  const may = needs.filter(({ decide }) => decide.some(isDecision)).length;
  const ofThem = `, who is "you" here; ${name} may decide ${may}${more > 0 ? " of those shown" : ""}`;
  const inbox = nextCommand(call, ["inbox"]);
  const columns = call.config.columns();
  return [
    paint.strong(`${counted(total, "matter needs", "matters need")} ${who}${name === null ? "" : ofThem}`),
    ...needs.flatMap((need, at) => [
      ...foldLine(
        `  ${paint[triageTones[need.triage] ?? "warn"](visible(need.kind).padEnd(kindWidth))}  ${rows[at]}`,
        columns,
      ),
      ...detailsOf(need, matters, now).flatMap((line) => foldLine(`${indent}${paint.faint(visible(line))}`, columns)),
      ...commandLines(call, need, name).map((line) => `${indent}${line}`),
    ]),
    ...(more > 0 ? [paint.faint(`and ${more} more`)] : []),
    ...(name === null || inbox === null ? [] : [`What waits for ${name}: ${inbox}`]),
  ].join("\n");
}

function rowOf(need: Need, now: number): readonly string[] {
  const { target, since, blocksTotal } = need;
  const waits = blocksTotal === 0 ? "" : ` ${counted(blocksTotal, "task waits", "tasks wait")} for it.`;
  return [
    visible(target),
    since === null ? "" : ageOf(Date.parse(since), now),
    visible(`${firstLine(titleOf(need))}${waits}`),
  ];
}

/** What the agent says, why, what can be chosen, and what happens when. */
function detailsOf(need: Need, { escalations, tasks }: Matters, now: number): readonly string[] {
  const escalation = need.kind === "escalation" ? escalations.find(({ id }) => id === need.target) : undefined;
  const holder = tasks.find(({ task }) => task === need.task)?.holder ?? null;
  const end = endOfNeed(need);
  return [
    ...[need.asks === null ? null : need.subject, need.why].flatMap((words) =>
      words === null ? [] : [firstLine(words)],
    ),
    ...(need.help ? [need.help] : []),
    ...(escalation === undefined ? [] : choiceLines(escalation)),
    ...(need.dueAt === null ? [] : [`until ${dueText({ ...need, dueAt: need.dueAt }, holder, now)}`]),
    ...(end === null ? [] : [end]),
  ];
}

/** When the need's time is over and what happens then: `21:21:00. Then it counts as denied.` */
export function dueText(need: Need & { readonly dueAt: string }, holder: string | null, nowMs: number): string {
  const then = dueWords(need, holder);
  return [localTime(need.dueAt, nowMs), ...(then === null ? [] : [then])].join(". ");
}

/** The commands to type next; `agent`: who may not decide it, where there are none. */
function commandLines(call: Call, { decide }: OfferedNeed, agent: string | null): readonly string[] {
  if (decide.length === 0 && agent !== null) return [`${agent} may not decide this.`];
  return decide.flatMap((words) => nextCommand(call, words) ?? []);
}
