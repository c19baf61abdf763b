/** Where the keyboard goes on when what it was at disappears. */

/** Leads the focus from `from`, which is about to go, to what waits for the person next, or to the list of entries. */
export function passFocus(from: Element): void {
  const waiting = [...document.querySelectorAll<HTMLElement>("[data-waits]")].filter((each) => !from.contains(each));
  const behind = waiting.find((each) => from.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING);
  const next = behind ?? waiting[0] ?? document.querySelector<HTMLElement>('[role="listbox"]');
  next?.focus({ preventScroll: true });
}
