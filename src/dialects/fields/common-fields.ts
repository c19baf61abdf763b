/**
 * Fields that mean the same in several messages, whichever their revision, each said once: how work stands, what holds
 * it up, a verdict, a diagnosis; with the examples that two of them share.
 */
import { commit, count, entry, listOf, name, oneOf, optional, required, text } from "../../schema/shapes.ts";

/** A list of texts. */
export const texts = () => listOf(text());

export const planId = required(name(), "The plan the task belongs to.");

/** How a task stands, and the commit that shows it. */
export const workCommit = required(
  commit(),
  "Commit with the work, 7 to 64 hex digits; empty only while the status is not complete.",
);
export const workStatus = oneOf(["complete", "partial", "failed"]);
export const taskStatus = required(workStatus, "How the task stands.");
export const concerns = optional(texts(), "What the receiver should know or watch.");

/** What holds a task up. */
export const blockerFields = {
  blocker: required(text(), "What stands in the way."),
  needs: required(text(), "What would resolve it."),
  attempted: optional(texts(), "What was tried already."),
} as const;

export const blockerExample = {
  blocker: "The mail gateway refuses the test account",
  needs: "Credentials for the gateway's sandbox",
  attempted: ["Sent through the old gateway: it drops codes"],
} as const;

/** Whether work holds. */
export const verdictFields = {
  tier: required(oneOf(["quick", "standard", "deep"]), "How thoroughly was checked."),
  result: required(oneOf(["PASS", "FAIL", "PARTIAL"]), "The verdict."),
  checks: required(
    entry({ passed: count(), failed: count(), total: count() }),
    "How many checks passed and failed, and their sum.",
  ),
  failures: optional(
    listOf(entry({ check: text(), expected: text(), actual: text(), evidence: text() })),
    "Each failed check: what was expected, what came, and what shows it.",
  ),
} as const;

export const verdictExample = {
  tier: "standard",
  result: "PARTIAL",
  checks: { passed: 11, failed: 1, total: 12 },
  failures: [
    { check: "Code is refused twice", expected: "401", actual: "200", evidence: "tests/auth/code.test.ts:31" },
  ],
} as const;

/** What a debugger found out about one cause. */
export const diagnosisFields = {
  hypothesis: required(text(), "The cause that was examined."),
  evidence_for: required(texts(), "What speaks for it."),
  evidence_against: required(texts(), "What speaks against it."),
  confidence: required(oneOf(["high", "medium", "low"]), "How sure the debugger is of the hypothesis."),
} as const;

export const recommendedFix = required(text(), "What would fix it; without enough evidence, that there is not enough.");

export const diagnosisExample = {
  hypothesis: "Two requests use the same code at once",
  evidence_for: ["Both answers carry the same request time", "The fault grows with load"],
  evidence_against: ["A single client never sees it"],
  confidence: "high",
} as const;

export const recommendedFixExample = "Mark the code as used in the statement that reads it";
