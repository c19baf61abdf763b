/**
 * Says of most ids at once that no run holds them, however long the log is: a Bloom filter over the numbers of all held
 * ids. Of the ids that nobody holds it lets one in some hundreds through; those are then looked for in the runs.
 */
import type { IdRun } from "./runs.ts";

const bitsPerId = 16;
const marksPerId = 4;
const bitsMin = 2 ** 16;

export class IdFilter {
  readonly #runs: readonly IdRun[];
  #bits: Uint32Array = new Uint32Array(0);
  /** So many more ids fit. */
  #room = 0;

  /** The filter of these runs, to which more are added. */
  constructor(runs: readonly IdRun[]) {
    this.#runs = runs;
    this.#makeRoom();
  }

  /** Takes in the run that was added last. */
  add(run: IdRun): void {
    if (this.#room < run.keys.length) this.#makeRoom();
    else this.#mark(run);
  }

  /** False: no run holds an id with this number of 48 bits. */
  mayHold(key: number): boolean {
    const bits = this.#bits;
    const step = stepOf(key);
    let place = key | 0;
    for (let mark = 0; mark < marksPerId; mark += 1) {
      if (((bits[wordOf(place, bits)] ?? 0) & (1 << (place & 31))) === 0) return false;
      place = (place + step) | 0;
    }
    return true;
  }

  #mark({ keys }: IdRun): void {
    const bits = this.#bits;
    this.#room -= keys.length;
    for (const key of keys) {
      const step = stepOf(key);
      let place = key | 0;
      for (let mark = 0; mark < marksPerId; mark += 1) {
        const word = wordOf(place, bits);
        bits[word] = (bits[word] ?? 0) | (1 << (place & 31));
        place = (place + step) | 0;
      }
    }
  }

  /** Makes the filter again, twice as large as the ids need. */
  #makeRoom(): void {
    const ids = this.#runs.reduce((sum, { keys }) => sum + keys.length, 0);
    this.#bits = new Uint32Array(Math.max(bitsMin, 2 ** Math.ceil(Math.log2(2 * ids * bitsPerId))) / 32);
    this.#room = (this.#bits.length * 32) / bitsPerId;
    for (const run of this.#runs) this.#mark(run);
  }
}

/** From the other end of the number than the first place; odd, so that the places differ. */
function stepOf(key: number): number {
  return (key / 2 ** 24) | 1;
}

/** The word of a place; the number of words is a power of two. */
function wordOf(place: number, { length }: Uint32Array): number {
  return (place >>> 5) & (length - 1);
}
