/**
 * The journal as destructive tests use it: one team, entries whose content has a known form, a projection that
 * remembers enough to notice a wrong fold, and `hold`, which reads everything back through the public contract.
 */
import { sha256 } from "../../src/base/canonical.ts";
import { messageId, type TeamName, teamName } from "../../src/base/ids.ts";
import { invariant } from "../../src/base/invariant.ts";
import type { Problem } from "../../src/base/problem.ts";
import type { Result } from "../../src/base/result.ts";
import type { Receipt } from "../../src/journal/entry.ts";
import type { Attempt, Journal, Projection } from "../../src/journal/journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/index.ts";
import type { Holding } from "./ledger.ts";

/** What the tests' projection keeps: a digest over all entries, and how many each agent wrote. */
export interface Tally {
  count: number;
  digest: string;
  byAgent: Map<string, number>;
}

export const tally: Projection<Tally> = {
  version: "tally-1",
  initial: () => ({ count: 0, digest: "", byAgent: new Map() }),
  evolve(state, entry) {
    state.count++;
    state.digest = sha256(state.digest + entry.hash);
    state.byAgent.set(entry.principal.agent, (state.byAgent.get(entry.principal.agent) ?? 0) + 1);
    return state;
  },
  encode: (state) => JSON.stringify({ ...state, byAgent: [...state.byAgent] }),
  decode(text) {
    const read = JSON.parse(text) as { count: number; digest: string; byAgent: [string, number][] }; // what encode wrote
    return { ...read, byAgent: new Map(read.byAgent) };
  },
};

/** The one team of these tests. */
export const crashTeam: TeamName = named("crash");

function named(text: string): TeamName {
  const name = teamName(text);
  invariant(name !== null, "the test's team name is one");
  return name;
}

/** Opens a journal for a test. */
export function openJournal(
  path: string,
  durability: "fsync" | "os" = "fsync",
): Promise<Result<Journal<Tally>, Problem>> {
  return openSqliteJournal(path, tally, { durability });
}

/** A message of `agent` under `id`, with `bytes` of text; the same arguments give the same attempt. */
export function attemptOf(agent: string, id: string, bytes: number): Attempt<Tally> {
  const content = { text: `${id} `.padEnd(bytes, "abcdefghijklmnopqrstuvwxyz ") };
  const digest = sha256(JSON.stringify(content));
  return {
    once: { principal: agent, id, digest },
    decide: () => ({
      kind: "message",
      principal: { agent, role: "dev", via: "launcher" },
      id: messageId(id),
      digest,
      receivers: ["lead-1", "qa-1"],
      content,
    }),
  };
}

/** Sizes from a line to several database pages, most of them short as messages are, decided by the position alone. */
export function bytesAt(position: number): number {
  const share = ((position * 1_237) % 6_000) / 6_000;
  return 40 + Math.floor(6_000 * share ** 3);
}

/** Reads the whole journal back and verifies it; whatever is wrong is an error in words. */
export async function hold(
  path: string,
  options: { readonly presented?: readonly Receipt[]; readonly verify?: boolean } = {},
): Promise<Holding> {
  const opened = await openJournal(path);
  if (!opened.ok) return { entries: [], faults: [`does not open: ${opened.error.code}: ${opened.error.message}`] };
  await using journal = opened.value;
  const faults: string[] = [];
  const condition = journal.condition();
  if (condition.condition !== "ready") faults.push(`condition ${condition.condition}`);
  if (options.verify !== false) {
    const report = await journal.verify(options.presented === undefined ? {} : { presented: options.presented });
    if (!report.ok) faults.push(...report.problems.map((problem) => `verify: ${problem.code}: ${problem.message}`));
  }
  const entries: { id: string; seq: number; hash: string }[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await journal.read(crashTeam, { after });
    if (!page.ok) {
      faults.push(`read: ${page.error.code}: ${page.error.message}`);
      break;
    }
    for (const { id, seq, hash } of page.value.entries) entries.push({ id: id ?? `no id at ${seq}`, seq, hash });
    if (page.value.next !== null && page.value.next <= after) {
      faults.push("the pages of entries go round in a circle");
      break;
    }
    after = page.value.next;
  }
  const state = await journal.state(crashTeam);
  if (!state.ok) faults.push(`state: ${state.error.code}: ${state.error.message}`);
  else if (state.value.state.count !== entries.length)
    faults.push(`the state folded ${state.value.state.count} of ${entries.length} entries`);
  return { entries, faults };
}
