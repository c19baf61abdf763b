/** The dialect vbw/2.1: its generated facts and validators as a `Dialect`, and its wire types. */
import type { Dialect } from "../dialect.ts";
import { dialectFrom } from "../dialect-table.ts";
import { table } from "./generated/table.ts";
import { validators } from "./generated/validators.js";

export type { Vbw21Message } from "./generated/wire.ts";

/** The VBW typed protocol as its scripts have it today. */
export const vbw21: Dialect = dialectFrom(table, validators);
