/** The handoff document, played whole: work is handed on, given back, issued again and finished by documents alone. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { play } from "./play.ts";

test("bmad/1 alone: a story is handed to a developer, its tests to qa, given back, handed over again, and finished", async () => {
  const story = "docs/stories/2-1-one-time-code.md";
  const text = "A code is good for ten minutes.\n";
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  const team = await play(["bmad/1"], { sm: "lead", dev: "dev", qa: "qa" }, { [story]: text });
  const to = (target_agent: string, quality_checks: JsonObject = {}) => ({
    metadata: { target_agent },
    validation: { file_checksums: { [story]: digest }, quality_checks },
  });
  const unfit = { tests_passed: false, code_review_status: "failed", documentation_complete: false };
  const handed = await team.says("sm", "handoff", to("dev"), { reaches: ["dev"] });
  await team.refused("sender-not-authorised", "qa", ["handoff", "accept", handed]);
  team.writes(story, "A code is good for ever.\n");
  const changed = await team.says("sm", "handoff", to("dev"), { reaches: ["dev"] });
  await team.refused("file-changed", "dev", ["handoff", "accept", changed]);
  await team.refused("file-missing", "dev", ["handoff", "complete", handed]);
  await team.does("dev", ["handoff", "complete", changed]);
  const back = await team.says("dev", "handoff", to("qa"), { reaches: ["qa"] });
  await team.refused("handoff-not-accepted", "qa", ["handoff", "complete", back]);
  const early = await team.says("dev", "handoff", to("qa"), { reaches: ["qa"] });
  await team.refused("missing-field", "qa", ["handoff", "reject", early]);
  assert.match(await team.reads("dev"), /the story has no acceptance criteria/);
  await team.refused("already-answered", "qa", ["handoff", "accept", early]);
  // What does not hold is handed back for repair, and comes again.
  const repair = await team.says("qa", "handoff", to("dev", unfit), { reaches: ["dev"] });
  await team.does("dev", ["handoff", "accept", repair]);
  await team.does("dev", ["handoff", "complete", repair]);
  const mended = await team.says("dev", "handoff", to("qa"), { reaches: ["qa"] });
  await team.does("qa", ["handoff", "accept", mended]);
  const last = await team.says("qa", "handoff", to("sm"), { reaches: ["sm"] });
  await team.does("sm", ["handoff", "accept", last]);
  await team.does("sm", ["handoff", "complete", last]);
  for (const [from, next] of [
    ["sm", "qa"],
    ["dev", "sm"],
  ] as const)
    await team.says(from, "handoff", to(next), { reaches: [next] });
  await team.ends("sm");
  team.whole();
});
