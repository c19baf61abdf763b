/** A message type of the team's own, from its file to a reader's inbox, through the command alone. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import "@hyperjump/json-schema/formats";
import { registerSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { acceptedExamples } from "../corpus/messages.ts";
import { calledWithCode } from "./called.ts";
import { baton, expectCode, folder, hook, jsonLines } from "./command.ts";

const guide = readFileSync(new URL("../../docs/guides/team-file.md", import.meta.url), "utf8");
const definition = /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";

/** A team with the guide's own type. */
async function team(text = definition): Promise<string> {
  const place = folder();
  await calledWithCode(0, place, ["init", "--dialect", "vbw/2", "--yes"]);
  mkdirSync(join(place, ".baton/messages"), { recursive: true });
  writeFileSync(join(place, ".baton/messages/risk_report.json"), text);
  return place;
}

function report(payload: object): string {
  return JSON.stringify({ ...typedMessage("execution_update"), id: "risk-1", type: "risk_report", payload });
}

const good = report({ risk: "The disk is nearly full", level: "high" });

test("the guide's type is known to doctor, reference, validate and read", async () => {
  const place = await team();
  assert.match((await calledWithCode(0, place, ["doctor"])).stdout, /own messages risk_report/);
  const names = (await calledWithCode(0, place, ["reference", "--schema"])).stdout.trimEnd().split("\n");
  assert.ok(names.includes("vbw/2/risk_report") && !names.includes("yolo/2/risk_report"));
  const schema = JSON.parse(
    (await calledWithCode(0, place, ["reference", "vbw/2/risk_report", "--schema"])).stdout,
  ) as {
    readonly $id: string;
  };
  assert.equal(schema.$id, "urn:baton:vbw/2:risk_report");
  const page = (await calledWithCode(0, place, ["reference", "vbw/2/risk_report"])).stdout;
  assert.match(page, /^# risk_report \(vbw\/2\)\n[\s\S]*Senders: dev, qa\. Receivers: lead\./);
  assert.match(page, /\| `level` \| yes \| low \\\| high \| How bad it would be\. \|/);
  assert.match(
    (await calledWithCode(0, place, ["reference", "vbw/2"])).stdout,
    /The team's own:[\s\S]*\| risk_report \| dev, qa \| lead \|/,
  );
  await calledWithCode(0, place, ["validate"], good);
  await calledWithCode(0, place, ["validate", "--dialect", "vbw/2"], good);
  await calledWithCode(2, place, ["validate", "--dialect", "yolo/2"], good);
  const refused = await calledWithCode(2, place, ["validate"], report({ risk: "x", level: "hihg" }));
  assert.match(refused.stdout + refused.stderr, /did you mean "high"/);
  const [reading] = jsonLines(await calledWithCode(0, place, ["validate", "--json"], good));
  assert.equal(reading?.type, "risk_report");
  await calledWithCode(3, folder(), ["reference", "vbw/2/risk_report", "--schema"]);
});

test("it is sent, refused and delivered by the record, even where the file is gone or broken since", async () => {
  const place = await team();
  await calledWithCode(0, place, ["agent", "register", "lead-1", "--role", "lead"]);
  await calledWithCode(0, place, ["agent", "register", "dev-1", "--role", "dev"]);
  assert.match(
    (await calledWithCode(2, place, ["send", "--as", "dev-1"], report({ level: "low" }))).stderr,
    /The field risk is missing/,
  );
  await calledWithCode(0, place, ["send", "--as", "dev-1"], good);
  const [delivery] = jsonLines(await calledWithCode(0, place, ["inbox", "--as", "lead-1", "--json"]));
  assert.equal(delivery?.type, "risk_report");
  // Another process without the team file next to it: the journal alone says what the type is.
  rmSync(join(place, ".baton/team.yaml"));
  rmSync(join(place, ".baton/messages"), { recursive: true });
  const later = report({ risk: "The disk is full", level: "high" }).replace("risk-1", "risk-2");
  expectCode(0, place, ["send", "--as", "dev-1"], later);
});

test("an error in the file stops what the team is asked for, with file and path; the dialects go on", async () => {
  const place = await team(definition.replace('"minLength": 1', '"pattern": "(a+)+$"'));
  const { stderr } = await calledWithCode(2, place, ["status"]);
  assert.match(stderr, /messages\/risk_report\.json: \$\.schema\.properties\.risk\.pattern/);
  assert.match(stderr, /enum/);
  await calledWithCode(0, place, ["reference", "vbw/2/plan_contract", "--schema"]);
  assert.match((await calledWithCode(2, place, ["reference", "vbw/2/risk_report", "--schema"])).stderr, /team-file/);
});

test("what is no plain file, or too large, is not read", async () => {
  const linked = await team();
  symlinkSync("/dev/zero", join(linked, ".baton/messages/endless.json"));
  assert.match((await calledWithCode(2, linked, ["status"])).stderr, /it is a link/);
  assert.match((await calledWithCode(2, await team(" ".repeat(70_000)), ["status"])).stderr, /65536 bytes/);
});

test("the bundle of a dialect holds the team's own types among the others", async () => {
  const place = await team();
  const text = (await calledWithCode(0, place, ["reference", "vbw/2", "--schema"])).stdout;
  // Under an id of this test's own: the published bundle may be registered too.
  const bundle = JSON.parse(text.replaceAll("urn:baton:", "urn:baton-own:")) as { readonly $id: string };
  registerSchema(bundle);
  const check = await validate(bundle.$id);
  const fits = (message: unknown) => check(message as never).valid;
  assert.equal(fits(JSON.parse(good)), true);
  assert.equal(fits(JSON.parse(report({ risk: "x", level: "hihg" }))), false);
  for (const { name, message } of acceptedExamples("vbw/2")) assert.ok(fits(message), name);
  // A dialect that the team does not list, and a place without a team: the published file verbatim.
  const published = readFileSync(new URL("../../schemas/yolo/2/bundle.json", import.meta.url), "utf8");
  for (const where of [place, folder()])
    assert.equal((await calledWithCode(0, where, ["reference", "yolo/2", "--schema"])).stdout, published);
});

const judged: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [good, [], []],
  [report({ level: "low" }), [], ["missing payload field: risk"]],
  [good.replace('"dev"', '"scout"'), [], ["role scout not authorized for risk_report"]],
  [good.replace('"type"', '"target_role":"qa","type"'), [], ["target role qa cannot receive risk_report"]],
  [good.replace('"type"', '"target_role":"lead","type"'), [], []],
  [good.replaceAll("risk_report", "risk_rapport"), [], ["unknown message type: risk_rapport"]],
  [good, ["--dialect", "yolo/2"], ["unknown message type: risk_report"]],
  [report({ risk: "x", level: "hihg" }), [], []],
];

test("the drop-in knows the types as it knows its own: fields, senders, receivers; with --strict the schema", async () => {
  const place = await team();
  const answer = (run: typeof hook, text: string, options: readonly string[]) => {
    const { stdout } = run(place, ["validate-message", ...options, text]);
    return (JSON.parse(stdout) as { readonly errors: readonly string[] }).errors;
  };
  for (const [text, options, errors] of judged) {
    assert.deepEqual(answer(hook, text, options), errors, text);
    assert.deepEqual(answer(baton, text, options), errors, text);
  }
  assert.deepEqual(answer(hook, good, ["--strict"]), []);
  assert.match(
    answer(hook, report({ risk: "x", level: "hihg" }), ["--strict"]).join(),
    /wrong-value at \$\.payload\.level/,
  );
  const broken = await team("{");
  const { stdout, code } = hook(broken, [good]);
  assert.equal(code, 2);
  assert.match(stdout, /unknown message type: risk_report.*risk_report\.json/);
});
