/** Commands against a hub that is away, is killed, or does not know them: exit codes, words, nothing lost or doubled. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cutter } from "../http/line.ts";
import { quietPort } from "../http/quiet-port.ts";
import { called, calledWithCode } from "./called.ts";
import { contract, type Finished, folder, jsonLines, problemCodes, start, team } from "./command.ts";
import { gather } from "./gathering.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

const away = folder();

/** Runs a command that must end so, and must not show its token. */
async function ends(
  code: number,
  variables: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<Finished> {
  const done = await called(away, words, "", variables);
  assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.stdout}\n${done.stderr}`);
  const token = variables.BATON_TOKEN ?? "";
  assert.ok(token === "" || !`${done.stdout}${done.stderr}`.includes(token), "the token is not shown");
  return done;
}

test("a hub that is away is named as the caller named it", async () => {
  const hub = `http://127.0.0.1:${await quietPort()}`;
  const silent = await ends(1, { BATON_HUB: hub, BATON_TOKEN: `baton_${"A".repeat(43)}` }, ["status"]);
  assert.match(silent.stderr, /hub-unreachable at http:[\s\S]*check the address of `BATON_HUB`/);
  const named = await ends(1, { BATON_TOKEN: `baton_${"A".repeat(43)}` }, ["status", "--hub", hub]);
  assert.match(named.stderr, /check the address of `--hub`/);
  const edit = JSON.stringify({ tool_name: "Write", tool_input: { file_path: `${away}/a.js` } });
  const variables = { BATON_HUB: hub, BATON_TOKEN: `baton_${"A".repeat(43)}` };
  const denied = await called(away, ["hook", "PreToolUse", "--program", "claude-code"], edit, variables);
  assert.equal(denied.code, 2);
  assert.match(denied.stderr, /check the address of `BATON_HUB`/);
});

test("each way of not being let in has its code and says what to do", async () => {
  const place = team();
  const [dev, lead] = [await tokenOf(place, "dev-1"), await tokenOf(place, "lead-1")];
  const hub = await startHub(place);
  const wrong = `baton_${"A".repeat(43)}`;
  const cases: readonly (readonly [number, string, Readonly<Record<string, string>>, readonly string[], RegExp])[] = [
    [2, "unauthenticated", { BATON_HUB: hub.url }, ["status"], /baton token create/],
    [2, "unauthenticated", towards(hub, wrong), ["status"], /baton token create/],
    [2, "identity-mismatch", towards(hub, dev), ["inbox", "--as", "lead-1"], /baton token create lead-1/],
    [2, "human-required", towards(hub, lead), ["journal", "verify"], /owner/],
    [2, "sender-not-authorised", towards(hub, dev), ["agent", "register", "x", "--role", "dev"], /lead/],
    [3, "unknown-team", towards(hub, dev), ["status", "--team", "other"], /web/],
  ];
  for (const [code, problem, variables, words, hint] of cases) {
    const done = await ends(code, variables, [...words, "--json"]);
    const last = jsonLines(done).at(-1);
    assert.equal((last?.problems as readonly { code: string }[] | undefined)?.[0]?.code, problem, done.stdout);
    assert.match(done.stderr, hint);
  }
  // As options, with the agent that they prove: the same.
  await ends(0, {}, ["inbox", "--hub", hub.url, "--token", dev, "--as", "dev-1", "--team", "web"]);
  // A named journal overrides the hub of the environment.
  await ends(3, towards(hub, dev), ["status", "--journal", "sqlite:none.db"]);
  const [made] = jsonLines(await calledWithCode(0, place, ["token", "create", "qa-1", "--json"]));
  const [id, token] = [String(made?.tokenId), String(made?.token)];
  const owner = towards(hub, await tokenOf(place, "owner"));
  await ends(0, towards(hub, token), ["inbox"]);
  assert.match((await ends(0, owner, ["token", "list"])).stdout, new RegExp(`^${id} +qa-1 +valid$`, "m"));
  await ends(0, owner, ["token", "revoke", id]);
  assert.deepEqual(problemCodes(await ends(2, towards(hub, token), ["inbox", "--json"])), ["token-revoked"]);
});

test("a hub that is away ends a command with 1", async () => {
  const place = team();
  const dev = await tokenOf(place, "dev-1");
  const hub = await startHub(place, await quietPort());
  await hub.kill();
  const done = await ends(1, towards(hub, dev), ["send", "--json"]);
  assert.deepEqual(problemCodes(done), ["hub-unreachable"]);
  assert.match(done.stderr, /baton up/);
});

test("who watches and who waits outlives a hub that is killed, and misses nothing", async () => {
  const place = team();
  const lead = await tokenOf(place, "lead-1");
  const dev = await tokenOf(place, "dev-1");
  const hub = await startHub(place, await quietPort());
  const watcher = start(away, ["log", "--follow", "--kind", "message", "--json"], towards(hub, lead));
  const watched = gather(watcher);
  const say = async (words: string) =>
    await calledWithCode(0, place, ["send", "--as", "lead-1", "--to", "scout-1", "--id", words], words);
  await say("before");
  await watched.until((stdout) => stdout.includes('"before"'));
  const waiter = start(away, ["inbox", "--wait", "100", "--seen", "1", "--json"], towards(hub, dev));
  const waited = gather(waiter);
  // The mark is set right before the wait begins, and others can see it.
  const marks = async () => (await calledWithCode(0, place, ["agent", "list", "--json"])).stdout;
  while (!/"agent":"dev-1".*"seen":1/.test(await marks())) assert.equal(waiter.exitCode, null);
  await hub.kill();
  await watched.until((_, stderr) => stderr.includes("broke; waiting"));
  await say("meanwhile");
  const again = await startHub(place, hub.port);
  await watched.until((_, stderr) => stderr.includes("is back; going on"));
  await say("after");
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await watched.until((stdout) => stdout.includes("plan_contract"));
  watcher.kill("SIGINT");
  const { code, stdout, stderr } = await watched.end();
  assert.equal(code, 130, stderr);
  const shown = jsonLines({ code, stdout, stderr }).map(({ id }) => id);
  assert.deepEqual(shown, ["before", "meanwhile", "after", "plan_contract-1"]);
  const mail = await waited.end();
  assert.equal(mail.code, 0, mail.stderr);
  assert.match(mail.stdout, /"plan_contract-1"/);
  assert.equal(again.port, hub.port);
});

test("a watcher whose token ends learns why", async () => {
  const place = team();
  const [made] = jsonLines(await calledWithCode(0, place, ["token", "create", "dev-1", "--json"]));
  const hub = await startHub(place);
  const watcher = start(away, ["watch"], towards(hub, String(made?.token)));
  const watched = gather(watcher);
  await watched.until((stdout) => stdout.includes("created a token for"));
  await calledWithCode(0, place, ["token", "revoke", String(made?.tokenId)]);
  const { code, stderr } = await watched.end();
  assert.equal(code, 2, stderr);
  assert.match(stderr, /token-revoked/);
});

test("Ctrl-C ends what only reads at once and without a word, wherever its answer is missing", async (t) => {
  const place = team();
  const owner = await tokenOf(place, "owner");
  const hub = await startHub(place);
  for (const [missing, words] of [
    ["/api/session", ["status"]],
    ["/status", ["status"]],
    ["/messages", ["log", "--json"]],
    ["/inbox", ["inbox", "--wait", "100"]],
    ["/api/journal/export", ["journal", "export"]],
  ] as const) {
    let held: (() => void) | null = null;
    const asked = new Promise<void>((resolve) => {
      held = resolve;
    });
    const url = await cutter(
      t,
      () => hub.port,
      (request) => {
        if (request.url?.includes(missing) !== true) return "never";
        held?.();
        return "held";
      },
    );
    const child = start(away, words, towards({ url }, owner));
    const ended = gather(child).end();
    await asked;
    child.kill("SIGINT");
    assert.deepEqual(await ended, { code: 130, signal: null, stdout: "", stderr: "" }, words.join(" "));
  }
});

test("Ctrl-C does not hide that an operation may have been recorded", async (t) => {
  const place = team();
  const hub = await startHub(place);
  let tries = 0;
  const url = await cutter(
    t,
    () => hub.port,
    ({ method }) => {
      if (method !== "POST") return "never";
      if (tries++ === 0) child.kill("SIGINT");
      return "after";
    },
  );
  const child = start(away, ["send", "--to", "lead-1"], towards({ url }, await tokenOf(place, "dev-1")));
  const ended = gather(child).end();
  child.stdin?.end("Lunch?");
  const { code, stderr } = await ended;
  assert.ok(tries >= 1);
  assert.equal(code, 130);
  assert.match(stderr, /Whether the operation was recorded is not known/);
});
