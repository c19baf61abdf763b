/**
 * Refusals: recorded like everything else, but never whole. An entry keeps the digest, the size, the reasons and a
 * short beginning of what was refused.
 * Source: docs/protocol/journal.md, section 1.
 */

import type { MessageId } from "../../base/ids.ts";
import { refusalExcerptBytesMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { shortenBytes } from "../../base/text.ts";
import type { EntryDraft } from "../../journal/entry.ts";
import type { DialectId } from "../../message/message.ts";
import type { Principal } from "../../message/principal.ts";
import { asJson } from "../record/content.ts";

/** What is known about a refused act. */
export interface Refused {
  readonly principal: Principal;
  readonly id: MessageId | null;
  readonly digest: string;
  readonly bytes: number;
  readonly text: string;
  readonly dialect: DialectId | null;
  readonly type: string | null;
  /** The task that the message says it is about; absent or null: it names none. */
  readonly task?: string | null;
  readonly problems: readonly Problem[];
}

/** The entry that records a refusal. It does not take the id: the same id may be sent again, repaired. */
export function refusalDraft(refused: Refused): EntryDraft {
  const { principal, id, digest, bytes, dialect, type, task = null, problems } = refused;
  const excerpt = shortenBytes(refused.text.toWellFormed().replaceAll("\0", "\uFFFD"), refusalExcerptBytesMax);
  return {
    kind: "refusal",
    principal,
    id,
    digest,
    receivers: [],
    content: asJson({
      problems,
      refused: { dialect, type, ...(task === null ? {} : { task }), digest, bytes, excerpt },
    }),
  };
}

/** The refusal of an operation that came as a command: its arguments take the place of the text. */
export function commandRefusal(
  act: Pick<Refused, "principal" | "id" | "digest" | "problems"> & { readonly name: string; readonly asked: unknown },
): EntryDraft {
  const text = JSON.stringify(act.asked);
  const bytes = new TextEncoder().encode(text).byteLength;
  return refusalDraft({ ...act, bytes, text, dialect: null, type: act.name });
}
