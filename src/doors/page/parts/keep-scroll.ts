/** How far something was scrolled, for who comes back to it. */
import type { TeamView } from "../state/team-view.svelte.ts";

/** An attachment that leaves a scrolling element where it was when its view was last left. `name`: of the element. */
export function keepScroll({ scrolls }: Pick<TeamView, "scrolls">, name: string): (element: HTMLElement) => () => void {
  return (element) => {
    const [left, top] = scrolls.get(name) ?? [0, 0];
    element.scrollTo({ left, top });
    const ending = new AbortController();
    // Once it leaves the page it says nothing of it any more.
    element.addEventListener("scroll", () => scrolls.set(name, [element.scrollLeft, element.scrollTop]), {
      passive: true,
      signal: ending.signal,
    });
    return () => ending.abort();
  };
}
