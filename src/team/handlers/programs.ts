/**
 * Programs that stay and speak for an agent: when one begins, whichever did before is fenced off and told so at each of
 * its acts. Programs that come and go, such as commands, are not asked for one.
 * Source: docs/protocol/asking.md, sections 17 to 19.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import { beginProgram, endProgram } from "../../perform/deciders.ts";
import { heartbeat } from "../../perform/heartbeat.ts";
import { problemsOf, type Reply } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import type { TeamState } from "../../perform/state.ts";
import { beatMsOf } from "../state/definition.ts";
import { replacedProblem } from "../view/session-endings.ts";
import { mayResume, resumeAgents } from "./resuming.ts";

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
  const { program } = actor;
  let { state } = folded.value;
  if (program !== undefined && isBackAfterStop(state, actor)) {
    const resumed = await resumeAgents(context, actor, actor.agent);
    const again = resumed.ok ? await journal.state(team) : resumed;
    if (!again.ok) return again;
    ({ state } = again.value);
  }
  const attendance = { everyMs: beatMsOf(state.team.definition) };
  if (program === undefined || !isToBegin(state, actor) || journal.condition().condition !== "ready") {
    const shown = await heartbeat(context, actor);
    return shown.ok ? ok(attendance) : shown;
  }
  const replaced = replacedProblem(state, actor);
  // The same program again is the same operation, and takes nobody's place a second time.
  const begun = await perform({ context, actor }, beginning, { program }, `program/${program}`);
  const [refused] = problemsOf(begun);
  const problem = refused ?? (begun.outcome === "accepted" && begun.receipt.duplicate ? replaced : null);
  return problem === null ? ok(attendance) : err(problem);
}

/** Records that a program of that session was not let in as the actor, and why. */
export async function refuseProgram(context: TeamContext, actor: Actor, refused: RefusedProgram): Promise<Reply> {
  return await perform({ context, actor }, refusing, refused);
}

interface RefusedProgram {
  readonly session: string | null;
  readonly refused: Problem;
}

const refusing: Operation<RefusedProgram, TeamContext> = {
  name: "begin-program",
  begins: true,
  recorded: ({ session }) => (session === null ? {} : { session }),
  decide: (_, { refused }) => err([refused]),
};

/** Says that the actor's program ends in order; one that does not speak for its agent says nothing. */
export async function leave(context: TeamContext, actor: Actor): Promise<Result<void, Problem>> {
  const { journal, team } = context;
  const { agent, program } = actor;
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const known = state.coordination.health.programs.get(agent);
  const isThere = state.team.roster.get(agent)?.status === "active" && replacedProblem(state, actor) === null;
  if (program === undefined || known?.program !== program || known.ended !== null || !isThere) return ok(undefined);
  if (journal.condition().condition !== "ready") return ok(undefined);
  const ended = await perform({ context, actor }, ending, { program }, `program-end/${program}`);
  return ended.outcome === "failed" ? err(ended.problem) : ok(undefined);
}

interface Program {
  readonly program: string;
}

const beginning: Operation<Program, TeamContext> = {
  name: "begin-program",
  begins: true,
  decide(state, { program }, { by: { agent }, session, seq, atMs }) {
    return ok(beginProgram(state.coordination, { agent, session, program, seq, atMs }));
  },
};

const ending: Operation<Program, TeamContext> = {
  name: "end-program",
  decide: (state, { program }, { by: { agent }, seq, atMs }) =>
    ok(endProgram(state.coordination, { agent, program, seq, atMs })),
};

/** Whether it stopped with everybody, and this program began after that. */
function isBackAfterStop(state: TeamState, { agent, program }: Actor): boolean {
  const member = state.team.roster.get(agent);
  if (member === undefined || !mayResume(state, member)) return false;
  const known = state.coordination.health.programs.get(agent);
  return program !== undefined && known?.program !== program && known?.earlier.includes(program) !== true;
}

function isToBegin(state: TeamState, { agent, program }: Actor): boolean {
  if (state.team.roster.get(agent)?.status !== "active") return false;
  return state.coordination.health.programs.get(agent)?.program !== program;
}
