/** Operations on what agents ask the team for. Rules: docs/protocol/tasks.md, section 12. */
import { z } from "zod";
import { count, inForm, operation, shapeOf, shown, time } from "../../perform/operations/define.ts";
import { texts } from "../../perform/operations/shapes.ts";
import { type Ending, endings } from "../state/task-state.ts";
import type { TaskView } from "../view/task-view.ts";
import { itsId, planId, planOption, taskId, taskWord } from "./claims.ts";
import { taskShape } from "./task-shapes.ts";

/** Something that was written about an ask; the first is the ask itself. */
export interface AskRemark {
  readonly seq: number;
  readonly at: string;
  readonly by: string;
  /** The id of the operation. */
  readonly id: string | null;
  readonly text: string;
  /** The asker is to answer. */
  readonly isQuestion: boolean;
}

/** What an agent asked the team for. */
export interface AskView {
  readonly task: TaskView;
  readonly asker: string;
  readonly context: string | null;
  /** The entry with a question that waits for the asker. */
  readonly question: number | null;
  /** Null: it has not ended, or it is done. */
  readonly ended: Ending | null;
  /** Of the last report. */
  readonly evidence: string | null;
  /** The entry that changed it last. */
  readonly seq: number;
  readonly at: string;
  readonly askedAt: string;
  readonly said: readonly AskRemark[];
}

const askShape = shapeOf<AskView>()(
  z
    .object({
      task: taskShape,
      asker: z.string(),
      context: z.string().nullable(),
      question: count().nullable().describe("the entry with a question that waits for the asker"),
      ended: z
        .object({ outcome: z.enum(endings), by: z.string(), reason: z.string().nullable(), seq: count() })
        .nullable(),
      evidence: z.string().nullable(),
      seq: count("the entry that changed it last"),
      at: time,
      askedAt: time,
      said: z.array(
        z.object({
          seq: count(),
          at: time,
          by: z.string(),
          id: inForm("id", z.string()).nullable(),
          text: z.string(),
          isQuestion: z.boolean(),
        }),
      ),
    })
    .meta({ id: "Ask" }),
);

export const askTeam = operation({
  name: "askTeam",
  call: "ask",
  access: "caller",
  says: "Asks the team for something: one entry records the task and notifies the lead. With paths it asks for leave to change them.",
  input: z.strictObject({
    text: z.string().describe("what is wanted, in words; with paths, why"),
    task: taskId.optional().describe("with paths: the task that needs them; the one that the agent holds when absent"),
    paths: texts.optional().describe("which the contract of the task's plan keeps out"),
    context: z.string().optional().describe("the asker's own name for what belongs together"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/asks" },
  cli: [
    {
      words: "task ask",
      group: "Work",
      summary: "ask the team for something",
      description:
        "Asks the team for something, as any agent of the team or the owner. One entry puts a task on the board and notifies the\n" +
        "lead, or the owner where there is no lead. The answer names the task. With --paths it asks for leave to change paths that\n" +
        "the contract keeps out: a yes allows them at once.",
      arguments: {
        text: { as: "TEXT" },
        context: { as: "--context NAME" },
        task: { as: "--task TASK" },
        paths: { as: "--paths PATH" },
      },
      examples: [
        { line: "baton task ask 'The export needs a column for the tax' --as shop", meaning: "an agent asks" },
        { line: "baton task ask 'Which licence has the parser?' --context audit-7", meaning: "the owner asks" },
        {
          line: "baton task ask 'The API is described there' --task 1-1-T1 --paths docs/api.md --as dev-1",
          meaning: "an agent asks for leave to change a file",
        },
      ],
      next: "baton task list --asked shows what became of it.",
      said: "Asked the team (entry {seq}).",
    },
  ],
  mcp: { tool: "task", action: "ask", arguments: { text: {}, task: itsId, paths: { as: "files" } } },
  record: { act: "ask-team", line: "asked the team[ about {context}]: {text}", touches: ["tasks"] },
});

export const listAsks = operation({
  name: "listAsks",
  call: "asks",
  access: "caller",
  says: "What agents asked the team for, the latest change first.",
  input: z.strictObject({
    task: z.string().optional().describe("this task alone"),
    asker: z.string().optional().describe("only what this agent asked for"),
    after: z.string().optional().describe("SEQ~TASK of the last one that was seen: those behind it"),
    limit: z.int().min(1).max(100).optional().describe("at most so many; 50 when absent"),
    history: z.int().min(0).max(200).optional().describe("so many of the last words about each; 0 when absent"),
  }),
  answer: shown<readonly AskView[]>("asks", "The latest change first.", z.array(askShape)),
  http: { method: "get", path: "/asks" },
  cliOption: {
    of: "task list",
    as: "--asked",
    says: "what agents asked the team for instead, with the question that waits for the asker",
  },
});

export const discussTask = operation({
  name: "discussTask",
  call: "discuss",
  access: "caller",
  says: "Writes about a task that was asked for: the asker to the team, the team to the asker.",
  input: z.strictObject({
    task: taskId,
    plan: planId,
    text: z.string().describe("the words"),
    question: z.boolean().optional().describe("the asker is to answer"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tasks/{task}/discuss" },
  cli: [
    {
      words: "task discuss",
      group: "Work",
      summary: "write about a task that was asked for",
      description:
        "Writes about a task that an agent asked for. The asker writes to who works on it and to the lead; they write to the asker.\n" +
        "With --question the task waits for the asker's answer.",
      arguments: {
        task: taskWord,
        text: { as: "TEXT" },
        plan: planOption,
        question: { as: "--question" },
      },
      examples: [
        {
          line: "baton task discuss ask-1f2e 'Gross or net?' --question --as lead-1",
          meaning: "the lead asks back",
        },
        { line: "baton task discuss ask-1f2e 'Net, please' --as shop", meaning: "the asker answers" },
      ],
      next: "baton task list --asked shows its question.",
      said: "Written about {task} (entry {seq}).",
    },
  ],
  mcp: {
    tool: "task",
    action: "discuss",
    arguments: { task: itsId, text: {}, question: {} },
  },
  record: { act: "discuss-task", line: "wrote about {task}", touches: ["tasks"] },
});

export const endTask = operation({
  name: "endTask",
  call: "endTask",
  access: "caller",
  says: "Ends a task for good without its being done: its asker withdraws it, a lead or the owner refuses it or gives it up.",
  input: z.strictObject({
    task: taskId,
    plan: planId,
    outcome: z
      .enum(endings)
      .optional()
      .describe("withdrawn by its asker; else refused where nobody ever held it, or given-up"),
    reason: z.string().optional().describe("why, for both agents"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tasks/{task}/end" },
  cli: [
    {
      words: "task end",
      group: "Work",
      summary: "withdraw, refuse or give up a task for good",
      description:
        "Ends a task for good without its being done. Its asker withdraws it; a lead or the owner refuses it or gives it up. Its claim\n" +
        "and its files are free, and nobody can claim it again. A task of a contract ends by a revision of the contract.",
      arguments: {
        task: taskWord,
        outcome: { as: "--outcome OUTCOME" },
        reason: { as: "--reason TEXT" },
        plan: planOption,
      },
      examples: [
        { line: "baton task end ask-1f2e --as shop", meaning: "the asker wants it no more" },
        {
          line: "baton task end ask-1f2e --reason 'Not ours' --as lead-1",
          meaning: "the lead refuses it, and the asker reads why",
        },
      ],
      next: "baton task list --asked shows how it ended.",
      said: "Ended: {task} (entry {seq}).",
      unchanged: "Already ended: {task} (entry {seq}).",
    },
  ],
  mcp: { tool: "task", action: "end", arguments: { task: itsId, reason: {} } },
  record: { act: "end-task", line: "ended {task}[ as {outcome}][: {reason}]", touches: ["tasks"] },
});

export const askOperations = [askTeam, listAsks, discussTask, endTask] as const;
