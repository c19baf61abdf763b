/**
 * What the tools' scripts answer, as a table: the files that are there, the words of the call, and what comes out. Written
 * from the scripts' documented behaviour alone; where a script has an error that nobody relies on, the right answer
 * is here.
 */

/** One call. */
export interface ShimCase {
  readonly script: string;
  readonly words: readonly string[];
  /** Files below the planning folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Standard input; absent: nothing. */
  readonly input?: string;
  /** Settings of the tool; absent: VBW with contracts always on. */
  readonly config?: object;
  readonly code: number;
  /** Absent: nothing. */
  readonly stdout?: string | RegExp;
  readonly stderr?: RegExp;
  /** Files below the planning folder that are there afterwards. */
  readonly after?: Readonly<Record<string, RegExp>>;
}

/** The tools' revisions by their settings. */
export const later = { lease_locks: true, two_phase_completion: true };
export const flagsOn = {
  v2_hard_contracts: true,
  v2_hard_gates: true,
  v3_lease_locks: true,
  v3_event_log: true,
  v2_two_phase_completion: true,
};
export const flagsOff = { v2_hard_contracts: false, v3_event_log: false };
export const company = { departments: { backend: true }, agent_teams: true };

export const phase = "phases/01-login";

const devCounts: readonly ShimCase[] = [
  ...Array.from({ length: 24 }, (_, available) => ({
    script: "compute-dev-count",
    words: ["--available", String(available)],
    code: 0,
    stdout: `${available > 5 ? 5 : available}\n`,
  })),
  { script: "compute-dev-count", words: ["--available=3"], code: 0, stdout: "3\n" },
  ...[[], ["--available"], ["--available", "x"], ["--available", "-1"], ["--available", "1.5"]].map((words) => ({
    script: "compute-dev-count",
    words,
    code: 1,
    stderr: /--available/,
  })),
];

const tasksText = (tasks: readonly (readonly [string, ...string[]])[]) =>
  [{ p: "01", n: "01", t: "Plan" }, ...tasks.map(([id, ...td]) => ({ id, a: "do", td }))]
    .map((row) => JSON.stringify(row))
    .join("\n");

const graphs: readonly (readonly [string, readonly (readonly [string, ...string[]])[], readonly string[][] | null])[] =
  [
    ["one", [["T1"]], [["T1"]]],
    ["two at once", [["T1"], ["T2"]], [["T1", "T2"]]],
    ["a line", [["T1"], ["T2", "T1"], ["T3", "T2"]], [["T1"], ["T2"], ["T3"]]],
    ["a fork", [["T1"], ["T2", "T1"], ["T3", "T1"]], [["T1"], ["T2", "T3"]]],
    ["a diamond", [["T1"], ["T2", "T1"], ["T3", "T1"], ["T4", "T2", "T3"]], [["T1"], ["T2", "T3"], ["T4"]]],
    ["backwards", [["T3", "T2"], ["T2", "T1"], ["T1"]], [["T1"], ["T2"], ["T3"]]],
    [
      "an unknown one is passed over",
      [
        ["T1", "T9"],
        ["T2", "T1"],
      ],
      [["T1"], ["T2"]],
    ],
    ["all at once", [["T1"], ["T2"], ["T3"], ["T4"], ["T5"]], [["T1", "T2", "T3", "T4", "T5"]]],
    [
      "a circle",
      [
        ["T1", "T2"],
        ["T2", "T1"],
      ],
      null,
    ],
    ["itself", [["T1", "T1"]], null],
    ["a circle behind a task", [["T1"], ["T2", "T1", "T3"], ["T3", "T2"]], null],
    ["nothing", [], []],
  ];

const dependencies: readonly ShimCase[] = [
  ...graphs.map(([, tasks, groups]): ShimCase => {
    const files = { [`${phase}/01-01.plan.jsonl`]: tasksText(tasks) };
    const words = ["--plan", `.vbw-planning/${phase}/01-01.plan.jsonl`];
    if (groups === null) return { script: "resolve-task-deps", words, files, code: 1, stderr: /circular/ };
    const shown = groups.map((each, index) => ({ group: index + 1, tasks: each }));
    return { script: "resolve-task-deps", words, files, code: 0, stdout: `${JSON.stringify(shown)}\n` };
  }),
  { script: "resolve-task-deps", words: ["--plan", "nowhere.jsonl"], code: 1, stderr: /not found/ },
  { script: "resolve-task-deps", words: [], code: 1, stderr: /not found/ },
];

const states = [null, "running", "complete"] as const;
const statusText = (dept: string, status: string) =>
  `${JSON.stringify({ dept, status, step: "qa", started_at: "", updated_at: "", plans_complete: 1, plans_total: 2, error: "" }, null, 2)}\n`;

const gate = (name: string, files: Readonly<Record<string, string>>, code: number): ShimCase => ({
  script: "dept-gate",
  words: ["--gate", name, "--phase-dir", `.vbw-planning/${phase}`, "--no-poll"],
  files: { [`${phase}/x.md`]: "", ...files },
  config: company,
  code,
  ...(code === 0 || name.length < 30 ? {} : { stderr: /gate/ }),
});

const allDepartments = states.flatMap((backend) =>
  states.flatMap((frontend) =>
    states.flatMap((uiux) => {
      const given = Object.entries({ backend, frontend, uiux }).filter(([, status]) => status !== null);
      const files = Object.fromEntries(
        given.map(([dept, status]) => [`${phase}/.dept-status-${dept}.json`, statusText(dept, String(status))]),
      );
      const isMet = given.length > 0 && given.every(([, status]) => status === "complete");
      return ["all-depts", "all-depts-complete"].map((name) => gate(name, files, isMet ? 0 : 1));
    }),
  ),
);

const api = (...rows: readonly (readonly [string, string])[]) => ({
  [`${phase}/api-contracts.jsonl`]: rows
    .map(([endpoint, status]) => `${JSON.stringify({ endpoint, status })}\n`)
    .join(""),
});

const otherGates: readonly ShimCase[] = [
  ...["ux-complete", "handoff-ux-complete"].flatMap((name) => [
    gate(name, {}, 1),
    gate(name, { [`${phase}/.handoff-ux-complete`]: "{}" }, 0),
    gate(name, { [`${phase}/.dept-status-uiux.json`]: statusText("uiux", "complete") }, 0),
    gate(name, { [`${phase}/.dept-status-uiux.json`]: statusText("uiux", "running") }, 1),
    gate(name, { [`${phase}/.dept-status-uiux.json`]: "{broken" }, 1),
  ]),
  gate("api-contract", {}, 1),
  gate("api-contract", api(), 1),
  gate("api-contract", api(["GET /a", "agreed"]), 0),
  gate("api-contract", api(["GET /a", "implemented"]), 0),
  gate("api-contract", api(["GET /a", "proposed"]), 1),
  gate("api-contract", api(["GET /a", "disputed"]), 1),
  gate("api-contract", api(["GET /a", "proposed"], ["GET /a", "agreed"]), 0),
  gate("api-contract", api(["GET /a", "agreed"], ["GET /a", "disputed"]), 1),
  gate("api-contract", api(["GET /a", "agreed"], ["GET /b", "implemented"]), 0),
  gate("api-contract", api(["GET /a", "agreed"], ["GET /b", "proposed"]), 1),
  ...["", "nothing", "constructor", "__proto__"].map((name) => ({ ...gate(name, {}, 1), stderr: /gate/ })),
  { script: "dept-gate", words: ["--gate", "all-depts", "--no-poll"], config: company, code: 1, stderr: /phase-dir/ },
  {
    script: "dept-gate",
    words: ["--gate", "all-depts", "--phase-dir", "../../..", "--no-poll"],
    config: company,
    code: 1,
    stderr: /phase-dir/,
  },
];

const status = (words: readonly string[], rest: Omit<ShimCase, "script" | "words">): ShimCase => ({
  script: "dept-status",
  words: ["--phase-dir", `.vbw-planning/${phase}`, ...words],
  config: company,
  ...rest,
});

const departmentStates: readonly ShimCase[] = ["backend", "frontend", "uiux"].flatMap((dept) => {
  const path = `${phase}/.dept-status-${dept}.json`;
  const there = { [path]: statusText(dept, "running") };
  return [
    status(["--dept", dept, "--action", "read"], { files: there, code: 0, stdout: statusText(dept, "running") }),
    status(["--dept", dept], { files: there, code: 0, stdout: statusText(dept, "running") }),
    status(["--dept", dept, "--action", "read"], { files: { [`${phase}/x.md`]: "" }, code: 1, stderr: /no status/ }),
    status(["--dept", dept, "--action", "write", "--status", "running", "--step", "design"], {
      files: { [`${phase}/x.md`]: "" },
      code: 0,
      after: {
        [path]: new RegExp(
          `^\\{\n {2}"dept": "${dept}",\n {2}"status": "running",\n {2}"step": "design",\n {2}"started_at"`,
        ),
      },
    }),
    status(["--dept", dept, "--action", "write", "--status=complete", "--plans-complete", "2"], {
      files: there,
      code: 0,
      after: { [path]: /"status": "complete",\n {2}"step": "qa",[^}]*"plans_complete": 2,\n {2}"plans_total": 2,/ },
    }),
    status(["--dept", dept, "--action", "write", "--error", 'a "quote"'], {
      files: there,
      code: 0,
      after: { [path]: /"error": "a \\"quote\\""/ },
    }),
    status(["--dept", dept, "--action", "erase"], { files: there, code: 1, stderr: /unknown action/ }),
  ];
});

const badDepartments: readonly ShimCase[] = ["", "../x", "ops", "backend/../../x"].map((dept) =>
  status(["--dept", dept, "--action", "write"], { files: { [`${phase}/x.md`]: "" }, code: 1, stderr: /--dept/ }),
);

const escalated = (rows: readonly object[]) => ({ ".execution-state.json": JSON.stringify({ escalations: rows }) });
/** Now is 2026-03-01T12:00:00Z. */
const ago = (seconds: number) =>
  new Date(Date.UTC(2026, 2, 1, 12) - seconds * 1_000).toISOString().replace(".000Z", "Z");
const waiting = (id: string, seconds: number, more: object = {}) => ({
  id,
  status: "pending",
  issue: "x",
  task: "T1",
  escalated_at: ago(seconds),
  ...more,
});
const timeouts = (rows: readonly object[], code: number, stdout: object, config: object = company): ShimCase => ({
  script: "check-escalation-timeout",
  words: ["--phase-dir", `.vbw-planning/${phase}`],
  files: { [`${phase}/x.md`]: "", ...escalated(rows) },
  config,
  code,
  stdout: `${JSON.stringify(stdout)}\n`,
});
const over = (id: string, elapsed: number) => ({
  id,
  task: "T1",
  elapsed_seconds: elapsed,
  recommended_action: "escalate_to_next_level",
});
const active = (id: string, elapsed: number) => ({ id, task: "T1", elapsed_seconds: elapsed });

const escalations: readonly ShimCase[] = [
  timeouts([], 0, { timed_out: [], active: [], resolved: 0 }),
  ...[0, 1, 60, 299, 300].map((age) =>
    timeouts([waiting("E1", age)], 0, { timed_out: [], active: [active("E1", age)], resolved: 0 }),
  ),
  ...[301, 400, 3_600, 86_400].map((age) =>
    timeouts([waiting("E1", age)], 1, { timed_out: [over("E1", age)], active: [], resolved: 0 }),
  ),
  ...["resolved", "closed", "RESOLVED"].map((word) =>
    timeouts([waiting("E1", 900, { status: word })], 0, { timed_out: [], active: [], resolved: 1 }),
  ),
  timeouts([waiting("E1", 900), waiting("E2", 10)], 1, {
    timed_out: [over("E1", 900)],
    active: [active("E2", 10)],
    resolved: 0,
  }),
  timeouts([waiting("E1", 0, { escalated_at: "" })], 0, { timed_out: [], active: [active("E1", 0)], resolved: 0 }),
  timeouts([waiting("E1", 0, { escalated_at: "soon" })], 0, { timed_out: [], active: [active("E1", 0)], resolved: 0 }),
  ...[100, 600].map((limit) =>
    timeouts(
      [waiting("E1", 400)],
      limit < 400 ? 1 : 0,
      limit < 400
        ? { timed_out: [over("E1", 400)], active: [], resolved: 0 }
        : { timed_out: [], active: [active("E1", 400)], resolved: 0 },
      { ...company, escalation: { timeout_seconds: limit } },
    ),
  ),
];

/** Cases of scripts about departments, escalations and the order of tasks; they need no team. */
export const departmentCases: readonly ShimCase[] = [
  ...devCounts,
  ...dependencies,
  ...allDepartments,
  ...otherGates,
  ...departmentStates,
  ...badDepartments,
  ...escalations,
];
