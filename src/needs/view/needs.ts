/**
 * What needs the person who owns the team, found in the state at the head: failed audits that hold a phase, requests,
 * disputes, escalations that have come to the person, silent agents, loops, spent budgets, and remotes that cannot be
 * reached or ask back. Nothing is stored, so what is decided is gone. Pure; costs what is open and one look at each
 * task. Source: docs/protocol/asking.md, sections 11 to 13.
 */

import { type ApprovalState, dueAt, needsOwner, openRequests, requestKey } from "../../approvals/state.ts";
import { counted, shortList, taskInWords } from "../../base/text.ts";
import type { Escalation } from "../../escalations/state.ts";
import { type ArtifactView, disputedArtifacts } from "../../evidence/decide/artifact-disputes.ts";
import { askedChecks, unrunNote } from "../../evidence/decide/contract-checks.ts";
import { conflictsAt } from "../../evidence/state.ts";
import { type Handoff, isUncalled } from "../../handoffs/state.ts";
import { isLost } from "../../health/decide/health.ts";
import { heldAfterEnd } from "../../health/view/health-views.ts";
import { personal } from "../../messages/authority/chain-of-command.ts";
import { ownerName } from "../../messages/principal.ts";
import { remotePrefix } from "../../messages/remote-address.ts";
import { phaseKey } from "../../messages/task-ids.ts";
import { type CoordinationState, openEscalations } from "../../perform/coordination-state.ts";
import { openRemoteAsks } from "../../remotes/decide.ts";
import { passingOf } from "../../shutdown/decide/shutdown-rounds.ts";
import { overBudgetPlans } from "../../tasks/decide/contracts.ts";
import {
  isDone,
  isGone,
  isRefuted,
  isReverted,
  isUndecided,
  isUnlanded,
  refutedReporter,
  verdictAbout,
  whyUnlanded,
} from "../../tasks/state/report-status.ts";
import { findTask, isBatons, nameOf, type Task } from "../../tasks/state/task-state.ts";
import { type Dependents, dependentsOf } from "../../tasks/view/dependencies.ts";
import { leaseEndOf } from "../../tasks/view/task-view.ts";
import { changesOfEscalation, changesOfRequest, changesOfStop, lastOf } from "./changed-meanwhile.ts";
import { type FoundNeed, type NeedsMoment, needDefaults, untoldName } from "./need-ranking.ts";
import { loopsAt, type RefusalReason, timesIn } from "./refusal-loops.ts";

/** Everything that needs the person, in no order. */
export function needsIn(state: CoordinationState, moment: NeedsMoment): readonly FoundNeed[] {
  const known: Known = { state, moment, dependents: new Map() };
  return [
    ...holds(state),
    ...revisions(moment),
    ...openRequests(state.approvals).map((request) => ofRequest(known, request)),
    ...disputes(known),
    ...checks(known),
    ...disputedArtifacts(state.work).map(ofArtifacts),
    ...conflicts(known),
    ...landings(known),
    ...stayingTrees(known),
    ...untakenTasks(known),
    ...pausedAgents(known),
    ...leftEdits(known),
    ...moment.phases.flatMap(ofPhase),
    ...(moment.isLed === false ? moment.phases.flatMap((phase) => ofFailure(state, phase)) : []),
    ...(moment.isOwnerThere === true ? [] : moment.phases.flatMap(ofReady)),
    ...[...state.handoffs.all.values()].flatMap((handoff) => ofHandoff(known, handoff)),
    ...openEscalations(state)
      .filter(({ level }) => personal.includes(level))
      .map((escalation) => ofEscalation(known, escalation)),
    ...silentAgents(known),
    ...unguardedAgents(known),
    ...remoteNeeds(state),
    ...(moment.untold ? [ofWebhook(moment.untold)] : []),
    ...loopsAt(moment.loops, moment.atMs).flatMap((reason) => (isOver(known, reason) ? [] : ofLoop(known, reason))),
    ...budgets(known),
  ];
}

/** Failed security audits that nobody has lifted. */
function holds(state: CoordinationState): readonly FoundNeed[] {
  const active = [...state.quality.stops.values()].filter(({ lifted }) => lifted === null);
  return active.map((stopped) => {
    const { stop, part, by, seq, findings, critical } = stopped;
    const where =
      part === null ? "every phase" : `phase ${part.name}${part.department === null ? "" : ` (${part.department})`}`;
    return {
      ...needDefaults,
      id: `hold:${stop}`,
      kind: "hold",
      class: "hold",
      subject: `The security audit of ${where} failed; only you can lift it.`,
      why: `${by} found ${counted(findings, "problem")}, ${critical} of them critical.`,
      agent: by,
      phase: part?.name ?? null,
      target: stop,
      blocks: part === null ? [] : openTasksOf(state, part),
      seq,
      changedSeq: lastOf(changesOfStop(state, stopped)),
    };
  });
}

/** The parts of a phase that were shipped or ended, and of which something is found wrong since. */
function ofPhase({ phase, signoff, departments }: NeedsMoment["phases"][number]): readonly FoundNeed[] {
  return departments
    .filter(({ hasFindings }) => hasFindings)
    .map(({ department, status, blockers }) => ({
      ...needDefaults,
      id: `finding:${phase}${department === null ? "" : `/${department}`}`,
      kind: "finding",
      class: "finding",
      subject: `Something is wrong with phase ${phase}${department === null ? "" : ` (${department})`}, found since it was ${status === "ended" ? "ended" : "shipped"}.`,
      why: blockers.length === 0 ? null : shortList(blockers),
      phase,
      target: phase,
      seq: signoff?.seq ?? 0,
      cause: phase,
    }));
}

/** A verification that failed, where no lead is there to have the work done again; until that is done, or it passes. */
function ofFailure({ work, phases }: CoordinationState, { phase, departments }: NeedsMoment["phases"][number]) {
  return departments.flatMap(({ department, verdict }): readonly FoundNeed[] => {
    if (verdict === undefined || verdict === null || verdict.result === "PASS") return [];
    const keys = [...(phases.plansIn.get(phaseKey(phase) ?? phase)?.keys() ?? [])].flatMap((plan) => [
      ...(work.plans.get(plan)?.tasks.keys() ?? []),
    ]);
    const judged = keys.flatMap((key) =>
      verdict.task === undefined || key === verdict.task ? (work.tasks.get(key) ?? []) : [],
    );
    const isAgain = judged.some(
      ({ report, reopened }) => (report === null && reopened !== undefined) || (report?.seq ?? 0) > verdict.seq,
    );
    if (isAgain) return [];
    const of = verdict.task ?? `phase ${phase}`;
    return [
      {
        ...needDefaults,
        id: `finding:${phase}${department === null ? "" : `/${department}`}/${verdict.seq}`,
        kind: "finding",
        class: "finding",
        subject: `${verdict.by} found that ${of} fails. \`baton task reopen TASK\` has it done again.`,
        why: verdict.failures.length === 0 ? null : shortList(verdict.failures),
        phase,
        target: phase,
        seq: verdict.seq,
        cause: phase,
      },
    ];
  });
}

/** A phase that could ship since the last department reported, and of which nothing was decided since. */
function ofReady({ phase, signoff, missing, unconfirmed, departments }: NeedsMoment["phases"][number]) {
  const seq = Math.max(0, ...departments.map(({ result }) => result?.seq ?? 0));
  if (missing === null || missing.length > 0 || signoff?.decision === "SHIP" || (signoff?.seq ?? 0) > seq) return [];
  return {
    ...needDefaults,
    id: `signoff:${phase}`,
    kind: "signoff",
    class: "signoff",
    subject: `Every department is done with phase ${phase}; you say whether it ships.`,
    why: unconfirmed.length === 0 ? null : shortList(unconfirmed),
    phase,
    target: phase,
    seq,
  } as const;
}

/** Work that was handed to the person, until it is done. */
function ofHandoff(known: Known, handoff: Handoff) {
  const { id, issuer, receivers, target, task, summary, status, acceptance, issuedAtMs, seq } = handoff;
  const isTaken = status === "accepted" && acceptance?.by === ownerName;
  const called = isUncalled(handoff) ? `: no agent is called ${target}` : "";
  if (!isTaken && !(status === "issued" && receivers.includes(ownerName))) return [];
  return {
    ...needDefaults,
    id: `${isTaken ? "accepted" : "handoff"}:${id}`,
    kind: "handoff",
    class: "handoff",
    subject: isTaken ? `You accepted the work that ${issuer} handed to you.` : `${issuer} hands work to you${called}.`,
    asks: summary,
    agent: issuer,
    task,
    target: id,
    sinceMs: wall(known, acceptance?.atMs ?? issuedAtMs),
    seq: acceptance?.seq ?? seq,
  } as const;
}

function openTasksOf(
  { phases, work }: CoordinationState,
  part: { readonly phase: string; readonly department: string | null },
) {
  return [...(phases.plansIn.get(part.phase)?.keys() ?? [])].flatMap((key) => {
    const department = phases.plans.get(key)?.department ?? null;
    const isMeant = part.department === null || department === null || department === part.department;
    const open = isMeant ? [...(work.plans.get(key)?.open.keys() ?? [])] : [];
    return open.map((task) => work.tasks.get(task)?.task ?? task);
  });
}

function revisions({ proposal }: NeedsMoment): readonly FoundNeed[] {
  if (proposal === null) return [];
  const { id, changes } = proposal;
  const subject = `The team file has changed: ${counted(changes, "change")} wait for you.`;
  return [{ ...needDefaults, id: `revision:${id}`, kind: "revision", class: "revision", subject, target: id, seq: 0 }];
}

const requestWords = {
  scope_change: "asks for a change of scope",
  plan_approval: "asks to approve a plan",
  gate_override: "asks to override a gate, which only you can",
} as const;

function ofRequest(known: Known, request: ApprovalState): FoundNeed {
  const { requestId, requester, requestType, subject, evidence, phase, plan } = request;
  const task = request.task === null ? null : findTask(known.state.work, request.task, null);
  const blocks = waitingFor(known, task);
  return {
    ...needDefaults,
    id: `approval:${requestKey(request)}`,
    kind: "approval",
    class: blocks.length > 0 || needsOwner(request) ? "blocking-approval" : "approval",
    subject: `${requester} ${requestWords[requestType]}.`,
    asks: subject,
    why: evidence === subject ? null : evidence,
    agent: requester,
    task: task?.task ?? request.task,
    plan,
    phase: phase === null ? null : String(phase),
    target: requestId,
    requestType,
    blocks,
    ...dueOf(known, task, dueAt(request)),
    sinceMs: wall(known, request.openedAtMs),
    seq: request.seq,
    changedSeq: lastOf(changesOfRequest(known.state, request)),
    cause: `${requestType}/${subject}`,
    about: task?.key ?? plan,
  };
}

const stepWords = {
  opened: "you are asked to decide",
  raised: "the question was passed on to you",
  silence: "nobody below you answered in time",
  left: "nobody below you could answer",
  again: "what was decided did not help",
} as const;

function ofEscalation(known: Known, escalation: Escalation): FoundNeed {
  const { id, severity, issue, originators, task: named, plan, steps, openedAtMs, phase } = escalation;
  const task = named === null ? null : findTask(known.state.work, named, plan);
  const last = steps.at(-1);
  const below = steps.at(-2)?.level ?? "none";
  const how = last?.how ?? "opened";
  return {
    ...needDefaults,
    id: `escalation:${id}`,
    kind: "escalation",
    class: `${severity}-escalation`,
    subject: `${shortList(originators)} ${originators.length > 1 ? "are" : "is"} blocked${task === null ? "" : ` on ${taskInWords(task.task)}`}: ${stepWords[how]}.`,
    asks: issue,
    agent: originators[0] ?? null,
    task: task?.task ?? named,
    plan,
    phase: phase === null ? null : String(phase),
    target: id,
    blocks: waitingFor(known, task),
    ...dueOf(known, task),
    sinceMs: wall(known, last?.atMs ?? openedAtMs),
    seq: last?.seq ?? 0,
    changedSeq: lastOf(changesOfEscalation(known.state, escalation)),
    cause: `${how}/${below}`,
    about: task?.key ?? plan,
  };
}

/** Agents that disappeared and hold or owe something, or whose program has ended while they hold something. */
function silentAgents(known: Known): readonly FoundNeed[] {
  const { state, moment } = known;
  return [...state.health.agents].flatMap(([agent, { lost, startedSeq }]): FoundNeed[] => {
    if (lost === null) return ofEnded(known, agent);
    const held = [...(state.work.held.get(agent)?.keys() ?? [])].map((key) => state.work.tasks.get(key)?.task ?? key);
    const asked = openRequests(state.approvals).filter(({ addressees }) => addressees.includes(agent)).length;
    const unread = moment.unreadOf(agent);
    const tasks = [...new Set([...lost.tasks, ...held])];
    if (tasks.length + asked + unread === 0) return [];
    const owes = [
      ...(lost.tasks.length === 0 ? [] : [`lost ${shortList(lost.tasks.map((each) => taskInWords(each)))}`]),
      ...(held.length === 0 ? [] : [`holds ${shortList(held.map((each) => taskInWords(each)))}`]),
      ...(asked === 0 ? [] : [`was asked for ${counted(asked, "approval")}`]),
      ...(unread === 0 ? [] : [`has ${counted(unread, "unread message")}`]),
    ];
    return [
      {
        ...needDefaults,
        id: `unresponsive:${agent}`,
        kind: "unresponsive",
        class: "unresponsive",
        subject: `${agent} is silent: it ${andList(owes)}.`,
        agent,
        task: tasks[0] ?? null,
        target: agent,
        sinceMs: (lost.lastSignMs ?? lost.atMs) + moment.aheadMs,
        seq: startedSeq ?? 0,
        cause: lost.cause,
      },
    ];
  });
}

const unguardedWords = {
  unreviewed: [
    "Its program skips Baton's hooks until you have reviewed them, once for all projects.",
    (agent: string) =>
      `Trust Baton's where ${agent} asks about hooks; where it does not ask, type /hooks at its prompt.`,
  ],
  untrusted: [
    "Its program runs without Baton until you trust its folder.",
    (agent: string) => `Trust the folder where ${agent} asks you; where it does not ask any more: baton run ${agent}`,
  ],
  other: ["Its program does not run Baton's hooks, or does not say whether it does.", () => null],
  unseen: [
    "None of Baton's hooks has run: its program waits for an answer of yours, or runs without them.",
    (agent: string) => `Look into the terminal of ${agent}, and answer what it asks.`,
  ],
} as const;

/** So long a program may take to begin, in milliseconds. */
const beginMsMax = 120_000;

/** Agents whose program was started, has not ended since, and may run no hook of Baton's. */
function unguardedAgents(known: Known): readonly FoundNeed[] {
  const { health, shutdowns } = known.state;
  return [...(known.moment.unguarded ?? [])].flatMap(([agent, { because, seq, at = "" }]): FoundNeed[] => {
    const program = health.programs.get(agent);
    const over = Math.max(program?.ended?.seq ?? 0, passingOf(shutdowns, agent)?.seq ?? 0);
    const sinceMs = Date.parse(at) || null;
    const isUnseen = because === "unseen";
    const isEarly = (sinceMs ?? 0) + beginMsMax > known.moment.atMs + known.moment.aheadMs;
    if (over > seq || (isUnseen && (isEarly || (program?.seq ?? 0) > seq))) return [];
    const [why, help] = unguardedWords[because];
    return [
      {
        ...needDefaults,
        id: `unguarded:${agent}`,
        kind: "unguarded",
        class: "unguarded",
        subject: isUnseen
          ? `${agent} was started, and nothing has been heard of it since.`
          : `Nothing keeps ${agent} from files that others hold.`,
        why,
        help: help(agent),
        agent,
        target: agent,
        sinceMs,
        seq,
        cause: because,
      },
    ];
  });
}

function ofEnded({ state }: Known, agent: string): FoundNeed[] {
  const held = heldAfterEnd(state, agent);
  if (held.length === 0) return [];
  return [
    {
      ...needDefaults,
      id: `unresponsive:${agent}`,
      kind: "unresponsive",
      class: "unresponsive",
      subject: `The program of ${agent} has ended, and ${agent} holds ${shortList(held)}.`,
      agent,
      task: held[0] ?? null,
      target: agent,
      seq: state.health.programs.get(agent)?.ended?.seq ?? 0,
      cause: "ended",
    },
  ];
}

/** Whether the task of a loop is done, or its contract allows more since. */
function isOver({ state: { work, contracts } }: Known, { task: id, code, times }: RefusalReason): boolean {
  const task = id === null ? null : findTask(work, id, null);
  if (task === null) return false;
  const revised = contracts.plans.get(task.plan ?? "")?.revisions.at(-1)?.seq ?? 0;
  return isDone(task) || (code === "outside-contract" && revised > (times.at(-1)?.[0] ?? 0));
}

function ofLoop(known: Known, { agent, code, message, task, times }: RefusalReason): FoundNeed {
  const [first, last, counts] = [times[0], times.at(-1), timesIn({ times })];
  return {
    ...needDefaults,
    id: `loop:${agent}/${code}/${first?.[0] ?? 0}`,
    kind: "loop",
    class: "loop",
    subject: `${agent} was refused ${counts} times for the same reason.`,
    why: message,
    agent,
    task,
    target: agent,
    sinceMs: wall(known, first?.[1] ?? null),
    seq: last?.[0] ?? 0,
    cause: code,
    count: counts,
  };
}

function budgets({ state: { contracts } }: Known): readonly FoundNeed[] {
  return overBudgetPlans(contracts).map(({ plan, used, budget, seq }) => ({
    ...needDefaults,
    id: `over-budget:${plan}`,
    kind: "over-budget",
    class: "over-budget",
    subject: `Plan ${plan} has used ${used} tokens of a budget of ${budget}.`,
    plan,
    target: plan,
    seq,
  }));
}

/** Tasks whose report is disputed or undecided, or whose work is gone. */
function disputes(known: Known): readonly FoundNeed[] {
  const tasks = [...known.state.work.tasks.values()].filter(({ ended }) => ended === undefined);
  return tasks.flatMap((task) => {
    // Who has claimed it repairs it, and who says since that it is not done disputes nothing: nothing is to be decided.
    const isOpen = task.claim === null && task.report?.leavesRefuted === undefined;
    if (isRefuted(task)) return isOpen ? ofDispute(known, task, "dispute") : [];
    // Who took it back said what is to become of it: the task is open.
    if (isReverted(task)) return [];
    if (isGone(task)) return ofDispute(known, task, "gone");
    return isUndecided(task) ? ofDispute(known, task, "undecided") : [];
  });
}

/** Why nothing lands, and work with which only the person's own branch can move. */
function landings({ state: { work }, moment }: Known): readonly FoundNeed[] {
  const held = [...work.landings].flatMap(([branch, each]): readonly FoundNeed[] => {
    if (each.held === null) return [];
    const { why, help, seq } = each.held;
    const subject = isBatons(branch)
      ? `Nothing lands on ${branch}.`
      : "Your main branch cannot move to what has landed.";
    return [
      {
        ...needDefaults,
        id: `landing:${branch}/held`,
        kind: "landing",
        class: "conflict",
        subject,
        why,
        help,
        target: branch,
        seq,
      },
    ];
  });
  const verdicts = [...work.tasks.values()].flatMap((task) => {
    const verdict = verdictAbout(task);
    return verdict?.state === "verified" && task.ended === undefined ? [{ ...task, verdict }] : [];
  });
  const away = verdicts.filter(
    ({ landed, verdict: { place } }) =>
      held.length === 0 && place?.at === "landed" && isBatons(place.branch ?? "") && landed !== undefined,
  );
  const ready =
    moment.landsWhenAsked !== true
      ? []
      : verdicts.filter((task) => task.verdict.place?.at === "branch" && task.notLanded?.report !== task.report?.seq);
  const ask = (tasks: typeof verdicts, id: string, says: (count: string) => string): readonly FoundNeed[] => {
    const [first] = tasks;
    if (first === undefined) return [];
    const seq = Math.max(...tasks.map(({ verdict, landed }) => landed?.seq ?? verdict.seq));
    const subject = says(counted(tasks.length, "task"));
    return [
      {
        ...needDefaults,
        id,
        kind: "landing",
        class: "landing",
        subject,
        why: shortList(tasks.map(({ task }) => task)),
        target: id,
        seq,
      },
    ];
  };
  return [
    ...held,
    ...ask(away, "landing:move", (count) => `Your main branch can move ${count} forward.`),
    ...ask(ready, "landing:ready", (count) => `${count} can land.`),
  ];
}

/** Agents whose own work trees do not have what has landed: what a task depends on, or all that files are in the way of. */
function stayingTrees(known: Known): readonly FoundNeed[] {
  const { health, work } = known.state;
  return [...work.stays].flatMap(([agent, { key, why, help, seq, isBegun = false }]) => {
    const task = work.tasks.get(key);
    if (task === undefined || isDone(task) || !health.agents.has(agent)) return [];
    if (isBegun ? task.claim?.token !== seq : task.claim !== null) return [];
    return {
      ...needDefaults,
      id: `tree:${agent}`,
      kind: "conflict",
      class: "conflict",
      subject: isBegun
        ? `${agent} works on ${taskInWords(task.task)} without all that has landed: files in its tree are in the way.`
        : `${agent} cannot begin ${taskInWords(task.task)}: its tree does not have the work that this depends on.`,
      why,
      help: isBegun ? help : `${agent} claims it again after this. ${help}`,
      agent,
      task: task.task,
      plan: task.plan,
      target: nameOf(work, task),
      blocks: waitingFor(known, task),
      seq,
    } as const;
  });
}

/** Free tasks for which idle agents were woken in vain, or that nothing wakes. */
function untakenTasks(known: Known): readonly FoundNeed[] {
  const waiting = (known.moment.calls ?? []).filter(({ way }) => way !== "woken");
  return [...Map.groupBy(waiting, ({ task }) => task)].map(([task, calls]) => {
    const [woken = [], unwoken = []] = (["declined", "unwoken"] as const).map((each) =>
      calls.flatMap(({ agent, way }) => (way === each ? [agent] : [])),
    );
    const [agent = ""] = [...woken, ...unwoken];
    const why = [
      ...(woken.length === 0
        ? []
        : [`${andList(woken)} ${woken.length > 1 ? "were" : "was"} woken and did not take it`]),
      ...(unwoken.length === 0 ? [] : [`nothing wakes ${andList(unwoken)}`]),
    ];
    return {
      ...needDefaults,
      id: `${woken.length === 0 ? "unwoken" : "idle"}:${task.key}`,
      kind: "idle",
      class: "idle",
      subject: `Task ${task.task} waits: ${why.join("; ")}.`,
      help: [
        `Type at the prompt of ${agent}: claim the next task.`,
        ...(task.text?.agent === agent ? [`Or free it for others: baton task add ${task.task} --agent ''`] : []),
        "Where it has no window any more, `baton start` names its process.",
      ].join(" "),
      agent,
      task: task.task,
      plan: task.plan,
      target: nameOf(known.state.work, task),
      blocks: waitingFor(known, task),
      seq: task.seq,
    };
  });
}

/**
 * Agents that ended their turn with a task in hand, and wait for nobody's answer: at once where their last word on it was
 * that it is not done, else after some time. Heartbeats go on then.
 */
function pausedAgents(known: Known): readonly FoundNeed[] {
  const { state, moment } = known;
  if (moment.idleSince === undefined || moment.idleSince.size === 0) return [];
  const { approvals, health, shutdowns, work } = state;
  const asks = openRequests(approvals).map(({ requester }) => requester);
  const waits = new Set([...asks, ...openEscalations(state).flatMap(({ originators }) => originators)]);
  return [...moment.idleSince].flatMap(([agent, sinceMs]): FoundNeed[] => {
    const held = [...(work.held.get(agent)?.keys() ?? [])].flatMap((key) => work.tasks.get(key) ?? []);
    const [task] = held;
    const isStopped = passingOf(shutdowns, agent) !== null || shutdowns.asked.has(agent);
    const isGone = isLost(health, agent) || (health.programs.get(agent)?.ended ?? null) !== null || isStopped;
    const isLate = moment.atMs + moment.aheadMs - sinceMs >= moment.viewer.leaseMs;
    const unfinished = held.find(
      ({ claim, report }) =>
        report?.reporter === agent && report.status !== "complete" && report.seq >= (claim?.token ?? 0),
    );
    if (task === undefined || !(isLate || unfinished) || isGone || waits.has(agent)) return [];
    const { status, deviations = [], evidence } = unfinished?.report ?? {};
    const said = [...deviations, evidence ?? ""].filter((each) => each !== "").join("; ");
    const names = shortList(held.map((each) => each.task));
    const what = unfinished
      ? `reported ${taskInWords(unfinished.task)} as ${status} and ended its turn.`
      : `ended its turn with ${held.length > 1 ? "tasks" : "task"} ${names} in hand.`;
    return [
      {
        ...needDefaults,
        id: `paused:${agent}`,
        kind: "idle",
        class: "idle",
        subject: `${agent} ${what}`,
        asks: said || null,
        agent,
        task: task.task,
        plan: task.plan,
        target: nameOf(work, task),
        blocks: waitingFor(known, task),
        sinceMs,
        seq: task.claim?.token ?? task.seq,
      },
    ];
  });
}

/** Files that an agent changed and never reported, and that another one, who holds a task, changes now. */
function leftEdits(known: Known): readonly FoundNeed[] {
  const { work } = known.state;
  if (work.collisions.size === 0) return [];
  const tasks = [...work.tasks.values()];
  const isToLand = ({ report, verdict }: Task) => report?.status === "complete" && verdict?.place?.at !== "landed";
  const landing = new Set(tasks.filter(isToLand).map(({ report }) => report?.reporter));
  return [...work.collisions.values()].flatMap(({ file, agents, kind, seq }): FoundNeed[] => {
    const agent = agents.find((each) => !work.held.has(each) && !landing.has(each));
    const other = agents.find((each) => each !== agent);
    const [key = ""] = work.held.get(other ?? "")?.keys() ?? [];
    const task = work.tasks.get(key);
    if (agent === undefined || task === undefined) return [];
    const where = kind === "hot" ? "the same lines of it" : "other lines of it";
    return [
      {
        ...needDefaults,
        id: `edited:${agent}/${file}`,
        kind: "conflict",
        class: "conflict",
        subject: `${agent} has changed ${file}, holds no task, and ${other} changes ${where}.`,
        help: `Have ${agent} take it back, or commit it for a task of its own.`,
        agent,
        task: task.task,
        plan: task.plan,
        target: nameOf(work, task),
        seq,
      },
    ];
  });
}

function andList(words: readonly string[]): string {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((each) => each !== "").join(" and ");
}

/** So often work comes back to its author before the person is asked although somebody works on it. */
const returnsMax = 3;

type Way = "dispute" | "gone" | "undecided";

/** What each way is called, from the task and who reported it. */
const subjects: Readonly<Record<Way, (task: string, reporter: string) => string>> = {
  dispute: (task, reporter) => `${reporter} reported ${taskInWords(task)} as done; the repository does not confirm it.`,
  gone: (task) =>
    `${taskInWords(task, "Task")} was verified, and its work is not in the repository any more. It stays done until you say otherwise.`,
  undecided: (task, reporter) =>
    `${reporter} reported ${taskInWords(task)} as done; the repository does not decide it.`,
};

function ofDispute(known: Known, task: Task, way: Way): FoundNeed {
  const { key, verdict, plan, report, unseen } = task;
  const reporter = way === "dispute" ? refutedReporter(task) : (report?.reporter ?? null);
  const found = [...(known.state.work.disputes.get(key)?.values() ?? [])].findLast(({ repair }) => repair === null);
  const [first] = (way === "undecided" ? unseen?.problems : verdict?.problems) ?? [];
  const since = way === "undecided" ? unseen?.seq : (found?.seq ?? verdict?.seq);
  return {
    ...needDefaults,
    id: `${way}:${key}`,
    kind: "dispute",
    class: way === "undecided" ? way : "dispute",
    subject: subjects[way](task.task, reporter ?? "Somebody"),
    why: first?.message ?? null,
    agent: reporter,
    task: task.task,
    plan,
    target: nameOf(known.state.work, task),
    blocks: waitingFor(known, task),
    ...dueOf(known, task),
    // Since the first verdict against the report: a check that finds it again begins nothing.
    seq: since ?? report?.seq ?? task.seq,
    changedSeq: verdict?.seq ?? null,
    cause: `${verdict?.state ?? way}/${first?.code ?? ""}/${plan ?? ""}`,
    about: reporter,
  };
}

/** Checks that wait for the owner's word, one need each, and those that could not run. */
function checks({ state, moment }: Known): readonly FoundNeed[] {
  const asked = askedChecks(state, moment.checks);
  const waiting = Map.groupBy(
    asked.filter(({ leave }) => leave === "asks"),
    ({ check }) => check,
  );
  const questions = [...waiting].flatMap(([check, [first, ...more]]): readonly FoundNeed[] => {
    if (first === undefined) return [];
    const changed = [first, ...more].find(({ change }) => change !== null);
    const plan = planOf(state, first.task);
    return [
      {
        ...needDefaults,
        id: `check:${check}`,
        kind: "check",
        class: "check",
        subject:
          changed === undefined
            ? `Plan ${plan} wants to run a check that the team file does not list.`
            : `${taskInWords(changed.task.task, "Task")} changes how a check runs.`,
        asks: check,
        why: changed?.change ?? null,
        agent: state.contracts.plans.get(first.task.plan ?? "")?.revisions.at(-1)?.issuedBy ?? null,
        task: (changed ?? first).task.task,
        plan,
        target: check,
        seq: first.verdict.report,
        changedSeq: Math.max(...[first, ...more].map(({ verdict }) => verdict.report)),
      },
    ];
  });
  const unrun = asked.flatMap(({ check, leave, task, verdict }): readonly FoundNeed[] => {
    const note = unrunNote(verdict, check);
    if (note === null || typeof leave === "string") return [];
    return [
      {
        ...needDefaults,
        id: `unchecked:${task.key}/${check}`,
        kind: "unchecked",
        class: "undecided",
        subject: `A check of ${taskInWords(task.task)} could not run.`,
        why: note.message,
        task: task.task,
        plan: planOf(state, task),
        target: nameOf(state.work, task),
        seq: verdict.seq,
        cause: note.message,
      },
    ];
  });
  return [...questions, ...unrun];
}

function planOf({ work }: CoordinationState, { plan }: Task): string | null {
  return plan === null ? null : (work.plans.get(plan)?.plan ?? plan);
}

/** Artifacts that the repository does not confirm: they hold up their plan or phase. */
function ofArtifacts({ seq, type, sender, plan, artifacts, problems }: ArtifactView): FoundNeed {
  const [first] = problems;
  return {
    ...needDefaults,
    id: `artifact:${seq}`,
    kind: "dispute",
    class: "dispute",
    subject: `${sender} named ${shortList(artifacts)} in a ${type}; the repository does not confirm it.`,
    why: first?.message ?? null,
    agent: sender,
    plan,
    target: String(seq),
    seq,
    cause: `artifact/${first?.code ?? ""}/${plan ?? ""}`,
    about: sender,
  };
}

/** Whether work of an agent is judged or about to land: what waits beside it on its branch may land with it. */
function isUnderWay({ tasks }: Known["state"]["work"], reporter: string): boolean {
  return [...tasks.values()].some((task) => {
    const { report, unseen, notLanded, withoutFiles } = task;
    if (report?.status !== "complete" || report.reporter !== reporter || withoutFiles) return false;
    return verdictAbout(task) === null ? unseen === undefined : isUnlanded(task) && notLanded?.report !== report.seq;
  });
}

/**
 * Verified work that does not merge with the main branch or with other work that has not landed, and work that did not land:
 * where a person has to look first, nobody works on it, or it came back three times.
 */
function conflicts({ state: { work } }: Known): readonly FoundNeed[] {
  return [...work.tasks.values()].flatMap((each): FoundNeed[] => {
    const { key, task, plan, report, verdict, claim, notLanded } = each;
    const isOften = (notLanded?.times ?? 0) >= returnsMax;
    const now = whyUnlanded(work, each);
    const known = now ?? (isOften ? notLanded : undefined);
    if (known !== undefined && report !== null && verdict?.place?.at === "branch") {
      const { reason, branch, why, times, seq } = known;
      if (reason !== "waits" && claim !== null && !isOften) return [];
      if (reason === "waits" && !isOften && isUnderWay(work, report.reporter)) return [];
      const often = times < 2 ? "" : `, ${times} times by now`;
      const isWaiting = reason === "waits" && !isOften;
      const end = isWaiting ? `waits, and is not on ${branch}` : `did not land on ${branch}${often}`;
      return [
        {
          ...needDefaults,
          id: `unlanded:${key}`,
          kind: "conflict",
          class: "conflict",
          subject: `The work of ${task} ${end}.`,
          why: now === null && reason === "waits" ? "It was reported anew, and is tried again." : why,
          agent: report.reporter,
          task,
          plan,
          target: nameOf(work, each),
          seq,
        },
      ];
    }
    const notes = verdict?.state === "verified" ? conflictsAt(verdict.place) : [];
    if (notes.length === 0) return [];
    const branch = verdict?.place?.branch ?? null;
    return [
      {
        ...needDefaults,
        id: `conflict:${key}`,
        kind: "conflict",
        class: "conflict",
        subject: `The work of ${task}${branch === null ? "" : ` on ${branch}`} is verified and does not merge.`,
        why: notes.map(({ message }) => message).join(" "),
        agent: report?.reporter ?? null,
        task,
        plan,
        target: nameOf(work, each),
        seq: verdict?.seq ?? 0,
      },
    ];
  });
}

/** Both, in no order. */
function ofWebhook(why: string): FoundNeed {
  return {
    ...needDefaults,
    id: untoldName,
    kind: "remote",
    class: "away",
    subject: "Your webhook cannot be reached, so what needs you is not told there.",
    why,
    help: "To tell it another address: baton start --notify URL",
    target: "the webhook",
    seq: 0,
  };
}

function remoteNeeds({ remotes, work }: CoordinationState): readonly FoundNeed[] {
  const open = openRemoteAsks(remotes);
  const away = [...remotes.known.values()].flatMap(({ remote, problem }) => {
    const waiting = open.filter((ask) => ask.remote === remote);
    if (problem === null || waiting.length === 0) return [];
    return {
      ...needDefaults,
      id: `remote:${remote}`,
      kind: "remote",
      class: "away",
      subject: `The remote ${remote} cannot be reached; ${counted(waiting.length, "ask")} ${waiting.length === 1 ? "waits" : "wait"} for it.`,
      why: problem.message,
      agent: `${remotePrefix}${remote}`,
      target: remote,
      blocks: waiting.flatMap(({ task }) => task ?? []),
      seq: problem.seq,
    } as const;
  });
  const asking = open.filter(({ asker, state }) => asker === ownerName && state === "input-required");
  return [
    ...away,
    ...asking.map(
      ({ ask, remote, task: id, title, words, changed }): FoundNeed => ({
        ...needDefaults,
        id: `remote:${remote}/${ask}`,
        kind: "remote",
        class: "remote",
        subject: `The remote ${remote} asks back about what you asked it: ${title}`,
        asks: words,
        agent: `${remotePrefix}${remote}`,
        task: id === null ? null : (findTask(work, id, null)?.task ?? id),
        target: `${remote}/${ask}`,
        seq: changed,
      }),
    ),
  ];
}

/** What needs are found in, and the tasks that wait for each task, looked up once. */
interface Known {
  readonly state: CoordinationState;
  readonly moment: NeedsMoment;
  readonly dependents: Map<string, Dependents>;
}

/** Tasks that wait for this one, by their ids; each task is looked up once. */
function waitingFor({ state: { work }, dependents }: Known, task: Task | null): readonly string[] {
  if (task === null) return [];
  return dependentsOf(work, task.key, dependents).map((key) => work.tasks.get(key)?.task ?? key);
}

/** When a need is due, and what ends then. */
export type Due = Pick<FoundNeed, "dueAtMs" | "dueBy">;

/** The earlier of a deadline, by the clock of deadlines, and of the end of the lease of the task's claim. */
function dueOf({ state: { work }, moment }: Known, task: Task | null, deadlineMs: number | null = null): Due {
  const lease = task === null ? null : leaseEndOf(work, task, moment.viewer);
  const deadline = deadlineMs === null ? null : deadlineMs + moment.aheadMs;
  if (deadline !== null && (lease === null || deadline <= lease)) return { dueAtMs: deadline, dueBy: "deadline" };
  return lease === null ? { dueAtMs: null, dueBy: null } : { dueAtMs: lease, dueBy: "lease" };
}

/** A time by the clock that people look at. */
function wall({ moment: { aheadMs } }: Known, atMs: number | null): number | null {
  return atMs === null ? null : atMs + aheadMs;
}
