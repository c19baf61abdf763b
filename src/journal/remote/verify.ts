/**
 * Verifying a journal in a server: every entry is read again and its hash, place and link are computed again, and compared
 * with the heads that the server names, the ids that it holds, what this process saw before, and the receipts that clients
 * hold. Source: docs/protocol/record.md, section 7.
 */

import { nextTurn } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { isArchived } from "../archive-notice.ts";
import { takesId } from "../attempt.ts";
import { broken, emptyHead, headAfter, sameHead, unsealEntry } from "../chain.ts";
import type { Head } from "../entry.ts";
import type { VerifyOptions, VerifyReport } from "../journal.ts";
import {
  changedBytes,
  checkEnd,
  checkEntry,
  newStreamCheck,
  reportOf,
  type StreamCheck,
  unmetReceipt,
} from "../stream-check.ts";
import type { Row } from "./backend.ts";
import { acceptsLossOf, asking, noteFailure, regressedProblem, type Store } from "./store.ts";

const pageRows = 500;

/** What the walk knows of one team. */
interface Walk extends StreamCheck {
  /** What this process saw of it before; the server must still have it. */
  readonly seen: Head | null;
  ids: number;
  isSeenMet: boolean;
}

/** Verifies every team. Damage also stops writing. */
export async function verifyStreams(store: Store<unknown>, options: VerifyOptions): Promise<VerifyReport> {
  const { presented = [], signal, looked } = options;
  const problems: Problem[] = [];
  const done: Walk[] = [];
  const names = await asking(store, () => store.backend.teams());
  if (!names.ok) return { ok: false, teams: [], problems: [names.error] };
  let before = 0;
  for (const team of names.value) {
    const seen = store.seen.get(team) ?? null;
    const walk = { ...newStreamCheck(team, presented), seen, ids: 0, isSeenMet: seen === null };
    done.push(walk);
    const found = await walkTeam(store, walk, signal, (entries) => looked?.(before + entries));
    problems.push(...found);
    before += walk.entries;
    if (signal?.aborted === true) break;
  }
  const known = new Set<TeamName>(names.value);
  for (const [team, seen] of store.seen)
    if (!known.has(team) && seen.seq > 0) problems.push(regressedProblem(team, emptyHead, seen));
  for (const receipt of presented) if (!known.has(receipt.team)) problems.push(unmetReceipt(receipt));
  stopOnCorruption(store, problems);
  return reportOf(done, problems);
}

/** Stops writing where a verification found the server's data damaged, here or elsewhere. */
export function stopOnCorruption(store: Store<unknown>, problems: readonly Problem[]): void {
  const fatal = problems.find(({ code, path }) => code === "journal-corrupt" && !path.startsWith("receipt "));
  if (fatal !== undefined) noteFailure(store, { kind: "final", problem: fatal });
}

async function walkTeam(
  store: Store<unknown>,
  walk: Walk,
  signal: AbortSignal | undefined,
  looked: (entries: number) => void,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const { team } = walk;
  for (;;) {
    const from = walk.head.seq + 1;
    const rows = await asking(store, () => store.backend.rows(team, { from, limit: pageRows }));
    if (!rows.ok) return [...problems, rows.error];
    for (const row of rows.value) problems.push(...checkRow(walk, row));
    looked(walk.entries);
    if (signal?.aborted === true) return problems;
    if (rows.value.length < pageRows) break;
    await nextTurn();
  }
  return [...problems, ...(await closeWalk(store, walk))];
}

function checkRow(walk: Walk, row: Row): readonly Problem[] {
  walk.entries += 1;
  const entry = unsealEntry(row.text, row.hash);
  if (entry === null) {
    walk.isBroken = true;
    walk.head = { ...walk.head, seq: row.seq };
    return [changedBytes(`${walk.team}/${row.seq}`)];
  }
  const problems = checkEntry(walk, row.seq, entry);
  if (takesId(entry)) walk.ids += 1;
  const { seen } = walk;
  walk.isSeenMet ||=
    seen !== null &&
    (sameHead(seen, entry) || acceptsLossOf(entry, seen) || (walk.entries === 1 && isArchived(entry, seen)));
  walk.head = { ...headAfter(entry), seq: row.seq };
  return problems;
}

/** What was expected of the team and did not come. */
async function closeWalk(store: Store<unknown>, walk: Walk): Promise<readonly Problem[]> {
  const { team, head, seen } = walk;
  const problems: Problem[] = [];
  if (!walk.isSeenMet && seen !== null) problems.push(regressedProblem(team, head, seen));
  problems.push(...checkEnd(walk));
  const ids = await asking(store, () => store.backend.countIds(team, head.seq));
  if (!ids.ok) problems.push(ids.error);
  else if (ids.value !== walk.ids && !walk.isBroken)
    problems.push(broken(team, `The server holds ${ids.value} ids of ${walk.ids} that the entries have.`));
  const named = await asking(store, () => store.backend.head(team));
  // Entries may have come since; fewer than were read may not be named.
  if (!named.ok) problems.push(named.error);
  else if ((named.value?.seq ?? 0) < head.seq || (named.value?.seq === head.seq && named.value.hash !== head.hash))
    problems.push(broken(team, `The server names entry ${named.value?.seq ?? 0} as the last, but holds ${head.seq}.`));
  return problems;
}
