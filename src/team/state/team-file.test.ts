import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { parseYaml } from "../../base/text-formats/yaml.ts";
import type { DialectId } from "../../messages/message.ts";
import { isReservedName } from "../../messages/principal.ts";
import { departments, roles } from "../../messages/role.ts";
import { teamTemplate } from "./kinds.ts";
import { readTeamFile } from "./team-file.ts";
import { teamSchema } from "./team-schema.ts";

const seed = 31;
const dialects: readonly DialectId[] = ["vbw/2", "yolo/2"];
const types = () => ["execution_update", "plan_contract"];
const read = (text: string) => readTeamFile(text, { dialects, types });
const accepts = new Ajv2020({ allowUnionTypes: true }).compile(teamSchema(dialects) as object);
const head = "version: 1\nteam: web\ndialects: [vbw/2]\n";

async function schemaAccepts(text: string): Promise<boolean> {
  const yaml = await parseYaml(text, "team.yaml");
  return yaml.ok && accepts(yaml.value.value);
}

test("reads every part of a team file", async () => {
  const result = await read(`version: 1
$schema: urn:baton:team
team: web
dialects: [vbw/2, yolo/2]
policy: observe
team_mode: task
claims: edits
scope: strict
main: release/2.0
shared: [docs/index.md]
checks:
  commands: [npm test, { run: npm run e2e, network: true, seconds: 900 }, { run: make, network: false }]
  setup: { run: npm ci, network: true }
  share: [node_modules]
  sandbox: none
chain: [dev, lead, user]
agents:
  lead-1: {role: lead}
  dev-1:
    role: dev
    department: backend
    dialect: yolo/2
routing:
  - {dialect: vbw/2, type: execution_update, receivers: [qa, docs]}
limits: {message_bytes: 65536, inbox_page: 100, lease_seconds: 60, escalation_seconds: 90}
`);
  assert.deepEqual(result, {
    ok: true,
    value: {
      name: "web",
      dialects: ["vbw/2", "yolo/2"],
      policy: "observe",
      teamMode: "task",
      claims: "edits",
      scope: "strict",
      main: "release/2.0",
      shared: ["docs/index.md"],
      checks: {
        commands: [{ run: "npm test" }, { run: "npm run e2e", network: true, seconds: 900 }, { run: "make" }],
        setup: { run: "npm ci", network: true },
        share: ["node_modules"],
        sandbox: "none",
      },
      chain: ["dev", "lead", "user"],
      agents: [
        { agent: "lead-1", role: "lead" },
        { agent: "dev-1", role: "dev", department: "backend", dialect: "yolo/2" },
      ],
      routing: [{ dialect: "vbw/2", type: "execution_update", receivers: ["qa", "docs"] }],
      limits: { messageBytes: 65536, inboxPage: 100, leaseSeconds: 60, escalationSeconds: 90 },
    },
  });
});

test("missing and empty parts mean the defaults", async () => {
  for (const text of [head, `${head}agents:\nrouting:\nlimits:\n`]) {
    assert.deepEqual(await read(text), {
      ok: true,
      value: { name: "web", dialects: ["vbw/2"], policy: "enforce", agents: [], routing: [], limits: {} },
    });
    assert.ok(await schemaAccepts(text));
  }
});

/** A wrong file, where its errors are, a word of the first one, and whether a schema can see it. */
const wrong: readonly (readonly [text: string, places: readonly string[], says: string, bySchema?: boolean])[] = [
  ["", ["1:1"], "not a map"],
  ["- a\n", ["1:1"], "not a map"],
  ["{}\n", ["1:1", "1:1", "1:1"], 'lacks "version"'],
  [head.replace("1", "2"), ["1:10"], "version"],
  [head.replace("1", "'1'"), ["1:10"], "version"],
  [head.replace("web", "Web!"), ["2:7"], "team's name"],
  [head.replace("web", "''"), ["2:7"], "empty"],
  [head.replace("web", "123"), ["2:7"], "quotes"],
  [head.replace("[vbw/2]", "vbw/2"), ["3:11"], "not a list"],
  [head.replace("[vbw/2]", "[]"), ["3:11"], "empty"],
  [head.replace("[vbw/2]", "[vbw2, vbw/2]"), ["3:12"], 'did you mean "vbw/2"?'],
  [head.replace("[vbw/2]", "[vbw/2, vbw/2]"), ["3:19"], "twice"],
  [head.replace("dialects", "dialect"), ["1:1", "3:1"], "lacks"],
  [`${head}polcy: enforce\n`, ["4:1"], 'did you mean "policy"?'],
  [`${head}claims: edit\n`, ["4:9"], 'did you mean "edits"?'],
  [`${head}main: -x\n`, ["4:7"], "branch's name"],
  [`${head}main: a..b\n`, ["4:7"], "branch's name"],
  [`${head}main: 2\n`, ["4:7"], "quotes"],
  [`${head}shared: [/etc/x, 5]\n`, ["4:10", "4:18"], "Put it into quotes."],
  [`${head}checks: [npm test]\n`, ["4:9"], "not a map"],
  [`${head}checks: {setup: npm ci}\n`, ["4:1"], 'lacks "commands"'],
  [
    `${head}checks: {commands: [5, '', {run: x, network: "yes", seconds: 0}]}\n`,
    ["4:21", "4:24", "4:46", "4:62"],
    "quotes",
  ],
  [`${head}checks: {commands: [], share: [../x, 'a*']}\n`, ["4:32", "4:38"], "no folder", false],
  [`${head}checks: {commands: [], sandbox: bwrap}\n`, ["4:33"], "none"],
  [`${head}team_mode: tasks\n`, ["4:12"], 'did you mean "task"?'],
  [`${head}policy: enforced\n`, ["4:9"], 'did you mean "enforce"?'],
  [`${head}$schema: 1\n`, ["4:10"], "not text"],
  [`${head}agents: [a]\n`, ["4:9"], "not a map"],
  [`${head}agents:\n  a: dev\n`, ["5:6"], "not a map"],
  [`${head}agents:\n  a: {}\n`, ["5:3"], 'lacks "role"'],
  [`${head}agents:\n  a: {role: develper}\n`, ["5:13"], "agents.a.role"],
  [`${head}agents:\n  a: {role: dev, rol: x}\n`, ["5:18"], 'did you mean "role"?'],
  [`${head}agents:\n  a: {role: dev, department: back}\n`, ["5:30"], "department"],
  [`${head}agents:\n  a: {role: dev, dialect: vbw/3}\n`, ["5:27"], "vbw/2"],
  [`${head}agents:\n  a: {role: dev, dialect: yolo/2}\n`, ["5:27"], "Add yolo/2", false],
  [`${head}agents:\n  owner: {role: dev}\n`, ["5:3"], "no agent may have it"],
  [`${head}agents:\n  Human-Overseer: {role: dev}\n`, ["5:3"], "no agent may have it"],
  [`${head}agents:\n  dev-1: {role: dev}\n  Dev-1: {role: lead}\n`, ["6:3"], "differs from", false],
  [`${head}agents:\n  "a b": {role: dev}\n  ../c: {role: dev}\n`, ["5:3", "6:3"], "agent's name"],
  [`${head}routing: {}\n`, ["4:10"], "not a list"],
  [
    `${head}routing:\n  - {dialect: vbw/2, type: execution_updates, receivers: [qa]}\n`,
    ["5:28"],
    'did you mean "execution_update"?',
    false,
  ],
  [`${head}routing:\n  - {dialect: vbw/2, type: execution_update, receivers: [qas]}\n`, ["5:58"], 'did you mean "qa"?'],
  [`${head}routing:\n  - {dialect: vbw/2, type: 1, receivers: []}\n`, ["5:28", "5:42"], "not known"],
  [`${head}routing:\n  - {type: execution_update}\n`, ["5:5", "5:5"], "lacks"],
  [`${head}limits: {message_bytes: 300000}\n`, ["4:25"], "262144"],
  [`${head}limits: {message_bytes: 12, inbox_page: 0}\n`, ["4:25", "4:41"], "1024"],
  [`${head}limits: {lease_seconds: 0}\n`, ["4:25"], "86400"],
  [`${head}limits: {escalation_seconds: 0}\n`, ["4:30"], "86400"],
  [`${head}limits: {inbox_page: 1.5}\n`, ["4:22"], "whole number"],
  [`${head}limits: {bytes: 1}\n`, ["4:10"], "message_bytes"],
  [`${head}chain: []\n`, ["4:8"], "empty"],
  [`${head}chain: [dev, leed, user]\n`, ["4:14"], 'did you mean "lead"?'],
  [`${head}chain: [dev, architect, lead, user]\n`, ["4:25"], "Write [dev, lead, architect, user].", false],
  [`${head}chain: [dev, lead]\n`, ["4:8"], "ends before the user", false],
];
for (const [text, places, says, bySchema = true] of wrong) {
  test(`tells where ${JSON.stringify(text.replace(head, ""))} is wrong`, async () => {
    const result = await read(text);
    assert.ok(!result.ok);
    assert.deepEqual(
      result.error.map(({ path }) => path),
      places.map((place) => `.baton/team.yaml:${place}`),
    );
    assert.deepEqual([...new Set(result.error.map(({ code }) => code))], ["team-file"]);
    assert.ok(JSON.stringify(result.error).includes(JSON.stringify(says).slice(1, -1)), JSON.stringify(result.error));
    assert.equal(await schemaAccepts(text), !bySchema);
  });
}

test("reports all errors, in the order of the file", async () => {
  const result = await read(`${head}limits: {bytes: 1}\npolicy: x\nagents: {a: {role: y}}\n`);
  assert.deepEqual(result.ok ? [] : result.error.map(({ path }) => path.split(":")[1]), ["4", "5", "6"]);
});

test("hands on what is no readable YAML, with its place", async () => {
  const result = await readTeamFile("a: &x 1\n", { dialects, path: "t.yaml" });
  assert.deepEqual(result.ok ? null : result.error.map(({ code, path }) => `${code} ${path}`), ["not-yaml t.yaml:1:4"]);
});

test("a name that objects inherit is a name like any other", async () => {
  const result = await read(`${head}agents:\n  constructor: {role: dev}\n`);
  assert.deepEqual(result.ok ? result.value.agents : null, [{ agent: "constructor", role: "dev" }]);
});

test(`a new file says exactly what it was made from (seed ${seed})`, async () => {
  const name = fc.oneof(
    fc.stringMatching(/^[a-z0-9-]{1,12}$/),
    fc.constantFrom("null", "true", "123", "1e3", "0x1f", "-", "---", "no", "on-1"),
  );
  const agent = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,8}$/),
    fc.constantFrom("null", "1", "1.5", "True", "constructor", "a-"),
  );
  const facts = fc.record(
    {
      agent,
      role: fc.constantFrom(...roles),
      department: fc.constantFrom(...departments),
      dialect: fc.constantFrom(...dialects),
    },
    { requiredKeys: ["agent", "role"], noNullPrototype: true },
  );
  const agents = fc
    .uniqueArray(facts, { selector: (one) => one.agent.toLowerCase(), maxLength: 4 })
    .map((all) => all.filter((one) => !isReservedName(one.agent)));
  await fc.assert(
    fc.asyncProperty(name, agents, fc.boolean(), async (team, members, isEmpty) => {
      const given = isEmpty ? [] : members;
      const text = teamTemplate({
        name: team,
        dialects: ["yolo/2", "vbw/2"],
        reportType: "execution_update",
        agents: given,
      });
      const result = await read(text);
      assert.ok(result.ok, JSON.stringify(result));
      assert.ok(await schemaAccepts(text));
      const byName = (one: { readonly agent: string }, other: { readonly agent: string }) =>
        one.agent < other.agent ? -1 : 1;
      assert.deepEqual(
        { ...result.value, agents: result.value.agents.toSorted(byName) },
        {
          name: team,
          dialects: ["yolo/2", "vbw/2"],
          policy: "enforce",
          teamMode: "teammate",
          agents: given.toSorted(byName),
          routing: [],
          limits: {},
        },
      );
    }),
    { seed, numRuns: 300 },
  );
});
