/** What can happen to escalations, as facts of the journal. */
import type { Escalation, EscalationDecision, EscalationStep } from "./escalation-state.ts";

/** Somebody is held up, by something that nobody raised before. */
export interface EscalationOpened {
  readonly event: "escalation-opened";
  readonly escalation: Escalation;
}

/** More was said of an escalation that waits, by one more that it holds up or by the same. */
export interface EscalationTold {
  readonly event: "escalation-told";
  readonly id: string;
  readonly agent: string;
  readonly evidence: readonly string[];
  /** Choices that were offered beside those known; absent: none. */
  readonly options?: readonly string[];
  readonly mustDecide: boolean;
}

/** Baton told its level of it, which the message itself did not reach; the level's time runs from here. */
export interface LevelTold {
  readonly event: "level-told";
  readonly id: string;
  readonly dueAtMs: number;
}

/** It waits at another level, or again at one that decided it: by an agent's word or by silence. */
export interface EscalationRaised {
  readonly event: "escalation-raised";
  readonly id: string;
  readonly step: EscalationStep;
  readonly round: number;
  readonly mustDecide: boolean;
  readonly evidence: readonly string[];
  /** Choices that were offered beside those known, and what whoever raised it would do; absent: none, nothing. */
  readonly options?: readonly string[];
  readonly recommendation?: string;
  readonly dueAtMs: number | null;
}

/** It was decided; those who were held up have not gone on yet. */
export interface EscalationResolved {
  readonly event: "escalation-resolved";
  readonly id: string;
  readonly decision: EscalationDecision;
}

/** Whoever was held up goes on. */
export interface EscalationClosed {
  readonly event: "escalation-closed";
  readonly id: string;
  readonly seq: number;
  readonly atMs: number;
}

export type EscalationEvent =
  | EscalationOpened
  | EscalationTold
  | LevelTold
  | EscalationRaised
  | EscalationResolved
  | EscalationClosed;
