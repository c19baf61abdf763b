/** An entry's own words, whichever kind it is of. */
import { isJsonObject } from "../../../base/json.ts";
import type { Shown } from "../../../runtime/record/log-line.ts";
import { indented } from "./fields.ts";

export interface Record {
  readonly title: string;
  /** What a reader must know about the text; null: it is whole. */
  readonly remark: string | null;
  readonly text: string;
}

/** A message word for word, the kept beginning of a refused text, or the entry's content. */
export function recordOf(shown: Shown): Record {
  if (shown.message !== null) return { title: "Word for word", remark: null, text: shown.message.text };
  const { content } = shown.entry;
  const refused = isJsonObject(content) ? content.refused : undefined;
  if (isJsonObject(refused) && typeof refused.excerpt === "string") {
    const bytes = Number(refused.bytes);
    const kept = new TextEncoder().encode(refused.excerpt).length;
    const remark = kept < bytes ? `The first ${kept} of ${bytes} bytes; of a refused text no more is kept.` : null;
    return { title: "What was refused", remark, text: refused.excerpt };
  }
  return { title: "What was recorded", remark: null, text: indented(content) };
}
