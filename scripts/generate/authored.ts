/** Every dialect as authored, in the registry's order. For the generator and tests; run time has the registry. */
import { bmad1Messages } from "../../src/messages/dialects/bmad-1/messages.ts";
import type { DialectEntry } from "../../src/messages/dialects/define.ts";
import { vbw1Messages } from "../../src/messages/dialects/vbw-1/messages.ts";
import { vbw2Messages } from "../../src/messages/dialects/vbw-2/messages.ts";
import { vbw21Messages } from "../../src/messages/dialects/vbw-2.1/messages.ts";
import { yolo1Messages } from "../../src/messages/dialects/yolo-1/messages.ts";
import { yolo2Messages } from "../../src/messages/dialects/yolo-2/messages.ts";

export const authoredDialects: readonly DialectEntry[] = [
  vbw2Messages,
  yolo2Messages,
  vbw21Messages,
  vbw1Messages,
  yolo1Messages,
  bmad1Messages,
];
