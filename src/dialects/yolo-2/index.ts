/** The dialect yolo/2: its generated facts and validators as a `Dialect`, and its wire types. */
import type { Dialect } from "../dialect.ts";
import { dialectFrom } from "../dialect-table.ts";
import { table } from "./generated/table.ts";
import { validators } from "./generated/validators.js";

export type { Yolo2Message } from "./generated/wire.ts";

/** The YOLO typed protocol, second revision. */
export const yolo2: Dialect = dialectFrom(table, validators);
