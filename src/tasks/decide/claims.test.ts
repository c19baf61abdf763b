import assert from "node:assert/strict";
import { test } from "node:test";
import {
  add,
  after,
  claim,
  type Orders,
  release,
  report,
  stateAfter,
  type WorkCommand,
  work,
} from "../../../tests/work/orders.ts";
import type { ProblemCode } from "../../base/problem.ts";
import { given } from "../../testing/given.ts";
import { type ClaimTask, denialCodes, denialReasonOf, obstacleTo } from "./claims.ts";

const t1 = add("1-1-T1", { files: ["src/a.ts", "src/b/"] });
const t2 = add("1-1-T2", { files: ["src/b/c.ts"] });

test("a claim is granted with the seq of its entry as the token, and covers the task's files", () => {
  const { state } = given(work, after(t1))
    .when(claim("1-1/T1", "dev-1"))
    .thenEvents([
      {
        event: "task-claimed",
        key: "1-1-T1",
        task: "1-1-T1",
        holder: "dev-1",
        session: 1,
        token: 7,
        files: ["src/a.ts", "src/b/"],
        grows: false,
        atMs: 1_000,
        leaseMs: 300_000,
      },
    ]);
  assert.equal(state.tasks.get("1-1-T1")?.claim?.token, 7);
});

test("who begins a plan takes over what its holder left alone for a lease, and nothing else", () => {
  const begins = (agent: string, more: Partial<ClaimTask> = {}) =>
    claim("1-1-T1", agent, { files: [], ofPlan: true, ...more });
  const later = { atMs: 1_000 + 300_000, seq: 9 };
  const held = [t1, t2, begins("dev-2")];
  assert.equal(stateAfter(...held, begins("dev-1", later)).tasks.get("1-1-T1")?.claim?.holder, "dev-1");
  const edits: WorkCommand = { command: "take-files", holder: "dev-2", session: 1, files: ["x"], seq: 8, atMs: 5_000 };
  const kept: readonly (readonly [string, readonly WorkCommand[], Orders["claim-task"]])[] = [
    ["before a lease is over", held, begins("dev-1", { ...later, atMs: 200_000 })],
    ["while the holder edits", [...held, edits], begins("dev-1", later)],
    ["a task that was claimed by itself", [t1, t2, claim("1-1-T1", "dev-2")], begins("dev-1", later)],
    ["for one that claims the task by itself", held, claim("1-1-T1", "dev-1", later)],
    [
      "soon after an edit of the plan that is committed",
      [
        ...held,
        { ...edits, atMs: 250_000 },
        { command: "free-files", edits: [{ file: "x", seq: 8 }], reason: "committed" },
      ],
      begins("dev-1", later),
    ],
  ];
  for (const [what, before, asked] of kept) {
    const refused = work.decide(asked, stateAfter(...before));
    assert.equal(refused.ok ? what : refused.error[0]?.code, "task-held", what);
  }
});

test("the first edit of an agent without a task says that no claim was seen, where a task is free", () => {
  const edit: WorkCommand = { command: "take-files", holder: "dev-2", session: 1, files: ["x"], seq: 8, atMs: 5_000 };
  const next: WorkCommand = { ...edit, files: ["y"], seq: 9 };
  const cases: readonly (readonly [readonly WorkCommand[], WorkCommand, readonly string[]])[] = [
    [[t1], edit, ["no-claim-seen"]],
    [[t1, edit], next, []],
    [[t1, claim("1-1-T1", "dev-2")], edit, ["outside-forecast"]],
    [[t1, claim("1-1-T1", "dev-1")], edit, []],
    [[], edit, []],
  ];
  for (const [before, asked, codes] of cases) {
    const decided = work.decide(asked, stateAfter(...before));
    assert.deepEqual(decided.ok ? decided.value.notes.map(({ code }) => code) : decided.error, codes);
  }
});

const denials: readonly (readonly [string, readonly WorkCommand[], Orders["claim-task"], readonly ProblemCode[]])[] = [
  ["an unknown task", [], claim("1-1-T9", "dev-1"), ["unknown-task"]],
  ["a task of another plan", [t1], claim("T1", "dev-1", { planId: "1-2" }), ["unknown-task"]],
  [
    "an id that two plans have",
    [add("tests", { planId: "1-1" }), add("tests", { planId: "1-2" })],
    claim("tests", "dev-1"),
    ["unknown-task"],
  ],
  ["a held task", [t1, claim("1-1-T1", "dev-2")], claim("1-1-T1", "dev-1"), ["task-held"]],
  ["a file that another holds", [t1, t2, claim("1-1-T1", "dev-2")], claim("1-1-T2", "dev-1"), ["claim-overlap"]],
  [
    "a glob that meets what another holds",
    [t1, t2, claim("1-1-T2", "dev-2")],
    claim("1-1-T1", "dev-1", { files: ["src/*/c.?s"] }),
    ["claim-overlap"],
  ],
  ["a task that waits", [t1, add("1-1-T3", { dependsOn: ["T1"] })], claim("1-1-T3", "dev-1"), ["task-blocked"]],
  [
    "a task of a plan that waits",
    [
      { command: "adopt-tasks", planId: "1-2", tasks: ["T1"], dependsOn: ["1-1"], seq: 1 },
      { command: "adopt-tasks", planId: "1-1", tasks: ["T1"], dependsOn: [], seq: 2 },
    ],
    claim("T1", "dev-1", { planId: "1-2" }),
    ["task-blocked"],
  ],
  [
    "files outside the contract",
    [t1],
    claim("1-1-T1", "dev-1", { files: ["docs/"], scope: { allowed: ["src/"], forbidden: [] } }),
    ["outside-contract"],
  ],
  [
    "everything that stands in the way at once",
    [t1, t2, claim("1-1-T1", "dev-2"), claim("1-1-T2", "dev-2")],
    claim("1-1-T1", "dev-1", { files: ["src/b/c.ts"], scope: { allowed: ["docs/"], forbidden: [] } }),
    ["task-held", "outside-contract", "claim-overlap"],
  ],
  ["the word for a task without files", [t1], claim("1-1-T1", "dev-1", { files: ["none"] }), ["wrong-value"]],
  ["what is no glob", [t1], claim("1-1-T1", "dev-1", { files: ["../x"] }), ["invalid-glob"]],
];

test("a file that is called none is claimed by its path", () => {
  const decided = work.decide(claim("1-1-T1", "dev-1", { files: ["./none"] }), stateAfter(t1));
  assert.ok(decided.ok && decided.value.events.some((event) => event.event === "task-claimed"));
});

test("files in the way are a problem of the task where the caller named none", () => {
  const before = [t1, t2, claim("1-1-T2", "dev-2")];
  const scope = { allowed: ["docs/"], forbidden: [] };
  const edit: WorkCommand = {
    command: "take-files",
    holder: "dev-2",
    session: 1,
    files: ["src/a.ts"],
    seq: 8,
    atMs: 0,
  };
  const refused = (more: Partial<ClaimTask>) =>
    given(work, after(...before, edit))
      .when(claim("1-1-T1", "dev-1", more))
      .thenRefused("outside-contract")
      .map(({ code, path }) => `${code} ${path}`);
  const at = (path: string) => [`outside-contract ${path}`, `claim-overlap ${path}`, `claim-overlap ${path}`];
  assert.deepEqual(refused({ scope }), at("$.body.taskId"));
  assert.deepEqual(refused({ scope, files: ["src/"] }), at("$.body.files"));
  const unchecked = work.decide(claim("1-1-T1", "dev-1"), stateAfter(t1));
  assert.equal(unchecked.ok && unchecked.value.notes[0]?.path, "$.body.taskId");
});

for (const [what, before, command, codes] of denials) {
  test(`refused: ${what}`, () => {
    const problems = given(work, after(...before))
      .when(command)
      .thenRefused(codes[0] as ProblemCode);
    assert.deepEqual(
      problems.map(({ code }) => code),
      codes,
    );
  });
}

test("a denial names the holder and the overlapping paths", () => {
  const state = stateAfter(t1, t2, claim("1-1-T1", "dev-2"));
  const asked = { taskId: "1-1-T2", planId: null, files: null, holder: "dev-1" };
  assert.deepEqual(obstacleTo(asked, state), { holder: "dev-2", paths: ["src/b"] });
  assert.deepEqual(obstacleTo({ ...asked, taskId: "1-1-T1", files: ["docs/"] }, state), { holder: "dev-2", paths: [] });
  assert.deepEqual(obstacleTo({ ...asked, holder: "dev-2" }, state), { holder: null, paths: [] });
});

test("every denial has its code, and every such code its reason", () => {
  for (const [reason, code] of Object.entries(denialCodes)) assert.equal(denialReasonOf(code), reason);
  assert.equal(denialReasonOf("invalid-glob"), null);
});

test("an agent's own claims do not block it", () => {
  given(work, after(t1, t2, claim("1-1-T1", "dev-1")))
    .when(claim("1-1-T2", "dev-1", { seq: 9 }))
    .thenEvents(after(t1, t2, claim("1-1-T1", "dev-1"), claim("1-1-T2", "dev-1", { seq: 9 })).slice(3));
});

test("claiming one's own task again changes nothing; new files are added, unless another holds them", () => {
  const mine = [t1, add("1-1-T5", { files: ["docs/"] }), claim("1-1-T1", "dev-1"), claim("1-1-T5", "dev-2")];
  given(work, after(...mine))
    .when(claim("1-1-T1", "dev-1", { seq: 9 }))
    .thenNothing("already-so");
  given(work, after(...mine))
    .when(claim("1-1-T1", "dev-1", { seq: 9, files: ["src/a.ts", "lib/"] }))
    .thenEvents([
      { event: "claim-grown", key: "1-1-T1", task: "1-1-T1", holder: "dev-1", files: ["lib/"], isNamed: true, seq: 9 },
    ]);
  given(work, after(...mine))
    .when(claim("1-1-T1", "dev-1", { seq: 9, files: ["docs/x.md"] }))
    .thenRefused("claim-overlap");
});

test("a folder with something forbidden in it may be claimed, the forbidden itself not", () => {
  const scope = { allowed: ["src/", "**/*.md"], forbidden: ["src/secrets/"] };
  const free = (files: readonly string[]) => {
    const decided = work.decide(claim("1-1-T1", "dev-1", { files, scope }), stateAfter(t1));
    return decided.ok;
  };
  for (const inside of [["src/"], ["src/*"], ["docs/a.md"], ["docs/**/*.md"]]) assert.ok(free(inside), inside[0]);
  for (const outside of [["src/secrets/k"], ["SRC/Secrets"], ["src/secrets/*"], ["docs/"], ["**"]])
    assert.ok(!free(outside), outside[0]);
});

test("released files are free again, and only the holder releases", () => {
  const held = [t1, t2, claim("1-1-T1", "dev-1")];
  given(work, after(...held))
    .when(release("1-1-T1", "dev-2"))
    .thenRefused("not-holder");
  given(work, after(...held))
    .when(release("1-1-T1", "dev-1", { token: 6 }))
    .thenRefused("fenced-claim");
  given(work, after(...held))
    .when(release("1-1-T1", "dev-1", { token: 8 }))
    .thenRefused("not-holder");
  const { state } = given(work, after(...held))
    .when(release("1-1-T1", "dev-1", { token: 7 }))
    .thenEvents([{ event: "claim-released", key: "1-1-T1", task: "1-1-T1", holder: "dev-1", reason: "released" }]);
  assert.deepEqual(state.covered, work.initial().covered);
  assert.ok(work.decide(claim("1-1-T2", "dev-2"), state).ok);
});

test("the refusal of another token of the holder names the one with which it holds the task", () => {
  const held = [t1, claim("1-1-T1", "dev-1")];
  const commands = [release("1-1-T1", "dev-1", { token: 6 }), report("1-1-T1", "dev-1", { token: 6 })];
  for (const command of commands) {
    const [refused] = given(work, after(...held))
      .when(command)
      .thenRefused("fenced-claim");
    assert.equal(refused?.message, "You hold 1-1-T1 with token 7, not 6.");
    assert.match(refused.hint ?? "", /^Use `arguments\.token 7`, or leave `arguments\.token` out\. If another session/);
  }
  const [unknown] = given(work, after(...held))
    .when(release("1-1-T1", "dev-1", { token: 8 }))
    .thenRefused("not-holder");
  assert.equal(unknown?.message, "You hold 1-1-T1 with token 7, not 8.");
  const [ended] = given(work, after(...held, release("1-1-T1", "dev-1")))
    .when(release("1-1-T1", "dev-1", { token: 8 }))
    .thenRefused("not-holder");
  assert.equal(ended?.message, "You do not hold 1-1-T1: nobody does.");
});

test("a lead takes a task from its holder, who is fenced once another has it", () => {
  const taken = [t1, claim("1-1-T1", "dev-1"), release("1-1-T1", "lead-1", { mayTake: true })];
  given(work, after(...taken))
    .when(release("1-1-T1", "dev-1"))
    .thenNothing("already-so");
  const problems = given(work, after(...taken, claim("1-1-T1", "dev-2", { seq: 20 })))
    .when(release("1-1-T1", "dev-1", { token: 7 }))
    .thenRefused("fenced-claim");
  assert.match(problems[0]?.message ?? "", /dev-2 since, at entry 20/);
});

test("an agent that leaves the team holds nothing more", () => {
  given(work, after(t1, t2, claim("1-1-T1", "dev-1"), claim("1-1-T2", "dev-1")))
    .when({ command: "release-all", holder: "dev-1" })
    .thenEvents(
      ["1-1-T1", "1-1-T2"].map((task) => ({
        event: "claim-released",
        key: task,
        task,
        holder: "dev-1",
        reason: "retired",
      })),
    );
});

test("a claim whose globs cannot be compared cheaply is refused when it is made; files and usual globs are not", () => {
  const hostile = Array.from({ length: 1_000 }, (_, number) => `**/${"*?".repeat(60)}${number}/**/${"*?".repeat(50)}`);
  given(work, after(t1))
    .when(claim("1-1-T1", "dev-1", { files: hostile }))
    .thenRefused("too-large");
  const usual = Array.from({ length: 100 }, (_, number) => `packages/part-${number}/src/**/*.test.ts`);
  const files = Array.from({ length: 900 }, (_, number) => `src/part-${number}/file.ts`);
  const held = stateAfter(t1, claim("1-1-T1", "dev-1", { files: [...usual, ...files] }));
  assert.equal(held.tasks.get("1-1-T1")?.claim?.files.length, 1_000);
  // A claim cannot grow beyond it in steps either.
  const half = hostile.slice(0, 8);
  given(work, after(t1, claim("1-1-T1", "dev-1", { files: half })))
    .when(claim("1-1-T1", "dev-1", { files: hostile.slice(8, 16) }))
    .thenRefused("too-large");
});
