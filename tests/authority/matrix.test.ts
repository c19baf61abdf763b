/**
 * The library against the table: every type of every dialect, from every role in every department to every role in every
 * department, in teams with departments and without. None is left out.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../../src/base/problem.ts";
import type { Result } from "../../src/base/result.ts";
import { authorise, type Permit } from "../../src/messages/authority/authorise.ts";
import type { Request } from "../../src/messages/authority/receivers.ts";
import { dialectOf, dialects } from "../../src/messages/dialects/registry.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { type Address, readAddress, roles } from "../../src/messages/role.ts";
import type { TeamDefinition } from "../../src/team/state/definition.ts";
import type { Roster } from "../../src/team/state/roster.ts";
import { people, receiverName, rosterOf, senderName, withoutDepartments } from "./people.ts";
import {
  type Circumstances,
  isAskedToStop,
  mayReceive,
  maySend,
  type Person,
  type Row,
  table,
  teammateOnly,
  wanted,
} from "./table.ts";

interface Team extends Circumstances {
  readonly people: readonly Person[];
  readonly roster: Roster;
  readonly definition: TeamDefinition;
}

function teamOf(some: readonly Person[], dialect: DialectId): Team {
  return {
    dialect,
    severalDepartments: some === people,
    people: some,
    roster: rosterOf(some, dialect),
    definition: { name: "team", dialects: [dialect], policy: "enforce", agents: [], routing: [], limits: {} },
  };
}

interface Asked {
  readonly type: string;
  readonly sender: Person;
  readonly to: readonly Address[] | null;
  readonly policy?: "enforce" | "observe";
  readonly mode?: "task";
}

/** What the library says. The fact says nothing of its sender or receiver: roles and departments alone decide. */
function ask({ dialect, roster, definition }: Team, { type, sender, to, policy = "enforce", mode }: Asked) {
  const defined = dialectOf(dialect)?.definitions.get(type);
  assert.ok(defined !== undefined, type);
  const { role, place } = sender;
  const department = place === "none" ? {} : { department: place };
  const head = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };
  const request: Request = {
    principal: { agent: senderName(sender), role, via: "launcher", ...department },
    roster,
    definition: mode === undefined ? definition : { ...definition, teamMode: mode },
    policy,
    dialectOf,
    reading: { dialect, type, message: { type }, fact: { kind: defined.kind, head, body: {} } },
    to,
    asker: null,
    repeated: null,
  };
  return authorise(request);
}

function verdictOf(result: Result<Permit, readonly Problem[]>): string {
  return result.ok ? "authorised" : (result.error[0]?.code ?? "");
}

function addressed(text: string): Address {
  const address = readAddress(text);
  assert.ok(address.ok, text);
  return address.value;
}

const addresses = new Map(people.map((person) => [person, [addressed(receiverName(person))]]));

test("the table has every type of every dialect", () => {
  assert.deepEqual(
    Object.fromEntries(dialects.map(({ id, definitions }) => [id, [...definitions.keys()].toSorted()])),
    Object.fromEntries(Object.entries(table).map(([id, rows]) => [id, rows.map(([type]) => type).toSorted()])),
  );
});

for (const [dialect, rows] of Object.entries(table) as [DialectId, readonly Row[]][]) {
  for (const team of [teamOf(people, dialect), teamOf(withoutDepartments, dialect)]) {
    const among = `${dialect} ${team.severalDepartments ? "with departments" : "without departments"}`;
    test(`${among}: each type from each of ${team.people.length} to each of them is judged as the table says`, () => {
      for (const row of rows) judgeAll(team, row);
    });
    test(`${among}: a type addressed to a role, or to nobody, reaches those whom the table names`, () => {
      for (const row of rows) {
        for (const sender of team.people) {
          for (const role of roles.filter((each) => each !== "guest")) judgeRole(team, row, sender, role);
          judgeUnaddressed(team, row, sender);
        }
      }
    });
  }
  test(`${dialect} in task mode: only what teammates alone use is refused`, () => {
    const team = teamOf(withoutDepartments, dialect);
    for (const row of rows) {
      const isRefused = dialect === "yolo/1" && teammateOnly.split(" ").includes(row[0]);
      for (const sender of team.people) {
        const verdict = verdictOf(ask(team, { type: row[0], sender, to: addresses.get(sender) ?? null, mode: "task" }));
        assert.equal(verdict, isRefused ? "sender-not-authorised" : wanted(row, sender, sender, team), row[0]);
      }
    }
  });
}

/** Rows that are wrong in one word. */
const planted: readonly Row[] = [
  ["dev_progress", "dev docs", "senior"],
  ["dev_progress", "dev", "senior lead"],
  ["code_review_result", "senior", ""],
  ["design_handoff", "lead", "lead", "uiux backend", "frontend backend"],
  ["api_contract", "lead", "lead", "frontend backend", "frontend backend uiux"],
  ["owner_review", "owner", "lead"],
];
for (const row of planted) {
  test(`a table that is wrong about ${row.join(", ")} is found`, () => {
    assert.throws(() => judgeAll(teamOf(people, "yolo/1"), row), { code: "ERR_ASSERTION" });
  });
}

function judgeAll(team: Team, row: Row): void {
  const [type, senders] = row;
  let authorised = 0;
  for (const sender of team.people) {
    for (const receiver of team.people) {
      const to = addresses.get(receiver) ?? null;
      const expected = wanted(row, sender, receiver, team);
      const verdict = verdictOf(ask(team, { type, sender, to }));
      if (verdict === "authorised") authorised++;
      if (verdict !== expected)
        assert.equal(verdict, expected, `${type}: ${senderName(sender)} to ${receiverName(receiver)}`);
      // Who may not send says nothing of receivers, so every role without departments is enough.
      if (expected === "sender-not-authorised" && team.severalDepartments) continue;
      // Under observe the same errors are notes, and the message has no effect.
      const seen = ask(team, { type, sender, to, policy: "observe" });
      const isAuthorised = expected === "authorised";
      if (!seen.ok || seen.value.effect !== isAuthorised || (seen.value.notes.length === 0) !== isAuthorised)
        assert.fail(
          `${type}: ${senderName(sender)} to ${receiverName(receiver)} under observe: ${JSON.stringify(seen)}`,
        );
    }
  }
  const isUsed = senders !== "" && (row[3] === undefined || team.severalDepartments);
  assert.equal(authorised > 0, isUsed, `${type}: somebody may, unless Baton alone writes it`);
}

/** `role:ROLE` is everyone of the role; one who may not get it is enough to refuse it. */
function judgeRole(team: Team, row: Row, sender: Person, role: Person["role"]): void {
  const result = ask(team, { type: row[0], sender, to: [addressed(`role:${role}`)] });
  const meant = team.people.filter((person) => person.role === role);
  const expected = !maySend(row, sender, team)
    ? "sender-not-authorised"
    : meant.every((person) => mayReceive(row, sender, person, team))
      ? "authorised"
      : "receiver-not-authorised";
  assert.equal(verdictOf(result), expected, `${row[0]}: ${senderName(sender)} to role:${role}`);
  if (!result.ok) return;
  const reached = meant.flatMap((person) => [senderName(person), receiverName(person)]);
  assert.deepEqual(new Set(result.value.receivers), new Set(reached.filter((agent) => agent !== senderName(sender))));
}

/** Without named receivers it goes to those whom the dialect names, as far as the sender may reach them. */
function judgeUnaddressed(team: Team, row: Row, sender: Person): void {
  const result = ask(team, { type: row[0], sender, to: null });
  const where = `${row[0]} of ${senderName(sender)}`;
  const reached = team.people
    .filter((person) => (row[0] === "shutdown_request" ? isAskedToStop : mayReceive)(row, sender, person, team))
    .flatMap((person) => [senderName(person), receiverName(person)])
    .filter((agent) => agent !== senderName(sender));
  const expected = !maySend(row, sender, team)
    ? "sender-not-authorised"
    : reached.length === 0
      ? "receiver-not-authorised"
      : "authorised";
  assert.equal(verdictOf(result), expected, where);
  if (result.ok) assert.deepEqual(new Set(result.value.receivers), new Set(reached), where);
}
