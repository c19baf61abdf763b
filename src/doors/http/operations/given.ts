/** Fields that were given: an option that is absent and one that is undefined are different things. */

type Given<Value> = { [Key in keyof Value]?: Exclude<Value[Key], undefined> };

/** `value` without its undefined fields. */
export function given<Value extends object>(value: Value): Given<Value> {
  const kept = Object.entries(value).filter(([, field]) => field !== undefined);
  // Only undefined fields are dropped, which is what the type says.
  return Object.fromEntries(kept) as Given<Value>;
}
