/**
 * A planning folder that is kept in step with the record: what agents do through Baton is read back from it by a reader of
 * the tools' own formats, and what other tools write there comes in as a report, never as a decision.
 * Rule: docs/protocol/record.md, section 29.
 */
import assert from "node:assert/strict";
import { appendFileSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import { startHub } from "../../src/main/hub.ts";
import { openTeam } from "../../src/perform/open.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines, problemCodes } from "../e2e/command.ts";
import { type Family, git, makeLookAlike, put } from "./look-alike.ts";
import { readOrigin } from "./origin-reader.ts";

interface Synced {
  readonly written: readonly string[];
  readonly imported:
    | (Readonly<Record<"plans" | "reports" | "escalations" | "history", number>> & {
        readonly refused: readonly { readonly why: string }[];
      })
    | null;
  readonly findings: readonly { readonly file: string; readonly why: string }[];
}

async function sync(place: string): Promise<Synced> {
  const [shown] = jsonLines(await calledWithCode(0, place, ["sync", "--json"]));
  return shown as unknown as Synced; // as docs/protocol/record.md, section 29 lists it
}

async function tasksIn(place: string): Promise<ReadonlyMap<string, string>> {
  const lines = jsonLines(await calledWithCode(0, place, ["task", "list", "--json"]));
  return new Map(lines.map(({ task, state }) => [String(task), String(state)]));
}

/** Does every task of a plan as an agent of the family does: edit, commit, report. */
async function workOn(place: string, family: Family, tasks: readonly string[]): Promise<readonly string[]> {
  const isCompany = family === "yolo-company";
  const agent = isCompany ? "yolo-dev" : "dev-01";
  const commits: string[] = [];
  for (const task of tasks) {
    const plan = task.split("-T")[0] ?? "";
    if (isCompany) await calledWithCode(0, place, ["task", "claim", task, "--as", agent]);
    const file = `src/work/${task}.ts`;
    put(place, file, "export const done = true;\n");
    git(place, "add", "src");
    git(place, "commit", "-q", "-m", `feat(${plan}): ${task}`);
    const commit = git(place, "rev-parse", "HEAD");
    commits.push(commit);
    const said = { plan_id: plan, task_id: task, status: "complete", commit };
    const report = isCompany
      ? { type: "task_complete", ...said, files_modified: [file] }
      : { type: "execution_update", ...said, evidence: "npm test", files_modified: [file] };
    const sent = await called(place, ["send", "-", "--as", agent, "--json"], JSON.stringify(report));
    assert.equal(sent.code, 0, sent.said);
  }
  return commits;
}

const key = (plan: string) =>
  plan
    .split("-")
    .map((part) => String(Number(part)))
    .join("-");

/** Commits a change as a tool does that knows nothing of Baton. */
function commitElsewhere(place: string, file: string): string {
  put(place, file, "// elsewhere\n");
  git(place, "add", "src");
  git(place, "commit", "-q", "-m", `feat: ${file}`);
  return git(place, "rev-parse", "HEAD");
}

const planText = (title: string) =>
  `---\nphase: 2\ntitle: ${title}\n---\n### Task 1: A\n- **Files:** \`src/elsewhere.ts\`\n`;

test("what another tool writes comes in as the report of an unknown author, once, and decides nothing", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-later", seed: 7, plansIn: [1, 2] });
  const root = join(place, ".vbw-planning");
  await calledWithCode(0, place, ["adopt"]);
  await sync(place);
  const [phase = ""] = readdirSync(join(root, "phases")).filter((name) => name.startsWith("02"));
  const inPhase = (name: string) => join(root, "phases", phase, name);
  writeFileSync(inPhase("02-07-PLAN.md"), planText("Elsewhere"));
  assert.equal((await sync(place)).imported?.plans, 1);
  const commit = commitElsewhere(place, "src/elsewhere.ts");
  const together = commitElsewhere(place, "src/together.ts");
  // A plan and its summary that come together say nothing that anybody has seen.
  writeFileSync(inPhase("02-12-PLAN.md"), planText("Together"));
  writeFileSync(inPhase("02-12-SUMMARY.md"), `---\nstatus: complete\ncommit_hashes: [${together}]\n---\n`);
  writeFileSync(inPhase("02-07-SUMMARY.md"), `---\nstatus: complete\ncommit_hashes:\n  - ${commit.slice(0, 8)}\n---\n`);
  writeFileSync(inPhase("02-08-PLAN.md"), planText("Only said"));
  const log = join(root, ".events/event-log.jsonl");
  appendFileSync(
    log,
    '{"ts":"2026-03-01T10:00:00Z","event_id":"x-1","event":"gate_passed","phase":2}\n{"ts":"2026-03-01T',
  );
  const first = await sync(place);
  assert.deepEqual(
    [first.imported?.plans, first.imported?.reports, first.imported?.history],
    [2, 1, 1],
    "half a line is no line",
  );
  assert.match(first.imported?.refused.map(({ why }) => why).join() ?? "", /came together with its plan/);
  writeFileSync(inPhase("02-08-SUMMARY.md"), "---\nstatus: complete\n---\n");
  appendFileSync(log, '10:00:01Z","event_id":"x-2","event":"gate_failed","phase":2}\n');
  const second = await sync(place);
  assert.deepEqual(
    [second.imported?.plans, second.imported?.reports, second.imported?.history],
    [0, 0, 1],
    "without a commit nothing is done",
  );
  await calledWithCode(0, place, ["verify"]);
  const tasks = await tasksIn(place);
  assert.deepEqual(
    ["02-07-T1", "02-08-T1", "02-12-T1"].map((task) => tasks.get(task)),
    ["complete", "available", "available"],
  );
  assert.deepEqual((await sync(place)).imported, null);
  // One commit for three tasks makes one report; the others stay open until somebody shows work.
  writeFileSync(inPhase("02-11-PLAN.md"), `${planText("Three")}### Task 2: B\n### Task 3: C\n`);
  await sync(place);
  writeFileSync(inPhase("02-11-SUMMARY.md"), "---\nstatus: complete\ncommit_hashes: [1234567abc]\n---\n");
  assert.equal((await sync(place)).imported?.reports, 1);
  const three = jsonLines(await calledWithCode(0, place, ["task", "list", "--json"])).filter(({ task }) =>
    String(task).startsWith("02-11"),
  );
  assert.deepEqual(
    three.map(({ state, filesKind }) => `${String(state)} ${String(filesKind)}`),
    ["available declared", "available unknown", "reported unknown"],
  );
  // A commit that git does not have is found out, although a file says that the work is done.
  writeFileSync(inPhase("02-08-SUMMARY.md"), "---\nstatus: complete\ncommit_hashes: [abcdef1234]\n---\n");
  assert.equal((await sync(place)).imported?.reports, 1);
  await calledWithCode(2, place, ["verify"]);
  assert.equal((await tasksIn(place)).get("02-08-T1"), "disputed");
  // Nor does a file say that the work was done before its task was recorded, where the task is in the record already.
  const older = commitElsewhere(place, "src/older.ts");
  writeFileSync(inPhase("02-09-PLAN.md"), planText("Later"));
  await sync(place);
  writeFileSync(inPhase("02-09-SUMMARY.md"), `---\nstatus: complete\ncommit_hashes: [${older}]\n---\n`);
  await sync(place);
  const found = await calledWithCode(2, place, ["verify", "02-09-T1"]);
  assert.match(found.stderr, /commit-before-task/);
  const authors = jsonLines(await calledWithCode(0, place, ["log", "--json"])).filter(
    ({ sender }) => sender === "before-baton",
  );
  const kinds = new Set(
    authors.map(({ type, kind, summary }) => `${String(type)} ${String(kind)}: ${String(summary).split(" ")[0]}`),
  );
  for (const kind of kinds) assert.doesNotMatch(kind, /approv|verdict|resol|lift|end-phase|review/, [...kinds].join());
  await calledWithCode(0, place, ["journal", "verify"]);
});

test("contracts of the team are in the folder, older ones next to them, and no link leads Baton out of it", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-later", seed: 9, plansIn: [1, 1] });
  const root = join(place, ".vbw-planning");
  put(place, ".vbw-planning/.contracts/03-01.json", '{"phase":3,"plan":1,"task_count":0}\n');
  await calledWithCode(0, place, ["adopt"]);
  await sync(place);
  const contract = (allowed: readonly string[], plan = "03-01") =>
    JSON.stringify({
      type: "plan_contract",
      plan_id: plan,
      phase_id: "03",
      objective: 'Say "yes" to \u001b[31mred',
      tasks: [`${plan}-T1`],
      allowed_paths: allowed,
      must_haves: ["a wrong word is refused"],
    });
  const send = (text: string) => calledWithCode(0, place, ["send", "-", "--as", "lead"], text);
  await send(contract(["src/**"]));
  const first = await sync(place);
  assert.ok(first.written.includes(".contracts/03-01.json"), first.written.join());
  assert.match(readFileSync(join(root, ".contracts/03-01.rev1.json"), "utf8"), /"task_count":0/);
  const seen = readOrigin(root).contracts.get("3-1");
  assert.deepEqual(
    [seen?.taskIds, seen?.allowed, seen?.mustHaves],
    [["03-01-T1"], ["src/**"], ["a wrong word is refused"]],
  );

  const outside = folder();
  rmSync(join(root, ".contracts"), { recursive: true });
  symlinkSync(outside, join(root, ".contracts"));
  rmSync(join(root, ".events"), { recursive: true });
  symlinkSync(outside, join(root, ".events"));
  await send(contract(["src/a/**"]));
  await send(contract(["src/**"], "03-02"));
  await calledWithCode(0, place, ["agent", "register", "dev-07", "--role", "dev"]);
  const linked = await sync(place);
  assert.match(linked.findings.map(({ why }) => why).join(), /link/);
  assert.deepEqual(readdirSync(outside), [], "nothing outside is written");
  rmSync(join(root, ".contracts"));
  rmSync(join(root, ".events"));
  await sync(place);
  const { contracts, events } = readOrigin(root);
  assert.deepEqual(
    [contracts.get("3-1")?.allowed, contracts.get("3-2")?.allowed, contracts.size],
    [["src/a/**"], ["src/**"], 2],
  );
  assert.ok(events.some(({ event, data }) => event === "agent_spawn" && data.agent === "dev-07"));

  // A team file that names no folder leaves it alone.
  const file = join(place, ".baton/team.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("planning: .vbw-planning", ""));
  assert.deepEqual(problemCodes(await called(place, ["sync", "--json"])), ["not-found"]);
});

test("an escalation is one in the record and in the folder, and a file does not resolve it", async () => {
  const place = folder();
  makeLookAlike(place, { family: "yolo-company", seed: 7, plansIn: [1, 2] });
  const root = join(place, ".yolo-planning");
  const state = join(root, ".execution-state.json");
  await calledWithCode(0, place, ["adopt"]);
  await sync(place);
  const open = async () => {
    const all = jsonLines(await calledWithCode(0, place, ["needs", "--escalations", "--json"]));
    return all.filter(({ status }) => status === "open");
  };
  const [adopted] = await open();
  writeFileSync(state, readFileSync(state, "utf8").replace('"status": "pending"', '"status": "resolved"'));
  await sync(place);
  assert.deepEqual(
    (await open()).map(({ id }) => id),
    [adopted?.id],
    "a file resolves nothing",
  );
  const raised = {
    type: "escalation",
    from: "dev",
    to: "senior",
    issue: "No mail server",
    evidence: ["x"],
    recommendation: "buy",
    severity: "blocking",
    task: "02-02-T1",
    plan_id: "02-02",
  };
  await calledWithCode(0, place, ["send", "-", "--as", "yolo-dev"], JSON.stringify(raised));
  await sync(place);
  const now = await open();
  assert.equal(now.length, 2);
  const own = String(now.find(({ id }) => id !== adopted?.id)?.id);
  const shown = readOrigin(root).escalations;
  assert.deepEqual([shown.get("ESC-1"), shown.get("ESC-0"), shown.get(own)], ["pending", "resolved", "pending"]);
  await calledWithCode(0, place, [
    "escalation",
    "resolve",
    own,
    "--decision",
    "Take the free one",
    "--rationale",
    "cheap",
    "--action",
    "wait",
  ]);
  await sync(place);
  assert.equal(readOrigin(root).escalations.get(own), "resolved");
  assert.match(readFileSync(state, "utf8"), /"resolution": "Take the free one"/);
  assert.deepEqual((await sync(place)).written, []);
  assert.equal((await open()).length, 1);
});

test("a hub keeps the folder in step while agents work and another tool writes", async () => {
  const place = folder();
  const made = makeLookAlike(place, { family: "vbw-flags", seed: 7, plansIn: [1, 4] });
  const root = join(place, ".vbw-planning");
  await calledWithCode(0, place, ["adopt"]);
  const teamFile = join(place, ".baton/team.yaml");
  const journal = join(place, ".git/baton/journal.db");
  const text = readFileSync(teamFile, "utf8");
  const started = await startHub({
    journal,
    teamFile: { path: teamFile, text },
    port: 0,
    version: "0.0.0-test",
    log: silentLog,
    repository: { directory: place, environment: { PATH: process.env.PATH ?? "" } },
  });
  assert.ok(started.ok, JSON.stringify(started));
  await using hub = { ...started.value, [Symbol.asyncDispose]: () => started.value.stop() };
  const [plan, other] = made.plans.filter(({ isDone }) => !isDone);
  assert.ok(plan !== undefined && other !== undefined && hub.team !== null);
  const seen = fs.watch(join(root, ".events"), { signal: AbortSignal.timeout(60_000) })[Symbol.asyncIterator]();
  const ofPlan = (id: string) => [...Array(9).keys()].map((index) => `${id}-T${index + 1}`);
  const tasks = await tasksIn(place);
  await workOn(
    place,
    "vbw-flags",
    ofPlan(plan.id).filter((task) => tasks.has(task)),
  );
  const isWritten = () =>
    readOrigin(root).plans.get(key(plan.id)) === "done" && readOrigin(root).events.at(-1)?.event === "plan_end";
  while (!isWritten()) await seen.next();
  await seen.return?.();

  const folderOf = readdirSync(join(root, "phases")).find((name) => name.startsWith("02")) ?? "";
  const commits = ofPlan(other.id)
    .filter((task) => tasks.has(task))
    .map((task) => commitElsewhere(place, `src/${task}.ts`));
  const opened = await openTeam({ journal });
  assert.ok(opened.ok);
  await using team = opened.value;
  const status = await team.status();
  const reports = team.follow({ after: status.ok ? status.value.head.seq : 0, signal: AbortSignal.timeout(60_000) });
  const [, number = ""] = other.id.split("-");
  writeFileSync(
    join(root, "phases", folderOf, `02-${number}-SUMMARY.md`),
    `---\nstatus: complete\ncommit_hashes: [${commits.join(", ")}]\n---\n`,
  );
  const own = ofPlan(other.id).filter((task) => tasks.has(task));
  let after = tasks;
  for await (const _ of reports) {
    after = await tasksIn(place);
    if (own.every((task) => after.get(task) === "complete")) break;
  }
  assert.deepEqual(
    own.filter((task) => after.get(task) !== "complete"),
    [],
  );
});
