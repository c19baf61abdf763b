/**
 * How much a test tries: all of it in a long run (`node scripts/test.ts --long`), and in `npm test`, which has five minutes
 * on two processors, as much as shows the same thing. What is tried is the same in both; only how often differs.
 */

/** Whether this run takes the time that it needs. */
export const isLongRun = process.env.BATON_TEST_LONG === "1";

/** The first in a long run, else the second. */
export function inLongRun<Size>(whole: Size, otherwise: Size): Size {
  return isLongRun ? whole : otherwise;
}
