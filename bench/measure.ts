/**
 * How measuring goes: a subject and its yardstick take turns in one run on one machine, and what counts is the ratio of
 * their medians. Absolute numbers of a shared machine say little; ratios of one run say what Baton adds.
 */

/** Something to measure; `subject` and `yardstick` each do one round and answer milliseconds for one operation. */
export interface Pair {
  yardstick(): number | Promise<number>;
  subject(): number | Promise<number>;
  close?(): void | Promise<void>;
}

/** What is demanded of the ratio. `time`: subject / yardstick at most; `rate`: yardstick / subject at least. */
export type Target =
  | { readonly of: "time"; readonly atMost: number }
  | { readonly of: "rate"; readonly atLeast: number };

export interface Measure {
  readonly name: string;
  readonly subject: string;
  readonly yardstick: string;
  readonly target: Target;
  readonly rounds: number;
  /**
   * `folder` is empty, on the disk of the repository, and removed afterwards. What is left to `opened` is closed after the
   * last round, and also where opening fails: a hub that runs on would serve a folder that is gone.
   */
  open(folder: string, opened: AsyncDisposableStack): Promise<Pair>;
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface Outcome {
  readonly measure: Measure;
  readonly subject: Spread;
  readonly yardstick: Spread;
  readonly ratio: number;
  readonly met: boolean;
}

/** Runs a measure: one unmeasured round of each, then turns. */
export async function take(measure: Measure, folder: string): Promise<Outcome> {
  await using opened = new AsyncDisposableStack();
  const pair = await measure.open(folder, opened);
  try {
    await pair.yardstick();
    await pair.subject();
    const yardsticks: number[] = [];
    const subjects: number[] = [];
    for (let round = 0; round < measure.rounds; round++) {
      yardsticks.push(await pair.yardstick());
      subjects.push(await pair.subject());
    }
    return judge(measure, spreadOf(subjects), spreadOf(yardsticks));
  } finally {
    await pair.close?.();
  }
}

function judge(measure: Measure, subject: Spread, yardstick: Spread): Outcome {
  const { target } = measure;
  if (target.of === "time") {
    const ratio = subject.median / yardstick.median;
    return { measure, subject, yardstick, ratio, met: ratio <= target.atMost };
  }
  const ratio = yardstick.median / subject.median;
  return { measure, subject, yardstick, ratio, met: ratio >= target.atLeast };
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return { median: at(Math.floor(sorted.length / 2)), least: at(0), most: at(sorted.length - 1) };
}

/** The first line of the table. */
export const headOfTable = lineOf(["", "ratio", "target", "subject", "yardstick"]);

/** An outcome as a line of the table: the ratio of the medians, its target, and both medians with their ranges. */
export function tableRow({ measure, subject, yardstick, ratio, met }: Outcome): string {
  const { name, target } = measure;
  const demand = target.of === "time" ? `<= ${target.atMost}` : `>= ${target.atLeast}`;
  return lineOf([
    name,
    ratio.toFixed(2),
    met ? demand : `${demand} MISSED`,
    rangeOf(subject),
    `${rangeOf(yardstick)} ${measure.yardstick}`,
  ]);
}

function lineOf([name = "", ratio = "", target = "", subject = "", yardstick = ""]: readonly string[]): string {
  return `${name.padEnd(62)}  ${ratio.padStart(5)}  ${target.padEnd(14)}  ${subject.padEnd(30)}  ${yardstick}`;
}

function rangeOf({ median, least, most }: Spread): string {
  return least === most ? timeOf(median) : `${timeOf(median)} (${timeOf(least)} to ${timeOf(most)})`;
}

function timeOf(ms: number): string {
  return ms >= 1 ? `${ms.toFixed(ms >= 100 ? 0 : 1)} ms` : `${(ms * 1000).toFixed(0)} us`;
}

/** Milliseconds that one of `count` operations took inside `act`. */
export async function timed(count: number, act: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return (performance.now() - start) / count;
}
