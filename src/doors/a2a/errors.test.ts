/** The codes of A2A 1.0.1 on both bindings, and that every problem code has an error. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeProblem, problemCodes } from "../../base/problem.ts";
import { a2aError, type ErrorKind, errorOf, httpError, kindOf, rpcError, statusOf, unknownTask } from "./errors.ts";

/** As the tables of the standard have them: JSON-RPC's code and HTTP's status. */
const standard: readonly (readonly [ErrorKind, code: number, status: number])[] = [
  ["PARSE_ERROR", -32700, 400],
  ["INVALID_REQUEST", -32600, 400],
  ["METHOD_NOT_FOUND", -32601, 404],
  ["INVALID_PARAMS", -32602, 400],
  ["INTERNAL", -32603, 500],
  ["TASK_NOT_FOUND", -32001, 404],
  ["TASK_NOT_CANCELABLE", -32002, 400],
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400],
  ["UNSUPPORTED_OPERATION", -32004, 400],
  ["CONTENT_TYPE_NOT_SUPPORTED", -32005, 400],
  ["VERSION_NOT_SUPPORTED", -32009, 400],
  // Baton's own kinds, in the range that the standard leaves to servers or with HTTP's own status.
  ["UNAUTHENTICATED", -32000, 401],
  ["PERMISSION_DENIED", -32000, 403],
  ["RESOURCE_EXHAUSTED", -32000, 429],
  ["CONFLICT", -32602, 409],
  ["TOO_LARGE", -32600, 413],
  ["UNAVAILABLE", -32603, 503],
];

test("every kind has its code and status", () => {
  for (const [kind, code, status] of standard) {
    const error = a2aError(kind, "Words.");
    assert.deepEqual([rpcError(error).code, statusOf(error)], [code, status], kind);
    const { error: body } = httpError(error) as { readonly error: { readonly code: number } };
    assert.equal(body.code, status, kind);
  }
  const kinds = new Set(Object.keys(problemCodes).map((code) => kindOf(code as keyof typeof problemCodes)));
  for (const kind of kinds)
    assert.ok(
      standard.some(([known]) => known === kind),
      kind,
    );
});

test("an error has its problems with path and hint, and one about a task that is not there has nothing to tell", () => {
  const wrong = makeProblem("wrong-value", "message.parts", "It fits nothing.", { hint: "leave it out" });
  const { data } = rpcError(errorOf([wrong]));
  assert.deepEqual(data, [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "INVALID_PARAMS",
      domain: "a2a-protocol.org",
      metadata: { problem: "wrong-value" },
    },
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [
        { field: "message.parts", description: "It fits nothing. leave it out", reason: "WRONG_VALUE" },
      ],
    },
  ]);
  assert.equal(errorOf([makeProblem("unknown-task", "task", "dev-1 holds it.")]), unknownTask);
  assert.equal(errorOf([makeProblem("unknown-request", "request", "It is dev-1's.")]), unknownTask);
});
