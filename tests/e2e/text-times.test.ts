/** Times in the text of commands: every moment is the reader's clock, in one form; programs read RFC 3339 with `--json`. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "./called.ts";
import { contract, handoff, message, request, team } from "./command.ts";

const rfc3339 = /\d{4}-\d\d-\d\dT\d\d:\d\d/;
const clock = /\b\d\d:\d\d:\d\d\b/;

/** Looks that print a moment, each by itself. */
const looks = [
  ["needs"],
  ["status"],
  ["inbox", "--as", "qa-1"],
  ["show", "1"],
  ["log"],
  ["needs", "--requests"],
  ["task", "list"],
  ["handoff", "list"],
  ["handoff", "list", "handoff-1"],
  ["shutdown", "status"],
  ["token", "list", "--links"],
] as const;

/** Answers of operations that print a moment. */
const operations = [
  [["task", "claim", "1-1-T1", "--as", "dev-1"], ""],
  [["handoff", "accept", "handoff-1", "--as", "dev-1"], ""],
  [["token", "create", "--link", "--note", "boss"], ""],
] as const;

test("the text of every command shows moments by the reader's clock and none as a program reads them", async () => {
  const place = team({ dialects: "vbw/2, bmad/1" });
  writeFileSync(join(place, "README.md"), "Read me");
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract());
  await calledWithCode(0, place, ["send", "--as", "lead-1", "--to", "qa-1"], "Look at it");
  await calledWithCode(0, place, ["send", "--as", "lead-1", "--to", "dev-1"], handoff("README.md"));
  for (const [words, input] of operations) {
    const { code, said } = await called(place, words, input);
    assert.equal(code, 0, said);
    assert.doesNotMatch(said, rfc3339, words.join(" "));
  }
  const deadline = JSON.parse(request()) as { readonly payload: object }; // as `request` writes it
  const asked = { ...deadline.payload, deadline: "2026-02-12T10:30:00Z" };
  await calledWithCode(0, place, ["send", "--as", "dev-1"], message("approval_request", "dev", asked));
  const stop = ["stop", "scout-1", "--as", "lead-1", "--reason", "phase_complete", "--deadline", "0.1"];
  await called(place, stop);
  for (const words of looks) {
    const { stdout } = await called(place, words);
    // What an agent wrote is shown as it wrote it.
    assert.doesNotMatch(stdout.replaceAll("2026-02-12T10:00:00Z", ""), rfc3339, words.join(" "));
    assert.match(stdout, clock, words.join(" "));
  }
  assert.match((await called(place, ["log", "--json"])).stdout, /\d\.\d{3}Z/, "programs get UTC");
});
