/**
 * Gemini CLI through a hub: its hooks ask the hub by the lines of its settings, and its calls go by the MCP server of the
 * session. Both are of one session, and one session has the name of the token's agent at a time.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { hookEvents } from "../../src/messages/program-hooks.ts";
import { calledWithCode } from "../e2e/called.ts";
import { environment, folder, jsonLines } from "../e2e/command.ts";
import { place } from "../e2e/hook-call.ts";
import { programSession } from "./clients.ts";
import { startHub } from "./hub-place.ts";

interface Program {
  /** What the line of the event prints, asked in this session. */
  ask(event: string, session: string, more?: object): Promise<string>;
  end(): Promise<void>;
}

/** A process that runs the lines of its hooks, as Gemini CLI does. */
function program(directory: string, settings: string, variables: Readonly<Record<string, string>>): Program {
  const { hooks } = JSON.parse(settings) as {
    hooks: Record<string, readonly { hooks: readonly { command: string }[] }[]>;
  }; // as installed
  const at = folder();
  const loop = `while read -r _; do bash -c "$(cat line)" <in >out 2>&1; echo; done`;
  const env = { ...environment(), BATON_AGENT: undefined, ...variables };
  const child = spawn("bash", ["-c", loop], { cwd: at, env, stdio: ["pipe", "pipe", "inherit"] });
  // A test that fails must not leave it.
  after(() => child.kill());
  const answers = createInterface({ input: child.stdout });
  return {
    ask: async (event, session, more = {}) => {
      writeFileSync(join(at, "line"), hooks[event]?.[0]?.hooks[0]?.command ?? assert.fail(event));
      const asked = { hook_event_name: event, session_id: session, cwd: directory, tool_name: "read_file", ...more };
      writeFileSync(join(at, "in"), JSON.stringify(asked));
      const answered = once(answers, "line");
      child.stdin.write("\n");
      await answered;
      return readFileSync(join(at, "out"), "utf8");
    },
    end: async () => {
      const ended = once(child, "close");
      child.stdin.end();
      await ended;
    },
  };
}

/** Lines by which a person's own hooks ask a hub; `process`: what says which process of its machine asks. */
function hubLines(origin: string, process: string): string {
  const who = '-H "Authorization: Bearer $BATON_TOKEN" -H "X-Baton-Agent: $BATON_AGENT"';
  const line = (event: string) =>
    `read -r p </proc/$PPID/stat; curl -q -sf ${who} ${process} -H 'Content-Type: application/json' --data-binary @- ${origin}/hooks/gemini/${event}`;
  const events = hookEvents.gemini.map(({ name }) => [name, [{ hooks: [{ command: line(name) }] }]]);
  return JSON.stringify({ hooks: Object.fromEntries(events) });
}

async function geminiPlace() {
  const directory = place();
  await calledWithCode(0, directory, ["agent", "register", "dev-2", "--role", "dev"]);
  const hub = await startHub(directory);
  const { origin } = new URL(hub.url);
  const settings = hubLines(origin, `-H "X-Baton-Process: $PPID \${p##*\\) }"`);
  const through = async (agent: string) => {
    const { authorization = "" } = (await hub.as(agent)).headers;
    return { BATON_HUB: origin, BATON_TOKEN: authorization.slice("Bearer ".length) };
  };
  const edit = (name: string) => ({ tool_name: "write_file", tool_input: { file_path: join(directory, name) } });
  const mail = async (text: string) =>
    await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], text);
  const unread = async () => jsonLines(await calledWithCode(0, directory, ["inbox", "--as", "dev-1", "--json"])).length;
  return { directory, settings, unnamed: hubLines(origin, ""), through, edit, mail, unread };
}

test("through a hub the hooks of Gemini CLI are bound as its calls are: of two sessions with one token the second is nobody", async () => {
  const { directory, settings, through, edit, mail, unread } = await geminiPlace();
  const dev = await through("dev-1");
  const first = program(directory, settings, dev);
  const second = program(directory, settings, dev);
  assert.match(await first.ask("SessionStart", "ga"), /you are dev-1/);
  assert.equal(await first.ask("BeforeTool", "ga", edit("src/a.js")), "{}");
  const begun = await second.ask("SessionStart", "gb");
  assert.match(begun, /Another session is dev-1: gemini, process \d+/);
  const denied = await second.ask("BeforeTool", "gb", edit("src/a.js"));
  assert.match(denied, /"decision":"deny".*dev-1 edits this path.*Another session is dev-1.*End that session/s);
  await mail("For the first one.");
  for (const event of ["AfterTool", "BeforeAgent", "AfterTool", "AfterAgent"])
    assert.equal(await second.ask(event, "gb"), "{}", event);
  assert.equal(await unread(), 1, "nothing was acknowledged");
  assert.match(await first.ask("AfterTool", "ga"), /For the first one/);
  assert.equal(await first.ask("AfterTool", "ga"), "{}");
  assert.equal(await first.ask("AfterAgent", "ga"), "{}");
  // Control: the first one has read it. The hub acknowledges after it has answered.
  while ((await unread()) > 0);
  // A new conversation in the same process keeps the name; the end of the process frees it.
  assert.match(await first.ask("SessionStart", "gc"), /you are dev-1/);
  await first.end();
  assert.match(await second.ask("SessionStart", "gb"), /you are dev-1/);
  assert.equal(await second.ask("BeforeTool", "gb", edit("src/a.js")), "{}");
  // One that is resumed with another token is nobody; a new one with it is that agent.
  const other = program(directory, settings, await through("dev-2"));
  assert.match(await other.ask("SessionStart", "ga"), /This session began as dev-1, not as dev-2/);
  assert.match(await other.ask("BeforeTool", "ga", edit("src/a.js")), /"decision":"deny".*began as dev-1/s);
  assert.match(await other.ask("SessionStart", "gd"), /you are dev-2/);
  await Promise.all([second.end(), other.end()]);
});

test("through a hub the MCP server of a Gemini CLI session and its hooks are one session; another's hooks are nobody", async () => {
  const { directory, settings, unnamed, through, edit, mail, unread } = await geminiPlace();
  const dev = await through("dev-1");
  // The process of this test is the first program.
  await using server = await programSession(directory, "gemini", null, dev);
  const sent = await server.call("send_message", { message: "Mine.", to: ["qa-1"] });
  assert.equal(sent.isError, false, sent.text);
  const second = program(directory, settings, dev);
  assert.match(await second.ask("SessionStart", "gb"), /Another session is dev-1: gemini, process \d+/);
  await mail("For the first one.");
  assert.equal(await second.ask("AfterTool", "gb"), "{}");
  assert.equal(await second.ask("AfterTool", "gb"), "{}");
  assert.equal(await unread(), 1);
  // Lines of an earlier Baton do not say which process asks: the first session of the program is taken for the holder.
  const earlier = program(directory, unnamed, dev);
  assert.match(await earlier.ask("SessionStart", "ga"), /you are dev-1.*For the first one/);
  assert.equal(await earlier.ask("BeforeTool", "ga", edit("src/a.js")), "{}");
  assert.match(await earlier.ask("BeforeTool", "gc", edit("src/a.js")), /"decision":"deny".*Another session is dev-1/s);
  // Its next call acknowledges it, after the answer.
  while ((await unread()) > 0);
  await Promise.all([second.end(), earlier.end()]);
});

test("where no process is known to a hub, the newest session takes over, and the one before is nobody from then on", async () => {
  const { directory, unnamed, through, edit, mail, unread } = await geminiPlace();
  const away = program(directory, unnamed, await through("dev-1"));
  assert.match(await away.ask("SessionStart", "ga"), /you are dev-1/);
  assert.equal(await away.ask("BeforeTool", "ga", edit("src/a.js")), "{}");
  assert.match(await away.ask("SessionStart", "gb"), /you are dev-1/);
  assert.match(
    await away.ask("BeforeTool", "ga", edit("src/a.js")),
    /"decision":"deny".*A later session is dev-1 now/s,
  );
  await mail("For the newest one.");
  assert.equal(await away.ask("AfterTool", "ga"), "{}");
  assert.equal(await away.ask("AfterTool", "ga"), "{}");
  assert.equal(await unread(), 1);
  assert.match(await away.ask("AfterTool", "gb"), /For the newest one/);
  await away.end();
});
