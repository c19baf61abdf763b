/** Each card is short, and names only commands, tools and messages that exist and that the role may send. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "../../../tests/e2e/called.ts";
import { folder, team } from "../../../tests/e2e/command.ts";
import { hook, place } from "../../../tests/e2e/hook-call.ts";
import { ownCommands } from "../../doors/cli/kernel/catalogue.ts";
import { dialects } from "../../messages/dialects/registry.ts";
import { roles } from "../../messages/role.ts";
import { cardLinesMax, cardText } from "./card.ts";

const tools = ["send_message", "read_inbox", "wait", "task", "team_status", "describe_message", "handoff"];

test("every card of every dialect is short and names only what exists and what the role may send", () => {
  const commands = new Set(ownCommands.map(({ name }) => name));
  for (const dialect of dialects) {
    for (const role of roles) {
      const card = cardText(role, dialect, { team: null });
      const where = `${dialect.id} ${role}`;
      const lines = card.split("\n");
      assert.ok(lines.length <= cardLinesMax, `${where}: ${lines.length} lines`);
      for (const line of lines) assert.ok(line.length <= 160, `${where}: ${line}`);
      for (const [, quoted = ""] of card.matchAll(/`([^`]+)`/g)) {
        if (quoted.startsWith("baton ")) {
          const words = quoted.split(" ").filter((word) => !word.startsWith("-"));
          assert.ok(commands.has(words.slice(1).join(" ")), `${where}: ${quoted}`);
          continue;
        }
        const isSent = dialect.definitions.get(quoted)?.senders.includes(role) === true;
        assert.ok(isSent || tools.includes(quoted), `${where}: ${quoted}`);
      }
      const mayBlock = [...dialect.definitions.values()].some(
        ({ kind, senders }) => kind === "blocker" && senders.includes(role),
      );
      assert.equal(card.includes("two failed tries"), mayBlock, where);
    }
  }
});

test("an agent that a command registered has a card, with its dialect; a team without the role says how to get one", async () => {
  const directory = folder();
  await calledWithCode(0, directory, ["init", "--yes"]);
  const lacking = await calledWithCode(3, directory, ["card", "dev"]);
  assert.match(lacking.stderr, /The team has no agent[\s\S]*agent register NAME --role dev[\s\S]*--dialect DIALECT/);
  assert.doesNotMatch(lacking.stderr, /expected/);
  await calledWithCode(0, directory, ["agent", "register", "dev-1", "--role", "dev", "--dialect", "vbw/2"]);
  assert.match(
    (await calledWithCode(0, directory, ["card", "dev"])).stdout,
    /you are a dev, and your messages are vbw\/2/,
  );
  assert.match((await calledWithCode(3, directory, ["card", "qa"])).stderr, /expected.*dev/);
  await calledWithCode(0, directory, ["agent", "retire", "dev-1"]);
  await calledWithCode(3, directory, ["card", "dev"]);
});

test("a session's start and the card of its role say the same rule for edits, by the team's settings", async () => {
  const directory = place();
  const start = async (agent: string) => (await hook(directory, "SessionStart", {}, ["--as", agent])).context;
  const card = async (role: string) => (await calledWithCode(0, directory, ["card", role])).stdout;
  const rules = [
    ["dev", /Your first edit of a file takes it/],
    ["qa", /You change no files of the work and claim no task/],
    ["lead", /Do not edit files that a plan gives to others/],
  ] as const;
  for (const [role, rule] of rules) {
    const told = await start(`${role}-1`);
    assert.match(told, rule);
    assert.doesNotMatch(told, /Claim a task before/);
    assert.match(await card(role), rule);
  }
  assert.match(await start("dev-1"), /In a shell: .*task list --available --as dev-1/);
  const file = join(directory, ".baton", "team.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}claims: declared\n`);
  await calledWithCode(0, directory, ["status"]);
  assert.match(await start("dev-1"), /Claim a task before you edit its files/);
  assert.match(await card("dev"), /Claim a task before you edit its files/);
});

test("the card of a role follows the team, a role that the team lacks is refused, and a file keeps one card", async () => {
  const directory = team();
  const card = async (...words: readonly string[]) => (await calledWithCode(0, directory, ["card", ...words])).stdout;
  assert.match(await card("dev"), /you are a dev, and your messages are vbw\/2\n/);
  assert.match(await card("dev", "--dialect", "yolo/1"), /`dev_progress` to senior/);
  const lacking = await calledWithCode(3, directory, ["card", "security"]);
  assert.match(lacking.stderr, /not-found at security\n.*no name rule of the role security[\s\S]*expected.*dev/);
  assert.match(await card("security", "--dialect", "yolo/1"), /you are a security/);
  assert.match(
    (await calledWithCode(3, directory, ["card", "qa", "--dialect", "vbw/9"])).stderr,
    /no dialect "vbw\/9"/,
  );
  const file = join(directory, "AGENTS.md");
  writeFileSync(file, "# Rules\n\nBe kind.\n");
  await card("dev", "--into", "AGENTS.md");
  await card("qa", "--into", "AGENTS.md");
  const text = readFileSync(file, "utf8");
  assert.ok(text.startsWith("# Rules\n\nBe kind.\n\n<!-- baton card begin -->\n## Your team: you are a qa"), text);
  assert.equal(text.split("<!-- baton card").length, 3, "the second card took the place of the first");
  assert.match(await card("qa", "--into", "AGENTS.md"), /nothing to change/);
  writeFileSync(file, `${text}<!-- baton card end -->\n`);
  assert.match((await called(directory, ["card", "qa", "--into", "AGENTS.md"])).stderr, /do not pair/);
  assert.match((await called(directory, ["card", "qa", "--into", "../x.md"])).stderr, /file-outside/);
});
