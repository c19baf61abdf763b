/** The tester: believes no report. It looks for each commit in git, and runs the tests when every task is there. */

import { runProgram } from "../story/programs.ts";
import { messageIds, plan, plannedTasks } from "../story/story.ts";
import { type Letter, textOf, textsOf } from "./agent-door.ts";
import { type AgentTools, answerShutdown, type MakeRole, payloadOf } from "./agent-tools.ts";

export const qaRole: MakeRole = (tools) => {
  /** Tasks whose last report git confirms. */
  const found = new Set<string>();
  return {
    react: async (letter) => {
      if (letter.type === "shutdown_request") return await answerShutdown(tools, letter);
      if (letter.type !== "execution_update") return "read-on";
      const { task_id: id, status } = payloadOf(letter);
      const task = textOf(id) ?? "";
      if (status === "complete" && (await isBorneOut(tools, task, letter))) found.add(task);
      else found.delete(task);
      if (plannedTasks.every((each) => found.has(each.task))) await judge(tools, letter, found.size);
      return "read-on";
    },
  };
};

/** Whether the commit of a report changes exactly the files that it names. */
async function isBorneOut(tools: AgentTools, task: string, letter: Letter): Promise<boolean> {
  const { commit: named, files_modified: files } = payloadOf(letter);
  const commit = textOf(named) ?? "";
  const reported = textsOf(files);
  const changed = await tools.repository.filesOf(commit);
  const committed = changed.ok ? changed.value : null;
  if (committed !== null && committed.toSorted().join("\n") === reported.toSorted().join("\n")) return true;
  tools.report({ step: "compared", task, commit, reported, committed });
  return false;
}

/** Says PASS or FAIL; `commits`: how many tasks were found in git. */
async function judge(tools: AgentTools, letter: Letter, commits: number): Promise<void> {
  const tests = await runTests(tools);
  tools.report({ step: "tested", ...tests });
  const isGood = tests.failed === 0 && tests.passed > 0;
  const failed = isGood ? 0 : Math.max(tests.failed, 1);
  const passed = tests.passed + commits;
  await tools.send({
    id: messageIds.verdict,
    type: "qa_verdict",
    task: plan.moneyTask,
    timestamp: letter.recordedAt,
    payload: {
      tier: "standard",
      result: isGood ? "PASS" : "FAIL",
      checks: { passed, failed, total: passed + failed },
      failures: isGood
        ? []
        : [{ check: "tests", expected: "all pass", actual: `${tests.failed} fail`, evidence: "node --test" }],
    },
    gist: isGood ? "PASS: the commits are what was reported, the tests pass" : `FAIL: ${failed} checks`,
  });
}

/** Runs the repository's tests and counts. Variables that make Node a part of another test run are left out. */
async function runTests(tools: AgentTools): Promise<{ readonly passed: number; readonly failed: number }> {
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...environment } = tools.environment;
  const words = ["--test", "--test-reporter=tap"];
  const done = await runProgram(process.execPath, words, { directory: tools.order.repository, environment });
  return { passed: countIn(done.stdout, "pass"), failed: countIn(done.stdout, "fail") };
}

function countIn(report: string, what: string): number {
  const line = report.split("\n").find((each) => each.startsWith(`# ${what} `));
  return line === undefined ? 0 : Number(line.slice(`# ${what} `.length));
}
