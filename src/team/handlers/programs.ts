/**
 * Programs that stay and speak for an agent: when one begins, whichever did before is fenced off and told so at each of
 * its acts. Programs that come and go, such as commands, are not asked for one.
 * Source: docs/protocol/asking.md, sections 17 to 19.
 */
import { steadyNow } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { act, type Command } from "../../perform/command.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import { beginProgram, endProgram } from "../../perform/deciders.ts";
import { signOfLife } from "../../perform/heartbeat.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { beatMsOf } from "../state/definition.ts";
import { replacedProblem } from "../view/session-endings.ts";

/** What is expected of a program that attends. */
export interface Attendance {
  /** How often it is to show itself, in milliseconds. */
  readonly everyMs: number;
}

/**
 * Shows that the actor's program is there, and first, that it speaks for the agent from here on. Where nobody of that
 * name is at work, or nothing can be recorded, nothing is. Refuses `session-replaced`.
 */
export async function attend(context: TeamContext, actor: Actor): Promise<Result<Attendance, Problem>> {
  const { journal, team } = context;
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const attendance = { everyMs: beatMsOf(state.team.definition) };
  const { program } = actor;
  if (program === undefined || !isToBegin(state, actor) || journal.condition().condition !== "ready") {
    const shown = await signOfLife(context, actor);
    return shown.ok ? ok(attendance) : shown;
  }
  const replaced = replacedProblem(state, actor);
  const begun = await begin(context, actor, program);
  if (begun.outcome === "failed") return err(begun.problem);
  const fault = begun.outcome === "refused" ? begun.problems[0] : begun.receipt.duplicate ? replaced : null;
  return fault === null || fault === undefined ? ok(attendance) : err(fault);
}

/** Records that a program of that session was not let in as the actor, and why. */
export function refuseProgram(
  context: TeamContext,
  actor: Actor,
  { session, refused }: { readonly session: string | null; readonly refused: Problem },
): Promise<Reply> {
  const asked = session === null ? {} : { session };
  const command: Command = { name: "begin-program", asked, isBeginning: true, decide: () => err([refused]) };
  return act(context, actor, command, undefined);
}

/** Says that the actor's program ends in order; one that does not speak for its agent says nothing. */
export async function leave(context: TeamContext, actor: Actor): Promise<Result<void, Problem>> {
  const { journal, team, clock } = context;
  const { agent, program } = actor;
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const known = state.coordination.health.programs.get(agent);
  const isThere = state.team.roster.get(agent)?.status === "active" && replacedProblem(state, actor) === null;
  if (program === undefined || known?.program !== program || known.ended !== null || !isThere) return ok(undefined);
  if (journal.condition().condition !== "ready") return ok(undefined);
  const command: Command = {
    name: "end-program",
    asked: { program },
    decide: (now, { seq }) => ok(endProgram(now.coordination, { agent, program, seq, atMs: steadyNow(clock) })),
  };
  const ended = await act(context, actor, command, `program-end/${program}`);
  return ended.outcome === "failed" ? err(ended.problem) : ok(undefined);
}

/** A program begins once: the same one again is the same act, and takes nobody's place a second time. */
function begin(context: TeamContext, actor: Actor, program: string): Promise<Reply> {
  const { agent } = actor;
  const command: Command = {
    name: "begin-program",
    asked: { program },
    isBeginning: true,
    decide(state, { seq }) {
      const session = state.team.roster.get(agent)?.session ?? 0;
      return ok(beginProgram(state.coordination, { agent, session, program, seq, atMs: steadyNow(context.clock) }));
    },
  };
  return act(context, actor, command, `program/${program}`);
}

function isToBegin(state: TeamState, { agent, program }: Actor): boolean {
  if (state.team.roster.get(agent)?.status !== "active") return false;
  return state.coordination.health.programs.get(agent)?.program !== program;
}
