/** Handoff documents inside Markdown files: issued in place, with the words around them unchanged. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { handoff, jsonLines, problemCodes, team } from "../e2e/command.ts";

const as = (agent: string, ...words: readonly string[]) => ["handoff", ...words, "--as", agent];

/** A team with the file that the document needs, and a Markdown file `notes.md` of this text. */
function place(text: string): { readonly directory: string; readonly file: string } {
  const directory = team({ dialects: "bmad/1" });
  mkdirSync(join(directory, "docs"));
  writeFileSync(join(directory, "docs/story.md"), "# The story\n");
  const file = join(directory, "notes.md");
  writeFileSync(file, text);
  return { directory, file };
}

const words = "\n# Notes\n\nhandoff: what they say here is theirs\n\n- [ ] ask: why?\n";
const document = handoff("docs/story.md");

for (const [where, before, after] of [
  ["at the head of", "---\n", `---\n${words}`],
  ["at the head of (with Windows' line ends)", "---\r\n", `---\r\n${words.replaceAll("\n", "\r\n")}`],
  ["as all of", "---\n", "---\n"],
  ["in a fence of", `${words}\n\`\`\`yaml\n`, `\`\`\`\n${words}`],
] as const) {
  test(`a document ${where} a Markdown file is issued in its place, verified and accepted by the file`, async () => {
    const draft = before.includes("\r") ? document.replaceAll("\n", "\r\n") : document;
    const { directory, file } = place(before + draft + after);
    await calledWithCode(0, directory, ["handoff", "validate", "notes.md"]);
    const issue = as("lead-1", "issue", "notes.md", "--json");
    const [issued] = jsonLines(await calledWithCode(0, directory, issue));
    assert.deepEqual([issued?.handoff, issued?.isNew, issued?.files], ["handoff-1", true, 1]);
    const stamped = readFileSync(file, "utf8");
    assert.ok(stamped.startsWith(before) && stamped.endsWith(after), stamped);
    const changed = stamped.slice(before.length, stamped.length - after.length);
    assert.match(changed, /docs\/story\.md: sha256:[0-9a-f]{64}\r?\n/);
    assert.doesNotMatch(changed.replaceAll("\r\n", ""), before.includes("\r") ? /\n/ : /\r/);
    const [again] = jsonLines(await calledWithCode(0, directory, issue));
    assert.equal(again?.isNew, false);
    await calledWithCode(0, directory, ["handoff", "validate", "notes.md", "--files"]);
    await calledWithCode(0, directory, as("dev-1", "accept", "notes.md"));
    const { stdout } = await calledWithCode(0, directory, ["handoff", "list", "handoff-1", "--document"]);
    assert.doesNotMatch(stdout, /Notes/, "the words around it are not sent");
  });
}

const indented = document.replaceAll(/^(?=.)/gm, "   ");
for (const [what, text, code] of [
  ["words under headings", "# Handoff\n\nTo: dev-1\n\n## Task\n\nSign users in: now\n", "unknown-type"],
  ["a head that is no document", "---\nto: dev-1\ntitle: Sign in\n---\n# Handoff\n\nSign users in\n", "unknown-type"],
  ["two documents", `\`\`\`yaml\n${document}\`\`\`\n\n\`\`\`yaml\n${document}\`\`\`\n`, "unknown-type"],
  ["a fault in its document", `---\n${document.replace("target_agent:", "target_agent: [")}---\n${words}`, "not-yaml"],
] as const) {
  test(`a Markdown file with ${what} is refused, untouched, with what to do`, async () => {
    const { directory, file } = place(text);
    const refused = await calledWithCode(2, directory, as("lead-1", "issue", "notes.md", "--json"));
    assert.deepEqual(problemCodes(refused), [code]);
    const [{ path = "", hint = "" } = {}] = (jsonLines(refused)[0]?.problems ?? []) as {
      path?: string;
      hint?: string;
    }[];
    if (code === "unknown-type") assert.match(hint, /baton handoff new writes one/);
    else assert.match(path, /^notes\.md:[1-9]\d*:\d+$/);
    assert.equal(readFileSync(file, "utf8"), text);
  });
}

test("a document in a fence that is part of a list keeps its place, or is refused", async () => {
  const text = `1. Hand over:\n\n   \`\`\`yaml\n${indented}   \`\`\`\n2. Wait\n`;
  const { directory, file } = place(text);
  await calledWithCode(0, directory, as("lead-1", "issue", "notes.md"));
  const stamped = readFileSync(file, "utf8");
  assert.ok(stamped.startsWith("1. Hand over:\n\n   ```yaml\n   ") && stamped.endsWith("   ```\n2. Wait\n"), stamped);
  await calledWithCode(0, directory, as("dev-1", "accept", "notes.md"));
});
