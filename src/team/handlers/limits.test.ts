/** Limits of the team file: only what is asked for is written, by the owner, into the very file that was shown. */
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readPlainFile } from "../../base/plain-file.ts";
import { makeProblem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import type { Context } from "../../perform/context.ts";
import { teamHandle } from "../../perform/handle.ts";
import { testTeam } from "../../testing/test-team.ts";
import { reviseTeam } from "./revision.ts";
import { teamOfFile } from "./team-file.ts";

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
] as const;

const text = `# The team of the shop
version: 1
team: greeters
dialects: [vbw/2] # the newest
limits:
  # long builds
  lease_seconds: 300   # five minutes
  inbox_page: 40

agents:
  lead-1: { role: lead }   # never alone
  dev-1: { role: dev }
`;

/** A team with its file in a separate folder, and a handle on it for each agent. */
async function teamWithFile(t: TestContext, content = text) {
  const folder = mkdtempSync(join(tmpdir(), "baton-limits-"));
  const path = join(folder, "team.yaml");
  writeFileSync(path, content);
  const team = await testTeam({ agents });
  t.after(async () => {
    await team[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  const readTeamFile: Context["readTeamFile"] = () => {
    const file = readPlainFile(path, 100_000);
    if (!file.ok) return err(makeProblem("team-file", path, file.error));
    return ok(file.value === null ? null : { path, text: file.value.text });
  };
  const context: Context = { ...team.context, readTeamFile };
  const definition = await teamOfFile({ path, text: content });
  if (definition.ok && definition.value !== null) assert.ok((await reviseTeam(context, definition.value)).ok);
  return { path, as: (agent: string) => teamHandle(context, { agent, via: "launcher" }, () => Promise.resolve()) };
}

test("a preview shows the lines and what waits, and writes nothing; then exactly these lines are written", async (t) => {
  const { path, as } = await teamWithFile(t);
  chmodSync(path, 0o640);
  const owner = as("owner");
  const shown = await owner.limits();
  assert.ok(shown.ok, JSON.stringify(shown));
  const lease = shown.value.limits.find(({ limit }) => limit === "lease_seconds");
  assert.deepEqual([lease?.value, lease?.inForce], [300, 300]);
  const given = { limits: ["inbox_page=20", "message_bytes=65536"], digest: shown.value.digest };
  const preview = await owner.setLimits({ ...given, preview: true });
  assert.ok(preview.ok, JSON.stringify(preview));
  assert.equal(readFileSync(path, "utf8"), text);
  assert.deepEqual(
    preview.value.diff.split("\n").filter((line) => /^[+-] /.test(line)),
    ["-  inbox_page: 40", "+  inbox_page: 20", "+  message_bytes: 65536"],
  );
  assert.deepEqual(
    preview.value.changes.map(({ place, waits }) => [place, waits]),
    [
      ["limits.message_bytes", false],
      ["limits.inbox_page", false],
    ],
  );
  const written = await owner.setLimits(given);
  assert.ok(written.ok, JSON.stringify(written));
  assert.deepEqual([written.value.isWritten, written.value.proposal], [true, null]);
  const wanted = text.replace("inbox_page: 40\n", "inbox_page: 20\n  message_bytes: 65536\n");
  assert.equal(readFileSync(path, "utf8"), wanted, "comments, order and blank lines stay");
  assert.equal(statSync(path).mode & 0o777, 0o640);
  const after = await owner.limits();
  assert.ok(after.ok);
  assert.equal(after.value.digest, written.value.digest);
  assert.equal(after.value.limits.find(({ limit }) => limit === "inbox_page")?.inForce, 20, "in force at once");
});

test("what gives somebody more is written, and waits for the owner's yes", async (t) => {
  const { as } = await teamWithFile(t);
  const owner = as("owner");
  const written = await owner.setLimits({ limits: ["inbox_page=90"] });
  assert.ok(written.ok && written.value.proposal !== null, JSON.stringify(written));
  const waits = await owner.limits();
  assert.ok(waits.ok);
  const of = (limit: string) => waits.value.limits.find((each) => each.limit === limit);
  assert.deepEqual([of("inbox_page")?.value, of("inbox_page")?.inForce], [90, 40]);
  assert.equal((await owner.confirmRevision({ proposal: written.value.proposal })).outcome, "accepted");
  const after = await owner.limits();
  assert.equal(after.ok && after.value.limits.find(({ limit }) => limit === "inbox_page")?.inForce, 90);
  const again = await owner.setLimits({ limits: ["inbox_page=90"] });
  assert.deepEqual(again.ok && [again.value.diff, again.value.isWritten], ["", false]);
});

test("a file without limits gets them at its end, and braces stay braces", async (t) => {
  const bare = text.replace(/limits:\n(.*\n){3}\n/, "");
  const { path, as } = await teamWithFile(t, bare);
  assert.ok((await as("owner").setLimits({ limits: ["lease_seconds=60"] })).ok);
  assert.equal(readFileSync(path, "utf8"), `${bare}limits:\n  lease_seconds: 60\n`);
  const other = await teamWithFile(t, `${bare}limits: {lease_seconds: 60} # short\n`);
  assert.ok((await other.as("owner").setLimits({ limits: ["lease_seconds=90", "inbox_page=7"] })).ok);
  assert.equal(readFileSync(other.path, "utf8"), `${bare}limits: {lease_seconds: 90, inbox_page: 7} # short\n`);
});

test("nothing is written for others, for wrong limits, or into a file that has changed", async (t) => {
  const { path, as } = await teamWithFile(t);
  const owner = as("owner");
  const shown = await owner.limits();
  assert.ok(shown.ok);
  const { digest } = shown.value;
  const codeOf = async (agent: string, limits: readonly string[], more: object = {}) => {
    const answer = await as(agent).setLimits({ limits: [...limits], ...more });
    return answer.ok ? "written" : `${answer.error.code} ${answer.error.path}`;
  };
  for (const agent of ["lead-1", "dev-1", "stranger"])
    assert.equal(await codeOf(agent, ["lease_seconds=1"]), `human-required ${agent}`);
  for (const limit of [
    "lease_second=1",
    "lease_seconds",
    "lease_seconds=",
    "lease_seconds=0",
    "lease_seconds=1e9",
    "lease_seconds=-1",
    "lease_seconds=99999999999999999999",
    "__proto__=1",
    "lease_seconds=1\nagents: {}",
  ])
    assert.equal(await codeOf("owner", ["inbox_page=7", limit]), "wrong-value arguments.limits[1]", limit);
  const apart = await owner.setLimits({ limits: ["lease_seconds", "60"] });
  assert.deepEqual(apart.ok ? [] : [apart.error.message, apart.error.received, apart.error.hint], [
    "lease_seconds has no value: the = is missing.",
    "lease_seconds",
    "Write lease_seconds=60.",
  ]);
  writeFileSync(path, text.replace("# never alone", "# alone"));
  assert.equal(await codeOf("owner", ["lease_seconds=1"], { digest }), "changed-meanwhile arguments.digest");
  writeFileSync(path, text.replace("team: greeters", "team: others"));
  assert.match(await codeOf("owner", ["lease_seconds=1"]), /^not-found/);
  writeFileSync(path, "version: 1\nteam: [\n");
  assert.match(await codeOf("owner", ["lease_seconds=1"]), /^not-yaml/);
  rmSync(path);
  symlinkSync("/etc/passwd", path);
  assert.match(await codeOf("owner", ["lease_seconds=1"]), /^team-file/);
  rmSync(path);
  assert.match(await codeOf("owner", ["lease_seconds=1"]), /^not-found/);
  // The control: the same is written into the file that was shown.
  writeFileSync(path, text);
  assert.equal(await codeOf("owner", ["lease_seconds=1"], { digest }), "written");
});
