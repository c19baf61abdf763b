/** `baton verify`: work checked against git: reported completions, what is staged, and the commits of a range. */
import { join, resolve } from "node:path";
import { sha256 } from "../../base/canonical.ts";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { counted, visible, visibleLines } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { hubOf, sharedProblem } from "../../doors/cli/place/hub-address.ts";
import { openLocal, withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Paint, toned } from "../../doors/cli/terminal/output.ts";
import { ownerName } from "../../messages/principal.ts";
import { meansTask } from "../../messages/task-ids.ts";
import type { Actor } from "../../perform/context.ts";
import type { TaskVerdict } from "../../perform/operations/reply.ts";
import type { WorkingTeam } from "../../perform/team.ts";
import { agentsInShell, isBelowProgram, sessionsFolder } from "../../perform/workspace/agent-sessions.ts";
import { lookForPlace } from "../../perform/workspace/place.ts";
import { gitFolderOfTree } from "../../perform/workspace/workspace.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { CheckOutcome } from "../decide/contract-checks.ts";
import { tokenFile } from "../decide/git-hook-script.ts";
import type { GateAnswer, RepositoryPlace } from "../services/gate.ts";
import { commitList, gateSubject, placeText, verdictCode } from "./verdict-text.ts";

export const command: Command = {
  description:
    "Checks reported completions against the git repository around the folder: the commit is on a branch, its changes are\n" +
    "inside contract and claim, and are those that were reported. With --staged: what is staged, against the claims and\n" +
    "the contract of the agent that commits, whom --as, BATON_AGENT or the worktree's name names, else the person. With\n" +
    "--range: each commit, for its author where the author is an agent of the team. Exits 2 when anything is disputed, gone\n" +
    "or outside, and 5 when the repository gives no verdict.\n" +
    "Through a hub, it judges what was reported by its own repository; --staged and --range look here, by its facts.",
  positionals: [
    { name: "TASK", argument: "tasks", repeatable: true, summary: "only these tasks (default: all that are reported)" },
  ],
  options: [
    {
      name: "artifacts",
      kind: "flag",
      summary: "shows all artifacts that messages name, one line a message, not only disputed ones",
    },
    { name: "staged", kind: "flag", summary: "what is staged for the next commit (the pre-commit hook)" },
    { name: "range", kind: "text", value: "A..B", summary: "the commits of a range, or of B that no remote has yet" },
    { name: "repository", kind: "text", value: "DIR", summary: "a folder of the repository (default: this one)" },
  ],
  examples: [
    { line: "baton verify", meaning: "every completion that was reported" },
    { line: "baton verify --staged --as dev-1", meaning: "may dev-1 commit what is staged?" },
    { line: "baton verify --range origin/main..HEAD", meaning: "a branch, for continuous integration" },
  ],
  next: "baton install git-hooks lets git ask before each commit and push.",
  run: async (call) => {
    const { given, output } = call;
    const range = given.text("range");
    const tasks = given.words("TASK");
    const ways = [given.flag("staged"), range !== undefined, tasks.length > 0].filter(Boolean).length;
    if (ways > 1)
      return output.fail(usageProblem("--staged", "Tasks, --staged and --range are three questions.", "ask one"));
    const isOfHub = hubOf(call) !== null && range === undefined && !given.flag("staged");
    if (isOfHub && given.text("repository") !== undefined)
      return output.fail(
        usageProblem("--repository", "A hub judges what was reported by its own repository.", "leave it out"),
      );
    if (range === undefined && !given.flag("staged"))
      return await withTeam(call, (team) => verifyTasks(call, team, tasks));
    let asker: Actor | null = null;
    const code = await withTeam(isAskedByGit(call) ? inHurry(call) : call, (team) => {
      asker = team.actor;
      keepToken(call, asker);
      return range === undefined ? judgeStaged(call, team) : judgeRange(call, team, range);
    });
    if (code === exitCodes.done || !isAskedByGit(call)) return code;
    const committer = await committerOf(call, asker);
    if (committer.ok && committer.value === null && !isInProgram(call))
      output.say("Only the hub knows whose BATON_TOKEN is. If it is yours: BATON_AGENT=owner");
    // Who is not stopped by a failure of Baton itself is stopped by this one: Baton runs, and knows that it is no person.
    if (!committer.ok || !isOnlyWarned(call, committer.value))
      return code === exitCodes.problem ? exitCodes.refused : code;
    output.say(
      "warning: the gate could not judge this. You are the person, so git goes on; an agent would be stopped.",
    );
    return exitCodes.done;
  },
};

async function verifyTasks(call: Call, team: WorkingTeam, tasks: readonly string[]): Promise<ExitCode> {
  const { output, signal } = call;
  // Only a hook's questions are about the commit that git is making.
  const place = repositoryOf(call, false);
  const judged = await team.verify(place, {
    signal,
    ...(tasks.length === 0 ? {} : { tasks }),
    checks: { onCheck: tellChecks(call) },
  });
  if (!judged.ok) return output.fail(judged.error);
  for (const verdict of judged.value) {
    output.result(verdict, () => verdictText(verdict, output.paint.stdout));
    output.problems(verdict.problems);
    output.notes(verdict.notes);
  }
  const unjudged = await sayUnjudged(call, team, tasks, judged.value);
  if (unjudged !== null) return output.fail(unjudged);
  const isArtifactDisputed = tasks.length === 0 ? await tellArtifacts(call, team, place) : false;
  if (typeof isArtifactDisputed !== "boolean") return output.fail(isArtifactDisputed);
  return isArtifactDisputed ? exitCodes.refused : verdictCode(judged.value);
}

/** Says of each task that was named, or where none was judged of all, why there is no verdict on it. */
async function sayUnjudged(
  { output }: Call,
  team: WorkingTeam,
  named: readonly string[],
  judged: readonly TaskVerdict[],
): Promise<Problem | null> {
  if (named.length === 0 && judged.length > 0) return null;
  const found = await team.tasks();
  if (!found.ok) return found.error;
  const isJudged = ({ task }: TaskView): boolean => judged.some((verdict) => verdict.task === task);
  const isMeant = ({ task, plan, number }: TaskView): boolean => named.some((id) => meansTask(id, task, plan, number));
  const left = found.value.filter((task) => !isJudged(task) && (named.length === 0 || isMeant(task)));
  const free = left.filter(({ verdict, holder }) => verdict === "unneeded" && holder === null);
  for (const { task } of free) output.say(`${visible(task)} needs no files, so its report is not checked: it is done.`);
  if (named.length > 0)
    for (const { task, state } of left.filter((task) => !free.includes(task)))
      output.say(`${visible(task)} is ${state}, and not reported as complete.`);
  else if (free.length === 0) output.say("No task is reported as complete.");
  return null;
}

/** Tells the disputed artifacts, or all; whether one is disputed, or why they could not be looked at. */
async function tellArtifacts(call: Call, team: WorkingTeam, place: RepositoryPlace): Promise<boolean | Problem> {
  const { output, given } = call;
  const judged = await team.verifyArtifacts(place, { signal: call.signal });
  if (!judged.ok) return judged.error;
  const all = given.flag("artifacts");
  for (const verdict of judged.value.filter(({ state }) => all || state === "disputed")) {
    output.result(verdict, () => {
      const subject = `${verdict.type} of ${verdict.sender} (entry ${verdict.seq})`;
      return `${stateText(verdict.state, output.paint.stdout)}  ${visible(subject)}: ${visible(verdict.artifacts.join(", "))}`;
    });
    output.problems(verdict.problems);
  }
  return judged.value.some(({ state }) => state === "disputed");
}

/** Says how each check ended, and the end of what one printed that did not pass, where that is something new. */
export function tellChecks({ output }: Call): (outcome: CheckOutcome, of?: string) => void {
  const told = new Set<string>();
  return ({ check, exitCode, durationMs, outputEnd, outputDigest }, of) => {
    const where = of === undefined ? "" : ` ${visible(of)}`;
    output.say(`ran ${visible(check)}${where}: ${exitCode === 0 ? "passed" : "did not pass"} (${durationMs} ms)`);
    const end = outputEnd.trimEnd().split("\n").slice(-outputLinesShown).join("\n");
    // Times and folders differ from run to run.
    const same = end.split(/\s+/).filter((word) => !/\d/.test(word));
    const news = [check, ...same].join(" ");
    if (exitCode === 0 || told.has(news)) return;
    told.add(news);
    if (end !== "") output.say(visibleLines(end));
    output.say(`All that it printed: baton/checks/${outputDigest}.log in git's folder.`);
  };
}

const outputLinesShown = 20;

function stateText(state: TaskVerdict["state"], paint: Paint): string {
  const tones = { verified: "good", complete: "good", disputed: "bad", gone: "warn", reported: "faint" } as const;
  return toned(paint, tones, state, state.padEnd("verified".length));
}

function verdictText({ task, state, commits, place }: TaskVerdict, paint: Paint): string {
  const at = place === undefined ? "" : `  ${placeText(place)}`;
  const where = commits.length === 0 ? at : `  ${paint.faint(commitList(commits))}${at}`;
  return `${stateText(state, paint)}  ${visible(task)}${where}`;
}

async function judgeStaged(call: Call, team: WorkingTeam): Promise<ExitCode> {
  const place = repositoryOf(call);
  const committer = await committerOf(call, team.actor);
  if (!committer.ok) return call.output.fail(committer.error);
  if (committer.value === null) return call.output.fail(noAgent());
  const judged = await team.judgeStaged(place, committer.value);
  if (!judged.ok) return call.output.fail(judged.error);
  if (isOnlyWarned(call, committer.value)) return warn(call, [judged.value]);
  await notifyLeads(call, team, [judged.value], { isCommit: true });
  return tell(call, [judged.value]);
}

/**
 * Notifies the leads above each agent, and the holders of the files, of what the gate refuses where git asks. Who only looks
 * notifies nobody. A notice that cannot be recorded changes nothing: git is refused all the same.
 */
async function notifyLeads(
  call: Call,
  team: WorkingTeam,
  answers: readonly GateAnswer[],
  refused: { readonly isCommit: true } | { readonly isPush: true },
): Promise<void> {
  if (!isAskedByGit(call)) return;
  for (const [agent, found] of Map.groupBy(answers, (answer) => answer.agent)) {
    const files = [...new Set(found.flatMap(({ problems }) => problems.map(({ path }) => path)))];
    if (agent === null || agent === ownerName || files.length === 0) continue;
    const opened =
      team.actor.agent === agent ? ok(team) : hubOf(call) === null ? await openLocal(call, agent) : err([]);
    if (!opened.ok) continue;
    await opened.value.editFiles(files, refused);
    if (opened.value !== team) await opened.value[Symbol.asyncDispose]();
  }
}

async function judgeRange(call: Call, team: WorkingTeam, range: string): Promise<ExitCode> {
  const { given, output } = call;
  const place = repositoryOf(call);
  const as = given.text("as") ?? null;
  const committer = await committerOf(call, team.actor);
  if (!committer.ok) return output.fail(committer.error);
  // A look tells of those whom it knows.
  if (committer.value === null && isAskedByGit(call)) return output.fail(noAgent());
  const judged = await team.judgeRange(place, range, { as, fallback: committer.value });
  if (!judged.ok) return output.fail(judged.error);
  if (isOnlyWarned(call, committer.value)) return warn(call, judged.value);
  await notifyLeads(call, team, judged.value, { isPush: true });
  return tell(call, judged.value);
}

/** The call as git makes it: the person who commits does not wait long for a hub that says nothing. */
function inHurry(call: Call): Call {
  return { ...call, connectHub: (address) => call.connectHub({ ...address, answerMsMax: hookMsMax }) };
}

const hookMsMax = 5_000;

/** Whether git waits for the answer: a hook of a commit or of a push asks. */
function isAskedByGit({ config }: Call): boolean {
  const { directory, indexFile, isCalled } = config.gitHook;
  return directory !== null || indexFile !== null || isCalled;
}

/** Whether git asks for the person, whom the gate warns and never stops. A program that says it is the person is none. */
function isOnlyWarned(call: Call, committer: string | null): boolean {
  return committer === ownerName && isAskedByGit(call) && !isInProgram(call);
}

/**
 * Who commits here: by `--as`, by what runs in a shell that several agents share, by the environment, by the name of the
 * work tree, by the token of an agent. Where nobody is named it is the person; null: nobody is named, and an agent's program
 * runs this, or a token that no hub knows. The owner's token says only who asks; `asker` null: the team could not be asked.
 * Refuses `identity-mismatch` where several agents share the shell and not just one of them runs a command, and where all
 * work trees have one name.
 */
export async function committerOf(
  call: Call,
  asker: Actor | null,
  place = repositoryOf(call),
): Promise<Result<string | null, Problem>> {
  const { config, given } = call;
  const named = given.text("as");
  if (named !== undefined) return ok(named);
  const [only, ...more] = inShell(call);
  const inOwnShell = only !== undefined && more.length === 0 ? only : null;
  const shared = sharedProblem({ acts: true }, call);
  if (shared !== null) {
    if (inOwnShell !== null) return ok(inOwnShell);
    const hint = "Commit again when no other agent of this session runs a command.";
    return err(makeProblem(shared.code, shared.path, shared.message, { hint }));
  }
  const { configuredAgent } = await import("../services/gate.ts");
  const said = config.agent === null ? await configuredAgent(place) : ok(config.agent);
  if (!said.ok || said.value !== null) return said;
  const proven = asker?.via === "token" ? asker.agent : keptAgent(call);
  if (proven !== null && proven !== ownerName) return ok(proven);
  const isUnproven = asker === null && proven === null && (hubOf(call)?.token ?? null) !== null;
  return ok(inOwnShell ?? (isUnproven || isInProgram(call) ? null : ownerName));
}

/** Keeps whose a token is, for when its hub gives no answer. */
function keepToken(call: Call, { agent, via }: Actor): void {
  const [file, mark] = tokenNote(call);
  if (via !== "token" || file === null || mark === null || keptAgent(call) === agent) return;
  try {
    replacePlainFile(file, `${mark}\n${agent}\n`);
  } catch {
    // Then it is not known.
  }
}

/** Whose the token is, as a hub has said before; null: no token is given, or it is another one. */
function keptAgent(call: Call): string | null {
  const [file, mark] = tokenNote(call);
  const kept = file === null ? null : readPlainFile(file, noteBytesMax);
  const [known, agent = null] = kept?.ok === true ? (kept.value?.text.split("\n") ?? []) : [];
  return mark !== null && known === mark ? agent : null;
}

function tokenNote(call: Call): readonly [file: string | null, mark: string | null] {
  const folder = gitFolderOfTree(call.config.directory);
  const token = hubOf(call)?.token ?? null;
  return [folder === null ? null : join(folder, tokenFile), token === null ? null : sha256(token)];
}

const noteBytesMax = 1_000;

/** Whether an agent's program runs this, as far as the program or its hooks say it. */
export function isInProgram(call: Call): boolean {
  const place = lookForPlace(call);
  return call.config.isInProgram || (place.ok && isBelowProgram(sessionsFolder(place.value.journal)));
}

function inShell(call: Call): readonly string[] {
  const place = lookForPlace(call);
  const { session } = call.config;
  return place.ok && session !== null ? agentsInShell(sessionsFolder(place.value.journal), session) : [];
}

/** The repository that is meant; `asHook`: with what git told the hook that called us. */
function repositoryOf({ given, config }: Call, asHook = true): RepositoryPlace {
  const { directory, indexFile } = config.gitHook;
  const named = given.text("repository");
  return {
    directory: resolve(config.directory, named ?? "."),
    environment: config.environment(),
    // A hook's variables are about the repository it runs in, not about one that is named.
    ...(named === undefined && asHook
      ? {
          hook: {
            ...(directory === null ? {} : { gitDirectory: resolve(config.directory, directory) }),
            ...(indexFile === null ? {} : { indexFile: resolve(config.directory, indexFile) }),
          },
        }
      : {}),
  };
}

function tell(call: Call, answers: readonly GateAnswer[]): ExitCode {
  const { output } = call;
  for (const answer of answers) {
    output.result(answer, () => {
      const paint = output.paint.stdout;
      const word = answer.problems.length === 0 ? paint.good("inside ") : paint.bad("outside");
      return `${word}  ${gateSubject(answer)}, ${counted(answer.files, "file")}`;
    });
    output.problems(answer.problems);
  }
  return codeOf(answers);
}

/** Tells the person what would stop an agent; git goes on. */
function warn({ output }: Call, answers: readonly GateAnswer[]): ExitCode {
  const problems = answers.flatMap(({ problems: found }) => found);
  for (const { path, message } of problems) output.say(`warning: ${visible(path)}: ${visible(message)}`);
  if (problems.length > 0) output.say("You are the person, so git goes on; an agent would be stopped.");
  return exitCodes.done;
}

function codeOf(answers: readonly GateAnswer[]): ExitCode {
  return answers.every(({ problems }) => problems.length === 0) ? exitCodes.done : exitCodes.refused;
}

function noAgent() {
  return makeProblem("unknown-agent", "--as", "Nobody says who commits, so nothing can be judged.", {
    expected: "--as, BATON_AGENT, or a name of the worktree",
    hint: "An agent: `baton install git-hooks --as NAME` in its worktree. A person in an agent's program: BATON_AGENT=owner.",
  });
}
