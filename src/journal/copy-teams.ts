/**
 * The entries of one journal in another, whichever engines keep them: the same numbers, times and hashes, with what is kept
 * of each agent next to them. What is there already is skipped, so a copy that was interrupted continues, and one that is
 * behind is brought up. Nothing of the source is changed.
 * Source: docs/protocol/record.md, section 17.
 */
import type { TeamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { headBefore, isArchived, readArchiveNotice } from "./archive-notice.ts";
import { sameHead } from "./chain.ts";
import type { Entry, Head } from "./entry.ts";
import type { Journal, Projection } from "./journal.ts";

/** A copy folds nothing: the code that opens it later has a projection and folds the entries. */
export const unfolded: Projection<null> = {
  version: "copy-1",
  initial: () => null,
  evolve: () => null,
  encode: () => "",
  decode: () => null,
};

/** A team that was copied. */
export interface CopiedTeam {
  readonly team: TeamName;
  /** How many entries were added. */
  readonly added: number;
  /** The head of both journals then. */
  readonly head: Head;
}

/**
 * Copies every team of `source` that `copy` does not have yet, or not up to its head. Refuses with
 * `wrong-value` where the copy has entries that the source does not have, and with the problems of both journals.
 *
 * @example
 * const copied = await copyTeams(source, target);
 */
export async function copyTeams<State>(
  source: Journal<State>,
  copy: Journal<null>,
): Promise<Result<readonly CopiedTeam[], Problem>> {
  // As of now: while others write faster than it copies, it would not come to an end.
  const stats = await source.stats();
  if (!stats.ok) return stats;
  const copied: CopiedTeam[] = [];
  for (const { team, head: last } of stats.value.teams) {
    const stream = await copyStream(source, copy, team, last.seq);
    if (!stream.ok) return stream;
    const { agents, added, head } = stream.value;
    const kept = await copyAgents(source, copy, team, agents);
    if (!kept.ok) return kept;
    copied.push({ team, added, head });
  }
  return ok(copied);
}

interface CopiedStream extends Omit<CopiedTeam, "team"> {
  /** Agents that the entries name, those of before included. */
  readonly agents: ReadonlySet<string>;
}

/** Copies a team's entries page by page, at least up to the one with this number. */
async function copyStream<State>(
  source: Journal<State>,
  copy: Journal<null>,
  team: TeamName,
  upTo: number,
): Promise<Result<CopiedStream, Problem>> {
  const before = await copy.state(team);
  if (!before.ok) return before;
  const agents = new Set<string>();
  let [added, { head }] = [0, before.value];
  let isMet = head.seq === 0;
  for (let after: number | null = 0; after !== null; ) {
    const page = await source.read(team, { after });
    if (!page.ok) return page;
    const { entries, next } = page.value;
    isMet ||= entries.some((entry) => sameHead(entry, before.value.head));
    const [first] = entries;
    if (!isMet && after === 0 && isArchived(first, head)) {
      // The copy may be just behind the archive; one that has less of it gets the rest from there.
      if (headBefore(first as Entry)?.seq !== head.seq) return err(inArchive(copy.place, team, head, first as Entry));
      isMet = true;
    }
    if (!isMet && (next === null || (entries.at(-1)?.seq ?? 0) >= head.seq)) return err(ahead(copy, team, head));
    const restored = await copy.restore(team, entries);
    if (!restored.ok) return restored;
    head = restored.value;
    for (const { receivers, principal, seq } of entries) {
      if (seq > before.value.head.seq) added += 1;
      for (const agent of [...receivers, principal.agent]) agents.add(agent);
    }
    after = head.seq < upTo ? next : null;
  }
  return ok({ agents, added, head });
}

/** A copy that lacks entries which are only in an archive. */
function inArchive(place: string, team: TeamName, head: Head, first: Entry): Problem {
  const { file, digest } = readArchiveNotice(first) ?? { file: "", digest: "" };
  const message = `Entries ${head.seq + 1} to ${first.seq - 1} of ${team} are only in the archive ${file}.`;
  return makeProblem("team-archived", place, message, {
    expected: `the file with SHA-256 ${digest}`,
    hint: "Bring them from there first: `baton journal copy --journal sqlite:ARCHIVE --to COPY`.",
  });
}

function ahead(copy: Journal<null>, team: TeamName, head: Head): Problem {
  return makeProblem(
    "wrong-value",
    copy.place,
    `This journal has entry ${head.seq} of ${team}, which the other one does not have.`,
    {
      hint: "Something was recorded here since, or it is the journal of another team: copy into a new one.",
    },
  );
}

/** Copies what is kept of each agent next to the entries. */
async function copyAgents<State>(
  source: Journal<State>,
  copy: Journal<null>,
  team: TeamName,
  agents: ReadonlySet<string>,
): Promise<Result<void, Problem>> {
  for (const agent of agents) {
    const marks = await source.marks(team, agent);
    if (!marks.ok) return marks;
    const marked = await copy.mark(team, agent, marks.value);
    if (!marked.ok) return marked;
  }
  const signs = await source.heartbeats(team);
  if (!signs.ok) return signs;
  for (const [agent, at] of signs.value) {
    const signed = await copy.heartbeat(team, agent, () => at);
    if (!signed.ok) return signed;
  }
  const notes = await source.notes(team);
  if (!notes.ok) return notes;
  for (const [agent, text] of notes.value) {
    const noted = await copy.note(team, agent, () => text);
    if (!noted.ok) return noted;
  }
  return ok(undefined);
}
