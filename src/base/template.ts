/**
 * Sentences with places for values: `released {task}`. `{status|complete}` has a word for a value that is not there,
 * and what is in brackets, `[: {reason}]`, is left out where one of its values is not.
 */

/** The sentence with its values; one that is not there (null or empty) and has no other word is left out. */
export function fillTemplate(template: string, wordFor: (name: string) => string | null): string {
  const [first = "", ...others] = template.split("[");
  const filled = others.map((other) => {
    const end = other.indexOf("]");
    const inner = fillPlaces(other.slice(0, end), wordFor);
    return `${inner.isComplete ? inner.text : ""}${fillPlaces(other.slice(end + 1), wordFor).text}`;
  });
  return `${fillPlaces(first, wordFor).text}${filled.join("")}`;
}

/** The names of the values that a sentence has places for. */
export function placesIn(template: string): readonly string[] {
  const [, ...others] = template.split("{");
  return others.map((other) => placeOf(other).name);
}

function fillPlaces(part: string, wordFor: (name: string) => string | null) {
  const [first = "", ...others] = part.split("{");
  let isComplete = true;
  const filled = others.map((other) => {
    const { name, otherwise, rest } = placeOf(other);
    const value = wordFor(name);
    const isThere = value !== null && value !== "";
    isComplete &&= isThere;
    return `${isThere ? value : otherwise}${rest}`;
  });
  return { text: `${first}${filled.join("")}`, isComplete };
}

/** A place without its opening brace, and what follows it. */
function placeOf(text: string): { readonly name: string; readonly otherwise: string; readonly rest: string } {
  const end = text.indexOf("}");
  const [name = "", otherwise = ""] = text.slice(0, end).split("|");
  return { name, otherwise, rest: text.slice(end + 1) };
}
