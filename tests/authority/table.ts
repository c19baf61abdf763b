/**
 * Who may send what to whom: every type of every dialect in one table, written by hand from the headings and matrices of
 * the dialects' documents and from docs/protocol/authority.md, never from the definitions. Whatever judges is compared
 * with it.
 */
import type { DialectId } from "../../src/messages/message.ts";
import type { Department, Role } from "../../src/messages/role.ts";

/** Where somebody is registered. */
export type Place = Department | "none";

/** Somebody, as far as authority goes. */
export interface Person {
  readonly role: Role;
  readonly place: Place;
}

const workers = "dev tester senior qa qa-lead qa-code scout critic security debugger docs";
const nobody = "";

/** A type, its senders, its receivers; where it goes across departments, those it comes from and those it goes to. */
export type Row = readonly [type: string, senders: string, receivers: string, from?: string, to?: string];

/** Every row, by dialect. */
export const table = {
  "vbw/1": [
    ["scout_findings", "scout", "lead"],
    ["dev_progress", "dev", "lead"],
    ["dev_blocker", "dev", "lead"],
    ["qa_result", "qa", "lead"],
    ["debugger_report", "debugger", "lead"],
  ],
  "vbw/2": [
    ["scout_findings", "scout", "lead architect"],
    ["plan_contract", "lead architect", "dev qa scout"],
    ["execution_update", "dev docs", "lead"],
    ["blocker_report", "dev debugger docs", "lead"],
    ["qa_verdict", "qa", "lead"],
    ["approval_request", "dev lead", "lead architect"],
    ["approval_response", "lead architect", "dev lead"],
    ["shutdown_request", "lead", "dev qa scout lead debugger docs"],
    ["shutdown_response", "dev qa scout lead debugger docs", "lead"],
  ],
  "vbw/2.1": [
    ["scout_findings", "scout", "lead architect"],
    ["plan_contract", "lead architect", "dev qa scout"],
    ["execution_update", "dev docs", "lead"],
    ["blocker_report", "dev docs", "lead"],
    ["debugger_report", "debugger", "lead"],
    ["qa_verdict", "qa", "lead"],
    ["approval_request", "dev lead", "lead architect"],
    ["approval_response", "lead architect", "dev lead"],
    ["shutdown_request", "lead", "dev qa scout lead debugger docs"],
    ["shutdown_response", "dev qa scout lead debugger docs", "lead"],
  ],
  "yolo/1": [
    ["critique_result", "critic", "lead"],
    ["test_plan_result", "tester", "senior"],
    ["architecture_design", "architect", "lead"],
    ["senior_spec", "senior", "lead"],
    ["dev_progress", "dev", "senior"],
    ["dev_blocker", "dev", "senior"],
    ["code_review_changes", "senior", "dev"],
    ["code_review_result", "senior", "lead"],
    ["qa_result", "qa-lead", "lead"],
    ["qa_code_result", "qa-code", "lead"],
    ["security_audit", "security", "lead"],
    ["scout_findings", "scout", "lead"],
    ["debugger_report", "debugger", "lead"],
    ["escalation", `${workers} lead`, "senior lead architect"],
    ["escalation_resolution", "user owner architect lead", `${workers} lead architect owner`],
    ["agent_health_event", nobody, nobody],
    ["circuit_breaker_state", nobody, nobody],
    ["task_claim", "dev", "lead"],
    ["task_complete", "dev", "lead"],
    ["summary_aggregation", nobody, nobody],
    ["phase_progress", "lead", "orchestrator"],
    ["shutdown_request", "lead", `${workers} architect`],
    ["shutdown_response", `${workers} architect`, "lead"],
    ["design_handoff", "lead", "lead", "uiux", "frontend backend"],
    ["api_contract", "lead", "lead", "frontend backend", "frontend backend"],
    ["department_result", "lead", "owner", "backend frontend uiux", "owner"],
    ["owner_review", "owner", "lead", "owner", "backend frontend uiux"],
    ["owner_signoff", "owner", "lead", "owner", "backend frontend uiux"],
  ],
  "yolo/2": [
    ["plan_contract", "lead architect", "dev"],
    ["execution_update", "dev docs", "lead"],
    ["blocker_report", "dev docs", "lead"],
    ["debugger_report", "debugger", "lead"],
    ["approval_request", "dev lead", "lead architect"],
    ["approval_response", "lead architect", "dev lead"],
    ["shutdown_request", "lead", "dev lead debugger docs"],
    ["shutdown_response", "dev lead debugger docs", "lead"],
  ],
  "bmad/1": [
    ["handoff", `${workers} lead architect owner orchestrator`, `${workers} lead architect owner orchestrator`],
  ],
} as const satisfies { readonly [dialect in DialectId]: readonly Row[] };

/** The dialects of the table. */
export type TableDialect = keyof typeof table;
export const dialectsOfTable = Object.keys(table) as readonly TableDialect[]; // the keys, as they are written

/** Types that are used only where the team's mode is `teammate`. */
export const teammateOnly = "agent_health_event circuit_breaker_state task_claim task_complete summary_aggregation";

/** Roles that the envelope of a typed dialect can name as its author's; a flat message names none. */
const authorRoles: { readonly [dialect in DialectId]?: string } = {
  "vbw/2": "lead dev qa scout debugger architect docs",
  "vbw/2.1": "lead dev qa scout debugger architect docs",
  "yolo/2": "lead dev debugger architect docs",
};

/** The levels of the chain with their roles, the lowest first. */
const chain = {
  dev: "dev tester docs",
  senior: "senior qa qa-lead qa-code scout critic security debugger",
  lead: "lead",
  architect: "architect",
  owner: "owner",
  user: "user",
} as const;
type Level = keyof typeof chain;
const levels = Object.keys(chain) as readonly Level[]; // the keys, in the order they are written

function has(words: string, word: string): boolean {
  return words.split(" ").includes(word);
}

/** The level somebody speaks from; null: outside the chain. */
export function levelOf({ role }: Person): Level | null {
  return levels.find((level) => has(chain[level], role)) ?? null;
}

/** The level that somebody's escalation goes to, one above its own; null: there is none to write. */
export function levelAbove(person: Person): Level | null {
  const level = levelOf(person);
  const above = level === null ? undefined : levels[levels.indexOf(level) + 1];
  return above !== undefined && has("senior lead architect", above) ? above : null;
}

/** The department that counts: the one registered, else that of the role. */
function whereOf({ role, place }: Person): Place {
  if (place !== "none") return place;
  if (role === "owner") return "owner";
  return has("critic scout debugger security", role) ? "shared" : "none";
}

/** Whether agents of two departments talk at all, apart from the types that go across. */
function talk(sender: Person, receiver: Person): boolean {
  const [from, to] = [whereOf(sender), whereOf(receiver)];
  if (from === "none" || to === "none" || from === to) return true;
  if (from === "owner") return has("lead architect", receiver.role);
  if (to === "owner") return has("lead architect", sender.role);
  if (from === "shared") return receiver.role === "lead";
  return to === "shared" && sender.role === "lead";
}

/** What decides in addition to the row itself. */
export interface Circumstances {
  readonly dialect: DialectId;
  /** Whether agents of several departments are at work. */
  readonly severalDepartments: boolean;
  /** The level that an escalation names; absent: none is asked. */
  readonly level?: Level | null;
}

/** Whether somebody may send a type at all. */
export function maySend([, senders, , from]: Row, sender: Person, { severalDepartments }: Circumstances): boolean {
  if (!has(senders, sender.role)) return false;
  return from === undefined || (severalDepartments && has(from, whereOf(sender)));
}

/** Whether somebody may receive a type from a sender who may send it. */
export function mayReceive(row: Row, sender: Person, receiver: Person, circumstances: Circumstances): boolean {
  const [type, , receivers, , to] = row;
  const { dialect, severalDepartments, level } = circumstances;
  if (!has(receivers, receiver.role)) return false;
  if (type === "escalation" && level !== undefined && levelOf(receiver) !== level) return false;
  if (type === "escalation_resolution" && !isBelow(receiver, sender)) return false;
  if (type === "shutdown_request" && !leads(sender, receiver, circumstances)) return false;
  // Departments are known to yolo/1 alone.
  if (dialect !== "yolo/1" || !severalDepartments) return true;
  if (to === undefined) return talk(sender, receiver);
  return whereOf(sender) !== whereOf(receiver) && has(to, whereOf(receiver));
}

/** While several departments are at work, a lead of one leads its members alone; a lead of none leads everybody. */
function leads({ place }: Person, receiver: Person, { severalDepartments }: Circumstances): boolean {
  return !severalDepartments || place === "none" || whereOf(receiver) === place;
}

/** Whom a request to stop asks that names nobody: everybody whom its sender leads, but who is above, and architects. */
export function isAskedToStop(row: Row, sender: Person, receiver: Person, circumstances: Circumstances): boolean {
  const { role } = receiver;
  if (!leads(sender, receiver, circumstances)) return false;
  return has(row[2], role) || !["owner", "user", "orchestrator", "architect"].includes(role);
}

function isBelow(lower: Person, higher: Person): boolean {
  const [low, high] = [levelOf(lower), levelOf(higher)];
  return low !== null && high !== null && levels.indexOf(low) < levels.indexOf(high);
}

/** What is said of one message from somebody to somebody. */
export type Verdict = "authorised" | "sender-not-authorised" | "receiver-not-authorised" | UntrueMessage;

/** Why a sender cannot even say it truthfully: the form has no word for it, or the words are another's. */
export type UntrueMessage = "wrong-value" | "identity-mismatch";

/** What the matrix says. */
export function wanted(row: Row, sender: Person, receiver: Person, circumstances: Circumstances): Verdict {
  if (!maySend(row, sender, circumstances)) return "sender-not-authorised";
  return mayReceive(row, sender, receiver, circumstances) ? "authorised" : "receiver-not-authorised";
}

/**
 * What becomes of a whole message, said as truthfully as its form allows (`messages.ts`). The form is judged before the
 * sender's identity, that before its role, and where it may send, what it says of its department. Who has no word in the
 * form learns that it may not send, but for the answer to a request to stop.
 */
export function answered(row: Row, sender: Person, receiver: Person, circumstances: Circumstances): Verdict {
  const untrue = untrueBeforeRole(row, sender, circumstances);
  if (untrue !== null) return untrue;
  const verdict = wanted(row, sender, receiver, circumstances);
  return verdict !== "sender-not-authorised" && saysAnothersDepartment(row, sender) ? "identity-mismatch" : verdict;
}

function untrueBeforeRole([type]: Row, sender: Person, { dialect }: Circumstances): Verdict | null {
  const named = authorRoles[dialect];
  if (named !== undefined && !has(named, sender.role))
    return type === "shutdown_response" ? "wrong-value" : "sender-not-authorised";
  // An escalation comes from a developer, a senior or a lead, a resolution from one of four; no word names the others.
  if (type === "escalation" && levelAbove(sender) === null) return "identity-mismatch";
  if (type === "escalation_resolution" && !has("user owner architect lead", sender.role)) return "identity-mismatch";
  return null;
}

/** Progress names a department that works; who is registered in another has none to name. */
function saysAnothersDepartment([type]: Row, { place }: Person): boolean {
  return type === "phase_progress" && has("shared owner", place);
}
