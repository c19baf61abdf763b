/** A value of a refused message, shortened to show what came. */

const shownCharactersMax = 80;
const shownDepthMax = 4;
const shownEntriesMax = 12;

/** A value as JSON on one line, at most 80 characters; never walks a large or deep value to its end. */
export function shortened(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = preview(value, shownDepthMax);
  return json.length <= shownCharactersMax ? json : `${json.slice(0, shownCharactersMax - 1)}…`;
}

function preview(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, shownCharactersMax + 1));
  if (Array.isArray(value)) {
    if (depth === 0) return "[…]";
    return `[${value.slice(0, shownEntriesMax).map((one) => preview(one, depth - 1))}]`;
  }
  if (!isObject(value)) return String(value);
  if (depth === 0) return "{…}";
  const fields = Object.keys(value).slice(0, shownEntriesMax);
  return `{${fields.map((key) => `${preview(key, 0)}:${preview(value[key], depth - 1)}`)}}`;
}

/** Whether a value has fields: neither null nor a list. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
