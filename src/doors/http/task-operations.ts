/** Tasks and claims of a team: the board, and what an agent does with one task. */
import { z } from "zod";
import { ownTurn } from "../../base/clock.ts";
import { taskStates } from "../../coordination/board.ts";
import type { ClaimAnswer } from "../../operations/reply.ts";
import { acceptedShape, grantShape } from "../../operations/shapes.ts";
import { named } from "./agent-operations.ts";
import { json, refusal, replyAnswer } from "./answers.ts";
import { given } from "./given.ts";
import { actId, type Operation, teamOperation } from "./operation.ts";
import { boardShape, planReportShape, taskShape } from "./task-shapes.ts";

const accepted = {
  201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
  200: { says: "The same act had been accepted before.", shape: acceptedShape },
};
const granted = {
  201: { says: "Granted, durable.", shape: grantShape },
  200: { says: "The same act had been granted before.", shape: grantShape },
};

const plan = z.string().optional().describe("the plan, where the task's id does not name it");
const files = z.array(z.string()).optional();
const token = z.int().min(0).optional().describe("the claim's fencing token");

const list = teamOperation(
  {
    name: "listTasks",
    method: "get",
    path: "/api/teams/{team}/tasks",
    says: "The tasks of the team, all or those of a plan or in a state.",
    access: "caller",
    query: z.strictObject({ plan: z.string().optional(), state: z.enum(taskStates).optional() }),
    answers: { 200: { says: "In the order they came.", shape: z.object({ tasks: z.array(taskShape) }) } },
  },
  async ({ team, query }) => {
    const found = await team.tasks(given(query));
    return found.ok ? json({ tasks: found.value }) : refusal([found.error]);
  },
);

const board = teamOperation(
  {
    name: "showBoard",
    method: "get",
    path: "/api/teams/{team}/tasks/board",
    says: "The board: every task, what can be claimed now, for how many developers, and in which waves.",
    access: "caller",
    answers: { 200: { says: "The board at the head.", shape: boardShape } },
  },
  async ({ team }) => {
    const found = await team.board();
    // A large board is drawn in one piece and written in another.
    await ownTurn();
    return found.ok ? json(found.value) : refusal([found.error]);
  },
);

const add = teamOperation(
  {
    name: "addTask",
    method: "post",
    path: "/api/teams/{team}/tasks",
    says: "Adds a task by hand. The owner's, the leads' and the architects'.",
    access: "caller",
    body: z.strictObject({
      task: z.string(),
      plan: z.string().optional(),
      title: z.string().optional(),
      files: z
        .union([z.array(z.string()), z.literal("none")])
        .optional()
        .describe("none: it needs no change in files"),
      dependsOn: z.array(z.string()).optional(),
      id: actId,
    }),
    answers: accepted,
  },
  async ({ team, body, id }) => {
    const { id: _, ...task } = body;
    return replyAnswer(await team.addTask({ ...given(task), task: task.task }, named(id)));
  },
);

const claim = teamOperation(
  {
    name: "claimTask",
    method: "post",
    path: "/api/teams/{team}/tasks/{task}/claim",
    says: "Claims a task for the calling agent. Denied: 409 with reason, holder and paths.",
    access: "caller",
    body: z.strictObject({ plan, files: files.describe("absent: the task's files"), id: actId }),
    answers: granted,
  },
  async ({ team, params, body, id }) => {
    const { id: _, ...claimed } = body;
    return claimAnswer(await team.claim({ task: params.task ?? "", ...given(claimed) }, named(id)));
  },
);

const renew = teamOperation(
  {
    name: "renewClaim",
    method: "post",
    path: "/api/teams/{team}/tasks/{task}/renew",
    says: "Renews the calling agent's claim. Every other act of the agent renews it too.",
    access: "caller",
    body: z.strictObject({ token, id: actId }),
    answers: granted,
  },
  async ({ team, params, body, id }) => {
    return claimAnswer(await team.renew(params.task ?? "", { ...given({ token: body.token }), ...named(id) }));
  },
);

const release = teamOperation(
  {
    name: "releaseTask",
    method: "post",
    path: "/api/teams/{team}/tasks/{task}/release",
    says: "Gives the calling agent's claim back.",
    access: "caller",
    body: z.strictObject({ token, id: actId }),
    answers: accepted,
  },
  async ({ team, params, body, id }) => {
    return replyAnswer(await team.release(params.task ?? "", { ...given({ token: body.token }), ...named(id) }));
  },
);

const complete = teamOperation(
  {
    name: "completeTask",
    method: "post",
    path: "/api/teams/{team}/tasks/{task}/complete",
    says: "Reports what became of a task: complete frees its files, partial and failed keep the claim.",
    access: "caller",
    body: z.strictObject({
      plan,
      token,
      commit: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe("needed once it is done, unless it needs no files"),
      finishedBefore: z
        .boolean()
        .optional()
        .describe("the work is older than the task; a lead or an architect may say so"),
      status: z.enum(["complete", "partial", "failed"]).optional().describe("complete when absent"),
      files,
      deviations: z.array(z.string()).optional(),
      evidence: z.string().optional().describe("what shows that the work does what it should"),
      id: actId,
    }),
    answers: accepted,
  },
  async ({ team, params, body, id }) => {
    const { id: _, ...completion } = body;
    return replyAnswer(await team.complete({ task: params.task ?? "", ...given(completion) }, named(id)));
  },
);

const summary = teamOperation(
  {
    name: "summarisePlan",
    method: "get",
    path: "/api/teams/{team}/plans/{plan}/summary",
    says: "What became of a plan: recorded once all its tasks are done, before that as it stands.",
    access: "caller",
    answers: { 200: { says: "The summary.", shape: planReportShape } },
  },
  async ({ team, params }) => {
    const found = await team.summary(params.plan ?? "");
    return found.ok ? json(found.value) : refusal([found.error]);
  },
);

/** A grant, or a problem document that also says why, who and which files. A denial is a conflict, whatever its reason. */
function claimAnswer(answer: ClaimAnswer): Response {
  const { reply } = answer;
  if (answer.granted) {
    const { reply: _, ...grant } = answer;
    return replyAnswer(reply, grant);
  }
  if (reply.outcome !== "refused") return replyAnswer(reply);
  const { reason, holder, paths } = answer;
  return refusal(reply.problems, {
    receipt: reply.receipt,
    notes: reply.notes,
    denial: { granted: false, reason, holder, paths },
    ...(reason === null || reason === "unknown-task" ? {} : { status: 409 }),
  });
}

export const taskOperations: readonly Operation[] = [list, board, add, claim, renew, release, complete, summary];
