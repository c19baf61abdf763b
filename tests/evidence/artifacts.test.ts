/** Artifacts: there, committed, and holding what the message counts. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { verifyArtifacts } from "../../src/evidence/decide/artifacts.ts";
import type { FactKind } from "../../src/messages/facts.ts";
import { file, git, link } from "./history.ts";
import { madeRepository, tree } from "./place.ts";

const rows = (...entries: readonly JsonObject[]): string =>
  entries.map((row) => `${JSON.stringify({ plan: "1-1", ...row })}\n`).join("");
const unnamed = `${JSON.stringify({ q: "a", finding: "b" })}\n`;
const finding = (sev: string) => ({ id: "C1", sev, q: "Is it safe?" });

const committed = tree({
  "phases/critique.jsonl": rows({ phase: "01", findings: 3 }, ...["critical", "major", "minor"].map(finding)),
  "phases/review.jsonl": rows({ plan: "01-01", r: "approve", cycle: 1 }, { f: "a.ts", sev: "Critical", issue: "x" }),
  "phases/verification.jsonl": rows(
    { tier: "quick", r: "PARTIAL", ps: 2, fl: 1, tt: 3 },
    { c: "a", r: "PASS" },
    { c: "b", r: "pass" },
    { c: "d", r: "FAIL" },
  ),
  "phases/research.jsonl": rows({ q: "a", finding: "b", conf: "high" }, { q: "c", finding: "d", conf: "low" }),
  "phases/unnamed.jsonl": unnamed,
  "phases/two.jsonl": rows({ q: "a", finding: "b" }, { plan: "1-2", q: "c", finding: "d" }),
  "phases/checks-of-two.jsonl": rows(
    { r: "PASS", tt: 1 },
    { c: "a" },
    { plan: "1-2", r: "PASS", tt: 1 },
    { plan: "1-2", c: "b" },
  ),
  "phases/rounds.jsonl": rows({ cycle: 1 }, { f: "a.ts", issue: "x" }, { cycle: 2 }, { f: "b.ts", issue: "y" }),
  "phases/sum.jsonl": rows({ r: "PASS", tt: 3 }),
  "phases/broken.jsonl": '{"id":1}\n{"id":\n',
  "phases/design.toon": "decisions[1]: ...",
  "phases/away.jsonl": link("../../outside.jsonl"),
});

const critique = {
  planId: "01-01",
  findings: 3,
  critical: 1,
  major: 1,
  minor: 1,
  artifact: "phases/critique.jsonl",
  committed: true,
};
const artifact = (path: string, more: JsonObject = {}): JsonObject => ({
  planId: "01-01",
  artifact: path,
  committed: true,
  ...more,
});

const cases: readonly (readonly [what: string, kind: FactKind, body: JsonObject, codes: readonly string[]])[] = [
  ["a critique as it stands", "critique", critique, []],
  ["a critique with fewer findings", "critique", { ...critique, findings: 2 }, ["counts-differ"]],
  ["a review as it stands", "review-result", artifact("phases/review.jsonl", { findingsCount: 1, critical: 1 }), []],
  [
    "a review without its grave finding",
    "review-result",
    artifact("phases/review.jsonl", { findingsCount: 0, critical: 0 }),
    ["counts-differ"],
  ],
  ["what its entries say is not compared", "critique", { ...critique, critical: 0, minor: 2 }, []],
  [
    "checks as they stand",
    "verdict",
    artifact("phases/verification.jsonl", { checks: { passed: 2, failed: 1, total: 3 } }),
    [],
  ],
  ["research as it stands", "research", artifact("phases/research.jsonl", { findings: [{}, {}] }), []],
  [
    "a finding more than there is",
    "research",
    artifact("phases/research.jsonl", { findings: [{}, {}, {}] }),
    ["counts-differ"],
  ],
  ["rows of another plan do not count", "research", artifact("phases/two.jsonl", { findings: [{}] }), []],
  ...["01-01", "1-2"].map(
    (planId) =>
      [
        `a sum of its own for each of two plans: ${planId}`,
        "verdict",
        artifact("phases/checks-of-two.jsonl", { planId, checks: { total: 1 } }),
        [],
      ] as const,
  ),
  ["two rounds of one plan", "review-result", artifact("phases/rounds.jsonl", { findingsCount: 1 }), []],
  ["a sum alone", "verdict", artifact("phases/sum.jsonl", { checks: { total: 3 } }), []],
  ["rows without a plan are nobody's", "research", artifact("phases/unnamed.jsonl", { findings: [{}, {}] }), []],
  [
    "a line that is no JSON",
    "security-audit",
    artifact("phases/broken.jsonl", { findings: 2, critical: 0 }),
    ["artifact-unreadable"],
  ],
  ["a form that is not counted", "design", artifact("phases/design.toon"), []],
  ["nothing at the path", "design", artifact("phases/none.toon"), ["artifact-missing"]],
  ["a folder at the path", "design", artifact("phases"), ["artifact-missing"]],
  [
    "a link that leaves the repository",
    "security-audit",
    artifact("phases/away.jsonl", { findings: 0, critical: 0 }),
    ["artifact-missing"],
  ],
  ["a path that is none", "design", artifact("../secrets"), ["invalid-path"]],
  ["written and not committed", "design", artifact("written.toon"), ["artifact-uncommitted"]],
  ["written, and said not to be committed", "design", artifact("written.toon", { committed: false }), []],
  [
    "said not to be committed, with wrong counts",
    "research",
    artifact("written.jsonl", { committed: false, findings: [] }),
    ["counts-differ"],
  ],
  ["not written at all", "design", artifact("phases/none.toon", { committed: false }), ["artifact-missing"]],
  [
    "a critic's, which the lead will write",
    "critique",
    { ...critique, artifact: "phases/later.jsonl", committed: false },
    [],
  ],
  [
    "several, one of them missing",
    "design-handoff",
    { artifacts: { tokens: "phases/design.toon", flows: "phases/flows.jsonl" } },
    ["artifact-missing"],
  ],
  ["a message without an artifact", "progress", { planId: "1-1" }, []],
];

test("artifacts are checked against what the message says of them", async (t) => {
  await using made = await madeRepository({
    commits: [{ tree: committed, parents: [] }],
    references: { "refs/heads/work": 0 },
  });
  writeFileSync(join(made.folder, "outside.jsonl"), rows(finding("critical")));
  for (const [path, text] of [
    ["written.toon", "x"],
    ["written.jsonl", rows({ q: "a", finding: "b" })],
  ] as const) {
    mkdirSync(dirname(join(made.directory, path)), { recursive: true });
    writeFileSync(join(made.directory, path), text);
  }
  for (const [what, kind, body, codes] of cases)
    await t.test(what, async () => {
      const problems = await verifyArtifacts(made.repository, { kind, body });
      assert.deepEqual(
        problems.map(({ code }) => code),
        codes,
      );
    });
});

test("a file that a link in a working tree leads out to is none", async () => {
  await using made = await madeRepository({
    commits: [{ tree: tree({ a: "a" }), parents: [] }],
    references: { "refs/heads/main": 0 },
  });
  writeFileSync(join(made.folder, "outside.toon"), "x");
  symlinkSync("../outside.toon", join(made.directory, "inside.toon"));
  const problems = await verifyArtifacts(made.repository, {
    kind: "design",
    body: artifact("inside.toon", { committed: false }),
  });
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["artifact-missing"],
  );
});

test("a bare repository has no working tree in which an artifact could lie", async () => {
  await using made = await madeRepository({
    commits: [{ tree: tree({ a: "a" }), parents: [] }],
    references: { "refs/heads/main": 0 },
    isBare: true,
  });
  const problems = await verifyArtifacts(made.repository, {
    kind: "design",
    body: artifact("x.toon", { committed: false }),
  });
  assert.deepEqual(
    problems.map(({ code }) => code),
    ["repository-missing"],
  );
});

test("with more branches than are looked at, an artifact on none of these is undecided", async () => {
  const count = 201;
  await using made = await madeRepository({
    commits: Array.from({ length: count }, (_, at) => ({
      tree: new Map([
        ["base", file(String(at))],
        ...(at === 0 ? [["audit.jsonl", file(rows(finding("minor"), finding("minor")))] as const] : []),
      ]),
      parents: [],
    })),
    references: Object.fromEntries(Array.from({ length: count }, (_, at) => [`refs/heads/b${at}`, at])),
  });

  const body = { artifact: "audit.jsonl", committed: true, findings: 2, critical: 0 };
  const look = async () =>
    (await verifyArtifacts(made.repository, { kind: "security-audit", body })).map(({ code }) => code);
  assert.deepEqual(await look(), ["too-large"]);
  git(made.directory, "update-ref", "-d", "refs/heads/b7");
  assert.deepEqual(await look(), []);
});
