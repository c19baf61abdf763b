/** Rows of phases from what was said: each kind of message in its file, once, and in the folder of its phase. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../journal/entry.ts";
import type { Past } from "../../perform/restoring.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";
import { phaseFolders, phaseRows } from "./phase-rows.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "architect-1", role: "architect" },
  { agent: "senior-1", role: "senior" },
  { agent: "tester-1", role: "tester" },
  { agent: "dev-1", role: "dev" },
  { agent: "qa-1", role: "qa-lead" },
  { agent: "code-1", role: "qa-code" },
  { agent: "critic-1", role: "critic" },
  { agent: "security-1", role: "security" },
  { agent: "scout-1", role: "scout" },
  { agent: "debugger-1", role: "debugger" },
] as const;

async function* entriesOf({ context }: TestTeam) {
  const page = await context.journal.read(context.team);
  assert.ok(page.ok);
  for (const value of page.value.entries) yield { ok: true as const, value };
}

/** What the folders hold, file by file. */
async function folders(team: TestTeam): Promise<Readonly<Record<string, readonly string[]>>> {
  const named = await phaseFolders(entriesOf(team));
  assert.ok(named.ok);
  const files: Record<string, string[]> = {};
  for await (const row of phaseRows(entriesOf(team), named.value)) {
    assert.ok(row.ok);
    const { file, line } = row.value;
    files[file] = [...(files[file] ?? []), line];
  }
  return files;
}

async function bringIn(team: TestTeam, files: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [file, lines] of Object.entries(files)) {
    for (const text of lines) {
      const message = { dialect: null, type: null, rung: "markdown", wireId: null, text, fact: null } as const;
      const past: Past = { message, notes: [], origin: { source: "phase", file } };
      assert.equal((await team.as("owner").remember(past)).ok, true);
    }
  }
}

const artifact = { artifact: "phases/01-sign-in/research.jsonl", committed: true };

/** Who says what in a phase, and the rows that it becomes. */
const story: readonly (readonly [agent: string, message: object, file: string, rows: readonly string[]])[] = [
  [
    "critic-1",
    { type: "critique_result", phase: "01", findings: 1, critical: 0, major: 1, minor: 0, categories: ["gap"] },
    "critique",
    ['{"findings":1,"critical":0,"major":1,"minor":0,"cat":["gap"],"dt":"DAY"}'],
  ],
  [
    "scout-1",
    {
      type: "scout_findings",
      domain: "quality",
      findings: [{ query: "How?", finding: "So", confidence: "high" }],
      ...artifact,
    },
    "research",
    ['{"q":"How?","finding":"So","conf":"high","domain":"quality","dt":"DAY"}'],
  ],
  [
    "architect-1",
    {
      type: "architecture_design",
      phase: "01",
      artifact: "phases/01-sign-in/architecture.toon",
      decisions: [{ decision: "Mail", rationale: "All have it", alternatives: [] }],
      risks: [{ risk: "Slow", impact: "low", mitigation: "Wait" }],
      committed: true,
    },
    "decisions",
    [
      '{"decision":"Mail","rationale":"All have it","alternatives":[],"dt":"DAY"}',
      '{"risk":"Slow","impact":"low","mitigation":"Wait","dt":"DAY"}',
    ],
  ],
  [
    "tester-1",
    {
      type: "test_plan_result",
      plan_id: "01-01",
      tasks_tested: 1,
      tasks_skipped: 0,
      total_tests: 2,
      all_red: true,
      committed: true,
    },
    "test-plan",
    ['{"plan":"01-01","tasks_tested":1,"tasks_skipped":0,"total_tests":2,"all_red":true,"dt":"DAY"}'],
  ],
  [
    "dev-1",
    {
      type: "task_complete",
      task_id: "T1",
      plan_id: "01-01",
      commit: "abc1234",
      files_modified: ["src/a.js"],
      status: "complete",
      deviations: ["Longer names"],
    },
    "summary",
    [
      '{"p":"01","n":"01","t":"01-01","s":"complete","dt":"DAY","tc":1,"tt":1,"ch":["abc1234"],"fm":["src/a.js"],"dv":["Longer names"],"built":["01-01/T1"],"tst":""}',
    ],
  ],
  [
    "senior-1",
    {
      type: "code_review_result",
      plan_id: "01-01",
      result: "changes_requested",
      cycle: 1,
      findings_count: 1,
      critical: 0,
      committed: true,
    },
    "code-review",
    ['{"plan":"01-01","r":"changes_requested","cycle":1,"findings_count":1,"critical":0,"dt":"DAY"}'],
  ],
  [
    "senior-1",
    {
      type: "code_review_changes",
      plan_id: "01-01",
      cycle: 1,
      changes: [{ f: "src/a.js", ln: 4, issue: "Swallowed", fix: "Throw" }],
      must_fix: ["src/a.js:4"],
      rerun_tests: true,
    },
    "code-review",
    ['{"plan":"01-01","cycle":1,"f":"src/a.js","ln":4,"issue":"Swallowed","sug":"Throw","dt":"DAY"}'],
  ],
  [
    "code-1",
    {
      type: "qa_code_result",
      result: "PASS",
      tests: { passed: 2, failed: 0, skipped: 0 },
      lint: { errors: 0, warnings: 0 },
      findings_count: 0,
      critical: 0,
      committed: true,
    },
    "qa-code",
    [
      '{"r":"PASS","tests":{"passed":2,"failed":0,"skipped":0},"lint":{"errors":0,"warnings":0},"findings_count":0,"critical":0,"dt":"DAY"}',
    ],
  ],
  [
    "qa-1",
    {
      type: "qa_result",
      tier: "quick",
      result: "FAIL",
      checks: { passed: 1, failed: 1, total: 2 },
      failures: [{ check: "Greets", expected: "yes", actual: "no", evidence: "by hand" }],
      committed: true,
    },
    "verification",
    [
      '{"tier":"quick","r":"FAIL","ps":1,"fl":1,"tt":2,"dt":"DAY"}',
      '{"c":"Greets","r":"FAIL","ev":"by hand","expected":"yes","actual":"no","dt":"DAY"}',
    ],
  ],
  [
    "security-1",
    { type: "security_audit", result: "WARN", findings: 1, critical: 0, categories: ["deps"], committed: true },
    "security-audit",
    ['{"r":"WARN","findings":1,"critical":0,"cat":["deps"],"dt":"DAY"}'],
  ],
  [
    "debugger-1",
    {
      type: "debugger_report",
      hypothesis: "A race",
      evidence_for: ["Twice"],
      evidence_against: [],
      confidence: "low",
      recommended_fix: "Lock",
    },
    "debug-report",
    ['{"hypothesis":"A race","evidence_for":["Twice"],"evidence_against":[],"conf":"low","fix":"Lock","dt":"DAY"}'],
  ],
];

async function played(): Promise<TestTeam> {
  const team = await testTeam({ agents, dialects: ["yolo/1"], hasRepository: false });
  assert.equal((await team.as("lead-1").addTask({ task: "01-01/T1", plan: "01-01" })).outcome, "accepted");
  for (const [agent, message] of story) {
    const reply = await team.as(agent).send(JSON.stringify(message));
    assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  }
  return team;
}

function expected(entry: Entry | undefined): Readonly<Record<string, readonly string[]>> {
  const files: Record<string, string[]> = {};
  // A plan's summary is computed at the end, so its line comes last.
  for (const [, , name, rows] of [...story].toSorted(
    (a, b) => Number(a[2] === "summary") - Number(b[2] === "summary"),
  )) {
    const file = `01-sign-in/${name}.jsonl`;
    const day = entry?.recordedAt.slice(0, 10) ?? "";
    files[file] = [...(files[file] ?? []), ...rows.map((row) => row.replace("DAY", day))];
  }
  return files;
}

test("what was said in a phase becomes rows of its files, in the folder that an artifact names", async () => {
  await using team = await played();
  const first = await entriesOf(team).next();
  assert.deepEqual(await folders(team), expected(first.done === true ? undefined : first.value.value));
});

test("rows that were exported and are imported again, there or elsewhere, are the same folders", async () => {
  await using team = await played();
  const before = await folders(team);
  await using other = await testTeam({ agents: [] });
  await bringIn(other, before);
  assert.deepEqual(await folders(other), before);
  await bringIn(team, before);
  assert.deepEqual(await folders(team), before);
  // A row more of the same words is one more row.
  const [row = ""] = before["01-sign-in/critique.jsonl"] ?? [];
  const message = { dialect: null, type: null, rung: "markdown", wireId: null, text: row, fact: null } as const;
  const origin = { source: "phase", file: "01-sign-in/critique.jsonl", nth: 2 } as const;
  await team.as("owner").remember({ message, notes: [], origin });
  assert.deepEqual((await folders(team))["01-sign-in/critique.jsonl"], [row, row]);
});

test("an artifact's path is only a name: nothing leads out of the folders, and nothing recorded without effect is a row", async () => {
  const audit = { type: "security_audit", result: "PASS", findings: 0, critical: 0, categories: [], committed: true };
  const places: readonly (readonly [artifact: string, file: string])[] = [
    ["../../etc/01-x/a.jsonl", "01-x/a.jsonl"],
    ["phases/../security-audit.jsonl", "other/security-audit.jsonl"],
    ["/01-x/b\u001b.jsonl", "other/security-audit.jsonl"],
    ["docs/audit.jsonl", "other/security-audit.jsonl"],
    ["phases/02-pay/audit.json", "02/security-audit.jsonl"],
  ];
  for (const [artifact, file] of places) {
    await using team = await testTeam({ agents, dialects: ["yolo/1"], hasRepository: false });
    await team.as("security-1").send(JSON.stringify({ ...audit, artifact }));
    assert.deepEqual(Object.keys(await folders(team)), [file], artifact);
  }
  await using observed = await testTeam({ agents, dialects: ["yolo/1"], policy: "observe", hasRepository: false });
  const reply = await observed.as("dev-1").send(JSON.stringify(audit), { to: ["lead-1"] });
  assert.equal(reply.outcome, "accepted");
  assert.deepEqual(await folders(observed), {});
});
