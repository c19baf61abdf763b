/** Roles that an agent of a team may have. The dialects' documents name them. */

/** Every role, those of the second revisions first. */
export const roles = [
  "lead",
  "dev",
  "qa",
  "scout",
  "debugger",
  "architect",
  "docs",
  "critic",
  "tester",
  "senior",
  "qa-lead",
  "qa-code",
  "security",
  "owner",
  "orchestrator",
  "user",
] as const;
/** The role of an agent, such as `lead`, `dev` or `qa`. Rights follow from it: docs/protocol/authority.md. */
export type Role = (typeof roles)[number];

/** Whether `text` names a role. */
export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Departments that an agent may belong to. */
export const departments = ["backend", "frontend", "uiux", "shared", "owner"] as const;
/** The part of a company that an agent belongs to, such as `backend`. Rules: docs/protocol/authority.md, section 6. */
export type Department = (typeof departments)[number];

/** Those that build something, and so go through the steps of a phase. */
export const workDepartments = ["backend", "frontend", "uiux"] as const satisfies readonly Department[];
export type WorkDepartment = (typeof workDepartments)[number];

/** Whether a department is one that builds something. */
export function isWorkDepartment(department: string): department is WorkDepartment {
  return (workDepartments as readonly string[]).includes(department);
}

/*
 * The levels of a team's chain of command. The dialects' documents name them where an escalation says whence it comes
 * and where it goes.
 */

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
  // Speaks for the user to leads, and is in no chain itself.
  orchestrator: null,
};

/** Roles that advise and verify. They escalate as a senior does, and decide nothing in the chain. */
export const advisingRoles: readonly Role[] = ["qa", "qa-lead", "qa-code", "scout", "critic", "security", "debugger"];
