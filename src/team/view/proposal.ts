/** A change of the team file that waits for the owner, or was declined. */
import type { ProposalView } from "../operations/status.ts";
import type { TeamRevisionState } from "../state/revision.ts";
import { compareDefinitions } from "../state/revision-changes.ts";

/** What waits for the owner, or was declined; null: the file says what is in force. */
export function proposalView({ definition, proposal, roster }: TeamRevisionState): ProposalView | null {
  if (definition === null || proposal === null) return null;
  const { id, status, reason = null } = proposal;
  return { id, status, reason, changes: compareDefinitions(definition, proposal.definition, roster).changes };
}
