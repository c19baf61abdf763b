/**
 * The work as it is kept: plans, their tasks, who holds what, what was reported. The rules about it are `tasks.ts`,
 * `claims.ts` and their neighbours; they share this state because each of them asks the others.
 * Records are replaced, never changed; the maps around them are changed in place.
 * Source: docs/protocol/verdicts.md; docs/protocol/tasks.md.
 */
import type { Problem } from "../../base/problem.ts";
import {
  type Artifacts,
  type Collision,
  initialArtifacts,
  type TakenWork,
  type Whereabouts,
} from "../../evidence/state.ts";
import type { Note } from "../../messages/message.ts";
import { keyOfTask, planKey, planKeyOfTask, taskKey } from "../../messages/task-ids.ts";
import type { Deadlines } from "../../perform/deadlines.ts";
import { type Branches, initialBranches } from "./branches.ts";
import { type ClaimIndex, emptyIndex } from "./claim-index.ts";

/** How urgent a task is, the most urgent first. */
export const priorities = ["urgent", "high", "normal", "low"] as const;

/** What is said of a task besides its title; texts of others, never run. */
export interface TaskText {
  /** Empty: nothing. */
  readonly description: string;
  /** What must be true once it is done; a report answers them by their numbers, from 1. */
  readonly criteria: readonly string[];
  /** Commands that its holder runs before it reports. */
  readonly checks: readonly string[];
  readonly priority: (typeof priorities)[number];
  readonly labels: readonly string[];
  /** The agent that it is meant for, so that nobody else gets it as the next one; null: anybody. */
  readonly agent: string | null;
}

/** Nothing is said. */
export const noText: TaskText = {
  description: "",
  criteria: [],
  checks: [],
  priority: "normal",
  labels: [],
  agent: null,
};

/** A task that somebody holds. */
export interface Claim {
  readonly holder: string;
  /** The holder's session when it was granted. */
  readonly session: number;
  /** The fencing token: seq of the grant. */
  readonly token: number;
  /** What it covers, as written: files, folders, globs. */
  readonly files: readonly string[];
  /** Where files came after the grant: how many it covered before, and the entry that brought them. */
  readonly growths: readonly { readonly before: number; readonly seq: number }[];
  /** Neither claim nor task named files, so it grows by those that its holder names. */
  readonly grows: boolean;
  /** Its holder named the files, so they are a bound also where those of a task are a forecast. */
  readonly isNamed: boolean;
  /** It came with a plan that its holder began, so who begins the plan takes it over where the holder does nothing. */
  readonly ofPlan: boolean;
  /** When its holder last took a file for the task; null: it took none. */
  readonly editedMs: number | null;
  readonly atMs: number;
}

/** A file that an agent holds because it edits it. */
export interface Edit {
  /** Its path as written. */
  readonly file: string;
  readonly holder: string;
  readonly session: number;
  /** Key of the task that it is edited for; null: the agent held none. */
  readonly task: string | null;
  /** The task names files, and this is none of them. */
  readonly isOutside: boolean;
  readonly atMs: number;
  /** The entry that took it. */
  readonly seq: number;
  /** The sighting of the branches that was recorded with it. Null: none was. */
  readonly branches: number | null;
  /** The agent whose commit freed the file before; null: nobody's did. */
  readonly before: string | null;
}

/** Files that an agent held, by a claim or by edits, and holds no more. */
export interface PastHold {
  readonly holder: string;
  /** As written; null: it edited them and held no task. */
  readonly task: string | null;
  readonly files: readonly string[];
  readonly atMs: number;
  /** Null: it ends with the entry that is being folded. */
  readonly endedMs: number | null;
}

/** Most of them that are kept. */
const pastHoldsMax = 1_000;

/** Keeps a hold as past, in place; see `endHolds`. */
export function keepPast({ past }: Pick<Work, "past">, hold: Omit<PastHold, "endedMs">): void {
  if (hold.files.length > 0) past.push({ ...hold, endedMs: null });
}

/** Says when the holds ended that the last entry ended, in place. */
export function endHolds({ past }: Pick<Work, "past">, endedMs: number): void {
  for (let at = past.length - 1; at >= 0; at -= 1) {
    const hold = past[at];
    if (hold === undefined || hold.endedMs !== null) break;
    past[at] = { ...hold, endedMs };
  }
  past.splice(0, past.length - pastHoldsMax);
}

/** What an agent asked the team for, and what was said about it. */
export interface Ask {
  readonly asker: string;
  /** The asker's own name for what belongs together; null: it gave none. */
  readonly context: string | null;
  /** The entries of the ask and of what was written about it, the last ones of many. */
  readonly entries: readonly number[];
  /** The entry with a question that the asker has not answered; null: there is none. */
  readonly question: number | null;
}

/** How a task can end without being done: its asker withdraws it, or a lead or the owner refuses it or gives it up. */
export const endings = ["withdrawn", "refused", "given-up"] as const;

/** The end of a task that was not done. */
export interface Ending {
  readonly outcome: (typeof endings)[number];
  readonly by: string;
  /** In the words of the agent; null: it gave none. */
  readonly reason: string | null;
  readonly seq: number;
}

/** One task and what became of it. */
export interface Task {
  /** The form by which it is compared; see `keyOfTask`. */
  readonly key: string;
  /** Its id as first written. */
  readonly task: string;
  /** Stands for its id in every command; see `numberFor`. */
  readonly number: number;
  /** Key of its plan; null: it belongs to none. */
  readonly plan: string | null;
  readonly title: string | null;
  /** Absent: `noText`. */
  readonly text?: TaskText;
  readonly files: readonly string[];
  /** It needs no change in files, such as research or a review: it is done when it is reported. */
  readonly withoutFiles: boolean;
  /** The sighting of the branches that was recorded with it; see `branches.ts`. Null: none was. */
  readonly branches: number | null;
  /** Tasks that must be done before it, as written, and their keys. */
  readonly dependsOn: readonly string[];
  readonly needs: readonly string[];
  readonly source: "contract" | "command";
  /** Absent: it was planned. */
  readonly ask?: Ask;
  /** Absent: it has not ended, or it is done. */
  readonly ended?: Ending;
  readonly seq: number;
  readonly claim: Claim | null;
  /** The last word on it; a verdict is about that one, or about the completion that it leaves refuted. */
  readonly report: Report | null;
  readonly verdict: Verdict | null;
  /** Commits that were reported before a lead had the work done again; absent: none were. */
  readonly reopened?: readonly string[];
  /** Those whose work was gone when the task was reopened: they are reported together. Absent: none were. */
  readonly lost?: readonly string[];
  /** What was found when the report could not be judged. Absent: it was, or nobody looked. */
  readonly unseen?: Finding;
  /** Why its verified work did not land when that was last tried; absent: it was not, or it landed. */
  readonly notLanded?: NotLanded;
  /** The commits of that work: what is reported on top of them brings them, too. */
  readonly returned?: readonly string[];
  /** It may land once, whatever was found of it; absent: as the rules say. */
  readonly leave?: LandingLeave;
  /** Where Baton put its work; absent: it did not, or somebody else did. */
  readonly landed?: LandedWork;
  /** Token of the last grant to each agent that ever held it; the highest is the one that counts. */
  readonly grants: readonly (readonly [holder: string, token: number])[];
}

/** What became of a plan; see `plan-summary.ts`. */
export interface PlanSummary {
  /** The plan's id as first written. */
  readonly plan: string;
  readonly status: Report["status"];
  readonly tasksCompleted: number;
  readonly tasksTotal: number;
  /** Each once, in the order in which they were reported; so are files and deviations. */
  readonly commitHashes: readonly string[];
  readonly filesModified: readonly string[];
  readonly deviations: readonly string[];
}

/** A plan as its tasks see it. */
export interface Plan {
  readonly key: string;
  /** Its id as first written. */
  readonly plan: string;
  /** Keys of the plans that must be done before it; as written in `dependsOn`. */
  readonly needs: readonly string[];
  readonly dependsOn: readonly string[];
  /** Keys of its tasks, in their order. */
  readonly tasks: Map<string, true>;
  /** Those of them that are not done, and those whose work is gone. */
  readonly open: Map<string, true>;
  readonly gone: Map<string, true>;
  /** Its summary as it was last recorded, when all were done, and the seq of that entry; null: it never was. */
  readonly recorded: { readonly summary: PlanSummary; readonly seq: number } | null;
}

/** Claims that are held for a second lease although their holder was silent for one. */
export interface KeptClaims {
  /** Keys of the tasks. */
  readonly tasks: readonly string[];
  /** When the second lease began. */
  readonly sinceMs: number;
  /** The holder's last recorded heartbeat. */
  readonly signMs: number;
}

/** A plan whose lead asked whether it may begin, and has no yes. */
export interface PlanHold {
  /** The request that holds it; its id, and who asked. */
  readonly request: string;
  readonly requester: string;
  /** Who said no, and why; null: nobody did. */
  readonly denied: { readonly by: string; readonly reason: string } | null;
  readonly seq: number;
}

/** All work. */
export interface Work {
  /** Tasks by key, in the order in which they came. */
  readonly tasks: Map<string, Task>;
  readonly plans: Map<string, Plan>;
  /** Plans that wait for a yes, by their keys. */
  readonly planHolds: Map<string, PlanHold>;
  /** Every report that was ever disputed or gone, by the key of its task and its seq; see `Dispute`. */
  readonly disputes: Map<string, Map<number, Dispute>>;
  /** Keys of the tasks that an id without a plan may mean. */
  readonly names: Map<string, Map<string, true>>;
  /** Key of the task of each number; `last`: up to this one all were given. */
  readonly numbers: { readonly keys: Map<number, string>; last: number };
  /** Keys of the tasks that need a task, and of the plans that need a plan. */
  readonly neededBy: { readonly tasks: Map<string, Map<string, true>>; readonly plans: Map<string, Map<string, true>> };
  /** Keys of the tasks that an agent asked for, and of those of them that are still open. */
  readonly asked: Map<string, Map<string, true>>;
  readonly openAsks: Map<string, Map<string, true>>;
  /** Keys of the tasks that an agent holds. */
  readonly held: Map<string, Map<string, true>>;
  /** What live claims cover. */
  readonly covered: ClaimIndex;
  /** Files that are held by edits, by their paths as the file system compares them; see `edit-claims.ts`. */
  readonly edits: Map<string, Edit>;
  /** Whose commit freed a file that nobody has edited since. */
  readonly handedOn: Map<string, string>;
  /** What was held and is free again, the newest last. */
  readonly past: PastHold[];
  /** The last recorded heartbeat of each agent that holds something; see `leases.ts`. */
  readonly signs: Map<string, number>;
  readonly silence: Deadlines;
  /** Claims that outlived a lease because their tasks wait for a decision, by holder; gone with its next heartbeat. */
  readonly kept: Map<string, KeptClaims>;
  /** What messages name in addition to the work itself, and which of it is disputed. */
  readonly artifacts: Artifacts;
  /** Files that two agents change at once, by `collisionKey`. */
  readonly collisions: Map<string, Collision>;
  /** Where the branches of the repository was when tasks were recorded and claimed. */
  readonly branches: Branches;
  /** Branches on which a hub lands work. */
  readonly landings: Map<string, LandingBranch>;
  /**
   * Agents whose work trees do not have what has landed: they could not begin a task that depends on it, or began one
   * (`isBegun`) beside files that are in the way.
   */
  readonly stays: Map<string, StayingTree & { readonly key: string; readonly seq: number; readonly isBegun?: true }>;
}

/** Why an agent's work tree is not moved to what has landed. */
export interface StayingTree {
  readonly why: string;
  /** What to do in it, with the command. */
  readonly help: string;
}

/** No work. */
export function initialWork(): Work {
  return {
    tasks: new Map(),
    plans: new Map(),
    planHolds: new Map(),
    disputes: new Map(),
    names: new Map(),
    numbers: { keys: new Map(), last: 0 },
    neededBy: { tasks: new Map(), plans: new Map() },
    asked: new Map(),
    openAsks: new Map(),
    held: new Map(),
    covered: emptyIndex(),
    edits: new Map(),
    handedOn: new Map(),
    past: [],
    signs: new Map(),
    silence: [],
    kept: new Map(),
    artifacts: initialArtifacts(),
    collisions: new Map(),
    branches: initialBranches(),
    landings: new Map(),
    stays: new Map(),
  };
}

/**
 * The task that an id means: of the plan that it names, or of `plan`; without either the only one that is called so.
 * Null: there is none, or it is not clear which.
 */
export function findTask(work: Work, taskId: string, plan: string | null): Task | null {
  const within = plan === null ? undefined : work.tasks.get(keyOfTask(taskId, plan));
  const found = within ?? work.tasks.get(taskKey(taskId, plan));
  if (found !== undefined) return found;
  const [only, another] = work.names.get(taskKey(taskId))?.keys() ?? [];
  if (only === undefined) {
    const numbered = numberedTask(work, taskId);
    const isMeant = plan === null || numbered?.plan === planKey(plan);
    return (isMeant ? numbered : null) ?? behindPlan(work, taskId, plan);
  }
  if (another !== undefined) return null;
  const named = work.tasks.get(only) ?? null;
  return plan === null || named?.plan === null || named?.plan === planKey(plan) ? named : null;
}

/** What names the task wherever it is said: its id where that says the plan, else its key. */
export function fullName({ task, key }: Pick<Task, "task" | "key">): string {
  return planKeyOfTask(task) === null ? key : task;
}

/** What names the task in a command: its id, or its key where another task is called so, too. */
export function nameOf({ names }: Work, { task, key }: Task): string {
  return (names.get(taskKey(task))?.size ?? 0) > 1 ? key : task;
}

/** The task that is named behind its plan by its id or number, as `03-01/tests` or `03-01/12`. */
function behindPlan(work: Work, taskId: string, plan: string | null): Task | null {
  const [, place = "", task = ""] = /^(.+)\/([^/]+)$/.exec(taskId) ?? [];
  const key = planKey(place);
  if (place === "" || (plan !== null && planKey(plan) !== key)) return null;
  const known = [keyOfTask(task, key), taskKey(task)].find((each) => work.tasks.has(each));
  const found = known === undefined ? numberedTask(work, task) : work.tasks.get(known);
  return found?.plan === key ? found : null;
}

/** The task of that number; null: there is none, or a task has the number as its id. */
export function numberedTask({ tasks, names, numbers }: Work, said: string): Task | null {
  if (!isNumber(said) || names.has(said)) return null;
  return tasks.get(numbers.keys.get(Number(said)) ?? "") ?? null;
}

function isNumber(said: string): boolean {
  return /^[1-9]\d{0,8}$/.test(said);
}

/** The number that a new task gets: its id where that is a free number, else the next after `last` that is no task's id. */
export function numberFor({ names, numbers }: Work, id: string | null, last = numbers.last): number {
  if (id !== null && isNumber(id) && !numbers.keys.has(Number(id))) return Number(id);
  let next = last + 1;
  while (numbers.keys.has(next) || names.has(String(next))) next += 1;
  return next;
}

/**
 * The ids that so many new tasks get where nobody names them: in a plan that is numbered as those of the documents are,
 * the next of the plan (`03-01-T2`), which its messages call `03-01/task-2`; else their numbers.
 */
export function idsFor(work: Work, planId: string | null, count: number): readonly string[] {
  const key = planId === null ? "" : planKey(planId);
  const ids: string[] = [];
  if (/^\d+-\d+$/.test(key)) {
    for (let next = (work.plans.get(key)?.tasks.size ?? 0) + 1; ids.length < count; next += 1)
      if (!work.tasks.has(`${key}-T${next}`)) ids.push(`${planId}-T${next}`);
  } else
    for (let last: number | undefined; ids.length < count; ) {
      last = numberFor(work, null, last);
      ids.push(String(last));
    }
  return ids;
}

/** What a task says about its files: it names them, nobody knows them yet, or it needs none. */
export function filesKindOf({ files, withoutFiles }: Pick<Task, "files" | "withoutFiles">): FilesKind {
  if (withoutFiles) return "none";
  return files.length > 0 ? "declared" : "unknown";
}

/** See `filesKindOf`. */
export const filesKinds = ["declared", "unknown", "none"] as const;
export type FilesKind = (typeof filesKinds)[number];

/** What was last said about the state of a task. */
export interface Report {
  readonly reporter: string;
  readonly status: "complete" | "partial" | "failed";
  /** As written; empty: none was named. Of several the last. */
  readonly commit: string;
  /** All commits of a report that names several, as written and in their order; absent: it names at most one. */
  readonly commits?: readonly string[];
  /** Files that it says were changed; null: it did not say. */
  readonly files: readonly string[] | null;
  readonly deviations: readonly string[];
  /** What it says shows that the work does what it should; null: nothing. */
  readonly evidence: string | null;
  /** What the reporter's claim covered; null: it held none that said. */
  readonly claimed: readonly string[] | null;
  /** What its claim covered was a forecast, which binds nobody; absent: a bound. */
  readonly isForecast?: true;
  /** The work was finished before the task was recorded, as the lead says who reports it; absent: it was not. */
  readonly finishedBefore?: true;
  /** Seq of the entry that reported. */
  readonly seq: number;
  /** A repository is there to confirm it, so the report alone does not make the task done. Absent: the report is all. */
  readonly awaitsVerdict?: true;
  /** Seq of the completion that its own reporter takes back by this report; absent: it takes none back. */
  readonly withdraws?: number;
  /**
   * The agent whose completion was refuted before this report, which does not say that the task is done: the finding
   * stays open. Absent: nothing was refuted.
   */
  readonly leavesRefuted?: string;
}

/** The owner's word on a check. `once`: on the reports that there are. `always`: on later ones, too. */
export const checkAnswers = ["once", "always", "no"] as const;
export type CheckWord = (typeof checkAnswers)[number];

/** A check of a contract as it ran, and as it is recorded; its output only by its digest. */
export interface CheckRecord {
  readonly check: string;
  /** Null: it could not be started, or was ended. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  readonly durationMs: number;
  /** SHA-256 of what it wrote, standard output and standard error as they came, and how many bytes that were. */
  readonly outputDigest: string;
  readonly outputBytes: number;
  /** What kept it inside; `none`: nothing did. */
  readonly sandbox: string;
  /** What it ran on, and the id of its tree. */
  readonly commit: string;
  readonly tree: string;
}

/** What the repository says about a report. */
export interface Verdict {
  /** `gone`: the work was there, and is not any more. It counts as done until somebody says otherwise. */
  readonly state: "verified" | "disputed" | "gone";
  /** Seq of the report that was looked at. */
  readonly report: number;
  readonly problems: readonly Problem[];
  /** The full id of the commit that was looked at; null: there is none. */
  readonly commit: string | null;
  /** Full ids of all commits of a report that names several; absent: it names at most one. */
  readonly commits?: readonly string[];
  /** Paths that the commits changed; null: they are not known. */
  readonly files: readonly string[] | null;
  /** What is worth knowing about the work and disputes nothing; absent: there is nothing. */
  readonly notes?: readonly Note[];
  /** The work by which it is found again; absent: an earlier version judged it, or it is not verified. */
  readonly work?: TakenWork;
  /** The work as its branch has gone on with it, which is what will land; absent: it has not. */
  readonly grown?: TakenWork;
  /** Where the work was at the last look; absent: nobody has looked since it was verified. */
  readonly place?: Whereabouts;
  /** The checks that ran on the report, each as it last ran; absent: none did. */
  readonly checks?: readonly CheckRecord[];
  /** Who decided so, where the repository did not; absent: the repository did. */
  readonly settledBy?: string;
  readonly seq: number;
}

/** Why work does not land: git cannot merge it, a check does not pass with it, or a person has to look at it first. */
export const notLandedReasons = ["conflict", "failed", "waits"] as const;

/** Verified work that did not land. But for `waits` it is its author's again. */
export interface NotLanded {
  readonly reason: (typeof notLandedReasons)[number];
  /** Seq of the report whose work it is. */
  readonly report: number;
  /** The branch, and its commit on which it was tried. */
  readonly branch: string;
  readonly onto: string;
  /** In one sentence. */
  readonly why: string;
  /** Files that conflict; empty: none, or another reason. */
  readonly files: readonly string[];
  /** Key of the task that came back and keeps it, until that is reported anew; absent: none does. */
  readonly behind?: string;
  /** How often the task's work came back to its author, this time included. */
  readonly times: number;
  readonly seq: number;
}

/** The person's leave that a task lands once, whatever was found of it. */
export interface LandingLeave {
  /** The request that was answered so; its id. */
  readonly request: string;
  readonly by: string;
  readonly seq: number;
}

/** Work that Baton put on a branch. */
export interface LandedWork {
  /** Seq of the report whose work it is. */
  readonly report: number;
  readonly branch: string;
  /** The commit that brought it. */
  readonly commit: string;
  /** The checks that passed on the commit to which the branch moved then; absent: none ran, or it is not known. */
  readonly checks?: readonly CheckRecord[];
  /** The request by which the person let it land; absent: it needed no leave. */
  readonly override?: string;
  readonly seq: number;
}

/** Where work is that Baton put on a branch. */
export function landedPlace({ branch, commit }: Pick<LandedWork, "branch" | "commit">): Whereabouts {
  return { at: "landed", branch, since: commit, isChanged: false };
}

/** A branch of Baton's own, which alone moves it. */
export interface LandingBranch {
  /** Where it was before Baton moved it last, and where it is then; null: it was not there. */
  readonly from: string | null;
  readonly to: string | null;
  /** Where it was to be moved before, the last ones: of two that land at once the one that was recorded first may win. */
  readonly earlier: readonly string[];
  /** The checks that passed on `to`; absent: none ran. */
  readonly checks?: readonly CheckRecord[];
  /** Why it stays where it is, and what helps; null: it does not. */
  readonly held: { readonly why: string; readonly help: string | null; readonly seq: number } | null;
}

/** Whether work lands on the branch before it is on the person's. */
export function isBatons(branch: string): boolean {
  return branch.startsWith("baton/");
}

/** See `Finding`. */
export const findingStates = ["verified", "disputed", "gone", "undecided"] as const;

/** What a judge found about a report. */
export interface Finding
  extends Omit<Verdict, "state" | "report" | "work" | "grown" | "place" | "checks" | "settledBy"> {
  /** `undecided`: it looked, and cannot see the work; the problems say why. */
  readonly state: (typeof findingStates)[number];
  /** `baton`; in older entries also `verifier:NAME`. */
  readonly judge: string;
}

/**
 * A report that the repository contradicted. It is kept for as long as the record: also once it is repaired, and also when
 * the task is not in the list any more.
 */
export interface Dispute {
  /** Seq of the report. */
  readonly report: number;
  readonly reporter: string;
  /** What the last such verdict on the report found. */
  readonly state: "disputed" | "gone";
  /** Seq of the first verdict against it. */
  readonly seq: number;
  /** The verdict that confirmed the task afterwards, and the report that it confirmed; null: none has. */
  readonly repair: { readonly seq: number; readonly report: number; readonly reporter: string } | null;
}
