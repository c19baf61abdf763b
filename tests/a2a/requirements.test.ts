/**
 * Every requirement of A2A 1.0 for a server and a client over HTTP is named by a test, or has its reason here; and what each
 * binding writes on the wire.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { door, said } from "./door.ts";

/** Each prefix with its numbers, as the conformance kit has them. */
const requirements: Readonly<Record<string, string>> = {
  "AUTH-INTASK": "001 002 003 004 005 006",
  "AUTH-SCOPE": "001 002 003",
  "AUTH-SERVER": "001 002",
  "AUTH-TLS": "001 002",
  "BATON-A2A": "1 2 3 4 6",
  "BIND-EQUIV": "001 002 003 004",
  "BIND-FIELD": "001",
  "CARD-CACHE": "001 002 003",
  "CARD-DISC": "001",
  "CARD-EXT": "001 002",
  "CARD-PROTO": "001 002",
  "CARD-SIGN": "001 002 003 004",
  "CARD-STRUCT": "001",
  "CORE-CANCEL": "001 002 003",
  "CORE-CAP": "001 002 003 004",
  "CORE-ERR": "001 002",
  "CORE-EXECUTION-MODE": "001 002",
  "CORE-GET": "001 002",
  "CORE-HIST": "001 002 003 004 005 006",
  "CORE-LIST": "001 002 003 004 005",
  "CORE-MULTI": "001 001a 002 002a 003 004 005 006",
  "CORE-SEND": "001 002 003",
  "CORE-STREAM": "001 002 003",
  "DM-ART": "001",
  "DM-MSG": "001 002",
  "DM-PART": "001",
  "DM-SERIAL": "001 002 003 004 005",
  "DM-STATUS": "001",
  "DM-TASK": "001 002",
  "HTTP_JSON-ERR": "001 002",
  "HTTP_JSON-QP": "001",
  "HTTP_JSON-SSE": "001",
  "HTTP_JSON-STATUS": "001",
  "HTTP_JSON-SVC": "001 002",
  "HTTP_JSON-URL": "001 002",
  "JSONRPC-ERR": "001 002 003",
  "JSONRPC-FMT": "001 002",
  "JSONRPC-SSE": "001 002",
  "JSONRPC-SVC": "001 002",
  "PUSH-CREATE": "001 002",
  "PUSH-DEL": "001 002",
  "PUSH-DELIVER": "001 002 003",
  "PUSH-GET": "001 002",
  "PUSH-LIST": "001",
  "STREAM-ORDER": "001 002 003 004",
  "STREAM-SUB": "001 002 003 004",
  "VER-CLIENT": "001 002",
  "VER-SERVER": "001 002 003",
};

/** Requirements without a test here, by the beginning of their ids. */
const reasons: Readonly<Record<string, string>> = {
  "AUTH-INTASK": "AUTH_REQUIRED is never a state of a task: a person's sign-off is the owner's.",
  "AUTH-TLS": "A hub speaks TLS by its own certificate or behind a proxy: tests/http/other-machines.",
  "AUTH-SERVER-001": "Node verifies the certificates of https, and nothing of ours turns it off.",
  "CARD-SIGN": "Cards are not signed, and say so.",
  "CORE-CAP-002": "Streaming is always offered.",
  "CORE-CAP-003": "The extended card is always offered.",
  "CORE-CAP-004": "No extension is required.",
  "PUSH-": "Push notifications are not offered, and the card says so.",
};

/** The ids that no name of a test in these files has. */
function untested(ids: readonly string[], texts: readonly string[]): readonly string[] {
  const named = new Set(texts.flatMap((text) => text.match(/[A-Z_]+2?[A-Z]*-[A-Z0-9-]+?-\d+a?\b/g) ?? []));
  return ids.filter((id) => !named.has(id));
}

test("every requirement has a test that names it, or a reason", () => {
  const ids = Object.entries(requirements).flatMap(([prefix, numbers]) =>
    numbers.split(" ").map((each) => `${prefix}-${each}`),
  );
  assert.equal(ids.length, 127);
  const files = readdirSync(import.meta.dirname).filter((name) => /^(?!requirements).*\.test\.ts$/.test(name));
  // This file's own tests count by their titles, not by the tables above.
  const own = readFileSync(import.meta.filename, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("test("));
  const texts = [...files.map((name) => readFileSync(join(import.meta.dirname, name), "utf8")), own.join("\n")];
  const open = untested(ids, texts);
  const without = open.filter((id) => !Object.keys(reasons).some((prefix) => id.startsWith(prefix)));
  assert.deepEqual(without, []);
  const needless = Object.keys(reasons).filter((prefix) => !open.some((id) => id.startsWith(prefix)));
  assert.deepEqual(needless, [], "a reason for what has its test");
  assert.deepEqual(
    untested(["CORE-GET-001", "CORE-GET-999"], texts),
    ["CORE-GET-999"],
    "the guard finds a missing one",
  );
});

const headers = (token: string) => ({
  authorization: `Bearer ${token}`,
  "a2a-version": "1.0",
  "content-type": "application/json",
});

test("JSONRPC-FMT-001 JSONRPC-FMT-002 JSONRPC-SVC-001 JSONRPC-SVC-002 JSONRPC-ERR-001 JSONRPC-ERR-002 JSONRPC-ERR-003 JSONRPC-SSE-001 JSONRPC-SSE-002: JSON-RPC on the wire", async (t) => {
  const hub = await door(t);
  const post = (method: string, params: object, more: object = {}) =>
    fetch(`${hub.base}/jsonrpc`, {
      method: "POST",
      headers: { ...headers(hub.as.scout), ...more },
      body: JSON.stringify({ jsonrpc: "2.0", id: "seven", method, params }),
    });
  const answer = await post("ListTasks", {});
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
  const { result, ...envelope }: ReturnType<typeof JSON.parse> = await answer.json();
  assert.deepEqual([envelope, result.tasks], [{ jsonrpc: "2.0", id: "seven" }, []]);
  const codes: readonly (readonly [method: string, params: object, more: object, code: number, reason: string])[] = [
    ["GetTask", { id: "none" }, {}, -32001, "TASK_NOT_FOUND"],
    ["GetTaskPushNotificationConfig", {}, {}, -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["SendMessage", said("", { parts: [{ raw: "QQ==" }] }), {}, -32005, "CONTENT_TYPE_NOT_SUPPORTED"],
    ["ListTasks", {}, { "a2a-version": "0.3" }, -32009, "VERSION_NOT_SUPPORTED"],
    ["listTasks", {}, {}, -32601, "METHOD_NOT_FOUND"],
  ];
  for (const [method, params, more, code, reason] of codes) {
    const { error }: ReturnType<typeof JSON.parse> = await (await post(method, params, more)).json();
    assert.deepEqual(
      [error.code, typeof error.message, error.data[0].reason, error.data[0].domain],
      [code, "string", reason, "a2a-protocol.org"],
    );
    assert.equal(error.data[0]["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
  }
  const { reader, event } = await firstEvent(await post("SendStreamingMessage", said("Stream it", {}, {})));
  assert.deepEqual([event.jsonrpc, event.id, Object.keys(event.result)], ["2.0", "seven", ["task"]]);
  await reader.cancel();
});

test("HTTP_JSON-URL-001 HTTP_JSON-URL-002 HTTP_JSON-SVC-001 HTTP_JSON-SVC-002 HTTP_JSON-QP-001 HTTP_JSON-ERR-001 HTTP_JSON-ERR-002 HTTP_JSON-STATUS-001 HTTP_JSON-SSE-001: HTTP+JSON on the wire", async (t) => {
  const hub = await door(t);
  const ask = (method: string, path: string, body?: object, more: object = {}) =>
    fetch(`${hub.base}${path}`, {
      method,
      headers: { ...headers(hub.as.scout), "content-type": "application/a2a+json", ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const sent = await ask("POST", "/message:send", said("Add the tax"));
  assert.deepEqual([sent.status, sent.headers.get("content-type")], [200, "application/a2a+json"]);
  const { task }: ReturnType<typeof JSON.parse> = await sent.json();
  const listed: ReturnType<typeof JSON.parse> = await (
    await ask("GET", "/tasks?pageSize=1&historyLength=0&includeArtifacts=true")
  ).json();
  assert.deepEqual([listed.pageSize, listed.tasks.length], [1, 1]);
  const statuses: readonly (readonly [method: string, path: string, more: object, status: number, reason: string])[] = [
    ["GET", "/tasks/none", {}, 404, "TASK_NOT_FOUND"],
    ["POST", "/tasks/none:cancel", {}, 404, "TASK_NOT_FOUND"],
    ["GET", "/tasks?pageSize=0", {}, 400, "INVALID_PARAMS"],
    ["GET", "/tasks", { "a2a-version": "0.3" }, 400, "VERSION_NOT_SUPPORTED"],
    ["GET", `/tasks/${task.id}/pushNotificationConfigs`, {}, 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["PUT", "/tasks", {}, 404, "METHOD_NOT_FOUND"],
  ];
  for (const [method, path, more, status, reason] of statuses) {
    const answer = await ask(method, path, method === "GET" ? undefined : {}, more);
    const { error }: ReturnType<typeof JSON.parse> = await answer.json();
    assert.deepEqual([answer.status, error.code, error.details[0].reason], [status, status, reason], path);
    assert.deepEqual(
      [typeof error.status, typeof error.message, error.details[0].domain],
      ["string", "string", "a2a-protocol.org"],
    );
  }
  const { reader, event } = await firstEvent(await ask("POST", `/tasks/${task.id}:subscribe`, {}));
  assert.equal(event.task.id, task.id);
  await reader.cancel();
  assert.equal((await ask("POST", `/tasks/${task.id}:cancel`, {})).status, 200);
});

async function firstEvent(answer: Response) {
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  const reader = (answer.body ?? assert.fail("a stream has a body")).getReader();
  let text = "";
  while (!text.includes("\n\n"))
    text += Buffer.from((await reader.read()).value ?? assert.fail("the stream ended")).toString();
  const event: ReturnType<typeof JSON.parse> = JSON.parse(text.slice("data: ".length, text.indexOf("\n\n")));
  return { reader, event };
}
