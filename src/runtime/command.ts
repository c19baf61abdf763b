/**
 * Acts that come through a door without a message, each recorded with what follows from it, or its refusal. They take
 * ids and are idempotent as messages are, and are decided behind every deadline that has passed.
 * Source: docs/protocol/record.md, section 1.
 */
import { argument } from "../base/argument.ts";
import type { JsonObject } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Decided } from "../coordination/decider.ts";
import type { CoordinationEvent } from "../coordination/deciders.ts";
import type { Moment } from "../journal/journal.ts";
import type { Message } from "../message/message.ts";
import type { Principal } from "../message/principal.ts";
import type { Reply } from "../operations/reply.ts";
import type { Actor, TeamContext } from "./context.ts";
import { asJson } from "./record/content.ts";
import { type ActName, recordAct } from "./record/recorded-act.ts";
import type { TeamState } from "./state.ts";
import { retiredProblem } from "./team/session-endings.ts";
import type { Clearable } from "./timers.ts";

/** An operation to be recorded. */
export interface Command {
  readonly name: ActName;
  /** Its arguments; a repeat under the same id is the same operation. */
  readonly asked: JsonObject;
  /** With this operation the actor's program begins. */
  readonly isBeginning?: true;
  /** What is cleared out of its way before it is decided. */
  readonly clearable?: Clearable;
  /**
   * Pure; asked under the write lock. `told`: what the entry says in addition to the arguments, for a caller that
   * repeats the operation.
   */
  decide(
    state: TeamState,
    moment: Moment,
    principal: Principal,
  ): Result<
    Decided<CoordinationEvent> & {
      readonly told?: JsonObject;
      /** A message that Baton writes for the operation, and who gets it. */
      readonly delivered?: { readonly message: Message; readonly receivers: readonly string[] };
    },
    readonly Problem[]
  >;
}

/** Records the operation, or its refusal. `named`: the id that it was given; without one it gets a new id. */
export function act(context: TeamContext, actor: Actor, command: Command, named: string | undefined): Promise<Reply> {
  const { name, asked, isBeginning, clearable } = command;
  return recordAct(context, actor, {
    name,
    asked,
    compared: { [name]: asked },
    named,
    ...(isBeginning === undefined ? {} : { isBeginning }),
    ...(clearable === undefined ? {} : { clearable }),
    decide(state, moment, { principal }) {
      const retired = retiredProblem(state, principal.agent);
      if (retired !== null) return err([retired]);
      const decided = command.decide(state, moment, principal);
      if (!decided.ok) return err(decided.error.map((each) => ofTheAct(each, argument)));
      const { events, notes, told, delivered } = decided.value;
      return ok({
        receivers: delivered?.receivers ?? [],
        content: asJson({
          command: { ...asked, ...told, name },
          ...(delivered === undefined || delivered.receivers.length === 0 ? {} : { message: delivered.message }),
          ...(events.length === 0 ? {} : { events }),
          ...(notes.length === 0 ? {} : { notes: notes.map((each) => ofTheAct(each, (name) => name)) }),
        }),
      });
    },
  });
}

/**
 * Deciders speak of a message's fields (`$.body.taskId`); who calls a door knows its arguments. A refusal is about what
 * was given; a note speaks of the thing (`task`), for it is in the record of what was done.
 */
function ofTheAct<Told extends { readonly path: string }>(told: Told, spell: (name: string) => string): Told {
  const field = /^\$\.body\.([A-Za-z]+)/.exec(told.path)?.[1];
  if (field === undefined) return told;
  return { ...told, path: told.path.replace(`$.body.${field}`, spell(argumentNames[field] ?? field)) };
}

const argumentNames: { readonly [field: string]: string } = { taskId: "task", planId: "plan", filesModified: "files" };
