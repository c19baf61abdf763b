/** How what needs the person is shown: the most urgent first, each in a line with its age, below it what is known of it. */
import { systemClock } from "../../../base/clock.ts";
import { ageOf, counted, shorten, visible } from "../../../base/text.ts";
import type { Need, Needs, Severity } from "../../../coordination/needs/need-ranking.ts";
import { localTime } from "../terminal/local-time.ts";
import type { Paint } from "../terminal/output.ts";

const tones: Readonly<Record<Severity, keyof Paint>> = { critical: "bad", high: "bad", medium: "warn", low: "faint" };

/** More characters of an agent's words than a line has room for. */
const wordsMax = 100;

/** What needs the person; nothing: that alone, in words. */
export function needsText({ total, needs }: Needs, paint: Paint): string {
  if (total === 0) return "Nothing needs you.\n";
  const now = systemClock.now();
  const more = total - needs.length;
  return [
    paint.strong(`${counted(total, "matter")} ${total === 1 ? "needs" : "need"} you`),
    ...needs.flatMap((need) => linesOf(need, now, paint)),
    ...(more > 0 ? [paint.faint(`and ${more} more`)] : []),
    "",
  ].join("\n");
}

function linesOf(need: Need, now: number, paint: Paint): readonly string[] {
  const { severity, kind, target, subject, asks, why, since, dueAt, blocksTotal } = need;
  const tone = paint[tones[severity] ?? "warn"];
  const facts = [
    ...(since === null ? [] : [`since ${ageOf(Date.parse(since), now)}`]),
    ...(dueAt === null ? [] : [`until ${localTime(dueAt, now)}`]),
    ...(blocksTotal === 0 ? [] : [`${counted(blocksTotal, "task")} ${blocksTotal === 1 ? "waits" : "wait"}`]),
  ].join(", ");
  return [
    `  ${tone(visible(kind))}  ${paint.strong(visible(target))}  ${visible(subject)}${facts === "" ? "" : ` ${paint.faint(facts)}`}`,
    ...[asks, why].flatMap((words) =>
      words === null
        ? []
        : [`      ${paint.faint(visible(shorten(words.trimStart().split("\n", 1)[0] ?? "", wordsMax)))}`],
    ),
  ];
}
