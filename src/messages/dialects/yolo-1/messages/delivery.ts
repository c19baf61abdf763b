/** Messages of yolo/1 about delivering a plan: from the critique of its phase to progress on its tasks. */
import { count, entry, flag, listOf, name, oneOf, optional, required, text } from "../../../../base/schema/shapes.ts";
import { message } from "../../define.ts";
import { levelWords, planNames, texts } from "../../fields/common-fields.ts";
import { committedArtifact, debuggerReport, devBlocker, devProgress } from "../../payloads/flat-payloads.ts";

const level = () => oneOf(["high", "medium", "low"]);

/** The phase, as the first revision writes it. */
export const phase = { phase: required(name(), 'The phase, such as "01".', { neutral: "head.phase" }) } as const;

export const deliveryMessages = [
  message({
    type: "critique_result",
    summary: "Brings the gaps, risks and questions that a critic sees in a phase, before its architecture begins.",
    kind: "critique",
    senders: ["critic"],
    receivers: ["lead"],
    rules: ["severities-add-up"],
    aliases: {
      names: {
        findings_count: "findings",
        total: "findings",
        cat: "categories",
        crit: "critical",
        maj: "major",
        min: "minor",
      },
    },
    payload: {
      ...phase,
      findings: required(count(), "How many findings there are."),
      critical: required(count(), "How many of them are critical."),
      major: required(count(), "How many are major."),
      minor: required(count(), "How many are minor."),
      categories: required(texts(), "Kinds of finding among them, such as gap, risk, improvement, question."),
      ...committedArtifact,
    },
    example: {
      payload: {
        phase: "02",
        findings: 4,
        critical: 1,
        major: 1,
        minor: 2,
        categories: ["gap", "risk"],
        artifact: "phases/02-sign-in/critique.jsonl",
        committed: false,
      },
    },
  }),
  message({
    type: "test_plan_result",
    summary: "Reports the tests written for a plan before its code: how many there are, and that all of them fail.",
    kind: "test-plan",
    senders: ["tester"],
    receivers: ["senior"],
    aliases: {
      names: { ...planNames, tests: "total_tests", tested: "tasks_tested", skipped: "tasks_skipped", red: "all_red" },
    },
    payload: {
      plan_id: required(name(), "The plan the tests are for."),
      tasks_tested: required(count(), "Tasks that have tests."),
      tasks_skipped: required(count(), "Tasks that need none."),
      total_tests: required(count(), "How many tests there are."),
      all_red: required(flag(), "Whether all of them fail, as they must before the code is there."),
      ...committedArtifact,
    },
    example: {
      payload: {
        plan_id: "02-01",
        tasks_tested: 2,
        tasks_skipped: 1,
        total_tests: 9,
        all_red: true,
        artifact: "phases/02-sign-in/test-plan.jsonl",
        committed: true,
      },
    },
  }),
  message({
    type: "architecture_design",
    summary: "Brings the decisions and risks of a phase's design.",
    kind: "design",
    senders: ["architect"],
    receivers: ["lead"],
    aliases: {
      names: {
        "decisions.reason": "decisions.rationale",
        "decisions.alts": "decisions.alternatives",
        "risks.sev": "risks.impact",
        "risks.severity": "risks.impact",
      },
    },
    payload: {
      ...phase,
      artifact: committedArtifact.artifact,
      decisions: required(
        listOf(entry({ decision: text(), rationale: text(), alternatives: texts() })),
        "Each decision, why it was taken, and what else was weighed.",
      ),
      risks: optional(
        listOf(entry({ risk: text(), impact: text(), mitigation: text() })),
        "Each risk, how much it would matter, and what is done about it.",
      ),
      committed: committedArtifact.committed,
    },
    example: {
      payload: {
        phase: "02",
        artifact: "phases/02-sign-in/architecture.toon",
        decisions: [
          { decision: "Codes live ten minutes", rationale: "Mail may be slow", alternatives: ["Two minutes"] },
        ],
        risks: [{ risk: "A code is guessed", impact: "medium", mitigation: "Five tries a code" }],
        committed: true,
      },
    },
  }),
  message({
    type: "senior_spec",
    summary: "Says that a plan's tasks now have what a developer needs to start.",
    kind: "specification",
    senders: ["senior"],
    receivers: ["lead"],
    aliases: { names: { ...planNames, enriched: "tasks_enriched", tasks: "tasks_enriched" } },
    payload: {
      plan_id: required(name(), "The plan whose tasks were specified."),
      tasks_enriched: required(count(), "How many tasks were."),
      concerns: optional(texts(), "What the receiver should know or watch."),
      committed: committedArtifact.committed,
    },
    example: {
      payload: {
        plan_id: "02-01",
        tasks_enriched: 3,
        concerns: ["Task 2 may need a checkpoint: two ways to store the code"],
        committed: true,
      },
    },
  }),
  message({ ...devProgress, senders: ["dev"], receivers: ["senior"] }),
  message({ ...devBlocker, senders: ["dev"], receivers: ["senior"] }),
];

export const investigationMessages = [
  message({
    type: "scout_findings",
    summary: "Brings what a scout found out, question by question.",
    kind: "research",
    senders: ["scout"],
    receivers: ["lead"],
    aliases: {
      names: {
        finding: "findings",
        results: "findings",
        "findings.q": "findings.query",
        "findings.question": "findings.query",
        "findings.answer": "findings.finding",
        "findings.conf": "findings.confidence",
      },
      words: {
        "findings.confidence": levelWords,
        domain: { stack: "tech-stack", tech: "tech-stack", "tech stack": "tech-stack" },
      },
    },
    payload: {
      domain: required(
        oneOf(["tech-stack", "architecture", "quality", "concerns"]),
        "The domain that was looked into.",
      ),
      findings: required(
        listOf(entry({ query: text(), finding: text(), confidence: level() })),
        "Each question, what was found, and how sure the scout is.",
      ),
      ...committedArtifact,
    },
    example: {
      payload: {
        domain: "quality",
        findings: [
          { query: "How are sessions tested?", finding: "Only by hand; no test signs a user in", confidence: "high" },
        ],
        artifact: "phases/02-sign-in/research.jsonl",
        committed: true,
      },
    },
  }),
  message({
    ...debuggerReport,
    senders: ["debugger"],
    receivers: ["lead"],
    payload: { ...debuggerReport.payload, artifact: committedArtifact.artifact },
    example: { payload: { ...debuggerReport.example.payload, artifact: "phases/02-sign-in/debug-report.jsonl" } },
  }),
];
