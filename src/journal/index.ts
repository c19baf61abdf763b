/**
 * The door `./journal`: what a package of engines needs of the core. It promises nothing to others and changes with the
 * package: a package of engines is of one version with it.
 */
export { argument } from "../base/argument.ts";
export { canonical, sha256 } from "../base/canonical.ts";
export { type Clock, nextTurn, systemClock, timestampOf } from "../base/clock.ts";
export { type MessageId, messageId, type TeamName } from "../base/ids.ts";
export { pageRowsMax } from "../base/limits.ts";
export { reasonOf } from "../base/plain-file.ts";
export { makeProblem, type Problem } from "../base/problem.ts";
export { err, ok, type Result } from "../base/result.ts";
export { isAtLeast } from "../base/text.ts";
export type { Json } from "../messages/facts.ts";
export { type KnownOptions, wrongOption } from "./address-options.ts";
export { readAnchors, writeAnchors } from "./anchor-file.ts";
export { isArchived } from "./archive-notice.ts";
export { decideAttempt, nothingLost, pageLimit, raiseMarks, takesId } from "./attempt.ts";
export {
  broken,
  checkLink,
  continuation,
  emptyHead,
  headAfter,
  noticeLoss,
  readLossNotice,
  receiptOf,
  type Sealed,
  sameHead,
  sealEntry,
  stampOf,
  unsealEntry,
} from "./chain.ts";
export { type DueMark, type DueTeams, dueAmong, dueMarkOf, noneDue } from "./deadlines.ts";
export type { Durability, Entry, EntryDraft, Head, Page, Receipt } from "./entry.ts";
export {
  advance,
  decodeInboxes,
  dropHeld,
  emptyFold,
  encodeInboxes,
  type Fold,
  heldBy,
  holdersMax,
  inboxAfter,
  noHeldIds,
} from "./fold.ts";
export { type Bell, followPages, newBell } from "./follow.ts";
export type {
  Abilities,
  Attempt,
  Committed,
  EngineFacts,
  Found,
  Journal,
  JournalCondition,
  JournalOptions,
  Marks,
  Projection,
  ReadOptions,
  SearchOptions,
  VerifyOptions,
  VerifyReport,
} from "./journal.ts";
export {
  blockCost,
  blockOf,
  blockRows,
  gramsOf,
  indexForm,
  isFound,
  proposedMax,
  type SearchIndexing,
  scanRows,
  searchedText,
} from "./searching.ts";
export { certificateProblem } from "./server-certificate.ts";
export type { ServerEngine } from "./server-engine.ts";
export {
  changedBytes,
  checkEnd,
  checkEntry,
  newStreamCheck,
  reportOf,
  type StreamCheck,
  unmetReceipt,
} from "./stream-check.ts";
export { dropUnusedFolds, type FoldUse } from "./unused-folds.ts";
