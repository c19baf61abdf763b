/**
 * What a folder says that the journal does not have yet, in the form in which it is recorded: a contract for each plan, a
 * report for each finished task, escalations. Rule: docs/protocol/record.md, section 27.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { unknownAuthor } from "../../messages/principal.ts";
import type { LocalTeam } from "../../perform/team.ts";
import type { Finding, Found, FoundPlan, FoundTask } from "../reading/found.ts";

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
export interface NewWork {
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
export interface WorkOptions {
  readonly isStrict: boolean;
  /**
   * The files that another tool wrote since the last look, relative to the project, where a hub looks again and again: only
   * what they say is taken in, and a plan counts as finished only by commits. Absent: the owner asks for everything.
   */
  readonly changed?: ReadonlySet<string>;
}

/** What the journal does not have yet. A plan that somebody of the team has revised since is theirs. */
export async function newWork(
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
