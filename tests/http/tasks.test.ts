/**
 * Tasks and claims over HTTP: each answer is what the document says, a denied claim is a conflict that names who and
 * what.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { HubRepository } from "../../src/doors/http/index.ts";
import { git, testEnvironment } from "../evidence/history.ts";
import { madeRepository, tree } from "../evidence/place.ts";
import { fits } from "./fits.ts";
import { ask, type TestHub, testHub } from "./hub.ts";

const tasks = "/api/teams/web/tasks";
const text = `version: 1
team: web
dialects: [vbw/2]
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
  dev-2: { role: dev }
`;

interface Desk {
  readonly hub: TestHub;
  readonly lead: string;
  readonly dev: string;
  readonly other: string;
}

/** A hub with three tasks: the first two share a folder, the third waits for the first. */
async function desk(t: TestContext, repository?: HubRepository): Promise<Desk> {
  const hub = await testHub(t, { text, ...(repository === undefined ? {} : { repository }) });
  const [lead, dev, other] = [await hub.token("lead-1"), await hub.token("dev-1"), await hub.token("dev-2")];
  const added: readonly object[] = [
    { task: "1-1-T1", plan: "1-1", title: "Names", files: ["src/a.ts", "src/names/"], id: "add-1" },
    { task: "1-1-T2", plan: "1-1", files: ["src/names/list.ts"] },
    { task: "1-1-T3", plan: "1-1", files: ["docs/a.md"], dependsOn: ["1-1-T1"] },
  ];
  for (const body of added) {
    assert.equal(fits("addTask", await ask(hub.url, tasks, { as: lead, body })).status, 201, JSON.stringify(body));
  }
  return { hub, lead, dev, other };
}

test("a task is claimed, renewed, completed, and what waited for it is free", async (t) => {
  const { hub, dev, other } = await desk(t);
  const claim = { as: dev, body: { id: "claim-1" } };
  const granted = fits("claimTask", await ask(hub.url, `${tasks}/1-1-T1/claim`, claim));
  assert.deepEqual([granted.status, granted.body.granted, granted.body.task], [201, true, "1-1-T1"]);
  const { token, expiresAt } = granted.body;
  assert.equal(token, granted.body.receipt.seq);
  assert.deepEqual(granted.body.files, ["src/a.ts", "src/names/"]);
  const again = fits("claimTask", await ask(hub.url, `${tasks}/1-1-T1/claim`, claim));
  assert.deepEqual([again.status, again.body.token, again.body.receipt.duplicate], [200, token, true]);

  const renewed = fits("renewClaim", await ask(hub.url, `${tasks}/1-1-T1/renew`, { as: dev, body: { token } }));
  assert.equal(renewed.body.token, token);
  assert.ok(renewed.body.expiresAt >= expiresAt);

  const board = fits("showBoard", await ask(hub.url, `${tasks}/board`, { as: other }));
  assert.deepEqual([board.body.available, board.body.advisedDevelopers], [[], 0]);
  const claimed = fits("listTasks", await ask(hub.url, `${tasks}?state=claimed&plan=01-01`, { as: other }));
  assert.deepEqual(
    claimed.body.tasks.map(({ task, holder }: { task: string; holder: string }) => [task, holder]),
    [["1-1-T1", "dev-1"]],
  );

  const body = { token, commit: "abc1234", files: ["src/a.ts"], deviations: ["no tests yet"] };
  assert.equal(fits("completeTask", await ask(hub.url, `${tasks}/1-1-T1/complete`, { as: dev, body })).status, 201);
  const after = fits("showBoard", await ask(hub.url, `${tasks}/board`, { as: other }));
  assert.deepEqual([after.body.available, after.body.advisedDevelopers], [["1-1-T2", "1-1-T3"], 2]);
  const story = fits("showTask", await ask(hub.url, `${tasks}/1-1-T1?plan=1-1`, { as: other })).body;
  assert.deepEqual(
    story.claims.map(({ holder, token: grant, end }: Record<string, unknown>) => [holder, grant, end]),
    [["dev-1", token, "reported"]],
  );
  assert.deepEqual(
    [story.reports[0].outcome, story.neededBy, story.files.length],
    ["reported", [{ task: "1-1-T3", state: "available" }], 2],
  );
  assert.equal((await ask(hub.url, `${tasks}/9-9-T9`, { as: other })).status, 404);
  const lanes = fits("showLanes", await ask(hub.url, "/api/teams/web/lanes", { as: other })).body;
  assert.deepEqual([lanes.entries.seq.length, lanes.claims.length, lanes.claims[0].seq], [lanes.seq, 1, token]);
  const past = async (seq: number) =>
    fits("showPast", await ask(hub.url, `/api/teams/web/at/${seq}/tasks`, { as: other })).body.value[0].state;
  assert.deepEqual(
    [await past(token - 1), await past(token), await past(lanes.seq)],
    ["available", "claimed", "reported"],
  );
  const now = encodeURIComponent(new Date().toISOString());
  const last = fits("findSeq", await ask(hub.url, `/api/teams/web/seq?time=${now}`, { as: other })).body;
  assert.equal(last.seq, lanes.seq);
  const done = fits("claimTask", await ask(hub.url, `${tasks}/1-1-T1/claim`, { as: other, body: {} }));
  assert.deepEqual([done.status, done.body.code, done.body.reason], [409, "task-done", "done"]);
});

test("a denied claim is 409 and names the holder and the paths; whose claim it is not is refused", async (t) => {
  const { hub, dev, other } = await desk(t);
  const { token } = (await ask(hub.url, `${tasks}/1-1-T1/claim`, { as: dev, body: {} })).body;
  const denied = async (task: string, body: object = {}) => {
    const answer = fits(
      "claimTask",
      await ask(hub.url, `${tasks}/${encodeURIComponent(task)}/claim`, { as: other, body }),
    );
    const { granted, reason, holder, paths, receipt } = answer.body;
    assert.equal(granted, false);
    assert.ok(receipt.seq > 0, "denials are on record");
    return [answer.status, reason, holder, paths];
  };
  assert.deepEqual(await denied("1-1-T1"), [409, "held", "dev-1", ["src/a.ts", "src/names"]]);
  assert.deepEqual(await denied("01-01/task-2"), [409, "overlap", "dev-1", ["src/names"]]);
  assert.deepEqual(await denied("1-1-T3"), [409, "blocked", null, []]);
  assert.deepEqual(await denied("9-9-T9"), [404, "unknown-task", null, []]);
  assert.deepEqual(await denied("1-1-T2", { files: ["../x"] }), [422, null, null, []]);

  const foreign = fits(
    "completeTask",
    await ask(hub.url, `${tasks}/1-1-T1/complete`, { as: other, body: { commit: "abc1234" } }),
  );
  assert.deepEqual([foreign.status, foreign.body.code], [409, "not-holder"]);
  assert.equal(
    fits("releaseTask", await ask(hub.url, `${tasks}/1-1-T1/release`, { as: dev, body: { token, id: "r-1" } })).status,
    201,
  );
  assert.equal(fits("claimTask", await ask(hub.url, `${tasks}/1-1-T1/claim`, { as: other, body: {} })).status, 201);
  const fenced = fits(
    "completeTask",
    await ask(hub.url, `${tasks}/1-1-T1/complete`, { as: dev, body: { token, commit: "abc1234" } }),
  );
  assert.deepEqual([fenced.status, fenced.body.code], [409, "fenced-claim"]);
  const late = fits("renewClaim", await ask(hub.url, `${tasks}/1-1-T1/renew`, { as: dev, body: { token } }));
  assert.deepEqual([late.status, late.body.code, late.body.granted], [409, "fenced-claim", false]);
});

test("a lead that reassigns through a hub reads what the old holder has not committed, and so do both agents", async (t) => {
  const files = { "src/a.ts": "a\n", "src/names/list.ts": "n\n", "docs/c.md": "c\n" };
  await using made = await madeRepository({
    commits: [{ tree: tree(files), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  git(made.directory, "checkout", "-q", "-f", "main");
  // Each agent works in its own linked work tree; dev-1 has also begun in the shared one.
  for (const agent of ["dev-1", "dev-2"])
    git(made.directory, "worktree", "add", "-q", "-b", `work/${agent}`, join(made.folder, agent));
  writeFileSync(join(made.directory, "src/a.ts"), "begun\n");
  writeFileSync(join(made.directory, "docs/c.md"), "the lead's own\n");
  writeFileSync(join(made.folder, "dev-1/docs/c.md"), "more\n");
  writeFileSync(join(made.folder, "dev-2/src/a.ts"), "another's\n");
  const { hub, lead, dev, other } = await desk(t, {
    directory: made.directory,
    environment: testEnvironment,
  });
  await ask(hub.url, `${tasks}/1-1-T1/claim`, { as: dev, body: {} });

  const move = { as: lead, body: { to: "dev-2", reason: "dev-1 is away" } };
  const moved = fits("reassignTask", await ask(hub.url, `${tasks}/1-1-T1/reassign`, move));
  assert.equal(moved.status, 201, JSON.stringify(moved.body));
  const note =
    "dev-1 left 2 uncommitted files: src/a.ts, dev-1:docs/c.md. Agree on what becomes of them before anybody edits there.";
  assert.deepEqual(moved.body.notes, [{ code: "uncommitted-work", path: "task", message: note }]);
  for (const [agent, as] of [
    ["dev-1", dev],
    ["dev-2", other],
  ] as const) {
    const mail = await ask(hub.url, `/api/teams/web/agents/${agent}/inbox`, { as });
    assert.ok(JSON.stringify(mail.body).includes(note), JSON.stringify(mail.body));
  }

  // Who may not reassign learns nothing of anybody's files.
  const denied = await ask(hub.url, `${tasks}/1-1-T1/reassign`, { as: dev, body: { to: "dev-1" } });
  assert.equal(denied.body.code, "sender-not-authorised");
  assert.doesNotMatch(JSON.stringify(denied.body), /uncommitted/);
});
