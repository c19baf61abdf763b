/**
 * Opening: a journal with the runtime's projection, and a team on it for one actor. A team file that differs from the
 * recorded revision is recorded first, so that every message is judged by a definition that is in the journal. Source:
 * docs/protocol/record.md, section 1; docs/protocol/doors.md, section 8.
 */
import { argument } from "../base/argument.ts";
import type { Clock } from "../base/clock.ts";
import { type TeamName, teamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { openJournal } from "../journal/engines.ts";
import type { Journal, JournalOptions } from "../journal/journal.ts";
import { ownerName, type Principal } from "../messages/principal.ts";
import type { BranchTips } from "../tasks/state/branches.ts";
import { keepSeen, olderFile, otherTeam, type TeamFileText, teamOfFile } from "../team/handlers/team-file.ts";
import type { ProposalView } from "../team/operations/status.ts";
import type { TeamDefinition } from "../team/state/definition.ts";
import { isInForce } from "../team/state/revision.ts";
import { archivedProblem } from "./closed-team.ts";
import { type Actor, batonsNameProblem, type TeamContext } from "./context.ts";
import { teamHandle } from "./handle.ts";
import { teamProjection } from "./projection.ts";
import type { TeamState } from "./state.ts";
import type { LocalTeam } from "./team.ts";

/** Which journal and team are opened, and for whom. */
export interface OpenOptions {
  /** The journal's address: a URL, or the path of a journal in a file. */
  readonly journal: string;
  /** Absent: the one that the team file names, else the only one in the journal. */
  readonly team?: string;
  /** The acting agent, or who it is of those that the team knows; absent: the owner. */
  readonly agent?: string | ((isMember: (name: string) => boolean) => string);
  /** Who this token proves acts, in place of `agent`. Refuses `unauthenticated`, `token-revoked`, `retired-agent`. */
  readonly token?: string;
  /** Null or absent: what the journal has recorded holds. */
  readonly teamFile?: TeamFileText | null;
  /** Reads the team's files as they are now; absent: nobody writes into them here. */
  readTeamFile?(): Result<TeamFileText | null, Problem>;
  /** What the folder of the team file remembers of it; see `TeamContext`. */
  readonly seenFile?: TeamContext["seenFile"];
  /** Called where the team file is older than the team's: nothing of it is recorded, and the team is opened all the same. */
  older?(why: Problem): void;
  /** Whether a journal that does not exist is made. */
  readonly create?: boolean;
  readonly readOnly?: boolean;
  /** Opens for reading only, too; what is recorded is refused with this. */
  readonly refusal?: Problem;
  /** Where the heads of a journal in a server are kept on this machine; see `JournalOptions`. */
  readonly headsFile?: string;
  /** How long an operation waits for other processes' locks, in milliseconds; absent: as long as the journal does. */
  readonly waitMs?: number;
  /**
   * Called with the errors of an invalid team file if a revision is recorded, which then stays active. Absent: such a
   * file refuses.
   */
  passOver?(problems: readonly Problem[]): void;
  /** Whether the team file may begin a team in a journal that holds others; absent: only in one that holds none. */
  readonly starts?: boolean;
  /** Told what of the team file waits for the owner, where this opening recorded it. */
  proposed?(proposal: ProposalView): void;
  readonly via?: Principal["via"];
  /** Absent: the handle's program comes and goes, and nothing is expected of it. */
  readonly program?: string;
  /** Absent: the machine's, by whose steady time deadlines are counted. */
  readonly clock?: Clock;
  /** Whether the team's work is in a repository: see `TeamContext.hasRepository`. */
  readonly hasRepository?: boolean;
  /** Where reports are checked as soon as they are recorded: see `TeamContext.judgesAt`. */
  readonly judgesAt?: TeamContext["judgesAt"];
  /** The repository around the journal; absent: that of `judgesAt`. */
  readonly repository?: TeamContext["repository"];
  /** Reads the commit that is checked out where the caller works; see `TeamContext`. */
  checkedOut?(): Promise<string | undefined>;
  /** Reads the branches of the team's repository; see `TeamContext`. */
  readBranches?(): Promise<BranchTips | null>;
}

/** A journal as the journal commands use it. */
export type OpenedJournal = Journal<TeamState>;

/** Opens a journal by its address, with the runtime's projection. Refuses as `openJournal` does. */
export function openTeamJournal(
  address: string,
  options: JournalOptions = {},
): Promise<Result<OpenedJournal, Problem>> {
  return openJournal(address, teamProjection, options);
}

/**
 * Opens a team for one actor. Problems: those of the team file (`team-file`, with line and column), of the journal,
 * `unknown-team` where it is not clear which is meant. A file with an error refuses only where nothing is recorded yet,
 * or if there is no `passOver`. Dispose of the team to close the journal.
 */
export async function openTeam(options: OpenOptions): Promise<Result<LocalTeam, readonly Problem[]>> {
  const file = await teamOfFile(options.teamFile ?? null);
  if (!file.ok && options.passOver === undefined) return file;
  const opened = await openTeamJournal(options.journal, {
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    // What cannot be read starts nothing.
    ...(options.create === undefined ? {} : { create: options.create && file.ok }),
    ...(options.readOnly === undefined ? {} : { readOnly: options.readOnly }),
    ...(options.refusal === undefined ? {} : { refusal: options.refusal }),
    ...(options.waitMs === undefined ? {} : { waitMs: options.waitMs }),
    ...(options.headsFile === undefined ? {} : { headsFile: options.headsFile }),
  });
  if (!opened.ok) return file.ok ? err([opened.error]) : file;
  const journal = opened.value;
  const taken = file.ok ? await asKnown(journal, options, file.value) : file;
  const team = taken.ok
    ? await attach(journal, options, taken.value)
    : await attachRecorded(journal, options, taken.error);
  if (!team.ok) await journal.close();
  return team;
}

/** The definition, unless it would begin another team than those that the journal holds, and nobody asked for that. */
async function asKnown(
  journal: OpenedJournal,
  { starts, team }: OpenOptions,
  definition: TeamDefinition | null,
): Promise<Result<TeamDefinition | null, readonly Problem[]>> {
  if (definition === null || starts === true || (team !== undefined && team !== definition.name)) return ok(definition);
  const known = await journal.teams();
  if (!known.ok) return err([known.error]);
  const isKnown = known.value.length === 0 || known.value.some((each) => each === definition.name);
  return isKnown ? ok(definition) : err([otherTeam(definition.name, known.value)]);
}

/** A handle on an open journal; the journal is closed with it. */
async function attach(
  journal: OpenedJournal,
  options: OpenOptions,
  definition: TeamDefinition | null,
): Promise<Result<LocalTeam, readonly Problem[]>> {
  const name = await chooseTeam(journal, options.team, definition);
  if (!name.ok) return err([name.error]);
  const given = await givenUpProblem(journal, name.value);
  if (given !== null) return err([given]);
  const { readBranches, checkedOut, readTeamFile, seenFile, hasRepository, judgesAt, repository = judgesAt } = options;
  const known = {
    ...(judgesAt === undefined ? {} : { judgesAt }),
    ...(repository === undefined ? {} : { repository }),
    ...(hasRepository === undefined ? {} : { hasRepository }),
    ...(readBranches === undefined ? {} : { readBranches }),
    ...(checkedOut === undefined ? {} : { checkedOut }),
    ...(readTeamFile === undefined ? {} : { readTeamFile }),
    ...(seenFile === undefined ? {} : { seenFile }),
  };
  const context: TeamContext = { journal, team: name.value, clock: journal.clock, ...known };
  if (definition !== null && definition.name === name.value && !mayOnlyRead(options)) {
    const revised = await reviseBy(definition, context, options);
    if (!revised.ok) return revised;
  }
  const proven = options.token === undefined ? null : await provenBy(context, options.token);
  if (proven !== null && !proven.ok) return err([proven.error]);
  const via = proven === null ? (options.via ?? "launcher") : "token";
  const agent = await actingAgent(context, proven?.value.agent ?? options.agent ?? ownerName);
  if (!agent.ok) return err([agent.error]);
  const taken = batonsNameProblem({ agent: agent.value });
  if (taken !== null) return err([taken]);
  const program = options.program === undefined ? {} : { program: options.program };
  const actor: Actor = { agent: agent.value, via, ...program };
  return ok(teamHandle(context, actor, () => journal.close()));
}

/** Records what the file says, which mostly is what is in force: then nothing is loaded for it. */
async function reviseBy(
  definition: TeamDefinition,
  context: TeamContext,
  options: OpenOptions,
): Promise<Result<void, readonly Problem[]>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return err([folded.error]);
  const known = folded.value.state.team;
  if (isInForce(known, definition) && olderFile(context, definition, known) === null) {
    keepSeen(context, definition, known);
    return ok(undefined);
  }
  const { reviseTeam } = await import("../team/handlers/revision.ts");
  const revised = await reviseTeam(context, definition, { starts: options.starts === true });
  if (!revised.ok) return revised;
  const { isRecorded, proposal, older } = revised.value;
  if (older !== null) options.older?.(older);
  if (isRecorded && proposal?.status === "waiting") options.proposed?.(proposal);
  return ok(undefined);
}

async function provenBy(context: TeamContext, token: string) {
  // Few calls bring a token to a journal, so the others load nothing for it.
  const { identifyToken } = await import("../team/handlers/credentials.ts");
  return await identifyToken(context, token);
}

/** Nothing of a team can be shown here that this journal has given up to an archive. */
async function givenUpProblem(journal: OpenedJournal, team: TeamName): Promise<Problem | null> {
  const first = await journal.read(team, { after: 0, limit: 1 });
  if (!first.ok) return first.error;
  if ((first.value.entries[0]?.seq ?? 1) === 1) return null;
  const folded = await journal.state(team);
  if (!folded.ok) return folded.error;
  const { archived } = folded.value.state;
  return archived?.isGivenUp === true ? archivedProblem(team, archived) : null;
}

function mayOnlyRead({ readOnly, refusal }: OpenOptions): boolean {
  return readOnly === true || refusal !== undefined;
}

async function actingAgent(
  { journal, team }: TeamContext,
  asked: NonNullable<OpenOptions["agent"]>,
): Promise<Result<string, Problem>> {
  if (typeof asked === "string") return ok(asked);
  const folded = await journal.state(team);
  return folded.ok ? ok(asked((name) => folded.value.state.team.roster.has(name))) : folded;
}

/** A handle on a team whose file is invalid: uses the active revision, if the caller takes the error. */
async function attachRecorded(
  journal: OpenedJournal,
  options: OpenOptions,
  problems: readonly Problem[],
): Promise<Result<LocalTeam, readonly Problem[]>> {
  if (options.passOver === undefined) return err(problems);
  const name = await chooseTeam(journal, options.team, null);
  const folded = name.ok ? await journal.state(name.value) : name;
  if (!folded.ok || folded.value.state.team.definition === null) return err(problems);
  options.passOver(problems);
  return await attach(journal, options, null);
}

async function chooseTeam(
  journal: Journal<TeamState>,
  asked: string | undefined,
  definition: TeamDefinition | null,
): Promise<Result<TeamName, Problem>> {
  const known = await journal.teams();
  if (!known.ok) return known;
  const wanted = asked ?? definition?.name;
  if (wanted === undefined) {
    const only = known.value[0];
    if (only !== undefined && known.value.length === 1) return ok(only);
    const problem = known.value.length === 0 ? "The journal holds no team yet." : "The journal holds several teams.";
    const hint = known.value.length === 0 ? "Run `baton init` first." : `Name one of them: ${known.value.join(", ")}.`;
    return err(makeProblem("unknown-team", argument("team"), problem, { hint }));
  }
  const name = teamName(wanted);
  if (name !== null && (definition?.name === name || known.value.includes(name))) return ok(name);
  return err(
    makeProblem("unknown-team", wanted, `There is no team "${wanted}" here.`, {
      expected: known.value.length === 0 ? "a name of a-z, 0-9 and -" : known.value.join(" | "),
      hint: "Name it in .baton/team.yaml, or choose one that the journal holds.",
    }),
  );
}
