/** Exporting for other programs, for people and for the folders of phases. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTeam } from "../../src/perform/open.ts";
import { called, calledWithCode } from "./called.ts";
import { contract, folder, jsonLines, problemCodes, team, update } from "./command.ts";

const hostile =
  "<img src=x onerror=alert(1)> [a](javascript:x) https://evil.example \u001b[31m\u202e\n# Head\n```js\n- item";

async function spoken(): Promise<string> {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["send", "--as", "dev-1"], update());
  await calledWithCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1"], hostile);
  return place;
}

test("cloudevents have the attributes that CloudEvents 1.0 requires, and are imported to the same journal", async () => {
  const place = await spoken();
  const text = (await calledWithCode(0, place, ["journal", "export", "--format", "cloudevents"])).stdout;
  const entries = jsonLines(await calledWithCode(0, place, ["journal", "export"]));
  const events = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    events.map(({ data }) => data),
    entries,
  );
  assert.equal(new Set(events.map(({ source, id }) => `${String(source)} ${String(id)}`)).size, entries.length);
  for (const event of events) {
    assert.equal(event.specversion, "1.0");
    assert.match(String(event.source), /^urn:baton:team:[a-z0-9-]+$/);
    assert.match(String(event.time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(event.datacontenttype, "application/json");
    for (const [name, value] of Object.entries(event)) {
      assert.match(name, /^[a-z0-9]{1,20}$/, "the alphabet of attributes");
      if (name !== "data") assert.match(String(value), /^[\x20-\x7e]+$/);
    }
  }
  assert.deepEqual(
    events.map(({ type }) => type),
    ["baton.team", "baton.message.plan_contract", "baton.message.execution_update", "baton.message"],
  );
  const other = folder();
  mkdirSync(join(other, ".baton"));
  assert.equal((await called(other, ["journal", "import", "-"], text)).code, 0);
  assert.deepEqual(jsonLines(await calledWithCode(0, other, ["journal", "export"])), entries);
});

test("a batch is one JSON array of the same events, and is imported to the same journal however it is laid out", async () => {
  const place = await spoken();
  const text = (await calledWithCode(0, place, ["journal", "export", "--format", "cloudevents-batch"])).stdout;
  const lines = (await calledWithCode(0, place, ["journal", "export", "--format", "cloudevents"])).stdout
    .trimEnd()
    .split("\n");
  const batch = JSON.parse(text) as readonly unknown[];
  assert.deepEqual(
    batch,
    lines.map((line) => JSON.parse(line) as unknown),
  );
  const exported = (await calledWithCode(0, place, ["journal", "export"])).stdout;
  for (const layout of [text, JSON.stringify(batch, null, 2)]) {
    const other = folder();
    mkdirSync(join(other, ".baton"));
    assert.equal((await called(other, ["journal", "import", "-"], layout)).code, 0);
    assert.equal((await calledWithCode(0, other, ["journal", "export"])).stdout, exported);
  }
  const other = folder();
  mkdirSync(join(other, ".baton"));
  for (const broken of [text.slice(0, -2), text.slice(0, -40), `${text}x`]) {
    const refused = await called(other, ["journal", "import", "-", "--json"], broken);
    assert.deepEqual([refused.code, jsonLines(refused).at(-1)?.recorded], [2, false]);
  }
  await calledWithCode(64, place, ["journal", "export", "--format", "cloudevents-batch", "--json"]);
});

test("minutes tell what was said, and agents' words are nothing but words", async () => {
  const page = (await calledWithCode(0, await spoken(), ["journal", "export", "--format", "markdown"])).stdout;
  assert.match(
    page,
    /^# Minutes of web\n\n## \d{4}-\d\d-\d\d\n\n- [\dTZ:.-]+ \*\*lead-1\*\* to dev-1[^\n]*: plan\\_contract \(vbw\/2\), entry 2\n/,
  );
  assert.match(page, /\n {2}- objective: /);
  assert.match(page, /\\<img src=x onerror=alert\(1\)\\> \\\[a\\\]\(javascript:x\) https\\:\/\/evil\.example/);
  assert.doesNotMatch(page, /[^\\]<img|\u001b|\u202e|\n# Head|\n```|[^\\]:\/\//);
  assert.match(page, /\nUp to entry 4, [^\n]* hash `[0-9a-f]{64}`\.\n/);
});

/** Records rows of a phase's file as taking a project over does. */
async function takenOver(place: string, file: string, rows: readonly string[]): Promise<void> {
  const opened = await openTeam({ journal: join(place, ".baton/journal.db"), create: false });
  assert.ok(opened.ok);
  await using owner = opened.value;
  for (const [index, text] of rows.entries()) {
    const message = { dialect: null, type: null, rung: "markdown", wireId: null, text, fact: null } as const;
    assert.ok((await owner.remember({ message, notes: [], origin: { source: "phase", file, id: `${index}` } })).ok);
  }
}

test("the folders of phases get what came from such and a line for each plan that is done", async () => {
  const place = await spoken();
  const rows = ['{"id":"C1","sev":"major"}', '{"id":"C2", "sev":"minor"}'];
  await takenOver(place, "01-start/critique.jsonl", rows);
  const told = jsonLines(
    await calledWithCode(0, place, ["journal", "export", "--format", "phase", "--out", "new", "--json"]),
  );
  assert.deepEqual(told.find(({ file }) => file === "01-start/critique.jsonl")?.rows, 2);
  const written = (file: string) => readFileSync(join(place, "new/01-start", file), "utf8");
  const [summary] = written("summary.jsonl").trimEnd().split("\n");
  const facts = { p: "01", n: "01", t: "Implement feature X", s: "complete", tc: 1, tt: 1, ch: ["abc1234"] };
  assert.partialDeepStrictEqual(JSON.parse(summary ?? "{}"), { ...facts, fm: ["src/feature.js"] });
  assert.equal(written("critique.jsonl"), rows.map((row) => `${row}\n`).join(""));
  const again = await calledWithCode(2, place, ["journal", "export", "--format", "phase", "--out", "new", "--json"]);
  assert.deepEqual(problemCodes(again), ["already-exists"]);
  mkdirSync(join(place, "trap"));
  symlinkSync(folder(), join(place, "trap/01-start"));
  const trapped = await calledWithCode(2, place, ["journal", "export", "--format", "phase", "--out", "trap", "--json"]);
  assert.deepEqual(problemCodes(trapped), ["invalid-path"]);
  writeFileSync(join(place, "taken"), "a file");
  // Below /proc no folder can be made, and to try for ever is what Node's own way does.
  for (const nowhere of ["taken", "taken/deeper", "/proc/phases"])
    await calledWithCode(3, place, ["journal", "export", "--format", "phase", "--out", nowhere]);
  assert.equal(readFileSync(join(place, "taken"), "utf8"), "a file");
  await calledWithCode(64, place, ["journal", "export", "--format", "phase"]);
  await calledWithCode(64, place, ["journal", "export", "--out", "new"]);
});
