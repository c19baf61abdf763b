/**
 * Import, export, import: the same journal, on journals and folders made by chance. Entries come back verbatim; rows of
 * phases come back byte for byte, and are recorded with the same ids again.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { jsonLine } from "../../src/base/json.ts";
import { type Entry, readEntry } from "../../src/journal/entry.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { openMemoryJournal } from "../../src/journal/memory.ts";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import { teamProjection } from "../../src/perform/projection.ts";
import { checkEntries } from "../../src/perform/restoring.ts";
import type { TeamState } from "../../src/perform/state.ts";
import { phaseFolders, phaseRows } from "../../src/phases/services/phase-rows.ts";
import { writePhases } from "../../src/phases/text/phase-folder.ts";
import { entryIn } from "../../src/record/text/journal-import.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";
import { anyCharacter } from "../corpus/any-character.ts";

const seed = 20_260;
const scratch = mkdtempSync(join(tmpdir(), "baton-round-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

async function entriesOf(journal: Journal<TeamState>, team: TestTeam["context"]["team"]): Promise<readonly Entry[]> {
  const page = await journal.read(team);
  assert.ok(page.ok);
  return page.value.entries;
}

async function stateOf(journal: Journal<TeamState>, team: TestTeam["context"]["team"]) {
  const folded = await journal.state(team);
  assert.ok(folded.ok);
  return folded.value;
}

const example = (type: string) => structuredClone(dialectOf("vbw/2")?.definitions.get(type)?.example) as object;
const words = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }).filter((text) => text.isWellFormed() && !text.includes("\0")),
  fc.constantFrom("Lunch?", "\u202e\u001b[31m", '{"type": 1', "# head\n\nbody", "\u{1f600} __proto__", "a\r\nb"),
);

/** What agents do to a team, by chance. */
const deed = fc.oneof(
  fc.record({ does: fc.constant("say" as const), text: words }),
  fc.record({
    does: fc.constant("send" as const),
    type: fc.constantFrom("plan_contract", "execution_update", "blocker_report", "approval_request", "qa_verdict"),
    as: fc.constantFrom("lead-1", "dev-1", "qa-1"),
    id: fc.constantFrom("m-1", "m-2", "m-3"),
  }),
  fc.record({ does: fc.constant("claim" as const), task: fc.constantFrom("1-1-T1", "T9") }),
  fc.record({ does: fc.constant("register" as const), agent: fc.constantFrom("dev-2", "qa-2", "no name") }),
  fc.record({ does: fc.constant("acknowledge" as const), seq: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ does: fc.constant("remember" as const), text: words }),
);

async function lived(
  deeds: readonly (typeof deed extends fc.Arbitrary<infer Deed> ? Deed : never)[],
): Promise<TestTeam> {
  const team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
      { agent: "qa-1", role: "qa" },
    ],
  });
  for (const one of deeds) {
    const dev = team.as("dev-1");
    if (one.does === "say") await dev.send(one.text, { to: ["lead-1"] });
    else if (one.does === "send") await team.as(one.as).send(JSON.stringify({ ...example(one.type), id: one.id }));
    else if (one.does === "claim") await dev.claim({ task: one.task, files: ["src/"] });
    else if (one.does === "register") await team.as("lead-1").register({ agent: one.agent, role: "dev" });
    else if (one.does === "acknowledge") await dev.acknowledge(one.seq);
    else {
      const message = {
        dialect: null,
        type: null,
        rung: "markdown",
        wireId: null,
        text: one.text,
        fact: null,
      } as const;
      await team.as("owner").remember({ message, notes: [], origin: { source: "messages", from: "dev" } });
    }
  }
  return team;
}

test(`a journal comes back from its lines byte by byte, once (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 12 }), async (deeds) => {
      await using first = await lived(deeds);
      const { team, journal } = first.context;
      const entries = await entriesOf(journal, team);
      await using second = openMemoryJournal(teamProjection);
      for (const time of [1, 2]) {
        const head = time === 1 ? [] : [[team, (await stateOf(second, team)).head] as const];
        const check = checkEntries(second, new Map(head));
        const taken: Entry[] = [];
        for (const entry of entries) {
          const read = entryIn(jsonLine(entry));
          assert.ok(read.ok);
          const one = check.take(read.value);
          assert.ok(one.ok, JSON.stringify(one));
          taken.push(readEntry(read.value) ?? assert.fail("an entry"));
        }
        const streams = await check.streams();
        assert.ok(streams.ok);
        assert.equal(streams.value[0]?.fresh, time === 1 ? entries.length : 0);
        assert.ok((await second.restore(team, taken)).ok);
        assert.deepEqual(await entriesOf(second, team), entries);
        assert.deepEqual(await stateOf(second, team), await stateOf(journal, team));
      }
      const other = entries.map((entry, at) => (at === entries.length - 1 ? { ...entry, receivers: ["x"] } : entry));
      const check = checkEntries(null, new Map());
      assert.ok(!other.every((entry) => check.take(JSON.parse(jsonLine(entry))).ok));
    }),
    { seed, numRuns: 40 },
  );
});

const row = fc.oneof(
  fc.constantFrom('{"id":"C1","cat":"gap","sev":"major"}', '{ "id" : "C2" , "q":"\\u0001 spaced"}', "{}"),
  fc
    .record({
      id: fc.string(),
      sev: fc.constantFrom("minor", "nit"),
      n: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    })
    .map((one) => JSON.stringify(one)),
);
const files = fc.dictionary(
  fc.constantFrom(
    "01-auth/critique.jsonl",
    "01-auth/summary.jsonl",
    "02/research.jsonl",
    "02/test-plan.jsonl",
    "03-x.y_z/own.jsonl",
  ),
  fc.array(row, { minLength: 1, maxLength: 5 }),
  { minKeys: 1, noNullPrototype: true },
);

/** Everything below a folder, file by file. */
function contentsOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  return Object.fromEntries(names.toSorted().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Records the rows of a folder as taking one over does. */
async function bringIn(team: TestTeam, folder: string): Promise<readonly string[]> {
  const outcomes: string[] = [];
  for (const [file, contents] of Object.entries(contentsOf(folder))) {
    const rows = contents.split("\n").filter((text) => text !== "");
    for (const [index, text] of rows.entries()) {
      const message = { dialect: null, type: null, rung: "markdown", wireId: null, text, fact: null } as const;
      const origin = { source: "phase", file, id: `${file}:${index + 1}` } as const;
      const done = await team.as("owner").remember({ message, notes: [], origin });
      assert.ok(done.ok);
      outcomes.push(done.value);
    }
  }
  return outcomes;
}

/** The imported messages of a journal, without what the second recording gives again. */
async function importedOf(team: TestTeam) {
  const entries = await entriesOf(team.context.journal, team.context.team);
  return entries.slice(1).map(({ id, digest, content, text, receivers, principal }) => ({
    id,
    digest,
    content,
    text,
    receivers,
    principal,
  }));
}

test(`folders of phases come back byte for byte, and importing them again changes nothing (seed ${seed})`, async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(files, async (made) => {
      run += 1;
      const [source, written] = [join(scratch, `${run}/source`), join(scratch, `${run}/written`)];
      for (const [file, rows] of Object.entries(made)) {
        mkdirSync(join(source, file, ".."), { recursive: true });
        writeFileSync(join(source, file), rows.map((text) => `${text}\n`).join(""));
      }
      await using first = await testTeam({ agents: [] });
      assert.ok((await bringIn(first, source)).every((outcome) => outcome === "imported"));
      const { journal, team } = first.context;
      const rows = async function* () {
        for (const value of await entriesOf(journal, team)) yield { ok: true, value } as const;
      };
      const named = await phaseFolders(rows());
      const folders = named.ok ? named.value : new Map<string, string>();
      assert.ok((await writePhases(written, () => phaseRows(rows(), folders))).ok);
      assert.deepEqual(contentsOf(written), contentsOf(source));
      assert.equal((await writePhases(written, () => phaseRows(rows(), folders))).ok, false, "nothing is overwritten");
      await using second = await testTeam({ agents: [] });
      await bringIn(second, written);
      assert.deepEqual(await importedOf(second), await importedOf(first));
      assert.ok((await bringIn(first, written)).every((outcome) => outcome === "known"));
    }),
    { seed, numRuns: 25 },
  );
});
