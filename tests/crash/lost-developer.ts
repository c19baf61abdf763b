/**
 * A developer over MCP who remembers nothing: for each contract in its inbox it claims the task, commits one file, reports
 * it, and only then acknowledges the contract. What an earlier life has done is found again: the claim and the report
 * under their ids, the commit in git. It says each moment as a line of JSON, and stops at the one that it was told.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { openTools } from "../../examples/demo/tools.ts";
import type { JsonObject } from "../../src/base/json.ts";

/** Moments in the work on a task: read about it, claimed, committed, reported it. Only then is the contract acknowledged. */
export const moments = ["read", "claimed", "committed", "sent"] as const;
export type Moment = (typeof moments)[number];

/** What it says. */
export type Said =
  | { readonly moment: "arrived" | "holding" }
  | { readonly moment: "acknowledged"; readonly seq: number };

export interface DeveloperOrder {
  readonly agent: string;
  readonly team: string;
  readonly hub: string;
  readonly baton: readonly string[];
  /** Where it stops and waits for its end; null: nowhere. */
  readonly hold: { readonly moment: Moment; readonly task: string } | null;
}

/** The one file of a task. */
export const fileOf = (task: string): string => `src/part-${task}.js`;

if (import.meta.main) await develop(JSON.parse(process.argv[2] ?? "") as DeveloperOrder); // as its starter wrote it

async function develop({ hold, ...access }: DeveloperOrder): Promise<void> {
  process.stdin.on("end", () => process.exit()).resume();
  const say = (said: Said) => process.stdout.write(`${JSON.stringify(said)}\n`);
  const environment = Object.fromEntries(Object.entries(process.env).flatMap(([name, value = ""]) => [[name, value]]));
  const tools = await openTools({
    ...access,
    directory: process.cwd(),
    environment,
  });
  const reach = async (moment: Moment, task: string) => {
    if (hold?.moment !== moment || hold.task !== task) return;
    say({ moment: "holding" });
    await new Promise(() => undefined);
  };
  const call = async (tool: string, given: JsonObject) => {
    const answer = await tools.call(tool, given);
    assert.ok(answer.outcome !== "refused" && answer.outcome !== "denied", JSON.stringify(answer));
    return answer;
  };
  say({ moment: "arrived" });
  for (;;) {
    const { messages } = await call("wait", { seconds: 20 });
    for (const { seq, type, message } of messages as unknown as readonly Letter[]) {
      if (type === "plan_contract") {
        const [task = ""] = message.payload.tasks;
        await reach("read", task);
        await call("task", { action: "claim", task, id: `claim-${task}` });
        await reach("claimed", task);
        const { commit, at } = commitOnce(access.agent, task);
        await reach("committed", task);
        await call("send_message", { message: reportOf(message.payload.plan_id, task, commit, at) });
        await reach("sent", task);
      }
      await call("read_inbox", { ack: seq, limit: 1 });
      say({ moment: "acknowledged", seq });
    }
  }
}

/** A message as the tool gives it; of the contracts those that the campaign issues. */
interface Letter {
  readonly seq: number;
  readonly type: string | null;
  readonly message: { readonly payload: { readonly plan_id: string; readonly tasks: readonly string[] } };
}

/** The commit for the task, made unless an earlier life has made it. */
function commitOnce(agent: string, task: string): { readonly commit: string; readonly at: string } {
  const git = (...words: string[]) => execFileSync("git", words, { encoding: "utf8" }).trim();
  const find = () => git("log", "--format=%H %aI", "--fixed-strings", `--grep=Work on ${task}.`);
  if (find() === "") {
    mkdirSync("src", { recursive: true });
    writeFileSync(fileOf(task), `export const part = "${task}";\n`);
    git("add", "--", fileOf(task));
    const author = ["-c", `user.name=${agent}`, "-c", `user.email=${agent}@localhost`];
    git(...author, "commit", "--quiet", "-m", `Work on ${task}.`, "--", fileOf(task));
  }
  const [commit = "", at = ""] = find().split(/\s/);
  return { commit, at };
}

function reportOf(planId: string, task: string, commit: string, at: string): JsonObject {
  return {
    id: `update-${task}`,
    type: "execution_update",
    phase: 1,
    task,
    author_role: "dev",
    timestamp: at,
    schema_version: "2.0",
    confidence: "high",
    payload: {
      plan_id: planId,
      task_id: task,
      status: "complete",
      commit,
      files_modified: [fileOf(task)],
      evidence: "It is there",
    },
  };
}
