/**
 * What only the person may do, against one table: every role, an agent that speaks for the user, and one that joined by
 * a rule for names, each asked to do each thing in a separate team. Written by hand from docs/protocol/authority.md,
 * sections 11 to 16 and docs/protocol/authority.md, sections 17 to 20.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Role, roles } from "../../src/messages/role.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import { reviseTeam } from "../../src/team/handlers/revision.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";

/** Who may do it: the person alone, or others too. A role is an agent that has it. */
const table = {
  "confirms a change of the team": "person",
  "declines a change of the team": "person",
  "issues a token": "person",
  "revokes a token": "person",
  "lifts a failed audit": "person",
  "answers a gate_override": "person",
  "answers a scope_change": "person lead architect",
  "leaves a department out": "person",
  "registers an architect": "person",
  "registers a developer": "person lead",
  "retires the lead": "person",
  "decides by operation what waits at the user": "person",
  "passes on what the user decided": "person speaker",
} as const;

type Doing = keyof typeof table;
const doings = Object.keys(table) as readonly Doing[]; // the keys, as they are written

const speaker = "orchestrator-2";
const joined = "vbw-dev-1";
const nameOf = (role: Role) => `${role}-1`;
const people: readonly (readonly [says: string, agent: string])[] = [
  ["person", "owner"],
  ["speaker", speaker],
  ["joined", joined],
  ...roles.map((role) => [role, nameOf(role)] as const),
];
const agents = [
  ...roles.map((role) => ({ agent: nameOf(role), role })),
  { agent: "dev-2", role: "dev" as const },
  { agent: "lead-2", role: "lead" as const },
  { agent: speaker, role: "orchestrator" as const },
];

const codeOf = (reply: Reply) => (reply.outcome === "refused" ? (reply.problems[0]?.code ?? "") : reply.outcome);

/** A team with a speaker and a rule for names that the owner has confirmed, and somebody who joined by it. */
async function teamOf(dialect: "vbw/2" | "yolo/1"): Promise<TestTeam> {
  const team = await testTeam({ agents, dialects: [dialect] });
  const names = [{ pattern: "vbw-dev-*", role: "dev", max: 2 }] as const;
  await done(team.as("owner").confirmRevision({ proposal: await proposed(team, { names, speakers: [speaker] }) }));
  await done(team.as(joined).register({ agent: joined, role: "dev" }));
  return team;
}

/** The id of what waits for the owner after the file changes so. */
async function proposed(team: TestTeam, change: object): Promise<string> {
  const status = await team.as("owner").status();
  assert.ok(status.ok && status.value.definition !== null);
  const revised = await reviseTeam(team.context, { ...status.value.definition, ...change });
  assert.ok(revised.ok && revised.value.proposal !== null, JSON.stringify(revised));
  return revised.value.proposal.id;
}

async function done(reply: Promise<Reply>): Promise<void> {
  assert.equal(codeOf(await reply), "accepted");
}

/** A developer asks for something; the request's id. */
async function asked(team: TestTeam, request_type: string): Promise<string> {
  const request = { subject: "May I?", request_type, evidence: "It is needed" };
  const message = typedMessage("approval_request", request, { id: "request-1" });
  await done(team.as("dev-2").send(JSON.stringify(message)));
  return "request-1";
}

const escalation = "ESC-01-02-T1";

/** A developer's blocker that waits at the user. */
async function waiting(team: TestTeam): Promise<void> {
  const blocker = {
    type: "dev_blocker",
    task: "01-02/T1",
    plan_id: "01-02",
    blocker: "Missing",
    needs: "It",
    attempted: [],
  };
  await done(team.as("dev-2").send(JSON.stringify(blocker)));
  for (const level of ["senior", "lead", "architect"] as const)
    await done(team.as(nameOf(level)).raise({ escalation }));
}

/** What each thing is, once it is prepared. */
const acts: { readonly [doing in Doing]: (team: TestTeam, agent: string) => Promise<Reply> } = {
  "confirms a change of the team": async (team, agent) =>
    team.as(agent).confirmRevision({ proposal: await proposed(team, { policy: "observe" }) }),
  "declines a change of the team": async (team, agent) =>
    team.as(agent).declineRevision({ proposal: await proposed(team, { policy: "observe" }) }),
  "issues a token": async (team, agent) => await team.as(agent).issueToken({ agent: "dev-2" }),
  "revokes a token": async (team, agent) => {
    const issued = await team.as("owner").issueToken({ agent: "dev-2" });
    return team.as(agent).revokeToken({ token: (issued.outcome === "accepted" && issued.tokenId) || "" });
  },
  "lifts a failed audit": async (team, agent) => {
    const audit = { type: "security_audit", result: "FAIL", findings: 1, critical: 1, categories: ["deps"] };
    await done(team.as("security-1").send(JSON.stringify(audit)));
    return team.as(agent).liftStop({ reason: "It is known" });
  },
  "answers a gate_override": async (team, agent) =>
    team.as(agent).answer({ request: await asked(team, "gate_override"), approved: true, reason: "Yes" }),
  "answers a scope_change": async (team, agent) =>
    team.as(agent).answer({ request: await asked(team, "scope_change"), approved: true, reason: "Yes" }),
  "leaves a department out": async (team, agent) => {
    for (const department of ["backend", "frontend"] as const)
      await done(team.as("owner").register({ agent: `${department}-1`, role: "dev", department }));
    await done(team.as("owner").addTask({ task: "1-1-T1", plan: "1-1" }));
    return team.as(agent).excludeDepartment({ department: "backend", phase: "1", reason: "It waits" });
  },
  "registers an architect": (team, agent) => team.as(agent).register({ agent: "new-1", role: "architect" }),
  "registers a developer": (team, agent) => team.as(agent).register({ agent: "new-1", role: "dev" }),
  "retires the lead": (team, agent) => team.as(agent).retire({ agent: agent === "lead-1" ? "lead-2" : "lead-1" }),
  "decides by operation what waits at the user": async (team, agent) => {
    await waiting(team);
    return team.as(agent).resolve({ escalation, decision: "Use another" });
  },
  "passes on what the user decided": async (team, agent) => {
    await waiting(team);
    const decision = { original_escalation: escalation, decision: "Use another", rationale: "", action_items: [] };
    const message = { type: "escalation_resolution", ...decision, resolved_by: "user" };
    return team.as(agent).send(JSON.stringify(message), { to: ["dev-2"] });
  },
};

/** Who did it, of all people. */
async function doersOf(doing: Doing): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [says, agent] of people) {
    // Requests are of one family; the rest is of the other.
    await using team = await teamOf(doing.startsWith("answers") ? "vbw/2" : "yolo/1");
    const reply = await acts[doing](team, agent);
    assert.notEqual(reply.outcome, "failed", `${says} ${doing}`);
    if (reply.outcome === "accepted") found.push(says);
  }
  return found;
}

/** Cells that differ from the table, each as who and what. */
function differences(
  done: ReadonlyMap<Doing, readonly string[]>,
  isTurned: (cell: string) => boolean,
): readonly string[] {
  return doings.flatMap((doing) =>
    people.flatMap(([says]) => {
      const cell = `${says} ${doing}`;
      const expected = table[doing].split(" ").includes(says) !== isTurned(cell);
      return (done.get(doing)?.includes(says) === true) === expected ? [] : [cell];
    }),
  );
}

test("what only the person may do is refused to every role, to a speaker and to who joined by a rule", async () => {
  const did = new Map<Doing, readonly string[]>();
  for (const doing of doings) did.set(doing, await doersOf(doing));
  assert.deepEqual(
    differences(did, () => false),
    [],
  );
  for (const doing of doings)
    for (const [says] of people) {
      const turned = `${says} ${doing}`;
      assert.deepEqual(
        differences(did, (cell) => cell === turned),
        [turned],
        "a cell that is turned is found",
      );
    }
});

test("an agent that joins by a rule has its role, and no rule and no name gives another", async () => {
  for (const role of roles) {
    await using team = await teamOf("yolo/1");
    for (const by of ["vbw-dev-2", joined, "dev-2", speaker]) {
      const code = codeOf(await team.as(by).register({ agent: "vbw-dev-2", role }));
      assert.equal(code, role === "dev" ? "accepted" : "sender-not-authorised", `${by} registers it as ${role}`);
    }
    const status = await team.as("owner").status();
    assert.ok(status.ok);
    const known = status.value.agents.find(({ agent }) => agent === "vbw-dev-2");
    assert.equal(known?.role, role === "dev" ? "dev" : undefined);
  }
});
