/** How a reader that goes down a text step by step says where the text does not go on as it must. */
import { err, ok, type Result } from "../result.ts";

/** A place where a text is not of its language, as an offset, and what would have fitted there. */
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
  } catch (fault) {
    if (fault instanceof Unfitting) return err(fault.unfit);
    throw fault;
  }
}
