/** The keyboard: which key means what, in one table that the page obeys and the help shows. */

export type Order =
  | "down"
  | "up"
  | "newest"
  | "oldest"
  | "open"
  | "close"
  | "filter"
  | "help"
  | "theme"
  | "refusals"
  | "waiting";

/** Every order with its keys, as `KeyboardEvent.key` names them, and what the help says. */
export const keyTable: readonly (readonly [order: Order, keys: readonly string[], meaning: string])[] = [
  ["down", ["j", "ArrowDown"], "next, older entry"],
  ["up", ["k", "ArrowUp"], "entry before, newer"],
  ["newest", ["g", "Home"], "newest entry"],
  ["oldest", ["G", "End"], "oldest loaded entry"],
  ["open", ["Enter"], "open the marked entry"],
  ["close", ["Escape"], "close what is open"],
  ["filter", ["/"], "search in the messages"],
  ["refusals", ["r"], "only refusals, and back"],
  ["waiting", ["w"], "what waits for you, one after the other"],
  ["theme", ["t"], "system, light or dark"],
  ["help", ["?"], "these keys"],
];

const orders: ReadonlyMap<string, Order> = new Map(
  keyTable.flatMap(([order, keys]) => keys.map((key) => [key, order] as const)),
);

/** What a key press orders, or null. Keys with Ctrl, Alt or Meta are the browser's. */
export function orderOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "metaKey">): Order | null {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  return orders.get(event.key) ?? null;
}

/** A key as the help writes it. */
export function keyName(key: string): string {
  const names: Readonly<Record<string, string>> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc", Enter: "Enter" };
  return names[key] ?? key;
}

/* Where the keyboard goes on when what it was at disappears. */

/** Leads the focus from `from`, which is about to go, to what waits for the person next, or to the list of entries. */
export function passFocus(from: Element): void {
  const waiting = [...document.querySelectorAll<HTMLElement>("[data-waits]")].filter((each) => !from.contains(each));
  const behind = waiting.find((each) => from.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING);
  const next = behind ?? waiting[0] ?? document.querySelector<HTMLElement>('[role="listbox"]');
  next?.focus({ preventScroll: true });
}
