/** Cases of scripts about plans, contracts, events and finished tasks. */
import { flagsOff, flagsOn, later, phase, type ShimCase } from "./shim-cases.ts";

const contract = (more: object = {}) =>
  JSON.stringify({
    task_ids: ["01-01-T1", "01-01-T2", "01-01-T3"],
    task_count: 3,
    allowed_paths: ["src/a.ts", "src/lib/**"],
    forbidden_paths: ["src/lib/secret.ts", ".env"],
    must_haves: ["it works"],
    ...more,
  });
const file = ".contracts/01-01.json";
const revisions = [
  [later, 2],
  [flagsOn, 2],
  [flagsOff, 0],
] as const;
const violated = (words: readonly string[], stderr: RegExp | null, more: object = {}): readonly ShimCase[] =>
  revisions.map(([config, hard]) => ({
    script: "validate-contract",
    words: [words[0] ?? "", `.vbw-planning/${file}`, ...words.slice(1)],
    files: { [file]: contract(more) },
    config,
    code: stderr === null ? 0 : hard,
    ...(stderr === null ? {} : { stderr }),
  }));

const contracts: readonly ShimCase[] = [
  ...["1", "2", "3", "01-01-T1", "01-01-T3"].flatMap((task) => violated(["start", task], null)),
  ...["0", "4", "99", "x", "01-01-T4"].flatMap((task) =>
    violated(["start", task], /^V2 contract violation \(task_range\): /),
  ),
  ...["src/a.ts", "src/lib/b.ts", "src/lib/deep/c.ts"].flatMap((path) => violated(["end", "1", path], null)),
  ...["src/b.ts", "README.md", "src/a.tsx", "../src/a.ts"].flatMap((path) =>
    violated(["end", "1", path], /^V2 contract violation \(out_of_scope\): /),
  ),
  ...["src/lib/secret.ts", ".env"].flatMap((path) =>
    violated(["end", "1", "src/a.ts", path], /^V2 contract violation \(forbidden_path\): /),
  ),
  ...violated(["end", "1"], null),
  ...violated(["end", "1", "anything.ts"], null, { allowed_paths: [] }),
  ...violated(["end", "1", ".env"], /forbidden_path/, { allowed_paths: [] }),
  ...violated(["start", "1"], /hash_mismatch/, { contract_hash: "0".repeat(64) }),
  ...violated(["end", "1", "src/a.ts"], /hash_mismatch/, { contract_hash: "0".repeat(64) }),
  { script: "validate-contract", words: ["start", "nowhere.json", "1"], code: 0 },
  { script: "validate-contract", words: [], code: 0 },
];

const events: readonly ShimCase[] = ["1", "03", "06.1", "06.10", "archive"].flatMap((number) =>
  (["plan_start", "phase_end", "gate_failed"] as const).flatMap((type) => {
    const shown = /^\d+$/.test(number) ? String(Number(number)) : `"${number}"`;
    const line = (rest: string) => new RegExp(`"event":"${type}","phase":${shown.replaceAll(".", "\\.")}${rest}\\}\n$`);
    const log = ".events/event-log.jsonl";
    return [
      { script: "log-event", words: [type, number], code: 0, after: { [log]: line("") } },
      {
        script: "log-event",
        words: [type, number, "02"],
        config: flagsOn,
        code: 0,
        after: { [log]: line(',"plan":2') },
      },
      {
        script: "log-event",
        words: [type, number, "1-2", 'evidence=a "quote" = b', "role=dev"],
        code: 0,
        after: { [log]: line(',"plan":"1-2","data":\\{"evidence":"a \\\\"quote\\\\" = b","role":"dev"\\}') },
      },
    ];
  }),
);
const otherEvents: readonly ShimCase[] = [
  {
    script: "log-event",
    words: ["made_up", "1"],
    code: 0,
    stderr: /WARNING: unknown event type 'made_up'/,
    after: { ".events/event-log.jsonl": /made_up/ },
  },
  { script: "log-event", words: ["plan_start", "1"], config: flagsOff, code: 0 },
  { script: "log-event", words: [], code: 0 },
  {
    script: "log-event",
    words: ["plan_end", "1", "status=complete"],
    files: { ".events/event-log.jsonl": '{"half' },
    code: 0,
    after: {
      ".events/event-log.jsonl": /^\{"half\n\{"ts":"2026-03-01T12:00:00Z"[^\n]*"data":\{"status":"complete"\}\}\n$/,
    },
  },
];

const planText = (tasks: number, head = "") =>
  `---\nphase: 1\ntitle: Sign-in\nmust_haves: {truths: ["a wrong word is refused"], artifacts: [], key_links: []}\n${head}---\n${Array.from({ length: tasks }, (_, index) => `### Task ${index + 1}: Part\n- **Files:** \`src/${index + 1}.ts\`\n`).join("\n")}`;
const xmlText = `---\nphase: "01"\n---\n<tasks><task type="auto"><name>A</name><files>src/x.ts</files></task></tasks>\n`;
const generated = (name: string, text: string, path: string, content: RegExp, config: object = later): ShimCase => ({
  script: "generate-contract",
  words: [`.vbw-planning/${phase}/${name}`],
  files: { [`${phase}/${name}`]: text },
  config,
  code: 0,
  stdout: `.vbw-planning/${path}\n`,
  after: { [path]: content },
});

const generation: readonly ShimCase[] = [
  ...[1, 2, 3, 5, 8].flatMap((count) =>
    ["01-02-PLAN.md", "02-PLAN.md", "PLAN-02.md", "01-PLAN-02.md"].map((name) =>
      generated(name, planText(count), ".contracts/01-02.json", new RegExp(`"task_count": ${count},`)),
    ),
  ),
  generated(
    "01-02-PLAN.md",
    xmlText,
    ".contracts/01-02.json",
    /"task_ids": \[\n {4}"01-02-T1"\n {2}\][^}]*"src\/x\.ts"/,
  ),
  generated(
    "01-02-PLAN.md",
    planText(1),
    ".contracts/01-02.json",
    /"must_haves": \[\n {4}"a wrong word is refused"/,
    flagsOn,
  ),
  generated(
    "01-02-PLAN.md",
    planText(1, 'depends_on: ["01-01"]\n'),
    ".contracts/01-02.json",
    /"depends_on": \[\n {4}"01-01"/,
  ),
  generated("01-02-PLAN.md", "# No head\n", ".contracts/01-02.json", /"task_count": 1,/),
  { ...generated("01-02-PLAN.md", planText(1), "x", /x/, flagsOff), stdout: "", after: {} },
  { script: "generate-contract", words: ["nowhere.md"], code: 0 },
  { script: "generate-contract", words: [], code: 0 },
];

const revised = (before: string, text: string, rest: Pick<ShimCase, "stdout" | "after">): ShimCase => ({
  script: "contract-revision",
  words: [`.vbw-planning/${file}`, `.vbw-planning/${phase}/01-01-PLAN.md`],
  files: { [file]: before, [`${phase}/01-01-PLAN.md`]: text },
  code: 0,
  ...rest,
});
const revisionsOf: readonly ShimCase[] = [
  ...[1, 2, 4].map((count) =>
    revised(contract(), planText(count), {
      stdout: `revised:.vbw-planning/${file}\n`,
      after: { [file]: new RegExp(`"task_count": ${count},`), ".contracts/01-01.rev1.json": /"task_count":3/ },
    }),
  ),
  {
    ...revised(contract(), planText(1), {
      stdout: `revised:.vbw-planning/${file}\n`,
      after: { ".contracts/01-01.rev2.json": /"task_count":3/ },
    }),
    files: { [file]: contract(), ".contracts/01-01.rev1.json": "{}", [`${phase}/01-01-PLAN.md`]: planText(1) },
  },
  { script: "contract-revision", words: ["nowhere.json", "nowhere.md"], code: 0 },
  { script: "contract-revision", words: ["../../etc/x.json", `.vbw-planning/${phase}/01-01-PLAN.md`], code: 0 },
];

const header = { p: "01", n: "01", t: "Plan", w: 1, d: [], mh: {} };
const planFile = (rows: readonly (object | string)[]) =>
  rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");
const judged = (rows: readonly (object | string)[], errors: readonly RegExp[]): ShimCase => ({
  script: "validate-plan",
  words: [`.vbw-planning/${phase}/01-01.plan.jsonl`],
  files: { [`${phase}/01-01.plan.jsonl`]: planFile(rows) },
  code: errors.length === 0 ? 0 : 1,
  stdout:
    errors.length === 0
      ? '{"valid":true,"errors":[]}\n'
      : new RegExp(`^\\{"valid":false,"errors":\\[.*${errors.map(({ source }) => source).join(".*")}.*\\]\\}\n$`),
});
const task = { id: "T1", a: "do" };
const planChecks: readonly ShimCase[] = [
  judged([header, task], []),
  judged([header, task, { id: "T2", a: "do", td: ["T1"] }], []),
  judged(
    [
      { plan: "01-01", title: "P", wave: 1, depends_on: [], must_haves: [] },
      { id: "01-01-01", n: "do" },
    ],
    [],
  ),
  ...(["n", "t", "w", "d", "mh", "p"] as const).map((key) =>
    judged([{ ...header, [key]: undefined }, task], [new RegExp(`missing ${key}`)]),
  ),
  judged([header], [/no tasks/]),
  judged([], [/empty/]),
  judged([header, { a: "do" }], [/no id/]),
  judged([header, task, task], [/twice/]),
  judged([header, { id: "T1" }], [/no action/]),
  judged([header, task, "{broken"], [/line 3/]),
  {
    script: "validate-plan",
    words: ["nowhere"],
    code: 1,
    stdout: '{"valid":false,"errors":["plan file not found"]}\n',
  },
];

const completed = (rest: readonly string[], errors: readonly string[], more: object = {}): readonly ShimCase[] =>
  [later, flagsOn].map((config) => ({
    script: "two-phase-complete",
    words: ["01-01-T1", "1", "1", `.vbw-planning/${file}`, ...rest],
    files: { [file]: contract(more) },
    config,
    code: errors.length === 0 ? 0 : 2,
    stdout: `${JSON.stringify({ result: errors.length === 0 ? "confirmed" : "rejected", checks_passed: 3 - errors.length, checks_total: 3, errors })}\n`,
    after: {
      ".events/event-log.jsonl": new RegExp(
        `task_completed_candidate[^\n]*\n[^\n]*${errors.length === 0 ? "task_completed_confirmed" : "task_completion_rejected"}[^\n]*\n$`,
      ),
    },
  }));
const completions: readonly ShimCase[] = [
  ...completed(["npm test"], []),
  ...completed(["npm test", "files_modified=src/a.ts"], []),
  ...completed(["npm test", "files_modified=src/a.ts,src/lib/x.ts"], []),
  ...completed(["npm test", "files_modified=src/b.ts"], ["out_of_scope: src/b.ts"]),
  ...completed(["npm test", "files_modified=src/a.ts,.env"], ["forbidden_path: .env"]),
  ...completed([], ["no evidence for must_haves"]),
  ...completed(["files_modified=src/a.ts"], ["no evidence for must_haves"]),
  ...completed(["files_modified=x.ts"], ["out_of_scope: x.ts", "no evidence for must_haves"]),
  ...completed([], [], { must_haves: [] }),
  ...completed(["files_modified=x.ts"], [], { must_haves: [], allowed_paths: [] }),
  {
    script: "two-phase-complete",
    words: ["01-01-T1", "1", "1", "nowhere.json", "npm test"],
    code: 2,
    stdout: '{"result":"error","checks_passed":0,"checks_total":1,"errors":["contract file not found"]}\n',
  },
  {
    script: "two-phase-complete",
    words: ["01-01-T1", "1", "1", "nowhere.json"],
    config: flagsOff,
    code: 0,
    stdout: '{"result":"skipped","checks_passed":0,"checks_total":0,"errors":[]}\n',
  },
];

const answered = (type: string, payload: object) =>
  JSON.stringify({
    id: "m-1",
    type,
    phase: 1,
    task: "1-1-T1",
    author_role: "dev",
    timestamp: "2026-03-01T12:00:00Z",
    schema_version: "2.0",
    payload,
    confidence: "high",
  });
const stop = { request_id: "s-1", final_status: "complete" };
const messages: readonly ShimCase[] = [
  // Each revision has its own word in the answer to a shutdown.
  {
    script: "validate-message",
    words: [answered("shutdown_response", { ...stop, approved: true })],
    code: 0,
    stdout: /"valid":true/,
  },
  {
    script: "validate-message",
    words: [answered("shutdown_response", { ...stop, approve: true })],
    code: 2,
    stdout: /missing payload field: approved/,
    after: { ".events/event-log.jsonl": /"event":"message_rejected","phase":1,"data":\{"type":"shutdown_response"/ },
  },
  {
    script: "validate-message",
    words: [answered("shutdown_response", { ...stop, approve: true })],
    config: flagsOn,
    code: 0,
    stdout: /"valid":true/,
  },
  {
    script: "validate-message",
    words: [answered("shutdown_response", { ...stop, approved: true })],
    config: flagsOn,
    code: 2,
    stdout: /missing payload field: approve"/,
    after: { ".events/event-log.jsonl": /message_rejected/ },
  },
  { script: "validate-message", words: ["{"], code: 2, stdout: '{"valid":false,"errors":["not valid JSON"]}\n' },
  { script: "validate-message", words: [""], code: 2, stdout: '{"valid":false,"errors":["empty message"]}\n' },
  { script: "validate-message", words: [answered("made_up", {})], code: 2, stdout: /unknown message type: made_up/ },
];

/** All of them. */
export const planCases: readonly ShimCase[] = [
  ...contracts,
  ...events,
  ...otherEvents,
  ...generation,
  ...revisionsOf,
  ...planChecks,
  ...completions,
  ...messages,
];
