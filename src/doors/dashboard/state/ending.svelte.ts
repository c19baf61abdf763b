/**
 * What became of something that waited for an answer: a card says it in its place for a moment before it goes, so that
 * nothing disappears from under somebody who looks at it, edits it or listens to it.
 */
import type { Clock } from "../../../base/clock.ts";

/** How long a card stays: one's own answer needs only a glance; what somebody else did is read. */
const stayMs = { own: 2_000, others: 6_000 } as const;

export class Ending {
  /** What became of it; null: it is open. */
  words = $state<string | null>(null);
  /** Set by the card that is drawn: takes the focus to the words. */
  focus: () => void = () => undefined;
  /** Set by the card that is drawn: where it holds the focus, the focus goes on to what waits next. */
  passFocus: () => void = () => undefined;

  /** Says the words, and lets the card go a moment later by `leave`. Said once, it stays said. */
  async say(words: string, by: keyof typeof stayMs, clock: Clock, leave: () => void): Promise<void> {
    if (this.words !== null) return;
    this.words = words;
    await clock.wait(stayMs[by]);
    this.passFocus();
    leave();
  }
}
