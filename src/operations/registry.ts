/**
 * Every operation that has a definition, by the file that has it, in the order of the document and of help. For the
 * generator, the HTTP and the MCP server, which load zod; everybody else reads `generated/`.
 */
import type { OperationDefinition } from "./define.ts";
import { escalationOperations } from "./escalations.ts";
import { taskOperations } from "./tasks.ts";

export const operationsBySubject = {
  tasks: taskOperations,
  escalations: escalationOperations,
} as const satisfies { readonly [subject: string]: readonly OperationDefinition[] };

export type Subject = keyof typeof operationsBySubject;

/** All of them. */
export const definedOperations: readonly OperationDefinition[] = Object.values(operationsBySubject).flat();
