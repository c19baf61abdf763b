/**
 * What a hub holds: one open journal, every team in it, and whom a token proves. It keeps no state: a second hub on the
 * same journal answers the same. Source: docs/protocol/journal.md, section 1; docs/protocol/doors.md, section 4.
 */
import { dirname } from "node:path";
import { argument } from "../base/argument.ts";
import { type Clock, surelyNow } from "../base/clock.ts";
import { type TeamName, teamName } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { BranchTips } from "../coordination/tasks/branches.ts";
import { dialectOf, dialects } from "../dialects/registry.ts";
import type { OwnerSession, Share } from "../team/credentials.ts";
import { type Actor, batonsNameProblem, type Context, verifierNameProblem } from "./context.ts";
import { teamHandle } from "./handle.ts";
import { listen } from "./health/heartbeat.ts";
import { type OpenedJournal, openTeamJournal } from "./open.ts";
import { endSession, findSession, findShare, identifyToken, openSession, teamOfToken } from "./team/credentials.ts";
import { otherTeam, type Revised, reviseTeam } from "./team/revision.ts";
import type { HubTeam, LocalTeam } from "./team/team.ts";
import { type TeamFileText, teamOfFile } from "./team/team-dialects.ts";
import { fireDue } from "./timers.ts";

export interface HubOptions {
  /** The journal's address: a URL, or the path of a journal in a file. */
  readonly journal: string;
  /** A folder of this machine for files that the hub needs for a while; absent: the folder of the journal's file. */
  readonly stateFolder?: string;
  /** Where the heads of a journal in a server are kept on this machine; see `JournalOptions`. */
  readonly headsFile?: string;
  readonly teamFile?: TeamFileText | null;
  /** Reads the files of the team of `teamFile` as they are now; absent: nobody writes into them here. */
  readTeamFile?(): Result<TeamFileText | null, Problem>;
  readonly create?: boolean;
  readonly clock?: Clock;
  /** Whether the teams' work is in a repository: see `Context.hasRepository`. */
  readonly hasRepository?: boolean;
  /** The repository in which the teams' work lies; see `Context`. Absent or null: none is known. */
  readonly repository?: Context["repository"] | null;
  /** Reads the branches of the teams' repository; see `Context`. */
  readBranches?(): Promise<BranchTips | null>;
}

/** Whom a token proves, and in which team. */
export interface Identity {
  readonly team: TeamName;
  readonly agent: string;
  readonly tokenId: string;
}

/** A link by which somebody may read a team now. */
export interface OpenShare {
  readonly team: TeamName;
  readonly share: Share;
}

export interface Hub extends AsyncDisposable {
  /** The journal itself, for the record's routes and for health. */
  readonly journal: OpenedJournal;
  readonly stateFolder: string;
  /** The team of the team file; null where there is none. */
  readonly home: TeamName | null;
  /** What became of the team file when the hub started; null where there is none. */
  readonly found: Revised | null;
  /** Names of the teams that have entries, sorted. */
  teams(): Promise<Result<readonly TeamName[], Problem>>;
  /**
   * A handle on a team for `actor`. Refuses `unknown-team`, and `sender-not-authorised` for the name of Baton itself. The
   * hub's journal stays open when it is disposed.
   */
  team(name: string, actor: Actor): Promise<Result<HubTeam, Problem>>;
  /** The same, with what only a program of this machine may do: the owner's hub keeps a planning folder by it. */
  localTeam(name: string, actor: Actor): Promise<Result<LocalTeam, Problem>>;
  /** The owner's session with this hash in any team of the journal; null: there is none. */
  findSession(hash: string): Promise<Result<OwnerSession | null, Problem>>;
  /** Records an open session for every hub of the journal. Refuses `unknown-team` where the journal holds none. */
  openSession(session: OwnerSession): Promise<Result<void, Problem>>;
  /** Ends a session at every hub of the journal; one that is not open changes nothing. */
  endSession(hash: string): Promise<Result<void, Problem>>;
  /** The link to read with the secret of this hash, if it is good now, and the team that it shows; null: none is. */
  findShare(hash: string): Promise<Result<OpenShare | null, Problem>>;
  /** Whom a token proves. Refuses `unauthenticated` and `token-revoked`. */
  identify(token: string): Promise<Result<Identity, Problem>>;
  /**
   * Records what the team file says now; what of it waits for the owner is in the answer. Problems: the file's own,
   * `team-file` where it names another team.
   */
  revise(file: TeamFileText): Promise<Result<Revised, readonly Problem[]>>;
  /** How many revisions of the team file's definition are recorded; 0 where there is no team file. */
  revision(): Promise<Result<number, Problem>>;
  /**
   * Records every deadline that has passed, in all teams; answers when the next does, null: none waits. Costs the teams that
   * are due, not all.
   */
  fireDue(): Promise<Result<number | null, Problem>>;
}

/** Opens the journal for a hub; a team file that says something new is recorded first. Problems as of `openTeam`. */
export async function openHub(options: HubOptions): Promise<Result<Hub, readonly Problem[]>> {
  const file = await teamOfFile(options.teamFile ?? null);
  if (!file.ok) return file;
  const clock = options.clock === undefined ? {} : { clock: options.clock };
  const create = options.create === undefined ? {} : { create: options.create };
  const heads = options.headsFile === undefined ? {} : { headsFile: options.headsFile };
  const opened = await openTeamJournal(options.journal, { ...clock, gathers: true, ...create, ...heads });
  if (!opened.ok) return err([opened.error]);
  const journal = opened.value;
  const known = options.hasRepository === undefined ? {} : { hasRepository: options.hasRepository };
  const { readBranches, readTeamFile, repository = null } = options;
  const listening = listen(journal.clock, () => journal.condition().condition === "ready");
  const contextOf = (team: TeamName): Context => {
    return {
      journal,
      team,
      clock: journal.clock,
      dialectOf,
      dialects,
      ...known,
      ...(repository === null ? {} : { repository }),
      ...(readBranches === undefined ? {} : { readBranches }),
      ...(readTeamFile === undefined || file.value?.name !== team ? {} : { readTeamFile }),
      listeningSinceMs: listening.sinceMs,
    };
  };
  const home = file.value === null ? null : teamName(file.value.name);
  let found: Revised | null = null;
  if (file.value !== null && home !== null) {
    const revised = await reviseTeam(contextOf(home), file.value);
    if (!revised.ok) {
      await journal.close();
      return err(revised.error);
    }
    found = revised.value;
  }
  const met = new Set<TeamName>();
  return ok({
    journal,
    stateFolder: options.stateFolder ?? dirname(journal.place),
    home,
    found,
    teams: () => journal.teams(),
    team: (name, actor) => teamFor({ journal, contextOf, met }, name, actor),
    localTeam: (name, actor) => teamFor({ journal, contextOf, met }, name, actor),
    ...ownerSessions({ journal, contextOf, met }, home),
    identify: (token) => identify({ journal, contextOf, met }, token),
    revise: (file) => reviseHome(home === null ? null : contextOf(home), file),
    revision: async () => {
      const folded = home === null ? null : await journal.state(home);
      if (folded === null) return ok(0);
      return folded.ok ? ok(folded.value.state.team.revision) : folded;
    },
    fireDue: () => {
      listening.look();
      return fireAll(journal, contextOf);
    },
    [Symbol.asyncDispose]: () => journal.close(),
  });
}

type ContextOf = (team: TeamName) => Context;

interface Office {
  readonly journal: OpenedJournal;
  readonly contextOf: ContextOf;
  /** Teams that were seen to have entries. Entries never go, so these need not be looked up with every request. */
  readonly met: Set<TeamName>;
}

async function teamFor(office: Office, name: string, actor: Actor): Promise<Result<LocalTeam, Problem>> {
  const taken = batonsNameProblem(actor) ?? verifierNameProblem(actor);
  if (taken !== null) return err(taken);
  const wanted = teamName(name);
  if (wanted === null || !office.met.has(wanted)) {
    const known = await meetTeams(office);
    if (!known.ok) return known;
  }
  if (wanted !== null && office.met.has(wanted))
    return ok(teamHandle(office.contextOf(wanted), actor, () => Promise.resolve()));
  return err(
    problem("unknown-team", name, "There is no team of this name here.", { hint: "GET /api/teams lists the teams." }),
  );
}

async function meetTeams({ journal, met }: Office): Promise<Result<readonly TeamName[], Problem>> {
  const known = await journal.teams();
  if (known.ok) for (const team of known.value) met.add(team);
  return known;
}

/** The owner's sessions: recorded in the hub's own team, else in the first of the journal, and looked for in all. */
function ownerSessions(
  office: Office,
  home: TeamName | null,
): Pick<Hub, "findSession" | "openSession" | "endSession" | "findShare"> {
  const holding = async (hash: string): Promise<Result<readonly [TeamName, OwnerSession] | null, Problem>> => {
    const known = await meetTeams(office);
    if (!known.ok) return known;
    for (const team of known.value) {
      const found = await findSession(office.contextOf(team), hash);
      if (!found.ok) return found;
      if (found.value !== null) return ok([team, found.value]);
    }
    return ok(null);
  };
  return {
    async findShare(hash) {
      const known = await meetTeams(office);
      if (!known.ok) return known;
      for (const team of known.value) {
        const found = await findShare(office.contextOf(team), hash);
        if (!found.ok) return found;
        if (found.value !== null) return ok({ team, share: found.value });
      }
      return ok(null);
    },
    async findSession(hash) {
      const found = await holding(hash);
      return found.ok ? ok(found.value?.[1] ?? null) : found;
    },
    async openSession(session) {
      const known = await meetTeams(office);
      if (!known.ok) return known;
      const team = home ?? known.value[0];
      const none = () => problem("unknown-team", argument("team"), "The journal holds no team yet.");
      return team === undefined ? err(none()) : await openSession(office.contextOf(team), session);
    },
    async endSession(hash) {
      const found = await holding(hash);
      if (!found.ok) return found;
      return found.value === null ? ok(undefined) : await endSession(office.contextOf(found.value[0]), hash);
    },
  };
}

/**
 * A token belongs to the team that it names. One that names none is looked up in each team: older ones do not. A revoked
 * token is reported as revoked rather than unknown.
 */
async function identify(office: Office, token: string): Promise<Result<Identity, Problem>> {
  const named = teamOfToken(token);
  if (named !== null) {
    const known = office.met.has(named) ? ok([]) : await meetTeams(office);
    if (!known.ok) return known;
    return await identifyAmong(office, office.met.has(named) ? [named] : [], token);
  }
  const soon = await identifyAmong(office, [...office.met], token);
  if (soon.ok) return soon;
  const known = await meetTeams(office);
  return known.ok ? identifyAmong(office, known.value, token) : known;
}

async function identifyAmong(
  { contextOf }: Office,
  teams: readonly TeamName[],
  token: string,
): Promise<Result<Identity, Problem>> {
  let refusal: Problem | null = null;
  for (const team of teams) {
    const found = await identifyToken(contextOf(team), token);
    if (found.ok) return ok({ team, agent: found.value.agent, tokenId: found.value.tokenId });
    if (refusal === null || refusal.code === "unauthenticated") refusal = found.error;
  }
  return err(
    refusal ??
      problem("unauthenticated", argument("credential"), "This token is not known here.", {
        hint: "The owner makes one with `baton token create AGENT`.",
      }),
  );
}

async function reviseHome(context: Context | null, file: TeamFileText): Promise<Result<Revised, readonly Problem[]>> {
  const read = await teamOfFile(file);
  if (!read.ok) return read;
  if (context === null || read.value === null) {
    const hint = "Start the hub where the team file lies.";
    return err([problem("wrong-usage", file.path, "The hub was started without a team file.", { hint })]);
  }
  if (read.value.name !== context.team) return err([otherTeam(read.value.name, [context.team])]);
  return reviseTeam(context, read.value);
}

/** Only teams of which the index of deadlines says that one may have passed are folded. */
async function fireAll(journal: OpenedJournal, contextOf: ContextOf): Promise<Result<number | null, Problem>> {
  if (journal.condition().condition !== "ready") return ok(null);
  const atMs = surelyNow(journal.clock);
  // Nobody knows what has passed; the index is not asked for that.
  if (atMs === Number.NEGATIVE_INFINITY) return ok(null);
  const due = await journal.due(atMs);
  if (!due.ok) return due;
  let { next } = due.value;
  for (const team of due.value.teams) {
    const fired = await fireDue(contextOf(team));
    if (!fired.ok) return fired;
    if (fired.value !== null) next = Math.min(next ?? fired.value, fired.value);
    const noted = await journal.noteDue(team);
    if (!noted.ok) return noted;
  }
  return ok(next);
}
