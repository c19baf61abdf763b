/**
 * What is in view of the lanes, and the marks in it: entries as crosses, triangles and dots, messages as arrows, and where
 * there are too many for each to be seen a column of pixels for those in it, as high as they are many. Nothing here keeps a
 * state.
 */

import type { Span } from "../../doors/page/shown/time-span.ts";
import { firstWhere, type LaneModel, type Tone, tones } from "./lanes-model.ts";

/** What is in view, in pixels of the styles. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly span: Span;
  readonly rowHeight: number;
  readonly scrollTop: number;
  /** Where the time cursor is; null: at the present. */
  readonly cursor: number | null;
  /** Until when claims that are held are drawn. */
  readonly end: number;
  /** By place, 1: the entry is shown; null: all are. */
  readonly shown: Uint8Array | null;
  /** The lane whose arrows are drawn alone; -1: none is chosen. */
  readonly chosen: number;
  readonly palette: Palette;
}

export const headHeight = 22;
/** More marks than these are drawn as columns, and more arrows only for the chosen agent. */
export const marksMax = 2_000;
const arrowsMax = 60;
const chosenArrowsMax = 400;
const binPixels = 2;

export function xOf({ span, width }: Frame, time: number): number {
  return ((time - span.from) / Math.max(span.to - span.from, 1)) * width;
}

export function rowOf(
  { rowHeight, scrollTop }: Frame,
  lane: number,
): { readonly middle: number; readonly half: number } {
  return { middle: headHeight + (lane + 0.5) * rowHeight - scrollTop, half: Math.min(11, rowHeight / 5) };
}

/** The lanes that are in view, as the first one and the one behind the last. */
export function lanesInView(count: number, frame: Pick<Frame, "height" | "rowHeight" | "scrollTop">) {
  const first = Math.max(Math.floor(frame.scrollTop / frame.rowHeight), 0);
  return [first, Math.min(Math.ceil((frame.scrollTop + frame.height) / frame.rowHeight), count)] as const;
}

export function partOf(sent: Int32Array, times: Float64Array, { from, to }: Span): readonly [number, number] {
  const timeAt = (at: number) => times[sent[at] ?? 0] ?? 0;
  const first = firstWhere(sent.length, (at) => timeAt(at) >= from);
  return [first, firstWhere(sent.length, (at) => timeAt(at) > to)];
}

export function drawMarks(
  context: CanvasRenderingContext2D,
  model: LaneModel,
  frame: Frame,
  lane: number,
  [first, end]: readonly [number, number],
): void {
  const sent = model.lanes[lane]?.sent ?? new Int32Array();
  for (let at = first; at < end; at++) {
    const place = sent[at] ?? 0;
    if (frame.shown !== null && frame.shown[place] === 0) continue;
    drawMark(context, model, frame, place);
  }
}

/** The middle of an entry's mark. */
function markPlace(model: LaneModel, frame: Frame, place: number): readonly [x: number, y: number] {
  const { middle, half } = rowOf(frame, model.senders[place] ?? 0);
  const x = xOf(frame, model.times[place] ?? 0);
  const mark = model.markOf(place);
  return [x, mark === "refusal" ? middle - half - 6 : mark === "other" ? middle : middle + half + 5];
}

function drawMark(context: CanvasRenderingContext2D, model: LaneModel, frame: Frame, place: number): void {
  const { palette } = frame;
  const [x, y] = markPlace(model, frame, place);
  const tone = tones[model.toneOf[place] ?? 0] ?? "quiet";
  const colour = tone === "quiet" ? palette.strong : palette[tone];
  const mark = model.markOf(place);
  context.beginPath();
  if (mark === "refusal") {
    for (const way of [1, -1]) {
      context.moveTo(x - 3.5, y - 3.5 * way);
      context.lineTo(x + 3.5, y + 3.5 * way);
    }
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.stroke();
    return;
  }
  context.fillStyle = mark === "report" && tone === "quiet" ? palette.text : colour;
  if (mark === "report") {
    context.moveTo(x, y - 4);
    context.lineTo(x + 4.5, y + 3.5);
    context.lineTo(x - 4.5, y + 3.5);
  } else if (mark === "message") context.arc(x, y, 2.5, 0, 7);
  else context.rect(x - 0.75, y - 4, 1.5, 8);
  context.fill();
}

export function drawColumns(
  context: CanvasRenderingContext2D,
  model: LaneModel,
  frame: Frame,
  lane: number,
  [first, end]: readonly [number, number],
): void {
  const sent = model.lanes[lane]?.sent ?? new Int32Array();
  const columns = Math.ceil(frame.width / binPixels) + 1;
  const counts = new Int32Array(columns);
  const worst = new Uint8Array(columns).fill(tones.length - 1);
  const perMs = frame.width / binPixels / Math.max(frame.span.to - frame.span.from, 1);
  for (let at = first; at < end; at++) {
    const place = sent[at] ?? 0;
    if (frame.shown !== null && frame.shown[place] === 0) continue;
    const column = (((model.times[place] ?? 0) - frame.span.from) * perMs) | 0;
    counts[column] = (counts[column] ?? 0) + 1;
    const tone = model.toneOf[place] ?? 0;
    if (tone < (worst[column] ?? 0)) worst[column] = tone;
  }
  const { middle, half } = rowOf(frame, lane);
  const room = frame.rowHeight / 2 - half - 2;
  for (const [at, tone] of tones.entries()) {
    context.fillStyle = tone === "quiet" ? frame.palette.strong : frame.palette[tone];
    for (let column = 0; column < columns; column++) {
      const count = counts[column] ?? 0;
      if (count === 0 || worst[column] !== at) continue;
      const tall = Math.min(2 + 2 * Math.log2(count), room);
      context.fillRect(column * binPixels, middle + half + 1, binPixels, tall);
    }
  }
}

export function drawArrows(context: CanvasRenderingContext2D, model: LaneModel, frame: Frame): void {
  const { span, chosen } = frame;
  // A message is drawn to where it was acknowledged, which may be in view where its beginning is not.
  const first = firstWhere(model.times.length, (place) => (model.times[place] ?? 0) >= span.from);
  const arrows: (readonly [place: number, lane: number])[] = [];
  const most = chosen < 0 ? arrowsMax : chosenArrowsMax;
  for (let place = first; place < model.times.length && (model.times[place] ?? 0) <= span.to; place++) {
    if (frame.shown !== null && frame.shown[place] === 0) continue;
    if (model.outcomeOf(place) === "refused") continue;
    for (const lane of model.receivers[place] ?? []) {
      if (chosen >= 0 && lane !== chosen && model.senders[place] !== chosen) continue;
      if (arrows.push([place, lane]) > most) return;
    }
  }
  for (const [place, lane] of arrows) drawArrow(context, model, frame, place, lane);
}

function drawArrow(context: CanvasRenderingContext2D, model: LaneModel, frame: Frame, place: number, to: number): void {
  const sender = model.senders[place] ?? 0;
  if (sender === to) return;
  const read = model.acknowledgedAt(to, place);
  const [x, y] = markPlace(model, frame, place);
  const down = to > sender;
  const target = rowOf(frame, to);
  const endY = target.middle + (down ? -target.half - 2 : target.half + 2);
  const endX = read === null ? Math.min(x + 10, frame.width) : xOf(frame, read);
  context.strokeStyle = read === null ? frame.palette.warn : frame.palette.strong;
  context.lineWidth = 1.2;
  context.setLineDash(read === null ? [4, 3] : []);
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(endX, endY);
  context.stroke();
  context.setLineDash([]);
  const angle = Math.atan2(endY - y, endX - x);
  context.beginPath();
  for (const way of [0.45, -0.45]) {
    context.moveTo(endX, endY);
    context.lineTo(endX - 7 * Math.cos(angle + way), endY - 7 * Math.sin(angle + way));
  }
  context.stroke();
}

/** The entry whose mark is nearest to a place of the canvas; -1: none is near. Of a claim's bar it is its first entry. */
export function entryAt(model: LaneModel, frame: Frame, x: number, y: number): number {
  const lane = Math.floor((y - headHeight + frame.scrollTop) / frame.rowHeight);
  const row = model.lanes[lane];
  if (y < headHeight || row === undefined) return -1;
  const near = (9 / frame.width) * (frame.span.to - frame.span.from);
  const time = frame.span.from + (x / frame.width) * (frame.span.to - frame.span.from);
  const [first, end] = partOf(row.sent, model.times, { from: time - near, to: time + near });
  let [best, distance] = [-1, 13];
  for (let at = first; at < end; at++) {
    const place = row.sent[at] ?? 0;
    if (frame.shown !== null && frame.shown[place] === 0) continue;
    const [markX, markY] = markPlace(model, frame, place);
    const away = Math.hypot(markX - x, markY - y);
    if (away < distance) [best, distance] = [place, away];
  }
  return best;
}

/*
 * The page's colours for a canvas, which takes no tokens: as the browser computed them.
 */

/** Colours as the browser computed them from the page's tokens. */
type Palette = Readonly<
  Record<
    Tone | "claim" | "surface" | "sunk" | "line" | "firm" | "strong" | "text" | "soft" | "faint" | "accent",
    string
  >
> & {
  readonly font: string;
};

const paletteTokens: Readonly<Record<Exclude<keyof Palette, "font">, string>> = {
  bad: "--bar-bad",
  warn: "--bar-warn",
  said: "--bar-said",
  good: "--bar-good",
  quiet: "--bar-idle",
  claim: "--bar-claim",
  surface: "--surface",
  sunk: "--sunk",
  line: "--line",
  firm: "--line-firm",
  strong: "--line-strong",
  text: "--text",
  soft: "--text-soft",
  faint: "--text-faint",
  accent: "--accent",
};

/** The colours at an element: a canvas takes no tokens. */
export function paletteAt(element: HTMLElement): Palette {
  const probe = element.appendChild(document.createElement("i"));
  const colours = Object.entries(paletteTokens).map(([name, token]) => {
    probe.style.color = `var(${token})`;
    return [name, getComputedStyle(probe).color];
  });
  const { fontFamily } = getComputedStyle(probe);
  probe.remove();
  // One colour for each token, and the names are those of the tokens' table.
  return { ...(Object.fromEntries(colours) as Omit<Palette, "font">), font: fontFamily };
}

/** Calls when the theme changes, so that colours are read again; the answer ends it. */
export function watchTheme(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributes: true });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", changed);
  return () => {
    watch.disconnect();
    dark.removeEventListener("change", changed);
  };
}

/** Black or white, whichever is better to read on a colour of the form `rgb(1, 2, 3)`. */
export function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) ** 2 > 0.0525 ? "#000000" : "#ffffff";
}
