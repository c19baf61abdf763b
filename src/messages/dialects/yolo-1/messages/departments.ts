/** Messages of yolo/1 between departments; used only when several are active. */
import {
  anyObject,
  count,
  entry,
  exactly,
  listOf,
  name,
  oneOf,
  optional,
  required,
  text,
} from "../../../../base/schema/shapes.ts";
import { message } from "../../define.ts";
import { departmentWords, resultWords, statusWords, texts } from "../../fields/common-fields.ts";
import { phase } from "./delivery.ts";

const department = () => oneOf(["backend", "frontend", "uiux"]);
const verdict = () => oneOf(["PASS", "FAIL", "PARTIAL"]);
/** The document shows only what a check found. */
const notRun = "NOT_RUN";
const notRunWords = { skipped: notRun, none: notRun, "n/a": notRun, "not run": notRun } as const;

export const departmentMessages = [
  message({
    type: "design_handoff",
    summary: "Hands the finished design to those who build it.",
    kind: "design-handoff",
    senders: ["lead"],
    receivers: ["lead"],
    routing: { across: { senders: ["uiux"], receivers: ["frontend", "backend"] } },
    aliases: {
      names: {
        dept: "department",
        components: "ready_components",
        acceptance: "acceptance_criteria",
        ready: "ready_components",
        criteria: "acceptance_criteria",
        "artifacts.tokens": "artifacts.design_tokens",
        "artifacts.specs": "artifacts.component_specs",
        "artifacts.flows": "artifacts.user_flows",
      },
      words: { department: departmentWords, status: statusWords },
    },
    payload: {
      ...phase,
      department: required(exactly("uiux"), "The department that hands over."),
      artifacts: required(
        entry({ design_tokens: text(), component_specs: text(), user_flows: text() }),
        "Files that hold the tokens, the specifications and the flows.",
      ),
      ready_components: required(texts(), "Components that may be built now."),
      deferred: optional(texts(), "Components that come later."),
      acceptance_criteria: required(texts(), "What must hold when they are built."),
      status: required(oneOf(["complete", "partial", "failed"]), "The state of the design."),
    },
    example: {
      payload: {
        phase: "02",
        department: "uiux",
        artifacts: {
          design_tokens: "phases/02-sign-in/design-tokens.jsonl",
          component_specs: "phases/02-sign-in/component-specs.jsonl",
          user_flows: "phases/02-sign-in/user-flows.jsonl",
        },
        ready_components: ["CodeField", "ResendButton"],
        deferred: ["AccountRecovery"],
        acceptance_criteria: ["The field takes a pasted code"],
        status: "complete",
      },
    },
  }),
  message({
    type: "api_contract",
    summary: "Proposes, agrees or reports as built the endpoints between frontend and backend.",
    kind: "api-contract",
    senders: ["lead"],
    receivers: ["lead"],
    routing: {
      direction: "both",
      across: { senders: ["frontend", "backend"], receivers: ["frontend", "backend"] },
    },
    aliases: {
      names: {
        s: "status",
        routes: "endpoints",
        "endpoints.url": "endpoints.path",
        "endpoints.verb": "endpoints.method",
        "endpoints.req": "endpoints.request",
        "endpoints.res": "endpoints.response",
      },
      words: { status: { proposal: "proposed", accepted: "agreed", approved: "agreed", done: "implemented" } },
    },
    payload: {
      direction: required(oneOf(["frontend_to_backend", "backend_to_frontend"]), "Who speaks to whom."),
      endpoints: required(
        listOf(entry({ method: name(), path: name(), request: anyObject(), response: anyObject() })),
        "Each endpoint with the form of its request and of its response.",
      ),
      status: required(oneOf(["proposed", "agreed", "implemented"]), "The state of the contract."),
    },
    example: {
      payload: {
        direction: "frontend_to_backend",
        endpoints: [{ method: "POST", path: "/codes", request: { email: "string" }, response: { sent: "boolean" } }],
        status: "proposed",
      },
    },
  }),
  message({
    type: "department_result",
    summary: "Reports a department's phase as finished, for the owner's decision.",
    kind: "department-result",
    senders: ["lead"],
    receivers: ["owner"],
    routing: { across: { senders: ["backend", "frontend", "uiux"], receivers: ["owner"] } },
    rules: ["plans-completed-within-total"],
    aliases: {
      names: {
        dept: "department",
        r: "result",
        status: "result",
        plans_complete: "plans_completed",
        qa: "qa_result",
        security: "security_result",
        tdd: "tdd_coverage",
      },
      words: {
        department: departmentWords,
        result: resultWords,
        qa_result: resultWords,
        security_result: { passed: "PASS", failed: "FAIL", warning: "WARN", ...notRunWords },
      },
    },
    payload: {
      department: required(department(), "The department that reports."),
      ...phase,
      result: required(oneOf(["PASS", "PARTIAL", "FAIL"]), "How the phase ended there."),
      plans_completed: required(count(), "Plans that are done."),
      plans_total: required(count(), "Plans that the department had."),
      qa_result: required(verdict(), "The verdict of its verification."),
      security_result: required(oneOf(["PASS", "FAIL", "WARN", notRun]), "The verdict of its security audit."),
      tdd_coverage: required(text(), "How far tests came before the code, such as red_green."),
    },
    example: {
      payload: {
        department: "backend",
        phase: "02",
        result: "PASS",
        plans_completed: 2,
        plans_total: 2,
        qa_result: "PASS",
        security_result: "WARN",
        tdd_coverage: "red_green",
      },
    },
  }),
];

const departments = ["backend", "frontend", "uiux"] as const;

export const ownerMessages = [
  message({
    type: "owner_review",
    summary: "Says which departments a phase needs, in which order, and what comes first.",
    kind: "owner-review",
    senders: ["owner"],
    receivers: ["lead"],
    routing: { across: { senders: ["owner"], receivers: departments } },
    aliases: {
      names: { departments: "departments_needed", order: "dispatch_order" },
      words: { departments_needed: departmentWords, dispatch_order: departmentWords },
    },
    payload: {
      ...phase,
      departments_needed: required(listOf(department()), "Departments that have work in the phase."),
      dispatch_order: required(listOf(department()), "The order they start in."),
      priorities: required(texts(), "What comes first."),
      risks: optional(texts(), "What could go wrong."),
    },
    example: {
      payload: {
        phase: "02",
        departments_needed: ["backend", "frontend"],
        dispatch_order: ["backend", "frontend"],
        priorities: ["The endpoints are agreed before the page is built"],
        risks: ["Mail may not arrive in time to test by hand"],
      },
    },
  }),
  message({
    type: "owner_signoff",
    summary: "Decides at the end of a phase whether it ships.",
    kind: "owner-signoff",
    senders: ["owner"],
    receivers: ["lead"],
    routing: { across: { senders: ["owner"], receivers: departments } },
    aliases: {
      names: {
        departments: "departments_approved",
        approved: "departments_approved",
        integration: "integration_qa",
        qa: "integration_qa",
        note: "notes",
      },
      words: {
        decision: {
          approve: "SHIP",
          approved: "SHIP",
          shipped: "SHIP",
          reject: "HOLD",
          rejected: "HOLD",
          wait: "HOLD",
        },
        integration_qa: { ...resultWords, ...notRunWords },
        departments_approved: departmentWords,
      },
    },
    payload: {
      ...phase,
      decision: required(oneOf(["SHIP", "HOLD"]), "The decision."),
      departments_approved: required(listOf(department()), "Departments whose work is approved."),
      integration_qa: required(oneOf(["PASS", "FAIL", "PARTIAL", notRun]), "The verdict on all of it together."),
      notes: optional(text(), "What the owner adds."),
    },
    example: {
      payload: {
        phase: "02",
        decision: "SHIP",
        departments_approved: ["backend", "frontend"],
        integration_qa: "PASS",
        notes: "",
      },
    },
  }),
];
