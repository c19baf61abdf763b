/** The public door `./dialects`: the dialects that exist, for users; the contract, for people who build one. */

export type { Answer, Definition, Dialect, FieldFacts, GivenHead } from "./dialect.ts";
export { dialectIds, dialectOf, dialects, type WireMessage } from "./registry.ts";
