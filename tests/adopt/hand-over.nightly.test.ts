/**
 * One process at a time keeps a planning folder in step: hubs of one journal take turns, and what one of them did not finish
 * before it was killed, the next one does, once. Rule: docs/protocol/record.md, section 29.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { takeFileLock } from "../../src/journal/engines.ts";
import { unknownAuthor } from "../../src/messages/principal.ts";
import { openTeam } from "../../src/perform/open.ts";
import { syncLockPath } from "../../src/planning/folders/folder-note.ts";
import { type LookMemory, type Synced, syncFolder } from "../../src/planning/folders/folder-sync.ts";
import type { Importers } from "../../src/planning/folders/planning-import.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines } from "../e2e/command.ts";
import { startHub } from "../e2e/hub-process.ts";
import { git, makeLookAlike, put } from "./look-alike.ts";
import { readOrigin } from "./origin-reader.ts";

/** A process that takes the lock, says so, and stays. */
const holder = (lock: string) => `
const { takeFileLock } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, "../../src/journal/engines.ts")).href)});
const taken = await takeFileLock(${JSON.stringify(lock)});
console.log(taken.ok && taken.value !== null ? "taken" : "not taken");
setInterval(() => taken, 60_000);
`;

test("the lock of a look is free as soon as its holder is killed, and no link or folder is taken for it", async () => {
  const place = folder();
  const lock = syncLockPath(place);
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", holder(lock)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  assert.equal(String(said), "taken\n");
  assert.deepEqual(await takeFileLock(lock), { ok: true, value: null });
  child.kill("SIGKILL");
  await once(child, "exit");
  const free = await takeFileLock(lock);
  assert.ok(free.ok && free.value !== null);
  assert.deepEqual(await takeFileLock(lock), { ok: true, value: null }, "also in one process");
  free.value[Symbol.dispose]();
  await fs.symlink(join(place, "elsewhere"), join(place, "link"));
  assert.equal((await takeFileLock(join(place, "link"))).ok, false);
  assert.deepEqual(readdirSync(place).toSorted(), ["link", "planning.lock"], "a link leads nowhere");
});

test("while another process looks nothing is written, and the next look writes it", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-later", seed: 7, plansIn: [1, 2], withoutCommits: true });
  await calledWithCode(0, place, ["adopt"]);
  await calledWithCode(0, place, ["sync"]);
  const root = join(place, ".vbw-planning");
  const log = () => readFileSync(join(root, ".events/event-log.jsonl"), "utf8");
  await calledWithCode(0, place, ["agent", "register", "dev-07", "--role", "dev"]);
  const state = join(place, ".git/baton");
  const lock = await takeFileLock(syncLockPath(state));
  assert.ok(lock.ok && lock.value !== null);
  const waiting = calledWithCode(0, place, ["sync"]);
  const untouched = new Proxy({}, { get: () => assert.fail("the record is not asked") }) as Importers;
  const { signal } = new AbortController();
  const looked = { project: place, folder: ".vbw-planning", state, isStrict: false, signal } as const;
  const nothing = { isOthersTurn: true, written: [], imported: null, findings: [] };
  assert.deepEqual(await syncFolder(untouched, looked), { ok: true, value: nothing });
  assert.doesNotMatch(log(), /dev-07/);
  lock.value[Symbol.dispose]();
  // The command has waited for its turn.
  await waiting;
  assert.match(log(), /dev-07/);
});

/** Reports a task in words that need no commit. */
async function report(place: string, task: string, status: string): Promise<void> {
  const said = { type: "execution_update", plan_id: task.split("-T")[0], task_id: task, status, commit: "" };
  await calledWithCode(0, place, ["send", "-", "--as", "dev-01"], JSON.stringify({ ...said, evidence: "npm test" }));
}

test("two hubs of one journal write everything once, and when one is killed the other goes on", async () => {
  const place = folder();
  const made = makeLookAlike(place, { family: "vbw-later", seed: 7, plansIn: [1, 6], withoutCommits: true });
  await calledWithCode(0, place, ["adopt"]);
  const root = join(place, ".vbw-planning");
  const before = readOrigin(root).events.length;
  const [first] = await Promise.all([startHub(place), startHub(place)]);
  const seen = fs.watch(join(root, ".events"), { signal: AbortSignal.timeout(120_000) })[Symbol.asyncIterator]();
  const open = made.plans.filter(({ isDone }) => !isDone);
  assert.ok(open.length >= 3, "plans to work on");
  const started = () =>
    readOrigin(root)
      .events.slice(before)
      .flatMap(({ event, phase, plan }) => (event === "plan_start" ? [`${phase}-${plan}`] : []));
  const key = (id: string) => id.split("-").map(Number).join("-");
  for (const [index, { id }] of open.entries()) {
    await report(place, `${id}-T1`, "partial");
    if (index === 0) while (!started().includes(key(id))) await seen.next();
    if (index === 1) await first.kill();
  }
  const last = key(open.at(-1)?.id ?? "");
  while (!started().includes(last)) await seen.next();
  await seen.return?.();
  assert.deepEqual(started().toSorted(), open.map(({ id }) => key(id)).toSorted(), "each plan has begun once");
  const ids = readFileSync(join(root, ".events/event-log.jsonl"), "utf8").match(/"event_id":"[^"]*"/g) ?? [];
  assert.equal(new Set(ids).size, ids.length, "no event is in the log twice");
  await calledWithCode(0, place, ["journal", "verify"]);
});

test("what a look had written before it was killed is Baton's, and nothing of it is written again or taken in", async () => {
  const place = folder();
  makeLookAlike(place, { family: "yolo-company", seed: 7, plansIn: [1, 2], withoutCommits: true });
  const root = join(place, ".yolo-planning");
  await calledWithCode(0, place, ["adopt"]);
  await calledWithCode(0, place, ["sync"]);
  const raised = { type: "code_review_result", plan_id: "02-02", result: "approve", cycle: 1, findings_count: 0 };
  const more = { critical: 0, files_reviewed: 1, commit: "" };
  const sent = await called(place, ["send", "-", "--as", "yolo-senior"], JSON.stringify({ ...raised, ...more }));
  assert.equal(sent.code, 0, sent.said);
  // Its last step cannot be done, as if it were killed before.
  const blocked = join(place, `.git/baton/planning.json.draft-${process.pid}`);
  mkdirSync(join(blocked, "full"), { recursive: true });
  await assert.rejects(called(place, ["sync"]));
  const rows = () =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("code-review.jsonl"))
      .map((name) => readFileSync(join(root, name), "utf8"))
      .join("");
  const written = rows();
  assert.match(written, /"cycle":1/);
  rmdirSync(join(blocked, "full"));
  rmdirSync(blocked);
  const [again] = jsonLines(await calledWithCode(0, place, ["sync", "--json"]));
  assert.equal(rows(), written);
  const imported = again?.imported as { readonly history: number } | null;
  assert.equal(imported?.history ?? 0, 0, JSON.stringify(again));
  const [once] = jsonLines(await calledWithCode(0, place, ["sync", "--json"]));
  assert.deepEqual([once?.written, once?.imported], [[], null]);
});

/** A program that looks at the folder of `place`, as a hub does, with what it remembers. */
async function looker(place: string) {
  const state = join(place, ".git/baton");
  const open = (agent: string) => openTeam({ journal: join(state, "journal.db"), agent });
  const opened = await open("owner");
  assert.ok(opened.ok);
  const owner = opened.value;
  const memory: LookMemory = { last: null };
  const run = async (looks: typeof owner, options: { readonly isQuick: boolean }, signal: AbortSignal) => {
    const at = { project: place, folder: ".vbw-planning", state, isStrict: false, memory, signal } as const;
    const done = await syncFolder({ owner: looks, openAuthor: () => open(unknownAuthor) }, { ...at, ...options });
    assert.ok(done.ok);
    return done.value;
  };
  return {
    look: (isQuick = true): Promise<Synced> => run(owner, { isQuick }, new AbortController().signal),
    /** A look that is stopped as soon as it knows what changed. */
    async stopped(): Promise<Synced> {
      const stop = new AbortController();
      const folderChanges: typeof owner.folderChanges = async (asked) => {
        const changes = await owner.folderChanges(asked);
        stop.abort();
        return changes;
      };
      return await run({ ...owner, folderChanges }, { isQuick: true }, stop.signal);
    },
    [Symbol.asyncDispose]: () => owner[Symbol.asyncDispose](),
  };
}

test("programs that look in turns go by what they remember only while no other one has looked", async () => {
  const place = folder();
  const made = makeLookAlike(place, { family: "vbw-later", seed: 7, plansIn: [1, 9], withoutCommits: true });
  await calledWithCode(0, place, ["adopt"]);
  const log = join(place, ".vbw-planning/.events/event-log.jsonl");
  const note = () => readFileSync(join(place, ".git/baton/planning.json"), "utf8");
  const [first = "", second = "", third = "", fourth = ""] = made.plans.flatMap(({ id, isDone }) =>
    isDone ? [] : [id],
  );
  assert.ok(fourth !== "", "plans to work on");
  await using one = await looker(place);
  await using other = await looker(place);
  assert.notEqual((await one.look(false)).imported, null);
  const written = [".events/event-log.jsonl"];
  await report(place, `${first}-T1`, "partial");
  assert.deepEqual((await one.look()).written, written);

  // What shows nowhere is remembered, and no file is written for it.
  const before = note();
  await report(place, `${first}-T1`, "partial");
  assert.deepEqual((await one.look()).written, []);
  assert.equal(note(), before);

  // The other one knows only the note, and writes what is new; the first one then goes by that.
  await report(place, `${second}-T1`, "partial");
  assert.deepEqual((await other.look()).written, written);
  assert.deepEqual((await one.look()).written, []);

  // A look that is stopped leaves what it knew to the next one.
  await report(place, `${third}-T1`, "partial");
  assert.deepEqual((await one.stopped()).written, []);
  assert.deepEqual((await one.look()).written, written);
  await report(place, `${fourth}-T1`, "partial");
  assert.deepEqual((await other.look()).written, written);

  const key = (id: string) => id.split("-").map(Number).join("-");
  const begun = readOrigin(join(place, ".vbw-planning")).events.filter(({ id }) => id.startsWith("baton-"));
  assert.deepEqual(
    begun.flatMap(({ event, phase, plan }) => (event === "plan_start" ? [`${phase}-${plan}`] : [])),
    [first, second, third, fourth].map(key),
  );

  // A line of another tool comes in once, whoever sees it first.
  await fs.appendFile(log, '{"event":"gate_passed","phase":2}\n');
  assert.equal((await one.look(false)).imported?.history, 1);
  assert.equal((await other.look(false)).imported, null);
  assert.equal((await one.look(false)).imported, null);
});

async function synced(place: string): Promise<Pick<Synced, "written"> & { readonly imported: Synced["imported"] }> {
  const [shown] = jsonLines(await calledWithCode(0, place, ["sync", "--json"]));
  return shown as unknown as Synced; // as docs/protocol/record.md, section 29 lists it
}

test("a linked worktree keeps the folder of the main one in step, and its own stays as it is", async () => {
  const home = folder();
  const [main, linked] = [join(home, "main"), join(home, "linked")];
  mkdirSync(main);
  const made = makeLookAlike(main, { family: "vbw-later", seed: 7, plansIn: [1, 6], withoutCommits: true });
  git(main, "add", "-A");
  git(main, "commit", "-q", "-m", "chore: plans");
  git(main, "worktree", "add", "-q", linked, "-b", "feature");
  await calledWithCode(0, linked, ["adopt"]);
  for (const place of [main, linked]) await synced(place);
  const open = made.plans.find(({ isDone }) => !isDone)?.id ?? "";
  await report(linked, `${open}-T1`, "partial");
  const [said] = jsonLines(await calledWithCode(0, linked, ["sync", "--json"]));
  assert.deepEqual(said?.written, [".events/event-log.jsonl"]);
  assert.equal(git(linked, "status", "--short"), "");
  assert.match(git(main, "status", "--short"), /event-log\.jsonl/);
  assert.deepEqual(await synced(main), {
    folder: ".vbw-planning",
    hub: null,
    written: [],
    imported: null,
    findings: [],
  });
  const { stdout } = await calledWithCode(0, linked, ["sync"]);
  assert.ok(stdout.startsWith(`${join(main, ".vbw-planning")}: `), stdout);
});

test("worktrees of a bare repository have each their own folder in step, by one record", async () => {
  const home = folder();
  const [main, one, other] = [join(home, "main"), join(home, "one"), join(home, "other")];
  mkdirSync(main);
  const made = makeLookAlike(main, { family: "vbw-later", seed: 7, plansIn: [1, 6], withoutCommits: true });
  git(main, "add", "-A");
  git(main, "commit", "-q", "-m", "chore: plans");
  const bare = join(home, "bare.git");
  git(main, "clone", "-q", "--bare", main, bare);
  git(bare, "worktree", "add", "-q", one, "main");
  await calledWithCode(0, one, ["adopt"]);
  git(one, "add", "-A");
  git(one, "commit", "-q", "-m", "chore: the team");
  git(bare, "worktree", "add", "-q", other, "-b", "feature", "main");
  for (const place of [one, other]) await synced(place);
  const open = made.plans.find(({ isDone }) => !isDone)?.id ?? "";
  await report(other, `${open}-T1`, "partial");
  for (const place of [other, one]) {
    assert.deepEqual((await synced(place)).written, [".events/event-log.jsonl"]);
    const { written, imported } = await synced(place);
    assert.deepEqual([written, imported], [[], null], "and then it rests");
  }
  const log = (place: string) => readFileSync(join(place, ".vbw-planning/.events/event-log.jsonl"), "utf8");
  assert.equal(log(one), log(other));

  // A plan of one branch comes in from there, and is no news for the other.
  put(other, ".vbw-planning/phases/09-later/09-01-PLAN.md", "---\nphase: 9\n---\n### Task 1: A\n");
  assert.equal((await synced(other)).imported?.plans, 1);
  assert.equal((await synced(one)).imported, null);
});
