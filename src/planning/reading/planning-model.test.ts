/** What is read of planning folders: each form once, and what is broken costs itself only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadYaml } from "../../base/text-formats/yaml.ts";
import { foundStories } from "./bmad-story.ts";
import type { Found } from "./found.ts";
import { newPlanningModel, rowsMax } from "./planning-model.ts";

const yaml = await loadYaml();
const root = ".vbw-planning";

type Files = Readonly<Record<string, string>>;

function found(files: Files, lines: readonly string[] = [], name: ".vbw-planning" | ".yolo-planning" = root): Found {
  const model = newPlanningModel(name, yaml, name);
  for (const [path, text] of Object.entries(files)) model.file(path, text);
  for (const [index, line] of lines.entries()) model.line(".events/event-log.jsonl", index + 1, line);
  return model.found({ read: Object.keys(files).length, ignored: 0 });
}

const plan = (head: string, body = "### Task 1: Route\n- **Files:** `src/a.ts`\n") => `---\n${head}\n---\n${body}`;
const idsOf = ({ plans }: Found) => plans.map(({ id, state }) => `${id} ${state}`);
const whysOf = ({ findings }: Found) =>
  findings.map(({ file, line, why }) => `${file}:${line ?? "-"} ${why}`).join("\n");

test("a plan is found under each of its names, with the summary next to it", () => {
  const head = plan("title: A");
  const names = [
    ["phases/01-login/01-02-PLAN.md", "phases/01-login/01-02-SUMMARY.md", "01-02"],
    ["phases/06.1-fixes/02-PLAN.md", "phases/06.1-fixes/02-SUMMARY.md", "06.1-02"],
    ["phases/06.10-more/PLAN-02.md", "phases/06.10-more/PLAN-02-SUMMARY.md", "06.10-02"],
    ["phases/03-cart/03-PLAN-02.md", "phases/03-cart/03-02-SUMMARY.md", "03-02"],
    [
      "phases/03-cart/remediation/qa/round-01/R01-PLAN.md",
      "phases/03-cart/remediation/qa/round-01/R01-SUMMARY.md",
      "03-R01",
    ],
    ["phases/12b-x/12b-auth-PLAN.md", "phases/12b-x/12b-auth-SUMMARY.md", "12b-auth"],
  ] as const;
  for (const [file, summary, id] of names) {
    assert.deepEqual(idsOf(found({ [file]: head })), [`${id} open`], file);
    assert.deepEqual(idsOf(found({ [file]: head, [summary]: "Done.\n" })), [`${id} done`], summary);
  }
});

test("scalars are kept as they are written, and numbers of files, heads and dependencies are compared", () => {
  const files = {
    "phases/06.1-a/06.1-08-PLAN.md": plan('phase: 06.1\nplan: 08\ndepends_on: [1, "06.1-02", PLAN-03, nothing]'),
    "phases/06.1-a/01-PLAN.md": plan("plan: 1"),
    "phases/06.1-a/02-PLAN.md": plan("plan: 7"),
    "phases/06.1-a/PLAN-03.md": plan("plan: PLAN-03"),
    "phases/06.1-a/01-SUMMARY.md":
      "---\nstatus: completed\ncommit_hashes: [1234567, 12e45678, 987654321098765432109876543210, 8]\ndeviations: 2\n---\n",
  };
  const read = found(files);
  const last = read.plans.at(-1);
  assert.equal(last?.id, "06.1-08");
  assert.deepEqual(last?.dependsOn, ["06.1-01", "06.1-02", "06.1-03"]);
  assert.deepEqual(read.plans[0]?.commits, ["1234567", "12e45678", "987654321098765432109876543210"]);
  assert.match(whysOf(read), /"nothing", which is no plan/);
  assert.match(whysOf(read), /02-PLAN\.md:1 Its name says plan 02, its head says 7/);
  assert.doesNotMatch(whysOf(read), /06\.1-08-PLAN\.md:1/);
});

test("tasks are found in each of their forms, with their files, and what is no path is left out", () => {
  const forms = [
    [
      '<tasks><task type="auto"><name>Route</name><files>src/a.ts, src/b.ts:12</files></task></tasks>',
      ["src/a.ts", "src/b.ts"],
    ],
    ["### Task 1: Route\n- **Files:** `src/a.ts` (new), `src/b.ts`\n", ["src/a.ts", "src/b.ts"]],
    ["## Task 1\n**File(s):** src/a.ts -- the route\n", ["src/a.ts"]],
    ["### P01-T1: Route\n**Files to modify:** ./src/a.ts\n", ["src/a.ts"]],
    ["## Tasks\n\n1. Route\n", []],
    ["Write it.", []],
  ] as const;
  for (const [body, files] of forms) {
    const read = found({ "phases/01-a/01-01-PLAN.md": plan("title: A", body) });
    assert.deepEqual(
      read.plans[0]?.tasks.map((task) => [task.id, task.files]),
      [["01-01-T1", files]],
      body,
    );
  }
  const odd = "### Task 1: A\n**Files:** ../secret, /etc/passwd, .git/config, a word, src/ok.ts\n";
  const read = found({ "phases/01-a/01-01-PLAN.md": plan("title: A", odd) });
  assert.deepEqual(read.plans[0]?.tasks[0]?.files, ["src/ok.ts"]);
  assert.equal(read.findings.filter(({ line, why }) => line === 5 && why.includes("is no path")).length, 4);
});

test("tasks keep the ids that their plan gives them, in whatever order they stand", () => {
  const rows = (...tasks: readonly object[]) =>
    [{ p: "01", n: "01", t: "A" }, ...tasks].map((row) => JSON.stringify(row)).join("\n");
  const forms = [
    [
      "01-01.plan.jsonl",
      rows({ id: "T1", a: "A" }, { id: "T3", a: "C", td: ["T2"] }, { id: "01-01-02", a: "B", td: ["T1"] }),
    ],
    ["01-01-PLAN.md", plan("title: A", "### Task 1: A\n### Task 3: C\n### Task 2: B\n")],
    ["01-01-PLAN.md", plan("title: A", "### P01-T1: A\n### P01-T3: C\n### P01-T2: B\n")],
    ["01-01-PLAN.md", plan("title: A", "## Tasks\n1. A\n3. C\n2. B\n")],
    [
      "01-01-PLAN.md",
      plan(
        "title: A",
        "<task><name>Task 1: A</name></task><task><name>Task 3: C</name></task><task><name>T2</name></task>",
      ),
    ],
  ] as const;
  for (const [name, text] of forms) {
    const read = found({ [`phases/01-a/${name}`]: text });
    const tasks = read.plans[0]?.tasks.map(({ id }) => id);
    assert.deepEqual(tasks, ["01-01-T1", "01-01-T3", "01-01-T2"], text);
    assert.doesNotMatch(whysOf(read), /Ids without/);
    if (!name.endsWith("jsonl")) continue;
    assert.deepEqual(
      read.plans[0]?.tasks.map(({ dependsOn }) => dependsOn),
      [[], ["01-01-T2"], ["01-01-T1"]],
    );
  }
  const odd = rows({ id: "T2", a: "A" }, { id: "setup", a: "B" }, { a: "C" }, { id: "t2", a: "D", td: ["setup"] });
  const read = found({ "phases/01-a/01-01.plan.jsonl": odd });
  assert.deepEqual(
    read.plans[0]?.tasks.map(({ id, dependsOn }) => [id, ...dependsOn]),
    [["01-01-T2"], ["01-01-T1"], ["01-01-T3"], ["01-01-T4", "01-01-T1"]],
  );
  assert.match(whysOf(read), /"setup" is 01-01-T1, "t2" is 01-01-T4/);
  const story = foundStories(
    "docs",
    [{ file: "docs/stories/1.2.a.md", text: "# A\n## Tasks\n- [x] Task 2: B\n- [ ] Task 1: A\n" }],
    0,
  );
  assert.deepEqual(
    story.plans[0]?.tasks.map(({ id, isTicked }) => [id, isTicked]),
    [
      ["1-2-T2", true],
      ["1-2-T1", false],
    ],
  );
  // A list in which every line is `1.` says nothing, and no task has two ids.
  const ones = found({ "phases/01-a/01-01-PLAN.md": plan("title: A", "## Tasks\n1. A\n1. B\n") });
  assert.deepEqual([ones.plans[0]?.tasks.map(({ id }) => id), ones.findings], [["01-01-T1", "01-01-T2"], []]);
});

test("what a plan's state is: its summary, then the log since the phase began, then the execution state", () => {
  const files = {
    "phases/01-a/01-01-PLAN.md": plan("title: A"),
    "phases/01-a/01-02-PLAN.md": plan("title: B"),
    "phases/01-a/01-03-PLAN.md": plan("title: C"),
    "phases/01-a/01-04-PLAN.md": plan("title: D"),
    "phases/01-a/01-01-SUMMARY.md": "---\nstatus: partial\n---\n",
    ".execution-state.json": JSON.stringify({
      phase: 1,
      status: "running",
      plans: [{ id: "01-03", status: "complete" }],
    }),
  };
  const line = (event: string, plan?: number, status?: string) =>
    JSON.stringify({ ts: "2026-01-01T00:00:00Z", event, phase: 1, plan, data: { status } });
  const lines = [
    line("plan_end", 4),
    line("phase_start"),
    line("plan_end", 2, "failed"),
    '{"event":"plan_end","phase":01,"plan":02',
  ];
  const read = found(files, lines);
  assert.deepEqual(idsOf(read), ["01-01 open", "01-02 failed", "01-03 done", "01-04 open"]);
  assert.match(whysOf(read), /event-log\.jsonl:4 This line was left out/);
  assert.equal(read.rows.length, 3);
});

test("contracts that contradict each other are none, empty ones declare no scope, and a broken file costs itself", () => {
  const contract = (allowed: readonly string[], more: object = {}) =>
    JSON.stringify({ phase: 1, plan: 1, task_count: 1, task_ids: ["1-1-T1"], allowed_paths: allowed, ...more });
  const files = {
    "phases/01-a/01-01-PLAN.md": plan("title: A"),
    "phases/01-a/01-02-PLAN.md": plan("title: B"),
    "phases/01-a/01-03-PLAN.md": "---\ntitle: C\nbad: [\n---\n### Task 1: X\n",
    ".contracts/1-1.json": contract(["src/a.ts"]),
    ".contracts/01-01.json": contract(["src/b.ts"]),
    ".contracts/1-2.json": contract([], {
      task_ids: ["1-2-T1", "1-2-T0"],
      task_count: 0,
      forbidden_paths: [".env", "../x", ".baton/", ".*"],
    }),
    ".contracts/1-9.json": "{",
    "config.json": '{"v2_typed_protocol": false}',
  };
  const read = found(files);
  assert.deepEqual(
    read.plans.map(({ contract: one }) => one?.forbidden ?? null),
    [null, [".env", ".baton/", ".*"], null],
  );
  assert.equal(read.plans[2]?.title, "C");
  for (const why of [
    /01-01\.json:1 Its allowed_paths is \["src\/b\.ts"\], that of .*1-1\.json is \["src\/a\.ts"\]\. Neither contract is used/,
    /no YAML|not YAML/,
    /1-9\.json/,
    /"\.\.\/x" in forbidden/,
  ])
    assert.match(whysOf(read), why);
  assert.deepEqual([read.settings.origin, read.settings.policy], ["vbw-flags", "observe"]);
});

test("contracts that contradict each other are shown line by line, each with what the first one says", () => {
  const contract = (more: object) => JSON.stringify({ phase: 1, plan: 1, task_count: 1, ...more }, null, 2);
  const files = {
    "phases/01-a/01-01-PLAN.md": plan("title: A"),
    ".contracts/1-1.json": contract({ allowed_paths: ["src/a.ts"], forbidden_paths: [".env"], max_token_budget: 9 }),
    ".contracts/01-01.json": contract({ allowed_paths: ["src/b.ts"], forbidden_paths: [], max_token_budget: 9 }),
    // The same as the first one: that does not decide it.
    ".contracts/1-01.json": contract({ allowed_paths: ["src/a.ts"], forbidden_paths: [".env"], max_token_budget: 9 }),
    ".contracts/01-1.json": contract({ allowed_paths: ["src/a.ts"], forbidden_paths: [".env"] }),
  };
  const read = found(files);
  assert.equal(read.plans[0]?.contract, null);
  const told = read.findings.map(({ file, line, why }) => [file.slice(root.length + 12), line, why.split(".json")[0]]);
  const first = `that of ${root}/.contracts/1-1`;
  assert.deepEqual(told, [
    ["01-01.json", 5, `Its allowed_paths is ["src/b.ts"], ${first}`],
    ["01-01.json", 8, `Its forbidden_paths is [], ${first}`],
    ["01-1.json", null, `Its max_token_budget is null, ${first}`],
  ]);
});

test("records of other revisions in one log are each read by their own form, and what is no event decides nothing", () => {
  const files = Object.fromEntries(
    ["01", "02", "03", "04", "05"].map((number) => [`phases/01-a/01-${number}-PLAN.md`, plan(`title: ${number}`)]),
  );
  const time = "2026-01-01T00:00:00Z";
  const lines = [
    `{"ts":"${time}","event":"plan_end","phase":01,"plan":01,"data":{"status":"complete"}}`,
    JSON.stringify({ ts: time, event_id: "e1", correlation_id: "c1", event: "plan_end", phase: "01", plan: "01-02" }),
    JSON.stringify({ ts: time, event: "plan_end", phase: 1, plan: "3", data: { status: "failed" } }),
    JSON.stringify({ type: "plan_end", timestamp: time, phase: 1, plan: 4, payload: { status: "complete" } }),
    JSON.stringify({ id: "m1", type: "qa_verdict", phase: 1, author_role: "qa", payload: { result: "PASS" } }),
    JSON.stringify({ ts: time, event_id: "baton-7", event: "plan_end", phase: 1, plan: "05" }),
    `{"ts":"${time}","event":"plan_end","phase":1,"pl`,
  ];
  const read = found(files, lines);
  assert.deepEqual(idsOf(read), ["01-01 done", "01-02 done", "01-03 failed", "01-04 open", "01-05 open"]);
  const told = read.findings.flatMap(({ line, why }) => (line === null ? [] : [`${line} ${why.split(/[:;.]/)[0]}`]));
  assert.deepEqual(told, [
    "1 Its numbers were not JSON",
    "4 This line is no event",
    "5 This line is no event",
    "7 This line was left out",
  ]);
  assert.deepEqual(
    read.rows.map(({ line }) => line),
    [1, 2, 3, 4, 5],
  );
});

test("a commit that two summaries name counts for the first", () => {
  const summary = "---\nstatus: complete\ncommit_hashes: [abcdef1]\n---\n";
  const read = found({
    "phases/01-a/01-01-PLAN.md": plan("title: A"),
    "phases/01-a/01-02-PLAN.md": plan("title: B"),
    "phases/01-a/01-01-SUMMARY.md": summary,
    "phases/01-a/01-02-SUMMARY.md": summary,
  });
  assert.deepEqual(
    read.plans.map(({ commits }) => commits),
    [["abcdef1"], []],
  );
  assert.match(whysOf(read), /commit abcdef1, which plan 01-01 names too/);
});

test("rows of two revisions in one file are read by their own keys, and half a row is left out", () => {
  const rows = [
    '{"p":"01","n":"01","t":"A","d":[],"mh":{"tr":["works"]}}',
    '{"id":"T1","a":"Route","f":["src/a.ts"],"done":true}',
    '{"id":"01-01-02","n":"Page","files":["src/b.ts"],"d":["T1"],"ac":"works"}',
    '{"id":"T3","a":"Half',
  ].join("\n");
  const read = found({ "phases/01-a/01-01.plan.jsonl": rows }, [], ".yolo-planning");
  assert.equal(read.settings.origin, "yolo-company");
  assert.deepEqual(
    read.plans[0]?.tasks.map(({ title, files }) => [title, ...files]),
    [
      ["Route", "src/a.ts"],
      ["Page", "src/b.ts"],
    ],
  );
  assert.deepEqual(idsOf(read), ["01-01 open"], "done says what must be true, not what is");
  assert.match(whysOf(read), /plan\.jsonl:4 This line was left out/);
});

test("of a long log the newest rows are kept and the others are counted", () => {
  const line = JSON.stringify({ ts: "2026-01-01T00:00:00Z", event: "gate_passed", phase: 1 });
  const read = found(
    {},
    Array.from({ length: rowsMax + 5 }, () => line),
  );
  assert.equal(read.rows.length, rowsMax);
  assert.equal(read.rows[0]?.line, 6);
  assert.match(whysOf(read), /5 older rows were left out/);
});

test("an input of one mark again and again is read in one pass, and what is too much of it is counted", () => {
  const files = {
    "phases/01-a/01-01-PLAN.md": "<task>".repeat(300_000),
    "phases/01-a/01-02-PLAN.md": "### Task 1: A\n".repeat(100_000),
    "phases/01-a/01-03-PLAN.md": `### Task 1: A\n**Files:** ${"`a b`,".repeat(100_000)}`,
    ".contracts/1-3.json": JSON.stringify({ phase: 1, plan: 3, allowed_paths: [], contract_hash: "0" }),
  };
  const read = found(
    files,
    Array.from({ length: 3_000 }, () => '{"event":"half'),
  );
  assert.deepEqual(
    read.plans.map(({ tasks }) => tasks.length),
    [200, 200, 1],
  );
  for (const why of [
    /more than 200 tasks/,
    /2000 more findings about its lines/,
    /more than 1000 files/,
    /Its hash is not/,
  ])
    assert.match(whysOf(read), why);
});

test("what an escalation state has under pending is an open escalation", () => {
  const pending = [
    { agent: "yolo-dev", reason: "Which mail service?", severity: "medium", phase: "01", status: "pending" },
  ];
  const text = JSON.stringify({ pending, resolved: [{ reason: "Old", status: "resolved" }] });
  const { escalations } = found({ "phases/01-a/01-01-PLAN.md": "### Task 1: A\n", ".escalation-state.json": text });
  assert.deepEqual(
    escalations.map(({ id, issue }) => [id, issue]),
    [["pending-1", "Which mail service?"]],
  );
});

test("a story is a plan: its number, its state, its boxes and its files", () => {
  const text =
    "# Story 1.2: Sign in\n\n**Status:** Done\n\n## Tasks / Subtasks\n\n- [x] Route\n  - [x] step\n- [ ] Page\n\n### File List\n\n- `src/a.ts`\n";
  const read = foundStories(
    "docs/stories",
    [
      { file: "docs/stories/1.2.sign-in.md", text },
      { file: "docs/stories/notes.md", text },
    ],
    0,
  );
  assert.deepEqual(
    read.plans.map(({ id, state, tasks }) => [id, state, tasks.length]),
    [["1-2", "done", 2]],
  );
  assert.match(whysOf(read), /notes\.md:- Its name has no number/);
});
