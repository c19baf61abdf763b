/**
 * The corpus of paths: `escapes.jsonl`, none of which may be allowed, and `legal.jsonl`, none of which may be refused; a
 * path with the scope it is held to (absent: all is allowed, nothing forbidden), why it is there, and what is expected.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { canonicalPath } from "../../src/base/paths/paths.ts";
import { checkEntries, checkScope, readAskedGlobs, type Scope } from "../../src/base/paths/scope.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { testTeam } from "../../src/testing/test-team.ts";
import { meant } from "./reference.ts";

interface Case extends Partial<Scope> {
  readonly path: string;
  readonly reason: string;
}
interface Escape extends Case {
  readonly code: "invalid-path" | "outside-contract";
}
interface Legal extends Case {
  /** Absent: as written. */
  readonly canonical?: string;
}

function casesIn<Line extends Case>(file: string): readonly Line[] {
  const lines = readFileSync(join(import.meta.dirname, file), "utf8")
    .trim()
    .split("\n");
  // The corpus is ours; a wrong line fails its test.
  return lines.map((line) => JSON.parse(line) as Line);
}

const escapes = casesIn<Escape>("escapes.jsonl");
const legal = casesIn<Legal>("legal.jsonl");

function scopeOf({ allowed = ["**"], forbidden = [] }: Case): Scope {
  return { allowed, forbidden };
}

function shown({ path, reason, allowed, forbidden }: Case): string {
  return `${JSON.stringify(path.slice(0, 80))} (${reason}; ${JSON.stringify([allowed, forbidden])})`;
}

test(`of ${escapes.length} escapes none is allowed, each refused for its reason`, (t) => {
  const keys = new Set(escapes.map(({ path, allowed, forbidden }) => JSON.stringify([path, allowed, forbidden])));
  assert.equal(keys.size, escapes.length, "no case stands there twice");
  assert.ok(escapes.length >= 400);
  for (const each of escapes) {
    const problems = checkScope(scopeOf(each), [each.path]);
    assert.deepEqual(
      problems.map(({ code }) => code),
      [each.code],
      shown(each),
    );
  }
  const invalid = escapes.filter(({ code }) => code === "invalid-path").length;
  t.diagnostic(
    `${escapes.length} escapes, 0 allowed: ${invalid} are no paths, ${escapes.length - invalid} lie outside`,
  );
});

test("what is no path is no entry of a contract or a claim either", () => {
  for (const each of escapes.filter(({ code }) => code === "invalid-path")) {
    const isEntry = (text: string) => readAskedGlobs([text], "$.files").ok;
    assert.ok(!isEntry(each.path), shown(each));
    assert.ok(!isEntry(`${each.path}/*`) || canonicalPath(`${each.path}/x`).ok, shown(each));
    assert.equal(checkEntries({ allowed: ["**"], forbidden: [] }, [each.path]).length, 1, shown(each));
  }
});

test(`of ${legal.length} legal paths none is refused, and each is brought into its form`, (t) => {
  assert.ok(legal.length >= 100);
  for (const each of legal) {
    assert.deepEqual(checkScope(scopeOf(each), [each.path]), [], shown(each));
    assert.deepEqual(canonicalPath(each.path), { ok: true, value: each.canonical ?? each.path }, shown(each));
  }
  t.diagnostic(`${legal.length} legal paths, 0 refused`);
});

/** A judge as it is usually written: the path is normalised, must not begin with `..`, and is compared as it is. */
function usualJudge(scope: Scope, path: string): boolean {
  const normal = posix.normalize(path);
  if (normal.startsWith("..") || posix.isAbsolute(normal) || normal.split("/").includes(".git")) return false;
  return scope.allowed.some((glob) => meant(glob, normal)) && !scope.forbidden.some((glob) => meant(glob, normal));
}

test("a judge as it is usually written allows many of the escapes, so the corpus can tell one from the other", () => {
  const allowed = escapes.filter((each) => usualJudge(scopeOf(each), each.path));
  assert.ok(allowed.length > 200, `${allowed.length} allowed`);
  for (const reason of ["drive letter", "backslash", "HFS+", "short name", "another case", "stream", "NUL"])
    assert.ok(
      allowed.some((each) => each.reason.includes(reason)),
      reason,
    );
});

test("an agent that reports an escape is refused, whatever else it reports", async () => {
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
  });
  const lead = team.as("lead-1");
  const dev = team.as("dev-1");
  const scopes = new Map<string, string>();
  for (const each of escapes) {
    const { allowed, forbidden } = scopeOf(each);
    const key = JSON.stringify([allowed, forbidden]);
    const known = scopes.get(key);
    const plan = known ?? `5-${scopes.size + 1}`;
    if (known === undefined) {
      scopes.set(key, plan);
      const payload = { plan_id: plan, allowed_paths: ["always/ok", ...allowed], forbidden_paths: forbidden };
      const opened = await lead.send(
        JSON.stringify(typedMessage("plan_contract", payload, { id: `contract-${plan}` })),
      );
      assert.equal(opened.outcome, "accepted", JSON.stringify(opened));
    }
    const payload = { plan_id: plan, task_id: "T1", files_modified: ["always/ok", each.path] };
    const message = typedMessage("execution_update", payload, { id: `report-${scopes.size}-${escapes.indexOf(each)}` });
    const sent = await dev.send(JSON.stringify(message));
    assert.equal(sent.outcome, "refused", shown(each));
  }
});
