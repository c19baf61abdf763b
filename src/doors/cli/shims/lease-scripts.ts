/**
 * The scripts that take, keep and free a claim. Where it is known which agent calls it is recorded; otherwise they answer
 * from what the record says and change nothing in it. Rule: docs/protocol/record.md, section 29.
 */
import { allowsAny } from "../../../base/paths/scope.ts";
import { taskKey } from "../../../coordination/tasks/task-ids.ts";
import type { TaskView } from "../../../coordination/tasks/task-view.ts";
import { countIn } from "../../../intake/planning/found.ts";
import type { WorkingTeam } from "../../../runtime/team/team.ts";
import {
  compact,
  isOn,
  optionIn,
  plainWords,
  type Script,
  type ScriptAnswer,
  type ScriptCall,
  stamp,
} from "./script.ts";

/** `lease-lock acquire|renew|release|check|query TASK [--ttl=N] [files]`, as a claim of the agent that calls. */
export const leaseLock: Script = async (call) => {
  const { planning, words } = call;
  if (planning === null) return { code: 0, stdout: "skipped\n" };
  if (planning.origin !== "vbw-later" && !isOn(planning, "lease_locks", ["v3_lease_locks"])) return { code: 0 };
  const [act = ""] = words;
  if (!isOn(planning, "lease_locks", ["v3_lease_locks"])) return { code: 0, stdout: `${offWords[act] ?? "skipped"}\n` };
  const isHard = isOn(planning, "hard_gates", ["v2_hard_gates"]);
  return await lease(call, { isHard, ttl: countIn(optionIn(words, "ttl") ?? undefined) ?? 300 });
};

const offWords: { readonly [act: string]: string | undefined } = {
  acquire: "skipped",
  renew: "skipped",
  release: "skipped",
  check: "clear",
  query: "no_lock",
};

/** `lock-lite acquire|release|check TASK [files]`: the same, and a conflict is only said. */
export const lockLite: Script = async (call) => {
  const { planning } = call;
  if (planning === null || !isOn(planning, "lease_locks", ["v3_lock_lite"])) return { code: 0 };
  return await lease(call, { isHard: false, ttl: 300 });
};

async function lease(
  call: ScriptCall,
  { isHard, ttl }: { readonly isHard: boolean; readonly ttl: number },
): Promise<ScriptAnswer> {
  const [act = "", named = "", ...files] = plainWords(call.words);
  const opened = await call.openTeam();
  if (!opened.ok) return { code: 0, stdout: `${offWords[act] ?? "skipped"}\n` };
  await using team = opened.value;
  const listed = await team.tasks({});
  const tasks = listed.ok ? listed.value : [];
  const own = tasks.find((each) => taskKey(each.task, each.plan) === taskKey(named));
  const task = own?.task ?? named;
  const callers = call.agent === null ? call.callers : [call.agent];
  const held = own === undefined || own.holder === null ? null : own;
  const conflict = { code: isHard ? 1 : 0, stdout: "conflict_blocked\n" } as const;
  if (act === "query") return { code: 0, stdout: held === null ? "no_lock\n" : compact(lockOf(held, ttl)) };
  if (act === "check") {
    const count = conflicts(tasks, task, files, callers);
    return count === 0 ? { code: 0, stdout: "clear\n" } : { code: isHard ? 1 : 0, stdout: `conflicts:${count}\n` };
  }
  if (act === "acquire") {
    if (call.agent !== null && own !== undefined) {
      const why = await claimProblem(team, task, files);
      // The scripts have no other word for it, so the reason is on standard error.
      return why === null ? say("acquired") : { ...conflict, stderr: `${why}\n` };
    }
    const isOthers = held !== null && !callers.includes(held.holder ?? "");
    return isOthers || conflicts(tasks, task, files, callers) > 0 ? conflict : say("acquired");
  }
  if (act !== "renew" && act !== "release")
    return { code: 1, stderr: `lease-lock: unknown action ${act.slice(0, 40)}\n` };
  const isCallers = callers.length === 0 || callers.includes(held?.holder ?? "");
  if (held === null || !isCallers) return say("no_lock");
  if (call.agent === null) return say(act === "renew" ? "renewed" : "released");
  const token = held.token === null ? {} : { token: held.token };
  if (act === "renew") {
    const renewed = await team.renew({ task, ...token });
    return say("granted" in renewed && renewed.granted ? "renewed" : "no_lock");
  }
  const reply = await team.release({ task, ...token });
  return say(reply.outcome === "accepted" ? "released" : "no_lock");
}

function say(word: string): ScriptAnswer {
  return { code: 0, stdout: `${word}\n` };
}

/** Claims the task; why it is not granted, null: it is. */
async function claimProblem(team: WorkingTeam, task: string, files: readonly string[]): Promise<string | null> {
  const { granted, reply } = await team.claim({ task, ...(files.length === 0 ? {} : { files }) });
  if (granted || reply.outcome === "accepted") return null;
  const [first] = reply.outcome === "failed" ? [reply.problem] : reply.problems;
  return first === undefined ? "It is not granted." : `${first.message} (${first.code})`;
}

/** How many tasks of others hold one of the files. */
function conflicts(
  tasks: readonly TaskView[],
  task: string,
  files: readonly string[],
  callers: readonly string[],
): number {
  return tasks.filter(
    (each) =>
      each.holder !== null &&
      !callers.includes(each.holder) &&
      each.task !== task &&
      files.some((file) => allowsAny(each.files, file)),
  ).length;
}

function lockOf({ task, files, expiresAt }: TaskView, ttl: number) {
  const until = expiresAt === null ? Number.NaN : Date.parse(expiresAt);
  const timestamp = Number.isNaN(until) ? "" : stamp(until - ttl * 1_000);
  return { task_id: task, pid: 0, timestamp, files, ttl, expires_at: Number.isNaN(until) ? "" : stamp(until) };
}
