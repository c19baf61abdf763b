/**
 * Operations on tokens and on links to read, the owner's alone. Rules: docs/protocol/authority.md, sections 11 to 16.
 */
import { z } from "zod";
import { count, hash, operation, shapeOf, shown, time, word } from "../../perform/operations/define.ts";
import type { Credential } from "../state/credentials.ts";

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
  record: { act: "issue-token", line: "created a token for {agent}", touches: [] },
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

/** A link by which somebody may read the team, never its secret. */
export interface ShareView {
  readonly shareId: string;
  /** For whom it is, in the owner's words; null: nobody said. */
  readonly note: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly status: "open" | "expired" | "revoked";
}

const shareShape = shapeOf<ShareView>()(
  z
    .object({
      shareId: word(),
      note: z.string().nullable().describe("for whom it is; null: nobody said"),
      createdAt: time,
      expiresAt: time,
      status: z.enum(["open", "expired", "revoked"]),
    })
    .meta({ id: "Share" }),
);

export const listShares = operation({
  name: "listShares",
  call: "shares",
  access: "owner",
  says: "The links by which somebody may read the team, never their secrets.",
  input: z.strictObject({}),
  answer: shown<readonly ShareView[]>("shares", "In the order they were made.", z.array(shareShape)),
  http: { method: "get", path: "/shares" },
  cli: [
    {
      words: "share list",
      group,
      summary: "the links to read the team",
      description:
        "Prints every link by which somebody may read the team on the page, and those that were good lately: the id, until\n" +
        "when, for whom, and whether it is open. Never the secrets.",
      arguments: {},
      examples: [
        { line: "baton share list", meaning: "a table" },
        { line: "baton share list --json", meaning: "a line of JSON a link" },
      ],
      next: "baton share revoke ID ends one.",
    },
  ],
});

export const createShare = operation({
  name: "createShare",
  call: "createShare",
  access: "owner",
  says: "Makes a link by which everybody who has it may read the team on the page until it expires, and change nothing.",
  input: z.strictObject({
    hours: z.int().min(1).max(720).optional().describe("for how many hours it is good; 24 when absent"),
    note: z.string().max(200).optional().describe("for whom it is, for your list"),
  }),
  answer: {
    kind: "reply",
    says: "The link's secret, shown once.",
    repeated: "It was made before; the secret is not shown again.",
    more: z
      .object({
        secret: word().nullable().describe("shown here once, for the fragment of the page's address: #share=SECRET"),
        shareId: word().nullable(),
        expiresAt: time.nullable(),
      })
      .meta({ id: "CreatedShare" }),
  },
  http: { method: "post", path: "/shares" },
  cli: [
    {
      words: "share create",
      group,
      summary: "a link to read the team, which expires",
      description:
        "Makes a link by which everybody who has it may read the team on the page until it expires: nobody can send, decide or change\n" +
        "anything with it. Prints its end, this once, to be put behind the hub's address. The journal keeps only its hash.",
      arguments: { hours: { as: "--hours N" }, note: { as: "--note TEXT" } },
      examples: [
        { line: "baton share create", meaning: "good for a day" },
        { line: "baton share create --hours 2 --note 'the review'", meaning: "for two hours" },
      ],
      next: "baton share revoke ID ends it at once.",
    },
  ],
  record: { act: "create-share", line: "shared the team for reading", touches: [] },
});

export const revokeShare = operation({
  name: "revokeShare",
  call: "revokeShare",
  access: "owner",
  says: "Ends a link to read, named by its id: it lets nobody in from here on, at every hub of the journal.",
  input: z.strictObject({ share: z.string().describe("the link's id, as share list shows it") }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/shares/{share}/revoke" },
  cli: [
    {
      words: "share revoke",
      group,
      summary: "end a link to read",
      description:
        "Ends a link at every hub of the journal, for everybody who reads by it. Ending it again changes nothing.",
      arguments: { share: { as: "ID" } },
      examples: [
        { line: "baton share list", meaning: "first find its id" },
        { line: "baton share revoke 0f3a9c21b47e", meaning: "then end it" },
      ],
      next: "baton share create makes a new one.",
      said: "Ended: {share} (entry {seq}).",
      unchanged: "Ended before: {share} (entry {seq}).",
    },
  ],
  record: { act: "revoke-share", line: "ended a link to read the team", touches: [] },
});

/** In the order of the document and of help, which shows the making first. */
export const tokenOperations = [issueToken, listTokens, revokeToken, createShare, listShares, revokeShare] as const;
