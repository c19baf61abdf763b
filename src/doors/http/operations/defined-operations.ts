/**
 * Routes of the operations that have a definition: arguments of the path come from it, the others from the query of a
 * look or from the body of what changes something. Validation, metrics and the OpenAPI document read them like the rest.
 */
import { z } from "zod";
import { ownTurn } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import { callOf } from "../../../operations/call-of.ts";
import type { OperationDefinition, ShownBy } from "../../../operations/define.ts";
import type { ClaimAnswer, Reply } from "../../../operations/reply.ts";
import { acceptedFields, acceptedShape, grantShape } from "../../../operations/shapes.ts";
import type { listShutdowns } from "../../../operations/shutdowns.ts";
import { json, refusal, replyAnswer } from "../server/answers.ts";
import { type AskedOfTeam, actId, given, type Operation, type OperationFacts, teamOperation } from "./operation.ts";

/** The routes of these operations, in their order. */
export function routesOf(definitions: readonly OperationDefinition[]): readonly Operation[] {
  return definitions.map((definition) => {
    const { name, access, says, http, input, answer } = definition;
    const path = `/api/teams/{team}${http.path}`;
    const rest = Object.fromEntries(Object.entries(input.shape).filter(([field]) => !path.includes(`{${field}}`)));
    const facts = { name, method: http.method, path, says, access, answers: answersOf(answer) };
    if (answer.kind !== "shown") {
      return teamOperation({ ...facts, body: z.strictObject({ ...rest, id: actId }) }, (asked) =>
        changed(definition, asked),
      );
    }
    const query = Object.keys(rest).length === 0 ? {} : { query: z.strictObject(rest) };
    return teamOperation({ ...facts, ...query }, (asked) => looked(definition, asked));
  });
}

function answersOf(answer: OperationDefinition["answer"]): OperationFacts["answers"] {
  if (answer.kind === "shown") {
    const { field, says, shape } = answer;
    return { 200: { says, shape: field === null ? shape : z.object({ [field]: shape }) } };
  }
  if (answer.kind === "grant") {
    return {
      201: { says: "Granted, durable.", shape: grantShape },
      200: { says: "The same act had been granted before.", shape: grantShape },
    };
  }
  const shape = answer.more === undefined ? acceptedShape : acceptedWith(answer.more);
  return {
    201: { says: answer.says ?? "Recorded, durable, with its receipt.", shape },
    200: { says: answer.repeated ?? "The same act had been accepted before.", shape },
  };
}

/** A receipt with what came of the operation, under the name of that. */
function acceptedWith(more: z.ZodObject): z.ZodType {
  const shape = z.object({ ...acceptedFields, ...more.shape });
  const { id } = more.meta() ?? {};
  return id === undefined ? shape : shape.meta({ id });
}

/** What was asked for, by the names of the input. */
function inputOf({ input }: OperationDefinition, { params, query, body }: AskedOfTeam): object {
  const { id: _, ...rest } = { ...(query as object), ...(body as { readonly id?: string }) }; // read by the shapes above
  const inPath = Object.entries(params).filter(([name]) => Object.hasOwn(input.shape, name));
  return { ...Object.fromEntries(inPath), ...given(rest) };
}

/** What the hub notes once something is shown, by the operation's name. */
const afterShowing: { readonly [name: string]: (asked: AskedOfTeam, value: unknown) => void } = {
  listShutdowns({ team, caller, desk }, rounds) {
    // The operation of that name shows rounds.
    const shown = rounds as ShownBy<typeof listShutdowns>;
    desk.rounds.show(team.name, `${caller.via}/${caller.agent}/${caller.program ?? ""}`, shown);
  },
};

async function looked(definition: OperationDefinition, asked: AskedOfTeam): Promise<Response> {
  const found = await callOf<Result<unknown, Problem>>(asked.team, definition)(inputOf(definition, asked), {});
  if (definition.http.isLarge === true) await ownTurn();
  if (!found.ok) return refusal([found.error]);
  afterShowing[definition.name]?.(asked, found.value);
  const field = definition.answer.kind === "shown" ? definition.answer.field : null;
  return json(field === null ? found.value : { [field]: found.value });
}

async function changed(definition: OperationDefinition, asked: AskedOfTeam): Promise<Response> {
  const named = asked.id === undefined ? {} : { id: asked.id };
  const input = inputOf(definition, asked);
  const { answer } = definition;
  if (answer.kind === "grant") return grantAnswer(await callOf<ClaimAnswer>(asked.team, definition)(input, named));
  if (answer.kind === "reply" && answer.more === undefined) {
    return replyAnswer(await callOf<Reply>(asked.team, definition)(input, named));
  }
  const { reply, ...more } = await callOf<{ readonly reply: Reply }>(asked.team, definition)(input, named);
  return replyAnswer(reply, more);
}

/** A grant, or a problem document that also says why, who and which files. A denial is a conflict, whatever its reason. */
function grantAnswer(answer: ClaimAnswer): Response {
  const { reply } = answer;
  if (answer.granted) {
    const { reply: _, ...grant } = answer;
    return replyAnswer(reply, grant);
  }
  if (reply.outcome !== "refused") return replyAnswer(reply);
  const { reason, holder, paths } = answer;
  return refusal(reply.problems, {
    receipt: reply.receipt,
    notes: reply.notes,
    denial: { granted: false, reason, holder, paths },
    ...(reason === null || reason === "unknown-task" ? {} : { status: 409 }),
  });
}
