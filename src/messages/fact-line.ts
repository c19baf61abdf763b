/**
 * What a fact says, in one line for people: what it is about, and then the pieces of its kind (`fact-line.ts`). A kind
 * without pieces, such as a custom type, is shown by its fields in their order. Total: a piece is shown or left out,
 * whatever the field holds. Strings are the agent's: put on one line here, their other characters escaped by the doors.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { shorten } from "../base/text.ts";
import type { Fact, FactKind } from "./facts.ts";

/*
 * How each kind of fact is said in a line (`fact-line.ts` says it): pieces in order, each of one neutral field. Written once
 * for all dialects, because facts are neutral; a new kind does not compile before it is said here.
 */

/** A piece of a line. `field` is a neutral name, a dot reaches into an object; `phase` is the head's. */
type Piece = Saying & {
  readonly field: string;
  /** Between this piece and the one before, where there is one. */
  readonly join?: string;
  /** The words in front. */
  readonly before?: string;
  /** Left out where that other field is said: this one only follows from it. */
  readonly unless?: string;
};

type Saying =
  /** The string as it is written, or a list's strings. `word`: a word of the wire, whose underlines are blanks. */
  | { readonly say: "text" | "word" }
  /** The beginning of a commit's hash. */
  | { readonly say: "commit" }
  /** A number, or how long a list is; nought is left out where `some` says so. */
  | { readonly say: "count"; readonly one: string; readonly many: string; readonly some: boolean }
  /** How many `of` how many. */
  | { readonly say: "share"; readonly of: string; readonly noun: string }
  | { readonly say: "flag"; readonly yes: string; readonly no: string }
  /** The first of a list, by these fields of it where its entries are objects, and how many more there are. */
  | { readonly say: "first"; readonly by: readonly string[] };

type More = Pick<Piece, "join" | "before" | "unless">;

const text = (field: string, more: More = {}): Piece => ({ say: "text", field, ...more });
const word = (field: string, more: More = {}): Piece => ({ say: "word", field, ...more });
const count = (field: string, one: string, many = `${one}s`): Piece => ({
  say: "count",
  field,
  one,
  many,
  some: false,
});
const some = (field: string, one: string, many = `${one}s`): Piece => ({ say: "count", field, one, many, some: true });
const share = (field: string, of: string, noun: string): Piece => ({ say: "share", field, of, noun });
const flag = (field: string, yes: string, no: string): Piece => ({ say: "flag", field, yes, no });
const first = (field: string, by: readonly string[], more: More = {}): Piece => ({ say: "first", field, by, ...more });

const afterColon: More = { join: ": " };
const phase = text("phase", { before: "phase " });
const critical = some("critical", "critical", "critical");
const concerns = some("concerns", "concern");

/** How each kind is said. */
export const linePieces: { readonly [Kind in Exclude<FactKind, `own:${string}`>]: readonly Piece[] } = {
  findings: [
    word("domain"),
    count("documents", "document"),
    some("crossCutting", "finding for others", "findings for others"),
  ],
  contract: [text("objective")],
  progress: [word("status"), concerns],
  blocker: [text("blocker")],
  diagnosis: [text("hypothesis")],
  verdict: [word("result"), share("checks.passed", "checks.total", "checks passed")],
  "approval-request": [text("subject")],
  "approval-response": [
    flag("approved", "approved", "denied"),
    text("requestId", { join: " " }),
    text("reason", afterColon),
  ],
  "shutdown-request": [
    word("stopReason", { before: "asks to stop: " }),
    word("reason", { before: "asks to stop: ", unless: "stopReason" }),
    some("deadlineSeconds", "second left", "seconds left"),
  ],
  "shutdown-response": [
    flag("approved", "agrees to stop", "does not stop yet"),
    word("stopStatus", afterColon),
    word("finalStatus", { ...afterColon, unless: "stopStatus" }),
    text("pendingWork", { before: "still to do: " }),
  ],
  "idle-notice": [word("reason", { before: "idle: " }), text("result")],
  "assignment-notice": [text("subject"), text("description"), text("assignedBy", { before: "assigned by " })],
  "completion-notice": [text("subject", { before: "done: " })],
  "termination-notice": [text("reason")],
  "permission-notice": [text("tool"), text("summary"), text("outcome"), text("reason")],
  critique: [
    phase,
    { ...count("findings", "finding"), ...afterColon },
    critical,
    some("major", "major", "major"),
    some("minor", "minor", "minor"),
  ],
  "test-plan": [
    count("totalTests", "test"),
    flag("allRed", "all red", "not all red"),
    count("tasksTested", "task tested", "tasks tested"),
    some("tasksSkipped", "skipped", "skipped"),
  ],
  design: [phase, first("decisions", ["decision"], afterColon), some("risks", "risk")],
  specification: [count("tasksEnriched", "task specified", "tasks specified"), concerns],
  "review-changes": [
    first("changes", ["issue"]),
    some("mustFix", "must be fixed", "must be fixed"),
    text("cycle", { before: "cycle " }),
  ],
  "review-result": [word("result"), count("findingsCount", "finding"), critical, text("cycle", { before: "cycle " })],
  "code-verdict": [
    word("result"),
    count("tests.passed", "test passed", "tests passed"),
    some("tests.failed", "failed", "failed"),
    count("findingsCount", "finding"),
    critical,
  ],
  "security-audit": [
    word("result"),
    count("findings", "finding"),
    critical,
    text("categories", { before: "looked at " }),
  ],
  research: [word("domain"), first("findings", ["finding"], afterColon)],
  escalation: [word("severity"), text("issue", afterColon)],
  resolution: [text("originalEscalation"), text("decision", afterColon)],
  health: [
    text("agentId"),
    word("state", afterColon),
    word("prevState", { before: "was " }),
    flag("timeoutTriggered", "silent too long", ""),
  ],
  breaker: [word("dept"), word("state", afterColon), some("failureCount", "agent disappeared", "agents disappeared")],
  claim: [first("files", [], { before: "claims " })],
  completion: [
    word("status"),
    { say: "commit", field: "commit", join: " at " },
    some("filesModified", "file"),
    some("deviations", "deviation"),
  ],
  summary: [
    word("status"),
    share("tasksCompleted", "tasksTotal", "tasks"),
    some("filesModified", "file"),
    some("deviations", "deviation"),
  ],
  "phase-progress": [
    phase,
    word("department", afterColon),
    word("step", { join: " at " }),
    share("plansComplete", "plansTotal", "plans"),
    some("blockers", "blocker"),
  ],
  "design-handoff": [
    phase,
    word("status", afterColon),
    count("readyComponents", "component ready", "components ready"),
    some("deferred", "deferred", "deferred"),
  ],
  "api-contract": [word("status"), first("endpoints", ["method", "path"], afterColon), word("direction")],
  "department-result": [
    phase,
    word("department", afterColon),
    word("result", { join: " " }),
    share("plansCompleted", "plansTotal", "plans"),
    word("qaResult", { before: "QA " }),
    word("securityResult", { before: "security " }),
  ],
  "owner-review": [phase, word("dispatchOrder", afterColon), first("priorities", [], { before: "first: " })],
  "owner-signoff": [
    phase,
    word("decision", afterColon),
    word("departmentsApproved", { before: "approved " }),
    text("notes"),
  ],
  handoff: [text("instructions.primary")],
};

/** More characters of one string than any line shows. */
const textCharactersMax = 400;
/** As many characters of a commit's hash as tell it from others for people. */
const commitCharacters = 12;
/** More fields of an unlisted kind than any line shows. */
const fieldsMax = 8;

const pieces: ReadonlyMap<string, readonly Piece[]> = new Map(Object.entries(linePieces));

/** The line; empty: nothing of the fact can be said in one. */
export function factLine({ kind, head, body }: Fact): string {
  const fields: JsonObject = { ...body, phase: head.phase };
  const said = piecesSaid(pieces.get(kind) ?? [], fields);
  return [aboutOf(head.task, fields), said === "" ? fieldsSaid(body) : said].filter((each) => each !== "").join(": ");
}

/** The task that it is about, or else its plan. */
function aboutOf(task: string | null, fields: JsonObject): string {
  const [named, plan] = [textOf(task ?? fields.taskId), textOf(fields.planId)];
  if (named === "") return plan === "" ? "" : `plan ${plan}`;
  // A task that is counted within its plan is shown with it.
  return (task ?? "") !== "" || plan === "" || named.startsWith(plan) ? named : `${plan}/${named}`;
}

/** The pieces that the message has values for, without repetitions. */
function piecesSaid(wanted: readonly Piece[], fields: JsonObject): string {
  const said: string[] = [];
  let line = "";
  for (const piece of wanted) {
    const { before = "", join = ", ", unless } = piece;
    if (unless !== undefined && textOf(fields[unless]) !== "") continue;
    const words = pieceSaid(piece, valueAt(fields, piece.field), fields);
    const whole = `${before}${words}`;
    if (words === "" || said.includes(whole)) continue;
    said.push(whole);
    line += `${line === "" ? "" : join}${whole}`;
  }
  return line;
}

function pieceSaid(piece: Piece, value: Json | undefined, fields: JsonObject): string {
  switch (piece.say) {
    case "text":
      return textOf(value);
    case "word":
      return textOf(value).replaceAll("_", " ");
    case "commit":
      return textOf(value).slice(0, commitCharacters);
    case "count": {
      const count = isJsonList(value) ? value.length : value;
      if (typeof count !== "number" || (piece.some && count === 0)) return "";
      return `${count} ${count === 1 ? piece.one : piece.many}`;
    }
    case "share": {
      const whole = valueAt(fields, piece.of);
      return typeof value === "number" && typeof whole === "number" ? `${value} of ${whole} ${piece.noun}` : "";
    }
    case "flag":
      return typeof value === "boolean" ? (value ? piece.yes : piece.no) : "";
    case "first":
      return isJsonList(value) ? firstSaid(value, piece.by) : "";
  }
}

function firstSaid(list: readonly Json[], by: readonly string[]): string {
  const [one] = list;
  const words = isJsonObject(one) ? by.map((field) => textOf(one[field])).join(" ") : textOf(one);
  if (words.trim() === "") return "";
  return list.length === 1 ? words : `${words} and ${list.length - 1} more`;
}

/** A body as names and values: its strings, numbers and flags, and how long its lists are. */
function fieldsSaid(body: JsonObject): string {
  const said: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const words = isJsonList(value) ? String(value.length) : typeof value === "boolean" ? String(value) : textOf(value);
    if (words !== "") said.push(`${namedOf(name)}: ${words}`);
    if (said.length === fieldsMax) break;
  }
  return said.join(", ");
}

/** A field's name as words, `open since`, whether it is neutral, `openSince`, or a team's own, `open_since`. */
function namedOf(name: string): string {
  return textOf(name)
    .replaceAll("_", " ")
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueAt(fields: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = fields;
  for (const step of path.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** A string, a number or a list of them on one line; empty for everything else. */
function textOf(value: Json | undefined): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return onLine(value);
  if (!isJsonList(value)) return "";
  const words = value.slice(0, fieldsMax).map((each) => (isJsonList(each) ? "" : textOf(each)));
  return words.filter((each) => each !== "").join(", ");
}

/** Blanks of every kind, line feeds among them, are one blank. */
function onLine(text: string): string {
  return shorten(text, textCharactersMax)
    .replaceAll(/[\s\u0085]+/g, " ")
    .trim();
}
