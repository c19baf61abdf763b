/** `baton watch` without a terminal, and `baton log --follow`: the beginning, what comes, what passes, the end. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readAddress } from "../../src/messages/role.ts";
import { openTeam } from "../../src/perform/open.ts";
import { calledWithCode } from "./called.ts";
import { contract, expectCode, jsonLines, request, start, team, update } from "./command.ts";
import { gather } from "./gathering.ts";

/** The numbers of the entries in the lines of plain output. */
function numbers(stdout: string): readonly number[] {
  return [...stdout.matchAll(/^\S+ #(\d+) /gm)].map(([, seq]) => Number(seq));
}

/** Notes from dev-1 to lead-1, numbered from 1, sent by this process because many are wanted. */
async function sendNotes(place: string, count: number, end = ""): Promise<void> {
  const path = join(place, ".baton/team.yaml");
  const opened = await openTeam({
    journal: join(place, ".baton/journal.db"),
    teamFile: { path, text: readFileSync(path, "utf8") },
    create: true,
    agent: "dev-1",
  });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using notes = opened.value;
  const receiver = readAddress("lead-1");
  assert.ok(receiver.ok);
  for (let n = 1; n <= count; n++) {
    const sent = await notes.send(`note ${n}${end}`, { to: [receiver.value] });
    assert.equal(sent.outcome, "accepted");
  }
}

async function interrupted(child: ReturnType<typeof start>, seen: ReturnType<typeof gather>) {
  child.kill("SIGINT");
  const done = await seen.end();
  assert.deepEqual([done.code, done.signal], [130, null], done.stderr);
  return done;
}

test("begins with the last entries and goes on with those of other processes, each once", async () => {
  const place = team();
  await sendNotes(place, 25, " <end>");
  const child = start(place, ["watch"]);
  const seen = gather(child);
  await seen.until((stdout) => stdout.includes("note 25 <end>"));
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["ack", "26", "--as", "lead-1"]);
  await seen.until((stdout) => stdout.includes("acknowledged up to 26"));
  const { stdout, stderr } = await interrupted(child, seen);
  const expected = Array.from({ length: 22 }, (_, index) => index + 7);
  assert.deepEqual(numbers(stdout), expected, "20 of 26, then two");
  assert.equal(stderr, "");
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, 22, "a line an entry");
  assert.match(
    lines.at(-2) ?? "",
    /^\d\d:\d\d:\d\d #27 plan_contract lead-1 -> [a-z0-9, -]*dev-1[a-z0-9, -]* {2}1-1-T1: Implement feature X$/,
  );
});

test("filters hold for what was and for what comes", async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--from", "lead-1"], /lead-1 -> /],
    [["--to", "architect-1"], /architect-1/],
    [["--type", "execution_update"], /execution_update/],
    [["--task", "1-1-T9"], /1-1-T9/],
    // It is deep in the text, beyond what a line shows.
    [["--grep", "NEEDLE"], /execution_update/],
    [["--kind", "ack", "--kind", "refusal"], /acknowledged|refused/],
  ];
  const say = async (place: string, round: number) => {
    const id = (name: string) => ({ id: `${name}-${round}` });
    if (round === 1) await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
    await calledWithCode(0, place, ["send", "--as", "lead-1", "--to", "architect-1"], `to the architect, ${round}`);
    const payload = { concerns: [`a needle in round ${round}`] };
    const report = JSON.parse(update(["src/feature.js"], id("u"))) as { payload: object };
    await calledWithCode(
      0,
      place,
      ["send", "--as", "dev-1"],
      JSON.stringify({ ...report, payload: { ...report.payload, ...payload } }),
    );
    await calledWithCode(0, place, ["send", "--as", "dev-1"], request({ ...id("r"), task: "1-1-T9" }));
    await calledWithCode(0, place, ["ack", "2", "--as", "dev-1", "--id", `ack-${round}`]);
    await calledWithCode(2, place, ["send", "--as", "dev-1"], contract(["x"], id("c")));
    await calledWithCode(0, place, ["send", "--as", "scout-1", "--to", "dev-1"], `the end of round ${round}`);
  };
  const place = team();
  await say(place, 1);
  const watchers = [[], ...cases.map(([words]) => words)].map((words) => {
    const child = start(place, ["log", "--follow", "--json", ...words]);
    return { child, seen: gather(child) };
  });
  // Each has looked at the head before it prints its first line.
  for (const { seen } of watchers) await seen.until((stdout) => stdout !== "");
  await say(place, 2);
  const [all, ...filtered] = watchers;
  assert.ok(all !== undefined);
  await all.seen.until((stdout) => stdout.includes("the end of round 2"));
  const everything = jsonLines({ code: 0, stderr: "", stdout: (await interrupted(all.child, all.seen)).stdout });
  for (const [index, { child, seen }] of filtered.entries()) {
    const [words = [], shows = /./] = cases[index] ?? [];
    const expected = everything.filter((line) => passes(line, words));
    await seen.until((stdout) => stdout.split("\n").length > expected.length);
    const { stdout } = await interrupted(child, seen);
    assert.deepEqual(jsonLines({ code: 0, stderr: "", stdout }), expected, words.join(" "));
    assert.ok(expected.length >= 2, `${words.join(" ")} lets both rounds through`);
    assert.match(stdout, shows.source.includes("->") || shows.source.includes("|") ? /./ : shows, words.join(" "));
  }
});

/** The filters again, by the fields of the lines alone; the text is known to be in the reports only. */
function passes(line: Record<string, unknown>, words: readonly string[]): boolean {
  const [option, value] = words;
  if (option === "--from") return line.sender === value;
  if (option === "--to") return (line.receivers as readonly string[]).includes(value ?? "");
  if (option === "--type") return line.type === value;
  if (option === "--task") return line.task === value;
  if (option === "--grep") return line.type === "execution_update";
  return words.includes(String(line.kind));
}

test("a reader that goes away ends it quietly", async () => {
  const place = team();
  const child = start(place, ["watch"]);
  const seen = gather(child);
  const closed = once(child, "close");
  child.stdout?.once("data", () => child.stdout?.destroy());
  await seen.until((stdout) => stdout !== "");
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  assert.deepEqual(await closed, [0, null]);
});

test("a view shows what was said or turned down, of existing entries and of new ones", async () => {
  const place = team();
  const wrong = update([], { id: "wrong", schema_version: "3.0" });
  const shown = async (words: readonly string[]) =>
    jsonLines(await calledWithCode(0, place, [...words, "--json"])).map(({ kind }) => kind);
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(2, place, ["send", "--as", "dev-1"], wrong);
  assert.deepEqual(await shown(["log"]), ["team", "message", "refusal"]);
  assert.deepEqual(await shown(["log", "--view", "messages"]), ["message", "refusal"]);
  assert.deepEqual(await shown(["log", "--view", "refusals"]), ["refusal"]);
  const followers = ["messages", "refusals"].map((view) => {
    const child = start(place, ["log", "--follow", "--view", view, "--json"]);
    return { child, seen: gather(child) };
  });
  for (const { seen } of followers) await seen.until((stdout) => stdout.includes('"kind":"refusal"'));
  await calledWithCode(0, place, ["ack", "2", "--as", "dev-1"]);
  await calledWithCode(0, place, ["send", "--as", "lead-1", "--to", "dev-1", "--id", "note"], "Well?");
  await calledWithCode(2, place, ["agent", "register", "no name", "--role", "dev"]);
  await calledWithCode(2, place, ["send", "--as", "dev-1", "--id", "last"], wrong);
  const kinds: unknown[] = [];
  for (const { child, seen } of followers) {
    await seen.until((stdout) => stdout.includes('"id":"last"'));
    kinds.push(jsonLines(await interrupted(child, seen)).map(({ kind }) => kind));
  }
  assert.deepEqual(kinds, [
    ["message", "refusal", "message", "refusal"],
    ["refusal", "refusal"],
  ]);
  assert.match(expectCode(64, place, ["log", "--view", "mesages"]).stderr, /did you mean "messages"/);
});
