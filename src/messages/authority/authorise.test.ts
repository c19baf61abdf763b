import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemCode } from "../../base/problem.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import type { Member, Roster } from "../../team/state/roster.ts";
import type { Definition, Dialect } from "../dialects/dialect.ts";
import { dialectOf } from "../dialects/registry.ts";
import type { DialectId } from "../message.ts";
import { type Role, readAddress } from "../role.ts";
import { authorise } from "./authorise.ts";
import type { Request } from "./receivers.ts";

/** Roles that the two dialects know. */
const known = ["lead", "dev", "qa", "scout", "debugger", "architect", "docs"] as const satisfies readonly Role[];

function member(agent: string, role: Role, changes: Partial<Member> = {}): [string, Member] {
  return [agent, { agent, role, dialect: "vbw/2", source: "file", status: "active", session: 1, ...changes }];
}

/** Two agents a role, so that everyone has somebody else to talk to. */
function everyone(dialect: DialectId): Roster {
  return new Map(known.flatMap((role) => ["1", "2"].map((number) => member(`${role}-${number}`, role, { dialect }))));
}

function dialectNamed(id: DialectId): Dialect {
  const dialect = dialectOf(id);
  assert.ok(dialect !== null);
  return dialect;
}

interface Asked {
  readonly sender: string;
  readonly type: string | null;
  readonly dialect?: DialectId;
  readonly to?: readonly string[];
  readonly roster?: Roster;
  readonly authorRole?: string;
  readonly policy?: "enforce" | "observe";
  readonly routing?: TeamDefinition["routing"];
  readonly asker?: string;
  readonly above?: readonly string[];
}

function ask(asked: Asked) {
  const { sender, type, dialect = "vbw/2", roster = everyone(dialect), policy = "enforce", routing = [] } = asked;
  const role = sender === "owner" ? "owner" : (roster.get(sender)?.role ?? null);
  const definition: Definition | null = type === null ? null : (dialectNamed(dialect).definitions.get(type) ?? null);
  const head = { phase: 1, task: "1-1-T1", authorRole: asked.authorRole ?? role, timestamp: null, confidence: "high" };
  const request: Request = {
    principal: { agent: sender, role, via: "launcher" },
    roster,
    definition: { name: "team", dialects: [dialect], policy, agents: [], routing, limits: {} },
    policy,
    dialectOf,
    reading:
      definition === null
        ? { dialect: null, type: null, message: null, fact: null }
        : {
            dialect,
            type,
            message: { ...definition.example, author_role: asked.authorRole ?? role },
            fact: { kind: definition.kind, head, body: {} },
          },
    to:
      asked.to === undefined
        ? null
        : asked.to.map((text) => {
            const address = readAddress(text);
            assert.ok(address.ok, text);
            return address.value;
          }),
    asker: asked.asker ?? null,
    above: () => asked.above ?? null,
    repeated: null,
  };
  return authorise(request);
}

function codesOf(asked: Asked): readonly ProblemCode[] {
  const result = ask(asked);
  return result.ok ? [] : result.error.map(({ code }) => code);
}

function receiversOf(asked: Asked): readonly string[] {
  const result = ask(asked);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.receivers;
}

const retired = new Map([...everyone("vbw/2"), member("dev-9", "dev", { status: "retired" })]);

const refusals: readonly (readonly [what: string, asked: Asked, code: ProblemCode, path: string])[] = [
  ["a sender the team does not know", { sender: "nobody", type: "execution_update" }, "unknown-agent", "nobody"],
  [
    "prose of a sender the team does not know",
    { sender: "nobody", type: null, to: ["lead-1"] },
    "unknown-agent",
    "nobody",
  ],
  ["a retired sender", { sender: "dev-9", type: "execution_update", roster: retired }, "retired-agent", "dev-9"],
  [
    "an author_role that is not the sender's",
    { sender: "dev-1", type: "qa_verdict", authorRole: "qa" },
    "identity-mismatch",
    "$.author_role",
  ],
  [
    "an author_role in other letters",
    { sender: "dev-1", type: "execution_update", authorRole: "Dev" },
    "identity-mismatch",
    "$.author_role",
  ],
  [
    "an empty author_role",
    { sender: "dev-1", type: "execution_update", authorRole: "" },
    "identity-mismatch",
    "$.author_role",
  ],
  [
    "a typed message of the owner",
    { sender: "owner", type: "approval_response", authorRole: "lead" },
    "identity-mismatch",
    "$.author_role",
  ],
  [
    "a receiver the team does not know",
    { sender: "dev-1", type: "execution_update", to: ["laed-1"] },
    "unknown-receiver",
    "laed-1",
  ],
  [
    "a receiver named like an object's member",
    { sender: "dev-1", type: null, to: ["constructor"] },
    "unknown-receiver",
    "constructor",
  ],
  ["a role that nobody has", { sender: "dev-1", type: null, to: ["role:critic"] }, "unknown-receiver", "role:critic"],
  ["a retired receiver", { sender: "dev-1", type: null, to: ["dev-9"], roster: retired }, "retired-agent", "dev-9"],
  ["a message to oneself", { sender: "dev-1", type: null, to: ["dev-1"] }, "no-receiver", "dev-1"],
  [
    "a message to one's own role alone",
    { sender: "dev-1", type: null, to: ["role:dev"], roster: new Map([member("dev-1", "dev")]) },
    "no-receiver",
    "role:dev",
  ],
  ["prose without a receiver", { sender: "dev-1", type: null }, "no-receiver", "$"],
  [
    "a type whose receivers the team lacks, named as a role",
    { sender: "dev-1", type: "execution_update", to: ["role:lead"], roster: new Map([member("dev-1", "dev")]) },
    "unknown-receiver",
    "role:lead",
  ],
];

for (const [what, asked, code, path] of refusals) {
  test(`refuses ${what} (${code})`, () => {
    const result = ask(asked);
    assert.ok(!result.ok);
    assert.equal(result.error[0]?.code, code);
    assert.equal(result.error[0]?.path, path);
    assert.ok((result.error[0]?.hint ?? "") !== "", "a refusal says what to do");
  });
  test(`observe refuses ${what} too`, () => {
    assert.equal(codesOf({ ...asked, policy: "observe" })[0], code);
  });
}

test("who owns the team and says a lead's request to stop is told the command", () => {
  for (const authorRole of ["lead", "owner"]) {
    const result = ask({ sender: "owner", type: "shutdown_request", authorRole });
    assert.match(result.ok ? "" : (result.error[0]?.hint ?? ""), /`baton stop`/, authorRole);
  }
});

test("the hint for a wrong name leads on: a role written alone, an agent that has left, a typo", () => {
  const hintOf = (to: string, sender = "lead-1") => {
    const result = ask({ sender, type: null, to: [to], roster: retired });
    return result.ok ? null : result.error[0]?.hint;
  };
  assert.equal(hintOf("dev"), 'did you mean "role:dev"?');
  assert.equal(hintOf("laed-1"), 'did you mean "lead-1"?');
  assert.equal(hintOf("critic"), "`baton agent list` shows who is there.", "a role that nobody has is no better");
  assert.equal(
    hintOf("dev-9"),
    "Write to another agent, or bring it back: `baton agent register dev-9 --role dev`.",
    "no other agent is meant by the name of one that has left",
  );
  assert.equal(
    hintOf("lead-1", "dev-9"),
    "Registering it again starts a new session: `baton agent register dev-9 --role dev`.",
  );
  const role = readAddress("role:devs");
  assert.equal(role.ok ? null : role.error.hint, 'did you mean "role:dev"?');
});

test("errors come in order: who, then whether the role may send, then to whom", () => {
  assert.deepEqual(codesOf({ sender: "dev-1", type: "qa_verdict", authorRole: "qa", to: ["nobody"] }), [
    "identity-mismatch",
  ]);
  assert.deepEqual(codesOf({ sender: "dev-1", type: "qa_verdict", to: ["nobody"] }), ["sender-not-authorised"]);
  assert.deepEqual(codesOf({ sender: "dev-1", type: "execution_update", to: ["nobody", "qa-1"] }), [
    "unknown-receiver",
  ]);
  assert.deepEqual(codesOf({ sender: "dev-1", type: "execution_update", to: ["qa-1", "lead-1", "scout-1"] }), [
    "receiver-not-authorised",
    "receiver-not-authorised",
  ]);
});

test("team-lead names the agent that leads, unless an agent is called so, and a session behind a name is left out", () => {
  const to = (...names: readonly string[]) => receiversOf({ sender: "dev-1", type: null, to: names });
  assert.deepEqual(to("team-lead"), ["lead-1", "lead-2"]);
  assert.deepEqual(to("team-lead@session-1a2b3c4d", "qa-1@session-1a2b3c4d"), ["lead-1", "lead-2", "qa-1"]);
  const called = (status: "active" | "retired") =>
    new Map([...everyone("vbw/2"), member("team-lead", "qa", { status })]);
  const named = { sender: "dev-1", type: null, to: ["team-lead"] };
  assert.deepEqual(receiversOf({ ...named, roster: called("active") }), ["team-lead"]);
  assert.deepEqual(codesOf({ ...named, roster: called("retired") }), ["retired-agent"]);
  assert.deepEqual(codesOf({ ...named, roster: new Map([member("dev-1", "dev")]) }), ["unknown-receiver"]);
});

test("a refusal does not list a team of thousands", () => {
  const roster = new Map(Array.from({ length: 2_000 }, (_, index) => member(`dev-${index}`, "dev")));
  const result = ask({ sender: "dev-1", type: null, to: ["nobody"], roster });
  assert.ok(!result.ok);
  assert.match(result.error[0]?.expected ?? "", /^dev-0 \| dev-1 .*and 1970 more$/);
});

test("prose goes to whom it names, whatever their role, and has no effect", () => {
  const result = ask({ sender: "scout-1", type: null, to: ["docs-1", "role:debugger", "docs-1", "scout-1"] });
  assert.ok(result.ok);
  assert.deepEqual(result.value.receivers, ["docs-1", "debugger-1", "debugger-2"]);
  assert.equal(result.value.effect, false);
});

test("the owner may write prose to anyone, and be written to", () => {
  assert.deepEqual(receiversOf({ sender: "owner", type: null, to: ["docs-1"] }), ["docs-1"]);
  assert.deepEqual(receiversOf({ sender: "docs-1", type: null, to: ["owner"] }), ["owner"]);
});

test("an answer goes to the asker, alone or together with those who are named", () => {
  assert.deepEqual(receiversOf({ sender: "lead-1", type: "approval_response", asker: "dev-2" }), ["dev-2"]);
  const named = { sender: "lead-1", type: "approval_response", asker: "dev-2", to: ["dev-1"] } as const;
  assert.deepEqual(receiversOf(named), ["dev-2", "dev-1"]);
});

test("an answer goes to the one who asked, retired or not, and to nobody in its stead", () => {
  assert.deepEqual(receiversOf({ sender: "lead-1", type: "approval_response", asker: "dev-9", roster: retired }), [
    "dev-9",
  ]);
});

test("in an answer team-lead is the one who asked, of several leads too, unless an agent is called so", () => {
  const answer = { sender: "dev-1", type: "shutdown_response", asker: "lead-2" } as const;
  assert.deepEqual(receiversOf({ ...answer, to: ["team-lead"] }), ["lead-2"]);
  assert.deepEqual(receiversOf({ ...answer, to: ["team-lead", "lead-1"] }), ["lead-2", "lead-1"]);
  assert.deepEqual(receiversOf({ ...answer, asker: "owner", to: ["team-lead"] }), ["owner"]);
  assert.deepEqual(receiversOf({ sender: "dev-1", type: "shutdown_response", to: ["team-lead"] }), [
    "lead-1",
    "lead-2",
  ]);
  const called = new Map([...everyone("vbw/2"), member("team-lead", "lead")]);
  assert.deepEqual(receiversOf({ ...answer, roster: called, to: ["team-lead"] }), ["lead-2", "team-lead"]);
});

test("what nobody of the team receives comes to the person who owns it", () => {
  for (const [sender, type] of [
    ["lead-1", "plan_contract"],
    ["lead-1", "shutdown_request"],
    ["dev-1", "execution_update"],
  ] as const) {
    const [name, role] = [sender, type === "execution_update" ? "dev" : "lead"] as const;
    const seen = ask({ sender, type, roster: new Map([member(name, role)]) });
    assert.ok(seen.ok, type);
    assert.deepEqual([seen.value.receivers, seen.value.effect], [["owner"], true]);
    assert.equal(seen.value.notes[0]?.code, "receivers-away");
  }
});

test("what goes up to a level where nobody is goes to the next above, unless others were named", () => {
  const alone = new Map([member("dev-1", "dev"), member("qa-1", "qa"), member("architect-1", "architect")]);
  for (const [type, above] of [
    ["blocker_report", ["owner"]],
    ["execution_update", ["architect-1"]],
  ] as const) {
    const seen = ask({ sender: "dev-1", type, roster: alone, above });
    assert.ok(seen.ok);
    assert.deepEqual([seen.value.receivers, seen.value.effect], [above, true]);
    assert.deepEqual(
      seen.value.notes.map(({ code }) => code),
      ["receivers-away"],
    );
    const usual = ask({ sender: "dev-1", type, above: ["architect-1"] });
    assert.ok(usual.ok);
    assert.deepEqual([usual.value.receivers, usual.value.notes], [["lead-1", "lead-2"], []]);
    assert.deepEqual(codesOf({ sender: "dev-1", type, to: ["lead-1"], roster: alone, above }), ["unknown-receiver"]);
    assert.deepEqual(codesOf({ sender: "dev-1", type, to: ["qa-1"], roster: alone, above }), [
      "receiver-not-authorised",
    ]);
    assert.deepEqual(codesOf({ sender: "dev-1", type, to: above, roster: alone, above }), []);
  }
  assert.deepEqual(
    codesOf({ sender: "dev-1", type: "execution_update", to: ["architect-1"], above: ["architect-1"] }),
    ["receiver-not-authorised"],
  );
  assert.deepEqual(codesOf({ sender: "qa-1", type: "blocker_report", roster: alone }), ["sender-not-authorised"]);
});

test("a team widens receivers of one type in one dialect, never senders", () => {
  const routing = [{ dialect: "vbw/2", type: "execution_update", receivers: ["qa"] }] as const;
  assert.deepEqual(codesOf({ sender: "dev-1", type: "execution_update", to: ["qa-1"], routing }), []);
  assert.deepEqual(receiversOf({ sender: "dev-1", type: "execution_update", routing }), [
    "lead-1",
    "lead-2",
    "qa-1",
    "qa-2",
  ]);
  assert.deepEqual(codesOf({ sender: "dev-1", type: "blocker_report", to: ["qa-1"], routing }), [
    "receiver-not-authorised",
  ]);
  assert.deepEqual(codesOf({ sender: "qa-1", type: "execution_update", routing }), ["sender-not-authorised"]);
  assert.deepEqual(codesOf({ sender: "dev-1", type: "execution_update", dialect: "yolo/2", to: ["qa-1"], routing }), [
    "receiver-not-authorised",
  ]);
});

const mixed: Roster = new Map([
  member("lead-1", "lead"),
  member("dev-1", "dev"),
  member("dev-2", "dev", { dialect: "yolo/2" }),
  member("qa-1", "qa"),
  member("qa-2", "qa", { dialect: "yolo/2" }),
  member("lead-2", "lead", { dialect: "yolo/2" }),
  member("scout-1", "scout"),
  member("debugger-2", "debugger", { dialect: "yolo/2" }),
]);

test("whom the message's own dialect names receives it, and so does whom the receiver's dialect names", () => {
  const contract = (sender: string, dialect: DialectId, to: string) =>
    codesOf({ sender, type: "plan_contract", dialect, roster: mixed, to: [to] });
  assert.deepEqual(contract("lead-1", "vbw/2", "qa-1"), []);
  assert.deepEqual(contract("lead-1", "vbw/2", "qa-2"), []);
  assert.deepEqual(contract("lead-2", "yolo/2", "qa-1"), []);
  assert.deepEqual(contract("lead-2", "yolo/2", "qa-2"), ["receiver-not-authorised"]);
  const result = ask({ sender: "lead-1", type: "plan_contract", roster: mixed });
  assert.ok(result.ok);
  assert.deepEqual(result.value.receivers, ["dev-1", "dev-2", "qa-1", "qa-2", "scout-1"]);
  assert.deepEqual(result.value.notes, []);
  assert.equal(result.value.effect, true);
});

test("where the receiver's dialect has no counterpart the sender's judges", () => {
  assert.deepEqual(codesOf({ sender: "scout-1", type: "scout_findings", roster: mixed, to: ["lead-2"] }), []);
  assert.deepEqual(codesOf({ sender: "scout-1", type: "scout_findings", roster: mixed, to: ["dev-2"] }), [
    "receiver-not-authorised",
  ]);
  assert.deepEqual(
    codesOf({ sender: "debugger-2", type: "debugger_report", dialect: "yolo/2", roster: mixed, to: ["lead-1"] }),
    [],
  );
});

test("the permit says who may answer an approval in the sender's dialect", () => {
  const result = ask({ sender: "dev-1", type: "approval_request" });
  assert.ok(result.ok);
  assert.deepEqual(result.value.answererRoles, ["lead", "architect"]);
});
