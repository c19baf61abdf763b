/**
 * What can be wrong with the id of an operation, in the same words at every door. Source: docs/protocol/journal.md,
 * section 4.
 */
import { messageIdCharactersMax } from "../../base/limits.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { shorten } from "../../base/text.ts";
import type { Entry } from "../../journal/entry.ts";
import { type Address, writeAddress } from "../../message/address.ts";

/** The error of an invalid id; `path` says where it was given. */
export function invalidId(received: string, path: string): Problem {
  return problem("invalid-id", path, "This cannot be an id.", {
    expected: `1 to ${messageIdCharactersMax} of A-Z a-z 0-9 . _ : / @ -`,
    received: received.slice(0, 160).toWellFormed(),
    hint: "Use a UUID, or leave the id out and one is made.",
  });
}

/** The error of an id under which this principal had something else recorded. */
export function idConflict(id: string, earlier: Pick<Entry, "seq" | "digest">, path: string): Problem {
  return problem(
    "id-conflict",
    path,
    `You used the id "${id}" before, for something else: it is entry ${earlier.seq}.`,
    {
      expected: `content with digest ${earlier.digest ?? "unknown"}`,
      hint: "To repeat that, send it unchanged, to the same receivers. Something new needs a new id.",
    },
  );
}

/**
 * The error of an id under which this principal sent the same text, but to others. `to`: the receivers that are named
 * now.
 */
export function sentToOthers(id: string, earlier: Entry, to: readonly Address[] | null, path: string): Problem {
  return problem(
    "id-conflict",
    path,
    `You sent this same text before under the id "${id}", but to other receivers: it is entry ${earlier.seq}.`,
    {
      expected: `the receivers named then; it went to ${earlier.receivers.join(", ") || "nobody"}`,
      received: to === null ? "no receiver named" : shorten(to.map(writeAddress).join(", "), 160),
      hint: "To repeat that, name the receivers as you did then. To send it to others too, use a new id.",
    },
  );
}
