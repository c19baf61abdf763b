/**
 * Operations on tasks: the list and the board, and what becomes of one task; claiming it is in `claims.ts`.
 * Rules: docs/protocol/tasks.md.
 */
import { z } from "zod";
import { operation, shown } from "../../perform/operations/define.ts";
import { ifSeq, texts } from "../../perform/operations/shapes.ts";
import { settlements } from "../decide/settling.ts";
import { priorities } from "../state/task-state.ts";
import type { Board } from "../view/board.ts";
import { type TaskView, taskStates } from "../view/task-view.ts";
import {
  claimTask,
  claimToken,
  itsId,
  planId,
  planOption,
  reassignTask,
  releaseTask,
  renewClaim,
  taskId,
  taskWord,
  tokenOption,
} from "./claims.ts";
import { boardShape, type TaskStory, taskShape, taskStoryShape } from "./task-shapes.ts";

export const addTask = operation({
  name: "addTask",
  call: "addTask",
  access: "caller",
  says: "Adds a task by hand. The owner's, the leads' and the architects'.",
  input: z.strictObject({
    task: z.string().optional().describe("its title, or the id that documents have for it; absent: its number"),
    plan: z.string().optional().describe("the plan it belongs to"),
    title: z.string().optional().describe("what must be done, in a line"),
    description: z.string().optional().describe("the same in full"),
    criteria: texts.optional().describe("what must be true once it is done"),
    files: z
      .union([texts, z.literal("none")])
      .optional()
      .describe("none: it needs no change in files"),
    dependsOn: texts.optional().describe("tasks that must be done first"),
    checks: texts.optional().describe("commands that its holder runs before it reports; Baton runs none of them"),
    priority: z.enum(priorities).optional().describe("normal when absent"),
    labels: texts.optional().describe("words to find it by"),
    agent: z.string().optional().describe("who shall do it: nobody else gets it as the next one; empty: anybody"),
  }),
  answer: {
    kind: "reply",
    more: z.object({ task: z.string().describe("its id") }).meta({ id: "NamedTask" }),
  },
  http: { method: "post", path: "/tasks" },
  cli: [
    {
      words: "task add",
      group: "Work",
      summary: "put a task on the board by hand",
      description:
        "Adds a task to the board, by the owner, a lead or an architect, and prints its number, which stands for it in every\n" +
        "command. With --title, or where it is written as documents write ids (1-1-T3), the word is its id. A task that is there is\n" +
        "described anew: what is not said stays, its holder reads it, and the answer says what it was before.",
      arguments: {
        task: { as: "TITLE", orElse: "title" },
        title: { as: "--title TEXT", says: "its title; the word is its id then" },
        description: { as: "--description TEXT" },
        criteria: { as: "--done-when TEXT" },
        files: {
          as: "--files PATHS",
          commas: true,
          says: "what it touches, with commas between; src/b/ means all below; none: no files",
        },
        dependsOn: { as: "--after TASKS", commas: true, says: "tasks or plans that must be done first, with commas" },
        checks: { as: "--check COMMAND" },
        priority: { as: "--priority PRIORITY" },
        labels: { as: "--label LABEL" },
        agent: { as: "--agent AGENT" },
        plan: planOption,
      },
      examples: [
        {
          line: "baton task add 'Totals carry tax' --done-when 'total() returns net, tax and gross' --files src/cart.js",
          meaning: "a task, what must be true then, and the files it touches",
        },
        { line: "baton task add 'A page about it' --after 1 --priority low", meaning: "one that waits for another" },
        {
          line: "baton task add 1-1-T3 --plan 1-1 --title 'Wire it up' --files none",
          meaning: "the id of a document; no files: it is done when it is reported",
        },
      ],
      next: "baton task list --available shows what can be claimed now.",
      said: "Added: {task} (entry {seq}).",
      unchanged: "Already there: {task} (entry {seq}).",
      changed: "Changed: {task} (entry {seq}).",
    },
  ],
  mcp: {
    tool: "task",
    action: "add",
    arguments: {
      task: itsId,
      plan: {},
      title: {},
      files: {},
      dependsOn: {},
    },
  },
  record: { act: "add-task", line: "put {task} on the list[: {title}]", touches: ["tasks"] },
});

export const addPlan = operation({
  name: "addPlan",
  call: "addPlan",
  access: "caller",
  says: "Adds the tasks of a Markdown list, all or none. The owner's, the leads' and the architects'.",
  input: z.strictObject({
    text: z.string().describe("the list: each item at the margin is a task, what is indented says more"),
    plan: z.string().optional().describe("the plan they belong to"),
  }),
  answer: {
    kind: "reply",
    more: z
      .object({ tasks: z.array(z.object({ task: z.string().describe("its id"), title: z.string() })) })
      .meta({ id: "PlanAdded" }),
  },
  http: { method: "post", path: "/plans" },
  handWritten: ["plan add"],
  mcp: { tool: "task", action: "plan", arguments: { text: { says: "plan: a Markdown list" }, plan: {} } },
  record: { act: "add-plan", line: "put a list of tasks on the board", touches: ["tasks"] },
});

export const listTasks = operation({
  name: "listTasks",
  call: "tasks",
  access: "caller",
  says: "The tasks of the team, all or those of a plan or in a state.",
  input: z.strictObject({
    task: z.string().optional().describe("this task alone, however its id is spelled"),
    plan: z.string().optional().describe("only this plan's, however its id is spelled"),
    state: z.enum(taskStates).optional().describe("only tasks in this state"),
  }),
  answer: shown<readonly TaskView[]>("tasks", "In the order they came.", z.array(taskShape)),
  http: { method: "get", path: "/tasks" },
  cli: [
    {
      words: "task list",
      group: "Work",
      summary: "the board: every task, its state and its holder",
      description:
        "Prints the team's tasks: state, holder with token and the time until which the claim holds, commit, files, what a task\n" +
        "waits for, and why it is disputed or gone. With --available the tasks that are free, unblocked, touch no file of a\n" +
        "claim and are inside the contract of their plan, and how many developers they are work for. Free tasks whose contract\n" +
        "does not allow their files, and a circle of dependencies, are named apart.",
      arguments: {
        plan: planOption,
        state: { as: "--state STATE" },
      },
      examples: [
        { line: "baton task list", meaning: "the whole board" },
        { line: "baton task list --available", meaning: "what to do next" },
        {
          line: "baton task list --plan 1-1 --state claimed --json",
          meaning: "who works on plan 1-1; a line of JSON a task",
        },
      ],
      next: "baton task list --available shows what can be claimed now; baton task claim TASK --as AGENT takes one.",
    },
  ],
});

export const showBoard = operation({
  name: "showBoard",
  call: "board",
  access: "caller",
  says: "The board: every task, what can be claimed now, and for how many developers.",
  input: z.strictObject({}),
  answer: shown<Board>(null, "The board at the head.", boardShape),
  http: { method: "get", path: "/tasks/board", isLarge: true },
  cliOption: {
    of: "task list",
    as: "--available",
    says: "what can be claimed now instead, and for how many developers",
  },
});

export const showTask = operation({
  name: "showTask",
  call: "task",
  access: "caller",
  says: "One task with its contract, claims, reports, verdict, checks and files.",
  input: z.strictObject({
    task: taskId,
    plan: planId,
    at: z.string().optional().describe("the number of an entry: as it was then"),
  }),
  answer: shown<TaskStory>(null, "The task at the head, or as it was at an entry.", taskStoryShape),
  http: { method: "get", path: "/tasks/{task}", isLarge: true },
});

export const completeTask = operation({
  name: "completeTask",
  call: "complete",
  access: "caller",
  says: "Reports what became of a task: complete frees its files, partial and failed keep the claim.",
  input: z.strictObject({
    task: taskId,
    plan: planId,
    token: claimToken,
    commit: z.union([z.string(), texts]).optional().describe("needed once it is done, unless it needs no files"),
    finishedBefore: z
      .boolean()
      .optional()
      .describe("the work is older than the task; a lead or an architect may say so"),
    status: z
      .enum(["complete", "partial", "failed"])
      .optional()
      .describe("complete when absent; failed takes your own earlier report of complete back"),
    files: texts.optional().describe("what was changed; it is compared with the commit"),
    deviations: texts.optional().describe("where the work departs from the plan"),
    evidence: z.string().optional().describe("what shows that the work does what it should"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tasks/{task}/complete" },
  cli: [
    {
      words: "task complete",
      group: "Work",
      summary: "report what became of a task",
      description:
        "Reports a task of the agent. Complete (the default) needs a commit, unless the task needs no files, and frees the task's\n" +
        "files. Where a repository is, Baton checks the report: at once without a hub (exit 2: disputed, 5: undecided), else a\n" +
        "hub with a clone does soon. Only verified work is done. Partial and failed keep the claim. Refused\n" +
        "for who does not hold the claim, and for the token of an older one; a task that nobody holds is claimed and completed at once.",
      arguments: {
        task: taskWord,
        commit: {
          as: "--commit HASHES",
          commas: true,
          says: "the commit with the work, or several with commas between; default: the newest here with Baton-Task: TASK",
        },
        finishedBefore: {
          as: "--finished-before",
          says: "the work is older than the task; for leads and architects",
        },
        token: tokenOption,
        status: { as: "--status STATUS", says: "default complete; failed takes your earlier report back" },
        plan: planOption,
        files: {
          as: "--files PATHS",
          commas: true,
          says: "what was changed, with commas between; it is compared with the commit",
        },
        deviations: { as: "--deviation TEXT" },
        evidence: {
          as: "--evidence TEXT",
          says: "what shows that the work does what it should; name the must-haves that it is for",
        },
      },
      examples: [
        {
          line: "baton task complete 1-1-T1 --as dev-1 --token 42 --commit abc1234 --evidence 'npm test: 12 passed'",
          meaning: "the work is in that commit, and what shows it",
        },
        {
          line: "baton task complete 1-1-T1 --as dev-1 --status partial --deviation 'no names yet'",
          meaning: "not done yet; the claim stays",
        },
      ],
      next: "baton task list shows what became of it; baton summary PLAN sums the plan up once all its tasks are done.",
      said: "Reported {status|complete}: {task} (entry {seq}).",
      unchanged: "Already reported: {task} (entry {seq}).",
    },
  ],
  mcp: {
    tool: "task",
    action: "complete",
    arguments: {
      task: itsId,
      plan: {},
      files: {},
      token: {},
      commit: { single: true, commas: true },
      status: {},
      deviations: {},
      evidence: { says: "by criterion, 1: …; 2: …" },
    },
  },
  record: {
    act: "complete-task",
    line: "reported {task} as {status|complete}[ at {commit}]",
    touches: ["tasks"],
    isReport: true,
  },
});

/** In the order of the document, of help, and of a tool's actions. */
export const settleTask = operation({
  name: "settleTask",
  call: "settle",
  access: "caller",
  says:
    "Decides about a report that the repository does not decide: it counts (verified), it does not (disputed), or its work is " +
    "gone and is meant to be (superseded). The owner's and the leads'.",
  input: z.strictObject({
    task: taskId,
    plan: planId,
    as: z.enum(settlements).describe("what it counts as"),
    reason: z.string().optional().describe("why, for its reporter"),
    ifSeq,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tasks/{task}/settle" },
  cli: [
    {
      words: "task settle",
      group: "Work",
      summary: "decide about a report that the repository does not decide",
      description:
        "Decides about a report, by the owner or a lead: one that could not be judged counts as done (verified) or frees the task\n" +
        "(disputed); work that was verified and is gone stays done (superseded). The reporter gets a message.",
      arguments: { task: taskWord, as: { as: "STATE" }, reason: { as: "--reason TEXT" }, plan: planOption },
      examples: [
        { line: "baton task settle 1-1-T1 verified --reason 'A backport'", meaning: "the report counts" },
        { line: "baton task settle 1-1-T1 superseded", meaning: "its work was taken back on purpose" },
      ],
      next: "baton task reopen TASK has the work done again.",
      said: "Settled: {task} (entry {seq}).",
      unchanged: "Already settled so: {task} (entry {seq}).",
    },
  ],
  mcp: {
    tool: "task",
    action: "settle",
    arguments: { task: itsId, plan: {}, as: {}, reason: {} },
  },
  record: { act: "settle-task", line: "settled {task} as {as}[: {reason}]", touches: ["tasks"] },
});

export const reopenTask = operation({
  name: "reopenTask",
  call: "reopen",
  access: "caller",
  says: "Has the work of a reported task done again: its report counts no more, and the task is free. The owner's and the leads'.",
  input: z.strictObject({
    task: taskId,
    plan: planId,
    reason: z.string().optional().describe("why, for its reporter"),
    ifSeq,
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/tasks/{task}/reopen" },
  cli: [
    {
      words: "task reopen",
      group: "Work",
      summary: "have the work of a reported task done again",
      description:
        "Has the work of a reported task done again, by the owner or a lead: its report counts no more, contradicts nobody, and the\n" +
        "task is free. The reporter gets a message.",
      arguments: { task: taskWord, reason: { as: "--reason TEXT" }, plan: planOption },
      examples: [
        { line: "baton task reopen 1-1-T1 --reason 'A merge dropped it'", meaning: "the task is free again" },
        { line: "baton task reopen 1-1-T1 --as lead-1", meaning: "a lead wants it done again" },
      ],
      next: "baton task list --available shows what can be claimed now.",
      said: "Free again: {task} (entry {seq}).",
    },
  ],
  mcp: { tool: "task", action: "reopen", arguments: { task: itsId, plan: {}, reason: {} } },
  record: { act: "reopen-task", line: "reopened {task}[: {reason}]", touches: ["tasks"] },
});

export const settleArtifacts = operation({
  name: "settleArtifacts",
  call: "settleArtifacts",
  access: "caller",
  says:
    "Decides that artifacts count which the repository does not confirm: they hold nothing up, until a later message speaks of " +
    "them. The owner's and the leads'.",
  input: z.strictObject({
    message: z.string().max(20).describe("the number of the entry that names them"),
    reason: z.string().optional().describe("why, for its sender"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/artifacts/{message}/settle" },
  cli: [
    {
      words: "artifact settle",
      group: "Work",
      summary: "decide that disputed artifacts count",
      description:
        "Decides, by the owner or a lead, that artifacts count which the repository does not confirm: they hold up no phase and no\n" +
        "summary, until a later message speaks of them. Their sender gets a message.",
      arguments: { message: { as: "ENTRY" }, reason: { as: "--reason TEXT" } },
      examples: [
        {
          line: "baton artifact settle 42 --reason 'Its rows have another form'",
          meaning: "what entry 42 names counts",
        },
        { line: "baton artifact settle 42 --as lead-1", meaning: "a lead decides it" },
      ],
      next: "baton verify --artifacts shows the artifacts of all messages.",
      said: "Settled: the artifacts of entry {message} (entry {seq}).",
    },
  ],
  record: { act: "settle-artifacts", line: "settled the artifacts of entry {message}[: {reason}]", touches: ["tasks"] },
});

export const taskOperations = [
  addTask,
  addPlan,
  listTasks,
  showBoard,
  showTask,
  claimTask,
  renewClaim,
  releaseTask,
  reassignTask,
  completeTask,
  settleTask,
  reopenTask,
  settleArtifacts,
] as const;
