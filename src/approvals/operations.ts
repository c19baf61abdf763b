/**
 * Operations on approvals: what waits for an answer, and answering it. Rules: docs/protocol/asking.md, sections 1 to 4.
 */
import { z } from "zod";
import type { Problem } from "../base/problem.ts";
import { roles } from "../messages/role.ts";
import { count, moment, operation, shapeOf, shown, time } from "../perform/operations/define.ts";
import { ifSeq, problemShape, seq, texts } from "../perform/operations/shapes.ts";
import { type FileRuling, fileRulings } from "../tasks/state/contract-files.ts";
import type { ApprovalState } from "./decide/approvals.ts";

const approvalShape = shapeOf<ApprovalState>()(
  z
    .object({
      requestId: z.string(),
      requester: z.string(),
      requesterRole: z.enum(roles).nullable(),
      subject: z.string(),
      requestType: z.enum(["scope_change", "plan_approval", "gate_override"]),
      evidence: z.string(),
      options: texts,
      paths: texts.optional().describe("that a scope change asks for"),
      phase: z.union([z.number(), z.string()]).nullable(),
      task: z.string().nullable(),
      plan: z.string().nullable(),
      addressees: texts,
      seq,
      openedAtMs: moment(),
      deadlineMs: z.number().nullable(),
      status: z.enum(["open", "approved", "denied", "expired"]),
      answer: z
        .object({
          approved: z.boolean(),
          decidedBy: z.string(),
          role: z.enum(roles).nullable(),
          reason: z.string(),
          conditions: texts,
          modifications: z.array(z.unknown()),
          seq,
          atMs: moment(),
        })
        .nullable(),
      expiredAtMs: moment().nullable(),
    })
    .meta({ id: "Approval" }),
);

/** A path that a request names. */
export interface AskedPath {
  readonly path: string;
  readonly contract: FileRuling;
  /** Who else holds it; null: nobody. */
  readonly holder: { readonly agent: string; readonly task: string | null; readonly until: string | null } | null;
  /** The last reported work that changed it, as the repository shows. */
  readonly lastChange: {
    readonly agent: string;
    readonly task: string;
    readonly seq: number;
    readonly at: string | null;
  } | null;
}

/** What the decider says to an answer of the owner. */
export interface ForeseenAnswer {
  readonly isAccepted: boolean;
  readonly problems: readonly Problem[];
  /** What follows, in sentences. */
  readonly says: readonly string[];
}

/** What follows if a request is approved or denied. */
export interface ApprovalEffect {
  readonly request: string;
  /** The last entry that it knows of. */
  readonly seq: number;
  readonly ifSeq: number;
  readonly status: ApprovalState["status"];
  readonly contract: {
    readonly plan: string;
    readonly revision: number;
    readonly allowed: readonly string[];
    readonly forbidden: readonly string[];
  } | null;
  readonly paths: readonly AskedPath[];
  readonly approve: ForeseenAnswer;
  readonly deny: ForeseenAnswer;
  readonly mayAnswer: readonly string[];
  /** Tasks that wait for its task, the first of them. */
  readonly blocks: readonly string[];
  readonly blocksTotal: number;
  readonly leaseUntil: string | null;
  readonly dueAt: string | null;
  /** Those that are over, the latest first. */
  readonly similar: readonly {
    readonly request: string;
    readonly requester: string;
    readonly subject: string;
    readonly status: ApprovalState["status"];
    readonly decidedBy: string | null;
    readonly reason: string | null;
    readonly seq: number;
  }[];
}

const statuses = ["open", "approved", "denied", "expired"] as const;
const foreseenShape = z.object({
  isAccepted: z.boolean(),
  problems: z.array(problemShape),
  says: texts.describe("what follows, in sentences"),
});

const effectShape = shapeOf<ApprovalEffect>()(
  z
    .object({
      request: z.string(),
      seq: count("the last entry that it knows of"),
      ifSeq: count("give it back with the decision, which then counts only for what was shown"),
      status: z.enum(statuses),
      contract: z.object({ plan: z.string(), revision: count(), allowed: texts, forbidden: texts }).nullable(),
      paths: z
        .array(
          z.object({
            path: z.string(),
            contract: z.enum(fileRulings),
            holder: z
              .object({ agent: z.string(), task: z.string().nullable(), until: time.nullable() })
              .nullable()
              .describe("who else holds it"),
            lastChange: z
              .object({ agent: z.string(), task: z.string(), seq, at: time.nullable() })
              .nullable()
              .describe("the last reported work that changed it"),
          }),
        )
        .describe("that a yes allows, else that the request's words name"),
      approve: foreseenShape,
      deny: foreseenShape,
      mayAnswer: texts,
      blocks: texts.describe("tasks that wait for its task, the first of them"),
      blocksTotal: count(),
      leaseUntil: time.nullable().describe("of the claim of its task"),
      dueAt: time.nullable(),
      similar: z
        .array(
          z.object({
            request: z.string(),
            requester: z.string(),
            subject: z.string(),
            status: z.enum(statuses),
            decidedBy: z.string().nullable(),
            reason: z.string().nullable(),
            seq,
          }),
        )
        .describe("requests that are over, the latest first"),
    })
    .meta({ id: "ApprovalEffect" }),
);

const group = "People and agents";
const answerOptions = {
  conditions: { as: "--condition TEXT" },
  modifications: { as: "--paths PATH" },
} as const;

export const listApprovals = operation({
  name: "listApprovals",
  call: "approvals",
  access: "caller",
  says: "Approvals that wait for an answer, all, or those of one request.",
  input: z.strictObject({
    all: z.boolean().optional().describe("also the answered and expired ones"),
    request: z.string().optional().describe("only those with this id, answered or not"),
  }),
  answer: shown<readonly ApprovalState[]>("approvals", "In the order they came.", z.array(approvalShape)),
  http: { method: "get", path: "/approvals" },
  cliOption: {
    of: "needs",
    as: "--requests",
    says: "every request of an agent instead, with its evidence and, once there is one, its answer",
    sets: { all: true },
  },
});

export const showEffect = operation({
  name: "showEffect",
  call: "effect",
  access: "caller",
  says: "What follows if a request is approved or denied: its paths against contract and claims, and what the decider says.",
  input: z.strictObject({
    request: z.string().describe("the request's id"),
    modifications: texts.optional().describe("paths that a yes would allow instead of those that it asks for"),
  }),
  answer: shown<ApprovalEffect>(null, "The effect at the head.", effectShape),
  http: { method: "get", path: "/approvals/{request}/effect" },
});

export const answerApproval = operation({
  name: "answerApproval",
  call: "answer",
  access: "caller",
  invited: true,
  says: "Answers a request.",
  input: z.strictObject({
    request: z.string().describe("the request's id"),
    approved: z.boolean(),
    reason: z.string().describe("why, for the requester"),
    conditions: texts.optional().describe("what the answer is bound to"),
    modifications: texts.optional().describe("paths that a scope change allows, instead of those that it asks for"),
    ifSeq,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/approvals/{request}" },
  cli: [
    {
      words: "approve",
      group,
      summary: "say yes to a request",
      description:
        "Answers a request with yes. Without --as the owner decides, who is outside the roles; an agent answers\n" +
        "through its own dialect and must be one that may. One answer counts: a second is refused. Yes to a scope change widens\n" +
        "the contract at once, by the paths that the answer names, else by those that were asked for, and says which.",
      arguments: {
        request: { as: "ID" },
        reason: { as: "--reason TEXT", says: "why (default: approved)", fallback: "approved" },
        ...answerOptions,
      },
      sets: { approved: true },
      examples: [
        { line: "baton approve approve-678", meaning: "the owner says yes" },
        {
          line: "baton approve approve-678 --as lead-1 --reason 'needed by 1-2' --condition 'keep the API'",
          meaning: "lead-1 says yes, on a condition",
        },
        {
          line: "baton approve approve-678 --paths docs/",
          meaning: "the contract allows docs/ too, whatever was asked for",
        },
      ],
      next: "The requester finds the answer in its inbox. baton deny ID --reason TEXT says no.",
      said: "Approved: {request} (entry {seq}).",
      unchanged: "Approved before: {request}; nothing changed.",
    },
    {
      words: "deny",
      group,
      summary: "say no to a request",
      description:
        "Answers a request with no. The reason goes to the requester. One answer counts: a second is refused.",
      arguments: { request: { as: "ID" }, reason: { as: "--reason TEXT" }, conditions: answerOptions.conditions },
      sets: { approved: false },
      examples: [
        { line: "baton deny approve-678 --reason 'split it into a new task'", meaning: "the owner says no" },
        { line: "baton deny approve-678 --as lead-1 --reason 'out of scope'", meaning: "lead-1 says no" },
      ],
      next: "The requester finds the answer in its inbox.",
      said: "Denied: {request} (entry {seq}).",
      unchanged: "Denied before: {request}; nothing changed.",
    },
  ],
  record: { act: "approval-answer", touches: ["approvals", "tasks"] },
});

/** In the order of the document and of help. */
export const approvalOperations = [listApprovals, showEffect, answerApproval] as const;
