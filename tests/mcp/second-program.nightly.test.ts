/**
 * Two programs under one agent's name, and a session that was begun again: the older one is fenced off and learns that.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines, problemCodes, team } from "../e2e/command.ts";
import { startHub, tokenOf, towards } from "../e2e/hub-process.ts";
import { clients, type Driver, type Place } from "./clients.ts";
import { codesOf, good } from "./every-tool.ts";

const connect = clients["the second SDK's client in the stateless era"] ?? assert.fail("no such client");

async function refusedBy(driver: Driver): Promise<void> {
  const calls = [
    driver.call("send_message", { message: "Still here", to: ["lead-1"], id: "late-1" }),
    driver.call("read_inbox", {}),
    driver.call("task", { action: "claim", task: "1-1-T1", id: "c-1" }),
    driver.call("task", { action: "available" }),
  ];
  for (const call of calls) assert.deepEqual(codesOf(await call), ["session-replaced"]);
}

async function second(place: Place): Promise<void> {
  const older = await connect(place);
  await good(older.call("send_message", { message: "Here I am", to: ["lead-1"], id: "here-1" }));
  const newer = await connect(place);
  await good(newer.call("send_message", { message: "And I", to: ["lead-1"], id: "here-2" }));
  await refusedBy(older);
  await good(newer.call("read_inbox", {}));
  await older.close();
  await good(newer.call("send_message", { message: "The other has gone", to: ["lead-1"], id: "gone-1" }));
  await newer.close();
}

test("of two programs of one agent on a file the older one is refused at each tool", async () => {
  const directory = team();
  await second({ directory, words: ["mcp", "--as", "dev-1"] });
  const [agent] = jsonLines(await calledWithCode(0, directory, ["agent", "list", "--json"])).filter(
    (each) => each.agent === "dev-1",
  );
  assert.equal(agent?.health, "idle");
  await calledWithCode(0, directory, ["send", "--as", "dev-1", "--to", "lead-1"], "a command comes and goes");
});

test("the same through a hub; and a new session takes token, program and claim from the old one at every door", async () => {
  const directory = team();
  const hub = await startHub(directory);
  const away = folder();
  const old = towards(hub, await tokenOf(directory, "dev-1"));
  await second({ directory: away, words: ["mcp"], variables: old });
  const program = await connect({ directory: away, words: ["mcp"], variables: old });
  await calledWithCode(0, directory, ["task", "add", "1-1-T1"]);
  await good(program.call("task", { action: "claim", task: "1-1-T1", id: "c-2" }));
  const renewed = ["agent", "register", "dev-1", "--role", "dev", "--new-session"];
  await calledWithCode(0, directory, renewed);
  const [task] = jsonLines(await calledWithCode(0, directory, ["task", "list", "--json"]));
  assert.equal(task?.state, "available");
  assert.deepEqual(
    codesOf(await program.call("send_message", { message: "Still here", to: ["lead-1"], id: "late-2" })),
    ["token-revoked"],
  );
  await program.close();
  const asked = await fetch(`${hub.url}/api/teams/web/status`, {
    headers: { authorization: `Bearer ${old.BATON_TOKEN}` },
  });
  assert.equal(asked.status, 401);
  const problem = (await asked.json()) as { readonly code?: string; readonly detail?: string };
  assert.equal(problem.code, "token-revoked");
  assert.match(JSON.stringify(problem), /earlier session/);
  const command = await called(away, ["inbox", "--json"], "", old);
  assert.deepEqual(problemCodes(command), ["token-revoked"]);
  const fresh = towards(hub, await tokenOf(directory, "dev-1"));
  const next = await connect({ directory: away, words: ["mcp"], variables: fresh });
  await good(next.call("task", { action: "claim", task: "1-1-T1", id: "c-3" }));
  await next.close();
});

test("over HTTP a program names itself by a header", async () => {
  const directory = team();
  const hub = await startHub(directory);
  const token = await tokenOf(directory, "dev-1");
  const post = async (path: string, program: string, body: object = {}) => {
    const answer = await fetch(`${hub.url}/api/teams/web/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "baton-program": program },
      body: JSON.stringify(body),
    });
    return {
      status: answer.status,
      body: (await answer.json()) as { readonly code?: string; readonly everyMs?: number },
    };
  };
  const first = await post("agents/dev-1/alive", "one");
  assert.deepEqual([first.status, first.body.everyMs], [200, 30_000]);
  assert.equal((await post("agents/dev-1/alive", "two")).status, 200);
  const said = { message: "Still here", to: ["lead-1"] };
  for (const path of ["agents/dev-1/alive", "messages"] as const) {
    const refused = await post(path, "one", path === "messages" ? said : {});
    assert.deepEqual([refused.status, refused.body.code], [403, "session-replaced"]);
  }
  assert.equal((await post("messages", "two", said)).status, 201);
  assert.equal((await post("agents/dev-1/leave", "two")).status, 200);
  assert.equal((await post("agents/dev-1/alive", "not a name")).status, 422);
});
