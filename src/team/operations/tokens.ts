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
        "Prints every token that was made: its id, whom it proves, whether it holds. With --links every link by which somebody may\n" +
        "read the team on the page, and those that were good lately: the id, until when, for whom, and whether it is open. Never\n" +
        "the secrets themselves.",
      arguments: {},
      examples: [
        { line: "baton token list", meaning: "a table" },
        { line: "baton token list --links", meaning: "who may look on" },
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
  grants: true,
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
  handWritten: ["token create"],
  record: { act: "issue-token", line: "created a token for {agent}", touches: [] },
});

export const revokeToken = operation({
  name: "revokeToken",
  call: "revokeToken",
  access: "owner",
  says: "Revokes a token or a link, named by its id: it proves nobody and lets nobody in from here on, at every hub of the journal.",
  input: z.strictObject({ token: z.string().describe("its id, as token list shows it") }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tokens/{token}/revoke" },
  cli: [
    {
      words: "token revoke",
      group,
      summary: "end a credential or a link",
      description:
        "Ends a token or a link at every hub of the journal, from its next request on. Ending it again changes nothing.",
      arguments: { token: { as: "ID" } },
      examples: [
        { line: "baton token list", meaning: "first find its id; with --links that of a link" },
        { line: "baton token revoke 0f3a9c21b47e", meaning: "then end it" },
      ],
      next: "baton token create makes a new one.",
      said: "Ended: {token} (entry {seq}).",
      unchanged: "Ended before: {token} (entry {seq}).",
    },
  ],
  record: { act: "revoke-token", touches: [] },
});

/** A link by which somebody may read the team, never its secret. */
export interface ShareView {
  readonly shareId: string;
  /** For whom it is, in the owner's words; null: nobody said. */
  readonly note: string | null;
  /** Who decides by it, as `owner:NAME`; null: it is for reading. */
  readonly person: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly status: "open" | "expired" | "revoked";
}

const shareShape = shapeOf<ShareView>()(
  z
    .object({
      shareId: word(),
      note: z.string().nullable().describe("for whom it is; null: nobody said"),
      person: z.string().nullable().describe("who decides by it; null: it is for reading"),
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
  cliOption: { of: "token list", as: "--links", says: "the links to read the team instead" },
});

export const createShare = operation({
  name: "createShare",
  call: "createShare",
  access: "owner",
  grants: true,
  says: "Makes a link by which everybody who has it may read the team on the page until it expires, and change nothing; with person that one also decides what needs you.",
  input: z.strictObject({
    hours: z.int().min(1).max(720).optional().describe("for how many hours it is good; 24 when absent"),
    note: z.string().max(200).optional().describe("for whom it is, for your list"),
    person: z.string().optional().describe("who may decide by it, recorded as owner:NAME; absent: it is for reading"),
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
  cliOption: { of: "token create", as: "--link", says: "a link to read the team instead, which expires" },
  record: { act: "create-share", line: "shared the team[ with {person}]", touches: [] },
});

/** In the order of the document and of help, which shows the making first. */
export const tokenOperations = [issueToken, listTokens, revokeToken, createShare, listShares] as const;
