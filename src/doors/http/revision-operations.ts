/** The change of the team file that waits for the owner: `status` shows it, these decide it. */
import { z } from "zod";
import { acceptedShape } from "../../operations/shapes.ts";
import { named } from "./agent-operations.ts";
import { replyAnswer } from "./answers.ts";
import { given } from "./given.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";

const accepted = {
  201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
  200: { says: "The same act had been accepted before.", shape: acceptedShape },
};
const proposal = z.string().describe("its id, as the status shows it");

const confirm = teamOperation(
  {
    name: "confirmRevision",
    method: "post",
    path: "/api/teams/{team}/revision/confirm",
    says: "Puts the change of the team file that waits in force. The owner's alone; refused when the file has changed since.",
    access: "caller",
    body: z.strictObject({ proposal, id: actId }),
    answers: accepted,
  },
  async ({ team, body, id }) => replyAnswer(await team.confirmRevision(body.proposal, named(id))),
);

const decline = teamOperation(
  {
    name: "declineRevision",
    method: "post",
    path: "/api/teams/{team}/revision/decline",
    says: "Goes on with what is in force although the team file says something else. The owner's alone.",
    access: "caller",
    body: z.strictObject({ proposal, reason: z.string().optional(), id: actId }),
    answers: accepted,
  },
  async ({ team, body, id }) => {
    const { id: _, proposal, ...why } = body;
    return replyAnswer(await team.declineRevision(proposal, { ...given(why), ...named(id) }));
  },
);

export const revisionOperations: readonly Operation[] = [confirm, decline];
