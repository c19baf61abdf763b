/** The tester: believes no report, looks for its commit in git and runs the tests. */
import { type Letter, textOf, textsOf } from "../agent-door.ts";
import type { Desk } from "../desk.ts";
import { runProgram } from "../programs.ts";
import { messageIds, plan } from "../story.ts";
import { answerShutdown } from "./farewell.ts";
import { type MakeRole, payloadOf } from "./role.ts";

export const qaRole: MakeRole = (desk) => {
  /** Commits by task, as reported complete. */
  const reported = new Map<string, string>();
  return {
    react: async (letter) => {
      if (letter.type === "shutdown_request") return await answerShutdown(desk, letter);
      if (letter.type !== "execution_update") return "read-on";
      const { task_id: task, commit, status } = payloadOf(letter);
      if (status === "complete") reported.set(textOf(task) ?? "", textOf(commit) ?? "");
      if ([plan.taxTask, plan.moneyTask].every((each) => reported.has(each))) await judge(desk, letter, reported);
      return "read-on";
    },
  };
};

interface Check {
  readonly name: string;
  readonly holds: boolean;
  readonly found: string;
}

async function judge(desk: Desk, letter: Letter, reported: ReadonlyMap<string, string>): Promise<void> {
  const commits: Check[] = [];
  for (const [task, hash] of reported) {
    const files = await desk.repository.filesOf(hash);
    commits.push({
      name: `${task} is committed`,
      holds: files.ok,
      found: textsOf(files.ok ? files.value : []).join(" "),
    });
  }
  const tests = await runTests(desk);
  desk.report({ step: "tested", ...tests });
  const failures = commits
    .filter(({ holds }) => !holds)
    .map(({ name, found }) => ({ check: name, expected: "a commit", actual: found, evidence: "git show" }));
  if (tests.failed > 0 || tests.passed === 0) {
    failures.push({ check: "tests", expected: "all pass", actual: `${tests.failed} fail`, evidence: "node --test" });
  }
  const passed = tests.passed + commits.length - (failures.length - Math.min(tests.failed, 1));
  await desk.send({
    id: messageIds.verdict,
    type: "qa_verdict",
    task: plan.moneyTask,
    timestamp: letter.recordedAt,
    payload: {
      tier: "standard",
      result: failures.length === 0 ? "PASS" : "FAIL",
      checks: { passed, failed: failures.length, total: passed + failures.length },
      failures,
    },
    gist: failures.length === 0 ? "PASS: the commits exist, the tests pass" : `FAIL: ${failures.length} checks`,
  });
}

/** Runs the repository's tests and counts. Variables that make Node a part of another test run are left out. */
async function runTests(desk: Desk): Promise<{ readonly passed: number; readonly failed: number }> {
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...environment } = desk.environment;
  const words = ["--test", "--test-reporter=tap"];
  const done = await runProgram(process.execPath, words, { directory: desk.order.repository, environment });
  return { passed: countIn(done.stdout, "pass"), failed: countIn(done.stdout, "fail") };
}

function countIn(report: string, what: string): number {
  const line = report.split("\n").find((each) => each.startsWith(`# ${what} `));
  return line === undefined ? 0 : Number(line.slice(`# ${what} `.length));
}
