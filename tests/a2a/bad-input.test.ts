/** Bad input at the A2A door: each request is answered in a form of A2A, and never as a failure of the hub. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceFrom, chosenSeed } from "../crash/seed.ts";
import { inLongRun } from "../run-size.ts";
import { attack, methods } from "./bad-input.ts";
import { door, hasty, said } from "./door.ts";

const seed = chosenSeed(2101);

test(`the door withstands bad requests (seed ${seed})`, { timeout: inLongRun(1_800_000, 60_000) }, async (t) => {
  const hub = await door(t, hasty);
  const post = async (body: string | Uint8Array<ArrayBuffer>, headers: object = {}) => {
    const answer = await fetch(`${hub.base}/jsonrpc`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${hub.as.scout}`,
        "a2a-version": "1.0",
        "content-type": "application/json",
        ...headers,
      },
      body,
    });
    const read: ReturnType<typeof JSON.parse> = await answer.json();
    return [answer.status, read.error?.code ?? null] as const;
  };
  const envelope = (more: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ListTasks", ...more });
  const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;

  await t.test("envelopes that are none, and methods that are no methods", async () => {
    const bodies: readonly (readonly [string | Uint8Array<ArrayBuffer>, number | null])[] = [
      ["", -32700],
      ["{", -32700],
      [new Uint8Array([0x22, 0xff, 0x22]), -32700],
      ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ListTasks"}', -32700],
      [`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"a":${deep}}}`, -32700],
      ["[]", -32600],
      [`[${envelope({})}]`, -32600],
      [envelope({ id: 1.5 }), -32600],
      [envelope({ id: undefined }), -32600],
      [envelope({ jsonrpc: "1.0" }), -32600],
      [envelope({ params: [] }), -32602],
      [envelope({ method: "__proto__" }), -32601],
      [envelope({ method: "constructor" }), -32601],
      [envelope({ id: null }), null],
      [envelope({ method: "SendMessage", params: said("x".repeat(300 * 1024)) }), -32600],
    ];
    for (const [body, code] of bodies) assert.equal((await post(body))[1], code, String(body).slice(0, 80));
    assert.deepEqual(await post(envelope({}), { "content-type": "text/plain" }), [200, -32005]);
    const [status] = await post(JSON.stringify({ a: "x".repeat(2 * 1024 * 1024) }));
    assert.equal(status, 413);
  });

  await t.test("a foreign host and a foreign page are refused before anything else", async () => {
    const answer = await fetch(`${hub.base}/jsonrpc`, {
      method: "POST",
      headers: { origin: "https://evil.example" },
      body: "{}",
    });
    assert.equal(answer.status, 403);
  });

  await t.test("a refused ask leaves no task, and 100 open asks are the most", async () => {
    const [binding] = hub.bindings;
    for (let number = 0; number < 100; number += 1)
      await binding.call(hub.as.other, "SendMessage", said(`Ask ${number}`));
    const more = await binding.call(hub.as.other, "SendMessage", said("One more"));
    assert.deepEqual([more.code, more.reason], [-32000, "RESOURCE_EXHAUSTED"]);
    assert.equal((await binding.call(hub.as.other, "ListTasks", {})).result.totalSize, 100);
  });

  await t.test("changed requests get an answer of A2A", async () => {
    const { wrong, taken, kinds } = await attack(hub, inLongRun(20_000, 400), chanceFrom(seed));
    assert.deepEqual(wrong.slice(0, 3), []);
    assert.ok(taken > 0, "some of them are good all the same, so the others are not refused for one reason");
    // What is cancelled here is unknown: the campaign ends its asks itself. Push notifications are not offered.
    const untaken = methods
      .filter((method) => !/^[_a-z]|PushNotification/.test(method) && method !== "CancelTask")
      .flatMap((method) => ["rpc", "rest"].map((binding) => `${method} ${binding} taken`))
      .filter((each) => !kinds.has(each));
    assert.deepEqual(inLongRun(untaken, []), [], "a method that takes nothing at all was not tried");
  });
});
