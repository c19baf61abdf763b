/** The tasks and claims of a hub's team: the part of `Team` that is about them, each call a request. */
import { ok } from "../../base/result.ts";
import type { ClaimAnswer } from "../../operations/reply.ts";
import type { Team } from "../../runtime/team.ts";
import * as answers from "./client-answers.ts";
import { actOf, type Caller } from "./client-caller.ts";
import { reading, replyOf } from "./client-reply.ts";
import type { Calls } from "./client-shutdowns.ts";
import { board, planReport, tasks } from "./client-work-answers.ts";

type TaskActs = "tasks" | "board" | "addTask" | "claim" | "renew" | "release" | "complete" | "summary";

/** What `Team` has about tasks. */
export function remoteTasks(caller: Caller, { at, act }: Pick<Calls, "at" | "act">): Pick<Team, TaskActs> {
  const claim = (path: readonly string[], body: object, id?: string) => claimAnswer(caller, actOf(path, body, id));
  return {
    async tasks(options = {}) {
      const found = await reading(caller, {
        method: "GET",
        path: at("tasks"),
        query: { ...options },
        shape: tasks,
      });
      return found.ok ? ok(found.value.tasks) : found;
    },
    board: () => reading(caller, { method: "GET", path: at("tasks", "board"), shape: board }),
    summary: (plan) => reading(caller, { method: "GET", path: at("plans", plan, "summary"), shape: planReport }),
    addTask: (task, options = {}) => act(at("tasks"), task, options.id),
    claim: ({ task, ...claimed }, options = {}) => claim(at("tasks", task, "claim"), claimed, options.id),
    renew: (task, { id, ...which } = {}) => claim(at("tasks", task, "renew"), which, id),
    release: (task, { id, ...which } = {}) => act(at("tasks", task, "release"), which, id),
    complete: ({ task, ...completion }, options = {}) => act(at("tasks", task, "complete"), completion, options.id),
  };
}

async function claimAnswer(
  caller: Caller,
  asked: Omit<Parameters<typeof caller.ask>[0], "shape">,
): Promise<ClaimAnswer> {
  const came = await caller.ask({ ...asked, shape: answers.grant });
  if (!came.ok) {
    const denial = came.error.denial ?? { granted: false, reason: null, holder: null, paths: [] };
    return { ...denial, reply: replyOf(came.error) };
  }
  const { receipt, receivers, notes, task, token, expiresAt, files } = came.value;
  return { granted: true, task, token, expiresAt, files, reply: { outcome: "accepted", receipt, receivers, notes } };
}
