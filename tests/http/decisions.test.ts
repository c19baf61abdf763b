/** What waits for somebody's word, by the routes of a real hub: approvals, and several decisions at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/index.ts";
import { fits } from "./fits.ts";
import { ask, testHub } from "./hub.ts";

const team = "/api/teams/web";

test("the owner answers an approval in the browser's session, and contracts are listed", async (t) => {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  const contract = { message: typedMessage("plan_contract", {}, { id: "contract-1" }) };
  assert.equal((await ask(hub.url, `${team}/messages`, { as: lead, body: contract })).status, 201);
  const request = typedMessage("approval_request", {}, { id: "request-1" });
  assert.equal(
    (await ask(hub.url, `${team}/messages`, { as: dev, body: { message: request, to: ["lead-1"] } })).status,
    201,
  );
  const needs = async () => fits("listNeeds", await ask(hub.url, `${team}/needs`, { as: hub.session })).body;
  const { total, counts, needs: found } = await needs();
  assert.deepEqual([total, counts.approval, found.length], [1, 1, 1]);
  assert.deepEqual(
    [found[0].id, found[0].target, found[0].subject, found[0].ifSeq > 0, found[0].since !== null],
    ["approval:dev-1/request-1", "request-1", "dev-1 asks for a change of scope.", true, true],
  );
  const open = fits("listApprovals", await ask(hub.url, `${team}/approvals`, { as: hub.session }));
  assert.equal(open.body.approvals[0].requestId, "request-1");
  const answer = { approved: false, reason: "Not now", id: "answer-1" };
  assert.equal(
    fits("answerApproval", await ask(hub.url, `${team}/approvals/request-1`, { as: hub.session, body: answer })).status,
    201,
  );
  assert.equal((await needs()).total, 0, "what was decided needs nobody");
  const second = fits(
    "answerApproval",
    await ask(hub.url, `${team}/approvals/request-1`, { as: lead, body: { approved: true, reason: "Yes" } }),
  );
  assert.deepEqual([second.status, second.body.code], [409, "already-answered"]);
  assert.equal(
    fits("answerApproval", await ask(hub.url, `${team}/approvals/request-7`, { as: hub.session, body: answer })).status,
    409,
  );
  const all = fits("listApprovals", await ask(hub.url, `${team}/approvals?all=true`, { as: dev }));
  assert.equal(all.body.approvals[0].answer.decidedBy, "owner");
  const one = async (id: string) =>
    fits("listApprovals", await ask(hub.url, `${team}/approvals?request=${id}`, { as: dev })).body.approvals.map(
      ({ requestId, status }: { requestId: string; status: string }) => [requestId, status],
    );
  assert.deepEqual([await one("request-1"), await one("request-7")], [[["request-1", "denied"]], []]);
  assert.equal(
    fits("listContracts", await ask(hub.url, `${team}/contracts`, { as: dev })).body.contracts[0].plan,
    "1-1",
  );
  const inbox = await ask(hub.url, `${team}/agents/dev-1/inbox`, { as: dev });
  assert.match(JSON.stringify(inbox.body.deliveries.at(-1).message), /Not now/);
});

test("an answer is given again only once it has changed", async (t) => {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  const tagged = "status agents needs tasks tasks/board approvals escalations contracts phase".split(" ");
  const tags = new Map<string, string>();
  /** The paths of which something new came. */
  const changed = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const path of tagged) {
      const headers = tags.has(path) ? { "if-none-match": `"other", ${tags.get(path)}` } : {};
      const { status, body, headers: said } = await ask(hub.url, `${team}/${path}`, { as: hub.session, headers });
      assert.match(said.get("etag") ?? "", /^W\/"\d+-[0-9a-f]{16}-[\w-]{8}"$/);
      if (status === 304) assert.equal(body, "");
      else found.push(path);
      tags.set(path, said.get("etag") ?? "");
    }
    return found;
  };
  assert.deepEqual(await changed(), tagged);
  const stable = (paths: readonly string[]) =>
    paths.filter((path) => !["status", "agents", "needs", "phase"].includes(path));
  assert.deepEqual(stable(await changed()), [], "nothing was recorded");
  const contract = { message: typedMessage("plan_contract", {}, { id: "contract-1" }) };
  assert.equal((await ask(hub.url, `${team}/messages`, { as: lead, body: contract })).status, 201);
  assert.deepEqual(stable(await changed()), ["tasks", "tasks/board", "contracts"]);
  const message = typedMessage("approval_request", {}, { id: "request-1" });
  assert.equal((await ask(hub.url, `${team}/messages`, { as: dev, body: { message, to: ["lead-1"] } })).status, 201);
  const then = await changed();
  assert.deepEqual(stable(then), ["approvals"]);
  assert.ok(then.includes("status") && then.includes("needs"));
  const answer = { approved: true, reason: "yes" };
  assert.equal((await ask(hub.url, `${team}/approvals/request-1`, { as: hub.session, body: answer })).status, 201);
  const stale = { as: hub.session, headers: { "if-none-match": 'W/"1-0000000000000000-00000000"' } };
  assert.equal((await ask(hub.url, `${team}/approvals`, stale)).status, 200);
  assert.deepEqual(stable(await changed()).includes("approvals"), true);
});

test("a decision counts for what was shown: what was changed since is named, and another's answer comes first", async (t) => {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  const send = async (as: string, message: object) =>
    (await ask(hub.url, `${team}/messages`, { as, body: { message, to: ["lead-1"] } })).body.receipt.seq as number;
  const contract = typedMessage("plan_contract", {}, { id: "contract-1" });
  await ask(hub.url, `${team}/messages`, { as: lead, body: { message: contract } });
  const seen = await send(dev, typedMessage("approval_request", {}, { id: "request-1" }));
  assert.equal((await ask(hub.url, `${team}/tasks/1-1-T1/claim`, { as: dev, body: {} })).status, 201);
  const path = `${team}/approvals/request-1`;
  const answer = async (as: string, body: object) => fits("answerApproval", await ask(hub.url, path, { as, body }));
  for (const as of [hub.session, lead]) {
    const late = await answer(as, { approved: true, reason: "yes", ifSeq: seen });
    assert.deepEqual([late.status, late.body.code], [409, "changed-meanwhile"]);
    assert.match(late.body.detail, /^It is not as it was at entry \d+: dev-1 claimed 1-1-T1 \(entry \d+\)\.$/);
  }
  const { needs } = fits("listNeeds", await ask(hub.url, `${team}/needs`, { as: hub.session })).body;
  const { ifSeq } = needs[0];
  const effect = fits("showEffect", await ask(hub.url, `${path}/effect`, { as: hub.session })).body;
  assert.deepEqual([effect.approve.isAccepted, effect.deny.isAccepted, effect.ifSeq], [true, true, ifSeq]);
  assert.ok(ifSeq > seen);
  // Two answer in the same second: one counts, and the other learns who was first.
  const both = await Promise.all([
    answer(hub.session, { approved: true, reason: "yes", ifSeq }),
    answer(lead, { approved: false, reason: "no", ifSeq }),
  ]);
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409],
  );
  assert.equal(both.find(({ status }) => status === 409)?.body.code, "already-answered");
});

test("several changes of one contract are decided together: a yes to one makes no other stale", async (t) => {
  const hub = await testHub(t);
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  const contract = typedMessage("plan_contract", {}, { id: "contract-1" });
  assert.equal((await ask(hub.url, `${team}/messages`, { as: lead, body: { message: contract } })).status, 201);
  for (const id of ["one", "two", "three"]) {
    const message = typedMessage("approval_request", { subject: id, paths: [`assets/${id}/`] }, { id });
    assert.equal((await ask(hub.url, `${team}/messages`, { as: dev, body: { message, to: ["lead-1"] } })).status, 201);
  }
  const { needs } = fits("listNeeds", await ask(hub.url, `${team}/needs`, { as: hub.session })).body;
  const seen: readonly { target: string; ifSeq: number }[] = needs;
  const decisions = seen.map(({ target, ifSeq }) => ({ decide: "approve", request: target, reason: "yes", ifSeq }));
  const made = fits("decideSeveral", await ask(hub.url, `${team}/decisions`, { as: hub.session, body: { decisions } }));
  const outcomes = made.body.results.map((each: { outcome: string }) => each.outcome);
  assert.deepEqual(outcomes, ["accepted", "accepted", "accepted"], JSON.stringify(made.body));
  const [known] = fits("listContracts", await ask(hub.url, `${team}/contracts`, { as: dev })).body.contracts;
  assert.equal(known.revisions.length, 4, "each is a revision");
});

test("several decisions are each an entry; one that is refused stops no other, and a repeat records nothing", async (t) => {
  const hub = await testHub(t);
  const dev = await hub.token("dev-1");
  for (const id of ["one", "two", "three"]) {
    const message = typedMessage("approval_request", { subject: id }, { id });
    assert.equal((await ask(hub.url, `${team}/messages`, { as: dev, body: { message, to: ["lead-1"] } })).status, 201);
  }
  const blocker = { message: typedMessage("blocker_report", {}, { id: "blocked" }) };
  assert.equal((await ask(hub.url, `${team}/messages`, { as: dev, body: blocker })).status, 201);
  const decisions = [
    { decide: "approve", request: "one", reason: "yes" },
    { decide: "deny", request: "nobody-asked", reason: "no" },
    { decide: "deny", request: "two", reason: "no", id: "deny-two" },
    { decide: "approve", request: "three", reason: "yes", ifSeq: 1 },
    { decide: "lift", stop: "7", reason: "why" },
    { decide: "raise", escalation: "ESC-01-01-T1" },
  ];
  const decide = async () => {
    const headers = { "idempotency-key": "batch-1" };
    const made = await ask(hub.url, `${team}/decisions`, { as: hub.session, body: { decisions }, headers });
    return fits("decideSeveral", made).body.results.map(
      ({ outcome, receipt, problems }: Record<string, ReturnType<typeof JSON.parse>>) =>
        [outcome, receipt?.duplicate ?? null, problems[0]?.code ?? null].join(" "),
    );
  };
  const expected = [
    "accepted false ",
    "refused false unknown-request",
    "accepted false ",
    "refused false changed-meanwhile",
    "refused false unknown-request",
    "refused false sender-not-authorised",
  ];
  assert.deepEqual(await decide(), expected);
  const head = async () => (await ask(hub.url, `${team}/status`, { as: hub.session })).body.head.seq;
  const before = await head();
  const again = await decide();
  assert.deepEqual([again[0], again[2]], ["accepted true ", "accepted true "]);
  assert.equal(await head(), before + 4, "only what is refused is recorded again");
  const left = fits("listApprovals", await ask(hub.url, `${team}/approvals`, { as: dev })).body.approvals;
  assert.deepEqual(
    left.map(({ requestId }: { requestId: string }) => requestId),
    ["three"],
  );
  const unfit = await ask(hub.url, `${team}/decisions`, {
    as: hub.session,
    body: { decisions: [{ decide: "shrug" }] },
  });
  assert.equal(unfit.status, 422);
});
