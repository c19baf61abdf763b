/**
 * A team of each kind as a person starts it: `init`, the hub, agents that register, the first messages. And its file
 * changed under way, with a hub and without one. A team and its hub are made by processes, what follows is called here.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { type TeamKind, type TeamKindName, teamKindNames, teamKinds } from "../../src/team/state/kinds.ts";
import { called, calledWithCode } from "./called.ts";
import { expectCode, folder, jsonLines } from "./command.ts";
import { startHub, tokenOf, towards } from "./hub-process.ts";

/** The first word of each kind of team: who says it to whom, and its type. */
const firstWords: {
  readonly [kind in TeamKindName]: readonly (readonly [from: string, to: string, dialect: DialectId, type: string])[];
} = {
  solo: [
    ["lead-1", "dev-1", "vbw/2", "plan_contract"],
    ["dev-1", "lead-1", "vbw/2", "execution_update"],
  ],
  vbw: [
    ["lead-1", "dev-1", "vbw/2", "plan_contract"],
    ["scout-1", "lead-1", "vbw/2", "scout_findings"],
  ],
  yolo: [
    ["critic-1", "lead-1", "yolo/1", "critique_result"],
    ["architect-1", "lead-1", "yolo/1", "architecture_design"],
  ],
  "yolo-departments": [
    ["backend-senior-1", "backend-lead-1", "yolo/1", "senior_spec"],
    ["uiux-lead-1", "frontend-lead-1", "yolo/1", "design_handoff"],
  ],
  bmad: [
    ["sm", "dev", "bmad/1", "handoff"],
    ["analyst", "pm", "bmad/1", "handoff"],
  ],
};

/** An example of a message as this agent would say it. */
function saidBy(kind: TeamKind, [from, to, id, type]: (typeof firstWords)[TeamKindName][number]): string {
  const dialect = dialectOf(id);
  const definition = dialect?.definitions.get(type);
  assert.ok(dialect && definition);
  const example = structuredClone(definition.example) as Record<string, unknown>; // Examples are objects.
  const role = kind.agents.find(({ agent }) => agent === from)?.role;
  if (id === "bmad/1") {
    const { metadata } = example.handoff as { metadata: object }; // as the definition has it
    Object.assign(metadata, { id: `handoff-${from}`, source_agent: from, target_agent: to });
  }
  if ("author_role" in example) example.author_role = role;
  return JSON.stringify(example);
}

for (const name of teamKindNames) {
  const kind: TeamKind = teamKinds[name];
  test(`a ${name} team starts: init, a hub, agents that register, first messages that arrive`, async () => {
    const place = folder();
    const [made] = jsonLines(expectCode(0, place, ["init", "--kind", name, "--team", "web", "--yes", "--json"]));
    assert.deepEqual([made?.kind, made?.dialects, made?.isNew], [name, kind.dialects, true]);
    const hub = await startHub(place);
    const [first] = firstWords[name];
    assert.ok(first !== undefined);
    const newcomer = ["agent", "register", "dev-7", "--role", "dev", "--json"];
    const agents = jsonLines(await calledWithCode(0, place, ["agent", "list", "--json"]));
    assert.deepEqual(
      agents.map(({ agent }) => agent),
      kind.agents.map(({ agent }) => agent),
    );
    assert.equal(jsonLines(await calledWithCode(0, place, newcomer))[0]?.duplicate, false);
    for (const word of firstWords[name]) {
      const [from, to, , type] = word;
      const sent = await called(
        place,
        ["send", "--to", to, "--json"],
        saidBy(kind, word),
        towards(hub, await tokenOf(place, from)),
      );
      assert.equal(sent.code, 0, sent.stdout + sent.stderr);
      const mail = jsonLines(await called(place, ["inbox", "--json"], "", towards(hub, await tokenOf(place, to))));
      assert.ok(
        mail.some((one) => one.type === type && one.sender === from),
        JSON.stringify(mail),
      );
    }
  });
}

test("init with a kind a second time changes nothing, until somebody changed the file", async () => {
  const place = folder();
  await calledWithCode(0, place, ["init", "--kind", "vbw", "--yes"]);
  assert.match((await calledWithCode(0, place, ["init", "--kind", "vbw", "--yes"])).stdout, /there already/);
  await calledWithCode(2, place, ["init", "--kind", "yolo", "--yes"]);
  const file = join(place, ".baton/team.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("policy: enforce", "policy: observe"));
  await calledWithCode(2, place, ["init", "--kind", "vbw", "--yes"]);
  assert.match(
    (await calledWithCode(64, folder(), ["init", "--kind", "vbw", "--dialect", "vbw/2", "--yes"])).stderr,
    /either/,
  );
  assert.match((await calledWithCode(64, folder(), ["init", "--kind", "vwb", "--yes"])).stderr, /did you mean "vbw"/);
});

test("init says what the dialects of a team cannot say alone", async () => {
  for (const [words, lacks] of [
    [["--kind", "bmad"], "bmad/1 has no message for a plan's contract, approvals, progress, blockers;"],
    [["--dialect", "vbw/1"], "vbw/1 has no message for a plan's contract, approvals;"],
    [
      ["--dialect", "vbw/1", "--dialect", "bmad/1"],
      "vbw/1 and bmad/1 have no message for a plan's contract, approvals;",
    ],
    [["--kind", "yolo"], null],
    [["--dialect", "vbw/2"], null],
  ] as const) {
    const { stderr } = await calledWithCode(0, folder(), ["init", ...words, "--yes"]);
    if (lacks === null) assert.doesNotMatch(stderr, /no message for/, words.join(" "));
    else assert.ok(stderr.includes(`note: ${lacks}`), stderr);
  }
});

test("without a hub a changed file is found by the next command, waits where it gives more, and a broken one is passed over", async () => {
  const place = folder();
  await calledWithCode(0, place, ["init", "--kind", "solo", "--team", "web", "--yes"]);
  const file = join(place, ".baton/team.yaml");
  const written = readFileSync(file, "utf8");
  const revision = async () => jsonLines(await calledWithCode(0, place, ["status", "--json"]))[0]?.revision;
  assert.equal(await revision(), 1);

  writeFileSync(file, written.replace("{role: dev}", "{role: wizard}"));
  const broken = await calledWithCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1", "--json"], "Still here.");
  assert.match(broken.stderr, /team-file at .*team\.yaml:\d+:\d+/);
  assert.match(broken.stderr, /the revision in force stays/);
  assert.equal(await revision(), 1, "what cannot be taken is recorded nowhere");

  writeFileSync(file, written.replace("{role: dev}", "{role: qa}"));
  const report = JSON.stringify(dialectOf("vbw/2")?.definitions.get("execution_update")?.example);
  const before = await calledWithCode(0, place, ["send", "--as", "dev-1", "--json"], report);
  assert.match(before.stderr, /1 change of it takes? effect only when the owner confirms/);
  assert.equal(await revision(), 1, "another role waits for the owner, whoever runs a command");
  const shown = await calledWithCode(0, place, ["team"]);
  const id = /team confirm ([0-9a-f]{32})/.exec(shown.stdout)?.[1] ?? "";
  await calledWithCode(0, place, ["team", "confirm", id]);
  const again = JSON.stringify({ ...JSON.parse(report), id: "after" });
  const refused = await calledWithCode(2, place, ["send", "--as", "dev-1", "--json"], again);
  assert.match(
    refused.stderr,
    /identity-mismatch|sender-not-authorised/,
    "judged by the revision that the owner confirmed",
  );
  assert.equal(await revision(), 2);
  const teamEntries = jsonLines(await calledWithCode(0, place, ["log", "--json"])).filter(
    ({ kind }) => kind === "team",
  );
  assert.deepEqual(
    teamEntries.map(({ sender }) => sender),
    ["owner", "baton"],
  );
  assert.match((await calledWithCode(0, place, ["log"])).stdout, /confirmed the change of the team file/);
  assert.match((await calledWithCode(0, place, ["status"])).stdout, /revision 2/);
});

test("a broken file of a team that has no revision yet refuses, and makes no journal", async () => {
  const place = folder();
  await calledWithCode(0, place, ["init", "--team", "web", "--yes"]);
  const file = join(place, ".baton/team.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("policy: enforce", "policy: enforced"));
  const done = await calledWithCode(2, place, ["status"]);
  assert.match(done.stderr, /team-file at .*team\.yaml:\d+:9/);
  assert.equal(
    jsonLines(await calledWithCode(3, place, ["journal", "verify", "--json"])).length,
    1,
    "there is no journal",
  );
});
