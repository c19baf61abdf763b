/**
 * One refusal through every door: each names what was given as the one who called it gave it. The record keeps the
 * neutral name, and what is in the message itself is named alike everywhere.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findCommand } from "../../src/doors/cli/kernel/catalogue.ts";
import { operations } from "../../src/doors/http/operations/operations.ts";
import { operationsOfCommands } from "../../src/doors/http/server/reception.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import { type OpenOptions, openTeam } from "../../src/perform/open.ts";
import { toolsOfCommands } from "../../src/perform/operations/generated/tools.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import type { WorkingTeam } from "../../src/perform/team.ts";
import { ask } from "../http/hub.ts";
import { clients, type Place } from "../mcp/clients.ts";
import { toolNames } from "../mcp/every-tool.ts";
import { called } from "./called.ts";
import { contract, expectCode, jsonLines, team, update } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

/** One act that is refused, as each door is asked for it, and what its first problem is called there. */
interface Case {
  readonly code: string;
  readonly library: readonly [path: string, (team: WorkingTeam) => Promise<Reply>];
  readonly command: readonly [path: string, words: readonly string[], input?: string];
  readonly http: readonly [path: string, route: string, body: unknown, headers?: object];
  readonly mcp: readonly [path: string, tool: string, given: Record<string, unknown>];
}

const strange = "an id?";
const quoted = `Look at this:\n\n${update(["src/feature.js"], { id: "u-9" })}`;
const forbidden = update(["src/feature.js"], { payload: { "a.b": { "7": "\0" } } });
const draft = { type: "execution_update", task: "1-1-T1", status: "partial", commit: "" };
const misnamed = update(["src/feature.js"], { id: strange });

const cases: Readonly<Record<string, Case>> = {
  "an act's id that is none": {
    code: "invalid-id",
    library: ["arguments.id", (dev) => dev.claim({ task: "1-1-T1" }, { id: strange })],
    command: ["--id", ["task", "claim", "1-1-T1", "--id", strange]],
    http: ["$.id", "tasks/1-1-T1/claim", { id: strange }],
    mcp: ["arguments.id", "task", { action: "claim", task: "1-1-T1", id: strange }],
  },
  "the same in a header": {
    code: "invalid-id",
    library: ["arguments.id", (dev) => dev.acknowledge(1, { id: strange })],
    command: ["--id", ["ack", "1", "--id", strange]],
    http: ["Idempotency-Key", "tasks/1-1-T1/claim", {}, { "idempotency-key": strange }],
    mcp: ["arguments.id", "send_message", { message: "Hello", to: ["lead-1"], id: strange }],
  },
  "a name beside a message that stands for another": {
    code: "id-conflict",
    library: ["arguments.id", (dev) => dev.send("Something else", { id: "taken-1" })],
    command: ["--id", ["send", "-", "--id", "taken-1"], "Something else"],
    http: ["$.id", "messages", { message: "Something else", id: "taken-1" }],
    mcp: ["arguments.id", "send_message", { message: "Something else", to: ["lead-1"], id: "taken-1" }],
  },
  "a name for words that quote a message": {
    code: "invalid-id",
    library: ["arguments.proseId", (dev) => dev.send(quoted, { proseId: strange })],
    command: ["--prose-id", ["send", "-", "--to", "lead-1", "--prose-id", strange], "Hello"],
    http: ["$.proseId", "messages", { message: "Hello", to: ["lead-1"], proseId: strange }],
    // The tool names a message in one way only.
    mcp: ["arguments.id", "send_message", { message: "Hello", to: ["lead-1"], id: strange }],
  },
  "the id that a message has itself": {
    code: "wrong-format",
    library: ["$.id", (dev) => dev.send(misnamed)],
    command: ["$.id", ["send", "-"], misnamed],
    http: ["$.id", "messages", JSON.parse(misnamed)],
    mcp: ["$.id", "send_message", { message: misnamed }],
  },
  "a field of a draft": {
    code: "wrong-type",
    library: [
      "$.files_modified[0]",
      (dev) => dev.send(JSON.stringify({ ...draft, files_modified: [{}] }), { draft: true }),
    ],
    command: [
      "--set files_modified[0]",
      [
        "send",
        "--type",
        draft.type,
        "--task",
        "1-1-T1",
        "--set",
        "status=partial",
        "--set",
        "commit=",
        "--set",
        "files_modified:=[{}]",
      ],
    ],
    http: ["$.files_modified[0]", "messages", { message: { ...draft, files_modified: [{}] }, draft: true }],
    mcp: ["$.files_modified[0]", "send_message", { message: { ...draft, files_modified: [{}] }, draft: true }],
  },
  "a character that no message may hold, under a key that is no plain word": {
    code: "nul-character",
    library: ['$.payload["a.b"]["7"]', (dev) => dev.send(forbidden)],
    command: ['$.payload["a.b"]["7"]', ["send", "-"], forbidden],
    http: ['$.payload["a.b"]["7"]', "messages", { message: JSON.parse(forbidden) }],
    mcp: ['$.payload["a.b"]["7"]', "send_message", { message: JSON.parse(forbidden) }],
  },
  "a task that nobody named": {
    code: "unknown-task",
    library: ["arguments.task", (dev) => dev.claim({ task: "1-1-T9" })],
    command: ["TASK", ["task", "claim", "1-1-T9"]],
    http: ["{task}", "tasks/1-1-T9/claim", {}],
    mcp: ["arguments.task", "task", { action: "claim", task: "1-1-T9" }],
  },
  "files that no contract has": {
    code: "outside-contract",
    library: ["arguments.files", (dev) => dev.claim({ task: "1-1-T1", files: ["docs/x.md"] })],
    command: ["--files", ["task", "claim", "1-1-T1", "--files", "docs/x.md"]],
    http: ["$.files", "tasks/1-1-T1/claim", { files: ["docs/x.md"] }],
    mcp: ["arguments.files", "task", { action: "claim", task: "1-1-T1", files: ["docs/x.md"] }],
  },
  "files of the task that no contract has": {
    code: "outside-contract",
    library: ["arguments.task", (dev) => dev.claim({ task: "1-1-T8" })],
    command: ["TASK", ["task", "claim", "1-1-T8"]],
    http: ["{task}", "tasks/1-1-T8/claim", {}],
    mcp: ["arguments.task", "task", { action: "claim", task: "1-1-T8" }],
  },
  "a commit that is none": {
    code: "wrong-format",
    library: ["arguments.commit", (dev) => dev.complete({ task: "1-1-T1", commit: "HEAD" })],
    command: ["--commit", ["task", "complete", "1-1-T1", "--commit", "HEAD"]],
    http: ["$.commit", "tasks/1-1-T1/complete", { commit: "HEAD" }],
    mcp: ["arguments.commit", "task", { action: "complete", task: "1-1-T1", commit: "HEAD" }],
  },
};

const directory = team();
expectCode(0, directory, ["send", "-", "--as", "lead-1"], contract());
expectCode(0, directory, ["send", "-", "--as", "dev-1", "--to", "lead-1", "--id", "taken-1"], "Something");
expectCode(0, directory, ["task", "add", "1-1-T8", "--files", "docs/", "--as", "lead-1"]);
const token = await tokenOf(directory, "dev-1");
const hub = await startHub(directory);
const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");

for (const [name, { code, library, command, http }] of Object.entries(cases)) {
  test(`${name} is called as each door calls it`, async () => {
    await using opened = await openedAs("dev-1");
    assert.deepEqual(firstOf(await library[1](opened)), { code, path: library[0] }, "library");

    const [option, words, input = ""] = command;
    const asked = { "at the journal": ["--as", "dev-1"], "at the hub": ["--hub", hub.url, "--token", token] };
    for (const [where, more] of Object.entries(asked)) {
      const done = await called(directory, [...words, ...more, "--json"], input);
      assert.deepEqual(firstOf(jsonLines(done).at(-1)), { code, path: option }, `command ${where}`);
      assert.ok(done.stderr.includes(`${code} at ${option}`), done.stderr);
    }

    const [field, route, body, headers = {}] = http;
    const answered = await ask(hub.url, `/api/teams/web/${route}`, { as: token, body, headers });
    assert.deepEqual(firstOf(answered.body), { code, path: field }, "HTTP");
    const recorded = { ...headers, "baton-names": "neutral" };
    const neutral = await ask(hub.url, `/api/teams/web/${route}`, { as: token, body, headers: recorded });
    assert.match(firstOf(neutral.body).path, /^arguments\.|^\$\.(id$|payload|files_modified)/);
  });
}

// One after the other: a second program that speaks for an agent takes the place of the first.
const servers: Readonly<Record<string, Place>> = {
  "on standard input": { directory, words: ["mcp", "--as", "dev-1"] },
  "at the hub": { url: `${hub.url}/mcp`, headers: { authorization: `Bearer ${token}` } },
  "through the hub": { directory, words: ["mcp"], variables: towards(hub, token) },
};

for (const [where, place] of Object.entries(servers)) {
  test(`MCP ${where} names the arguments of its tools`, async () => {
    const server = await connect(place);
    for (const [name, { code, mcp }] of Object.entries(cases)) {
      const [path, tool, given] = mcp;
      const told = await server.call(tool, given);
      assert.deepEqual(firstOf(told.data), { code, path }, name);
    }
    await server.close();
  });
}

test("the record keeps the neutral name, whichever door it came through", async () => {
  const refused = await called(directory, ["task", "claim", "1-1-T9", "--as", "dev-1", "--json"]);
  const { receipt } = jsonLines(refused).at(-1) as { receipt: { seq: number } }; // as documented
  const shown = await ask(hub.url, `/api/teams/web/messages/${receipt.seq}`, { as: token });
  assert.deepEqual(firstOf(shown.body), { code: "unknown-task", path: "arguments.task" });
});

test("a team that was not named is called as each door is opened", async () => {
  const options: OpenOptions = { journal: join(directory, "other.db"), create: true };
  const unnamed = await openTeam(options);
  assert.ok(!unnamed.ok);
  assert.deepEqual(firstOf({ problems: unnamed.error }), { code: "unknown-team", path: "arguments.team" });
  const journal = ["--journal", `sqlite:${join(directory, "other.db")}`];
  const done = await called(directory, ["status", ...journal, "--json"]);
  assert.deepEqual(firstOf(jsonLines(done).at(-1)), { code: "unknown-team", path: "--team" });
  const server = await connect({ directory, words: ["mcp", "--as", "dev-1", ...journal] });
  const told = await server.call("team_status");
  assert.deepEqual(firstOf(told.data), { code: "unknown-team", path: "--team" });
  await server.close();
});

test("a credential is called as each door is shown one", async () => {
  const wrong = `baton_${"x".repeat(43)}`;
  const done = await called(directory, ["status", "--hub", hub.url, "--token", wrong, "--json"]);
  assert.equal(firstOf(jsonLines(done).at(-1)).code, "unauthenticated");
  const short = await called(directory, ["status", "--hub", hub.url, "--token", "x y", "--json"]);
  assert.deepEqual(firstOf(jsonLines(short).at(-1)), { code: "unauthenticated", path: "--token" });
  const shown = await ask(hub.url, "/api/teams/web/tasks", { as: `${wrong}.web` });
  assert.deepEqual(firstOf(shown.body), { code: "unauthenticated", path: "Authorization" });
});

test("a hint names a way that the door has: a command, a route, a tool", async () => {
  const nobody = ["send", "-", "--as", "dev-1", "--to", "nobody-9", "--json"];
  const done = await called(directory, nobody, "Hello");
  assert.equal(hintOf(jsonLines(done).at(-1)), "`baton agent list` shows who is there.");
  const unread = { message: "Hello", to: ["nobody-9"] };
  const answered = await ask(hub.url, "/api/teams/web/messages", { as: token, body: unread });
  assert.equal(hintOf(answered.body), "`GET /api/teams/{team}/agents` shows who is there.");
  const page = await ask(hub.url, "/api/teams/web/messages", {
    as: token,
    body: unread,
    headers: { "baton-names": "neutral" },
  });
  assert.equal(hintOf(page.body), "`baton agent list` shows who is there.");
  const server = await connect({ url: `${hub.url}/mcp`, headers: { authorization: `Bearer ${token}` } });
  const told = await server.call("send_message", { ...unread, id: "nobody-1" });
  assert.equal(hintOf(told.data), "`team_status` shows who is there.");
  await server.close();
});

test("a hint names an argument as the door takes it", async () => {
  const done = await called(directory, ["send", "-", "--as", "dev-1", "--json"], "Hello");
  assert.match(hintOf(jsonLines(done).at(-1)), /^Name by `--to` /);
  const answered = await ask(hub.url, "/api/teams/web/messages", { as: token, body: { message: "Hello" } });
  assert.match(hintOf(answered.body), /^Name by `\?\.to` /);
  const server = await connect({ url: `${hub.url}/mcp`, headers: { authorization: `Bearer ${token}` } });
  const told = await server.call("send_message", { message: "Hello", id: "nobody-2" });
  assert.match(hintOf(told.data), /^Name by `arguments\.to` /);
  const moving = await server.call("task", { action: "complete", task: "1-1-T1", commit: "HEAD" });
  assert.equal(hintOf(moving.data), 'Pass the id that "git rev-parse HEAD" prints as `arguments.commit`.');
  await server.close();
});

test("what stands for a command at another door is there, and so is the command", () => {
  for (const [name, operation] of Object.entries(operationsOfCommands)) {
    assert.ok(findCommand(catalogue, name.split(" --")[0]?.split(" ") ?? []), name);
    assert.ok(
      operations.some((each) => each.name === operation),
      operation,
    );
  }
  for (const [name, [tool]] of Object.entries(toolsOfCommands)) {
    assert.ok(findCommand(catalogue, name.split(" --")[0]?.split(" ") ?? []), name);
    assert.ok(toolNames.includes(tool), tool);
  }
});

const below =
  /^(base|messages|journal|perform)\/(?!operations\/|workspace\/)|^[a-z]+\/(state|decide|view|services|handlers|reading)(\/|\.ts$)/;

/** Strings below the doors that only fit the command line: options as paths, unknown commands. */
function doorWords(source: string): readonly string[] {
  const paths = [...source.matchAll(/(?:problem\(\s*"[a-z-]+",\s*|path: )"(--[^"]*)"/g)].map(([, path]) =>
    String(path),
  );
  const commands = [...source.matchAll(/\\?`baton ([a-z -]+)/g)].map(([, words]) => String(words).trim().split(" "));
  const unknown = commands.filter((words) => findCommand(catalogue, words.slice(0, 2)) === null);
  return [...paths, ...unknown.filter((words) => findCommand(catalogue, words.slice(0, 1)) === null).map(String)];
}

test("below the doors no path is an option, and every command that a hint names is there", () => {
  const control = 'problem("invalid-id", "--id", "No.", { hint: "`baton summon AGENT` brings one." });';
  assert.deepEqual(doorWords(control), ["--id", "summon"]);
  const root = join(import.meta.dirname, "../../src");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => below.test(name.replaceAll("\\", "/")) && name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(root, name));
  assert.ok(files.length > 200, String(files.length));
  const found = files.flatMap((file) => doorWords(readFileSync(file, "utf8")).map((words) => `${file}: ${words}`));
  assert.deepEqual(found, []);
});

function hintOf(answer: unknown): string {
  const { problems = [] } = answer as { problems?: readonly { hint?: string }[] }; // as each door has it
  return problems[0]?.hint ?? assert.fail(`no hint: ${JSON.stringify(answer)}`);
}

async function openedAs(agent: string) {
  const path = join(directory, ".baton/team.yaml");
  const teamFile = { path, text: readFileSync(path, "utf8") };
  const opened = await openTeam({ journal: join(directory, ".baton/journal.db"), agent, teamFile });
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

/** Code and path of the first problem of an answer of any door. */
function firstOf(answer: unknown): { readonly code: string; readonly path: string } {
  const { problems = [] } = answer as { problems?: readonly { code: string; path: string }[] }; // as each door has it
  const { code, path } = problems[0] ?? assert.fail(`no problem: ${JSON.stringify(answer)}`);
  return { code, path };
}
