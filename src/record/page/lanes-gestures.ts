/**
 * Mouse, fingers and wheel on the lanes: dragging with a mouse chooses a part of the time, with a finger or with Shift it
 * moves the time, two fingers and the wheel zoom, and what moves nothing is a click.
 */
import { type Span, shifted, zoomed } from "../../doors/page/shown/time-span.ts";

/** What gestures are about, and what they lead to. Places are in pixels of the canvas. */
export interface Target {
  readonly canvas: () => HTMLElement | undefined;
  readonly span: () => Span;
  readonly bounds: () => Span;
  /** Whether there are lanes out of sight, so that the wheel alone scrolls to them. */
  readonly overflows: () => boolean;
  readonly onspan: (span: Span, settled: boolean) => void;
  readonly onbrush: (part: readonly [from: number, to: number] | null) => void;
  readonly onclick: (x: number, y: number) => void;
}

/** Less than this far a pointer was not moved. */
const stillPixels = 5;
/** Fingers that are closer than this count as this far apart. */
const pinchPixels = 20;

export class Gestures {
  readonly #target: Target;
  readonly #pointers = new Map<number, number>();
  #start: { readonly x: number; readonly y: number; readonly span: Span } | null = null;
  #pinch: { readonly apart: number; readonly span: Span } | null = null;
  #brush: readonly [from: number, to: number] | null = null;

  constructor(target: Target) {
    this.#target = target;
  }

  /** The time at a place. */
  timeAt(x: number, { from, to }: Span = this.#target.span()): number {
    return from + (x / this.#width) * (to - from);
  }

  wheeled(event: WheelEvent): void {
    const { span, bounds, overflows, onspan } = this.#target;
    const { deltaX, deltaY } = event;
    const { from, to } = span();
    const isZoom = event.ctrlKey || event.metaKey || (!overflows() && deltaX === 0 && !event.shiftKey);
    if (isZoom) onspan(zoomed(span(), 1.0015 ** deltaY, this.timeAt(this.#place(event)[0]), bounds()), false);
    else if (event.shiftKey || deltaX !== 0)
      onspan(shifted(span(), ((deltaX || deltaY) / this.#width) * (to - from), bounds()), false);
    else return;
    event.preventDefault();
  }

  pressed(event: PointerEvent): void {
    if (event.button !== 0) return;
    const [x, y] = this.#place(event);
    this.#target.canvas()?.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, x);
    const span = this.#target.span();
    this.#start = { x, y, span };
    const [one, two] = [...this.#pointers.values()];
    this.#pinch = one === undefined || two === undefined ? null : { apart: Math.abs(one - two), span };
  }

  moved(event: PointerEvent): void {
    if (!this.#pointers.has(event.pointerId) || this.#start === null) return;
    const { bounds, onspan } = this.#target;
    const { x: from, span } = this.#start;
    const [x] = this.#place(event);
    this.#pointers.set(event.pointerId, x);
    if (this.#pinch !== null) {
      const [one = 0, two = 0] = [...this.#pointers.values()];
      const factor = Math.max(this.#pinch.apart, pinchPixels) / Math.max(Math.abs(one - two), pinchPixels);
      onspan(zoomed(this.#pinch.span, factor, this.timeAt((one + two) / 2, this.#pinch.span), bounds()), false);
    } else if (event.pointerType === "touch" || event.shiftKey) {
      onspan(shifted(span, ((from - x) / this.#width) * (span.to - span.from), bounds()), false);
    } else if (Math.abs(x - from) >= stillPixels || this.#brush !== null) {
      this.#choose([Math.min(from, x), Math.max(from, x)]);
    }
  }

  released(event: PointerEvent): void {
    const [x, y] = this.#place(event);
    const [start, brush, wasPinch] = [this.#start, this.#brush, this.#pinch !== null];
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size === 0) this.#start = null;
    this.#pinch = null;
    this.#choose(null);
    if (start === null || wasPinch) return;
    const { bounds, onspan, onclick } = this.#target;
    if (brush !== null && brush[1] - brush[0] >= stillPixels)
      onspan(shifted({ from: this.timeAt(brush[0]), to: this.timeAt(brush[1]) }, 0, bounds()), true);
    else if (Math.hypot(x - start.x, y - start.y) < stillPixels) onclick(x, y);
  }

  /** Ends what was begun, without an effect. */
  cancel(): void {
    this.#pointers.clear();
    [this.#start, this.#pinch] = [null, null];
    this.#choose(null);
  }

  #choose(brush: readonly [from: number, to: number] | null): void {
    this.#brush = brush;
    this.#target.onbrush(brush);
  }

  get #width(): number {
    return Math.max(this.#target.canvas()?.clientWidth ?? 0, 1);
  }

  #place({ clientX, clientY }: MouseEvent): readonly [x: number, y: number] {
    const box = this.#target.canvas()?.getBoundingClientRect();
    return [clientX - (box?.left ?? 0), clientY - (box?.top ?? 0)];
  }
}
