/**
 * The settings of VBW and YOLO (`config.json`): which revision wrote the folder, and what its feature flags mean for a
 * team: who is in it, what it speaks, whether errors refuse, and how strictly plans bound the work.
 * Rule: docs/protocol/record.md, section 26.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { escalationSecondsMax, leaseSecondsMax } from "../../base/limits.ts";
import type { DialectId } from "../../messages/message.ts";
import type { Level } from "../../messages/role.ts";
import type { AgentDefinition, NameRule } from "../../team/state/definition.ts";
import { teamKinds } from "../../team/state/kinds.ts";
import { countIn, type FoundSettings, type OriginName } from "./found.ts";

/** What is known of a folder in addition to its settings. */
export interface FolderFacts {
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
