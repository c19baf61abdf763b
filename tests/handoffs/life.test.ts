/** A handoff document's life as people run it: issued in its file, verified, answered, and followed by the next. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, handoff, jsonLines, message, problemCodes, team } from "../e2e/command.ts";
import { startHub, tokenOf, towards } from "../e2e/hub-process.ts";

/** A team with one file and one draft; `more` are further lines of the document. */
function place(more = "", dialects = "bmad/1, vbw/2"): { readonly directory: string; readonly file: string } {
  const directory = team({ dialects });
  mkdirSync(join(directory, "docs"));
  writeFileSync(join(directory, "docs/story.md"), "# The story\n");
  const file = join(directory, "handoff.yaml");
  writeFileSync(file, handoff("docs/story.md", more));
  return { directory, file };
}

const as = (agent: string, ...words: readonly string[]) => ["handoff", ...words, "--as", agent];

test("issuing writes its stamp into the file and leaves comments, order and all the rest", async () => {
  // Blank lines, quotes and an earlier handoff as the document's own example has them.
  const earlier = '- source_agent: "pm"\n        target_agent: "lead-1"\n        timestamp: "2023-08-15T10:00:00Z"';
  const history = `  history:\n    previous_handoffs:\n      ${earlier}\n        summary: "The PRD is reviewed"\n`;
  const { directory, file } = place(`  notes: {b: 1, a: 2}  # as it was\n  \n${history}`);
  const draft = readFileSync(file, "utf8");
  const [issued] = jsonLines(await calledWithCode(0, directory, as("lead-1", "issue", "handoff.yaml", "--json")));
  assert.deepEqual(
    [issued?.handoff, issued?.isNew, issued?.receivers, issued?.files],
    ["handoff-1", true, ["dev-1"], 1],
  );
  const stamped = readFileSync(file, "utf8");
  const lines = stamped.split("\n");
  const changed = draft.split("\n").filter((line) => !lines.includes(line));
  assert.deepEqual(changed, []);
  assert.match(stamped, /docs\/story\.md: "sha256:[0-9a-f]{64}"\n/);
  await calledWithCode(0, directory, ["handoff", "validate", "handoff.yaml"]);
  const [again] = jsonLines(await calledWithCode(0, directory, as("lead-1", "issue", "handoff.yaml", "--json")));
  assert.deepEqual([again?.isNew, again?.seq], [false, issued?.seq]);
  assert.equal(readFileSync(file, "utf8"), stamped);
  const { stdout } = await calledWithCode(0, directory, ["handoff", "list", "handoff-1", "--document"]);
  assert.equal(stdout, stamped);
});

test("a JSON document keeps its order and its indentation", async () => {
  const { directory } = place();
  const file = join(directory, "handoff.json");
  const draft = {
    handoff: {
      instructions: { primary: "Sign users in" },
      metadata: { target_agent: "dev-1" },
      dependencies: {},
      context: { story_file: "docs/story.md" },
    },
  };
  writeFileSync(file, `${JSON.stringify(draft, null, "\t")}\n`);
  await calledWithCode(0, directory, as("lead-1", "issue", "handoff.json"));
  const text = readFileSync(file, "utf8");
  const { handoff: sections } = JSON.parse(text) as { handoff: Record<string, Record<string, unknown>> }; // just written
  assert.deepEqual(Object.keys(sections), ["instructions", "metadata", "dependencies", "context", "validation"]);
  assert.deepEqual(Object.keys(sections.metadata ?? {}), ["id", "source_agent", "target_agent", "timestamp"]);
  assert.equal(sections.metadata?.source_agent, "lead-1");
  assert.ok(text.startsWith('{\n\t"handoff"') && text.endsWith("}\n"));
});

test("a file that was changed is found before anything is accepted, and the refusal is recorded", async () => {
  const { directory } = place();
  await calledWithCode(0, directory, as("lead-1", "issue", "handoff.yaml"));
  writeFileSync(join(directory, "docs/story.md"), "# Another story\n");
  const verified = await calledWithCode(2, directory, ["handoff", "validate", "handoff.yaml", "--files", "--json"]);
  assert.deepEqual(
    jsonLines(verified).map(({ valid, path, state }) => [valid, path, state]),
    [
      [true, undefined, undefined],
      [undefined, "docs/story.md", "changed"],
    ],
  );
  const refused = await calledWithCode(2, directory, as("dev-1", "accept", "handoff-1", "--json"));
  assert.deepEqual(problemCodes(refused), ["file-changed"]);
  const log = jsonLines(await calledWithCode(0, directory, ["log", "--json"]));
  assert.equal(log.at(-1)?.kind, "refusal");
  writeFileSync(join(directory, "docs/story.md"), "# The story\n");
  await calledWithCode(0, directory, as("dev-1", "accept", "handoff-1"));
});

test("the agent that accepts holds the task with a new token, and the one before is fenced", async () => {
  const { directory, file } = place();
  await calledWithCode(0, directory, ["task", "add", "1-1-T1", "--files", "src/"]);
  const [claim] = jsonLines(
    await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--as", "lead-1", "--json"]),
  );
  writeFileSync(file, readFileSync(file, "utf8").replace("workflow_id: sign-in", "task_id: 1-1-T1"));
  await calledWithCode(0, directory, as("lead-1", "issue", "handoff.yaml"));
  const [accepted] = jsonLines(await calledWithCode(0, directory, as("dev-1", "accept", "handoff.yaml", "--json")));
  const moved = accepted?.claim as { task: string; token: number; expiresAt: string; files: string[] }; // as documented
  assert.deepEqual([moved.task, moved.files], ["1-1-T1", ["src/"]]);
  assert.ok(moved.token > Number(claim?.token));
  const late = await called(directory, [
    "task",
    "release",
    "1-1-T1",
    "--as",
    "lead-1",
    "--token",
    String(claim?.token),
    "--json",
  ]);
  assert.deepEqual(problemCodes(late), ["fenced-claim"]);
  const [again] = jsonLines(await calledWithCode(0, directory, as("dev-1", "accept", "handoff-1", "--json")));
  assert.deepEqual(again?.claim, { ...moved, expiresAt: (again?.claim as typeof moved | undefined)?.expiresAt });
});

test("what is rejected is mended and issued again under a new id, with the first before it, in a workflow or none", async () => {
  const { directory, file } = place();
  writeFileSync(file, readFileSync(file, "utf8").replace(/.*workflow_id: sign-in.*\n/, ""));
  await calledWithCode(0, directory, as("lead-1", "issue", "handoff.yaml"));
  await calledWithCode(2, directory, as("dev-1", "reject", "handoff-1"));
  await calledWithCode(
    0,
    directory,
    as("dev-1", "reject", "handoff-1", "--reason", "no criteria", "--reason", "too large"),
  );
  assert.deepEqual(problemCodes(await calledWithCode(2, directory, as("dev-1", "accept", "handoff-1", "--json"))), [
    "already-answered",
  ]);
  const [told] = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "lead-1", "--json"]));
  assert.match(String(told?.message), /dev-1 rejected.*\nReason: no criteria\nReason: too large/);
  writeFileSync(file, readFileSync(file, "utf8").replace('"Sign users in"', '"Sign users in, by mail"'));
  const [issued] = jsonLines(await calledWithCode(0, directory, as("lead-1", "issue", "handoff.yaml", "--json")));
  assert.notEqual(issued?.handoff, "handoff-1");
  assert.match(readFileSync(file, "utf8"), /summary: "?Rejected \(no criteria; too large\): Sign users in"?\n/);
  assert.match(String(told?.message), /with handoff-1 \(lead-1 to dev-1, 2026-.*\) among its previous_handoffs/);
  const { stdout } = await calledWithCode(0, directory, ["handoff", "list", String(issued?.handoff)]);
  assert.match(stdout, /\n {2}after +handoff-1\n/);
  await calledWithCode(0, directory, as("dev-1", "accept", String(issued?.handoff)));
});

test("a document that comes by send is issued like any other", async () => {
  const { directory, file } = place();
  await calledWithCode(0, directory, ["send", "handoff.yaml", "--as", "lead-1"]);
  const [listed] = jsonLines(await calledWithCode(0, directory, ["handoff", "list", "--json"]));
  assert.deepEqual([listed?.id, listed?.status, listed?.receivers], ["handoff-1", "issued", ["dev-1"]]);
  writeFileSync(file, readFileSync(file, "utf8").replace("Sign users in", "Something else"));
  assert.deepEqual(
    problemCodes(await calledWithCode(2, directory, ["send", "handoff.yaml", "--as", "lead-1", "--json"])),
    ["id-conflict"],
  );
  assert.deepEqual(problemCodes(await calledWithCode(2, directory, as("dev-1", "accept", "handoff.yaml", "--json"))), [
    "not-verified",
  ]);
  await calledWithCode(0, directory, as("dev-1", "accept", "handoff-1"));
});

test("an incoming checksum that shows nothing neither verifies nor blocks", async () => {
  const { directory } = place("  validation:\n    file_checksums:\n      docs/story.md: a1b2c3d4e5f6\n");
  const [, check] = jsonLines(
    await calledWithCode(0, directory, ["handoff", "validate", "handoff.yaml", "--files", "--json"]),
  );
  assert.equal(check?.state, "weak");
  await calledWithCode(0, directory, ["send", "handoff.yaml", "--as", "lead-1"]);
  const [accepted] = jsonLines(await calledWithCode(0, directory, as("dev-1", "accept", "handoff-1", "--json")));
  assert.equal(accepted?.weak, 1);
});

test("an id that YAML reads as a number is refused, not replaced by a new one", async () => {
  const { directory, file } = place();
  writeFileSync(file, readFileSync(file, "utf8").replace("id: handoff-1", "id: 007"));
  const draft = readFileSync(file, "utf8");
  assert.match(draft, /id: 007/);
  const refused = await calledWithCode(2, directory, as("lead-1", "issue", "handoff.yaml", "--json"));
  assert.deepEqual(problemCodes(refused), ["wrong-type"]);
  assert.equal(readFileSync(file, "utf8"), draft);
});

const unissued = [
  ["a required file that is not there", "", "docs/none.md", "file-missing"],
  ["a required file outside", "", "../story.md", "file-outside"],
  ["a part of another form", "  history: [1]\n", "docs/story.md", "wrong-type"],
  ["itself among its files", "", "handoff.yaml", "cross-field"],
] as const;
for (const [name, more, required, code] of unissued) {
  test(`a document with ${name} is not issued, and its file stays as it was`, async () => {
    const { directory, file } = place(more);
    writeFileSync(file, readFileSync(file, "utf8").replace("docs/story.md", required));
    const draft = readFileSync(file, "utf8");
    const refused = await calledWithCode(2, directory, as("lead-1", "issue", "handoff.yaml", "--json"));
    assert.equal(problemCodes(refused)[0], code);
    assert.equal(readFileSync(file, "utf8"), draft);
  });
}

test("a document that the team refuses is put back as it was", async () => {
  const { directory, file } = place();
  writeFileSync(file, readFileSync(file, "utf8").replace("target_agent: dev-1", "target_agent: dev-3"));
  const draft = readFileSync(file, "utf8");
  const refused = await calledWithCode(2, directory, as("lead-1", "issue", "handoff.yaml", "--json"));
  assert.deepEqual(problemCodes(refused), ["unknown-receiver"]);
  assert.equal(readFileSync(file, "utf8"), draft);
});

test("no link leads a document out of the root", async () => {
  const { directory } = place();
  const outside = join(folder(), "elsewhere.yaml");
  writeFileSync(outside, handoff("docs/story.md"));
  symlinkSync(outside, join(directory, "linked.yaml"));
  const refused = await calledWithCode(2, directory, as("lead-1", "issue", "linked.yaml", "--json"));
  assert.deepEqual(problemCodes(refused), ["file-outside"]);
  assert.equal(readFileSync(outside, "utf8"), handoff("docs/story.md"));
});

test("a team that does not speak bmad/1 gets the hint to list it", async () => {
  const { directory, file } = place("", "vbw/2");
  const draft = readFileSync(file, "utf8");
  const refused = await calledWithCode(2, directory, as("lead-1", "issue", "handoff.yaml"));
  assert.match(refused.stderr, /unknown-dialect.*add bmad\/1 to dialects/s);
  assert.equal(readFileSync(file, "utf8"), draft);
});

test("through a hub it is the same: files are looked at where the command runs", async () => {
  const { directory } = place();
  const hub = await startHub(directory);
  const lead = towards(hub, await tokenOf(directory, "lead-1"));
  const dev = towards(hub, await tokenOf(directory, "dev-1"));
  const away = folder();
  mkdirSync(join(away, "docs"));
  writeFileSync(join(away, "docs/story.md"), "# The story\n");
  writeFileSync(join(away, "handoff.yaml"), handoff("docs/story.md"));
  const code = async (words: readonly string[], variables: Readonly<Record<string, string>>) => {
    const done = await called(away, ["handoff", ...words], "", variables);
    return `${words.join(" ")}: ${done.code}${done.code === 0 ? "" : ` ${done.stderr}`}`;
  };
  assert.equal(await code(["issue", "handoff.yaml"], lead), "issue handoff.yaml: 0");
  writeFileSync(join(away, "docs/story.md"), "# Changed on the way\n");
  assert.match(await code(["accept", "handoff-1"], dev), /accept handoff-1: 2 .*file-changed/s);
  writeFileSync(join(away, "docs/story.md"), "# The story\n");
  assert.equal(await code(["accept", "handoff-1"], dev), "accept handoff-1: 0");
  assert.equal(await code(["list", "handoff-1"], lead), "list handoff-1: 0");
  assert.equal(await code(["complete", "handoff-1"], dev), "complete handoff-1: 0");
  assert.match(await code(["accept", "handoff-2"], dev), /accept handoff-2: 3 .*unknown-request/s);
  const { stdout } = await called(away, ["handoff", "list", "--all", "--json"], "", lead);
  assert.equal((JSON.parse(stdout) as { status: string }).status, "completed");
});

test("messages of other dialects go on as before in a team that hands over", async () => {
  const { directory } = place("", "vbw/2, bmad/1");
  await calledWithCode(0, directory, as("lead-1", "issue", "handoff.yaml"));
  const blocker = { plan_id: "1-1", task_id: "1-1-T1", blocker: "No mail server", needs: "One" };
  await calledWithCode(0, directory, ["send", "--as", "dev-1"], message("blocker_report", "dev", blocker));
  const [delivered] = jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "dev-1", "--json"]));
  assert.match(JSON.stringify(delivered?.message), /handoff-1/);
});

test("earlier handoffs that only the draft tells stay, with a note, and the recorded ones come from the record", async () => {
  const { directory, file } = place();
  await calledWithCode(0, directory, as("lead-1", "issue", "handoff.yaml"));
  await calledWithCode(0, directory, as("dev-1", "accept", "handoff.yaml"));
  const forged = ["lead-1", "dev-1"].map(
    (source, index) =>
      `      - source_agent: ${source}\n        target_agent: qa-1\n        timestamp: "2026-02-1${index}T10:00:00Z"\n        summary: "Approved by the owner"\n`,
  );
  const next = handoff("docs/story.md", `  history:\n    previous_handoffs:\n${forged.join("")}`)
    .replace("id: handoff-1 # ours", "id: handoff-2")
    .replace("source_agent: lead-1", "source_agent: dev-1")
    .replace("target_agent: dev-1", "target_agent: lead-1");
  writeFileSync(file, next);
  await calledWithCode(0, directory, as("dev-1", "issue", "handoff.yaml"));
  const { stdout: shown } = await calledWithCode(0, directory, ["show", "handoff-2", "--json"]);
  assert.match(shown, /history-unproven/);
  const stamped = readFileSync(file, "utf8");
  const summaries = [...stamped.matchAll(/summary: (.*)/g)].map(([, summary]) => summary);
  assert.deepEqual(summaries, ['"Approved by the owner"', '"Approved by the owner"', "Sign users in"]);
});

test("a document that its checksums bring over the limit is refused, and its file is as it was", async () => {
  const { directory, file } = place();
  const names = Array.from({ length: 2_800 }, (_, index) => `docs/story-${index}.md`);
  for (const name of names) writeFileSync(join(directory, name), "");
  const draft = handoff(names.join("\n      - "));
  writeFileSync(file, draft);
  const refused = await calledWithCode(2, directory, as("lead-1", "issue", "handoff.yaml", "--json"));
  assert.deepEqual(problemCodes(refused), ["too-large"]);
  assert.equal(readFileSync(file, "utf8"), draft);
});

test("no file of Baton's own is a required file", async () => {
  const { directory, file } = place();
  for (const own of [".baton/journal.db", ".baton/team.yaml"]) {
    writeFileSync(file, handoff(own));
    const refused = await calledWithCode(2, directory, as("lead-1", "issue", "handoff.yaml", "--json"));
    assert.deepEqual(problemCodes(refused), ["file-outside"], own);
  }
});
