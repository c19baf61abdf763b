/**
 * Everything that is done in a team is done here: an operation of a subject, or a message. An operation is data with one
 * pure decision; `perform` gives it an id, commits it behind the gates, once for each id, and reads the answer from the
 * entry.
 * Source: docs/protocol/record.md, sections 1 and 4.
 */

import { argument } from "../base/argument.ts";
import { canonical, sha256 } from "../base/canonical.ts";
import { type MessageId, messageId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import { newMessageId } from "../base/new-ids.ts";
import type { Problem } from "../base/problem.ts";
import { err, type Result } from "../base/result.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Attempt, Decline } from "../journal/journal.ts";
import { guestProblem } from "../messages/authority/roster-rights.ts";
import type { Message } from "../messages/message.ts";
import type { TeamEvent } from "../team/state/revision.ts";
import { replacedProblem, retiredProblem } from "../team/view/session-endings.ts";
import type { ActName } from "./act-line.ts";
import { commitBehind } from "./commit.ts";
import { asJson, commandRefusal, type Denial, type RecordedContent } from "./content.ts";
import { type Actor, type Context, principalOf, type TeamContext } from "./context.ts";
import type { Decided } from "./decider.ts";
import type { CoordinationEvent } from "./deciders.ts";
import { gatesOf, type Terms } from "./gates.ts";
import type { Reply } from "./operations/reply.ts";
import { type Answering, idConflict, invalidId, refusedOutright, replyTo } from "./reply.ts";
import { type At, atHead } from "./rules.ts";
import type { TeamState } from "./state.ts";

/** Where something is done, and by whom. */
export interface On<Known extends TeamContext = Context> {
  readonly context: Known;
  readonly actor: Actor;
}

/** An operation, as data. */
export interface Operation<Input, Known extends TeamContext = Context, More = object> extends Answering<More> {
  /** Its name in the record. */
  readonly name: ActName;
  /** The actor's program begins with it, so the program cannot have been replaced. */
  readonly begins?: true;
  /** Its decision says what a retired agent may do; absent: nothing. */
  readonly judgesRetired?: true;
  /** What its gates have to know. */
  terms?(input: Input, on: On<Known>): Terms;
  /** What its entry says of the input; absent: all of it. */
  recorded?(input: Input): object;
  /** What has to be equal in a repeat under the same id; absent: what is recorded, under the name. */
  compared?(input: Input): object;
  /** Pure; runs under the write lock, perhaps again. */
  decide(state: TeamState, input: Input, at: At, on: On<Known>): Result<Outcome, Refusal>;
}

/** An operation that makes its whole entry: a message, an acknowledgement. */
export interface Sending<Input, Known extends TeamContext = Context, More = object> extends Answering<More> {
  attempt(input: Input, on: On<Known>, id: string | undefined): Attempt<TeamState> | Promise<Attempt<TeamState>>;
}

/** What an operation brings about. */
export interface Outcome extends Decided<CoordinationEvent> {
  /** What happens to the team itself. */
  readonly team?: readonly TeamEvent[];
  /** What the entry says in addition to the arguments: the answer to the caller, now and to a repeat. */
  readonly told?: JsonObject;
  /** A message that Baton writes for the operation, and who gets it. */
  readonly delivered?: { readonly message: Message; readonly receivers: readonly string[] } | null | undefined;
}

/** Why not; a denial also says who is in the way. `unrecorded`: nothing was asked that anybody has to know of. */
export type Refusal =
  | readonly Problem[]
  | { readonly problems: readonly Problem[]; readonly denial: Denial }
  | { readonly problems: readonly Problem[]; readonly unrecorded: true };

/**
 * Does something, once for each id; without one it gets a new id. Refuses `invalid-id`, `id-conflict`, `session-replaced`,
 * `retired-agent`, `agent-stopped`, what guests may not do, and what its decision refuses.
 */
export async function perform<Input extends object, Known extends TeamContext, More extends object = object>(
  on: On<Known>,
  operation: Operation<Input, Known, More> | Sending<Input, Known, More>,
  input: Input,
  id?: string,
): Promise<Reply<More>> {
  const { context, actor } = on;
  if ("attempt" in operation) {
    const attempt = await operation.attempt(input, on, id);
    return await replyTo(context, await commitBehind(context, gatesOf(context, actor, {}), attempt), operation);
  }
  const known = id === undefined ? newMessageId() : messageId(id);
  if (known === null) return refusedOutright(invalidId(id ?? "", argument("id")), operation);
  const gates = gatesOf(context, actor, operation.terms?.(input, on) ?? {});
  const committed = await commitBehind(context, gates, attemptOf(on, operation, input, known));
  return await replyTo(context, committed, operation);
}

/** The decision of an operation as an entry: the operation with what it brings about, or its refusal. */
function attemptOf<Input extends object, Known extends TeamContext>(
  on: On<Known>,
  operation: Operation<Input, Known>,
  input: Input,
  id: MessageId,
): Attempt<TeamState> {
  const { context, actor } = on;
  const { name } = operation;
  const recorded = plain(operation.recorded?.(input) ?? input);
  const digest = sha256(canonical(plain(operation.compared?.(input) ?? { [name]: recorded })));
  return {
    once: { principal: actor.agent, id, digest },
    decide(state, moment): EntryDraft | Decline {
      const at = atHead(context, state, moment, principalOf(actor, state), id);
      const { by: principal } = at;
      const barred = barredProblem(state, actor, at, operation);
      const decided = barred === null ? operation.decide(state, input, at, on) : err([barred]);
      if (decided.ok) {
        const { receivers, content } = recordedEffects(decided.value);
        const command = { ...recorded, ...decided.value.told, name };
        return { kind: "command", principal, id, digest, receivers, content: asJson({ command, ...content }) };
      }
      const refused = refusalParts(decided.error);
      if ("unrecorded" in decided.error) return { decline: refused.problems };
      return commandRefusal({ principal, id, digest, name, asked: recorded, ...refused });
    },
  };
}

/** What an entry holds of what was brought about, and who gets its message. */
export function recordedEffects({ events, notes, team, delivered }: Outcome): {
  readonly receivers: readonly string[];
  readonly content: RecordedContent;
} {
  const content: { -readonly [Part in keyof RecordedContent]: RecordedContent[Part] } = {};
  const receivers = delivered?.receivers ?? [];
  if (delivered && receivers.length > 0) content.message = delivered.message;
  if (team !== undefined) content.team = team;
  if (events.length > 0) content.events = events;
  if (notes.length > 0) content.notes = notes.map((each) => spelled(each, (field) => field));
  return { receivers, content };
}

/** The problems of a refusal, by the arguments they are about, and who is in the way. */
function refusalParts(refusal: Refusal): { readonly problems: readonly Problem[]; readonly denial?: Denial } {
  const spell = (problems: readonly Problem[]) => problems.map((each) => spelled(each, argument));
  return "problems" in refusal ? { ...refusal, problems: spell(refusal.problems) } : { problems: spell(refusal) };
}

/** Why this actor does nothing under this id, whatever the operation decides. */
function barredProblem(
  state: TeamState,
  actor: Actor,
  { by, id, moment: { earlier } }: At,
  { name, begins, judgesRetired }: Pick<Operation<never>, "name" | "begins" | "judgesRetired">,
): Problem | null {
  if (earlier !== null) return idConflict(id, earlier, argument("id"));
  const replaced = begins === true ? null : replacedProblem(state, actor);
  const barred = replaced ?? guestProblem(by, name);
  return barred ?? (judgesRetired === true ? null : retiredProblem(state, by.agent));
}

/** Arguments without those that were omitted. */
function plain(input: object): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)); // checked by its shape
}

/*
 * Deciders speak of a message's fields (`$.body.taskId`). Callers of an operation know its arguments, so a problem names
 * the argument; a note names the thing (`task`), because it is kept in the record of what was done.
 */

function spelled<Said extends { readonly path: string }>(said: Said, spell: (name: string) => string): Said {
  const field = /^\$\.body\.([A-Za-z]+)/.exec(said.path)?.[1];
  if (field === undefined) return said;
  return { ...said, path: said.path.replace(`$.body.${field}`, spell(argumentNames[field] ?? field)) };
}

const argumentNames: { readonly [field: string]: string } = { taskId: "task", planId: "plan", filesModified: "files" };
