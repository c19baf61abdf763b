import assert from "node:assert/strict";
import { test } from "node:test";
import type { DialectId } from "../../messages/message.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { typedMessage } from "../../testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../testing/test-team.ts";
import type { Delivery } from "../operations.ts";

async function greeters(
  policy: "enforce" | "observe" = "enforce",
  dialects: readonly DialectId[] = ["vbw/2"],
): Promise<TestTeam> {
  return testTeam({
    policy,
    dialects,
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
}

const to = ["role:lead"];
const json = (value: unknown) => JSON.stringify(value);
const fenced = (value: unknown) => `\`\`\`json\n${json(value)}\n\`\`\``;
const partial = typedMessage("execution_update", { status: "partial" });

function accepted(reply: Reply) {
  assert.ok(reply.outcome === "accepted", json(reply));
  return reply;
}

async function deliveries(agent: ReturnType<TestTeam["as"]>): Promise<readonly Delivery[]> {
  const page = await agent.inbox();
  assert.ok(page.ok);
  return page.value.deliveries;
}

test("a message among words reaches its reader as the message alone, under its own id", async () => {
  await using team = await greeters();
  const reply = accepted(await team.as("dev-1").send(`Halfway there.\n${fenced(partial)}`));
  assert.equal(reply.receipt.id, partial.id);
  const [delivery] = await deliveries(team.as("lead-1"));
  assert.equal(delivery?.type, "execution_update");
  assert.deepEqual(delivery?.message, partial);
});

test("prose that quotes a message which must be sent alone does not take its id", async () => {
  await using team = await greeters();
  const done = typedMessage("execution_update");
  const quoting = accepted(await team.as("dev-1").send(`I am about to send:\n${fenced(done)}`, { to }));
  assert.notEqual(quoting.receipt.id, done.id);
  const sent = accepted(await team.as("dev-1").send(json(done)));
  assert.equal(sent.receipt.id, done.id);
  const [first] = await deliveries(team.as("lead-1"));
  assert.equal(first?.type, null);
  assert.equal(first?.effect, true);
});

test("words that quote a message sent before are delivered as prose", async () => {
  await using team = await greeters();
  accepted(await team.as("dev-1").send(json(partial)));
  const reply = accepted(await team.as("dev-1").send(`As I said:\n${fenced(partial)}`, { to }));
  assert.deepEqual(
    reply.notes.map(({ code }) => code),
    ["quoted-message"],
  );
  const [, second] = await deliveries(team.as("lead-1"));
  assert.equal(second?.type, null);
});

test("a message among words sent again is a duplicate, not a second message", async () => {
  await using team = await greeters();
  const text = `Halfway there: ${json(partial)}`;
  const first = accepted(await team.as("dev-1").send(text));
  const again = accepted(await team.as("dev-1").send(text));
  assert.deepEqual(again.receipt, { ...first.receipt, duplicate: true });
});

const proseId = "words-1";

test("words that quote a message are the same words under their own name, whatever becomes of the message", async () => {
  await using team = await greeters();
  const dev = team.as("dev-1");
  const done = typedMessage("execution_update");
  const text = `I am about to send:\n${fenced(done)}`;
  const first = accepted(await dev.send(text, { to, proseId }));
  assert.equal(first.receipt.id, proseId);
  accepted(await dev.send(json(done)));
  const again = accepted(await dev.send(text, { to, proseId }));
  assert.deepEqual(again.receipt, { ...first.receipt, duplicate: true });
  const copy = accepted(await dev.send(text, { to }));
  assert.equal(copy.receipt.duplicate, false, "the control: who does not name the words says them again");
});

test("a message among words keeps its own id, and so does the repetition", async () => {
  await using team = await greeters();
  const text = `Halfway there: ${json(partial)}`;
  const first = accepted(await team.as("dev-1").send(text, { proseId }));
  assert.equal(first.receipt.id, partial.id);
  for (const name of [proseId, "words-2"]) {
    const again = accepted(await team.as("dev-1").send(text, { proseId: name }));
    assert.deepEqual(again.receipt, { ...first.receipt, duplicate: true });
  }
});

test("words that quote a message whose id can be none are known by their own name", async () => {
  await using team = await greeters();
  const text = `Should I send this?\n${fenced({ type: "note", id: "not an id" })}`;
  const first = accepted(await team.as("dev-1").send(text, { to, proseId }));
  const again = accepted(await team.as("dev-1").send(text, { to, proseId }));
  assert.deepEqual(again.receipt, { ...first.receipt, duplicate: true });
});

test("the name of words is refused where it is used, or can be none", async () => {
  await using team = await greeters();
  const text = `I am about to send:\n${fenced(typedMessage("execution_update"))}`;
  const codes = async (words: string, name: string) => {
    const reply = await team.as("dev-1").send(words, { to, proseId: name });
    assert.ok(reply.outcome === "refused", json(reply));
    return reply.problems.map(({ code, path }) => [code, path]);
  };
  accepted(await team.as("dev-1").send("Something else.", { to, id: "taken" }));
  assert.deepEqual(await codes(text, "taken"), [["id-conflict", "arguments.proseId"]]);
  assert.deepEqual(await codes(text, "not an id"), [["invalid-id", "arguments.proseId"]]);
  accepted(await team.as("dev-1").send(`Halfway there: ${json(partial)}`, { proseId: "taken" }));
});

test("a sender that uses an id again for the same input, but for other receivers, learns just that", async () => {
  await using team = await greeters();
  const dev = team.as("dev-1");
  const texts = ["Lunch?", json(partial), `Here: ${json(typedMessage("execution_update"))}`];
  for (const [index, text] of texts.entries()) {
    const id = `act-${index}`;
    const sent = accepted(await dev.send(text, { to, id }));
    const spaced = index === 1 ? JSON.stringify(partial, null, 2) : text;
    const again = await dev.send(spaced, { to: ["lead-1"], id });
    assert.ok(again.outcome === "refused", json(again));
    const [problem] = again.problems;
    assert.equal(problem?.code, "id-conflict");
    assert.match(problem.message, new RegExp(`same text.*to other receivers: it is entry ${sent.receipt.seq}\\.$`));
    assert.match(problem.expected ?? "", /lead-1/);
    assert.equal(problem.received, "lead-1");
    const other = await dev.send(`${text} `.replace("e", "a"), { to, id });
    assert.ok(other.outcome === "refused", json(other));
    assert.match(other.problems[0]?.message ?? "", /for something else/, "the control: another text");
  }
  const unnamed = await dev.send(json(partial), { id: "act-1" });
  assert.equal(unnamed.outcome === "refused" && unnamed.problems[0]?.received, "no receiver named");
});

test("an input without a name is identified by its content; a given id overrides that", async () => {
  await using team = await greeters();
  const plain = accepted(await team.as("dev-1").send("Lunch?", { to, proseId }));
  assert.equal(plain.receipt.id, proseId);
  assert.equal(accepted(await team.as("dev-1").send("Lunch?", { to, proseId })).receipt.duplicate, true);
  const quoting = `I am about to send:\n${fenced(typedMessage("execution_update"))}`;
  const named = accepted(await team.as("dev-1").send(quoting, { to, id: "given", proseId: "unused" }));
  assert.equal(named.receipt.id, "given");
});

test("another's message among words is a quotation of it", async () => {
  await using team = await greeters();
  const text = `dev-1 wrote:\n${fenced(partial)}\nPlease look.`;
  const reply = accepted(await team.as("lead-1").send(text, { to: ["role:dev"] }));
  assert.equal(reply.notes[0]?.code, "quoted-message");
  const [delivery] = await deliveries(team.as("dev-1"));
  assert.equal(delivery?.message, text);
});

test("a drifted message is recorded as it came and reaches its reader as the definition spells it", async () => {
  await using team = await greeters();
  const text = json({ ...partial, confidence: 0.9 });
  const reply = accepted(await team.as("dev-1").send(text));
  const uses = reply.notes.filter(({ code }) => code === "alias");
  assert.deepEqual(
    uses.map(({ path, from, to }) => [path, from, to]),
    [["$.confidence", "0.9", '"high"']],
  );
  const [delivery] = await deliveries(team.as("lead-1"));
  assert.deepEqual(delivery?.message, partial);
  const shown = await team.as("lead-1").show(String(reply.receipt.seq));
  assert.ok(shown.ok);
  assert.equal(shown.value.message?.text, text);
});

test("a mailbox entry passes only with its sender's own messages", async () => {
  await using team = await greeters();
  const entry = (from: string) => json({ from, text: json(partial), timestamp: "2026-02-12T10:00:00Z", read: false });
  const foreign = await team.as("dev-1").send(entry("lead-1"));
  assert.ok(foreign.outcome === "refused");
  assert.equal(foreign.problems[0]?.code, "identity-mismatch");
  accepted(await team.as("dev-1").send(entry("dev-1")));
  const [delivery] = await deliveries(team.as("lead-1"));
  assert.deepEqual(delivery?.message, partial);
});

test("a control frame is judged as the message that says the same, and reaches others in their dialect", async () => {
  await using team = await greeters();
  const frame = { type: "plan_approval_request", requestId: "plan-7", planFilePath: "plan.md", planContent: "# Plan" };
  const reply = accepted(await team.as("dev-1").send(json(frame)));
  assert.deepEqual(reply.receivers, ["lead-1"]);
  const [delivery] = await deliveries(team.as("lead-1"));
  assert.equal(delivery?.type, "approval_request");
  const answer = { type: "plan_approval_response", requestId: "plan-7", approved: true };
  const own = await team.as("dev-1").send(json(answer));
  assert.ok(own.outcome === "refused", "a developer may not approve");
  accepted(await team.as("lead-1").send(json(answer)));
});

const progress = { type: "dev_progress", task: "1-1-T1", plan_id: "1-1", commit: "abc1234", status: "partial" };

test("in enforce a v1 message of a dialect that the team does not list is refused with what v2 still needs", async () => {
  await using team = await greeters();
  const reply = await team.as("dev-1").send(json(progress));
  assert.ok(reply.outcome === "refused");
  assert.deepEqual(
    reply.problems.map(({ code, path }) => [code, path]),
    [["unknown-type", "$.type"]],
    "its fields say everything, and an envelope is filled in",
  );
  assert.match(reply.problems[0]?.hint ?? "", /^Send execution_update of vbw\/2 instead/);
});

test("in enforce a v1 message passes where the team lists its dialect", async () => {
  await using team = await greeters("enforce", ["vbw/2", "vbw/1"]);
  accepted(await team.as("dev-1").send(json(progress)));
  const [delivery] = await deliveries(team.as("lead-1"));
  assert.equal(delivery?.type, "execution_update", "it reaches the lead in the lead's own dialect");
});

test("in observe old formats pass, shown without effect", async () => {
  await using team = await greeters("observe");
  const reply = accepted(await team.as("dev-1").send(json(progress), { to }));
  assert.ok(reply.notes.some(({ code }) => code === "unknown-type"));
  const [delivery] = await deliveries(team.as("lead-1"));
  assert.equal(delivery?.effect, false);
});

test("a handoff document in YAML is one message, named by its own id", async () => {
  await using team = await greeters("enforce", ["vbw/2", "bmad/1"]);
  const yaml = `handoff:
  metadata: {id: h-1, source_agent: dev-1, target_agent: lead-1, timestamp: "2026-02-12T10:00:00Z"}
  context: {}
  instructions: {primary: Read it}
  dependencies: {}
`;
  const reply = accepted(await team.as("dev-1").send(yaml, { to }));
  assert.equal(reply.receipt.id, "h-1");
  const again = accepted(await team.as("dev-1").send(`# again\n${yaml}`, { to }));
  assert.equal(again.receipt.duplicate, true, "a comment changes nothing that is said");
});

test("JSON that became words for want of a known type is refused with that reason, not only for want of a receiver", async () => {
  await using team = await greeters();
  const reply = await team.as("dev-1").send(json({ type: "blocker", needs: "a key" }));
  assert.ok(reply.outcome === "refused");
  assert.deepEqual(
    reply.problems.map(({ code, path }) => [code, path]),
    [
      ["unknown-type", "$.type"],
      ["no-receiver", "$"],
    ],
  );
  accepted(await team.as("dev-1").send(json({ type: "blocker", needs: "a key" }), { to }));
});

test("the owner, whose name is in no envelope, learns which letters are look-alikes", async () => {
  await using team = await greeters();
  const { author_role: role, schema_version: version, ...rest } = partial;
  const sent = await team.as("owner").send(json({ ...rest, аuthor_role: role, sсhema_version: version }));
  assert.ok(sent.outcome === "refused", json(sent));
  assert.deepEqual(
    sent.problems.map(({ code, path, hint }) => [code, path, hint]),
    [
      ["sender-not-authorised", "$.type", "Send it by `arguments.actor` as an agent that is dev or docs."],
      ["missing-field", "$.author_role", 'did you mean "author_role" where you wrote "аuthor_role"?'],
    ],
  );
});
