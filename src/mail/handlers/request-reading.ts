/**
 * The reading of a request with the active dialects, under the lock, and the values that Baton knows for the fields of
 * a draft: from its sender, its task, the team and the clock. A message inside prose is known by its own id only if it
 * counts as the message. Source: docs/protocol/messages.md, sections 3, 9 and 13.
 */
import { timestampOf } from "../../base/clock.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { stoppingDialect } from "../../messages/authority/authorise.ts";
import { chainLevelOf, levels } from "../../messages/authority/chain-of-command.ts";
import type { Dialect } from "../../messages/dialects/dialect.ts";
import type { KnownField } from "../../messages/intake/flat-to-envelope.ts";
import { readDecoded } from "../../messages/intake/ladder.ts";
import type { Reading } from "../../messages/intake/reading.ts";
import type { DialectId, Note } from "../../messages/message.ts";
import type { Principal } from "../../messages/principal.ts";
import { namesInPrograms } from "../../messages/program-hooks.ts";
import { isWorkDepartment } from "../../messages/role.ts";
import { phaseOfPlanId, planKey, planKeyOfTask } from "../../messages/task-ids.ts";
import type { Context } from "../../perform/context.ts";
import { recordedPhaseOf } from "../../perform/coordination-state.ts";
import type { TeamState } from "../../perform/state.ts";
import { teamDialectOf } from "../../perform/team-dialects.ts";
import { currentPart } from "../../phases/state/phase-state.ts";
import { roundMeant } from "../../shutdown/decide/shutdown-rounds.ts";
import { findTask } from "../../tasks/state/task-state.ts";
import { brokenJsonOf, type TeamDefinition } from "../../team/state/definition.ts";
import type { Member } from "../../team/state/roster.ts";
import type { Request } from "./request.ts";

/** A request with its reading. `request` has the id under which the input must be recorded. */
export interface ReadRequest {
  readonly request: Request;
  readonly reading: Reading;
}

/** Who sent it, and whether that sender has used its id. */
export interface ReadBy {
  readonly principal: Principal;
  readonly isTaken: boolean;
}

/**
 * Reads a request with the dialects in force. A message among words whose id the sender has used is a quotation of it:
 * `isTaken` says so. Words that only quote a message do not take its id.
 */
export function readRequest(
  context: Context,
  request: Request,
  state: TeamState,
  { principal, isTaken }: ReadBy,
): ReadRequest {
  const { asProse } = request;
  const options = readingOptions(context, request, state, principal);
  if (asProse !== null && isTaken) {
    const { text } = request.decoded;
    const reading = readDecoded({ as: "prose", text, several: 1, broken: null }, options);
    const note: Note = {
      code: "quoted-message",
      path: "$",
      message: `The text quotes the message ${request.id}, which was sent before; it is delivered as prose.`,
    };
    return { request: { ...request, ...asProse }, reading: { ...reading, notes: [...reading.notes, note] } };
  }
  const reading = readDecoded(request.decoded, options);
  if (asProse === null || reading.outcome !== "prose") return { request, reading };
  return { request: { ...request, ...asProse }, reading };
}

/** The sender's own dialect first, then the team's; what others say is refused with what these still need. */
function readingOptions(context: Context, request: Request, state: TeamState, principal: Principal) {
  const own = state.team.roster.get(request.actor.agent)?.dialect ?? null;
  const { inForce, foreign } = withStopping(dialectsFor(context, state.team.definition, own), request);
  const { agent, role } = principal;
  return {
    dialects: inForce,
    foreign,
    strict: request.strict,
    draft: request.draft,
    brokenJson: brokenJsonOf(state.team.definition),
    senderKnown: own !== null,
    sender: { agent, role, called: namesInPrograms(role, (name) => state.team.roster.has(name)) },
    connection: () => ({
      id: request.id,
      // The person who owns the team is no author of any envelope, so what a message lacks is reported unchanged.
      authorRole: role === "owner" ? null : role,
      timestamp: timestampOf(context.clock.now()),
      phaseOf: (planId: string) => recordedPhaseOf(state.coordination, planId),
      planOf: (taskId: string) => planOfTask(state, taskId),
      phaseAtWork: () => phaseAtWork(state, request.actor.agent),
      known: knownFieldsOf(context, state, principal, request.id),
    }),
  };
}

/** Asking to stop and answering count in every team: where no dialect in force has the words, those of another do. */
function withStopping(order: DialectOrder, { decoded }: Request): DialectOrder {
  const type = decoded.as === "json" && isJsonObject(decoded.value) ? decoded.value.type : null;
  if (type !== "shutdown_request" && type !== "shutdown_response") return order;
  const { inForce, foreign } = order;
  if (inForce.some(({ definitions }) => definitions.has(type))) return order;
  const isStopping = ({ id }: Dialect) => id === stoppingDialect;
  return {
    inForce: [...inForce, ...foreign.filter(isStopping)],
    foreign: foreign.filter((each) => !isStopping(each)),
  };
}

interface DialectOrder {
  readonly inForce: readonly Dialect[];
  readonly foreign: readonly Dialect[];
}

/** Definitions are replaced, never changed, so the order of trying is worked out once for each. */
const dialectOrders = new WeakMap<TeamDefinition, Map<DialectId | null, DialectOrder>>();

/** In which order a team's dialects are asked for a sender whose dialect is `own`, and the others. */
export function dialectsFor(
  context: Pick<Context, "dialectOf" | "dialects">,
  definition: TeamDefinition | null,
  own: DialectId | null,
): DialectOrder {
  const known = definition === null ? undefined : dialectOrders.get(definition)?.get(own);
  if (known !== undefined) return known;
  const team = definition?.dialects ?? [];
  const ids = own === null ? team : [own, ...team.filter((id) => id !== own)];
  const inForce = ids.map(teamDialectOf(definition, context.dialectOf)).filter((dialect) => dialect !== null);
  const order = { inForce, foreign: context.dialects.filter(({ id }) => !ids.includes(id)) };
  if (definition !== null) {
    const orders = dialectOrders.get(definition) ?? new Map<DialectId | null, DialectOrder>();
    dialectOrders.set(definition, orders.set(own, order));
  }
  return order;
}

/** What is known in a team of a draft that `principal` sends under `id`. */
function knownFieldsOf(context: Context, state: TeamState, { agent, role }: Principal, id: string): KnownField {
  const member = state.team.roster.get(agent);
  const now = () => timestampOf(context.clock.now());
  return (neutral, { kind, task, plan }) => {
    const ofPlan = plan ?? planOfTask(state, task);
    switch (neutral) {
      case "taskId":
        return task;
      case "planId":
        return ofPlan;
      case "phaseId":
      case "head.phase":
        return ofPlan === null ? null : phaseOf(state, ofPlan);
      case "claimedAt":
        return now();
      case "teamName":
        return state.team.definition?.name ?? null;
      case "department":
        return member?.department ?? null;
      case "from":
        return member === undefined ? null : chainLevelOf(member.role);
      case "to":
        return member === undefined ? null : levelAbove(member);
      case "resolvedBy":
        return role;
      case "requestId":
        return kind === "shutdown-response" ? roundOf(state, agent) : null;
      case "metadata":
        return { id, source_agent: agent, timestamp: now() } satisfies Json;
      default:
        return null;
    }
  };
}

/** The plan of a task, as the record has it, else as the task's id names it. */
function planOfTask({ coordination }: TeamState, task: string | null): string | null {
  if (task === null) return null;
  return findTask(coordination.work, task, null)?.plan ?? planKeyOfTask(task);
}

/** The phase of a plan, as the record has it, else as the plan's id names it. */
function phaseOf({ coordination }: TeamState, plan: string): string | null {
  return coordination.phases.plans.get(planKey(plan))?.phase ?? phaseOfPlanId(plan, null);
}

/** The level above somebody's own: an escalation names it, also where nobody is there. */
function levelAbove({ role }: Member): string | null {
  const own = chainLevelOf(role);
  return own === null ? null : (levels[levels.indexOf(own) + 1] ?? null);
}

/** The request of the shutdown round that an answer of this agent means. An approval is never guessed. */
function roundOf({ coordination }: TeamState, answerer: string): string | null {
  return roundMeant(coordination.shutdowns, { answerer, requestId: undefined })?.requestId ?? null;
}

/** The phase in which an agent's department works, as a number; null: none is known, or it has none. */
function phaseAtWork({ coordination, team }: TeamState, agent: string): number | null {
  const own = team.roster.get(agent)?.department ?? "";
  const department = isWorkDepartment(own) ? own : null;
  const phase = currentPart(coordination.phases, department)?.phase ?? "";
  return /^\d{1,9}$/.test(phase) ? Number(phase) : null;
}
