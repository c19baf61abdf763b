/**
 * Authorisation, in a fixed order: is the sender who the message says it is, may its role send this, may each receiver
 * get it. Whether the state of the work allows it is asked afterwards, by the deciders.
 * Source: semantics.md section 2.
 */
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Definition, Dialect } from "../dialects/dialect.ts";
import type { Address } from "../message/address.ts";
import type { Fact } from "../message/facts.ts";
import type { DialectId, Note } from "../message/message.ts";
import { ownerName, type Principal } from "../message/principal.ts";
import type { Role } from "../message/role.ts";
import type { Policy, TeamDefinition } from "../team/definition.ts";
import type { Roster } from "../team/roster.ts";
import { definitionFor, maySend, receiverRoles } from "./matrix.ts";
import { namedReceivers, typicalReceivers } from "./receivers.ts";

/** What is asked: may this principal send this to these. */
export interface Request {
  /** The proven identity, with the role that the roster gives it. */
  readonly principal: Principal;
  readonly roster: Roster;
  readonly definition: TeamDefinition | null;
  readonly policy: Policy;
  dialectOf(id: DialectId): Dialect | null;
  /** The message as read. Without a fact it is prose, or (under `observe`) a message with faults. */
  readonly reading: {
    readonly dialect: DialectId | null;
    readonly type: string | null;
    readonly message: { readonly [key: string]: unknown } | null;
    readonly fact: Fact | null;
  };
  /** Named receivers; null: those the dialect names. */
  readonly to: readonly Address[] | null;
  /** The agent whose request this answers, where it is an answer. */
  readonly asker: string | null;
}

/** Leave to send. */
export interface Permit {
  readonly receivers: readonly string[];
  /** False: shown, never with an effect (`observe` let a fault pass). */
  readonly effect: boolean;
  readonly notes: readonly Note[];
  /** Roles that may answer an approval request, judged in the sender's dialect. */
  readonly answererRoles: readonly Role[];
}

/**
 * The permit, or why not: `unknown-agent`, `retired-agent`, `identity-mismatch`, `sender-not-authorised`,
 * `unknown-receiver`, `no-receiver`, `receiver-not-authorised`, in this order. Under `observe` a role that may not send
 * or receive is a note and the permit has no effect; the principal and unknown receivers are never let pass.
 */
export function authorise(request: Request): Result<Permit, readonly Problem[]> {
  const { principal, reading, roster, to } = request;
  const stranger = principalProblem(request);
  if (stranger !== null) return err([stranger]);
  const sent = sentDefinition(request);
  if (sent === null) {
    if (to === null) return err([proseWithoutReceiver()]);
    const receivers = namedReceivers(to, roster, principal.agent);
    return receivers.ok ? ok({ receivers: receivers.value, effect: false, notes: [], answererRoles: [] }) : receivers;
  }
  const faults = senderFaults(sent, principal);
  if (faults.length > 0 && request.policy === "enforce") return err(faults);
  const receivers = receiversOf(request, sent);
  if (!receivers.ok) return receivers;
  const { agents, unfit, notes } = receivers.value;
  if (unfit.length > 0 && request.policy === "enforce") return err(unfit);
  const passed = [...faults, ...unfit];
  return ok({
    receivers: agents,
    effect: passed.length === 0 && reading.fact !== null,
    notes: [...passed.map(({ code, path, message }) => ({ code, path, message })), ...notes],
    answererRoles: request.dialectOf(sent.dialect)?.definitionOf("approval-response")?.senders ?? [],
  });
}

function principalProblem(request: Request): Problem | null {
  const { principal, roster, reading } = request;
  const { agent } = principal;
  const member = roster.get(agent);
  if (agent !== ownerName && member === undefined) {
    return problem("unknown-agent", agent, `There is no agent "${agent}" in the team, so it cannot send.`, {
      hint: `\`baton agent list\` shows the agents; \`baton agent register ${agent} --role ROLE\` adds one.`,
    });
  }
  if (member?.status === "retired") {
    return problem("retired-agent", agent, `${agent} is retired and may send nothing more.`, {
      hint: "Registering it again starts a new session.",
    });
  }
  return foreignClaim(reading.message, principal) ?? roleProblem(reading.message, principal);
}

/** Fields by which a message names its sender beside `author_role`, in the envelope or the payload. */
const senderFields = ["from", "agent_id", "source_agent", "resolved_by"];

/** A claim that somebody else speaks. `decided_by` is written by Baton alone, for the owner. */
function foreignClaim(message: Request["reading"]["message"], principal: Principal): Problem | null {
  if (message === null) return null;
  const own: readonly (string | null | undefined)[] = [principal.agent, principal.role, principal.department];
  const { payload } = message;
  const inner = typeof payload === "object" && payload !== null ? (payload as { readonly [key: string]: unknown }) : {};
  for (const [place, fields] of [
    ["$", message],
    ["$.payload", inner],
  ] as const) {
    if (Object.hasOwn(fields, "decided_by")) {
      return problem("identity-mismatch", `${place}.decided_by`, "Only Baton says who decided in another's place.", {
        expected: "no such field",
        hint: "Leave it out: the sender of a message is who decided.",
      });
    }
    for (const name of senderFields) {
      const claimed = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (typeof claimed !== "string" || own.includes(claimed)) continue;
      return problem(
        "identity-mismatch",
        `${place}.${name}`,
        `${principal.agent} sends this, but it says ${name} is another.`,
        {
          expected: own.filter((each) => typeof each === "string").join(" | "),
          received: claimed.slice(0, 160),
          hint: "Leave the field out, or write your own name.",
        },
      );
    }
  }
  return null;
}

function roleProblem(message: Request["reading"]["message"], principal: Principal): Problem | null {
  const { agent } = principal;
  const claimed = message?.author_role;
  if (typeof claimed !== "string" || claimed === principal.role) return null;
  const hint =
    agent === ownerName
      ? `The owner has no part in the role matrix: send as an agent with --as, or answer with \`baton approval\`.`
      : `Write "${principal.role}", or send as an agent that is ${claimed}.`;
  return problem(
    "identity-mismatch",
    "$.author_role",
    `${agent} is ${principal.role} here, but the message says ${claimed}.`,
    {
      expected: principal.role ?? "the sender's own role",
      received: claimed,
      hint,
    },
  );
}

function sentDefinition(request: Request): Definition | null {
  const { dialect, type } = request.reading;
  if (dialect === null || type === null) return null;
  return request.dialectOf(dialect)?.definitions.get(type) ?? null;
}

function senderFaults(sent: Definition, principal: Principal): readonly Problem[] {
  if (principal.role !== null && maySend(sent, principal.role)) return [];
  return [
    problem(
      "sender-not-authorised",
      "$.type",
      `${principal.role ?? "An unknown role"} may not send ${sent.type} in ${sent.dialect}.`,
      {
        expected: sent.senders.join(" | "),
        received: principal.role ?? "none",
        hint: `Ask an agent that is ${sent.senders.join(" or ")} to send it.`,
      },
    ),
  ];
}

interface Receivers {
  readonly agents: readonly string[];
  /** Why some of them may not get it. */
  readonly unfit: readonly Problem[];
  readonly notes: readonly Note[];
}

/**
 * Named receivers are judged and stay, fit or not; so does the one who asked. Of those that the dialect names, the ones
 * whose own dialect does not let them receive it are left out: the sender did not choose them.
 */
function receiversOf(request: Request, sent: Definition): Result<Receivers, readonly Problem[]> {
  const { principal, roster, to } = request;
  // An answer always goes to the one who asked, who may have been retired meanwhile, and never to others in its stead.
  const asker = request.asker === principal.agent ? null : request.asker;
  if (to !== null || asker !== null) {
    const named = to === null ? ok([]) : namedReceivers(to, roster, principal.agent);
    if (!named.ok) return named;
    const chosen = [...new Set(asker === null ? named.value : [asker, ...named.value])];
    const unfit = chosen.flatMap((agent) => receiverFault(request, sent, agent) ?? []);
    return ok({ agents: chosen, unfit, notes: [] });
  }
  const roles = receiverRoles(sent, request.definition?.routing ?? []);
  const typical = typicalReceivers(roles, roster, principal.agent);
  if (!typical.ok) return typical;
  const leftOut = typical.value.flatMap((agent) => receiverFault(request, sent, agent) ?? []);
  if (leftOut.length === typical.value.length) return err(leftOut);
  const without = new Set(leftOut.map(({ path }) => path));
  const notes = leftOut.map(({ path, message }) => ({ code: "receiver-left-out", path, message }));
  return ok({ agents: typical.value.filter((agent) => !without.has(agent)), unfit: [], notes });
}

/** Why this agent may not receive it, judged in its own dialect; null: it may. */
function receiverFault(request: Request, sent: Definition, agent: string): Problem | null {
  const member = request.roster.get(agent);
  // The owner stands outside the matrix and may read everything.
  if (member === undefined) return null;
  const judged = definitionFor(sent, request.dialectOf(member.dialect));
  const allowed = receiverRoles(judged, request.definition?.routing ?? []);
  if (allowed.includes(member.role)) return null;
  return problem(
    "receiver-not-authorised",
    agent,
    `${agent} is ${member.role}, which does not receive ${judged.type} in ${judged.dialect}.`,
    {
      expected: allowed.join(" | "),
      received: member.role,
      hint: "Leave --to out to reach those the dialect names, or widen `routing` in .baton/team.yaml.",
    },
  );
}

function proseWithoutReceiver(): Problem {
  return problem("no-receiver", "$", "Prose has no typical receivers, and none is named.", {
    hint: "Name who should read it: --to AGENT or --to role:ROLE.",
  });
}
