import assert from "node:assert/strict";
import { test } from "node:test";
import { unknownAgent } from "./roster.ts";

test("a name that nobody has is reported with the names there are, the one that was meant, and what to do", () => {
  const problem = unknownAgent("dve-1", ["dev-1", "lead-1"], { path: "arguments.to" });
  assert.deepEqual(
    [problem.code, problem.path, problem.message, problem.expected, problem.received],
    ["unknown-agent", "arguments.to", 'There is no agent "dve-1" in the team.', "dev-1 | lead-1", "dve-1"],
  );
  assert.match(
    problem.hint ?? "",
    /^did you mean "dev-1"\? `baton agent list` shows .* `baton agent register dve-1 --role ROLE`/,
  );
});

test("without a name near it, or with advice of its caller, the hint says that alone; a long name is cut", () => {
  assert.match(unknownAgent("x", []).hint ?? "", /^`baton agent list`/);
  assert.equal(unknownAgent("x", ["dev-1"], { hint: "Ask." }).hint, "Ask.");
  // Nobody can register that name in any case.
  assert.equal(unknownAgent("Owner", ["dev-1"]).hint, 'did you mean "owner", the person who owns the team?');
  assert.equal(unknownAgent("x".repeat(9_999), []).received?.length, 64);
});
