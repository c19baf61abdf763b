/** What one types to find out who one is, what an agent or a task is doing, and what happened last. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { called } from "./called.ts";
import { contract, jsonLines, team } from "./command.ts";
import { startHub, tokenOf } from "./hub-process.ts";

describe("looking around", () => {
  const directory = team();
  // In its turn: a command that is called here takes this process's own streams, and so do other files' tests.
  before(async () => {
    await called(directory, ["send", "-", "--as", "lead-1"], contract());
    await called(directory, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
    await called(directory, ["task", "claim", "1-1-T9", "--as", "dev-1"]);
  });

  async function json(...words: readonly string[]) {
    const done = await called(directory, [...words, "--json"]);
    return { code: done.code, value: jsonLines(done).at(-1) as ReturnType<typeof JSON.parse> };
  }

  test("--version says for programs also on which Node, and where it lies", async () => {
    assert.deepEqual(Object.keys((await json("--version")).value), ["version", "node", "folder"]);
  });

  test("whoami says as whom commands act, by what, and where: here and through a hub", async () => {
    const here = async (words: readonly string[], variables = {}) => {
      const done = await called(directory, ["whoami", ...words, "--json"], "", variables);
      const { agent, role, by, team: name } = jsonLines(done)[0] as ReturnType<typeof JSON.parse>;
      return [agent, role, by, name];
    };
    assert.deepEqual(await here([]), ["owner", "owner", "nobody", "web"]);
    assert.deepEqual(await here(["--as", "lead-1"]), ["lead-1", "lead", "option", "web"]);
    assert.deepEqual(await here([], { BATON_AGENT: "dev-1" }), ["dev-1", "dev", "shell", "web"]);
    const hub = await startHub(directory);
    const token = await tokenOf(directory, "dev-1");
    assert.deepEqual(await here(["--hub", hub.url, "--token", token]), ["dev-1", "dev", "token", "web"]);
  });

  test("an inbox is named by its agent; two names, and the owner's in an agent's shell, are refused", async () => {
    const mine = await called(directory, ["inbox", "dev-1"]);
    assert.deepEqual([mine.code, mine.stdout], [0, (await called(directory, ["inbox", "--as", "dev-1"])).stdout]);
    const two = await called(directory, ["inbox", "dev-1", "--as", "lead-1"]);
    assert.deepEqual([two.code, /wrong-usage at --as/.test(two.stderr)], [64, true]);
    const owners = await called(directory, ["inbox", "owner"], "", { BATON_AGENT: "dev-1" });
    assert.match(owners.stderr, /human-required/);
  });

  test("the newest entries by -n, --last and --tail, and those about one agent", async () => {
    const all = (await called(directory, ["log"])).stdout.trimEnd().split("\n");
    for (const words of [
      ["-n", "2"],
      ["--last", "2"],
      ["--tail", "2"],
    ])
      assert.deepEqual((await called(directory, ["log", ...words])).stdout.trimEnd().split("\n"), all.slice(-2));
    const about = jsonLines(await called(directory, ["log", "--agent", "dev-1", "--json"])) as { sender: string }[];
    assert.deepEqual(
      about.map(({ sender }) => sender),
      ["lead-1", "dev-1", "dev-1"],
      "what it was sent and what it sent",
    );
    assert.match((await called(directory, ["log", "--agent", "dev-11"])).stderr, /Did you mean dev-1\?/);
  });

  test("the list of a team without tasks says so as the board does; one that asks for some says that there are none such", async () => {
    const empty = team();
    const listed = await called(empty, ["task", "list"]);
    const available = await called(empty, ["task", "list", "--available"]);
    assert.match(available.stdout, /^There are no tasks yet\. /);
    assert.deepEqual([listed.code, listed.stdout, listed.stderr], [0, "", available.stdout]);
    for (const words of [
      ["--plan", "1-1"],
      ["--state", "claimed"],
    ])
      assert.match((await called(empty, ["task", "list", ...words])).stderr, /^No such task\./, words.join(" "));
  });

  test("the word for a task without files names no file of a claim, and the owner's name in other letters is recognised", async () => {
    const place = team();
    await called(place, ["task", "add", "1-1-T1", "--files", "none", "--as", "lead-1"]);
    const claim = ["task", "claim", "1-1-T1", "--as", "dev-1"];
    const refused = await called(place, [...claim, "--files", "none"]);
    assert.match(
      refused.stderr,
      /wrong-value at --files\n.*only a task is added without files[\s\S]*Leave `--files` out: /,
    );
    assert.equal((await called(place, claim)).code, 0);
    const stranger = await called(place, ["inbox"], "", { BATON_AGENT: "Owner" });
    assert.match(stranger.stderr, /did you mean "owner", the person who owns the team\?/);
  });

  test("a task is shown with what became of it, an agent with what it holds and last said", async () => {
    const task = await json("task", "list", "1-1-T1");
    assert.deepEqual(
      [task.value.task, task.value.holder, task.value.entries.length],
      ["1-1-T1", "dev-1", 2],
      "the contract and the claim",
    );
    assert.match(
      (await called(directory, ["task", "list", "1-1-T1"])).stdout,
      /claimed.*\n.*plan_contract.*\n.*claim-task/,
    );
    const none = await called(directory, ["task", "list", "9-9-T9"]);
    assert.deepEqual([none.code, /unknown-task at TASK/.test(none.stderr)], [3, true]);

    const { value } = await json("agent", "list", "dev-1");
    assert.deepEqual([value.agent, value.unread, value.tasks.length, value.entries.length], ["dev-1", 1, 1, 3]);
    const stranger = await called(directory, ["agent", "list", "dve-1"]);
    assert.match(stranger.stderr, /unknown-agent at AGENT\n.*no agent "dve-1"[\s\S]*did you mean "dev-1"/);
    for (const [words, idle] of [
      [["agent", "list", "dev-1", "--events"], "--events means nothing with AGENT"],
      [["task", "list", "1-1-T1", "--plan", "1-1"], "--plan means nothing with TASK"],
      [["task", "list", "--available", "--plan", "1-1"], "--plan means nothing with --available"],
      [["handoff", "list", "--document"], "--document means nothing without ID"],
    ] as const) {
      const { code, stderr } = await called(directory, words);
      assert.deepEqual([code, stderr.includes(idle)], [64, true], `${words.join(" ")}\n${stderr}`);
    }
  });
});
