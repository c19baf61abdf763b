/** `baton status`: the team at a glance. */

import { isDeepStrictEqual } from "node:util";
import { systemClock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { ageOf, counted, spanOf, visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { nextCommand } from "../../doors/cli/kernel/next-command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { hubsHere, noHubWords, wantsHub } from "../../doors/cli/place/missing-hub.ts";
import type { HubNote } from "../../doors/cli/place/running-hubs.ts";
import { listed, withTeam } from "../../doors/cli/place/session.ts";
import { isInTmux } from "../../doors/cli/place/team-tmux.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { foldLine, localTime, table } from "../../doors/cli/terminal/terminal-text.ts";
import { ownerName } from "../../messages/principal.ts";
import { choiceLines, inSentences } from "../../needs/text/decision-text.ts";
import {
  type HeldTask,
  type MatterKind,
  matterKinds,
  type OpenMatter,
  type OpenMatters,
  openMatters,
} from "../../needs/text/open-matters.ts";
import type { Team } from "../../perform/team.ts";
import { barOf, glanceLines, type PhaseStyle } from "../../phases/text/phase-text.ts";
import { editLines, stateCounts } from "../../tasks/text/task-text.ts";
import type { AgentStatus } from "../operations/agents.ts";
import type { TeamStatus } from "../operations/status.ts";
import { breakerText, remoteLine, sayUnknown, seenText, stateText } from "./agents-text.ts";

export const command: Command = {
  description:
    "Prints the team's dialects, policy and agents with their unread messages, the journal's head, and the hubs that run on\n" +
    "it here. Then who holds which task, what verdicts note on verified work, and everything that waits: what baton needs\n" +
    "lists, and what waits for agents, each with its age and the command that decides it. With --as, what that agent may not\n" +
    "decide has no command.\n\n" +
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
  const open = await openMatters(team, status.value, { isInTmux: isInTmux(call, team.name) });
  if (!open.ok) return open;
  const hubs = await hubsHere(call);
  const found = { ...status.value, ...open.value, hubs };
  call.output.result(found, () => {
    const style = { paint: call.output.paint.stdout, hasBars: call.config.isShown() };
    const isOwners = team.actor.agent === ownerName;
    const first = isOwners ? nextCommand(call, ["agent", "register", "dev-1", "--role", "dev"]) : null;
    const isHubMissing = hubs.length === 0 && hubOf(call) === null && wantsHub(status.value.definition);
    return [statusText(status.value, hubs, { ...style, first, isHubMissing }), ...openText(call, open.value)].join(
      "\n\n",
    );
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

/* What is in hand and what waits, for people: each matter in a line with its age, and below it what decides it. */

/** Of each kind so many are shown, the oldest; the rest is counted. */
const shownMax = 12;

/** More characters of what a matter is about than a list has room for. */
const aboutCharactersMax = 600;

const tones: Readonly<Record<MatterKind, keyof Paint>> = {
  hold: "bad",
  unguarded: "bad",
  revision: "warn",
  approval: "warn",
  escalation: "warn",
  signoff: "warn",
  shipped: "bad",
  disputed: "bad",
  dispute: "bad",
  gone: "bad",
  unverified: "warn",
  check: "warn",
  unchecked: "warn",
  conflict: "warn",
  landing: "faint",
  unresponsive: "warn",
  idle: "warn",
  remote: "warn",
  loop: "warn",
  "over-budget": "faint",
  handoff: "warn",
  shutdown: "warn",
  blocked: "faint",
};
const kindWidth = Math.max(...matterKinds.map((kind) => kind.length));

/** A part for what is in hand and one for what waits; nothing waits: that alone, in words. */
function openText(call: Pick<Call, "given" | "config" | "output">, { held, noted, matters }: OpenMatters): string[] {
  const paint = call.output.paint.stdout;
  const now = systemClock.now();
  return [
    ...(held.length === 0 ? [] : [[paint.strong("In hand"), ...heldLines(held, now)].join("\n")]),
    ...(noted.length === 0 ? [] : [[paint.strong("Notes on verified work"), ...notedLines(noted)].join("\n")]),
    matters.length === 0
      ? "Nothing waits for a decision."
      : [paint.strong("Waiting"), ...matterKinds.flatMap((kind) => linesOf(call, kind, matters, now))].join("\n"),
  ];
}

function notedLines(noted: readonly string[]): readonly string[] {
  const more = noted.length - shownMax;
  return [...noted.slice(0, shownMax).map((each) => `  ${visible(each)}`), ...(more > 0 ? [`  and ${more} more`] : [])];
}

function heldLines(held: readonly HeldTask[], now: number): readonly string[] {
  const rows = held.map(({ task, holder, since, until }) => [
    `  ${visible(task)}`,
    visible(holder),
    since === null ? "" : durationText(ageText(since, now)),
    until === null ? "" : `until ${localTime(until, now)}`,
  ]);
  return table(rows).split("\n");
}

function linesOf(
  call: Pick<Call, "given" | "config" | "output">,
  kind: MatterKind,
  all: readonly OpenMatter[],
  now: number,
): readonly string[] {
  const matters = all.filter((matter) => matter.kind === kind);
  const paint = call.output.paint.stdout;
  const indent = " ".repeat(kindWidth + 4);
  const shown = matters.slice(0, shownMax);
  const rows = table(shown.map((matter) => rowOf(matter, now))).split("\n");
  const lines = shown.flatMap((matter, at) => {
    const choices = matter.choice === undefined ? [] : choiceLines(matter.choice);
    const line = `  ${paint[tones[kind]](kind.padEnd(kindWidth))}  ${rows[at]}`;
    const lines = [line, ...choices.map((each) => `${indent}${visible(each)}`)];
    const shownLines = lines.flatMap((each) => foldLine(each, call.config.columns()));
    // One command may stand for several: it is reported once, below the last of them.
    const next = shown[at + 1];
    if (next !== undefined && isDeepStrictEqual(next.decide, matter.decide)) return shownLines;
    const commands = matter.decide.flatMap((words) => nextCommand(call, words) ?? []);
    return [...shownLines, ...commands.map((command) => `${indent}${paint.faint(command)}`)];
  });
  const more = matters.length - shown.length;
  return more === 0 ? lines : [...lines, `${indent}and ${more} more`];
}

function rowOf({ id, since, about, waitsFor }: OpenMatter, now: number): readonly string[] {
  const isSentence = /[.!?…]$/.test(about);
  const waits = waitsFor.length === 0 ? "" : `${isSentence ? "Waits" : "waits"} for ${listed(waitsFor)}`;
  const said = [visible(inSentences(about, aboutCharactersMax)), waits]
    .filter((each) => each !== "")
    .join(isSentence ? " " : "; ");
  return [visible(id), since === null ? "" : ageText(since, now), said];
}

function durationText(age: string): string {
  return age === "now" ? "just now" : `for ${age}`;
}

function ageText(since: string, now: number): string {
  return ageOf(Date.parse(since), now);
}
