/**
 * Look-alike projects: made-up planning folders in the forms that VBW, YOLO and BMAD write, with the deviations that real
 * ones have (names of files, heads, kinds of values, forms of tasks, broken lines), at the rates at which those have them.
 * A seed makes the same project each time. The commits that done plans name are real ones of the project's repository.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chanceFrom } from "../crash/seed.ts";

export type Family = "vbw-flags" | "vbw-later" | "yolo-typed" | "yolo-company" | "bmad";

/** What a project was made of, so that a test can compare. */
export interface LookAlike {
  readonly folder: string;
  readonly plans: readonly MadePlan[];
}

export interface MadePlan {
  readonly id: string;
  readonly isDone: boolean;
  readonly tasks: number;
  readonly commits: readonly string[];
}

interface Options {
  readonly family: Family;
  readonly seed: number;
  /** How many plans each phase has. */
  readonly plansIn: readonly number[];
  /** Lines of the event log; absent: three a plan. */
  readonly events?: number;
  /** Makes a commit a task of done plans; absent: there is a repository and commits. */
  readonly withoutCommits?: boolean;
}

const identity = ["-c", "user.name=Dev", "-c", "user.email=dev@example.invalid", "-c", "gc.auto=0"];

/** Runs git in a folder, without the user's settings. */
export function git(folder: string, ...words: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  return execFileSync("git", [...identity, ...words], { cwd: folder, encoding: "utf8", env }).trim();
}

/** Writes a file with its folders. */
export function put(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Makes the project in `folder`, which must be empty. */
export function makeLookAlike(folder: string, options: Options): LookAlike {
  const { next, below } = chanceFrom(options.seed);
  const chance = (share: number) => next() < share;
  // A list of values is never empty here.
  const pick = <Value>(...values: readonly Value[]): Value => values[below(values.length)] as Value;
  git(folder, "init", "-q", "-b", "main");
  put(folder, "README.md", "# Shop\n");
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", "chore: begin");
  const project: Project = { folder, chance, pick, ...options };
  if (options.family === "bmad") return makeStories(project);
  const root = options.family.startsWith("yolo") ? ".yolo-planning" : ".vbw-planning";
  put(folder, `${root}/config.json`, `${JSON.stringify(configOf(options.family), null, 2)}\n`);
  const plans: MadePlan[] = [];
  const slugs: string[] = [];
  const events: string[] = [];
  options.plansIn.forEach((count, index) => {
    const phase = String(index + 1).padStart(2, "0");
    const slug = pick("login", "cart", "reports");
    slugs.push(slug);
    const place = `${root}/phases/${phase}-${slug}`;
    events.push(eventLine("phase_start", index + 1));
    for (let number = 1; number <= count; number += 1) {
      const isLast = index === options.plansIn.length - 1;
      const isDone = !(isLast && number > count / 2);
      const plan = { phase, number, place, isDone, tasks: 1 + below(5) };
      plans.push(options.family === "yolo-company" ? makeRows(project, plan) : makePlan(project, plan));
      events.push(eventLine("plan_start", index + 1, number));
      if (isDone) events.push(eventLine("plan_end", index + 1, number, { status: "complete" }));
    }
    if (index < options.plansIn.length - 1) events.push(eventLine("phase_end", index + 1));
  });
  // Four of ninety public lines are broken like this.
  events.push('{"ts":"2026-02-01T10:00:00Z","event":"agent_spawn","phase":03,"data":{"role":"dev"}}');
  for (let at = events.length; at < (options.events ?? 0); at += 1) events.push(eventLine("gate_passed", 1, at));
  put(folder, `${root}/.events/event-log.jsonl`, `${events.join("\n")}\n`);
  progressFiles(project, root, slugs, plans);
  if (options.family === "yolo-company") companyState(project, root);
  return { folder, plans };
}

interface Project extends Options {
  readonly folder: string;
  chance(share: number): boolean;
  pick<Value>(...values: readonly Value[]): Value;
}

interface Plan {
  readonly phase: string;
  readonly number: number;
  readonly place: string;
  readonly isDone: boolean;
  readonly tasks: number;
}

function configOf(family: Family) {
  const common = { effort: "balanced", autonomy: "standard", auto_commit: true, max_tasks_per_plan: 5 };
  if (family === "vbw-flags")
    return { ...common, v3_event_log: true, v2_typed_protocol: false, v2_hard_contracts: false };
  if (family === "vbw-later") return { ...common, lease_locks: true, two_phase_completion: true, prefer_teams: "auto" };
  if (family === "yolo-typed") return { ...common, v3_lease_locks: true, v2_typed_protocol: true };
  return {
    ...common,
    agent_teams: true,
    team_mode: "teammate",
    departments: { backend: true, frontend: true, uiux: false },
    department_workflow: "parallel",
    approval_gates: { qa_fail: true, code_review: false },
    escalation: { timeout_seconds: 240 },
  };
}

function eventLine(event: string, phase: number, plan?: number, data?: object): string {
  return JSON.stringify({
    ts: "2026-02-01T10:00:00Z",
    event_id: `e-${event}-${phase}-${plan ?? 0}`,
    event,
    phase,
    plan,
    data,
  });
}

/** A commit that changes the task's file, and one more in a third of all: plans are forecasts. */
function commitOf({ folder, chance, withoutCommits }: Project, id: string, file: string): string[] {
  if (withoutCommits === true) return [];
  put(folder, file, `// ${id}\n`);
  if (chance(0.34)) put(folder, `src/shared/${id}.ts`, `// ${id}\n`);
  git(folder, "add", "src");
  git(folder, "commit", "-q", "-m", `feat(${id}): work`);
  return [git(folder, "rev-parse", "--short=8", "HEAD")];
}

/** The names that plans have, at their rates, with the summary's name next to it. */
function namesOf({ chance }: Project, phase: string, key: string): readonly [plan: string, summary: string] {
  if (chance(0.51)) return [`${phase}-${key}-PLAN.md`, `${phase}-${key}-SUMMARY.md`];
  if (chance(0.58)) return [`${key}-PLAN.md`, `${key}-SUMMARY.md`];
  if (chance(0.7)) return [`PLAN-${key}.md`, `PLAN-${key}-SUMMARY.md`];
  return [`${phase}-PLAN-${key}.md`, chance(0.5) ? `${phase}-${key}-SUMMARY.md` : `${phase}-PLAN-${key}-SUMMARY.md`];
}

function makePlan(project: Project, plan: Plan): MadePlan {
  const { folder, chance, pick } = project;
  const { phase, number, place, isDone, tasks } = plan;
  const key = String(number).padStart(2, "0");
  const id = `${phase}-${key}`;
  const [planName, summaryName] = namesOf(project, phase, key);
  const waits = number > 1 && chance(0.38) ? pick(`["${phase}-01"]`, "[1]", '["01"]') : "[]";
  const files = Array.from({ length: tasks }, (_, index) => `src/p${phase}/${key}-${index + 1}.ts`);
  const musts = chance(0.7)
    ? "must_haves:\n  - the page loads\n  - a wrong word is refused"
    : 'must_haves: {truths: ["the page loads"], artifacts: [{path: src/a.ts, provides: route}], key_links: []}';
  const head = [
    `phase: ${pick(phase, String(Number(phase)), `"${phase}"`)}`,
    `plan: ${pick(key, String(number), `"${id}"`)}`,
    "title: Sign-in route",
    `wave: ${number}`,
    `depends_on: ${waits}`,
    musts,
  ];
  if (chance(0.41)) head.push(`files_modified: [${files.join(", ")}]`);
  const isXml = project.family.startsWith("vbw") && chance(0.4);
  const body = files.map((file, index) =>
    isXml
      ? `<task type="auto"><name>Task ${index + 1}</name><files>${file}</files><done>works</done></task>`
      : `### Task ${index + 1}: Part ${index + 1}\n- **Files:** \`${file}\`${pick("", " (new)", " -- the route")}\n- **Action:** write it`,
  );
  const text = isXml ? `<tasks>\n${body.join("\n")}\n</tasks>` : body.join("\n\n");
  put(
    folder,
    `${place}/${planName}`,
    chance(0.985) ? `---\n${head.join("\n")}\n---\n# Plan\n\n${text}\n` : `# Plan\n\n${text}\n`,
  );
  if (!isDone) return { id, isDone, tasks, commits: [] };
  const commits = files.flatMap((file) => commitOf(project, id, file));
  put(folder, `${place}/${summaryName}`, summaryText(project, plan, commits));
  return { id, isDone, tasks, commits };
}

function summaryText({ chance, pick }: Project, { tasks }: Plan, commits: readonly string[]): string {
  const list = commits.map((commit) => `  - ${commit}`).join("\n");
  const inBody = `## Commits\n\n${commits.map((commit) => `- \`${commit}\` feat: work`).join("\n")}\n`;
  if (chance(0.1)) return `# Summary\n\nDone.\n\n${inBody}`;
  const status = pick("complete", "complete", "complete", "completed", "done", "COMPLETE");
  const deviations = pick("[]", '["another file was needed"]', "none", "0");
  const head = [`status: ${status}`, `tasks_completed: ${tasks}`, `tasks_total: ${tasks}`, `deviations: ${deviations}`];
  if (commits.length > 0 && chance(0.6)) return `---\n${head.join("\n")}\ncommit_hashes:\n${list}\n---\nDone.\n`;
  return `---\n${head.join("\n")}\ncommits: ${commits.length}\n---\nDone.\n\n${inBody}`;
}

/** A plan of the company line. */
function makeRows(project: Project, { phase, number, place, isDone, tasks }: Plan): MadePlan {
  const { folder, chance } = project;
  const key = String(number).padStart(2, "0");
  const id = `${phase}-${key}`;
  const files = Array.from({ length: tasks }, (_, index) => `src/p${phase}/${key}-${index + 1}.ts`);
  const isLong = chance(0.12);
  const depends = number > 1 && chance(0.3) ? [`${phase}-01`] : [];
  const header = isLong
    ? { plan: id, title: "Sign-in", wave: 1, depends_on: depends, must_haves: ["the page loads"] }
    : {
        p: phase,
        n: key,
        t: "Sign-in",
        w: 1,
        d: depends,
        xd: [],
        mh: { tr: ["the page loads"], ar: [], kl: [] },
        obj: "Sign in",
      };
  const rows = files.map((file, index) =>
    isLong
      ? { id: `${id}-0${index + 1}`, n: `Part ${index + 1}`, d: [], ac: "works", files: [file] }
      : { id: `T${index + 1}`, tp: "auto", a: `Part ${index + 1}`, f: [file], v: "npm test", done: chance(0.26) },
  );
  put(folder, `${place}/${id}.plan.jsonl`, `${[header, ...rows].map((row) => JSON.stringify(row)).join("\n")}\n`);
  if (!isDone) return { id, isDone, tasks, commits: [] };
  const commits = files.flatMap((file) => commitOf(project, id, file));
  const summary = {
    p: phase,
    n: key,
    s: "complete",
    tc: tasks,
    tt: tasks,
    ...(commits.length > 0 ? { cm: commits } : {}),
  };
  put(folder, `${place}/${id}.summary.jsonl`, `${JSON.stringify(summary)}\n`);
  return { id, isDone, tasks, commits };
}

/** What the tool's hooks keep of the progress: for people, for the status line, for recovery. */
function progressFiles(
  { folder, family, plansIn }: Project,
  root: string,
  slugs: readonly string[],
  plans: readonly MadePlan[],
): void {
  const last = String(plansIn.length).padStart(2, "0");
  const own = plans.filter(({ id }) => id.startsWith(`${last}-`));
  const done = own.filter(({ isDone }) => isDone).length;
  const titles = slugs.map((slug) => `${slug.slice(0, 1).toUpperCase()}${slug.slice(1)}`);
  const state = `Phase: ${plansIn.length} of ${plansIn.length} (${titles.at(-1)})\nPlans: ${done}/${own.length}\nProgress: ${Math.floor((done * 100) / own.length)}%\nStatus: active\n`;
  put(folder, `${root}/STATE.md`, `# State\n\n${state}\n## Decisions\n\nProgress of a kind: none\n`);
  const rows = titles.map((title, index) => {
    const isLast = index === titles.length - 1;
    if (family === "vbw-later") return `| ${index + 1} | ${isLast ? "Pending" : "Done"} | 0 | 0 | 0 |`;
    const counts = isLast
      ? `${done}/${own.length} | in progress | -`
      : `${plansIn[index]}/${plansIn[index]} | complete | 2026-02-01`;
    return `| ${index + 1} - ${title} | ${counts} |`;
  });
  const boxes = titles.map(
    (title, index) => `- [${index < titles.length - 1 ? "x" : " "}] Phase ${index + 1}: ${title}`,
  );
  put(folder, `${root}/ROADMAP.md`, `# Roadmap\n\n${rows.join("\n")}\n\n${boxes.join("\n")}\n`);
  put(folder, `${root}/REQUIREMENTS.md`, "# Requirements\n\n- [ ] REQ-01: a wrong word is refused\n");
  if (family === "yolo-company") {
    put(
      folder,
      `${root}/state.json`,
      `{"ms":"m1","ph":${plansIn.length},"tt":${plansIn.length},"st":"executing","step":"implementation","pr":50,"started":"2026-02-01"}\n`,
    );
    return;
  }
  const execution = {
    phase: plansIn.length,
    phase_name: slugs.at(-1),
    status: "running",
    started_at: "2026-02-01T10:00:00Z",
    wave: 1,
    total_waves: 1,
    plans: own.map(({ id, isDone }) => ({
      id,
      title: "Sign-in route",
      wave: 1,
      status: isDone ? "complete" : "pending",
    })),
  };
  put(folder, `${root}/.execution-state.json`, `${JSON.stringify(execution, null, 2)}\n`);
}

function companyState({ folder }: Project, root: string): void {
  const state = {
    phase: "01",
    status: "running",
    step: "implementation",
    plans: [],
    escalations: [
      {
        id: "ESC-1",
        status: "pending",
        issue: "Which mail service?",
        task: "01-02-T1",
        evidence: ["two are paid"],
        recommendation: "the free one",
      },
      { id: "ESC-0", status: "resolved", issue: "Old one" },
    ],
  };
  put(folder, `${root}/.execution-state.json`, `${JSON.stringify(state, null, 2)}\n`);
  put(folder, `${root}/.escalation-state.json`, '{"pending":[],"resolved":[]}\n');
  put(
    folder,
    `${root}/phases/01-login/.dept-status-backend.json`,
    '{"dept":"backend","status":"running","step":"qa"}\n',
  );
  put(folder, `${root}/phases/01-login/critique.jsonl`, '{"id":"C1","sev":"major","desc":"No limit"}\n{"id":"C2"\n');
}

function makeStories(project: Project): LookAlike {
  const { folder, chance, plansIn } = project;
  put(folder, ".bmad-core/core-config.yaml", "prd: {}\n");
  const plans = plansIn.flatMap((count, epic) =>
    Array.from({ length: count }, (_, index): MadePlan => {
      const isDone = epic < plansIn.length - 1;
      const id = `${epic + 1}-${index + 1}`;
      const status = isDone ? "Done" : "Approved";
      const mark = isDone ? "x" : " ";
      const said = chance(0.5) ? `## Status\n\n${status}\n` : `**Status:** ${status}\n`;
      const text = `# Story ${epic + 1}.${index + 1}: Sign in\n\n${said}\n## Acceptance Criteria\n\n1. A wrong word is refused\n\n## Tasks / Subtasks\n\n- [${mark}] Task 1: Route (AC: 1)\n  - [${mark}] a test\n- [${mark}] Task 2: Page\n\n### File List\n\n- src/e${epic + 1}/s${index + 1}.ts\n`;
      put(folder, `docs/stories/${epic + 1}.${index + 1}.sign-in.md`, text);
      return { id, isDone, tasks: 2, commits: [] };
    }),
  );
  return { folder, plans };
}
