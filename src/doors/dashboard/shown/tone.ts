/**
 * Which colour and which word an entry gets. The word is always next to the colour: nothing is shown by colour alone.
 */
import { faultWord, type ReportStanding } from "../../../coordination/tasks/report-status.ts";
import type { LogLine } from "../../../operations/entries.ts";

export type Tone =
  | "findings"
  | "contract"
  | "progress"
  | "blocker"
  | "diagnosis"
  | "verdict"
  | "approval"
  | "shutdown"
  | "refusal"
  | "act";

type Fact = NonNullable<LogLine["fact"]>;

const toneOfFact: Readonly<Record<Fact, Tone>> = {
  findings: "findings",
  contract: "contract",
  progress: "progress",
  blocker: "blocker",
  diagnosis: "diagnosis",
  verdict: "verdict",
  "approval-request": "approval",
  "approval-response": "approval",
  "shutdown-request": "shutdown",
  "shutdown-response": "shutdown",
  "idle-notice": "act",
  "assignment-notice": "contract",
  "completion-notice": "progress",
  "termination-notice": "shutdown",
  "permission-notice": "approval",
  critique: "diagnosis",
  "test-plan": "contract",
  design: "contract",
  specification: "contract",
  "review-changes": "blocker",
  "review-result": "verdict",
  "code-verdict": "verdict",
  "security-audit": "verdict",
  research: "findings",
  escalation: "blocker",
  resolution: "approval",
  health: "act",
  breaker: "blocker",
  claim: "progress",
  completion: "progress",
  summary: "progress",
  "phase-progress": "progress",
  "design-handoff": "contract",
  "api-contract": "contract",
  "department-result": "verdict",
  "owner-review": "verdict",
  "owner-signoff": "approval",
  handoff: "contract",
};

/** The tones of reports that are not good, or no longer. */
const toneOfReport: Readonly<Record<NonNullable<ReturnType<typeof faultWord>>, Tone>> = {
  disputed: "refusal",
  failed: "refusal",
  stale: "blocker",
  superseded: "act",
};

/** The entry's tone; `report`: the state of the report that it makes. */
export function toneOf(line: Pick<LogLine, "kind" | "fact">, report: ReportStanding | null = null): Tone {
  const fault = faultWord(report);
  if (fault !== null) return toneOfReport[fault];
  if (line.kind === "refusal" || line.kind === "epoch") return "refusal";
  // A kind that a later hub knows and this page does not is shown as an operation, not as nothing.
  return line.fact === null ? "act" : (toneOfFact[line.fact] ?? "act");
}

const words: Readonly<Record<LogLine["kind"], string>> = {
  message: "prose",
  command: "command",
  refusal: "refused",
  ack: "acknowledged",
  timer: "deadline",
  team: "team",
  epoch: "new epoch",
};

/** The word on the entry's mark: its type as the dialect spells it, or what kind of entry it is. */
export function labelOf(line: Pick<LogLine, "kind" | "type">): string {
  return line.type ?? words[line.kind];
}
