/**
 * Types, senders, receivers and examples are those of the lists: nothing is missing, and nothing is there that no document
 * asks for. How each pair is judged at each door is tests/authority/matrix.test.ts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { type Requirement, readRequirements } from "./requirements.ts";

/** Senders and receivers whom a document names in words, such as "any agent": the rows of kind `rule` say so. */
const namedInWords: ReadonlySet<string> = new Set([
  "yolo/1 escalation sender",
  "yolo/1 escalation receiver",
  "yolo/1 escalation_resolution sender",
  "yolo/1 escalation_resolution receiver",
  "yolo/1 agent_health_event sender",
  "yolo/1 agent_health_event receiver",
  "yolo/1 circuit_breaker_state sender",
  "yolo/1 circuit_breaker_state receiver",
  "yolo/1 summary_aggregation sender",
  "yolo/1 summary_aggregation receiver",
  "yolo/1 shutdown_request receiver",
  "yolo/1 shutdown_response sender",
  "bmad/1 handoff sender",
  "bmad/1 handoff receiver",
]);

function definitionsOf(dialect: string) {
  const found = dialectOf(dialect);
  assert.ok(found !== null);
  return [...found.definitions.values()];
}

/** The words of the rows of a kind, by type. */
function saidOf(rows: readonly Requirement[], kind: Requirement["kind"], type: string): readonly string[] {
  return rows.filter((row) => row.kind === kind && row.of === type).map(({ says }) => says);
}

/** What differs between the rows and the definitions. */
function routingProblems(dialect: string, rows: readonly Requirement[]): readonly string[] {
  return definitionsOf(dialect).flatMap(({ type, senders, receivers, routing }) => {
    const sides = [
      ["sender", senders, routing.across?.senders],
      ["receiver", receivers, routing.across?.receivers],
    ] as const;
    const bySide = sides.flatMap(([kind, roles, departments]) => {
      const said = saidOf(rows, kind, type);
      const named = new Set(said.map((each) => each.split("@")[0]));
      const across = said.flatMap((each) => each.split("@")[1] ?? []);
      const strangers = across.filter((department) => !departments?.some((each) => each === department));
      const isInWords = namedInWords.has(`${dialect} ${type} ${kind}`);
      const missing = [...named].filter((role) => !roles.some((each) => each === role));
      const further = isInWords ? [] : roles.filter((role) => !named.has(role));
      return [...missing, ...further, ...strangers].map((name) => `${dialect} ${type} ${kind}: ${name}`);
    });
    const routes = saidOf(rows, "route", type).flatMap((route) => {
      const [from = "", to = ""] = route.split(" -> ");
      return [
        ...(from === "a teammate" || from === senders.join(", ") ? [] : [`${dialect} ${type} from ${from}`]),
        ...(to === "all teammates" || to === receivers.join(", ") ? [] : [`${dialect} ${type} to ${to}`]),
      ];
    });
    return [...bySide, ...routes];
  });
}

for (const { dialect: id, rows } of readRequirements()) {
  test(`${id}: the types are those of the list`, () => {
    const types = definitionsOf(id).map(({ type }) => type);
    const listed = rows.filter(({ kind }) => kind === "type").map(({ of }) => of);
    assert.deepEqual(id === "bmad/1" ? ["handoff"] : listed.toSorted(), types.toSorted());
  });

  test(`${id}: senders and receivers are those of the list`, () => {
    assert.deepEqual(routingProblems(id, rows), []);
  });

  test(`${id}: the example of each type in the list is read, as strictly as can be`, () => {
    const definitions = new Map(definitionsOf(id).map((definition) => [definition.type, definition]));
    for (const { of } of rows.filter(({ kind }) => kind === "example")) {
      const definition = definitions.get(of);
      assert.ok(definition !== undefined, of);
      // The lists name dialects that are registered.
      const reading = readMessage(JSON.stringify(definition.example), { dialects: [id as DialectId], strict: true });
      assert.equal(reading.outcome, "accepted", of);
    }
  });
}

test("a sender that no row names, and a row that no definition follows, are found", () => {
  const lists = readRequirements();
  const rows = lists.find(({ dialect }) => dialect === "vbw/2")?.rows ?? [];
  const isRow = ({ kind, of, says }: Requirement) => kind === "sender" && of === "execution_update" && says === "docs";
  const without = rows.filter((row) => !isRow(row));
  assert.equal(without.length, rows.length - 1);
  assert.deepEqual(routingProblems("vbw/2", without), ["vbw/2 execution_update sender: docs"]);
  const more = rows.map((row) => (isRow(row) ? { ...row, says: "scout" } : row));
  assert.equal(routingProblems("vbw/2", more).length, 2);
});
