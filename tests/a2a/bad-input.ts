/** Requests to the A2A door that are changed at random, and what a hub answers them: never a failure of its own. */
import type { Chance as Source } from "../crash/seed.ts";
import { type Door, said } from "./door.ts";

/** A number from 0 up to 1. */
type Chance = Source["next"];

/** One request that was answered by a failure of the hub, or in no form of A2A. */
export interface Wrong {
  readonly status: number;
  readonly request: string;
  readonly answer: string;
}

const pick = <Value>(chance: Chance, list: readonly Value[]): Value =>
  list[Math.floor(chance() * list.length)] as Value;

/** Values that fit nowhere, or hardly. */
const odd: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 31,
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202edrow",
  "__proto__",
  "constructor",
  "a".repeat(5_000),
  [],
  {},
  [[[[[[]]]]]],
  { toString: 1, __proto__x: 2 },
  Array.from({ length: 300 }, () => ({ text: "x" })),
  "ask-00000000000000000000",
  "../../etc/passwd",
  "%00%ff",
];

/** Methods of A2A, and words that are none. */
export const methods = `
  SendMessage GetTask ListTasks CancelTask GetExtendedAgentCard CreateTaskPushNotificationConfig
  ListTaskPushNotificationConfigs GetTaskPushNotificationConfig DeleteTaskPushNotificationConfig
  SendStreamingMessage SubscribeToTask __proto__ constructor sendmessage
`
  .trim()
  .split(/\s+/);

/** A good request but for its ids: `task` is a task of the caller's. */
function sampleOf(method: string, task: string, chance: Chance): object {
  if (method === "ListTasks")
    return { pageSize: 2, pageToken: "", contextId: "c", status: "TASK_STATE_WORKING", historyLength: 1 };
  const id = chance() < 0.5 ? task : "ask-00000000000000000000";
  if (method === "CreateTaskPushNotificationConfig") {
    const authentication = { scheme: "Bearer", credentials: "abc" };
    return { taskId: id, id: "hook", url: "https://hooks.example.com/a", token: "t", authentication };
  }
  if (method.includes("PushNotificationConfig"))
    return { taskId: id, id: chance() < 0.5 ? "hook" : "none", pageSize: 2 };
  // The task of the campaign stays open, so that it can be subscribed to.
  if (method === "CancelTask") return { id: "ask-00000000000000000000" };
  if (method !== "SendMessage" && method !== "SendStreamingMessage") return { id, historyLength: 2 };
  const configuration = {
    returnImmediately: true,
    historyLength: 2,
    acceptedOutputModes: ["text/plain"],
    ...(chance() < 0.2 ? { taskPushNotificationConfig: { url: "https://hooks.example.com/b" } } : {}),
  };
  const sent = said("Words", { contextId: "c", metadata: { a: 1 } }, configuration);
  return { ...sent, message: { ...sent.message, messageId: `m${Math.floor(chance() * 1e9)}` } };
}

/** `value` with one place in it changed: replaced, removed, added, or doubled. */
function changed(value: unknown, chance: Chance, depth = 0): unknown {
  const isLeaf = typeof value !== "object" || value === null || (depth > 0 && chance() < 0.3);
  if (isLeaf) return pick(chance, odd);
  if (Array.isArray(value)) {
    if (value.length === 0 || chance() < 0.2) return [...value, pick(chance, odd)];
    const at = Math.floor(chance() * value.length);
    return value.map((each, index) => (index === at ? changed(each, chance, depth + 1) : each));
  }
  const keys = Object.keys(value);
  const key = pick(chance, keys);
  const entries = Object.entries(value);
  const kind = chance();
  if (keys.length === 0 || kind < 0.1)
    return Object.fromEntries([...entries, [JSON.stringify(pick(chance, odd)), pick(chance, odd)]]);
  if (kind < 0.2) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(
    entries.map(([name, each]) => [name, name === key ? changed(each, chance, depth + 1) : each]),
  );
}

/** A text with some of its bytes changed. */
function broken(text: string, chance: Chance): string {
  const at = Math.floor(chance() * text.length);
  const kind = chance();
  if (kind < 0.4) return text.slice(0, at);
  if (kind < 0.7)
    return text.slice(0, at) + pick(chance, ['"', "{", "\\u", "\u0000", "]", "é", "1e999"]) + text.slice(at + 1);
  return text + text.slice(at);
}

/** The body of an answer; of a stream its first event without the field's name. */
async function firstOf(answer: Response): Promise<string> {
  if (answer.headers.get("content-type") !== "text/event-stream" || answer.body === null) return await answer.text();
  const reader = answer.body.getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    text += value === undefined ? "" : Buffer.from(value).toString();
    if (done || text.includes("\n\n")) break;
  }
  await reader.cancel();
  return text.replace(/^data: /, "");
}

/**
 * Sends `count` changed requests and answers those that the hub failed on, how many it took as good, and what became of
 * which method on which binding.
 */
export async function attack(
  hub: Door,
  count: number,
  { next: chance }: Source,
): Promise<{ readonly wrong: readonly Wrong[]; readonly taken: number; readonly kinds: ReadonlySet<string> }> {
  const wrong: Wrong[] = [];
  const kinds = new Set<string>();
  let taken = 0;
  const first = await hub.bindings[0].call(hub.as.scout, "SendMessage", said("Stays open"));
  const own: string = first.result.task.id;
  for (let number = 0; number < count; number += 1) {
    const method = pick(chance, methods);
    let params: unknown = sampleOf(method, own, chance);
    for (let change = 0; change < 1 + Math.floor(chance() * 3); change += 1) params = changed(params, chance);
    const isRpc = chance() < 0.6;
    const whole = isRpc ? { jsonrpc: "2.0", id: number, method, params } : params;
    let body = JSON.stringify(chance() < 0.1 ? changed(whole, chance) : whole) ?? "";
    if (chance() < 0.15) body = broken(body, chance);
    const isStream = method === "SendStreamingMessage";
    const verb =
      isRpc || isStream || method === "SendMessage" ? "POST" : pick(chance, ["POST", "GET", "DELETE", "PUT"]);
    const paths = [
      "/message:send",
      "/tasks",
      "/tasks/ask-1",
      "/tasks/%00:cancel",
      "/tasks/a%2fb:subscribe",
      `/tasks/${own}:subscribe`,
      `/tasks/${own}/pushNotificationConfigs`,
      `/tasks/${own}/pushNotificationConfigs/hook`,
      `/tasks/${own}/pushNotificationConfigs/%00`,
      `/tasks/${own}/pushNotificationConfigs/a/b`,
      "/tasks/%zz",
      "/x",
      "",
    ];
    const query =
      chance() < 0.2
        ? `?pageSize=${encodeURIComponent(JSON.stringify(pick(chance, odd)).toWellFormed())}&historyLength=x`
        : "";
    const path = isRpc
      ? "/jsonrpc"
      : `${method === "SendMessage" ? "/message:send" : isStream ? "/message:stream" : pick(chance, paths)}${query}`;
    const answer = await fetch(`${hub.base}${path}`, {
      method: verb,
      headers: {
        authorization: `Bearer ${hub.as.scout}`,
        "a2a-version": chance() < 0.05 ? pick(chance, ["", "0.3", "9", "1.0.1"]) : "1.0",
        "content-type": chance() < 0.05 ? "text/plain" : "application/json",
      },
      ...(verb === "GET" ? {} : { body }),
    });
    // A stream stays open while its task is: its first event is the answer.
    const text = await firstOf(answer);
    if (answer.ok && !text.includes('"error"')) taken += 1;
    // An agent has a hundred open asks at most, and the others are to be tried as well.
    kinds.add(`${method} ${isRpc ? "rpc" : "rest"} ${answer.ok && !text.includes('"error"') ? "taken" : "refused"}`);
    const [, id] = answer.ok ? (/"task":\{"id":"(ask-[0-9a-f]{20})"/.exec(text) ?? []) : [];
    if (id !== undefined && id !== own) await hub.bindings[0].call(hub.as.scout, "CancelTask", { id });
    if (answer.status >= 500 || !text.startsWith("{") || text.includes("-32603"))
      wrong.push({
        status: answer.status,
        request: `${verb} ${path} ${body.slice(0, 500)}`,
        answer: text.slice(0, 500),
      });
  }
  return { wrong, taken, kinds };
}
