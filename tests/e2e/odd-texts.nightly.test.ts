/**
 * Odd strings through every door: the library, the command, HTTP and MCP are handed the same text, by the same agent of
 * the same team, and answer alike: taken or refused, with the same problems at the same paths.
 */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { readAddress } from "../../src/messages/role.ts";
import { openTeam } from "../../src/perform/open.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { ask, testHub } from "../http/hub.ts";
import { clients } from "../mcp/clients.ts";
import { serve } from "../mcp/http-place.ts";
import { called } from "./called.ts";
import { folder, jsonLines } from "./command.ts";

const json = (value: unknown) => JSON.stringify(value);
const progress = { type: "dev_progress", task: "1-1/T1", plan_id: "1-1", commit: "", status: "partial" };
const handoff = "handoff:\n  metadata:\n    id: h-1\n  context: {}\n";
/** Refused in any case, so that what is odd about it is reported, and nothing is opened. */
const update = typedMessage("execution_update", { status: "so" });

const typeOf = ({ type }: JsonObject) => (typeof type === "string" ? type : "");

/** How a message is spoilt. */
const spoilt: readonly ((message: JsonObject) => string)[] = [
  json,
  (message) => JSON.stringify(message, null, 2).replaceAll("\n", "\r\n"),
  (message) => `\ufeff${json(message)}`,
  (message) => `\u00a0${json(message)}`,
  (message) => `${json(message)}\u2028`,
  (message) => `\u200b${json(message)}`,
  (message) => `\`\`\`json\n${json(message)}\n\`\`\``,
  (message) => `\`\`\`json ${json(message)} \`\`\``,
  (message) => `Here it is: ${json(message)}`,
  (message) => `For example: ${json(message)}`,
  (message) => `> ${json(message)}`,
  (message) => `${json(message)}\n${json(message)}`,
  (message) => json(message).replace(/\}$/, ",}"),
  (message) => json(message).replaceAll('"', "'"),
  (message) => json(message).replaceAll('"', "\u201d"),
  (message) => json(message).replaceAll('"', '\\"'),
  (message) => json(message).replaceAll(/"(\w+)":/g, "$1:"),
  (message) => json(message).slice(0, -3),
  (message) => json(message).replace("{", '{"type":"x",'),
  (message) => json(message).replace("{", '{"__proto__":1,'),
  (message) => json({ ...message, "a.b": { "7": ["\0"] } }),
  (message) => json({ ...message, "a-b": "\ud800" }),
  (message) => json({ ...message, "0": 7, big: 1 }).replace('"big":1', '"big":123456789012345678901'),
  (message) => json({ ...message, deep: JSON.parse("[".repeat(40) + "]".repeat(40)) as unknown }),
  (message) => json({ ...message, ["k".repeat(200)]: 1 }),
  (message) => json({ ...message, extra: null }),
  (message) => json({ ...message, Type: "x", type: undefined }),
  (message) => json({ ...message, type: 7 }),
  (message) => json({ ...message, type: `${typeOf(message)}s` }),
  (message) => json({ ...message, type: typeOf(message).toUpperCase() }),
  (message) => json({ kind: message.type, ...message, type: undefined }),
  (message) => json({ message }),
  (message) => json({ to: "lead-1", message: json(message) }),
  (message) => json([message]),
  (message) => json(json(message)),
  (message) => json(json(json(message))),
  (message) => json({ from: "dev-1", text: json(message), timestamp: "now" }),
  (message) => json({ from: "qa-1", text: json(message), timestamp: "now" }),
  (message) => json({ type: message.type, payload: message }),
  (message) =>
    Object.entries(message)
      .map(([key, value]) => `${key}: ${json(value)}`)
      .join("\n"),
  (message) =>
    Object.entries(message)
      .map(([key, value]) => `- **${key}**: ${json(value)}`)
      .join("\n"),
];

const texts: readonly string[] = [
  ...[update, progress, { handoff: { metadata: { id: "h-1" } } }].flatMap((message) =>
    spoilt.map((spoil) => spoil(message)),
  ),
  handoff,
  `type: x\n${handoff}`,
  `${handoff}---\n${handoff}`,
  `Over to you:\n\n${handoff}`,
  `${handoff}  &a: 1\n`,
  "{",
  "[1,",
  '"words"',
  "null",
  "17",
  "{note} of it",
  "# Heading\n\nwords",
  json({ type: "shutdown_request", requestId: "a b", from: "team-lead" }),
  json({ type: "plan_approval_request", requestId: "p-1", from: "qa-1", planContent: "x" }),
];

interface Answer {
  readonly problems?: readonly { readonly code: string; readonly path: string }[];
}

/** What a door answered, in the same words for each: the problems, or that the text was taken. */
function told(answer: Answer | Reply): string {
  const problems = "problems" in answer ? (answer.problems ?? []) : [];
  return problems.map(({ code, path }) => `${code} ${path}`).join(", ") || "taken";
}

/** By door, what it said to each of the strings. */
type Answers = Readonly<Record<string, readonly string[]>>;

/** Where a door says otherwise than the library. */
function differences(asked: readonly string[], { library = [], ...doors }: Answers): readonly string[] {
  return Object.entries(doors).flatMap(([door, said]) =>
    asked.flatMap((text, index) =>
      said[index] === library[index]
        ? []
        : [`${door}: ${said[index]}; library: ${library[index]}: ${text.slice(0, 200)}`],
    ),
  );
}

const atOnceMax = 16;

/** Asks about every string, some at a time. */
async function each(ask: (text: string, id: string) => Promise<string>): Promise<readonly string[]> {
  const said: string[] = [];
  for (let from = 0; from < texts.length; from += atOnceMax) {
    const some = texts.slice(from, from + atOnceMax);
    said.push(...(await Promise.all(some.map((text, index) => ask(text, `odd-${from + index}`)))));
  }
  return said;
}

test("a door that answers otherwise is found", () => {
  const same = { library: ["taken", "not-json $"], http: ["taken", "not-json $"] };
  assert.deepEqual(differences(["a", "{"], same), []);
  assert.equal(differences(["a", "{"], { ...same, http: ["taken", "not-json $.a"] }).length, 1);
  assert.equal(differences(["a", "{"], { ...same, mcp: ["taken"] }).length, 1);
});

test(`${texts.length} odd inputs are answered alike by the library, the command, HTTP and MCP`, async (context) => {
  const directory = folder();
  mkdirSync(join(directory, ".baton"));
  const hub = await testHub(context, { folder: join(directory, ".baton") });
  const as = await hub.token("dev-1");
  const opened = await openTeam({ journal: hub.journal, agent: "dev-1" });
  assert.ok(opened.ok, json(opened));
  await using team = opened.value;
  const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");
  const server = await connect((await serve(directory)).as("dev-1"));
  const to = ["lead-1"];
  const words = ["send", "-", "--as", "dev-1", "--to", "lead-1", "--json"];
  const address = readAddress("lead-1");
  assert.ok(address.ok);
  const [library, http, mcp] = await Promise.all([
    each(async (text, id) => told(await team.send(text, { to: [address.value], id: `${id}-library` }))),
    each(async (message, id) => {
      const { body } = await ask(hub.url, "/api/teams/web/messages", { as, body: { message, to, id: `${id}-http` } });
      return told(body as Answer); // as the API says
    }),
    each(async (message, id) => told((await server.call("send_message", { message, to, id: `${id}-mcp` })).data)),
  ]);
  // One at a time: the directory and the standard input are the process's. So one string of each answer is asked about.
  const command = [...library];
  for (const [index, text] of texts.entries()) {
    if (library.indexOf(library[index] ?? "") !== index) continue;
    const done = await called(directory, [...words, "--id", `odd-${index}-command`], text);
    command[index] = told(jsonLines(done).at(-1) as Answer); // as documented
  }
  assert.deepEqual(differences(texts, { library, http, mcp, command }), []);
  assert.ok(new Set(library).size > 20, "the texts are odd in many ways");
  await server.close();
});
