/**
 * A hub's watch on the repository around its journal: it judges reports soon, completions and the artifacts that
 * messages name, and judges all of them again now and then, because branches move. Git runs in separate processes, so
 * requests do not wait for it. Source: docs/protocol/verdicts.md.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import type { Problem } from "../base/problem.ts";
import type { Result } from "../base/result.ts";
import type { HubLog } from "../doors/http/index.ts";
import { askedChecks, unrunNote } from "../evidence/decide/contract-checks.ts";
import { fetchRemote } from "../evidence/git/remote-fetch.ts";
import { readTips } from "../evidence/git/tips.ts";
import type { RepositoryPlace } from "../evidence/services/gate.ts";
import { type KeptTree, releaseTree } from "../evidence/services/plan-checks.ts";
import { type UndecidedReports, undecidedReports } from "../evidence/services/undecided-reports.ts";
import type { VerifyOptions } from "../evidence/services/verification.ts";
import { landableIn } from "../landing/decide/queue.ts";
import type { LandOptions } from "../landing/services/landing.ts";
import { type Actor, batonActor } from "../perform/context.ts";
import type { Hub } from "../perform/hub.ts";
import type { TaskVerdict } from "../perform/operations/reply.ts";
import type { TeamState } from "../perform/state.ts";
import type { HubTeam } from "../perform/team.ts";
import { isContradicted, isReturned } from "../tasks/state/report-status.ts";
import { isBlocked } from "../tasks/view/dependencies.ts";

/** How often is looked: for new reports; for work that may land; at open reports and branches; at everything. In ms. */
const reportLookMs = 1_000;
const queueLookMs = 200;
const openLookMs = 5_000;
const lookAgainMs = 60_000;
/** How long a remote is not asked again that cannot be fetched, or only about what is disputed already; in ms. */
const remotePauseMs = 300_000;

/** What is needed of the hub that is watched. */
interface Watched {
  readonly journal: Pick<Hub["journal"], "state" | "condition">;
  team(name: TeamName, actor: Actor): Promise<Result<Judging, Problem>>;
}

type Judging = Pick<HubTeam, "verify" | "verifyArtifacts" | "inspectRounds" | "land">;

/**
 * Judges the reports of `team` until `signal` aborts. What cannot be judged or recorded is logged once, and tried again,
 * also where nothing new is recorded meanwhile.
 */
export async function watchReports(
  hub: Watched,
  { team, place, clock = systemClock }: { team: TeamName; place: RepositoryPlace; clock?: Clock },
  log: HubLog,
  signal: AbortSignal,
): Promise<void> {
  const told = new Map<string, string>();
  const undecided = undecidedReports(clock);
  const fetch = asking(place, clock, log, signal);
  let head = -1;
  // Where there is no repository, one is looked for now and then, not with every message.
  let isBlind = false;
  let isOpen = false;
  // Checks take minutes, and no report waits for them.
  let checking: Promise<unknown> | null = null;
  let checkedAt = -1;
  let landing: Promise<unknown> | null = null;
  let landedAt = "";
  const redBases = new Map<string, string>();
  const kept: KeptTree = { made: null };
  // Where the branches were: what a person merges or takes back is seen soon.
  let tips = "";
  let [lookedAt, triedAt, askedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  while (!signal.aborted) {
    const folded = await hub.journal.state(team);
    const seq = folded.ok ? folded.value.head.seq : head;
    const now = clock.monotonic();
    let hasMoved = false;
    if (!isBlind && now - askedAt >= openLookMs) {
      askedAt = now;
      const ids = JSON.stringify((await readTips(place.directory, place))?.ids ?? null);
      hasMoved = ids !== tips;
      tips = ids;
    }
    const isAgain = hasMoved || now - lookedAt >= lookAgainMs;
    const queued = folded.ok ? queueMark(folded.value.state) : null;
    const isQueued = queued !== "" && (isAgain || queued !== landedAt);
    // Where a pull request brought all that landed, the next task begins on the main branch, also before work waits; and
    // what is in the person's way is gone, or came, since.
    if (queued !== null && landing === null && (isQueued || isAgain)) {
      const isFirst = landedAt === "";
      // New work may be what mends a branch on which the checks fail.
      if (queued !== landedAt) redBases.clear();
      landedAt = queued;
      landing = land(hub, team, place, { redBases, kept, signal }).finally(() => {
        landing = null;
      });
      // What a crash left is recorded before a look finds that it has landed.
      if (isFirst) await landing;
    }
    const isDue = seq !== head || (isOpen && now - triedAt >= openLookMs);
    if (isAgain || (isDue && !isBlind)) {
      const judged = await judge(hub, team, place, { onlyNew: !isAgain, undecided, fetch, signal });
      for (const finding of judged.findings) tell(log, told, finding);
      isBlind = judged.findings.some(({ problems }) => problems.some(({ code }) => code === "repository-missing"));
      isOpen = judged.isOpen;
      // What it recorded itself is no news.
      head = seq;
      triedAt = clock.monotonic();
      if (isAgain) lookedAt = triedAt;
    }
    if (folded.ok && checking === null && (isAgain || seq !== checkedAt)) {
      checkedAt = seq;
      const reports = dueReports(folded.value.state, isAgain);
      if (reports.length > 0)
        checking = runChecks(hub, team, place, { reports, checks: {}, signal }).finally(() => {
          checking = null;
        });
    }
    // Verified work does not wait for the next look, where work lands by itself.
    const waitMs = queued === null ? reportLookMs : queueLookMs;
    for (let waitedMs = 0; waitedMs < reportLookMs && !signal.aborted; waitedMs += waitMs) {
      await clock.wait(waitMs, signal);
      const now = queued !== null && landing === null ? await hub.journal.state(team) : null;
      const mark = now?.ok === true ? (queueMark(now.value.state) ?? "") : "";
      if (mark !== "" && mark !== landedAt) break;
    }
  }
  await checking;
  await landing;
  await releaseTree(kept, place);
}

/** Fetches what the remote has, if it can; what keeps it from that is logged once until it changes. */
function asking(place: RepositoryPlace, clock: Clock, log: HubLog, signal: AbortSignal) {
  let [pausedUntil, idleUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let told = "";
  return async (isNew: boolean): Promise<boolean> => {
    if (clock.monotonic() < (isNew ? pausedUntil : idleUntil)) return false;
    const fetched = await fetchRemote(place.directory, { ...place, signal });
    const problem = fetched.ok || signal.aborted ? null : fetched.error;
    idleUntil = clock.monotonic() + remotePauseMs;
    if (problem !== null) pausedUntil = idleUntil;
    // A clone without a remote is the only place where its team works.
    if (problem !== null && problem.code !== "not-found" && problem.message !== told)
      log.warn({ code: problem.code, remote: problem.path }, `${problem.message} ${problem.hint ?? ""}`);
    told = problem?.message ?? "";
    return fetched.ok;
  };
}

/** What may land without the person, and another text once that is something else; empty: nothing does now, null: never. */
function queueMark({ team, coordination: { work } }: TeamState): string | null {
  if (team.definition?.land?.when !== "auto") return null;
  const marks = landableIn(work).flatMap(({ key, report }) => {
    const task = work.tasks.get(key);
    if (task === undefined || ((isReturned(task) || isBlocked(work, task)) && task.leave === undefined)) return [];
    return [[key, report, task.verdict?.seq, task.leave?.seq]];
  });
  return marks.length === 0 ? "" : JSON.stringify(marks);
}

async function land(hub: Watched, name: TeamName, place: RepositoryPlace, options: LandOptions): Promise<void> {
  const team = await hub.team(name, batonActor);
  if (team.ok) await team.value.land(place, options);
}

/** The reports of which a check may run and has not; `isAgain`: also those where it could not. */
function dueReports({ coordination, team }: TeamState, isAgain: boolean): readonly number[] {
  const asked = askedChecks(coordination, team.definition?.checks);
  const due = asked.filter(
    ({ check, leave, verdict }) => typeof leave === "object" && (isAgain || unrunNote(verdict, check) === null),
  );
  return [...new Set(due.map(({ verdict }) => verdict.report))];
}

async function runChecks(hub: Watched, name: TeamName, place: RepositoryPlace, options: VerifyOptions): Promise<void> {
  const team = await hub.team(name, batonActor);
  if (team.ok) await team.value.verify(place, options);
}

/** What was found of a completion, or of the artifacts that a message names. */
interface Finding {
  readonly what: "a completion" | "an artifact";
  readonly subject: string;
  readonly state: TaskVerdict["state"];
  readonly problems: readonly Problem[];
}

/** One look. `isOpen`: a completion could not be judged, or what was found could not be recorded. */
interface ReportLook {
  readonly findings: readonly Finding[];
  readonly isOpen: boolean;
}

async function judge(
  hub: Watched,
  name: TeamName,
  place: RepositoryPlace,
  options: VerifyOptions & { readonly undecided: UndecidedReports },
): Promise<ReportLook> {
  if (hub.journal.condition().condition !== "ready") return { findings: [], isOpen: true };
  const team = await hub.team(name, batonActor);
  // A team without entries has no reports yet.
  if (!team.ok) return { findings: [], isOpen: true };
  const tasks = await team.value.verify(place, options);
  const artifacts = await team.value.verifyArtifacts(place, options);
  const rounds = await team.value.inspectRounds(place);
  const findings = [
    ...(tasks.ok ? tasks.value : []).map(
      ({ task, ...found }) => ({ ...found, what: "a completion", subject: task }) as const,
    ),
    ...(artifacts.ok ? artifacts.value : []).map(
      ({ artifacts: paths, ...found }) => ({ ...found, what: "an artifact", subject: paths.join(", ") }) as const,
    ),
  ];
  return { findings, isOpen: options.undecided.areLeft() || !tasks.ok || !artifacts.ok || !rounds.ok };
}

/** Says what is new: a subject is named when what is found of it is not what was said last. */
function tell(log: HubLog, told: Map<string, string>, { what, subject, state, problems }: Finding): void {
  const codes = [...new Set(problems.map(({ code }) => code))];
  const words = `${state} ${codes.join()}`;
  const key = `${what} ${subject}`;
  if (told.get(key) === words) return;
  told.set(key, words);
  const facts = { [what === "a completion" ? "task" : "artifacts"]: subject, codes };
  if (isContradicted(state)) log.warn(facts, `${what} is ${state}`);
  else log.info(facts, `${what} is ${state}`);
}
