/**
 * Two agents that change the same file at once, each in its own tree, learn of it while they do and not at the merge. Nobody
 * has to cooperate: the trees are looked at. Rules: docs/protocol/verdicts.md, section 6.
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ownTurn } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { batonActor, type TeamContext } from "../../perform/context.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { prose } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { leadsOf } from "../../shutdown/services/agent-departure.ts";
import { namesChanged, overlapIn } from "../git/overlap.ts";
import { type OwnTree, ownTrees } from "../git/own-tree.ts";
import { look } from "../git/questions.ts";
import { openRepository, type Repository } from "../git/repository.ts";
import { type Collision, type CollisionOver, type CollisionSeen, collisionKey } from "../state.ts";
import type { RepositoryPlace } from "./gate.ts";

/** All trees are looked at again after so long, whatever is seen of them. */
const wholeLookMs = 60_000;
/** Most files that are watched, and most pairs that are compared in one look. */
const filesMax = 500;
const pairsMax = 200;

/** What a look remembers for the next. */
export interface TreesSeen {
  /** What git's own files said of branches and trees; null: nothing was looked at. */
  mark: string | null;
  wholeMs: number;
  commonDirectory: string;
  trees: readonly OwnTree[];
  /** The names that each agent's tree changes. */
  names: ReadonlyMap<string, ReadonlySet<string>>;
  /** By pair and file how both were when they were compared. */
  compared: Map<string, string>;
}

export function nothingSeen(): TreesSeen {
  return { mark: null, wholeMs: 0, commonDirectory: "", trees: [], names: new Map(), compared: new Map() };
}

/** A file that two trees may both change. */
interface Pair {
  readonly file: string;
  readonly agents: readonly [string, string];
  readonly trees: readonly [OwnTree, OwnTree];
  /** How both are now. */
  readonly mark: string;
  /** Both were seen to change it; else one was, and the other counts once its file is another than before. */
  readonly isMet: boolean;
}

/**
 * Looks at the trees, and records what is new. Without a change since the last look git is not asked; what it does not
 * answer is looked at again.
 */
export async function lookAtTrees(context: TeamContext, place: RepositoryPlace, seen: TreesSeen): Promise<void> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return;
  const { team, coordination } = folded.value.state;
  const agents = [...team.roster.values()].flatMap(({ agent, status }) => (status === "active" ? [agent] : []));
  const edits = [...coordination.work.edits.values()].map(({ holder, file }) => ({ holder, file }));
  const known = [...coordination.work.collisions.values()];
  if (agents.length < 2 && known.length === 0) return;
  const now = context.clock.monotonic();
  const isWhole = seen.mark === null || now - seen.wholeMs >= wholeLookMs || seen.mark !== markOf(seen, agents);
  const before = isWhole ? [] : changedPairs(seen, await pairsOf(seen, edits, known));
  if (!isWhole && before.length === 0) return;
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return;
  await using repository = opened.value;
  const main = team.definition?.main ?? null;
  const looked = await look(async () => {
    if (isWhole) await learnNames(repository, place, seen, { agents, main, now });
    const pairs = isWhole ? await pairsOf(seen, edits, known) : before;
    const changed = isWhole ? changedPairs(seen, pairs) : before;
    const found: (Found & { readonly pair: Pair })[] = [];
    for (const pair of changed.slice(0, pairsMax)) {
      const { file, agents: both, trees } = pair;
      found.push({ file, agents: both, overlap: await overlapIn(repository, file, trees), pair });
    }
    return { found, watched: isWhole ? new Set(pairs.map(collisionKey)) : null };
  });
  if (!looked.ok) return;
  const { found, watched } = looked.value;
  const over = known.filter((each) => watched !== null && !watched.has(collisionKey(each)));
  for (const { pair, ...each } of found)
    if (await isRecorded(context, known, each)) seen.compared.set(collisionKey(pair), pair.mark);
  for (const { file, agents: both } of over) await isRecorded(context, known, { file, agents: both, overlap: null });
}

/** Whether what was found is in the record, if it is new. */
async function isRecorded(context: TeamContext, known: readonly Collision[], found: Found): Promise<boolean> {
  const before = known.find((each) => collisionKey(each) === collisionKey(found));
  if ((before?.kind ?? null) === kindOf(found)) return true;
  const reply = await perform({ context, actor: batonActor }, recording, found);
  return reply.outcome !== "failed";
}

interface Asked {
  readonly agents: readonly string[];
  readonly main: string | null;
  readonly now: number;
}

/** Reads what the trees change. */
async function learnNames(
  repository: Repository,
  place: RepositoryPlace,
  seen: TreesSeen,
  { agents, main, now }: Asked,
): Promise<void> {
  seen.commonDirectory = repository.commonDirectory;
  const trees = await ownTrees(repository, agents, main);
  seen.trees = trees;
  // What changes while the names are read is seen by the next look.
  const mark = markOf(seen, agents);
  const names = new Map<string, ReadonlySet<string>>();
  for (const tree of trees) names.set(tree.agent, new Set(await namesChanged(repository, tree, place)));
  Object.assign(seen, { names, mark, wholeMs: now });
}

/** What changes with each commit, branch, and tree. */
function markOf({ commonDirectory, trees }: TreesSeen, agents: readonly string[]): string {
  const linked = join(commonDirectory, "worktrees");
  const folders = existsSync(linked) ? readdirSync(linked) : [];
  const targets = new Set(trees.map(({ onto }) => join(commonDirectory, "refs/heads", onto)));
  const files = [
    join(commonDirectory, "packed-refs"),
    ...targets,
    ...folders.map((folder) => join(linked, folder, "logs/HEAD")),
  ];
  return [...agents, ...files.map((file) => `${file} ${markOfFile(file)}`)].join("\n");
}

function markOfFile(path: string): string {
  try {
    const { mtimeMs, size, ino } = lstatSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    // It is not there, or its folder is a file in this tree: what cannot be looked at is as what is not there.
    return "";
  }
}

/** The pairs that are watched: of each file that one tree changes, that tree and each other. */
async function pairsOf(
  { trees, names }: TreesSeen,
  edits: readonly { readonly holder: string; readonly file: string }[],
  known: readonly Collision[],
): Promise<readonly Pair[]> {
  const changers = new Map<string, Set<string>>();
  const add = (file: string, agent: string) => changers.set(file, (changers.get(file) ?? new Set()).add(agent));
  for (const { file, agents } of known) for (const agent of agents) add(file, agent);
  for (const { file, holder } of edits) add(file, holder);
  for (const [agent, files] of names) for (const file of files) add(file, agent);
  const pairs: Pair[] = [];
  for (const [file, agents] of [...changers].slice(0, filesMax)) {
    await ownTurn();
    const marks = new Map(trees.map((tree) => [tree, `${tree.from} ${markOfFile(join(tree.directory, file))}`]));
    for (const [at, one] of trees.entries())
      for (const other of trees.slice(at + 1)) {
        const changing = [one, other].filter(({ agent }) => agents.has(agent)).length;
        if (changing === 0) continue;
        const both = one.agent < other.agent ? ([one, other] as const) : ([other, one] as const);
        const mark = both.map((tree) => marks.get(tree)).join(" ");
        pairs.push({ file, agents: [both[0].agent, both[1].agent], trees: both, mark, isMet: changing === 2 });
      }
  }
  return pairs;
}

/** Those that are to be compared. What only one tree changes is first remembered as it is. */
function changedPairs({ compared }: TreesSeen, pairs: readonly Pair[]): readonly Pair[] {
  return pairs.filter((pair) => {
    const key = collisionKey(pair);
    const before = compared.get(key);
    if (before === undefined && !pair.isMet) compared.set(key, pair.mark);
    return before === undefined ? pair.isMet : before !== pair.mark;
  });
}

/** What two trees do to a file; `overlap` null: they do not both change it. */
interface Found extends Pick<Collision, "file" | "agents"> {
  readonly overlap: { readonly line: number | null } | null;
}

const kindOf = ({ overlap }: Found): Collision["kind"] | null =>
  overlap === null ? null : overlap.line === null ? "soft" : "hot";

const recording: Operation<Found, TeamContext> = {
  name: "record-collision",
  recorded: ({ file, agents, overlap }) => ({
    file,
    agents: [...agents],
    overlap: kindOf({ file, agents, overlap }) ?? "over",
  }),
  decide(state, found, { seq }) {
    const { file, agents, overlap } = found;
    const before = state.coordination.work.collisions.get(collisionKey(found));
    const kind = kindOf(found);
    if ((before?.kind ?? null) === kind) return ok({ events: [], notes: [] });
    if (overlap === null || kind === null) {
      const over: CollisionOver = { event: "collision-over", file, agents, seq };
      return ok({ events: [over], notes: [] });
    }
    const isTold = before?.isTold === true || kind === "hot";
    const event: CollisionSeen = { event: "collision-seen", file, agents, kind, line: overlap.line, isTold, seq };
    const isNew = kind === "hot" && before?.isTold !== true;
    return ok({ events: [event], notes: [], ...(isNew ? { delivered: warning(state, event) } : {}) });
  },
};

/** For both agents and their leads. */
function warning(state: TeamState, { file, agents: [one, other], line }: CollisionSeen) {
  const where = line === null ? "" : `, about line ${line}`;
  const message = prose([
    `${one} and ${other} both change the same lines of ${visible(file)}${where}, each in its own tree: git will not merge them.`,
    "What to do: agree by a message who changes them. The other takes its change back, or commits, merges the first one's branch once that is committed, and goes on from there.",
  ]);
  return { message, receivers: [...new Set([one, other, ...leadsOf(state, one), ...leadsOf(state, other)])] };
}
