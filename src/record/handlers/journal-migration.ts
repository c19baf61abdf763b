/**
 * A journal that continues in another one. Its entries are copied while agents work; then an entry of each team says where
 * the team continues, and this journal takes nothing more; the rest is copied, and the other journal begins with an entry
 * that says so. Each step is repeated without harm, so a migration that was interrupted is started again.
 * Source: docs/protocol/record.md, section 17.
 */
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type MigratedTeams, migrateJournal } from "../../journal/engines.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { ActName } from "../../perform/act-line.ts";
import { movedProblem } from "../../perform/closed-team.ts";
import { ownersEntry } from "../../perform/content.ts";
import type { TeamState } from "../../perform/state.ts";

export const leave: ActName = "leave-journal";
export const enter: ActName = "enter-journal";

/** Opens a journal as `openTeamJournal` does, but so that it also records in teams that continue elsewhere. */
export type OpenAny = (
  address: string,
  options: { readonly create: boolean; readonly readOnly?: boolean },
) => Promise<Result<Journal<TeamState>, Problem>>;

/**
 * Brings the journal at `from` into the one at `to` for good. Refuses with `journal-moved` where a team continues in a third
 * journal, and as `migrateJournal`.
 */
export async function leaveJournal(open: OpenAny, from: string, to: string): Promise<Result<MigratedTeams, Problem>> {
  const arrived = await arrivedTeams(open, from, to);
  if (!arrived.ok) return arrived;
  const copied = await migrateJournal(from, to, { except: arrived.value, isVerified: false });
  if (!copied.ok) return copied;
  const left = await leaveAll(open, from, copied.value.place);
  if (!left.ok) return left;
  const rest = await migrateJournal(from, to, { except: arrived.value, isVerified: true });
  if (!rest.ok) return rest;
  const target = await open(to, { create: false });
  if (!target.ok) return target;
  await using entered = target.value;
  for (const { team } of rest.value.teams) {
    const done = await enterTeam(entered, team, rest.value.place);
    if (!done.ok) return done;
  }
  const added = new Map(copied.value.teams.map((each) => [each.team, each.added]));
  const teams = rest.value.teams.map((each) => ({ ...each, added: each.added + (added.get(each.team) ?? 0) }));
  return ok({ ...rest.value, teams });
}

/**
 * Whether another journal may take its place: every team continues elsewhere, or has nothing but what its team file says,
 * which the first command records wherever it is called.
 */
export async function isLeft(open: OpenAny, address: string): Promise<Result<boolean, Problem>> {
  const opened = await open(address, { create: false, readOnly: true });
  if (!opened.ok) return opened;
  await using journal = opened.value;
  const teams = await journal.teams();
  if (!teams.ok) return teams;
  for (const team of teams.value) {
    const folded = await journal.state(team);
    if (!folded.ok) return folded;
    if (folded.value.state.moved) continue;
    const first = await journal.read(team, { limit: definitionsMax });
    if (!first.ok) return first;
    const { entries } = first.value;
    const isAll = entries.at(-1)?.seq === folded.value.head.seq;
    if (!isAll || entries.some(({ kind }) => kind !== "team")) return ok(false);
  }
  return ok(true);
}

/** A journal with more entries than this is more than a team file. */
const definitionsMax = 100;

/** Records in every team that it continues at `place`; a team that is begun meanwhile is found by another look. */
async function leaveAll(open: OpenAny, from: string, place: string): Promise<Result<void, Problem>> {
  const opened = await open(from, { create: false });
  if (!opened.ok) return opened;
  await using journal = opened.value;
  for (;;) {
    const teams = await journal.teams();
    if (!teams.ok) return teams;
    let isAll = true;
    for (const team of teams.value) {
      const done = await record(journal, team, { name: leave, to: place }, ({ moved }) => !moved);
      if (!done.ok) return done;
      isAll &&= !done.value;
    }
    if (isAll) return ok(undefined);
  }
}

/** Lets the team continue in the journal at `place`, unless the migration was taken back meanwhile. */
async function enterTeam(journal: Journal<TeamState>, team: TeamName, place: string): Promise<Result<void, Problem>> {
  const done = await record(journal, team, { name: enter }, ({ moved }) => moved?.to === place);
  if (!done.ok) return done;
  const folded = done.value ? null : await journal.state(team);
  if (folded?.ok === false) return folded;
  const moved = folded?.value.state.moved;
  return moved ? err(movedProblem(team, moved)) : ok(undefined);
}

/** Records the owner's operation where the state asks for it; answers whether it did. */
async function record(
  journal: Journal<TeamState>,
  team: TeamName,
  command: { readonly name: ActName; readonly to?: string },
  isWanted: (state: TeamState) => boolean,
): Promise<Result<boolean, Problem>> {
  const done = await journal.commit(team, {
    once: null,
    decide: (state) => (isWanted(state) ? ownersEntry({ command }) : { decline: [] }),
  });
  return done.ok ? ok(done.value.outcome === "recorded") : done;
}

/** Teams that an earlier run has brought to `to` wholly: their last entry here is there, and they continue behind it. */
async function arrivedTeams(open: OpenAny, from: string, to: string): Promise<Result<readonly TeamName[], Problem>> {
  const opened = await open(from, { create: false, readOnly: true });
  if (!opened.ok) return opened;
  await using source = opened.value;
  const teams = await source.teams();
  if (!teams.ok) return teams;
  const arrived: TeamName[] = [];
  let target: Journal<TeamState> | null = null;
  try {
    for (const team of teams.value) {
      const here = await source.state(team);
      if (!here.ok) return here;
      const { state, head } = here.value;
      const { moved } = state;
      if (!moved) continue;
      if (target === null) {
        const other = await open(to, { create: false, readOnly: true });
        if (!other.ok) return other.error.code === "journal-missing" ? err(movedProblem(team, moved)) : other;
        target = other.value;
      }
      if (target.place !== moved.to) return err(movedProblem(team, moved));
      const there = await target.read(team, { after: head.seq - 1, limit: 2 });
      if (!there.ok) return there;
      const [last, next]: readonly (Entry | undefined)[] = there.value.entries;
      if (last?.hash !== head.hash || next === undefined) continue;
      // It may have left again, by another migration or because this one is being taken back.
      const now = await target.state(team);
      if (!now.ok) return now;
      if (now.value.state.moved) return err(movedProblem(team, now.value.state.moved));
      arrived.push(team);
    }
    return ok(arrived);
  } finally {
    await target?.close();
  }
}
