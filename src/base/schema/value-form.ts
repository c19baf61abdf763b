/**
 * What the generator makes of a schema for run time: the form of a value as data, enough to tell whether a drifted
 * value can be taken for it, to find unknown fields at any depth, and to find the timestamps; and the validator, by
 * Ajv's calling convention. A validator is a pure function of the value but for its `errors`, which hold until its next
 * call; callers read them at once.
 */

export interface ValueForm {
  readonly is: "text" | "whole" | "flag" | "list" | "object" | "any";
  /** The only strings allowed, where there is a list of them. */
  readonly words?: readonly string[];
  /** What the text must match, beyond being text. */
  readonly pattern?: string;
  /** A string of at least so many characters. */
  readonly lengthMin?: number;
  readonly lengthMax?: number;
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

/** One error as Ajv reports it. */
export interface ValidatorError {
  /** JSON pointer to the faulty value. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: { readonly [name: string]: unknown };
}

/** Whether the value fits its definition; if not, `errors` lists every error. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly ValidatorError[] | null;
}
