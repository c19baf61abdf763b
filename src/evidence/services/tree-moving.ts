/**
 * An agent's own work tree goes to what has landed before a task begins there, so that the work starts on all of it. What
 * the agent has not committed, or what has not landed, is never touched. Rules: docs/protocol/verdicts.md, section 12.
 */
import { counted, saidBy, shortList } from "../../base/text.ts";
import type { Note } from "../../messages/message.ts";
import type { TeamContext } from "../../perform/context.ts";
import type { ClaimTask } from "../../perform/operations/generated/calls.ts";
import { findTask, type StayingTree, type Work } from "../../tasks/state/task-state.ts";
import { uncommittedAmong } from "../decide/uncommitted.ts";
import { moveFiles } from "../git/checkout.ts";
import { type OwnTree, ownTrees, unlandedOf } from "../git/own-tree.ts";
import { answerOf, isAncestor, linesOf, look } from "../git/questions.ts";
import { openRepository, type Repository } from "../git/repository.ts";
import type { RepositoryPlace } from "./gate.ts";

/** Longest time of a question before the claim; moving the files has its own. */
const gitMsMax = 5_000;

/** Where the work begins. */
export interface Begins {
  /** The commit that is checked out there; undefined: nobody knows. */
  readonly head: string | undefined;
  readonly notes: readonly Note[];
  /** Why the tree does not have all that has landed; absent: it has. */
  readonly stays?: StayingTree;
  /** Files that are not committed are in the way. */
  readonly isInWay?: boolean;
}

/**
 * Moves the tree in which the agent begins the task that it asks for, unless it is refused at once or works elsewhere. What
 * git does not answer leaves the tree as it is.
 */
export async function beginOnLanded(context: TeamContext, agent: string, asked: ClaimTask): Promise<Begins> {
  const head = asked.head ?? (await context.checkedOut?.());
  const stays: Begins = { head, notes: [] };
  const { repository: place } = context;
  if (place === undefined) return stays;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return stays;
  const { coordination, team } = folded.value.state;
  const task = findTask(coordination.work, asked.task, asked.plan ?? null);
  if (task === null || (task.claim !== null && task.claim.holder !== agent)) return stays;
  const opened = await openRepository(place.directory, { ...place, msMax: gitMsMax });
  if (!opened.ok) return stays;
  await using repository = opened.value;
  const found = await look(async (): Promise<Begins> => {
    const [tree] = await ownTrees(repository, [agent], team.definition?.main ?? null);
    if (tree === undefined || (head !== undefined && head !== tree.from)) return stays;
    const was = await move(repository, place, { ...tree, landed: landedCommits(coordination.work) });
    const { branch, directory, onto, to, from } = tree;
    const note = (code: string, message: string): readonly Note[] => [{ code, path: branch, message }];
    if (was === "there") return { head: from, notes: [] };
    if (was === "moved") {
      const message = `Your tree has moved to ${onto} (${to.slice(0, 12)}), so you begin on all that has landed.`;
      return { head: to, notes: note("tree-moved", message) };
    }
    const { why, first, command, isInWay } = was;
    const message = `Your tree is not moved to ${onto}: ${why}. ${first} git ${command}`;
    const help = `${first} git -C '${directory}' ${command}`;
    return { head: from, notes: note("tree-stays", message), stays: { why: `${why}.`, help }, isInWay };
  });
  return found.ok ? found.value : stays;
}

/**
 * Moves the agent's tree forward to what has landed as its session begins, where it has nothing of its own: who only plans
 * claims no task. Answers where it went; null: it stays.
 */
export async function moveForward(
  repository: Repository,
  place: RepositoryPlace,
  { agent, main }: { readonly agent: string; readonly main: string | null },
): Promise<string | null> {
  const found = await look(async () => {
    const [tree] = await ownTrees(repository, [agent], main);
    if (tree === undefined || !(await isAncestor(repository, tree.from, tree.to))) return null;
    return (await move(repository, place, { ...tree, landed: new Set() })) === "moved" ? tree.onto : null;
  });
  return found.ok ? found.value : null;
}

/** What keeps a tree where it is, and what git does about it. */
interface Staying {
  readonly why: string;
  readonly first: string;
  readonly command: string;
  readonly isInWay: boolean;
}

/** What became of the tree; `there`: it has all that has landed. */
async function move(
  repository: Repository,
  place: RepositoryPlace,
  { directory, from, onto, to, landed }: OwnTree & { readonly landed: ReadonlySet<string> },
): Promise<"there" | "moved" | Staying> {
  if (from === to) return "there";
  if (await isAncestor(repository, to, from)) return "there";
  const leaves = !(await isAncestor(repository, from, to));
  const { length: open } = leaves ? await unlandedOf(repository, from, [to], landed) : [];
  if (open > 0) {
    const why = `it has ${counted(open, "commit")} that ${open === 1 ? "has" : "have"} not landed`;
    const [base = from] = await linesOf(repository, ["merge-base", from, to]);
    const inWay = answerOf(await uncommittedAmong(repository, directory, { from: base, to }, place));
    const before = inWay.length === 0 ? "" : `Commit or put away ${shortList(inWay)} first. `;
    return { why, first: `${before}To have what has landed:`, command: `merge ${onto}`, isInWay: inWay.length > 0 };
  }
  const stays = answerOf(await moveFiles(repository, { ...place, directory }, { from, to, leaves }));
  if (stays === null) return "moved";
  const command = leaves ? `reset --keep ${onto}` : `merge --ff-only ${onto}`;
  const first = "Commit or put away what is in the way, then:";
  return { why: saidBy(stays.words, wordsMax), first, command, isInWay: true };
}

const wordsMax = 300;

/** The commits of work that is on the main branch, by whichever way it came there, and Baton's own that brought it. */
function landedCommits({ tasks }: Work): ReadonlySet<string> {
  const there = [...tasks.values()].filter(({ verdict }) => verdict?.place?.at === "landed");
  const commits = there.flatMap(({ verdict, landed }) => [
    ...(verdict?.work?.commits ?? []),
    ...(verdict?.grown?.commits ?? []),
    ...(landed === undefined ? [] : [landed.commit]),
  ]);
  return new Set(commits);
}
