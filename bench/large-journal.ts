/**
 * A journal of a million entries, built directly: one message is sent, and similar ones, each with different words, are
 * sealed and inserted behind it. Then the hub opens it, which folds it and takes a snapshot.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { systemClock } from "../src/base/clock.ts";
import { messageId } from "../src/base/ids.ts";
import { headAfter, sealEntry, stampOf } from "../src/journal/chain.ts";
import { openTeam } from "../src/runtime/open.ts";
import { type BenchHub, journalIn, openHub, teamText } from "./hub-calls.ts";

/** So many unless the environment names fewer, for a look at a busy machine. */
export const largeEntries = Number(process.env.BATON_BENCH_ENTRIES ?? 1_000_000);
/** A word that one entry holds, far from both ends. */
export const rareWord = "quetzalcoatlus";
const rowsAtOnce = 10_000;

/** Builds the journal and opens a hub on it whose search index is at the head. */
export async function openLargeHub(folder: string): Promise<BenchHub> {
  mkdirSync(join(folder, ".baton"));
  await writeFirst(folder);
  addLike(journalIn(folder), largeEntries);
  const hub = await openHub(folder);
  try {
    await insistIndexed(hub);
    return hub;
  } catch (cause) {
    await hub.close();
    throw cause;
  }
}

async function insistIndexed(hub: BenchHub): Promise<void> {
  for (;;) {
    const stats = await fetch(`${hub.url}/api/journal/stats`, { headers: { cookie: hub.cookie, origin: hub.url } });
    const { search } = (await stats.json()) as {
      readonly search: { readonly teams: readonly { readonly indexed: number }[] };
    };
    if ((search.teams[0]?.indexed ?? 0) >= largeEntries) return;
    await setTimeout(2_000);
  }
}

/** A journal of so many entries that no index has yet; answers its path. */
export async function smallJournal(folder: string, count: number): Promise<string> {
  mkdirSync(join(folder, ".baton"), { recursive: true });
  await writeFirst(folder);
  addLike(journalIn(folder), count);
  return journalIn(folder);
}

async function writeFirst(folder: string): Promise<void> {
  const opened = await openTeam({
    journal: `sqlite:${journalIn(folder)}`,
    agent: "dev-1",
    create: true,
    teamFile: { path: join(folder, ".baton/team.yaml"), text: teamText },
  });
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  await using team = opened.value;
  const sent = await team.send("x".repeat(50), { id: "first", to: [{ role: "lead" }] });
  if (sent.outcome !== "accepted") throw new Error(JSON.stringify(sent));
}

function addLike(path: string, count: number): void {
  const db = new DatabaseSync(path);
  const last = db
    .prepare("SELECT place, hash, CAST(bytes AS TEXT) AS text FROM entry ORDER BY place DESC LIMIT 1")
    .get();
  const text = String(last?.text);
  const place = Number(last?.place);
  const [first = ""] = text.split("\n");
  const entry = { ...JSON.parse(first), hash: String(last?.hash) };
  const put = db.prepare("INSERT INTO entry (place, hash, bytes) VALUES (?, ?, ?)");
  let head = headAfter(entry);
  const start = entry.seq;
  for (let seq = start + 1; seq <= count; ) {
    db.exec("BEGIN");
    for (let end = Math.min(count, seq + rowsAtOnce - 1); seq <= end; seq += 1) {
      const id = messageId(`like-${seq}`);
      const rare = seq === Math.round(count / 3) ? rareWord : "usual";
      const words = `Entry ${seq} of many, ${rare}: the store keeps expired sessions until the next sweep, which runs every five minutes; fourteen tests pass.`;
      const sealed = sealEntry(
        entry.team,
        head,
        {
          ...entry,
          id,
          receivers: [],
          content: { ...entry.content, message: { ...entry.content.message, id, receivers: [], text: words } },
          text: undefined,
        },
        stampOf(systemClock),
      );
      put.run(place - start + seq, sealed.entry.hash, Buffer.from(sealed.text));
      head = headAfter(sealed.entry);
    }
    db.exec("COMMIT");
  }
  db.close();
}
