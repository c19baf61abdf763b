/**
 * Operations that are not yet given by name (see `perform/perform.ts`): each makes its command with its arguments in it.
 */
import type { MessageId } from "../base/ids.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { EntryDraft } from "../journal/entry.ts";
import type { Moment } from "../journal/journal.ts";
import type { Principal } from "../messages/principal.ts";
import type { ActName } from "./act-line.ts";
import { contentOfDraft } from "./content.ts";
import type { Actor, TeamContext } from "./context.ts";
import type { Clearable } from "./gates.ts";
import type { Reply } from "./operations/reply.ts";
import { type Outcome, perform, recordAs } from "./perform.ts";
import { replyOf } from "./reply.ts";
import type { TeamState } from "./state.ts";

/** An operation to be recorded. */
export interface Command {
  readonly name: ActName;
  /** Its arguments; a repeat under the same id is the same operation. */
  readonly asked: JsonObject;
  /** With this operation the actor's program begins. */
  readonly isBeginning?: true;
  /** What is cleared out of its way before it is decided. */
  readonly clearable?: Clearable;
  /** Pure; asked under the write lock. */
  decide(state: TeamState, moment: Moment, principal: Principal): Result<Outcome, readonly Problem[]>;
}

/** Records the operation, or its refusal. `named`: the id that it was given; without one it gets a new id. */
export async function act(
  context: TeamContext,
  actor: Actor,
  command: Command,
  named: string | undefined,
): Promise<Reply> {
  const { name, asked, isBeginning, clearable, decide } = command;
  const operation = {
    act: name,
    ...(isBeginning === undefined ? {} : { begins: isBeginning }),
    terms: () => (clearable === undefined ? {} : { clearable }),
    decide: (state: TeamState, _: object, at: { readonly moment: Moment; readonly by: Principal }) =>
      decide(state, at.moment, at.by),
  };
  return replyOf(await perform({ context, actor }, operation, asked, named));
}

/** An operation whose entry is written by itself. */
export interface AskedAct {
  readonly name: ActName;
  readonly asked: unknown;
  readonly compared: Json;
  readonly named: string | undefined;
  readonly isBeginning?: true;
  readonly isTimeless?: true;
  decide(
    state: TeamState,
    moment: Moment,
    by: { readonly principal: Principal; readonly id: MessageId },
  ): Result<Pick<EntryDraft, "receivers" | "content">, readonly Problem[]>;
}

/** Records it, or its refusal. */
export async function recordAct(context: TeamContext, actor: Actor, act: AskedAct): Promise<Reply> {
  const { name, asked, compared, named, isBeginning, isTimeless } = act;
  const about = { name, asked, compared, id: named, begins: isBeginning };
  const done = await recordAs({ context, actor }, about, {
    ...(isTimeless === undefined ? {} : { timeless: isTimeless }),
    decide(state, moment, { by, id }) {
      const decided = act.decide(state, moment, { principal: by, id });
      if (!decided.ok) return decided;
      return ok({ receivers: decided.value.receivers, content: contentOfDraft(decided.value) });
    },
  });
  return replyOf(done);
}
