/**
 * Pins: what users and scripts rely on by name. Changing a literal here is a decision about compatibility, with a line
 * in CHANGELOG.md; a test that fails here has found a change that nobody decided.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { doors as libraryDoors } from "../../scripts/bundle.ts";
import { problemCodes } from "../../src/base/problem.ts";
import { exitCodes } from "../../src/doors/cli/terminal/exit-codes.ts";
import { entryKinds } from "../../src/journal/entry.ts";
import { home, sourceOf } from "./sources.ts";

/** The words of a text. */
const wordsOf = (text: string) => text.trim().split(/\s+/);

/** In their order of precedence, which is a promise too. */
const pinnedCodes = wordsOf(`
  empty-message too-large not-utf8 byte-order-mark not-json not-yaml too-deep too-many-nodes duplicate-key
  forbidden-key number-range lone-surrogate nul-character not-an-object unknown-dialect unknown-type
  sender-not-authorised missing-field wrong-type wrong-value wrong-format unknown-field cross-field wrong-media-type
  foreign-request unauthenticated token-revoked too-many-requests invalid-id unknown-agent retired-agent
  agent-stopped session-replaced identity-mismatch unknown-receiver receiver-not-authorised no-receiver id-conflict
  id-taken invalid-path invalid-glob unknown-task task-done fenced-claim not-holder task-held breaker-open
  task-blocked dependency-cycle outside-contract claim-overlap commit-missing commit-ambiguous
  commit-unreachable commit-before-task unrelated-history commit-credited same-change work-apart nothing-changed outside-claim
  symlink-escape submodule-change files-unlisted files-not-changed artifact-missing
  artifact-uncommitted artifact-unreadable counts-differ file-changed file-missing file-outside not-verified
  handoff-not-accepted check-failed work-overwritten work-reverted unknown-request ambiguous-request
  already-answered changed-meanwhile request-expired own-request must-decide phase-open not-ready human-required
  not-found wrong-usage not-initialised already-exists team-file settings-file repository-missing shallow-clone
  git-missing unknown-team timed-out interrupted output-failed repository-unreadable hub-unreachable not-a-hub
  port-taken journal-missing journal-moved team-archived journal-tracked journal-copied journal-busy
  journal-unreachable journal-read-only journal-cannot-open journal-full journal-not-database journal-newer
  journal-network-file-system journal-linked journal-regressed journal-corrupt journal-failed node-too-old
`);

test("the problem codes and their precedence", () => {
  assert.deepEqual(Object.keys(problemCodes), pinnedCodes);
});

test("the kinds of entry", () => {
  assert.deepEqual(entryKinds, ["message", "command", "refusal", "ack", "timer", "team", "epoch"]);
});

test("the exit codes of the command", () => {
  assert.deepEqual(exitCodes, {
    done: 0,
    problem: 1,
    refused: 2,
    notFound: 3,
    timedOut: 4,
    undecided: 5,
    usage: 64,
    interrupted: 130,
  });
});

/** The exported names of every public door, types included. */
const doors: Readonly<Record<string, { readonly file: string; readonly names: readonly string[] }>> = {
  ".": {
    file: "src/index.ts",
    names: wordsOf(`
      AddTask AgentStatus Answer ArtifactVerdict BatonError Board Calls ClaimTask CompleteTask ConnectHubOptions
      CreateTeamOptions CreatedTeam Definition Delivery DenialReason Department Dialect DialectId Entry EntryKind
      Fact FactKind Grant InboxOptions InboxPage IssuedToken LogLine LogOptions Message MessageReading NewAgent Note
      OpenTeamOptions PlanReport Problem ProblemCode ReadMessageOptions Reading Receipt Registration ReleaseTask
      RenewClaim Reply Result Role Rung SendOptions Shown TaskFilter TaskState TaskVerdict TaskView Team
      TeamKindName TeamStatus VerifyOptions WaitForVerdict WatchOptions WireMessage compareSummaryLine connectHub
      createTeam dialectIds dialectOf dialects openTeam orThrow problemCodes readMessage summaryLine
      writeMessage
`),
  },
  "./testing": {
    file: "src/testing/index.ts",
    names: wordsOf(`
      Given TestHandle TestTeam TestTeamOptions When checkLaws foldEvents given manualClock testTeam typedMessage
`),
  },
  "./journal/sqlite": {
    file: "src/journal/sqlite/index.ts",
    names: ["FileSystemType", "SqliteJournal", "SqliteOptions", "openSqliteJournal"],
  },
  "./http": {
    file: "src/doors/http/index.ts",
    names: wordsOf(`
      Hub HubApp HubAppOptions HubLimits HubLog HubOptions HubRepository Identity ListenOptions Listening McpMount
      Mounts PageFile Pages Reach SessionStore TlsTexts Wire createHubApp hubLimits listen openApiDocument openHub
`),
  },
  "./mcp": {
    file: "src/doors/mcp/index.ts",
    names: wordsOf(`
      CallOrigin JournalTeam McpHandler McpHandlerOptions McpOptions OpenOptions StdioOptions TeamSource mcpHandler
      mcpServer openJournalTeam serveMcpOnStdio
`),
  },
  "./dialects": {
    file: "src/messages/dialects/index.ts",
    names: "Answer Definition Dialect FieldFacts GivenHead WireMessage dialectIds dialectOf dialects".split(" "),
  },
};

for (const [door, { file, names }] of Object.entries(doors)) {
  test(`the names that ${door} exports`, () => {
    assert.deepEqual(sourceOf(file, readFileSync(join(home, file), "utf8")).exports, names);
  });
}

test("every door of package.json is built from a file that exists", () => {
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const named = Object.values<{ types?: string; default?: string } | string>(exports).flatMap((target) =>
    typeof target === "string" ? [] : [[target.types, target.default]],
  );
  const built = Object.keys(libraryDoors).map((door) => [`./dist/lib/${door}.d.ts`, `./dist/lib/${door}.js`]);
  assert.deepEqual(named, built);
  for (const file of Object.values(libraryDoors)) assert.ok(existsSync(join(home, "src", `${file}.ts`)), file);
});
