/**
 * Every command in a shell that belongs to an agent (`BATON_AGENT`), without `--as`: it acts as this agent, or is refused as
 * the person's, or records nothing. Never does it act as the owner. What a command does is read from its own facts, and
 * its line from its examples, so a new one is tried at once. Rules: docs/protocol/doors.md, section 3.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { globalsOf } from "../../src/doors/cli/kernel/command.ts";
import { exitCodes } from "../../src/doors/cli/terminal/exit-codes.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import {
  noteStopped,
  noteWorking,
  processesAbove,
  sessionsFolder,
} from "../../src/perform/workspace/agent-sessions.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type Called, called } from "../e2e/called.ts";
import { folder, jsonLines, problemCodes } from "../e2e/command.ts";
import { firstLines } from "../e2e/example-lines.ts";
import { startHub } from "../e2e/hub-process.ts";
import { git } from "../evidence/history.ts";

/** What a command does there: it acts as dev-1 and the record says so, it is the person's, or it records nothing. */
type Conduct = "as dev-1" | "the person's" | "records nothing";

const message = JSON.stringify({ type: "no_such_type", id: "a" });
const edit = JSON.stringify({ tool_name: "Write", tool_input: { file_path: "a.ts", content: "" } });

/** What follows a command's name where its example goes on, or is refused before it matters who acts. */
const instead: Readonly<Record<string, readonly string[]>> = {
  // A journal that cannot be made, so that a hub ends before it begins, where it may be started.
  up: ["--port", "0", "--journal", "sqlite:/no/such/folder/journal.db"],
  // It runs in a separate folder, without the variables of Baton: what it would do is seen where it is refused.
  demo: ["--fast", "--keep", "."],
  watch: [],
  mcp: [],
  adopt: [],
  init: ["--yes", "--force"],
  send: ["--to", "lead-1", "-"],
  inbox: [],
  ack: ["1"],
  hook: ["PreToolUse", "--program", "claude-code"],
  "agent register": ["dev-8", "--role", "dev"],
  "agent retire": ["qa-1"],
  approve: ["by-lead-1"],
  deny: ["by-lead-2", "--reason", "no"],
  stop: ["lead-1", "--no-wait"],
  // A named task: that none is free is not recorded.
  "task claim": ["1-1-T1"],
  "remote add": ["shop", "https://shop.localhost/a2a/web"],
  "handoff new": ["-", "--to", "qa-1"],
  "handoff issue": ["draft.yaml"],
  "handoff accept": ["HANDOFF"],
  "handoff reject": ["HANDOFF", "--reason", "no"],
  "handoff complete": ["HANDOFF"],
  // Its program is not on the PATH here; what it does with one is tried in tests/e2e/run.
  run: ["codex"],
  "journal import": ["-"],
  "journal place": ["--default"],
  "journal copy": ["--to", "sqlite:copied.db"],
};

/** What is on standard input. */
const inputs: Readonly<Record<string, string>> = { send: "hello", hook: edit, "journal import": `${message}\n` };

/** Of commands that say it otherwise than by `acts` and `isOwners`: they act by what they are told, or by their options. */
const byHand: Readonly<Record<string, Conduct>> = { hook: "as dev-1", mcp: "as dev-1" };

/** What a command does by its own facts, and its line. */
const lines = new Map<string, { readonly conduct: Conduct; readonly words: readonly string[] }>();
for (const { name, load } of catalogue) {
  const { command } = await load();
  const words = instead[name] ?? firstLines.find((each) => each.name === name)?.words ?? [];
  // Where it depends on the options, the lines have those by which it is.
  const isOwners = command.isOwners !== undefined && command.isOwners !== false;
  const conduct = byHand[name] ?? (isOwners ? "the person's" : command.acts === true ? "as dev-1" : "records nothing");
  lines.set(name, { conduct, words });
}

const teamText = `version: 1
team: shop
dialects: [vbw/2, bmad/1]
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
  qa-1: { role: qa }
`;

/** A team in a repository, whose journal has begun. */
async function shop(): Promise<string> {
  const place = folder();
  git(place, "init", "-q");
  assert.equal((await called(place, ["init", "--yes", "--team", "shop"])).code, 0);
  writeFileSync(join(place, ".baton/team.yaml"), teamText);
  assert.equal((await called(place, ["agent", "list"])).code, 0);
  const done = async (words: readonly string[], input = "") => {
    const ended = await called(place, words, input);
    assert.equal(ended.code, 0, ended.said);
    return ended;
  };
  await done(["send", "--to", "dev-1", "-"], "welcome");
  for (const id of ["by-lead-1", "by-lead-2"]) {
    const asked = { subject: "More files", request_type: "scope_change", evidence: "src/b.ts" };
    const request = typedMessage("approval_request", asked, { id, author_role: "lead" });
    await done(["send", "--as", "lead-1", "--to", "owner", "-"], JSON.stringify(request));
  }
  for (const draft of ["first.yaml", "draft.yaml"])
    await done(["handoff", "new", draft, "--as", "lead-1", "--to", "dev-1", "--primary", "X", "--criterion", "Y"]);
  await done(["handoff", "issue", "first.yaml", "--as", "lead-1"]);
  return place;
}

/** The id of the handoff that was issued. */
const handoffIn = (place: string) => /^\s+id: (\S+)/m.exec(readFileSync(join(place, "first.yaml"), "utf8"))?.[1] ?? "";

const journalOf = (place: string) => join(place, ".git/baton/journal.db");

async function entriesOf(place: string): Promise<readonly Entry[]> {
  const opened = await openTeamJournal(journalOf(place), { readOnly: true, create: false });
  assert.ok(opened.ok, JSON.stringify(opened));
  await using journal = opened.value;
  const [team] = await journal.teams().then((teams) => (teams.ok ? teams.value : []));
  assert.ok(team !== undefined);
  const page = await journal.read(team, { after: 0, limit: 1000 });
  assert.ok(page.ok);
  return page.value.entries;
}

/** Who recorded what came since, and how the command ended. */
async function conductOf(
  place: string,
  name: string,
  variables: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<{ readonly by: readonly string[]; readonly done: Called }> {
  const { words: all = [] } = lines.get(name) ?? {};
  const words = all.map((word) => (word === "HANDOFF" ? handoffIn(place) : word));
  const before = (await entriesOf(place)).length;
  const stopped = name === "watch" ? AbortSignal.abort() : undefined;
  const done = await called(place, [...name.split(" "), ...words, ...more, "--json"], inputs[name], variables, stopped);
  const by = (await entriesOf(place)).slice(before).map(({ principal }) => principal.agent);
  return { by: by.filter((each) => each !== "baton"), done };
}

const ofAgent = { BATON_AGENT: "dev-1" };

test("no line is of no command", () => {
  for (const name of [instead, inputs, byHand].flatMap(Object.keys)) assert.ok(lines.has(name), name);
});

test("no command acts as the owner in an agent's shell", async () => {
  const place = await shop();
  const teamFile = join(place, ".baton/team.yaml");
  const found: string[] = [];
  for (const [name, { conduct }] of lines) {
    const { by, done } = await conductOf(place, name, ofAgent);
    const isRefused = problemCodes(done).includes("human-required") && done.said.includes("BATON_AGENT");
    const seen: Conduct = isRefused ? "the person's" : by.length === 0 ? "records nothing" : "as dev-1";
    if (seen !== conduct || by.some((each) => each !== "dev-1"))
      found.push(`${name}: ${seen}, by ${by.join(", ")}: ${done.said}`);
    if (conduct === "the person's" && by.length > 0) found.push(`${name} is refused and records`);
  }
  assert.deepEqual(found, []);
  assert.equal(readFileSync(teamFile, "utf8"), teamText);
  assert.ok(existsSync(journalOf(place)));
});

test("control: the same lines in a person's shell act as the owner, and none is refused as the person's", async () => {
  for (const variables of [{}, { BATON_AGENT: "owner" }]) {
    const place = await shop();
    const found: string[] = [];
    for (const [name, { conduct }] of lines) {
      // The other one would write the team file.
      if (conduct === "records nothing" || name === "init") continue;
      const { by, done } = await conductOf(place, name, variables);
      if (name === "hook") {
        assert.deepEqual(by, [], "a hook never acts as the owner");
        continue;
      }
      if (name === "mcp") {
        assert.deepEqual(
          [by, done.code],
          [[], exitCodes.usage],
          "a server for an agent's program is never the owner's",
        );
        continue;
      }
      if (done.said.includes("belongs to the agent")) found.push(`${name} is refused`);
      if (conduct === "as dev-1" && (by.length === 0 || by.some((each) => each !== "owner")))
        found.push(`${name}: by ${by.join(", ")}: ${done.said}`);
    }
    assert.deepEqual(found, []);
  }
});

test("in a shell that several agents of a session share, what acts needs --as, and what looks is answered", async () => {
  const [program = ""] = processesAbove() ?? [];
  if (program === "") return;
  const place = await shop();
  const sessions = sessionsFolder(journalOf(place));
  const shared = { ...ofAgent, CLAUDE_CODE_SESSION_ID: "s1" };
  const conducts = async (variables: Readonly<Record<string, string>>, ofWhom: Conduct) => {
    const found: string[] = [];
    for (const [name, { conduct }] of lines) {
      // Programs start these two, and say who acts in their own way.
      if (conduct === "the person's" || name === "hook" || name === "mcp") continue;
      const { by, done } = await conductOf(place, name, variables);
      const isRefused = done.said.includes("Several agents work in this session");
      if (isRefused !== (conduct === ofWhom) || (isRefused && by.length > 0)) found.push(`${name}: ${done.said}`);
    }
    return found;
  };
  noteWorking(sessions, { session: "s1", agent: "aworker-0123456789abcdef" }, program);
  assert.deepEqual(await conducts(shared, "as dev-1"), []);
  assert.deepEqual((await conductOf(place, "send", shared, ["--as", "dev-1"])).by, ["dev-1"]);
  assert.deepEqual((await conductOf(place, "send", { ...shared, CLAUDE_CODE_SESSION_ID: "s2" })).by, ["dev-1"]);
  // It has stopped, or its program has ended.
  noteStopped(sessions, { session: "s1", agent: "aworker-0123456789abcdef" });
  assert.deepEqual((await conductOf(place, "send", shared)).by, ["dev-1"]);
  noteWorking(sessions, { session: "s1", agent: "a/../b" }, "4194304-1");
  assert.deepEqual((await conductOf(place, "send", shared)).by, ["dev-1"]);
});

test("an agent's shell does not become the owner by --as, and may speak for another agent", async () => {
  const place = await shop();
  for (const { name, load } of catalogue) {
    const { command } = await load();
    if (!globalsOf(command).some((option) => option.name === "as")) continue;
    for (const owner of ["owner", "Owner"]) {
      const { by, done } = await conductOf(place, name, ofAgent, ["--as", owner]);
      assert.deepEqual([problemCodes(done), by], [["human-required"], []], `${name} --as ${owner}`);
    }
  }
  const { by } = await conductOf(place, "ack", ofAgent, ["--as", "lead-1"]);
  assert.deepEqual(by, ["lead-1"]);
});

test("an agent's shell with the owner's token does not act as the owner through a hub", async () => {
  const place = await shop();
  const { url } = await startHub(place);
  const [made] = jsonLines(await called(place, ["token", "create", "owner", "--json"]));
  const hub = { BATON_HUB: url, BATON_TOKEN: String(made?.token) };
  const words = ["agent", "register", "dev-8", "--role", "dev", "--json"];
  assert.deepEqual(problemCodes(await called(place, words, "", { ...hub, ...ofAgent })), ["identity-mismatch"]);
  assert.equal((await called(place, words, "", hub)).code, 0);
});

test("baton team says who decides, what is in force where the file has an error, and what an id looks like", async () => {
  const place = await shop();
  const teamFile = join(place, ".baton/team.yaml");
  const said = async (...words: string[]) => (await called(place, words)).said;
  writeFileSync(teamFile, teamText.replace("{ role: dev }", "{ role: lead }"));
  assert.match(await said("team"), /when you confirm it:.*dev -> lead.*baton team confirm [0-9a-f]{32}/s);
  for (const ask of [() => said("team", "--as", "qa-1"), async () => (await called(place, ["team"], "", ofAgent)).said])
    assert.match(await ask(), /when the owner confirms it:.*dev -> lead.*The person who owns the team decides/s);
  assert.match(await said("team", "confirm", "zzz"), /an id has 32 characters of 0-9 and a-f/);
  writeFileSync(teamFile, "agents: [");
  assert.match(await said("team"), /The team file has an error now.*earlier change still waits:.*dev -> lead/s);
  writeFileSync(teamFile, teamText);
  assert.match(await said("team"), /the team file says what is in force/s);
  writeFileSync(teamFile, "agents: [");
  assert.match(await said("team"), /is in force: the team file has an error/s);
});
