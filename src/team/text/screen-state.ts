/**
 * What the screen of `baton watch` knows, which needs it shows, and one need whole. Text of agents is made visible before it
 * is cut, so it never becomes a control of the terminal. Pure.
 */
import { ageOf, visible } from "../../base/text.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { columnsOf, fitColumns, localTime } from "../../doors/cli/terminal/terminal-text.ts";
import { dueText } from "../../needs/text/need-text.ts";
import { endOfNeed, type Need, type Needs, type NeedVerb, needVerbs } from "../../needs/view/need-ranking.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import { partiesOf } from "../../record/view/log-line.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { TeamStatus } from "../operations/status.ts";

/** What is shown. */
export interface ScreenState {
  readonly status: TeamStatus | null;
  readonly needs: Needs | null;
  readonly tasks: readonly TaskView[];
  /** What came last, the newest first. */
  readonly recent: readonly LogLine[];
  /** The id of the chosen need; null: the first. */
  readonly chosen: string | null;
  /** Whether the chosen need is shown whole. */
  readonly isOpen: boolean;
  /** What is being written for a decision, or to be found; null: nothing is. */
  readonly writing: { readonly verb: NeedVerb | "find"; readonly text: string } | null;
  /** What needs and entries are narrowed to; empty: all are shown. */
  readonly filter: string;
  /** Ids of the needs that are decided together. */
  readonly marked: ReadonlySet<string>;
  /** What is about to be sent, and in how many seconds; null: nothing is. */
  readonly pending: { readonly verb: NeedVerb; readonly subject: string; readonly seconds: number } | null;
  /** What became of the last decision, or why the team cannot be read; empty: nothing. */
  readonly told: string;
  readonly nowMs: number;
}

/** How large the screen is, and its colours. */
export interface ScreenSize {
  readonly rows: number;
  readonly columns: number;
  readonly paint: Paint;
}

/** The needs without those that were decided here since the answer: a key pressed now is meant for the next. */
export function undecided(answer: Needs, decided: ReadonlyMap<string, number>): Needs {
  const needs = answer.needs.filter(({ id }) => (decided.get(id) ?? 0) <= answer.seq);
  return { ...answer, needs, total: answer.total - (answer.needs.length - needs.length) };
}

/** The needs that pass the filter, in the hub's order. */
export function shownNeeds({ needs, filter }: Pick<ScreenState, "needs" | "filter">): readonly Need[] {
  const all = needs?.needs ?? [];
  if (filter.trim() === "") return all;
  return all.filter(({ kind, subject, asks, agent, task, target }) =>
    isFound([kind, subject, asks, agent, task, target], filter),
  );
}

/** The entries that pass the filter, the newest first. */
export function shownEntries({ recent, filter }: Pick<ScreenState, "recent" | "filter">): readonly LogLine[] {
  return recent.filter((line) =>
    isFound([line.summary, partiesOf(line).from, ...partiesOf(line).to, line.type, line.task, line.outcome], filter),
  );
}

/** Plain text in any case, never a pattern. */
function isFound(texts: readonly (string | null)[], filter: string): boolean {
  const wanted = filter.trim().toLowerCase();
  return wanted === "" || texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}

/** The need that is chosen; null: there is none. */
export function chosenNeed(state: Pick<ScreenState, "needs" | "chosen" | "filter">): Need | null {
  const shown = shownNeeds(state);
  return shown.find(({ id }) => id === state.chosen) ?? shown[0] ?? null;
}

/** What a decision is about: the marked needs that can be decided so, otherwise the chosen one. */
export function meantNeeds(
  state: Pick<ScreenState, "needs" | "chosen" | "filter" | "marked">,
  verb: NeedVerb,
): readonly Need[] {
  const marked = (state.needs?.needs ?? []).filter(({ id }) => state.marked.has(id));
  const chosen = chosenNeed(state);
  const meant = marked.length > 0 ? marked : chosen === null ? [] : [chosen];
  return meant.filter(({ kind }) => (needVerbs[kind] ?? []).includes(verb));
}

/** One need whole: what is asked, why, who waits, in as many lines as it takes. */
export function needLines(state: ScreenState, { columns, paint }: ScreenSize, room: number): readonly string[] {
  const need = chosenNeed(state);
  if (need === null) return [row([["Nothing needs you.", paint.faint]], columns)];
  const { nowMs } = state;
  const task = state.tasks.find((each) => each.task === need.task);
  const facts: readonly (readonly [string, string | null])[] = [
    ["asks", need.asks],
    ["why", need.why],
    ["agent", need.agent],
    ["task", need.task === null ? null : `${need.task}${task?.title ? ` ${task.title}` : ""}`],
    ["files", task === undefined || task.files.length === 0 ? null : task.files.join(", ")],
    [
      "found",
      task === undefined || task.problems.length === 0 ? null : task.problems.map(({ message }) => message).join(" "),
    ],
    ["blocks", need.blocksTotal === 0 ? "nobody" : `${need.blocks.join(", ")} (${need.blocksTotal})`],
    ["since", need.since === null ? null : `${localTime(need.since, nowMs)}, ${ageOf(Date.parse(need.since), nowMs)}`],
    ["until", need.dueAt === null ? null : dueText({ ...need, dueAt: need.dueAt }, task?.holder ?? null, nowMs)],
  ];
  const width = Math.max(columns - 9, 10);
  const lines = facts.flatMap(([name, said]) =>
    said === null
      ? []
      : folded(oneLine(said), width).map((text, at) =>
          row([[(at === 0 ? name : "").padEnd(8), paint.faint], [` ${text}`]], columns),
        ),
  );
  const undone =
    need.kind === "revision"
      ? "A declined change can be confirmed later."
      : "A decision that was sent cannot be taken back.";
  const verbs = needVerbs[need.kind] ?? [];
  const last = verbs.length === 0 ? `You cannot decide this here. ${visible(endOfNeed(need) ?? "")}` : undone;
  const top = [
    title(`${need.kind} ${visible(need.target)}`, columns, paint),
    ...folded(visible(need.subject), columns).map((text) => row([[text, paint.strong]], columns)),
    "",
  ];
  const kept = lines.slice(0, Math.max(room - top.length - 2, 1));
  return [...top, ...kept, "", row([[last, paint.faint]], columns)];
}

/* Rows of a screen. */

export type Style = (text: string) => string;
export type Part = readonly [text: string, style?: Style];

export const plain: Style = (text) => text;

/** The parts one after another, cut to the width. Their text is made visible by who gives it. */
export function row(parts: readonly Part[], columns: number): string {
  let left = columns;
  let shown = "";
  for (const [text, style = plain] of parts) {
    if (text === "" || left <= 0) continue;
    const cut = fitColumns(text, left);
    shown += style(cut);
    left = cut === text ? left - columnsOf(text) : 0;
  }
  return shown;
}

/** A painted row, filled with blanks to the width. */
export function padded(painted: string, columns: number): string {
  return painted + " ".repeat(Math.max(0, columns - columnsOf(painted.replaceAll(/\u001b\[\d+m/g, ""))));
}

export function title(text: string, columns: number, paint: Paint): string {
  return row(
    [
      [`${text} `, paint.strong],
      ["─".repeat(Math.max(columns, 0)), paint.faint],
    ],
    columns,
  ).replace(/…/u, "─");
}

/** Blanks and line feeds are one blank, and what a terminal would act on is shown as a sign. */
export function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, " ").trim());
}

/** Visible text in lines of at most so many columns, broken at blanks where there are any. */
function folded(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (columnsOf(longer) <= columns) line = longer;
    else {
      if (line !== "") lines.push(line);
      line = word;
      while (columnsOf(line) > columns) {
        const cut = [...line].slice(0, Math.max(Math.floor(columns / 2), 1)).join("");
        lines.push(cut);
        line = line.slice(cut.length);
      }
    }
  }
  return line === "" ? lines : [...lines, line];
}
