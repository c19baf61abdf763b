/**
 * What a team shows that its journal makes: the reads of every door, asked of a journal that is opened for reading at a
 * given time. Recorded once by the version that wrote the journals, and compared with what this version shows.
 */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/base/clock.ts";
import { openTeam } from "../../src/perform/open.ts";

/** Reads that need no argument, by their calls. */
const reads = [
  "status",
  "agents",
  "needs",
  "approvals",
  "escalations",
  "contracts",
  "tasks",
  "asks",
  "phases",
  "handoffs",
  "shutdowns",
  "breakers",
  "agentEvents",
  "breakerEvents",
  "remotes",
  "tokens",
  "shares",
] as const;

/** By the read and, where one is asked about several things, what it was asked about. */
export type ShownTeam = { readonly [read: string]: unknown };

/** What the team of a journal shows at `atMs`, as plain JSON. */
export async function shownOf(journal: string, team: string, atMs: number): Promise<ShownTeam> {
  const clock: Clock = { now: () => atMs, monotonic: () => 0, wait: () => Promise.resolve() };
  const open = async (agent: string) => {
    const opened = await openTeam({ journal, team, agent, clock, readOnly: true });
    if (!opened.ok) throw new Error(JSON.stringify(opened.error));
    return opened.value;
  };
  const shown: { [read: string]: unknown } = {};
  await using owner = await open("owner");
  for (const read of reads) shown[read] = await owner[read]();
  const log: unknown[] = [];
  for await (const line of owner.log()) log.push(line);
  shown.log = log;
  for (const task of listOf(shown.tasks)) {
    const asked = { task: String(task.task ?? task.taskId ?? task.id) };
    shown[`task ${asked.task}`] = await owner.task(asked);
  }
  for (const contract of listOf(shown.contracts)) {
    const plan = String(contract.plan ?? contract.planId);
    shown[`summary ${plan}`] = await owner.summary({ plan });
  }
  for (const handoff of listOf(shown.handoffs)) {
    const id = String(handoff.handoff ?? handoff.id);
    shown[`handoff ${id}`] = await owner.handoff({ handoff: id });
  }
  for (const { agent } of listOf(shown.agents)) {
    await using of = await open(String(agent));
    shown[`inbox ${String(agent)}`] = await of.inbox();
  }
  return JSON.parse(JSON.stringify(shown)) as ShownTeam; // as a door would send it
}

/** The list in an answer that has one. */
function listOf(answer: unknown): readonly { readonly [field: string]: unknown }[] {
  const value = (answer as { readonly value?: unknown }).value; // of a Result
  if (Array.isArray(value)) return value;
  const lists = Object.values(value ?? {}).filter((each) => Array.isArray(each));
  return lists[0] ?? [];
}

/** What Baton records in a copy of the journal when `atMs` has come: the deadlines that have passed by then. */
export async function laterOf(journal: string, team: string, atMs: number): Promise<readonly unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), "baton-old-data-"));
  const copy = join(folder, "copy.db");
  copyFileSync(journal, copy);
  try {
    const clock: Clock = { now: () => atMs, monotonic: () => 0, wait: () => Promise.resolve() };
    const opened = await openTeam({ journal: copy, team, agent: "owner", clock });
    if (!opened.ok) throw new Error(JSON.stringify(opened.error));
    await using owner = opened.value;
    await owner.status();
    const since = new Date(atMs).toISOString();
    const later: unknown[] = [];
    for await (const line of owner.log({ since })) {
      if (!line.ok) throw new Error(JSON.stringify(line.error));
      const shown = await owner.show(String(line.value.seq));
      if (!shown.ok) throw new Error(JSON.stringify(shown.error));
      const { kind, receivers, content } = shown.value.entry;
      later.push({ kind, receivers, content });
    }
    return JSON.parse(JSON.stringify(later)) as readonly unknown[]; // as a door would send it
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
