/**
 * Verifying a journal in a server: every entry is read again and its hash, place and link are computed again, and compared
 * with the heads that the server names, the ids that it holds, what this process saw before, and the receipts that clients
 * hold. Source: docs/protocol/journal.md, section 7.
 */
import { nextTurn } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { takesId } from "../attempt.ts";
import { broken, checkLink, emptyHead, headAfter, sameHead, unsealEntry } from "../chain.ts";
import type { Receipt } from "../entry.ts";
import type { Head, VerifyOptions, VerifyReport } from "../journal.ts";
import { missingReceipt } from "../memory.ts";
import type { Row } from "./backend.ts";
import { acceptsLossOf, asking, noteFailure, regressedProblem, type Store } from "./store.ts";

const pageRows = 500;

/** What the walk knows of one team. */
interface Walk {
  readonly team: TeamName;
  /** What this process saw of it before; the server must still have it. */
  readonly seen: Head | null;
  readonly presented: ReadonlyMap<number, Receipt>;
  readonly receiptsMet: Set<number>;
  head: Head;
  entries: number;
  ids: number;
  isBroken: boolean;
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
    const walk = startWalk(team, store.seen.get(team) ?? null, presented);
    done.push(walk);
    const faults = await walkTeam(store, walk, signal, (entries) => looked?.(before + entries));
    problems.push(...faults);
    before += walk.entries;
    if (signal?.aborted === true) break;
  }
  const known = new Set<TeamName>(names.value);
  for (const [team, seen] of store.seen)
    if (!known.has(team) && seen.seq > 0) problems.push(regressedProblem(team, emptyHead, seen));
  for (const receipt of presented) if (!known.has(receipt.team)) problems.push(unmet(receipt));
  const fatal = problems.find(({ code, path }) => code === "journal-corrupt" && !path.startsWith("receipt "));
  if (fatal !== undefined) noteFailure(store, { kind: "final", problem: fatal });
  const teams = done.map(({ team, entries, head }) => ({ team, entries, head }));
  return { ok: problems.length === 0, teams, problems };
}

function startWalk(team: TeamName, seen: Head | null, presented: readonly Receipt[]): Walk {
  return {
    team,
    seen,
    presented: new Map(presented.filter((receipt) => receipt.team === team).map((receipt) => [receipt.seq, receipt])),
    receiptsMet: new Set(),
    head: emptyHead,
    entries: 0,
    ids: 0,
    isBroken: false,
    isSeenMet: seen === null,
  };
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
  const where = `${walk.team}/${row.seq}`;
  walk.entries += 1;
  const entry = unsealEntry(row.text, row.hash);
  const faults: Problem[] = [];
  if (entry === null) {
    walk.isBroken = true;
    walk.head = { ...walk.head, seq: row.seq };
    return [broken(where, "This entry's bytes have changed: they no longer have the entry's hash.")];
  }
  if (entry.seq !== row.seq) faults.push(broken(where, `This entry says that it is entry ${entry.seq}.`));
  // After a first break in a stream every later link would only repeat it.
  const fault = walk.isBroken ? null : checkLink(walk.team, walk.head, entry);
  if (fault !== null) faults.push(fault);
  walk.isBroken ||= faults.length > 0;
  if (takesId(entry)) walk.ids += 1;
  walk.isSeenMet ||= walk.seen !== null && (sameHead(walk.seen, entry) || acceptsLossOf(entry, walk.seen));
  if (walk.presented.get(entry.seq)?.hash === entry.hash) walk.receiptsMet.add(entry.seq);
  walk.head = { ...headAfter(entry), seq: row.seq };
  return faults;
}

/** What was expected of the team and did not come. */
async function closeWalk(store: Store<unknown>, walk: Walk): Promise<readonly Problem[]> {
  const { team, head, seen } = walk;
  const faults: Problem[] = [];
  if (!walk.isSeenMet && seen !== null) faults.push(regressedProblem(team, head, seen));
  for (const [seq, receipt] of walk.presented) if (!walk.receiptsMet.has(seq)) faults.push(unmet(receipt));
  const ids = await asking(store, () => store.backend.countIds(team, head.seq));
  if (!ids.ok) faults.push(ids.error);
  else if (ids.value !== walk.ids && !walk.isBroken)
    faults.push(broken(team, `The server holds ${ids.value} ids of ${walk.ids} that the entries have.`));
  const named = await asking(store, () => store.backend.head(team));
  // Entries may have come since; fewer than were read may not be named.
  if (!named.ok) faults.push(named.error);
  else if ((named.value?.seq ?? 0) < head.seq || (named.value?.seq === head.seq && named.value.hash !== head.hash))
    faults.push(broken(team, `The server names entry ${named.value?.seq ?? 0} as the last, but holds ${head.seq}.`));
  return faults;
}

function unmet(receipt: Receipt): Problem {
  return { ...missingReceipt(receipt), path: `receipt ${receipt.team}/${receipt.seq}` };
}
