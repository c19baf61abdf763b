/**
 * Asking that is never done twice at once. Entries that come together are one asking, what comes while one goes on is one
 * more, a moment later: however many there are, what is shown is asked a few times a second at most, and last of all after
 * the last.
 */
import type { Clock } from "../../../base/clock.ts";

/** How long entries gather: longer than those of one act are apart, shorter than a person notices. */
const gatherMs = 60;
const pauseMs = 300;

export class Joined {
  readonly #ask: () => Promise<void>;
  readonly #clock: Clock;
  #asking = false;
  #gathering = false;
  #askAgain = false;

  constructor(ask: () => Promise<void>, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** Whether an answer is on its way, or about to be asked for. */
  get isUnderWay(): boolean {
    return this.#asking || this.#gathering;
  }

  /** Asks, unless it is being asked: then once more when that is over, and this returns at once. */
  async run(): Promise<void> {
    if (this.#asking) {
      this.#askAgain = true;
      return;
    }
    this.#asking = true;
    do {
      this.#askAgain = false;
      await this.#ask();
      if (this.#askAgain) await this.#clock.wait(pauseMs);
    } while (this.#askAgain);
    this.#asking = false;
  }

  /** Asks a moment later, once for all calls until then. */
  async soon(): Promise<void> {
    if (this.#gathering) return;
    this.#gathering = true;
    await this.#clock.wait(gatherMs);
    this.#gathering = false;
    await this.run();
  }
}
