/**
 * Who really acts: an identity proven by a credential or attested by the local launcher, never by a field of the
 * message. Source: guarantees.md, first paragraph and section 0.
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
}

/** The name under which the person who owns the team acts. No agent may be called so. */
export const ownerName = "owner";

/** The name under which Baton itself records, when a deadline passes. */
export const batonName = "baton";

/** Whether no agent may be called so, however it is written. */
export function isReservedName(name: string): boolean {
  return [ownerName, batonName].includes(name.toLowerCase());
}
