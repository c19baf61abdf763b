/**
 * The owner's decision on a change of the team file that waits. Rules: docs/protocol/authority.md, sections 17 to 20.
 */
import { z } from "zod";
import { operation } from "../../perform/operations/define.ts";

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

/** In the order of the document and of help. */
export const revisionOperations = [confirmRevision, declineRevision] as const;
