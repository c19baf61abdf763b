/**
 * What becomes of a changed team file. Baton records it by itself: what only takes rights away is in force at once, and
 * what gives somebody more is a proposal that the owner confirms or declines. So a commit by which an agent raises
 * itself changes nothing until the person has seen it.
 * Rules: docs/protocol/authority.md, sections 17 to 21.
 */

import { steadyNow } from "../../base/clock.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { batonName, ownerName, type Principal } from "../../messages/principal.ts";
import { type AskedAct, recordAct } from "../../perform/command.ts";
import { commitBehind } from "../../perform/commit.ts";
import { asJson } from "../../perform/content.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import type { ConfirmRevision, DeclineRevision, Named } from "../../perform/operations/generated/calls.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import type { Team } from "../../perform/team.ts";
import { departureNotes, departureNotification, leavingBy } from "../../shutdown/services/agent-departure.ts";
import type { ProposalView } from "../operations/status.ts";
import type { TeamDefinition } from "../state/definition.ts";
import type { TeamCommand, TeamEvent } from "../state/events.ts";
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
      const { content, receivers } = effectsOf(context, state, { events: events.value, seq, by: principal.agent });
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

/** What the owner does about a proposal, as a team's handle has it. */
export function revisionWork(context: TeamContext, actor: Actor): Pick<Team, "confirmRevision" | "declineRevision"> {
  return {
    confirmRevision: (given, options) => confirmRevision(context, actor, given, options),
    declineRevision: (given, options) => declineRevision(context, actor, given, options),
  };
}

/**
 * Puts what the team file wants in force. The owner's alone: refuses `human-required` for anyone else, and `not-found`
 * where another definition waits by now, so that nobody confirms what they have not seen.
 */
function confirmRevision(
  context: TeamContext,
  actor: Actor,
  given: ConfirmRevision,
  options: Named = {},
): Promise<Reply> {
  return decideProposal(context, actor, { command: "confirm-revision", ...given }, options.id);
}

/** Leaves what is in force as it is; the file is shown as different until it changes. Refuses as `confirmRevision`. */
function declineRevision(
  context: TeamContext,
  actor: Actor,
  given: DeclineRevision,
  options: Named = {},
): Promise<Reply> {
  return decideProposal(context, actor, { command: "decline-revision", ...given }, options.id);
}

type Decision = Extract<TeamCommand, { readonly command: "confirm-revision" | "decline-revision" }>;

function decideProposal(
  context: TeamContext,
  actor: Actor,
  asked: Decision,
  named: string | undefined,
): Promise<Reply> {
  return recordAct(context, actor, {
    name: asked.command,
    asked,
    compared: { ...asked },
    named,
    decide: (state, { seq }) => decide(context, actor, asked, { state, seq }),
  });
}

function decide(
  context: TeamContext,
  actor: Actor,
  { command: name, ...given }: Decision,
  { state, seq }: { readonly state: TeamState; readonly seq: number },
): ReturnType<AskedAct["decide"]> {
  if (actor.agent !== ownerName) return err([ownersOnly(actor.agent)]);
  const asked: Decision = { command: name, ...given };
  const decided = decideTeam(asked, state.team);
  if (!decided.ok) return decided;
  const { content, receivers } = effectsOf(context, state, { events: decided.value, seq, by: actor.agent });
  const unchanged = { code: "already-so", path: given.proposal, message: "It was so already; nothing changed." };
  return ok({
    receivers,
    content: asJson({
      command: { name, ...given },
      ...content,
      ...(decided.value.length === 0 ? { notes: [unchanged] } : {}),
    }),
  });
}

/** The events, with what follows for agents that leave by them, and who is notified. */
function effectsOf(
  context: TeamContext,
  state: TeamState,
  { events, seq, by }: { readonly events: readonly TeamEvent[]; readonly seq: number; readonly by: string },
) {
  const left = leavingBy(state, events, { seq, atMs: steadyNow(context.clock) });
  // Joined first: a round that ends because its last agent leaves is still open then.
  const follows = [...joiningBy(state, events, seq), ...left];
  const departure = { team: events, events: left, by };
  const told = departureNotification(state, departure);
  const notes = departureNotes(state, departure);
  const content = {
    ...(told === null ? {} : { message: told.message }),
    team: events,
    ...(follows.length === 0 ? {} : { events: follows }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  return { content, receivers: told?.receivers ?? [] };
}

function ownersOnly(agent: string): Problem {
  return problem("human-required", agent, `${agent} may not confirm or decline a change of the team.`, {
    expected: "the owner",
    hint: "Ask the person who owns the team.",
  });
}
