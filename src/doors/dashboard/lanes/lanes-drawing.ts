/**
 * Draws lanes on a canvas, and finds what is under a place of it. A lane has the claims as bars with the entries around
 * them: refusals above, reports below, messages as arrows. Where there are too many for each to be seen, a column of pixels
 * stands for those in it: as high as they are many, in the colour of the worst. Nothing here keeps a state.
 */
import { visible } from "../../../base/text.ts";
import { timeOfDay } from "../shown/moment.ts";
import { inkOn, type Palette } from "./lanes-colours.ts";
import { type Claim, firstWhere, type LaneModel, type Span, ticksOf, tones } from "./lanes-model.ts";

/** What is in view, in pixels of the page. */
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
const marksMax = 2_000;
const arrowsMax = 60;
const chosenArrowsMax = 400;
const binPixels = 2;

function xOf({ span, width }: Frame, time: number): number {
  return ((time - span.from) / Math.max(span.to - span.from, 1)) * width;
}

function rowOf({ rowHeight, scrollTop }: Frame, lane: number): { readonly middle: number; readonly half: number } {
  return { middle: headHeight + (lane + 0.5) * rowHeight - scrollTop, half: Math.min(11, rowHeight / 5) };
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

/** Draws one frame. The context's unit is a pixel of the page. */
export function drawLanes(context: CanvasRenderingContext2D, model: LaneModel, frame: Frame): void {
  const { width, height, palette } = frame;
  context.clearRect(0, 0, width, height);
  const [first, end] = lanesInView(model.lanes.length, frame);
  drawGrid(context, frame, first, end);
  const parts = model.lanes.slice(first, end).map(({ sent }) => partOf(sent, model.times, frame.span));
  const marks = parts.reduce((sum, [from, to]) => sum + (to - from), 0);
  if (marks <= marksMax) drawArrows(context, model, frame);
  for (let lane = first; lane < end; lane++) drawClaims(context, model, frame, lane);
  for (const [at, part] of parts.entries()) {
    if (marks > marksMax) drawColumns(context, model, frame, first + at, part);
    else drawMarks(context, model, frame, first + at, part);
  }
  drawHead(context, frame);
  if (frame.cursor !== null) drawCursor(context, frame, xOf(frame, frame.cursor));
  context.fillStyle = palette.line;
  context.fillRect(0, headHeight - 1, width, 1);
}

function drawGrid(context: CanvasRenderingContext2D, frame: Frame, first: number, end: number): void {
  const { width, height, palette, span } = frame;
  context.fillStyle = palette.line;
  for (const tick of ticksOf(span, width / 90)) context.fillRect(Math.round(xOf(frame, tick)), headHeight, 1, height);
  for (let lane = first; lane < end; lane++) {
    const { middle } = rowOf(frame, lane);
    if (lane === frame.chosen) {
      context.fillStyle = palette.sunk;
      context.fillRect(0, middle - frame.rowHeight / 2, width, frame.rowHeight);
    }
    context.fillStyle = palette.firm;
    context.fillRect(0, Math.round(middle), width, 1);
  }
}

function drawHead(context: CanvasRenderingContext2D, frame: Frame): void {
  const { width, palette, span } = frame;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, width, headHeight);
  context.fillStyle = palette.faint;
  context.font = `11px ${palette.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const tick of ticksOf(span, width / 90))
    context.fillText(tickWords(tick, span), xOf(frame, tick), headHeight / 2);
}

/** The time of a tick, as exact as the span needs it. */
export function tickWords(time: number, { from, to }: Span): string {
  if (to - from > 2 * 86_400_000) return new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  const clock = timeOfDay(time);
  if (to - from > 600_000) return clock.slice(0, 5);
  return to - from > 10_000 ? clock : `${clock.slice(3)}.${String(Math.round(time) % 1_000).padStart(3, "0")}`;
}

function drawCursor(context: CanvasRenderingContext2D, frame: Frame, x: number): void {
  const { width, height, palette, cursor } = frame;
  // What was not yet known is behind a veil.
  context.globalAlpha = 0.6;
  context.fillStyle = palette.surface;
  context.fillRect(Math.max(x, 0), headHeight, width - Math.max(x, 0), height);
  context.globalAlpha = 1;
  context.fillStyle = palette.accent;
  context.fillRect(Math.round(x) - 1, headHeight - 4, 2, height);
  const label = timeOfDay(cursor ?? 0);
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

/** Draws the whole time as columns: how much there was, and on top of it how much of that is bad or open. */
export function drawOverview(
  context: CanvasRenderingContext2D,
  model: LaneModel,
  { width, height, span, palette, shown }: Pick<Frame, "width" | "height" | "span" | "palette" | "shown">,
): void {
  context.clearRect(0, 0, width, height);
  const pixels = 5;
  const columns = Math.ceil(width / pixels);
  const counts = tones.map(() => new Int32Array(columns));
  const perMs = columns / Math.max(span.to - span.from, 1);
  for (let place = 0; place < model.times.length; place++) {
    if (shown !== null && shown[place] === 0) continue;
    const column = Math.min((((model.times[place] ?? 0) - span.from) * perMs) | 0, columns - 1);
    const ofTone = counts[model.toneOf[place] ?? 0];
    if (ofTone !== undefined) ofTone[column] = (ofTone[column] ?? 0) + 1;
  }
  const total = (column: number) => counts.reduce((sum, ofTone) => sum + (ofTone[column] ?? 0), 0);
  const most = Math.max(1, ...Array.from({ length: columns }, (_, column) => total(column)));
  for (let column = 0; column < columns; column++) {
    const [bad = 0, open = 0] = counts.map((ofTone) => ofTone[column] ?? 0);
    let top = height;
    for (const [count, colour] of [
      [total(column) - bad - open, palette.quiet],
      [open, palette.warn],
      [bad, palette.bad],
    ] as const) {
      const tall = count === 0 ? 0 : Math.max((count / most) * (height - 2), 1.5);
      context.fillStyle = colour;
      context.fillRect(column * pixels, top - tall, pixels - 1, tall);
      top -= tall;
    }
  }
}
