/** The dialect vbw/1: its generated facts and validators as a `Dialect`, and its wire types. */
import type { Dialect } from "../dialect.ts";
import { dialectFrom } from "../dialect-table.ts";
import { table } from "./generated/table.ts";
import { validators } from "./generated/validators.js";

export type { Vbw1Message } from "./generated/wire.ts";

/** The VBW structured handoffs, first revision. */
export const vbw1: Dialect = dialectFrom(table, validators);
