/**
 * Journals as files of this machine: what is left where one was, and moving one to another folder.
 * Rule: docs/protocol/state-folder.md.
 */
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";

export { type OldJournal, oldJournalAt } from "./sqlite/files/file-header.ts";

/**
 * Moves the journal at `from` to `to`, where none may be yet, or finishes a move that was interrupted. Both absolute; the
 * folder of `to` exists. Refuses with `journal-busy` while another process has it open, and with the problems of opening.
 */
export async function moveJournal(from: string, to: string): Promise<Result<void, Problem>> {
  const { moveJournal: move } = await import("./sqlite/move.ts");
  return await move(from, to);
}
