/**
 * Who really acts: an identity proven by a credential or attested by the local launcher, never by a field of the
 * message. Source: docs/protocol/record.md, section 1.
 */
import type { Department, Role } from "./role.ts";

/** How the identity was established. */
export type Via = "token" | "launcher" | "hook";

/** An acting identity. `agent` is `owner` for the person; `role` is null for a name the roster does not know. */
export interface Principal {
  readonly agent: string;
  readonly role: Role | null;
  readonly department?: Department;
  readonly via: Via;
  /** Of the owner's decisions: the invited person who made one; absent: it was the owner. */
  readonly person?: string;
}

/** Who decided, as it is shown and recorded: an invited person is `owner:NAME`. No agent's name has a colon. */
export function deciderName({
  agent,
  person,
}: {
  readonly agent: string;
  readonly person?: string | undefined;
}): string {
  return person === undefined ? agent : `${agent}:${person}`;
}

/** The name under which the person who owns the team acts. No agent may be called so. */
export const ownerName = "owner";

/** In whose name the claims of a planning folder are recorded: nobody knows who did that work. */
export const unknownAuthor = "before-baton";

/** The name under which Baton itself records, when a deadline passes. */
export const batonName = "baton";

/** Whether this is the name of the person who owns the team, or of Baton, however it is written. */
export function isOwnersOrBatons(name: string): boolean {
  return [ownerName, batonName].includes(name.toLowerCase());
}

/**
 * Names that readers take for a person, for the system, or for everybody, in small letters and without separators. An
 * agent of such a name would be believed, or addressed, as somebody else.
 * Source: docs/protocol/authority.md, section 12.
 */
export const reservedNames: readonly string[] = [
  ownerName,
  batonName,
  // The system, and the person who runs it.
  ..."system admin administrator root operator overseer humanoverseer".split(" "),
  // Some person.
  ..."user users human person me myself self you anonymous unknown".split(" "),
  // Everybody, or nobody.
  ..."all any anyone anybody everyone everybody nobody noone none broadcast".split(" "),
];

/** Whether no agent may be called so, whatever the case of its letters and whatever separates its words. */
export function isReservedName(name: string): boolean {
  return reservedNames.includes(name.toLowerCase().replaceAll(/[._-]/g, ""));
}

/** Why a reserved name is refused. */
export function reservedNameMessage(name: string): string {
  return `The name "${name}" means a person, everybody, or Baton itself, so no agent may have it.`;
}

/** What is suggested where a name cannot be taken. */
export const nameHint = 'Name the agent after what it does, such as "dev-1".';

/** The name among `known` that differs from this one in the case of its letters only; null: there is none. */
export function nameInOtherCase(name: string, known: Iterable<string>): string | null {
  const folded = name.toLowerCase();
  for (const each of known) if (each !== name && each.toLowerCase() === folded) return each;
  return null;
}

/** Why a name is refused that differs from another in the case of its letters only. */
export function otherCaseMessage(name: string, other: string): string {
  return `The name "${name}" differs from "${other}" in capital letters only, and people would take one for the other.`;
}
