/**
 * Resolutions of escalations, as far as others may pass them on: what was decided, by whom, as one digest each. Who
 * passes a resolution on in another's name repeats what is recorded, to the letter, or is refused.
 * Source: docs/protocol/authority.md, section 7; docs/protocol/escalations.md.
 */
import { canonical } from "../../base/canonical.ts";
import { sha256 } from "../../base/digest.ts";
import { ok } from "../../base/result.ts";
import type { FactBodies } from "../../message/fact-bodies.ts";
import type { Decider } from "../decider.ts";

/** A resolution as it was first recorded. */
export interface RecordedResolution {
  /** Who decided, as the message says: proven when it was recorded. */
  readonly resolvedBy: string;
  readonly sender: string;
  readonly seq: number;
}

export interface Resolutions {
  /** By the digest of everything that a resolution says. */
  readonly recorded: Map<string, RecordedResolution>;
}

/** Orders about resolutions. */
export interface ResolutionCommand {
  readonly command: "record-resolution";
  readonly body: FactBodies["resolution"];
  readonly sender: string;
  readonly seq: number;
}

/** What happened to resolutions. */
export interface ResolutionEvent extends RecordedResolution {
  readonly event: "resolution-recorded";
  readonly digest: string;
}

/** Refuses nothing. A resolution that says what is recorded already is passed on, which changes nothing. */
export const resolutions: Decider<Resolutions, ResolutionCommand, ResolutionEvent> = {
  name: "resolutions",
  initial: () => ({ recorded: new Map() }),
  decide({ body, sender, seq }, state) {
    const before = resolutionLike(state, body);
    if (before !== null) {
      const message = `Repeats what ${before.sender} decided at entry ${before.seq}; it is passed on.`;
      return ok({ events: [], notes: [{ code: "resolution-repeated", path: "$", message }] });
    }
    const { resolvedBy } = body;
    return ok({
      events: [{ event: "resolution-recorded", digest: digestOf(body), resolvedBy, sender, seq }],
      notes: [],
    });
  },
  evolve(state, { digest, resolvedBy, sender, seq }) {
    state.recorded.set(digest, { resolvedBy, sender, seq });
    return state;
  },
};

/** The recorded resolution that says the same, word for word, or null. */
export function resolutionLike(state: Resolutions, body: FactBodies["resolution"]): RecordedResolution | null {
  return state.recorded.get(digestOf(body)) ?? null;
}

function digestOf({
  originalEscalation,
  decision,
  rationale,
  actionItems,
  resolvedBy,
}: FactBodies["resolution"]): string {
  return sha256(canonical({ originalEscalation, decision, rationale, actionItems, resolvedBy }));
}
