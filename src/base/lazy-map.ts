/** A map whose keys are known and whose values are made when they are first asked for. */

/** The map of `keys`, in their order; `make` is called at most once a key. */
export function lazyMap<Value>(keys: readonly string[], make: (key: string) => Value): ReadonlyMap<string, Value> {
  const known = new Set(keys);
  const made = new Map<string, Value>();
  const taken = (key: string): Value => {
    const there = made.get(key);
    if (there !== undefined) return there;
    const value = make(key);
    made.set(key, value);
    return value;
  };
  function* entries(): MapIterator<[string, Value]> {
    for (const key of known) yield [key, taken(key)];
  }
  function* values(): MapIterator<Value> {
    for (const key of known) yield taken(key);
  }
  const map: ReadonlyMap<string, Value> = {
    size: known.size,
    get: (key) => made.get(key) ?? (known.has(key) ? taken(key) : undefined),
    has: (key) => known.has(key),
    keys: () => known.keys(),
    values,
    entries,
    [Symbol.iterator]: entries,
    forEach: (visit) => {
      for (const [key, value] of entries()) visit(value, key, map);
    },
  };
  return map;
}
