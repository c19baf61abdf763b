/** Cases of scripts that guard steps, files and messages. */
import { company, flagsOff, flagsOn, later, phase, type ShimCase } from "./shim-cases.ts";

const contract = JSON.stringify({
  task_count: 3,
  allowed_paths: ["src/a.ts"],
  forbidden_paths: ["src/secret", ".env"],
});
const file = ".contracts/01-01.json";
const gate = (type: string, ...words: readonly string[]) => [type, ...words, `.vbw-planning/${file}`];
const answer = (type: string, result: string, evidence: string) =>
  new RegExp(
    `^\\{"gate":"${type}","result":"${result}","evidence":"${evidence}","autonomy":"[a-z]+","ts":"2026-03-01T12:00:00Z"\\}\\n$`,
  );

const compliance: readonly ShimCase[] = [
  ...["1", "2", "3"].map((task) => [task, "pass", "hash verified, task in range"] as const),
  ...["0", "4", "x"].map((task) => [task, "fail", `task ${task} outside range 1-3`] as const),
].flatMap(([task, result, evidence]) =>
  [later, flagsOn].map((config) => ({
    script: "hard-gate",
    words: gate("contract_compliance", "01", "01", task),
    files: { [file]: contract },
    config,
    code: result === "pass" ? 0 : 2,
    stdout: answer("contract_compliance", result, evidence),
  })),
);

const hardGates: readonly ShimCase[] = [
  ...compliance,
  { script: "hard-gate", words: ["contract_compliance", "01"], code: 0, stdout: /"insufficient arguments"/ },
  {
    script: "hard-gate",
    words: gate("contract_compliance", "01", "01", "1"),
    code: 2,
    stdout: /"contract file not found"/,
    after: { ".events/event-log.jsonl": /"event":"gate_failed".*"gate":"contract_compliance"/ },
  },
  {
    script: "hard-gate",
    words: gate("contract_compliance", "01", "01", "1"),
    files: { [file]: JSON.stringify({ task_count: 3, contract_hash: "0" }) },
    code: 2,
    stdout: /"contract hash mismatch"/,
  },
  {
    script: "hard-gate",
    words: gate("contract_compliance", "01", "01", "9"),
    config: flagsOff,
    code: 0,
    stdout: /"result":"skip","evidence":"v2_hard_gates=false"/,
  },
  // The gate finds the phase's folder also by its number without zeros.
  ...["1", "01"].flatMap((number): readonly ShimCase[] => [
    {
      script: "hard-gate",
      words: gate("artifact_persistence", number, "02", "1"),
      files: { [`${phase}/01-01-PLAN.md`]: "x", [`${phase}/01-02-PLAN.md`]: "x" },
      code: 2,
      stdout: /"missing SUMMARY.md for: plan-01 "/,
    },
    {
      script: "hard-gate",
      words: gate("artifact_persistence", number, "02", "1"),
      files: { [`${phase}/01-01-PLAN.md`]: "x", [`${phase}/01-01-SUMMARY.md`]: "x", [`${phase}/01-02-PLAN.md`]: "x" },
      code: 0,
      stdout: /"all prior plan artifacts present"/,
    },
    {
      script: "hard-gate",
      words: gate("verification_threshold", number, "02", "1"),
      files: { [`${phase}/01-VERIFICATION.md`]: "---\nresult: PASS\n---\n" },
      code: 0,
      stdout: /"verification passed"/,
    },
    {
      script: "hard-gate",
      words: gate("verification_threshold", number, "02", "1"),
      files: { [`${phase}/VERIFICATION.md`]: "11 checks PASS, 1 FAIL\n" },
      code: 2,
      stdout: /"verification failed"/,
    },
    {
      script: "hard-gate",
      words: gate("verification_threshold", number, "02", "1"),
      files: { [`${phase}/01-02-PLAN.md`]: "x" },
      code: 2,
      stdout: /"VERIFICATION.md missing \(tier=standard\)"/,
    },
    {
      script: "hard-gate",
      words: gate("verification_threshold", number, "02", "1"),
      config: { ...later, verification_tier: "quick" },
      files: { [`${phase}/01-02-PLAN.md`]: "x" },
      code: 0,
      stdout: /"verification not required \(tier=quick\)"/,
    },
  ]),
  {
    script: "hard-gate",
    words: gate("verification_threshold", "07", "02", "1"),
    code: 0,
    stdout: /"phase dir not found"/,
  },
  {
    script: "hard-gate",
    words: gate("required_checks", "01", "02", "1"),
    code: 0,
    stdout: /own script answers this gate/,
  },
];

const rows = (...all: readonly object[]) => `${all.map((row) => JSON.stringify(row)).join("\n")}\n`;
const header = { p: "01", n: "02", t: "Plan" };
const specified = rows(header, { id: "T1", a: "do", spec: "so" });
const bare = rows(header, { id: "T1", a: "do" });
const skipped = (step: string) => ({
  [`${phase}/.execution-state.json`]: JSON.stringify({ steps: { [step]: { status: "skipped" } } }),
});

const stepCase = (step: string, files: Readonly<Record<string, string>>, missing: readonly string[]): ShimCase => ({
  script: "validate-gates",
  words: ["--step", step, "--phase-dir", `.vbw-planning/${phase}`],
  files: Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name.includes("/") ? name : `${phase}/${name}`, text]),
  ),
  config: company,
  code: missing.length === 0 ? 0 : 1,
  stdout: `${JSON.stringify({ gate: missing.length === 0 ? "pass" : "fail", step, missing }, null, 2)}\n`,
});

const steps: readonly ShimCase[] = [
  stepCase("critique", {}, []),
  stepCase("architecture", {}, ["critique.jsonl"]),
  stepCase("architecture", { "critique.jsonl": "" }, ["critique.jsonl"]),
  stepCase("architecture", { "critique.jsonl": "{}\n" }, []),
  stepCase("architecture", skipped("critique"), []),
  stepCase("planning", {}, ["architecture.toon"]),
  stepCase("planning", { "architecture.toon": "x" }, []),
  stepCase("research", {}, ["research.jsonl"]),
  stepCase("research", skipped("research"), []),
  stepCase("design_review", {}, ["*.plan.jsonl"]),
  stepCase("design_review", { "01-02.plan.jsonl": bare }, []),
  stepCase("test_authoring", { "01-02.plan.jsonl": bare }, ["01-02.plan.jsonl: tasks missing spec field"]),
  stepCase("test_authoring", { "01-02.plan.jsonl": specified }, []),
  stepCase("implementation", { "01-02.plan.jsonl": specified }, []),
  stepCase(
    "implementation",
    { "01-02.plan.jsonl": specified, ".execution-state.json": '{"steps":{"test_authoring":{"status":"complete"}}}' },
    ["test-plan.jsonl (test_authoring step completed)"],
  ),
  stepCase("code_review", { "01-02.plan.jsonl": bare }, ["01-02.summary.jsonl"]),
  stepCase("code_review", { "01-02.plan.jsonl": bare, "01-02.summary.jsonl": "{}\n" }, []),
  stepCase("qa", {}, ["code-review.jsonl"]),
  stepCase("qa", { "code-review.jsonl": rows({ r: "changes_requested" }) }, [
    "code-review.jsonl: r must be 'approve' (got 'changes_requested')",
  ]),
  stepCase("qa", { "code-review.jsonl": rows({ r: "approve" }) }, []),
  stepCase("security", {}, ["verification.jsonl"]),
  stepCase("security", skipped("qa"), []),
  stepCase("signoff", {}, ["security-audit.jsonl", "code-review.jsonl"]),
  stepCase("signoff", { "security-audit.jsonl": "{}\n", "code-review.jsonl": rows({ r: "approve" }) }, []),
  stepCase("post_task_qa", {}, [".qa-gate-results.jsonl"]),
  stepCase("post_plan_qa", { ".qa-gate-results.jsonl": rows({ gl: "post-task" }) }, [
    "post-plan gate results in .qa-gate-results.jsonl",
  ]),
  stepCase("post_task_qa", { ".qa-gate-results.jsonl": rows({ gl: "post-task" }) }, []),
  { script: "validate-gates", words: ["--step", "dance", "--phase-dir", "x"], code: 1, stderr: /Unknown step: dance/ },
  { script: "validate-gates", words: ["--step", "qa"], code: 1, stderr: /Usage/ },
];

const write = (path: string) => JSON.stringify({ tool_name: "Write", tool_input: { file_path: path } });
const denied = /^\{"hookSpecificOutput":\{"hookEventName":"PreToolUse","permissionDecision":"deny",/;

const fileGuards: readonly ShimCase[] = [
  ...[later, flagsOn].flatMap((config): readonly ShimCase[] => [
    {
      script: "file-guard",
      words: [],
      input: write("src/secret/key.ts"),
      files: { [file]: contract },
      config,
      code: 2,
      stderr: /^Blocked: src\/secret\/key\.ts is a forbidden path in contract/,
    },
    // Files that the first open plan does not name are other plans'.
    { script: "file-guard", words: [], input: write("src/b.ts"), files: { [file]: contract }, config, code: 0 },
    {
      script: "file-guard",
      words: [],
      input: write(".vbw-planning/STATE.md"),
      files: { [file]: contract },
      config,
      code: 0,
    },
    // A plan that is done forbids nothing any more.
    {
      script: "file-guard",
      words: [],
      input: write(".env"),
      files: { [file]: contract, [`${phase}/01-01-SUMMARY.md`]: "x" },
      config,
      code: 0,
    },
  ]),
  { script: "file-guard", words: [], input: write(".env"), files: { [file]: contract }, config: flagsOff, code: 0 },
  {
    script: "file-guard",
    words: [],
    input: write(".vbw-planning/milestones/m1/phases/01-a/x.md"),
    code: 2,
    stderr: /archived milestone/,
  },
  { script: "file-guard", words: [], input: "half {", files: { [file]: contract }, code: 0 },
  { script: "file-guard", words: [], input: "", code: 0 },
];

const guarded = (agent: string, tool: object, isDenied: boolean): ShimCase => ({
  script: "department-guard",
  words: [],
  input: JSON.stringify(tool),
  files: agent === "" ? {} : { ".active-agent": `${agent}\n` },
  config: company,
  code: 0,
  ...(isDenied ? { stdout: denied } : {}),
});
const edits = (path: string) => ({ tool_name: "Edit", tool_input: { file_path: path } });
const runs = (command: string) => ({ tool_name: "Bash", tool_input: { command } });

const departmentGuards: readonly ShimCase[] = [
  ...["frontend/a.ts", "src/components/a.ts", "design/a.md"].map((path) => guarded("yolo-dev", edits(path), true)),
  ...["src/a.ts", "scripts/a.sh", ".yolo-planning/x"].map((path) => guarded("yolo-dev", edits(path), false)),
  ...["scripts/a.sh", "config/a.json", "wireframes/a"].map((path) => guarded("yolo-fe-dev", edits(path), true)),
  guarded("yolo-fe-dev", edits("src/components/a.ts"), false),
  ...["src/a.ts", "hooks/a"].map((path) => guarded("yolo-ux-dev", edits(path), true)),
  guarded("yolo-ux-dev", edits("design/a.md"), false),
  ...["yolo-owner", "yolo-critic", "someone", ""].map((agent) => guarded(agent, edits("design/a.md"), false)),
  guarded("yolo-dev", runs("echo x > frontend/a.ts"), true),
  guarded("yolo-dev", runs("cat frontend/a.ts"), false),
  guarded("yolo-dev", runs("cp a design/b"), true),
];

const sent = (sender: string, recipient: string, isWarned: boolean): ShimCase => ({
  script: "validate-send-message",
  words: [],
  input: JSON.stringify({ tool_name: "SendMessage", tool_input: { recipient } }),
  files: sender === "" ? {} : { ".active-agent": sender },
  config: company,
  code: 0,
  ...(isWarned ? { stdout: new RegExp(`WARNING: ${sender} .* sent cross-department message to ${recipient}`) } : {}),
});

const sendings: readonly ShimCase[] = [
  sent("yolo-dev", "yolo-senior", false),
  sent("yolo-dev", "yolo-fe-dev", true),
  sent("yolo-fe-dev", "yolo-ux-lead", true),
  // Leads speak to each other: the tool's own rule for endpoints and designs.
  sent("yolo-lead", "yolo-fe-lead", false),
  sent("yolo-dev", "yolo-owner", false),
  sent("yolo-scout", "yolo-fe-dev", false),
  sent("", "yolo-fe-dev", false),
];

export const gateCases: readonly ShimCase[] = [...hardGates, ...steps, ...fileGuards, ...departmentGuards, ...sendings];
