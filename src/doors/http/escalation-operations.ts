/** Escalations of a team. */
import { z } from "zod";
import { levels } from "../../coordination/chain.ts";
import type { Escalation } from "../../coordination/deciders.ts";
import { escalationKey } from "../../coordination/escalation-ids.ts";
import { departments } from "../../message/role.ts";
import { shapeOf } from "../../operations/shape-of.ts";
import { acceptedShape } from "../../operations/shapes.ts";
import { named } from "./agent-operations.ts";
import { json, refusal, replyAnswer } from "./answers.ts";
import { given } from "./given.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";

const seq = z.int().min(0);
const texts = z.array(z.string());

export const escalationShape = shapeOf<Escalation>()(
  z
    .object({
      id: z.string(),
      originators: texts.describe("who is held up, the first that said so first"),
      phase: z.union([z.number(), z.string()]).nullable(),
      plan: z.string().nullable(),
      task: z.string().nullable(),
      issue: z.string(),
      needs: z.string().nullable(),
      recommendation: z.string().nullable(),
      severity: z.enum(["blocking", "major", "minor"]),
      evidence: texts,
      options: texts,
      department: z.enum(departments).optional().describe("of who is held up; absent: none, or there is only one"),
      chain: z.array(z.enum(levels)),
      level: z.enum(levels).describe("where it waits"),
      round: z.int(),
      mustDecide: z.boolean(),
      steps: z.array(
        z.object({
          level: z.enum(levels),
          by: z.string(),
          how: z.enum(["opened", "raised", "silence", "left", "again"]),
          seq,
          atMs: z.number(),
        }),
      ),
      openedAtMs: z.number(),
      dueAtMs: z.number().nullable().describe("when the level is passed by; null: it is waited for"),
      standing: z.enum(["open", "resolved", "closed"]),
      decision: z
        .object({
          decision: z.string(),
          rationale: z.string(),
          actionItems: texts,
          level: z.enum(levels),
          decidedBy: z.string(),
          seq,
          atMs: z.number(),
        })
        .nullable(),
    })
    .meta({ id: "Escalation" }),
);

const list = teamOperation(
  {
    name: "listEscalations",
    method: "get",
    path: "/api/teams/{team}/escalations",
    says: "Escalations that wait for a decision, all, or one.",
    access: "caller",
    query: z.strictObject({
      all: z.boolean().optional(),
      escalation: z.string().optional().describe("only the one with this id, decided or not"),
    }),
    answers: { 200: { says: "In the order they came.", shape: z.object({ escalations: z.array(escalationShape) }) } },
  },
  async ({ team, query }) => {
    const { all = false, escalation } = query;
    const found = await team.escalations({ all: all || escalation !== undefined });
    if (!found.ok) return refusal([found.error]);
    const key = escalation === undefined ? null : escalationKey(escalation);
    return json({
      escalations: key === null ? found.value : found.value.filter(({ id }) => escalationKey(id) === key),
    });
  },
);

const resolve = teamOperation(
  {
    name: "resolveEscalation",
    method: "post",
    path: "/api/teams/{team}/escalations/{escalation}",
    says: "Decides an escalation: the owner what has come to the user, an agent what waits at its level or below.",
    access: "caller",
    body: z.strictObject({
      decision: z.string().min(1).optional().describe("in words"),
      option: z.int().min(1).optional().describe("instead: one of its options, by number from 1"),
      rationale: z.string().optional(),
      actionItems: texts.optional(),
      id: actId,
    }),
    answers: {
      201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
      200: { says: "The same decision had been accepted before.", shape: acceptedShape },
    },
  },
  async ({ team, params, body, id }) => {
    const { id: _, ...decision } = body;
    return replyAnswer(await team.resolve(params.escalation ?? "", given(decision), named(id)));
  },
);

const raise = teamOperation(
  {
    name: "raiseEscalation",
    method: "post",
    path: "/api/teams/{team}/escalations/{escalation}/raise",
    says: "Hands an escalation from the caller's level, where it waits, to the next one; the last is the user.",
    access: "caller",
    body: z.strictObject({
      evidence: texts.optional(),
      options: texts.optional().describe("choices for whoever decides"),
      recommendation: z.string().optional(),
      id: actId,
    }),
    answers: {
      201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
      200: { says: "The same had been accepted before.", shape: acceptedShape },
    },
  },
  async ({ team, params, body, id }) => {
    const { id: _, ...raised } = body;
    return replyAnswer(await team.raise(params.escalation ?? "", given(raised), named(id)));
  },
);

export const escalationOperations: readonly Operation[] = [list, resolve, raise];
