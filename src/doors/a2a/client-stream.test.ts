/** A remote's stream is read within bounds, and what is not about the task ends it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { endless, remote, type ScriptedStream, stateOf } from "../../../tests/a2a/scripted-remote.ts";
import type { RemoteCard } from "./client.ts";
import { followRemoteTask, type StreamLimits } from "./client-stream.ts";
import type { RemoteTask } from "./remote-task.ts";

type Test = Parameters<typeof remote>[0];

const working = { task: stateOf("WORKING") };
const status = (state: string, more: object = {}) => ({ statusUpdate: { taskId: "t-1", ...stateOf(state), ...more } });
const artifact = (parts: readonly object[], more: object = {}) => ({
  artifactUpdate: { taskId: "t-1", artifact: { artifactId: "a", parts }, ...more },
});

async function follow(
  t: Test,
  script: (stream: ScriptedStream) => void,
  limits: Partial<StreamLimits> = {},
  more: { readonly signal?: AbortSignal; readonly binding?: RemoteCard["binding"] } = {},
) {
  const { signal = new AbortController().signal, binding = "JSONRPC" } = more;
  const closed = Promise.withResolvers<void>();
  const { url } = await remote(t, () => (stream) => {
    stream.response.on("close", () => closed.resolve());
    script(stream);
  });
  const seen: RemoteTask[] = [];
  const card: RemoteCard = {
    name: "shop",
    description: "",
    skills: [],
    isStreaming: true,
    url: new URL(`${url}/rpc`),
    binding,
  };
  const place = { card: url, token: null, rules: { isPrivateAllowed: true }, signal };
  const why = await followRemoteTask({ place, card, id: "t-1", seen: (task) => seen.push(task), limits });
  // Whatever ended it, the connection does not stay open.
  await closed.promise;
  return { code: why?.code ?? null, states: seen.map(({ state }) => state), last: seen.at(-1) };
}

test("a task is followed from its first state to its end, with the parts of its artifacts", async (t) => {
  const { code, states, last } = await follow(t, ({ event, response }) => {
    event({ task: stateOf("SUBMITTED") });
    response.write(": beat\n\n");
    event(status("WORKING"));
    event(artifact([{ text: "One" }, { data: { commit: "abcdef1", files: ["a"] } }]));
    event(artifact([{ text: "two" }], { append: true }));
    event({ somethingNew: { taskId: "t-1" } });
    event(status("COMPLETED"));
    event(status("FAILED"));
  });
  assert.equal(code, null);
  assert.deepEqual(states, ["submitted", "working", "completed"]);
  assert.equal(last?.words, "One\n\ntwo");
  assert.deepEqual(last?.work, { commit: "abcdef1", files: ["a"], state: null });
});

type Script = (stream: ScriptedStream) => void;
type Hostile = readonly [script: Script, code: string | null, limits?: Partial<StreamLimits>];

/** A stream that begins as it should, and goes on as `script` says. */
const begun =
  (script: Script): Script =>
  (stream) => {
    stream.event(working);
    script(stream);
  };
/** A stream of one frame. */
const frame =
  (data: string): Script =>
  ({ response }) =>
    void response.write(`data: ${data}\n\n`);
const envelope = (id: unknown, more: object) => JSON.stringify({ jsonrpc: "2.0", id, ...more });
const bytesMax = 200_000;

const hostile: Readonly<Record<string, Hostile>> = {
  "ends early": [begun(({ response }) => void response.end()), "hub-unreachable"],
  "breaks off": [begun(({ response }) => void response.write("data: {", () => response.destroy())), "hub-unreachable"],
  "an event of 2 MiB": [frame("x".repeat(2 ** 21)), "too-large"],
  "an event without an end": [({ response }) => endless(response), "too-large"],
  "comments without an end": [
    begun(({ response }) => endless(response, ":\n\n".repeat(999))),
    "too-large",
    { bytesMax },
  ],
  "changes without an end": [
    begun(({ response, id }) => endless(response, `data: ${envelope(id, { result: status("WORKING") })}\n\n`)),
    "too-large",
    { bytesMax },
  ],
  "an artifact without an end": [
    begun(({ event }) => event(artifact(Array.from({ length: 1_001 }, () => ({ text: "x" }))))),
    "too-large",
  ],
  "never says anything": [() => undefined, "timed-out", { answerMs: 100 }],
  "only heartbeats": [
    ({ response }) => endless(response, ": beat\n\n"),
    "timed-out",
    { answerMs: 100, bytesMax: 2 ** 40 },
  ],
  "falls silent": [begun(() => undefined), "timed-out", { silenceMs: 100 }],
  "lives long enough": [begun(() => undefined), null, { lifeMs: 100 }],
  "another request": [frame(envelope("other", { result: working })), "not-a-hub"],
  "no envelope": [frame(JSON.stringify(working)), "not-a-hub"],
  "no JSON": [frame("<html>"), "not-a-hub"],
  "too deep": [frame("[".repeat(5_000)), "not-a-hub"],
  "another task": [({ event }) => event({ task: { ...stateOf("WORKING"), id: "t-2" } }), "not-a-hub"],
  "a change of another task": [begun(({ event }) => event(status("COMPLETED", { taskId: "t-2" }))), "not-a-hub"],
  "no task at first": [({ event }) => event(status("COMPLETED")), "not-a-hub"],
  "a message": [begun(({ event }) => event({ message: { parts: [{ text: "Hi" }] } })), "not-a-hub"],
  "a state that there is not": [({ event }) => event({ task: stateOf("DONE") }), "not-a-hub"],
  "an error": [
    (stream) => frame(envelope(stream.id, { error: { code: -32004, message: "No" } }))(stream),
    "wrong-value",
  ],
};

for (const [name, [script, code, limits]] of Object.entries(hostile))
  test(`a hostile stream ends: ${name}`, { timeout: 30_000 }, async (t) => {
    const followed = await follow(t, script, limits);
    assert.equal(followed.code, code);
    assert.ok(
      followed.states.every((state) => state === "working"),
      "nothing of it counts as an end",
    );
  });

test("a stream ends with its signal, also before it was answered", { timeout: 30_000 }, async (t) => {
  for (const isBegun of [true, false]) {
    const over = new AbortController();
    const { code } = await follow(
      t,
      ({ event }) => {
        if (isBegun) event(working);
        over.abort();
      },
      {},
      over,
    );
    assert.equal(code, null);
  }
});

test("over HTTP+JSON events are bare, and an answer that is no stream is refused", async (t) => {
  const bare = (stream: ScriptedStream) => {
    frame(JSON.stringify(working))(stream);
    frame(JSON.stringify(status("COMPLETED")))(stream);
  };
  const { code, states } = await follow(t, bare, {}, { binding: "HTTP+JSON" });
  assert.deepEqual([code, states], [null, ["working", "completed"]]);
  const { url, sent } = await remote(t, () => ({ error: { code: -32004, message: "No streams" } }));
  const card: RemoteCard = {
    name: "",
    description: "",
    skills: [],
    isStreaming: true,
    url: new URL(url),
    binding: "JSONRPC",
  };
  const place = {
    card: url,
    token: "a-token",
    rules: { isPrivateAllowed: true },
    signal: new AbortController().signal,
  };
  const why = await followRemoteTask({ place, card, id: "t-1", seen: () => assert.fail("there is no stream") });
  assert.equal(why?.code, "not-a-hub");
  assert.deepEqual(sent, [{ method: "SubscribeToTask", params: { id: "t-1" }, authorization: "Bearer a-token" }]);
});
