/**
 * Every operation that has a definition, by the file that has it, in the order of the document and of help. For the
 * generator, the HTTP and the MCP server, which load zod; everybody else reads `generated/`.
 */
import { approvalOperations } from "../../approvals/operations.ts";
import { escalationOperations } from "../../escalations/operations.ts";
import { commitOperations } from "../../evidence/operations/commits.ts";
import { verificationOperations } from "../../evidence/operations/verification.ts";
import { handoffOperations } from "../../handoffs/operations.ts";
import { breakerOperations } from "../../health/operations.ts";
import { landingOperations } from "../../landing/operations.ts";
import { inboxOperations } from "../../mail/operations.ts";
import { needOperations } from "../../needs/operations.ts";
import { phaseOperations } from "../../phases/operations/phases.ts";
import { receiptOperations } from "../../receipts/operations.ts";
import { entryOperations, journalOperations } from "../../record/operations/entries.ts";
import { laneOperations } from "../../record/operations/lanes.ts";
import { remoteOperations } from "../../remotes/operations.ts";
import { shutdownOperations } from "../../shutdown/operations.ts";
import { askOperations } from "../../tasks/operations/asks.ts";
import { contractOperations } from "../../tasks/operations/task-shapes.ts";
import { taskOperations } from "../../tasks/operations/tasks.ts";
import { agentOperations } from "../../team/operations/agents.ts";
import { revisionOperations } from "../../team/operations/revisions.ts";
import { sessionOperations } from "../../team/operations/sessions.ts";
import { statusOperations } from "../../team/operations/status.ts";
import { tokenOperations } from "../../team/operations/tokens.ts";
import type { OperationDefinition } from "./define.ts";

export const operationsBySubject = {
  sessions: sessionOperations,
  entries: entryOperations,
  status: statusOperations,
  inbox: inboxOperations,
  agents: agentOperations,
  revisions: revisionOperations,
  breakers: breakerOperations,
  lanes: laneOperations,
  needs: needOperations,
  approvals: approvalOperations,
  contracts: contractOperations,
  tasks: taskOperations,
  asks: askOperations,
  remotes: remoteOperations,
  verification: verificationOperations,
  landing: landingOperations,
  commits: commitOperations,
  receipts: receiptOperations,
  phases: phaseOperations,
  escalations: escalationOperations,
  handoffs: handoffOperations,
  shutdowns: shutdownOperations,
  tokens: tokenOperations,
  journal: journalOperations,
} as const satisfies { readonly [subject: string]: readonly OperationDefinition[] };

export type Subject = keyof typeof operationsBySubject;

/** All of them. */
export const definedOperations: readonly OperationDefinition[] = Object.values(operationsBySubject).flat();

/** Those that the methods of `Team` are made of. */
export const madeOperations = definedOperations.filter(({ byHand }) => byHand === undefined);

/** Those on a team, which `GET /api/session` lists. */
export const teamOperations = definedOperations.filter(({ on }) => on !== "hub");
