/**
 * What a generated validator is: Ajv's calling convention, named. A validator is a pure function of the value but for
 * its `errors`, which hold until its next call; callers read them at once.
 */

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
