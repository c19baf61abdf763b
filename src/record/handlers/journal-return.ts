/**
 * A migration that is taken back: the journal that was left continues, without what the other one has recorded since. For
 * each team the other journal is closed first, and only then this one begins to record, so at no moment both do. A run that
 * was interrupted between the two leaves both closed, and is started again at either of them.
 * Source: docs/protocol/record.md, section 17.
 */
import { argument } from "../../base/argument.ts";
import type { TeamName } from "../../base/ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Journal } from "../../journal/journal.ts";
import { movedProblem } from "../../perform/closed-team.ts";
import { contentOf, ownersEntry } from "../../perform/content.ts";
import type { TeamState } from "../../perform/state.ts";
import { enter, leave, type OpenAny } from "./journal-migration.ts";

/** How the other journal is found. */
export interface ReturnOptions {
  /** Its address, with credentials; absent: the one that the entries name. */
  readonly other?: string;
  /** Whether this journal continues also where the other one cannot be opened, because the owner says that it is lost. */
  readonly isLost: boolean;
}

/** What became of the teams. */
export interface ReturnedTeams {
  /** Those that continue in this journal again. */
  readonly teams: readonly TeamName[];
  /** The journals in which nothing more is recorded for a team of this one, by their addresses. */
  readonly closed: readonly string[];
  /** The journals that could not be opened, and why: they may still record. */
  readonly open: readonly Problem[];
  /** Teams that were begun in another journal since, and continue there. */
  readonly onlyThere: readonly TeamName[];
  /** What was acknowledged in another journal since the migration, and stays there. */
  readonly staying: readonly StayingEntries[];
}

/** Entries of a team that only the other journal has. */
export interface StayingEntries {
  readonly team: TeamName;
  /** The other journal, by its address. */
  readonly journal: string;
  readonly entries: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Lets the teams of the journal continue in it, and closes the journals that they had moved to. Where `other` is named, it
 * also closes that one for teams that continue here already, as an earlier run may have left them. Refuses with
 * `journal-moved` where a team has moved on to a third journal, `changed-meanwhile` where somebody else moves it,
 * `wrong-value` where `other` is another journal, and with the problems of opening both.
 */
export async function returnToJournal(
  open: OpenAny,
  address: string,
  options: ReturnOptions,
): Promise<Result<ReturnedTeams, Problem>> {
  const opened = await open(address, { create: false });
  if (!opened.ok) return opened;
  await using journal = opened.value;
  await using others = otherJournals(open, options);
  const known = await journal.teams();
  if (!known.ok) return known;
  const [teams, closed, staying]: [TeamName[], Set<string>, StayingEntries[]] = [[], new Set(), []];
  for (const team of known.value) {
    const done = await returnTeam(journal, others, team, options.other);
    if (!done.ok) return done;
    if (done.value.isReturned) teams.push(team);
    if (done.value.closed !== null) closed.add(done.value.closed);
    if (done.value.staying !== null) staying.push(done.value.staying);
  }
  const onlyThere = new Set<TeamName>();
  for (const other of others.opened()) {
    const there = await other.teams();
    if (!there.ok) return there;
    for (const team of there.value) if (!known.value.includes(team)) onlyThere.add(team);
  }
  return ok({ teams, closed: [...closed], open: others.faults(), onlyThere: [...onlyThere], staying });
}

interface ReturnedTeam {
  readonly isReturned: boolean;
  /** The other journal, where it was closed; null: there was nothing to close. */
  readonly closed: string | null;
  /** What the other journal has recorded of it since; null: nothing that is known. */
  readonly staying: StayingEntries | null;
}

async function returnTeam(
  journal: Journal<TeamState>,
  others: OtherJournals,
  team: TeamName,
  named: string | undefined,
): Promise<Result<ReturnedTeam, Problem>> {
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const {
    state: { moved },
    head: { seq },
  } = folded.value;
  const address = named ?? moved?.to;
  if (address === undefined) return ok({ isReturned: false, closed: null, staying: null });
  const found = await others.at(address);
  if (!found.ok) return found;
  const other = found.value;
  if (other !== null && moved && other.place !== moved.to) return err(otherPlace(other.place, moved.to));
  const isClosed = other === null ? ok(false) : await closeTeam(journal, other, team, Boolean(moved));
  if (!isClosed.ok) return isClosed;
  const closed = isClosed.value ? (other?.place ?? null) : null;
  if (!moved) return ok({ isReturned: false, closed, staying: null });
  // Read after the other one was closed, so that nothing is added.
  const staying = other === null ? ok(null) : await stayingIn(other, team, seq);
  if (!staying.ok) return staying;
  // A run that takes the migration back at the other journal meanwhile records here first; then this one does not begin.
  const entered = await journal.commit(team, {
    once: null,
    decide: (_, moment) =>
      moment.seq === seq + 1 ? ownersEntry({ command: { name: enter } }) : { decline: [movedMeanwhile(team)] },
  });
  if (!entered.ok) return entered;
  if (entered.value.outcome === "declined") return err(entered.value.problems[0] ?? movedMeanwhile(team));
  return ok({ isReturned: true, closed, staying: staying.value });
}

/** What the other journal has recorded behind entry `seq`, with which the team left here; not its own moves. */
async function stayingIn(
  { place, read }: Pick<Journal<TeamState>, "place" | "read">,
  team: TeamName,
  seq: number,
): Promise<Result<StayingEntries | null, Problem>> {
  const staying: number[] = [];
  for (let after = seq; ; ) {
    const page = await read(team, { after, limit: pageEntries });
    if (!page.ok) return page;
    for (const entry of page.value.entries) {
      after = entry.seq;
      const name = contentOf(entry).command?.name;
      if (name !== leave && name !== enter) staying.push(entry.seq);
    }
    if (page.value.next !== null) continue;
    const [first, last] = [staying[0], staying.at(-1)];
    if (first === undefined || last === undefined) return ok(null);
    return ok({ team, journal: place, entries: staying.length, first, last });
  }
}

const pageEntries = 500;

/**
 * Records in the other journal that the team continues in this one; answers whether it did. A team that `isMoved` there is
 * closed in any case, also where an earlier run has done so: by that entry, two runs at both journals notice each other.
 */
async function closeTeam(
  journal: Journal<TeamState>,
  other: Journal<TeamState>,
  team: TeamName,
  isMoved: boolean,
): Promise<Result<boolean, Problem>> {
  if (!isMoved) {
    const [here, there] = [await journal.read(team, { limit: 1 }), await other.read(team, { limit: 1 })];
    if (!here.ok) return here;
    if (!there.ok) return there;
    const [first] = there.value.entries;
    // A team that is not there, or one of another project, has nothing to do with this journal.
    if (first === undefined || first.hash !== here.value.entries[0]?.hash) return ok(false);
  }
  const done = await other.commit(team, {
    once: null,
    decide: ({ moved }) => {
      // With its own address it is complete, and the migration was interrupted before it began to record.
      if (moved && moved.to !== journal.place && moved.to !== other.place)
        return { decline: [movedOn(team, moved.to, other.place)] };
      if (moved && !isMoved) return { decline: [] };
      return ownersEntry({ command: { name: leave, to: journal.place, isUndone: true } });
    },
  });
  if (!done.ok) return done;
  if (done.value.outcome === "recorded") return ok(true);
  const [fault] = done.value.outcome === "declined" ? done.value.problems : [];
  return fault === undefined ? ok(false) : err(fault);
}

interface OtherJournals extends AsyncDisposable {
  /** The journal at the address, opened once; null: it cannot be opened, and is said to be lost. */
  at(address: string): Promise<Result<Journal<TeamState> | null, Problem>>;
  opened(): readonly Journal<TeamState>[];
  /** Why some could not be opened. */
  faults(): readonly Problem[];
}

function otherJournals(open: OpenAny, { isLost }: ReturnOptions): OtherJournals {
  const known = new Map<string, Journal<TeamState> | null>();
  const faults: Problem[] = [];
  const opened = () => [...known.values()].filter((each) => each !== null);
  return {
    async at(address) {
      const before = known.get(address);
      if (before !== undefined) return ok(before);
      const found = await open(address, { create: false });
      if (!found.ok && !isLost) return err(cannotClose(found.error));
      if (!found.ok) faults.push(found.error);
      const journal = found.ok ? found.value : null;
      known.set(address, journal);
      return ok(journal);
    },
    opened,
    faults: () => faults,
    async [Symbol.asyncDispose]() {
      for (const journal of opened()) await journal.close();
    },
  };
}

/** The other journal must take part, because it would go on recording. */
function cannotClose(fault: Problem): Problem {
  const hint =
    "The teams continue in this journal until it says otherwise. Name it with its credentials: `baton journal migrate --undo --to URL`. " +
    "Only where it is lost for good, add --target-lost.";
  return { ...fault, hint: fault.hint === undefined ? hint : `${fault.hint} ${hint}` };
}

function otherPlace(received: string, expected: string): Problem {
  return problem("wrong-value", argument("to"), "This is not the journal in which the team continues.", {
    expected,
    received,
    hint: "name the journal of the migration, with its credentials",
  });
}

/** The team went on from the other journal to a third one. */
function movedOn(team: TeamName, to: string, place: string): Problem {
  const { hint: _, ...fault } = movedProblem(team, { to });
  return {
    ...fault,
    hint: `Take the later migration back first: \`baton journal migrate --undo\` with --journal for ${place}. Then run this again.`,
  };
}

function movedMeanwhile(team: TeamName): Problem {
  return problem("changed-meanwhile", team, `Somebody else moves the team ${team} just now.`, {
    hint: "Nothing is lost. See where it continues with `baton doctor`, and run this again if it is needed.",
  });
}
