/**
 * Ctrl-C of a hub while a shutdown round goes on: it stays until the round is over; a second Ctrl-C, or SIGTERM, does
 * not wait.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { ask } from "./hub.ts";
import { runBaton, startUp, teamFolder } from "./process.ts";

const team = "/api/teams/web";

/** A hub with a round that waits for dev-1, asked to stop by Ctrl-C and waiting. */
async function draining(t: TestContext) {
  const hub = await startUp(t, teamFolder(t));
  const dev = await hub.token("dev-1");
  // An agent that nobody has seen yet is not waited for.
  const seen = await ask(hub.url, `${team}/messages`, { as: dev, body: { message: "Good morning", to: ["lead-1"] } });
  assert.equal(seen.status, 201);
  const body = { reason: "phase_complete", deadlineMs: 600_000, agents: ["dev-1"], id: "stop-1" };
  assert.equal((await ask(hub.url, `${team}/shutdowns`, { as: hub.session, body })).status, 201);
  const told = new Promise<void>((resolve) => {
    hub.child.stderr?.on("data", () => {
      if (hub.words().includes("Shutdown stop-1 goes on: dev-1 has not stopped")) resolve();
    });
  });
  hub.child.kill("SIGINT");
  await told;
  return { hub, dev };
}

test("it says for whom it waits, answers meanwhile, and ends with the round", async (t) => {
  const { hub, dev } = await draining(t);
  const ended = new Promise((resolve) => hub.child.once("exit", (code, signal) => resolve({ code, signal })));
  const message = typedMessage("shutdown_response", { request_id: "stop-1" });
  assert.equal((await ask(hub.url, `${team}/messages`, { as: dev, body: { message } })).status, 201);
  assert.deepEqual(await ended, { code: 0, signal: null });
});

test("a caller that waits for the round through it gets the certificate", async (t) => {
  const { hub, dev } = await draining(t);
  const folder = teamFolder(t);
  const round = ["shutdown", "status", "stop-1", "--wait", "--json"];
  // The token of an agent that has stopped proves nobody, so another waits.
  const lead = await hub.token("lead-1");
  const waiting = runBaton(folder, [...round, "--hub", hub.url, "--token", lead]);
  // It waits once it has asked for the round and learned that it goes on; a process takes its time to come so far.
  const looked = /^baton_http_requests_total\{route="[^"]*\/shutdowns",method="get",status="200"\} /m;
  while (!looked.test((await ask(hub.url, "/metrics")).body)) assert.equal(hub.child.exitCode, null);
  const message = typedMessage("shutdown_response", { request_id: "stop-1" });
  assert.equal((await ask(hub.url, `${team}/messages`, { as: dev, body: { message } })).status, 201);
  const { code, stdout, stderr } = await waiting;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).outcome, "complete");
});

test("a second Ctrl-C ends it at once", async (t) => {
  const { hub } = await draining(t);
  assert.deepEqual(await hub.end("SIGINT"), { code: null, signal: "SIGINT" });
});

test("SIGTERM ends it without waiting for the round", async (t) => {
  const { hub } = await draining(t);
  assert.deepEqual(await hub.end("SIGTERM"), { code: 0, signal: null });
});
