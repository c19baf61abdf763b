/**
 * A whole phase in adopted look-alike projects: the lead plans in the tool's files, agents of Claude Code send what their
 * tool's prompts say, through its own tools, and everybody stops. Then a reader of the tools' formats, which shares no
 * code with Baton, must find in the folder exactly what was done, and every other file as it was.
 * Rule: docs/protocol/record.md, section 29.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { jsonLines } from "../e2e/command.ts";
import { isRecorded } from "../e2e/hook-call.ts";
import { put } from "./look-alike.ts";
import { readOrigin } from "./origin-reader.ts";
import { begin, compare, digests, end, key, type Message, openTasks, rests, sync } from "./phase-site.ts";

/** What a developer of each revision reports of a task, as its prompt says: flat, without an envelope. */
const reports: { readonly [family: string]: (plan: string, task: string, commit: string, file: string) => Message } = {
  "vbw-flags": (plan, task, commit) => ({
    type: "dev_progress",
    task,
    plan_id: plan,
    commit,
    status: "complete",
    concerns: [],
  }),
  "vbw-later": (plan, task, commit, file) => ({
    type: "execution_update",
    plan_id: plan,
    task_id: task,
    commit,
    status: "complete",
    files_modified: [file],
    concerns: [],
    evidence: "npm test",
  }),
};

const blockers: { readonly [family: string]: (plan: string, task: string) => Message } = {
  "vbw-flags": (plan, task) => ({
    type: "dev_blocker",
    task,
    plan_id: plan,
    blocker: "No key",
    needs: "A key",
    attempted: ["the old one"],
  }),
  "vbw-later": (plan, task) => ({
    type: "blocker_report",
    plan_id: plan,
    task_id: task,
    blocker: "No key",
    needs: "A key",
    attempted: ["the old one"],
    severity: "blocking",
  }),
};

const verdicts: { readonly [family: string]: Message } = {
  "vbw-flags": {
    type: "qa_result",
    tier: "standard",
    result: "PASS",
    checks: { passed: 3, failed: 0, total: 3 },
    failures: [],
    body: "All must-haves hold.",
  },
  "vbw-later": {
    type: "qa_verdict",
    tier: "standard",
    result: "PASS",
    checks: { passed: 1, failed: 0, total: 1 },
    failures: [],
    body: "All must-haves hold.",
    checks_detail: [{ id: "MH-01", status: "PASS" }],
    plans_verified: ["02-02"],
  },
};

for (const family of ["vbw-flags", "vbw-later"] as const) {
  test(`a whole phase of ${family} is in the folder as its agents worked it, and nothing else is`, async () => {
    const site = await begin(family, "lead");
    // The lead plans in files.
    put(
      site.root,
      `${site.phase}/02-04-PLAN.md`,
      "---\nphase: 02\nplan: 04\ntitle: More\nwave: 2\ndepends_on: []\nmust_haves:\n  - it works\n---\n### Task 1: More\n- **Files:** `src/more.ts`\n",
    );
    await sync(site);
    const before = digests(site.root);
    const findings = [{ path: "src", what: "no tests" }];
    isRecorded(
      await site.says(
        "scout",
        {
          type: "scout_findings",
          phase: 2,
          domain: "quality",
          documents: [{ name: "TESTS.md", content: "none" }],
          findings,
          cross_cutting: [],
          confidence: "high",
          confidence_rationale: "read",
        },
        "lead",
      ),
    );
    const done = new Map<string, readonly string[]>();
    const open = await openTasks(site);
    const [report, blocker] = [reports[family], blockers[family]];
    assert.ok(report !== undefined && blocker !== undefined && open.has("02-04"));
    for (const [plan, tasks] of open) {
      const dev = `dev-${plan.slice(-2)}`;
      const commits: string[] = [];
      for (const task of tasks) {
        const file = `src/work/${task}.ts`;
        commits.push(await site.commits(dev, plan, file));
        isRecorded(await site.says(dev, report(plan, task, commits.at(-1) ?? "", file), "lead"));
      }
      done.set(plan, commits);
      if (done.size > 1) continue;
      isRecorded(await site.says(dev, blocker(plan, tasks[0] ?? ""), "lead"));
      const [held] = jsonLines(await calledWithCode(0, site.place, ["needs", "--escalations", "--json"]));
      const words = ["--decision", "Take mine", "--rationale", "There is one", "--action", "use it"];
      await calledWithCode(0, site.place, ["escalation", "resolve", String(held?.id), ...words]);
    }
    isRecorded(await site.says("qa", verdicts[family] ?? {}, "lead"));
    await end(site, "lead", [...done.keys()].map((plan) => `dev-${plan.slice(-2)}`).concat("qa"));
    await sync(site);
    compare(site, before, done);
    await rests(site);
  });
}

test("a whole phase of yolo-typed, in which developers write summaries themselves, is in the folder as it was worked", async () => {
  const site = await begin("yolo-typed", "lead");
  const before = digests(site.root);
  const open = [...(await openTasks(site))];
  const [[own, ownTasks] = ["", []], [other, tasks] = ["", []]] = open;
  assert.equal(open.length, 2);
  // One developer writes the summary, and its lead has leased a task for it; the tool's hook writes the execution state.
  const commits: string[] = [];
  await calledWithCode(0, site.place, ["agent", "register", "dev-03", "--role", "dev"]);
  await calledWithCode(0, site.place, ["task", "claim", tasks[0] ?? "", "--as", "dev-03"]);
  for (const task of tasks) commits.push(await site.commits("dev-03", other, `src/work/${task}.ts`));
  const state = join(site.root, ".execution-state.json");
  const text = readFileSync(state, "utf8");
  const at = text.indexOf('"pending"', text.indexOf(`"${other}"`));
  put(site.root, ".execution-state.json", `${text.slice(0, at)}"complete"${text.slice(at + '"pending"'.length)}`);
  const list = commits.map((commit) => `  - ${commit}\n`).join("");
  const [written] = readdirSync(join(site.root, site.phase)).filter((name) => name.includes(other.slice(3)));
  assert.ok(written !== undefined);
  const summary = written.includes("-PLAN.md")
    ? written.replace("-PLAN", "-SUMMARY")
    : written.replace(".md", "-SUMMARY.md");
  put(site.root, `${site.phase}/${summary}`, `---\nstatus: complete\ncommit_hashes:\n${list}---\nDone.\n`);
  await sync(site);
  assert.equal((await openTasks(site)).get(other)?.length, tasks.length - 1, "what an agent holds it reports itself");
  await calledWithCode(0, site.place, ["task", "release", tasks[0] ?? "", "--as", "dev-03"]);
  await sync(site);
  assert.equal((await openTasks(site)).has(other), false);
  // The other one reports by messages, as the tool's writer of documents does.
  const said: string[] = [];
  for (const task of ownTasks) {
    const file = `src/work/${task}.ts`;
    said.push(await site.commits("dev-02", own, file));
    const report = { type: "execution_update", plan_id: own, task_id: task, status: "complete", commit: said.at(-1) };
    isRecorded(await site.says("dev-02", { ...report, files_modified: [file], evidence: "npm test" }, "lead"));
  }
  await end(site, "lead", ["dev-02"]);
  await sync(site);
  compare(site, before, new Map([[own, said]]));
  assert.deepEqual(readOrigin(site.root).commits.get(key(other)), commits);
  await rests(site);
});
