/**
 * Operations on tasks, for agents and people without messages for them: adding one, claiming it, reporting it, giving
 * it back. The commits of a report are named by ids alone, because what else names a commit may name another one later.
 * Source: docs/protocol/tasks.md.
 */
import { argument } from "../../base/argument.ts";
import { timestampOf } from "../../base/clock.ts";
import { invariant } from "../../base/invariant.ts";
import { isJsonObject } from "../../base/json.ts";
import { reportCommitsMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { endedEdits } from "../../evidence/services/edits.ts";
import { begunByClaim, lackingWork } from "../../evidence/services/lacking.ts";
import { type Begins, beginOnLanded } from "../../evidence/services/tree-moving.ts";
import { line, withdrawalNotice } from "../../evidence/services/verdict-notification.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName, type Principal } from "../../messages/principal.ts";
import { planKeyOfTask, workIdProblem } from "../../messages/task-ids.ts";
import type { Denial } from "../../perform/content.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import {
  type CoordinationEvent,
  decideClaim,
  decideCompletion,
  decideList,
  decideTask,
} from "../../perform/deciders.ts";
import type {
  AddPlan,
  AddTask,
  ClaimTask,
  CompleteTask,
  Grant,
  Named,
  ReleaseTask,
  RenewClaim,
} from "../../perform/operations/generated/calls.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { type Operation, type Outcome, perform, type Refusal } from "../../perform/perform.ts";
import { prose, quoted, textProblem } from "../../perform/prose.ts";
import type { Answering } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { foreignPlanNotes, isTurnOf } from "../../phases/decide/departments.ts";
import { landsFirstIn } from "../../team/state/definition.ts";
import { membersOf, unknownAgent } from "../../team/state/roster.ts";
import * as claims from "../decide/claims.ts";
import { contractOf } from "../decide/contracts.ts";
import { readPlanList } from "../decide/plan-list.ts";
import { nextTask, nextWord, nothingFree, straysOf } from "../decide/task-rules.ts";
import type { ContractTerms } from "../state/contract-terms.ts";
import { isReturned } from "../state/report-status.ts";
import { findTask, noText, type Task, type Work } from "../state/task-state.ts";
import { isBlocked } from "../view/dependencies.ts";
import { foreignDepartmentProblem, leadsTasks, takeoverNotice } from "./reassignment.ts";

export interface PlanAdded {
  readonly tasks: readonly { readonly task: string; readonly title: string }[];
}

export interface NamedTask {
  /** Its id. */
  readonly task: string;
}

/** Adds a task, or describes one again. The owner, leads and architects may. */
export const addTask: Operation<AddTask, TeamContext, NamedTask> = {
  name: "add-task",
  // What is said at length is in the events.
  recorded: ({ task, plan, title, files, dependsOn }) => ({ task, plan, title, files, dependsOn }),
  compared: (input) => ({ "add-task": input }),
  gives: ({ command }) => ({ task: typeof command?.task === "string" ? command.task : "" }),
  decide(state, input, { by, seq }) {
    const { work } = state.coordination;
    const { task: taskId = null, plan: planId = null, ...described } = titled(work, input);
    const denied = mayPlan(by);
    if (denied !== null) return err([denied]);
    const known = taskId === null ? null : findTask(work, taskId, planId ?? planKeyOfTask(taskId));
    const problems = known === null ? idProblems(input) : [];
    const stranger = strangerAgent(state, described.agent);
    if (problems.length + stranger.length > 0) return err([...problems, ...stranger]);
    const decided = decideTask(state.coordination, { taskId, planId, ...described, seq });
    if (!decided.ok) return decided;
    const { events, notes } = decided.value;
    const odd = taskId === null ? null : blankNote(taskId);
    const added = events.find((event) => event.event === "task-added");
    return ok({
      events,
      notes: odd === null ? notes : [...notes, odd],
      told: { task: added?.task ?? known?.task ?? taskId },
      ...retoldNotice(known, by.agent, events),
    });
  },
};

/** Adds the tasks of a list, all or none. Who may add one may. */
export const addPlan: Operation<AddPlan, TeamContext, PlanAdded> = {
  name: "add-plan",
  recorded: ({ plan }) => ({ plan }),
  compared: (input) => ({ "add-plan": input }),
  gives: ({ events = [] }) => ({
    tasks: events.flatMap((event) =>
      event.event === "task-added" ? [{ task: event.task, title: event.title ?? "" }] : [],
    ),
  }),
  decide(state, { text, plan: planId = null }, { by, seq }) {
    const denied = mayPlan(by) ?? textProblem(state, text);
    if (denied !== null) return err([denied]);
    const { tasks, notes, problems } = readPlanList(text);
    const wrong = [
      ...problems,
      ...(planId === null ? [] : [workIdProblem(planId, argument("plan")) ?? []].flat()),
      ...tasks.flatMap(({ agent, line: at, dependsOn }) => [
        ...strangerAgent(state, agent ?? undefined).map((each) => ({ ...each, path: `line ${at}` })),
        ...dependsOn.flatMap((each) => workIdProblem(each, `line ${at}`) ?? []),
      ]),
    ];
    if (wrong.length > 0) return err(wrong);
    const decided = decideList(state.coordination, tasks, planId, seq);
    if (!decided.ok) return decided;
    return ok({ ...decided.value, notes: [...notes, ...decided.value.notes] });
  },
};

/** What has blanks and is no task's id is the title of a new task. */
function titled(work: Work, input: AddTask): AddTask {
  const { task, title, ...more } = input;
  const isTitle =
    task !== undefined && title === undefined && /\s/.test(task) && findTask(work, task, input.plan ?? null) === null;
  return isTitle && planKeyOfTask(task.replaceAll(" ", "")) === null ? { ...more, title: task } : input;
}

/** The holder reads what its task is now; whoever changed it knows. */
function retoldNotice(
  known: Task | null,
  by: string,
  events: readonly CoordinationEvent[],
): Pick<Outcome, "delivered"> {
  const holder = known?.claim?.holder;
  if (known === null || holder === undefined || holder === by) return {};
  const text = events.find((event) => event.event === "task-described")?.text;
  const changed = events.find((event) => event.event === "task-changed");
  const isRetitled = changed !== undefined && changed.title !== known.title;
  if (text === undefined && !isRetitled) return {};
  const { description, criteria, checks } = text ?? noText;
  const message = prose([
    `${by} described ${visible(known.task)}, which you hold, anew.`,
    ...(isRetitled ? [line("Title", changed.title ?? "")] : []),
    ...(description === "" ? [] : [quoted("Description", description)]),
    ...criteria.map((each, at) => line(`Done when ${at + 1}`, each)),
    ...checks.map((each) => line("Check", each)),
    `What to do, ${holder}: go on by these words.`,
  ]);
  return { delivered: { message, receivers: [holder] } };
}

/** Why a task cannot be meant for this agent. */
function strangerAgent({ team: { roster } }: TeamState, agent: string | undefined): readonly Problem[] {
  if (agent === undefined || agent === "" || roster.has(agent)) return [];
  return [unknownAgent(agent, roster.keys(), { path: argument("agent") })];
}

/** The reply to a claim: the grant that its entry has, or what denies it. */
const granting: Answering<Grant> = {
  denies: true,
  gives({ command: { granted } = { name: "" } }) {
    invariant(isJsonObject(granted ?? null), "the entry of a granted claim says what was granted");
    // The claim itself wrote it.
    return { granted: true, ...(granted as unknown as Granted) };
  },
};

/** A grant as its entry has it. */
type Granted = Omit<Grant, "granted">;

/** Claims a task for the agent, whose tree is moved first, and says what that lacks: the lock comes after the repository. */
export async function claim(
  context: TeamContext,
  actor: Actor,
  asked: ClaimTask,
  { id }: Named = {},
): Promise<Reply<Grant>> {
  const meant = asked.task === nextWord ? await nextMeant(context, actor.agent, asked) : asked;
  const { head, ...tree } = await beginOnLanded(context, actor.agent, meant);
  const from = head === undefined ? meant : { ...meant, head };
  const lacking = await lackingWork(context, (work) => begunByClaim(from, work));
  const reply = await perform({ context, actor }, claiming, { ...asked, tree, lacking }, id);
  return reply.outcome === "accepted" ? { ...reply, ...(await orderOf(context, actor.agent, reply)) } : reply;
}

/** The claim with the task that is most likely the next one: which it is, is decided under the lock. */
async function nextMeant(context: TeamContext, agent: string, asked: ClaimTask): Promise<ClaimTask> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return asked;
  const { state } = folded.value;
  const { plan = null } = asked;
  const landsFirst = landsFirstIn(state.team.definition);
  const known = findTask(state.coordination.work, nextWord, plan);
  const task = known ?? nextTask(state.coordination, agent, plan, landsFirst, isOffered(state, agent));
  return task === null ? asked : { ...asked, task: task.task, ...(task.plan === null ? {} : { plan: task.plan }) };
}

/** Whether a task is offered to the agent: not another department's, and a lead leaves to developers what is not its own. */
function isOffered({ coordination, team: { roster } }: TeamState, agent: string): (task: Task) => boolean {
  const member = roster.get(agent);
  const isTurn = isTurnOf(coordination, member?.department);
  const isLeading = member?.role === "lead" && membersOf(roster, "dev").length > 0;
  return (task) => isTurn(task) && (!isLeading || task.text?.agent === agent);
}

/** What the holder is to do, as it is said now. Nothing where it holds the task no more. */
async function orderOf(context: TeamContext, agent: string, { token }: Grant): Promise<Pick<Grant, "order">> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return {};
  const { work, contracts } = folded.value.state.coordination;
  const held = [...(work.held.get(agent)?.keys() ?? [])].flatMap((key) => work.tasks.get(key) ?? []);
  const task = held.find(({ claim }) => claim?.token === token);
  if (task === undefined) return {};
  const { description: own, criteria, checks, labels } = task.text ?? noText;
  const terms = task.plan === null ? undefined : contractOf(contracts, task.plan)?.terms;
  const description = [...(own === "" ? [] : [own]), ...(terms === undefined ? [] : termLines(terms))].join("\n");
  const order = {
    number: task.number,
    ...(task.title === null ? {} : { title: task.title }),
    ...(description === "" ? {} : { description }),
    ...(criteria.length === 0 ? {} : { criteria }),
    ...(checks.length === 0 ? {} : { checks }),
    ...(labels.length === 0 ? {} : { labels }),
    ...(task.dependsOn.length === 0 ? {} : { dependsOn: task.dependsOn }),
  };
  return { order };
}

/** What its plan's contract says to the holder of a task. */
function termLines({ planId, objective, mustHaves, allowedPaths, forbiddenPaths }: ContractTerms): readonly string[] {
  const listed = (what: string, each: readonly string[]) => (each.length === 0 ? [] : [`${what}: ${each.join(", ")}`]);
  return [
    `Plan ${planId}: ${objective}`,
    ...listed("must have", mustHaves),
    ...listed("allowed", allowedPaths),
    ...listed("forbidden", forbiddenPaths),
  ];
}

/** What was found of the tree in which the work begins: what became of it, and what it lacks. */
interface BegunTree {
  readonly tree?: Omit<Begins, "head">;
  readonly lacking?: readonly claims.LackingWork[];
}

/** A denial is recorded with who and what is in the way. */
export const claiming: Operation<ClaimTask & BegunTree, TeamContext, Grant> = {
  ...granting,
  name: "claim-task",
  recorded: ({ task, plan, files }) => ({ task, plan, files }),
  terms: ({ files = null }, { context, actor }) => ({
    clearable: endedEdits(context, { by: actor.agent, globs: files }),
  }),
  decide(state, { task: asked, plan: within = null, files = null, tree, lacking = [] }, at, { context }) {
    const outsider = outsiderOf(state, at.by.agent);
    if (outsider !== null) return err([outsider]);
    const { work } = state.coordination;
    const { session, breaker, seq, atMs, rules, by } = at;
    const { agent: holder } = by;
    const isNext = asked === nextWord && findTask(work, asked, within) === null;
    const offered = isOffered(state, holder);
    const next = isNext ? nextTask(state.coordination, holder, within, rules.landsFirst, offered) : null;
    if (isNext && next === null)
      return err({ problems: [nothingFree(state.coordination, by, rules)], unrecorded: true });
    const { task: taskId, plan: planId } = next ?? { task: asked, plan: within };
    // Where claims are made by edits, who names no file on purpose begins the task's plan, whose files are a forecast.
    const ofPlan = files?.length === 0 && rules.claimsByEdits ? { ofPlan: true as const } : {};
    const claim = { taskId, planId, files, holder, ...ofPlan };
    const { leaseMs, landsFirst } = rules;
    // What keeps the tree where it is keeps it from what is lacking, too.
    const { notes: moved = [], stays, isInWay } = tree ?? {};
    const begun = lacking.map(({ key, note }) => ({ key, note: (stays && moved[0]) ?? note }));
    const asking = { ...claim, session, breaker, seq, atMs, leaseMs, landsFirst, lacking: begun };
    const decided = decideClaim(state.coordination, asking);
    const known = findTask(work, taskId, planId);
    if (!decided.ok) {
      const [{ code } = { code: "" }] = decided.error;
      const isTree = stays && known && code === "task-blocked" && !isBlocked(work, known, landsFirst);
      return denied(decided.error, () => {
        if (code === "outside-contract") return { holder: null, paths: straysOf(state.coordination, claim) };
        if (isTree) return { holder: null, paths: [], tree: { ...stays, key: known.key } };
        return claims.obstacleTo(claim, work);
      });
    }
    const inWay = isInWay === true && stays !== undefined ? { stays } : {};
    const events = decided.value.events.map((event) =>
      event.event === "task-claimed" ? { ...event, ...inWay } : event,
    );
    const grant = events.find((event) => event.event === "task-claimed");
    const grown = events.flatMap((event) => (event.event === "claim-grown" ? event.files : []));
    const granted: Granted = {
      task: known?.task ?? taskId,
      token: grant?.token ?? known?.claim?.token ?? seq,
      expiresAt: timestampOf(context.clock.now() + rules.leaseMs),
      files: grant?.files ?? [...(known?.claim?.files ?? []), ...grown],
    };
    const lost = events.find((event) => event.event === "claim-released");
    const notice = lost === undefined ? {} : takeoverNotice(granted.task, lost.holder, holder);
    const foreign = known === null ? [] : foreignPlanNotes(state.coordination, known, by);
    const lacked = lacking.map(({ note }) => note);
    const notes = [...decided.value.notes, ...foreign, ...cameBack(known), ...moved, ...lacked];
    return ok({ events, notes, told: { task: granted.task, granted: { ...granted } }, ...notice });
  },
};

/** What its holder must mend: why the task's work did not count, or did not land. */
function cameBack(task: Task | null): readonly Note[] {
  if (task === null) return [];
  const { notLanded, verdict } = task;
  const said = (what: string) => [{ code: "came-back", path: task.task, message: what }];
  if (isReturned(task)) return said(`Its verified work did not land: ${notLanded?.why}`);
  if (verdict?.state !== "disputed") return [];
  return said(`Its last report does not hold: ${verdict.problems[0]?.message}`);
}

/** Shows that the acting agent still works on a task; what it holds lives on. */
export const renewClaim: Operation<RenewClaim, TeamContext, Grant> = {
  ...granting,
  name: "renew-task",
  decide(state, { task, token = null }, { by, rules }, { context }) {
    const decided = claims.renewTask({ taskId: task, planId: null, token, by: by.agent }, state.coordination.work);
    if (!decided.ok) return denied(decided.error, () => ({ holder: null, paths: [] }));
    const held = findTask(state.coordination.work, task, null);
    if (held === null || held.claim === null) return decided;
    const expiresAt = timestampOf(context.clock.now() + rules.leaseMs);
    const granted: Granted = { task: held.task, token: held.claim.token, expiresAt, files: held.claim.files };
    return ok({ ...decided.value, told: { granted: { ...granted } } });
  },
};

/** Reports the state of a task; `complete`, the default, ends the claim. */
export const completeTask: Operation<CompleteTask, TeamContext> = {
  name: "complete-task",
  decide(state, work, { by, seq, rules }) {
    const { task: taskId, plan: planId = null, status = "complete", token = null, evidence = null } = work;
    const { files = null, deviations = [], finishedBefore = false } = work;
    const outsider = outsiderOf(state, by.agent);
    if (outsider !== null) return err([outsider]);
    const commits = [...new Set([work.commit ?? []].flat())].filter((commit) => commit !== "");
    const isNeeded = status === "complete" && findTask(state.coordination.work, taskId, planId)?.withoutFiles !== true;
    const wrong =
      commitProblem(commits, isNeeded) ??
      (finishedBefore ? mayPlan(by, "report work as finished before its task was recorded") : null);
    if (wrong !== null) return err([wrong]);
    const decided = decideCompletion(state.coordination, {
      taskId,
      planId,
      by: by.agent,
      token,
      status,
      commit: commits.at(-1) ?? "",
      ...(commits.length < 2 ? {} : { commits }),
      ...(finishedBefore ? { finishedBefore } : {}),
      files,
      deviations,
      evidence,
      completes: true,
      awaitsVerdict: rules.awaitsVerdict,
      isAdvisory: rules.isAdvisory,
      way: "command",
      seq,
    });
    if (!decided.ok) return decided;
    const known = findTask(state.coordination.work, taskId, planId);
    const foreign = known === null ? [] : foreignPlanNotes(state.coordination, known, by);
    const notes = [...decided.value.notes, ...foreign];
    return ok({ ...decided.value, notes, ...withdrawalNotice(state, decided.value.events) });
  },
};

/** Gives a task back; the owner and a lead of the holder may take it from its holder. */
export const releaseTask: Operation<ReleaseTask, TeamContext> = {
  name: "release-task",
  decide(state, { task, token = null }, { by: principal }) {
    const { agent: by } = principal;
    const mayTake = leadsTasks(principal) && token === null;
    const holder = findTask(state.coordination.work, task, null)?.claim?.holder ?? by;
    const foreign = mayTake && holder !== by ? foreignDepartmentProblem(state, principal, [holder]) : null;
    if (foreign !== null) return err([foreign]);
    return claims.releaseTask({ taskId: task, planId: null, token, by, mayTake }, state.coordination.work);
  },
};

/** A refusal; a denied claim also says who is in the way. */
function denied(problems: readonly Problem[], inTheWay: () => Denial): Result<Outcome, Refusal> {
  const [first] = problems;
  const isDenial = first !== undefined && claims.denialReasonOf(first.code) !== null;
  return err(isDenial ? { problems, denial: inTheWay() } : problems);
}

/** An id may have blanks, but one that would name a task of a plan without them names none: most likely a typo. */
function blankNote(id: string): Note | null {
  const without = id.replaceAll(" ", "");
  if (without === id || planKeyOfTask(without) === null || planKeyOfTask(id) !== null) return null;
  const message = `"${id}" names no plan, because of its blank: without it, ${without} is a task of plan ${planKeyOfTask(without)}.`;
  return { code: "id-without-plan", path: "$.body.taskId", message };
}

/** Why a new task cannot be called so; a task is never put on the list under an id that none can have. */
function idProblems({ task, plan, dependsOn = [] }: AddTask): readonly Problem[] {
  return [
    task === undefined ? [] : (workIdProblem(task, argument("task")) ?? []),
    plan === undefined ? [] : (workIdProblem(plan, argument("plan")) ?? []),
    ...dependsOn.map((each) => workIdProblem(each, argument("dependsOn")) ?? []),
  ].flat();
}

/** Why somebody holds no task: only agents of the team do. Null: it is one. */
function outsiderOf(state: TeamState, agent: string): Problem | null {
  if (state.team.roster.has(agent)) return null;
  if (agent !== ownerName) return unknownAgent(agent, state.team.roster.keys());
  return makeProblem("sender-not-authorised", agent, "The owner holds no tasks; agents of the team do.", {
    expected: "an agent of the team",
    received: agent,
    hint: `Name the agent by \`${argument("actor")}\`.`,
  });
}

function mayPlan({ agent, role }: Principal, what = "add tasks"): Problem | null {
  if (agent === ownerName || role === "lead" || role === "architect") return null;
  return makeProblem("sender-not-authorised", agent, `${agent} may not ${what}.`, {
    expected: "the owner, a lead or an architect",
    received: role ?? "an unknown agent",
    hint: "Ask the lead. The owner runs the command without --as.",
  });
}

/**
 * What a completion names is looked for in the repository, so it must look like a commit: `wrong-format` for another
 * word, and for none where one is needed; `too-large` for too many. Null: these are ids.
 */
export function commitProblem(commits: readonly string[], isNeeded: boolean): Problem | null {
  const wrong = commits.find((commit) => !/^[0-9a-fA-F]{7,64}$/.test(commit));
  if (wrong === undefined && (commits.length > 0 || !isNeeded) && commits.length <= reportCommitsMax) return null;
  if (commits.length > reportCommitsMax) return tooManyCommits(commits.length);
  const [message, hint] = problemOf(wrong);
  return makeProblem("wrong-format", argument("commit"), message, {
    expected: "7 to 64 hex digits",
    received: wrong?.slice(0, 100).toWellFormed() ?? "nothing",
    hint,
  });
}

/** What is wrong with the word, and what to do; absent: none was given. */
function problemOf(word: string | undefined): readonly [message: string, hint: string] {
  // HEAD or a branch may name another commit tomorrow, and what was reported is a certain one.
  if (word !== undefined && /[^0-9a-fA-F]/.test(word))
    return [
      "This is not a commit's id, and a name that moves, such as HEAD or a branch, is not taken.",
      `Pass the id that "git rev-parse HEAD" prints as \`${argument("commit")}\`.`,
    ];
  return [
    word === undefined ? "Work that is complete names its commit." : "This names no commit.",
    "Commit the work first, then name the commit: git rev-parse HEAD",
  ];
}

function tooManyCommits(count: number): Problem {
  return makeProblem(
    "too-large",
    argument("commit"),
    `These are ${count} commits; one report names at most ${reportCommitsMax}.`,
    {
      expected: `at most ${reportCommitsMax}`,
      received: String(count),
      hint: "Squash them, or split the task.",
    },
  );
}
