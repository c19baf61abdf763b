/**
 * Routes of the operations that have a definition: arguments of the path come from it, the others from the query of a
 * look or from the body of what changes something. Validation, metrics and the OpenAPI document read them like the rest.
 * What an operation does here is made of its definition, or written by hand over the input that the definition reads.
 */
import { z } from "zod";
import { ownTurn } from "../../../base/clock.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import { callOf } from "../../../perform/operations/command-page.ts";
import {
  fieldsBesidePath,
  type OperationDefinition,
  type ShownBy,
  wholePathOf,
} from "../../../perform/operations/define.ts";
import type { Reply } from "../../../perform/operations/reply.ts";
import { acceptedShape, operationId } from "../../../perform/operations/shapes.ts";
import type { listShutdowns } from "../../../shutdown/operations.ts";
import { hasViewTag } from "../../../team/view/view-tags.ts";
import { json, refusal, replyAnswer } from "../server/answers.ts";
import {
  type Asked,
  type AskedOfTeam,
  given,
  hubOperation,
  type Operation,
  type OperationFacts,
  teamOperation,
  unlessKnown,
} from "./operation.ts";

/** The routes of these operations, in their order. */
export function routesOf(definitions: readonly OperationDefinition[]): readonly Operation[] {
  return definitions.map((definition) =>
    teamOperation(factsOf(definition), (asked) => {
      if (definition.answer.kind !== "shown") return changed(definition, asked);
      return unlessKnown(asked, definition.call, () => looked(definition, asked));
    }),
  );
}

/** The route of an operation on a team that `handle` does by hand, with the input that was read. */
export function byHand<Input extends z.ZodObject>(
  definition: OperationDefinition<Input>,
  handle: (input: z.infer<Input>, asked: AskedOfTeam) => Promise<Response>,
): Operation {
  return teamOperation(factsOf(definition), async (asked) => {
    const foreign = isCallers(definition) ? foreignAgent(asked) : null;
    // Of the input, as its shapes have read it.
    return foreign === null ? await handle(inputOf(definition, asked) as z.infer<Input>, asked) : refusal([foreign]);
  });
}

/** The same for an operation on the hub. */
export function onHubByHand<Input extends z.ZodObject>(
  definition: OperationDefinition<Input>,
  handle: (input: z.infer<Input>, asked: Asked) => Promise<Response>,
): Operation {
  // As above.
  return hubOperation(factsOf(definition), (asked) => handle(inputOf(definition, asked) as z.infer<Input>, asked));
}

/** What the definition says of the route, of what it takes and of what it answers. */
function factsOf(definition: OperationDefinition): OperationFacts {
  const { name, access, grants, invited, says, http, answer } = definition;
  const { method } = http;
  const rest = fieldsBesidePath(definition);
  const facts = {
    name,
    method,
    path: wholePathOf(definition),
    says,
    access,
    answers: answersOf(answer),
    ...given({ grants, invited }),
  };
  if (answer.kind === "reply") {
    return { ...facts, body: z.strictObject({ ...rest, id: operationId }) };
  }
  if (method === "post") return { ...facts, body: z.strictObject(rest) };
  const tagged = hasViewTag(definition.call) ? { isTagged: true as const } : {};
  const query = Object.keys(rest).length === 0 ? {} : { query: z.strictObject(rest) };
  return { ...facts, ...tagged, ...query };
}

/** Whether the path has the calling agent, which is no argument. */
function isCallers({ http, input }: OperationDefinition): boolean {
  return http.path.includes("{agent}") && !Object.hasOwn(input.shape, "agent");
}

/** Only the agent itself reads and moves its own inbox; the owner sees the record instead. */
function foreignAgent({ caller, params }: AskedOfTeam): Problem | null {
  if (caller.agent === params.agent) return null;
  return makeProblem("identity-mismatch", params.agent ?? "", "Every agent reads its own inbox only.", {
    expected: caller.agent,
    received: params.agent?.slice(0, 64),
    hint: `Ask for /agents/${caller.agent}/inbox, or use that agent's own token.`,
  });
}

function answersOf(answer: OperationDefinition["answer"]): OperationFacts["answers"] {
  if (answer.kind === "shown") {
    const { field, says, shape } = answer;
    return { 200: { says, shape: field === null ? shape : z.object({ [field]: shape }) } };
  }
  if (answer.kind === "stream") {
    const { says, mediaType, shape } = answer;
    return { 200: { says, mediaType, ...(shape === undefined ? {} : { shape }) } };
  }
  const shape = acceptedShape(answer);
  return {
    201: { says: answer.says ?? "Recorded, durable, with its receipt.", shape },
    200: { says: answer.repeated ?? "The same act had been accepted before.", shape },
  };
}

/** What was asked for, by the names of the input. */
function inputOf({ input }: OperationDefinition, { params, query, body }: Asked): object {
  const { id: _, ...rest } = { ...(query as object), ...(body as { readonly id?: string }) }; // read by the shapes above
  const inPath = Object.entries(params).filter(([name]) => Object.hasOwn(input.shape, name));
  return { ...Object.fromEntries(inPath), ...given(rest) };
}

/** What the hub notes once something is shown, by the operation's name. */
const afterShowing: { readonly [name: string]: (asked: AskedOfTeam, value: unknown) => void } = {
  listShutdowns({ team, caller, services }, rounds) {
    // The operation of that name shows rounds.
    const shown = rounds as ShownBy<typeof listShutdowns>;
    services.rounds.show(team.name, `${caller.via}/${caller.agent}/${caller.program ?? ""}`, shown);
  },
};

async function looked(definition: OperationDefinition, asked: AskedOfTeam): Promise<Response> {
  const isLarge = definition.http.isLarge === true;
  const options = isLarge ? { signal: asked.request.signal } : {};
  const found = await callOf<Result<unknown, Problem>>(asked.team, definition)(inputOf(definition, asked), options);
  if (isLarge) await ownTurn();
  if (!found.ok) return refusal([found.error]);
  afterShowing[definition.name]?.(asked, found.value);
  const field = definition.answer.kind === "shown" ? definition.answer.field : null;
  return json(field === null ? found.value : { [field]: found.value });
}

async function changed(definition: OperationDefinition, asked: AskedOfTeam): Promise<Response> {
  const named = asked.id === undefined ? {} : { id: asked.id };
  const input = inputOf(definition, asked);
  return replyAnswer(await callOf<Reply>(asked.team, definition)(input, named));
}
