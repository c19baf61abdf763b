/**
 * A hub put together: the journal opened, the app made, a port taken, deadlines watched. What serves `/mcp`, `/a2a` and `/`
 * is given as values, so that the doors need not know each other.
 */
import { dirname, join } from "node:path";
import { surelyNow, systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import {
  createHubApp,
  type HubApp,
  type HubLimits,
  type HubLog,
  type HubRepository,
  hubLimits,
  type Listening,
  listen,
  type Mounts,
  type Pages,
  type SessionStore,
} from "../doors/http/index.ts";
import type { CodeStore } from "../doors/http/server/owner-sessions.ts";
import { openRepository } from "../evidence/git/repository.ts";
import { sharedTips } from "../evidence/git/tips.ts";
import { nameRepository } from "../evidence/services/own-repository.ts";
import { ownerName } from "../messages/principal.ts";
import { type Hub, type HubOptions, openHub } from "../perform/hub.ts";
import type { LongWork } from "../perform/long-work.ts";
import { readTeamTexts } from "../perform/workspace/team-files.ts";
import { endedAmong, worksHere } from "../programs/sessions/session-binding.ts";
import { nextRoundDeadline, passingOf } from "../shutdown/decide/shutdown-rounds.ts";
import type { ShutdownView } from "../shutdown/operations.ts";
import { watchTrees } from "./collision-watch.ts";
import { tellFound, watchPlanning, watchTeamFile } from "./hub-watches.ts";
import { longWorkInThreads } from "./long-work.ts";
import { notifyOfNeeds } from "./need-notices.ts";
import { listenForOthers, type PublicAddress } from "./public-address.ts";
import { watchRemotes } from "./remote-delivery.ts";
import { watchReports } from "./report-watch.ts";

export interface StartOptions extends HubOptions, Mounts {
  /** 0 takes a free one. */
  readonly port: number;
  readonly version: string;
  readonly log: HubLog;
  readonly limits?: HubLimits;
  readonly pages?: Pages;
  readonly sessions?: SessionStore;
  readonly codes?: CodeStore;
  /** A second socket, for other machines; absent: none. */
  readonly publicAddress?: PublicAddress;
  /** Where the team's work lies: reported completions are judged by it. Absent or null: nothing is judged. */
  readonly repository?: HubRepository | null;
  /** The owner has named that repository, in place of any that the team had. */
  readonly isRepositoryMeant?: boolean;
  /** By which this machine's notifications are shown; absent: none are. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A hub that answers. */
export interface RunningHub {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** How other machines reach it; null: they do not. */
  readonly publicUrl: string | null;
  /** What it calls itself at `/healthz`. */
  readonly instance: string;
  /** The team of the team file; null where there is none. */
  readonly team: string | null;
  /** The URL that lets one browser in as the owner, with a new one-time code in its fragment. */
  ownerUrl(): string;
  /** The same for a browser on another machine; null where none reaches the hub. */
  publicOwnerUrl(): Promise<string | null>;
  /** Open shutdown rounds of its team; none where that is unknown. */
  openRounds(): Promise<readonly ShutdownView[]>;
  /** Whether somebody waits through it for the end of a round, and has not seen it. */
  isRoundAwaited(): boolean;
  /** Stops taking requests, ends streams, finishes what is being recorded, closes the journal. */
  stop(): Promise<void>;
}

/** How long requests that are under way get when the hub stops. */
const graceMs = 3_000;
/** How often deadlines are looked at at least, for another process may set one; looking costs next to nothing. */
const deadlineLookMs = 1_000;
/** And at most, so that a stopped clock cannot turn waiting into spinning. */
const deadlineLookMsMin = 20;

/** Starts a hub. Problems: those of the journal and the team file, `port-taken`, `wrong-usage` for a bad certificate. */
export async function startHub(options: StartOptions): Promise<Result<RunningHub, readonly Problem[]>> {
  const place = options.repository ?? null;
  const teamPath = options.teamFile?.path;
  const hasRepository = await mayBeVerified(place);
  const opened = await openHub({
    ...options,
    ...(hasRepository === null ? {} : { hasRepository }),
    ...(teamPath === undefined ? {} : { readTeamFile: () => readTeamTexts(teamPath) }),
    ...(place === null ? {} : { readBranches: sharedTips(place.directory, place) }),
  });
  if (!opened.ok) return opened;
  const hub = opened.value;
  const limits = options.limits ?? hubLimits;
  let port = options.port;
  const longWork = longWorkInThreads(hub.journal, options.journal);
  const app = createHubApp({ ...options, hub, limits, longWork, port: () => port });
  const listening = await listen(app, { port, limits });
  if (!listening.ok) {
    app.stop();
    await hub[Symbol.asyncDispose]();
    return err([listening.error]);
  }
  port = listening.value.port;
  const stopping = new AbortController();
  const { publicAddress } = options;
  const elsewhere =
    publicAddress === undefined ? ok(null) : await listenForOthers(app, publicAddress, { limits, log: options.log });
  if (!elsewhere.ok) {
    app.stop();
    await listening.value.close(0);
    await hub[Symbol.asyncDispose]();
    return err([elsewhere.error]);
  }
  const watching = watchDeadlines(hub, options.log, stopping.signal);
  const indexing = keepIndexed(hub, longWork, options.log, stopping.signal);
  const { teamFile = null, log } = options;
  if (teamFile !== null) tellFound(hub.found, { path: teamFile.path }, log);
  const looking = teamFile === null ? null : watchTeamFile(hub, teamFile, log, stopping.signal);
  const { home } = hub;
  const judging =
    place === null || home === null
      ? null
      : judgeBy(place, { hub, team: home, isMeant: options.isRepositoryMeant === true, log }, stopping.signal);
  const planning = planningPlace(options, hub);
  const following =
    planning === null || home === null ? null : watchPlanning(hub, home, planning, log, stopping.signal);
  const delivering = home === null ? null : watchRemotes(hub, home, log, stopping.signal);
  if (home !== null) {
    const owner = await hub.localTeam(home, { agent: ownerName, via: "launcher" });
    if (owner.ok) await owner.value.resumeAgents();
  }
  const passing = home === null ? null : watchPrograms(hub, home, stopping.signal);
  const url = `http://127.0.0.1:${port}`;
  const page = publicAddress?.url ?? url;
  const { environment = {} } = options;
  const notifying = home === null ? null : notifyOfNeeds({ hub, team: home, page, environment, log }, stopping.signal);
  return ok({
    url,
    instance: app.instance,
    team: home,
    publicUrl: publicAddress?.url ?? null,
    ownerUrl: () => `${url}/#code=${app.newCode()}`,
    publicOwnerUrl: () => publicLink(app, publicAddress),
    openRounds: () => openRounds(hub),
    isRoundAwaited: () => app.isRoundAwaited(),
    async stop() {
      stopping.abort();
      app.stop();
      await looking;
      await judging;
      await following;
      await delivering;
      await indexing;
      await passing;
      await notifying;
      const sockets = elsewhere.value === null ? [listening.value] : [listening.value, elsewhere.value];
      await endAll(sockets, watching, hub);
    },
  });
}

/** The URL for the owner's browser elsewhere. A load balancer may ask another hub of the journal for what it opens. */
async function publicLink(app: HubApp, address: PublicAddress | undefined): Promise<string | null> {
  return address === undefined ? null : `${address.url}/#code=${await app.newSharedCode()}`;
}

/** Judges the team's reports by the repository, if it is the team's. */
async function judgeBy(
  place: HubRepository,
  { hub, team, isMeant, log }: { readonly hub: Hub; team: TeamName; isMeant: boolean; log: HubLog },
  signal: AbortSignal,
): Promise<void> {
  const { journal } = hub;
  const owner = { agent: ownerName, via: "launcher" } as const;
  const named = await nameRepository({ journal, team, clock: journal.clock }, owner, place, isMeant);
  if (!named.ok && named.error.code !== "repository-missing")
    log.warn({ code: named.error.code, why: named.error.message }, "the team's repository cannot be named");
  else if (named.ok && !named.value)
    log.warn({}, "another repository is the team's, so reports wait for it; `baton up --repository .` names this one");
  else
    await Promise.all([watchReports(hub, { team, place }, log, signal), watchTrees(hub, { team, place }, log, signal)]);
}

/** Where a planning folder of another tool would be kept in step: around the team file. */
function planningPlace({ teamFile = null }: StartOptions, { stateFolder }: Hub) {
  return teamFile === null ? null : { project: dirname(dirname(teamFile.path)), state: stateFolder };
}

/** Whether there is a repository to check reports against; null: nobody is to look, so it is not known. */
async function mayBeVerified(place: HubRepository | null): Promise<boolean | null> {
  if (place === null) return null;
  const opened = await openRepository(place.directory, place);
  if (opened.ok) await opened.value[Symbol.asyncDispose]();
  return opened.ok || opened.error.code !== "repository-missing";
}

async function openRounds(hub: Hub): Promise<readonly ShutdownView[]> {
  const team = hub.home === null ? null : await hub.team(hub.home, { agent: ownerName, via: "launcher" });
  const found = team?.ok === true ? await team.value.shutdowns({ latest: true }) : null;
  return found?.ok === true ? found.value.filter(({ outcome }) => outcome === "open") : [];
}

/** How often it is looked whether the program of an agent has ended. */
const programLookMs = 250;

/** Ends the parts of agents that open rounds need not wait for, and records ends that no server said. */
async function watchPrograms(hub: Hub, team: TeamName, signal: AbortSignal): Promise<void> {
  const folder = join(hub.stateFolder, "sessions");
  // The programs that were seen to run here.
  const seen = new Map<string, string>();
  // Stops after which an agent's program was seen, which says nothing itself before its first prompt.
  const back = new Map<string, number>();
  while (!signal.aborted) {
    const folded = await hub.journal.state(team);
    // What cannot be recorded now is tried again by the next look.
    if (folded.ok) {
      const { shutdowns, health } = folded.value.state.coordination;
      if (nextRoundDeadline(shutdowns) !== null) {
        const owner = await hub.localTeam(team, { agent: ownerName, via: "launcher" });
        if (owner.ok) await owner.value.passAgents(endedAmong(folder, [...shutdowns.asked.keys()]));
      }
      const passed = [...shutdowns.stops].filter(([agent]) => passingOf(shutdowns, agent) !== null);
      const running = [...health.programs].filter(([, { ended }]) => ended === null);
      for (const [agent, { seq }] of passed) {
        if (back.get(agent) === seq || !worksHere(folder, agent)) continue;
        const shown = await hub.localTeam(team, { agent, via: "launcher" });
        if (shown.ok && (await shown.value.attend()).ok) back.set(agent, seq);
      }
      for (const [agent, { program }] of running) {
        if (worksHere(folder, agent)) seen.set(agent, program);
        else if (seen.get(agent) === program && endedAmong(folder, [agent]).length > 0) {
          const gone = await hub.localTeam(team, { agent, via: "launcher", program });
          if (gone.ok) await gone.value.leave();
        }
      }
    }
    await systemClock.wait(programLookMs, signal);
  }
}

async function endAll(sockets: readonly Pick<Listening, "close">[], watching: Promise<void>, hub: Hub): Promise<void> {
  await Promise.all(sockets.map((each) => each.close(graceMs)));
  await watching;
  await hub[Symbol.asyncDispose]();
}

/**
 * Deadlines expire without any request. A journal that cannot be written is reported about once, and again when it can.
 */
async function watchDeadlines(hub: Hub, log: HubLog, signal: AbortSignal): Promise<void> {
  let told: string | null = null;
  let doubted: string | null = null;
  while (!signal.aborted) {
    const fired = await hub.fireDue();
    const status = hub.journal.condition();
    const isDown = status.condition === "failed" || status.condition === "unreachable";
    const problem = isDown ? status.problem : fired.ok ? null : fired.error;
    if (problem !== null && problem.code !== told)
      log.warn({ code: problem.code, why: problem.message }, "the journal takes no entries");
    if (problem === null && told !== null) log.info({}, "the journal takes entries again");
    told = problem?.code ?? null;
    const why = hub.journal.clock.distrust?.() ?? null;
    if (why !== doubted && why !== null) log.warn({ why }, "deadlines wait: late, never early");
    if (why === null && doubted !== null) log.info({}, "deadlines are recorded again");
    doubted = why;
    const untilNext = fired.ok && fired.value !== null ? fired.value - surelyNow(hub.journal.clock) : deadlineLookMs;
    await systemClock.wait(Math.max(deadlineLookMsMin, Math.min(deadlineLookMs, untilNext)), signal);
  }
}

/*
 * Keeps the search index near the head: once enough entries are not in it and nobody has recorded for a while, or when
 * very many are not. What it lacks is searched by reading, so being late costs time only.
 */
const lookMs = 5_000;
/** Reading so many takes a search a few hundredths of a second. */
const behindMin = 2_000;
/** So many are indexed although entries keep coming. */
const behindMax = 50_000;
/** Teams of one look: with very many it takes some looks to see all. */
const teamsMax = 50;

/** Looks every few seconds until `signal` aborts. A failed job is reported once and retried when more entries came. */
async function keepIndexed(
  { journal }: Pick<Hub, "journal">,
  longWork: Pick<LongWork, "index">,
  log: HubLog,
  signal: AbortSignal,
): Promise<void> {
  const { searchIndex } = journal;
  if (searchIndex === undefined) return;
  const heads = new Map<string, number>();
  let failedAt = 0;
  let from = 0;
  for (;;) {
    await systemClock.wait(lookMs, signal);
    if (signal.aborted) return;
    let behind = 0;
    let isQuiet = true;
    let sum = 0;
    const teams = await journal.teams();
    const known = teams.ok ? teams.value : [];
    const looked = known.slice(from, from + teamsMax);
    from = from + teamsMax < known.length ? from + teamsMax : 0;
    for (const team of looked) {
      // Only a team that may be behind is folded: of most teams nobody here has asked anything.
      const far = await journal.read(team, { after: searchIndex.indexed(team) + behindMin - 1, limit: 1 });
      if (!far.ok || far.value.entries.length === 0) continue;
      const folded = await journal.state(team);
      if (!folded.ok) continue;
      const { seq } = folded.value.head;
      behind = Math.max(behind, seq - searchIndex.indexed(team));
      isQuiet &&= heads.get(team) === seq;
      heads.set(team, seq);
      sum += seq;
    }
    const isDue = behind >= behindMax || (behind >= behindMin && isQuiet);
    if (!isDue || sum <= failedAt) continue;
    const done = await longWork.index(signal);
    if (done.ok && done.value > 0) continue;
    failedAt = sum + behindMin;
    if (!done.ok && !signal.aborted)
      log.warn({ code: done.error.code, why: done.error.message }, "the search index is behind");
  }
}
