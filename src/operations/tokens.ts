/** Operations on tokens, the owner's alone. Rules: docs/protocol/rights.md. */
import { z } from "zod";
import type { Credential } from "../team/credentials.ts";
import { count, hash, operation, shapeOf, shown, word } from "./define.ts";

const tokenShape = shapeOf<Credential>()(
  z
    .object({
      tokenId: word(),
      agent: word(),
      hash: hash("SHA-256 of the token"),
      session: count(),
      status: z.enum(["valid", "revoked"]),
    })
    .meta({ id: "Token" }),
);

const group = "People and agents";

export const listTokens = operation({
  name: "listTokens",
  call: "tokens",
  access: "owner",
  says: "Every token that was made, never the tokens themselves.",
  input: z.strictObject({}),
  answer: shown<readonly Credential[]>("tokens", "In the order they were made.", z.array(tokenShape)),
  http: { method: "get", path: "/tokens" },
  cli: [
    {
      words: "token list",
      group,
      summary: "the active credentials",
      description:
        "Prints every token that was made: its id, whom it proves, whether it holds. Never the tokens themselves.",
      arguments: {},
      examples: [
        { line: "baton token list", meaning: "a table" },
        { line: "baton token list --json", meaning: "a line of JSON a token" },
      ],
      next: "baton token revoke ID ends one.",
    },
  ],
});

export const issueToken = operation({
  name: "issueToken",
  call: "issueToken",
  access: "owner",
  says: "Makes a token for an agent, or for the owner.",
  input: z.strictObject({ agent: z.string().describe("whom it proves") }),
  answer: {
    kind: "reply",
    says: "The token, shown once.",
    repeated: "It was made before; the token is not shown again.",
    more: z
      .object({
        token: word().nullable().describe("shown here once; null for a repeated id"),
        tokenId: word().nullable(),
        agent: z.string(),
      })
      .meta({ id: "IssuedToken" }),
  },
  http: { method: "post", path: "/tokens" },
  cli: [
    {
      words: "token create",
      group,
      summary: "a credential for an agent",
      description:
        "Makes a token that proves an agent to a hub, and prints it, this once: the journal keeps only its hash. Every hub on\n" +
        "the journal accepts it at once. AGENT may be `owner`. Only the owner makes tokens.",
      arguments: { agent: { as: "AGENT" } },
      examples: [
        { line: "baton token create dev-1", meaning: "the token, alone on standard output" },
        { line: "baton token create owner --json", meaning: "one for the person, with its id and receipt" },
      ],
      next: "baton up starts the hub that takes it; baton token revoke ID ends it.",
    },
  ],
  record: { act: "issue-token", line: "made a token for {agent}", touches: [] },
});

export const revokeToken = operation({
  name: "revokeToken",
  call: "revokeToken",
  access: "owner",
  says: "Revokes a token, named by its id: it proves nobody from here on, at every hub of the journal.",
  input: z.strictObject({ token: z.string().describe("the token's id, as token list shows it") }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tokens/{token}/revoke" },
  cli: [
    {
      words: "token revoke",
      group,
      summary: "end a credential",
      description:
        "Ends a token at every hub of the journal, from its next request on. Revoking it again changes nothing.",
      arguments: { token: { as: "ID" } },
      examples: [
        { line: "baton token list", meaning: "first find its id" },
        { line: "baton token revoke 0f3a9c21b47e", meaning: "then end it" },
      ],
      next: "baton token create AGENT makes a new one.",
      said: "Revoked: {token} (entry {seq}).",
      unchanged: "Already revoked: {token} (entry {seq}).",
    },
  ],
  record: { act: "revoke-token", touches: [] },
});

/** In the order of the document and of help, which shows the making first. */
export const tokenOperations = [issueToken, listTokens, revokeToken] as const;
