/**
 * The doors by which letters go in. Each knows its sender as it knows people: the library by a handle, the command by
 * `--as`, MCP by a server process for the one agent or by its token at a hub, HTTP by that token. The command is a
 * process a letter, or called in this one; a hub is a separate process.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { testTeam } from "../../src/testing/test-team.ts";
import { called } from "../e2e/called.ts";
import { type Finished, folder, start } from "../e2e/command.ts";
import { ask } from "../http/hub.ts";
import { startUp, teamFolder } from "../http/process.ts";
import { type Answered, clients, type Place } from "../mcp/clients.ts";
import { type Answer, asks, type Exchange, type Letter, textOf } from "./letters.ts";
import { people, receiverName, rosterOf, senderName, teamFileOf } from "./people.ts";
import type { TableDialect } from "./table.ts";

export interface Test {
  after(done: () => void | Promise<void>): void;
}

/** Sends letters of one dialect to a new team with everybody in it; requests go last. */
export type Door = (test: Test, dialect: TableDialect, letters: readonly Letter[]) => Promise<readonly Exchange[]>;

/** Every door by its name. */
export const doors = {
  library,
  command,
  "command-called": commandCalled,
  mcp,
  "mcp-at-hub": mcpAtHub,
  http,
} as const satisfies { readonly [name: string]: Door };

async function library(_test: Test, dialect: TableDialect, letters: readonly Letter[]): Promise<readonly Exchange[]> {
  const agents = [...rosterOf(people, dialect).values()];
  await using team = await testTeam({ agents, dialects: [dialect], hasRepository: false });
  return await requestsLast(letters, (some) => inOrder(some, 1, sent));

  async function sent(letter: Letter): Promise<Exchange> {
    const { sender, to, id } = letter;
    const reply = await team.as(senderName(sender)).send(textOf(letter), { id, to: to.map(receiverName) });
    assert.notEqual(reply.outcome, "failed", id);
    return told(letter, {
      accepted: reply.outcome === "accepted",
      receivers: reply.outcome === "accepted" ? reply.receivers : null,
      problems: reply.outcome === "refused" ? reply.problems : [],
    });
  }
}

/** How many processes run, or clients speak, at a time. */
const processesAtOnce = 2;

async function command(_test: Test, dialect: TableDialect, letters: readonly Letter[]): Promise<readonly Exchange[]> {
  const directory = teamDirectory(dialect);
  return await requestsLast(letters, (some) => inOrder(some, processesAtOnce, sent));

  async function sent(letter: Letter): Promise<Exchange> {
    const child = start(directory, wordsOf(letter));
    child.stdin?.end(textOf(letter));
    assert.ok(child.stdout !== null && child.stderr !== null);
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return told(letter, answerOfCommand({ code: code as number | null, stdout, stderr }, letter)); // what `close` gives
  }
}

/** One call at a time: directory and standard input are the process's. */
async function commandCalled(
  _test: Test,
  dialect: TableDialect,
  letters: readonly Letter[],
): Promise<readonly Exchange[]> {
  const directory = teamDirectory(dialect);
  return await requestsLast(letters, (some) =>
    inOrder(some, 1, async (letter) =>
      told(letter, answerOfCommand(await called(directory, wordsOf(letter), textOf(letter)), letter)),
    ),
  );
}

function wordsOf({ sender, to, id }: Letter): readonly string[] {
  const receivers = to.flatMap((person) => ["--to", receiverName(person)]);
  return ["send", "-", "--as", senderName(sender), "--id", id, "--json", ...receivers];
}

function answerOfCommand({ code, stdout, stderr }: Finished, { id }: Letter): Answer {
  assert.ok(code === 0 || code === 2, `${id} ended with ${code}: ${stderr}`);
  const { problems = [] } = JSON.parse(stdout) as { readonly problems?: Answer["problems"] }; // as documented
  return { accepted: code === 0, receivers: null, problems };
}

async function mcp(_test: Test, dialect: TableDialect, letters: readonly Letter[]): Promise<readonly Exchange[]> {
  const directory = teamDirectory(dialect);
  return await byTool(letters, (agent) => ({ directory, words: ["mcp", "--as", agent] }));
}

async function mcpAtHub(test: Test, dialect: TableDialect, letters: readonly Letter[]): Promise<readonly Exchange[]> {
  const hub = await hubOf(test, dialect, letters);
  const exchanges = await byTool(letters, (agent) => ({
    url: `${hub.url}/mcp`,
    headers: { authorization: `Bearer ${hub.tokenOf(agent)}` },
  }));
  await hub.end("SIGTERM");
  return exchanges;
}

/** Sends by the tool of a server for each sender, a few senders at a time. */
async function byTool(letters: readonly Letter[], placeOf: (agent: string) => Place): Promise<readonly Exchange[]> {
  const connect = clients["the second SDK's client in the era of sessions"] ?? assert.fail("no such client");
  return await requestsLast(letters, async (some) => {
    const bySender = [...Map.groupBy(some, ({ sender }) => senderName(sender))];
    return (await inOrder(bySender, processesAtOnce, ([agent, own]) => sentBy(agent, own))).flat();
  });

  async function sentBy(agent: string, own: readonly Letter[]): Promise<readonly Exchange[]> {
    const server = await connect(placeOf(agent));
    const exchanges: Exchange[] = [];
    for (const letter of own) {
      const given = { message: textOf(letter), to: letter.to.map(receiverName), id: letter.id };
      exchanges.push(told(letter, answerOfTool(await server.call("send_message", given))));
    }
    await server.close();
    return exchanges;
  }
}

function answerOfTool({ isError, data }: Answered): Answer {
  const { outcome, problems, receivers } = data;
  assert.equal(isError, outcome !== "accepted");
  return {
    accepted: outcome === "accepted",
    receivers: (receivers as readonly string[] | undefined) ?? null, // as its schema says
    problems: (problems as Answer["problems"] | undefined) ?? [],
  };
}

/** Each keeps its connection; what reaches the hub together is recorded together. */
const requestsAtOnce = 32;

async function http(test: Test, dialect: TableDialect, letters: readonly Letter[]): Promise<readonly Exchange[]> {
  const hub = await hubOf(test, dialect, letters);
  const exchanges = await requestsLast(letters, (some) => inOrder(some, requestsAtOnce, sent));
  await hub.end("SIGTERM");
  return exchanges;

  async function sent(letter: Letter): Promise<Exchange> {
    const as = hub.tokenOf(senderName(letter.sender));
    const body = { message: textOf(letter), to: letter.to.map(receiverName), id: letter.id };
    const answer = await ask(hub.url, "/api/teams/web/messages", { as, body });
    const { problems = [], receivers = null } = answer.body;
    assert.notEqual(answer.status === 201, problems.length > 0, `${letter.id}: ${answer.status}`);
    return told(letter, { accepted: answer.status === 201, receivers, problems });
  }
}

/** A hub of a new team, with a token for each sender. */
async function hubOf(test: Test, dialect: TableDialect, letters: readonly Letter[]) {
  const hub = await startUp(test, teamFolder(test, teamFileOf(people, dialect)));
  const agents = [...new Set(letters.map(({ sender }) => senderName(sender)))];
  const tokens = await inOrder(agents, requestsAtOnce, async (agent) => [agent, await hub.token(agent)] as const);
  const byAgent = new Map(tokens);
  return { ...hub, tokenOf: (agent: string) => byAgent.get(agent) ?? assert.fail(`${agent} has no token`) };
}

/**
 * All that ask for nothing first, then the requests: an answer that found one would be another message, and who agreed
 * to stop would be gone when the next letter is judged.
 */
async function requestsLast(
  letters: readonly Letter[],
  deliver: (some: readonly Letter[]) => Promise<readonly Exchange[]>,
): Promise<readonly Exchange[]> {
  const others = await deliver(letters.filter((letter) => !asks(letter)));
  return [...others, ...(await deliver(letters.filter(asks)))];
}

/** Only what is compared is kept: the problems of tens of thousands of letters would not fit. */
function told(letter: Letter, { accepted, receivers, problems }: Answer): Exchange {
  return { letter, answer: { accepted, receivers, problems: problems.map(({ code, path }) => ({ code, path })) } };
}

function teamDirectory(dialect: TableDialect): string {
  const directory = folder();
  mkdirSync(join(directory, ".baton"));
  writeFileSync(join(directory, ".baton/team.yaml"), teamFileOf(people, dialect));
  return directory;
}

/** Does it with each, `atOnce` at a time, beginning in their order; what came of it, in that order too. */
async function inOrder<Each, Done>(
  list: readonly Each[],
  atOnce: number,
  act: (each: Each) => Promise<Done>,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  const waiting = list.entries();
  const work = async () => {
    for (const [index, each] of waiting) done[index] = await act(each);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return done;
}
