/**
 * A result: a value, or the reason there is none. Whatever the outside can cause travels as a result;
 * exceptions are left for our own bugs (see invariant.ts).
 */

/**
 * A value, or why there is none. `if (result.ok)` tells them apart.
 *
 * @example
 * const found = await team.tasks();
 * if (found.ok) console.log(found.value.length);
 * else console.log(found.error.code, found.error.hint);
 */
export type Result<Value, Failure> = Ok<Value> | Err<Failure>;

export interface Ok<Value> {
  readonly ok: true;
  readonly value: Value;
}

export interface Err<Failure> {
  readonly ok: false;
  readonly error: Failure;
}

/** A success that carries `value`. */
export function ok<Value>(value: Value): Ok<Value> {
  return { ok: true, value };
}

/** A failure that carries its reason. */
export function err<Failure>(error: Failure): Err<Failure> {
  return { ok: false, error };
}
