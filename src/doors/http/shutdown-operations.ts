/** Shutdown rounds of a team. */
import { z } from "zod";
import { acceptedShape } from "../../operations/shapes.ts";
import { shutdownReasons } from "../../runtime/shutdown-word.ts";
import { named } from "./agent-operations.ts";
import { json, refusal, replyAnswer } from "./answers.ts";
import { shutdownShape } from "./ending-shapes.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";

const start = teamOperation(
  {
    name: "startShutdown",
    method: "post",
    path: "/api/teams/{team}/shutdowns",
    says: "Starts a shutdown round; the receipt's id names it.",
    access: "caller",
    body: z.strictObject({
      reason: z.enum(shutdownReasons),
      deadlineMs: z.number().optional().describe("how long each asking waits; 30,000 unless given"),
      agents: z
        .array(z.string())
        .min(1)
        .optional()
        .describe("agents or role:ROLE; absent: everybody who is asked to stop"),
      teamName: z.string().optional(),
      phase: z.int().min(0).optional(),
      id: actId,
    }),
    answers: {
      201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
      200: { says: "The same round had been started before.", shape: acceptedShape },
    },
  },
  async ({ team, body, id }) => {
    const { reason, deadlineMs, agents, teamName, phase } = body;
    const asked = {
      reason,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
      ...(agents === undefined ? {} : { agents }),
      ...(teamName === undefined ? {} : { teamName }),
      ...(phase === undefined ? {} : { phase }),
    };
    return replyAnswer(await team.startShutdown(asked, named(id)));
  },
);

const list = teamOperation(
  {
    name: "listShutdowns",
    method: "get",
    path: "/api/teams/{team}/shutdowns",
    says: "Shutdown rounds with each agent's part; of a round that is over, its certificate.",
    access: "caller",
    query: z.strictObject({
      round: z.string().optional(),
      latest: z.boolean().optional().describe("those that go on, else the last one"),
    }),
    answers: { 200: { says: "In the order they came.", shape: z.object({ shutdowns: z.array(shutdownShape) }) } },
  },
  async ({ team, caller, desk, query }) => {
    const found = await team.shutdowns({
      ...(query.round === undefined ? {} : { round: query.round }),
      ...(query.latest === undefined ? {} : { latest: query.latest }),
    });
    if (!found.ok) return refusal([found.error]);
    desk.rounds.show(team.name, `${caller.via}/${caller.agent}/${caller.program ?? ""}`, found.value);
    return json({ shutdowns: found.value });
  },
);

export const shutdownOperations: readonly Operation[] = [start, list];
