/**
 * Checks on ourselves. A broken invariant is a bug of ours, never an error of a message, a file or a caller's data:
 * those are returned as problems. Doors let an `InvariantError` end the command with exit code 1.
 */

/** Thrown only for states that our own code promised to make impossible. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}

/** Throws `InvariantError` when `condition` does not hold. `promise` says what should have been true. */
export function invariant(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new InvariantError(`broken invariant: ${promise}`);
}

/** Marks a branch that the types prove empty; a new case then fails to compile here. */
export function unreachable(value: never): never {
  throw new InvariantError(`unreachable case: ${JSON.stringify(value)}`);
}

/** A value whose fields its maker still sets; every other reader takes it as `Value`. */
export type Mutable<Value> = { -readonly [Field in keyof Value]: Value[Field] };
