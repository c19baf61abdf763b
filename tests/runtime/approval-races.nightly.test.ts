/** Two answers racing: through one journal from several processes, and between the page's door and the command line. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { openTeam } from "../../src/perform/open.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import type { Team } from "../../src/perform/team.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { bundledProgram } from "../apart/program.ts";
import { testHub } from "../http/hub.ts";

const program = await bundledProgram("tests/runtime/answerer.ts", "esm");
const requests = 40;
const agents = ["lead-1", "lead-2", "architect-1", "owner"];
const text = `version: 1
team: web
dialects: [vbw/2]
agents:
  lead-1: { role: lead }
  lead-2: { role: lead }
  architect-1: { role: architect }
  dev-1: { role: dev }
`;

async function openAs(journal: string, agent: string): Promise<Team> {
  const opened = await openTeam({ journal, agent, create: true, teamFile: { path: "team.yaml", text } });
  assert.ok(opened.ok, JSON.stringify(opened));
  return opened.value;
}

async function askAll(dev: Team): Promise<void> {
  for (let index = 1; index <= requests; index++) {
    const asked = await dev.send(JSON.stringify(typedMessage("approval_request", {}, { id: `ask-${index}` })));
    assert.equal(asked.outcome, "accepted", JSON.stringify(asked));
  }
}

interface Said {
  readonly agent: string;
  readonly request: string;
  readonly reply: Reply;
}

interface Answerer {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
}

/** Starts an answerer; it waits for the signal. */
async function answerer(t: TestContext, journal: string, agent: string, verdict: string): Promise<Answerer> {
  const words = [program, journal, agent, verdict, String(requests)];
  const child = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.kill());
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on("line", (line) => lines.push(line));
  await once(reader, "line");
  return { child, lines };
}

/** What they say once all have the signal. */
async function race(answerers: readonly Answerer[]): Promise<readonly Said[]> {
  const ends = answerers.map(({ child }) => once(child, "close"));
  for (const { child } of answerers) child.stdin?.end("go\n");
  for (const [code] of await Promise.all(ends)) assert.equal(code, 0);
  // The children's own words.
  return answerers.flatMap(({ lines }) => lines.slice(1).map((line) => JSON.parse(line) as Said));
}

/** Exactly one answer for each request counts, and the others learn whose. */
function checkOneWins(said: readonly Said[], answers: number): ReadonlyMap<string, number> {
  const wins = new Map<string, number>();
  for (let index = 1; index <= requests; index++) {
    const own = said.filter(({ request }) => request === `ask-${index}`);
    assert.equal(own.length, answers);
    const [winner, ...others] = own.filter(({ reply }) => reply.outcome === "accepted");
    assert.ok(winner !== undefined && others.length === 0, `ask-${index} has ${others.length + 1} winners`);
    wins.set(winner.agent, (wins.get(winner.agent) ?? 0) + 1);
    for (const { reply } of own.filter((each) => each !== winner)) {
      assert.ok(reply.outcome === "refused");
      assert.equal(reply.problems[0]?.code, "already-answered");
      assert.match(
        reply.problems[0]?.message ?? "",
        new RegExp(`(?:approved|denied) by ${winner.agent}, at entry \\d+`),
      );
    }
  }
  return wins;
}

test(`of ${agents.length} processes that answer the same ${requests} requests one wins each, and the others learn who`, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-answers-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const journal = join(folder, "journal.db");
  await using dev = await openAs(journal, "dev-1");
  await askAll(dev);
  const started = agents.map((agent, index) => answerer(t, journal, agent, index % 2 === 0 ? "approve" : "deny"));
  const said = await race(await Promise.all(started));
  const wins = checkOneWins(said, agents.length);
  t.diagnostic(`won: ${[...wins].map(([agent, count]) => `${agent} ${count}`).join(", ")}`);
  const inbox = await dev.inbox({ limit: 1_000 });
  assert.ok(inbox.ok);
  assert.equal(inbox.value.deliveries.length, requests, "the asker hears one answer a request");
  const open = await dev.approvals();
  assert.deepEqual(open, { ok: true, value: [] });
});

test("of the page's answer and one given next to the hub one wins, and the other learns who", async (t) => {
  const hub = await testHub(t, { text });
  await using dev = await openAs(hub.journal, "dev-1");
  await askAll(dev);
  const beside = await answerer(t, hub.journal, "lead-1", "deny");
  const [said, answered] = await Promise.all([race([beside]), answerAllOnThePage(hub)]);
  const wins = checkOneWins([...said, ...answered], 2);
  t.diagnostic(`won: ${[...wins].map(([agent, count]) => `${agent} ${count}`).join(", ")}`);
});

/** Answers as the page does, from the last request to the first, so that both meet. */
async function answerAllOnThePage(hub: { readonly url: string; readonly session: string }): Promise<readonly Said[]> {
  const said: Said[] = [];
  for (let index = requests; index >= 1; index--) {
    const request = `ask-${index}`;
    const answer = await fetch(`${hub.url}/api/teams/web/approvals/${request}`, {
      method: "POST",
      headers: { "content-type": "application/json", "baton-session": hub.session },
      body: JSON.stringify({ approved: true, reason: "said on the page", id: `page-${index}` }),
    });
    const body = (await answer.json()) as object;
    // A refusal's document has the problems of a reply.
    const reply = (answer.ok ? body : { outcome: "refused", notes: [], receipt: null, ...body }) as Reply;
    said.push({ agent: "owner", request, reply });
  }
  return said;
}

test("the check sees two winners", () => {
  const win = (agent: string, request: string): Said => {
    const receipt = {} as Extract<Reply, { readonly outcome: "accepted" }>["receipt"];
    return { agent, request, reply: { outcome: "accepted", receipt, receivers: [], notes: [] } };
  };
  const all = Array.from({ length: requests }, (_, index) => `ask-${index + 1}`);
  assert.throws(
    () =>
      checkOneWins(
        all.flatMap((id) => [win("lead-1", id), win("owner", id)]),
        2,
      ),
    /winners/,
  );
});
