/** Faults of requests that several operations find, in the same words. */
import { type Problem, problem } from "../../../base/problem.ts";

/** The fault of an id that body and header give differently. */
export function twoIds(named: string): Problem {
  return problem("invalid-id", "$.id", "The body and the header Idempotency-Key name different ids.", {
    received: named.slice(0, 128).toWellFormed(),
    hint: "Give one of them, or the same.",
  });
}

/** The fault of a request whose Host and target, put together, are no address. */
export const noAddress: Problem = problem(
  "foreign-request",
  "Host",
  "The header Host and the request's target make no address.",
  {
    expected: "Host: 127.0.0.1:PORT, and a path",
    hint: "Use the URL that `baton up` printed, from a program on this machine.",
  },
);

/** The fault of an address that showed too many wrong credentials. */
export function tooManyFailures(seconds: number): Problem {
  return problem("too-many-requests", "Authorization", "Too many wrong credentials came from this address.", {
    hint: `Try again in ${seconds} s. Requests with a valid credential are answered meanwhile.`,
  });
}

/** The answer to a wait that the hub's end cuts short. */
export const hubEnds: Problem = problem(
  "hub-unreachable",
  "Host",
  "The hub ends, so it waits for no message any more.",
  {
    hint: "Nothing was lost: ask again once a hub is there. `baton up` starts one.",
  },
);

/** The fault of asking without a credential. */
export const noCredential: Problem = problem("unauthenticated", "Authorization", "This needs a credential.", {
  expected: "Authorization: Bearer TOKEN, or the owner's session",
  hint: "The owner makes a token with `baton token create AGENT`; a browser opens the URL that `baton up` printed.",
});

/** The fault of asking for what only the owner may. */
export function ownersOnly(agent: string): Problem {
  return problem("human-required", agent, `${agent} may not do this.`, {
    expected: "the owner",
    hint: "Ask the person who owns the team.",
  });
}
