/**
 * An entry that nobody asked for: Baton records what time has brought. Source: docs/protocol/journal.md, section 10.
 */
import type { EntryDraft } from "../../journal/entry.ts";
import { batonName } from "../../message/principal.ts";
import { asJson, type RecordedContent } from "./content.ts";

/** The draft of such an entry; `receivers` get the message of the content, where it has one. */
export function timerEntry(content: RecordedContent, receivers: readonly string[] = []): EntryDraft {
  return {
    kind: "timer",
    principal: { agent: batonName, role: null, via: "launcher" },
    id: null,
    digest: null,
    receivers,
    content: asJson(content),
  };
}
