/**
 * What a value must be, as data at run time: enough to tell whether a drifted value can be taken for it, to find
 * unknown fields at any depth, and to find the timestamps. The generator makes it from the JSON Schema of a field.
 */

export interface ValueForm {
  readonly is: "text" | "whole" | "flag" | "list" | "object" | "any";
  /** The only strings allowed, where there is a list of them. */
  readonly words?: readonly string[];
  /** What the text must match, beyond being text. */
  readonly pattern?: string;
  /** A string of at least so many characters. */
  readonly lengthMin?: number;
  readonly max?: number;
  /** A moment: an RFC 3339 date-time; `timestamp` takes a full date too. */
  readonly time?: "timestamp" | "date-time";
  readonly mayBeNull?: true;
  /** Of a list: what each entry is. */
  readonly entry?: ValueForm;
  /** Of an object with known fields: each of them. Absent: any keys. */
  readonly fields?: { readonly [name: string]: ValueForm };
  /** Of an object with free keys: what each value is. */
  readonly values?: ValueForm;
  /** Of the known fields, the ones that must be there. */
  readonly required?: readonly string[];
}
