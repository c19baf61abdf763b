/**
 * The messages of yolo/1 in its document's order; the single entries are by subject in `messages/`. Source:
 * tests/requirements/yolo-1.tsv; docs/protocol/messages.md, section 5.
 */
import type { DialectEntry } from "../define.ts";
import { deliveryMessages, investigationMessages } from "./messages/delivery.ts";
import { departmentMessages, ownerMessages } from "./messages/departments.ts";
import { codeReviewMessages, verificationMessages } from "./messages/review.ts";
import { taskMessages } from "./messages/tasks.ts";
import { escalationMessages, healthMessages, shutdownMessages } from "./messages/team.ts";

export const yolo1Messages: DialectEntry = {
  id: "yolo/1",
  family: "yolo",
  form: "structured",
  title: "YOLO structured handoffs, first revision",
  authorRoles: [],
  isolatesDepartments: true,
  messages: [
    ...deliveryMessages,
    ...codeReviewMessages,
    ...verificationMessages,
    ...investigationMessages,
    ...escalationMessages,
    ...healthMessages,
    ...taskMessages,
    ...shutdownMessages,
    ...departmentMessages,
    ...ownerMessages,
  ],
};
