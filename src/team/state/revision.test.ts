import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeState, encodeState } from "../../base/state-codec.ts";
import type { AgentDefinition, TeamDefinition } from "./definition.ts";
import { definitionText, evolveTeam, initialTeam, type TeamCommand } from "./revision.ts";
import { decideTeam } from "./revision-decider.ts";

const seed = 77;
const team = (...agents: readonly AgentDefinition[]): TeamDefinition => ({
  name: "blue",
  dialects: ["vbw/2", "yolo/2"],
  policy: "enforce",
  agents,
  routing: [],
  limits: {},
});
const lead: AgentDefinition = { agent: "lead-1", role: "lead" };
const dev: AgentDefinition = { agent: "dev-1", role: "dev", dialect: "yolo/2" };
const revise = (...agents: readonly AgentDefinition[]): TeamCommand => ({
  command: "revise-team",
  definition: team(...agents),
});
const register = (agent: string, role: "dev" | "qa" = "dev"): TeamCommand => ({
  command: "register-agent",
  agent,
  role,
});
/** The owner confirms what waits. */
const confirm = "confirm";
const retire = (agent: string): TeamCommand => ({ command: "retire-agent", agent });

/** Runs the commands in order; each must be accepted. Checks the laws: replay and the way through text give the same. */
function after(...commands: readonly (TeamCommand | typeof confirm)[]) {
  const events = [];
  let state = initialTeam();
  for (const asked of commands) {
    const command: TeamCommand =
      asked === confirm ? { command: "confirm-revision", proposal: state.proposal?.id ?? "" } : asked;
    const decided = decideTeam(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    events.push(...decided.value);
    state = decided.value.reduce(evolveTeam, state);
    if (asked === confirm) continue;
    const again = decideTeam(command, state);
    assert.deepEqual(again, { ok: true, value: [] }, "the same command twice changes nothing more");
  }
  assert.deepEqual((JSON.parse(JSON.stringify(events)) as typeof events).reduce(evolveTeam, initialTeam()), state);
  assert.deepEqual(decodeState(encodeState(state)), state);
  return state;
}

function refusal(command: TeamCommand, ...before: readonly TeamCommand[]): string | undefined {
  const decided = decideTeam(command, after(...before));
  return decided.ok ? undefined : decided.error[0]?.code;
}

const status = (state: ReturnType<typeof after>) =>
  [...state.roster.values()].map(({ agent, role, dialect, source, status, session }) =>
    [agent, role, dialect, source, status, session].join(" "),
  );

test("takes agents from the file, in the team's first dialect where they name none", () => {
  assert.deepEqual(status(after(revise(lead, dev))), [
    "lead-1 lead vbw/2 file active 1",
    "dev-1 dev yolo/2 file active 1",
  ]);
});

test("counts revisions, and a file that says the same is none", () => {
  assert.equal(after(revise(lead), revise(lead, dev), confirm, revise(lead)).revision, 3);
  assert.equal(definitionText(team(lead)), definitionText({ ...team(lead), limits: {} }));
});

test("retires agents the file no longer names, and a return is a new session", () => {
  assert.deepEqual(status(after(revise(lead, dev), revise(lead))), [
    "lead-1 lead vbw/2 file active 1",
    "dev-1 dev yolo/2 file retired 1",
  ]);
  assert.equal(after(revise(dev), revise(lead), confirm, revise(lead, dev), confirm).roster.get("dev-1")?.session, 2);
});

test("keeps agents registered by command across revisions, until one names them", () => {
  const registered = [revise(lead), register("dev-9"), revise(dev), confirm] as const;
  assert.deepEqual(status(after(...registered)), [
    "lead-1 lead vbw/2 file retired 1",
    "dev-9 dev vbw/2 command active 1",
    "dev-1 dev yolo/2 file active 1",
  ]);
  const named = [...registered, revise(dev, { agent: "dev-9", role: "qa" }), confirm] as const;
  assert.equal(status(after(...named))[1], "dev-9 qa vbw/2 file active 1");
  assert.equal(status(after(...named, revise(dev), confirm))[1], "dev-9 qa vbw/2 file retired 1");
});

test("leaves an agent retired by command retired, whatever the file says, until it registers again", () => {
  const state = after(revise(lead, dev), retire("dev-1"), revise(dev));
  assert.equal(state.roster.get("dev-1")?.status, "retired");
  const back = after(revise(lead, dev), retire("dev-1"), revise(dev), register("dev-1"));
  assert.deepEqual(back.roster.get("dev-1"), {
    agent: "dev-1",
    role: "dev",
    dialect: "vbw/2",
    source: "command",
    status: "active",
    session: 2,
  });
});

test("registering what the file already names changes nothing", () => {
  assert.equal(
    after(revise(lead), { command: "register-agent", agent: "lead-1", role: "lead" }).roster.get("lead-1")?.source,
    "file",
  );
});

const refusals: readonly (readonly [name: string, command: object, code: string])[] = [
  ["a taken name", register("lead-1"), "already-exists"],
  ["the reserved name", register("owner"), "wrong-value"],
  ...["system", "User", "all", "every_one", "HumanOverseer", "human-overseer", "Baton."].map(
    (name) => [`the name ${name}`, register(name), "wrong-value"] as const,
  ),
  ["a name that differs in capital letters only", register("Lead-1"), "already-exists"],
  ["a name that is none", register("../x"), "wrong-value"],
  ["an unknown role", { command: "register-agent", agent: "a", role: "deb" }, "wrong-value"],
  ["an unknown department", { command: "register-agent", agent: "a", role: "dev", department: "sales" }, "wrong-value"],
  [
    "a dialect the team has not",
    { command: "register-agent", agent: "a", role: "dev", dialect: "yolo/1" },
    "unknown-dialect",
  ],
  ["retiring nobody", retire("dev-7"), "unknown-agent"],
  ["retiring a name objects inherit", retire("constructor"), "unknown-agent"],
];
for (const [name, command, code] of refusals) {
  // The commands are wrong on purpose, as they may come from outside.
  test(`refuses ${name}`, () => assert.equal(refusal(command as TeamCommand, revise(lead)), code));
}

test("refuses to register before there is a definition", () => {
  assert.equal(refusal(register("dev-1")), "not-initialised");
});

test(`any order of commands keeps the laws (seed ${seed})`, () => {
  const name = fc.constantFrom("a", "b", "constructor", "__proto__x");
  const command = fc.oneof(
    fc.subarray([lead, dev, { agent: "a", role: "dev" } as const]).map((agents) => revise(...agents)),
    name.map((agent) => register(agent)),
    name.map(retire),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 12 }), (commands) => {
      let accepted: TeamCommand[] = [];
      let state = initialTeam();
      for (const one of commands) {
        const decided = decideTeam(one, state);
        if (!decided.ok) continue;
        accepted = [...accepted, one];
        state = decided.value.reduce(evolveTeam, state);
      }
      assert.deepEqual(after(...accepted), state);
    }),
    { seed },
  );
});
