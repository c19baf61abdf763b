/**
 * The team on a whole screen of a terminal: what the screen of `baton watch` knows, what needs the person, the agents,
 * what came last, and the keys to decide. Pure: a state and a size become lines, none wider than the screen. Text of
 * agents is made visible before it is cut, so it never becomes a control of the terminal.
 */
import { ageOf, counted, visible } from "../../base/text.ts";
import type { Paint } from "../../doors/cli/terminal/output.ts";
import { columnsOf, fitColumns, localTime } from "../../doors/cli/terminal/terminal-text.ts";
import { watchLine } from "../../mail/text/show.ts";
import { remotePrefix } from "../../messages/remote-address.ts";
import { dueText, triageTones } from "../../needs/text/need-text.ts";
import { endOfNeed } from "../../needs/view/need-ends.ts";
import { type Need, type Needs, type NeedVerb, needVerbs, titleOf } from "../../needs/view/need-ranking.ts";
import { barOf } from "../../phases/text/phase-text.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import { partiesOf } from "../../record/view/log-line.ts";
import type { RemoteView } from "../../remotes/operations.ts";
import { stateCounts } from "../../tasks/text/task-text.ts";
import type { TaskView } from "../../tasks/view/task-view.ts";
import type { TeamStatus } from "../operations/status.ts";
import { remoteWords, stateText } from "./agents-text.ts";

/** Narrower than this, agents are below the needs. */
const sideColumnsMin = 110;
const rowsMin = 8;

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
  const waiting = needs?.total ?? 0;
  return [
    row(
      [
        [visible(team), paint.strong],
        [`  journal ${journal}`, journal === "ready" ? paint.good : paint.bad],
        [`, head ${head.seq}  ${counted(counts.message, "message")}, ${counted(counts.refusal, "refusal")}  `],
        [waiting === 1 ? "1 needs you" : `${waiting} need you`, waiting === 0 ? paint.faint : paint.warn],
        [`  ${localTime(nowMs, nowMs)}`, paint.faint],
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
  const chosen = chosenNeed(state);
  const at = chosen === null ? 0 : Math.max(shownNeeds(state).indexOf(chosen), 0);
  const needsShown = atMost(needs, upper, at, { ...size, columns: half });
  const agentsMax = isWide ? upper : Math.max(3, Math.floor(room * 0.28));
  const agentsShown = atMost(agents, agentsMax, 0, { ...size, columns: half });
  const first = isWide
    ? Array.from(
        { length: Math.max(needsShown.length, agentsShown.length) },
        (_, at) => `${padded(needsShown[at] ?? "", half)} ${paint.faint("│")} ${agentsShown[at] ?? ""}`,
      )
    : [...needsShown, ...agentsShown];
  const left = Math.max(room - first.length - 1, 0);
  return [
    ...first,
    title(state.filter === "" ? "What came last" : `What came last, with “${oneLine(state.filter)}”`, columns, paint),
    ...shownEntries(state)
      .slice(0, left)
      .map((line) => lastLine(line, size)),
  ];
}

/** A title with what is listed under it; a row is made only where there is room for it. */
interface Listed {
  readonly head: string;
  readonly count: number;
  rowAt(at: number): string;
}

/** Rows under their title; of more than fit the ones around `chosen`, and how many there are. */
function atMost(
  { head, count, rowAt }: Listed,
  room: number,
  chosen: number,
  { columns, paint }: ScreenSize,
): readonly string[] {
  const isAll = count <= room - 1;
  const shown = isAll ? count : Math.max(room - 2, 1);
  const from = Math.min(Math.max(0, chosen - shown + 1), count - shown);
  const rows = Array.from({ length: shown }, (_, at) => rowAt(from + at));
  return [head, ...rows, ...(isAll ? [] : [row([[`  and ${count - shown} more`, paint.faint]], columns)])];
}

function needRows(state: ScreenState, paint: Paint, columns: number): Listed {
  const { needs, nowMs, filter, marked } = state;
  const chosen = chosenNeed(state);
  const shown = shownNeeds(state);
  const rowOf = (need: Need) => {
    const isChosen = need.id === chosen?.id;
    const when = need.dueAt === null ? need.since : need.dueAt;
    const age =
      when === null ? "" : need.dueAt === null ? ageOf(Date.parse(when), nowMs) : `until ${localTime(when, nowMs)}`;
    return row(
      [
        [isChosen ? ">" : " ", paint.strong],
        [marked.has(need.id) ? "x" : " ", paint.strong],
        [visible(need.kind).padEnd(13), paint[triageTones[need.triage] ?? "warn"]],
        [`${oneLine(titleOf(need))} `, isChosen ? paint.strong : plain],
        [need.asks === null || need.agent === null ? "" : `${visible(need.agent)} `],
        [age, paint.faint],
      ],
      columns,
    );
  };
  const isNone = filter === "" || (needs?.needs.length ?? 0) === 0;
  const none = row([[isNone ? "  Nothing needs you." : "  Nothing matches.", paint.faint]], columns);
  const narrowed = filter === "" ? "" : `${shown.length} of `;
  const count = needs === null || needs.total === 0 ? "" : ` (${narrowed}${needs.total})`;
  const marks = marked.size === 0 ? "" : `, ${marked.size} marked`;
  const head = title(`Needs you${count}${marks}`, columns, paint);
  const rowAt = (at: number) => {
    const need = shown[at];
    return need === undefined ? none : rowOf(need);
  };
  return { head, count: Math.max(shown.length, 1), rowAt };
}

function agentRows({ status, tasks, nowMs }: ScreenState, paint: Paint, columns: number): Listed {
  const held = new Map(tasks.flatMap(({ holder, task }) => (holder === null ? [] : [[holder, task] as const])));
  const isGone = ({ health, status: is }: TeamStatus["agents"][number]) => health === "disappeared" && is !== "retired";
  // Of more than fit, those that are gone are never the ones that are left out.
  const agents = (status?.agents ?? []).toSorted((one, other) => Number(isGone(other)) - Number(isGone(one)));
  const rowOf = (agent: TeamStatus["agents"][number]) => {
    return row(
      [
        [`  ${visible(agent.agent)}`.padEnd(18), paint.strong],
        [` ${visible(agent.role)}`.padEnd(11)],
        [stateText(agent).padEnd(19), isGone(agent) ? paint.bad : paint.good],
        [` ${agent.unread} unread`.padEnd(12), agent.unread > 0 ? paint.warn : paint.faint],
        [agent.lastSeenAt === null ? "never seen " : `${ageOf(Date.parse(agent.lastSeenAt), nowMs)} `, paint.faint],
        [visible(held.get(agent.agent) ?? "")],
      ],
      columns,
    );
  };
  const remotes = status?.remotes ?? [];
  const rowAt = (at: number) => {
    const [agent, remote] = [agents[at], remotes[at - agents.length]];
    if (agent !== undefined) return rowOf(agent);
    return remote === undefined ? "" : row(remoteParts(remote, paint), columns);
  };
  const more = remotes.length === 0 ? "" : ` and ${counted(remotes.length, "remote")}`;
  const head = title(`Agents (${agents.length})${more}`, columns, paint);
  return { head, count: agents.length + remotes.length, rowAt };
}

/** A remote below the agents: it is none, and what it says is its word. */
function remoteParts({ remote, problem, asks }: RemoteView, paint: Paint): readonly Part[] {
  const [ask] = asks;
  const open = ask === undefined ? "nothing open there" : `${remoteWords(ask.state)}: ${oneLine(ask.title)}`;
  return [
    [`  ${visible(`${remotePrefix}${remote}`)}`.padEnd(18), paint.strong],
    [" remote".padEnd(11)],
    problem === null ? [open] : [`not reached: ${oneLine(problem.message)}`, paint.bad],
    [asks.length > 1 ? ` and ${asks.length - 1} more` : "", paint.faint],
  ];
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
    if (verb === "find") {
      const parts = [
        ["find: ", paint.strong],
        [visible(text)],
        ["_", paint.strong],
        ["  Enter keeps it, Esc shows all", paint.faint],
      ] as const;
      return [rule, ...told, row(parts, columns)];
    }
    const count = state.marked.size > 1 ? ` ${state.marked.size}` : "";
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
          [`${verb}${count}, ${needed}: `, paint.strong],
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
    "x mark",
    "/ find",
    "q quit",
  ].join("   ");
  return [rule, ...told, row([[keys, paint.faint]], columns)];
}

function lastLine(line: LogLine, { paint, columns }: ScreenSize): string {
  return watchLine(line, line.problem === null ? null : { ...line.problem, path: "" }, { paint, columns });
}

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
  /** What is known besides of the need with this id; null: nothing. */
  readonly foreseen: { readonly id: string; readonly facts: readonly (readonly [string, string | null])[] } | null;
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
interface ScreenSize {
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
function shownEntries({ recent, filter }: Pick<ScreenState, "recent" | "filter">): readonly LogLine[] {
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
function needLines(state: ScreenState, { columns, paint }: ScreenSize, room: number): readonly string[] {
  const need = chosenNeed(state);
  if (need === null) return [row([["Nothing needs you.", paint.faint]], columns)];
  const { nowMs } = state;
  const task = state.tasks.find((each) => each.task === need.task);
  const facts: readonly (readonly [string, string | null])[] = [
    ["asks", need.asks],
    ["why", need.why],
    ...(state.foreseen?.id === need.id ? state.foreseen.facts : []),
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
type Part = readonly [text: string, style?: Style];

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

/** Blanks and line feeds are one blank, and what a terminal would act on is shown as a sign. */
function oneLine(text: string): string {
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
