/** Handoffs of a team. One is issued by sending its document, like every message; files are looked at where they lie. */
import { z } from "zod";
import { acceptedShape } from "../../operations/shapes.ts";
import { named } from "./agent-operations.ts";
import { json, refusal, replyAnswer } from "./answers.ts";
import { given } from "./given.ts";
import { acceptedHandoffShape, handoffShape, verifiedShape } from "./handoff-shapes.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";

const handoffsShape = z.object({ handoffs: z.array(handoffShape) });
const verified = verifiedShape.optional().describe("what was found of its files; needed where it names some");
const accepted = {
  201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
  200: { says: "The same act had been accepted before.", shape: acceptedShape },
};

const list = teamOperation(
  {
    name: "listHandoffs",
    method: "get",
    path: "/api/teams/{team}/handoffs",
    says: "Handoffs that wait for an answer or are worked on, or all.",
    access: "caller",
    query: z.strictObject({ all: z.boolean().optional() }),
    answers: { 200: { says: "In the order they came.", shape: handoffsShape } },
  },
  async ({ team, query }) => {
    const found = await team.handoffs({ all: query.all === true });
    return found.ok ? json({ handoffs: found.value }) : refusal([found.error]);
  },
);

const before = teamOperation(
  {
    name: "listEarlierHandoffs",
    method: "get",
    path: "/api/teams/{team}/handoff-lines",
    says: "Those that a handoff of this workflow or task would follow if the caller issued it now.",
    access: "caller",
    query: z.strictObject({ workflow: z.string().optional(), task: z.string().optional() }),
    answers: { 200: { says: "The first of all first.", shape: handoffsShape } },
  },
  async ({ team, query }) => {
    const found = await team.handoffsBefore(given(query));
    return found.ok ? json({ handoffs: found.value }) : refusal([found.error]);
  },
);

const show = teamOperation(
  {
    name: "showHandoff",
    method: "get",
    path: "/api/teams/{team}/handoffs/{handoff}",
    says: "One handoff with its document and those that it follows.",
    access: "caller",
    answers: {
      200: {
        says: "The document as an object, and as it was issued.",
        shape: z.object({
          handoff: handoffShape,
          line: z.array(handoffShape),
          document: z.looseObject({}),
          text: z.string(),
        }),
      },
    },
  },
  async ({ team, params }) => {
    const found = await team.handoff(params.handoff ?? "");
    return found.ok ? json(found.value) : refusal([found.error]);
  },
);

const accept = teamOperation(
  {
    name: "acceptHandoff",
    method: "post",
    path: "/api/teams/{team}/handoffs/{handoff}/accept",
    says: "Takes a handoff over; the claim on its task moves to the caller, with a new token.",
    access: "caller",
    body: z.strictObject({ verified, id: actId }),
    answers: {
      201: { says: "Recorded, durable.", shape: acceptedHandoffShape },
      200: { says: "The same act had been accepted before.", shape: acceptedHandoffShape },
    },
  },
  async ({ team, params, body, id }) => {
    const { reply, claim } = await team.acceptHandoff(
      params.handoff ?? "",
      given({ verified: body.verified }),
      named(id),
    );
    return replyAnswer(reply, { claim });
  },
);

const reject = teamOperation(
  {
    name: "rejectHandoff",
    method: "post",
    path: "/api/teams/{team}/handoffs/{handoff}/reject",
    says: "Gives a handoff back, with reasons.",
    access: "caller",
    body: z.strictObject({ reasons: z.array(z.string()), id: actId }),
    answers: accepted,
  },
  async ({ team, params, body, id }) =>
    replyAnswer(await team.rejectHandoff(params.handoff ?? "", { reasons: body.reasons }, named(id))),
);

const complete = teamOperation(
  {
    name: "completeHandoff",
    method: "post",
    path: "/api/teams/{team}/handoffs/{handoff}/complete",
    says: "Says that what was handed over is done. Whoever accepted it, or issued it.",
    access: "caller",
    body: z.strictObject({
      verified: verifiedShape.optional().describe("what was found of the generated files; needed where it names some"),
      id: actId,
    }),
    answers: accepted,
  },
  async ({ team, params, body, id }) =>
    replyAnswer(await team.completeHandoff(params.handoff ?? "", given({ verified: body.verified }), named(id))),
);

export const handoffOperations: readonly Operation[] = [list, before, show, accept, reject, complete];
