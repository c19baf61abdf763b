/** Two teams in one journal: a token of the owner made in one of them does not reach the other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTeam } from "../../src/perform/open.ts";
import { ask, testHub } from "./hub.ts";

const otherText = "version: 1\nteam: other\ndialects: [vbw/2]\npolicy: enforce\nagents:\n  lead-1: { role: lead }\n";

test("the owner's token of one team reaches that team's record, and not the journal's others", async (t) => {
  const hub = await testHub(t);
  const owner = await hub.token("owner");
  const alone = await ask(hub.url, "/api/journal/stats", { as: owner });
  assert.equal(alone.status, 200, "as long as there is no other team, it reaches everything");

  const begins = { journal: hub.journal, teamFile: { path: "team.yaml", text: otherText } };
  const refused = await openTeam(begins);
  assert.equal(refused.ok ? null : refused.error[0]?.code, "team-file", "another name begins no team by itself");
  const other = await openTeam({ ...begins, starts: true });
  assert.ok(other.ok, JSON.stringify(other));
  await other.value[Symbol.asyncDispose]();
  for (const [method, path, body] of [
    ["GET", "/api/journal/stats", undefined],
    ["POST", "/api/journal/verify", {}],
    ["GET", "/api/journal/export", undefined],
    ["GET", "/api/journal/export?team=other", undefined],
    ["GET", "/api/journal/backup", undefined],
    ["POST", "/api/journal/accept-loss", { team: "other", reason: "mine" }],
    ["POST", "/api/session", {}],
  ] as const) {
    const refused = await ask(hub.url, path, { as: owner, method, ...(body === undefined ? {} : { body }) });
    assert.deepEqual([refused.status, refused.body.code], [403, "sender-not-authorised"], `${method} ${path}`);
  }
  const own = await ask(hub.url, "/api/journal/export?team=web", { as: owner });
  assert.equal(own.status, 200);
  assert.ok(!String(own.body).includes('"team":"other"'));
  const all = await ask(hub.url, "/api/journal/stats", { as: hub.session });
  assert.equal(all.body.teams.length, 2, "the person at this machine sees all of it");
});
