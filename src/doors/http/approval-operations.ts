/** Approvals and contracts of a team. */
import { z } from "zod";
import { acceptedShape } from "../../operations/shapes.ts";
import { named } from "./agent-operations.ts";
import { approvalShape, contractShape } from "./agreement-shapes.ts";
import { json, refusal, replyAnswer } from "./answers.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";

const list = teamOperation(
  {
    name: "listApprovals",
    method: "get",
    path: "/api/teams/{team}/approvals",
    says: "Approvals that wait for an answer, all, or those of one request.",
    access: "caller",
    query: z.strictObject({
      all: z.boolean().optional(),
      request: z.string().optional().describe("only those with this id, answered or not"),
    }),
    answers: { 200: { says: "In the order they came.", shape: z.object({ approvals: z.array(approvalShape) }) } },
  },
  async ({ team, query }) => {
    const { all = false, request } = query;
    const found = await team.approvals({ all: all || request !== undefined });
    if (!found.ok) return refusal([found.error]);
    return json({
      approvals: request === undefined ? found.value : found.value.filter(({ requestId }) => requestId === request),
    });
  },
);

const answer = teamOperation(
  {
    name: "answerApproval",
    method: "post",
    path: "/api/teams/{team}/approvals/{request}",
    says: "Answers a request.",
    access: "caller",
    body: z.strictObject({
      approved: z.boolean(),
      reason: z.string(),
      conditions: z.array(z.string()).optional(),
      modifications: z.array(z.string()).optional().describe("paths that a granted scope change is limited to"),
      id: actId,
    }),
    answers: {
      201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
      200: { says: "The same answer had been accepted before.", shape: acceptedShape },
    },
  },
  async ({ team, params, body, id }) => {
    const { approved, reason, conditions, modifications } = body;
    const given = {
      approved,
      reason,
      ...(conditions === undefined ? {} : { conditions }),
      ...(modifications === undefined ? {} : { modifications }),
    };
    return replyAnswer(await team.answer(params.request ?? "", given, named(id)));
  },
);

const contracts = teamOperation(
  {
    name: "listContracts",
    method: "get",
    path: "/api/teams/{team}/contracts",
    says: "The contract in force of every plan, with its revisions.",
    access: "caller",
    answers: { 200: { says: "Every contract.", shape: z.object({ contracts: z.array(contractShape) }) } },
  },
  async ({ team }) => {
    const found = await team.contracts();
    return found.ok ? json({ contracts: found.value }) : refusal([found.error]);
  },
);

export const approvalOperations: readonly Operation[] = [list, answer, contracts];
