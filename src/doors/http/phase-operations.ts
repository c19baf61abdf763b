/** Phases of a team: how far each is, and the acts on them. */
import { z } from "zod";
import { acceptedShape } from "../../operations/shapes.ts";
import { named } from "./agent-operations.ts";
import { json, refusal, replyAnswer } from "./answers.ts";
import { given } from "./given.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";
import { phaseShape } from "./phase-shapes.ts";

const accepted = {
  201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
  200: { says: "The same act had been accepted before.", shape: acceptedShape },
};
const phase = z.string().optional().describe("absent: the phase that is worked in");
const department = z.string().optional().describe("absent: the caller's, or the whole team");

const list = teamOperation(
  {
    name: "listPhases",
    method: "get",
    path: "/api/teams/{team}/phase",
    says: "The phases: steps with their conditions, plans, percent, what holds them up, per department.",
    access: "caller",
    query: z.strictObject({ phase: z.string().optional().describe("that phase alone") }),
    answers: { 200: { says: "Those with numbers in their order.", shape: z.object({ phases: z.array(phaseShape) }) } },
  },
  async ({ team, query }) => {
    const found = await team.phases(given(query));
    return found.ok ? json({ phases: found.value }) : refusal([found.error]);
  },
);

const skip = teamOperation(
  {
    name: "skipStep",
    method: "post",
    path: "/api/teams/{team}/phase/skip",
    says: "Leaves a step out, with the reason. The owner's, the architects', and a lead's in its own department.",
    access: "caller",
    body: z.strictObject({ step: z.string(), reason: z.string(), phase, department, id: actId }),
    answers: accepted,
  },
  async ({ team, body, id }) => {
    const { id: _, step, reason, ...part } = body;
    return replyAnswer(await team.skipStep({ step, reason, ...given(part) }, named(id)));
  },
);

const end = teamOperation(
  {
    name: "endPhase",
    method: "post",
    path: "/api/teams/{team}/phase/end",
    says: "Ends a phase of a team without departments. Refused while steps are neither done nor skipped.",
    access: "caller",
    body: z.strictObject({ phase, department, id: actId }),
    answers: accepted,
  },
  async ({ team, body, id }) => {
    const { id: _, ...part } = body;
    return replyAnswer(await team.endPhase(given(part), named(id)));
  },
);

const exclude = teamOperation(
  {
    name: "excludeDepartment",
    method: "post",
    path: "/api/teams/{team}/phase/exclude",
    says: "Leaves a department out of a phase, also one that failed, with the reason. The owner's alone.",
    access: "caller",
    body: z.strictObject({ department: z.string(), reason: z.string(), phase, id: actId }),
    answers: accepted,
  },
  async ({ team, body, id }) => {
    const { id: _, department, reason, ...part } = body;
    return replyAnswer(await team.excludeDepartment({ department, reason, ...given(part) }, named(id)));
  },
);

const lift = teamOperation(
  {
    name: "liftStop",
    method: "post",
    path: "/api/teams/{team}/phase/lift",
    says: "Lifts a failed security audit, with the reason. The owner's alone.",
    access: "caller",
    body: z.strictObject({
      stop: z.string().optional().describe("absent: the only one that stands"),
      reason: z.string(),
      id: actId,
    }),
    answers: accepted,
  },
  async ({ team, body, id }) => {
    const { id: _, reason, ...stop } = body;
    return replyAnswer(await team.liftStop({ reason, ...given(stop) }, named(id)));
  },
);

export const phaseOperations: readonly Operation[] = [list, skip, end, exclude, lift];
