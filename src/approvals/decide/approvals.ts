/**
 * Approvals: a request, one answer, or its deadline. A role that may answer, and not the requester, gives the answer;
 * the owner is outside the roles, and only the owner lifts a gate. Which request an answer means and whether it still
 * waits is decided here, too. Source: docs/protocol/asking.md, sections 1 to 4.
 */
import { unreachable } from "../../base/invariant.ts";
import { claimWildcardsMax, taskListMax } from "../../base/limits.ts";
import { readAskedGlobs, type Scope } from "../../base/paths/scope.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList, visible } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { Json } from "../../messages/facts.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Role } from "../../messages/role.ts";
import { planKeyOfReference } from "../../messages/task-ids.ts";
import { type Judge, ownHand, ownMatter } from "../../perform/conflict-of-interest.ts";
import { durationBetween } from "../../perform/deadlines.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import { grown, meeting } from "../../tasks/decide/claims.ts";
import { type ContractEvent, contracts, keptOutBy } from "../../tasks/decide/contracts.ts";
import { editsMeeting } from "../../tasks/decide/edit-claims.ts";
import type { ClaimGrown } from "../../tasks/state/claim-events.ts";
import { comparingCost } from "../../tasks/state/claim-index.ts";
import { pathsNamedIn, pathsOfModifications, scopeOfPlan } from "../../tasks/state/contract-files.ts";
import { type Contracts, type ContractTerms, scopeOf } from "../../tasks/state/contract-terms.ts";
import { isReported } from "../../tasks/state/report-status.ts";
import type { LandingAllowed, PlanHeld, PlanReleased, WorkEvent } from "../../tasks/state/task-events.ts";
import { findTask, noText, type Work } from "../../tasks/state/task-state.ts";
import {
  type ApprovalAnswer,
  type ApprovalEvent,
  type ApprovalState,
  type Approvals,
  closeRequest,
  firstRequestDue,
  keepOpened,
  needsOwner,
  openRequests,
  requestKey,
  requestOf,
  requestsDue,
} from "../state.ts";

export type { ApprovalAnswer, ApprovalState, Approvals } from "../state.ts";

/** Requests whose deadline has passed are over. */
interface ExpireRequests {
  readonly command: "expire-requests";
  readonly atMs: number;
  /** Of those that are due the one whose deadline passed first, without looking at the others. */
  readonly onlyFirst?: true;
}

/** Agents left the team: what they asked for is closed and grants nothing. */
interface CloseRequests {
  readonly command: "close-requests";
  readonly agents: readonly string[];
  readonly atMs: number;
}

/** Orders that approvals take. */
export type ApprovalCommand = OpenRequest | AnswerRequest | ExpireRequests | CloseRequests;

/**
 * Refuses: `id-taken`, `id-conflict`, `unknown-request`, `own-request`, `sender-not-authorised`,
 * `human-required`, `already-answered`, `request-expired`. A deadline passes only by an `expire-requests` command:
 * an answer that comes before it counts, even when it comes late.
 */
export const approvals: Decider<Approvals, ApprovalCommand, ApprovalEvent> = {
  name: "approvals",
  initial: () => ({ requests: new Map(), byId: new Map(), open: new Map(), deadlines: [] }),
  decide(command, state) {
    switch (command.command) {
      case "open-request":
        return openRequest(command, state);
      case "answer-request":
        return answerRequest(command, state);
      case "expire-requests":
        return expireRequests(command, state);
      case "close-requests":
        return closeRequests(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    switch (event.event) {
      case "approval-requested":
        return keepOpened(state, event.request);
      case "approval-answered":
        return closeRequest(state, event.key, {
          status: event.answer.approved ? "approved" : "denied",
          answer: event.answer,
        });
      case "approval-expired":
      case "approval-closed":
        return closeRequest(state, event.key, { status: "expired", expiredAtMs: event.atMs });
      default:
        return unreachable(event);
    }
  },
};

type Outcome = Result<Decided<ApprovalEvent>, readonly Problem[]>;

function expireRequests(command: ExpireRequests, state: Approvals): Outcome {
  const { atMs, onlyFirst = false } = command;
  const due = onlyFirst ? firstRequestDue(state, atMs) : requestsDue(state, atMs);
  return ok({
    events: due.map((request) => ({ event: "approval-expired", key: requestKey(request), atMs: command.atMs })),
    notes: [],
  });
}

function closeRequests({ agents, atMs }: CloseRequests, state: Approvals): Outcome {
  const left = openRequests(state).filter(({ requester }) => agents.includes(requester));
  return ok({
    events: left.map((request) => ({
      event: "approval-closed",
      key: requestKey(request),
      requester: request.requester,
      atMs,
    })),
    notes: [],
  });
}

/*
 * Asking for leave: a request is opened under its id, with the time an answer is given. The same request again changes
 * nothing.
 * Source: docs/protocol/asking.md, sections 1 to 4.
 */

/** An agent asks for leave. */
interface OpenRequest {
  readonly command: "open-request";
  readonly requestId: string;
  readonly requester: string;
  readonly requesterRole: Role | null;
  readonly body: FactBodies["approval-request"];
  readonly phase: number | string | null;
  readonly task: string | null;
  /** The message's own timestamp: only the distance to the deadline is taken from it. */
  readonly timestamp: string | null;
  readonly addressees: readonly string[];
  readonly seq: number;
  readonly atMs: number;
}

/** Refuses `id-taken`, `id-conflict` and `wrong-value` (a deadline that is not after the message's own time). */
function openRequest(command: OpenRequest, state: Approvals): Outcome {
  const { body, requestId, requester } = command;
  const holder = requestOf(state, requestId);
  if (holder !== null && holder.requester !== requester && holder.status === "open") {
    return refused(
      "id-taken",
      `${holder.requester} has an open request with the id "${requestId}".`,
      "Send the request with another id.",
    );
  }
  const { deadlineMs, notes } = deadlineOf(body.deadline, command.timestamp);
  const isPast = deadlineMs !== null && deadlineMs <= 0;
  const request: ApprovalState = {
    requestId,
    requester,
    requesterRole: command.requesterRole,
    subject: body.subject,
    requestType: body.requestType,
    evidence: body.evidence,
    options: body.options ?? [],
    ...(body.paths === undefined ? {} : { paths: body.paths }),
    phase: command.phase,
    task: command.task,
    plan: planKeyOfReference(command.task),
    addressees: command.addressees.filter((agent) => agent !== requester),
    seq: command.seq,
    openedAtMs: command.atMs,
    deadlineMs: isPast ? null : deadlineMs,
    status: "open",
    answer: null,
    expiredAtMs: null,
  };
  const before = state.requests.get(requestKey(request));
  if (before !== undefined) {
    if (saysTheSame(before, request))
      return nothing("request-unchanged", `Request "${requestId}" was opened before, at entry ${before.seq}.`);
    return refused(
      "id-conflict",
      `${requester} used the id "${requestId}" for another request, at entry ${before.seq}.`,
      "Send the new request with a new id.",
    );
  }
  if (isPast) return err([pastDeadline]);
  const isWithoutPlan = request.requestType === "scope_change" && request.plan === null;
  const told = [...(isWithoutPlan ? [withoutPlan] : []), ...(needsOwner(request) ? [onlyOwner] : [])];
  return ok({ events: [{ event: "approval-requested", request }], notes: [...notes, ...told] });
}

const onlyOwner: Note = {
  code: "human-required",
  path: "$.body.requestType",
  message: "Only the person who owns the team overrides a gate, so the request waits for that answer.",
};

const withoutPlan: Note = {
  code: "nothing-widened",
  path: "$.task",
  message: "The request names no task of a plan, so no contract widens by its approval.",
};

const pastDeadline = makeProblem(
  "wrong-value",
  "$.body.deadline",
  "The deadline is not after the message's own time.",
  {
    hint: "Leave the deadline out, or give one that is after the message's timestamp.",
  },
);

/** The time allowed, not above zero where the deadline is not after the timestamp; null and a note: there is none. */
function deadlineOf(
  deadline: string | undefined,
  timestamp: string | null,
): { readonly deadlineMs: number | null; readonly notes: readonly Note[] } {
  if (deadline === undefined)
    return {
      deadlineMs: null,
      notes: [deadlineNote("The request names no deadline, so it stays open until it is answered.")],
    };
  const deadlineMs = timestamp === null ? null : durationBetween(timestamp, deadline);
  if (deadlineMs === null)
    return {
      deadlineMs,
      notes: [deadlineNote("Deadline and timestamp give no duration, so the request has no deadline.")],
    };
  return { deadlineMs, notes: [] };
}

function deadlineNote(message: string): Note {
  return { code: "no-deadline", path: "$.body.deadline", message };
}

/** Whether two openings ask the same; when they came and to whom does not count. */
function saysTheSame(a: ApprovalState, b: ApprovalState): boolean {
  const asked = (request: ApprovalState) =>
    JSON.stringify([
      request.subject,
      request.requestType,
      request.evidence,
      request.options,
      request.paths ?? [],
      request.task,
      request.deadlineMs,
    ]);
  return asked(a) === asked(b);
}

function refused(code: Problem["code"], message: string, hint: string): Outcome {
  return err([makeProblem(code, "$.id", message, { hint })]);
}

/*
 * What follows from an answer: an approved scope change is the next revision of the contract, a plan waits for its yes, and
 * conditions are criteria. Source: docs/protocol/tasks.md, section 19; docs/protocol/asking.md, sections 1 to 4.
 */

/** The part of the state that approvals are decided on. */
interface State {
  readonly approvals: Approvals;
  readonly contracts: Contracts;
  readonly work: Work;
}

type Answered = Result<Decided<ApprovalEvent | ContractEvent | WorkEvent>, readonly Problem[]>;
type Order<Name extends ApprovalCommand["command"]> = Omit<
  Extract<ApprovalCommand, { readonly command: Name }>,
  "command"
>;

/**
 * A request, and what waits for its answer: the tasks of a plan whose lead asks whether it may begin. Refuses as
 * `approvals.ts` does.
 */
export function decideRequest(state: State, asked: Order<"open-request">): Answered {
  const opened = approvals.decide({ command: "open-request", ...asked }, state.approvals);
  if (!opened.ok) return opened;
  const [event] = opened.value.events;
  if (event?.event !== "approval-requested" || !isOfPlan(event.request)) return opened;
  const { plan, requestId: request, requester, seq } = event.request;
  const told = (message: string, code = "plan-held") => [...opened.value.notes, { code, path: "$.task", message }];
  if (plan === null)
    return ok({ ...opened.value, notes: told("The request names no plan, so no task waits for it.", "nothing-held") });
  const held: PlanHeld = { event: "plan-held", plan, request, requester, denied: null, seq };
  return ok({ events: [event, held], notes: told(`What nobody holds of plan ${plan} waits for the answer.`) });
}

/** Whether it asks for a plan, by one who makes plans: what others ask so holds nobody up. */
function isOfPlan({ requestType, requesterRole }: ApprovalState): boolean {
  return requestType === "plan_approval" && (requesterRole === "lead" || requesterRole === "architect");
}

/** An answer, and what follows from it in the same entry. Refuses as `approvals.ts` does. */
export function decideAnswer(state: State, answer: Order<"answer-request">): Answered {
  const { answerer, body, seq } = answer;
  const before = requestOf(state.approvals, body.requestId);
  if (before !== null && isReleasedAnyway(state, before, answer))
    return ok(released(state, before, { by: answerer, seq }));
  const answered = approvals.decide({ command: "answer-request", ...answer }, state.approvals);
  if (!answered.ok || answered.value.events.length === 0 || before === null) return answered;
  const request = before;
  const decided: Decided<ApprovalEvent | ContractEvent | WorkEvent>[] = [answered.value];
  if (isOfPlan(request))
    decided.push(body.approved ? released(state, request, { by: answerer, seq }) : denied(state, request, answer));
  if (body.approved && request.requestType === "scope_change") {
    const paths = pathsAllowed(state, request, body.modifications);
    const widened = widen(state, request, { paths, issuedBy: answerer, seq });
    if (!widened.ok) return widened;
    const { events, notes } = widened.value;
    const issued = events.find((event) => event.event === "contract-issued");
    const scope =
      issued?.event === "contract-issued" ? scopeOf(issued.terms) : scopeOfPlan(state.contracts, request.plan);
    const claim = claimGrown(state, request, { paths, scope, seq });
    const isOnlyClaim = events.length === 0 && claim.events.length > 0;
    decided.push({ events, notes: isOnlyClaim ? [] : notes }, claim);
  }
  if (body.approved && request.requestType === "gate_override")
    decided.push(allowed(state, request, { by: answerer, seq }));
  if (body.approved) decided.push(conditioned(state, request, body.conditions ?? []));
  return ok({ events: decided.flatMap(({ events }) => events), notes: decided.flatMap(({ notes }) => notes) });
}

/** Whether the owner says yes after all to a plan that still waits by this request. */
function isReleasedAnyway(
  { work }: State,
  request: ApprovalState,
  { answerer, body }: Order<"answer-request">,
): boolean {
  const { requestId, requester, status, plan } = request;
  const hold = work.planHolds.get(plan ?? "");
  const isOver = status === "denied" || status === "expired";
  return (
    answerer === ownerName && body.approved && isOver && hold?.request === requestId && hold.requester === requester
  );
}

function released(
  { work }: State,
  { plan }: ApprovalState,
  by: Pick<PlanReleased, "by" | "seq">,
): Decided<PlanReleased> {
  if (plan === null || !work.planHolds.has(plan)) return { events: [], notes: [] };
  const message = `The tasks of plan ${plan} may begin.`;
  return { events: [{ event: "plan-released", plan, ...by }], notes: [{ code: "plan-released", path: "$", message }] };
}

function denied(
  { work }: State,
  { plan, requestId }: ApprovalState,
  { answerer: by, body: { reason }, seq }: Order<"answer-request">,
): Decided<PlanHeld> {
  const hold = work.planHolds.get(plan ?? "");
  if (plan === null || hold?.request !== requestId) return { events: [], notes: [] };
  const message = `The tasks of plan ${plan} wait until ${hold.requester} asks again and is told yes.`;
  return {
    events: [{ event: "plan-held", plan, ...hold, denied: { by, reason }, seq }],
    notes: [{ code: "plan-held", path: "$", message }],
  };
}

/**
 * What the asker's claim of the task covers from now on, so that its next edit needs nothing more: what is allowed, and
 * nobody else holds.
 */
function claimGrown(
  { work }: State,
  { task: asked, requester }: ApprovalState,
  { paths, scope, seq }: { readonly paths: readonly string[]; readonly scope: Scope | null; readonly seq: number },
): Decided<ClaimGrown> {
  const task = asked === null ? null : findTask(work, asked, null);
  if (task?.claim?.holder !== requester) return { events: [], notes: [] };
  const { files } = task.claim;
  const covered = { allowed: files, forbidden: [] };
  const fit = paths.filter((path) => readAskedGlobs([path], "$").ok);
  const wanted = fit.filter((path) => (scope === null || isInside(scope, path)) && !isInside(covered, path));
  const isFree = (path: string) =>
    meeting(work, [path], requester).length + editsMeeting(work, [path], requester, 1).length === 0;
  const free = [...new Set(wanted.filter(isFree))];
  const taken = wanted.filter((path) => !free.includes(path));
  const notes =
    taken.length === 0
      ? []
      : [{ code: "claim-overlap", path: "$", message: `Somebody else holds ${shortList(taken)}.` }];
  const isBound = files.length > 0 && comparingCost([...files, ...free]) <= claimWildcardsMax;
  if (free.length === 0 || !isBound) return { events: [], notes };
  const message = `${requester}'s claim of ${task.task} covers ${shortList(free)}, too.`;
  return {
    events: [grown(task, requester, free, seq)],
    notes: [{ code: "claim-grown", path: "$", message }, ...notes],
  };
}

function isInside(scope: Scope, path: string): boolean {
  return keptOutBy(scope, [path]).length === 0;
}

/** That the task of a request lands once, whatever its checks and its verdict say. */
function allowed(
  { work }: State,
  { task, requestId: request }: ApprovalState,
  by: Pick<LandingAllowed, "by" | "seq">,
): Decided<LandingAllowed> {
  const known = task === null ? null : findTask(work, task, null);
  if (known === null || known.verdict?.place?.at === "landed") return { events: [], notes: [] };
  const message = `${known.task} may land once, whatever its checks and its verdict say.`;
  return {
    events: [{ event: "landing-allowed", key: known.key, task: known.task, request, ...by }],
    notes: [{ code: "landing-allowed", path: "$", message }],
  };
}

/** What a yes is bound to is done when its task is: of the task that it is about, else of each open one of its plan. */
function conditioned(
  { work }: State,
  { task, plan }: ApprovalState,
  conditions: readonly string[],
): Decided<WorkEvent> {
  const lines = conditions
    .map((each) => shorten(visible(each.replace(/\s+/g, " ").trim()), 500))
    .filter((each) => each !== "");
  const named = task === null ? null : findTask(work, task, null);
  const keys = named === null ? [...(work.plans.get(plan ?? "")?.tasks.keys() ?? [])] : [named.key];
  const open = keys.flatMap((key) => work.tasks.get(key) ?? []).filter((each) => !isReported(each) && !each.ended);
  const events = open.flatMap(({ key, task: name, text = noText }): readonly WorkEvent[] => {
    const criteria = [...new Set([...text.criteria, ...lines])].slice(0, taskListMax);
    if (criteria.length === text.criteria.length) return [];
    return [{ event: "task-described", key, task: name, text: { ...text, criteria } }];
  });
  if (events.length === 0) return { events, notes: [] };
  const which = shortList(open.map((each) => each.task));
  const message = `${which} ${open.length === 1 ? "is" : "are"} done when this is true, too: ${shortList(lines)}`;
  return { events, notes: [{ code: "criteria-added", path: "$.body.conditions", message }] };
}

function widen(
  { contracts: state }: State,
  request: ApprovalState,
  by: { readonly paths: readonly string[]; readonly issuedBy: string; readonly seq: number },
): Result<Decided<ContractEvent>, readonly Problem[]> {
  const { plan } = request;
  if (plan === null)
    return nothing(withoutPlan.code, "The request names no task of a plan, so no contract widens by it.");
  if (by.paths.length > 0)
    return contracts.decide({ command: "widen-contract", plan, permit: requestKey(request), ...by }, state);
  return nothing(
    "nothing-widened",
    `No path is named, so the contract of plan ${plan} stays as it is. A yes names paths in modifications, a request in paths.`,
  );
}

/**
 * The paths that a yes to a scope change allows: those of the answer, if it has modifications; else those that the request
 * names; else those that its sender was denied in that plan. What its sender's own words allow everywhere the answer
 * has to say itself.
 */
export function pathsAllowed(
  { contracts: { denied } }: Pick<State, "contracts">,
  { plan, requester, paths = [] }: ApprovalState,
  modifications: readonly Json[] = [],
): readonly string[] {
  const asked = paths.length > 0 ? paths : (denied.get(plan ?? "")?.get(requester) ?? []);
  // Words with a blank are no path, unless they are one of those that are asked for.
  if (modifications.length > 0)
    return modifications.flatMap((each) =>
      typeof each === "string" && asked.includes(each) ? [each] : pathsOfModifications([each]),
    );
  return asked.filter((path) => !/^[*/.]*$/.test(path));
}

/** A note for each agent that was allowed paths which this revision of a contract takes back; its place is the agent. */
export function takenBack(
  { approvals, contracts: { plans } }: Pick<State, "approvals" | "contracts">,
  { plan, terms }: { readonly plan: string; readonly terms: ContractTerms },
): readonly Note[] {
  const before = plans.get(plan);
  const allowed = [...approvals.requests.values()].filter((each) => each.plan === plan && each.status === "approved");
  if (before === undefined) return [];
  return allowed.flatMap(({ requester, requestId, answer, paths: asked = [], requestType }): readonly Note[] => {
    const named = pathsOfModifications(answer?.modifications ?? []);
    const granted = requestType === "scope_change" ? (named.length > 0 ? named : asked) : [];
    const had = granted.filter((path) => keptOutBy(scopeOf(before.terms), [path]).length === 0);
    const lost = keptOutBy(scopeOf(terms), had);
    const message = `Plan ${terms.planId} does not allow ${shortList(lost)} any more, which "${requestId}" had allowed ${requester}.`;
    return lost.length === 0 ? [] : [{ code: takenBackCode, path: requester, message }];
  });
}

export const takenBackCode = "approval-taken-back";

/**
 * The paths that the request names, else those in its prose, which only suggest what an answer may allow: those of its
 * subject, else of the rest, and of a folder and what is in it the narrower.
 */
export function pathsSuggested(
  request: Pick<ApprovalState, "paths" | "subject" | "evidence" | "options">,
): readonly string[] {
  const { paths = [], subject, evidence, options } = request;
  if (paths.length > 0) return [...new Set(paths)];
  const named = pathsNamedIn(subject);
  const all = [...new Set(named.length > 0 ? named : [evidence, ...options].flatMap(pathsNamedIn))];
  const folderOf = (path: string) => `${path.replace(/\/$/, "")}/`;
  return all.filter((path) => !all.some((each) => each !== path && each.startsWith(folderOf(path))));
}

/**
 * An answer that an operation gives, with the paths that it allows. Refuses `missing-field` where it would allow none,
 * though the request speaks of some.
 */
export function withPaths<Given extends { readonly approved: boolean; readonly modifications?: readonly Json[] }>(
  state: Pick<State, "contracts">,
  request: ApprovalState,
  given: Given,
): Result<Given, Problem> {
  const { requestType, requestId, status, plan } = request;
  const isWidening = given.approved && requestType === "scope_change" && scopeOfPlan(state.contracts, plan) !== null;
  if (!isWidening || (given.modifications?.length ?? 0) > 0) return ok(given);
  const known = status === "open" ? pathsAllowed(state, request) : (request.answer?.modifications ?? []);
  const modifications = given.modifications ?? known;
  const [path] = [...pathsSuggested(request), ...pathsOfModifications(known)];
  if (status !== "open" || modifications.length > 0 || path === undefined) return ok({ ...given, modifications });
  const message = `No path is named, so a yes to "${requestId}" would allow nothing.`;
  return err(
    makeProblem("missing-field", "$.body.modifications", message, {
      expected: "the paths that are allowed",
      hint: `Name them: \`baton approve ${requestId} --paths ${path}\`, or a line each on the page.`,
    }),
  );
}

/** The owner's answer, given at a door. Refuses as an answer by message does, but for the role, and as `withPaths`. */
export function decideOwnerAnswer(
  state: State,
  answer: Pick<ApprovalAnswer, "approved" | "reason" | "seq" | "atMs"> &
    Partial<Pick<ApprovalAnswer, "conditions" | "modifications" | "decidedBy">> & { readonly requestId: string },
): Answered {
  const { seq, atMs, decidedBy = ownerName, ...given } = answer;
  const request = requestOf(state.approvals, answer.requestId);
  const body = request === null ? ok(given) : withPaths(state, request, given);
  if (!body.ok) return err([body.error]);
  return decideAnswer(state, { answerer: ownerName, decidedBy, role: null, roles: [], body: body.value, seq, atMs });
}

/** Somebody answers a request, named by its id. */
interface AnswerRequest {
  readonly command: "answer-request";
  readonly answerer: string;
  /** Under which name it is recorded; absent: the answerer's. */
  readonly decidedBy?: string;
  /** The chain of agents that registered the answerer's name, as in `Judge`; absent: none did. */
  readonly registrars?: readonly string[];
  /** Null for the owner. */
  readonly role: Role | null;
  /** Roles that may answer an approval; the owner is outside them. */
  readonly roles: readonly Role[];
  readonly body: FactBodies["approval-response"];
  readonly seq: number;
  readonly atMs: number;
}

/**
 * Refuses `unknown-request`, `own-request`, `sender-not-authorised`, `human-required`,
 * `already-answered` and `request-expired`.
 */
function answerRequest(command: AnswerRequest, state: Approvals): Outcome {
  const { answerer, body, decidedBy: decider = answerer } = command;
  const request = requestOf(state, body.requestId);
  if (request === null) return err([unknownRequest(state, command)]);
  const id = request.requestId;
  const answer: ApprovalAnswer = {
    approved: body.approved,
    decidedBy: decider,
    role: command.role,
    reason: body.reason,
    conditions: body.conditions ?? [],
    modifications: body.modifications ?? [],
    seq: command.seq,
    atMs: command.atMs,
  };
  if (request.answer !== null) {
    const { decidedBy, approved, seq } = request.answer;
    if (decidedBy === decider && isSameAnswer(request.answer, answer))
      return nothing(
        "answer-unchanged",
        `You answered request "${id}" so before, at entry ${seq}; it is not delivered again.`,
      );
    const word = approved ? "approved" : "denied";
    return refusedAnswer(
      "already-answered",
      `Request "${id}" was ${word} by ${decidedBy}, at entry ${seq}.`,
      "A request has one answer; a new question needs a new request.",
    );
  }
  if (request.status === "expired") {
    return refusedAnswer(
      "request-expired",
      `The deadline of request "${id}" passed without an answer, which counts as denied.`,
      `${request.requester} may ask again with a new id.`,
    );
  }
  const problem = authorityProblem(command, request);
  if (problem !== null) return err([problem]);
  return ok({ events: [{ event: "approval-answered", key: requestKey(request), answer }], notes: [] });
}

/** A yes is never taken for another request, however close its id is. */
function unknownRequest(state: Approvals, { answerer: agent, registrars = [], body }: AnswerRequest): Problem {
  const waiting = openRequests(state).filter((each) => mayAnswer({ agent, registrars }, each));
  const [only, ...others] = waiting.map(({ requestId }) => requestId);
  const isOnly = only !== undefined && others.length === 0;
  return makeProblem("unknown-request", "$.body.requestId", `No approval request has the id "${body.requestId}".`, {
    expected: only === undefined ? "nothing: no request waits for you" : [only, ...others].join(" | "),
    received: body.requestId,
    hint: isOnly ? `did you mean "${only}"?` : "`baton needs --requests` shows each request with its id.",
  });
}

/**
 * Whether an open request waits for this agent's answer: it was asked, and may give one. The person may answer every
 * request. Others of a role that answers requests may answer too, but the request does not wait for them.
 */
export function mayAnswer(
  judge: Judge,
  request: Pick<ApprovalState, "requestType" | "requester" | "addressees">,
): boolean {
  if (judge.agent === ownerName) return true;
  if (needsOwner(request) || !request.addressees.includes(judge.agent)) return false;
  return ownHand(judge, [request.requester]) === null;
}

const ownersHint = (id: string) => `The owner answers with \`baton approve ${id}\`, or on the page.`;

function authorityProblem(command: AnswerRequest, request: ApprovalState): Problem | null {
  const { answerer, role, roles } = command;
  if (request.requester === answerer) {
    const others = needsOwner(request) ? [ownerName] : request.addressees;
    return makeProblem("own-request", "$.body.requestId", `${answerer} asked this and cannot answer it.`, {
      expected: "an answer by another",
      hint: others.every((agent) => agent === ownerName)
        ? ownersHint(request.requestId)
        : `Leave the answer to ${shortList(others)}.`,
    });
  }
  const judge = { agent: answerer, registrars: command.registrars ?? [] };
  const own = ownHand(judge, [request.requester]);
  if (own !== null) return ownMatter(judge, own, "$.body.requestId", `request "${request.requestId}"`);
  if (answerer === ownerName) return null;
  if (role === null || !roles.includes(role)) {
    return makeProblem(
      "sender-not-authorised",
      "$.author_role",
      `${role ?? "An unknown role"} may not answer an approval request.`,
      {
        expected: roles.join(" | "),
        received: role ?? "none",
      },
    );
  }
  if (needsOwner(request)) {
    return makeProblem(
      "human-required",
      "$.body.requestId",
      `Request "${request.requestId}" asks to override a gate; only the owner decides that.`,
      {
        expected: ownerName,
        received: answerer,
        hint: ownersHint(request.requestId),
      },
    );
  }
  return null;
}

function isSameAnswer(a: ApprovalAnswer, b: ApprovalAnswer): boolean {
  const said = (answer: ApprovalAnswer) =>
    JSON.stringify([answer.approved, answer.reason, answer.conditions, answer.modifications]);
  return said(a) === said(b);
}

function refusedAnswer(code: Problem["code"], message: string, hint: string): Outcome {
  return err([makeProblem(code, "$.body.requestId", message, { hint })]);
}
