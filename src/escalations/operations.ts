/**
 * Operations on escalations: what waits for whom, deciding it, handing it on. Rules: docs/protocol/asking.md,
 * sections 5 to 10.
 */
import { z } from "zod";
import { levels } from "../messages/authority/chain-of-command.ts";
import { departments } from "../messages/role.ts";
import type { Escalation } from "../perform/deciders.ts";
import { count, moment, operation, shapeOf, shown } from "../perform/operations/define.ts";
import { ifSeq, seq, texts } from "../perform/operations/shapes.ts";

const escalationShape = shapeOf<Escalation>()(
  z
    .object({
      id: z.string(),
      originators: texts.describe("who is held up, the first that said so first"),
      phase: z.union([z.number(), z.string()]).nullable(),
      plan: z.string().nullable(),
      task: z.string().nullable(),
      issue: z.string(),
      needs: z.string().nullable(),
      recommendation: z.string().nullable(),
      severity: z.enum(["blocking", "major", "minor"]),
      evidence: texts,
      options: texts,
      department: z.enum(departments).optional().describe("of who is held up; absent: none, or there is only one"),
      chain: z.array(z.enum(levels)),
      level: z.enum(levels).describe("where it waits"),
      round: count(),
      mustDecide: z.boolean(),
      steps: z.array(
        z.object({
          level: z.enum(levels),
          by: z.string(),
          how: z.enum(["opened", "raised", "silence", "left", "again"]),
          seq,
          atMs: moment(),
        }),
      ),
      openedAtMs: moment(),
      dueAtMs: moment().nullable().describe("when the level is skipped; null: it has no deadline"),
      status: z.enum(["open", "resolved", "closed"]),
      decision: z
        .object({
          decision: z.string(),
          rationale: z.string(),
          actionItems: texts,
          level: z.enum(levels),
          decidedBy: z.string(),
          seq,
          atMs: moment(),
        })
        .nullable(),
    })
    .meta({ id: "Escalation" }),
);

const escalation = z.string().describe("the escalation's id, such as ESC-01-01-T3");
const itsId = { as: "task", says: "its id, or the escalation's" } as const;

export const listEscalations = operation({
  name: "listEscalations",
  call: "escalations",
  access: "caller",
  says: "Escalations that wait for a decision, all, or one.",
  input: z.strictObject({
    all: z.boolean().optional().describe("also those that are decided"),
    escalation: z.string().optional().describe("only the one with this id, decided or not"),
  }),
  answer: shown<readonly Escalation[]>("escalations", "In the order they came.", z.array(escalationShape)),
  http: { method: "get", path: "/escalations" },
  cliOption: {
    of: "needs",
    as: "--escalations",
    says: "every escalation instead: who is held up, its way and, once there is one, the decision",
    sets: { all: true },
  },
});

export const resolveEscalation = operation({
  name: "resolveEscalation",
  call: "resolve",
  access: "caller",
  invited: true,
  says: "Decides an escalation: the owner what has come to the user, an agent what waits at its level or below.",
  input: z.strictObject({
    escalation,
    decision: z.string().min(1).optional().describe("in words"),
    option: z.int().min(1).optional().describe("instead: one of its options, by number from 1"),
    rationale: z.string().optional().describe("why"),
    actionItems: texts.optional().describe("what must be done"),
    ifSeq,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/escalations/{escalation}" },
  cli: [
    {
      words: "escalation resolve",
      group: "People and agents",
      summary: "decide what is held up",
      description:
        "Decides an escalation. Without --as the owner decides, also what has come to the user; an agent decides what waits at\n" +
        "its level or below. The decision goes down to those who are held up and to the levels it came from. One decision\n" +
        "counts: a second is refused.",
      arguments: {
        escalation: { as: "ID" },
        decision: { as: "--decision TEXT", says: "what is decided" },
        option: { as: "--option N", says: "in place of it, one of the options by its number" },
        rationale: { as: "--rationale TEXT" },
        actionItems: { as: "--action TEXT" },
      },
      oneOf: {
        names: ["decision", "option"],
        message: "A decision is given in words, or as one of the options.",
        hint: "`baton needs --escalations` shows the options of each",
      },
      examples: [
        { line: "baton escalation resolve ESC-01-01-T3 --option 1", meaning: "the owner takes the first option" },
        {
          line: "baton escalation resolve ESC-01-01-T3 --as lead-1 --decision 'use library A' --action 'update the imports'",
          meaning: "lead-1 decides, and says what must be done",
        },
      ],
      next: "Those who are held up find the decision in their inbox.",
      said: "Decided: {escalation} (entry {seq}).",
    },
  ],
  mcp: {
    tool: "task",
    action: "resolve",
    isNoHint: true,
    arguments: {
      escalation: itsId,
      decision: {},
      option: { says: "or its number" },
      rationale: { as: "reason" },
      actionItems: {},
    },
  },
  record: { act: "resolve-escalation", line: "decided {escalation}[: {decision}]", touches: ["escalations"] },
});

export const raiseEscalation = operation({
  name: "raiseEscalation",
  call: "raise",
  access: "caller",
  says: "Hands an escalation from the caller's level, where it waits, to the next one; the last is the user.",
  input: z.strictObject({
    escalation,
    evidence: texts.optional().describe("what the next level must know"),
    options: texts.optional().describe("choices for the decider"),
    recommendation: z.string().optional().describe("what the agent would do"),
    ifSeq,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/escalations/{escalation}/raise" },
  cli: [
    {
      words: "escalation raise",
      group: "People and agents",
      summary: "escalate what a level cannot decide",
      description:
        "Hands an escalation up: from the level where it waits, by an agent of that level, to the next one. From the architect\n" +
        "it goes to the owner of the team, or to the user, who decides on the page or with escalation resolve. Without this a\n" +
        "level that does not decide is skipped in time.",
      arguments: {
        escalation: { as: "ID" },
        evidence: { as: "--evidence TEXT" },
        options: { as: "--option TEXT", says: "a choice for the one who decides" },
        recommendation: { as: "--recommendation TEXT" },
      },
      examples: [
        { line: "baton escalation raise ESC-01-01-T3 --as lead-1", meaning: "lead-1 leaves it to the architect" },
        {
          line: "baton escalation raise ESC-01-01-T3 --as architect-1 --option 'drop the task' --option 'move the date'",
          meaning: "the architect asks the user, with two choices",
        },
      ],
      next: "baton needs --escalations shows at which level it waits.",
      said: "Escalated: {escalation} (entry {seq}).",
    },
  ],
  mcp: {
    tool: "task",
    action: "raise",
    arguments: {
      escalation: itsId,
      evidence: { single: true },
      options: {},
      recommendation: {},
    },
  },
  record: { act: "raise-escalation", line: "escalated {escalation} to the next level", touches: ["escalations"] },
});

/** In the order of the document, of help, and of a tool's actions. */
export const escalationOperations = [listEscalations, resolveEscalation, raiseEscalation] as const;
