/**
 * `baton adopt`: takes over a project of VBW, YOLO or BMAD. It shows line by line what it understood, what it would
 * write, and what it did not understand. By the note of an adoption, next to the journal, a repeat knows that the team
 * comes from here. Source: docs/protocol/record.md, sections 26 to 29.
 */
import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { sha256 } from "../../base/canonical.ts";
import { teamName } from "../../base/ids.ts";
import { isJsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile, reasonOf, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { counted, visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { table } from "../../doors/cli/terminal/terminal-text.ts";
import { ownerName, unknownAuthor } from "../../messages/principal.ts";
import type { TaskVerdict } from "../../perform/operations/reply.ts";
import { writablePlaceOf } from "../../perform/workspace/place.ts";
import { createState } from "../../perform/workspace/state-folder.ts";
import {
  isLink,
  linkProblem,
  nameFrom,
  rootFor,
  teamText,
  type Wanted,
  writeFiles,
} from "../../perform/workspace/team-creation.ts";
import {
  hasJournal,
  journalIn,
  liesInRepository,
  type Workspace,
  workspaceAt,
} from "../../perform/workspace/workspace.ts";
import { planningFolders } from "../../team/state/definition.ts";
import { withoutOwn } from "../folders/folder-note.ts";
import { readProject } from "../folders/planning-folder.ts";
import { type Imported, importFound } from "../folders/planning-import.ts";
import { type Finding, type Found, type FoundPlan, origins } from "../reading/found.ts";
import { teamOf } from "../reading/planning-model.ts";
import { opener } from "./sync.ts";

const noteBytesMax = 16 * 1024;

function notePath({ state }: Workspace): string {
  return join(state, "adopted.json");
}

/** The team that was made here; null: nothing was adopted. */
function adoptedTeam(place: Workspace): string | null {
  const file = readPlainFile(notePath(place), noteBytesMax);
  const parsed = file.ok && file.value !== null ? parseBounded(file.value.text) : null;
  if (parsed === null || !parsed.ok || !isJsonObject(parsed.value)) return null;
  const { team } = parsed.value;
  return typeof team === "string" ? team : null;
}

/** Writes the note; returns why it cannot be. */
function noteAdoption(place: Workspace, team: string): Problem | null {
  try {
    replacePlainFile(notePath(place), `${JSON.stringify({ team }, null, 2)}\n`);
    return null;
  } catch (cause) {
    return makeProblem("journal-cannot-open", place.state, `The adoption cannot be noted (${reasonOf(cause)}).`, {
      hint: "run baton adopt where you may write",
    });
  }
}

/** The digest by which a team file is known again. */
function digestOfFile(text: string): string {
  return sha256(text);
}

/** Most lines of each list that people see; `--json` has all. */
const linesMax = 60;

/** What was found, for people. */
function foundText(found: Found, others: readonly Finding[], teamFile: string, paint: Paint): string {
  const { settings, root, files, phases, plans, escalations, rows, findings } = found;
  const heading = `${origins[settings.origin]} in ${visible(root)}: ${counted(files.read, "file")} read, ${files.ignored} left unread on purpose.`;
  const notes = [...others, ...findings];
  return [
    paint.strong(heading),
    ...settings.read.map((line) => `  ${visible(line)}`),
    "",
    paint.strong(`${counted(phases.length, "phase")}, ${counted(plans.length, "plan")}, ${tasksText(plans)}`),
    ...few(
      plans.map((plan) => planRow(plan)),
      (shown) => table(shown).split("\n"),
    ),
    ...section(
      paint,
      `${counted(escalations.length, "escalation")} open`,
      escalations.map(({ id, issue, file }) => `  ${visible(id)}  ${visible(issue)}  (${visible(file)})`),
    ),
    ...(rows.length === 0 ? [] : ["", `${counted(rows.length, "row")} of history.`]),
    ...section(paint, `${counted(notes.length, "thing")} to know: not understood, or left out`, noteLines(notes)),
    ...section(paint, "Team file", linesOf(teamFile), Number.POSITIVE_INFINITY),
  ].join("\n");
}

/** What was recorded, and what git says of it. */
function importedText(
  { plans, tasks, reports, escalations, history, known, refused }: Imported,
  verdicts: { readonly [state: string]: number | undefined },
  paint: Paint,
): string {
  const said = Object.entries(verdicts).map(([state, count]) => `${count} ${state}`);
  return [
    "",
    paint.strong("Recorded"),
    `  ${counted(plans, "plan")} with ${counted(tasks, "task")}, ${counted(reports, "report")} of finished work, ` +
      `${counted(escalations, "open escalation")}, ${counted(history, "row")} of history; ${known} were there already.`,
    ...(said.length === 0 ? [] : [`  In git: ${said.join(", ")}.`]),
    ...section(
      paint,
      `${counted(refused.length, "record")} refused`,
      refused.map((each) => `  ${visible(each.file)}  ${visible(each.why)}`),
    ),
  ].join("\n");
}

function section(paint: Paint, heading: string, lines: readonly string[], max = linesMax): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length > max ? [`  ... and ${lines.length - max} more; --json lists all.`] : [];
  return ["", paint.strong(heading), ...lines.slice(0, max), ...more];
}

function few(rows: readonly (readonly string[])[], text: (rows: readonly (readonly string[])[]) => readonly string[]) {
  if (rows.length === 0) return [];
  const more = rows.length > linesMax ? [`  ... and ${rows.length - linesMax} more; --json lists all.`] : [];
  return [...text(rows.slice(0, linesMax)), ...more];
}

function planRow({ id, title, state, stateFrom, tasks, commits }: FoundPlan): readonly string[] {
  const from = stateFrom === null ? "" : ` (${visible(stateFrom)})`;
  const named = commits.length === 0 ? "" : `, ${counted(commits.length, "commit")}`;
  return [`  ${visible(id)}`, visible(title), `${state}${from}: ${counted(tasks.length, "task")}${named}`];
}

function tasksText(plans: readonly FoundPlan[]): string {
  const done = plans.filter(({ state }) => state === "done").flatMap(({ tasks }) => tasks).length;
  const all = plans.flatMap(({ tasks }) => tasks).length;
  return `${counted(all, "task")} (${done} done by the folder's account)`;
}

/** Most findings of one file that people see: one broken log must not hide the others. */
const notesOfFileMax = 5;

function noteLines(notes: readonly Finding[]): readonly string[] {
  return [...Map.groupBy(notes, ({ file }) => file)].flatMap(([file, all]) => {
    const left = all.length - notesOfFileMax;
    const shown = all.slice(0, notesOfFileMax).map((note) => `  ${placeOf(note)}  ${visible(note.why)}`);
    return left > 0 ? [...shown, `  ${visible(file)}  ... and ${left} more; --json lists them.`] : shown;
  });
}

function placeOf({ file, line }: Finding): string {
  return line === null ? visible(file) : `${visible(file)}:${line}`;
}

/** The lines of a team file that say something. */
function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trimStart().startsWith("#"))
    .map((line) => `  ${line}`);
}

/** What an adoption recorded, and what git says of it. */
export interface Adopted {
  readonly imported: Imported;
  readonly verdicts: readonly TaskVerdict[];
}

/** What was found, with the team file that it means. */
export interface Shown {
  readonly found: Found;
  readonly others: readonly Finding[];
  /** Of the team file. */
  readonly text: string;
}

/** Prints it; `done`: null for a dry run. */
export function showAdoption(
  { output }: Call,
  { found, others, text }: Shown,
  done: (Adopted & { readonly isTeamFileKept: boolean }) | null,
): void {
  const { rows, findings, ...rest } = found;
  const states = Object.fromEntries(
    Object.entries(Object.groupBy(done?.verdicts ?? [], ({ state }) => state)).map(([state, all]) => [
      state,
      all?.length,
    ]),
  );
  output.result(
    {
      dryRun: done === null,
      ...rest,
      history: rows.length,
      findings: [...others, ...findings],
      teamFile: text,
      ...(done === null ? {} : { imported: done.imported, verdicts: states, teamFileKept: done.isTeamFileKept }),
    },
    () => {
      const paint = output.paint.stdout;
      const shown = foundText(found, others, done === null ? text : "", paint);
      return done === null ? shown : [shown, importedText(done.imported, states, paint)].join("\n");
    },
  );
  if (done?.isTeamFileKept === true)
    output.say("The team file was kept as it is; the lines above are what a new one would say.");
}

/** What one does then. */
export function nextSteps({ config: { program } }: Call): string {
  const steps = [
    [`${program} task list --available`, "what can be worked on now"],
    [`${program} up`, "the hub and its page"],
    [`${program} install claude-code`, "let Claude Code ask Baton"],
    ["git add .baton", "commit this separately, before an agent commits its work"],
  ];
  return table(steps)
    .split("\n")
    .map((line, at) => `${at === 0 ? "Next:" : "     "} ${line}`)
    .join("\n");
}

export const command: Command = {
  isLocal: true,
  isOwners: (given) => !given.flag("dry-run"),
  globals: ["team"],
  description:
    "Reads the planning folder of VBW (.vbw-planning), YOLO (.yolo-planning) or BMAD that is here, and makes a team of it: the\n" +
    "team file, and in the journal plans with their tasks, what is done by the folder's account, open escalations, and the\n" +
    "rest as history. It prints line by line what it understood and what not. Commits that summaries name are looked up in\n" +
    "git. No file of the other tool is changed. A repeat adds only what is new.",
  options: [
    { name: "dry-run", kind: "flag", summary: "only say what was understood and what would be written" },
    {
      name: "strict-scope",
      kind: "flag",
      summary: "the files of a plan bound its work (default: they are a forecast)",
    },
    { name: "no-verify", kind: "flag", summary: "do not look up commits now; baton verify or a hub does it later" },
  ],
  examples: [
    { line: "baton adopt --dry-run", meaning: "what is here, and what Baton would make of it" },
    { line: "baton adopt", meaning: "make the team and import the work" },
  ],
  next: "baton status shows the team; baton task list --available lists what can be worked on.",
  run: async (call) => {
    const { config, given, output } = call;
    const hub = hubOf(call);
    if (hub !== null && !given.flag("dry-run")) return output.fail(throughHub(hub.url));
    const place = workspaceAt(rootFor(config.directory));
    if (isLink(place.directory)) return output.fail(linkProblem(place.directory));
    return await adopt(call, place);
  },
};

async function adopt(call: Call, place: Workspace): Promise<ExitCode> {
  const { config, given, output, signal } = call;
  const adopted = adoptedTeam(place);
  const name = given.text("team") ?? adopted ?? nameFrom(place.root);
  if (teamName(name) === null)
    return output.fail(usageProblem("--team", "A team's name is 1 to 64 of a-z, 0-9 and -.", "write --team web", name));
  const read = await readProject(place.root, config.environment().VBW_PLANNING_DIR, signal);
  if (!read.ok) return output.fail(read.error);
  if (signal.aborted) return exitCodes.interrupted;
  const { found, others } = read.value;
  const isStrict = given.flag("strict-scope");
  const text = teamText(wantedFor(found, name, isStrict));
  const shown = { found, others, text };
  if (given.flag("dry-run")) {
    showAdoption(call, shown, null);
    output.say(`Nothing was written; ${relative(config.directory, place.teamFile)} and a journal would be.`);
    return exitCodes.done;
  }
  const isNew = adopted === null || !existsSync(place.teamFile);
  const problem = isNew ? begin(place, adopted !== null, wantedFor(found, name, isStrict)) : null;
  if (problem !== null) return output.fail(problem);
  const done = await bringIn(call, found, isStrict);
  if (!done.ok) return output.fail(done.error);
  const isTeamFileKept = digestOfFile(text) !== currentDigest(place);
  showAdoption(call, shown, { ...done.value, isTeamFileKept });
  if (isNew) output.say(nextSteps(call));
  return exitCodes.done;
}

/** Writes the team file and the note. Refuses `already-exists` where a team is that no adoption made. */
function begin(place: Workspace, wasAdopted: boolean, wanted: Wanted): Problem | null {
  if (existsSync(place.teamFile))
    return makeProblem(
      "already-exists",
      place.teamFile,
      "There is a team here that adopt did not make; nothing was changed.",
      {
        hint: "baton journal import brings in rows and messages as history",
      },
    );
  // Its team's file is perhaps on another branch. Whose record it is can only be said by that file.
  if (!wasAdopted && (hasJournal(place) || existsSync(journalIn(place.directory))))
    return makeProblem(
      "already-exists",
      place.state,
      "There is a journal here that adopt did not make; nothing was changed.",
      {
        hint: "bring the team file of its team back, or baton init; baton journal import brings in rows as history",
      },
    );
  // The note comes first: a repeat then finishes what was interrupted at any point.
  return createState(place.state) ?? noteAdoption(place, wanted.name) ?? writeFiles(place, wanted);
}

async function bringIn(call: Call, found: Found, isStrict: boolean): Promise<Result<Adopted, readonly Problem[]>> {
  const there = await writablePlaceOf(call);
  if (!there.ok) return err([there.error]);
  const open = opener(call, there.value);
  const owner = await open(ownerName);
  if (!owner.ok) return owner;
  await using team = owner.value;
  const progress = (part: string) => call.output.progress(`Importing: ${part}`);
  const options = { isStrict, signal: call.signal, progress };
  const theirs = withoutOwn(found, { state: dirname(there.value.journal), project: there.value.root }, team.name);
  const imported = await importFound({ owner: team, openAuthor: () => open(unknownAuthor) }, theirs, options);
  call.output.progress(null);
  if (!imported.ok) return imported;
  if (call.signal.aborted) return err([stopped]);
  const isVerified = liesInRepository(there.value.root) && !call.given.flag("no-verify") && imported.value.reports > 0;
  const repository = { directory: there.value.root, environment: call.config.environment() };
  const verdicts = isVerified ? await team.verify(repository, {}) : ok([]);
  return verdicts.ok ? ok({ imported: imported.value, verdicts: verdicts.value }) : err([verdicts.error]);
}

const stopped = makeProblem("interrupted", "adopt", "The import was stopped; run baton adopt again to finish it.");

function throughHub(url: string): Problem {
  return usageProblem("BATON_HUB", "BATON_HUB names a hub, and adopt works where the project is.", "unset it", url);
}

function currentDigest({ teamFile }: Workspace): string | null {
  const file = readPlainFile(teamFile, 1024 * 1024);
  return file.ok && file.value !== null ? digestOfFile(file.value.text) : null;
}

/** The team file that goes on with the work. Rule: docs/protocol/record.md, section 26. */
export function wantedFor({ settings, root }: Found, name: string, isStrict: boolean): Wanted {
  const { dialects, chain, agents, names } = teamOf(settings);
  const { escalationSeconds, leaseSeconds, policy, teamMode } = settings;
  const planning = planningFolders.find((folder) => root === folder || root.startsWith(`${folder}/`));
  return {
    name,
    kind: null,
    dialects,
    agents,
    chain,
    about: `Taken over from ${origins[settings.origin]}`,
    settings: {
      policy,
      teamMode,
      claims: "edits",
      scope: isStrict ? "strict" : "advisory",
      ...(planning === undefined ? {} : { planning }),
      names,
      limits: {
        ...(escalationSeconds === null ? {} : { escalationSeconds }),
        ...(leaseSeconds === null ? {} : { leaseSeconds }),
      },
    },
  };
}
