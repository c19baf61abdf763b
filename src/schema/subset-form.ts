/**
 * The subset of JSON Schema 2020-12 that a team may write its own message types in, as data: what a schema asks of a
 * value once it is read (`subset-read.ts`). Nothing in it is code and nothing comes from a text of an agent's as a
 * pattern, so checking by it (`subset-check.ts`) takes no longer than schema and value are large.
 */
import type { Json } from "../base/json.ts";

export const subsetTypes = ["string", "integer", "number", "boolean", "array", "object", "null"] as const;
export type SubsetType = (typeof subsetTypes)[number];

/** A value of a closed list: compared as JSON Schema compares, by type and value. */
export type SubsetWord = string | number | boolean | null;

/** What is asked of a value. An absent part asks nothing. */
export interface SubsetForm {
  readonly summary?: string;
  readonly types?: readonly SubsetType[];
  /** The only values allowed. */
  readonly words?: ReadonlySet<SubsetWord>;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Lengths of a text, in characters (code points). */
  readonly lengthMin?: number;
  readonly lengthMax?: number;
  /** An RFC 3339 date-time. */
  readonly isMoment?: true;
  /** A form of ours that the text must have; schemas of teams have none. */
  readonly pattern?: { readonly source: string; matches(text: string): boolean };
  readonly itemsMin?: number;
  readonly itemsMax?: number;
  readonly entry?: SubsetForm;
  readonly fields?: ReadonlyMap<string, SubsetForm>;
  readonly required?: readonly string[];
  /** What fields beyond `fields` must be; false: there may be none. Absent: anything. */
  readonly further?: SubsetForm | false;
  /** What `$ref` names: asked as well. */
  readonly also?: SubsetForm;
  readonly anyOf?: readonly SubsetForm[];
  readonly oneOf?: readonly SubsetForm[];
  /** What `examples` and `default` show. */
  readonly examples: readonly Json[];
}
