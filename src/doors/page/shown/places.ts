/**
 * Places of the page and their addresses: team, view, what is opened there, and what the view is narrowed to. An address
 * loads the same place again. Pure.
 */

/** The views by the first part of their path, with the name that people read; the first is where a team's page begins. */
export const viewNames = {
  overview: "Overview",
  inbox: "Needs you",
  timeline: "Timeline",
  lanes: "Lanes",
  board: "Board",
  tasks: "Task",
  agents: "Agent",
  phases: "Phases",
  handoffs: "Handoffs",
  shutdown: "Day",
  compose: "Compose",
  journal: "Journal",
  more: "More",
} as const;

export type ViewName = keyof typeof viewNames;

/** What a view is narrowed to, by name; a name with an empty value is not in the address. */
export type Query = Readonly<Record<string, string>>;

export interface Place {
  readonly team: string;
  readonly view: ViewName;
  /** What is opened in the view, such as an entry's number; null: nothing. */
  readonly item: string | null;
  readonly query: Query;
}

/** The views that can show the team as it was at an entry, which their `at` names. */
const pastViews: ReadonlySet<ViewName> = new Set(["overview", "inbox", "lanes", "board", "tasks"]);

/** The entry that a place shows the team at; null: the present. */
export function pastSeqOf({ view, query }: Pick<Place, "view" | "query">): number | null {
  const { at = "" } = query;
  return pastViews.has(view) && /^[1-9]\d{0,15}$/.test(at) ? Number(at) : null;
}

/** The place that a path and a search name; null: they name none. The view checks what it opens. */
export function readPlace(path: string, search: string): Place | null {
  const [first, team, view = "", item, ...more] = path.slice(1).split("/").map(decoded);
  if (first !== "t" || team === null || team === undefined || team === "" || more.length > 0) return null;
  const name = view === "" ? "overview" : view;
  if (name === null || !isViewName(name) || item === null) return null;
  return { team, view: name, item: item === undefined || item === "" ? null : item, query: queryOf(search) };
}

/** The address of a place: always a path of this hub. `readPlace` reads it back. */
export function addressOf({ team, view, item, query }: Place): string {
  const parts = item === null ? [view === "overview" ? "" : view] : [view, encoded(item)];
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return `/t/${encoded(team)}/${parts.join("/")}${search.size === 0 ? "" : `?${search}`}`;
}

export function isViewName(name: string): name is ViewName {
  return Object.hasOwn(viewNames, name);
}

function queryOf(search: string): Query {
  return Object.fromEntries(new URLSearchParams(search));
}

/** A browser resolves `.` and `..` in a path however they are encoded, so such a part gets a mark in front. */
function encoded(part: string): string {
  return encodeURIComponent((/^~*\.{1,2}$/.test(part) ? `~${part}` : part).toWellFormed());
}

function decoded(part: string): string | null {
  try {
    const text = decodeURIComponent(part);
    return /^~+\.{1,2}$/.test(text) ? text.slice(1) : text;
  } catch {
    // A percent sign that begins nothing: the address is no place.
    return null;
  }
}
