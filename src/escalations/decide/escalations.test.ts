import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeState, encodeState } from "../../base/state-codec.ts";
import { chainOf, type Level, levels } from "../../messages/authority/chain-of-command.ts";
import { given } from "../../testing/given.ts";
import {
  type EscalationEvent,
  type Escalations,
  escalationIdOf,
  escalationOf,
  heldUp,
  nextEscalationDeadline,
  waitingAt,
} from "../state.ts";
import type { Trouble } from "./escalation-raising.ts";
import { type EscalationCommand, escalations, waitsFor } from "./escalations.ts";

const chain: readonly Level[] = ["dev", "senior", "lead", "architect", "user"];
const trouble: Trouble = {
  issue: "The names are missing",
  needs: "Plan 1-0",
  recommendation: null,
  severity: "blocking",
  evidence: ["git log shows none"],
  options: [],
  phase: "01",
  plan: "01-02",
  task: "01-02/T3",
};
const id = "ESC-01-02-T3";
const levelSilentMs = 300_000;
const usual = { chain, levelSilentMs };

function blocker(agent = "dev-1", evidence: readonly string[] = trouble.evidence, seq = 1): EscalationCommand {
  return {
    command: "report-blocker",
    agent,
    level: "dev",
    ...usual,
    trouble: { ...trouble, evidence },
    seq,
    atMs: seq,
  };
}

function raise(agent: string, level: Level, target: Level, original: string | null = null, seq = 2): EscalationCommand {
  const said = { ...trouble, evidence: [`seen by ${agent}`], plan: null, task: null };
  return { command: "raise", agent, level, target, original, ...usual, trouble: said, seq, atMs: seq };
}

function resolve(agent: string, level: Level | null, decision = "Use library A", seq = 5): EscalationCommand {
  return {
    command: "resolve",
    agent,
    isPerson: agent === "owner",
    id,
    level,
    decision,
    rationale: "Support",
    actionItems: ["Update"],
    seq,
    atMs: seq,
  };
}

function goOn(agent = "dev-1", seq = 6): EscalationCommand {
  return { command: "go-on", agent, task: "T3", plan: "1-2", seq, atMs: seq };
}

function silent(atMs: number): EscalationCommand {
  return { command: "pass-level", levelSilentMs, seq: 9, atMs };
}

function after(...commands: readonly EscalationCommand[]): readonly EscalationEvent[] {
  let state = escalations.initial();
  return commands.flatMap((command) => {
    const decided = escalations.decide(command, state);
    assert.ok(decided.ok, JSON.stringify(decided));
    for (const event of decided.value.events) state = escalations.evolve(state, structuredClone(event));
    return decided.value.events;
  });
}

function stateAfter(...commands: readonly EscalationCommand[]): Escalations {
  return after(...commands).reduce(
    (state, event) => escalations.evolve(state, structuredClone(event)),
    escalations.initial(),
  );
}

function known(state: Escalations) {
  return escalationOf(state, id) ?? assert.fail("no escalation");
}

test("a blocker opens at the level above, under the task's id, for a time", () => {
  const { state } = given(escalations, []).when(blocker()).thenEvents(after(blocker()));
  const { level, status, round, dueAtMs, originators } = known(state);
  assert.deepEqual([level, status, round, dueAtMs, originators], ["senior", "open", 1, 1 + levelSilentMs, ["dev-1"]]);
  assert.equal(escalationOf(state, "ESC-1-2-T3")?.id, id, "zeros that fill up say nothing");
});

test("the same blocker again changes nothing; another's, or new evidence, is added", () => {
  given(escalations, after(blocker())).when(blocker()).thenNothing("escalation-unchanged");
  const { state } = given(escalations, after(blocker()))
    .when(blocker("dev-2", ["mine too"]))
    .thenEvents([{ event: "escalation-told", id, agent: "dev-2", evidence: ["mine too"], mustDecide: false }]);
  assert.deepEqual(known(state).originators, ["dev-1", "dev-2"]);
  assert.deepEqual(known(state).evidence, ["git log shows none", "mine too"]);
});

test("an escalation of a task that waits already joins it, and never opens it once more", () => {
  const begun = after(blocker(), silent(1 + levelSilentMs));
  const said = { ...trouble, evidence: ["mine too"] };
  const joins = { ...raise("dev-2", "dev", "senior"), trouble: said } as EscalationCommand;
  const { state } = given(escalations, begun)
    .when(joins)
    .thenEvents([{ event: "escalation-told", id, agent: "dev-2", evidence: ["mine too"], mustDecide: false }]);
  const { level, round, originators } = known(state);
  assert.deepEqual([level, round, originators], ["lead", 1, ["dev-1", "dev-2"]]);
});

test("it goes up one level at a time, bound to the one that waits at the sender's level", () => {
  given(escalations, after(blocker()))
    .when(raise("senior-1", "senior", "architect"))
    .thenRefused("wrong-value");
  const state = stateAfter(blocker(), raise("senior-1", "senior", "lead"));
  assert.equal(known(state).level, "lead");
  assert.deepEqual(
    known(state).steps.map(({ level, by, how }) => [level, by, how]),
    [
      ["senior", "dev-1", "opened"],
      ["lead", "senior-1", "raised"],
    ],
  );
  given(escalations, after(blocker(), raise("senior-1", "senior", "lead")))
    .when(raise("senior-1", "senior", "lead", id))
    .thenNothing("escalation-unchanged");
});

test("an escalation in the words of one that waits is that one; otherwise it is new and numbered", () => {
  const state = stateAfter(blocker(), raise("dev-1", "dev", "senior"));
  assert.equal(state.all.size, 1);
  assert.deepEqual(known(state).evidence, ["git log shows none", "seen by dev-1"]);
  const fresh = stateAfter(raise("dev-1", "dev", "senior"));
  assert.deepEqual(
    [...fresh.all.values()].map((each) => [each.id, each.level]),
    [["ESC-01-1", "senior"]],
  );
});

test("where several are repeated it is a new one, and the extra field says which", () => {
  const other: EscalationCommand = {
    ...blocker("dev-2", ["x"], 2),
    trouble: { ...trouble, task: "01-02/T4" },
  } as EscalationCommand;
  const begun = after(blocker(), other);
  const { state: separate } = given(escalations, begun)
    .when(raise("senior-1", "senior", "lead"))
    .thenEvents(after(blocker(), other, raise("senior-1", "senior", "lead")).slice(2));
  assert.deepEqual([waitingAt(separate, "senior").length, waitingAt(separate, "lead").length], [2, 1]);
  given(escalations, begun)
    .when(raise("senior-1", "senior", "lead", "ESC-9"))
    .thenRefused("unknown-request");
  const { state } = given(escalations, begun)
    .when(raise("senior-1", "senior", "lead", "ESC-1-2-T4"))
    .thenEvents(after(blocker(), other, raise("senior-1", "senior", "lead", "ESC-01-02-T4")).slice(2));
  assert.equal(waitingAt(state, "senior").length, 1);
  assert.equal(waitingAt(state, "lead").length, 1);
});

test("a silent level is skipped, late, never early, up to the user, who has no deadline", () => {
  given(escalations, after(blocker())).when(silent(levelSilentMs)).thenNothing(null);
  const passed = [1, 2, 3].map((times) => silent(1 + times * levelSilentMs));
  const state = stateAfter(blocker(), ...passed);
  assert.deepEqual(
    known(state).steps.map(({ level, by, how }) => [level, by, how]),
    [
      ["senior", "dev-1", "opened"],
      ["lead", "baton", "silence"],
      ["architect", "baton", "silence"],
      ["user", "baton", "silence"],
    ],
  );
  assert.equal(known(state).dueAtMs, null);
  assert.equal(nextEscalationDeadline(state), null);
});

function handUp(level: Level | null, options: readonly string[] = []): EscalationCommand {
  const said = { evidence: ["a trace"], options, recommendation: "Wait" };
  return { command: "hand-up", agent: "someone", id, level, ...said, levelSilentMs, seq: 4, atMs: 400_000 };
}

test("who escalates says what may be done, and the next level has its whole time", () => {
  const begun = [blocker(), silent(1 + levelSilentMs)];
  const handed = handUp("lead", ["drop it", "wait"]);
  const when = given(escalations, after(...begun)).when(handed);
  const { level, options, recommendation, dueAtMs } = known(when.thenEvents(after(...begun, handed).slice(2)).state);
  assert.deepEqual([level, options, recommendation], ["architect", ["drop it", "wait"], "Wait"]);
  assert.equal(dueAtMs, 400_000 + levelSilentMs);
});

test("the architect escalates to the user, who is the highest level; a decided or unknown escalation goes nowhere", () => {
  const begun = [blocker(), silent(1 + levelSilentMs), silent(1 + 2 * levelSilentMs)];
  const state = stateAfter(...begun, handUp("architect"));
  assert.deepEqual([known(state).level, known(state).dueAtMs], ["user", null]);
  given(escalations, after(...begun, handUp("architect")))
    .when(handUp("user"))
    .thenRefused("wrong-value");
  given(escalations, after(...begun, resolve("owner", "user")))
    .when(handUp("architect"))
    .thenRefused("already-answered");
  given(escalations, []).when(handUp("architect")).thenRefused("unknown-request");
});

/** Who decides what has come to the person; of the other levels: tests/authority/operations.test.ts. */
const ofPerson: readonly (readonly [Level, string, agent?: string])[] = [
  ["architect", "human-required"],
  ["owner", "human-required"],
  ["user", "human-required"],
  ["user", "", "owner"],
];

for (const [level, refusal, agent = "someone"] of ofPerson) {
  test(`${agent} at ${level} decides what waits at the person: ${refusal === "" ? "yes" : refusal}`, () => {
    const begun = [blocker(), ...[1, 2, 3].map((times) => silent(1 + times * levelSilentMs))];
    const when = given(escalations, after(...begun)).when(resolve(agent, level));
    if (refusal !== "") return void when.thenRefused(refusal as "human-required");
    const resolved = after(...begun, resolve(agent, level)).slice(begun.length);
    assert.equal(known(when.thenEvents(resolved).state).status, "resolved");
  });
}

test("one decision counts: a repeat changes nothing, another is refused, an unknown one is out of step", () => {
  const decided = after(blocker(), resolve("lead-1", "lead"));
  given(escalations, decided).when(resolve("lead-2", "lead")).thenNothing("answer-unchanged");
  given(escalations, decided)
    .when(resolve("architect-1", "architect", "No"))
    .thenRefused("already-answered");
  given(escalations, []).when(resolve("lead-1", "lead")).thenNothing("unknown-escalation");
});

test("what was settled without a decision is decided by nobody, and comes again to where it waited", () => {
  const settled = [...after(blocker()), { event: "escalation-closed" as const, id, seq: 5, atMs: 9_000 }];
  given(escalations, settled).when(resolve("senior-1", "senior")).thenRefused("already-answered");
  given(escalations, settled).when(resolve("owner", "user")).thenRefused("already-answered");
  const again = escalations.decide(
    blocker("dev-1", ["and now"], 6),
    settled.reduce(escalations.evolve, escalations.initial()),
  );
  assert.ok(again.ok);
  const [event] = again.value.events;
  assert.ok(event?.event === "escalation-raised");
  assert.deepEqual([event.step.how, event.step.level, event.round], ["again", "senior", 2]);
});

test("progress on that task closes it, after the decision, whoever has the task now", () => {
  given(escalations, after(blocker())).when(goOn()).thenNothing(null);
  const decided = after(blocker(), resolve("lead-1", "lead"));
  const { state } = given(escalations, decided)
    .when(goOn("dev-2"))
    .thenEvents([{ event: "escalation-closed", id, seq: 6, atMs: 6 }]);
  assert.equal(known(state).status, "closed");
  assert.deepEqual(heldUp(state, "dev-1"), []);
});

test("a new blocker on the task is one more round from where it was decided; then that level must decide", () => {
  const once = [blocker(), resolve("lead-1", "lead"), goOn()];
  const twice = [...once, blocker("dev-1", ["still"], 7)];
  const again = known(stateAfter(...twice));
  assert.deepEqual(
    [again.round, again.level, again.status, again.mustDecide, again.decision],
    [2, "lead", "open", false, null],
  );
  const thrice = [...twice, resolve("lead-1", "lead", "Then B", 8), blocker("dev-1", ["no better"], 9)];
  const last = known(stateAfter(...thrice));
  assert.deepEqual([last.round, last.level, last.mustDecide], [2, "lead", true]);
  given(escalations, after(...thrice))
    .when(raise("lead-1", "lead", "architect", null, 10))
    .thenRefused("must-decide");
});

test("the chain has the levels where somebody is, and the user", () => {
  const present: readonly Level[] = ["dev", "senior", "lead", "architect"];
  assert.deepEqual(chainOf({ present, hasSeniors: true, hasDepartments: false }), [...present, "user"]);
  assert.deepEqual(chainOf({ present, hasSeniors: true, hasDepartments: true }), levels);
  assert.deepEqual(chainOf({ present: ["lead", "senior"], hasSeniors: false, hasDepartments: false }), [
    "lead",
    "user",
  ]);
});

test("a chain that a team names has its levels and no others, where somebody is", () => {
  const present: readonly Level[] = ["dev", "senior", "lead", "architect"];
  const team = { present, hasSeniors: false, hasDepartments: false } as const;
  assert.deepEqual(chainOf({ ...team, named: ["dev", "lead", "user"] }), ["dev", "lead", "user"]);
  assert.deepEqual(chainOf({ ...team, named: ["dev", "senior", "user"] }), ["dev", "senior", "user"]);
  assert.deepEqual(chainOf({ ...team, present: ["dev"], named: ["lead", "owner", "user"] }), ["owner", "user"]);
  assert.deepEqual(chainOf({ ...team, named: ["user"] }), ["user"]);
});

const seed = 77_123;

test(`whatever agents do, escalations only go up, decisions come from above, and silence ends at the user (seed ${seed})`, () => {
  const who = fc.constantFrom<readonly [string, Level]>(
    ["dev-1", "dev"],
    ["dev-2", "dev"],
    ["senior-1", "senior"],
    ["lead-1", "lead"],
    ["architect-1", "architect"],
    ["owner", "user"],
  );
  const act = fc.record({
    act: fc.constantFrom("blocker", "raise", "resolve", "resolve", "go-on", "wait"),
    who,
    target: fc.constantFrom<Level>("senior", "lead", "architect"),
    task: fc.constantFrom("1-1-T1", "1-1-T2", "constructor"),
    word: fc.constantFrom("a", "b"),
    ms: fc.integer({ min: 1, max: levelSilentMs }),
  });
  let decisions = 0;
  fc.assert(
    fc.property(fc.array(act, { minLength: 8, maxLength: 30 }), (acts) => {
      const events: EscalationEvent[] = [];
      let state = escalations.initial();
      let [seq, atMs] = [0, 0];
      const give = (command: EscalationCommand): number => {
        const decided = escalations.decide(command, state);
        if (!decided.ok) return 0;
        for (const event of decided.value.events) {
          const before = "id" in event ? escalationOf(state, event.id) : null;
          if (event.event === "escalation-raised") {
            assert.ok(before !== null);
            const [from, to] = [levels.indexOf(before.level), levels.indexOf(event.step.level)];
            assert.ok(event.step.how === "again" ? before.status !== "open" : to > from, "up only");
            const between = chain.filter((level) => levels.indexOf(level) > from && levels.indexOf(level) < to);
            assert.ok(event.step.how === "again" || between.length === 0, "one level at a time");
            if (event.step.how === "silence") assert.ok((before.dueAtMs ?? Number.NaN) <= atMs, "never early");
          }
          if (event.event === "escalation-resolved") {
            assert.equal(before?.status, "open", "one decision");
            assert.ok(levels.indexOf(event.decision.level) >= levels.indexOf(before?.level ?? "user"));
            if (before?.level === "user") assert.equal(event.decision.decidedBy, "owner");
            decisions += 1;
          }
          state = escalations.evolve(state, structuredClone(event));
          events.push(event);
        }
        return decided.value.events.length;
      };
      const pass = () => {
        while (give({ command: "pass-level", levelSilentMs, seq: ++seq, atMs }) > 0);
      };
      for (const {
        act: name,
        who: [agent, level],
        target,
        task,
        word,
        ms,
      } of acts) {
        seq += 1;
        const said = { ...trouble, task, plan: null, evidence: [word] };
        const moment = { agent, seq, atMs };
        const open = [...state.open.keys()];
        if (name === "blocker") give({ command: "report-blocker", ...moment, level, ...usual, trouble: said });
        else if (name === "raise")
          give({ command: "raise", ...moment, level, target, original: open.at(-1) ?? null, ...usual, trouble: said });
        else if (name === "resolve")
          give({
            command: "resolve",
            ...moment,
            isPerson: agent === "owner",
            level,
            id: escalationIdOf(task, null),
            decision: word,
            rationale: "",
            actionItems: [],
          });
        else if (name === "go-on") give({ command: "go-on", ...moment, task, plan: null });
        else {
          atMs += ms;
          pass();
        }
      }
      for (let step = 0; step < chain.length; step++) {
        atMs += levelSilentMs;
        pass();
      }
      assert.equal(nextEscalationDeadline(state), null);
      for (const each of state.all.values()) {
        assert.ok(each.status !== "open" || each.level === "user", "what nobody decided waits for the person");
        assert.ok(each.round <= 2);
        assert.equal(each.decision !== null, each.status !== "open");
      }
      assert.deepStrictEqual(decodeState(encodeState(state)), state);
      assert.deepStrictEqual(
        events.reduce((folded, event) => escalations.evolve(folded, structuredClone(event)), escalations.initial()),
        state,
      );
    }),
    { seed, numRuns: 300 },
  );
  assert.ok(decisions > 100, `only ${decisions} decisions; the property saw too little`);
});

test("what holds an agent up in other words than at first is kept, while it waits and after a decision", () => {
  const other = {
    ...blocker("dev-1"),
    trouble: { ...trouble, issue: "It does not build either" },
  } as EscalationCommand;
  const waiting = stateAfter(blocker(), other);
  assert.deepEqual([...waiting.all.values()][0]?.evidence, [...trouble.evidence, "It does not build either"]);
  const again = stateAfter(blocker(), resolve("lead-1", "lead"), other);
  assert.deepEqual([...again.all.values()][0]?.evidence, [...trouble.evidence, "It does not build either"]);
});

test("an open escalation waits for its level in its department, and for the person at the two highest", () => {
  const at = (level: Level, department?: "frontend" | "backend") => ({
    status: "open" as const,
    level,
    chain: ["lead", "architect", "owner", "user"] as const,
    ...(department === undefined ? {} : { department }),
  });
  const cases = [
    [at("lead"), { agent: "lead-1", role: "lead" }, true],
    [at("architect"), { agent: "lead-1", role: "lead" }, false],
    // It may decide it, and is not asked.
    [at("lead"), { agent: "architect-1", role: "architect" }, false],
    [at("lead", "frontend"), { agent: "lead-1", role: "lead", department: "frontend" }, true],
    [at("lead", "frontend"), { agent: "lead-2", role: "lead", department: "backend" }, false],
    [at("architect", "frontend"), { agent: "architect-1", role: "architect", department: "backend" }, true],
    [at("user"), { agent: "boss", role: "user" }, false],
    [at("owner"), { agent: "boss", role: "owner" }, true],
    [at("owner"), { agent: "owner", role: null }, true],
    [at("user"), { agent: "owner", role: null }, true],
    [at("lead"), { agent: "owner", role: null }, false],
    [at("lead"), { agent: "nobody", role: null }, false],
    [{ ...at("lead"), status: "resolved" as const }, { agent: "lead-1", role: "lead" }, false],
  ] as const;
  for (const [escalation, who, waits] of cases)
    assert.equal(waitsFor(escalation, who), waits, `${who.agent} ${escalation.level}`);
});
