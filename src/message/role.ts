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
export type Role = (typeof roles)[number];

/** Whether `text` names a role. */
export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Departments that an agent may belong to. */
export const departments = ["backend", "frontend", "uiux", "shared", "owner"] as const;
export type Department = (typeof departments)[number];

/** Those that build something, and so go through the steps of a phase. */
export const workDepartments = ["backend", "frontend", "uiux"] as const satisfies readonly Department[];
export type WorkDepartment = (typeof workDepartments)[number];

/** Whether a department is one that builds something. */
export function isWorkDepartment(department: string): department is WorkDepartment {
  return (workDepartments as readonly string[]).includes(department);
}
