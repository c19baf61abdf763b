/** `baton status`: the team at a glance. */
import { ageOf } from "../../../base/age.ts";
import { systemClock } from "../../../base/clock.ts";
import { counted, visible } from "../../../base/text.ts";
import type { TeamStatus } from "../../../runtime/team/team-status.ts";
import type { Call, Command } from "../kernel/command.ts";
import { nextCommand } from "../kernel/next-command.ts";
import { glanceLines, type PhaseStyle } from "../phases/phase-text.ts";
import { hubOf } from "../place/hub-address.ts";
import { placeOf } from "../place/place.ts";
import { type HubNote, runningHubs } from "../place/running-hubs.ts";
import { withTeam } from "../place/session.ts";
import { stateCounts } from "../tasks/task-text.ts";
import { breakerText, healthText } from "../team/health-text.ts";
import { sayUnknown } from "../team/known-agents.ts";
import type { Paint } from "../terminal/paint.ts";
import { table } from "../terminal/table.ts";
import { openMatters } from "./open-matters.ts";
import { openText } from "./open-matters-text.ts";

export const command: Command = {
  description:
    "Prints the team's dialects, policy and agents with their unread messages, the journal's head, and the hubs that run on\n" +
    "it here. Then who holds which task, and everything that waits: changes of the team,\n" +
    "approvals, escalations, disputed and stale reports,\n" +
    "shutdown rounds, blocked tasks, each with its age and the command that decides it.",
  examples: [
    { line: "baton status", meaning: "the team of the nearest .baton/" },
    { line: "baton status --json", meaning: "the same as one JSON value" },
  ],
  next: "The commands that it prints decide what waits; baton log shows what happened.",
  run: (call) =>
    withTeam(call, async (team) => {
      const status = await team.status();
      if (!status.ok) return call.output.fail(status.error);
      const open = await openMatters(team, status.value);
      if (!open.ok) return call.output.fail(open.error);
      const hubs = await hubsHere(call);
      call.output.result({ ...status.value, ...open.value, hubs }, () => {
        const style = { paint: call.output.paint.stdout, hasBars: call.config.isShown() };
        const first = nextCommand(call, ["agent", "register", "dev-1", "--role", "dev"]) ?? "";
        return [statusText(status.value, hubs, { ...style, first }), ...openText(call, open.value)].join("\n\n");
      });
      return await sayUnknown(call, team, ["as"]);
    }),
};

/** Hubs that run on the journal, where it is one of this machine. */
async function hubsHere(call: Call): Promise<readonly HubNote[]> {
  const place = hubOf(call) === null ? await placeOf(call) : null;
  return place?.ok === true ? await runningHubs(place.value.journal) : [];
}

/** How the status is shown, and the command that registers the first agent. */
interface StatusStyle extends PhaseStyle {
  readonly first: string;
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
    healthText(agent),
    `${agent.unread} unread`,
    agent.lastSeenAt === null ? "" : seenText(agent.lastSeenAt),
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
    stateCounts(status.tasks),
    ...unverifiedLines(status.unverified, paint),
    ...(status.proposal?.status === "declined"
      ? [paint.warn("the team file differs from what is in force: you declined the change (baton team)")]
      : []),
    ...glanceLines(status.phases, style),
    ...status.breakers.filter(({ state }) => state !== "closed").map((each) => breakerText(each, paint)),
    ...(status.overBudget.length === 0
      ? []
      : [paint.warn(`over their token budget: ${status.overBudget.map(visible).join(", ")}`)]),
    ...status.disputedArtifacts.map(
      ({ type, sender, seq, artifacts }) =>
        `${paint.bad("disputed")} ${visible(`${artifacts.join(", ")}, which ${type} of ${sender} names (entry ${seq})`)}`,
    ),
    ...hubs.map(({ url, pid }) => `hub ${paint.good("runs")} at ${url} (pid ${pid})`),
    "",
    rows.length === 0 ? `No agents yet. Add one with: ${style.first}` : table(rows),
  ].join("\n");
}

/** Reported is not verified: whoever reads the counts must not take one for the other. */
function unverifiedLines({ awaited, unavailable }: TeamStatus["unverified"], paint: Paint): readonly string[] {
  return [
    ...(awaited === 0 ? [] : [paint.warn(`not verified: ${counted(awaited, "task")} reported, verdict awaited`)]),
    ...(unavailable === 0
      ? []
      : [paint.warn(`not verified: ${counted(unavailable, "task")} by report alone, no repository to check`)]),
  ];
}

/** For people the age, as of everything else that waits; programs have the time itself in `--json`. */
function seenText(lastSeenAt: string): string {
  const age = ageOf(Date.parse(lastSeenAt), systemClock.now());
  return age === "now" ? "last seen now" : `last seen ${age} ago`;
}
