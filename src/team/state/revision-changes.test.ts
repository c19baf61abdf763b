/** Which changes of a team file wait for the owner, one line a case, and the laws of what applies at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { OwnMessage } from "../../messages/message.ts";
import type { AgentDefinition, NameRule, TeamDefinition } from "./definition.ts";
import { definitionText } from "./revision.ts";
import { compareDefinitions } from "./revision-changes.ts";

const seed = 1811;
const message: OwnMessage = {
  type: "risk_report",
  summary: "Names a risk.",
  senders: ["dev", "qa"],
  receivers: ["lead"],
  schema: { type: "object" },
  example: {},
};
const rule: NameRule = { pattern: "vbw-dev-*", role: "dev", max: 4 };
const agent = (name: string, role: AgentDefinition["role"], more: Partial<AgentDefinition> = {}) => ({
  agent: name,
  role,
  ...more,
});
const base: TeamDefinition = {
  name: "blue",
  dialects: ["vbw/2"],
  policy: "enforce",
  agents: [agent("lead-1", "lead"), agent("dev-1", "dev"), agent("dev-2", "dev"), agent("qa-1", "qa")],
  routing: [{ dialect: "vbw/2", type: "execution_update", receivers: ["qa", "docs"] }],
  limits: { messageBytes: 4_096 },
  checks: { commands: [{ run: "npm test" }] },
  messages: [message],
  names: [rule],
  speakers: ["lead-1"],
};
const [lead, dev, dev2, qa] = base.agents as readonly [
  AgentDefinition,
  AgentDefinition,
  AgentDefinition,
  AgentDefinition,
];

/** What is changed, the lines of the diff (`!` before those that wait). */
const cases: readonly (readonly [name: string, Partial<TeamDefinition>, readonly string[]])[] = [
  ["another role", { agents: [lead, agent("dev-1", "lead"), dev2, qa] }, ["! agents.dev-1.role: dev -> lead"]],
  [
    "another role of the same level",
    { agents: [lead, agent("dev-1", "docs"), dev2, qa] },
    ["! agents.dev-1.role: dev -> docs"],
  ],
  ["the last lead lowered", { agents: [agent("lead-1", "dev"), dev, dev2, qa] }, ["! agents.lead-1.role: lead -> dev"]],
  ["a new agent", { agents: [...base.agents, agent("dev-3", "dev")] }, ["! agents.dev-3: null -> dev"]],
  [
    "a department",
    { agents: [lead, { ...dev, department: "backend" }, dev2, qa] },
    ["! agents.dev-1.department: null -> backend"],
  ],
  ["an agent less", { agents: [lead, dev, qa] }, ["agents.dev-2: dev -> null"]],
  ["the last of those who judge", { agents: [lead, dev, dev2] }, ["! agents.qa-1: qa -> null"]],
  [
    "a judge exchanged for a new one",
    { agents: [lead, dev, dev2, agent("qa-2", "qa")] },
    ["! agents.qa-2: null -> qa", "! agents.qa-1: qa -> null"],
  ],
  ["observing", { policy: "observe" }, ["! policy: enforce -> observe"]],
  ["broken JSON as prose", { brokenJson: "prose" }, ["! broken_json: null -> prose"]],
  ["broken JSON refused", { brokenJson: "refuse" }, ["broken_json: null -> refuse"]],
  ["a mode", { teamMode: "task" }, ["! team_mode: null -> task"]],
  ["a claim before each edit", { claims: "declared" }, ["claims: edits -> declared"]],
  ["what holds without it", { claims: "edits", scope: "advisory" }, []],
  ["a strict scope", { scope: "strict" }, ["scope: advisory -> strict"]],
  [
    "a dialect with a claim message",
    { dialects: ["yolo/1"] },
    ["! dialects: vbw/2 -> yolo/1", "! claims: edits -> declared", "! scope: advisory -> strict"],
  ],
  ["a folder of another tool", { planning: ".vbw-planning" }, ["! planning: null -> .vbw-planning"]],
  ["a main branch", { main: "develop" }, ["! main: null -> develop"]],
  ["landing by itself", { land: { when: "auto" } }, ["! land: null -> auto"]],
  ["landing when asked", { land: { when: "ask" } }, ["land: null -> ask"]],
  ["a shared file", { shared: ["docs/index.md"] }, ["! shared: null -> docs/index.md"]],
  [
    "the network for a check",
    { checks: { commands: [{ run: "npm test", network: true }] } },
    ["! checks: null -> npm test (with network)", "! checks: npm test -> null"],
  ],
  [
    "another check, its setup, and no sandbox",
    { checks: { commands: [{ run: "npm test" }, { run: "make" }], setup: { run: "npm ci" }, sandbox: "none" } },
    ["! checks: null -> make", "! checks: null -> setup: npm ci", "! checks: null -> sandbox: none"],
  ],
  [
    "no folder for checks",
    { checks: { commands: [{ run: "npm test" }], share: [] } },
    ["checks: share: node_modules -> null"],
  ],
  [
    "no checks",
    { checks: { commands: [], share: [] } },
    ["checks: npm test -> null", "checks: share: node_modules -> null"],
  ],
  ["a chain", { chain: ["dev", "user"] }, ["! chain: null -> dev, user"]],
  ["a dialect more", { dialects: ["vbw/2", "yolo/2"] }, ["! dialects: vbw/2 -> vbw/2, yolo/2"]],
  [
    "more receivers of a type",
    { routing: [{ dialect: "vbw/2", type: "execution_update", receivers: ["qa", "docs", "scout"] }] },
    ["! routing.vbw/2.execution_update: docs, qa -> docs, qa, scout"],
  ],
  ["fewer receivers of a type", { routing: [] }, ["routing.vbw/2.execution_update: docs, qa -> null"]],
  ["a larger limit", { limits: { messageBytes: 8_192 } }, ["! limits.message_bytes: 4096 -> 8192"]],
  ["no limit where there was one", { limits: {} }, ["! limits.message_bytes: 4096 -> 262144"]],
  ["a smaller limit", { limits: { messageBytes: 2_048 } }, ["limits.message_bytes: 4096 -> 2048"]],
  [
    "leases that end others' claims sooner",
    { limits: { messageBytes: 4_096, leaseSeconds: 1 } },
    ["! limits.lease_seconds: 300 -> 1"],
  ],
  [
    "more senders",
    { messages: [{ ...message, senders: ["dev", "qa", "scout"] }] },
    ["! messages.risk_report.senders: dev, qa -> dev, qa, scout"],
  ],
  [
    "more receivers",
    { messages: [{ ...message, receivers: ["lead", "dev"] }] },
    ["! messages.risk_report.receivers: lead -> dev, lead"],
  ],
  ["fewer senders", { messages: [{ ...message, senders: ["dev"] }] }, ["messages.risk_report.senders: dev, qa -> dev"]],
  [
    "a new message",
    { messages: [message, { ...message, type: "other" }] },
    ["! messages.other: null -> dev, qa to lead"],
  ],
  ["a message less", { messages: [] }, ["messages.risk_report: dev, qa to lead -> null"]],
  [
    "another schema",
    { messages: [{ ...message, summary: "X" }] },
    ["messages.risk_report.schema: as it was -> changed"],
  ],
  ["a name rule", { names: [rule, { ...rule, pattern: "x-*" }] }, ["! names.x-*: null -> dev, at most 4"]],
  ["a wider name rule", { names: [{ ...rule, max: 5 }] }, ["! names.vbw-dev-*: dev, at most 4 -> dev, at most 5"]],
  ["a narrower name rule", { names: [{ ...rule, max: 3 }] }, ["names.vbw-dev-*: dev, at most 4 -> dev, at most 3"]],
  [
    "a name rule for another role",
    { names: [{ ...rule, role: "qa" }] },
    ["! names.vbw-dev-*: null -> qa, at most 4", "names.vbw-dev-*: dev, at most 4 -> null"],
  ],
  ["a speaker", { speakers: ["lead-1", "dev-1"] }, ["! speakers.dev-1: null -> speaks for the user"]],
  ["no speaker", { speakers: [] }, ["speakers.lead-1: speaks for the user -> null"]],
  ["another order", { agents: base.agents.toReversed() }, []],
];

for (const [name, part, expected] of cases) {
  test(`a team file with ${name}`, () => {
    const wanted = { ...base, ...part };
    const { changes, atOnce } = compareDefinitions(base, wanted);
    const lines = changes.map(
      ({ place, before, after, waits }) => `${waits ? "! " : ""}${place}: ${before} -> ${after}`,
    );
    assert.deepEqual(lines, expected);
    const isHeld = changes.some(({ waits }) => waits);
    if (!isHeld) assert.equal(definitionText(atOnce), definitionText(wanted));
    else if (changes.every(({ waits }) => waits)) assert.equal(definitionText(atOnce), definitionText(base));
  });
}

test("one of two leads is lowered at once, to a role that judges nobody", () => {
  const inForce = { ...base, agents: [...base.agents, agent("lead-2", "lead")] };
  for (const [role, waits] of [
    ["dev", false],
    ["scout", false],
    ["senior", true],
  ] as const) {
    const { changes } = compareDefinitions(inForce, { ...base, agents: [...base.agents, agent("lead-2", role)] });
    assert.deepEqual(changes, [{ place: "agents.lead-2.role", before: "lead", after: role, waits }]);
  }
});

test("a change that takes away applies although another of the same file waits", () => {
  const wanted: TeamDefinition = {
    ...base,
    policy: "observe",
    agents: [lead, agent("dev-1", "lead"), qa],
    speakers: [],
  };
  const { atOnce } = compareDefinitions(base, wanted);
  const { speakers: _, ...others } = base;
  assert.equal(definitionText(atOnce), definitionText({ ...others, agents: [lead, dev, qa] }));
});

/** Definitions whose parts are drawn from few values, so that two of them often share some. */
const definitions: fc.Arbitrary<TeamDefinition> = fc
  .record({
    name: fc.constant("blue"),
    dialects: fc.constantFrom<TeamDefinition["dialects"]>(["vbw/2"], ["yolo/1"], ["vbw/2", "yolo/2"]),
    policy: fc.constantFrom("enforce", "observe"),
    agents: fc.uniqueArray(
      fc.record({
        agent: fc.constantFrom("a", "b", "c", "d"),
        role: fc.constantFrom("dev", "senior", "lead", "qa", "scout", "owner"),
      }),
      { selector: (each) => each.agent },
    ),
    routing: fc.array(
      fc.record({
        dialect: fc.constantFrom("vbw/2", "yolo/2"),
        type: fc.constantFrom("x", "y"),
        receivers: fc.subarray(["qa", "docs", "dev"] as const, { minLength: 1 }),
      }),
      { maxLength: 3 },
    ),
    limits: fc.record(
      {
        messageBytes: fc.constantFrom(2_000, 4_000),
        leaseSeconds: fc.constantFrom(10, 600),
        breakerFailures: fc.constantFrom(1, 9),
      },
      { requiredKeys: [] },
    ),
    messages: fc.uniqueArray(
      fc.record({
        ...Object.fromEntries(Object.entries(message).map(([key, value]) => [key, fc.constant(value)])),
        type: fc.constantFrom("m", "n"),
        senders: fc.subarray(["dev", "qa", "scout"] as const, { minLength: 1 }),
        receivers: fc.subarray(["dev", "qa", "lead"] as const, { minLength: 1 }),
      }) as unknown as fc.Arbitrary<OwnMessage>, // Its other fields are those of `message`.
      { selector: (each) => each.type },
    ),
    names: fc.uniqueArray(
      fc.record({
        pattern: fc.constantFrom("a-*", "b-*"),
        role: fc.constantFrom("dev", "qa"),
        max: fc.integer({ min: 1, max: 3 }),
      }),
      { selector: (each) => `${each.pattern} ${each.role}` },
    ),
    speakers: fc.subarray(["a", "b"]),
    claims: fc.constantFrom("declared", "edits", undefined),
    scope: fc.constantFrom("strict", "advisory", undefined),
    planning: fc.constantFrom(".vbw-planning", ".yolo-planning", undefined),
    main: fc.constantFrom("develop", undefined),
    land: fc.constantFrom({ when: "auto" } as const, { when: "ask" } as const, undefined),
    shared: fc.subarray(["x", "y"]),
    checks: fc.record({
      commands: fc.subarray([{ run: "x" }, { run: "x", network: true as const }, { run: "y", seconds: 9 }]),
      share: fc.subarray(["node_modules", "vendor"]),
    }),
  })
  .map(({ claims, scope, planning, main, land, ...rest }) => ({
    ...rest,
    ...(claims === undefined ? {} : { claims }),
    ...(scope === undefined ? {} : { scope }),
    ...(planning === undefined ? {} : { planning }),
    ...(main === undefined ? {} : { main }),
    ...(land === undefined ? {} : { land }),
  }));

test(`what applies at once gives nobody more, and the rest is all that waits (seed ${seed})`, () => {
  let held = 0;
  fc.assert(
    fc.property(definitions, definitions, (inForce, wanted) => {
      const { atOnce, changes } = compareDefinitions(inForce, wanted);
      const raised = compareDefinitions(inForce, atOnce).changes.filter(({ waits }) => waits);
      assert.deepEqual(raised, [], "nothing that waits is in force");
      const after = compareDefinitions(atOnce, wanted);
      assert.equal(definitionText(after.atOnce), definitionText(atOnce), "a second look changes nothing more");
      const places = (each: typeof changes) => each.filter(({ waits }) => waits).map(({ place }) => place);
      assert.deepEqual(new Set(places(after.changes)), new Set(places(changes)), "what waits is what waited");
      if (raised.length === 0 && places(changes).length > 0) held += 1;
      assert.deepEqual(compareDefinitions(wanted, wanted), { changes: [], atOnce: wanted });
    }),
    { seed, numRuns: 2_000 },
  );
  assert.ok(held > 1_000, `only ${held} of the cases held something back`);
});
