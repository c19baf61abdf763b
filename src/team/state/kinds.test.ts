import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parseYaml } from "../../base/text-formats/yaml.ts";
import { dialectIds, dialectOf } from "../../messages/dialects/registry.ts";
import type { DialectId } from "../../messages/message.ts";
import { teamLimits } from "./definition.ts";
import { isTeamKind, type TeamKind, teamKindNames, teamKinds, teamTemplate } from "./kinds.ts";
import { readTeamFile } from "./team-file.ts";
import { teamSchema } from "./team-schema.ts";

const types = (dialect: DialectId) => [...(dialectOf(dialect)?.definitions.keys() ?? [])];
const read = (text: string) => readTeamFile(text, { dialects: dialectIds, types });
const accepts = new Ajv2020({ allowUnionTypes: true }).compile(teamSchema(dialectIds) as object);

function textOf(kind: TeamKind): string {
  const { summary, ...rest } = kind;
  return teamTemplate({ name: "web", ...rest, reportType: types(rest.dialects[0])[0] ?? "", about: summary });
}

/** The text with every line that shows how something would be written taken as written; limits as `limit` has them. */
function uncommented(text: string, limit: (key: string, shown: number) => number): string {
  return text.replaceAll(
    /^ {2}# ((?:- \{|dev-9: ).*|(\w+): (\d+))$/gm,
    (_, line: string, key?: string, shown?: string) =>
      key === undefined ? `  ${line}` : `  ${key}: ${limit(key, Number(shown))}`,
  );
}

for (const name of teamKindNames) {
  const kind: TeamKind = teamKinds[name];

  test(`the file of a ${name} team says what its kind is, to the reader and to the schema`, async () => {
    const text = textOf(kind);
    const { dialects, chain, agents } = kind;
    assert.deepEqual(await read(text), {
      ok: true,
      value: { name: "web", dialects, policy: "enforce", teamMode: "teammate", chain, agents, routing: [], limits: {} },
    });
    const yaml = await parseYaml(text, "team.yaml");
    assert.ok(yaml.ok && accepts(yaml.value.value));
    assert.ok(
      text.split("\n").every((line) => line.length <= 120),
      "no line is too long to read",
    );
  });

  test(`what the file of a ${name} team only shows is valid too, once it is no comment`, async () => {
    const result = await read(uncommented(textOf(kind), (_, shown) => shown));
    assert.ok(result.ok, JSON.stringify(result));
    assert.deepEqual(
      result.value.limits,
      Object.fromEntries(teamLimits.map(({ field, otherwise }) => [field, otherwise])),
    );
    assert.equal(result.value.routing.length, 1);
    assert.equal(result.value.agents.at(-1)?.agent, "dev-9");
    const sent = dialectOf(kind.dialects[0])?.definitions.get(result.value.routing[0]?.type ?? "");
    assert.ok(sent !== undefined, "the example of a routing names a type that is there");
  });

  test(`everyone of a ${name} team can be reached by somebody, and its chain has levels where somebody is`, () => {
    const roles = new Set(kind.agents.map(({ role }) => role));
    const speakers = kind.dialects.flatMap((id) => [...(dialectOf(id)?.definitions.values() ?? [])]);
    for (const role of roles) {
      const isReached = speakers.some(
        ({ receivers, senders }) => receivers.includes(role) && senders.some((sender) => roles.has(sender)),
      );
      const speaks = speakers.some(({ senders }) => senders.includes(role));
      assert.ok(isReached || speaks, `${role} neither says nor hears anything in this team`);
    }
    for (const level of kind.chain.filter((one) => one !== "user")) assert.ok(roles.has(level), level);
  });
}

test("a new file shows every limit that a team may set, with its words, and each can be set", async () => {
  const text = textOf(teamKinds.solo);
  for (const { key, otherwise, says } of teamLimits) {
    assert.ok(text.includes(`  # ${says}\n  # ${key}: ${otherwise}\n`), key);
  }
  const least = await read(uncommented(text, (key) => teamLimits.find((limit) => limit.key === key)?.min ?? 0));
  assert.ok(least.ok, JSON.stringify(least));
  assert.deepEqual(least.value.limits, Object.fromEntries(teamLimits.map(({ field, min }) => [field, min])));
  assert.deepEqual(
    Object.keys(
      (teamSchema(dialectIds) as { properties: { limits: { properties: object } } }).properties.limits.properties,
    ),
    teamLimits.map(({ key }) => key),
  ); // the schema is the one above
});

test("only a kind's own name is one", () => {
  assert.deepEqual(["vbw", "constructor", "VBW", ""].map(isTeamKind), [true, false, false, false]);
});
