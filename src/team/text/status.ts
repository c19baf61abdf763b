/** `baton status`: the team at a glance. */

import { systemClock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { counted, spanOf, visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { nextCommand } from "../../doors/cli/kernel/next-command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { hubsHere, noHubWords, wantsHub } from "../../doors/cli/place/missing-hub.ts";
import type { HubNote } from "../../doors/cli/place/running-hubs.ts";
import { withTeam } from "../../doors/cli/place/session.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { localTime, table } from "../../doors/cli/terminal/terminal-text.ts";
import type { Handoff } from "../../handoffs/state.ts";
import { inHand, wordsOfOrphan } from "../../handoffs/view.ts";
import { ownerName } from "../../messages/principal.ts";
import { firstLine } from "../../needs/text/decision-text.ts";
import { needsFor } from "../../needs/text/need-text.ts";
import type { Team } from "../../perform/team.ts";
import { barOf, glanceLines, type PhaseStyle } from "../../phases/text/phase-text.ts";
import { notedOf } from "../../tasks/state/plan-summary.ts";
import { editLines, stateCounts } from "../../tasks/text/task-text.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { AgentStatus } from "../operations/agents.ts";
import type { TeamStatus } from "../operations/status.ts";
import { breakerText, remoteLine, sayUnknown, seenText, stateText } from "./agents-text.ts";

export const command: Command = {
  description:
    "Prints the team's dialects, policy and agents with their unread messages, the journal's head, and the hubs that run on\n" +
    "it here. Then who holds which task, what verdicts note on verified work, and what baton needs lists.\n\n" +
    'An agent is "not seen yet" until it acts, then idle, or working while it holds a task; DISAPPEARED when its program went\n' +
    'silent, so that its tasks are free; retired when it left or was stopped. "unread" counts messages that it has not\n' +
    'acknowledged; "mail seen after" is how long its messages took to reach its model, the median and the 95th percentile.',
  options: [
    {
      name: "at",
      kind: "position",
      value: "SEQ",
      summary:
        "instead, all that is known at this entry, as JSON: definition, agents, mail, contracts, tasks, approvals, rounds",
    },
  ],
  examples: [
    { line: "baton status", meaning: "the team of the nearest .baton/" },
    { line: "baton status --json", meaning: "the same as one JSON value" },
    { line: "baton status --at 17", meaning: "the state when entry 17 was recorded; 0: before the first" },
  ],
  next: "The commands that it prints decide what waits; baton watch keeps the team in view; baton log shows what happened.",
  run: async (call) => {
    const at = call.given.number("at");
    if (at !== undefined) return await (await import("../../record/text/journal-contents.ts")).showAt(call, at);
    return await withTeam(call, async (team) => {
      const shown = await show(call, team);
      if (!shown.ok) return call.output.fail(shown.error);
      return await sayUnknown(call, team, ["as"]);
    });
  },
};

/** Prints the status. */
async function show(call: Call, team: Team): Promise<Result<void, Problem>> {
  const status = await team.status();
  if (!status.ok) return status;
  const tasks = await team.tasks();
  if (!tasks.ok) return tasks;
  const handoffs = await team.handoffs({ all: true });
  if (!handoffs.ok) return handoffs;
  const accepted = inHand(handoffs.value);
  const needs = await team.needs();
  if (!needs.ok) return needs;
  const offered = await needsFor(call, team, needs.value, status.value.agents);
  if (!offered.ok) return offered;
  const hubs = await hubsHere(call);
  const found = { ...status.value, needs: offered.value.json.needs, handoffs: accepted, hubs };
  call.output.result(found, () => {
    const style = { paint: call.output.paint.stdout, hasBars: call.config.isShown() };
    const isOwners = team.actor.agent === ownerName;
    const first = isOwners ? nextCommand(call, ["agent", "register", "dev-1", "--role", "dev"]) : null;
    const isHubMissing = hubs.length === 0 && hubOf(call) === null && wantsHub(status.value.definition);
    return [
      statusText(status.value, hubs, { ...style, first, isHubMissing }),
      ...workText(tasks.value, accepted, style.paint),
      offered.value.text(style.paint),
    ].join("\n\n");
  });
  return ok(undefined);
}

/** How the status is shown, and the command that registers the first agent; null: the caller may not register it. */
interface StatusStyle extends PhaseStyle {
  readonly first: string | null;
  /** Whether a team that was begun by `baton start` has no hub here. */
  readonly isHubMissing: boolean;
}

function statusText(status: TeamStatus, hubs: readonly HubNote[], style: StatusStyle): string {
  const { paint } = style;
  const { definition, head } = status;
  const journal = status.journal === "ready" ? paint.good("ready") : paint.bad(status.journal);
  const said =
    definition === null ? "no definition recorded" : `${definition.dialects.join(", ")}, ${definition.policy}`;
  const rows = status.agents.map((agent) => [
    visible(agent.agent),
    agent.role,
    agent.dialect,
    stateText(agent),
    `${agent.unread} unread`,
    seenText(agent),
    mailText(agent),
  ]);
  return [
    `${paint.strong(`team ${visible(status.team)}`)}  ${said}, revision ${status.revision}`,
    `journal ${journal}, head ${head.seq}, epoch ${head.epoch}`,
    [
      counted(status.counts.message, "message"),
      counted(status.counts.refusal, "refusal"),
      counted(status.openApprovals, "open approval"),
      counted(status.contracts, "contract"),
    ].join(", "),
    ...((status.unreadOfOwner ?? 0) === 0
      ? []
      : [`${counted(status.unreadOfOwner ?? 0, "message")} for the person, unread: baton inbox`]),
    `${style.hasBars ? taskBar(status.tasks) : ""}${stateCounts(status.tasks)}`,
    ...editLines(status.edits, paint),
    ...status.collisions.map(({ file, agents, kind }) => {
      const words = `${visible(file)} is changed by ${agents.map(visible).join(" and ")}`;
      return kind === "hot" ? paint.warn(`${words}, in the same lines`) : words;
    }),
    ...unverifiedLines(status.unverified, paint),
    ...(status.proposal?.status === "declined"
      ? [paint.warn("the team file differs from what is in force: you declined the change (baton team)")]
      : []),
    ...glanceLines(status.phases, style),
    ...status.breakers.filter(({ state }) => state !== "closed").map((each) => breakerText(each, paint)),
    ...(status.remotes ?? []).map((each) => remoteLine(each, paint)),
    ...(status.overBudget.length === 0
      ? []
      : [paint.warn(`over their token budget: ${status.overBudget.map(visible).join(", ")}`)]),
    ...status.disputedArtifacts.map(
      ({ type, sender, seq, artifacts }) =>
        `${paint.bad("disputed")} ${visible(`${artifacts.join(", ")}, which ${type} of ${sender} names (entry ${seq})`)}`,
    ),
    ...(status.orphanedHandoffs ?? []).map(({ id, waitsFor, ...handoff }) =>
      visible(`handoff ${id} ${wordsOfOrphan(handoff)}; waits for ${waitsFor.join(", ")}`),
    ),
    ...hubs.map(({ url, pid }) => `hub ${paint.good("runs")} at ${url} (pid ${pid})`),
    ...(style.isHubMissing ? [paint.warn(noHubWords)] : []),
    "",
    rows.length > 0
      ? table(rows)
      : `No agents yet. ${style.first === null ? "The owner adds them." : `Add one with: ${style.first}`}`,
  ].join("\n");
}

/** How much of the list is done, as a bar; nothing: there are no tasks. */
function taskBar(tasks: TeamStatus["tasks"]): string {
  const total = Object.values(tasks).reduce((sum, each) => sum + each, 0);
  const done = tasks.verified + tasks.complete;
  return total === 0 ? "" : `${barOf((100 * done) / total)} ${done} of ${total} done  `;
}

/** How long the agent's mail took until its model had it, and what hooks have put into its context; empty: neither. */
function mailText({ delivery }: Pick<AgentStatus, "delivery">): string {
  const { lags, characters } = delivery;
  const lag =
    lags.seen === undefined ? [] : [`mail seen after ${spanOf(lags.seen.p50Ms)} (95 %: ${spanOf(lags.seen.p95Ms)})`];
  const tokens = Math.ceil(characters / charactersPerToken);
  const cost = tokens === 0 ? [] : [`about ${tokens} tokens for coordination`];
  return [...lag, ...cost].join(", ");
}

/** Roughly, of English text. */
const charactersPerToken = 4;

/** Reported is not verified: a reader of the counts must not confuse them. */
function unverifiedLines({ awaited, unavailable }: TeamStatus["unverified"], paint: Paint): readonly string[] {
  return [
    ...(awaited === 0 ? [] : [paint.warn(`not verified: ${counted(awaited, "task")} reported, verdict awaited`)]),
    ...(unavailable === 0
      ? []
      : [paint.warn(`not verified: ${counted(unavailable, "task")} by report alone, no repository to check`)]),
  ];
}

/** Of each part so many lines are shown; the rest is counted. */
const shownMax = 12;

/** What is in hand, and what the verdicts of verified tasks note. */
function workText(tasks: readonly TaskView[], handoffs: readonly Handoff[], paint: Paint): string[] {
  const now = systemClock.now();
  const held = tasks.flatMap(({ task, holder, expiresAt }) =>
    holder === null
      ? []
      : [[`  ${visible(task)}`, visible(holder), expiresAt === null ? "" : `until ${localTime(expiresAt, now)}`]],
  );
  const accepted = handoffs.flatMap(({ id, issuer, summary, acceptance }) =>
    acceptance === null
      ? []
      : [`  ${visible(`handoff ${id}, accepted by ${acceptance.by}, of ${issuer}: ${firstLine(summary)}`)}`],
  );
  const noted = tasks.flatMap(({ task, verdict, notes }) => (verdict === "verified" ? notedOf(task, notes) : []));
  const more = noted.length - shownMax;
  return [
    ...(held.length + accepted.length === 0
      ? []
      : [[paint.strong("In hand"), ...(held.length === 0 ? [] : [table(held)]), ...accepted].join("\n")]),
    ...(noted.length === 0
      ? []
      : [
          [
            paint.strong("Notes on verified work"),
            ...noted.slice(0, shownMax).map((each) => `  ${visible(each)}`),
            ...(more > 0 ? [`  and ${more} more`] : []),
          ].join("\n"),
        ]),
  ];
}
