/** What `baton adopt` shows: line by line what it understood, what it would write, and what it did not understand. */
import { counted, visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { table } from "../../doors/cli/terminal/terminal-text.ts";
import type { TaskVerdict } from "../../perform/operations/reply.ts";
import type { Imported } from "../folders/planning-import.ts";
import { type Finding, type Found, type FoundPlan, origins } from "../reading/found.ts";

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
    [`${program} adopt --undo`, "take it back"],
  ];
  return table(steps)
    .split("\n")
    .map((line, at) => `${at === 0 ? "Next:" : "     "} ${line}`)
    .join("\n");
}
