/**
 * How many equal texts came before, without keeping them: a table of half digests in plain memory, 8 bytes a text and as
 * much room again, so that a long file costs little. Two texts that share 53 bits would be counted as one; that is less
 * likely than a broken disk up to many millions, and then a text is kept under another number and nothing is lost.
 */
import { createHash } from "node:crypto";

export interface Repeats {
  /** The how manieth of equal texts this is, from 1 on. */
  count(text: string): number;
}

const emptySlots = 1024;
/** 53 bits: as much as a number keeps exactly. */
const highFactor = 2 ** 32;
const highMask = 0x1f_ff_ff;

/** A count that has seen nothing. */
export function newRepeats(): Repeats {
  // A number of 0 is a free slot; no mark is 0.
  let slots = new Float64Array(emptySlots);
  let held = 0;
  /** Texts that came more than once, by their mark: how often. */
  const more = new Map<number, number>();
  const slotOf = (marks: Float64Array, mark: number): number => {
    let at = mark % marks.length;
    while (marks[at] !== 0 && marks[at] !== mark) at = (at + 1) % marks.length;
    return at;
  };
  const grow = (): void => {
    const wider = new Float64Array(slots.length * 2);
    for (const mark of slots) if (mark !== 0) wider[slotOf(wider, mark)] = mark;
    slots = wider;
  };
  return {
    count(text) {
      const mark = markOf(text);
      const at = slotOf(slots, mark);
      if (slots[at] === mark) {
        const nth = (more.get(mark) ?? 1) + 1;
        more.set(mark, nth);
        return nth;
      }
      slots[at] = mark;
      held += 1;
      if (held * 2 > slots.length) grow();
      return 1;
    },
  };
}

function markOf(text: string): number {
  const digest = createHash("sha256").update(text).digest();
  return (digest.readUInt32LE(0) & highMask) * highFactor + digest.readUInt32LE(4) + 1;
}
