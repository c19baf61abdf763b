/** Answers of the hub: JSON values, problem documents (RFC 9457), and what becomes of a reply. */

import type { ProblemCode } from "../../../base/problem.ts";
import { boundedProblems, makeProblem, type Problem } from "../../../base/problem.ts";
import type { Receipt } from "../../../journal/entry.ts";
import type { Note } from "../../../messages/message.ts";
import type { ClaimDenial, Reply } from "../../../perform/operations/reply.ts";

/** A refused or failed request as it is sent: `application/problem+json`. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly problems: readonly Problem[];
  /** The entry that records the refusal; null where nothing was recorded; absent where nothing can be. */
  readonly receipt?: Receipt | null;
  readonly notes?: readonly Note[];
}

/** Headers of every answer but the page's files: nothing is guessed, kept or shown elsewhere. */
export const safeHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

const jsonHeaders = { ...safeHeaders, "content-type": "application/json; charset=utf-8" };
const problemHeaders = { ...safeHeaders, "content-type": "application/problem+json; charset=utf-8" };

/** A JSON answer. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...jsonHeaders, ...headers } });
}

/**
 * The first problem decides code and status; the whole list is inside. `status` overrules the table where HTTP has its
 * own status.
 */
export function refusal(
  all: readonly Problem[],
  more: Pick<ProblemDocument, "receipt" | "notes"> & {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** What denies a claim: a conflict, whatever its reason. */
    readonly denial?: ClaimDenial | undefined;
  } = {},
): Response {
  const problems = boundedProblems(all);
  const [first] = problems;
  const status = more.status ?? (first === undefined ? 422 : problemStatus[first.code]);
  const document: ProblemDocument & Partial<ClaimDenial> = {
    type: `urn:baton:problem:${first?.code ?? "declined"}`,
    title: first?.code.replaceAll("-", " ") ?? "declined",
    status,
    detail: first?.message ?? "There was nothing to record.",
    code: first?.code ?? "declined",
    problems,
    ...(more.receipt === undefined ? {} : { receipt: more.receipt }),
    ...(more.notes === undefined ? {} : { notes: more.notes }),
    ...more.denial,
  };
  const headers = { ...problemHeaders, ...more.headers };
  return new Response(JSON.stringify(document), { status, headers });
}

/** A bug of ours: the caller learns that, and those who run the hub learn which. */
export function internalError(): Response {
  const document = { type: "about:blank", title: "a failure of the hub", status: 500, code: "fault", problems: [] };
  return new Response(JSON.stringify(document), { status: 500, headers: problemHeaders });
}

/**
 * A reply: 201 with the receipt, 200 for a repeated act, else a problem document, of a denied claim with why, who and which
 * files. A denial is a conflict, whatever its reason.
 */
export function replyAnswer(reply: Reply): Response {
  if (reply.outcome === "accepted") return json(reply, reply.receipt.duplicate ? 200 : 201);
  if (reply.outcome === "failed") return refusal([reply.problem], { receipt: null });
  const { problems, receipt, notes, denial } = reply;
  const isConflict = (denial?.reason ?? "unknown-task") !== "unknown-task";
  return refusal(problems, { receipt, notes, denial, ...(isConflict ? { status: 409 } : {}) });
}

/* Errors of requests that several operations find, in the same words. */

/** The error of an id that body and header give differently. */
export function twoIds(named: string): Problem {
  return makeProblem("invalid-id", "$.id", "The body and the header Idempotency-Key name different ids.", {
    received: named.slice(0, 128).toWellFormed(),
    hint: "Give one of them, or the same.",
  });
}

/** The error of a request whose Host and target, put together, are no address. */
export const noAddress: Problem = makeProblem(
  "foreign-request",
  "Host",
  "The header Host and the request's target make no address.",
  {
    expected: "Host: 127.0.0.1:PORT, and a path",
    hint: "Use the URL that `baton up` printed, from a program on this machine.",
  },
);

/** The error of an address that showed too many wrong credentials. */
export function tooManyFailures(seconds: number): Problem {
  return makeProblem("too-many-requests", "Authorization", "Too many wrong credentials came from this address.", {
    hint: `Try again in ${seconds} s. Requests with a valid credential are answered meanwhile.`,
  });
}

/** The answer to a wait that the hub's end cuts short. */
export const hubEnds: Problem = makeProblem(
  "hub-unreachable",
  "Host",
  "The hub ends, so it waits for no message any more.",
  {
    hint: "Nothing was lost: ask again once a hub is there. `baton up` starts one.",
  },
);

/** The error of a request without a credential. */
export const noCredential: Problem = makeProblem("unauthenticated", "Authorization", "This needs a credential.", {
  expected: "Authorization: Bearer TOKEN, or the owner's session",
  hint: "The owner makes a token with `baton token create AGENT`; a browser opens the URL that `baton up` printed.",
});

/** The error of a request that only the owner may make. */
export function ownersOnly(agent: string): Problem {
  return makeProblem("human-required", agent, `${agent} may not do this.`, {
    expected: "the owner",
    hint: "Ask the person who owns the team.",
  });
}

/* Which HTTP status each problem code has: one table, and nothing else decides it. A test compares it with the codes. */

/**
 * The status of an answer whose first problem has this code. 409: the same act, or another's, exists already. 422: read,
 * understood and refused. 503: the journal took nothing, and the same request with the same id may succeed later.
 */
export const problemStatus: Readonly<Record<ProblemCode, number>> = {
  "empty-message": 422,
  "too-large": 413,
  "not-utf8": 422,
  "byte-order-mark": 422,
  "not-json": 422,
  "not-yaml": 422,
  "too-deep": 422,
  "too-many-nodes": 422,
  "duplicate-key": 422,
  "forbidden-key": 422,
  "number-range": 422,
  "lone-surrogate": 422,
  "nul-character": 422,
  "not-an-object": 422,
  "unknown-dialect": 422,
  "unknown-type": 422,
  "missing-field": 422,
  "wrong-type": 422,
  "wrong-value": 422,
  "wrong-format": 422,
  "unknown-field": 422,
  "cross-field": 422,
  "wrong-media-type": 415,
  "foreign-request": 403,
  unauthenticated: 401,
  "token-revoked": 401,
  "too-many-requests": 429,
  "invalid-id": 422,
  "unknown-agent": 404,
  "retired-agent": 403,
  "agent-stopped": 403,
  "session-replaced": 403,
  "identity-mismatch": 403,
  "sender-not-authorised": 403,
  "unknown-receiver": 422,
  "receiver-not-authorised": 403,
  "no-receiver": 422,
  "id-conflict": 409,
  "id-taken": 409,
  "invalid-path": 422,
  "invalid-glob": 422,
  "unknown-task": 404,
  "task-done": 409,
  "fenced-claim": 409,
  "not-holder": 409,
  "task-held": 409,
  "breaker-open": 409,
  "task-blocked": 409,
  "dependency-cycle": 409,
  "outside-contract": 422,
  "claim-overlap": 409,
  "commit-missing": 422,
  "commit-ambiguous": 422,
  "commit-unreachable": 422,
  "commit-before-task": 422,
  "unrelated-history": 409,
  "commit-credited": 409,
  "same-change": 409,
  "work-apart": 409,
  "nothing-changed": 422,
  "outside-claim": 422,
  "symlink-escape": 422,
  "submodule-change": 422,
  "files-unlisted": 422,
  "files-not-changed": 422,
  "artifact-missing": 422,
  "artifact-uncommitted": 422,
  "artifact-unreadable": 422,
  "counts-differ": 422,
  "file-changed": 422,
  "file-missing": 422,
  "file-outside": 422,
  "not-verified": 422,
  "handoff-not-accepted": 409,
  "check-failed": 422,
  "work-overwritten": 409,
  "work-reverted": 409,
  "unknown-request": 404,
  "ambiguous-request": 409,
  "already-answered": 409,
  "changed-meanwhile": 409,
  "request-expired": 409,
  "own-request": 403,
  "must-decide": 409,
  "phase-open": 409,
  "not-ready": 409,
  "human-required": 403,
  "not-found": 404,
  "wrong-usage": 400,
  "not-initialised": 503,
  "already-exists": 409,
  "team-file": 500,
  "settings-file": 500,
  "repository-missing": 503,
  "shallow-clone": 503,
  "git-missing": 503,
  "unknown-team": 404,
  "timed-out": 408,
  interrupted: 502,
  "output-failed": 500,
  "repository-unreadable": 503,
  "hub-unreachable": 502,
  "not-a-hub": 502,
  "port-taken": 500,
  "journal-missing": 503,
  "journal-moved": 503,
  "team-archived": 410,
  "journal-tracked": 503,
  "journal-copied": 503,
  "journal-busy": 503,
  "journal-unreachable": 503,
  "journal-read-only": 503,
  "journal-cannot-open": 503,
  "journal-full": 503,
  "journal-not-database": 503,
  "journal-newer": 503,
  "journal-network-file-system": 503,
  "journal-linked": 503,
  "journal-regressed": 503,
  "journal-corrupt": 503,
  "journal-failed": 503,
  "node-too-old": 500,
};
