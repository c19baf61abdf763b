/** What needs the person is found in the state, ranked by one rule, and gone once it is decided. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { add, claim, judge, release, report, type WorkCommand, work } from "../../../tests/work/orders.ts";
import { approvals } from "../../approvals/decide/approvals.ts";
import { makeProblem } from "../../base/problem.ts";
import { escalations } from "../../escalations/decide/escalations.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import { type CoordinationEvent, evolveCoordination, initialCoordination } from "../../perform/coordination-state.ts";
import type { Decided } from "../../perform/decider.ts";
import { contracts } from "../../tasks/decide/contracts.ts";
import { findTask } from "../../tasks/state/task-state.ts";
import { reportedBlocker } from "../../testing/fixtures.ts";
import {
  type FoundNeed,
  groupOf,
  groupsOf,
  type NeedsMoment,
  needClasses,
  ranked,
  subgroupOf,
  triageOf,
  triages,
} from "./need-ranking.ts";
import { needsIn } from "./needs.ts";
import { keepRefusal, loopRefusalsMin, loopsAt, loopWindowMs, type RefusalLoops } from "./refusal-loops.ts";

const hour = 3_600_000;
const leaseMs = 300_000;

function team() {
  let state = initialCoordination();
  const loops: RefusalLoops = new Map();
  const keep = (events: readonly CoordinationEvent[]) => {
    for (const event of structuredClone(events)) state = evolveCoordination(state, event);
  };
  const decided = <Event extends CoordinationEvent>(found: {
    readonly ok: boolean;
    readonly value?: Decided<Event>;
  }) => {
    assert.ok(found.ok && found.value !== undefined, JSON.stringify(found));
    keep(found.value.events);
  };
  return {
    loops,
    keep,
    task: (id: string) => findTask(state.work, id, null) ?? assert.fail(id),
    does: (...commands: readonly WorkCommand[]) => {
      for (const command of commands) decided(work.decide(command, state.work));
    },
    issues: (body: FactBodies["contract"], seq: number) =>
      decided(contracts.decide({ command: "issue-contract", body, issuedBy: "lead-1", seq }, state.contracts)),
    asks: (requestId: string, seq: number, body: Partial<FactBodies["approval-request"]> = {}, task = "1-1-T1") =>
      decided(
        approvals.decide(
          {
            command: "open-request",
            requestId,
            requester: "dev-1",
            requesterRole: "dev",
            body: { subject: requestId, requestType: "scope_change", evidence: "It is needed", ...body },
            phase: 1,
            task,
            timestamp: "2026-01-01T00:00:00Z",
            addressees: ["lead-1"],
            seq,
            atMs: seq,
          },
          state.approvals,
        ),
      ),
    escalates: (
      task: string,
      severity: "blocking" | "major" | "minor",
      seq: number,
      blocker = reportedBlocker({ chain: ["user"], seq, atMs: seq }),
    ) => {
      decided(escalations.decide({ ...blocker, trouble: { ...blocker.trouble, task, severity } }, state.escalations));
    },
    needs: (moment: Partial<NeedsMoment> = {}) =>
      needsIn(state, {
        atMs: 0,
        aheadMs: 0,
        viewer: { signOf: () => 1_000, leaseMs },
        loops,
        unreadOf: () => 0,
        proposal: null,
        phases: [],
        ...moment,
      }),
  };
}

const idsOf = (found: readonly FoundNeed[]) => ranked(found).map(({ id }) => id);

test("work that came back for the third time needs the person, also while it is reported anew and about to land", () => {
  for (const times of [2, 3]) {
    const { does, keep, needs } = team();
    const place = { at: "branch", branch: "dev-1", since: null, isChanged: false } as const;
    does(add("1-1-T1"), report("1-1-T1", "dev-1"), judge("1-1-T1", "verified", { place }));
    const failed = { reason: "failed", branch: "main", onto: "1", why: "The check ended with 1.", files: [] } as const;
    keep([{ event: "task-not-landed", key: "1-1-T1", task: "1-1-T1", ...failed, report: 1, times, seq: 9 }]);
    const said = needs().flatMap(({ id, subject }) => (id === "unlanded:1-1-T1" ? [subject] : []));
    const often = "The work of 1-1-T1 did not land on main, 3 times by now.";
    assert.deepEqual(said, times < 3 ? [] : [often]);
  }
});

test("a dispute waits since the first verdict against the report, also when a check finds something else", () => {
  const known = team();
  known.does(
    add("1-1-T3", { seq: 3 }),
    claim("1-1-T3", "dev-2"),
    report("1-1-T3", "dev-2", { awaitsVerdict: true }),
    judge("1-1-T3", "disputed", { problems: [makeProblem("outside-claim", "files", "It changes src/cart.ts too.")] }),
    judge("1-1-T3", "gone", { seq: 80 }),
  );
  assert.deepEqual(
    known.needs().map(({ kind, seq, changedSeq }) => [kind, seq, changedSeq]),
    [["dispute", 30, 80]],
  );
  known.does(judge("1-1-T3", "verified", { seq: 90 }));
  assert.deepEqual(known.needs(), []);
});

test("a task that two plans have is named so that a command finds it", () => {
  const known = team();
  for (const planId of ["1-1", "1-2"])
    for (const task of ["T1", "tests"]) {
      const done = report(task, "dev-2", { planId, awaitsVerdict: true });
      known.does(add(task, { planId }), claim(task, "dev-2", { planId }), done, judge(task, "disputed", { planId }));
    }
  const targets = known.needs().map(({ target }) => target);
  assert.deepEqual(targets, ["1-1-T1", "1-1/tests", "1-2-T1", "1-2/tests"]);
  for (const target of targets) known.does(judge(target, "verified", { seq: 90 }));
  assert.deepEqual(known.needs(), []);
});

test("an agent that ended its turn with a task in hand needs the person after the time of a lease, until it goes on", () => {
  const known = team();
  known.does(add("1-1-T3", { seq: 3 }), claim("1-1-T3", "dev-2", { seq: 4 }));
  const at = (atMs: number) =>
    known
      .needs({ atMs, idleSince: new Map([["dev-2", 1_000]]) })
      .map(({ id, class: of, subject }) => [id, of, subject]);
  assert.deepEqual(at(leaseMs), []);
  assert.deepEqual(at(1_000 + leaseMs), [["paused:dev-2", "idle", "dev-2 ended its turn with task 1-1-T3 in hand."]]);
  assert.deepEqual(known.needs({ atMs: 1_000 + leaseMs, idleSince: new Map() }), []);
  known.asks("R1", 9, {}, "1-1-T3");
  known.does(release("1-1-T3", "dev-2"));
  assert.deepEqual(idsOf(known.needs({ atMs: 1_000 + leaseMs, idleSince: new Map([["dev-2", 1_000]]) })), [
    "approval:dev-1/R1",
  ]);
});

test("an agent that reports its task as not done and ends its turn needs the person at once, with its own words", () => {
  for (const status of ["partial", "failed"] as const) {
    const known = team();
    const said = { status, commit: "", deviations: ["The key of the bank is missing"], evidence: "Ask who has it" };
    known.does(add("1-1-T3", { seq: 3 }), claim("1-1-T3", "dev-2", { seq: 4 }), report("1-1-T3", "dev-2", said));
    const found = () => known.needs({ atMs: 1_000, idleSince: new Map([["dev-2", 1_000]]) });
    assert.deepEqual(
      found().map(({ id, subject, asks }) => [id, subject, asks]),
      [
        [
          "paused:dev-2",
          `dev-2 reported 1-1-T3 as ${status} and ended its turn.`,
          "The key of the bank is missing; Ask who has it",
        ],
      ],
    );
    assert.deepEqual(known.needs({ atMs: 1_000, idleSince: new Map() }), [], "it works on");
    known.does(release("1-1-T3", "dev-2"), claim("1-1-T3", "dev-2", { seq: 90 }));
    assert.deepEqual(found(), [], "it began anew");
  }
});

test("a task that only one agent may take, and that it does not take, names what frees it", () => {
  const known = team();
  known.does(add("1-1-T3", { seq: 3, agent: "dev-2" }), add("1-1-T4", { seq: 4 }));
  const without = "Where it has no window any more, `baton start` names its process.";
  const calls = ["1-1-T3", "1-1-T4"].map((name) => {
    const task = known.task(name);
    return { agent: "dev-2", task, call: `${task.key}@3`, way: "declined" } as const;
  });
  assert.deepEqual(
    known.needs({ calls }).map(({ help }) => help),
    [
      `Type at the prompt of dev-2: claim the next task. Or free it for others: baton task add 1-1-T3 --agent '' ${without}`,
      `Type at the prompt of dev-2: claim the next task. ${without}`,
    ],
  );
});

test("a file that an agent left changed is a need once another agent with a task changes it, until one side is clean", () => {
  const known = team();
  known.does(add("1-1-T3", { seq: 3 }), claim("1-1-T3", "dev-1", { seq: 4 }));
  const met = { file: "docs/air.md", agents: ["dev-1", "dev-2"] } as const;
  known.keep([{ event: "collision-seen", ...met, kind: "hot", line: 1, isTold: true, seq: 8 }]);
  assert.deepEqual(
    known.needs().map(({ id }) => id),
    ["edited:dev-2/docs/air.md"],
  );
  known.does(add("1-1-T4", { seq: 9 }), claim("1-1-T4", "dev-2", { seq: 10 }));
  assert.deepEqual(known.needs(), [], "both still work on theirs, and were told");
  known.does(release("1-1-T3", "dev-1"));
  const [need] = known.needs();
  assert.equal(need && triageOf(need.class), "stuck");
  assert.deepEqual(
    [need?.subject, need?.help],
    [
      "dev-1 has changed docs/air.md, holds no task, and dev-2 changes the same lines of it.",
      "Have dev-1 take it back, or commit it for a task of its own.",
    ],
  );
  known.keep([{ event: "collision-over", ...met, seq: 20 }]);
  assert.deepEqual(known.needs(), []);
});

test("a dispute is over for the person once an agent says that the task is not done, and gives it back", () => {
  const known = team();
  known.does(
    add("1-1-T3", { seq: 3 }),
    claim("1-1-T3", "dev-2"),
    report("1-1-T3", "dev-2", { awaitsVerdict: true }),
    judge("1-1-T3", "disputed", { problems: [makeProblem("outside-claim", "files", "It changes src/cart.ts too.")] }),
    claim("1-1-T3", "dev-2", { seq: 90 }),
    release("1-1-T3", "dev-2"),
  );
  assert.deepEqual(idsOf(known.needs()), ["dispute:1-1-T3"]);
  known.does(
    claim("1-1-T3", "dev-2", { seq: 91 }),
    report("1-1-T3", "dev-2", { status: "partial", seq: 92 }),
    release("1-1-T3", "dev-2"),
  );
  assert.deepEqual(known.needs(), []);
});

test("every kind is found, and the classes are in the order of the rule", () => {
  const known = team();
  known.does(
    add("1-1-T1", { seq: 1 }),
    add("1-1-T2", { seq: 2, dependsOn: ["1-1-T1"] }),
    add("1-1-T3", { seq: 3 }),
    claim("1-1-T3", "dev-2"),
    report("1-1-T3", "dev-2", { awaitsVerdict: true }),
    judge("1-1-T3", "disputed", { problems: [makeProblem("outside-claim", "files", "It changes src/cart.ts too.")] }),
  );
  known.asks("blocks", 40);
  known.asks("blocks-nobody", 41, {}, "1-1-T2");
  known.asks("gate", 42, { requestType: "gate_override" }, "1-1-T2");
  known.escalates("1-1-T2", "minor", 50);
  known.escalates("1-1-T1", "major", 51);
  known.escalates("1-1-T3", "blocking", 52);
  const stop = { by: "sec-1", seq: 60, stop: "60", part: null, findings: 2, critical: 1, lifted: null };
  known.keep([
    { event: "security-stopped", stop },
    {
      event: "agent-disappeared",
      agent: "dev-5",
      session: 1,
      cause: "program",
      lastSignMs: 5,
      tasks: ["1-1-T9"],
      atMs: 9,
    },
  ]);
  for (const seq of [70, 71, 72]) {
    keepRefusal(known.loops, {
      type: "claim-task",
      agent: "dev-1",
      code: "claim-overlap",
      path: "$.files",
      message: "Held by dev-2.",
      task: null,
      seq,
      atMs: 0,
    });
  }
  const over = { department: "backend", status: "shipped", hasFindings: true, blockers: ["T9 is disputed"] } as const;
  const part = { ...over, result: null };
  const clean = { ...part, department: "frontend", hasFindings: false } as const;
  const phases = [{ phase: "01", signoff: null, missing: null, unconfirmed: [], departments: [part, clean] }];
  const unguarded = new Map([["dev-4", { because: "unreviewed", seq: 9 } as const]]);
  assert.deepEqual(idsOf(known.needs({ proposal: { id: "p-1", changes: 2 }, phases, unguarded })), [
    "hold:60",
    "dispute:1-1-T3",
    "finding:01/backend",
    "unguarded:dev-4",
    "escalation:ESC-01-01-T3",
    "unresponsive:dev-5",
    "loop:dev-1/claim-overlap/70",
    "approval:dev-1/blocks",
    "approval:dev-1/gate",
    "revision:p-1",
    "escalation:ESC-01-01-T1",
    "approval:dev-1/blocks-nobody",
    "escalation:ESC-01-01-T2",
  ]);
  const lie = known.needs().find(({ kind }) => kind === "dispute");
  assert.equal(lie?.subject, "dev-2 reported 1-1-T3 as done; the repository does not confirm it.");
  const finding = known.needs({ phases }).find(({ kind }) => kind === "finding");
  assert.match(finding?.subject ?? "", /^Something is wrong with phase 01 \(backend\), found since it was shipped\.$/);
  assert.deepEqual([finding?.why, finding?.target], ["T9 is disputed", "01"]);
  assert.deepEqual([lie?.why, lie?.agent, lie?.seq], ["It changes src/cart.ts too.", "dev-2", 30]);
  assert.deepEqual(known.needs().find(({ target }) => target === "blocks")?.blocks, ["1-1-T2"]);
});

test("a program of which nothing is heard within two minutes of its start needs the person", () => {
  const known = team();
  const unguarded = new Map([["dev-4", { because: "unseen", seq: 9, at: "1970-01-01T00:00:01Z" } as const]]);
  const found = (atMs: number) => known.needs({ unguarded, atMs, aheadMs: 60_000 });
  assert.deepEqual(found(60_999), []);
  const [need, ...more] = found(61_000);
  assert.deepEqual([need?.id, need?.sinceMs, more], ["unguarded:dev-4", 1_000, []]);
  assert.equal(need?.subject, "dev-4 was started, and nothing has been heard of it since.");
  known.keep([{ event: "program-begun", agent: "dev-4", session: 1, program: "p", seq: 10, atMs: 5 }]);
  assert.deepEqual(found(61_000), [], "its server was seen");
});

test("what was decided needs nobody any more; what waits for another level does not need the person", () => {
  const known = team();
  known.does(add("1-1-T1"));
  known.asks("ask-1", 10);
  const below = reportedBlocker({ chain: ["lead", "user"] });
  known.escalates("1-1-T1", "blocking", 11, below);
  assert.deepEqual(idsOf(known.needs()), ["approval:dev-1/ask-1"]);
  const answer = {
    approved: true,
    decidedBy: "owner",
    role: null,
    reason: "",
    conditions: [],
    modifications: [],
    seq: 11,
    atMs: 11,
  };
  known.keep([{ event: "approval-answered", key: "dev-1/ask-1", answer }]);
  assert.deepEqual(known.needs(), []);
});

const need = (id: string, more: Partial<FoundNeed> = {}): FoundNeed => ({
  id,
  kind: "approval",
  class: "approval",
  subject: "",
  asks: null,
  why: null,
  help: null,
  agent: null,
  task: null,
  plan: null,
  phase: null,
  target: id,
  requestType: null,
  blocks: [],
  dueAtMs: null,
  dueBy: null,
  sinceMs: null,
  seq: 1,
  changedSeq: null,
  cause: null,
  about: null,
  count: 1,
  ...more,
});

test("within a class the earliest end comes first, then what more tasks wait for, then the oldest", () => {
  const found = [
    need("young", { seq: 9 }),
    need("old", { seq: 2 }),
    need("blocks", { seq: 8, blocks: ["T1", "T2"] }),
    need("late", { dueAtMs: 2 * hour, seq: 1 }),
    need("soon", { dueAtMs: hour, seq: 7 }),
  ];
  const expected = ["soon", "late", "blocks", "old", "young"];
  assert.deepEqual(idsOf(found), expected);
  assert.deepEqual(idsOf(found.toReversed()), expected, "the order does not depend on that of the input");
  const each = needClasses.map(([name]) => need(name, { class: name }));
  assert.deepEqual(
    idsOf(each.toReversed()),
    needClasses.map(([name]) => name),
  );
  const matters = needClasses.map(([name]) => triages.indexOf(triageOf(name)));
  assert.deepEqual(
    matters,
    matters.toSorted((a, b) => a - b),
    "all trouble comes before all that is only to be decided",
  );
});

test("the end of a lease counts as an end, and a deadline that is earlier wins", () => {
  const known = team();
  known.does(add("1-1-T1"), claim("1-1-T1", "dev-1"));
  known.asks("no-deadline", 10);
  known.asks("tomorrow", 11, { deadline: "2026-01-02T00:00:00Z" });
  known.asks("soon", 12, { deadline: "2026-01-01T00:00:01Z" });
  assert.deepEqual(
    ranked(known.needs()).map(({ target, dueAtMs }) => [target, dueAtMs]),
    [
      ["soon", 1_012],
      ["no-deadline", 1_000 + leaseMs],
      ["tomorrow", 1_000 + leaseMs],
    ],
  );
  const ahead = ranked(known.needs({ aheadMs: hour }))[0];
  assert.equal(ahead?.dueAtMs, 1_000 + leaseMs, "a clock that was set forward moves deadlines, not leases");
});

test("needs of one cause are a group, and those about the same a subgroup", () => {
  const found = [
    need("a", { cause: "silence/lead", about: "T1", class: "major-escalation" }),
    need("b", { cause: "silence/lead", about: "T1", class: "major-escalation" }),
    need("c", { cause: "silence/lead", about: "T2", class: "major-escalation" }),
    need("d", { cause: "silence/lead", about: "T2", class: "blocking-escalation" }),
    need("e"),
  ];
  const counts = groupsOf(found);
  assert.deepEqual(
    found.map((each) => [counts.get(groupOf(each) ?? "") ?? 0, counts.get(subgroupOf(each) ?? "") ?? 0]),
    [
      [3, 2],
      [3, 2],
      [3, 1],
      [1, 1],
      [0, 0],
    ],
  );
});

test("a loop is three refusals for one reason within ten minutes, by one agent; what is kept is bounded", () => {
  const loops: RefusalLoops = new Map();
  const refused = (seq: number, atMs: number, more: Partial<Parameters<typeof keepRefusal>[1]> = {}) =>
    keepRefusal(loops, {
      agent: "dev-1",
      type: "qa_verdict",
      code: "wrong-value",
      path: "$.a",
      message: `at ${seq}`,
      task: null,
      seq,
      atMs,
      ...more,
    });
  refused(1, 0);
  refused(2, 1_000);
  refused(3, 2_000, { agent: "dev-2" });
  refused(4, 3_000, { path: "$.b" });
  refused(4, 3_000, { type: "scout_findings" });
  assert.deepEqual(loopsAt(loops, 4_000), []);
  refused(5, loopWindowMs - 1);
  const [found, ...others] = loopsAt(loops, loopWindowMs - 1);
  assert.deepEqual([found?.times.map(([seq]) => seq), found?.message, others], [[1, 2, 5], "at 5", []]);
  assert.deepEqual(loopsAt(loops, loopWindowMs), [], "the first is too long ago");
  assert.equal(loopRefusalsMin, 3);
  for (let seq = 10; seq < 5_000; seq += 1) refused(seq, loopWindowMs, { path: `$.${seq}` });
  for (let seq = 5_000; seq < 6_000; seq += 1) refused(seq, loopWindowMs);
  assert.deepEqual([loops.size, loops.get('["dev-1","qa_verdict","wrong-value","$.a"]')?.times.length], [500, 50]);
});

test("a loop is over once its task is done, or its contract allows more", () => {
  const looping = () => {
    const known = team();
    known.does(add("1-1-T1"), claim("1-1-T1", "dev-1"));
    const refusal = {
      agent: "dev-1",
      type: "edit-files",
      code: "outside-contract",
      path: "a.js",
      message: "No.",
    } as const;
    for (const seq of [11, 12, 13]) keepRefusal(known.loops, { ...refusal, task: "1-1-T1", seq, atMs: 0 });
    assert.deepEqual(idsOf(known.needs()), ["loop:dev-1/outside-contract/11"]);
    return known;
  };
  const allowed = looping();
  const body = { planId: "1-1", phaseId: "1", objective: "", tasks: [], allowedPaths: ["a.js"], mustHaves: [] };
  allowed.issues({ ...body, forbiddenPaths: [] }, 14);
  assert.deepEqual(allowed.needs(), []);
  const done = looping();
  done.does(report("1-1-T1", "dev-1"));
  assert.deepEqual(done.needs(), []);
});

test("who waits for one task after another is in no loop; who asks for the same one again and again is", () => {
  for (const [code, tasks, isLoop] of [
    ["claim-overlap", ["T1", "T2", "T3"], false],
    ["task-held", ["T1", "T2", "T3"], false],
    ["task-blocked", ["T1", "T1", "T2"], false],
    ["claim-overlap", ["T1", "T1", "T1"], true],
    ["claim-overlap", [null, null, null], true],
    ["outside-contract", ["T1", "T2", "T3"], true],
    ["wrong-value", ["T1", "T2", "T3"], true],
  ] as const) {
    const loops: RefusalLoops = new Map();
    for (const [index, task] of tasks.entries())
      keepRefusal(loops, {
        agent: "dev-1",
        type: "claim-task",
        code,
        path: "files",
        message: "No.",
        task,
        seq: index,
        atMs: index,
      });
    assert.equal(loopsAt(loops, 10).length, isLoop ? 1 : 0, `${code} ${tasks.join()}`);
    assert.equal(loopsAt(loops, 10)[0]?.task ?? null, isLoop ? tasks[2] : null);
  }
});

test("ten thousand open requests and five hundred silent agents are ranked in a moment", () => {
  const known = team();
  known.does(add("1-1-T1", { seq: 1 }));
  for (let each = 2; each < 200; each += 1)
    known.does(add(`1-1-T${each}`, { seq: each, dependsOn: [`1-1-T${each - 1}`] }));
  for (let each = 0; each < 10_000; each += 1) known.asks(`ask-${each}`, 1_000 + each, {}, `1-1-T${1 + (each % 199)}`);
  for (let each = 0; each < 500; each += 1) {
    const lost = { session: 1, cause: "lease", lastSignMs: 5, tasks: ["1-1-T9"], atMs: 9 } as const;
    known.keep([{ event: "agent-disappeared", agent: `dev-${each}`, ...lost }]);
  }
  // Processor time: what else the machine does is not counted.
  const begun = process.cpuUsage();
  const found = ranked(known.needs());
  const { user, system } = process.cpuUsage(begun);
  const took = (user + system) / 1000;
  assert.equal(found.length, 10_500);
  assert.ok(took < 2_000, `it took ${took} ms`);
  assert.equal(found.find(({ kind }) => kind === "approval")?.blocks.length, 198);
});
