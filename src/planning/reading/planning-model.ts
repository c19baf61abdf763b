/**
 * Everything of a planning folder put together: files are given one by one, the event log line by line, and the result
 * is what was found. Order of truth for a plan: its summary, the end of the plan in the event log since its phase
 * began, the execution state. The settings (`config.json`) say which revision wrote the folder and what its flags mean
 * for a team. Source: docs/protocol/record.md, section 26.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { escalationSecondsMax, leaseSecondsMax } from "../../base/limits.ts";
import type { YamlLibrary } from "../../base/text-formats/yaml.ts";
import type { DialectId } from "../../messages/message.ts";
import type { Level } from "../../messages/role.ts";
import type { AgentDefinition, NameRule } from "../../team/state/definition.ts";
import { teamKinds } from "../../team/state/kinds.ts";
import {
  countIn,
  type Finding,
  type Found,
  type FoundEscalation,
  type FoundPhase,
  type FoundRow,
  type FoundSettings,
  numberKey,
  type OriginName,
  type Read,
} from "./found.ts";
import { type Gathered, joinPlans, keepContract, keepPlan, keepSummary } from "./plan-joining.ts";
import { readPlan, readSummary } from "./plan-markdown.ts";
import { byNumbers, type FileKind, kindOf, phaseOfPath, planKeyOf } from "./plan-names.ts";
import {
  type EventText,
  escalationsIn,
  readContract,
  readEvent,
  readExecution,
  readObject,
  readPlanRows,
  readRows,
  readSummaryRows,
} from "./planning-state.ts";

/** Takes files and lines, and says at the end what was found. */
export interface PlanningModel {
  /** A whole file, by its path below the planning folder. */
  file(path: string, text: string): void;
  /** A line of a log that is read line by line. */
  line(path: string, number: number, text: string): void;
  finding(finding: Finding): void;
  found(counts: Found["files"]): Found;
}

/** Most rows of the history: the newest are kept. */
export const rowsMax = 20_000;
/** Most characters of one row, and of all. */
const rowCharactersMax = 64 * 1024;
const historyCharactersMax = 32 * 1024 * 1024;
/** Most findings about one file; the others are counted. */
const findingsMax = 1_000;

/** A model of the folder at `root`, relative to the project. */
export function newPlanningModel(root: string, yaml: YamlLibrary, name: FolderFacts["name"]): PlanningModel {
  const gathered: Gathered = {
    plans: new Map(),
    summaries: new Map(),
    contracts: new Map(),
    ended: new Map(),
    executions: [],
    findings: [],
  };
  const { findings } = gathered;
  const history = newHistory();
  const state: State = {
    root,
    yaml,
    gathered,
    phases: new Map(),
    escalations: new Map(),
    history,
    config: null,
    hasPlanRows: false,
    lineFindings: 0,
    lastLine: null,
  };
  return {
    finding: (finding) => findings.push(finding),
    line: (path, number, text) => takeEvent(state, path, number, text),
    file: (path, text) => takeFile(state, path, text),
    found(counts) {
      const plans = joinPlans(gathered);
      findings.push(...history.findings(root));
      if (plans.length === 0)
        findings.push({ file: root, line: null, why: "It holds no plan to go on with; archives are left unread." });
      return {
        settings: settingsIn(state.config, { name, hasPlanRows: state.hasPlanRows }),
        root,
        plans,
        phases: [...state.phases.values()].toSorted((one, other) => byNumbers(one.id, other.id)),
        escalations: [...state.escalations.values()],
        rows: history.rows(),
        findings: [...boundedFindings(findings), ...moreOfLines(state)],
        files: counts,
      };
    },
  };
}

interface State {
  readonly root: string;
  readonly yaml: YamlLibrary;
  readonly gathered: Gathered;
  readonly phases: Map<string, FoundPhase>;
  readonly escalations: Map<string, FoundEscalation>;
  readonly history: ReturnType<typeof newHistory>;
  config: JsonObject | null;
  hasPlanRows: boolean;
  /** How many lines of the log have a finding, and the last one that is not listed. */
  lineFindings: number;
  lastLine: Finding | null;
}

/** The value, its findings kept. */
function known<Value>({ gathered }: State, { value, findings }: Read<Value>): Value {
  gathered.findings.push(...findings);
  return value;
}

/** The phase whose folder holds the file; it is kept as one that is there. */
function enter({ phases }: State, path: string): FoundPhase | null {
  const phase = phaseOfPath(path);
  if (phase !== null && !phases.has(numberKey(phase.id))) phases.set(numberKey(phase.id), phase);
  return phase;
}

function takeEvent(state: State, path: string, line: number, text: string): void {
  const event = readEvent(text);
  const isRead = typeof event !== "string";
  const isEvent = isRead && event.event !== "";
  const why = !isRead
    ? `This line was left out: ${event}`
    : isEvent
      ? "Its numbers were not JSON; they were read as they are written."
      : "This line is no event; it is in the history, and nothing follows from it.";
  if (!isEvent || event.isRepaired) {
    state.lineFindings += 1;
    const finding = { file: `${state.root}/${path}`, line, why };
    // A log may be long and broken from end to end, so the others are counted only.
    if (state.lineFindings <= findingsMax) state.gathered.findings.push(finding);
    else state.lastLine = finding;
  }
  if (!isRead || event.isOwn) return;
  noteEnd(state.gathered.ended, event);
  state.history.add({ file: path, line, text: event.text, at: event.at });
}

function takeFile(state: State, path: string, text: string): void {
  const file = `${state.root}/${path}`;
  const taking = takers[kindOf(path)];
  taking?.({ state, path, file, text });
}

interface Taken {
  readonly state: State;
  /** Below the planning folder. */
  readonly path: string;
  /** Relative to the project. */
  readonly file: string;
  readonly text: string;
}

/** What becomes of a file of each kind; what is not named is left unread. */
const takers: { readonly [kind in FileKind]?: (taken: Taken) => void } = {
  config: ({ state, file, text }) => {
    state.config = known(state, readObject(text, file));
  },
  plan: ({ state, path, file, text }) =>
    keepPlan(state.gathered, enter(state, path), path, file, known(state, readPlan(text, file, state.yaml))),
  "plan-rows": ({ state, path, file, text }) => {
    state.hasPlanRows = true;
    const plan = known(state, readPlanRows(text, file));
    if (plan !== null) keepPlan(state.gathered, enter(state, path), path, file, plan);
  },
  summary: ({ state, path, file, text }) =>
    keepSummary(state.gathered, enter(state, path), path, file, known(state, readSummary(text, file, state.yaml))),
  "summary-rows": ({ state, path, file, text }) => {
    const summary = known(state, readSummaryRows(text, file));
    if (summary !== null) keepSummary(state.gathered, enter(state, path), path, file, summary);
  },
  contract: ({ state, path, file, text }) =>
    keepContract(state.gathered, path, file, {
      value: known(state, readContract(text, file)),
      lineOf: (field) => lineOf(text, `"${field}"`),
    }),
  execution: takeExecution,
  escalations: ({ state, file, text }) => {
    const object = known(state, readObject(text, file));
    // The last revision has open ones under another name.
    for (const each of [
      ...known(state, escalationsIn(object?.escalations, file)),
      ...known(state, escalationsIn(object?.pending, file, "pending")),
    ])
      state.escalations.set(each.id, each);
  },
  rows: ({ state, path, file, text }) => {
    enter(state, path);
    for (const { line, row } of known(state, readRows(text, file)))
      state.history.add({ file: path, line, text: JSON.stringify(row), at: timeIn(row.ts ?? row.timestamp) });
  },
  document: takeDocument,
  state: takeDocument,
  lock: ({ state, file }) => {
    const why = "A lease names a process and no agent, so nobody holds its task in Baton.";
    state.gathered.findings.push({ file, line: null, why });
  },
  unknown: ({ state, file }) => {
    state.gathered.findings.push({ file, line: null, why: "This file is not known; it was left unread." });
  },
};

/** The number of the first line with these words; null: there is none. */
function lineOf(text: string, words: string): number | null {
  const at = text.indexOf(words);
  return at < 0 ? null : text.slice(0, at).split("\n").length;
}

function takeDocument({ state, path, text }: Taken): void {
  enter(state, path);
  state.history.add({ file: path, line: 1, text, at: null });
}

function takeExecution({ state, path, file, text }: Taken): void {
  const read = known(state, readExecution(text, file));
  if (read === null) return;
  const { executions, findings } = state.gathered;
  executions.push({ file, text: read, phase: enter(state, path)?.id ?? read.phase });
  for (const each of read.escalations) state.escalations.set(each.id, each);
  const why = `${read.awaitsApproval} waits for your approval; Baton asks nobody until an agent does.`;
  if (read.awaitsApproval !== null) findings.push({ file, line: null, why });
}

function moreOfLines({ lastLine, lineFindings }: State): readonly Finding[] {
  if (lastLine === null) return [];
  const why = `There are ${lineFindings - findingsMax} more findings about its lines.`;
  return [{ ...lastLine, line: null, why }];
}

/** The findings, of each file no more than a person can use. */
function boundedFindings(findings: readonly Finding[]): readonly Finding[] {
  return [...Map.groupBy(findings, ({ file }) => file)].flatMap(([file, all]): readonly Finding[] => {
    const left = all.length - findingsMax;
    if (left <= 0) return all;
    return [
      ...all.slice(0, findingsMax),
      { file, line: null, why: `There are ${left} more findings about this file.` },
    ];
  });
}

function timeIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Most plans of which a log says how they ended. */
const endedMax = 100_000;

/** Phases are numbered from the beginning after each milestone, and a phase may start again. */
function noteEnd(ended: Map<string, string>, { event, phase, plan, status }: EventText): void {
  if (event === "milestone_shipped") ended.clear();
  if (phase === null) return;
  if (event === "phase_start")
    for (const key of ended.keys()) if (key.startsWith(`${numberKey(phase)}/`)) ended.delete(key);
  if (event !== "plan_end" || plan === null || ended.size >= endedMax) return;
  const number = plan.includes("-") ? plan.slice(plan.lastIndexOf("-") + 1) : plan;
  ended.set(planKeyOf(phase, number), status ?? "complete");
}

/** The newest rows, in memory for no more than there may be. */
function newHistory() {
  let rows: FoundRow[] = [];
  let characters = 0;
  let dropped = 0;
  let long = 0;
  /** Leaves the newest that fit. */
  const trim = (): void => {
    let from = Math.max(0, rows.length - rowsMax);
    for (const row of rows.slice(0, from)) characters -= row.text.length;
    for (; characters > historyCharactersMax && from < rows.length; from += 1)
      characters -= rows[from]?.text.length ?? 0;
    dropped += from;
    rows = rows.slice(from);
  };
  return {
    add(row: FoundRow): void {
      if (row.text.length > rowCharactersMax) {
        long += 1;
        return;
      }
      rows.push(row);
      characters += row.text.length;
      if (rows.length >= 2 * rowsMax || characters > 2 * historyCharactersMax) trim();
    },
    rows(): readonly FoundRow[] {
      trim();
      return rows;
    },
    findings(root: string): readonly Finding[] {
      trim();
      const why = `${dropped} older rows were left out of the history; the newest ${rows.length} are in it.`;
      const tooLong = `${long} rows of more than ${rowCharactersMax} characters were left out of the history.`;
      return [
        ...(dropped > 0 ? [{ file: root, line: null, why }] : []),
        ...(long > 0 ? [{ file: root, line: null, why: tooLong }] : []),
      ];
    },
  };
}

/** What is known of a folder in addition to its settings. */
interface FolderFacts {
  readonly name: ".vbw-planning" | ".yolo-planning";
  /** Whether it has plans in the form of the company line. */
  readonly hasPlanRows: boolean;
}

/** What `config` means; null: the folder has none, and its files decide. */
export function settingsIn(config: JsonObject | null, facts: FolderFacts): FoundSettings {
  const given = config ?? {};
  const origin = originOf(given, facts);
  const flags = flagsOf(given, origin);
  const departments = departmentsOf(given, origin);
  const escalation = isJsonObject(given.escalation ?? null) ? (given.escalation as JsonObject) : {};
  const seconds = bounded(countIn(escalation.timeout_seconds), escalationSecondsMax);
  const lease = bounded(countIn(given.task_lease_ttl_secs), leaseSecondsMax);
  const isTaskMode = given.team_mode === "task" || given.prefer_teams === "never" || given.agent_teams === false;
  const gates = gatesOf(given);
  return {
    origin,
    policy: flags.isTyped ? "enforce" : "observe",
    teamMode: isTaskMode ? "task" : "teammate",
    departments,
    escalationSeconds: seconds,
    leaseSeconds: lease,
    gates,
    read: [
      config === null ? "no config.json: its files show the revision" : "config.json was read",
      flags.isTyped
        ? "typed protocol on: policy enforce"
        : "typed protocol was off or absent: policy observe, so errors are noted and nothing is refused",
      ...(isTaskMode ? ["a lead hands tasks out: team_mode task"] : []),
      ...(departments.length > 0 ? [`departments: ${departments.join(", ")}`] : []),
      ...(seconds === null ? [] : [`escalations wait ${seconds} seconds at a level`]),
      ...(lease === null ? [] : [`a claim lasts ${lease} seconds without a heartbeat`]),
      ...gates.map((gate) => `approval gate ${gate}: asked of the person by approval_request`),
    ],
  };
}

function originOf(config: JsonObject, { name, hasPlanRows }: FolderFacts): OriginName {
  const keys = Object.keys(config);
  const isFlagged = keys.some((key) => key.startsWith("v2_") || key.startsWith("v3_"));
  const isCompany = keys.includes("departments") || keys.includes("team_mode") || hasPlanRows;
  if (name === ".yolo-planning") return isCompany && !isFlagged ? "yolo-company" : "yolo-typed";
  if (isFlagged) return "vbw-flags";
  if (keys.includes("lease_locks") || keys.includes("two_phase_completion")) return "vbw-later";
  return isCompany ? "yolo-company" : "vbw-flat";
}

/** Whether messages were checked in the tool: always in its later revisions, by a flag before. */
function flagsOf(config: JsonObject, origin: OriginName): { readonly isTyped: boolean } {
  if (origin === "vbw-later") return { isTyped: true };
  return { isTyped: config.v2_typed_protocol === true };
}

/** Departments of the company line. Its own scripts cannot switch the backend off. */
function departmentsOf(config: JsonObject, origin: OriginName): FoundSettings["departments"] {
  if (origin !== "yolo-company") return [];
  const { departments } = config;
  const isOnlyBackend = config.department_workflow === undefined || config.department_workflow === "backend_only";
  if (isOnlyBackend || !isJsonObject(departments ?? null)) return [];
  const on = departments as JsonObject;
  const others = (["frontend", "uiux"] as const).filter((name) => on[name] === true);
  return others.length === 0 ? [] : ["backend", ...others];
}

function gatesOf(config: JsonObject): readonly string[] {
  const gates = config.approval_gates;
  if (!isJsonObject(gates ?? null)) return [];
  return Object.entries(gates as JsonObject).flatMap(([name, value]) =>
    value === true && /^[a-z_]{1,40}$/.test(name) ? [name] : [],
  );
}

function bounded(seconds: number | null, max: number): number | null {
  return seconds === null || seconds < 1 ? null : Math.min(seconds, max);
}

/** The team that goes on with the work. */
export interface FoundTeam {
  readonly dialects: readonly [DialectId, ...DialectId[]];
  readonly chain: readonly Level[];
  readonly agents: readonly AgentDefinition[];
  readonly names: readonly NameRule[];
}

/** The team for a folder's settings: agents as the tool calls them, and rules for those that it numbers. */
export function teamOf({ origin, departments }: FoundSettings): FoundTeam {
  if (origin === "bmad") return { ...teamKinds.bmad, names: [numbered("dev", "dev")] };
  if (origin === "yolo-company") return companyTeam(departments);
  const dialects = vbwDialects[origin];
  return { dialects, chain: teamKinds.vbw.chain, agents: vbwAgents, names: vbwNames };
}

/** The company line, its agents as their programs call them: `yolo-dev`, `yolo-fe-dev` of the frontend, `yolo-ux-dev`. */
function companyTeam(departments: FoundSettings["departments"]): FoundTeam {
  const kind = departments.length === 0 ? teamKinds.yolo : teamKinds["yolo-departments"];
  const all: readonly AgentDefinition[] = kind.agents;
  const isIn = ({ department = "shared" }: AgentDefinition) =>
    department === "owner" || department === "shared" || departments.some((each) => each === department);
  const named = all
    .filter(isIn)
    .map((agent) => ({ ...agent, agent: `yolo-${prefixOf(agent)}${calledIn(agent.role)}` }));
  // The kind without departments has a second developer of the same role; rules let in those that are numbered.
  const agents = named.filter(({ agent }, index) => named.findIndex((other) => other.agent === agent) === index);
  const names = (departments.length === 0 ? [undefined] : departments).flatMap((department): readonly NameRule[] => {
    const place = department === undefined ? {} : { department };
    const prefix = prefixOf(place);
    return [`${prefix}dev`, `yolo-${prefix}dev`].map((name) => ({ ...numbered(name, "dev"), ...place }));
  });
  return { dialects: kind.dialects, chain: kind.chain, agents, names };
}

/** How the tool calls a role. */
function calledIn(role: AgentDefinition["role"]): string {
  return role === "qa-lead" ? "qa" : role;
}

function prefixOf({ department }: Pick<AgentDefinition, "department">): string {
  return department === "frontend" ? "fe-" : department === "uiux" ? "ux-" : "";
}

const vbwDialects = {
  "vbw-flags": ["vbw/2", "vbw/1"],
  "vbw-flat": ["vbw/1", "vbw/2"],
  "vbw-later": ["vbw/2.1", "vbw/1"],
  "yolo-typed": ["yolo/2"],
} as const satisfies { readonly [origin: string]: readonly [DialectId, ...DialectId[]] };

/** Called as their programs call them: the lead is the session, developers have the number of their plan. */
const vbwAgents: readonly AgentDefinition[] = [
  { agent: "lead", role: "lead" },
  { agent: "architect", role: "architect" },
  { agent: "dev-01", role: "dev" },
  { agent: "dev-02", role: "dev" },
  { agent: "qa", role: "qa" },
  { agent: "scout", role: "scout" },
  { agent: "debugger", role: "debugger" },
  { agent: "docs", role: "docs" },
];

const vbwNames: readonly NameRule[] = [
  numbered("dev", "dev"),
  numbered("vbw-dev", "dev"),
  numbered("team-dev", "dev"),
  numbered("qa", "qa"),
  numbered("scout", "scout"),
  numbered("debugger", "debugger"),
  numbered("docs", "docs"),
];

function numbered(name: string, role: NameRule["role"]): NameRule {
  return { pattern: `${name}-*`, role, max: 8 };
}
