/** A migration that is taken back: one journal records at any time, and every interrupted step can be repeated. */
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import type { Journal, Moment } from "../../src/journal/journal.ts";
import { commitBehind } from "../../src/perform/commit.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import type { TeamState } from "../../src/perform/state.ts";
import { isLeft, leaveJournal, type OpenAny } from "../../src/record/handlers/journal-migration.ts";
import { returnToJournal } from "../../src/record/handlers/journal-return.ts";
import { attempt, must, tally, team } from "../../src/testing/journal-subject.ts";
import { called } from "../e2e/called.ts";
import { contract, folder, team as teamFolder } from "../e2e/command.ts";

const alpha = team("alpha");
const beta = team("beta");
const undo = { isLost: false };

/** Whether the journal records in the team; tries it. */
async function records(address: string, name = alpha): Promise<boolean> {
  await using journal = must(await openTeamJournal(address, { create: false }));
  tried += 1;
  const { once, decide } = attempt({ id: `try-${tried}`, content: {} });
  const done = must(
    await commitBehind({ journal, team: name }, [], { once, decide: (_, moment) => decide(tally.initial(), moment) }),
  );
  return done.outcome === "recorded";
}
let tried = 0;

/** Two files, the teams of the first of which have moved into the second. */
async function migrated(): Promise<{ readonly from: string; readonly to: string }> {
  const [from, to] = [join(folder(), "from.db"), join(folder(), "to.db")];
  {
    await using source = must(await openTeamJournal(from));
    for (const name of [alpha, beta]) {
      const { once, decide } = attempt({ id: `first-${name}`, content: {} });
      must(
        await commitBehind({ journal: source, team: name }, [], {
          once,
          decide: (_: unknown, moment: Moment) => decide(tally.initial(), moment),
        }),
      );
    }
  }
  must(await leaveJournal(openTeamJournal, from, to));
  assert.deepEqual([await records(from), await records(to)], [false, true]);
  return { from, to };
}

/** Opens journals as usual, but every commit that `isCut` names fails as if the process had ended before it. */
function cutAt(isCut: (address: string, count: number) => boolean): OpenAny {
  let count = 0;
  return async (address, options): Promise<Result<Journal<TeamState>, ReturnType<typeof problem>>> => {
    const opened = await openTeamJournal(address, options);
    if (!opened.ok) return opened;
    const journal = opened.value;
    return ok({
      ...journal,
      commit: async (name, asked) => {
        count += 1;
        if (isCut(address, count)) return err(problem("journal-unreachable", address, "cut"));
        return await journal.commit(name, asked);
      },
    });
  };
}

test("a migration that is taken back leaves one journal that records; the other one says where the team is", async () => {
  const home = teamFolder();
  const to = join(folder(), "to.db");
  const run = async (words: readonly string[], input = "", code = 0) => {
    const done = await called(home, words, input);
    assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.said}`);
    return done.said;
  };
  const there = ["--journal", `sqlite:${to}`];
  await run(["send", "-", "--as", "lead-1"], contract());
  await run(["journal", "migrate", "--to", `sqlite:${to}`]);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1", ...there], "only there");
  const undone = await run(["journal", "migrate", "--undo"]);
  assert.match(undone, /Continues here: .*\nNothing more of these teams is recorded in .*to\.db/);
  assert.match(undone, /baton journal place/);
  // What was acknowledged there is counted, without the entries of the move, and the line reads it.
  const [, seq, line] =
    /1 acknowledged entry of \S+ \(entry (\d+)\) is only in .*to\.db.* `baton (log [^`]*)`/.exec(undone) ?? [];
  assert.ok(seq !== undefined && line !== undefined, undone);
  assert.match(await run(line.split(" ")), /only there/);
  await run(["send", "-", "--as", "dev-1", "--to", "lead-1"], "here again");
  const refused = await run(["send", "-", "--as", "dev-1", "--to", "lead-1", ...there], "lost", 2);
  assert.match(refused, /journal-moved.*\n.*continues in the journal .*journal\.db/);
  assert.match(refused, /migration that was taken back/);
  // It can be read, and what is recorded nowhere else is in it.
  const log = await run(["log", ...there]);
  assert.match(log, /only there/);
  assert.match(log, /took back the migration into this journal: the team continues in /);
  assert.match(await run(["doctor", ...there], "", 2), /journal-moved/);
  assert.equal(must(await isLeft(openTeamJournal, to)), true);
  assert.doesNotMatch(await run(["journal", "migrate", "--undo"]), /acknowledged/);
  // Once more nothing changes, and what parted is not put together again.
  assert.match(await run(["journal", "migrate", "--undo"]), /No team had left this journal/);
  assert.match(await run(["journal", "migrate", "--to", `sqlite:${to}`], "", 2), /Something was recorded here since/);
  const { said } = await called(home, ["journal", "migrate", "--undo", "--copy"]);
  assert.match(said, /exclude each other/);
  assert.match(
    (await called(home, ["journal", "migrate", "--target-lost", "--to", "sqlite:x.db"])).said,
    /only for --undo/,
  );
});

test("an undo that ends after any of its steps is repeated at either journal, and never do two record", async () => {
  // Two teams, two steps each; the run ends before step 1, 2, 3 or 4.
  for (const step of [1, 2, 3, 4])
    for (const isRepeatedHere of [true, false]) {
      const { from, to } = await migrated();
      const cut = await returnToJournal(
        cutAt((_, count) => count >= step),
        from,
        undo,
      );
      assert.ok(!cut.ok && cut.error.code === "journal-unreachable");
      for (const name of [alpha, beta])
        assert.ok(!((await records(from, name)) && (await records(to, name))), `two record after step ${step}`);
      // A migration that is started again meanwhile does not say that the team is where it is not.
      if (step === 2) {
        const again = await leaveJournal(openTeamJournal, from, to);
        assert.ok(!again.ok && again.error.code === "journal-moved");
      }
      must(await returnToJournal(openTeamJournal, isRepeatedHere ? from : to, undo));
      for (const name of [alpha, beta])
        assert.equal(
          Number(await records(from, name)) + Number(await records(to, name)),
          1,
          `${name} after step ${step}`,
        );
    }
});

test("a migration that is under way and two undos at once never leave two journals that record", async () => {
  const count = async (from: string, to: string) => Number(await records(from)) + Number(await records(to));
  // The run has closed the source and copied everything; before it begins in the target, somebody takes it back.
  const [from, to] = [join(folder(), "from.db"), join(folder(), "to.db")];
  {
    await using source = must(await openTeamJournal(from));
    const { once, decide } = attempt({ id: "first", content: {} });
    must(
      await commitBehind({ journal: source, team: alpha }, [], {
        once,
        decide: (_: unknown, moment: Moment) => decide(tally.initial(), moment),
      }),
    );
  }
  const late = await leaveJournal(
    async (address, options) => {
      if (address === to && options.readOnly !== true) must(await returnToJournal(openTeamJournal, from, undo));
      return await openTeamJournal(address, options);
    },
    from,
    to,
  );
  assert.ok(!late.ok && late.error.code === "journal-moved");
  assert.deepEqual([await records(from), await records(to)], [true, false]);
  // Both are closed; then both are asked to continue, each before the other one has begun.
  const both = await migrated();
  const cut = await returnToJournal(
    cutAt((_, made) => made >= 2),
    both.from,
    undo,
  );
  assert.ok(!cut.ok);
  const inner = await returnToJournal(
    async (address, options) => {
      const opened = await openTeamJournal(address, options);
      if (!opened.ok || address !== both.from) return opened;
      let isFirst = true;
      const journal = opened.value;
      return ok({
        ...journal,
        commit: async (name, asked) => {
          // This run has closed the other journal; the one at the other journal runs whole before it goes on.
          if (isFirst) await returnToJournal(openTeamJournal, both.to, undo);
          isFirst = false;
          return await journal.commit(name, asked);
        },
      });
    },
    both.from,
    undo,
  );
  assert.ok(!inner.ok && inner.error.code === "changed-meanwhile", JSON.stringify(inner));
  assert.equal(await count(both.from, both.to), 1);
});

test("a journal that cannot be opened is not abandoned unless its owner says that it is lost, and is closed when it is back", async () => {
  const { from, to } = await migrated();
  const away: OpenAny = (address, options) =>
    address === to
      ? Promise.resolve(err(problem("journal-unreachable", to, "nobody answers")))
      : openTeamJournal(address, options);
  const refused = await returnToJournal(away, from, undo);
  assert.ok(!refused.ok && refused.error.code === "journal-unreachable");
  assert.match(refused.error.hint ?? "", /--undo --to URL.*--target-lost/);
  assert.deepEqual([await records(from), await records(to)], [false, true]);
  const lost = must(await returnToJournal(away, from, { isLost: true }));
  assert.deepEqual(
    lost.open.map(({ path }) => path),
    [to],
  );
  assert.equal(await records(from), true);
  const closed = must(await returnToJournal(openTeamJournal, from, { ...undo, other: to }));
  assert.deepEqual([closed.teams.length, closed.closed], [0, [to]]);
  assert.deepEqual([await records(from), await records(to)], [true, false]);
});

test("the command says which journal it could not close, and how to close it later", async () => {
  const home = teamFolder();
  const to = join(folder(), "to.db");
  const undoing = async (code: number, ...more: readonly string[]) => {
    const done = await called(home, ["journal", "migrate", "--undo", ...more]);
    assert.equal(done.code, code, done.said);
    return done;
  };
  assert.equal((await called(home, ["send", "-", "--as", "lead-1"], contract())).code, 0);
  assert.equal((await called(home, ["journal", "migrate", "--to", `sqlite:${to}`])).code, 0);
  // A disk that is not there for a while.
  renameSync(to, `${to}.away`);
  const refused = await undoing(3);
  assert.match(refused.stderr.replaceAll(/\s+/g, " "), /journal-missing .* --undo --to URL.*--target-lost/);
  const lost = JSON.parse((await undoing(0, "--target-lost", "--json")).stdout);
  assert.deepEqual([lost.teams.length, lost.closed, lost.notClosed[0].code], [1, [], "journal-missing"]);
  renameSync(`${to}.away`, to);
  const closed = await undoing(0, "--to", `sqlite:${to}`);
  assert.match(closed.stdout, /^Nothing more of these teams is recorded in .*to\.db/);
  assert.equal(must(await isLeft(openTeamJournal, to)), true);
});

test("an undo refuses a team that went on to a third journal, and leaves a team that was begun in the other one there", async () => {
  const gamma = team("gamma");
  const { from, to } = await migrated();
  const third = join(folder(), "third.db");
  must(await leaveJournal(openTeamJournal, to, third));
  const refused = await returnToJournal(openTeamJournal, from, undo);
  assert.ok(!refused.ok && refused.error.code === "journal-moved");
  assert.match(refused.error.hint ?? "", /later migration back first/);
  assert.deepEqual([await records(from), await records(to), await records(third)], [false, false, true]);
  must(await returnToJournal(openTeamJournal, to, undo));
  assert.equal(await records(to, gamma), true);
  const wrong = await returnToJournal(openTeamJournal, from, { ...undo, other: third });
  assert.ok(!wrong.ok && wrong.error.code === "wrong-value");
  const done = must(await returnToJournal(openTeamJournal, from, undo));
  assert.deepEqual(done.onlyThere, [gamma]);
  assert.deepEqual([await records(from), await records(to), await records(third)], [true, false, false]);
  assert.equal(await records(to, gamma), true);
  assert.equal(must(await isLeft(openTeamJournal, to)), false);
});
