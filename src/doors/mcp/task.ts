/**
 * `task`: what can be claimed, the agent's own claims, and what waits for its decision; so that agents without messages
 * for it can work side by side.
 */
import * as z from "zod";
import { jsonLine } from "../../base/json-line.ts";
import { type Problem, problem } from "../../base/problem.ts";
import type { TaskState, TaskView } from "../../coordination/board.ts";
import type { ClaimAnswer } from "../../operations/reply.ts";
import type { Team } from "../../runtime/team.ts";
import { inToolWords } from "./argument-names.ts";
import { escalatedTo, escalationInput, escalationsShape, raiseAnswer, resolveAnswer } from "./escalated.ts";
import { replyAnswer } from "./reply-answer.ts";
import { problemsShape } from "./shapes.ts";
import { problemLine, records, refusal, type Tool, type ToolAnswer } from "./tool.ts";

const text = z.string();

const input = z.strictObject({
  action: z.enum(["available", "claim", "renew", "release", "complete", "resolve", "raise"]),
  task: text.optional().describe("its id, or the escalation's; needed but for available"),
  plan: text.optional(),
  files: z
    .array(text)
    .optional()
    .describe("claim: what you will edit, default the task's files; complete: what you changed"),
  token: z.int().optional().describe("of your claim"),
  commit: text.optional().describe("complete: the hash"),
  status: z.enum(["complete", "partial", "failed"]).optional(),
  deviations: z.array(text).optional().describe("complete: from the plan"),
  evidence: text.optional().describe("complete: what shows each must-have; raise: what is known"),
  ...escalationInput,
  id: text.optional().describe("names this act for retries"),
});

type Given = z.infer<typeof input>;

const output = z.looseObject({
  outcome: z.enum(["board", "granted", "denied", "accepted", "refused", "failed"]),
  available: z.array(z.looseObject({ task: text, files: z.array(text) })).optional(),
  yours: z.array(z.looseObject({ task: text, token: z.int(), expiresAt: text })).optional(),
  reported: z
    .array(z.looseObject({ task: text, state: text }))
    .optional()
    .describe("what git says of your reports"),
  escalations: escalationsShape,
  advisedDevelopers: z.int().optional(),
  token: z.int().optional(),
  expiresAt: text.optional(),
  reason: text.nullish(),
  holder: text.nullish(),
  paths: z.array(text).optional(),
  problems: problemsShape,
});

export const task: Tool<Given> = {
  name: "task",
  title: "Tasks and claims",
  description:
    "Claim a task before you edit: nobody else then holds it or its files. available lists what is free, what you hold and " +
    "escalations that wait for you: resolve decides one, raise hands it up. " +
    "A denied claim names the holder and the paths in the way: take another task. Any call keeps your claims alive. " +
    "complete reports the commit; partial and failed keep the claim. release gives it back.",
  input,
  output,
  annotations: records,
  run: async (given, { team }) => {
    if (given.action === "available") return await boardAnswer(team);
    if (given.task === undefined) return refusal([taskMissing(given.action)]);
    return await act(given.action, given.task, given, team);
  },
};

async function act(
  action: Exclude<Given["action"], "available">,
  name: string,
  given: Given,
  team: Team,
): Promise<ToolAnswer> {
  const { plan, files, token, commit, status, deviations, evidence, id } = given;
  const named = id === undefined ? {} : { id };
  const which = { ...(token === undefined ? {} : { token }), ...named };
  const work = { task: name, ...(plan === undefined ? {} : { plan }), ...(files === undefined ? {} : { files }) };
  switch (action) {
    case "claim":
      return claimAnswer(await team.claim(work, named));
    case "renew":
      return claimAnswer(await team.renew(name, which));
    case "release":
      return replyAnswer(await team.release(name, which));
    case "complete": {
      const completion = {
        ...work,
        ...(token === undefined ? {} : { token }),
        ...(commit === undefined ? {} : { commit: commit.split(",").map((each) => each.trim()) }),
        ...(status === undefined ? {} : { status }),
        ...(deviations === undefined ? {} : { deviations }),
        ...(evidence === undefined ? {} : { evidence }),
      };
      return replyAnswer(await team.complete(completion, named));
    }
    case "resolve":
      return await resolveAnswer(team, name, given, named);
    case "raise":
      return await raiseAnswer(team, name, given, named);
  }
}

/** A denial is an answer, not a fault: it says what to do instead, and the next call may find it otherwise. */
function claimAnswer(answer: ClaimAnswer): ToolAnswer {
  const { reply } = answer;
  if (answer.granted) {
    const { task: name, token, expiresAt, files } = answer;
    const receipt = reply.outcome === "accepted" ? reply.receipt : null;
    const data = { outcome: "granted", task: name, token, expiresAt, files, receipt };
    // What an agent reads of a receipt is whether this is news.
    return { data, text: jsonLine({ ...data, receipt: undefined, duplicate: receipt?.duplicate ?? false }) };
  }
  const { reason, holder, paths } = answer;
  if (reply.outcome !== "refused" || reason === null) return replyAnswer(reply);
  const problems = reply.problems.map(inToolWords);
  const data = { outcome: "denied", reason, holder, paths, problems };
  return { data, text: [`Denied: ${reason}.`, ...problems.map(problemLine)].join("\n") };
}

async function boardAnswer(team: Team): Promise<ToolAnswer> {
  const found = await team.board();
  if (!found.ok) return refusal([found.error]);
  const escalated = await escalatedTo(team);
  if (!escalated.ok) return refusal([escalated.error]);
  const { tasks, available, outsideContract, advisedDevelopers, waves, cycle } = found.value;
  const free = new Set(available);
  const yours = tasks.filter(({ state, holder }) => state === "claimed" && holder === team.actor.agent);
  const mine = tasks.filter(({ reporter, state }) => reporter === team.actor.agent && reportedStates.has(state));
  const data = {
    outcome: "board",
    available: tasks.filter(({ task: name }) => free.has(name)).map(briefly),
    yours: yours.map((view) => ({ ...briefly(view), token: view.token, expiresAt: view.expiresAt })),
    reported: mine.map(({ task: name, state, commit, problems }) => ({ task: name, state, commit, ...why(problems) })),
    ...(escalated.value.length === 0 ? {} : { escalations: escalated.value }),
    ...(outsideContract.length === 0 ? {} : { outsideContract }),
    advisedDevelopers,
    waves,
    ...(cycle === null ? {} : { cycle }),
  };
  return { data, text: jsonLine(data) };
}

/** What one chooses a task by. What was done before and found wanting says so. */
function briefly({ task: name, plan, title, files, state, problems }: TaskView) {
  return {
    task: name,
    ...(plan === null ? {} : { plan }),
    ...(title === null ? {} : { title }),
    files,
    ...(reportedStates.has(state) ? { state, ...why(problems) } : {}),
  };
}

/** How a report stands that has not ended with its plan. */
const reportedStates: ReadonlySet<TaskState> = new Set(["reported", "verified", "disputed", "stale"]);

function why(problems: readonly Problem[]) {
  return problems.length === 0 ? {} : { problems };
}

function taskMissing(action: string): Problem {
  return problem("missing-field", "arguments.task", `"${action}" is about one task, and none is named.`, {
    hint: 'action "available" lists the tasks.',
  });
}
