/**
 * A client and a hub of different versions. Between them stands a line that changes what the hub says: an older hub lacks
 * an operation, a newer one answers with words that this client does not know.
 */
import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { openApiDocument } from "../../src/doors/http/index.ts";
import { operations } from "../../src/doors/http/operations/operations.ts";
import { typedMessage } from "../../src/testing/index.ts";
import { called } from "../e2e/called.ts";
import { ask, type TestHub, testHub } from "./hub.ts";

/** What becomes of an answer's JSON; null: the hub has no such route. */
type Change = (method: string, path: string, answer: unknown) => unknown;

/** The URL of a hub that answers as `hub` does, with each answer changed. */
async function changedHub(t: TestContext, hub: TestHub, change: Change): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const asked = change(method, url, undefined) === null ? "/api/teams/web/no-such-route" : url;
    const options = { port: hub.port, host: "127.0.0.1", path: asked, method };
    const sent = request({ ...options, headers: { ...headers, host: `127.0.0.1:${hub.port}` } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const whole: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
        const isGood = (answer.statusCode ?? 500) < 300;
        outgoing.writeHead(answer.statusCode ?? 500, { "content-type": answer.headers["content-type"] ?? "" });
        outgoing.end(JSON.stringify(isGood ? change(method, url, whole) : whole));
      });
    });
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const isSession = (path: string) => path === "/api/session";

/** What an older hub says, by whether it lists what it knows. */
const olderHubs: Readonly<Record<string, Change>> = {
  "that lists what it knows": (_method, path, answer) =>
    isSession(path) && answer !== undefined ? { ...(answer as object), operations: ["listTasks"] } : answer,
  "that does not list it": (_method, path, answer) => {
    if (path.includes("/reassign")) return null;
    return isSession(path) && answer !== undefined ? { ...(answer as object), operations: undefined } : answer;
  },
};

for (const [which, change] of Object.entries(olderHubs)) {
  test(`an operation that a hub is too old for is refused with that reason by one ${which}`, async (t) => {
    const hub = await testHub(t);
    const url = await changedHub(t, hub, change);
    const to = ["--hub", url, "--token", await hub.token("lead-1")];
    const done = await called(hub.folder, ["task", "reassign", "1-1-T1", "--to", "dev-1", ...to]);
    assert.match(done.stderr, /is older.*: it does not know reassignTask\.[\s\S]*Update Baton/);
    assert.equal(done.code, 3);
    assert.equal((await called(hub.folder, ["task", "list", ...to])).code, 0, "what it knows is as ever");
  });
}

type Schema = Readonly<Record<string, unknown>>;
const document: ReturnType<typeof JSON.parse> = openApiDocument("0.0.0");

/** The value with every word of a list that the schema has replaced by one that is not in it. */
function withNewWords(schema: Schema, value: unknown): unknown {
  const { $ref, anyOf, items, properties, additionalProperties } = schema as {
    $ref?: string;
    anyOf?: Schema[];
    items?: Schema;
    properties?: Record<string, Schema>;
    additionalProperties?: Schema;
  };
  if ($ref !== undefined) return withNewWords(document.components.schemas[$ref.split("/").at(-1) ?? ""], value);
  if (value === null) return null;
  if (anyOf !== undefined) {
    const fitting = anyOf.filter((each) => each.const === undefined && each.type !== "null");
    return fitting.length === 1 && fitting[0] !== undefined ? withNewWords(fitting[0], value) : value;
  }
  if (typeof value === "string") {
    if (!Array.isArray(schema.enum)) return value;
    return `new-${value}`;
  }
  if (Array.isArray(value)) return value.map((each) => withNewWords(items ?? {}, each));
  if (typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      withNewWords(properties?.[name] ?? (isSchema(additionalProperties) ? additionalProperties : {}), each),
    ]),
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null;
}

/** The schema of a good answer to a request. */
function schemaOf(method: string, url: string): Schema | null {
  const segments = (url.split("?")[0] ?? "").split("/");
  const matching = operations.filter(({ path, method: verb }) => {
    const wanted = path.split("/");
    const isSame = (each: string, at: number) => each.startsWith("{") || each === segments[at];
    return verb === method.toLowerCase() && wanted.length === segments.length && wanted.every(isSame);
  });
  const [operation] = matching.toSorted((a, b) => a.path.split("{").length - b.path.split("{").length);
  if (operation === undefined) return null;
  return document.paths[operation.path][operation.method].responses["200"]?.content?.["application/json"]?.schema;
}

/** Commands that show something. */
const shows: readonly (readonly string[])[] = [
  ["status"],
  ["agent", "list"],
  ["task", "list"],
  ["task", "list", "--available"],
  ["needs", "--requests"],
  ["needs", "--escalations"],
  ["agent", "list", "--breakers"],
  ["phase"],
  ["handoff", "list", "--all"],
  ["shutdown", "status"],
  ["contract", "show"],
  ["summary", "1-1"],
  ["token", "list"],
  ["log"],
  ["show", "contract-1"],
  ["inbox"],
  ["team"],
];

test("words of a newer hub that this client does not know are shown as they are, and nothing fails", async (t) => {
  const hub = await testHub(t);
  const tokens = { lead: await hub.token("lead-1"), dev: await hub.token("dev-1"), owner: await hub.token("owner") };
  const send = async (as: string, message: unknown, more = {}) => {
    const sent = await ask(hub.url, "/api/teams/web/messages", { as, body: { message, ...more } });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
  };
  await send(tokens.lead, typedMessage("plan_contract", {}, { id: "contract-1" }));
  await send(tokens.dev, typedMessage("approval_request", {}, { id: "request-1" }), { to: ["lead-1"] });
  await send(tokens.dev, typedMessage("blocker_report"));
  const body = { reason: "phase_complete", agents: ["qa-1"] };
  assert.equal((await ask(hub.url, "/api/teams/web/shutdowns", { as: tokens.lead, body })).status, 201);

  const url = await changedHub(t, hub, (method, path, answer) => {
    const schema = answer === undefined || isSession(path) ? null : schemaOf(method, path);
    return schema === null || schema === undefined ? answer : withNewWords(schema, answer);
  });
  const showing = new Set<string>();
  for (const line of shows) {
    for (const json of [[], ["--json"]]) {
      const done = await called(hub.folder, [...line, ...json, "--hub", url, "--token", tokens.owner]);
      assert.equal(done.code, 0, `${line.join(" ")}: ${done.said}`);
      if (done.stdout.includes('"new-')) showing.add(line.join(" "));
    }
  }
  const without = shows.map((line) => line.join(" ")).filter((line) => !showing.has(line));
  assert.deepEqual(without, ["task list --available", "handoff list --all", "contract show", "inbox", "team"]);
});
