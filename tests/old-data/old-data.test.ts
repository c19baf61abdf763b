/**
 * Journals, exports and team files of version 0.1.0, before what it wrote became less: every kind of entry and of event that
 * it could write, archived, restored, migrated, mirrored and forked journals, and one that lost entries. This version
 * opens them, shows what 0.1.0 showed, verifies their chains, and exports and imports them unchanged, after which an import
 * ends the access that came with them. The files are never written again; where a read or a field goes on purpose, `gone`
 * says so.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { teamName } from "../../src/base/ids.ts";
import type { Problem } from "../../src/base/problem.ts";
import type { Result } from "../../src/base/result.ts";
import type { Entry, Head, Page } from "../../src/journal/entry.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import type { ShutdownEvent } from "../../src/shutdown/state.ts";
import { teamOfFile } from "../../src/team/handlers/team-file.ts";
import { called } from "../e2e/called.ts";
import { packedJournals, unpacked } from "./pack.ts";
import { laterOf, type ShownTeam, shownOf } from "./shown.ts";

/** What 0.1.0 showed and this version does not, with the reason: a read, or a field behind the field that it is in. */
const gone: { readonly [readOrField: string]: string } = {
  "delivery.tokens": "how many tokens an agent's model used was read from its transcript",
  "value.findings": "a team had several judges, and has one",
  "task.findings": "the same of one task",
  "value.unseen": "a task shows why it could not be judged, which was one of its findings",
  "task.unseen": "the same of one task",
  "tasks.stale": "work that is not there any more is called gone",
  "tasks.gone": "the same by its new name",
  "plans.stale": "the same of a plan",
  "plans.gone": "the same by its new name",
  "value.stale": "the same of a summary",
  "value.gone": "the same by its new name",
  "agents.stale": "the same of a certificate",
  "agents.gone": "the same by its new name",
  "remotes.fault": "what is wrong with a remote is called its problem, as everywhere",
  "remotes.problem": "the same by its new name",
  reportedWork: "what a verifier on another machine judged by, which a hub fetches now",
};

/** What 0.1.0 showed by another name: the field's name now. */
const renamed: { readonly [field: string]: string } = { "remotes.fault": "problem", "value.fault": "problem" };

/** States that 0.1.0 called otherwise: their names now. */
const renamedStates: { readonly [state: string]: string } = { stale: "gone" };

/** Sentences for people, which may be worded anew. */
const prose = ["summary", "message", "hint", "expected"];

/** What 0.1.0 recorded of a team: what it showed, and what it recorded in a copy a month later. */
interface Recorded {
  readonly atMs: number;
  readonly head: Head;
  /** Absent: the team's entries are in an archive alone, and nothing can be shown. */
  readonly shown?: ShownTeam;
  readonly later?: readonly unknown[];
}

const recorded = JSON.parse(unpacked("shown.br").toString()) as {
  readonly [journal: string]: { readonly [team: string]: Recorded };
}; // our own
const monthMs = 30 * 86_400_000;
const journals = packedJournals();
const folder = mkdtempSync(join(tmpdir(), "baton-old-data-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A new copy of an old journal. */
function journalOf(name: string, as = name): string {
  const path = join(folder, as);
  writeFileSync(path, journals.get(name) ?? assert.fail(name));
  return path;
}

function must<Value>(result: Result<Value, Problem | readonly Problem[]>): Value {
  return result.ok ? result.value : assert.fail(JSON.stringify(result.error));
}

/** A value without what is gone and what is prose; of a refusal its code, since a path differs from place to place. */
function lasting(value: unknown, within = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => lasting(each, within));
  if (within === "state" && typeof value === "string") return renamedStates[value] ?? value;
  if (value === null || typeof value !== "object") return value;
  // A refusal's path is that of the place.
  if (isRefused(value)) return { refused: value.error.code };
  const fields = Object.entries(value).filter(
    ([key]) => !Object.hasOwn(gone, `${within}.${key}`) && !prose.includes(key),
  );
  return Object.fromEntries(fields.map(([key, each]) => [renamed[`${within}.${key}`] ?? key, lasting(each, key)]));
}

function isAnswered(value: unknown): boolean {
  return typeof value !== "object" || value === null || !isRefused(value);
}

function isRefused(value: object): value is { readonly error: Problem } {
  return "ok" in value && value.ok === false && "error" in value;
}

/** Asserts that each team of a journal in a file shows what it showed. */
async function showsTheSame(name: string, path: string): Promise<void> {
  for (const [team, { atMs, shown }] of Object.entries(recorded[name] ?? {})) {
    if (shown === undefined) continue;
    const now = await shownOf(path, team, atMs);
    const hadStaleWork = JSON.stringify(shown).includes('"stale"');
    if (hadStaleWork) assert.match(JSON.stringify(now), /"gone"/, `${name}: ${team}`);
    for (const [read, before] of Object.entries(shown)) {
      if (Object.hasOwn(gone, read.split(" ")[0] ?? read)) continue;
      const where = `${name}: ${read} of ${team}`;
      // Stale work did not count and was free; work that is gone counts until somebody says otherwise, in every read.
      if (hadStaleWork) assert.equal(isAnswered(now[read]), isAnswered(before), where);
      else assert.deepEqual(lasting(now[read]), lasting(before), where);
    }
  }
}

async function entriesOf(path: string, team: string): Promise<readonly Entry[]> {
  await using journal = must(await openTeamJournal(path, { create: false, readOnly: true }));
  const entries: Entry[] = [];
  for (let next: number | null = 0; next !== null; ) {
    const page: Page = must(await journal.read(teamName(team) ?? assert.fail(team), { after: next }));
    entries.push(...page.entries);
    next = page.next;
  }
  return entries;
}

test("old journals are sound and show what they showed, by the snapshots that they hold", async () => {
  for (const name of journals.keys()) {
    const path = journalOf(name);
    await showsTheSame(name, path);
    await using journal = must(await openTeamJournal(path, { create: false, readOnly: true }));
    const report = await journal.verify();
    assert.deepEqual(report.problems, [], name);
    const heads = Object.fromEntries(report.teams.map(({ team, head }) => [team, head]));
    const before = Object.entries(recorded[name] ?? {}).map(([team, { head }]) => [team, head]);
    assert.deepEqual(heads, Object.fromEntries(before), name);
  }
});

test("folded from their first entries they show the same", async () => {
  for (const name of journals.keys()) {
    const path = journalOf(name, `folded-${name}`);
    const db = new DatabaseSync(path);
    for (const derived of ["snapshot", "once", "indexed", "due"]) db.exec(`DELETE FROM ${derived}`);
    db.close();
    await showsTheSame(name, path);
  }
});

test("restored into a new journal their entries are the same", async () => {
  for (const name of journals.keys()) {
    const [path, copy] = [journalOf(name, `source-${name}`), join(folder, `restored-${name}`)];
    for (const [team, { head }] of Object.entries(recorded[name] ?? {})) {
      const entries = await entriesOf(path, team);
      await using journal = must(await openTeamJournal(copy));
      assert.deepEqual(must(await journal.restore(teamName(team) ?? assert.fail(team), entries)), head);
    }
  }
});

test("a month later their deadlines become what they became", async () => {
  for (const name of journals.keys()) {
    const path = journalOf(name, `later-${name}`);
    for (const [team, { atMs, later }] of Object.entries(recorded[name] ?? {})) {
      if (later === undefined) continue;
      const now = await laterOf(path, team, atMs + monthMs);
      assert.deepEqual(lasting(now.map(endingRounds)), lasting(later.map(endingRounds)), `${name}: ${team}`);
    }
  }
});

/** Whose silence the deadline of a round finds: 0.1.0 asked them again, which is the end of their part now. */
function endingRounds(entry: unknown): unknown {
  const { events = [] } = (entry as { readonly content: { readonly events?: readonly ShutdownEvent[] } }).content;
  const found = events.find(({ event }) => event === "shutdown-repeated" || event === "shutdown-forced");
  return found !== undefined && "agents" in found ? { round: found.requestId, silent: found.agents } : entry;
}

for (const form of ["jsonl", "cloudevents"])
  test(`an old export as ${form} is imported, its entries are exported unchanged, and the link that it brought is ended`, async () => {
    const place = mkdtempSync(join(folder, `${form}-`));
    const [given, text] = [form, "jsonl"].map((each) =>
      gunzipSync(readFileSync(join(import.meta.dirname, "exports", `${each}.gz`))).toString(),
    ) as [string, string]; // two of two
    const journal = ["--journal", `sqlite:${join(place, "journal.db")}`];
    assert.equal((await called(place, ["journal", "import", "-", ...journal], given)).code, 0);
    const exported = (await called(place, ["journal", "export", ...journal])).stdout;
    assert.equal(exported.slice(0, text.length), text);
    // Its one link lets anybody read; its only token is dev-1's, which is no owner's.
    const added = exported
      .slice(text.length)
      .trimEnd()
      .split("\n")
      .map((line): Entry => JSON.parse(line));
    const of = { team: "web", seq: 43, kind: "command", agent: "owner" };
    const content = {
      command: { name: "revoke-token", tokenId: "5c655ea1f422" },
      team: [{ event: "share-revoked", shareId: "5c655ea1f422" }],
    };
    assert.deepEqual(
      added.map(({ team, seq, kind, principal, content }) => ({ team, seq, kind, agent: principal.agent, content })),
      [{ ...of, content }],
    );
    assert.match((await called(place, ["journal", "verify", ...journal])).said, /sound/);
  });

test("old team files say what they said", async () => {
  const home = join(import.meta.dirname, "team");
  const read = (...parts: readonly string[]) => readFileSync(join(home, ...parts), "utf8");
  const definitions = JSON.parse(read("definitions.json")) as { readonly [name: string]: unknown }; // our own
  const names = readdirSync(home).filter((name) => name !== "definitions.json");
  assert.deepEqual(names.toSorted(), Object.keys(definitions).toSorted());
  for (const name of names) {
    const own = name === "all" ? ["risk_report.json"] : [];
    const messages = own.map((file) => ({ path: `messages/${file}`, text: read(name, "messages", file) }));
    const defined = must(
      await teamOfFile({ path: "team.yaml", text: read(name, "team.yaml"), ...(own.length === 0 ? {} : { messages }) }),
    );
    assert.deepEqual(JSON.parse(JSON.stringify(defined)), definitions[name], name);
  }
});
