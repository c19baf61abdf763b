/** Tokens of a team: the owner's. A token is in the answer that made it and nowhere else. */
import { z } from "zod";
import { acceptedShape } from "../../operations/shapes.ts";
import { named } from "./agent-operations.ts";
import { tokenShape } from "./agreement-shapes.ts";
import { json, refusal, replyAnswer } from "./answers.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";
import { issuedShape } from "./shapes.ts";

const list = teamOperation(
  {
    name: "listTokens",
    method: "get",
    path: "/api/teams/{team}/tokens",
    says: "Every token that was made, never the tokens themselves.",
    access: "owner",
    answers: { 200: { says: "In the order they were made.", shape: z.object({ tokens: z.array(tokenShape) }) } },
  },
  async ({ team }) => {
    const found = await team.tokens();
    return found.ok ? json({ tokens: found.value }) : refusal([found.error]);
  },
);

const issue = teamOperation(
  {
    name: "issueToken",
    method: "post",
    path: "/api/teams/{team}/tokens",
    says: "Makes a token for an agent, or for the owner.",
    access: "owner",
    body: z.strictObject({ agent: z.string(), id: actId }),
    answers: {
      201: { says: "The token, shown once.", shape: issuedShape },
      200: { says: "It was made before; the token is not shown again.", shape: issuedShape },
    },
  },
  async ({ team, body, id }) => {
    const { reply, token, tokenId } = await team.issueToken(body.agent, named(id));
    return replyAnswer(reply, { token, tokenId, agent: body.agent });
  },
);

const revoke = teamOperation(
  {
    name: "revokeToken",
    method: "post",
    path: "/api/teams/{team}/tokens/{token}/revoke",
    says: "Revokes a token, named by its id: it proves nobody from here on, at every hub of the journal.",
    access: "owner",
    body: z.strictObject({ id: actId }),
    answers: {
      201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
      200: { says: "The same act had been accepted before.", shape: acceptedShape },
    },
  },
  async ({ team, params, id }) => replyAnswer(await team.revokeToken(params.token ?? "", named(id))),
);

export const tokenOperations: readonly Operation[] = [list, issue, revoke];
