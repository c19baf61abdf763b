/**
 * What becomes of a changed team file. Baton records it by itself: what only takes rights away is in force at once, and
 * what gives somebody more is a proposal that the owner confirms or declines. So a commit by which an agent raises
 * itself changes nothing until the person has seen it.
 * Rules: docs/protocol/authority.md, sections 17 to 20.
 */
import { steadyNow } from "../../base/clock.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { batonName, ownerName, type Principal } from "../../messages/principal.ts";
import { commitBehind } from "../../perform/commit.ts";
import { asJson } from "../../perform/content.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { ConfirmRevision, DeclineRevision } from "../../perform/operations/generated/calls.ts";
import { type Operation, type Outcome, type Refusal, recordedEffects } from "../../perform/perform.ts";
import type { At } from "../../perform/rules.ts";
import type { TeamState } from "../../perform/state.ts";
import { departureNotes, departureNotification, leavingBy } from "../../shutdown/services/agent-departure.ts";
import type { ProposalView } from "../operations/status.ts";
import type { TeamDefinition } from "../state/definition.ts";
import type { TeamCommand, TeamEvent } from "../state/revision.ts";
import { decideTeam } from "../state/revision-decider.ts";
import { proposalView } from "../view/proposal.ts";
import { joiningBy } from "../view/session-endings.ts";
import { keepSeen, markBefore, olderFile, otherTeam } from "./team-file.ts";

export interface ReviseOptions {
  /** Whether the definition may begin a team in a journal that holds others; absent: only in one that holds none. */
  readonly starts?: boolean;
}

/** What a look at the team file did. */
export interface Revised {
  /** Whether something was recorded. */
  readonly isRecorded: boolean;
  /** What waits for the owner now, or was declined; null: the file says what is in force. */
  readonly proposal: ProposalView | null;
  /** Why nothing of the file was recorded: it is older than the team's. Null: it is not. */
  readonly older: Problem | null;
}

/**
 * Records `definition` where it differs from what is in force. A journal that is not writable keeps what it has, and of a
 * file that is older than the team's nothing is recorded. Refuses with `team-file` a definition that would begin a second
 * team (`starts` absent).
 */
export async function reviseTeam(
  context: TeamContext,
  definition: TeamDefinition,
  options: ReviseOptions = {},
): Promise<Result<Revised, readonly Problem[]>> {
  const { journal, team } = context;
  const folded = await journal.state(team);
  if (!folded.ok) return err([folded.error]);
  const known = folded.value.state.team;
  if (known.definition === null && options.starts !== true) {
    const teams = await journal.teams();
    if (!teams.ok) return err([teams.error]);
    // One without a definition may hold entries already, as a forked journal does, whose first names its origin.
    if (teams.value.length > 0 && !teams.value.includes(team)) return err([otherTeam(team, teams.value)]);
  }
  const older = olderFile(context, definition, known);
  if (older !== null) return ok({ isRecorded: false, proposal: proposalView(known), older });
  const command: TeamCommand = { command: "revise-team", definition };
  const wanted = decideTeam(command, known);
  if (!wanted.ok) return wanted;
  if (wanted.value.length === 0) keepSeen(context, definition, known);
  if (wanted.value.length === 0 || journal.condition().condition !== "ready")
    return ok({ isRecorded: false, proposal: proposalView(known), older: null });
  const seenBefore = markBefore(context);
  const committed = await commitBehind(context, [], {
    once: null,
    decide: (state, { seq }) => {
      // Another process may have recorded a newer file meanwhile.
      if (olderFile(seenBefore, definition, state.team) !== null) return { decline: [] };
      const events = decideTeam(command, state.team);
      if (!events.ok) return { decline: events.error };
      if (events.value.length === 0) return { decline: [] };
      const principal = state.team.definition === null ? byOwner : byBaton;
      const atMs = steadyNow(context.clock);
      const effects = effectsOf(state, { events: events.value, seq, atMs, by: principal.agent });
      const { receivers, content } = recordedEffects(effects);
      return { kind: "team", principal, id: null, digest: null, receivers, content: asJson(content) };
    },
  });
  if (!committed.ok) return err([committed.error]);
  const outcome = committed.value;
  if (outcome.outcome === "declined" && outcome.problems.length > 0) return err(outcome.problems);
  const after = await journal.state(team);
  if (!after.ok) return err([after.error]);
  const now = after.value.state.team;
  keepSeen(context, definition, now);
  const isRecorded = outcome.outcome === "recorded";
  return ok({ isRecorded, proposal: proposalView(now), older: olderFile(context, definition, now) });
}

/** Nobody asks for a look at the file, so only the first revision, by which the team begins, is the owner's act. */
const byBaton: Principal = { agent: batonName, role: null, via: "launcher" };
const byOwner: Principal = { agent: ownerName, role: "owner", via: "launcher" };

/**
 * Puts what the team file wants in force. The owner's alone: refuses `human-required` for anyone else, and `not-found`
 * where another definition waits by now, so that nobody confirms what they have not seen.
 */
export const confirmRevision: Operation<ConfirmRevision, TeamContext> = {
  name: "confirm-revision",
  judgesRetired: true,
  compared: (asked) => ({ command: "confirm-revision", ...asked }),
  decide: (state, asked, at) => decideProposal(state, { command: "confirm-revision", ...asked }, at),
};

/** Leaves what is in force as it is; the file is shown as different until it changes. Refuses as `confirmRevision`. */
export const declineRevision: Operation<DeclineRevision, TeamContext> = {
  name: "decline-revision",
  judgesRetired: true,
  compared: (asked) => ({ command: "decline-revision", ...asked }),
  decide: (state, asked, at) => decideProposal(state, { command: "decline-revision", ...asked }, at),
};

type Decision = Extract<TeamCommand, { readonly command: "confirm-revision" | "decline-revision" }>;

function decideProposal(state: TeamState, asked: Decision, { by, seq, atMs }: At): Result<Outcome, Refusal> {
  if (by.agent !== ownerName) return err([ownersOnly(by.agent)]);
  const decided = decideTeam(asked, state.team);
  if (!decided.ok) return decided;
  const effects = effectsOf(state, { events: decided.value, seq, atMs, by: by.agent });
  const unchanged = { code: "already-so", path: asked.proposal, message: "It was so already; nothing changed." };
  return ok(decided.value.length === 0 ? { ...effects, notes: [unchanged] } : effects);
}

/** The events, with what follows for agents that leave by them, and who is notified. */
function effectsOf(
  state: TeamState,
  {
    events: team,
    seq,
    atMs,
    by,
  }: { readonly events: readonly TeamEvent[]; readonly seq: number; readonly atMs: number; readonly by: string },
): Outcome {
  const left = leavingBy(state, team, { seq, atMs });
  const departure = { team, events: left, by };
  return {
    team,
    // Joined first: a round that ends because its last agent leaves is still open then.
    events: [...joiningBy(state, team, seq), ...left],
    notes: departureNotes(state, departure),
    delivered: departureNotification(state, departure),
  };
}

function ownersOnly(agent: string): Problem {
  return makeProblem("human-required", agent, `${agent} may not confirm or decline a change of the team.`, {
    expected: "the owner",
    hint: "Ask the person who owns the team.",
  });
}
