/** Answers of the hub, checked against what its document says of them. */
import assert from "node:assert/strict";
import { problemDocumentShape } from "../../src/doors/http/operations/openapi.ts";
import type { Operation } from "../../src/doors/http/operations/operation.ts";
import { operations } from "../../src/doors/http/operations/operations.ts";
import type { Answer } from "./hub.ts";

/** Whether the answer is what the operation of that name says, to the last field. */
export function fits(name: string, answer: Answer): Answer {
  const operation = operations.find((candidate: Operation) => candidate.name === name);
  const shape =
    answer.status >= 400 && answer.status !== 503 ? problemDocumentShape : operation?.answers[answer.status]?.shape;
  assert.ok(shape, `${name} does not say what ${answer.status} means: ${JSON.stringify(answer.body)}`);
  const read = shape.safeParse(answer.body);
  assert.ok(read.success, `${name}: ${JSON.stringify(read.error)}`);
  assert.deepEqual(read.data, answer.body);
  return answer;
}
