/** Asking that is never done twice at once: calls while it goes on are joined into one more, a moment later. */
import type { Clock } from "../../../base/clock.ts";

const pauseMs = 300;

export class Joined {
  readonly #ask: () => Promise<void>;
  readonly #clock: Clock;
  #asking = false;
  #askAgain = false;

  constructor(ask: () => Promise<void>, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
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
}
