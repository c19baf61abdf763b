/**
 * Operations on the claim of a task: taking it, keeping it, giving it back, handing it to another; and what a
 * claim lets an agent write.
 * Rules: docs/protocol/tasks.md, sections 13 to 16.
 */
import { z } from "zod";
import type { Problem } from "../../base/problem.ts";
import type { EditPermissions } from "../../evidence/decide/gate.ts";
import type { Note } from "../../messages/message.ts";
import { hookPrograms } from "../../messages/program-hooks.ts";
import { operation, shapeOf } from "../../perform/operations/define.ts";
import { grantAnswer, ifSeq, noteShape, problemShape, texts } from "../../perform/operations/shapes.ts";

/* What several operations on a task take, and how the doors name it. */

export const taskId = z.string().describe("the task's number, or its id, however it is spelled");
export const planId = z.string().optional().describe("the plan, where the task's id does not name it");
export const claimToken = z.int().min(0).optional().describe("the claim's fencing token");

export const taskWord = { as: "TASK" } as const;
export const planOption = { as: "--plan PLAN" } as const;
export const tokenOption = { as: "--token N" } as const;

/** The commit from which work begins, as the door finds it. */
export const head = z
  .string()
  .regex(/^[0-9a-f]{40,64}$/)
  .optional()
  .describe("the full id of the commit that the caller's work tree has checked out; what it lacks is noted");
export const itsId = { says: "its id, or the escalation's" } as const;

/* What agents may write, by contracts, claims and edits. */

/** Whether an agent may write files. */
export interface EditAnswer {
  /** Why not, by file; empty: it may. */
  readonly problems: readonly Problem[];
  /** What is worth knowing and denies nothing. */
  readonly notes: readonly Note[];
  /** Files that the agent holds from now on. */
  readonly taken: readonly string[];
}

const heldShape = z.object({
  holder: z.string(),
  task: z.string().describe("empty: it edits the files and holds no task"),
  files: texts,
  isEdit: z.boolean().optional().describe("it holds them because it edits them; absent: by a claim"),
  since: z.string().optional().describe("RFC 3339"),
  until: z.string().optional().describe("RFC 3339; absent: they are held still"),
});

export const permissionsShape = shapeOf<EditPermissions>()(
  z
    .object({
      agent: z.string(),
      program: z.enum(hookPrograms).optional().describe("which the team file names for it"),
      mustClaim: z.boolean().describe("it may only change what it has claimed"),
      tasks: z.array(
        z.object({
          task: z.string(),
          scope: z.object({ allowed: texts, forbidden: texts }).nullable().describe("of the contract; null: none"),
          claimed: texts.nullable().describe("null: the claim names no files yet"),
          isHeld: z.literal(true).optional().describe("the agent holds it now"),
        }),
      ),
      others: z.array(heldShape).describe("what others hold"),
      holds: z.array(heldShape).optional().describe("what it holds and held itself, where `ever` is asked"),
    })
    .meta({ id: "EditRights" }),
);

export const editAnswerShape = shapeOf<EditAnswer>()(
  z
    .object({
      problems: z.array(problemShape).describe("empty: it may write them"),
      notes: z.array(noteShape),
      taken: texts.describe("files that the agent holds from now on"),
    })
    .meta({ id: "EditAnswer" }),
);

export const claimTask = operation({
  name: "claimTask",
  call: "claim",
  access: "caller",
  says: "Claims a task for the calling agent. Denied: 409 with reason, holder and paths.",
  input: z.strictObject({
    task: z.string().describe("its number or id; next: the one you hold, else the most urgent that is free"),
    plan: planId,
    files: texts.optional().describe("absent: the task's files"),
    head,
  }),
  answer: grantAnswer,
  http: { method: "post", path: "/tasks/{task}/claim" },
  cli: [
    {
      words: "task claim",
      group: "Work",
      summary: "take a task and its files, or the next free one",
      description:
        "Claims a task for the agent. Granted, it prints what is to be done, the claim's token and until when it lasts without a\n" +
        "heartbeat: any command of the agent is one. Denied (exit 2), it names who is in the way and with which paths.\n" +
        "Claiming again what one holds is granted again; with --files the claim grows by them.",
      arguments: {
        task: {
          as: "TASK",
          says: "its number or id (default: the task you hold, else the next free one)",
          fallback: "next",
        },
        plan: planOption,
        files: {
          as: "--files PATHS",
          commas: true,
          says: "what will be edited, from the repository's root, with commas between (default: the task's files)",
        },
      },
      examples: [
        { line: "baton task claim --as dev-1", meaning: "dev-1 takes the next free task, the most urgent first" },
        {
          line: "baton task claim 12 --as dev-1 --files src/a.ts,src/b/ --json",
          meaning: "with its own files; the answer as JSON",
        },
      ],
      next: "baton task complete TASK --token N --commit HASH reports it done; baton task release TASK gives it back.",
      said: "Claimed",
    },
  ],
  mcp: {
    tool: "task",
    action: "claim",
    arguments: { task: { ...itsId, fallback: "next" }, plan: {}, files: {} },
  },
  record: { act: "claim-task", line: "claimed {task}", touches: ["tasks"] },
});

export const renewClaim = operation({
  name: "renewClaim",
  call: "renew",
  access: "caller",
  says: "Renews the calling agent's claim. Every other act of the agent renews it too.",
  input: z.strictObject({ task: taskId, token: claimToken }),
  answer: grantAnswer,
  http: { method: "post", path: "/tasks/{task}/renew" },
  record: { act: "renew-task", line: "renewed {task}", touches: ["tasks"] },
});

export const releaseTask = operation({
  name: "releaseTask",
  call: "release",
  access: "caller",
  says: "Gives the calling agent's claim back. The owner may take any claim from its holder, a lead those of its agents.",
  input: z.strictObject({ task: taskId, token: claimToken }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tasks/{task}/release" },
  cli: [
    {
      words: "task release",
      group: "Work",
      summary: "give a claim back",
      description:
        "Gives a claim back: the task and its files are free for others. The holder may, the owner and a lead: while several\n" +
        "departments are at work, inside its department only. A token of an older claim is refused.",
      arguments: { task: taskWord, token: tokenOption },
      examples: [
        { line: "baton task release 1-1-T1 --as dev-1", meaning: "dev-1 lets go of the task" },
        {
          line: "baton task release 1-1-T1 --as dev-1 --token 42 --json",
          meaning: "only the claim that was granted as 42",
        },
      ],
      next: "baton task list --available shows what can be claimed now.",
      said: "Released: {task} (entry {seq}).",
      unchanged: "Already free: {task} (entry {seq}).",
    },
  ],
  mcp: { tool: "task", action: "release", arguments: { task: itsId, token: {} } },
  record: { act: "release-task", line: "released {task}", touches: ["tasks"] },
});

export const reassignTask = operation({
  name: "reassignTask",
  call: "reassign",
  access: "caller",
  says: "Gives a task with its files to an agent, a held or a free one. The owner's and the leads'. The old holder's token no longer counts.",
  input: z.strictObject({
    task: taskId,
    plan: planId,
    to: z.string().describe("the agent that gets it"),
    reason: z.string().optional().describe("why, for both agents"),
    ifSeq,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tasks/{task}/reassign" },
  cli: [
    {
      words: "task reassign",
      group: "Work",
      summary: "give a task to an agent",
      description:
        "Gives a free task to an agent, or moves a claim with its files, by the owner or a lead. The new holder's claim is active at\n" +
        "once, and the old holder's token no longer counts. Both get a message. If the team works in a repository, it names what\n" +
        "the old holder left uncommitted.",
      arguments: {
        task: taskWord,
        plan: planOption,
        to: { as: "--to AGENT" },
        reason: { as: "--reason TEXT" },
      },
      examples: [
        { line: "baton task reassign 1-1-T1 --to dev-2", meaning: "the owner gives the task to dev-2" },
        {
          line: "baton task reassign 1-1-T1 --to dev-2 --as lead-1 --reason 'dev-1 is needed elsewhere'",
          meaning: "a lead does, and both agents read why",
        },
      ],
      next: "baton task list shows the new holder and its token.",
      said: "Reassigned: {task} to {to}, token {seq} (entry {seq}).",
      unchanged: "Already held by {to}: {task} (entry {seq}).",
    },
  ],
  mcp: {
    tool: "task",
    action: "reassign",
    arguments: { task: itsId, plan: {}, to: {}, reason: {} },
  },
  record: { act: "reassign-task", line: "reassigned {task} to {to}[: {reason}]", touches: ["tasks"] },
});
