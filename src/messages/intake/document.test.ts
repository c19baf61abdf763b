import assert from "node:assert/strict";
import { test } from "node:test";
import { testTeam } from "../../testing/test-team.ts";
import { findDocument } from "./document.ts";
import { readMessage } from "./read-message.ts";

const document = `handoff:
  metadata:
    id: "h-1"
    source_agent: "dev"
    target_agent: "qa"
    timestamp: "2026-08-15T14:30:00Z"
  context: {}
  instructions:
    primary: "Test it"
  dependencies: {}
`;

function indented(text: string, columns = 2): string {
  return text.replaceAll(/^(?=.)/gm, " ".repeat(columns));
}

const sections = {
  metadata: { id: "h-1", source_agent: "dev", target_agent: "qa", timestamp: "2026-08-15T14:30:00Z" },
  context: {},
  instructions: { primary: "Test it" },
  dependencies: {},
};

/** A document as agents write it: the text, and whether words are around it. */
const written: readonly (readonly [name: string, text: string, around?: "words"])[] = [
  ["as it is defined", document],
  ["with line ends of Windows", document.replaceAll("\n", "\r\n")],
  ["with a type before it", `type: handoff\n${document}`],
  ["with a type behind it", `${document}type: handoff\n`],
  ["with other fields before it", `title: Over to you\ndate: 2026-08-15\n\n${document}`],
  ["with its key in quotes", document.replace("handoff:", '"handoff":')],
  ["with its key in single quotes", document.replace("handoff:", "'handoff' :")],
  ["with all its keys in quotes", document.replaceAll(/^( *)(\w+):/gm, '$1"$2":')],
  ["indented as a whole", indented(document)],
  ["indented as a whole below a comment", `# for qa\n${indented(document, 4)}`],
  ["behind a comment and a mark", `# for qa\n---\n${document}`],
  ["between marks", `---\n${document}---\n`],
  ["with the mark of its end", `${document}...\n`],
  ["below a heading", `# Handoff\n\n${document}`],
  ["as JSON", JSON.stringify({ handoff: sections })],
  ["as JSON with a type", JSON.stringify({ type: "bmad_handoff", handoff: sections })],
  ["as JSON with a type that is no text", JSON.stringify({ type: 1, handoff: sections })],
  [
    "with a fence in one of its texts",
    document.replace('"Test it"', '|\n      Run:\n      ```json\n      {"type":"x"}\n      ```'),
  ],
  [
    "with a message in one of its texts",
    document.replace("context: {}", 'context: {story_file: \'{"type":"task_claim"}\'}'),
  ],
  ["as the head of a Markdown text", `---\n${document}---\n\n# Handoff\n\n- Words: here\n`, "words"],
  ["before a Markdown text", `${document}---\n\n# Handoff\n\n- Words\n`, "words"],
  ["between words and marks", `Here it is.\n\n---\n${document}---\nBye.`, "words"],
  ["behind words", `Here it is:\n${document}`, "words"],
  ["behind words, indented", `Here it is:\n\n${indented(document, 4)}`, "words"],
  ["before a paragraph", `${document}\nThanks for taking over.\n`, "words"],
  ["before a paragraph with code", `${document}\nThanks.\n\n\`\`\`js\nif (a) {\n  b: 1\n}\n\`\`\`\n`, "words"],
  ["in a fence", `Here:\n\`\`\`yaml\n${document}\`\`\`\n`, "words"],
  ["in a fence, indented", `- Here:\n\n  \`\`\`yaml\n${indented(document)}  \`\`\`\n`, "words"],
  ["in a fence, between marks", `\`\`\`\n---\n${document}---\n\`\`\`\n`, "words"],
];

for (const [name, text, around] of written) {
  test(`a document ${name} is the document`, () => {
    const reading = readMessage(text);
    assert.ok(reading.outcome === "accepted" && reading.dialect === "bmad/1", JSON.stringify(reading.problems));
    assert.equal(reading.wireId, "h-1");
    assert.equal(
      reading.notes.some(({ code }) => code === "quoted-message"),
      around === "words",
    );
  });
}

/** Inputs that hold no document, or no single one: how they are read. */
const others: readonly (readonly [name: string, text: string, outcome: "prose" | "invalid"])[] = [
  ["words that begin with its key", "handoff: over to you\n", "prose"],
  ["its key with words below", "handoff:\nover to you\n", "prose"],
  ["its key with other words below, behind words", "Summary: all done\nhandoff:\n  to qa\n", "prose"],
  ["a word that ends with its key", document.replace("handoff:", "my-handoff:"), "prose"],
  ["two documents one after another", `${document}---\n${document}`, "invalid"],
  ["two documents in fences", `\`\`\`yaml\n${document}\`\`\`\nor\n\`\`\`yaml\n${document}\`\`\`\n`, "prose"],
  ["a document with a text that lost its indentation", document.replace('"Test it"', "Test it\n\nand all"), "invalid"],
  ["a document whose last line lost its indentation", `${document}  history:\nand all\n`, "invalid"],
  ["a document without a section", document.replace("  dependencies: {}\n", ""), "invalid"],
  [
    "a type that a dialect knows beside its key",
    JSON.stringify({ type: "dev_progress", handoff: sections }),
    "invalid",
  ],
];

for (const [name, text, outcome] of others) {
  test(`${name}: ${outcome}`, () => {
    const reading = readMessage(text);
    assert.equal(reading.outcome, outcome, JSON.stringify(reading.problems));
  });
}

test("an error is reported with its line in the input, regardless of what comes before the document", () => {
  const broken = document.replace('"Test it"', '"Test it');
  const [alone] = readMessage(broken).problems;
  const [below] = readMessage(`# for qa\n\n---\n${broken}`).problems;
  const line = (path: string | undefined) => Number(path?.split(":")[1]);
  assert.equal(line(below?.path), line(alone?.path) + 3);
});

test("finding a document takes time that grows with the text, whatever it is made of", () => {
  for (const piece of [
    "handoff:\n",
    "handoff:\n  metadata:\n",
    "---\n",
    "```\nhandoff:\n",
    "a:\n",
    " \n",
    "# handoff\n",
  ]) {
    const text = `handoff\n${piece.repeat(Math.floor(250_000 / piece.length))}`;
    const started = process.cpuUsage();
    findDocument(text);
    assert.ok(process.cpuUsage(started).user < 2_000_000, piece);
  }
});

test("in a team without the dialect a document is refused as that dialect's, never words", async () => {
  await using team = await testTeam({
    agents: [
      { agent: "dev-1", role: "dev" },
      { agent: "qa-1", role: "qa" },
    ],
  });
  for (const text of [
    document,
    JSON.stringify({ handoff: sections }),
    `type: handoff\n${document}`,
    `Here:\n${document}`,
  ]) {
    const reply = await team.as("dev-1").send(text, { to: ["qa-1"], id: `h-${text.length}` });
    assert.ok(reply.outcome === "refused", text);
    assert.deepEqual(
      reply.problems.map(({ code, path, received }) => [code, path, received]),
      [["unknown-type", "$.handoff", "bmad/1"]],
    );
  }
});

test("a document of another's among words is a quotation, and a sender's own counts", async () => {
  await using team = await testTeam({
    dialects: ["bmad/1"],
    agents: [
      { agent: "dev-1", role: "dev", dialect: "bmad/1" },
      { agent: "qa-1", role: "qa", dialect: "bmad/1" },
      { agent: "qa", role: "scout", dialect: "bmad/1" },
    ],
  });
  const quoting = await team.as("qa-1").send(`I got this:\n\n\`\`\`yaml\n${document}\`\`\``, { to: ["dev-1"] });
  assert.ok(quoting.outcome === "accepted", JSON.stringify(quoting));
  assert.ok(
    quoting.notes.some(({ code, message }) => code === "quoted-message" && message.includes("not the sender's own")),
  );
  const own = await team.as("dev-1").send(`Over to you:\n\n${document}`);
  assert.ok(own.outcome === "accepted", JSON.stringify(own));
  assert.deepEqual([own.receipt.id, own.receivers], ["h-1", ["qa"]]);
});
