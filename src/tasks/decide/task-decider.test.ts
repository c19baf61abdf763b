import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { add, claim, release, report, stateAfter, type WorkCommand, work } from "../../../tests/work/orders.ts";
import { overlaps } from "../../base/paths/glob-overlap.ts";
import { type Glob, readGlob } from "../../base/paths/globs.ts";
import { foldEvents } from "../../testing/given.ts";
import type { WorkEvent } from "../state/task-events.ts";
import type { Task, Work } from "../state/task-state.ts";

/** Who holds what, kept as simply as it can be said: a list that is looked through whole for every question. */
interface Naive {
  readonly task: string;
  readonly holder: string;
  readonly token: number;
  files: readonly string[];
}

const taskFiles: { readonly [task: string]: readonly string[] } = {
  "1-1-T1": ["src/a.ts"],
  "1-1-T2": ["src/"],
  "1-1-T3": ["src/*.ts", "docs/x"],
  "1-1-T4": [],
  "1-1-T5": ["**/x"],
};
const tasks = Object.keys(taskFiles);
const agents = ["a", "b", "c"];
const files = ["src/a.ts", "src/b.ts", "src", "docs/", "docs/x", "**/x", "src/?.ts", "lib/**", "x"];
const silentMs = 40;

function globOf(text: string): Glob {
  const glob = readGlob(text);
  assert.ok(glob.ok);
  return glob.value;
}

function meet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => overlaps(globOf(one), globOf(other))));
}

/** What must hold after every step, whatever happened. */
function assertExclusive(state: Work): void {
  const claimed = [...state.tasks.values()].flatMap((task) => (task.claim === null ? [] : { task, claim: task.claim }));
  for (const [index, { claim: one }] of claimed.entries()) {
    for (const { claim: other } of claimed.slice(index + 1)) {
      assert.ok(one.holder === other.holder || !meet(one.files, other.files), `${one.files} meets ${other.files}`);
    }
  }
  const tokens = [...state.tasks.values()].flatMap(({ grants }: Task) => grants.map(([, token]) => token));
  assert.equal(new Set(tokens).size, tokens.length, "no two grants share a token");
}

test("two holders that meet are noticed", () => {
  const given = [add("1-1-T1", { files: ["src/"] }), add("1-1-T2", { files: ["docs/"] })];
  const state = stateAfter(...given, claim("1-1-T1", "a", { seq: 8 }), claim("1-1-T2", "b", { seq: 9 }));
  assertExclusive(state);
  // A grant that nobody decided.
  work.evolve(state, { event: "claim-grown", key: "1-1-T2", task: "1-1-T2", holder: "b", files: ["src/*/a.ts"] });
  assert.throws(() => assertExclusive(state), /meets/);
});

const step = fc.record({
  what: fc.constantFrom("claim", "claim", "claim", "release", "complete", "partial", "silence"),
  task: fc.constantFrom(...tasks),
  agent: fc.constantFrom(...agents),
  files: fc.option(fc.subarray(files, { minLength: 1, maxLength: 2 }), { nil: null }),
});

test("no two holders ever overlap, and each claim is decided as by looking at all of them", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const events: WorkEvent[] = [];
      let state = work.initial();
      const give = (command: WorkCommand) => {
        const decided = work.decide(command, state);
        for (const event of decided.ok ? decided.value.events : []) {
          events.push(structuredClone(event));
          state = work.evolve(state, event);
        }
        return decided;
      };
      for (const [task, own] of Object.entries(taskFiles)) give(add(task, { files: own }));
      let held: Naive[] = [];
      const done = new Set<string>();
      for (const [index, { what, task, agent, files: named }] of steps.entries()) {
        const seq = index + 10;
        const atMs = index * 10;
        if (what === "claim") {
          const mine = held.find((each) => each.task === task);
          const asked = named ?? (mine?.holder === agent ? [] : (taskFiles[task] ?? []));
          const isFree = mine === undefined || mine.holder === agent;
          const isApart = held.every((each) => each.holder === agent || !meet(asked, each.files));
          const expected = !done.has(task) && isFree && isApart;
          const decided = give(claim(task, agent, { files: named, seq, atMs }));
          assert.equal(decided.ok, expected, JSON.stringify({ task, agent, named, held, decided }));
          if (expected && mine === undefined) held.push({ task, holder: agent, token: seq, files: asked });
          else if (expected && mine !== undefined) mine.files = [...mine.files, ...asked];
        } else if (what === "release") {
          give(release(task, agent));
          held = held.filter((each) => each.task !== task || each.holder !== agent);
        } else if (what === "silence") {
          give({ command: "expire-leases", signs: [], atMs, silentMs });
          held = held.filter((each) => state.tasks.get(each.task)?.claim?.token === each.token);
        } else {
          const status = what === "complete" ? "complete" : "partial";
          const decided = give(report(task, agent, { status, commit: `abc${1_000 + index}`, files: named, seq }));
          if (what === "complete" && decided.ok && state.tasks.get(task)?.report?.reporter === agent) {
            done.add(task);
            held = held.filter((each) => each.task !== task);
          }
          const mine = held.find((each) => each.task === task);
          const now = state.tasks.get(task)?.claim;
          if (mine !== undefined && now !== null && now !== undefined) mine.files = now.files;
        }
        assertExclusive(state);
        assert.deepEqual(
          held.map((each) => `${each.task} ${each.holder}`).toSorted(),
          [...state.tasks.values()]
            .flatMap((each) => (each.claim ? [`${each.key} ${each.claim.holder}`] : []))
            .toSorted(),
        );
      }
      assert.deepEqual(foldEvents(work, events), state, "replaying gives the same state");
    }),
    { numRuns: 600 },
  );
});
