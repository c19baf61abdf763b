/** `baton doctor`: what a first look at a machine that does not work should find, and each check that it makes. */
import { accessSync, constants, existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { reasonOf } from "../../base/plain-file.ts";
import type { Problem } from "../../base/problem.ts";
import { isAtLeast, visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { acceptLossLine } from "../../doors/cli/kernel/next-command.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { gateTree, isGateInstalled } from "../../evidence/decide/git-hooks.ts";
import { mergeDrivers } from "../../evidence/git/checkout.ts";
import { look } from "../../evidence/git/questions.ts";
import { openRepository, type Repository, workTreesOf } from "../../evidence/git/repository.ts";
import { mainTipsOf, tipsOf } from "../../evidence/git/tips.ts";
import { anchorPath } from "../../journal/anchor-file.ts";
import { checkEngines, type EngineCheck, fileAddress, oldJournalAt } from "../../journal/engines.ts";
import type { Journal } from "../../journal/journal.ts";
import { leftProblem } from "../../perform/closed-team.ts";
import { openTeamJournal } from "../../perform/open.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { lookForPlace, type Place, type PlaceCall, trackedOld } from "../../perform/workspace/place.ts";
import { findUpwards, findWorkspace, journalIn, type Workspace } from "../../perform/workspace/workspace.ts";
import { teamOfFile } from "../../team/handlers/team-file.ts";
import { type Check, examinePrograms } from "./examined-programs.ts";
import { nearestProject } from "./settings-text.ts";
import { olderFileChecks, teamFileCheck } from "./team-file-check.ts";

const marks = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

export const command: Command = {
  isLocal: true,
  globals: ["journal"],
  description:
    "Looks at Node, SQLite, the place, the team file, the journal and its directory, and at\n" +
    "the agent programs that are set up in this project. Says for each whether it is in order and, where it is not, what\n" +
    "to do. Changes nothing. Exits 2 when something fails.",
  examples: [
    { line: "baton doctor", meaning: "the nearest .baton/" },
    { line: "baton doctor --json", meaning: "a line of JSON a check, for a report" },
  ],
  next: "Do what the failing lines say, then run it again.",
  run: async (call) => {
    const { output } = call;
    const paint = output.paint.stdout;
    const colours = { ok: paint.good, warn: paint.warn, fail: paint.bad };
    const checks = await examine(call);
    for (const check of checks) output.result(check, () => checkText(check, colours[check.state], output.named));
    return checks.some(({ state }) => state === "fail") ? exitCodes.refused : exitCodes.done;
  },
};

function checkText(check: Check, colour: (text: string) => string, named: (text: string) => string): string {
  const line = `${colour(marks[check.state])}  ${check.check.padEnd(12)}  ${visible(check.finding)}`;
  return check.advice === null ? line : `${line}\n${" ".repeat(20)}${visible(named(check.advice))}`;
}

/*
 * The checks of `baton doctor`: each looks at one thing and says what it found and what to do. None changes anything.
 */

/** Every check, in the order a person would look. */
async function examine(call: Call): Promise<readonly Check[]> {
  const machine = [good("node", process.versions.node), ...checkEngines().map(engineCheck)];
  const place = lookForPlace(call);
  const programs = await examinePrograms(call.config, nearestProject(call.config.directory));
  if (!place.ok) return [...machine, failed("place", place.error), ...programs];
  return [
    ...machine,
    ...(await examineState(call, place.value)),
    await teamFileCheck(place.value),
    ...(await journalChecks(call, place.value)),
    ...(await gitGateChecks(call.config)),
    ...(await cloneChecks(call.config, place.value)),
    ...programs,
  ];
}

/** Where work lands, whether conflicts are foreseen, and whether the clone may lack what reports are judged by. */
async function cloneChecks({ directory, environment }: Config, { teamFile }: Place): Promise<readonly Check[]> {
  const opened = await openRepository(directory, { environment: environment() });
  if (!opened.ok) return [];
  await using repository = opened.value;
  const hasConfig = async (name: string) => {
    const found = await repository.git.run(["config", "--get-regexp", name], { answers: [0, 1] });
    return found.ok && found.value.code === 0;
  };
  const finding = `${directory}: a partial clone; reports of what it lacks cannot be judged`;
  const advice = "git config --unset remote.origin.partialclonefilter, then git fetch --refetch";
  const isPartial = await hasConfig("^remote\\..*\\.partialclonefilter$");
  const version = await repository.git.run(["version"]);
  const [, major = "0", minor = "0"] =
    /^git version (\d+)\.(\d+)/.exec(version.ok ? version.value.output.toString("utf8") : "") ?? [];
  return [
    await mainCheck(repository, teamFile),
    ...(isAtLeast(`${major}.${minor}.0`, mergingFloor)
      ? []
      : [
          check(
            "git merge",
            "warn",
            `git ${major}.${minor} foresees no conflicts of verified work`,
            "install git 2.38",
          ),
        ]),
    ...((await hasConfig(mergeDrivers))
      ? [
          check(
            "git merge",
            "warn",
            "conflicts are not foreseen: a program of the configuration merges (merge.*.driver)",
          ),
        ]
      : []),
    ...(isPartial ? [check("git clone", "warn", finding, advice)] : []),
  ];
}

/** Least git that merges without a work tree. */
const mergingFloor = [2, 38, 0] as const;

/** On which branch work has landed. */
async function mainCheck(repository: Repository, teamFile: Place["teamFile"]): Promise<Check> {
  const read = await teamOfFile(teamFile);
  if (!read.ok) return check("main branch", "warn", "not known, because the team file has an error");
  const named = read.value?.main ?? null;
  const found = await look(async () => mainTipsOf(repository, await tipsOf(repository), named));
  const [main] = found.ok ? found.value : [];
  const how = named === null ? "" : ", as the team file says";
  if (main !== undefined) return good("main branch", `${main.name}${how}`);
  const advice = "name it in .baton/team.yaml, such as main: develop";
  return check("main branch", "warn", `there is no branch ${named ?? "main"}${how}, so no work lands`, advice);
}

function engineCheck({ engine, finding, advice }: EngineCheck): Check {
  return advice === null ? good(engine, finding) : bad(engine, finding, advice);
}

/* What `baton doctor` says of the place: where team and state lie, and what an older Baton or a commit has left. */

/** The checks of a place that was found; nothing is changed. */
async function examineState(call: PlaceCall, place: Place): Promise<readonly Check[]> {
  const workspace = call.given.text("journal") === undefined ? findWorkspace(call.config.directory) : null;
  return [
    check("place", "ok", place.root),
    ...(workspace === null ? [] : passedOverChecks(call.config.directory, workspace)),
    stateCheck(place, workspace),
    directoryCheck(place.journal, workspace),
    ...(workspace === null ? [] : await oldChecks(call, place, workspace)),
  ];
}

/** A `.baton/` between here and the team: a commit may have brought it, so it counts only once it is initialised here. */
function passedOverChecks(directory: string, { root }: Workspace): readonly Check[] {
  const nearest = findUpwards(directory, ".baton", existsSync);
  if (nearest === null || nearest === root || !nearest.startsWith(`${root}${sep}`)) return [];
  const finding = `${join(nearest, ".baton")} is not used: it lies below the team in ${root}`;
  return [check("other team", "warn", finding, "run baton init there to use it, or remove it if a commit brought it")];
}

function stateCheck({ journal, refusal }: Place, workspace: Workspace | null): Check {
  if (refusal !== null) return check("state", "fail", `${dirname(journal)}: ${refusal.message}`, refusal.hint);
  const where =
    workspace === null
      ? "named with --journal"
      : workspace.isInGit
        ? "inside .git, where no commit can put a file"
        : "there is no repository, so it is in .baton/";
  return check("state", "ok", `${dirname(journal)} (${where})`);
}

function directoryCheck(journal: string, workspace: Workspace | null): Check {
  const directory = dirname(journal);
  // The first command that records something creates the state folder in git's own.
  const asked = existsSync(directory) || workspace?.isInGit !== true ? directory : dirname(workspace.state);
  if (!existsSync(asked) && workspace?.isInGit !== true)
    return check("directory", "fail", `${directory} does not exist`, "run baton init, or correct --journal");
  try {
    accessSync(existsSync(asked) ? asked : dirname(asked), constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = reasonOf(cause) === "EROFS" ? "is on a read-only file system" : "may not be written";
    const advice =
      "in an agent's sandbox use Baton's MCP tools; elsewhere change the permissions, or choose another place with --journal";
    return check("directory", "fail", `${asked} ${reason}`, advice);
  }
  return check("directory", "ok", "may be read and written");
}

/** What is at the place where an older Baton kept its journal. */
async function oldChecks(call: PlaceCall, place: Place, workspace: Workspace): Promise<readonly Check[]> {
  const old = journalIn(workspace.directory);
  const kind = oldJournalAt(old);
  if (!workspace.isInGit || kind === "none" || kind === "stub") return [];
  const tracked = await trackedOld(workspace, call);
  if (tracked !== null)
    return [
      check(
        "old journal",
        place.journal === old ? "fail" : "warn",
        `${tracked.path}: ${tracked.message}`,
        tracked.hint,
      ),
    ];
  if (place.journal === old || kind === "marked")
    return [check("old journal", "ok", `${old} moves to ${workspace.state} with the next command`)];
  const finding = `${old} is a second journal, which is not used: an older Baton has written it since the first one moved`;
  const advice = `read it with --journal ${fileAddress(join(".baton", "journal.db"))}, bring it in with journal export and import, and remove it`;
  return [check("old journal", "warn", finding, advice)];
}

function check(name: string, state: Check["state"], finding: string, advice?: string): Check {
  return { check: name, state, finding, advice: advice ?? null };
}

const name = "git gate";

/** A check a worktree of the repository around the folder; none where there is no repository. */
async function gitGateChecks({ directory, environment }: Config): Promise<readonly Check[]> {
  const options = { environment: environment() };
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened.error.code === "repository-missing" ? [] : [refused(directory, opened.error)];
  await using repository = opened.value;
  const listed = await workTreesOf(repository);
  if (!listed.ok) return [refused(directory, listed.error)];
  const isInstalled = isGateInstalled(repository);
  const checks: Check[] = [];
  for (const { directory: place } of listed.value) {
    const tree = await gateTree(place, options);
    if (!tree.ok) checks.push(refused(place, tree.error));
    else if (isInstalled) checks.push(tree.value.isGated ? good(name, place) : passedBy(place, tree.value.hooks));
  }
  const advice = "`baton install git-hooks` lets git ask before each commit and push";
  return isInstalled || checks.length > 0 ? checks : [{ ...good(name, "not installed"), advice }];
}

function passedBy(place: string, hooks: string): Check {
  const finding = `${place}: git does not come to the gate: its hooks here are those of ${hooks}`;
  return {
    check: name,
    state: "warn",
    finding,
    advice: "run any command of Baton's there, or baton install git-hooks",
  };
}

/** Git reads no folder that belongs to somebody else, unless its user says so. */
function refused(place: string, { message, hint }: Problem): Check {
  const isForeign = message.includes("dubious ownership");
  const advice = isForeign ? `if you trust it: git config --global --add safe.directory ${place}` : (hint ?? null);
  return { check: name, state: "fail", finding: `${place}: ${message}`, advice };
}

/* Whether the journal can be used. */

/** So long the journal's server may take to answer, in milliseconds: a look must not take as long as a command waits. */
const serverMs = 4_000;

/** Whether the journal can be opened and is sound, and what its server says. Nothing is changed. */
async function journalChecks(call: Pick<Call, "given">, place: Place): Promise<readonly Check[]> {
  const { journal: file, address, shown } = place;
  if (address === file && !existsSync(file))
    return [
      {
        check: "journal",
        state: "ok",
        finding: "not written yet",
        advice: "the first command that records something makes it",
      },
    ];
  const options = { create: false, readOnly: true, headsFile: anchorPath(file), waitMs: serverMs };
  const opened = await openTeamJournal(address, options);
  if (!opened.ok)
    return [opened.error.code === "journal-unreachable" ? away(opened.error) : failed("journal", opened.error)];
  await using journal = opened.value;
  const status = journal.condition();
  if (status.condition === "unreachable") return [away(status.problem)];
  if (status.condition === "failed") return [failed("journal", status.problem)];
  if (status.condition === "regressed") {
    const finding = `team ${status.team} is at entry ${status.head.seq}, but ${status.anchor.seq} were acknowledged`;
    return [bad("journal", finding, `restore a backup, or go on without them: ${acceptLossLine(call)}`)];
  }
  const report = await journal.verify();
  const [first] = report.problems;
  if (first !== undefined) return [failed("journal", first)];
  const left = await leftProblem(journal);
  if (left !== null) return [failed("journal", left)];
  const where = address === file ? "" : `, in ${shown}`;
  const entries = report.teams.reduce((sum, each) => sum + each.entries, 0);
  const sound = await ofServer(journal, good("journal", `sound, ${entries} entries${where}`));
  return [sound, ...(await olderFileChecks(journal, place))];
}

/** The same of a sound journal with what its server says: whether it can be written, and what to heed at a failover. */
async function ofServer(journal: Pick<Journal<unknown>, "stats">, sound: Check): Promise<Check> {
  const stats = await journal.stats();
  if (!stats.ok) return failed(sound.check, stats.error);
  const { lacksRights, failoverTo, isStandby } = stats.value.engine;
  if (isStandby === true) {
    const finding = `${sound.finding}, but its server is a standby, which can only be read`;
    return bad(
      sound.check,
      finding,
      "name the primary; if it is lost, docs/guides/when-something-fails.md says how to promote one",
    );
  }
  if (lacksRights !== undefined) {
    const finding = `${sound.finding}, but its user may not write: it lacks ${lacksRights}`;
    return bad(sound.check, finding, "as the owner of the tables grant it these rights, or name another user");
  }
  if (failoverTo !== "furthest replica") return sound;
  const advice =
    "if the server is lost, promote only the replica that is furthest: docs/guides/when-something-fails.md says how";
  return { ...sound, advice };
}

/** A check that found things in order. */
function good(check: string, finding: string): Check {
  return { check, state: "ok", finding, advice: null };
}

/** A check that failed, with what to do. */
function bad(check: string, finding: string, advice: string): Check {
  return { check, state: "fail", finding, advice };
}

/** The same of a problem. */
function failed(check: string, { code, path, message, hint }: Problem): Check {
  return bad(check, `${path}: ${message} (${code})`, hint ?? "see baton journal verify");
}

/** The server of the journal does not answer: why, and what was not looked at. */
function away({ code, path, message, received }: Problem): Check {
  const why = received === undefined ? "" : ` ${received}.`;
  return bad(
    "journal",
    `${path}: ${message}${why} (${code})`,
    "Not checked: the server's settings, whether entries are missing or changed, whether the team file is older. Look whether the server runs and can be reached from here, and run this again.",
  );
}
