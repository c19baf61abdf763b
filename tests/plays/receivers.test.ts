/** Whom a message reaches where a level is empty, where a person leads, and where a team speaks two documents. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { maySend, type Row, type TableDialect, table } from "../authority/table.ts";
import { type Cast, goesUp, play } from "./play.ts";

/** An agent of each role that a document knows. */
function everybody(dialect: TableDialect): Cast {
  const rows: readonly Row[] = table[dialect];
  const roles = rows.flatMap(([, senders, receivers]) => `${senders} ${receivers}`.split(" "));
  const agents = roles.filter((role) => !["", "owner", "user", "orchestrator"].includes(role));
  return Object.fromEntries(agents.map((role) => [`${role}-1`, role]));
}

/** Each agent says each of these types of a dialect that it may. */
async function sayAll(
  dialects: readonly [TableDialect, ...TableDialect[]],
  cast: Cast,
  dialect: TableDialect,
  isMeant: (row: Row) => boolean,
): Promise<void> {
  const team = await play(dialects, cast);
  const rows: readonly Row[] = table[dialect];
  for (const [who, person] of team.people)
    for (const row of rows)
      if (isMeant(row) && maySend(row, person, { dialect, severalDepartments: false }))
        await team.says(who, row[0], {}, { dialect });
}

/** What answers something needs what it answers. */
const isOpening = ([type]: Row) => !["shutdown_request", "approval_response", "escalation_resolution"].includes(type);
const isUpward = (row: Row) => goesUp(row) && row[0] !== "shutdown_response";

for (const dialect of ["vbw/1", "vbw/2", "yolo/1", "yolo/2"] as const) {
  test(`${dialect} without a lead or a senior: each message that goes up is taken, and reaches the next who decides`, async () => {
    const all = everybody(dialect);
    const without = (some: Cast, name: string): Cast =>
      Object.fromEntries(Object.entries(some).filter(([agent]) => agent !== name));
    const withoutLead = without(all, "lead-1");
    const alone = Object.entries(withoutLead).map((one): Cast => Object.fromEntries([one]));
    for (const cast of [withoutLead, without(all, "senior-1"), ...alone])
      await sayAll([dialect], cast, dialect, isUpward);
  });
}

for (const [first, second] of [
  ["vbw/1", "vbw/2"],
  ["yolo/1", "yolo/2"],
] as const) {
  test(`${first} and ${second} in one team: a message reaches those whom its own document names`, async () => {
    const isMeant = (row: Row) => isOpening(row) && (isUpward(row) || row[0] === "plan_contract");
    const cast = { ...everybody(first), ...everybody(second) };
    for (const dialect of [first, second]) await sayAll([first, second], cast, dialect, isMeant);
    // Of one family: the second vbw document leaves the architect out, the first yolo document does not.
    const team = await play([first, second], cast);
    await team.says("lead-1", "shutdown_request");
  });
}

test("yolo/1 without a backend: what is for its lead comes to the person, and the receipt names who is missing", async () => {
  const team = await play(["yolo/1"], { "ux-1": "lead@uiux", "front-1": "lead@frontend" });
  await team.says("front-1", "api_contract", { direction: "frontend_to_backend" }, { reaches: ["owner"] });
  assert.match(await team.reads("owner"), /Nobody is there as lead of backend to receive this/);
});
