/** Messages of yolo/1 along the chain of command: up it goes what cannot be resolved, down comes what was decided. */
import { levelOfRole } from "../../../message/role.ts";
import { name, oneOf, required, text } from "../../../schema/shapes.ts";
import { message } from "../../define.ts";
import { texts } from "../../fields/common-fields.ts";

/** Roles that an agent may write for the level it speaks from: `tester` for `dev`. */
const levelWordsOfRoles: { readonly [role: string]: string } = Object.fromEntries(
  Object.entries(levelOfRole).flatMap(([role, level]) => {
    return (level === "dev" || level === "senior") && role !== level ? [[role, level]] : [];
  }),
);

export const escalationMessages = [
  message({
    type: "escalation",
    summary: "Hands an issue that its sender may not resolve to the next level of the chain.",
    kind: "escalation",
    // Any agent that has a level below the architect's. An architect's own is Baton's to raise, to people.
    senders: [
      "dev",
      "tester",
      "senior",
      "qa",
      "qa-lead",
      "qa-code",
      "scout",
      "critic",
      "security",
      "debugger",
      "docs",
      "lead",
    ],
    receivers: ["senior", "lead", "architect"],
    routing: { direction: "up", addressedBy: "to" },
    rules: ["one-level-up"],
    aliases: {
      names: {
        blocker: "issue",
        problem: "issue",
        description: "issue",
        desc: "issue",
        recommended: "recommendation",
        rec: "recommendation",
        sev: "severity",
        ev: "evidence",
      },
      words: {
        from: levelWordsOfRoles,
        severity: { blocked: "blocking", blocker: "blocking", critical: "blocking", high: "major", low: "minor" },
      },
    },
    payload: {
      from: required(oneOf(["dev", "senior", "lead"]), "The level that escalates."),
      to: required(oneOf(["senior", "lead", "architect"]), "The next level above it."),
      issue: required(text(), "What cannot be resolved."),
      evidence: required(texts(), "What shows it."),
      recommendation: required(text(), "What the sender would do."),
      severity: required(oneOf(["blocking", "major", "minor"]), "How bad it is."),
    },
    example: {
      payload: {
        from: "senior",
        to: "lead",
        issue: "The design keeps codes in memory, but there are two servers",
        evidence: ["docs/architecture.md names two servers"],
        recommendation: "Keep codes in the database",
        severity: "blocking",
      },
    },
  }),
  message({
    type: "escalation_resolution",
    summary: "Brings the decision on an escalation back down to the one who is held up.",
    kind: "resolution",
    senders: ["user", "owner", "architect", "lead"],
    receivers: [
      "owner",
      "architect",
      "lead",
      "senior",
      "qa",
      "qa-lead",
      "qa-code",
      "scout",
      "critic",
      "security",
      "debugger",
      "dev",
      "tester",
      "docs",
    ],
    routing: { direction: "down" },
    aliases: {
      names: {
        escalation: "original_escalation",
        escalation_id: "original_escalation",
        reason: "rationale",
        actions: "action_items",
        resolver: "resolved_by",
        by: "resolved_by",
        resolution: "decision",
      },
    },
    payload: {
      original_escalation: required(name(), "Id of the escalation, such as ESC-02-01-T2."),
      decision: required(text(), "What was decided."),
      rationale: required(text(), "Why."),
      action_items: required(texts(), "What must be done now, step by step."),
      resolved_by: required(oneOf(["user", "owner", "architect", "lead"]), "Who decided."),
    },
    example: {
      payload: {
        original_escalation: "ESC-02-01-T2",
        decision: "Codes are kept in the database",
        rationale: "Both servers must see them",
        action_items: ["Move the store behind the existing table", "Delete the memory store"],
        resolved_by: "architect",
      },
    },
  }),
];
