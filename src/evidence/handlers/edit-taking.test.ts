/** An edit of a file that another task names: whose it is, who reads that, and what the plan's summary says of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../../testing/test-team.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
  { agent: "dev-2", role: "dev" },
] as const;

test("an agent that edits the file of another task reads whose it is, and the lead and its holder learn it, once", async () => {
  for (const holder of ["dev-1", null]) {
    await using team = await testTeam({ agents, claims: "edits", hasRepository: false });
    const [lead, other, dev] = [team.as("lead-1"), team.as("dev-1"), team.as("dev-2")];
    for (const [task, file] of [
      ["T1", "src/a.js"],
      ["T2", "src/b.js"],
    ] as const)
      await lead.addTask({ task, plan: "1-1", files: [file] });
    assert.equal((await dev.claim({ task: "T2" })).outcome, "accepted");
    if (holder !== null) assert.equal((await other.claim({ task: "T1", files: ["src/other.js"] })).outcome, "accepted");
    const edited = await dev.editFiles(["src/a.js"]);
    assert.ok(edited.ok && edited.value.taken.length === 1, JSON.stringify(edited));
    const whose = `src/a.js of T1, which ${holder ?? "nobody"} holds`;
    assert.ok(edited.value.notes[0]?.message.includes(whose), JSON.stringify(edited.value.notes));
    await dev.editFiles(["src/a.js"]);
    const mail = async (reader: typeof lead) => {
      const page = await reader.inbox();
      return page.ok ? page.value.deliveries.filter((each) => JSON.stringify(each).includes(whose)).length : -1;
    };
    assert.deepEqual([await mail(lead), await mail(other), await mail(dev)], [1, holder === null ? 0 : 1, 0]);
    // A file that no task names is nobody's.
    const free = await dev.editFiles(["src/c.js"]);
    assert.ok(free.ok && !free.value.notes[0]?.message.includes("Another task"));
  }
});

test("the recorded summary of a plan says which task names a file that another one changed", async () => {
  await using team = await testTeam({ agents, claims: "edits", hasRepository: false });
  const [lead, dev] = [team.as("lead-1"), team.as("dev-2")];
  await lead.addTask({ task: "T1", plan: "1-1", files: ["src/a.js"] });
  await lead.addTask({ task: "T2", plan: "1-1", files: ["src/b.js"] });
  for (const [task, files] of [
    ["T2", ["src/b.js", "src/a.js", "src/c.js"]],
    ["T1", ["src/a.js"]],
  ] as const) {
    await dev.claim({ task });
    const reply = await dev.complete({ task, commit: "4f2a9c1", files });
    assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
  }
  const summary = await lead.summary({ plan: "1-1" });
  assert.deepEqual(summary.ok && summary.value.deviations, [
    "changed src/a.js, which another task, T1, names",
    "changed src/c.js, which no task of the plan named",
  ]);
});

test("an edit of a file that another agent holds is in the log, a few times and then counted, and needs nobody", async () => {
  for (const claims of ["edits", "declared"] as const) {
    await using team = await testTeam({ agents, claims, hasRepository: false });
    const [lead, dev] = [team.as("lead-1"), team.as("dev-2")];
    await lead.addTask({ task: "T1", plan: "1-1", files: ["src/a.js"] });
    await team.as("dev-1").claim({ task: "T1", files: ["src/a.js"] });
    for (let times = 0; times < 9; times++) {
      const denied = await dev.editFiles(["src/a.js", "src/b.js"]);
      assert.equal(denied.ok && denied.value.problems[0]?.code, "outside-claim");
    }
    const page = await lead.logPage({ agent: "dev-2", kinds: ["refusal"] });
    const lines = page.ok ? page.value.entries.map(({ summary }) => summary) : [];
    assert.deepEqual(lines, Array<string>(3).fill("refused: dev-1 holds src/a.js, so it was not written."));
    const needs = await team.as("owner").needs();
    assert.ok(needs.ok && needs.value.needs.length === 0, JSON.stringify(needs));
  }
});
