/**
 * Everything that is done in a team is done here: an operation of a subject, or a message. An operation is data with one
 * pure decision; `perform` gives it an id, commits it behind the gates, once for each id, and answers.
 * Source: docs/protocol/record.md, sections 1 and 4.
 */

import { argument } from "../base/argument.ts";
import { canonical, sha256 } from "../base/canonical.ts";
import { type MessageId, messageId } from "../base/ids.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { newMessageId } from "../base/new-ids.ts";
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Attempt, Moment } from "../journal/journal.ts";
import { outsiderProblem } from "../messages/authority/roster-rights.ts";
import type { Message } from "../messages/message.ts";
import { replacedProblem, retiredProblem } from "../team/view/session-endings.ts";
import type { ActName } from "./act-line.ts";
import { commitBehind } from "./commit.ts";
import { asJson, commandRefusal, type Denial, type RecordedContent } from "./content.ts";
import { type Actor, type Context, principalOf, type TeamContext } from "./context.ts";
import type { Decided } from "./decider.ts";
import type { CoordinationEvent } from "./deciders.ts";
import { gatesOf, type Terms } from "./gates.ts";
import { type Done, idConflict, invalidId, refusedOutright, replyTo } from "./reply.ts";
import { type At, atHead } from "./rules.ts";
import type { TeamState } from "./state.ts";

/** Where it is done, and by whom. */
export interface On<Known extends TeamContext = Context> {
  readonly context: Known;
  readonly actor: Actor;
}

/** An operation, as data. */
export type Operation<Input, Known extends TeamContext = Context> = Act<Input, Known> | Sending<Input, Known>;

/** One of a subject, which is recorded under its name with its arguments. */
export interface Act<Input, Known extends TeamContext = Context> {
  /** Its name in the record. */
  readonly act: ActName;
  /** With it the actor's program begins, so it cannot have been superseded. */
  readonly begins?: true;
  /** What its gates have to know. */
  terms?(input: Input, on: On<Known>): Terms;
  /** What its entry says of the input; absent: all of it. */
  recorded?(input: Input): object;
  /** Pure; asked under the write lock, perhaps again. */
  decide(state: TeamState, input: Input, at: At, on: On<Known>): Result<Outcome, Refusal>;
}

/** One that says by itself what is recorded: a message, an acknowledgement. */
export interface Sending<Input, Known extends TeamContext = Context> {
  attempt(input: Input, on: On<Known>, id: string | undefined): Attempt<TeamState> | Promise<Attempt<TeamState>>;
}

/** What an operation brings about. */
export interface Outcome extends Decided<CoordinationEvent> {
  /** What the entry says in addition to the arguments: the answer to the caller, now and when it repeats the operation. */
  readonly told?: JsonObject;
  /** A message that Baton writes for the operation, and who gets it. */
  readonly delivered?: { readonly message: Message; readonly receivers: readonly string[] };
}

/** Why not; a denial also says who is in the way. */
export type Refusal = readonly Problem[] | { readonly problems: readonly Problem[]; readonly denial: Denial };

/** Does it, once for each id; without one it gets a new id. Refuses as its decision does, and as `recordAs` does. */
export async function perform<Input extends object, Known extends TeamContext>(
  on: On<Known>,
  operation: Operation<Input, Known>,
  input: Input,
  id?: string,
): Promise<Done> {
  if (!("attempt" in operation)) return await performAct(on, operation, input, id);
  const { context, actor } = on;
  const attempt = await operation.attempt(input, on, id);
  return await replyTo(context, await commitBehind(context, gatesOf(context, actor, {}), attempt));
}

function performAct<Input extends object, Known extends TeamContext>(
  on: On<Known>,
  operation: Act<Input, Known>,
  input: Input,
  id: string | undefined,
): Promise<Done> {
  const { act: name } = operation;
  const asked = plain(input);
  return recordAs(
    on,
    { name, asked, compared: { [name]: asked }, id, begins: operation.begins },
    {
      ...operation.terms?.(input, on),
      decide(state, _, at) {
        const retired = retiredProblem(state, at.by.agent);
        if (retired !== null) return err([retired]);
        const decided = operation.decide(state, input, at, on);
        const told = plain(operation.recorded?.(input) ?? input);
        return decided.ok ? ok(entryOf(name, told, decided.value)) : err(inArguments(decided.error));
      },
    },
  );
}

/** What is recorded of an operation that was done. */
function entryOf(name: ActName, asked: JsonObject, { events, notes, told, delivered }: Outcome): Recorded {
  const content: { -readonly [Part in keyof RecordedContent]: RecordedContent[Part] } = {
    command: { ...asked, ...told, name },
  };
  if (delivered !== undefined && delivered.receivers.length > 0) content.message = delivered.message;
  if (events.length > 0) content.events = events;
  if (notes.length > 0) content.notes = notes.map((each) => spelled(each, (field) => field));
  return { receivers: delivered?.receivers ?? [], content };
}

/** Its name and arguments, as they are recorded and compared with a repeat under the same id. */
export interface Named {
  readonly name: ActName;
  /** What it was asked with; a refusal shows its beginning. */
  readonly asked: unknown;
  /** What makes it the same under the same id. */
  readonly compared: Json;
  readonly id: string | undefined;
  readonly begins?: true | undefined;
}

export interface Recorded {
  readonly receivers: readonly string[];
  readonly content: RecordedContent;
}

/** Records an operation, or its refusal. Refuses `invalid-id`, `id-conflict`, `session-replaced`, and what `decide` does. */
export async function recordAs(
  { context, actor }: On<TeamContext>,
  { name, asked, compared, id: given, begins }: Named,
  {
    decide,
    ...terms
  }: Terms & {
    decide(state: TeamState, moment: Moment, at: At): Result<Recorded, Refusal>;
  },
): Promise<Done> {
  const id = given === undefined ? newMessageId() : messageId(given);
  if (id === null) return refusedOutright(invalidId(given ?? "", argument("id")));
  const digest = sha256(canonical(compared));
  const attempt: Attempt<TeamState> = {
    once: { principal: actor.agent, id, digest },
    decide(state, moment): EntryDraft {
      const principal = principalOf(actor, state);
      const at = atHead(context, state, moment, principal, id);
      const barred = barredProblem(state, actor, moment, { id, name, begins });
      const decided = barred === null ? decide(state, moment, at) : err([barred]);
      if (decided.ok) {
        const { receivers, content } = decided.value;
        return { kind: "command", principal, id, digest, receivers, content: asJson(content) };
      }
      return commandRefusal({ principal, id, digest, name, asked, ...refusalParts(decided.error) });
    },
  };
  return await replyTo(context, await commitBehind(context, gatesOf(context, actor, terms), attempt));
}

function refusalParts(refusal: Refusal): { readonly problems: readonly Problem[]; readonly denial?: Denial } {
  return "denial" in refusal ? refusal : { problems: refusal };
}

/** Why nothing of this actor is done under this id, whatever it is. */
function barredProblem(
  state: TeamState,
  actor: Actor,
  { earlier }: Moment,
  { id, name, begins }: { readonly id: MessageId; readonly name: ActName; readonly begins: true | undefined },
): Problem | null {
  if (earlier !== null) return idConflict(id, earlier, argument("id"));
  const replaced = begins === true ? null : replacedProblem(state, actor);
  return replaced ?? outsiderProblem(principalOf(actor, state), name);
}

/** The arguments as plain JSON, without omitted ones. */
function plain(input: object): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)); // checked by its shape
}

/*
 * Deciders speak of a message's fields (`$.body.taskId`); who calls a door knows its arguments. A refusal is about what
 * was given; a note speaks of the thing (`task`), for it is in the record of what was done.
 */

function inArguments(refusal: Refusal): Refusal {
  const spell = (problems: readonly Problem[]) => problems.map((each) => spelled(each, argument));
  return "denial" in refusal ? { ...refusal, problems: spell(refusal.problems) } : spell(refusal);
}

function spelled<Said extends { readonly path: string }>(said: Said, spell: (name: string) => string): Said {
  const field = /^\$\.body\.([A-Za-z]+)/.exec(said.path)?.[1];
  if (field === undefined) return said;
  return { ...said, path: said.path.replace(`$.body.${field}`, spell(argumentNames[field] ?? field)) };
}

const argumentNames: { readonly [field: string]: string } = { taskId: "task", planId: "plan", filesModified: "files" };
