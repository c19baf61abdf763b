/** The line of every operation and of everything that time brings, as people read it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../base/json.ts";
import { placesIn } from "../base/text.ts";
import { timedEvents, timerLine } from "../record/view/summary.ts";
import { type ActName, actLine, actNames } from "./act-line.ts";
import type { CoordinationEvent } from "./deciders.ts";
import { recordedLines } from "./operations/generated/recorded.ts";

/** Of each operation whose line is code, what it may be asked with, and its line. */
const acts: {
  readonly [Name in Exclude<ActName, keyof typeof recordedLines>]: readonly (readonly [JsonObject, string])[];
} = {
  "revoke-token": [[{ tokenId: "cbeab0" }, "revoked the token or link cbeab0"]],
  "begin-session": [[{}, "opened a session in a browser"]],
  "name-repository": [[{}, "named the repository by which reports are judged"]],
  "end-session": [[{}, "ended a session in a browser"]],
  "begin-program": [[{ program: "p" }, "began a program that speaks for it"]],
  "end-program": [[{ program: "p" }, "ended its program"]],
  "report-remote": [
    [{ ask: "out-1f", remote: "shop", state: "working" }, "says working (out-1f)"],
    [
      { ask: "out-1f", remote: "shop", title: "Tax", state: "rejected", words: "Not ours" },
      "says rejected: Not ours (Tax)",
    ],
  ],
  "reach-remote": [
    [{ remote: "shop", problem: null }, "reached the remote shop again"],
    [{ remote: "shop", problem: { code: "timed-out", message: "Late" } }, "cannot reach the remote shop"],
  ],
  "count-tokens": [[{ plan: "1-1", context: "c", tokens: 900 }, "has used 900 tokens, on plan 1-1 last"]],
  "write-unasked": [[{ files: ["src/a.ts"], found: [] }, "wrote what it may not, without Baton being asked: src/a.ts"]],
  "push-refused": [[{ files: ["src/a.ts"], found: [] }, "was refused a push by the gate: src/a.ts"]],
  "commit-refused": [[{ files: ["src/a.ts"], found: [] }, "was refused a commit by the gate: src/a.ts"]],
  "change-unseen": [
    [{ files: ["src/a.ts"], found: [] }, "has files of others changed while Baton did not see it: src/a.ts"],
  ],
  "record-collision": [
    [
      { file: "src/a.ts", agents: ["dev-1", "dev-2"], overlap: "hot" },
      "found in the trees of dev-1 and dev-2: src/a.ts hot",
    ],
  ],
  "edit-files": [
    [{ task: "T1", files: ["docs/a.md"] }, "was to edit what the contract of T1 does not allow: docs/a.md"],
    [{ files: ["src/a.ts"] }, "was to edit what another holds: src/a.ts"],
  ],
  "approval-taken-back": [[{ agent: "dev-1", message: "No more." }, "told dev-1: No more."]],
  "take-files": [[{ files: ["src/a.ts", "b.ts"] }, "began to edit src/a.ts; b.ts"]],
  "free-files": [
    [{ files: ["src/a.ts"], reason: "committed" }, "found free, because a commit has it: src/a.ts"],
    [{ files: ["src/a.ts"], reason: "silent" }, "found free, because its holder was silent: src/a.ts"],
    [
      { files: ["src/a.ts"], reason: "unchanged" },
      "found free, because its holder stopped and left it unchanged: src/a.ts",
    ],
  ],
  "record-verdict": [[{ task: "1-1-T1", state: "disputed" }, "found 1-1-T1 disputed"]],
  "record-finding": [[{ task: "11", state: "undecided" }, "found task 11 undecided"]],
  "begin-landing": [[{ branch: "baton/main", to: "0123456789abcdef" }, "moves baton/main to 0123456789ab"]],
  "hold-landing": [
    [{ branch: "baton/main" }, "lands work on baton/main again"],
    [{ branch: "baton/main", why: "It is held." }, "lands nothing on baton/main: It is held."],
  ],
  "record-landing": [
    [{ task: "1-1-T1", outcome: "landed", branch: "main" }, "landed 1-1-T1 on main"],
    [{ task: "1-1-T1", outcome: "undone", branch: "main" }, "took back what landed of 1-1-T1 on main"],
    [
      { task: "1-1-T1", outcome: "failed", branch: "main", why: "It is red." },
      "did not land 1-1-T1 on main: It is red.",
    ],
  ],
  "settle-verdict": [
    [{ task: "1-1-T1", by: "verifier:ci-1" }, "decided that 1-1-T1 counts as verifier:ci-1 found it"],
    [{ task: "1-1-T1", by: "baton", reason: "seen" }, "decided that 1-1-T1 counts as baton found it: seen"],
    [{ task: "1-1-T1" }, "took back the decision about 1-1-T1"],
  ],
  "record-artifacts": [
    [{ sender: "qa-1", type: "qa_result", state: "verified" }, "found the artifacts of qa-1's qa_result verified"],
  ],
  "record-fixes": [
    [{ plan: "1-1", fixes: [{}] }, "looked at 1 reported fix of 1-1"],
    [{ plan: "1-1", fixes: [{}, {}] }, "looked at 2 reported fixes of 1-1"],
  ],
  "approval-answer": [
    [{ request: "ask-1", approved: false, reason: "no" }, "denied ask-1: no"],
    [{ request: "ask-1", approved: true, reason: "approved" }, "approved ask-1"],
  ],
  "reject-handoff": [
    [
      { handoff: "handoff-1", reasons: ["no criteria", "too large"] },
      "rejected the handoff handoff-1: no criteria; too large",
    ],
    [{ handoff: "handoff-1", reasons: [] }, "rejected the handoff handoff-1"],
  ],
  "fork-journal": [
    [{ project: "/srv/shop", entry: 7, hash: "9f" }, "began a new journal, forked from /srv/shop at 9f"],
    [{ project: "/srv/shop" }, "began a new journal, forked from /srv/shop"],
  ],
  "leave-journal": [
    [{ to: "postgres://db/baton" }, "let the team continue in the journal postgres://db/baton"],
    [
      { to: "/srv/journal.db", isUndone: true },
      "took back the migration into this journal: the team continues in /srv/journal.db",
    ],
  ],
  "enter-journal": [[{}, "let the team continue in this journal"]],
  "archive-team": [[{ file: "web.db", digest: "9f" }, "archived the team in web.db, SHA-256 9f"]],
  "archive-phase": [[{ phase: "3", file: "web-3.db", digest: "9f" }, "archived phase 3 in web-3.db, SHA-256 9f"]],
  "drop-archived": [[{ file: "web.db" }, "gave up the entries that are in the archive web.db"]],
  "restore-team": [[{}, "let the team continue"]],
  "resume-agents": [[{ agents: ["dev-1"] }, "begins new sessions for who had stopped: dev-1"]],
  "pass-agents": [
    [{ round: "stop-1", agents: ["dev-1"] }, "waits for some agents no more in the shutdown stop-1: dev-1"],
  ],
  "inspect-shutdown": [[{ round: "stop-1", uncommitted: 2 }, "looked for uncommitted files after the shutdown stop-1"]],
};

test("every operation has a sentence, and a missing argument leaves no hole in it", () => {
  assert.deepEqual([...Object.keys(acts), ...Object.keys(recordedLines)].sort(), [...actNames].sort());
  for (const [name, lines] of Object.entries(acts)) {
    for (const [asked, line] of lines) assert.equal(actLine({ name, ...asked }), line);
  }
  for (const [name, template] of Object.entries(recordedLines)) {
    const asked = Object.fromEntries(placesIn(template).map((place) => [place, `${place}\n`]));
    assert.equal(actLine({ name, ...asked }), template.replaceAll(/\{([^}|]*)[^}]*\}|[[\]]/g, "$1"));
    const required = Object.fromEntries(placesIn(template.replaceAll(/\[.*?\]/g, "")).map((place) => [place, place]));
    assert.doesNotMatch(actLine({ name, ...required }), /[[\]{}]| {2}|^ | $/);
  }
});

test("of an operation that only a later Baton knows the name and its strings are shown", () => {
  assert.equal(actLine({ name: "close-phase", phase: "2", force: true }), "close phase 2");
  assert.equal(actLine({ name: "constructor" }), "constructor");
});

const atMs = 0;
const step = { level: "lead", atMs, seq: 1, by: "baton", how: "silence" } as const;

/** What time brings, and its line. */
const brought: readonly (readonly [readonly CoordinationEvent[], string])[] = [
  [[{ event: "approval-expired", key: "dev-1/ask-1", atMs }], "the deadline of request dev-1/ask-1 passed"],
  [
    [
      { event: "leases-expired", holders: [{ holder: "dev-1", tasks: ["1-1-T1", "1-1-T2"] }], atMs },
      { event: "agent-disappeared", agent: "dev-2", session: 1, cause: "lease", lastSignMs: null, tasks: ["T3"], atMs },
      { event: "claim-released", key: "T3", task: "T3", holder: "dev-2", reason: "disappeared" },
    ],
    "dev-1 was silent and lost 1-1-T1, 1-1-T2, dev-2 disappeared and lost T3",
  ],
  [[{ event: "leases-renewed", holders: [{ holder: "dev-1", signMs: 0 }] }], "dev-1 still there"],
  [
    [{ event: "claim-released", key: "T3", task: "T3", holder: "dev-2", reason: "disappeared" }],
    "T3 is free again, which dev-2 held",
  ],
  [[{ event: "agents-heard", agents: [{ agent: "dev-1", signMs: 0 }] }], "dev-1 still there"],
  [[{ event: "agent-returned", agent: "dev-1", session: 1, atMs }], "dev-1 is back"],
  [
    [{ event: "breaker-counted", scope: "team", agents: ["dev-1"], failures: [0, 1], atMs }],
    "the breaker of the team counts 2 disappearances",
  ],
  [[{ event: "breaker-opened", scope: "backend", seq: 1, atMs, dueAtMs: 9 }], "the breaker of backend is open"],
  [[{ event: "breaker-half-opened", scope: "team", atMs }], "the breaker of the team lets one agent try"],
  [
    [{ event: "breaker-probed", scope: "team", agent: "dev-3", atMs, dueAtMs: 9 }],
    "the breaker of the team lets dev-3 try",
  ],
  [
    [{ event: "breaker-closed", scope: "team", agent: "dev-3", atMs }],
    "the breaker of the team is closed, dev-3 is there",
  ],
  [
    [{ event: "shutdown-repeated", requestId: "stop-1", agents: ["dev-1"], asked: 2, dueAtMs: 9, seq: 1 }],
    "shutdown stop-1 asks dev-1 again (2 of 4)",
  ],
  [
    [
      { event: "shutdown-forced", requestId: "stop-1", agents: ["dev-1"], claims: {}, seq: 1, atMs },
      { event: "shutdown-ended", requestId: "stop-1", outcome: "incomplete", seq: 1, atMs },
    ],
    "shutdown stop-1 stops dev-1 without consent, shutdown stop-1 is over, but not all stopped cleanly",
  ],
  [
    [{ event: "escalation-raised", id: "ESC-1", step, round: 1, mustDecide: false, evidence: [], dueAtMs: 9 }],
    "ESC-1 goes up to the lead, because nobody answered in time",
  ],
  [
    [
      {
        event: "escalation-raised",
        id: "ESC-1",
        step: { ...step, how: "left" },
        round: 1,
        mustDecide: false,
        evidence: [],
        dueAtMs: 9,
      },
    ],
    "ESC-1 goes up to the lead, because nobody is left below",
  ],
  [
    [
      {
        event: "claims-kept",
        holders: [
          {
            holder: "dev-1",
            tasks: [{ key: "1-1-T1", task: "1-1-T1", escalation: "ESC-1-1-T1" }],
            signMs: 1,
            sinceMs: 9,
          },
        ],
      },
    ],
    "dev-1 was silent and keeps 1-1-T1, which waits for a decision of ESC-1-1-T1",
  ],
  [
    [{ event: "approval-closed", key: "dev-1/ask-1", requester: "dev-1", atMs }],
    "request dev-1/ask-1 is closed, because dev-1 left",
  ],
  [[{ event: "level-told", id: "ESC-1", dueAtMs: 9 }], "the level where ESC-1 waits has its time from here"],
  [
    [{ event: "limit-told", key: "unheard ESC-1", escalation: "ESC-1" }],
    "ESC-1 is reported to the level where it waits",
  ],
  [[{ event: "shipped-finding-told", seq: 9 }], "the person is notified of what entry 9 found in a shipped phase"],
];

test("everything that time brings has a sentence", () => {
  for (const [events, line] of brought) assert.equal(timerLine(events), line);
  const told = new Set(brought.flatMap(([events]) => events.map(({ event }) => event)));
  assert.deepEqual(
    timedEvents.filter((event) => !told.has(event as CoordinationEvent["event"])),
    [],
  );
});
