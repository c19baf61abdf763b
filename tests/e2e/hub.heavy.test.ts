/**
 * Every command works against a hub as against a file: the same lines are given to both, and what is printed on
 * standard output and the exit codes must be the same. The list is checked against the catalogue, so no command can be
 * forgotten. Some are separate processes towards the hub, as people start them; the others are called in this one.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogue } from "../../src/main/catalogue.ts";
import { hookLines } from "./both-lines/hooks.ts";
import { messageLines } from "./both-lines/messages.ts";
import { phaseLines } from "./both-lines/phases.ts";
import { recordLines } from "./both-lines/record.ts";
import { workLines } from "./both-lines/work.ts";
import { inBothForms, type Line, plain, together } from "./both-places.ts";
import { folder, handoff, team } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

/** Commands that serve or start programs on this machine; that they speak to a separate hub is tried elsewhere. */
const servers = ["mcp", "run", "up"];

/**
 * One command for each way of speaking to a hub: it asks, waits, sends, sends a file, is paged, or brings what it finds in a
 * repository. That each command is whole as a process is tried on a file (output.test.ts), and what goes on until it is
 * interrupted is a process here too.
 */
const asProcesses = [
  "status",
  "inbox",
  "send",
  "task claim",
  "handoff issue",
  "journal export",
  "journal backup",
  "verify",
];

/** In the order they are run: each line finds what those before have left. */
const lines: Readonly<Record<string, readonly Line[]>> = {
  ...messageLines,
  ...phaseLines,
  ...workLines,
  ...recordLines,
  ...hookLines,
};

const agents = ["lead-1", "dev-1", "qa-1", "scout-1", "owner"];
const forged = {
  team: "web",
  seq: 2,
  id: null,
  digest: null,
  hash: "f".repeat(64),
  prevHash: "0".repeat(64),
  epoch: 1,
  durability: "fsync",
  duplicate: false,
};

test("every command that has a team or a record is tried", async () => {
  const expected: string[] = [];
  for (const { name, load } of catalogue) {
    const { command } = await load();
    if (command.isLocal !== true && !servers.includes(name)) expected.push(name);
  }
  assert.deepEqual(Object.keys(lines).toSorted(), expected.toSorted());
  assert.ok(asProcesses.every((name) => name in lines));
});

test("the same lines print the same and end the same, on a file and on a hub", async () => {
  // Two teams of one kind, with the same tokens made, so that even the numbers of the entries are the same.
  const here = team({ dialects: "vbw/2, bmad/1" });
  const there = team({ dialects: "vbw/2, bmad/1" });
  const away = folder();
  const tokens = new Map<string, string>();
  for (const agent of agents) {
    tokens.set(agent, await tokenOf(there, agent));
    await tokenOf(here, agent);
  }
  for (const place of [here, away]) {
    writeFileSync(join(place, "forged.json"), JSON.stringify(forged));
    writeFileSync(join(place, "handoff.yaml"), handoff("forged.json"));
  }
  const hub = await startHub(there);
  const differences: string[] = [];
  for (const { line, run } of Object.entries(lines).flatMap(([name, own]) =>
    inBothForms(own, asProcesses.includes(name)),
  )) {
    const [local, remote] = await together(
      run,
      { place: here, line, who: line.as === undefined ? [] : ["--as", line.as], variables: {} },
      { place: away, line, who: [], variables: towards(hub, tokens.get(line.as ?? "owner") ?? "") },
    );
    const said = `baton ${line.words.join(" ")}, as ${line.as ?? "the owner"}`;
    const code = `exit code ${line.code}\n`;
    const expected = `${code}${plain(local.stdout)}${plain(local.stderr)}`;
    const found = `exit code ${remote.code}\n${plain(remote.stdout)}${plain(remote.stderr)}`;
    if (local.code !== line.code || found !== expected) {
      differences.push(`${said}\n--- on a file (${local.code})\n${expected}--- on a hub\n${found}`);
    }
  }
  assert.equal(differences.join("\n"), "");
});
