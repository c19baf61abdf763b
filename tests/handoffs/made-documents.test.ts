/**
 * Forty handoffs as agents of the method write them, in eight styles: what they state of agents and files is found, and
 * no file is made of what is none.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importHandoff } from "../../src/handoffs/reading/handoff-markdown.ts";

/** What a document is to say, in the words that each style needs. */
interface Stated {
  readonly source: string;
  readonly target: string;
  readonly story: string;
  readonly task: string;
  readonly required: readonly string[];
  readonly generated: readonly string[];
  readonly reading: readonly string[];
  readonly criteria: readonly string[];
}

/** What stands where files stand, and is none. */
const traps = ["None", "---", "Epic 10: sign in (DONE)", "`lodash@^4.1`", "Node.js 24", "`scope/pkg`", "`/api/login`"];

const stated: readonly Stated[] = [
  {
    source: "sm",
    target: "dev",
    story: "docs/stories/2.1-sign-in.md",
    task: "2.1",
    required: ["src/auth/session.ts", "docs/stories/2.1-sign-in.md"],
    generated: ["src/auth/code.ts", "tests/auth/code.test.ts"],
    reading: ["docs/architecture/auth.md"],
    criteria: ["A used code is refused", "A code lives ten minutes"],
  },
  {
    source: "pm",
    target: "architect",
    story: "docs/stories/1-1-mail.md",
    task: "1-1",
    required: ["docs/prd.md"],
    generated: ["docs/architecture/mail.md"],
    reading: ["docs/brief.md", "package.json"],
    criteria: ["Each decision has a reason"],
  },
  {
    source: "dev",
    target: "qa",
    story: "docs/stories/3.4-export.md",
    task: "3.4",
    required: ["src/export/csv.ts"],
    generated: ["tests/export/csv.test.ts", "docs/qa/3.4.md"],
    reading: [".github/workflows/ci.yml", "docs/prd.md"],
    criteria: ["A file of a million rows is written", "An empty table is a header"],
  },
  {
    source: "architect",
    target: "ux-expert",
    story: "docs/stories/4.2-table.md",
    task: "4.2",
    required: ["design/tokens.json"],
    generated: ["design/table.svg"],
    reading: ["docs/architecture/front-end.md"],
    criteria: ["It reads at 390 px"],
  },
  {
    source: "analyst",
    target: "pm",
    story: "docs/stories/0.1-market.md",
    task: "0.1",
    required: ["docs/brief.md"],
    generated: ["docs/prd.md"],
    reading: ["docs/notes/interviews.md"],
    criteria: ["Every goal has a number"],
  },
];

/** How documents name an agent beside its name. */
const person = (agent: string) => `The agent for it (@bmad-bmm-${agent})`;

const list = (entries: readonly string[], write = (each: string) => each) =>
  entries.map((each) => `- ${write(each)}`).join("\n");
const code = (path: string) => `\`${path}\``;
const link = (path: string) => `[${path.slice(path.lastIndexOf("/") + 1)}](./${path})`;

/** A handoff in one style. */
interface Style {
  readonly name: string;
  readonly text: (said: Stated) => string;
}

const body = (said: Stated, heading: (words: string) => string, write: (path: string) => string) => `
${heading("Task")}

Do story ${said.task} as it is written.

${heading("Acceptance Criteria")}

${list(said.criteria)}

${heading("Required Files")}

${list([...said.required.map((path) => `${write(path)}: look at it first`), ...traps])}

${heading("Deliverables")}

${list([...said.generated.map(write), ...traps])}

${heading("References")}

${list(said.reading.map(write))}
`;

const styles: readonly Style[] = [
  {
    name: "bold labels, colon inside",
    text: (said) =>
      `# Handoff: story ${said.task}\n\n**From:** @bmad-bmm-${said.source}\n**To:** @bmad-bmm-${said.target}\n**Date:** 2026-01-02\n**Story:** ${said.task}\n**Priority:** High\n**Story File:** ${code(said.story)}\n${body(said, (words) => `## ${words}`, code)}`,
  },
  {
    name: "bold labels, colon outside",
    text: (said) =>
      `# Story ${said.task}\n\n**From Agent**: ${person(said.source)}\n**To Agent**: ${person(said.target)}\n**Story file**: ${link(said.story)}\n\n---\n${body(said, (words) => `## ${words}`, link)}`,
  },
  {
    name: "front matter",
    text: (said) =>
      `---\nfrom: ${said.source}\nto: ${said.target}\ndate: 2026-01-02\nstory_file: ${said.story}\n---\n\n# Handoff\n${body(
        said,
        (words) => `## ${words}`,
        (path) => `${code(path)}:12`.replace("`:12", ":12`"),
      )}`,
  },
  {
    name: "a table as the head",
    text: (said) =>
      `# Handoff\n\n| Field | Value |\n|---|---|\n| **From** | \`${said.source}\` |\n| **To** | \`${said.target}\` |\n| Story File | ${code(said.story)} |\n${body(said, (words) => `## ${words}`, code)}`,
  },
  {
    name: "numbered headings with emoji",
    text: (said) =>
      `# 🤝 Handoff\n\n- **From:** ${person(said.source)}\n- **To:** ${person(said.target)}\n- **Story file:** ${said.story}\n${body(said, numbered(), code)}`,
  },
  {
    name: "files in tables",
    text: (said) =>
      `# Handoff\n\nFrom: ${said.source}\nTo: ${said.target}\n\n## Story\n\n${code(said.story)}\n\n## Objective\n\nDo story ${said.task}.\n\n## Success Criteria\n\n| Id | Criterion |\n|---|---|\n${said.criteria.map((each, at) => `| AC-${at + 1} | ${each} |`).join("\n")}\n\n## Files Changed\n\n| File | What |\n|---|---|\n${[...said.generated.map(code), ...traps].map((each) => `| ${each} | new |`).join("\n")}\n\n## Required Files\n\n${list([...said.required.map(code), ...traps])}\n\n## Related Documents\n\n${list(said.reading.map(link))}\n`,
  },
  {
    name: "paths as bare words",
    text: (said) =>
      `# Story ${said.task}\n\n**From:** ${said.source}\n**To:** ${said.target}\n**Story File:** ${said.story}\n${body(
        said,
        (words) => `## ${words}`,
        (path) => path,
      )}`,
  },
  {
    name: "headings below headings",
    text: (said) =>
      `# Handoff\n\n**From:** ${said.source}\n**Next Agent:** ${person(said.target)}\n**Story File:** ${code(said.story)}\n\n## Mission\n\nDo story ${said.task}.\n\n## Definition of Done\n\n${said.criteria.map((each, at) => `### AC-${at + 1}\n\n${each}`).join("\n\n")}\n\n## Input Files\n\n### Code\n\n${list(said.required.map(code))}\n\n## Output\n\n### Tests and status\n\n${list([...said.generated.map(code), ...traps])}\n\n## Context\n\n${list(said.reading.map(code))}\n`,
  },
];

function numbered(): (words: string) => string {
  let at = 0;
  return (words) => `## ${++at}. 📋 ${words}`;
}

const tracked = new Set(stated.flatMap((said) => [said.story, ...said.required, ...said.generated, ...said.reading]));

test("of forty documents in eight styles the stated agents and files are found, and none is invented", (context) => {
  let [asked, found] = [0, 0];
  const wrong: string[] = [];
  for (const style of styles)
    for (const said of stated) {
      const { draft } = importHandoff(style.text(said), (path) => tracked.has(path));
      const { metadata, context, dependencies, instructions } = draft;
      const files = [...(dependencies?.required_files ?? []), ...(dependencies?.generated_files ?? [])];
      const all = [...files, ...(context?.additional_context ?? []), context?.story_file ?? ""];
      const expected: readonly [string, unknown, unknown][] = [
        ["source", metadata?.source_agent, said.source],
        ["target", metadata?.target_agent, said.target],
        ["story", context?.story_file, said.story],
        ...said.required.map((path) => ["required", dependencies?.required_files?.includes(path), true] as const),
        ...said.generated.map((path) => ["generated", dependencies?.generated_files?.includes(path), true] as const),
        ...said.reading.map((path) => ["reading", all.includes(path), true] as const),
        ...said.criteria.map(
          (each) => ["criterion", instructions?.success_criteria?.some((one) => one.includes(each)), true] as const,
        ),
      ].map(([what, is, must_be]) => [String(what), is, must_be]);
      asked += expected.length;
      found += expected.filter(([, is, should]) => is === should).length;
      wrong.push(
        ...expected.flatMap(([what, is, should]) =>
          is === should ? [] : [`${style.name}, ${said.task}: ${what} ${String(is)} (${String(should)})`],
        ),
      );
      const invented = files.filter((path) => !tracked.has(path));
      assert.deepEqual(invented, [], `${style.name}, story ${said.task}`);
      for (const trap of traps.slice(2))
        assert.ok(
          context?.additional_context?.some((each) => each.includes(trap)),
          `${style.name}: ${trap}`,
        );
    }
  context.diagnostic(
    `${styles.length * stated.length} documents: ${found} of ${asked} stated things found, none invented`,
  );
  assert.ok(found >= asked * 0.9, `${found} of ${asked}\n${wrong.join("\n")}`);
  assert.deepEqual(wrong, []);
});
