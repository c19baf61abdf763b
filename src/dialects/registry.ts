/**
 * The dialects that exist, in the order they are tried without a team. This file alone names single dialects; everyone
 * else asks here and sees a `Dialect`.
 */
import type { DialectId } from "../message/message.ts";
import { type Bmad1Message, bmad1 } from "./bmad-1/index.ts";
import type { Dialect } from "./dialect.ts";
import { type Vbw1Message, vbw1 } from "./vbw-1/index.ts";
import { type Vbw2Message, vbw2 } from "./vbw-2/index.ts";
import { type Vbw21Message, vbw21 } from "./vbw-2.1/index.ts";
import { type Yolo1Message, yolo1 } from "./yolo-1/index.ts";
import { type Yolo2Message, yolo2 } from "./yolo-2/index.ts";

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
