/**
 * The dialects that exist, in the order they are tried without a team. This file alone names single dialects; everyone
 * else asks here and sees a `Dialect`.
 */
import type { DialectId } from "../message/message.ts";
import { table as bmad1Table } from "./bmad-1/generated/table.ts";
import { validators as bmad1Validators } from "./bmad-1/generated/validators.js";
import type { Bmad1Message } from "./bmad-1/generated/wire.ts";
import type { Dialect } from "./dialect.ts";
import { dialectFrom } from "./dialect-table.ts";
import { table as vbw1Table } from "./vbw-1/generated/table.ts";
import { validators as vbw1Validators } from "./vbw-1/generated/validators.js";
import type { Vbw1Message } from "./vbw-1/generated/wire.ts";
import { table as vbw2Table } from "./vbw-2/generated/table.ts";
import { validators as vbw2Validators } from "./vbw-2/generated/validators.js";
import type { Vbw2Message } from "./vbw-2/generated/wire.ts";
import { table as vbw21Table } from "./vbw-2.1/generated/table.ts";
import { validators as vbw21Validators } from "./vbw-2.1/generated/validators.js";
import type { Vbw21Message } from "./vbw-2.1/generated/wire.ts";
import { table as yolo1Table } from "./yolo-1/generated/table.ts";
import { validators as yolo1Validators } from "./yolo-1/generated/validators.js";
import type { Yolo1Message } from "./yolo-1/generated/wire.ts";
import { table as yolo2Table } from "./yolo-2/generated/table.ts";
import { validators as yolo2Validators } from "./yolo-2/generated/validators.js";
import type { Yolo2Message } from "./yolo-2/generated/wire.ts";

/** The BMAD handoff document. */
const bmad1 = dialectFrom(bmad1Table, bmad1Validators);
/** The VBW structured handoffs, first revision. */
const vbw1 = dialectFrom(vbw1Table, vbw1Validators);
/** The VBW typed protocol, second revision. */
const vbw2 = dialectFrom(vbw2Table, vbw2Validators);
/** The VBW typed protocol as its scripts have it today. */
const vbw21 = dialectFrom(vbw21Table, vbw21Validators);
/** The YOLO structured handoffs, first revision. */
const yolo1 = dialectFrom(yolo1Table, yolo1Validators);
/** The YOLO typed protocol, second revision. */
const yolo2 = dialectFrom(yolo2Table, yolo2Validators);

/** Every dialect, in the order they are tried. */
export const dialects: readonly Dialect[] = [vbw2, yolo2, vbw21, vbw1, yolo1, bmad1];

/** The ids of every dialect, in the same order. */
export const dialectIds: readonly DialectId[] = dialects.map((dialect) => dialect.id);

const byId: ReadonlyMap<string, Dialect> = new Map(dialects.map((dialect) => [dialect.id, dialect]));

/** The dialect called `id`, e.g. `vbw/2`, or null when there is none. */
export function dialectOf(id: string): Dialect | null {
  return byId.get(id) ?? null;
}

type Typed<Id extends DialectId, Wire extends { readonly type: string }> = Wire extends unknown
  ? { readonly dialect: Id; readonly type: Wire["type"]; readonly message: Wire }
  : never;

/**
 * A message as it is on the wire, distinguished by dialect and type. A document has no `type` field.
 * @example if (wire.dialect === "vbw/2" && wire.type === "execution_update") wire.message.payload.status
 */
export type WireMessage =
  | Typed<"vbw/2", Vbw2Message>
  | Typed<"yolo/2", Yolo2Message>
  | Typed<"vbw/2.1", Vbw21Message>
  | Typed<"vbw/1", Vbw1Message>
  | Typed<"yolo/1", Yolo1Message>
  | { readonly dialect: "bmad/1"; readonly type: "handoff"; readonly message: Bmad1Message };
