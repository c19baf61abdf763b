/**
 * Writers under a fault, and what the journal holds afterwards: the same judge for every engine and every fault. A writer
 * that gets no answer, or a refusal that passes, sends the same attempt with the same id again, as clients do.
 */
import assert from "node:assert/strict";
import { systemClock } from "../../src/base/clock.ts";
import type { TeamName } from "../../src/base/ids.ts";
import type { Entry } from "../../src/journal/entry.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { attempt, must, type Tally } from "../journal/journal-subject.ts";
import { alpha } from "./held.ts";

/** What a fault may look at and wait for while the writers go on. */
export interface Writers {
  acknowledged(): number;
  /** Waits until so many further entries are acknowledged. */
  progress(more: number): Promise<void>;
  /** Waits until each writer has so many further ones. */
  everyone(more: number): Promise<void>;
  /** The longest time without an acknowledgement since the last call of `beginPause`, the running one included. */
  pauseMs(): number;
  beginPause(): void;
}

export interface ProblemFound {
  readonly acknowledged: number;
  /** How much of it each writer got while the fault lasted. */
  readonly byWriter: readonly number[];
  /** Acknowledged entries that the journal does not hold, by hash. */
  readonly lost: number;
  /** Ids that it holds twice, for one agent. */
  readonly doubled: number;
  /** Numbers that are missing between two entries. */
  readonly gaps: number;
  /** What the same judge finds without the last ten entries, with one entry twice, and with one left out. */
  readonly control: { readonly lost: number; readonly doubled: number; readonly gaps: number };
  /** The longest time in which neither writer was answered, and in which one of them was not. */
  readonly longestMs: number;
  readonly longestOfOneMs: number;
  /** How often the writers were refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** How many attempts each journal has under way, and how long each lane rests between two. */
export interface Load {
  readonly lanes?: number;
  readonly restMs?: number;
}

/** Refusals after which the same attempt is sent again. */
const passing = ["journal-failed", "journal-unreachable", "journal-busy", "journal-full", "journal-cannot-open"];
const betweenTriesMs = 100;

/**
 * Writes with `lanes` attempts under way from each journal while `fault` runs, then judges what `fresh` reads. A journal
 * that has regressed ends its lanes, which shows in `refused`.
 */
export async function underProblem(
  journals: readonly Journal<Tally>[],
  fresh: () => Promise<Journal<Tally>>,
  problem: (writers: Writers) => Promise<void>,
  { lanes = 10, restMs = 0 }: Load = {},
): Promise<ProblemFound> {
  const receipts = new Map<string, { readonly seq: number; readonly hash: string }>();
  const refused: Record<string, number> = {};
  const ended = new AbortController();
  let [lastAt, longest, longestOfAll, longestOfOne] = [systemClock.monotonic(), 0, 0, 0];
  const lastOf = new Map(journals.map((journal) => [journal, lastAt]));
  const counts = new Map(journals.map((journal) => [journal, 0]));
  const waiting = new Set<{ readonly at: number; readonly resolve: () => void }>();
  const acknowledge = (
    journal: Journal<Tally>,
    key: string,
    receipt: { readonly seq: number; readonly hash: string },
  ) => {
    receipts.set(key, receipt);
    if (ended.signal.aborted) return;
    const now = systemClock.monotonic();
    longestOfOne = Math.max(longestOfOne, now - (lastOf.get(journal) ?? now));
    lastOf.set(journal, now);
    counts.set(journal, (counts.get(journal) ?? 0) + 1);
    longest = Math.max(longest, systemClock.monotonic() - lastAt);
    longestOfAll = Math.max(longestOfAll, longest);
    lastAt = systemClock.monotonic();
    for (const each of waiting) if (receipts.size >= each.at) each.resolve();
  };
  const write = async (journal: Journal<Tally>, agent: string) => {
    for (let round = 0; !ended.signal.aborted; round += 1) {
      for (;;) {
        const done = await journal.commit(alpha, attempt({ agent, id: `m-${round}` }));
        if (done.ok && done.value.outcome !== "declined") {
          acknowledge(journal, `${agent} m-${round}`, done.value.receipt);
          if (restMs > 0) await systemClock.wait(restMs, ended.signal);
          break;
        }
        const code = done.ok ? "declined" : done.error.code;
        refused[code] = (refused[code] ?? 0) + 1;
        if (code === "journal-regressed") return;
        assert.ok(passing.includes(code), JSON.stringify(done));
        await systemClock.wait(betweenTriesMs);
      }
    }
  };
  const load = Promise.all(
    journals.flatMap((journal, one) =>
      Array.from({ length: lanes }, (_, lane) => write(journal, `dev-${one + 1}-${lane + 1}`)),
    ),
  );
  const begun: Writers = {
    acknowledged: () => receipts.size,
    progress: (more) =>
      new Promise((resolve) => {
        const wanted = {
          at: receipts.size + more,
          resolve() {
            waiting.delete(wanted);
            resolve();
          },
        };
        waiting.add(wanted);
      }),
    async everyone(more) {
      const wanted = new Map([...counts].map(([journal, count]) => [journal, count + more]));
      while ([...wanted].some(([journal, count]) => (counts.get(journal) ?? 0) < count)) await begun.progress(1);
    },
    pauseMs: () => Math.max(longest, systemClock.monotonic() - lastAt),
    beginPause() {
      longest = 0;
      lastAt = systemClock.monotonic();
    },
  };
  const failed = load.then(() => new Promise<never>(() => undefined));
  try {
    await Promise.race([problem(begun), failed]);
  } finally {
    ended.abort();
    for (const at of lastOf.values()) longestOfOne = Math.max(longestOfOne, systemClock.monotonic() - at);
  }
  await load;
  const reader = await fresh();
  const held = await entriesOf(reader);
  const { problems } = await reader.verify();
  await reader.close();
  const judged = judge(receipts, held);
  const twice = held.slice(0, 1);
  return {
    acknowledged: receipts.size,
    byWriter: [...counts.values()],
    ...judged,
    control: {
      lost: judge(receipts, held.slice(0, -10)).lost,
      doubled: judge(receipts, [...held, ...twice]).doubled,
      gaps: judge(receipts, [...held.slice(0, 3), ...held.slice(4)]).gaps,
    },
    longestMs: Math.round(longestOfAll),
    longestOfOneMs: Math.round(longestOfOne),
    refused,
    problems: problems.map(({ message }) => message),
  };
}

/** Every entry of the team, in order. */
export async function entriesOf(journal: Journal<Tally>, of: TeamName = alpha): Promise<readonly Entry[]> {
  const held: Entry[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { readonly entries: readonly Entry[]; readonly next: number | null } = must(
      await journal.read(of, { after, limit: 1_000 }),
    );
    held.push(...page.entries);
    after = page.next;
  }
  return held;
}

/** What of the acknowledged is missing from the entries, and what is there twice. */
export function judge(receipts: ReadonlyMap<string, { readonly hash: string }>, held: readonly Entry[]) {
  const hashes = new Set(held.map(({ hash }) => hash));
  const ids = held.flatMap(({ id, principal }) => (id === null ? [] : [`${principal.agent} ${id}`]));
  return {
    lost: [...receipts.values()].filter(({ hash }) => !hashes.has(hash)).length,
    doubled: ids.length - new Set(ids).size,
    gaps: held.filter(({ seq }, index) => seq !== (held[index - 1]?.seq ?? seq - 1) + 1 && index > 0).length,
  };
}

/** One row of a campaign's table. */
export function rowOf(name: string, times: number, found: ProblemFound): readonly [string, string] {
  const { lost, doubled, gaps } = found.control;
  const refusals = Object.entries(found.refused).map(([code, count]) => `${code} ${count}`);
  const parts = [
    `${times} time${times === 1 ? "" : "s"}`,
    `acknowledged ${found.acknowledged} (${found.byWriter.join(" + ")})`,
    `lost ${found.lost}, doubled ${found.doubled}, gaps ${found.gaps}`,
    `longest pause ${(found.longestMs / 1_000).toFixed(1)} s, of one writer ${(found.longestOfOneMs / 1_000).toFixed(1)} s`,
    `refused meanwhile: ${refusals.length === 0 ? "none" : refusals.join(", ")}`,
    `control ${lost}, ${doubled}, ${gaps}`,
  ];
  return [name, parts.join("; ")];
}

/** Nothing acknowledged is lost, nothing is there twice, no number is missing, and the judge can see all three. */
export function mustBeWhole(found: ProblemFound): void {
  assert.deepEqual(found.problems, []);
  assert.deepEqual([found.lost, found.doubled, found.gaps], [0, 0, 0]);
  assert.ok(found.acknowledged > 0);
  assert.ok(found.control.lost > 0 && found.control.doubled === 1 && found.control.gaps === 1);
}
