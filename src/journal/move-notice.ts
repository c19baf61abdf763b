/**
 * The entry that says that a team continues in another journal. Nothing follows it in this one, unless the team comes back,
 * so the last entry of a team says where it is. Source: docs/protocol/record.md, section 17.
 */
import type { Entry } from "./entry.ts";

/** Where a team continues. */
export interface MoveNotice {
  /** The journal's address, without credentials. */
  readonly to: string;
  /** Whether the team had moved into this journal, and that was taken back. */
  readonly isUndone: boolean;
}

/** What the entry says about where the team continues; null: nothing. */
export function readMoveNotice({ kind, content, principal }: Entry): MoveNotice | null {
  if (kind !== "command" || principal.role !== "owner" || principal.via !== "launcher") return null;
  if (content === null || typeof content !== "object" || !("command" in content)) return null;
  const { command } = content as { readonly command?: Partial<Record<string, unknown>> };
  const { name, to, isUndone } = command ?? {};
  if (name !== "leave-journal" || typeof to !== "string") return null;
  return { to, isUndone: isUndone === true };
}
