/** The dialect yolo/1: its generated facts and validators as a `Dialect`, and its wire types. */
import type { Dialect } from "../dialect.ts";
import { dialectFrom } from "../dialect-table.ts";
import { table } from "./generated/table.ts";
import { validators } from "./generated/validators.js";

export type { Yolo1Message } from "./generated/wire.ts";

/** The YOLO structured handoffs, first revision. */
export const yolo1: Dialect = dialectFrom(table, validators);
