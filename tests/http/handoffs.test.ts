/** Handoffs by the routes of a real hub: from the list to their end, with what was found of their files. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fits } from "./fits.ts";
import { ask, testHub } from "./hub.ts";

const team = "/api/teams/web";

const handoffTeam = `version: 1
team: web
dialects: [vbw/2, bmad/1]
policy: enforce
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
  qa-1: { role: qa }
`;

/** A handoff document from the lead to the developer about a file. */
function handoffDocument(id: string) {
  const metadata = { id, source_agent: "lead-1", target_agent: "dev-1", timestamp: "2026-02-12T10:00:00Z" };
  return {
    handoff: {
      metadata: { ...metadata, workflow_id: "sign-in" },
      context: {},
      instructions: { primary: "Sign users in" },
      dependencies: { required_files: ["src/sign-in.ts"], generated_files: ["src/page.ts"] },
    },
  };
}

test("handoffs are listed, shown with those before them, accepted with their files verified, completed, rejected", async (t) => {
  const hub = await testHub(t, { text: handoffTeam });
  const [lead, dev, qa] = [await hub.token("lead-1"), await hub.token("dev-1"), await hub.token("qa-1")];
  const issue = async (id: string) => {
    const sent = await ask(hub.url, `${team}/messages`, { as: lead, body: { message: handoffDocument(id) } });
    assert.equal(fits("sendMessage", sent).status, 201, JSON.stringify(sent.body));
  };
  const list = async (query = "") =>
    fits("listHandoffs", await ask(hub.url, `${team}/handoffs${query}`, { as: qa })).body.handoffs.map(
      ({ id, status }: { id: string; status: string }) => `${id} ${status}`,
    );
  const show = async (id: string) => fits("showHandoff", await ask(hub.url, `${team}/handoffs/${id}`, { as: qa }));
  const act = async (name: string, path: string, as: string, body: object) =>
    fits(name, await ask(hub.url, `${team}/handoffs/${path}`, { as, body }));
  await issue("h-1");
  assert.deepEqual(await list(), ["h-1 issued"]);
  const { handoff, line, document, text } = (await show("h-1")).body;
  assert.deepEqual([handoff.source, handoff.target, handoff.files, handoff.generated], ["lead-1", "dev-1", 1, 1]);
  assert.deepEqual([line.length, document.handoff.instructions.primary], [1, "Sign users in"]);
  assert.deepEqual(JSON.parse(text), handoffDocument("h-1"));
  const none = await show("h-9");
  assert.deepEqual([none.status, none.body.code], [404, "unknown-request"]);

  const verified = { digest: handoff.digest, files: 1, weak: 0, failed: [] };
  const accept = (as: string, body: object) => act("acceptHandoff", "h-1/accept", as, body);
  const changed = { ...verified, failed: [{ path: "src/sign-in.ts", state: "changed", reason: null }] };
  for (const [as, body, status, code] of [
    [qa, { verified }, 403, "sender-not-authorised"],
    [dev, {}, 422, "not-verified"],
    [dev, { verified: { ...verified, digest: "0".repeat(64) } }, 422, "not-verified"],
    [dev, { verified: changed }, 422, "file-changed"],
    [dev, { verified: { ...verified, more: 1 } }, 422, "unknown-field"],
  ] as const) {
    const refused = await accept(as, body);
    assert.deepEqual([refused.status, refused.body.code], [status, code], JSON.stringify(body));
  }
  const taken = { verified, id: "take-1" };
  assert.deepEqual([(await accept(dev, taken)).status, (await accept(dev, taken)).status], [201, 200]);
  assert.deepEqual(await list(), ["h-1 accepted"]);

  const complete = (body: object) => act("completeHandoff", "h-1/complete", dev, body);
  assert.equal((await complete({})).body.code, "not-verified");
  assert.equal((await complete({ verified, id: "done-1" })).status, 201);
  assert.equal((await complete({ verified, id: "done-1" })).status, 200);
  assert.deepEqual([await list(), await list("?all=true")], [[], ["h-1 completed"]]);

  await issue("h-2");
  const reject = (reasons: readonly string[]) => act("rejectHandoff", "h-2/reject", dev, { reasons });
  assert.equal((await reject([])).body.code, "missing-field");
  assert.equal((await reject(["Too large"])).status, 201);
  assert.deepEqual((await show("h-2")).body.handoff.rejection.reasons, ["Too large"]);
  const lines = fits(
    "listEarlierHandoffs",
    await ask(hub.url, `${team}/handoff-lines?workflow=sign-in`, { as: lead }),
  ).body.handoffs.map(({ id }: { id: string }) => id);
  assert.equal(lines.at(-1), "h-2", "what the lead would follow if it issued again");
});
