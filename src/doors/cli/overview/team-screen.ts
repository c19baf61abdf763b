/**
 * The team on a whole screen of a terminal: what needs the person, the agents, what came last, and the keys to decide.
 * Pure: a state and a size become lines, none wider than the screen. Text of agents is made visible before it is cut, so
 * it never becomes a control of the terminal.
 */
import { ageOf, counted, visible } from "../../../base/text.ts";
import {
  type Need,
  type Needs,
  type NeedVerb,
  needVerbs,
  type Severity,
} from "../../../coordination/needs/need-ranking.ts";
import type { TaskView } from "../../../coordination/tasks/board.ts";
import type { LogLine } from "../../../operations/entries.ts";
import type { TeamStatus } from "../../../operations/status.ts";
import { watchLine } from "../messages/watch-line.ts";
import { barOf } from "../phases/phase-text.ts";
import { stateCounts } from "../tasks/task-text.ts";
import { healthText } from "../team/agents-text.ts";
import type { Paint } from "../terminal/output.ts";
import { columnsOf, fitColumns } from "../terminal/terminal-text.ts";

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
  /** What is being written for a decision; null: nothing is. */
  readonly writing: { readonly verb: NeedVerb; readonly text: string } | null;
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

type Style = (text: string) => string;
type Part = readonly [text: string, style?: Style];

/** Narrower than this, agents are below the needs. */
const sideColumnsMin = 110;
const rowsMin = 8;
const tones: Readonly<Record<Severity, keyof Paint>> = { critical: "bad", high: "bad", medium: "warn", low: "faint" };

/** The need that is chosen; null: there is none. */
export function chosenNeed({ needs, chosen }: Pick<ScreenState, "needs" | "chosen">): Need | null {
  return needs?.needs.find(({ id }) => id === chosen) ?? needs?.needs[0] ?? null;
}

/**
 * The lines of the screen, at most one fewer than it has rows.
 *
 * @example screenLines(state, { rows: 40, columns: 120, paint }).join("\n")
 */
export function screenLines(state: ScreenState, size: ScreenSize): readonly string[] {
  const { rows } = size;
  const room = Math.max(rows, rowsMin) - 1;
  const head = headLines(state, size);
  const foot = footLines(state, size);
  const left = Math.max(room - head.length - foot.length, 0);
  const body = state.isOpen ? needLines(state, size, left) : overviewLines(state, size, left);
  const filled = [...body.slice(0, left), ...Array.from({ length: Math.max(0, left - body.length) }, () => "")];
  return [...head, ...filled, ...foot].slice(0, Math.max(rows - 1, 1));
}

function headLines({ status, needs, nowMs }: ScreenState, { columns, paint }: ScreenSize): readonly string[] {
  if (status === null) return [row([["Reading the team…", paint.faint]], columns)];
  const { team, journal, head, counts, tasks } = status;
  const total = Object.values(tasks).reduce((sum, each) => sum + each, 0);
  const done = tasks.verified + tasks.complete;
  const clock = new Date(nowMs).toTimeString().slice(0, 8);
  const waiting = needs?.total ?? 0;
  return [
    row(
      [
        [visible(team), paint.strong],
        [`  journal ${journal}`, journal === "ready" ? paint.good : paint.bad],
        [`, head ${head.seq}  ${counted(counts.message, "message")}, ${counted(counts.refusal, "refusal")}  `],
        [waiting === 1 ? "1 needs you" : `${waiting} need you`, waiting === 0 ? paint.faint : paint.warn],
        [`  ${clock}`, paint.faint],
      ],
      columns,
    ),
    row(
      total === 0
        ? [["no tasks", paint.faint]]
        : [
            [`${barOf((100 * done) / total)} `, paint.good],
            [`${done} of ${total} done  `],
            [stateCounts(tasks), paint.faint],
          ],
      columns,
    ),
  ];
}

function overviewLines(state: ScreenState, size: ScreenSize, room: number): readonly string[] {
  const { columns, paint } = size;
  const isWide = columns >= sideColumnsMin;
  const half = isWide ? Math.floor((columns - 3) / 2) : columns;
  const needs = needRows(state, paint, half);
  const agents = agentRows(state, paint, isWide ? columns - half - 3 : columns);
  const upper = Math.max(3, Math.floor(room * (isWide ? 0.5 : 0.36)));
  const needsShown = atMost(needs, upper, state, half, paint);
  const agentsShown = atMost(agents, isWide ? upper : Math.max(3, Math.floor(room * 0.28)), null, half, paint);
  const first = isWide
    ? Array.from(
        { length: Math.max(needsShown.length, agentsShown.length) },
        (_, at) => `${padded(needsShown[at] ?? "", half)} ${paint.faint("│")} ${agentsShown[at] ?? ""}`,
      )
    : [...needsShown, ...agentsShown];
  const left = Math.max(room - first.length - 1, 0);
  return [
    ...first,
    title("What came last", columns, paint),
    ...state.recent.slice(0, left).map((line) => lastLine(line, size)),
  ];
}

/** Rows under their title; of more than fit the ones around the chosen, and how many there are. */
function atMost(
  [head = "", ...rows]: readonly string[],
  room: number,
  state: ScreenState | null,
  columns: number,
  paint: Paint,
): readonly string[] {
  if (rows.length <= room - 1) return [head, ...rows];
  const shown = Math.max(room - 2, 1);
  const list = state?.needs?.needs ?? [];
  const at =
    state === null
      ? 0
      : Math.max(
          list.findIndex(({ id }) => id === chosenNeed(state)?.id),
          0,
        );
  const from = Math.min(Math.max(0, at - shown + 1), rows.length - shown);
  const more = rows.length - shown;
  return [head, ...rows.slice(from, from + shown), row([[`  and ${more} more`, paint.faint]], columns)];
}

function needRows(state: ScreenState, paint: Paint, columns: number): readonly string[] {
  const { needs, nowMs } = state;
  const chosen = chosenNeed(state);
  const rows = (needs?.needs ?? []).map((need) => {
    const isChosen = need.id === chosen?.id;
    const when = need.dueAt === null ? need.since : need.dueAt;
    const age = when === null ? "" : need.dueAt === null ? ageOf(Date.parse(when), nowMs) : `until ${clockOf(when)}`;
    return row(
      [
        [isChosen ? "> " : "  ", paint.strong],
        [visible(need.kind).padEnd(13), paint[tones[need.severity] ?? "warn"]],
        [`${visible(need.subject)} `, isChosen ? paint.strong : plain],
        [need.asks === null ? "" : `"${oneLine(need.asks)}" `],
        [age, paint.faint],
      ],
      columns,
    );
  });
  const none = rows.length === 0 ? [row([["  Nothing needs you.", paint.faint]], columns)] : [];
  const count = needs === null || needs.total === 0 ? "" : ` (${needs.total})`;
  return [title(`Needs you${count}`, columns, paint), ...rows, ...none];
}

function agentRows({ status, tasks, nowMs }: ScreenState, paint: Paint, columns: number): readonly string[] {
  const held = new Map(tasks.flatMap(({ holder, task }) => (holder === null ? [] : [[holder, task] as const])));
  const agents = status?.agents ?? [];
  const rows = agents.map((agent) => {
    const isGone = agent.health === "disappeared" && agent.status !== "retired";
    return row(
      [
        [`  ${visible(agent.agent)}`.padEnd(18), paint.strong],
        [` ${visible(agent.role)}`.padEnd(11)],
        [healthText(agent).padEnd(14), isGone ? paint.bad : paint.good],
        [` ${agent.unread} unread`.padEnd(12), agent.unread > 0 ? paint.warn : paint.faint],
        [agent.lastSeenAt === null ? "never seen " : `${ageOf(Date.parse(agent.lastSeenAt), nowMs)} `, paint.faint],
        [visible(held.get(agent.agent) ?? "")],
      ],
      columns,
    );
  });
  return [title(`Agents (${agents.length})`, columns, paint), ...rows];
}

/** One need whole: what is asked, why, who waits, in as many lines as it takes. */
function needLines(state: ScreenState, { columns, paint }: ScreenSize, room: number): readonly string[] {
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
    ["since", need.since === null ? null : `${ageOf(Date.parse(need.since), nowMs)}, ${clockOf(need.since)}`],
    ["until", need.dueAt === null ? null : clockOf(need.dueAt)],
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
  const last =
    verbs.length === 0 ? "There is nothing to decide here: it goes when what is behind it is mended." : undone;
  const top = [
    title(`${need.kind} ${visible(need.target)}`, columns, paint),
    ...folded(visible(need.subject), columns).map((text) => row([[text, paint.strong]], columns)),
    "",
  ];
  const kept = lines.slice(0, Math.max(room - top.length - 2, 1));
  return [...top, ...kept, "", row([[last, paint.faint]], columns)];
}

function footLines(state: ScreenState, { columns, paint }: ScreenSize): readonly string[] {
  const need = chosenNeed(state);
  const verbs = need === null ? [] : (needVerbs[need.kind] ?? []);
  const rule = paint.faint("─".repeat(Math.max(columns, 0)));
  const told = state.told === "" ? [] : [row([[oneLine(state.told), paint.warn]], columns)];
  if (state.pending !== null) {
    const { verb, subject, seconds } = state.pending;
    const words = `${verb} in ${seconds} s: ${oneLine(subject)}`;
    return [
      rule,
      ...told,
      row(
        [
          [words, paint.strong],
          ["  z takes it back", paint.faint],
        ],
        columns,
      ),
    ];
  }
  if (state.writing !== null) {
    const { verb, text } = state.writing;
    const needed =
      verb === "approve" || verb === "confirm" || verb === "decline"
        ? "reason, if any"
        : verb === "decide"
          ? "decision"
          : "reason";
    return [
      rule,
      ...told,
      row(
        [
          [`${verb}, ${needed}: `, paint.strong],
          [visible(text)],
          ["_", paint.strong],
          ["  Enter sends, Esc leaves", paint.faint],
        ],
        columns,
      ),
    ];
  }
  const keys = [
    "j k move",
    state.isOpen ? "Esc back" : "Enter open",
    ...(verbs[0] === undefined ? [] : [`a ${verbs[0]}`]),
    ...(verbs[1] === undefined ? [] : [`d ${verbs[1]}`]),
    "q quit",
  ].join("   ");
  return [rule, ...told, row([[keys, paint.faint]], columns)];
}

const plain: Style = (text) => text;

/** The parts one after another, cut to the width. Their text is made visible by who gives it. */
function row(parts: readonly Part[], columns: number): string {
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
function padded(painted: string, columns: number): string {
  return painted + " ".repeat(Math.max(0, columns - columnsOf(painted.replaceAll(/\u001b\[\d+m/g, ""))));
}

function title(text: string, columns: number, paint: Paint): string {
  return row(
    [
      [`${text} `, paint.strong],
      ["─".repeat(Math.max(columns, 0)), paint.faint],
    ],
    columns,
  ).replace(/…/u, "─");
}

function lastLine(line: LogLine, { paint, columns }: ScreenSize): string {
  return watchLine(line, line.problem === null ? null : { ...line.problem, path: "" }, { paint, columns });
}

/** Blanks and line feeds are one blank, and what a terminal would act on is shown as a sign. */
function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, " ").trim());
}

function clockOf(moment: string): string {
  return new Date(moment).toTimeString().slice(0, 5);
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
