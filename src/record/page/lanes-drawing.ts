/**
 * Draws lanes on a canvas: the grid with its times, the time cursor, claims as bars, and the marks of what is in view:
 * entries as crosses, triangles and dots, messages as arrows, and where there are too many for each to be seen a column
 * of pixels, as high as they are many. Nothing here keeps a state.
 */
import { ageOf, visible } from "../../base/text.ts";
import { timeOfDay } from "../../doors/page/shown/moment.ts";
import type { Pause, TimeAxis } from "../../doors/page/shown/time-axis.ts";
import { type Span, ticksOf, tickWords } from "../../doors/page/shown/time-span.ts";
import { type Claim, firstWhere, type LaneModel, type Tone, tones } from "./lanes-model.ts";

/** Draws one frame. The context's unit is a pixel of the styles. */
export function drawLanes(context: CanvasRenderingContext2D, model: LaneModel, frame: Frame): void {
  const { width, height, palette } = frame;
  context.clearRect(0, 0, width, height);
  const [first, end] = lanesInView(frame.order.length, frame);
  const inView = frame.order.slice(first, end);
  const ticks = ticksIn(model.axis, frame);
  drawGrid(context, frame, ticks, inView);
  const parts = inView.map((lane) => partOf(model.lanes[lane]?.sent ?? new Int32Array(), model.times, frame.span));
  const marks = parts.reduce((sum, [from, to]) => sum + (to - from), 0);
  if (marks <= marksMax) drawArrows(context, model, frame);
  for (const lane of inView) drawClaims(context, model, frame, lane);
  const pauses = drawnPauses(model.axis, frame);
  drawPauses(context, frame, hatchesIn(model.axis, frame));
  for (const [at, part] of parts.entries()) {
    const lane = inView[at] ?? 0;
    if (marks > marksMax) drawColumns(context, model, frame, lane, part);
    else drawMarks(context, model, frame, lane, part);
  }
  drawHead(context, model, frame, { ticks, pauses });
  if (frame.cursor !== null) drawCursor(context, model, frame, frame.cursor);
  context.fillStyle = palette.line;
  context.fillRect(0, headHeight - 1, width, 1);
}

/** The grid's times, in drawn time: round ones of the record's time, in every stretch between pauses. */
function ticksIn(axis: TimeAxis, { span, width }: Frame): readonly number[] {
  const [most, length] = [width / 90, span.to - span.from];
  const ends = [...axis.pauses.map(({ drawn }) => drawn), { from: Infinity, to: Infinity }];
  return ends.flatMap(({ from: end }, at) => {
    const from = Math.max(ends[at - 1]?.to ?? -Infinity, span.from);
    const to = Math.min(end, span.to);
    if (from >= to) return [];
    return ticksOf({ from: axis.timeOf(from), to: axis.timeOf(to) }, most, length).map(axis.drawnOf);
  });
}

function drawGrid(
  context: CanvasRenderingContext2D,
  frame: Frame,
  ticks: readonly number[],
  inView: readonly number[],
): void {
  const { width, height, palette } = frame;
  context.fillStyle = palette.line;
  for (const tick of ticks) context.fillRect(Math.round(xOf(frame, tick)), headHeight, 1, height);
  for (const lane of inView) {
    const { middle } = rowOf(frame, lane);
    if (lane === frame.chosen) {
      context.fillStyle = palette.sunk;
      context.fillRect(0, middle - frame.rowHeight / 2, width, frame.rowHeight);
    }
    context.fillStyle = palette.firm;
    context.fillRect(0, Math.round(middle), width, 1);
  }
}

/** Pauses that lie closer together than this, in pixels, are named as one. */
const pausesApart = 12;
/** How near to the name of a pause no time is written. */
const pauseRoom = 58;

/** From where to where a pause is hatched, in pixels. */
interface Hatch {
  readonly left: number;
  readonly right: number;
}

/** A pause with its name, or several of them with hardly anything between them. */
interface DrawnPause extends Hatch {
  readonly words: string;
}

/** Room for the marks of the entries at a pause's ends, in pixels, as far as the pause is wide enough. */
const markRoom = 5;

/** The pauses in view, so that no mark of an entry lies in one. */
export function hatchesIn(axis: TimeAxis, frame: Pick<Frame, "span" | "width">): readonly Hatch[] {
  return pausesIn(axis, frame.span).map(({ drawn }) => {
    const [left, right] = [xOf(frame, drawn.from), xOf(frame, drawn.to)];
    const room = Math.min(markRoom, (right - left) / 3);
    return { left: Math.max(left + room, 0), right: Math.min(right - room, frame.width) };
  });
}

function pausesIn({ pauses }: TimeAxis, { from, to }: Span): readonly Pause[] {
  return pauses.filter(({ drawn }) => drawn.from < to && drawn.to > from);
}

function drawnPauses(axis: TimeAxis, frame: Frame): readonly DrawnPause[] {
  const joined: Pause[] = [];
  for (const pause of pausesIn(axis, frame.span)) {
    const last = joined.at(-1);
    if (last !== undefined && xOf(frame, pause.drawn.from) - xOf(frame, last.drawn.to) < pausesApart)
      joined[joined.length - 1] = {
        from: last.from,
        to: pause.to,
        drawn: { from: last.drawn.from, to: pause.drawn.to },
      };
    else joined.push(pause);
  }
  return joined.map(({ from, to, drawn }) => ({
    left: Math.max(xOf(frame, drawn.from), 0),
    right: Math.min(xOf(frame, drawn.to), frame.width),
    words: `${ageOf(from, to)} pause`,
  }));
}

/** Pauses that are drawn narrow are hatched from top to bottom, over bars and arrows, whose length says nothing there. */
function drawPauses(context: CanvasRenderingContext2D, frame: Frame, pauses: readonly Hatch[]): void {
  const { height, palette } = frame;
  for (const { left, right } of pauses) {
    const wide = right - left;
    context.save();
    context.beginPath();
    context.rect(left, headHeight, wide, height);
    context.clip();
    context.fillStyle = palette.sunk;
    context.fillRect(left, headHeight, wide, height);
    context.strokeStyle = palette.firm;
    context.lineWidth = 1;
    context.beginPath();
    for (let y = headHeight; y < height + wide; y += 8) {
      context.moveTo(left, y);
      context.lineTo(right, y - wide);
    }
    context.stroke();
    context.restore();
  }
}

function drawHead(
  context: CanvasRenderingContext2D,
  { axis }: LaneModel,
  frame: Frame,
  { ticks, pauses }: { readonly ticks: readonly number[]; readonly pauses: readonly DrawnPause[] },
): void {
  const { width, palette, span } = frame;
  const middles = pauses.map(({ left, right }) => (left + right) / 2);
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, width, headHeight);
  context.fillStyle = palette.faint;
  context.font = `11px ${palette.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const tick of ticks) {
    const x = xOf(frame, tick);
    if (middles.every((middle) => Math.abs(middle - x) > pauseRoom))
      drawHeadWords(context, tickWords(axis.timeOf(tick), span), x, width);
  }
  context.fillStyle = palette.soft;
  for (const [at, { words }] of pauses.entries()) {
    const middle = middles[at] ?? 0;
    if (middle - (middles[at - 1] ?? -Infinity) > pauseRoom) drawHeadWords(context, words, middle, width);
  }
}

/** Words in the head around `x`, whole also at its edges. */
function drawHeadWords(context: CanvasRenderingContext2D, words: string, x: number, width: number): void {
  const half = context.measureText(words).width / 2;
  context.fillText(words, Math.min(Math.max(x, half), width - half), headHeight / 2);
}

function drawCursor(context: CanvasRenderingContext2D, { axis }: LaneModel, frame: Frame, cursor: number): void {
  const { width, height, palette } = frame;
  const x = xOf(frame, cursor);
  // What was not yet known is behind a veil.
  context.globalAlpha = 0.6;
  context.fillStyle = palette.surface;
  context.fillRect(Math.max(x, 0), headHeight, width - Math.max(x, 0), height);
  context.globalAlpha = 1;
  context.fillStyle = palette.accent;
  context.fillRect(Math.round(x) - 1, headHeight - 4, 2, height);
  const label = timeOfDay(axis.timeOf(cursor));
  context.font = `600 11px ${palette.font}`;
  const half = context.measureText(label).width / 2 + 7;
  const middle = Math.min(Math.max(x, half), width - half);
  context.beginPath();
  context.roundRect(middle - half, 2, half * 2, headHeight - 5, 8);
  context.fill();
  context.fillStyle = inkOn(palette.accent);
  context.fillText(label, middle, headHeight / 2);
}

function drawClaims(context: CanvasRenderingContext2D, model: LaneModel, frame: Frame, lane: number): void {
  const { width, palette } = frame;
  const { middle, half } = rowOf(frame, lane);
  context.font = `600 11px ${palette.font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const claim of model.lanes[lane]?.claims ?? []) {
    const [from, to] = claimPixels(frame, claim);
    if (to < 0 || from > width) continue;
    const colour = palette[claim.tone];
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(from, middle - half, Math.max(to - from, 2), half * 2, 3);
    context.fill();
    const start = Math.max(from, 0) + 5;
    const room = Math.min(to, width) - start - 3;
    if (room < 26 || half < 6) continue;
    context.save();
    context.beginPath();
    context.rect(start, middle - half, room, half * 2);
    context.clip();
    context.fillStyle = inkOn(colour);
    context.fillText(visible(claim.task), start, middle + 0.5);
    context.restore();
  }
}

function claimPixels(frame: Frame, claim: Claim): readonly [number, number] {
  return [Math.max(xOf(frame, claim.from), -4), Math.min(xOf(frame, claim.to ?? frame.end), frame.width + 4)];
}

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
  /** The lanes that are shown, from the top on. */
  readonly order: readonly number[];
  readonly palette: Palette;
}

export const headHeight = 22;
/** More marks than these are drawn as columns, and more arrows only for the chosen agent. */
const marksMax = 2_000;
const arrowsMax = 60;
const chosenArrowsMax = 400;
const binPixels = 2;

function xOf({ span, width }: Pick<Frame, "span" | "width">, time: number): number {
  return ((time - span.from) / Math.max(span.to - span.from, 1)) * width;
}

function rowOf(
  { order, rowHeight, scrollTop }: Frame,
  lane: number,
): { readonly middle: number; readonly half: number } {
  const row = order.indexOf(lane);
  return { middle: headHeight + (row + 0.5) * rowHeight - scrollTop, half: Math.min(11, rowHeight / 5) };
}

/** The lanes that are in view, as the first one and the one behind the last. */
export function lanesInView(count: number, frame: Pick<Frame, "height" | "rowHeight" | "scrollTop">) {
  const first = Math.max(Math.floor(frame.scrollTop / frame.rowHeight), 0);
  return [first, Math.min(Math.ceil((frame.scrollTop + frame.height) / frame.rowHeight), count)] as const;
}

function partOf(sent: Int32Array, times: Float64Array, { from, to }: Span): readonly [number, number] {
  const timeAt = (at: number) => times[sent[at] ?? 0] ?? 0;
  const first = firstWhere(sent.length, (at) => timeAt(at) >= from);
  return [first, firstWhere(sent.length, (at) => timeAt(at) > to)];
}

function drawMarks(
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

function drawColumns(
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

function drawArrows(context: CanvasRenderingContext2D, model: LaneModel, frame: Frame): void {
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
  const [fromRow, toRow] = [frame.order.indexOf(sender), frame.order.indexOf(to)];
  if (sender === to || fromRow < 0 || toRow < 0) return;
  const read = model.acknowledgedAt(to, place);
  const [x, y] = markPlace(model, frame, place);
  const down = toRow > fromRow;
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
  const row = model.lanes[frame.order[lane] ?? -1];
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
function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) ** 2 > 0.0525 ? "#000000" : "#ffffff";
}
