/**
 * Away from the page: a receiver of webhooks and a stand-in for `notify-send` get what needs the person, from a hub as
 * `baton start` starts it.
 */
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { git } from "../evidence/history.ts";
import { scopeRequest } from "../page/phase.ts";
import { baton, folder, problemCodes } from "./command.ts";
import { receiver, signatureOf } from "./webhook.ts";

const hubs = new Set<number>();
after(() => {
  for (const pid of hubs) process.kill(pid, "SIGTERM");
});

/** A repository with one developer; `codex` and `notify-send` are stand-ins on its path. */
function place() {
  const [root, bin] = [folder(), folder()];
  git(root, "init", "--quiet", "--initial-branch=main");
  git(root, "commit", "--quiet", "--allow-empty", "-m", "start");
  const shown = join(bin, "shown");
  const scripts = { codex: "", "notify-send": `printf '%s\\n' "$@" >> ${shown}\n` };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}`);
    chmodSync(join(bin, name), 0o755);
  }
  const variables = { PATH: `${bin}:/usr/bin:/bin`, HOME: join(root, "../home"), DISPLAY: ":0" };
  const start = (...words: readonly string[]) => {
    const line = ["start", "--json", "--port", "0", "--agents", "codex:2", "--yes", ...words];
    const done = baton(root, line, "", variables);
    // As documented.
    const said = (done.stdout === "" ? {} : JSON.parse(done.stdout)) as { pid: number; secret?: string; url: string };
    if (typeof said.pid === "number") hubs.add(said.pid);
    return { ...done, said };
  };
  const asks = (id: string, subject: string) => {
    const text = scopeRequest(id, subject, { request_type: "gate_override" });
    const done = baton(root, ["send", "-", "--as", "dev-1"], text, variables);
    assert.equal(done.code, 0, done.stderr + done.stdout);
  };
  const end = async (pid: number, signal: "SIGKILL" | "SIGTERM") => {
    process.kill(pid, signal);
    hubs.delete(pid);
    await until(() => !isAlive(pid));
  };
  return { root, shown, start, asks, end };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.wait(20);
}

test("what needs the person is signed and sent to the address that they allowed", async () => {
  const { root, start, asks } = place();
  const { got, url } = await receiver();
  const first = start();
  assert.equal(first.code, 0, first.stderr);
  for (const words of [
    ["--notify", url],
    ["--notify", "https://169.254.169.254/", "--allow-private"],
    ["--notify", "https://user:word@example.com/"],
    ["--notify", "somewhere"],
  ])
    assert.deepEqual(problemCodes(start(...words)), ["wrong-value"], words.join(" "));
  const second = start("--notify", url, "--allow-private");
  assert.equal(second.said.pid, first.said.pid, "the hub that runs heeds it");
  const secret = second.said.secret ?? "";
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(start("--notify", url, "--allow-private").said.secret, undefined, "it is shown once");
  assert.equal(statSync(join(root, ".git/baton/notify.json")).mode & 0o777, 0o600);
  asks("one", "Merge without the gate?");
  const askedMs = systemClock.monotonic();
  await until(() => got.length > 0);
  const [message] = got;
  assert.ok(message !== undefined && message.atMs - askedMs < 2_000, `${message?.atMs} after ${askedMs}`);
  assert.equal(message.headers["webhook-signature"], signatureOf(message, secret));
  const { timestamp, data, ...rest } = JSON.parse(message.body);
  assert.deepEqual(rest, { type: "decision.waiting" });
  assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 600_000);
  assert.deepEqual(data, {
    team: data.team,
    id: "approval:dev-1/one",
    kind: "approval",
    from: "dev-1",
    text: "Merge without the gate?",
    answer: `${new URL(first.said.url).origin}/t/${data.team}/inbox/approval%3Adev-1%2Fone`,
  });
});

test("a webhook that fails is among what needs the person, until it is reached or switched off", async () => {
  const { root, start, asks } = place();
  const { got, answer, url } = await receiver();
  answer.status = 500;
  start("--notify", url, "--allow-private");
  asks("one", "Merge without the gate?");
  const needs = () => baton(root, ["needs", "--json"], "").stdout;
  await until(() => needs().includes("Your webhook cannot be reached"));
  assert.match(needs(), /"why": ?"It answered with status 500\."/);
  assert.equal(start("--notify", "off").code, 0);
  await until(() => !needs().includes("Your webhook"));
  start("--notify", url, "--allow-private");
  await until(() => needs().includes("Your webhook"));
  answer.status = 200;
  await until(() => !needs().includes("Your webhook"));
  assert.equal(JSON.parse(got.at(-1)?.body ?? "").data.id, "approval:dev-1/one", "it is not told of itself");
});

test("a hub that is killed before a message arrived sends it once, by the same id; a redirect is not followed", async () => {
  const { shown, start, asks, end } = place();
  const { got, answer, idle, url } = await receiver();
  answer.status = 302;
  const first = start("--notify", url, "--allow-private");
  asks("one", "Merge without the gate?");
  await until(() => got.length > 0);
  await end(first.said.pid, "SIGKILL");
  await idle();
  assert.deepEqual(new Set(got.map(({ path }) => path)), new Set(["/hook"]));
  const [tried] = got.splice(0);
  answer.status = 200;
  const second = start();
  assert.match(second.stderr, /told by http:\/\/127\.0\.0\.1/);
  await until(() => got.length > 0);
  assert.equal(got[0]?.headers["webhook-id"], tried?.headers["webhook-id"]);
  await end(second.said.pid, "SIGTERM");
  // This machine's own notification comes from the same looks, so nothing more is sent by then.
  const third = start("--notify", "desktop");
  await until(() => existsSync(shown) && readFileSync(shown, "utf8").endsWith("you can.\n"));
  const said = readFileSync(shown, "utf8").split("\n");
  assert.match(
    said.join(" "),
    /^--app-name=Baton -- Baton · \S+ dev-1 asks to override a gate, which only you can\. $/,
  );
  assert.equal(got.length, 1, JSON.stringify(got));
  assert.doesNotMatch(start("--notify", "off").stderr, /What needs you is told/);
  assert.equal(third.code, 0, third.stderr);
});
