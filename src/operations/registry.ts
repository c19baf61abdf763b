/**
 * Every operation that has a definition, by the file that has it, in the order of the document and of help. For the
 * generator, the HTTP and the MCP server, which load zod; everybody else reads `generated/`.
 */

import { agentOperations } from "./agents.ts";
import { approvalOperations } from "./approvals.ts";
import { askOperations } from "./asks.ts";
import { breakerOperations } from "./breakers.ts";
import { commitOperations } from "./commits.ts";
import { contractOperations } from "./contracts.ts";
import type { OperationDefinition } from "./define.ts";
import { entryOperations } from "./entries.ts";
import { escalationOperations } from "./escalations.ts";
import { handoffOperations } from "./handoffs.ts";
import { inboxOperations } from "./inbox.ts";
import { journalOperations } from "./journal.ts";
import { laneOperations } from "./lanes.ts";
import { needOperations } from "./needs.ts";
import { phaseOperations } from "./phases.ts";
import { remoteOperations } from "./remotes.ts";
import { revisionOperations } from "./revisions.ts";
import { sessionOperations } from "./sessions.ts";
import { shutdownOperations } from "./shutdowns.ts";
import { statusOperations } from "./status.ts";
import { taskOperations } from "./tasks.ts";
import { tokenOperations } from "./tokens.ts";
import { verificationOperations } from "./verification.ts";

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
  commits: commitOperations,
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
