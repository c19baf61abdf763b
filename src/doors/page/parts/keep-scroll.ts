/** How far something was scrolled, for who comes back to it. */
import type { TeamView } from "../state/team-view.svelte.ts";

/** How long what it shows may take to come. */
const filledMs = 2_000;

/** An attachment that leaves a scrolling element where it was when its view was last left. `name`: of the element. */
export function keepScroll(
  { scrolls, clock }: Pick<TeamView, "scrolls" | "clock">,
  name: string,
): (element: HTMLElement) => () => void {
  return (element) => {
    const [left, top] = scrolls.get(name) ?? [0, 0];
    const ending = new AbortController();
    const { signal } = ending;
    // What it shows may come later, and until then it is not as large; a person who moves it ends the waiting.
    const filled = new MutationObserver(restore);
    function restore(): void {
      element.scrollTo({ left, top });
      if (element.scrollLeft >= left && element.scrollTop >= top) filled.disconnect();
    }
    filled.observe(element, { childList: true, subtree: true });
    for (const moved of ["wheel", "pointerdown", "keydown"])
      element.addEventListener(moved, () => filled.disconnect(), { passive: true, signal });
    restore();
    void clock.wait(filledMs).then(() => filled.disconnect());
    signal.addEventListener("abort", () => filled.disconnect());
    // Once it leaves the page it says nothing of it any more.
    const remember = () => scrolls.set(name, [element.scrollLeft, element.scrollTop]);
    element.addEventListener("scroll", remember, { passive: true, signal });
    return () => ending.abort();
  };
}
