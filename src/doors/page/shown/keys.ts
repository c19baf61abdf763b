/**
 * The keyboard: which key means what, in one table that the page obeys, the help shows and the palette offers. A letter
 * after `g` leads to a view.
 */
import { type ViewName, viewNames } from "./places.ts";

const viewLetters: Readonly<Partial<Record<ViewName, string>>> = {
  overview: "o",
  inbox: "i",
  timeline: "t",
  lanes: "l",
  board: "b",
  phases: "p",
  handoffs: "h",
  shutdown: "s",
  compose: "c",
  journal: "r",
};

/** Every order but those that lead to a view, with its keys and what the help says. */
const ownKeys = [
  { order: "down", keys: ["j", "ArrowDown"], meaning: "next in the list" },
  { order: "up", keys: ["k", "ArrowUp"], meaning: "one before in the list" },
  { order: "newest", keys: ["Home"], meaning: "first of the list" },
  { order: "oldest", keys: ["End"], meaning: "last of what is loaded" },
  { order: "open", keys: ["Enter"], meaning: "open what is marked" },
  { order: "close", keys: ["Escape"], meaning: "back to where you came from" },
  { order: "waiting", keys: ["w"], meaning: "next that needs you" },
  { order: "approve", keys: ["a"], meaning: "approve, decide, lift or confirm" },
  { order: "deny", keys: ["d"], meaning: "deny or decline, with a reason" },
  { order: "edit", keys: ["e"], meaning: "conditions and changes of an approval" },
  { order: "ask", keys: ["r"], meaning: "ask who asks, instead of deciding" },
  { order: "mark", keys: ["x"], meaning: "mark, to decide several together" },
  { order: "mark down", keys: ["J"], meaning: "mark, and go on to the next", view: "inbox" },
  { order: "mark up", keys: ["K"], meaning: "mark, and go to the one before", view: "inbox" },
  { order: "snooze", keys: ["s"], meaning: "put off for half an hour, in this window" },
  { order: "undo", keys: ["z"], meaning: "take back what was not sent yet" },
  { order: "filter", keys: ["/"], meaning: "search in the messages" },
  { order: "refusals", keys: ["u"], meaning: "only refusals, and back" },
  { order: "now", keys: ["n"], meaning: "from the past to the present" },
  { order: "find", keys: ["n"], meaning: "next that the search found", view: "timeline" },
  { order: "find before", keys: ["N"], meaning: "one before that it found", view: "timeline" },
  { order: "follow", keys: ["f"], meaning: "follow the newest", view: "timeline" },
  { order: "next file", keys: ["]"], meaning: "next file that a commit changes" },
  { order: "file before", keys: ["["], meaning: "file before it" },
  { order: "zoom in", keys: ["w", "+"], meaning: "closer", view: "lanes" },
  { order: "zoom out", keys: ["s", "-"], meaning: "further away", view: "lanes" },
  { order: "earlier", keys: ["a", "ArrowLeft"], meaning: "to earlier times", view: "lanes" },
  { order: "later", keys: ["d", "ArrowRight"], meaning: "to later times", view: "lanes" },
  { order: "before", keys: [","], meaning: "time cursor to the entry before", view: "lanes" },
  { order: "behind", keys: ["."], meaning: "time cursor to the next entry", view: "lanes" },
  { order: "focus", keys: ["f"], meaning: "all of the time, or what is around the cursor", view: "lanes" },
  { order: "verify", keys: ["v"], meaning: "verify the journal", view: "journal" },
  { order: "palette", keys: ["Ctrl k"], meaning: "search, jump or do" },
  { order: "theme", keys: ["t"], meaning: "system, light or dark" },
  { order: "help", keys: ["?"], meaning: "these keys" },
] as const;

export type Order = (typeof ownKeys)[number]["order"] | `go ${ViewName}`;

export interface KeyRow {
  readonly order: Order;
  /** As `KeyboardEvent.key` names them; `g x`: one after the other; `Ctrl k`: with Ctrl or Cmd. */
  readonly keys: readonly string[];
  readonly meaning: string;
  /** The view that has the keys for itself; absent: every view has. */
  readonly view?: ViewName;
}

/** The same with the views. */
export const keyTable: readonly KeyRow[] = [
  ...ownKeys,
  ...Object.entries(viewLetters).map(
    ([view, letter]): KeyRow => ({
      order: `go ${view as ViewName}`,
      keys: [`g ${letter}`],
      meaning: viewNames[view as ViewName],
    }),
  ),
];

/** By key; those of one view have its name in front. */
const orders: ReadonlyMap<string, Order> = new Map(
  keyTable.flatMap(({ order, keys, view }) =>
    keys.map((key) => [view === undefined ? key : `${view} ${key}`, order] as const),
  ),
);

/** How long after `g` a letter leads to a view. */
const sequenceMs = 1_200;

type Press = Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "metaKey">;

/** Reads key presses, of which some mean something only after another. */
export class KeyReader {
  /** Until when a letter follows `g`. */
  #until = 0;

  /** What the press at `now` orders in `view`; null: nothing. Other keys with Ctrl, Alt or Meta are the browser's. */
  read({ key, ctrlKey, altKey, metaKey }: Press, now: number, view: ViewName): Order | null {
    if (altKey) return null;
    if (ctrlKey || metaKey) return orders.get(`Ctrl ${key.toLowerCase()}`) ?? null;
    const after = now < this.#until ? "g " : "";
    this.#until = after === "" && key === "g" ? now + sequenceMs : 0;
    return (after === "" ? orders.get(`${view} ${key}`) : undefined) ?? orders.get(after + key) ?? null;
  }
}

/** Whether an order is one plain character, which a person may switch off (WCAG 2.2, 2.1.4). */
export function isPlainCharacter(key: string): boolean {
  return /^.$/u.test(key);
}

/** The parts of a key as the help writes them. */
export function keyNames(key: string): readonly string[] {
  const names: Readonly<Record<string, string>> = {
    ArrowDown: "↓",
    ArrowUp: "↑",
    ArrowLeft: "←",
    ArrowRight: "→",
    Escape: "Esc",
    k: "k",
  };
  if (key.startsWith("Ctrl ")) return ["Ctrl", key.slice(5).toUpperCase()];
  return key.split(" ").flatMap((each) => (/^[A-Z]$/.test(each) ? ["Shift", each] : [names[each] ?? each]));
}

/** The keys of an order, for buttons that do the same. */
export function keysOf(order: Order): readonly string[] {
  return keyTable.find((row) => row.order === order)?.keys ?? [];
}
