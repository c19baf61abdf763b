/** Circuit breakers of a team, and what happened to them and to its agents in the form of the wire. */
import { z } from "zod";
import { acceptedShape } from "../../operations/shapes.ts";
import { named } from "./agent-operations.ts";
import { json, refusal, replyAnswer } from "./answers.ts";
import { given } from "./given.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";
import { breakerShape } from "./shapes.ts";

const list = teamOperation(
  {
    name: "listBreakers",
    method: "get",
    path: "/api/teams/{team}/breakers",
    says: "The circuit breakers, one a department, each with the advice as what a further agent is started.",
    access: "caller",
    answers: { 200: { says: "Every breaker.", shape: z.object({ breakers: z.array(breakerShape) }) } },
  },
  async ({ team }) => {
    const found = await team.breakers();
    return found.ok ? json({ breakers: found.value }) : refusal([found.error]);
  },
);

const close = teamOperation(
  {
    name: "closeBreaker",
    method: "post",
    path: "/api/teams/{team}/breakers/close",
    says: "Closes a circuit breaker, with the reason. The owner's alone.",
    access: "caller",
    body: z.strictObject({
      scope: z.string().optional().describe("a department, or team; absent: the only one that is not closed"),
      reason: z.string(),
      id: actId,
    }),
    answers: {
      201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
      200: { says: "The same act had been accepted before.", shape: acceptedShape },
    },
  },
  async ({ team, body, id }) => {
    const { id: _, reason, ...scope } = body;
    return replyAnswer(await team.closeBreaker({ reason, ...given(scope) }, named(id)));
  },
);

const written = z.object({ events: z.array(z.record(z.string(), z.unknown())) });

const agentEvents = teamOperation(
  {
    name: "listAgentEvents",
    method: "get",
    path: "/api/teams/{team}/agents/events",
    says: "Every agent_health_event of the record, as yolo/1 spells it. Costs the whole record.",
    access: "caller",
    answers: { 200: { says: "Oldest first.", shape: written } },
  },
  async ({ team }) => {
    const found = await team.healthRecord("health");
    return found.ok ? json({ events: found.value }) : refusal([found.error]);
  },
);

const breakerEvents = teamOperation(
  {
    name: "listBreakerEvents",
    method: "get",
    path: "/api/teams/{team}/breakers/events",
    says: "Every circuit_breaker_state of the record, as yolo/1 spells it. Costs the whole record.",
    access: "caller",
    answers: { 200: { says: "Oldest first.", shape: written } },
  },
  async ({ team }) => {
    const found = await team.healthRecord("breaker");
    return found.ok ? json({ events: found.value }) : refusal([found.error]);
  },
);

export const breakerOperations: readonly Operation[] = [list, close, agentEvents, breakerEvents];
