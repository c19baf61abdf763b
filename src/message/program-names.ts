/**
 * Names that an agent program gives the members of a team, where they are not the team's own: Claude Code calls the one
 * who leads `team-lead`, and names a member with the session it belongs to (`worker@session-1a2b3c4d`).
 * Source: docs/protocol/reading.md, section 11.
 */

/** What Claude Code calls whoever leads a team. */
export const programLeadName = "team-lead";

/** The name without the session behind it; no agent's name and no role holds an `@`. */
export function withoutSession(name: string): string {
  const at = name.indexOf("@");
  return at > 0 ? name.slice(0, at) : name;
}

/**
 * Names by which agent programs call a member of the role, beside its own: `team-lead` for a lead, unless an agent of
 * the team is called so, who then is the only one it names (`isAgent`).
 */
export function namesInPrograms(role: string | null, isAgent: (name: string) => boolean): readonly string[] {
  return role === "lead" && !isAgent(programLeadName) ? [programLeadName] : [];
}
