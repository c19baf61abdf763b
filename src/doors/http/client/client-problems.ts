/**
 * What can go wrong between a client and a hub, in words that say what to do. None of them ever holds the token: they
 * are made from the hub's address and from what was seen, not from what was sent.
 */
import { argument } from "../../../base/argument.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { shorten } from "../../../base/text.ts";

/** Nothing, or only a part, came back. `again`: the operation may have been recorded, under the id in these words. */
export function unreachable(hub: string, why: string, again: string | null): Problem {
  const unknown = again === null ? "" : " Whether the operation was recorded is not known.";
  return makeProblem("hub-unreachable", hub, `The hub gave no answer: ${why}.${unknown}`, {
    hint:
      certificateHint(why) ??
      (again === null
        ? `Is it running? \`baton up\` starts one; check the address of \`${argument("hub")}\`.`
        : `Repeat the same with ${again} once the hub is back: that is always safe.`),
  });
}

/** What to do where the hub's certificate was not accepted, by the code of Node's TLS; null: it was not about that. */
function certificateHint(why: string): string | null {
  if (/SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)/.test(why))
    return "Nobody whom this machine trusts has signed the hub's certificate: set NODE_EXTRA_CA_CERTS to the file of the authority that has.";
  if (why.includes("CERT_HAS_EXPIRED")) return "Renew the hub's certificate.";
  if (!why.includes("CERT_ALTNAME_INVALID")) return null;
  return `The hub's certificate is for another name: use that name in \`${argument("hub")}\`.`;
}

/** Nothing, or only a part, of what was only read came back: because `stop` asked for that, or by the network's doing. */
export function unread(hub: string, why: string, stop: AbortSignal): Problem {
  if (stop.aborted) return makeProblem("interrupted", hub, "The hub's answer was no longer waited for.");
  return unreachable(hub, why, null);
}

/** Something answered, but not as a hub does. */
export function notAHub(hub: string, what: string, received?: string): Problem {
  return makeProblem("not-a-hub", hub, `What answers here is no hub of this Baton: ${what}.`, {
    received: received === undefined ? undefined : shorten(received.toWellFormed(), 160),
    hint: `Give \`${argument("hub")}\` the URL that \`baton up\` printed, without what follows the port.`,
  });
}

/** The hub is of a version that does not have the operation; null: of one that does not say which. */
export function hubIsOlder(hub: string, version: string | null, operation: string): Problem {
  const which = version === null ? "" : ` (Baton ${version})`;
  const message = `The hub at ${hub} is older${which}: it does not know ${operation}.`;
  return makeProblem("not-found", operation, message, {
    hint: "Update Baton where the hub runs and start it again: `baton stop`, then `baton up`.",
  });
}

/** The answer is larger than any that was asked for. */
export function answerTooLarge(hub: string, bytesMax: number): Problem {
  return makeProblem("not-a-hub", hub, `The answer is larger than ${bytesMax} bytes, so it was not read on.`, {
    hint: "Ask for fewer entries; if that does not help, this is no hub.",
  });
}

/** No credential was given. */
export function tokenMissing(): Problem {
  return makeProblem("unauthenticated", argument("credential"), "A hub must know who asks, and no token was given.", {
    hint: "Where the journal lies, the owner runs `baton token create AGENT`; then set BATON_TOKEN to what it prints.",
  });
}

/** What was given as a credential cannot be one. */
export function tokenMalformed(): Problem {
  return makeProblem("unauthenticated", argument("credential"), "This cannot be a token.", {
    expected: "baton_ and 43 letters, digits, - or _, then a point and the team's name",
    hint: "Copy it whole, on one line, as `baton token create AGENT` printed it.",
  });
}

/** The token proves somebody else than the caller meant. */
export function otherIdentity(proven: string, asked: string): Problem {
  return makeProblem("identity-mismatch", argument("actor"), `The token is that of ${proven}, not of ${asked}.`, {
    expected: proven,
    received: asked,
    hint: `Leave \`${argument("actor")}\` out, or use a token of ${asked}: the owner runs \`baton token create ${asked}\`.`,
  });
}
