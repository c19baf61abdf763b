/**
 * Draws lanes on a canvas: the grid with its times, the time cursor, claims as bars, and around them the marks of
 * `lanes-marks.ts`. Nothing here keeps a state.
 */
import { ageOf, visible } from "../../base/text.ts";
import { timeOfDay } from "../../doors/page/shown/moment.ts";
import type { Pause, TimeAxis } from "../../doors/page/shown/time-axis.ts";
import { type Span, ticksOf, tickWords } from "../../doors/page/shown/time-span.ts";
import {
  drawArrows,
  drawColumns,
  drawMarks,
  type Frame,
  headHeight,
  inkOn,
  lanesInView,
  marksMax,
  partOf,
  rowOf,
  xOf,
} from "./lanes-marks.ts";
import type { Claim, LaneModel } from "./lanes-model.ts";

/** Draws one frame. The context's unit is a pixel of the styles. */
export function drawLanes(context: CanvasRenderingContext2D, model: LaneModel, frame: Frame): void {
  const { width, height, palette } = frame;
  context.clearRect(0, 0, width, height);
  const [first, end] = lanesInView(model.lanes.length, frame);
  const ticks = ticksIn(model.axis, frame);
  drawGrid(context, frame, ticks, [first, end]);
  const parts = model.lanes.slice(first, end).map(({ sent }) => partOf(sent, model.times, frame.span));
  const marks = parts.reduce((sum, [from, to]) => sum + (to - from), 0);
  if (marks <= marksMax) drawArrows(context, model, frame);
  for (let lane = first; lane < end; lane++) drawClaims(context, model, frame, lane);
  const pauses = drawnPauses(model.axis, frame);
  drawPauses(context, frame, pauses);
  for (const [at, part] of parts.entries()) {
    if (marks > marksMax) drawColumns(context, model, frame, first + at, part);
    else drawMarks(context, model, frame, first + at, part);
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
  [first, end]: readonly [number, number],
): void {
  const { width, height, palette } = frame;
  context.fillStyle = palette.line;
  for (const tick of ticks) context.fillRect(Math.round(xOf(frame, tick)), headHeight, 1, height);
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

/** Pauses that lie closer together than this, in pixels, are drawn and named as one. */
const pausesApart = 12;
/** How near to the name of a pause no time is written. */
const pauseRoom = 58;

/** A pause as it is drawn, or several of them with hardly anything between them: from where to where, and its name. */
interface DrawnPause {
  readonly left: number;
  readonly right: number;
  readonly words: string;
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
function drawPauses(context: CanvasRenderingContext2D, frame: Frame, pauses: readonly DrawnPause[]): void {
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
      context.fillText(tickWords(axis.timeOf(tick), span), x, headHeight / 2);
  }
  context.fillStyle = palette.soft;
  for (const [at, { words }] of pauses.entries()) {
    const middle = middles[at] ?? 0;
    if (middle - (middles[at - 1] ?? -Infinity) > pauseRoom) context.fillText(words, middle, headHeight / 2);
  }
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
