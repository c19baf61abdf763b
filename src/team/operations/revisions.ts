/**
 * The owner's decision on a change of the team file that waits, and the limits that the file sets. Rules:
 * docs/protocol/authority.md, sections 17 to 21.
 */
import { z } from "zod";
import { count, hash, operation, shapeOf, shown, word } from "../../perform/operations/define.ts";
import { changeShape, texts } from "../../perform/operations/shapes.ts";
import type { RevisionChange } from "../state/revision-changes.ts";

/** One limit of a team, as its file has it and as it is in force. */
export interface LimitView {
  /** Its name in the file. */
  readonly limit: string;
  /** Null: the file does not name it. */
  readonly value: number | null;
  readonly inForce: number;
  /** What holds where the file does not name it. */
  readonly otherwise: number;
  readonly min: number;
  readonly max: number;
  readonly says: string;
}

/** The limits of the team file. */
export interface LimitsView {
  /** Where the file is. */
  readonly path: string;
  /** SHA-256 of the file that was read. */
  readonly digest: string;
  readonly limits: readonly LimitView[];
}

/** What became of the team file, or of a preview would become. */
export interface LimitsChange {
  readonly isWritten: boolean;
  /** SHA-256 of the file with the change. */
  readonly digest: string;
  /** The change of the file as a unified diff; empty: it says so already. */
  readonly diff: string;
  /** How the file then differs from what is in force, what waits first. */
  readonly changes: readonly RevisionChange[];
  /** The proposal that waits for the owner's yes, by its id; null: none does, or it was a preview. */
  readonly proposal: string | null;
}

const group = "People and agents";
const proposal = z.string().describe("its id, as the status shows it");
const proposalWord = { as: "PROPOSAL", says: "the id that baton team shows" } as const;

export const confirmRevision = operation({
  name: "confirmRevision",
  call: "confirmRevision",
  access: "caller",
  grants: true,
  says: "Puts the change of the team file that waits in force. The owner's alone; refused when the file has changed since.",
  input: z.strictObject({ proposal }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/revision/confirm" },
  cli: [
    {
      words: "team confirm",
      group,
      summary: "put a change of the team file in force",
      description:
        "Puts the change of the team file that waits in force, by the person who owns the team and by nobody else. The id says\n" +
        "which change you have seen: where the file has changed since, nothing is confirmed.",
      arguments: { proposal: proposalWord },
      isOwners: true,
      examples: [
        { line: "baton team confirm 0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f", meaning: "the change that baton team showed" },
        {
          line: "baton team confirm 0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f --hub http://127.0.0.1:4777",
          meaning: "through a hub, with the owner's token in BATON_TOKEN",
        },
      ],
      next: "baton team shows what is in force; baton status who is in the team.",
      said: "Confirmed; the team file is in force (entry {seq}).",
      unchanged: "Confirmed before; the team file is in force; nothing changed.",
    },
  ],
  record: { act: "confirm-revision", line: "confirmed the change of the team file" },
});

export const declineRevision = operation({
  name: "declineRevision",
  call: "declineRevision",
  access: "caller",
  says: "Goes on with what is in force although the team file says something else. The owner's alone.",
  input: z.strictObject({ proposal, reason: z.string().optional().describe("why, for the record") }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/revision/decline" },
  cli: [
    {
      words: "team decline",
      group,
      summary: "go on without a change of the team file",
      description:
        "Declines the change of the team file that waits. The team goes on with what is in force, and the file is shown as\n" +
        "different until it changes. You can still confirm the change later.",
      arguments: { proposal: proposalWord, reason: { as: "--reason TEXT" } },
      isOwners: true,
      examples: [
        { line: "baton team decline 0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f", meaning: "the change that baton team showed" },
        {
          line: "baton team decline 0b5c1f5e2d6a4c8f9e7d3a1b2c4d6e8f --reason 'dev-1 stays a developer'",
          meaning: "with the reason recorded",
        },
      ],
      next: "git log .baton/team.yaml shows who changed the file.",
      said: "Declined; the revision in force stays (entry {seq}).",
      unchanged: "Declined before; the revision in force stays; nothing changed.",
    },
  ],
  record: { act: "decline-revision", line: "declined the change of the team file[: {reason}]", touches: [] },
});

const limitsShape = shapeOf<LimitsView>()(
  z
    .object({
      path: z.string(),
      digest: hash("SHA-256 of the file"),
      limits: z.array(
        z.object({
          limit: word(),
          value: count().nullable().describe("null: the file does not name it"),
          inForce: count(),
          otherwise: count("what holds where the file does not name it"),
          min: count(),
          max: count(),
          says: z.string(),
        }),
      ),
    })
    .meta({ id: "TeamLimits" }),
);

const limitsChangeShape = shapeOf<LimitsChange>()(
  z
    .object({
      isWritten: z.boolean(),
      digest: hash("SHA-256 of the file with the change"),
      diff: z.string().describe("the change of the file; empty: it says so already"),
      changes: z.array(changeShape).describe("how the file then differs from what is in force, what waits first"),
      proposal: word().nullable().describe("what waits for the owner's yes; null: nothing, or it was a preview"),
    })
    .meta({ id: "TeamLimitsChange" }),
);

export const showLimits = operation({
  name: "showLimits",
  call: "limits",
  access: "caller",
  says: "The team's limits: what the team file says, what is in force, and what may be said.",
  input: z.strictObject({}),
  answer: shown<LimitsView>(null, "The limits of the team file.", limitsShape),
  http: { method: "get", path: "/limits" },
  cliOption: { of: "team limits", says: "what may be set" },
});

export const setLimits = operation({
  name: "setLimits",
  call: "setLimits",
  access: "owner",
  says: "Writes limits into the team file and leaves everything else in it as it is, or shows what that would change.",
  input: z.strictObject({
    limits: texts.describe("NAME=VALUE each"),
    digest: z
      .string()
      .optional()
      .describe("of the file as it was shown: nothing is written where it has changed since"),
    preview: z.boolean().optional().describe("write nothing"),
  }),
  answer: shown<LimitsChange>(null, "What was written, or of a preview would be.", limitsChangeShape),
  http: { method: "post", path: "/limits" },
  cli: [
    {
      words: "team limits",
      group,
      summary: "the limits of the team file, and writing one into it",
      description:
        "Prints each limit that a team may set: what the team file says, what is in force, what holds where the file says\n" +
        "nothing, and between which numbers it may be. With NAME=VALUE writes limits into the team file; comments, order and\n" +
        "everything else in it stay. The change counts like one that you write there yourself: a smaller limit is in force at\n" +
        "once, a larger one waits for baton team confirm.",
      arguments: {
        limits: { as: "NAME=VALUE", says: "a limit and its number, as the list has them" },
        digest: { as: "--if DIGEST" },
        preview: { as: "--preview" },
      },
      isOwners: true,
      examples: [
        { line: "baton team limits", meaning: "what may be set" },
        { line: "baton team limits lease_seconds=600 --preview", meaning: "what it would change" },
        { line: "baton team limits lease_seconds=600 breaker_failures=5", meaning: "write both" },
      ],
      next: "baton team shows what waits for you; git diff .baton/team.yaml what was written.",
    },
  ],
});

/** In the order of the document and of help. */
export const revisionOperations = [confirmRevision, declineRevision, setLimits, showLimits] as const;
