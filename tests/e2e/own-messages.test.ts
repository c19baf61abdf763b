/** A message type of the team's own, from its file to a reader's inbox, through the command alone. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { expectCode, folder, jsonLines } from "./command.ts";

const guide = readFileSync(new URL("../../docs/guides/own-messages.md", import.meta.url), "utf8");
const definition = /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";

/** A team with the guide's own type. */
function team(text = definition): string {
  const place = folder();
  expectCode(0, place, ["init", "--dialect", "vbw/2", "--yes"]);
  mkdirSync(join(place, ".baton/messages"), { recursive: true });
  writeFileSync(join(place, ".baton/messages/risk_report.json"), text);
  return place;
}

function report(payload: object): string {
  return JSON.stringify({ ...typedMessage("execution_update"), id: "risk-1", type: "risk_report", payload });
}

const good = report({ risk: "The disk is nearly full", level: "high" });

test("the guide's type is known to doctor, schema, reference, validate and read", () => {
  const place = team();
  assert.match(expectCode(0, place, ["doctor"]).stdout, /own messages risk_report/);
  const names = expectCode(0, place, ["schema"]).stdout.trimEnd().split("\n");
  assert.ok(names.includes("vbw/2/risk_report") && !names.includes("yolo/2/risk_report"));
  const schema = JSON.parse(expectCode(0, place, ["schema", "vbw/2/risk_report"]).stdout) as { readonly $id: string };
  assert.equal(schema.$id, "urn:baton:vbw/2:risk_report");
  const page = expectCode(0, place, ["reference", "vbw/2/risk_report"]).stdout;
  assert.match(page, /^# risk_report \(vbw\/2\)\n[\s\S]*Senders: dev, qa\. Receivers: lead\./);
  assert.match(page, /\| `level` \| yes \| low \\\| high \| How bad it would be\. \|/);
  assert.match(
    expectCode(0, place, ["reference", "vbw/2"]).stdout,
    /The team's own:[\s\S]*\| risk_report \| dev, qa \| lead \|/,
  );
  expectCode(0, place, ["validate"], good);
  expectCode(0, place, ["validate", "--dialect", "vbw/2"], good);
  expectCode(2, place, ["validate", "--dialect", "yolo/2"], good);
  const refused = expectCode(2, place, ["validate"], report({ risk: "x", level: "hihg" }));
  assert.match(refused.stdout + refused.stderr, /did you mean "high"/);
  const [reading] = jsonLines(expectCode(0, place, ["read", "--json"], good));
  assert.equal(reading?.type, "risk_report");
  expectCode(3, folder(), ["schema", "vbw/2/risk_report"]);
});

test("it is sent, refused and delivered by the record, even where the file is gone or broken since", () => {
  const place = team();
  expectCode(0, place, ["agent", "register", "lead-1", "--role", "lead"]);
  expectCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  assert.match(
    expectCode(2, place, ["send", "--as", "dev-1"], report({ level: "low" })).stderr,
    /The field risk is missing/,
  );
  expectCode(0, place, ["send", "--as", "dev-1"], good);
  const [delivery] = jsonLines(expectCode(0, place, ["inbox", "--as", "lead-1", "--json"]));
  assert.equal(delivery?.type, "risk_report");
  // Another process without the team file beside it: the journal alone says what the type is.
  rmSync(join(place, ".baton/team.yaml"));
  rmSync(join(place, ".baton/messages"), { recursive: true });
  const later = report({ risk: "The disk is full", level: "high" }).replace("risk-1", "risk-2");
  expectCode(0, place, ["send", "--as", "dev-1"], later);
});

test("a fault in the file stops what the team is asked for, with file and path; the dialects go on", () => {
  const place = team(definition.replace('"minLength": 1', '"pattern": "(a+)+$"'));
  const { stderr } = expectCode(2, place, ["status"]);
  assert.match(stderr, /messages\/risk_report\.json: \$\.schema\.properties\.risk\.pattern/);
  assert.match(stderr, /enum/);
  expectCode(0, place, ["schema", "vbw/2/plan_contract"]);
  assert.match(expectCode(2, place, ["schema", "vbw/2/risk_report"]).stderr, /team-file/);
});

test("what is no plain file, or too large, is not read", () => {
  const linked = team();
  symlinkSync("/dev/zero", join(linked, ".baton/messages/endless.json"));
  assert.match(expectCode(2, linked, ["status"]).stderr, /no plain file/);
  assert.match(expectCode(2, team(" ".repeat(70_000)), ["status"]).stderr, /65536 bytes/);
});
