/**
 * Every command works against a hub as against a file: the same lines are given to both, and what is printed on standard
 * output and the exit codes must be the same. The list is held against the catalogue, so no command can be forgotten.
 * One line of each command is a process of its own towards the hub, as people start it; the others are called in this one.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { catalogue } from "../../src/main/catalogue.ts";
import { inBothForms, type Line, plain, together } from "./both-places.ts";
import { contract, folder, handoff, message, request, team, update } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

/** Commands that serve on this machine, and speak to a hub as one of their own tests shows. */
const servers = ["mcp", "up"];

/** A blocker of dev-1 on task 1-1-T1. */
const blocker = () =>
  message("blocker_report", "dev", { plan_id: "1-1", task_id: "1-1-T1", blocker: "No names yet", needs: "Plan 1-0" });

const big = `{"id":"big","text":"${"x".repeat(300_000)}"}`;

/** In the order they are run: each line finds what those before have left. */
const lines: Readonly<Record<string, readonly Line[]>> = {
  send: [
    { as: "lead-1", words: ["send"], input: contract(), code: 0 },
    { as: "lead-1", words: ["send"], input: contract(), code: 0 },
    {
      as: "dev-1",
      words: ["send", "-", "--to", "lead-1", "--to", "role:qa", "--id", "lunch/1"],
      input: "Lunch?",
      code: 0,
    },
    { as: "dev-1", words: ["send", "--to", "lead-1", "--id", "lunch/1"], input: "Dinner?", code: 2 },
    { as: "dev-1", words: ["send", "--id", "not an id"], input: "Lunch?", code: 2 },
    { as: "dev-1", words: ["send"], input: contract(), code: 2 },
    { as: "dev-1", words: ["send"], input: update(["src/other.js"]), code: 2 },
    { as: "dev-1", words: ["send", "--strict"], input: update(["src/feature.js"], { id: "s", color: "red" }), code: 2 },
    { as: "dev-1", words: ["send"], input: update(), code: 0 },
    { as: "dev-1", words: ["send"], input: '{"id": "half', code: 2 },
    { as: "dev-1", words: ["send"], input: '{"id":"d","a":1,"a":2}', code: 2 },
    { as: "dev-1", words: ["send"], input: '{"message":"an envelope?","to":["lead-1"]}', code: 2 },
    {
      as: "dev-1",
      words: ["send", "--to", "lead-1"],
      input: "\u001b[31m \u202e red, and a wide one: \u{1f600}",
      code: 0,
    },
    { as: "dev-1", words: ["send", "--to", "nobody-9"], input: "Anybody?", code: 2 },
    { as: "dev-1", words: ["send"], input: "", code: 2 },
    { as: "dev-1", words: ["send"], input: big, code: 2 },
    { as: "dev-1", words: ["send"], input: request(), code: 0 },
    { as: "dev-1", words: ["send"], input: request({ id: "second" }), code: 0 },
    { words: ["send", "--to", "dev-1"], input: "From the owner.", code: 0 },
  ],
  inbox: [
    { as: "lead-1", words: ["inbox"], code: 0 },
    { as: "lead-1", words: ["inbox", "--limit", "1", "--after", "3"], code: 0 },
    { as: "lead-1", words: ["inbox", "--limit", "5000", "--seen", "3"], code: 0 },
    { as: "lead-1", words: ["inbox", "--seen", "5000"], code: 3 },
    { as: "scout-1", words: ["inbox"], code: 0 },
    { as: "scout-1", words: ["inbox", "--after", "5000", "--wait", "0.3"], code: 4 },
    { as: "lead-1", words: ["inbox", "--wait", "0.3"], code: 0 },
    { words: ["inbox"], code: 0 },
  ],
  ack: [
    { as: "lead-1", words: ["ack", "4"], code: 0 },
    { as: "lead-1", words: ["ack", "4"], code: 0 },
    { as: "lead-1", words: ["ack", "5000"], code: 3 },
    { as: "lead-1", words: ["ack", "4", "--id", "ack-1"], code: 0 },
    { as: "lead-1", words: ["ack", "5", "--id", "ack-1"], code: 2 },
    { as: "lead-1", words: ["inbox"], code: 0 },
  ],
  log: [
    { words: ["log"], code: 0 },
    { as: "dev-1", words: ["log", "--type", "plan_contract"], code: 0 },
    { words: ["log", "--from", "dev-1", "--grep", "LUNCH", "--since", "1h"], code: 0 },
    { words: ["log", "--after", "3", "--limit", "2"], code: 0 },
    { words: ["log", "--last", "3"], code: 0 },
    { words: ["log", "--view", "refusals"], code: 0 },
    { words: ["log", "--view", "messages", "--limit", "7"], code: 0 },
    { words: ["log", "--follow"], code: 130, until: 28 },
  ],
  watch: [
    { words: ["watch"], code: 130, until: 28 },
    { as: "dev-1", words: ["watch", "--to", "lead-1", "--last", "2"], code: 130, until: 23 },
    { words: ["watch", "--kind", "refusal", "--since", "1h"], code: 130, until: 28 },
    { words: ["watch", "--view", "refusals"], code: 130, until: 28 },
  ],
  show: [
    { words: ["show", "9"], code: 0 },
    { words: ["show", "lunch/1"], code: 0 },
    { as: "dev-1", words: ["show", "ack/lead-1/4"], code: 0 },
    { as: "dev-1", words: ["show", "12"], code: 0 },
    { words: ["show", "5000"], code: 3 },
    { words: ["show", "no such id %2F ../.. ?#"], code: 3 },
  ],
  status: [
    { words: ["status"], code: 0 },
    { as: "qa-1", words: ["status"], code: 0 },
  ],
  phase: [
    { words: ["phase"], code: 0 },
    { as: "qa-1", words: ["phase", "1"], code: 0 },
    { words: ["phase", "nine"], code: 3 },
    { words: ["phase", "--export", "-"], code: 0 },
  ],
  "phase skip": [
    { as: "lead-1", words: ["phase", "skip", "research", "--reason", "nothing is unknown"], code: 0 },
    { as: "dev-1", words: ["phase", "skip", "qa", "--reason", "no time"], code: 2 },
    { as: "lead-1", words: ["phase", "skip", "reserch", "--reason", "a slip"], code: 2 },
    { as: "lead-1", words: ["phase", "skip", "qa"], code: 2 },
    { words: ["phase"], code: 0 },
  ],
  "phase end": [
    { as: "lead-1", words: ["phase", "end"], code: 2 },
    { as: "dev-1", words: ["phase", "end"], code: 2 },
  ],
  "phase lift": [
    { words: ["phase", "lift", "--reason", "none stands"], code: 3 },
    { as: "lead-1", words: ["phase", "lift", "--reason", "it is fine"], code: 3 },
    { words: ["phase", "lift"], code: 2 },
  ],
  "agent register": [
    { words: ["agent", "register", "dev-2", "--role", "dev", "--department", "backend"], code: 0 },
    { words: ["agent", "register", "dev-2", "--role", "dev", "--department", "backend"], code: 0 },
    { as: "lead-1", words: ["agent", "register", "dev-3", "--role", "dev", "--id", "r-1"], code: 0 },
    { as: "dev-1", words: ["agent", "register", "dev-4", "--role", "dev"], code: 2 },
    { words: ["agent", "register", "no name", "--role", "dev"], code: 2 },
    { words: ["agent", "register", "dev-5", "--role", "dev", "--id", "no id"], code: 2 },
  ],
  "agent retire": [
    { words: ["agent", "retire", "dev-3", "--reason", "it is done"], code: 0 },
    { words: ["agent", "retire", "nobody/../9"], code: 2 },
    { as: "dev-1", words: ["agent", "retire", "dev-2"], code: 2 },
  ],
  "agent list": [{ words: ["agent", "list"], code: 0 }],
  "approval list": [{ words: ["approval", "list"], code: 0 }],
  "approval approve": [
    { as: "dev-1", words: ["approval", "approve", "second"], code: 2 },
    {
      as: "lead-1",
      words: ["approval", "approve", "second", "--reason", "needed", "--condition", "keep the API"],
      code: 0,
    },
    { words: ["approval", "approve", "second"], code: 2 },
    { words: ["approval", "approve", "nothing/called so"], code: 3 },
  ],
  "approval deny": [
    { words: ["approval", "deny", "approval_request-1", "--reason", "split it", "--id", "deny-1"], code: 0 },
    { words: ["approval", "deny", "approval_request-1", "--reason", "split it", "--id", "deny-1"], code: 0 },
    { words: ["approval", "deny", "second", "--reason", "too late", "--modification", "src/auth.js"], code: 2 },
    { words: ["approval", "list", "--all"], code: 0 },
  ],
  "contract show": [
    { words: ["contract", "show"], code: 0 },
    { as: "dev-1", words: ["contract", "show", "9-9"], code: 3 },
    { as: "dev-1", words: ["contract", "show", "1-1", "--revision", "1"], code: 0 },
    { words: ["contract", "show", "phase-1-plan-1", "--revision", "9"], code: 3 },
    { words: ["contract", "show", "--revision", "1"], code: 64 },
  ],
  "contract check": [
    { as: "dev-1", words: ["contract", "check", "src/feature.js"], code: 0 },
    { as: "dev-1", words: ["contract", "check", "src/feature.js", "src/other.js"], code: 2 },
    { words: ["contract", "check", "-", "--plan", "1-1"], input: "src/feature.js\n../x\n", code: 2 },
    { words: ["contract", "check", "-"], input: "src/feature.js\0./src//feature.js\0", code: 0 },
  ],
  "task add": [
    { words: ["task", "add", "4-1-T1", "--plan", "4-1", "--files", "lib/a.ts,lib/b/", "--title", "First"], code: 0 },
    { words: ["task", "add", "04-01/task-1", "--files", "lib/a.ts,lib/b/"], code: 0 },
    { as: "lead-1", words: ["task", "add", "4-1-T2", "--files", "lib/b/c.ts", "--id", "add-2"], code: 0 },
    { as: "lead-1", words: ["task", "add", "4-1-T2", "--files", "lib/b/c.ts", "--id", "add-2"], code: 0 },
    { words: ["task", "add", "4-1-T3", "--depends-on", "4-1-T1,4-1-T2"], code: 0 },
    { words: ["task", "add", "4-1-T1", "--depends-on", "4-1-T3"], code: 2 },
    { words: ["task", "add", "a task %2F..?#", "--files", "lib/d.ts"], code: 0 },
    { words: ["task", "add", "4-1-T9", "--files", "../out,/etc/passwd,.git/config"], code: 2 },
    { as: "dev-1", words: ["task", "add", "4-1-T9"], code: 2 },
  ],
  "task claim": [
    { as: "dev-1", words: ["task", "claim", "4-1-T1", "--id", "claim-1"], code: 0 },
    { as: "dev-1", words: ["task", "claim", "4-1-T1", "--id", "claim-1"], code: 0 },
    { as: "dev-1", words: ["task", "claim", "04-01/T1"], code: 0 },
    { as: "dev-1", words: ["task", "claim", "T1", "--plan", "4-1", "--files", "lib/e.ts"], code: 0 },
    { as: "qa-1", words: ["task", "claim", "4-1-T1"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "4-1-T2"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "4-1-T3"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "1-1-T1"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "nothing/called so"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "4-1-T2", "--files", "/etc"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "4-1-T2", "--id", "no id"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "a task %2F..?#"], code: 0 },
  ],
  "task renew": [
    { as: "dev-1", words: ["task", "renew", "4-1-T1"], code: 0 },
    { as: "scout-1", words: ["task", "renew", "4-1-T1"], code: 2 },
    { as: "dev-1", words: ["task", "renew", "4-1-T1", "--token", "1"], code: 2 },
    { as: "dev-1", words: ["task", "renew", "nothing"], code: 2 },
  ],
  "task available": [{ as: "dev-1", words: ["task", "available"], code: 0 }],
  "task list": [
    { words: ["task", "list"], code: 0 },
    { as: "qa-1", words: ["task", "list", "--plan", "4-1", "--state", "claimed"], code: 0 },
    { words: ["task", "list", "--plan", "9-9"], code: 0 },
  ],
  "task release": [
    { as: "qa-1", words: ["task", "release", "4-1-T1"], code: 2 },
    { as: "scout-1", words: ["task", "release", "a task %2F..?#"], code: 0 },
    { as: "scout-1", words: ["task", "release", "a task %2F..?#"], code: 0 },
    { words: ["task", "release", "nothing"], code: 3 },
  ],
  "task complete": [
    { as: "qa-1", words: ["task", "complete", "4-1-T1", "--commit", "abc1234"], code: 2 },
    { as: "dev-1", words: ["task", "complete", "4-1-T1", "--status", "partial", "--id", "done-0"], code: 0 },
    { as: "dev-1", words: ["task", "complete", "4-1-T1"], code: 2 },
    {
      as: "dev-1",
      words: ["task", "complete", "4-1-T1", "--commit", "abc1234", "--deviation", "no names", "--id", "done-1"],
      code: 0,
    },
    { words: ["task", "list"], code: 0 },
  ],
  summary: [
    { words: ["summary", "1-1"], code: 0 },
    { as: "dev-1", words: ["summary", "4-1", "--format", "markdown"], code: 0 },
    { words: ["summary", "9-9"], code: 3 },
  ],
  // Neither place lies in a repository: tests/e2e/verify-hub.test.ts has some.
  verify: [
    { words: ["verify"], code: 0 },
    { as: "dev-1", words: ["verify", "4-1/T1", "--artifacts"], code: 0 },
    { as: "qa-1", words: ["verify", "T9"], code: 3 },
    { as: "dev-1", words: ["verify", "--staged"], code: 2 },
    { words: ["verify", "--range", "A..B"], code: 2 },
    { words: ["verify", "--range", "A..B", "--staged"], code: 64 },
  ],
  "token create": [
    { words: ["token", "create", "qa-1", "--id", "t-1"], code: 0 },
    { words: ["token", "create", "qa-1", "--id", "t-1"], code: 0 },
    { words: ["token", "create", "nobody"], code: 2 },
  ],
  "token list": [{ words: ["token", "list"], code: 0 }],
  "shutdown start": [
    { as: "dev-1", words: ["shutdown", "start", "--reason", "phase_complete"], code: 2 },
    {
      as: "lead-1",
      words: ["shutdown", "start", "dev-2", "--reason", "timeout", "--deadline", "0.2", "--id", "stop-1", "--wait"],
      code: 0,
    },
    { as: "lead-1", words: ["shutdown", "start", "dev-2", "--reason", "user_abort"], code: 2 },
    { words: ["shutdown", "start", "nobody-9", "--reason", "user_abort"], code: 2 },
  ],
  "shutdown status": [
    { words: ["shutdown", "status"], code: 0 },
    { as: "dev-1", words: ["shutdown", "status", "stop-1", "--wait"], code: 0 },
    { words: ["shutdown", "status", "nothing/called so"], code: 3 },
  ],
  "breaker list": [
    { words: ["breaker", "list"], code: 0 },
    { words: ["breaker", "list", "--events"], code: 0 },
    { words: ["agent", "list", "--events"], code: 0 },
  ],
  "escalation list": [{ words: ["escalation", "list"], code: 0 }],
  "escalation raise": [
    { as: "lead-1", words: ["escalation", "raise", "nothing/called so"], code: 3 },
    {
      as: "dev-1",
      words: ["escalation", "raise", "nothing", "--option", "a", "--evidence", "b", "--id", "h-1"],
      code: 3,
    },
    { as: "lead-1", words: ["escalation", "raise"], code: 64 },
  ],
  "escalation resolve": [
    { as: "dev-1", words: ["send"], input: blocker(), code: 0 },
    { words: ["escalation", "list"], code: 0 },
    { as: "dev-1", words: ["escalation", "resolve", "ESC-1-1-T1", "--decision", "go on"], code: 2 },
    { as: "lead-1", words: ["escalation", "resolve", "ESC-1-1-T1", "--option", "1"], code: 3 },
    { as: "lead-1", words: ["escalation", "resolve", "ESC-1-1-T1"], code: 64 },
    {
      as: "lead-1",
      words: ["escalation", "resolve", "ESC-1-1-T1", "--decision", "use A", "--action", "update", "--id", "d-1"],
      code: 0,
    },
    { words: ["escalation", "resolve", "ESC-1-1-T1", "--decision", "use B"], code: 2 },
    { words: ["escalation", "resolve", "nothing/called so", "--decision", "use B"], code: 3 },
    { words: ["escalation", "list", "--all"], code: 0 },
  ],
  "handoff new": [
    { as: "dev-1", words: ["handoff", "new", "--from-plan", "1-1", "--to", "qa-1"], code: 0 },
    { words: ["handoff", "new", "--from-task", "nothing/called so"], code: 3 },
  ],
  "handoff issue": [
    { as: "lead-1", words: ["handoff", "issue", "handoff.yaml"], code: 0 },
    { as: "lead-1", words: ["handoff", "issue", "none.yaml"], code: 3 },
    { as: "lead-1", words: ["handoff", "issue", "forged.json"], code: 2 },
  ],
  "handoff list": [{ words: ["handoff", "list"], code: 0 }],
  "handoff show": [
    { words: ["handoff", "show", "handoff-1"], code: 0 },
    { words: ["handoff", "show", "nothing/called so"], code: 3 },
    { words: ["handoff", "show", "handoff-1", "--graph"], code: 0 },
  ],
  "handoff accept": [
    { as: "qa-1", words: ["handoff", "accept", "handoff-1"], code: 2 },
    { as: "dev-1", words: ["handoff", "accept", "handoff-1", "--id", "a-1"], code: 0 },
  ],
  "handoff reject": [{ as: "dev-1", words: ["handoff", "reject", "handoff-1", "--reason", "late"], code: 2 }],
  "handoff complete": [{ as: "dev-1", words: ["handoff", "complete", "handoff-1"], code: 0 }],
  "token revoke": [{ words: ["token", "revoke", "nothing"], code: 3 }],
  "journal verify": [
    { words: ["journal", "verify"], code: 0 },
    { words: ["journal", "verify", "--receipt", "forged.json"], code: 2 },
  ],
  "journal stats": [{ words: ["journal", "stats"], code: 0 }],
  "journal export": [
    { words: ["journal", "export"], code: 0 },
    { words: ["journal", "export", "--team", "other"], code: 3 },
    { words: ["journal", "export", "--format", "markdown"], code: 0 },
    { words: ["journal", "export", "--format", "cloudevents"], code: 0 },
    { words: ["journal", "export", "--format", "phase", "--out", "phases"], code: 0 },
  ],
  "journal replay": [
    { words: ["journal", "replay", "--at", "3"], code: 0 },
    { words: ["journal", "replay", "--at", "5000"], code: 3 },
    { words: ["journal", "replay", "--team", "other"], code: 3 },
  ],
  "journal backup": [
    { words: ["journal", "backup", "none/copy.db"], code: 3 },
    { words: ["journal", "backup", "copy.db"], code: 0 },
    { words: ["journal", "backup", "copy.db"], code: 2 },
  ],
  "journal accept-loss": [
    { words: ["journal", "accept-loss", "--reason", "none was lost"], code: 3 },
    { as: "dev-1", words: ["send", "--prose-id", "not an id"], input: "Lunch?", code: 2 },
  ],
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
  for (const { line, run } of Object.values(lines).flatMap(inBothForms)) {
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
