/**
 * In which dialects departments speak through their leads only. Prose obeys this too, and it loads no dialect: so the list
 * of what their tables say (`isolatesDepartments`) is here, and a test compares them.
 */
import type { DialectId } from "../message.ts";

const isolating: readonly DialectId[] = ["yolo/1"];

/** Whether agents of several active departments are kept apart in this dialect. */
export function isolatesDepartments(dialect: DialectId): boolean {
  return isolating.includes(dialect);
}
