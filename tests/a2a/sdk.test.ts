/**
 * The reference SDK's client, as a reader that we did not write, drives every method of a hub over both bindings. Its types
 * are not loaded: what it reads is compared as data.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { door, said } from "./door.ts";

/** Whatever the SDK answers. */
type Anything = ReturnType<typeof JSON.parse>;

const sdkName = "@a2a-js/sdk";
const sdk: Anything = await import(sdkName);
const clientOf: Anything = await import(`${sdkName}/client`);

for (const [binding, factory] of [
  ["JSON-RPC", "JsonRpcTransportFactory"],
  ["HTTP+JSON", "RestTransportFactory"],
] as const) {
  test(`the reference client drives every method over ${binding}`, { timeout: 60_000 }, async (t) => {
    const hub = await door(t);
    const bearer: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${hub.as.scout}`);
      return fetch(input, { ...init, headers });
    };
    const clients = new clientOf.ClientFactory({
      transports: [new clientOf[factory]({ fetchImpl: bearer })],
      cardResolver: new clientOf.DefaultAgentCardResolver({ fetchImpl: bearer }),
    });
    const client: Anything = await clients.createFromUrl(`${hub.base}/`, ".well-known/agent-card.json");
    const sending = (text: string, more: object = {}, configuration?: object) =>
      sdk.SendMessageRequest.fromJSON(said(text, more, configuration));

    const task: Anything = await client.sendMessage(sending("Add the tax"));
    assert.equal(task.status.state, sdk.TaskState.TASK_STATE_SUBMITTED);
    await hub.act("lead", `/tasks/${task.id}/discuss`, { text: "Gross or net?", question: true });
    const waits: Anything = await client.getTask(sdk.GetTaskRequest.fromJSON({ id: task.id }));
    assert.equal(waits.status.state, sdk.TaskState.TASK_STATE_INPUT_REQUIRED);
    assert.equal(waits.status.message.parts[0].content.value, "Gross or net?");
    const answered: Anything = await client.sendMessage(sending("Net", { taskId: task.id }));
    assert.deepEqual([answered.id, answered.history.length], [task.id, 3]);

    const stream = client.resubscribeTask(sdk.SubscribeToTaskRequest.fromJSON({ id: task.id }));
    const first = (await stream.next()).value;
    assert.equal(first.payload.$case, "task");
    await hub.act("lead", "/tasks", { task: task.id, files: "none" });
    await hub.act("dev", `/tasks/${task.id}/complete`, { evidence: "npm test: 3 passed" });
    const events: Anything[] = [];
    for await (const each of stream) events.push(each.payload);
    assert.equal(events.at(-1).value.status.state, sdk.TaskState.TASK_STATE_COMPLETED);
    assert.equal(events.find(({ $case }) => $case === "artifactUpdate").value.artifact.artifactId, "work");

    const streamed = client.sendMessageStream(sending("Stream it"));
    const begun = (await streamed.next()).value.payload;
    const { id } = begun.value;
    const cancelled: Anything = await client.cancelTask(sdk.CancelTaskRequest.fromJSON({ id }));
    assert.equal(cancelled.status.state, sdk.TaskState.TASK_STATE_CANCELED);
    const ends: Anything[] = [];
    for await (const each of streamed) ends.push(each.payload);
    assert.equal(ends.at(-1).value.status.state, sdk.TaskState.TASK_STATE_CANCELED);

    const listed: Anything = await client.listTasks(
      sdk.ListTasksRequest.fromJSON({ pageSize: 10, includeArtifacts: true }),
    );
    assert.deepEqual([listed.tasks.length, listed.totalSize, listed.nextPageToken], [2, 2, ""]);
    for (const each of [...listed.tasks, answered]) {
      assert.deepEqual(sdk.Task.toJSON(sdk.Task.fromJSON(sdk.Task.toJSON(each))), sdk.Task.toJSON(each));
    }
    const card: Anything = await client.getAgentCard();
    assert.ok(card.skills.length >= 1 && card.name === "web");

    await assert.rejects(client.cancelTask(sdk.CancelTaskRequest.fromJSON({ id })), /cannot be cancelled/);
    await assert.rejects(client.getTask(sdk.GetTaskRequest.fromJSON({ id: "ask-none" })), /no such task/);
    const config = { taskId: id, id: "hook", url: "https://example.com/hook" };
    // Most of these the client refuses itself, because the card says that there are none.
    const push: readonly (readonly [method: string, request: Anything])[] = [
      ["createTaskPushNotificationConfig", sdk.TaskPushNotificationConfig],
      ["getTaskPushNotificationConfig", sdk.GetTaskPushNotificationConfigRequest],
      ["listTaskPushNotificationConfig", sdk.ListTaskPushNotificationConfigsRequest],
      ["deleteTaskPushNotificationConfig", sdk.DeleteTaskPushNotificationConfigRequest],
    ];
    for (const [method, request] of push)
      await assert.rejects(async () => client[method](request.fromJSON(config)), {
        name: "PushNotificationNotSupportedError",
      });
  });
}
