/**
 * A note on a message reaches its receiver wherever it reads: by command, by tool, and in the mail that hooks show.
 * Rule: docs/protocol/messages.md, section 18.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines } from "../e2e/command.ts";
import { hook } from "../e2e/hook-call.ts";
import { git } from "../evidence/history.ts";
import { clients } from "./clients.ts";

const { "the first SDK's client": connect } = clients;

/** Two departments whose agents do not talk to each other. */
function departments(): string {
  const directory = folder();
  git(directory, "init", "--quiet");
  mkdirSync(join(directory, ".baton"));
  const agents = ["backend", "frontend"].flatMap((department) =>
    ["lead", "senior", "dev"].map((role) => `  ${department}-${role}: {role: ${role}, department: ${department}}\n`),
  );
  const head = "version: 1\nteam: web\ndialects: [yolo/1]\npolicy: enforce\n";
  writeFileSync(join(directory, ".baton/team.yaml"), `${head}agents:\n${agents.join("")}`);
  return directory;
}

const changes = {
  type: "code_review_changes",
  plan_id: "01-01",
  cycle: 1,
  changes: [{ f: "src/a.js", ln: 1, issue: "Unclear name", fix: "Rename it" }],
  must_fix: ["src/a.js:1"],
  rerun_tests: true,
};
const approval = {
  type: "code_review_result",
  plan_id: "01-01",
  cycle: 1,
  result: "approve",
  findings_count: 1,
  critical: 0,
};

/** What each door shows the reader of its last message: by command, in JSON, by tool, and in a hook. */
async function doors(directory: string, reader: string) {
  assert.ok(connect !== undefined);
  // First: what the tool returns, no hook shows again.
  const mail = (await hook(directory, "SessionStart", { session_id: "s1" }, ["--as", reader])).context;
  const client = await connect({ directory, words: ["mcp", "--as", reader] });
  const tool = (await client.call("read_inbox")).data.messages as readonly Noted[]; // as documented
  await client.close();
  return {
    text: (await calledWithCode(0, directory, ["inbox", "--as", reader])).stdout,
    json: jsonLines(await calledWithCode(0, directory, ["inbox", "--as", reader, "--json"])).at(-1) as
      | Noted
      | undefined,
    tool: tool.at(-1),
    mail,
  };
}

interface Noted {
  readonly effect?: boolean;
  readonly notes?: readonly { readonly code: string }[];
}

async function isNoted(directory: string, reader: string, code: string): Promise<void> {
  const { text, json, tool, mail } = await doors(directory, reader);
  assert.match(text, new RegExp(`note ${code} at `));
  assert.match(mail, new RegExp(`\\nNote: ${code} at `));
  for (const line of [json, tool]) {
    assert.deepEqual(
      line?.notes?.map((note) => note.code),
      [code],
    );
    assert.equal(line?.effect, undefined, "it has its effect");
  }
}

test("who reads an approval that approves nothing reads why, at each door", async () => {
  const directory = departments();
  await calledWithCode(0, directory, ["send", "--as", "backend-senior"], JSON.stringify(changes));
  await calledWithCode(0, directory, ["send", "--as", "backend-senior"], JSON.stringify(approval));
  await isNoted(directory, "backend-lead", "must-fix-open");
});

test("who reads words from another department reads that they are, at each door", async () => {
  const directory = departments();
  await calledWithCode(0, directory, ["send", "--as", "backend-dev", "--to", "frontend-dev"], "Which colour?");
  await isNoted(directory, "frontend-dev", "across-departments");
});

test("how the sender wrote a message is no note for its receiver", async () => {
  const directory = departments();
  const drifted = JSON.stringify({ ...approval, findings_count: undefined, findingsCount: 1, extra: 1 });
  const { said } = await called(directory, ["send", "--as", "backend-senior"], drifted);
  assert.match(said, /\(alias at \$\.findingsCount\)/);
  assert.match(said, /\(unknown-field at \$\.extra\)/);
  const { text, json, tool, mail } = await doors(directory, "backend-lead");
  for (const shown of [text, mail]) assert.doesNotMatch(shown, /note:? [a-z-]+ at /i);
  for (const line of [json, tool]) assert.ok(line !== undefined && !("notes" in line));
});

for (const length of [8_000, 9_300, 11_000]) {
  test(`a note has room in the mail of a hook next to a message of ${length} characters, or the message is only named`, async () => {
    const directory = departments();
    const words = `${"x".repeat(length)} end`;
    await calledWithCode(0, directory, ["send", "--as", "backend-dev", "--to", "frontend-dev"], words);
    const { context } = await hook(directory, "SessionStart", { session_id: "s1" }, ["--as", "frontend-dev"]);
    assert.ok(context.length <= 10_000, `${context.length}`);
    assert.match(context, /\nNote: across-departments at frontend-dev: /);
    assert.match(context, length === 8_000 ? /x end/ : /Too long to show here/);
  });
}
