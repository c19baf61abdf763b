/** What needs the person who owns the team, ranked. Rules: docs/protocol/asking.md, sections 11 to 13. */
import { z } from "zod";
import type { Problem } from "../base/problem.ts";
import type { Receipt } from "../journal/entry.ts";
import { count, operation, shapeOf, shown, time } from "../perform/operations/define.ts";
import { ifSeq, problemShape, receiptShape, texts } from "../perform/operations/shapes.ts";
import { dueBys, type Need, type Needs, needKinds, needsMax, triages } from "./view/need-ranking.ts";

const needShape = shapeOf<Need>()(
  z
    .object({
      id: z.string().describe("the same as long as it waits"),
      kind: z.enum(needKinds),
      triage: z.enum(triages).describe("what is the matter"),
      subject: z.string().describe("a sentence of Baton's"),
      asks: z.string().nullable().describe("the agent's own words"),
      why: z.string().nullable().describe("the problem behind it"),
      help: z.string().nullable().describe("what to do about it, with the command of git, where none of Baton's helps"),
      agent: z.string().nullable().describe("who asks, reported, or is silent"),
      task: z.string().nullable(),
      plan: z.string().nullable(),
      phase: z.string().nullable(),
      target: z
        .string()
        .describe("what its decision names: a request, an escalation, a stop, a task, an agent, a remote, a plan"),
      requestType: z.enum(["scope_change", "plan_approval", "gate_override"]).nullable(),
      blocks: texts.describe("tasks that wait for it, the first of them"),
      blocksTotal: count("how many tasks wait for it"),
      dueAt: time.nullable().describe("the earlier of its deadline and of the end of the lease that waits for it"),
      dueBy: z.enum(dueBys).nullable().describe("which of the two that is"),
      since: time.nullable(),
      group: z.string().nullable().describe("the same for needs of one cause; null: there is no other"),
      subgroup: z.string().nullable().describe("in a group the same for needs about the same"),
      count: count("how often it happened"),
      ifSeq: count("give it back with the decision, which then counts only for what was shown"),
    })
    .meta({ id: "Need" }),
);

const needsShape = shapeOf<Needs>()(
  z
    .object({
      seq: count("the entry up to which was looked"),
      total: count("how many there are"),
      counts: z.object(
        Object.fromEntries(needKinds.map((kind) => [kind, count()])) as {
          [Kind in (typeof needKinds)[number]]: z.ZodInt;
        }, // one a kind
      ),
      triage: z.object(
        Object.fromEntries(triages.map((each) => [each, count()])) as {
          [Each in (typeof triages)[number]]: z.ZodInt;
        }, // one each
      ),
      needs: z.array(needShape).describe("the most urgent first"),
    })
    .meta({ id: "Needs" }),
);

export const listNeeds = operation({
  name: "listNeeds",
  call: "needs",
  access: "caller",
  says: "What needs the person who owns the team: holds, requests, disputes, escalations, silent agents, remotes, loops, spent budgets.",
  input: z.strictObject({
    limit: z.int().min(1).max(needsMax).optional().describe("at most so many, the most urgent; the rest is counted"),
  }),
  answer: shown<Needs>(null, "The needs at the head, the most urgent first.", needsShape),
  http: { method: "get", path: "/needs", isLarge: true },
  cli: [
    {
      words: "needs",
      group: "Work",
      summary: "what needs you, the most urgent first",
      description:
        "Prints everything that waits for the person who owns the team, trouble first: failed audits that hold a phase,\n" +
        "disputed reports, who is stuck or silent, then what is yours to decide, and what only waits for a yes to land,\n" +
        "also agents that are refused again and again, and plans over their budget. Each says for how long it has waited, until when\n" +
        "and what happens then, how many tasks wait for it, and the command that decides it; what nothing decides says what\n" +
        "ends it. With --as the list is the same, and what that agent may not decide has no command. Escalations also wait at\n" +
        "lower levels: who is held up by what, at which level it waits and until when that level is skipped is with --escalations.",
      arguments: { limit: { as: "--limit N" } },
      examples: [
        { line: "baton needs", meaning: "what to decide next" },
        { line: "baton needs --requests", meaning: "all that agents asked for, with what was answered" },
        { line: "baton needs --as lead-1", meaning: "what waits for the owner, and which of it lead-1 may decide" },
        {
          line: "baton needs --limit 3 --json",
          meaning: '{"seq","total","counts","needs"} of three needs, each with "decide"',
        },
      ],
      next: "The commands that it prints decide what waits; baton status shows also what waits for agents.",
    },
  ],
});

/*
 * Several decisions of the person at once, each with its own entry. Rules: docs/protocol/asking.md, section 4.
 */

/** Most decisions of one request. */
const decisionsMax = 100;

/** What became of one decision. */
export interface DecisionResult {
  readonly outcome: "accepted" | "refused" | "failed";
  /** Null: nothing was recorded. */
  readonly receipt: Receipt | null;
  readonly problems: readonly Problem[];
}

const id = z
  .string()
  .optional()
  .describe("the id of this decision, for retries; absent: one is made of that of the request");
const reason = z.string();

const answered = {
  request: z.string(),
  reason,
  conditions: texts.optional(),
  modifications: texts.optional(),
  ifSeq,
  id,
};
const escalation = z.string();

const decision = z.discriminatedUnion("decide", [
  z.strictObject({ decide: z.literal("approve"), ...answered }),
  z.strictObject({ decide: z.literal("deny"), ...answered }),
  z.strictObject({
    decide: z.literal("resolve"),
    escalation,
    decision: z.string().min(1).optional(),
    option: z.int().min(1).optional(),
    rationale: z.string().optional(),
    actionItems: texts.optional(),
    ifSeq,
    id,
  }),
  z.strictObject({
    decide: z.literal("raise"),
    escalation,
    evidence: texts.optional(),
    options: texts.optional(),
    recommendation: z.string().optional(),
    ifSeq,
    id,
  }),
  z.strictObject({ decide: z.literal("lift"), stop: z.string(), reason, ifSeq, id }),
]);

const resultShape = shapeOf<DecisionResult>()(
  z.object({
    outcome: z.enum(["accepted", "refused", "failed"]),
    receipt: receiptShape.nullable(),
    problems: z.array(problemShape),
  }),
);

export const decideSeveral = operation({
  name: "decideSeveral",
  call: "decideSeveral",
  byHand: "It takes several operations, each with its own id, and answers each.",
  access: "caller",
  invited: true,
  says: "Decides several matters, one after the other, each as its own operation would. What becomes of one does not touch the others.",
  input: z.strictObject({ decisions: z.array(decision).min(1).max(decisionsMax) }),
  answer: shown<readonly DecisionResult[]>("results", "What became of each, in order.", z.array(resultShape)),
  http: { method: "post", path: "/decisions" },
});

export const needOperations = [listNeeds, decideSeveral] as const;
