/** What is in hand and what waits, for people: each matter in a line with its age, and below it what decides it. */
import { isDeepStrictEqual } from "node:util";
import { ageOf } from "../../../base/age.ts";
import { systemClock } from "../../../base/clock.ts";
import { shorten, visible } from "../../../base/text.ts";
import type { Call } from "../kernel/command.ts";
import { nextCommand } from "../kernel/next-command.ts";
import { listed } from "../place/session.ts";
import type { Paint } from "../terminal/paint.ts";
import { table } from "../terminal/table.ts";
import { type HeldTask, type MatterKind, matterKinds, type OpenMatter, type OpenMatters } from "./open-matters.ts";

/** Of each kind so many are shown, the oldest; the rest is counted. */
const shownMax = 12;
/** More characters of what a matter is about than a line has room for. */
const aboutCharactersMax = 100;

const tones: Readonly<Record<MatterKind, keyof Paint>> = {
  revision: "warn",
  approval: "warn",
  escalation: "warn",
  shipped: "bad",
  disputed: "bad",
  stale: "bad",
  unverified: "warn",
  shutdown: "warn",
  blocked: "faint",
};
const kindWidth = Math.max(...matterKinds.map((kind) => kind.length));

/** A part for what is in hand and one for what waits; nothing waits: that alone, in words. */
export function openText(call: Pick<Call, "given" | "config" | "output">, { held, matters }: OpenMatters): string[] {
  const paint = call.output.paint.stdout;
  const now = systemClock.now();
  return [
    ...(held.length === 0 ? [] : [[paint.strong("In hand"), ...heldLines(held, now)].join("\n")]),
    matters.length === 0
      ? "Nothing waits for a decision."
      : [paint.strong("Waiting"), ...matterKinds.flatMap((kind) => linesOf(call, kind, matters, now))].join("\n"),
  ];
}

function heldLines(held: readonly HeldTask[], now: number): readonly string[] {
  const rows = held.map(({ task, holder, since, until }) => [
    `  ${visible(task)}`,
    visible(holder),
    since === null ? "" : durationText(ageText(since, now)),
    until === null ? "" : `until ${until}`,
  ]);
  return table(rows).split("\n");
}

function linesOf(
  call: Pick<Call, "given" | "config" | "output">,
  kind: MatterKind,
  all: readonly OpenMatter[],
  now: number,
): readonly string[] {
  const matters = all.filter((matter) => matter.kind === kind);
  const paint = call.output.paint.stdout;
  const indent = " ".repeat(kindWidth + 4);
  const shown = matters.slice(0, shownMax);
  const rows = table(shown.map((matter) => rowOf(matter, now))).split("\n");
  const lines = shown.flatMap((matter, at) => {
    const line = `  ${paint[tones[kind]](kind.padEnd(kindWidth))}  ${rows[at]}`;
    // One command may stand for several: it is told once, below the last of them.
    const next = shown[at + 1];
    if (next !== undefined && isDeepStrictEqual(next.decide, matter.decide)) return [line];
    const commands = matter.decide.flatMap((words) => nextCommand(call, words) ?? []);
    return [line, ...commands.map((command) => `${indent}${paint.faint(command)}`)];
  });
  const more = matters.length - shown.length;
  return more === 0 ? lines : [...lines, `${indent}and ${more} more`];
}

function rowOf({ id, since, about, waitsFor }: OpenMatter, now: number): readonly string[] {
  const waits = waitsFor.length === 0 ? "" : `waits for ${listed(waitsFor)}`;
  const said = [visible(shorten(about, aboutCharactersMax)), waits].filter((each) => each !== "").join("; ");
  return [visible(id), since === null ? "" : ageText(since, now), said];
}

function durationText(age: string): string {
  return age === "now" ? "just now" : `for ${age}`;
}

function ageText(since: string, now: number): string {
  return ageOf(Date.parse(since), now);
}
