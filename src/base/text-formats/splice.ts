/** Replaces pieces of a document and leaves the rest of it byte by byte. */
import { err, ok, type Result } from "../result.ts";

/** One piece of text in the place of another. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** `text` with these splices, whose places do not overlap. Of two at one place the later one comes behind the earlier. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let edited = text;
  // From the end, so that the places of the others stay.
  for (const splice of splices.toReversed().toSorted((a, b) => b.from - a.from)) {
    edited = edited.slice(0, splice.from) + splice.text + edited.slice(splice.to);
  }
  return edited;
}

/* How a reader reports where an input stops being valid. */

/** A place where an input is invalid, as an offset, and what would be valid there. */
export interface Unfit {
  readonly at: number;
  readonly expected: string;
}

/** How such a reader leaves its own recursion; `fitted` takes it, so nothing else is thrown. */
export class Unfitting extends Error {
  readonly unfit: Unfit;

  constructor(at: number, expected: string) {
    super(expected);
    this.unfit = { at, expected };
  }
}

/** What `read` gives, or the first place that does not fit. */
export function fitted<Value>(read: () => Value): Result<Value, Unfit> {
  try {
    return ok(read());
  } catch (problem) {
    if (problem instanceof Unfitting) return err(problem.unfit);
    throw problem;
  }
}
