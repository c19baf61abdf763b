/**
 * Which rows of a long list are drawn: those in sight and a few around them. All rows have one height, so a list of any
 * length scrolls like a short one, and which rows are in sight follows from where it is scrolled to.
 */

import { MediaQuery } from "svelte/reactivity";

/** Where the page's root has another font size (`styles/base.css`). */
const large = new MediaQuery("min-width: 1900px");

/**
 * How large a pixel of the styles is: the root's font size against 16 px. What scripts place in pixels is multiplied by
 * it, so that it fits what the styles place.
 */
export function pixelScale(): number {
  void large.current;
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
}

/** Rows drawn beyond those in sight, on either side. */
const overscan = 5;

export class VirtualRows {
  /** The places of the rows that are drawn. */
  places = $state.raw<readonly number[]>([]);
  /** Pixels of a row. */
  rowHeight = $state(0);
  /** Height of all rows in pixels. */
  height = $state(0);

  #count = 0;
  #element: HTMLElement | null = null;
  /** How far the list is scrolled, and how much of it is seen, in pixels. */
  #top = 0;
  #room = 0;

  constructor(rowHeight: number) {
    this.rowHeight = rowHeight;
  }

  /** Begins to watch the scrolling element; the answer ends it. */
  attach(element: HTMLElement): () => void {
    const look = () => {
      [this.#top, this.#room] = [element.scrollTop, element.clientHeight];
      this.#draw();
    };
    const sizes = new ResizeObserver(look);
    const ending = new AbortController();
    this.#element = element;
    look();
    sizes.observe(element);
    element.addEventListener("scroll", look, { passive: true, signal: ending.signal });
    return () => {
      ending.abort();
      sizes.disconnect();
      this.#element = null;
    };
  }

  /** Gives all rows another height, as where the window becomes narrow. */
  setRowHeight(height: number): void {
    this.rowHeight = height;
    this.#draw();
  }

  /** Sets how many rows there are. Rows that came in at the top do not move what is being read. */
  resize(count: number, addedAtTop: number): void {
    const element = this.#element;
    this.#count = count;
    const isMoved = element !== null && addedAtTop > 0 && this.#top > 0;
    if (isMoved) this.#top += addedAtTop * this.rowHeight;
    this.#draw();
    // The list must have its new height before it can be scrolled to where the same rows are now.
    if (isMoved) queueMicrotask(() => element.scrollTo({ top: this.#top }));
  }

  /** Scrolls as little as is needed to show the row. */
  reveal(index: number): void {
    const element = this.#element;
    if (element === null) return;
    const top = index * this.rowHeight;
    const least = top + this.rowHeight - element.clientHeight;
    const target = Math.max(Math.min(element.scrollTop, top), least);
    if (target !== element.scrollTop) element.scrollTo({ top: target });
  }

  toTop(): void {
    this.#element?.scrollTo({ top: 0 });
  }

  #draw(): void {
    this.height = this.#count * this.rowHeight;
    const most = this.#element === null ? 0 : this.#count;
    const from = Math.max(Math.floor(this.#top / this.rowHeight) - overscan, 0);
    const to = Math.min(Math.ceil((this.#top + this.#room) / this.rowHeight) + overscan, most);
    const { places } = this;
    if (places[0] === from && places.length === to - from) return;
    this.places = Array.from({ length: Math.max(to - from, 0) }, (_, at) => from + at);
  }
}
