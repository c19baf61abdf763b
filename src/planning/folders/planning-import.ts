/**
 * What a folder says that the journal does not have yet, brought into the journal: plans as contracts with their tasks,
 * what the folder says is done as reports, open escalations, and everything that happened as history. All of it comes
 * in by messages and operations that any team has. Contracts and reports carry the name of an agent that exists for the
 * import only, because nobody knows who did the work; it is retired at the end. A repeat adds what is new. Source:
 * docs/protocol/record.md, section 27.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { addressOf } from "../../messages/authority/receivers.ts";
import type { DialectId } from "../../messages/message.ts";
import { unknownAuthor } from "../../messages/principal.ts";
import type { Origin } from "../../perform/content.ts";
import { problemsOf, type Reply } from "../../perform/operations/reply.ts";
import { isPhaseFile } from "../../perform/restoring.ts";
import type { LocalTeam } from "../../perform/team.ts";
import type { Finding, Found, FoundPlan, FoundRow, FoundTask } from "../reading/found.ts";

/** What an import did. */
export interface Imported {
  /** Plans whose contract, or whose tasks, are new. */
  readonly plans: number;
  readonly tasks: number;
  /** Tasks that were reported as done by the folder's account. */
  readonly reports: number;
  readonly escalations: number;
  readonly history: number;
  /** What was in the journal already. */
  readonly known: number;
  /** What Baton refused or left out, with the file that it came from. */
  readonly refused: readonly Finding[];
  /** Files that say what waits for somebody: they are looked at again. */
  readonly waiting: readonly string[];
}

/** How an import acts: as the owner, and in the name of the unknown author. */
export interface Importers {
  readonly owner: LocalTeam;
  openAuthor(): Promise<Result<LocalTeam, readonly Problem[]>>;
}

interface Counts {
  plans: number;
  tasks: number;
  reports: number;
  escalations: number;
  history: number;
  known: number;
  readonly refused: Finding[];
  readonly waiting: string[];
}

/** So many records are given to the journal at a time: it writes those that wait together. */
const groupSize = 100;

/** Imports what is not there yet. Problems: those of the journal. */
export async function importFound(
  importers: Importers,
  found: Found,
  options: WorkOptions & { readonly signal: AbortSignal; progress?(part: string): void },
): Promise<Result<Imported, readonly Problem[]>> {
  const { owner } = importers;
  const counts: Counts = {
    plans: 0,
    tasks: 0,
    reports: 0,
    escalations: 0,
    history: 0,
    known: 0,
    refused: [],
    waiting: [],
  };
  const work = await newWork(owner, found, options);
  if (!work.ok) return work;
  counts.known += work.value.known;
  counts.refused.push(...work.value.left);
  counts.waiting.push(...work.value.waiting);
  const { contracts, reports, escalations, tasks } = work.value;
  const isNew = contracts.length + reports.length + escalations.length + tasks.length > 0;
  const mail = isNew ? await owner.inbox({ limit: 1 }) : null;
  if (isNew) {
    options.progress?.("plans and reports");
    const problems = await importWork(importers, found, work.value, counts, options.signal);
    if (problems !== null) return err(problems);
  }
  const isMailOurs = mail?.ok === true && mail.value.deliveries.length === 0;
  const ended = await endAuthor(owner, isMailOurs);
  if (ended !== null) return err([ended]);
  options.progress?.("history");
  const failure = await importRows(owner, found.rows, counts, options.signal);
  return failure === null ? ok(counts) : err([failure]);
}

async function importWork(
  { owner, openAuthor }: Importers,
  found: Found,
  { contracts, tasks, reports, escalations }: NewWork,
  counts: Counts,
  signal: AbortSignal,
): Promise<readonly Problem[] | null> {
  const began = await beginAuthor(owner, found, openAuthor);
  if (!began.ok) return began.error;
  await using author = began.value;
  await inGroups(contracts, signal, async ({ id, text, plan }) => {
    const reply = await author.send(text, { id, draft: true, to: [addressOf("owner")] });
    if (!taken(counts, plan.file, reply)) return;
    counts.plans += 1;
    counts.tasks += plan.tasks.length;
  });
  await inGroups(tasks, signal, async ({ plan, task, isWithoutFiles }) => {
    const files = isWithoutFiles ? ("none" as const) : task.files.length > 0 ? task.files : undefined;
    const title = task.title === null ? {} : { title: task.title };
    const added = { task: task.id, plan: plan.id, ...title, ...(files === undefined ? {} : { files }) };
    if (taken(counts, plan.file, await owner.addTask(added))) counts.tasks += 1;
  });
  await inGroups(reports, signal, async ({ plan, task, commits, evidence, deviations, isFinishedBefore }) => {
    const before = isFinishedBefore ? { finishedBefore: true } : {};
    const commit = commits.length === 0 ? {} : { commit: commits, ...before };
    const report = { task: task.id, plan: plan.id, ...commit, evidence, deviations };
    if (taken(counts, plan.file, await author.complete(report))) counts.reports += 1;
  });
  await inGroups(escalations, signal, async ({ id, text, file }) => {
    if (taken(counts, file, await author.send(text, { id }))) counts.escalations += 1;
  });
  return null;
}

async function inGroups<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length && !signal.aborted; at += groupSize)
    await Promise.all(items.slice(at, at + groupSize).map((item) => act(item)));
}

/** Whether it was accepted; a refusal is kept with its file. */
function taken({ refused }: Counts, file: string, reply: Reply): boolean {
  if (reply.outcome === "accepted") return true;
  const [problem] = problemsOf(reply);
  refused.push({ file, line: null, why: `Baton refused it: ${problem?.message ?? "no reason"}` });
  return false;
}

/** The dialect in which plans are assigned, of those that a team of this origin has. */
const authorDialects: { readonly [origin in Found["settings"]["origin"]]: DialectId } = {
  "vbw-flags": "vbw/2",
  "vbw-flat": "vbw/2",
  "vbw-later": "vbw/2.1",
  "yolo-typed": "yolo/2",
  "yolo-company": "yolo/2",
  bmad: "bmad/1",
};

async function beginAuthor(
  owner: LocalTeam,
  { settings }: Found,
  openAuthor: Importers["openAuthor"],
): Promise<Result<LocalTeam, readonly Problem[]>> {
  const dialect = authorDialects[settings.origin];
  // The tool counts as the backend's what names no department.
  const place = settings.departments.length === 0 ? {} : { department: "backend" as const };
  const reply = await owner.register({ agent: unknownAuthor, role: "lead", dialect, ...place });
  return reply.outcome === "accepted" ? await openAuthor() : err(problemsOf(reply));
}

/** Retires it, if it is there; what it sent to the owner is acknowledged, unless other mail waits there. */
async function endAuthor(owner: LocalTeam, acknowledges: boolean): Promise<Problem | null> {
  const agents = await owner.agents();
  if (!agents.ok) return agents.error;
  if (!agents.value.some(({ agent, status }) => agent === unknownAuthor && status === "active")) return null;
  const reason = "Everything that the planning folder says is imported.";
  const reply = await owner.retire({ agent: unknownAuthor, reason });
  if (reply.outcome === "failed") return reply.problem;
  if (!acknowledges) return null;
  const status = await owner.status();
  if (!status.ok) return status.error;
  const acknowledged = await owner.acknowledge(status.value.head.seq);
  return acknowledged.outcome === "failed" ? acknowledged.problem : null;
}

async function importRows(
  owner: LocalTeam,
  rows: readonly FoundRow[],
  counts: Counts,
  signal: AbortSignal,
): Promise<Problem | null> {
  for (let at = 0; at < rows.length && !signal.aborted; at += groupSize) {
    const done = await Promise.all(rows.slice(at, at + groupSize).map((row) => owner.remember(pastOf(row))));
    for (const each of done) {
      if (!each.ok) return each.error;
      if (each.value === "known") counts.known += 1;
      else counts.history += 1;
    }
  }
  return null;
}

function pastOf({ file, line, text, at }: FoundRow): Parameters<LocalTeam["remember"]>[0] {
  const [, ...below] = file.split("/");
  const phaseFile = below.join("/");
  const time = at === null ? {} : { at: at.slice(0, 256) };
  const id = `${file}:${line}`.slice(-256);
  const origin: Origin =
    isPhaseFile(phaseFile) && file.startsWith("phases/")
      ? { source: "phase", file: phaseFile, id, ...time }
      : { source: "events", id, ...time };
  const message = { dialect: null, type: null, rung: "markdown", wireId: null, text, fact: null } as const;
  return { message, notes: [], origin };
}

interface Contract {
  readonly id: string;
  readonly text: string;
  readonly plan: FoundPlan;
}

interface Report {
  readonly plan: FoundPlan;
  readonly task: FoundTask;
  readonly commits: readonly string[];
  readonly evidence: string;
  readonly deviations: readonly string[];
}

/** What must be recorded. */
interface NewWork {
  readonly contracts: readonly Contract[];
  readonly tasks: readonly { readonly plan: FoundPlan; readonly task: FoundTask; readonly isWithoutFiles: boolean }[];
  readonly reports: readonly (Report & {
    /** Whether its commits may be older than the record of its task. */
    readonly isFinishedBefore: boolean;
  })[];
  readonly escalations: readonly { readonly id: string; readonly text: string; readonly file: string }[];
  readonly known: number;
  /** What was left out, and why. */
  readonly left: readonly Finding[];
  /** Files with reports on tasks that somebody holds: they are looked at again. */
  readonly waiting: readonly string[];
}

const together =
  "It came together with its plan, so its commits may be of other work; if they are not, baton adopt takes it in.";

/** How a folder's work is taken in. */
interface WorkOptions {
  readonly isStrict: boolean;
  /**
   * The files that another tool wrote since the last look, relative to the project, where a hub looks again and again: only
   * what they say is taken in, and a plan counts as finished only by commits. Absent: the owner asks for everything.
   */
  readonly changed?: ReadonlySet<string>;
}

/** What the journal does not have yet. A plan that somebody of the team has revised since is theirs. */
async function newWork(
  owner: LocalTeam,
  found: Found,
  { isStrict, changed }: WorkOptions,
): Promise<Result<NewWork, readonly Problem[]>> {
  const [tasks, contracts] = [await owner.tasks({}), await owner.contracts()];
  if (!tasks.ok) return err([tasks.error]);
  if (!contracts.ok) return err([contracts.error]);
  const byTask = new Map(tasks.value.map((task) => [task.task, task]));
  const byPlan = new Map(contracts.value.map((each) => [each.terms.planId, each]));
  const isBmad = found.settings.origin === "bmad";
  const fresh = {
    contracts: [] as Contract[],
    tasks: [] as NewWork["tasks"][number][],
    reports: [] as NewWork["reports"][number][],
    left: [] as Finding[],
    waiting: [] as string[],
  };
  let seen = 0;
  for (const plan of found.plans) {
    const isChanged = changed === undefined || changed.has(plan.file) || changed.has(plan.stateFrom ?? "");
    const isAsked = changed === undefined;
    const open = reportsOf(plan)
      .filter(({ task }) => (byTask.get(task.id)?.reporter ?? null) === null)
      // Any agent can write a plan and its summary: that work was done before it was recorded only the owner may say.
      .map((report) => ({ ...report, isFinishedBefore: isAsked }));
    const proven = changed?.has(plan.stateFrom ?? "") === true ? provenOf(plan, open, byTask, fresh) : [];
    const reports = isAsked ? open : proven;
    const withoutFiles = new Set(
      isAsked ? reportsOf(plan).flatMap(({ task, commits }) => (commits.length === 0 ? [task.id] : [])) : [],
    );
    if (isBmad) {
      const missing = plan.tasks.filter(({ id }) => !byTask.has(id));
      seen += plan.tasks.length - missing.length;
      fresh.tasks.push(...missing.map((task) => ({ plan, task, isWithoutFiles: withoutFiles.has(task.id) })));
      fresh.reports.push(...reports);
      continue;
    }
    const text = contractText(plan, withoutFiles, isStrict);
    const id = idOf("plan", plan.id, text);
    const earlier = byPlan.get(plan.id);
    const isOurs = earlier?.revisions.at(-1)?.issuedBy === unknownAuthor;
    const isReported = plan.tasks.every(({ id }) => (byTask.get(id)?.reporter ?? null) !== null);
    // What is done is not described again.
    const isKept = earlier !== undefined && (!isOurs || !isChanged || isReported);
    const isSame = isKept || (earlier !== undefined && (await owner.show(id, { sender: unknownAuthor })).ok);
    if (isSame) seen += 1;
    else fresh.contracts.push({ id, text, plan });
    fresh.reports.push(...reports);
  }
  const held = await owner.escalations({ all: true });
  if (!held.ok) return err([held.error]);
  // An escalation of the record is in the folder too once it is kept in step.
  const raised = new Set(held.value.flatMap((each) => [each.id, each.issue]));
  const escalations = [];
  for (const each of found.escalations) {
    const text = escalationText(each);
    const id = idOf("escalation", each.id, text);
    const isKnown = raised.has(each.id) || raised.has(each.issue);
    if (isKnown || (await owner.show(id, { sender: unknownAuthor })).ok) seen += 1;
    else escalations.push({ id, text, file: each.file });
  }
  return ok({ ...fresh, escalations, known: seen });
}

/**
 * What of a plan's reports comes in by itself: what git can confirm, for tasks that were in the record before, unless an
 * agent holds one of them. What does not is said in `fresh`.
 */
function provenOf<Each extends Report>(
  plan: FoundPlan,
  open: readonly Each[],
  byTask: ReadonlyMap<string, { readonly task: string; readonly holder: string | null }>,
  { left, waiting }: { readonly left: Finding[]; readonly waiting: string[] },
): readonly Each[] {
  const file = plan.stateFrom ?? plan.file;
  const named = open.filter(({ commits }) => commits.length > 0);
  const known = named.filter(({ task }) => byTask.has(task.id));
  if (known.length < named.length) left.push({ file, line: null, why: together });
  const held = known.flatMap(({ task }) => byTask.get(task.id) ?? []).find(isHeld);
  if (held === undefined) return known;
  const { task, holder } = held;
  const why = `${holder} holds ${task}: this comes in when ${holder} has reported it, or holds it no more.`;
  left.push({ file, line: null, why });
  waiting.push(file);
  return [];
}

/** Whether an agent of the team works on it: it is for that agent to say that the work is done. */
function isHeld({ holder }: { readonly holder: string | null }): boolean {
  return holder !== null && holder !== unknownAuthor;
}

/** The same content has the same id, so that a repeat is recognised. */
function idOf(what: string, name: string, text: string): string {
  return `adopted/${what}/${sha256(canonical([name, text])).slice(0, 24)}`;
}

/** What a contract says of a plan. In a team with advisory scope it declares none: files are a forecast of each task. */
function contractText(plan: FoundPlan, withoutFiles: ReadonlySet<string>, isStrict: boolean): string {
  const { contract, tasks } = plan;
  const forecast = [...new Set([...(contract?.allowed ?? []), ...tasks.flatMap(({ files }) => files)])];
  // Work that is done is never judged by what was forecast of it.
  const bound = plan.state === "done" || forecast.length === 0 ? ["**"] : forecast;
  const message: JsonObject = {
    type: "plan_contract",
    plan_id: plan.id,
    phase_id: plan.phase,
    objective: plan.title,
    tasks: tasks.map(({ id }) => id),
    allowed_paths: isStrict ? bound : [],
    must_haves: plan.mustHaves,
    forbidden_paths: contract?.forbidden ?? [],
    depends_on: plan.dependsOn,
    verification_checks: contract?.checks ?? [],
    ...(contract?.budget === null || contract === null ? {} : { token_budget: contract.budget }),
    ...(withoutFiles.size === 0 ? {} : { tasks_without_files: [...withoutFiles] }),
    task_details: Object.fromEntries(
      tasks.map((task) => {
        const files = isStrict && plan.state === "done" ? [] : task.files;
        return [task.id, detailsOf({ ...task, files }, withoutFiles.has(task.id))];
      }),
    ),
  };
  return JSON.stringify(message);
}

function detailsOf({ title, files, dependsOn }: FoundTask, isWithoutFiles: boolean): JsonObject {
  return {
    ...(title === null ? {} : { title }),
    ...(isWithoutFiles ? { files: "none" } : files.length === 0 ? {} : { files }),
    ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
  };
}

/**
 * The reports of a plan that is done, and of boxes that are ticked. As many commits as tasks: one each; otherwise the last
 * task has all of them, and the others need no files. Without commits the folder's word is all there is.
 */
function reportsOf(plan: FoundPlan): readonly Report[] {
  const { tasks, commits, state, stateFrom, deviations, file } = plan;
  if (state !== "done") {
    return tasks
      .filter(({ isTicked }) => isTicked === true)
      .map((task) => ({
        plan,
        task,
        commits: [],
        evidence: `${file} has this box ticked. No commit is named.`,
        deviations: [],
      }));
  }
  const isEach = commits.length === tasks.length;
  return tasks.map((task, index) => {
    const isLast = index === tasks.length - 1;
    const own = isEach ? commits.slice(index, index + 1) : isLast ? commits : [];
    const which =
      own.length > 0 ? "" : commits.length > 0 ? " Its commits are with the plan's last task." : " It names no commit.";
    const evidence = `By ${stateFrom ?? file}, of an unknown author.${which}`;
    return { plan, task, commits: own, evidence, deviations: isLast ? deviations : [] };
  });
}

function escalationText({
  id,
  issue,
  evidence,
  recommendation,
  plan,
  task,
  since,
  file,
}: Found["escalations"][number]): string {
  const message: JsonObject = {
    type: "escalation",
    from: "lead",
    to: "architect",
    issue,
    evidence: [...evidence, `${id} in ${file}, of an unknown author${since === null ? "" : `, since ${since}`}`],
    recommendation,
    severity: "blocking",
    ...(task === null ? {} : { task }),
    ...(plan === null ? {} : { plan_id: plan }),
  };
  return JSON.stringify(message);
}
