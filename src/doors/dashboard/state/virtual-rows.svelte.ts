/**
 * Which rows of a long list are drawn: those in sight and a few around them. All rows have one height, so a list of any
 * length scrolls like a short one.
 */

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
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
const overscan = 8;

export class VirtualRows {
  items = $state.raw<readonly VirtualItem[]>([]);
  /** Height of all rows in pixels. */
  height = $state(0);

  #rowHeight: number;
  readonly #virtualizer: Virtualizer<HTMLElement, HTMLElement>;
  #element: HTMLElement | null = null;

  constructor(rowHeight: number) {
    this.#rowHeight = rowHeight;
    this.#virtualizer = new Virtualizer(this.#options(0));
  }

  /** Begins to watch the scrolling element; the answer ends it. */
  attach(element: HTMLElement): () => void {
    this.#element = element;
    const detach = this.#virtualizer._didMount();
    this.#virtualizer._willUpdate();
    this.#draw();
    return () => {
      detach();
      this.#element = null;
    };
  }

  /** Gives all rows another height, as where the window becomes narrow. */
  setRowHeight(height: number, count: number): void {
    if (height === this.#rowHeight) return;
    this.#rowHeight = height;
    this.#virtualizer.setOptions(this.#options(count));
    this.#virtualizer.measure();
    this.#draw();
  }

  /** Sets how many rows there are. Rows that came in at the top do not move what is being read. */
  resize(count: number, addedAtTop: number): void {
    this.#virtualizer.setOptions(this.#options(count));
    this.#virtualizer._willUpdate();
    this.#draw();
    const element = this.#element;
    if (element !== null && addedAtTop > 0 && element.scrollTop > 0) {
      // The list must have its new height before it can be scrolled to where the same rows are now.
      const target = element.scrollTop + addedAtTop * this.#rowHeight;
      queueMicrotask(() => element.scrollTo({ top: target }));
    }
  }

  /** Scrolls as little as is needed to show the row. */
  reveal(index: number): void {
    const element = this.#element;
    if (element === null) return;
    const top = index * this.#rowHeight;
    const least = top + this.#rowHeight - element.clientHeight;
    const target = Math.max(Math.min(element.scrollTop, top), least);
    if (target !== element.scrollTop) element.scrollTo({ top: target });
  }

  toTop(): void {
    this.#element?.scrollTo({ top: 0 });
  }

  #draw(): void {
    this.items = this.#virtualizer.getVirtualItems();
    this.height = this.#virtualizer.getTotalSize();
  }

  #options(count: number) {
    return {
      count,
      overscan,
      getScrollElement: () => this.#element,
      estimateSize: () => this.#rowHeight,
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => this.#draw(),
    };
  }
}
