/** What frames of the page take in a real browser, from their begin until they are painted. */
import type { Page } from "playwright-core";

export interface Frames {
  /** From the begin of each frame until it was painted. */
  readonly works: readonly number[];
  /** From each frame to the next. */
  readonly gaps: readonly number[];
}

/** What 240 frames take in each of which the page does `act`, in which `frame` is the frame's number. */
export function framesOf(page: Page, act: string): Promise<Frames> {
  return page.evaluate<Frames>(`new Promise((done) => {
    const works = [], gaps = [], channel = new MessageChannel();
    let frame = 0, begun = 0;
    // A message that is posted in a frame is received when the frame was painted.
    channel.port1.onmessage = () => works.push(performance.now() - begun);
    const next = () => {
      const now = performance.now();
      if (begun !== 0) gaps.push(now - begun);
      begun = now;
      if (frame++ === 240) return done({ works, gaps });
      requestAnimationFrame(next);
      ${act};
      channel.port2.postMessage(null);
    };
    requestAnimationFrame(next);
  })`);
}

/** The one in the middle. */
export function middle(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Above which there are five of a hundred. */
export function at95(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * 0.95)] ?? 0;
}
