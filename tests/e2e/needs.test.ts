/**
 * What `baton needs` and `baton status` propose: the commands that decide what waits, to a caller that may run them; and
 * what happens when the time of a need is over.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "./called.ts";
import { contract, jsonLines, message, team } from "./command.ts";
import { done, stage } from "./gate-place.ts";

interface Matter {
  readonly kind: string;
  readonly id: string;
  readonly target: string;
  readonly decide: readonly (readonly string[])[];
}

/** What `look` lists, with `--json`. */
async function listed(place: string, look: "needs" | "status", ...who: readonly string[]): Promise<readonly Matter[]> {
  const [found] = jsonLines(await calledWithCode(0, place, [look, "--json", ...who]));
  return found?.needs as readonly Matter[]; // as documented
}

const shown = async (place: string, ...words: readonly string[]) => (await calledWithCode(0, place, words)).stdout;

/** What a person enters for the capitals of a proposed command. */
const entered = (words: readonly string[]) =>
  words.map((word) => (word === "TEXT" ? "Because it is right" : word === "N" ? "1" : word));

/** A request of dev-1 about a task that nobody holds, so that no lease ends before its deadline. */
const asks = (id: string, more: object = {}) =>
  message(
    "approval_request",
    "dev",
    { subject: "More files", request_type: "scope_change", evidence: "They are needed", ...more },
    { id, task: "1-1-T2" },
  );

const blocker = message("blocker_report", "dev", {
  plan_id: "1-1",
  task_id: "1-1-T1",
  blocker: "No names yet",
  needs: "Plan 1-0",
});

/** A team with two requests, one about a gate, and a blocker at the lead or, where `isRaised`, at the person. */
async function waitingTeam(isRaised: boolean): Promise<string> {
  const place = team();
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  await calledWithCode(0, place, ["send", "--as", "dev-1"], asks("soon", { deadline: "2026-02-12T11:00:00Z" }));
  await calledWithCode(0, place, ["send", "--as", "dev-1"], asks("gate", { request_type: "gate_override" }));
  await calledWithCode(0, place, ["send", "--as", "dev-1"], blocker);
  if (!isRaised) return place;
  const raise = ["escalation", "raise", "ESC-01-01-T1", "--evidence", "Unknown", "--option", "Old", "--option", "New"];
  for (const agent of ["lead-1", "architect-1"]) await calledWithCode(0, place, [...raise, "--as", agent]);
  return place;
}

test("each need has the command to type, which decides it, and says what happens when its time is over", async () => {
  const place = await waitingTeam(true);
  for (let each = 0; each < 3; each += 1) await called(place, ["task", "claim", "1-1-T9", "--as", "qa-1"]);
  const text = await shown(place, "needs");
  assert.match(text, /^4 matters need you\n/);
  assert.match(
    text,
    / +soon +\S.*\n +\S+ asks for a change of scope\.\n +They are needed\n +until [\d: -]+\. Then it counts as denied\.\n/,
  );
  assert.match(
    text,
    /until [\d: -]+\. Then the claim of dev-1 ends and the task is free, unless dev-1 sends a heartbeat/,
  );
  assert.match(text, /\n +option 1: Old\n +option 2: New\n/);
  assert.match(text, /\n +It leaves the list when qa-1 is refused for it fewer than three times in ten minutes\.\n/);
  const needs = await listed(place, "needs");
  for (const { id, decide } of needs) {
    assert.ok(decide.length > 0, id);
    for (const words of decide) assert.ok(text.includes(`  baton ${words.join(" ")}\n`), words.join(" "));
    await calledWithCode(0, place, entered(decide[0] ?? []));
  }
  assert.deepEqual(
    (await listed(place, "needs")).map(({ kind }) => kind),
    ["loop"],
    "nothing decides a loop",
  );
});

test("an agent that asks sees that the needs are the owner's, and which of them it may decide", async () => {
  const place = await waitingTeam(true);
  const lead = await shown(place, "needs", "--as", "lead-1");
  assert.match(lead, /^3 matters need the owner, who is "you" here; lead-1 may decide 1\n/);
  assert.match(lead, /\n +baton approve soon --as lead-1\n/);
  assert.doesNotMatch(lead, /approve gate|escalation resolve/);
  assert.equal(lead.match(/\n +lead-1 may not decide this\.\n/g)?.length, 2);
  assert.match(lead, /\nWhat waits for lead-1: baton inbox --as lead-1\n$/);
  const scout = await shown(place, "needs", "--as", "scout-1");
  assert.match(scout, /; scout-1 may decide 0\n/);
  assert.doesNotMatch(scout, /baton (approval|escalation)/);
  for (const { decide } of await listed(place, "needs", "--as", "scout-1")) assert.deepEqual(decide, []);
  assert.equal(await shown(team(), "needs"), "Nothing needs you.\n");
  assert.equal(await shown(team(), "needs", "--as", "dev-1"), "Nothing needs the owner.\n");
});

test("a name that no agent has is refused, whether something waits or not", async () => {
  for (const place of [team(), await waitingTeam(true)]) {
    for (const [name, hint] of [
      ["Lead-1", /did you mean "lead-1"\?/],
      ["dev-9", /did you mean "dev-1"\?/],
    ] as const) {
      const refused = await called(place, ["needs", "--as", name]);
      assert.match(refused.stderr, /^unknown-agent at /);
      assert.match(refused.stderr, hint);
      assert.deepEqual([refused.code, refused.stdout], [2, ""]);
      const json = await called(place, ["needs", "--as", name, "--json"]);
      const [said] = jsonLines(json);
      assert.deepEqual([json.code, Object.keys(said ?? {})], [2, ["problems"]]);
    }
  }
});

test("who decides an escalation sees the recommended option, another recommendation, and the evidence", async () => {
  for (const [recommended, option, more] of [
    ["New", "option 2: New \\(recommended\\)", ""],
    ["Ask them", "option 2: New", "recommended: Ask them"],
  ] as const) {
    const place = await waitingTeam(false);
    const evidence = ["One", "Two", `Three ${"x".repeat(400)}`, "Four"].flatMap((each) => ["--evidence", each]);
    const choices = ["--option", "Old", "--option", "New", "--recommendation", recommended];
    await calledWithCode(0, place, ["escalation", "raise", "ESC-01-01-T1", "--as", "lead-1", ...evidence, ...choices]);
    await calledWithCode(0, place, ["escalation", "raise", "ESC-01-01-T1", "--as", "architect-1"]);
    const lines = ["option 1: Old", option, ...(more === "" ? [] : [more])];
    const all = [...lines, "evidence: One", "evidence: Two", "evidence: Three x{293}…", "and 1 more of the evidence"];
    for (const look of ["needs", "status"])
      assert.match(await shown(place, look), new RegExp(all.map((line) => `\n +${line}`).join("")), look);
    const list = await shown(place, "needs", "--escalations");
    for (const line of lines) assert.match(list, new RegExp(`\n  ${line.replace(":", " ")}\n`));
  }
});

for (const isRaised of [false, true]) {
  test(`commands are proposed to those who may decide, with a blocker at the ${isRaised ? "person" : "lead"}`, async () => {
    const proposed: string[] = [];
    for (const agent of ["owner", "lead-1", "architect-1", "dev-1", "qa-1"]) {
      const place = await waitingTeam(isRaised);
      const who = agent === "owner" ? [] : ["--as", agent];
      const all = (await listed(place, "needs")).filter(({ kind }) => kind === "approval" || kind === "escalation");
      const offered = await listed(place, "status", ...who);
      for (const { id, target, decide } of all) {
        const own = offered.find((each) => each.id === id)?.decide ?? [];
        if (own.length > 0) proposed.push(`${agent} ${target}`);
        const done = await called(place, [...entered(own[0] ?? decide[0] ?? []), ...who]);
        assert.equal(done.code, own.length > 0 ? 0 : 2, `${agent} ${target}\n${done.said}`);
      }
    }
    const blockers = isRaised ? ["owner ESC-01-01-T1"] : [];
    const requests = ["owner soon", "owner gate", "lead-1 soon", "architect-1 soon"];
    assert.deepEqual(proposed.toSorted(), [...requests, ...blockers].toSorted());
  });
}

/** A team in front of a repository, and what makes a task of it, with a file of its own, be in a state. */
async function judgedTeam() {
  const place = team();
  writeFileSync(join(place, ".baton/.gitignore"), "*\n");
  done(place, "init", "--quiet", "-b", "main");
  const put = (path: string): string => {
    stage(place, path, `${path}\n`);
    done(place, "commit", "--quiet", "-m", "work");
    return done(place, "rev-parse", "HEAD").trim();
  };
  put("README.md");
  const report = async (task: string, commit: string) => {
    await calledWithCode(0, place, ["task", "claim", task, "--as", "dev-1"]);
    await called(place, ["task", "complete", task, "--commit", commit, "--as", "dev-1"]);
  };
  const add = async (task: string, path: string) =>
    await calledWithCode(0, place, ["task", "add", "--plan", "1-1", "--files", path, "--title", task, task]);
  const onBranch = async (task: string, path: string) => {
    done(place, "checkout", "--quiet", "-b", task);
    await report(task, put(path));
    done(place, "checkout", "--quiet", "main");
  };
  const states: Readonly<Record<string, (task: string, path: string) => Promise<void>>> = {
    verified: onBranch,
    landed: async (task, path) => await report(task, put(path)),
    disputed: async (task) => await report(task, "f".repeat(40)),
    async undecided(task, path) {
      await add(`${task}-before`, path);
      await onBranch(`${task}-before`, path);
      done(place, "commit", "--quiet", "--allow-empty", "-m", "other");
      done(place, "cherry-pick", `${task}-before`);
      await report(task, done(place, "rev-parse", "HEAD").trim());
    },
    async gone(task, path) {
      await onBranch(task, path);
      done(place, "branch", "--quiet", "-D", task);
    },
    async reverted(task, path) {
      await report(task, put(path));
      await called(place, ["verify", task]);
      done(place, "revert", "--no-edit", "HEAD");
    },
  };
  return {
    place,
    async make(state: string, task: string) {
      await add(task, `src/${task}.js`);
      await states[state]?.(task, `src/${task}.js`);
    },
  };
}

test("each state of reported work that waits for the person is in needs, and each of its commands ends it", async () => {
  const { place, make } = await judgedTeam();
  const wanted: Readonly<Record<string, readonly string[]>> = {
    verified: [],
    landed: [],
    reverted: [],
    disputed: ["verify T", "task settle T verified", "task reopen T"],
    undecided: ["task settle T verified", "task settle T disputed", "task reopen T"],
    gone: ["task settle T superseded", "task reopen T"],
  };
  const cases = Object.entries(wanted)
    .flatMap(([state, commands]) => (commands.length === 0 ? [null] : commands).map((command) => ({ state, command })))
    .map((each, at) => ({ ...each, task: `1-1-T${10 + at}` }));
  for (const { state, task } of cases) await make(state, task);
  await called(place, ["verify"]);
  const needs = await listed(place, "needs");
  const status = await shown(place, "status");
  for (const { state, command, task } of cases) {
    const found = needs.filter(({ id }) => id.endsWith(`:${task}`)).flatMap(({ decide }) => decide);
    assert.deepEqual(
      found.map((words) => words.map((word) => (word === task ? "T" : word)).join(" ")),
      wanted[state],
      `${state} ${task}`,
    );
    if (command === null) continue;
    assert.ok(status.includes(` ${task} `), `${task} is in the status`);
    const ran = await called(place, command.replace(" T", ` ${task}`).split(" "));
    const isStill = command.startsWith("verify");
    assert.equal(ran.code, isStill ? 2 : 0, ran.said);
    const left = (await listed(place, "needs")).filter(({ id }) => id.endsWith(`:${task}`));
    // What was settled as disputed is a dispute, which its reporter or the person ends.
    const kinds = isStill || command.endsWith("disputed") ? [`dispute:${task}`] : [];
    assert.deepEqual(
      left.map(({ id }) => id),
      kinds,
      command,
    );
  }
});
