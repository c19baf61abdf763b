/**
 * A small phase of a made-up team, as its agents send it: findings, a contract, progress, a refused report, an approval
 * that waits, a verdict. The screenshots show it, and the tests send parts of it.
 */

/** One message of the phase: who sends it, to whom (absent: those the dialect names), and the text. */
export interface Step {
  readonly sender: string;
  readonly to?: readonly string[];
  readonly text: string;
}

interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly task: string;
  readonly role: string;
}

/** A typed message of vbw/2 as JSON text. */
export function typed({ id, type, task, role }: Envelope, payload: object): string {
  const head = { id, type, phase: 2, task, author_role: role, timestamp: "2026-02-12T10:00:00Z" };
  return JSON.stringify({ ...head, schema_version: "2.0", confidence: "high", payload });
}

/** The team file of the phase's team. */
export const teamFile = `version: 1
team: checkout
dialects: [vbw/2]
policy: enforce
agents:
  lead-1: { role: lead }
  architect-1: { role: architect }
  dev-1: { role: dev, department: backend }
  dev-2: { role: dev, department: frontend }
  scout-1: { role: scout }
  qa-1: { role: qa }
`;

/** Every agent of the team. */
export const agents = ["lead-1", "architect-1", "dev-1", "dev-2", "scout-1", "qa-1"] as const;

const plan = "2-1";

/** A report of progress by `dev-1` or `dev-2`. */
export function update(id: string, task: string, more: object = {}): string {
  const payload = { plan_id: plan, task_id: task, status: "partial", commit: "4be81d0", ...more };
  return typed({ id, type: "execution_update", task, role: "dev" }, payload);
}

/** A request of `dev-1` or `dev-2` to touch files outside the contract. */
export function scopeRequest(id: string, subject: string, more: object = {}): string {
  const payload = { subject, request_type: "scope_change", evidence: "The form lives there.", ...more };
  return typed({ id, type: "approval_request", task: "2-1-T2", role: "dev" }, payload);
}

const contract = typed(
  { id: "plan-2-1", type: "plan_contract", task: plan, role: "architect" },
  {
    plan_id: plan,
    phase_id: "phase-2",
    objective: "Cards are charged once, however often the button is pressed",
    tasks: ["2-1-T1", "2-1-T2", "2-1-T3"],
    allowed_paths: ["src/payment/", "tests/payment/"],
    forbidden_paths: ["src/payment/keys.ts"],
    must_haves: ["A repeated request has one effect", "A failed charge can be tried again", "Amounts are whole cents"],
    verification_checks: ["npm test -- payment"],
  },
);

const findings = typed(
  { id: "findings-payment", type: "scout_findings", task: plan, role: "scout" },
  {
    domain: "concerns",
    documents: [
      {
        name: "PAYMENT.md",
        content: "# Payment\n\nThe provider answers twice when it is slow. Nothing compares the two answers.",
      },
    ],
    cross_cutting: [{ target_domain: "quality", finding: "No test covers a repeated charge", relevance: "high" }],
    confidence_rationale: "Read every file under src/payment and the provider's manual",
  },
);

const verdict = typed(
  { id: "verdict-2-1", type: "qa_verdict", task: "2-1-T1", role: "qa" },
  {
    tier: "standard",
    result: "PARTIAL",
    checks: { passed: 11, failed: 1, total: 12 },
    failures: [
      {
        check: "A charge that times out is not repeated",
        expected: "one charge",
        actual: "two charges",
        evidence: "tests/payment/timeout.test.ts:41",
      },
    ],
    recommendations: ["Keep the key until the provider has answered"],
  },
);

/** The phase, in order. */
export const phase: readonly Step[] = [
  { sender: "scout-1", text: findings },
  { sender: "architect-1", text: contract },
  {
    sender: "dev-1",
    text: update("update-1", "2-1-T1", {
      files_modified: ["src/payment/charge.ts", "src/payment/idempotency.ts"],
      evidence: "Nine tests pass, four are new.",
    }),
  },
  {
    sender: "dev-2",
    to: ["lead-1"],
    text: "The confirm button flickers on slow phones; it is older than this phase, so I leave it alone.",
  },
  { sender: "dev-1", text: update("update-2", "2-1-T1", { status: "complet", commit: "9c1e77a" }) },
  {
    sender: "dev-1",
    text: update("update-3", "2-1-T1", {
      status: "complete",
      commit: "9c1e77a",
      files_modified: ["src/payment/charge.ts", "src/payment/idempotency.ts", "tests/payment/repeat.test.ts"],
      concerns: ["The key is dropped after a time-out; see task 3."],
      evidence: "A charge sent five times at once is made once.",
    }),
  },
  {
    sender: "dev-2",
    text: typed(
      { id: "blocker-1", type: "blocker_report", task: "2-1-T2", role: "dev" },
      {
        plan_id: plan,
        task_id: "2-1-T2",
        blocker: "The provider's sandbox refuses our test cards",
        needs: "A new sandbox key",
        attempted: ["The cards of the manual", "A fresh merchant account"],
        severity: "degraded",
      },
    ),
  },
  { sender: "qa-1", text: verdict },
  {
    sender: "dev-2",
    to: ["lead-1"],
    text: scopeRequest("ask-2-1", "Task 2 needs the shared form styles", {
      evidence: "The button's disabled state is in src/styles/form.css, which the contract leaves out.",
      options: ["Widen the contract", "A task of its own"],
    }),
  },
];
