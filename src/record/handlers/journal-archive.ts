/**
 * Archives of what has ended: a team, or a team up to the end of a phase, is copied into a file whose SHA-256 an entry
 * names. Then the journal may give up the entries of the team, and takes them back from the same file. Each step is repeated
 * without harm, so a run that was interrupted is started again.
 * Source: docs/protocol/record.md, section 17.
 */
import { basename } from "node:path";
import type { TeamName } from "../../base/ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { ArchiveAct, ArchiveNotice } from "../../journal/archive-notice.ts";
import { headAfter } from "../../journal/chain.ts";
import { archiveFiles } from "../../journal/engines.ts";
import type { Entry, Head } from "../../journal/entry.ts";
import type { Journal, StreamChange } from "../../journal/journal.ts";
import { phaseKey } from "../../messages/task-ids.ts";
import { ownersEntry } from "../../perform/content.ts";
import type { TeamArchive, TeamState } from "../../perform/state.ts";
import { departmentsOf } from "../../phases/state/department-state.ts";
import { partOf } from "../../phases/state/phase-state.ts";

/** What an archive has become. */
export interface ArchivedTeam extends Omit<ArchiveNotice, "act"> {
  readonly team: TeamName;
  /** Whether the journal has given up what is in it. */
  readonly isGivenUp: boolean;
}

/** What is archived, where, and what becomes of it here. */
export interface ArchiveOptions {
  /** An absolute path. */
  readonly file: string;
  /** The path where that file is the archive of other entries; absent: then it is refused. */
  readonly otherFile?: ((end: Head) => string) | undefined;
  /** Absent: the whole team, which must have ended. */
  readonly phase?: string | undefined;
  /** Whether the journal gives up the entries afterwards. */
  readonly givesUp: boolean;
}

/** Why the team has not ended: agents are at work. Null: it has. */
export function notEndedProblem(team: TeamName, state: TeamState): Problem | null {
  const active = [...state.team.roster.values()].filter(({ status }) => status === "active").map(({ agent }) => agent);
  if (active.length === 0) return null;
  return problem("not-ready", team, `The team ${team} has not ended: ${active.join(", ")} may go on.`, {
    hint: "End it with `baton shutdown start --reason phase_complete`, and retire those who stay with `baton agent retire AGENT`.",
  });
}

/**
 * Archives the team, or the team up to the end of a phase. Refuses with `not-ready` where it has not ended, `already-exists`
 * where the file is another one, `changed-meanwhile`, `wrong-usage` where the engine cannot give up entries, and with the
 * problems of both journals.
 */
export async function archiveTeam(
  journal: Journal<TeamState>,
  team: TeamName,
  options: ArchiveOptions,
): Promise<Result<ArchivedTeam, Problem>> {
  const { givesUp, otherFile } = options;
  let { file } = options;
  if (givesUp && !journal.abilities.givesUp) return err(cannotGiveUp(journal.place));
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { state, head } = folded.value;
  const phase = options.phase === undefined ? null : phaseKey(options.phase);
  const known = (phase === null ? state.archived : state.phaseArchives?.get(phase)) ?? null;
  if (phase === null && state.archived?.isGivenUp === true) return ok({ ...state.archived, team });
  const end = known?.head ?? (phase === null ? ended(team, state, head) : await endOf(journal, team, state, phase));
  const last = "seq" in end ? ok(end) : end;
  if (!last.ok) return last;
  const { removeJournal, writeArchive } = await archiveFiles();
  let written = await writeArchive(journal, team, last.value, file);
  if (!written.ok && written.error.code === "already-exists" && otherFile !== undefined) {
    file = otherFile(last.value);
    written = await writeArchive(journal, team, last.value, file);
  }
  if (!written.ok) return written;
  const { digest, isNew } = written.value;
  if (known !== null && known.digest !== digest) {
    if (isNew) removeJournal(file);
    return err(otherArchive(file, known, digest));
  }
  const notice = { file: basename(file), digest, head: last.value, phase };
  const named = known === null ? await nameArchive(journal, team, notice) : ok(undefined);
  if (!named.ok) {
    // Nothing names what this run has written, so nothing is lost with it.
    if (isNew && named.error.code === "changed-meanwhile") removeJournal(file);
    return named;
  }
  if (!givesUp) return ok({ ...notice, team, isGivenUp: false });
  const given = await giveUp(journal, team, file);
  return given.ok ? ok({ ...notice, team, isGivenUp: true }) : given;
}

function ended(team: TeamName, state: TeamState, head: Head): Result<Head, Problem> {
  const fault = head.seq === 0 ? unknownTeam(team) : notEndedProblem(team, state);
  return fault === null ? ok(head) : err(fault);
}

/** The entry by which the phase ended: the lead ended it, or the owner shipped it. */
async function endOf(
  journal: Journal<TeamState>,
  team: TeamName,
  { coordination }: TeamState,
  phase: string,
): Promise<Result<Head, Problem>> {
  const { ended: end } = partOf(coordination.phases, { phase, name: phase, department: null });
  const { signoff } = departmentsOf(coordination.departments, phase);
  const seq = end?.seq ?? (signoff?.decision === "SHIP" ? signoff.seq : null);
  if (seq === null)
    return err(
      problem("phase-open", team, `Phase ${phase} has not ended.`, {
        hint: `\`baton phase ${phase}\` shows what it waits for.`,
      }),
    );
  const page = await journal.read(team, { after: seq - 1, limit: 1 });
  if (!page.ok) return page;
  const [entry] = page.value.entries;
  return entry?.seq === seq ? ok(headAfter(entry)) : err(unknownTeam(team));
}

/** Records the name of the archive, unless something was recorded since it was copied. */
async function nameArchive(
  journal: Journal<TeamState>,
  team: TeamName,
  notice: Omit<ArchiveNotice, "act">,
): Promise<Result<void, Problem>> {
  const { head, phase } = notice;
  return await recordNotice(
    journal,
    team,
    { ...notice, act: phase === null ? "archive-team" : "archive-phase" },
    (state, seq) => {
      if (phase !== null) return null;
      return seq === head.seq + 1 ? notEndedProblem(team, state) : movedOn(team, head);
    },
  );
}

/** Gives up what is in the archive, whose bytes are looked at once more. */
async function giveUp(journal: Journal<TeamState>, team: TeamName, file: string): Promise<Result<void, Problem>> {
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { archived } = folded.value.state;
  if (!archived) return err(movedOn(team, folded.value.head));
  const digest = await (await archiveFiles()).digestOf(file);
  if (digest !== archived.digest) return err(otherArchive(file, archived, digest));
  return await recordNotice(
    journal,
    team,
    { ...archived, act: "drop-archived" },
    ({ archived: now }) => (now?.seq === archived.seq && !now.isGivenUp ? null : movedOn(team, archived.head)),
    { giveUpBefore: archived.seq },
  );
}

/**
 * Lets an archived team continue. Where its entries were given up, `file` (absolute) must be the archive. Refuses with
 * `wrong-value` where its SHA-256 is another, `not-found` where there is no such file or no archive, and with the problems
 * of both journals.
 */
export async function restoreTeam(
  journal: Journal<TeamState>,
  team: TeamName,
  file: string | null,
): Promise<Result<ArchivedTeam, Problem>> {
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { archived } = folded.value.state;
  if (!archived)
    return err(problem("not-found", team, `The team ${team} is not archived.`, { hint: "It can continue." }));
  const restore = (change?: StreamChange) =>
    recordNotice(
      journal,
      team,
      { ...archived, act: "restore-team" },
      ({ archived: now }) =>
        now?.seq === archived.seq && now.isGivenUp === archived.isGivenUp ? null : movedOn(team, archived.head),
      change,
    );
  const done = archived.isGivenUp ? await putBack(journal, team, { archived, file, restore }) : await restore();
  return done.ok ? ok({ ...archived, team, isGivenUp: false }) : done;
}

interface PuttingBack {
  readonly archived: TeamArchive;
  readonly file: string | null;
  restore(change: StreamChange): Promise<Result<void, Problem>>;
}

/** Restores the team with the entries of its archive, which are read as they are written. */
async function putBack(
  journal: Journal<TeamState>,
  team: TeamName,
  { archived, file, restore }: PuttingBack,
): Promise<Result<void, Problem>> {
  const { digestOf, readArchive } = await archiveFiles();
  const digest = file === null ? null : await digestOf(file);
  if (file === null || digest === null)
    return err(
      problem("not-found", file ?? team, `The entries of ${team} are in an archive, which is needed.`, {
        expected: `${archived.file} with SHA-256 ${archived.digest}`,
        hint: "Name it with --from FILE.",
      }),
    );
  if (digest !== archived.digest) return err(otherArchive(file, archived, digest));
  const first = await journal.read(team, { after: 0, limit: 1 });
  if (!first.ok) return first;
  const [start]: readonly (Entry | undefined)[] = first.value.entries;
  if (start?.seq !== archived.seq) return err(movedOn(team, archived.head));
  return await readArchive(file, team, archived.head, (entries) => restore({ putBack: entries, start }));
}

/** Records what the owner did with an archive, where `refusal` finds nothing against it under the lock. */
async function recordNotice(
  journal: Journal<TeamState>,
  team: TeamName,
  { act, file, digest, head, phase }: ArchiveNotice,
  refusal: (state: TeamState, seq: number) => Problem | null,
  change?: StreamChange,
): Promise<Result<void, Problem>> {
  const command = {
    name: act satisfies ArchiveAct,
    file,
    digest,
    head: { ...head },
    ...(phase === null ? {} : { phase }),
  };
  const draft = ownersEntry({ command });
  const done = await journal.commit(team, {
    once: null,
    decide: (state, { seq }) => {
      const fault = refusal(state, seq);
      return fault === null ? draft : { decline: [fault] };
    },
    ...(change === undefined ? {} : { change }),
  });
  if (!done.ok) return done;
  const [fault] = done.value.outcome === "declined" ? done.value.problems : [];
  return fault === undefined ? ok(undefined) : err(fault);
}

function cannotGiveUp(place: string): Problem {
  return problem("wrong-usage", place, `The journal ${place} cannot give up entries: its log takes no deletes.`, {
    hint: "Archive without --drop. The space comes back in a new journal: see docs/guides/copies.md.",
  });
}

function otherArchive(file: string, known: Pick<ArchiveNotice, "file" | "digest">, digest: string | null): Problem {
  return problem("wrong-value", file, "This file is not the archive that the journal names.", {
    expected: `${known.file} with SHA-256 ${known.digest}`,
    received: digest === null ? "no file" : `SHA-256 ${digest}`,
    hint: "Bring the archive back, or a copy of it with the same SHA-256.",
  });
}

function movedOn(team: TeamName, head: Head): Problem {
  return problem("changed-meanwhile", team, `Something was recorded in ${team} since entry ${head.seq}.`, {
    hint: "Run the command again.",
  });
}

/** The journal has no team of this name. */
export function unknownTeam(team: string): Problem {
  return problem("unknown-team", team, `The journal holds no team "${team}".`, {
    hint: "`baton journal stats` lists them.",
  });
}
