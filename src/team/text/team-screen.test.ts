/** The screen of `baton watch`: what is on it, that it fits, and that text of agents is only text there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { paintFor } from "../../doors/cli/terminal/output.ts";
import { columnsOf } from "../../doors/cli/terminal/terminal-text.ts";
import type { Need } from "../../needs/view/need-ranking.ts";
import type { TeamStatus } from "../operations/status.ts";
import { chosenNeed, meantNeeds, type ScreenState, screenLines } from "./team-screen.ts";

const nowMs = Date.parse("2026-01-01T10:00:00Z");
const need = (id: string, more: Partial<Need> = {}): Need => ({
  id,
  kind: "approval",
  triage: "decide",
  subject: "dev-1 asks for a change of scope.",
  asks: "May I?",
  why: null,
  help: null,
  agent: "dev-1",
  task: "1-1-T1",
  plan: null,
  phase: null,
  target: id,
  requestType: "scope_change",
  blocks: ["1-1-T2"],
  blocksTotal: 1,
  dueAt: null,
  dueBy: null,
  since: "2026-01-01T09:50:00Z",
  group: null,
  subgroup: null,
  count: 1,
  ifSeq: 3,
  ...more,
});

function state(needs: readonly Need[], more: Partial<ScreenState> = {}): ScreenState {
  return {
    status: null,
    needs: { seq: 9, total: needs.length, counts: {} as never, triage: {} as never, needs },
    tasks: [],
    recent: [
      {
        seq: 9,
        epoch: 1,
        kind: "message",
        id: null,
        dialect: null,
        type: null,
        sender: "dev-1",
        receivers: ["lead-1"],
        recordedAt: "2026-01-01T09:59:00Z",
        task: null,
        fact: null,
        report: null,
        outcome: null,
        thread: null,
        supersededBy: null,
        problem: null,
        summary: "Hello \u001b[2J\u001b]0;owned\u0007 there",
      },
    ],
    chosen: null,
    isOpen: false,
    foreseen: null,
    writing: null,
    filter: "",
    marked: new Set(),
    pending: null,
    told: "",
    nowMs,
    ...more,
  };
}

const plain = (text: string) => text.replaceAll(/\u001b\[\d+m/g, "");

test("every line fits, whatever the size, and there is one fewer than rows", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => need(`ask-${at}`, { asks: "漢字 ".repeat(50) }));
  for (const [rows, columns] of [
    [8, 20],
    [24, 80],
    [40, 200],
    [100, 60],
  ] as const) {
    for (const isOpen of [false, true]) {
      const lines = screenLines(state(many, { isOpen, told: "x".repeat(500) }), {
        rows,
        columns,
        paint: paintFor(true),
      });
      assert.ok(lines.length <= rows - 1, `${lines.length} of ${rows}`);
      for (const line of lines) assert.ok(columnsOf(plain(line)) <= columns, `${columns}: ${line}`);
    }
  }
  const begun = performance.now();
  screenLines(state(many), { rows: 40, columns: 120, paint: paintFor(true) });
  assert.ok(performance.now() - begun < 1_000);
});

test("the chosen need is marked, in view and opened whole, with the keys that decide it", () => {
  const needs = Array.from({ length: 50 }, (_, at) => need(`ask-${at}`, { asks: `May I ${at}?` }));
  const size = { rows: 24, columns: 100, paint: paintFor(false) };
  const listed = screenLines(state(needs, { chosen: "ask-40" }), size).join("\n");
  assert.match(listed, /> approval {5}May I 40\? dev-1/);
  assert.match(listed, /and \d+ more/);
  assert.match(listed, /a approve {3}d deny/);
  const foreseen = { id: "ask-40", facts: [["if yes", "dev-1 gets the answer."]] } as const;
  const opened = screenLines(state(needs, { chosen: "ask-40", isOpen: true, foreseen }), size).join("\n");
  for (const words of [
    "dev-1 asks for a change of scope.",
    "May I 40?",
    "if yes   dev-1 gets the answer.",
    "1-1-T2 (1)",
    "10 min",
    "cannot be taken back",
  ])
    assert.ok(opened.includes(words), `${words}:\n${opened}`);
  const other = screenLines(state(needs, { chosen: "ask-41", isOpen: true, foreseen }), size).join("\n");
  assert.doesNotMatch(other, /if yes/);
  const dispute = screenLines(state([need("d", { kind: "dispute", requestType: null })], { isOpen: true }), size).join(
    "\n",
  );
  assert.match(dispute, /You cannot decide this here/);
  assert.doesNotMatch(dispute, /a approve/);
  const waits = screenLines(state(needs, { pending: { verb: "deny", subject: "Subject 1.", seconds: 4 } }), size);
  assert.match(waits.join("\n"), /deny in 4 s: Subject 1\. {2}z takes it back/);
});

test("a filter narrows needs and entries to plain text in any case, and what is marked is decided together", () => {
  const needs = [
    need("one", { subject: "The FOOTER.", asks: null }),
    need("two", { subject: "The header.", asks: null, agent: "dev-2" }),
    need("hold", { subject: "A hold on the footer.", kind: "hold", requestType: null }),
  ];
  const size = { rows: 24, columns: 100, paint: paintFor(false) };
  const narrowed = state(needs, { filter: "footer" });
  const lines = screenLines(narrowed, size).join("\n");
  assert.match(lines, /Needs you \(2 of 3\)/);
  assert.match(lines, /The FOOTER\./);
  assert.doesNotMatch(lines, /The header\.|Hello/);
  assert.equal(chosenNeed(state(needs, { filter: "dev-2", chosen: "one" }))?.id, "two");
  assert.match(screenLines(state(needs, { filter: ".*" }), size).join("\n"), /Nothing matches\./);
  const marked = state(needs, { marked: new Set(["one", "two", "hold"]), writing: { verb: "approve", text: "ok" } });
  assert.match(screenLines(marked, size).join("\n"), />x approval .*\n x approval|approve 3, reason, if any: ok/);
  assert.deepEqual(
    meantNeeds(marked, "approve").map(({ id }) => id),
    ["one", "two"],
    "a hold is not approved",
  );
  assert.deepEqual(
    meantNeeds(state(needs, { chosen: "two" }), "deny").map(({ id }) => id),
    ["two"],
  );
  const finding = screenLines(state(needs, { writing: { verb: "find", text: "foo" } }), size).join("\n");
  assert.match(finding, /find: foo_/);
});

test("text of agents is never a control of the terminal, in no place of the screen", () => {
  const evil = "\u001b[31mred\u001b]0;t\u0007\u202eabc\r\n\u009b2J";
  const needs = [
    need("x", { subject: evil, asks: evil, why: evil, agent: evil, task: evil, target: evil, blocks: [evil] }),
  ];
  for (const isOpen of [false, true]) {
    const lines = screenLines(state(needs, { isOpen, told: evil, filter: "", writing: { verb: "deny", text: evil } }), {
      rows: 40,
      columns: 120,
      paint: paintFor(true),
    });
    for (const line of lines) assert.doesNotMatch(plain(line), /[\p{Cc}\u202e]/u);
  }
  assert.match(plain("\u001b[31mred\u0007"), /\p{Cc}/u, "the control: such a line is found");
});

test("a remote has a row below the agents, with what is open there as its word or why it is not reached", () => {
  type Remote = NonNullable<TeamStatus["remotes"]>[number];
  const asked = (title: string, more: object = {}) =>
    ({ ask: "out-1", remote: "shop", asker: "dev-1", title, state: "working", ...more }) as Remote["asks"][number];
  const remotes: readonly Remote[] = [
    {
      remote: "bank",
      isKnown: true,
      problem: { code: "hub-unreachable", message: "There is \u001b[2J no line", seq: 7 },
      asks: [asked("Pay")],
    },
    { remote: "idle", isKnown: true, problem: null, asks: [] },
    { remote: "post", isKnown: true, problem: null, asks: [asked("Send it", { state: "unsent" })] },
    { remote: "shop", isKnown: true, problem: null, asks: [asked("Add \u001b]0;owned\u0007 the tax"), asked("More")] },
  ];
  const status = { team: "web", agents: [], remotes, head: { seq: 9 }, counts: {}, tasks: {}, journal: "ready" };
  const size = { rows: 40, columns: 100, paint: paintFor(false) };
  const lines = screenLines(state([], { status: status as never }), size);
  const at = lines.findIndex((line) => line.includes("Agents (0) and 4 remotes"));
  assert.ok(at >= 0, lines.join("\n"));
  assert.deepEqual(
    lines.slice(at + 1, at + 5).map((line) => line.trim().replaceAll(/ +/g, " ")),
    [
      "remote:bank remote not reached: There is ␛[2J no line",
      "remote:idle remote nothing open there",
      "remote:post remote not sent yet: Send it",
      "remote:shop remote says working: Add ␛]0;owned␇ the tax and 1 more",
    ],
  );
});

test("on a small screen an agent that is gone is in sight, however many there are", () => {
  const agents = Array.from({ length: 30 }, (_, at) => ({
    agent: `dev-${at}`,
    role: "dev",
    status: "active",
    health: at === 27 ? "disappeared" : "working",
    unread: 0,
    delivery: { idle: false },
    lastSeenAt: null,
  }));
  const status = { team: "web", agents, head: { seq: 9 }, counts: {}, tasks: {}, journal: "ready" };
  const size = { rows: 24, columns: 80, paint: paintFor(false) };
  const lines = screenLines(state([], { status: status as never }), size).join("\n");
  assert.match(lines, /\n {2}dev-27 .*DISAPPEARED/);
  assert.match(lines, /and \d+ more/);
});
