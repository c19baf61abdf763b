/**
 * Departments: where several are active, agents talk inside their own. Across go leads with the messages meant for
 * it, leads and architects with the owner, and agents of the shared department with every lead.
 * Source: docs/protocol/authority.md, section 6.
 */

import type { Roster } from "../../team/state/roster.ts";
import type { Definition } from "../dialects/dialect.ts";
import { type Department, isWorkDepartment, type Role, type WorkDepartment } from "../role.ts";

/** Somebody of the team, as far as departments go. */
export interface Colleague {
  readonly role: Role;
  readonly department?: Department;
}

const sharedRoles: readonly Role[] = ["critic", "scout", "debugger", "security"];

/** The department of a colleague: the one it is registered in, or the one its role belongs to; null: none. */
export function departmentOf({ role, department }: Colleague): Department | null {
  if (department !== undefined) return department;
  if (role === "owner") return "owner";
  return sharedRoles.includes(role) ? "shared" : null;
}

/** Rosters are replaced, never changed, and this is asked of one with every message. */
const known = new WeakMap<Roster, readonly WorkDepartment[]>();

/** The departments that have agents at work, in the order they came. */
export function activeDepartments(roster: Roster): readonly WorkDepartment[] {
  const there = known.get(roster);
  if (there !== undefined) return there;
  const active = new Set<WorkDepartment>();
  for (const { status, department } of roster.values()) {
    if (status === "active" && department !== undefined && isWorkDepartment(department)) active.add(department);
  }
  const found = [...active];
  known.set(roster, found);
  return found;
}

/** Whether two or more departments have agents at work. */
export function areSeveralActive(roster: Roster): boolean {
  return activeDepartments(roster).length > 1;
}

/** Rosters are replaced, never changed, and this is asked of one with every claim. */
const everWorking = new WeakMap<Roster, ReadonlySet<Department>>();

/** The departments in which agents work or ever worked; who left does not make two departments one. */
export function workingDepartments(roster: Roster): ReadonlySet<Department> {
  const there = everWorking.get(roster);
  if (there !== undefined) return there;
  const found = new Set([...roster.values()].flatMap(({ department }) => department ?? []).filter(isWorking));
  everWorking.set(roster, found);
  return found;
}

/** Whether a department does the work, rather than advising those that do. */
export function isWorking(department: Department): boolean {
  return isWorkDepartment(department);
}

/** Whether `sent` may go from one colleague to another while several departments are active. */
export function mayCross(sent: Definition, sender: Colleague, receiver: Colleague): boolean {
  const [source, target] = [departmentOf(sender), departmentOf(receiver)];
  const { across } = sent.routing;
  if (across !== undefined) {
    return (
      source !== null &&
      target !== null &&
      source !== target &&
      across.senders.includes(source) &&
      across.receivers.includes(target)
    );
  }
  return mayTalk(sender, receiver);
}

/** Whether colleagues may talk to each other, with no message that is meant to go across, while several are active. */
export function mayTalk(sender: Colleague, receiver: Colleague): boolean {
  const [source, target] = [departmentOf(sender), departmentOf(receiver)];
  // Who is in no department is behind no wall.
  if (source === null || target === null || source === target) return true;
  if (source === "owner" || target === "owner") return isOwnersPartner(source === "owner" ? receiver : sender);
  if (source === "shared") return receiver.role === "lead";
  return target === "shared" && sender.role === "lead";
}

function isOwnersPartner({ role }: Colleague): boolean {
  return role === "lead" || role === "architect";
}
