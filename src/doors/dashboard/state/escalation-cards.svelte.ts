/**
 * What is held up as it lies before a person, with what has come to the person first. What is decided, here or elsewhere,
 * keeps its place for a moment and says by whom.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Escalation } from "../../../coordination/escalations/escalation-state.ts";
import type { Receipt } from "../../../journal/entry.ts";
import { ask, newActId, teamPath } from "../hub/request.ts";
import { escalationWords, isPersons } from "../shown/outcome-text.ts";
import { Ending } from "./decision.svelte.ts";

export class EscalationCard {
  readonly id: string;
  /** Its state when it was last open. */
  escalation: Escalation;
  readonly answer: EscalationAnswer;
  readonly ending = new Ending();

  constructor(team: string, escalation: Escalation) {
    this.id = escalation.id;
    this.escalation = $state.raw(escalation);
    this.answer = new EscalationAnswer(team, escalation.id);
  }
}

export class EscalationCards {
  list = $state.raw<readonly EscalationCard[]>([]);

  readonly #team: string;
  readonly #clock: Clock;

  constructor(team: string, clock: Clock) {
    this.#team = team;
    this.#clock = clock;
  }

  /** Takes what is held up now; a card whose matter ended says so and leaves, and a new matter gets a new card. */
  take(open: readonly Escalation[]): void {
    const left = new Map(open.map((each) => [each.id, each]));
    const kept = this.list.filter((card) => {
      const now = left.get(card.id);
      if (now === undefined) {
        if (!card.answer.busy) void this.#endElsewhere(card);
        return true;
      }
      if (card.ending.words !== null) return false;
      card.escalation = now;
      left.delete(card.id);
      return true;
    });
    const cards = [...kept, ...[...left.values()].map((each) => new EscalationCard(this.#team, each))];
    const isFirst = ({ escalation }: EscalationCard) => Number(isPersons(escalation));
    this.list = cards.toSorted((one, other) => isFirst(other) - isFirst(one));
  }

  /** Gives the decision that is written on the card; says whether it was taken. */
  async give(card: EscalationCard): Promise<boolean> {
    const given = await card.answer.give();
    if (given !== null) void this.#end(card, `Decided, entry ${given.seq}`, "own");
    return given !== null;
  }

  async #endElsewhere(card: EscalationCard): Promise<void> {
    if (card.ending.words !== null) return;
    const path = teamPath(this.#team, "escalations", { escalation: card.id });
    const found = await ask<{ escalations: readonly Escalation[] }>(path);
    const words = escalationWords(found.ok ? found.value.escalations[0] : undefined);
    if (!card.answer.busy) await this.#end(card, words, "others");
  }

  #end(card: EscalationCard, words: string, by: "own" | "others"): Promise<void> {
    return card.ending.say(words, by, this.#clock, () => {
      this.list = this.list.filter((each) => each !== card);
    });
  }
}

/*
 * The decision that a person is writing for one escalation, and what became of it. Retries of one decision carry one id,
 * so that one whose outcome was not heard has its effect once.
 */
class EscalationAnswer {
  decision = $state("");
  busy = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #team: string;
  readonly #escalation: string;
  /** The last decision that was tried, and the id under which. */
  #tried: { readonly text: string; readonly id: string } | null = null;

  constructor(team: string, escalation: string) {
    this.#team = team;
    this.#escalation = escalation;
  }

  /** Gives the decision as it is written; the seq is its entry's. Null: it was not taken. */
  async give(): Promise<{ readonly seq: number } | null> {
    const decision = this.decision.trim();
    if (decision === "" || this.busy) return null;
    this.busy = true;
    if (this.#tried?.text !== decision) this.#tried = { text: decision, id: newActId() };
    const path = teamPath(this.#team, `escalations/${encodeURIComponent(this.#escalation)}`);
    const body = { decision, id: this.#tried.id };
    const reply = await ask<{ readonly receipt: Receipt }>(path, { method: "POST", body });
    this.busy = false;
    this.problems = reply.ok ? [] : reply.error.problems;
    return reply.ok ? { seq: reply.value.receipt.seq } : null;
  }
}
