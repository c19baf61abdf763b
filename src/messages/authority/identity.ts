/**
 * Whether a message says of its sender what is proven: its role, and every field by which it names who speaks or who
 * decided. A message that repeats a recorded resolution may name who decided it; nothing else speaks for another.
 * Source: docs/protocol/authority.md, sections 3, 7 and 8.
 */
import { argument } from "../../base/argument.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import { membersOf, type Roster, registeringCommand, unknownAgent } from "../../team/state/roster.ts";
import type { Definition } from "../dialects/dialect.ts";
import { type Fact, says } from "../facts.ts";
import { ownerName, type Principal } from "../principal.ts";
import { namesInPrograms, withoutSession } from "../program-hooks.ts";
import { levels, type Role } from "../role.ts";
import { levelOf } from "./chain-of-command.ts";

type Wire = { readonly [key: string]: unknown };

/** What an identity is judged by. */
export interface Claimed {
  readonly principal: Principal;
  readonly roster: Roster;
  /** The message as it was read; null: prose. */
  readonly message: Wire | null;
  /** Its definition, or null. */
  readonly sent: Definition | null;
  /** Whether the sender passes on what the user decided, as the team file lets it. */
  readonly speaksForUser: boolean;
  /** Who decided what the message passes on, where it repeats a recorded resolution; else null. */
  readonly repeated: string | null;
}

/** `unknown-agent`, `retired-agent` or `identity-mismatch`, in this order; null: the sender is who the message says. */
export function identityProblem(claimed: Claimed): Problem | null {
  const { agent } = claimed.principal;
  const member = claimed.roster.get(agent);
  if (agent !== ownerName && member === undefined) {
    return unknownAgent(agent, claimed.roster.keys());
  }
  if (member?.status === "retired") {
    return makeProblem("retired-agent", agent, `${agent} is retired and may send nothing more.`, {
      hint: `Registering it again starts a new session: \`${registeringCommand(member)}\`.`,
    });
  }
  return claimed.message === null ? null : (foreignClaim(claimed, claimed.message) ?? roleProblem(claimed));
}

/** Fields that name a message's sender, in addition to `author_role`, in the envelope or the payload. */
const senderFields = ["from", "agent_id", "source_agent", "resolved_by"];

/** A claim that somebody else speaks. `decided_by` is written by Baton alone, for the owner. */
function foreignClaim(claimed: Claimed, message: Wire): Problem | null {
  return (
    foreignClaimIn(claimed, message, "$") ??
    foreignClaimIn(claimed, fieldsIn(message.payload), "$.payload") ??
    foreignClaimIn(claimed, fieldsIn(fieldsIn(message.handoff).metadata), "$.handoff.metadata")
  );
}

function foreignClaimIn(claimed: Claimed, fields: Wire, place: string): Problem | null {
  if (Object.hasOwn(fields, "decided_by")) {
    return makeProblem("identity-mismatch", `${place}.decided_by`, "Only Baton says who decided in another's place.", {
      expected: "no such field",
      hint: "Leave it out: the sender of a message is who decided.",
    });
  }
  for (const name of senderFields) {
    const said = Object.hasOwn(fields, name) ? fields[name] : undefined;
    // Records of Baton name any agent: who may send one is judged next, which is nobody.
    if (typeof said !== "string" || claimed.sent?.wire === "internal") continue;
    const own = ownNames(claimed, name);
    if (own.includes(withoutSession(said))) continue;
    if (name === "resolved_by" && said === claimed.repeated) continue;
    if (name === "resolved_by" && said === "user" && claimed.speaksForUser) continue;
    return foreignName(`${place}.${name}`, name, said, { ...claimed, own });
  }
  return null;
}

/**
 * Every name that is the sender's own in this field: the person who owns the team is also its user, and a lead is
 * called as its agent program calls it. If the field holds a level of the chain, an agent or a department that has the
 * name of another level is not on it.
 */
function ownNames({ principal, roster, sent }: Claimed, field: string): readonly string[] {
  const { agent, role, department } = principal;
  const level = sent?.routing.direction === "up" && role !== null ? levelOf(role) : null;
  const called = [agent, department].filter((name) => !(holdsLevel(sent, field) && isLevel(name)));
  const programs = namesInPrograms(role, (name) => roster.has(name));
  const names = [role, level, ...called, ...programs, ...(agent === ownerName ? [ownerName, "user"] : [])];
  return [...new Set(names.filter((name) => typeof name === "string"))];
}

/** Whether a field says from which level of the chain its sender speaks. */
function holdsLevel(sent: Definition | null, field: string): boolean {
  if (field === "from") return sent?.routing.direction === "up";
  return field === "resolved_by" && sent?.kind === "resolution";
}

function isLevel(name: string | undefined): boolean {
  return (levels as readonly (string | undefined)[]).includes(name);
}

function foreignName(
  path: string,
  name: string,
  said: string,
  { principal, roster, sent, own }: Claimed & { readonly own: readonly string[] },
): Problem {
  const message = `${principal.agent} sends this, but it says ${name} is another.`;
  const level =
    name === "from" && sent?.routing.direction === "up" && principal.role !== null ? levelOf(principal.role) : null;
  return makeProblem("identity-mismatch", path, message, {
    expected: own.join(" | "),
    received: said.slice(0, 160),
    hint: ownNameHint(name, said, { principal, roster, sent, level }),
  });
}

function toPerson(): string {
  return `Write to the person who owns the team in prose: \`${argument("to")} ${ownerName}\`.`;
}

/** Whom to ask to send what one's own role may not; where the team has nobody of these roles, how one comes. */
export function askingHint(senders: readonly Role[], roster: Roster): string {
  const there = senders.filter((role) => membersOf(roster, role).length > 0);
  if (there.length > 0) return `Ask an agent that is ${there.join(" or ")} to send it.`;
  if (senders.includes("owner")) return toPerson();
  const [role = "dev"] = senders;
  let number = 1;
  while (roster.has(`${role}-${number}`)) number += 1;
  const command = registeringCommand({ agent: `${role}-${number}`, role });
  return `Nobody in the team is ${senders.join(" or ")}; the person adds one: \`${command}\`.`;
}

/** How the sender says who it is, or who else is to send what it may not. */
function ownNameHint(
  name: string,
  said: string,
  {
    principal: { agent, role },
    roster,
    sent,
    level,
  }: Pick<Claimed, "principal" | "roster" | "sent"> & { readonly level: string | null },
): string {
  const isSender = role !== null && sent?.senders.includes(role) === true;
  if (sent?.kind === "resolution" && name === "resolved_by") {
    const mayPassOn = isSender ? "; pass that on word for word" : "";
    if (!isSender && !(said === "user" && role === "orchestrator")) return askingHint(sent.senders, roster);
    return said === "user"
      ? `The person decides with \`baton escalation resolve\`${mayPassOn}. Agents in \`speakers\` of .baton/team.yaml speak for the user.`
      : "Pass another's resolution on word for word, once it is recorded; what you decide yourself is in your own name.";
  }
  if (level !== null)
    return isSender
      ? `Write "${level}", the level of ${role}.`
      : `${toPerson()} What waits for you goes up by \`baton escalation raise ID\`.`;
  return sent?.kind === "handoff" ? `Write "${agent}", your own name.` : "Leave the field out, or write your own name.";
}

const noFields: Wire = {};

function fieldsIn(value: unknown): Wire {
  return typeof value === "object" && value !== null ? (value as Wire) : noFields;
}

/** How the person who owns the team does what an agent does by this message; null: as an agent. */
export function ownersWay({ agent }: Principal, sent: Definition | null): string | null {
  return agent === ownerName && sent?.kind === "shutdown-request" ? "Ask agents to stop by `baton stop`." : null;
}

function roleProblem({ message, principal, sent }: Claimed): Problem | null {
  const { agent } = principal;
  const said = message?.author_role;
  if (typeof said !== "string" || said === principal.role) return null;
  const hint =
    ownersWay(principal, sent) ??
    (agent === ownerName
      ? `The owner has no part in the role matrix: send as an agent by \`${argument("actor")}\`, or answer with \`baton approve\`.`
      : `Write "${principal.role}", or send as an agent that is ${said}.`);
  return makeProblem(
    "identity-mismatch",
    "$.author_role",
    `${agent} is ${principal.role} here, but the message says ${said}.`,
    {
      expected: principal.role ?? "the sender's own role",
      received: said,
      hint,
    },
  );
}

/**
 * Whether the sender passes on what the user has decided: the team file names it as a speaker, and its message says so.
 * It then sends as the user may, and the record keeps its own name. Rules: docs/protocol/authority.md, section 20.
 */
export function isForUser({
  principal,
  definition,
  reading,
}: {
  readonly principal: Principal;
  readonly definition: Pick<TeamDefinition, "speakers"> | null;
  readonly reading: { readonly fact: Fact | null };
}): boolean {
  const { fact } = reading;
  return (
    fact !== null &&
    says(fact, "resolution") &&
    fact.body.resolvedBy === "user" &&
    definition?.speakers?.includes(principal.agent) === true
  );
}

/** The speaker as it sends what the user decided. */
export function asUser({ agent, via }: Principal): Principal {
  return { agent, role: "user", via };
}
