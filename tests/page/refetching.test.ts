/**
 * The page asks again for what an entry may have changed, by a list. Checked here against what entries do: along
 * histories of every kind, whatever a hub would answer otherwise after an entry was asked for because of it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { teamName } from "../../src/base/ids.ts";
import { everyList, type Shown, touched } from "../../src/doors/page/state/refetching.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { dialects } from "../../src/messages/dialects/index.ts";
import type { FactKind } from "../../src/messages/facts.ts";
import { latestRounds, openApprovals, openEscalations } from "../../src/perform/coordination-state.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import { teamProjection } from "../../src/perform/projection.ts";
import type { TeamState } from "../../src/perform/state.ts";
import { limitKinds } from "../../src/phases/decide/limit-rules.ts";
import { logLine } from "../../src/record/view/log.ts";
import { shutdownView } from "../../src/shutdown/services/shutdown-certificate.ts";
import { taskViews } from "../../src/tasks/view/task-view.ts";
import { simulate } from "../simulation/simulator.ts";
import { tellCompany } from "./company.ts";
import { team, teamFolder } from "./hub.ts";

/** What each route answers; the status counts entries, and is asked for after every one. */
const answers: { readonly [Each in Exclude<Shown, "status">]: (state: TeamState) => unknown } = {
  approvals: ({ coordination }) => openApprovals(coordination),
  // How long a claim lives follows from heartbeats, most of which make no entry: the page asks for it now and then.
  tasks: ({ coordination }) =>
    taskViews(coordination.work, { agent: null, signOf: () => 0, leaseMs: 0, hasRepository: true }, {}).map(
      ({ expiresAt: _expiresAt, ...view }) => view,
    ),
  escalations: ({ coordination }) => openEscalations(coordination),
  shutdowns: (state) => latestRounds(state.coordination).map((round) => shutdownView(state, round, 0)),
  handoffs: ({ coordination }) => [...coordination.handoffs.all.values()],
};

interface Walk {
  /** What was otherwise and was not asked for, in words. */
  readonly missed: readonly string[];
  /** How often each was otherwise. */
  readonly moved: ReadonlyMap<string, number>;
  readonly asked: number;
}

/** Folds the entries one by one and compares what is answered before and after each. */
function walk(entries: readonly Entry[], touchedBy: typeof touched): Walk {
  const missed: string[] = [];
  const moved = new Map<string, number>();
  let asked = 0;
  let state = teamProjection.initial();
  const said = () => new Map(Object.entries(answers).map(([name, answer]) => [name, JSON.stringify(answer(state))]));
  let before = said();
  for (const entry of entries) {
    state = teamProjection.evolve(state, entry);
    const after = said();
    const line = logLine(entry);
    const asks: ReadonlySet<string> = touchedBy(line, before.get("shutdowns") !== "[]");
    asked += asks.size;
    for (const [name, answer] of after) {
      if (answer === before.get(name)) continue;
      moved.set(name, (moved.get(name) ?? 0) + 1);
      if (!asks.has(name)) missed.push(`${name} after ${line.kind} ${line.type} (${line.fact})`);
    }
    before = after;
  }
  return { missed: [...new Set(missed)], moved, asked };
}

/** The entries of a simulated team, with every kind of error and deadline. */
async function simulated(seed: number): Promise<readonly Entry[]> {
  const bySeq = new Map<number, Entry>();
  const report = await simulate({
    seed,
    steps: 1_000,
    journal: (journal) => ({
      ...journal,
      async commit(...given) {
        const committed = await journal.commit(...given);
        if (committed.ok && committed.value.outcome === "recorded")
          bySeq.set(committed.value.entry.seq, committed.value.entry);
        return committed;
      },
    }),
  });
  assert.equal(bySeq.size, report.entries, `seed ${seed}: every entry is seen`);
  return [...bySeq.values()].toSorted((one, other) => one.seq - other.seq);
}

/** The entries of a company's phase with handoffs and a real repository. */
async function ofCompany(): Promise<readonly Entry[]> {
  using folder = teamFolder();
  const { close } = await tellCompany(folder.path);
  await close();
  const opened = await openTeamJournal(join(folder.path, ".git/baton/journal.db"), { create: false });
  assert.ok(opened.ok);
  const name = teamName(team);
  assert.ok(name !== null);
  const entries: Entry[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await opened.value.read(name, { after });
    assert.ok(page.ok);
    entries.push(...page.value.entries);
    after = page.value.next;
  }
  await opened.value.close();
  return entries;
}

test("nothing that an entry changed is missed, and most of what it did not change is not asked for", async () => {
  const histories = [await ofCompany()];
  for (let seed = 1; seed <= 6; seed++) histories.push(await simulated(seed));
  const walks = histories.map((entries) => walk(entries, touched));
  assert.deepEqual(
    walks.flatMap(({ missed }) => missed),
    [],
  );
  for (const name of Object.keys(answers))
    assert.ok(
      walks.some(({ moved }) => moved.has(name)),
      `${name} never moved`,
    );
  const entries = histories.reduce((sum, each) => sum + each.length, 0);
  const asked = walks.reduce((sum, each) => sum + each.asked, 0);
  assert.ok(asked < (entries * everyList.length) / 2, `${asked} askings after ${entries} entries`);
  // What is not in a list would be missed, and is found.
  const blind = histories.map((each) => walk(each, () => new Set(["status" as const])));
  assert.deepEqual(
    new Set(blind.flatMap(({ missed }) => missed.map((word) => word.split(" ")[0]))),
    new Set(Object.keys(answers)),
  );
});

test("whatever may run into a limit asks for what is held up, and whatever names an artifact for the tasks", () => {
  const said = (fact: FactKind) => touched({ kind: "message", type: null, fact, receivers: [] }, false);
  for (const kind of limitKinds) assert.ok(said(kind).has("escalations"), kind);
  for (const { definitions } of dialects) {
    for (const { kind, fields } of definitions.values()) {
      if (!fields.some(({ neutral }) => neutral === "artifact" || neutral === "artifacts")) continue;
      assert.ok(said(kind).has("tasks"), kind);
    }
  }
  assert.ok(said("own:report").has("tasks"));
});
