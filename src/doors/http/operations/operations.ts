/** Every operation of the hub, in the order of its document. */
import { operationsBySubject } from "../../../operations/registry.ts";
import { decisionOperations } from "./decision-operations.ts";
import { routesOf } from "./defined-operations.ts";
import { healthOperations, inboxOperations } from "./inbox-operations.ts";
import { journalOperations } from "./journal-operations.ts";
import { messageOperations, recordOperations } from "./message-operations.ts";
import type { Operation } from "./operation.ts";
import { sessionOperations } from "./session-operations.ts";
import { verifyOperations } from "./verify-operations.ts";

export const operations: readonly Operation[] = [
  ...healthOperations,
  ...sessionOperations,
  ...messageOperations,
  ...recordOperations,
  ...routesOf(operationsBySubject.status),
  ...inboxOperations,
  ...routesOf(operationsBySubject.agents),
  ...routesOf(operationsBySubject.revisions),
  ...routesOf(operationsBySubject.breakers),
  ...routesOf(operationsBySubject.lanes),
  ...routesOf(operationsBySubject.needs),
  ...decisionOperations,
  ...routesOf(operationsBySubject.approvals),
  ...routesOf(operationsBySubject.contracts),
  ...routesOf(operationsBySubject.tasks),
  ...verifyOperations,
  ...routesOf(operationsBySubject.commits),
  ...routesOf(operationsBySubject.phases),
  ...routesOf(operationsBySubject.escalations),
  ...routesOf(operationsBySubject.handoffs),
  ...routesOf(operationsBySubject.shutdowns),
  ...routesOf(operationsBySubject.tokens),
  ...journalOperations,
];
