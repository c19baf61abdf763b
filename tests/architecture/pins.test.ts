/**
 * Pins: what users and scripts rely on by name. Changing a literal here is a decision about compatibility, with a line
 * in CHANGELOG.md; a test that fails here has found a change that nobody decided.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { problemCodes } from "../../src/base/problem.ts";
import { exitCodes } from "../../src/doors/cli/exit-codes.ts";
import { entryKinds } from "../../src/journal/entry.ts";
import { home, sourceOf } from "./sources.ts";

/** In their order of precedence, which is a promise too. */
const pinnedCodes = [
  "empty-message",
  "too-large",
  "not-utf8",
  "byte-order-mark",
  "not-json",
  "not-yaml",
  "too-deep",
  "too-many-nodes",
  "duplicate-key",
  "forbidden-key",
  "number-range",
  "lone-surrogate",
  "nul-character",
  "not-an-object",
  "unknown-dialect",
  "unknown-type",
  "missing-field",
  "wrong-type",
  "wrong-value",
  "wrong-format",
  "unknown-field",
  "cross-field",
  "wrong-media-type",
  "foreign-request",
  "unauthenticated",
  "token-revoked",
  "too-many-requests",
  "invalid-id",
  "unknown-agent",
  "retired-agent",
  "agent-stopped",
  "session-replaced",
  "identity-mismatch",
  "sender-not-authorised",
  "unknown-receiver",
  "receiver-not-authorised",
  "no-receiver",
  "id-conflict",
  "id-taken",
  "invalid-path",
  "invalid-glob",
  "unknown-task",
  "task-done",
  "fenced-claim",
  "not-holder",
  "task-held",
  "breaker-open",
  "task-blocked",
  "dependency-cycle",
  "outside-contract",
  "claim-overlap",
  "contract-widened",
  "commit-missing",
  "commit-ambiguous",
  "commit-unreachable",
  "outside-claim",
  "symlink-escape",
  "submodule-change",
  "attributes-change",
  "files-unlisted",
  "files-not-changed",
  "artifact-missing",
  "artifact-uncommitted",
  "artifact-unreadable",
  "counts-differ",
  "file-changed",
  "file-missing",
  "file-outside",
  "not-verified",
  "handoff-unfit",
  "handoff-not-accepted",
  "check-failed",
  "work-overwritten",
  "unknown-request",
  "ambiguous-request",
  "already-answered",
  "request-expired",
  "own-request",
  "must-decide",
  "human-required",
  "not-found",
  "wrong-usage",
  "not-initialised",
  "already-exists",
  "team-file",
  "repository-missing",
  "shallow-clone",
  "git-missing",
  "unknown-team",
  "timed-out",
  "interrupted",
  "repository-unreadable",
  "hub-unreachable",
  "not-a-hub",
  "port-taken",
  "journal-missing",
  "journal-busy",
  "journal-read-only",
  "journal-cannot-open",
  "journal-full",
  "journal-not-database",
  "journal-newer",
  "journal-network-file-system",
  "journal-linked",
  "journal-regressed",
  "journal-corrupt",
  "journal-failed",
  "node-too-old",
];

test("the problem codes and their precedence", () => {
  assert.deepEqual(Object.keys(problemCodes), pinnedCodes);
});

test("the kinds of entry", () => {
  assert.deepEqual(entryKinds, ["message", "command", "refusal", "ack", "timer", "team", "epoch"]);
});

test("the exit codes of the command", () => {
  assert.deepEqual(exitCodes, { done: 0, fault: 1, refused: 2, notFound: 3, timedOut: 4, usage: 64, interrupted: 130 });
});

/** The exported names of every public door, types included. */
const doors: Readonly<Record<string, { readonly file: string; readonly names: readonly string[] }>> = {
  ".": {
    file: "src/index.ts",
    names: [
      "AgentStatus",
      "Answer",
      "Board",
      "ClaimAnswer",
      "ClaimedTask",
      "CompletedTask",
      "Definition",
      "Delivery",
      "DenialReason",
      "Dialect",
      "DialectId",
      "Entry",
      "EntryKind",
      "Fact",
      "FactKind",
      "Hub",
      "HubOptions",
      "Identity",
      "InboxPage",
      "IssuedToken",
      "LogLine",
      "LogOptions",
      "Message",
      "MessageReading",
      "NewTask",
      "Note",
      "OpenOptions",
      "PlanReport",
      "Problem",
      "ProblemCode",
      "ReadMessageOptions",
      "Reading",
      "Receipt",
      "Registration",
      "Reply",
      "Result",
      "Rung",
      "SendOptions",
      "Shown",
      "TaskFilter",
      "TaskState",
      "TaskView",
      "TaskWork",
      "Team",
      "TeamStatus",
      "WireMessage",
      "WorkingTeam",
      "compareSummaryLine",
      "dialectIds",
      "dialectOf",
      "dialects",
      "openHub",
      "openTeam",
      "problemCodes",
      "readMessage",
      "summaryLine",
      "summaryMarkdown",
      "writeMessage",
    ],
  },
  "./testing": {
    file: "src/testing/index.ts",
    names: [
      "Given",
      "JournalBench",
      "JournalBenchPlace",
      "TestHandle",
      "TestTeam",
      "TestTeamOptions",
      "When",
      "checkLaws",
      "foldEvents",
      "given",
      "journalSuite",
      "manualClock",
      "testTeam",
      "typedMessage",
    ],
  },
  "./journal/sqlite": {
    file: "src/journal/sqlite/index.ts",
    names: ["FileSystemType", "SqliteJournal", "SqliteOptions", "SqliteStats", "openSqliteJournal"],
  },
  "./http": {
    file: "src/doors/http/index.ts",
    names: [
      "Hub",
      "HubApp",
      "HubAppOptions",
      "HubLimits",
      "HubLog",
      "HubOptions",
      "HubRepository",
      "Identity",
      "ListenOptions",
      "Listening",
      "McpMount",
      "PageFile",
      "Pages",
      "SessionStore",
      "Wire",
      "createHubApp",
      "hubLimits",
      "listen",
      "openApiDocument",
      "openHub",
    ],
  },
  "./mcp": {
    file: "src/doors/mcp/index.ts",
    names: [
      "McpHandler",
      "McpHandlerOptions",
      "McpOptions",
      "StdioOptions",
      "TeamSource",
      "mcpHandler",
      "mcpServer",
      "serveMcpOnStdio",
    ],
  },
  "./dialects": {
    file: "src/dialects/index.ts",
    names: [
      "Answer",
      "Definition",
      "Dialect",
      "FieldFacts",
      "GivenHead",
      "WireMessage",
      "dialectIds",
      "dialectOf",
      "dialects",
    ],
  },
};

for (const [door, { file, names }] of Object.entries(doors)) {
  test(`the names that ${door} exports`, () => {
    assert.deepEqual(sourceOf(file, readFileSync(join(home, file), "utf8")).exports, names);
  });
}

test("every door of package.json is built from a file that stands", () => {
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  for (const target of Object.values<{ default?: string } | string>(exports)) {
    if (typeof target === "string" || target.default === undefined) continue;
    const source = target.default.replace("./dist/lib/", "src/").replace(/\.js$/, ".ts");
    assert.ok(existsSync(join(home, source)), `${target.default} has no source ${source}`);
  }
});
