/**
 * Errors as A2A 1.0 says them, written for JSON-RPC or for HTTP, with the details that the standard names and every problem
 * of ours with its path and hint.
 * Rules: docs/protocol/doors.md, section 15.
 */
import { boundedProblems, type Problem, type ProblemCode, problemCodes } from "../../base/problem.ts";

/** Every kind of error that this door answers: its JSON-RPC code, its HTTP status, and the words of both bindings. */
const kinds = {
  PARSE_ERROR: [-32700, 400, "INVALID_ARGUMENT"],
  INVALID_REQUEST: [-32600, 400, "INVALID_ARGUMENT"],
  METHOD_NOT_FOUND: [-32601, 404, "NOT_FOUND"],
  INVALID_PARAMS: [-32602, 400, "INVALID_ARGUMENT"],
  CONFLICT: [-32602, 409, "ABORTED"],
  TOO_LARGE: [-32600, 413, "INVALID_ARGUMENT"],
  INTERNAL: [-32603, 500, "INTERNAL"],
  UNAVAILABLE: [-32603, 503, "UNAVAILABLE"],
  UNAUTHENTICATED: [-32000, 401, "UNAUTHENTICATED"],
  PERMISSION_DENIED: [-32000, 403, "PERMISSION_DENIED"],
  RESOURCE_EXHAUSTED: [-32000, 429, "RESOURCE_EXHAUSTED"],
  TASK_NOT_FOUND: [-32001, 404, "NOT_FOUND"],
  TASK_NOT_CANCELABLE: [-32002, 400, "FAILED_PRECONDITION"],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 400, "FAILED_PRECONDITION"],
  UNSUPPORTED_OPERATION: [-32004, 400, "FAILED_PRECONDITION"],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 400, "INVALID_ARGUMENT"],
  VERSION_NOT_SUPPORTED: [-32009, 400, "FAILED_PRECONDITION"],
} as const satisfies Readonly<Record<string, readonly [code: number, status: number, name: string]>>;

export type ErrorKind = keyof typeof kinds;

/** Why a request is not answered as it asks. */
export interface A2aError {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly problems: readonly Problem[];
}

/** An error from its parts. */
export function a2aError(kind: ErrorKind, message: string, problems: readonly Problem[] = []): A2aError {
  return { kind, message, problems };
}

/** The same words for a task that is not there, another caller's, and one that never was. */
export const unknownTask: A2aError = a2aError("TASK_NOT_FOUND", "There is no such task.");

/** Codes that are not simply a wrong argument, or the state of the machine. */
const kindOfCode: { readonly [code in ProblemCode]?: ErrorKind } = {
  unauthenticated: "UNAUTHENTICATED",
  "token-revoked": "UNAUTHENTICATED",
  "foreign-request": "PERMISSION_DENIED",
  "sender-not-authorised": "PERMISSION_DENIED",
  "receiver-not-authorised": "PERMISSION_DENIED",
  "identity-mismatch": "PERMISSION_DENIED",
  "human-required": "PERMISSION_DENIED",
  "own-request": "PERMISSION_DENIED",
  "agent-stopped": "PERMISSION_DENIED",
  "retired-agent": "PERMISSION_DENIED",
  "session-replaced": "PERMISSION_DENIED",
  "unknown-task": "TASK_NOT_FOUND",
  "unknown-request": "TASK_NOT_FOUND",
  "unknown-team": "TASK_NOT_FOUND",
  "not-found": "TASK_NOT_FOUND",
  "task-done": "UNSUPPORTED_OPERATION",
  "already-answered": "CONFLICT",
  "request-expired": "CONFLICT",
  "changed-meanwhile": "CONFLICT",
  "id-conflict": "CONFLICT",
  "id-taken": "CONFLICT",
  "wrong-media-type": "CONTENT_TYPE_NOT_SUPPORTED",
  "too-large": "TOO_LARGE",
  "too-many-requests": "RESOURCE_EXHAUSTED",
  "not-json": "PARSE_ERROR",
  "not-utf8": "PARSE_ERROR",
  "byte-order-mark": "PARSE_ERROR",
};

/** The kind of a problem's code: every code has one. */
export function kindOf(code: ProblemCode): ErrorKind {
  const { causedBy, retry } = problemCodes[code];
  return (
    kindOfCode[code] ?? (causedBy !== "machine" ? "INVALID_PARAMS" : retry === "later" ? "UNAVAILABLE" : "INTERNAL")
  );
}

/** The error that these problems make: the first one decides. */
export function errorOf(problems: readonly Problem[]): A2aError {
  const [first] = problems;
  if (first === undefined) return a2aError("INTERNAL", "The hub cannot say what is wrong.");
  const kind = kindOf(first.code);
  return kind === "TASK_NOT_FOUND" ? unknownTask : a2aError(kind, first.message, boundedProblems(problems));
}

function detailsOf({ kind, problems }: A2aError): readonly object[] {
  const [first] = problems;
  const metadata = first === undefined ? {} : { problem: first.code };
  const reason = kind === "CONFLICT" ? (first?.code ?? "conflict").replaceAll("-", "_").toUpperCase() : kind;
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "a2a-protocol.org", metadata };
  if (problems.length === 0) return [info];
  const fieldViolations = problems.map(({ code, path, message, hint }) => ({
    field: path,
    description: hint === undefined ? message : `${message} ${hint}`,
    reason: code.replaceAll("-", "_").toUpperCase(),
  }));
  return [info, { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }];
}

/** The error as the error of a JSON-RPC response. */
export function rpcError(problem: A2aError): {
  readonly code: number;
  readonly message: string;
  readonly data: readonly object[];
} {
  return { code: kinds[problem.kind][0], message: problem.message, data: detailsOf(problem) };
}

/** The error as the body of an HTTP answer. */
export function httpError(problem: A2aError): object {
  const [, code, status] = kinds[problem.kind];
  return { error: { code, status, message: problem.message, details: detailsOf(problem) } };
}

/** The HTTP status of an error. */
export function statusOf({ kind }: A2aError): number {
  return kinds[kind][1];
}
