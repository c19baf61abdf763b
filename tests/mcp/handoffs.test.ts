/**
 * Handoffs by MCP: a server next to its agent looks at the files itself, one behind HTTP takes the sums of the agent.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { calledWithCode } from "../e2e/called.ts";
import { handoff, team } from "../e2e/command.ts";
import { clients } from "./clients.ts";
import { codesOf, good } from "./every-tool.ts";
import { serve } from "./http-place.ts";

const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");
const story = "# The story\n";

/** A team with one issued handoff of a task that nobody holds. */
async function place(): Promise<string> {
  const directory = team({ dialects: "bmad/1" });
  mkdirSync(join(directory, "docs"));
  writeFileSync(join(directory, "docs/story.md"), story);
  writeFileSync(
    join(directory, "handoff.yaml"),
    handoff("docs/story.md").replace("workflow_id: sign-in", "task_id: 1-1-T1"),
  );
  await calledWithCode(0, directory, ["task", "add", "1-1-T1", "--files", "src/"]);
  await calledWithCode(0, directory, ["handoff", "issue", "handoff.yaml", "--as", "lead-1"]);
  return directory;
}

test("a server next to its agent verifies the files before it accepts", async () => {
  const directory = await place();
  const dev = await connect({ directory, words: ["mcp", "--as", "dev-1"] });
  const shown = await good(dev.call("handoff", { action: "show", handoff: "handoff-1" }));
  assert.match(JSON.stringify(shown.data.document), /"primary":"Sign users in"/);
  writeFileSync(join(directory, "docs/story.md"), "# Another\n");
  // What the agent says of them does not count where they can be looked at.
  const sums = { "docs/story.md": createHash("sha256").update(story).digest("hex") };
  const accept = { action: "accept", handoff: "handoff-1" };
  assert.deepEqual(codesOf(await dev.call("handoff", { ...accept, sums })), ["file-changed"]);
  writeFileSync(join(directory, "docs/story.md"), story);
  const accepted = await good(dev.call("handoff", { ...accept, id: "accept-1" }));
  const again = await good(dev.call("handoff", { ...accept, id: "accept-1" }));
  assert.equal((accepted.data.claim as { task: string }).task, "1-1-T1");
  assert.deepEqual(again.data.claim, accepted.data.claim);
  await good(dev.call("handoff", { action: "complete", handoff: "handoff-1" }));
  await dev.close();
});

test("a server that does not see the files takes the sums of the agent, for every one of them", async () => {
  const directory = await place();
  const dev = await connect((await serve(directory)).as("dev-1"));
  const accept = { action: "accept", handoff: "handoff-1" };
  assert.deepEqual(codesOf(await dev.call("handoff", accept)), ["not-verified"]);
  assert.deepEqual(codesOf(await dev.call("handoff", { ...accept, sums: {} })), ["file-missing"]);
  const other = createHash("sha256").update("other").digest("hex");
  assert.deepEqual(codesOf(await dev.call("handoff", { ...accept, sums: { "docs/story.md": other } })), [
    "file-changed",
  ]);
  const sum = createHash("sha256").update(story).digest("hex");
  await good(dev.call("handoff", { ...accept, sums: { "docs/story.md": `sha256:${sum}` } }));
  assert.deepEqual(codesOf(await dev.call("handoff", { action: "reject", handoff: "handoff-1", reasons: ["late"] })), [
    "already-answered",
  ]);
  await dev.close();
});

test("an agent reads in the words of baton status which handoffs wait only for agents that have left", async () => {
  const directory = await place();
  const lead = await connect((await serve(directory)).as("lead-1"));
  assert.equal((await good(lead.call("team_status"))).data.orphanedHandoffs, undefined, "dev-1 is there");
  await calledWithCode(0, directory, ["agent", "retire", "dev-1"]);
  const { data } = await good(lead.call("team_status"));
  const [orphan, ...more] = data.orphanedHandoffs as readonly { readonly [field: string]: unknown }[];
  assert.deepEqual(more, []);
  const about = "of lead-1 for dev-1, who left; to issue again to another agent: Sign users in";
  const { issuedAt, ...said } = orphan ?? {};
  assert.deepEqual(said, { handoff: "handoff-1", about, waitsFor: ["lead-1"] });
  const status = JSON.parse((await calledWithCode(0, directory, ["status", "--json"])).stdout);
  const known = status.orphanedHandoffs.map((each: typeof status) => [each.id, each.waitsFor, each.issuedAt]);
  assert.deepEqual(known, [["handoff-1", ["lead-1"], issuedAt]]);
  const words = `handoff handoff-1 ${about}; waits for lead-1`;
  assert.ok((await calledWithCode(0, directory, ["status"])).stdout.includes(words));
  await calledWithCode(0, directory, ["agent", "register", "dev-1", "--role", "dev"]);
  assert.equal((await good(lead.call("team_status"))).data.orphanedHandoffs, undefined, "dev-1 is back");
  await lead.close();
});
