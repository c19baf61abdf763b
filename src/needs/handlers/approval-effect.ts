/**
 * What follows if a request is approved or denied, before anybody decides: the paths that it names against the contract and
 * the claims, what the decider says to either answer, who waits, and how similar requests were answered.
 * Source: docs/protocol/asking.md, section 4.
 */
import { mayAnswer, pathsAllowed, pathsSuggested } from "../../approvals/decide/approvals.ts";
import type { ApprovalEffect, AskedPath, ForeseenAnswer } from "../../approvals/operations.ts";
import { type ApprovalState, dueAt } from "../../approvals/state.ts";
import { aheadMsOf, steadyNow, timestampOf } from "../../base/clock.ts";
import { canonicalFile } from "../../base/paths/paths.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortList } from "../../base/text.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Actor, Context } from "../../perform/context.ts";
import { allApprovals, approvalOf } from "../../perform/coordination-state.ts";
import { decideOwnerAnswer } from "../../perform/deciders.ts";
import type { ShowEffect } from "../../perform/operations/generated/calls.ts";
import { entryAt } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { readersOfAnswer } from "../../perform/system-message.ts";
import { contractOf } from "../../tasks/decide/contracts.ts";
import { editsMeeting } from "../../tasks/decide/edit-claims.ts";
import { tasksMeeting } from "../../tasks/state/claim-index.ts";
import { rulingsOn } from "../../tasks/state/contract-files.ts";
import { findTask, type Task } from "../../tasks/state/task-state.ts";
import { dependentsOf } from "../../tasks/view/dependencies.ts";
import { looking } from "../../tasks/view/task-list.ts";
import { leaseEndOf, type Viewer } from "../../tasks/view/task-view.ts";
import { registrarsIn } from "../../team/state/roster.ts";
import { changesOfRequest, lastOf } from "../view/changed-meanwhile.ts";

/** Most paths that are looked at, and most tasks and requests that are named. */
const pathsMax = 50;
const blocksMax = 20;
const similarMax = 5;
const pathStepsMax = 50_000;

/** The effect of answering the request. Refuses `unknown-request`. */
export async function approvalEffect(
  context: Context,
  actor: Actor,
  { request: requestId, modifications }: ShowEffect,
): Promise<Result<ApprovalEffect, Problem>> {
  const looked = await looking(context, actor, (state, viewer, seq) => {
    const request = approvalOf(state.coordination, requestId);
    return request === null ? null : effectOf(context, state, { request, viewer, seq, modifications });
  });
  if (!looked.ok) return looked;
  if (looked.value === null) {
    return err(
      makeProblem("unknown-request", requestId, `There is no approval request with the id "${requestId}".`, {
        received: requestId.slice(0, 128).toWellFormed(),
        hint: "`baton needs --requests` shows them.",
      }),
    );
  }
  const paths: AskedPath[] = [];
  for (const { lastChange, ...path } of looked.value.paths) {
    const entry = lastChange === null ? ok(null) : await entryAt(context, lastChange.seq);
    if (!entry.ok) return entry;
    const at = entry.value?.recordedAt ?? null;
    paths.push({ ...path, lastChange: lastChange === null ? null : { ...lastChange, at } });
  }
  return ok({ ...looked.value, paths });
}

interface Asked {
  readonly request: ApprovalState;
  readonly viewer: Viewer;
  readonly seq: number;
  readonly modifications: readonly string[] | undefined;
}

function effectOf(context: Context, state: TeamState, { request, viewer, seq, modifications }: Asked) {
  const { coordination } = state;
  const { work, contracts } = coordination;
  const task = request.task === null ? null : findTask(work, request.task, request.plan);
  const contract = request.plan === null ? null : contractOf(contracts, request.plan);
  const aheadMs = aheadMsOf(context.clock);
  const leaseEnd = task === null ? null : leaseEndOf(work, task, viewer);
  const due = dueAt(request);
  const waiting = task === null ? [] : dependentsOf(work, task.key);
  const asked = rowsOf(state, pathsAsked(coordination, request), request, viewer);
  const given = modifications?.filter((each) => each.trim() !== "").slice(0, pathsMax);
  return {
    request: request.requestId,
    seq,
    ifSeq: lastOf(changesOfRequest(coordination, request)),
    status: request.status,
    contract:
      contract === null
        ? null
        : {
            plan: contract.terms.planId,
            revision: contract.revision,
            allowed: contract.terms.allowedPaths,
            forbidden: contract.terms.forbiddenPaths,
          },
    paths: asked,
    approve: foreseen(context, state, request, {
      isApproved: true,
      asked: given === undefined ? asked : rowsOf(state, given, request, viewer),
    }),
    deny: foreseen(context, state, request, { isApproved: false, asked }),
    mayAnswer: answerers(state, request),
    blocks: waiting.slice(0, blocksMax).map((key) => work.tasks.get(key)?.task ?? key),
    blocksTotal: waiting.length,
    leaseUntil: leaseEnd === null ? null : timestampOf(leaseEnd),
    dueAt: due === null ? null : timestampOf(due + aheadMs),
    similar: similarTo(state, request),
  };
}

/** The paths that a yes allows, else those that the request's own words name. */
function pathsAsked(coordination: TeamState["coordination"], request: ApprovalState): readonly string[] {
  const isWidening = request.requestType === "scope_change" && request.status === "open";
  const allowed = isWidening ? pathsAllowed(coordination, request) : [];
  const named = allowed.length > 0 ? allowed : pathsSuggested(request).map(canonicalFile);
  return [...new Set(named)].slice(0, pathsMax);
}

function rowsOf({ coordination }: TeamState, paths: readonly string[], request: ApprovalState, viewer: Viewer) {
  const { contracts, work } = coordination;
  const terms = request.plan === null ? undefined : contractOf(contracts, request.plan)?.terms;
  const rulings = rulingsOn(terms, paths);
  return paths.map((path) => {
    const holder = holderOf(coordination, path, request.requester);
    const changed = lastChangeOf([...work.tasks.values()], path);
    return {
      path,
      contract: rulings.get(path) ?? ("none" as const),
      holder:
        holder === null
          ? null
          : { agent: holder.agent, task: holder.task?.task ?? null, until: untilOf(coordination, holder.task, viewer) },
      lastChange: changed,
    };
  });
}

function untilOf({ work }: TeamState["coordination"], task: Task | null, viewer: Viewer): string | null {
  const end = task === null ? null : leaseEndOf(work, task, viewer);
  return end === null ? null : timestampOf(end);
}

/** Who else holds the path: by a claim, else by an edit. */
function holderOf({ work }: TeamState["coordination"], path: string, except: string) {
  const comparing = {
    budget: { left: pathStepsMax },
    filesOf: (key: string) => work.tasks.get(key)?.claim?.files,
  };
  const [key] = tasksMeeting(work.covered, [path], { except, most: 1, comparing });
  const task = key === undefined ? undefined : work.tasks.get(key);
  if (task !== undefined && task.claim !== null) return { agent: task.claim.holder, task };
  const [edit] = editsMeeting(work, [path], except, 1);
  if (edit === undefined) return null;
  return { agent: edit.holder, task: edit.task === null ? null : (work.tasks.get(edit.task) ?? null) };
}

/** The last work that the repository shows to have changed the path. */
function lastChangeOf(tasks: readonly Task[], path: string) {
  let last: { readonly agent: string; readonly task: string; readonly seq: number } | null = null;
  for (const { task, report, verdict } of tasks) {
    if (verdict === null || report === null || verdict.seq <= (last?.seq ?? 0)) continue;
    if (verdict.files?.includes(path) === true) last = { agent: report.reporter, task, seq: verdict.seq };
  }
  return last;
}

/** What the decider says to the owner's answer, and what follows, in sentences. */
function foreseen(
  context: Context,
  state: TeamState,
  request: ApprovalState,
  { isApproved, asked }: { readonly isApproved: boolean; readonly asked: ReturnType<typeof rowsOf> },
): ForeseenAnswer {
  const { coordination } = state;
  const decided = decideOwnerAnswer(coordination, {
    requestId: request.requestId,
    approved: isApproved,
    reason: "",
    seq: Number.MAX_SAFE_INTEGER,
    // What the page shows is what it sends, also where the request names its paths in prose only.
    ...(isApproved && request.requestType === "scope_change" ? { modifications: asked.map(({ path }) => path) } : {}),
    atMs: steadyNow(context.clock),
  });
  if (!decided.ok) return { isAccepted: false, problems: decided.error, says: [] };
  const { requester } = request;
  const readers = [requester, ...readersOfAnswer(state, decided.value.events, ownerName)];
  const held = isApproved ? asked.filter(({ holder }) => holder !== null) : [];
  const notes = decided.value.notes.filter(({ code }) => held.length === 0 || code !== "claim-overlap");
  return {
    isAccepted: true,
    problems: [],
    says: [
      `${shortList(readers)} ${readers.length === 1 ? "gets" : "get"} the answer.`,
      ...(isApproved ? notes.map(({ message }) => message) : []),
      ...held.map(({ path, holder }) => {
        const task = holder?.task === null || holder === null ? "" : ` for ${holder.task}`;
        return `${requester} still cannot claim ${path} while ${holder?.agent ?? ""} holds it${task}.`;
      }),
      ...(request.requestType === "gate_override" && isApproved && decided.value.events.length === 1
        ? ["The gate itself is lifted by its own operation."]
        : []),
    ],
  };
}

/** Who may answer: the person, and of the agents that were asked those that are there. */
function answerers({ team: { roster } }: TeamState, request: ApprovalState): readonly string[] {
  const there = request.addressees.filter((agent) => roster.get(agent)?.status === "active");
  return [ownerName, ...there.filter((agent) => mayAnswer({ agent, ...registrarsIn(roster, agent) }, request))];
}

/** Requests of the same type about the same plan or in the same words that are over, the latest first. */
function similarTo({ coordination }: TeamState, request: ApprovalState): ApprovalEffect["similar"] {
  const isSimilar = (each: ApprovalState) =>
    each !== request &&
    each.requestType === request.requestType &&
    (each.subject === request.subject || (each.plan !== null && each.plan === request.plan));
  return allApprovals(coordination)
    .filter(({ status }) => status !== "open")
    .filter(isSimilar)
    .slice(-similarMax)
    .toReversed()
    .map(({ requestId, requester, subject, status, answer, seq }) => ({
      request: requestId,
      requester,
      subject,
      status,
      decidedBy: answer?.decidedBy ?? null,
      reason: answer?.reason ?? null,
      seq,
    }));
}
