/**
 * Everything of a planning folder put together: files are given one by one, the event log line by line, and the result is
 * what was found. Order of truth for a plan: its summary, the end of the plan in the event log since its phase began, the
 * execution state. Rule: docs/protocol/adopting.md, section 3.
 */
import type { JsonObject } from "../../base/json.ts";
import type { YamlLibrary } from "../../base/text-formats/yaml.ts";
import type { Finding, Found, FoundEscalation, FoundPhase, FoundRow, Read } from "./found.ts";
import { numberKey } from "./found.ts";
import { type Gathered, joinPlans, keepContract, keepPlan, keepSummary } from "./plan-joining.ts";
import { readPlan } from "./plan-markdown.ts";
import { byNumbers, type FileKind, kindOf, phaseOfPath, planKeyOf } from "./plan-names.ts";
import { readPlanRows, readRows, readSummaryRows } from "./plan-rows.ts";
import { type FolderFacts, settingsIn } from "./planning-settings.ts";
import { type EventText, escalationsIn, readContract, readEvent, readExecution, readObject } from "./planning-state.ts";
import { readSummary } from "./summary-markdown.ts";

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
/** Most characters of one row. */
const rowCharactersMax = 64 * 1024;

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
  };
  return {
    finding: (finding) => findings.push(finding),
    line: (path, number, text) => takeEvent(state, path, number, text),
    file: (path, text) => takeFile(state, path, text),
    found(counts) {
      findings.push(...history.findings(root));
      return {
        settings: settingsIn(state.config, { name, hasPlanRows: state.hasPlanRows }),
        root,
        plans: joinPlans(gathered),
        phases: [...state.phases.values()].toSorted((one, other) => byNumbers(one.id, other.id)),
        escalations: [...state.escalations.values()],
        rows: history.rows(),
        findings,
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

function takeEvent(
  { root, gathered: { findings, ended }, history }: State,
  path: string,
  line: number,
  text: string,
): void {
  const file = `${root}/${path}`;
  const event = readEvent(text);
  if (typeof event === "string") {
    findings.push({ file, line, why: `This line was left out: ${event}` });
    return;
  }
  if (event.isRepaired)
    findings.push({ file, line, why: "Its numbers were not JSON; they were read as they are written." });
  noteEnd(ended, event);
  history.add({ file: path, line, text: event.text, at: event.at });
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
    keepContract(state.gathered, path, file, known(state, readContract(text, file))),
  execution: takeExecution,
  escalations: ({ state, file, text }) => {
    const object = known(state, readObject(text, file));
    for (const each of known(state, escalationsIn(object?.escalations, file))) state.escalations.set(each.id, each);
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

function timeIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Phases are numbered from the beginning after each milestone, and a phase may start again. */
function noteEnd(ended: Map<string, string>, { event, phase, plan, status }: EventText): void {
  if (event === "milestone_shipped") ended.clear();
  if (phase === null) return;
  if (event === "phase_start")
    for (const key of ended.keys()) if (key.startsWith(`${numberKey(phase)}/`)) ended.delete(key);
  if (event !== "plan_end" || plan === null) return;
  const number = plan.includes("-") ? plan.slice(plan.lastIndexOf("-") + 1) : plan;
  ended.set(planKeyOf(phase, number), status ?? "complete");
}

/** The newest rows, in memory for no more than there may be. */
function newHistory() {
  let rows: FoundRow[] = [];
  let dropped = 0;
  let long = 0;
  return {
    add(row: FoundRow): void {
      if (row.text.length > rowCharactersMax) {
        long += 1;
        return;
      }
      rows.push(row);
      if (rows.length < 2 * rowsMax) return;
      dropped += rows.length - rowsMax;
      rows = rows.slice(-rowsMax);
    },
    rows(): readonly FoundRow[] {
      return rows.slice(-rowsMax);
    },
    findings(root: string): readonly Finding[] {
      const left = dropped + Math.max(0, rows.length - rowsMax);
      const why = `${left} older rows were left out of the history; the newest ${rowsMax} are in it.`;
      const tooLong = `${long} rows of more than ${rowCharactersMax} characters were left out of the history.`;
      return [
        ...(left > 0 ? [{ file: root, line: null, why }] : []),
        ...(long > 0 ? [{ file: root, line: null, why: tooLong }] : []),
      ];
    },
  };
}
