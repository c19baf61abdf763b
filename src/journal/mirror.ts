/**
 * A mirror: a copy of a journal in a file that is kept up with it and is its witness. Each look compares the last entry of
 * the mirror with the journal before anything is added, so entries that the journal lost or changed are noticed, and the
 * mirror stays as it was.
 * Source: docs/protocol/record.md, section 17.
 */
import type { TeamName } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { headBefore, isArchived } from "./archive-notice.ts";
import { sameHead } from "./chain.ts";
import { openJournal } from "./engines.ts";
import type { Head } from "./entry.ts";
import type { Journal, JournalStats } from "./journal.ts";
import { copyAgents, inArchive, unfolded } from "./migration.ts";
import { type MoveNotice, readMoveNotice } from "./move-notice.ts";

/** What a look has found of a team. */
export interface MirroredTeam {
  readonly team: TeamName;
  /** Entries that were added to the mirror. */
  readonly added: number;
  /** The mirror's last entry. */
  readonly head: Head;
  /** Where the team continues, so that nothing more comes here; null: in the mirrored journal. */
  readonly moved: MoveNotice | null;
}

/**
 * Brings the mirror up to the journal once, or up to the page in which `signal` aborts. Refuses with `journal-regressed`
 * where the journal no longer has an entry of the mirror, and with `journal-corrupt` where it has another one in its place;
 * then the mirror is the evidence. Also with the problems of both.
 *
 * @example
 * const looked = await mirrorOnce(source, mirror, signal);
 */
export async function mirrorOnce<State>(
  source: Journal<State>,
  mirror: Journal<null>,
  signal: AbortSignal,
): Promise<Result<readonly MirroredTeam[], Problem>> {
  const [here, there] = [await mirror.teams(), await source.teams()];
  if (!here.ok) return here;
  if (!there.ok) return there;
  const mirrored: MirroredTeam[] = [];
  for (const team of new Set([...here.value, ...there.value])) {
    if (signal.aborted) break;
    const looked = await mirrorTeam(source, mirror, team, signal);
    if (!looked.ok) return looked;
    mirrored.push(looked.value);
  }
  return ok(mirrored);
}

async function mirrorTeam<State>(
  source: Journal<State>,
  mirror: Journal<null>,
  team: TeamName,
  signal: AbortSignal,
): Promise<Result<MirroredTeam, Problem>> {
  const before = await mirror.state(team);
  if (!before.ok) return before;
  let [{ head }, added] = [before.value, 0];
  const agents = new Set<string>();
  let moved: MoveNotice | null = null;
  for (let isFirst = true, next: number | null = 0; next !== null && (isFirst || !signal.aborted); isFirst = false) {
    const page = await source.read(team, { after: Math.max(0, head.seq - 1) });
    if (!page.ok) return page;
    const { entries } = page.value;
    const [last] = entries;
    const isBehind = isArchived(last, head);
    if (isBehind && last !== undefined && headBefore(last)?.seq !== head.seq)
      return err(inArchive(mirror.place, team, head, last));
    if (!isBehind && head.seq > 0 && (last === undefined || !sameHead(last, head)))
      return err(await differenceOf(source, team, head, last?.seq === head.seq));
    const restored = await mirror.restore(team, entries);
    if (!restored.ok) return restored;
    added += restored.value.seq - head.seq;
    for (const { receivers, principal } of entries)
      for (const agent of [...receivers, principal.agent]) agents.add(agent);
    head = restored.value;
    ({ next } = page.value);
    const newest = next === null ? entries.at(-1) : undefined;
    moved = newest === undefined ? null : readMoveNotice(newest);
  }
  if (added > 0) {
    const kept = await copyAgents(source, mirror, team, agents);
    if (!kept.ok) return kept;
  }
  return ok({ team, added, head, moved });
}

async function differenceOf<State>(
  source: Journal<State>,
  team: TeamName,
  head: Head,
  isOther: boolean,
): Promise<Problem> {
  const stats = await source.stats();
  const found = stats.ok ? stats.value.teams.find((each) => each.team === team)?.head : undefined;
  const expected = `entry ${head.seq} with hash ${head.hash}`;
  const received = found === undefined ? "no entry of this team" : `entry ${found.seq} with hash ${found.hash}`;
  const hint =
    "Keep the mirror as it is: it is the evidence. Compare both with `baton journal export`, and begin a new mirror only when it is explained.";
  return isOther
    ? problem("journal-corrupt", team, `Entry ${head.seq} of the journal is not the one that the mirror has.`, {
        expected,
        hint,
      })
    : problem("journal-regressed", team, `The journal no longer has entry ${head.seq}, which the mirror has.`, {
        expected,
        received,
        hint,
      });
}

/** An open mirror of a journal. */
export interface Mirror extends AsyncDisposable {
  /** How many entries the mirror lacks, in all teams. */
  behind(): Promise<Result<number, Problem>>;
  /** Brings it up once; see `mirrorOnce`. */
  look(signal: AbortSignal): Promise<Result<readonly MirroredTeam[], Problem>>;
}

/**
 * Opens the mirror in `file`, an absolute path, of the journal at `address`, and makes it where there is none. Refuses with
 * the first thing that is wrong with a mirror that is there, and with the problems of opening both.
 */
export async function openMirror(address: string, file: string): Promise<Result<Mirror, Problem>> {
  const source = await openJournal(address, unfolded, { create: false, readOnly: true });
  if (!source.ok) return source;
  const copy = await openJournal(file, unfolded);
  const [fault] = copy.ok ? (await copy.value.verify()).problems : [copy.error];
  if (!copy.ok || fault !== undefined) {
    await source.value.close();
    if (copy.ok) await copy.value.close();
    return err(fault as Problem); // there is one where the copy could not be opened, too
  }
  const [from, mirror] = [source.value, copy.value];
  return ok({
    async behind() {
      const [there, here] = [await from.stats(), await mirror.stats()];
      if (!there.ok) return there;
      if (!here.ok) return here;
      const sum = ({ teams }: JournalStats) => teams.reduce((all, { entries }) => all + entries, 0);
      return ok(Math.max(0, sum(there.value) - sum(here.value)));
    },
    look: (signal) => mirrorOnce(from, mirror, signal),
    async [Symbol.asyncDispose]() {
      await from.close();
      await mirror.close();
    },
  });
}
