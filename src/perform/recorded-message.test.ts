import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, parseBounded } from "../base/json.ts";
import type { Dialect } from "../messages/dialects/dialect.ts";
import { dialectOf, dialects } from "../messages/dialects/registry.ts";
import { read } from "../messages/intake/read.ts";
import type { AcceptedReading } from "../messages/intake/reading.ts";
import type { Message } from "../messages/message.ts";
import { typedMessage } from "../testing/fixtures.ts";
import { testTeam } from "../testing/test-team.ts";
import { contentOf } from "./content.ts";
import { messageOf, type RecordedMessage, recordMessage } from "./recorded-message.ts";

const examples = dialects.flatMap((dialect) =>
  [...dialect.definitions.values()].filter(({ wire }) => wire === "sent").map(({ example }) => ({ dialect, example })),
);

async function readingOf(wire: JsonObject, dialect: Dialect): Promise<AcceptedReading> {
  const reading = await read(JSON.stringify(wire), { dialects: [dialect] });
  assert.ok(reading.outcome === "accepted", JSON.stringify(reading.problems));
  return reading;
}

function messageIn({ dialect, type, rung, wireId, text, fact }: AcceptedReading): Message {
  return { dialect, type, rung, wireId, text, fact };
}

/** Records a reading, carries it through JSON as an entry does, and reads it back. */
function carried(reading: AcceptedReading, entryId: string): { recorded: RecordedMessage; message: Message } {
  const dialect = dialectOf(reading.dialect);
  const definition = dialect?.definitions.get(reading.type);
  const whole = dialect && definition ? { wire: reading.message, form: dialect.form, definition } : null;
  const recorded = JSON.parse(JSON.stringify(recordMessage(messageIn(reading), entryId, whole))) as RecordedMessage;
  return { recorded, message: messageOf(recorded, { id: entryId as never, text: reading.text }) };
}

/** Facts in which words of the second revisions follow from those of a first, or with extra fields, and handoffs. */
function isWhole({ dialect, fact }: AcceptedReading): boolean {
  const form = dialectOf(dialect)?.form;
  return (
    form === "document" || fact.extra !== undefined || (form === "structured" && fact.kind.startsWith("shutdown-"))
  );
}

test("every example of every dialect is recorded by its names and read back as it was", async () => {
  assert.ok(examples.length > 40);
  for (const { dialect, example } of examples) {
    const reading = await readingOf(example, dialect);
    const { recorded, message } = carried(reading, reading.wireId ?? "");
    assert.equal("names" in recorded, !isWhole(reading), `${reading.dialect} ${reading.type}`);
    assert.deepEqual(message, messageIn(reading));
    assert.equal(JSON.stringify(message), JSON.stringify(messageIn(reading)));
  }
});

test("what the text leaves out is missing in the fact too, and null stays null", async () => {
  for (const { dialect, example } of examples) {
    const inside = dialect.form === "typed" ? (example.payload as JsonObject) : example;
    for (const field of Object.keys(inside)) {
      const { [field]: _, ...rest } = inside;
      const wire = dialect.form === "typed" ? { ...example, payload: rest } : rest;
      const reading = await read(JSON.stringify(wire), { dialects: [dialect] });
      if (reading.outcome !== "accepted") continue;
      const { recorded, message } = carried(reading, "other");
      assert.ok("names" in recorded || isWhole(reading), `${reading.dialect} ${reading.type} without ${field}`);
      assert.deepEqual(message, messageIn(reading));
    }
  }
});

test("a flat message that says its phase and role has them in its head, and another type of value is none", async () => {
  for (const { dialect, example } of examples) {
    if (dialect.form !== "structured") continue;
    const { type } = await readingOf(example, dialect);
    const role = dialect.definitions.get(type)?.senders[0] ?? "dev";
    const said = { author_role: role, timestamp: "2026-02-12T10:00:00Z", confidence: 7, ...example };
    const reading = await readingOf(said, dialect);
    const { message } = carried(reading, "m-1");
    assert.deepEqual(message, messageIn(reading), reading.type);
  }
});

test("fields within a flat message's payload are recorded whole", async () => {
  for (const { dialect, example } of examples) {
    if (dialect.form !== "structured") continue;
    const { type, ...payload } = example;
    const reading = await readingOf({ type: type ?? null, payload }, dialect);
    const { message } = carried(reading, "m-1");
    assert.deepEqual(message, messageIn(reading), reading.type);
  }
});

test("names that are no words are not recorded as words", async () => {
  const [first] = examples;
  assert.ok(first !== undefined);
  const { dialect, example } = first;
  const reading = await readingOf(example, dialect);
  const definition = dialect.definitions.get(reading.type);
  assert.ok(definition !== undefined);
  const value = Object.values(reading.fact.body)[0];
  for (const name of ["a b", "a=b", ""]) {
    const own = { ...definition, fields: [{ ...definition.fields[0], name, neutral: name } as never] };
    const wire = { ...reading.message, payload: { [name]: value ?? null } };
    const message = { ...messageIn(reading), fact: { ...reading.fact, body: { [name]: value } } as never };
    assert.ok("fact" in recordMessage(message, "m-1", { wire, form: "typed", definition: own }));
  }
});

test("a message's id is kept, and none stays none", async () => {
  const [first] = examples;
  assert.ok(first !== undefined);
  const { dialect, example } = first;
  assert.equal(carried(await readingOf(example, dialect), "other").message.wireId, example.id);
  const prose: Message = { dialect: null, type: null, rung: "markdown", wireId: null, text: "Well.", fact: null };
  const recorded = recordMessage(prose, "m-1", null);
  assert.deepEqual(messageOf(recorded, { id: "m-1" as never, text: "Well." }), prose);
});

test("a fact that says anything beyond its text is recorded whole", async () => {
  const [first] = examples;
  assert.ok(first !== undefined);
  const { dialect, example } = first;
  const stranger = await readingOf({ ...example, mood: "glad" }, dialect);
  const plain = await readingOf(example, dialect);
  const { fact } = plain;
  const firstField = Object.keys(fact.body)[0] ?? "";
  const body: JsonObject = { ...fact.body };
  const { [firstField]: _, ...fewer } = body;
  const changed: readonly AcceptedReading[] = [
    stranger,
    { ...plain, fact: { ...fact, head: { ...fact.head, task: "another" } } },
    { ...plain, fact: { ...fact, body: { ...fact.body, [firstField]: "another" } } },
    { ...plain, fact: { ...fact, body: { ...fact.body, added: 1 } } },
    { ...plain, fact: { ...fact, body: fewer } },
    { ...plain, fact: { ...fact, kind: "diagnosis" } as never },
  ];
  for (const reading of changed) {
    const { recorded, message } = carried(reading, "m-1");
    assert.ok("fact" in recorded);
    assert.deepEqual(message, messageIn(reading));
  }
});

test("an input that does not parse alone is recorded with the object it was read as", async () => {
  const agents = [
    { agent: "lead-1", role: "lead" },
    { agent: "dev-1", role: "dev" },
  ] as const;
  await using team = await testTeam({ dialects: ["vbw/2", "vbw/1", "bmad/1"], agents });
  const partial = typedMessage("execution_update", { status: "partial" });
  const text = (value: unknown) => JSON.stringify(value);
  const sent: { readonly [how: string]: string } = {
    whole: text({ ...partial, id: "m-1" }),
    indented: JSON.stringify({ ...partial, id: "m-2" }, null, 2),
    drifted: text({ ...partial, id: "m-3", confidence: 0.9 }),
    quoted: `So far:\n${text({ ...partial, id: "m-4" })}`,
    string: text(text({ ...partial, id: "m-5" })),
    strange: text({ ...partial, id: "m-6", mood: "glad" }),
    mailbox: text({ from: "dev-1", text: text({ ...partial, id: "m-7" }), timestamp: "2026-02-12T10:00:00Z" }),
    frame: text({ type: "plan_approval_request", requestId: "p-1", planFilePath: "plan.md", planContent: "# Plan" }),
    flat: text({ type: "dev_progress", task: "1-1-T1", plan_id: "1-1", commit: "abc1234", status: "partial" }),
    document: `handoff:
  metadata: {id: h-1, source_agent: dev-1, target_agent: lead-1, timestamp: "2026-02-12T10:00:00Z"}
  context: {}
  instructions: {primary: Read it}
  dependencies: {}
`,
    prose: "Nearly there.",
  };
  const { context } = team;
  const dialects = context.dialects.filter(({ id }) => ["vbw/2", "vbw/1", "bmad/1"].includes(id));
  for (const [how, each] of Object.entries(sent)) {
    const reply = await team.as("dev-1").send(each, { to: ["lead-1"] });
    assert.ok(reply.outcome === "accepted", `${how} ${JSON.stringify(reply)}`);
    const page = await context.journal.read(context.team, { after: reply.receipt.seq - 1, limit: 1 });
    assert.ok(page.ok && page.value.entries[0] !== undefined);
    const { message } = contentOf(page.value.entries[0]);
    const reading = await read(each, { dialects: dialects, senderKnown: true });
    const { dialect, type, rung, wireId, text: verbatim, fact } = reading;
    const parsed = parseBounded(verbatim);
    const isAlone = parsed.ok && JSON.stringify(parsed.value) === JSON.stringify(reading.message);
    assert.deepEqual(
      message,
      {
        dialect,
        type,
        rung,
        wireId,
        text: verbatim,
        fact,
        ...(reading.outcome === "prose" || isAlone ? {} : { wire: reading.message }),
      },
      how,
    );
  }
});
