/** The mail that a hook shows in a team that only observes: what has no effect is shown, and changes nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { calledWithCode } from "./called.ts";
import { contract } from "./command.ts";
import { hook, place } from "./hook-call.ts";

test("a contract that observe only shows leaves no valid contract out, whichever agent wrote it, and is shown as being without effect", async () => {
  const directory = place({ policy: "observe" });
  await calledWithCode(0, directory, ["send", "--as", "lead-1"], contract(["src/"], {}));
  await calledWithCode(
    0,
    directory,
    ["send", "--as", "qa-1", "--to", "dev-1"],
    contract(["docs/"], { id: "second", author_role: "qa" }),
  );
  // No contract allows a path outside the repository.
  const revised = contract(["../lib/"], { id: "third" });
  await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "dev-1"], revised);
  const { context } = await hook(directory, "PostToolBatch", { session_id: "s1" }, ["--as", "dev-1"]);
  assert.match(context, /#2 plan_contract from lead-1\n.*"src\/"/);
  assert.match(
    context,
    /#3 plan_contract from qa-1 \(without effect: only shown, do not act on it\)\n(?:Note: [^\n]+\n)+.*"docs\/"/,
  );
  assert.match(
    context,
    /#4 plan_contract from lead-1 \(without effect: only shown, do not act on it\)\n(?:Note: [^\n]+\n)+.*"\.\.\/lib\/"/,
  );
  assert.doesNotMatch(context, /Left out/);
});
