import assert from "node:assert/strict";
import { test } from "node:test";
import { given } from "../../testing/given.ts";
import { type ReviewEvent, type Reviews, reviewOf } from "../state/review-state.ts";
import { followReport, followVerdict, type ReviewCommand, reviews } from "./reviews.ts";

const plan = "1-1";

function changes(
  cycle: number,
  mustFix: readonly string[],
  seq: number,
): ReviewCommand & { readonly command: "request-changes" } {
  const issues = mustFix.map((at) => ({
    f: at.split(":")[0] ?? "",
    ln: Number(at.split(":")[1]),
    issue: "Wrong",
    fix: "Right",
  }));
  const body = {
    planId: plan,
    cycle,
    changes: [...issues, { f: "src/b", ln: 9, issue: "Name", fix: "Other" }],
    mustFix,
    rerunTests: true,
  };
  return { command: "request-changes", body, said: { by: "senior-1", seq } };
}

function result(cycle: number, verdict: "approve" | "changes_requested", critical: number, seq: number): ReviewCommand {
  const body = { planId: "01-01", cycle, result: verdict, critical, findingsCount: critical };
  return { command: "judge-code", body, said: { by: "senior-1", seq } };
}

/** What a developer reported between two words of the reviewer. */
interface Fix {
  readonly fix: {
    readonly commit: string;
    readonly files: readonly string[] | null;
    readonly seq: number;
    readonly awaitsVerdict?: true;
    readonly withoutFiles?: boolean;
  };
}

/** What the repository says of the report `report`. */
interface Verdict {
  readonly verdict: {
    readonly report: number;
    readonly isVerified: boolean;
    readonly files: readonly string[] | null;
    readonly seq: number;
  };
}

/** A report in a repository, whose verdict is to come. */
function reported(seq: number): Fix {
  return { fix: { commit: "abc1234", files: null, seq, awaitsVerdict: true } };
}

function verdict(report: number, seq: number, files: readonly string[] | null): Verdict {
  return { verdict: { report, seq, files, isVerified: files !== null } };
}

function fix(seq: number, files: readonly string[] | null = null, commit = "abc1234"): Fix {
  return { fix: { commit, files, seq } };
}

function play(...steps: readonly (ReviewCommand | Fix | Verdict)[]): {
  readonly state: Reviews;
  readonly last: ReviewEvent | null;
  readonly notes: readonly string[];
} {
  let state = reviews.initial();
  let last: ReviewEvent | null = null;
  const notes: string[] = [];
  for (const step of steps) {
    if ("fix" in step) {
      followReport(state, { key: "1-1-T1", plan, reporter: "dev-1", ...step.fix });
      continue;
    }
    if ("verdict" in step) {
      followVerdict(state, { key: "1-1-T1", plan, ...step.verdict });
      continue;
    }
    const decided = reviews.decide(step, state);
    assert.ok(decided.ok);
    notes.push(...decided.value.notes.map(({ code }) => code));
    for (const event of decided.value.events) {
      last = event;
      state = reviews.evolve(state, structuredClone(event));
    }
  }
  return { state, last, notes };
}

function status(...steps: readonly (ReviewCommand | Fix | Verdict)[]) {
  const { review } = reviewOf(play(...steps).state, plan);
  return review === null ? null : [review.cycle, review.status];
}

function isAtLimit(...steps: readonly (ReviewCommand | Fix | Verdict)[]): boolean {
  const { last } = play(...steps);
  return last?.event === "code-reviewed" && last.isAtLimit;
}

test("a review is approved in its first round, or in its second after a fix", () => {
  assert.deepEqual(status(result(1, "approve", 0, 1)), [1, "approved"]);
  const first = [changes(1, ["src/a:4"], 1), result(1, "changes_requested", 1, 2)];
  assert.deepEqual(status(...first), [1, "changes-requested"]);
  assert.deepEqual(status(...first, fix(3)), [1, "fix-reported"]);
  assert.deepEqual(status(...first, fix(3), result(2, "approve", 0, 4)), [2, "approved"]);
});

test("the reviewer approves whatever was reported; places that no report names are listed", () => {
  const asked = changes(1, ["src/a:4", "src/c:9"], 1);
  for (const [expected, ...before] of [
    [["must-fix-open"], asked],
    [["must-fix-open"], asked, fix(2, ["src/a"])],
    [[], asked, fix(2)],
  ] as const) {
    const { state, notes, last } = play(...before, result(2, "approve", 0, 3));
    assert.equal(reviewOf(state, plan).review?.status, "approved");
    assert.deepEqual(notes, expected);
    assert.ok(last?.event === "code-reviewed" && !last.isAtLimit);
  }
  const second = [asked, fix(2), changes(2, ["src/a:5"], 3), result(3, "approve", 0, 4)];
  assert.deepEqual([status(...second), isAtLimit(...second)], [[3, "approved"], false]);
});

test("after two rounds without approval the lead decides, whatever number the reviewer writes", () => {
  const two = (cycle: number) => [
    changes(1, ["src/a:4"], 1),
    result(1, "changes_requested", 1, 2),
    fix(3),
    changes(cycle, ["src/a:5"], 4),
    result(cycle, "changes_requested", 1, 5),
  ];
  assert.ok(isAtLimit(...two(2)));
  assert.ok(isAtLimit(...two(1)), "a number that stands still is no way around");
  assert.ok(play(...two(1)).notes.includes("cycle-differs"));
  assert.ok(!isAtLimit(...two(2).slice(0, 2)));
  assert.ok(!isAtLimit(...two(2).slice(0, 4)), "the second round is still to be answered");
  assert.ok(
    isAtLimit(changes(1, ["src/a:4"], 1), fix(2), changes(2, ["src/a:4"], 3), fix(4), changes(3, ["src/a:4"], 5)),
  );
});

test("what is minor only is approved by the fix itself, and needs no further round", () => {
  const minor = [changes(1, [], 1), result(1, "changes_requested", 0, 2)];
  assert.deepEqual(status(...minor, fix(3, ["src/b"])), [1, "approved"], "without a repository a report is all");
  const whole = fix(3, ["src/a", "src/b"]);
  for (const [mustFix, critical] of [
    [[], 1],
    [["src/a:4"], 0],
  ] as const)
    assert.deepEqual(status(changes(1, mustFix, 1), result(1, "changes_requested", critical, 2), whole), [
      1,
      "fix-reported",
    ]);
  assert.ok(!isAtLimit(changes(1, ["src/a:4"], 1), fix(2), changes(2, [], 3), result(2, "changes_requested", 0, 4)));
});

test("a fix approves only what it changes, once the repository confirms it, and a later dispute opens the review", () => {
  const minor = [changes(1, [], 1), result(1, "changes_requested", 0, 2)];
  const approved = [...minor, reported(3), verdict(3, 4, ["src/b", "src/x"])];
  for (const [expected, ...steps] of [
    ["fix-reported", ...minor, reported(3)],
    ["changes-requested", ...minor, reported(3), verdict(3, 4, null)],
    ["fix-reported", ...minor, reported(3), verdict(3, 4, ["src/unrelated"])],
    ["approved", ...approved],
    ["changes-requested", ...approved, verdict(3, 5, null)],
    ["approved", ...approved, verdict(3, 5, null), reported(6), verdict(6, 7, ["src/b"])],
    ["fix-reported", ...minor, fix(3, ["src/unrelated"])],
    ["fix-reported", ...minor, fix(3, null)],
    ["fix-reported", ...minor, { fix: { commit: "", files: ["src/b"], seq: 3, withoutFiles: true } }],
    // The reviewer's own approval is not the fix's to take back.
    ["approved", ...minor, reported(3), result(2, "approve", 0, 4), verdict(3, 5, null)],
  ] as const)
    assert.equal(status(...steps)?.[1], expected, JSON.stringify(steps));
});

test("a review of an earlier version, which kept no files, replays as it was", () => {
  const event = play(changes(1, [], 1)).last;
  assert.ok(event?.event === "code-reviewed" && event.review.changes !== null);
  const { files: _, ...asked } = event.review.changes;
  const state = reviews.evolve(reviews.initial(), { ...event, review: { ...event.review, changes: asked } });
  followReport(state, { key: "1-1-T1", plan, reporter: "dev-1", commit: "abc1234", files: null, seq: 3 });
  assert.equal(reviewOf(state, plan).review?.status, "approved");
});

test("each place that holds up approval is followed to the commit that answers it", () => {
  const { state } = play(fix(1, null, "0000001"), changes(1, ["src/a:4", "src/c:7"], 2), fix(3, ["src/a"], "0000002"));
  const { review } = reviewOf(state, plan);
  assert.deepEqual(
    review?.mustFix.map(({ at, state: answered, commit, reviewed, issue }) => [at, answered, commit, reviewed, issue]),
    [
      ["src/a:4", "reported", "0000002", "0000001", "Wrong"],
      ["src/c:7", "open", null, "0000001", "Wrong"],
    ],
  );
  // What nobody has fixed is asked for once, also when the next round names it again.
  const again = play(changes(1, ["src/a:4"], 2), changes(2, ["src/a:4"], 3)).state;
  assert.deepEqual(
    reviewOf(again, plan).review?.mustFix.map(({ at, cycle }) => [at, cycle]),
    [["src/a:4", 2]],
  );
});

test("several words about the same code are one round; the same word twice changes nothing", () => {
  assert.deepEqual(
    status(changes(1, ["src/a:4"], 1), changes(1, ["src/c:7"], 2), result(1, "changes_requested", 1, 3)),
    [1, "changes-requested"],
  );
  const asked = play(changes(1, ["src/a:4"], 1)).last;
  assert.ok(asked !== null);
  given(reviews, [asked])
    .when(changes(1, ["src/a:4"], 5))
    .thenNothing("already-so");
});

test("a specification and tests are kept by plan, however its id is spelled; tests that pass are noted", () => {
  const specification = { by: "senior-1", seq: 1, tasksEnriched: 2, concerns: [] };
  const { state } = given(reviews, [])
    .when({ command: "record-specification", plan: "01-01", specification })
    .thenEvents([{ event: "plan-specified", key: "1-1", plan: "01-01", specification }]);
  assert.equal(reviewOf(state, "phase-1-plan-1").specification?.tasksEnriched, 2);
  const tests = {
    by: "tester-1",
    seq: 2,
    tasksTested: 1,
    tasksSkipped: 0,
    totalTests: 3,
    allRed: false,
    artifact: null,
  };
  const { notes } = given(reviews, [])
    .when({ command: "record-tests", plan: "1-1", tests })
    .thenEvents([{ event: "tests-recorded", key: "1-1", plan: "1-1", tests }]);
  assert.deepEqual(
    notes.map(({ code }) => code),
    ["tests-pass"],
  );
});

test("what the repository shows of a fix is kept, and a later report is checked again", () => {
  const before = [fix(1, null, "0000001"), changes(1, ["src/a:4"], 2), fix(3, null, "0000002")];
  const found = (isTouched: boolean, commit = "0000002f"): ReviewCommand => ({
    command: "judge-fixes",
    plan,
    fixes: [{ at: "src/a:4", cycle: 1, isTouched, commit }],
    seq: 4,
  });
  const states = (...steps: readonly (ReviewCommand | Fix | Verdict)[]) =>
    reviewOf(play(...steps).state, plan).review?.mustFix.map(({ state, commit }) => [state, commit]);
  assert.deepEqual(states(...before, found(true)), [["touched", "0000002f"]]);
  assert.deepEqual(states(...before, found(false)), [["untouched", "0000002f"]]);
  assert.deepEqual(states(...before, found(false), fix(5, null, "0000003")), [["reported", "0000003"]]);
  // About a commit that is no longer the one that was reported it comes too late.
  assert.deepEqual(states(...before, found(true, "9999999f")), [["reported", "0000002"]]);
  given(reviews, []).when(found(true)).thenNothing("already-so");
});

test("a place that must be fixed is the file that the change and the report name, however each writes the path", () => {
  const asked = changes(1, ["./src//a:4"], 1);
  const body = { ...asked.body, changes: [{ f: "src/a", ln: 4, issue: "It leaks", fix: "Close it" }] };
  const { review } = reviewOf(play({ ...asked, body }, fix(2, ["./src/a"])).state, plan);
  assert.deepEqual(
    review?.mustFix.map(({ at, file, line, issue, state }) => ({ at, file, line, issue, state })),
    [{ at: "./src//a:4", file: "src/a", line: 4, issue: "It leaks", state: "reported" }],
  );
});
