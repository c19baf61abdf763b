/**
 * The handle that doors hold: a team bound to one actor. It adds nothing to the acts themselves; a hub makes one for
 * each credential over the same journal, the command line one for its process.
 */
import { argument } from "../base/argument.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { ownerName } from "../message/principal.ts";
import type { LogLine } from "../operations/entries.ts";
import type { ShowPast, ShowTask } from "../operations/generated/calls.ts";
import type { Past } from "../operations/lanes.ts";
import { pastViews, type Reply } from "../operations/reply.ts";
import type { TaskStory } from "../operations/task-shapes.ts";
import type { Actor, Context } from "./context.ts";
import { answer } from "./delivery/answer.ts";
import { acknowledge, inbox, markSeen, markShown } from "./delivery/inbox.ts";
import { receive } from "./delivery/receive.ts";
import { escalations, raiseEscalation, resolveEscalation } from "./escalations/escalation.ts";
import { artifactVerdicts, withVerdicts } from "./evidence/artifact-verdicts.ts";
import { commitView } from "./evidence/commit-view.ts";
import { editFiles } from "./evidence/edit-taking.ts";
import { type AskPermissions, configuredAgent, judgeRange, judgeStaged, standings } from "./evidence/gate.ts";
import { verifierWork } from "./evidence/verifier-work.ts";
import { handoffWork } from "./handoffs/handoffs.ts";
import { healthRecord } from "./health/health-record.ts";
import { breakers, closeBreaker } from "./health/health-views.ts";
import { aliveWhile, signOfLife } from "./health/heartbeat.ts";
import { approvalEffect } from "./needs/approval-effect.ts";
import { needs } from "./needs/needs.ts";
import { verifyWithFixes } from "./phases/fixes.ts";
import { endPhase, excludeDepartment, liftStop, phases, skipStep } from "./phases/phase.ts";
import { folderChanges } from "./planning/folder-changes.ts";
import { show } from "./record/entry-lookup.ts";
import { lanes, seqAt } from "./record/lanes.ts";
import { followLines, log, logPage } from "./record/log.ts";
import { remember } from "./record/restoring.ts";
import { metrics } from "./record/team-metrics.ts";
import { contextAt, type PastState, stateAt } from "./record/time-travel.ts";
import { askRemote, type RemoteDelivery, remoteDelivery, remoteOperations } from "./remotes/remotes.ts";
import { startShutdown } from "./shutdown/shutdown.ts";
import { shutdowns } from "./shutdown/shutdown-certificate.ts";
import { inspectRounds } from "./shutdown/shutdown-inspection.ts";
import { askWork } from "./tasks/asks.ts";
import { board, summary, tasks } from "./tasks/board.ts";
import { reassign } from "./tasks/reassignment.ts";
import { taskStory } from "./tasks/task-story.ts";
import { addTask, claim, complete, release, renew } from "./tasks/tasks.ts";
import { tokenWork } from "./team/credentials.ts";
import { teamFileWork } from "./team/limits.ts";
import { attend, leave, refuseProgram } from "./team/programs.ts";
import { register, retire } from "./team/registration.ts";
import { agents, approvals, contracts, status } from "./team/status.ts";
import type { LocalTeam, SendOptions } from "./team/team.ts";
import { messageForms } from "./team/team-dialects.ts";
import { viewTag } from "./team/view-tags.ts";
import { fireDue } from "./timers.ts";

/**
 * The team as `actor` uses it. What is due is fired before every look at the work and every message, so that deadlines
 * pass without a hub too. `close` runs when the handle is disposed; a hub passes one that does nothing.
 */
export function teamHandle(context: Context, actor: Actor, close: () => Promise<void>): LocalTeam {
  const due = async <Value>(act: () => Promise<Value>): Promise<Value> => {
    await fireDue(context);
    return act();
  };
  const permissionsFor: AskPermissions = (asked) => due(() => standings(context, asked));
  return {
    name: context.team,
    actor,
    condition: () => context.journal.condition(),
    send: (text, options) => send(context, actor, text, options),
    ...historyWork(context, actor),
    inbox: (options) => due(() => aliveWhile(context, actor, options ?? {}, () => inbox(context, actor, options))),
    signOfLife: () => signOfLife(context, actor),
    attend: () => attend(context, actor),
    leave: () => leave(context, actor),
    seen: (seq) => markSeen(context, actor, seq),
    shown: (mail) => markShown(context, actor, mail),
    acknowledge: (seq, options) => acknowledge(context, actor, seq, options),
    log: (options) => log(context, options),
    logPage: (options) => logPage(context, options),
    show: (key, options) => show(context, key, options),
    follow: (options) => followLines(context, options),
    status: () => due(() => status(context)),
    agents: () => due(() => agents(context)),
    register: (agent, options) => register(context, actor, agent, options),
    retire: (given, options) => retire(context, actor, given, options),
    ...teamFileWork(context, actor),
    approvals: (wanted) => due(() => approvals(context, wanted)),
    answer: (given, options) => due(() => answer(context, actor, given, options)),
    tasks: (filter) => due(() => tasks(context, actor, filter)),
    addTask: (task, options) => addTask(context, actor, task, options),
    claim: (task, options) => claim(context, actor, task, options),
    renew: (task, options) => renew(context, actor, task, options),
    complete: async (task, options) => withVerdicts(context, await complete(context, actor, task, options)),
    board: () => due(() => board(context, actor)),
    summary: ({ plan }) => due(() => summary(context, actor, plan)),
    release: (task, options) => release(context, actor, task, options),
    reassign: (task, options) => reassign(context, actor, task, options),
    configuredAgent,
    inspectRounds: (place) => inspectRounds(context, actor, place),
    verifyArtifacts: (place, options) => due(() => artifactVerdicts(context, actor, place, options)),
    verify: (place, options) => due(() => verifyWithFixes(context, actor, place, options)),
    standings: permissionsFor,
    editFiles: (files, options) => due(() => editFiles(context, actor, files, options)),
    judgeStaged: (place, agent) => judgeStaged(permissionsFor, place, agent),
    judgeRange: (place, range, who) => judgeRange(permissionsFor, place, range, who),
    escalations: (options) => due(() => escalations(context, options)),
    resolve: (given, options) => resolveEscalation(context, actor, given, options),
    raise: (given, options) => raiseEscalation(context, actor, given, options),
    phases: (options) => due(() => phases(context, options)),
    ...phaseActs(context, actor),
    startShutdown: (start, options) => startShutdown(context, actor, start, options),
    shutdowns: (options) => due(() => shutdowns(context, options)),
    breakers: () => due(() => breakers(context)),
    closeBreaker: (closed, options) => closeBreaker(context, actor, closed, options),
    agentEvents: () => due(() => healthRecord(context, "health")),
    breakerEvents: () => due(() => healthRecord(context, "breaker")),
    contracts: () => contracts(context),
    ...agentWork(context, actor),
    ...tokenWork(context, actor),
    ...supervision(context, actor, due),
    [Symbol.asyncDispose]: close,
  };
}

/** The one way in. A message to a remote is an ask, or words about one: no dialect of the team is read in it. */
async function send(
  context: Context,
  actor: Actor,
  text: string | Uint8Array,
  options: SendOptions = {},
): Promise<Reply> {
  const [receiver, another] = options.to ?? [];
  if (receiver === undefined || !("remote" in receiver) || another !== undefined)
    return withVerdicts(context, await receive(context, actor, text, options));
  const { remote, ask } = receiver;
  const words = typeof text === "string" ? text : Buffer.from(text).toString();
  const named = options.id === undefined ? {} : { id: options.id };
  return askRemote(context, actor, { remote, text: words, ...(ask === null ? {} : { ask }) }, named);
}

/** What only a program of this machine does: the past, and what another tool's folder shows. */
function historyWork(
  context: Context,
  actor: Actor,
): Pick<LocalTeam, "remember" | "folderChanges" | "refuseProgram"> & RemoteDelivery {
  return {
    ...remoteDelivery(context, actor),
    remember: (past) => remember(context, actor, past),
    folderChanges: (asked) => folderChanges(context, asked),
    refuseProgram: (said) => refuseProgram(context, actor, said),
  };
}

/**
 * A look of today at the team as it was, as the person sees it: no agent's own claims are left out of it. Refuses
 * `wrong-value` and `not-found`.
 */
async function pastLook(context: Context, { seq, view }: ShowPast): Promise<Result<Past, Problem>> {
  const known = pastViews.find((each) => each === view);
  if (known === undefined) return err(noPast("view", view, pastViews.join(" | ")));
  const at = await momentOf(context, "seq", seq);
  if (!at.ok) return at;
  const team = teamHandle(contextAt(context, at.value), person, () => Promise.resolve());
  const value: Result<unknown, Problem> =
    known === "recent" ? await recentAt(team, at.value.head.seq) : await team[known]();
  return value.ok ? ok({ seq: at.value.head.seq, at: at.value.recordedAt, view: known, value: value.value }) : value;
}

/** The person, as who the past is looked at. */
const person = { agent: ownerName, via: "launcher" } as const;

/** A task as it was at an entry. Refuses what `taskStory` and the past refuse. */
async function pastTask(context: Context, given: ShowTask): Promise<Result<TaskStory, Problem>> {
  const at = await momentOf(context, "at", given.at ?? "");
  return at.ok ? taskStory(contextAt(context, at.value), person, given, context) : at;
}

/** The last messages before an entry was followed by others, with what had become of them then. */
async function recentAt(team: Pick<LocalTeam, "logPage">, seq: number): Promise<Result<readonly LogLine[], Problem>> {
  const page = await team.logPage({ view: "messages", newestFirst: true, limit: recentMax, before: seq + 1 });
  return page.ok ? ok(page.value.entries) : page;
}

/** Most lines of the past that are shown as the last ones. */
const recentMax = 8;

async function momentOf(context: Context, name: string, seq: string): Promise<Result<PastState, Problem>> {
  return /^\d{1,15}$/.test(seq) ? await stateAt(context, Number(seq)) : err(noPast(name, seq, "digits"));
}

function noPast(name: string, received: string, expected: string): Problem {
  return problem("wrong-value", argument(name), "There is no such look at the past.", {
    expected,
    received: received.slice(0, 64).toWellFormed(),
  });
}

type Due = <Value>(act: () => Promise<Value>) => Promise<Value>;

/** What a person who supervises the team looks at. */
function supervision(
  context: Context,
  actor: Actor,
  due: Due,
): Pick<
  LocalTeam,
  "viewTag" | "forms" | "lanes" | "past" | "seqAt" | "metrics" | "needs" | "effect" | "task" | "commit"
> {
  return {
    viewTag: (call) => due(() => viewTag(context, actor, call)),
    needs: (wanted) => due(() => needs(context, wanted)),
    forms: () => messageForms(context, actor),
    past: (asked) => pastLook(context, asked),
    seqAt: (asked) => seqAt(context, asked),
    metrics: (range = {}) => due(() => metrics(context, range)),
    lanes: (range = {}) => due(() => lanes(context, range)),
    effect: (given) => due(() => approvalEffect(context, actor, given)),
    commit: (given, { signal }: { readonly signal?: AbortSignal } = {}) => commitView(context, given, signal),
    task: (given) => (given.at === undefined ? due(() => taskStory(context, actor, given)) : pastTask(context, given)),
  };
}

/** What agents hand over and ask for, here and elsewhere. */
function agentWork(
  context: Context,
  actor: Actor,
): ReturnType<typeof handoffWork> &
  ReturnType<typeof askWork> &
  ReturnType<typeof remoteOperations> &
  ReturnType<typeof verifierWork> {
  return {
    ...handoffWork(context, actor),
    ...askWork(context, actor),
    ...remoteOperations(context, actor),
    ...verifierWork(context, actor),
  };
}

function phaseActs(
  context: Context,
  actor: Actor,
): Pick<LocalTeam, "skipStep" | "endPhase" | "excludeDepartment" | "liftStop"> {
  return {
    skipStep: (skipped, options) => skipStep(context, actor, skipped, options),
    endPhase: (part = {}, options) => endPhase(context, actor, part, options),
    excludeDepartment: (excluded, options) => excludeDepartment(context, actor, excluded, options),
    liftStop: (lifted, options) => liftStop(context, actor, lifted, options),
  };
}
