/**
 * Every operation that has a definition, by the file that has it, in the order of the document and of help. For the
 * generator, the HTTP and the MCP server, which load zod; everybody else reads `generated/`.
 */

import { agentOperations } from "./agents.ts";
import { approvalOperations } from "./approvals.ts";
import { breakerOperations } from "./breakers.ts";
import { contractOperations } from "./contracts.ts";
import type { OperationDefinition } from "./define.ts";
import { escalationOperations } from "./escalations.ts";
import { handoffOperations } from "./handoffs.ts";
import { phaseOperations } from "./phases.ts";
import { revisionOperations } from "./revisions.ts";
import { shutdownOperations } from "./shutdowns.ts";
import { taskOperations } from "./tasks.ts";
import { tokenOperations } from "./tokens.ts";

export const operationsBySubject = {
  agents: agentOperations,
  revisions: revisionOperations,
  breakers: breakerOperations,
  approvals: approvalOperations,
  contracts: contractOperations,
  tasks: taskOperations,
  phases: phaseOperations,
  escalations: escalationOperations,
  handoffs: handoffOperations,
  shutdowns: shutdownOperations,
  tokens: tokenOperations,
} as const satisfies { readonly [subject: string]: readonly OperationDefinition[] };

export type Subject = keyof typeof operationsBySubject;

/** All of them. */
export const definedOperations: readonly OperationDefinition[] = Object.values(operationsBySubject).flat();
