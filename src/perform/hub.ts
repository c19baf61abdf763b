/**
 * What a hub holds: one open journal, every team in it, and whom a token proves. It keeps no state: a second hub on the
 * same journal answers the same. Source: docs/protocol/record.md, section 1; docs/protocol/doors.md, section 4.
 */
import { dirname } from "node:path";
import { argument } from "../base/argument.ts";
import { type Clock, surelyNow } from "../base/clock.ts";
import { type TeamName, teamName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { foldDropper } from "../journal/unused-folds.ts";
import { dialectOf, dialects } from "../messages/dialects/registry.ts";
import type { BranchTips } from "../tasks/state/branches.ts";
import { identifyToken, teamOfToken } from "../team/handlers/credentials.ts";
import { type Revised, reviseTeam } from "../team/handlers/revision.ts";
import { otherTeam, type TeamFileText, teamOfFile } from "../team/handlers/team-file.ts";
import { type Actor, batonsNameProblem, type Context, type Pause } from "./context.ts";
import { teamHandle } from "./handle.ts";
import { listen, recordPause } from "./heartbeat.ts";
import { type OpenedJournal, openTeamJournal } from "./open.ts";
import { type HubServices, meetTeams, type OwnerSessions, ownerSessions } from "./owner-sessions.ts";
import type { HubTeam, LocalTeam } from "./team.ts";
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
  /** What the folder of `teamFile` remembers of it; see `Context`. */
  readonly seenFile?: Context["seenFile"];
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

export interface Hub extends AsyncDisposable, OwnerSessions {
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
   * are due, not all. Once a minute it also drops from memory what nobody used for ten minutes.
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
  const { readBranches, readTeamFile, seenFile, repository = null } = options;
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
      ...(seenFile === undefined || file.value?.name !== team ? {} : { seenFile }),
      listeningSinceMs: listening.sinceMs,
      pause: listening.pause,
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
  const services: HubServices = { journal, contextOf, met: new Set() };
  const dropUnused = foldDropper(journal);
  /** The pause that was recorded last. */
  let recorded: Pause | null = null;
  return ok({
    journal,
    stateFolder: options.stateFolder ?? dirname(journal.place),
    home,
    found,
    teams: () => journal.teams(),
    team: (name, actor) => teamFor(services, name, actor),
    localTeam: (name, actor) => teamFor(services, name, actor),
    ...ownerSessions(services, home),
    identify: (token) => identify(services, token),
    revise: (file) => reviseHome(home === null ? null : contextOf(home), file),
    revision: async () => {
      const folded = home === null ? null : await journal.state(home);
      if (folded === null) return ok(0);
      return folded.ok ? ok(folded.value.state.team.revision) : folded;
    },
    fireDue: async () => {
      const pause = listening.pause();
      if (pause !== null && pause !== recorded) {
        // Once, whatever becomes of it: twice would be twice as long.
        recorded = pause;
        const told = await recordPauses(services, pause);
        if (!told.ok) return told;
      }
      dropUnused();
      return await fireAll(journal, contextOf);
    },
    [Symbol.asyncDispose]: () => journal.close(),
  });
}

async function teamFor(services: HubServices, name: string, actor: Actor): Promise<Result<LocalTeam, Problem>> {
  const taken = batonsNameProblem(actor);
  if (taken !== null) return err(taken);
  const wanted = teamName(name);
  if (wanted === null || !services.met.has(wanted)) {
    const known = await meetTeams(services);
    if (!known.ok) return known;
  }
  if (wanted !== null && services.met.has(wanted))
    return ok(teamHandle(services.contextOf(wanted), actor, () => Promise.resolve()));
  return err(
    makeProblem("unknown-team", name, "There is no team of this name here.", {
      hint: "GET /api/teams lists the teams.",
    }),
  );
}

/**
 * A token belongs to the team that it names. One that names none is looked up in each team: older ones do not. A revoked
 * token is reported as revoked rather than unknown.
 */
async function identify(services: HubServices, token: string): Promise<Result<Identity, Problem>> {
  const named = teamOfToken(token);
  if (named !== null) {
    const known = services.met.has(named) ? ok([]) : await meetTeams(services);
    if (!known.ok) return known;
    return await identifyAmong(services, services.met.has(named) ? [named] : [], token);
  }
  const soon = await identifyAmong(services, [...services.met], token);
  if (soon.ok) return soon;
  const known = await meetTeams(services);
  return known.ok ? identifyAmong(services, known.value, token) : known;
}

async function identifyAmong(
  { contextOf }: HubServices,
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
      makeProblem("unauthenticated", argument("credential"), "This token is not known here.", {
        hint: "The owner makes one with `baton token create AGENT`.",
      }),
  );
}

async function reviseHome(context: Context | null, file: TeamFileText): Promise<Result<Revised, readonly Problem[]>> {
  const read = await teamOfFile(file);
  if (!read.ok) return read;
  if (context === null || read.value === null) {
    const hint = "Start the hub where the team file lies.";
    return err([makeProblem("wrong-usage", file.path, "The hub was started without a team file.", { hint })]);
  }
  if (read.value.name !== context.team) return err([otherTeam(read.value.name, [context.team])]);
  return reviseTeam(context, read.value);
}

/** Records a pause in the teams that wait for a deadline; in the others nobody holds anything, and none is folded for it. */
async function recordPauses({ journal, contextOf }: HubServices, pause: Pause): Promise<Result<void, Problem>> {
  const waiting = await journal.due(Number.MAX_SAFE_INTEGER);
  if (!waiting.ok) return waiting;
  for (const team of waiting.value.teams) {
    const told = await recordPause(contextOf(team), pause);
    if (!told.ok) return told;
  }
  return ok(undefined);
}

/** Only teams of which the index of deadlines says that one may have passed are folded. */
async function fireAll(
  journal: OpenedJournal,
  contextOf: HubServices["contextOf"],
): Promise<Result<number | null, Problem>> {
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
