/**
 * `baton adopt` on look-alike projects of each family: what it understands, that a dry run writes nothing, and what it
 * makes of folders that are broken. Rule: docs/protocol/record.md, sections 26 to 29.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadYaml } from "../../src/base/text-formats/yaml.ts";
import { readPlanning } from "../../src/planning/folders/planning-folder.ts";
import { injectionMissing } from "../crash/system-calls.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { commandMsMax, environment, folder, jsonLines, mainBundle, problemCodes } from "../e2e/command.ts";
import { type Family, git, makeLookAlike, put } from "./look-alike.ts";

const families: readonly Family[] = ["vbw-flags", "vbw-later", "yolo-typed", "yolo-company", "bmad"];

interface Shown {
  readonly settings: { readonly origin: string };
  readonly plans: readonly {
    readonly id: string;
    readonly state: string;
    readonly tasks: readonly unknown[];
    readonly commits: readonly string[];
  }[];
  readonly escalations: readonly { readonly id: string }[];
  readonly findings: readonly { readonly file: string; readonly line: number | null; readonly why: string }[];
  readonly history: number;
  readonly teamFile: string;
}

async function dryRun(place: string, ...words: readonly string[]): Promise<Shown> {
  const [shown] = jsonLines(await calledWithCode(0, place, ["adopt", "--dry-run", "--json", ...words]));
  return shown as unknown as Shown; // as docs/protocol/record.md, section 26 lists it
}

/** Every file below a folder with its content: equal digests, equal folders. */
function digestOf(place: string): string {
  const digest = createHash("sha256");
  for (const entry of readdirSync(place, { recursive: true, withFileTypes: true }).toSorted((one, other) =>
    join(one.parentPath, one.name) < join(other.parentPath, other.name) ? -1 : 1,
  )) {
    digest.update(join(entry.parentPath, entry.name));
    if (entry.isFile()) digest.update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return digest.digest("hex");
}

for (const family of families) {
  test(`a dry run understands a project of ${family} and writes nothing`, async () => {
    const place = folder();
    const made = makeLookAlike(place, { family, seed: 11, plansIn: [3, 4], withoutCommits: true });
    const before = digestOf(place);
    const shown = await dryRun(place);
    assert.equal(digestOf(place), before);
    assert.equal(shown.settings.origin, family);
    assert.deepEqual(
      shown.plans.map(({ id, state, tasks }) => [id, state, tasks.length]),
      made.plans.map(({ id, isDone, tasks }) => [id, isDone ? "done" : "open", tasks]),
    );
    assert.equal(shown.escalations.length, family === "yolo-company" ? 1 : 0);
    assert.match(shown.teamFile, /claims: edits\nscope|claims: edits/);
    const people = await calledWithCode(0, place, ["adopt", "--dry-run"]);
    for (const { file, why } of shown.findings)
      assert.ok(people.stdout.includes(file) && people.stdout.includes(why), why);
  });
}

test("links, odd names, half lines and a folder of two tools are reported, and cost nothing else", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-flags", seed: 3, plansIn: [2], withoutCommits: true });
  const planning = join(place, ".vbw-planning");
  symlinkSync("/etc", join(planning, "phases", "02-away"));
  rmSync(join(planning, "ROADMAP.md"));
  symlinkSync("/etc/passwd", join(planning, "ROADMAP.md"));
  writeFileSync(join(planning, "phases", "odd\u001bname.md"), "x");
  writeFileSync(
    join(planning, ".events/event-log.jsonl"),
    `{"event":"phase_start","phase":1}\n{"event":"pla${"n".repeat(300_000)}`,
  );
  put(place, ".yolo-planning/config.json", "{}");
  utimesSync(join(place, ".yolo-planning/config.json"), 0, 0);
  const { plans, findings } = await dryRun(place);
  assert.equal(plans.length, 2);
  const whys = findings.map(({ file, why }) => `${file} ${why}`).join("\n");
  for (const why of [
    /02-away This is a link/,
    /ROADMAP\.md This is a link/,
    /no file's name/,
    /event-log\.jsonl This line is longer/,
    /\.vbw-planning .*(?:was taken|move the other)/,
  ])
    assert.match(whys, why);

  // No more does a link in the middle of the way lead out of the project.
  put(place, ".vbw-planning/ACTIVE", "first");
  put(place, "elsewhere/first/phases/01-x/01-09-PLAN.md", "### Task 1: hidden\n");
  symlinkSync(join(place, "elsewhere"), join(planning, "milestones"));
  assert.equal((await dryRun(place)).plans.length, 2);

  rmSync(planning, { recursive: true });
  symlinkSync("/etc", planning);
  rmSync(join(place, ".yolo-planning"), { recursive: true });
  put(place, "elsewhere/stories/1.1.story.md", "# Story 1.1: hidden\n");
  symlinkSync(join(place, "elsewhere"), join(place, "docs"));
  const refused = await called(place, ["adopt", "--dry-run", "--json"]);
  assert.deepEqual(problemCodes(refused), ["not-found"]);
});

test("a log of 100 MB that grows while it is read is read in little memory, and what changed is named", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-flags", seed: 3, plansIn: [1], withoutCommits: true });
  const log = join(place, ".vbw-planning/.events/event-log.jsonl");
  const row = `${JSON.stringify({ ts: "2026-02-01T10:00:00Z", event: "gate_passed", phase: 1, data: { text: "x".repeat(60_000) } })}\n`;
  const rows = Math.ceil(100_000_000 / row.length);
  writeFileSync(log, row.repeat(rows));
  await loadYaml();
  const reading = readPlanning(place, ".vbw-planning", ".vbw-planning", new AbortController().signal);
  // By now the log is open and no other file was read.
  await new Promise((resolve) => setImmediate(resolve));
  appendFileSync(log, '{"event":"gate_passed","phase":1}\n');
  const { findings, rows: kept } = await reading;
  const whys = findings.map(({ file, why }) => `${file} ${why}`).join("\n");
  assert.match(whys, /event-log\.jsonl It changed while it was read/);
  assert.match(whys, /older rows were left out of the history/);
  assert.ok(kept.reduce((sum, { text }) => sum + text.length, 0) <= 33 * 1024 * 1024, "the newest fit");
});

test("what goes, comes and turns into a link while the folder is read is named, and the rest is read", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-flags", seed: 3, plansIn: [2, 2], withoutCommits: true });
  const root = ".vbw-planning";
  for (const [name, text] of [
    ["09-01-PLAN.md", "### Task 1: A\n"],
    ["09-02-PLAN.md", "### Task 1: B\n"],
  ] as const)
    put(place, `${root}/phases/09-later/${name}`, text);
  put(place, `${root}/phases/08-gone/08-01-PLAN.md`, "### Task 1: C\n");
  await loadYaml();
  const reading = readPlanning(place, root, root, new AbortController().signal);
  // By now the log is open and no other file was read.
  await new Promise((resolve) => setImmediate(resolve));
  rmSync(join(place, root, "phases/08-gone"), { recursive: true });
  rmSync(join(place, root, "phases/09-later/09-01-PLAN.md"));
  symlinkSync("/etc/passwd", join(place, root, "phases/09-later/09-01-PLAN.md"));
  put(place, `${root}/phases/10-new/10-01-PLAN.md`, "### Task 1: D\n");
  const { plans, findings } = await reading;
  assert.deepEqual(
    plans.flatMap(({ phase }) => (["08", "09", "10"].includes(phase) ? [phase] : [])),
    ["09"],
  );
  const whys = findings.map(({ file, why }) => `${file.slice(root.length + 8)} ${why}`).join("\n");
  for (const why of [
    /08-gone\/08-01-PLAN\.md It was removed while the folder was read/,
    /09-later\/09-01-PLAN\.md It cannot be read/,
    /10-new\/10-01-PLAN\.md It came while the folder was read; run baton adopt again/,
  ])
    assert.match(whys, why);
  assert.doesNotMatch(JSON.stringify(plans), /root:/);
});

interface Adopted extends Shown {
  readonly imported: Readonly<Record<"plans" | "tasks" | "reports" | "escalations" | "history" | "known", number>> & {
    readonly refused: readonly unknown[];
  };
  readonly verdicts: Readonly<Record<string, number>>;
}

async function adopt(place: string, ...words: readonly string[]): Promise<Adopted> {
  const [shown] = jsonLines(await calledWithCode(0, place, ["adopt", "--json", ...words]));
  return shown as unknown as Adopted; // as docs/protocol/record.md, section 27 lists it
}

async function tasksIn(place: string): Promise<ReadonlyMap<unknown, unknown>> {
  const lines = jsonLines(await calledWithCode(0, place, ["task", "list", "--json"]));
  return new Map(lines.map(({ task, state }) => [task, state]));
}

/** Which agent works on in a team of each family, and in which dialect it reports. */
const workers: Readonly<Record<Family, readonly [agent: string, type: string]>> = {
  "vbw-flags": ["dev-01", "execution_update"],
  "vbw-later": ["dev-01", "execution_update"],
  "yolo-typed": ["dev-01", "execution_update"],
  "yolo-company": ["yolo-dev", "task_complete"],
  bmad: ["dev", "none"],
};

for (const family of families) {
  test(`a project of ${family} is adopted, an agent works on, and a repeat adds nothing`, async () => {
    const place = folder();
    const made = makeLookAlike(place, { family, seed: 23, plansIn: [2, 4] });
    const root = family === "bmad" ? "docs" : family.startsWith("yolo") ? ".yolo-planning" : ".vbw-planning";
    const before = digestOf(join(place, root));
    const { imported, verdicts } = await adopt(place);
    assert.deepEqual(imported.refused, []);
    assert.equal(digestOf(join(place, root)), before, "no file of the other tool changes");
    const done = made.plans.filter(({ isDone }) => isDone);
    assert.equal(
      imported.reports,
      done.reduce((sum, { tasks }) => sum + tasks, 0),
    );
    assert.deepEqual(Object.keys(verdicts), family === "bmad" ? [] : ["complete"], "nothing is disputed");
    const tasks = await tasksIn(place);
    for (const { id, isDone, tasks: count } of made.plans)
      for (let number = 1; number <= count; number += 1) {
        const state = tasks.get(`${id}-T${number}`);
        assert.ok(
          isDone ? state === "complete" : state === "available" || state === "blocked",
          `${id}-T${number} ${state}`,
        );
      }

    // A repeat changes nothing; what is new in the folder is added.
    const head = async () =>
      (jsonLines(await calledWithCode(0, place, ["status", "--json"]))[0] as { head: unknown }).head;
    const first = await head();
    const again = await adopt(place);
    assert.deepEqual(await head(), first);
    assert.equal(again.imported.plans + again.imported.tasks + again.imported.reports + again.imported.history, 0);

    // An agent of the team works on: it edits, commits and reports, and git confirms it.
    const [agent, type] = workers[family];
    const [next] = [...tasks].find(([, state]) => state === "available") ?? [];
    const plan = String(next).split("-T")[0] ?? "";
    put(place, `src/work-${plan}.ts`, "export const done = true;\n");
    git(place, "add", "src");
    git(place, "commit", "-q", "-m", "feat: go on");
    const commit = git(place, "rev-parse", "HEAD");
    const fields = { plan_id: plan, task_id: next, status: "complete", commit, evidence: "npm test" };
    const report = JSON.stringify(
      type === "task_complete"
        ? { type, plan_id: plan, task_id: next, status: "complete", commit, files_modified: [`src/work-${plan}.ts`] }
        : { type, ...fields },
    );
    const words = type === "none" ? ["task", "complete", String(next), "--commit", commit] : ["send", "-"];
    if (family === "yolo-company") await calledWithCode(0, place, ["task", "claim", String(next), "--as", agent]);
    const sent = await called(place, [...words, "--as", agent, "--json"], type === "none" ? "" : report);
    assert.equal(sent.code, 0, sent.said);
    const after = (await tasksIn(place)).get(next);
    assert.ok(after === "verified" || after === "complete", String(after));
    assert.match((await calledWithCode(0, place, ["status"])).stdout, new RegExp(agent));
    await calledWithCode(0, place, ["journal", "verify"]);
  });
}

test("adopt changes no prompt and no setting of a program", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-flags", seed: 11, plansIn: [3, 4] });
  put(place, "agents/dev.md", "Report each task by TaskUpdate.\n");
  put(place, ".claude/agents/qa.md", "Check what dev reports.\n");
  put(place, ".claude/settings.json", "{}\n");
  git(place, "add", "--all");
  git(place, "commit", "--quiet", "--message", "prompts");
  await calledWithCode(0, place, ["adopt"]);
  const changed = git(place, "status", "--porcelain", "--untracked-files=all").trim().split("\n");
  assert.deepEqual(
    changed.filter((line) => !line.slice(3).startsWith(".baton/")),
    [],
  );
  assert.ok(changed.length > 0, "the team file is there");
});

test("a repeat keeps the person's team file, and a journal that adopt did not make is left alone", async () => {
  const place = folder();
  git(place, "init", "-q", "-b", "main");
  put(place, ".vbw-planning/config.json", "{}");
  put(place, ".vbw-planning/phases/01-a/01-01-PLAN.md", "---\nphase: 1\n---\n### Task 1: A\n");
  await adopt(place);
  const file = join(place, ".baton/team.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}# mine\n`);
  assert.equal((await adopt(place)).imported.plans, 0);
  assert.match(readFileSync(file, "utf8"), /# mine/);
  for (const made of [".baton", ".git/baton"]) rmSync(join(place, made), { recursive: true });

  // The team's file is on another branch, its journal is here.
  await calledWithCode(0, place, ["init", "--yes"]);
  await calledWithCode(0, place, ["task", "add", "OWN"]);
  rmSync(join(place, ".baton"), { recursive: true });
  assert.deepEqual(problemCodes(await called(place, ["adopt", "--json"])), ["already-exists"]);
  assert.ok(!existsSync(join(place, ".baton")) && existsSync(join(place, ".git/baton/journal.db")));
});

test("a repeat adds a new plan and its end, and leaves a plan to the team that has revised it", async () => {
  const place = folder();
  const plan = (title: string) => `---\nphase: 1\ntitle: ${title}\n---\n### Task 1: A\n- **Files:** \`src/a.ts\`\n`;
  git(place, "init", "-q", "-b", "main");
  put(place, ".vbw-planning/config.json", '{"lease_locks": true}');
  put(place, ".vbw-planning/phases/01-a/01-01-PLAN.md", plan("First"));
  put(place, ".vbw-planning/phases/01-a/01-02-PLAN.md", plan("Second"));
  assert.deepEqual((await adopt(place)).imported.plans, 2);
  const own = {
    type: "plan_contract",
    plan_id: "01-02",
    phase_id: "01",
    objective: "Ours",
    tasks: ["01-02-T1"],
    allowed_paths: [],
    must_haves: [],
  };
  await calledWithCode(0, place, ["send", "-", "--as", "lead"], JSON.stringify(own));
  put(place, ".vbw-planning/phases/01-a/01-02-PLAN.md", plan("Changed in the folder"));
  put(place, ".vbw-planning/phases/01-a/01-03-PLAN.md", plan("Third"));
  put(place, ".vbw-planning/phases/01-a/01-01-SUMMARY.md", "---\nstatus: complete\n---\n");
  const { imported } = await adopt(place);
  assert.deepEqual([imported.reports, imported.refused], [1, []]);
  const contracts = jsonLines(await calledWithCode(0, place, ["contract", "show", "01-02", "--json"]));
  assert.match(JSON.stringify(contracts), /"objective":"Ours"/);
  const tasks = await tasksIn(place);
  assert.deepEqual(
    [tasks.get("01-01-T1"), tasks.get("01-02-T1"), tasks.get("01-03-T1")],
    ["complete", "available", "available"],
  );
});

test("with strict scope an open plan is bound by its files, and finished work is never disputed for them", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-flags", seed: 23, plansIn: [2, 2] });
  const { verdicts, plans } = await adopt(place, "--strict-scope");
  assert.deepEqual(Object.keys(verdicts), ["complete"]);
  const open = plans.find(({ state }) => state === "open")?.id ?? "";
  const [contract] = jsonLines(await calledWithCode(0, place, ["contract", "show", open, "--json"]));
  assert.match(JSON.stringify(contract), /"allowedPaths":\["src\/p02/);
  assert.match(readFileSync(join(place, ".baton/team.yaml"), "utf8"), /\nscope: strict\n/);
});

test("a team that adopt did not make is left alone, and a commit that is not in git is disputed", async () => {
  const place = folder();
  git(place, "init", "-q", "-b", "main");
  put(place, ".vbw-planning/phases/01-a/01-01-PLAN.md", "### Task 1: A\n");
  put(place, ".vbw-planning/phases/01-a/01-01-SUMMARY.md", "---\ncommit_hashes: [abcdef1234]\n---\n");
  await calledWithCode(0, place, ["init", "--yes", "--kind", "vbw"]);
  const before = digestOf(join(place, ".baton"));
  assert.deepEqual(problemCodes(await called(place, ["adopt", "--json"])), ["already-exists"]);
  assert.equal(digestOf(join(place, ".baton")), before);
  rmSync(join(place, ".baton"), { recursive: true });
  assert.deepEqual((await adopt(place)).verdicts, { disputed: 1 });
});

test("an import that is killed in the middle is finished by a repeat", {
  skip: injectionMissing() ?? false,
}, async () => {
  const place = folder();
  const made = makeLookAlike(place, {
    family: "vbw-later",
    seed: 31,
    plansIn: [40, 40],
    withoutCommits: true,
    events: 400,
  });
  const log = join(place, ".git/baton/journal.db-wal");
  const inject = ["-e", "trace=fsync", "-e", "inject=fsync:signal=KILL:when=6", "-P", log];
  const words = ["-f", "-qq", "-o", "/dev/null", ...inject, process.execPath, mainBundle, "adopt"];
  const killed = spawnSync("strace", words, { cwd: place, env: environment(), timeout: commandMsMax });
  assert.equal(killed.signal, "SIGKILL", String(killed.stderr));
  const before = jsonLines(await calledWithCode(0, place, ["task", "list", "--json"])).length;
  const { imported } = await adopt(place);
  const { plans, reports, history } = imported;
  assert.ok(before > 0 && plans + reports > 0 && history > 0, `killed in the middle: ${JSON.stringify(imported)}`);
  assert.deepEqual(imported.refused, []);
  const tasks = await tasksIn(place);
  assert.equal(
    tasks.size,
    made.plans.reduce((sum, plan) => sum + plan.tasks, 0),
  );
  const done = made.plans.filter(({ isDone }) => isDone).reduce((sum, plan) => sum + plan.tasks, 0);
  assert.equal([...tasks.values()].filter((state) => state === "complete").length, done);
  await calledWithCode(0, place, ["journal", "verify"]);
});
