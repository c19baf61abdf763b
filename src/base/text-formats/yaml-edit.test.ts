import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as yaml from "yaml";
import { canonical } from "../canonical.ts";
import type { Json, JsonObject } from "../json.ts";
import { parseYamlWith } from "./yaml.ts";
import { editYaml, writeYaml } from "./yaml-edit.ts";

function said(text: string): JsonObject {
  const read = parseYamlWith(yaml, text, "test");
  assert.ok(read.ok, read.ok ? "" : `${read.error.message}\n${text}`);
  return read.value.value as JsonObject;
}

const text = `# A handoff
handoff:
  # Metadata about it
  metadata:
    source_agent: 'pm'   # who hands over
    target_agent: sm

  instructions:
    primary: >
      Write the story,
      then stop.
  validation:
    file_checksums:
      # the story
      docs/a.md: "abc"  # weak
    source_status: {overall_status: completed}
  history:
    previous_handoffs: []  # none yet
    lessons_learned:
      - One   # of many
      # the end
`;

const cases: readonly (readonly [name: string, change: (value: JsonObject) => JsonObject, line: string])[] = [
  ["a new first key", (value) => set(value, "metadata", { id: "h1", ...at(value, "metadata") }), "    id: h1\n"],
  [
    "a new last key",
    (value) => set(value, "metadata", { ...at(value, "metadata"), timestamp: "2026-01-01T00:00:00Z" }),
    '    target_agent: sm\n    timestamp: "2026-01-01T00:00:00Z"\n\n  instructions',
  ],
  [
    "another word",
    (value) => set(value, "metadata", { ...at(value, "metadata"), source_agent: "x" }),
    "    source_agent: x   # who hands over\n",
  ],
  [
    "a checksum and one more",
    (value) =>
      set(value, "validation", { ...at(value, "validation"), file_checksums: { "docs/a.md": "sha256:1", "b c": "s" } }),
    '      docs/a.md: "sha256:1"  # weak\n      b c: s\n    source_status',
  ],
  [
    "a list that was empty",
    (value) => set(value, "history", { ...at(value, "history"), previous_handoffs: [{ summary: "x: y", a: 1 }] }),
    '    previous_handoffs:  # none yet\n      - summary: "x: y"\n        a: 1\n',
  ],
  [
    "one more entry",
    (value) => set(value, "history", { ...at(value, "history"), lessons_learned: ["One", "Two"] }),
    "      - One   # of many\n      - Two\n      # the end\n",
  ],
  ["a new part", (value) => set(value, "notes", ["a"]), "  notes:\n    - a\n"],
];

function at(value: JsonObject, part: string): JsonObject {
  return (value.handoff as JsonObject)[part] as JsonObject;
}

function set(value: JsonObject, part: string, inner: JsonObject | readonly string[]): JsonObject {
  return { handoff: { ...(value.handoff as JsonObject), [part]: inner } };
}

for (const [name, change, line] of cases) {
  test(`writes ${name}, and leaves every other line as it is`, () => {
    const wanted = change(said(text));
    const edited = editYaml(yaml, text, wanted);
    assert.deepEqual(said(edited), wanted);
    assert.ok(edited.includes(line), edited);
    const kept = edited.split("\n");
    const lost = text.split("\n").filter((each) => !kept.includes(each));
    assert.ok(lost.length <= 1, `lost: ${lost.join(" | ")}`);
    for (const [comment] of text.matchAll(/#.*/g)) assert.ok(edited.includes(comment), comment);
  });
}

test("within braces and brackets only what is new is written, and comments between stay", () => {
  const before = `handoff: { # all
    metadata: {source_agent: pm}, # who
    files: [ # which
      docs/a.md, # first
    ],
    sums: {}, none: [], odd: {a, b: }, # c
  }
`;
  const wanted = {
    metadata: { id: "h1", source_agent: "pm", at: "2026-01-01T00:00:00Z" },
    files: ["docs/a.md", "b\nc"],
    sums: { "docs/a.md": "sha256:1" },
    none: [{ a: ["x"] }],
    odd: { a: { b: 1 }, b: [2] },
    more: "d",
  };
  const edited = editYaml(yaml, before, { handoff: wanted });
  assert.deepEqual(said(edited), { handoff: wanted });
  assert.equal(
    edited,
    `handoff: { # all
    metadata: {id: h1, source_agent: pm, at: "2026-01-01T00:00:00Z"}, # who
    files: [ # which
      docs/a.md, "b\\nc", # first
    ],
    sums: {docs/a.md: sha256:1}, none: [{a: [x]}], odd: {a: {b: 1}, b: [2] }, more: d, # c
  }
`,
  );
});

test("no comment is lost, however the text is laid out", () => {
  const comment = fc.constantFrom("", "", "", "# note");
  // Each line gets a comment behind it, or one on a separate line, indented in some way.
  const lines = (text: string, behind: readonly string[], above: readonly string[], indents: readonly number[]) =>
    text
      .split("\n")
      .flatMap((line, index) => {
        const note = above[index] === "" ? [] : [`${" ".repeat(indents[index] ?? 0)}${above[index]} a${index}`];
        return [...note, behind[index] === "" || line === "" ? line : `${line}  ${behind[index]} b${index}`];
      })
      .join("\n");
  const parts = fc.record({
    metadata: fc.constantFrom(
      "{source_agent: pm}",
      "{\n      source_agent: pm,\n    }",
      "\n    source_agent: pm",
      "\n    ? source_agent\n    : pm",
    ),
    files: fc.constantFrom("[docs/a.md]", "[\n      docs/a.md,\n    ]", "\n  - docs/a.md", "\n    -\n      docs/a.md"),
    sums: fc.constantFrom("", "{}", "~", "{docs/a.md: abc}", "\n    docs/a.md: abc", "{\n    }"),
    before: fc.constantFrom("", "[]", "\n  - a: 1\n    b: 2", "\n    - {a: 1, b: 2}", "[{a: 1, b: 2}]", "[\n    ]"),
    end: fc.constantFrom("", "\n", "\n\n"),
  });
  const notes = fc.array(comment, { minLength: 24, maxLength: 24 });
  const indents = fc.array(fc.nat(8), { minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(parts, notes, notes, indents, fc.boolean(), (part, behind, above, columns, isWindows) => {
      const plain = `handoff:\n  metadata: ${part.metadata}\n  files: ${part.files}\n  sums: ${part.sums}\n  before: ${part.before}${part.end}`;
      const noted = lines(plain.replaceAll(/ +$/gm, ""), behind, above, columns);
      const layout = isWindows ? noted.replaceAll("\n", "\r\n") : noted;
      const read = parseYamlWith(yaml, layout, "layout");
      fc.pre(read.ok);
      const { metadata, files, sums, before } = (read.value.value as { handoff: { [part: string]: Json } }).handoff;
      const wanted = {
        handoff: {
          metadata: { id: "h", ...(metadata as JsonObject), at: "2026-01-01T00:00:00Z" },
          files: files ?? null,
          sums: { ...(sums as JsonObject | null), "docs/a.md": "sha256:1", "docs/b c.md": "sha256:2" },
          before: [...((before as readonly Json[] | null) ?? []), { a: "x: y", b: "one\ntwo" }],
        },
      };
      const edited = editYaml(yaml, layout, wanted);
      assert.equal(canonical(said(edited)), canonical(wanted));
      const kept = edited.match(/# note [ab]\d+/g) ?? [];
      assert.deepEqual(kept.toSorted(), (layout.match(/# note [ab]\d+/g) ?? []).toSorted(), `${layout}\n=>\n${edited}`);
      if (isWindows) assert.doesNotMatch(edited, /[^\r]\n/);
    }),
    { numRuns: 300 },
  );
});

test("what says it already is not touched, and line ends of Windows stay", () => {
  assert.equal(editYaml(yaml, text, said(text)), text);
  const windows = text.replaceAll("\n", "\r\n");
  const edited = editYaml(yaml, windows, set(said(windows), "notes", ["a"]));
  assert.equal(edited.replaceAll("\r\n", "").includes("\n"), false);
});

test("values that are missing, in braces, or without a last line end are written too", () => {
  const places = [
    ["handoff:\n  a:\n  b: 1", { handoff: { a: { x: 1 }, b: 1 } }],
    ["handoff: {a: 1}\n", { handoff: { a: 2, b: [1] } }],
    ["handoff:\n  a: 1", { handoff: { a: 1, b: { c: ["d"] } } }],
    ["handoff:\n- x: 1\n", { handoff: [{ x: 1 }, { x: 2 }] }],
    ["handoff:\n- x: 1\n", { handoff: [{ a: 0, x: 1 }] }],
    ['{"handoff": {"a": "b"}}', { handoff: { a: "c", d: [] } }],
    ["handoff:\n  a: |\n    one\n    two\n  b: 1\n", { handoff: { a: "one\ntwo\n", n: 1, b: 2 } }],
  ] as const;
  for (const [from, wanted] of places) assert.deepEqual(said(editYaml(yaml, from, wanted)), wanted, from);
});

test("any value is written over any other, however it was laid out", () => {
  const word = fc.oneof(
    fc.constantFrom("a", "docs/a.md", "x: y", "- z", "# no", "2026-01-01", "null", "", "1", "ä\nö", "'", '"', "{", "%"),
    fc.string(),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: "small" }, word, fc.boolean(), fc.integer(), tie("list"), tie("map")),
    list: fc.array(tie("value"), { maxLength: 3 }),
    map: fc.dictionary(fc.constantFrom("a", "b", "c", "docs/x y.md"), tie("value"), { maxKeys: 3 }),
  }));
  const document = fc.record({ handoff: value }) as fc.Arbitrary<JsonObject>;
  const layout = fc.record({
    indent: fc.constantFrom(2, 4),
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom("any", "block", "flow"),
  });
  fc.assert(
    fc.property(document, document, layout, (from, wanted, options) => {
      const before = yaml.stringify(from, options as yaml.ToStringOptions);
      const read = parseYamlWith(yaml, before, "before");
      fc.pre(read.ok && parseYamlWith(yaml, writeYaml(yaml, wanted), "wanted").ok);
      assert.equal(canonical(said(editYaml(yaml, before, wanted))), canonical(wanted));
      assert.equal(canonical(said(writeYaml(yaml, wanted))), canonical(wanted));
    }),
    { numRuns: 400 },
  );
});
