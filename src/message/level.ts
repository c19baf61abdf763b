/**
 * The levels of a team's chain of command. The dialects' documents name them where an escalation says whence it comes
 * and where it goes.
 */
import type { Role } from "./role.ts";

/** Levels from the lowest to the highest, in the words of the wire. */
export const levels = ["dev", "senior", "lead", "architect", "owner", "user"] as const;
export type Level = (typeof levels)[number];

/** The level that each role names when it escalates; null: it names none. Advisers name the senior's. */
export const levelOfRole: { readonly [role in Role]: Level | null } = {
  dev: "dev",
  tester: "dev",
  docs: "dev",
  senior: "senior",
  qa: "senior",
  "qa-lead": "senior",
  "qa-code": "senior",
  scout: "senior",
  critic: "senior",
  security: "senior",
  debugger: "senior",
  lead: "lead",
  architect: "architect",
  owner: "owner",
  user: "user",
  // Speaks for the user to leads, and stands in no chain itself.
  orchestrator: null,
};

/** Roles that advise and verify. They escalate as a senior does, and decide nothing in the chain. */
export const advisingRoles: readonly Role[] = ["qa", "qa-lead", "qa-code", "scout", "critic", "security", "debugger"];
