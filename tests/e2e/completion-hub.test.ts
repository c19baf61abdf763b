/** What may follow on a command line that speaks to a hub: what the hub's team has, and nothing where it does not answer. */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { candidatesFor } from "../../src/doors/cli/kernel/completion.ts";
import { outputFor } from "../../src/doors/cli/kernel/run.ts";
import { connectHub } from "../../src/doors/http/client/client.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import type { HubAddress } from "../../src/perform/hub-connection.ts";
import { type Config, readConfig } from "../../src/perform/workspace/config.ts";
import { typedMessage } from "../../src/testing/index.ts";
import { ask, testHub } from "../http/hub.ts";
import { listening } from "../http/line.ts";
import { calledWithCode } from "./called.ts";
import { environment, folder, team } from "./command.ts";

function surroundings(directory: string, variables: Readonly<Record<string, string>>): Config {
  return readConfig({ env: environment(variables), stdin: {}, stdout: {}, stderr: {}, cwd: () => directory });
}

/** What may follow `words` where the surroundings are as told; all that is said or asked goes to `said` and `asked`. */
async function follows(config: Config, words: string, hubMsMax: number) {
  const said: string[] = [];
  const asked: HubAddress[] = [];
  const tell = (text: string) => void said.push(text);
  const found = await candidatesFor(catalogue, words.split(" "), {
    config,
    output: outputFor([], config, { stdout: tell, stderr: tell, written: async () => null }),
    signal: new AbortController().signal,
    connectHub: (address) => {
      asked.push(address);
      return connectHub(address);
    },
    hubMsMax,
  });
  assert.deepEqual(said, [], words);
  return { words: found.map(({ word }) => word).join(" "), asked };
}

/** Nothing of these tests takes so long, however busy the machine is. */
const longMs = 120_000;

test("values are those of the hub's team, as the token may see them, and looking records nothing", async (t) => {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  const api = "/api/teams/web";
  for (const [as, type, id] of [
    [lead, "plan_contract", "contract-1"],
    [dev, "approval_request", "request-1"],
    [dev, "blocker_report", "blocker-1"],
  ] as const) {
    const message = typedMessage(type, {}, { id });
    assert.equal((await ask(hub.url, `${api}/messages`, { as, body: { message } })).status, 201, type);
  }
  const count = async () => (await ask(hub.url, `${api}/messages`, { as: lead })).body.entries.length;
  const before = await count();
  const place = folder();
  const named = surroundings(place, { BATON_HUB: hub.url, BATON_TOKEN: dev });
  for (const [words, expected] of [
    ["task claim ", "1-1-T1 1-1-T2"],
    ["--as qa-1 task claim ", "1-1-T1 1-1-T2"],
    ["send --to l", "lead-1"],
    ["approve ", "request-1"],
    ["escalation resolve ", "ESC-01-01-T1"],
    ["contract show ", "1-1"],
    ["status --team ", "web"],
    ["token revoke ", ""],
    ["task claim --journal sqlite:none.db ", ""],
    ["handoff validate --as ", ""],
  ] as const) {
    assert.equal((await follows(named, words, longMs)).words, expected, words);
  }
  const bare = surroundings(place, {});
  for (const [words, expected] of [
    [`task claim --hub ${hub.url} --token ${dev} `, "1-1-T1 1-1-T2"],
    [`task complete --token 42 --hub=${hub.url} --token=${dev} `, "1-1-T1 1-1-T2"],
    [`task complete --hub ${hub.url} --token 42 `, ""],
    [`task claim --hub ${hub.url} --token baton_of-nobody `, ""],
    [`task claim --hub ${hub.url} --token ${dev} --team other `, ""],
  ] as const) {
    assert.equal((await follows(bare, words, longMs)).words, expected, words);
  }
  assert.equal(await count(), before);
});

test("a hub that does not answer is not waited for", { timeout: longMs / 4 }, async (t) => {
  const silent = createServer(() => undefined);
  const url = await listening(silent);
  t.after(() => silent.close());
  const place = folder();
  const config = surroundings(place, { BATON_HUB: url, BATON_TOKEN: "baton_of-nobody" });
  assert.equal((await follows(config, "task claim ", 100)).words, "");
  const found = await calledWithCode(0, place, [
    "completion",
    "zsh",
    "--",
    ...`task claim --hub ${url} --token baton_of-nobody `.split(" "),
  ]);
  assert.deepEqual([found.stdout, found.stderr], ["", ""]);
});

test("a token is not sent where others could read it on the way, and a command of this machine asks no hub", async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const url = await listening(server);
  t.after(() => server.close());
  // This machine by an address that is not known for it.
  const here = team();
  await calledWithCode(0, here, ["status"]);
  const config = surroundings(here, {
    BATON_HUB: url.replace("127.0.0.1", "0.0.0.0"),
    BATON_TOKEN: "baton_of-nobody",
  });
  const open = await follows(config, "task claim ", longMs);
  assert.deepEqual([open.words, open.asked.length, connections], ["", 1, 0]);
  assert.deepEqual(await follows(config, "journal import --team ", longMs), { words: "web", asked: [] });
  const plain = surroundings(folder(), { BATON_HUB: url, BATON_TOKEN: "baton_of-nobody" });
  await follows(plain, "task claim ", longMs);
  assert.ok(connections > 0, "the other is asked");
});
