/**
 * What a tool is about to write, asked before it writes: the files are judged as the gate judges them, and where claims
 * are made by edits the agent takes those that nobody holds. Rules: docs/protocol/tasks.md, section 15.
 */

import { canonical, sha256 } from "../../base/canonical.ts";
import { steadyNow } from "../../base/clock.ts";
import { type Glob, globMatches, readGlob } from "../../base/paths/globs.ts";
import { foldAsStored } from "../../base/paths/paths.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortList, visible } from "../../base/text.ts";
import type { Actor, Context, TeamContext } from "../../perform/context.ts";
import type { CoordinationEvent } from "../../perform/deciders.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { prose } from "../../perform/prose.ts";
import type { At } from "../../perform/rules.ts";
import type { TeamState } from "../../perform/state.ts";
import { leadsOf } from "../../shutdown/services/agent-departure.ts";
import { keptOutBy } from "../../tasks/decide/contracts.ts";
import { takeFiles as decideTaken, foreignFiles, foreignWords } from "../../tasks/decide/edit-claims.ts";
import type { EditAnswer } from "../../tasks/operations/claims.ts";
import { claimsRuleOf } from "../../team/state/definition.ts";
import { type EditPermissions, holdersOf, judgeHeldByOthers, judgeWriting } from "../decide/gate.ts";
import { freeEndedEdits, freeLeft } from "../services/edits.ts";
import { permissionsOf } from "../services/gate.ts";
import { lackingWork } from "../services/lacking.ts";
import { leadsAbove, line, shownMax } from "../services/verdict-notification.ts";

/** What is known of the files besides their paths. */
export interface EditOptions {
  /** They are written already: what is found is recorded, and its readers are notified. */
  readonly isWritten?: boolean;
  /**
   * They changed after this time, while Baton did not see what the agent did, so somebody else may have changed them; RFC
   * 3339. Only what others hold is a finding then, and nothing is taken.
   */
  readonly unseenSince?: string;
  /** The gate has refused a commit that has them, by the same judgement: the readers of the finding are notified. */
  readonly isCommit?: boolean;
  /** As `isCommit`, and what it refused is a push of commits that have them. */
  readonly isPush?: boolean;
  /** The tool that was to write them is over and has left them as they are committed, so the agent holds them no more. */
  readonly isLeft?: boolean;
  /** The commit that is checked out where they are edited: what it lacks of others' work in them is noted. */
  readonly head?: string;
}

/**
 * Judges the files for the acting agent, and takes them where the team's rule says so: all of them or none. Nothing is
 * recorded where nothing is taken. Refuses what the journal refuses; only an active agent of the team holds files.
 */
export async function editFiles(
  context: Context,
  actor: Actor,
  files: readonly string[],
  { isWritten = false, unseenSince, isCommit = false, isPush = false, isLeft = false, head }: EditOptions = {},
): Promise<Result<EditAnswer, Problem>> {
  const nothing = { problems: [], notes: [], taken: [] };
  if (isLeft) {
    const left = await freeLeft(context, actor.agent, files);
    return left.ok ? ok(nothing) : left;
  }
  const freed = await freeEndedEdits(context, { by: actor.agent, globs: files });
  if (!freed.ok) return freed;
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const rights = permissionsOf(state, actor.agent, "now");
  const judged = unseenSince === undefined ? await judgeWriting(files, rights) : judgeHeldByOthers(files, rights);
  if (judged.length > 0) {
    const isTold = isWritten || isCommit || isPush || unseenSince !== undefined;
    const found = { files, problems: judged, holders: holdersOf(files, rights) };
    const reply = isTold ? await recordWritten(context, actor, { ...found, unseenSince, isCommit, isPush }) : null;
    if (reply?.outcome === "failed") return err(reply.problem);
    // The log tells nothing of whom nobody knows.
    if (!isTold && state.team.roster.has(actor.agent))
      await keepDenied(context, actor, { files, problems: judged, rights });
    return ok({ problems: judged, notes: [], taken: [] });
  }
  const wanted = unseenSince === undefined && !isCommit && !isPush ? takenByEdit(state, actor, files) : [];
  if (wanted.length === 0) return ok(nothing);
  const session = state.team.roster.get(actor.agent)?.session ?? 0;
  const at = { by: actor, session, seq: 0, atMs: steadyNow(context.clock) };
  const known = decideTaking(state, { files: wanted }, at);
  if (known.ok && known.value.events.length === 0) return ok(nothing);
  const reply = await perform({ context, actor }, takeFiles, { files: wanted });
  if (reply.outcome === "failed") return err(reply.problem);
  if (reply.outcome === "refused") return ok({ problems: reply.problems, notes: [], taken: [] });
  const lacks = await lackingWork(context, () => ({ files: wanted, task: null, head }));
  return ok({ problems: [], notes: [...reply.notes, ...lacks.map(({ note }) => note)], taken: wanted });
}

/**
 * Records an edit that is denied: its person sees who is in the way of whom, a request for leave may mean it without naming
 * it, and who is refused again and again needs somebody. The edit is denied also where this cannot be recorded.
 */
async function keepDenied(
  context: TeamContext,
  actor: Actor,
  {
    files,
    problems,
    rights,
  }: Readonly<{ files: readonly string[]; problems: readonly Problem[]; rights: EditPermissions }>,
): Promise<void> {
  const of = (code: Problem["code"]) => problems.filter((each) => each.code === code);
  const [outside, unclaimed] = [of("outside-contract"), of("outside-claim")];
  const [first] = rights.tasks.flatMap(({ task, scope }) => {
    const paths = scope === null || outside.length === 0 ? [] : keptOutBy(scope, files);
    return paths.length === 0 ? [] : [{ task, holder: null, paths, problems: outside }];
  });
  const held = unclaimed.flatMap((problem) => {
    const [holder] = holdersOf([problem.path], rights);
    const message = `${holder} holds ${problem.path}, so it was not written.`;
    return holder === undefined ? [] : [{ holder, problem: { ...problem, message } }];
  });
  const [waited] = held;
  const task = rights.tasks.find(({ isHeld }) => isHeld === true)?.task;
  const other =
    waited !== undefined
      ? { task: null, holder: waited.holder, paths: files, problems: held.map(({ problem }) => problem) }
      : task === undefined || unclaimed.length === 0
        ? undefined
        : { task, holder: null, paths: files, problems: unclaimed };
  const denied = first ?? other;
  if (denied !== undefined) await perform({ context, actor }, deniedEdit, denied);
}

interface DeniedEdit {
  /** Null: another agent holds a file, and is waited for. */
  readonly task: string | null;
  readonly holder: string | null;
  readonly paths: readonly string[];
  readonly problems: readonly Problem[];
}

const deniedEdit: Operation<DeniedEdit, TeamContext> = {
  name: "edit-files",
  recorded: ({ task, paths }) => ({ ...(task === null ? {} : { task }), files: paths }),
  decide: (_, { holder, paths, problems }) => err({ problems, denial: { holder, paths } }),
};

/** Files that an edit of this agent takes: none in a team that declares its claims. */
function takenByEdit({ team }: TeamState, { agent }: Actor, files: readonly string[]): readonly string[] {
  const { definition, roster } = team;
  if (claimsRuleOf(definition) === "declared" || roster.get(agent)?.status !== "active") return [];
  return withoutShared(files, definition?.shared);
}

interface TakenFiles {
  readonly files: readonly string[];
}

const takeFiles: Operation<TakenFiles, TeamContext> = {
  name: "take-files",
  decide(state, input, at) {
    const decided = decideTaking(state, input, at);
    return decided.ok ? ok({ ...decided.value, ...foreignNotice(state, at.by.agent, decided.value.events) }) : decided;
  },
};

/** For the leads, and for who holds the task: an agent edits a file that another task names. */
function foreignNotice(state: TeamState, agent: string, events: readonly CoordinationEvent[]) {
  const taken = events.find((event) => event.event === "files-taken");
  const foreign = taken?.event === "files-taken" ? foreignFiles(state.coordination.work, taken) : [];
  if (foreign.length === 0) return {};
  const holders = foreign.flatMap(({ holder }) => (holder === null || holder === agent ? [] : [holder]));
  const message = prose([
    `${agent} edits a file that another task names.`,
    line("Files", shortList(foreign.map(foreignWords))),
    `What to do: nothing, if that is meant. ${agent} holds the file until it commits it or reports its task; whoever takes the other task meanwhile is refused there.`,
  ]);
  return { delivered: { message, receivers: [...new Set([...leadsOf(state, agent), ...holders])] } };
}

function decideTaking(
  { coordination }: TeamState,
  { files }: TakenFiles,
  { by, session, seq, atMs }: Pick<At, "session" | "seq" | "atMs"> & { readonly by: Pick<Actor, "agent"> },
) {
  return decideTaken({ holder: by.agent, session, files, seq, atMs }, coordination.work);
}

/*
 * Files that several agents change in the course of their work, in any project: what package managers lock, change logs,
 * and the folders in which the planning programs keep their own record. Rule: docs/protocol/tasks.md, section 15.
 */

const lockFiles = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "yarn.lock",
  "pnpm-lock.yaml",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
  "Cargo.lock",
  "poetry.lock",
  "uv.lock",
  "pdm.lock",
  "Pipfile.lock",
  "Gemfile.lock",
  "composer.lock",
  "go.sum",
  "go.work.sum",
  "mix.lock",
  "pubspec.lock",
  "Podfile.lock",
  "Package.resolved",
  "flake.lock",
  "gradle.lockfile",
] as const;

const changeLogs = ["CHANGELOG", "CHANGELOG.*", "CHANGES", "CHANGES.*", "HISTORY.md", "NEWS", "NEWS.md"] as const;

/** Globs of those files; a team file adds its own under `shared`. */
const sharedByNature: readonly string[] = [
  ...[...lockFiles, ...changeLogs].map((name) => `**/${name}`),
  ".vbw-planning/**",
  ".yolo-planning/**",
];

/** Read when a file is first asked about: most calls of the command never do. */
let natural: readonly Glob[] | undefined;

/** Those of the files that an edit takes; `more`: the team's own globs of files that it does not take. */
export function withoutShared(files: readonly string[], more: readonly string[] = []): readonly string[] {
  natural ??= storedGlobs(sharedByNature);
  const shared = [...natural, ...storedGlobs(more)];
  return files.filter((path) => {
    const stored = foldAsStored(path);
    return !shared.some((glob) => globMatches(glob, stored));
  });
}

/** The globs as stored paths are compared with them; what is no glob is left out. */
function storedGlobs(texts: readonly string[]): readonly Glob[] {
  return texts.flatMap((text) => {
    const glob = readGlob(foldAsStored(text));
    return glob.ok ? [glob.value] : [];
  });
}

interface WrittenFiles {
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
  readonly holders: readonly string[];
  /** Since when Baton did not see what the agent did; absent: its program wrote them by a tool that Baton knows. */
  readonly unseenSince?: string | undefined;
  /** The gate has refused a commit that has them; somebody else may have written them. */
  readonly isCommit?: boolean;
  /** The gate has refused to push commits of the agent that have them. */
  readonly isPush?: boolean;
}

/** Records the finding once, however often the file is written. The agent itself reads it in the answer. */
async function recordWritten(context: TeamContext, actor: Actor, written: WrittenFiles): Promise<Reply> {
  const refused = refusedOf(written);
  const id = `${refused ?? "unasked"}/${sha256(canonical({ ...findingOf(written) })).slice(0, 32)}`;
  const unasked = written.unseenSince === undefined ? "write-unasked" : "change-unseen";
  const name = refused === null ? unasked : (`${refused}-refused` as const);
  return await perform({ context, actor }, { ...recording, name }, written, id);
}

/** What git refused; null: the files are written. */
function refusedOf({ isCommit = false, isPush = false }: WrittenFiles): "push" | "commit" | null {
  return isPush ? "push" : isCommit ? "commit" : null;
}

/** The finding as it is recorded. */
function findingOf({ files, problems, unseenSince }: WrittenFiles) {
  const found = problems.map(({ path, message }) => `- ${visible(path)}: ${visible(message)}`);
  return { files: [...files], found, ...(unseenSince === undefined ? {} : { unseenSince }) };
}

const recording: Omit<Operation<WrittenFiles, TeamContext>, "name"> = {
  recorded: findingOf,
  decide(state, written, { by: { agent } }) {
    const { found } = findingOf(written);
    const more = found.length > shownMax ? [`- and ${found.length - shownMax} more`] : [];
    const about = [...found.slice(0, shownMax), ...more];
    const refused = refusedOf(written);
    const lines =
      refused === null ? writtenLines(agent, about, written.unseenSince) : refusedLines(agent, about, refused);
    const others = [...leadsAbove(state, agent), ...written.holders].filter((each) => each !== agent);
    return ok({ events: [], notes: [], delivered: { message: prose(lines), receivers: [...new Set(others)] } });
  },
};

function refusedLines(agent: string, about: readonly string[], what: "commit" | "push"): readonly string[] {
  const refused = what === "commit" ? `a commit of ${agent}: it has` : `to push commits of ${agent}: they have`;
  const commits = what === "commit" ? "the commit" : "its commits";
  return [
    `Git refused ${refused} files that ${agent} may not change.`,
    ...about,
    `What to do: ${agent} leaves them out of ${commits}. Talk to ${agent} if they belong to its task.`,
  ];
}

function writtenLines(agent: string, about: readonly string[], unseenSince: string | undefined): readonly string[] {
  if (unseenSince !== undefined) return unseenLines(agent, unseenSince, about);
  return [
    `${agent} has written files that it may not write. Its program did not ask Baton before, or got no answer.`,
    ...about,
    "What to do: look at the change, and take back what does not belong there. Nothing was undone.",
  ];
}

/** Nobody is accused: the holder may have made the change. */
function unseenLines(agent: string, since: string, about: readonly string[]): readonly string[] {
  return [
    `Files that others hold changed after ${visible(since)}, in the work tree of ${agent}. Baton could not see then what ${agent} did, so it does not know who changed them.`,
    ...about,
    "What to do: the holder looks at the change. If the holder made it, no one needs to do anything. Nothing was undone.",
  ];
}
